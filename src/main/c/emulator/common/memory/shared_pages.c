#include "memory/shared_pages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file_limit.h"
#include "log/sdk_log.h"

#define MAX_RUNS 512u

/* Pages that were moved. Not on the heap, of which a page may be among them. */
struct run {
	uint8_t *first; /* NULL: free */
	size_t bytes;
	int fd;
	uint64_t inode;
	bool exact;     /* nobody else has anything on its pages */
	uint32_t users; /* exports; 0: it could not go back */
	uint8_t *copy;  /* for the child, while the process forks */
};

struct emu_shared_pages {
	pid_t pid; /* a child inherits the structure, but not the export */
	int fd;
	struct emu_shared_record *record; /* others can write to it, too */
	uint32_t num_runs;
	struct run *runs[EMU_SHARED_MAX_RUNS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct run runs[MAX_RUNS];

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- mappings of this process ---- */

struct mapping {
	uint64_t start, end, inode;
	char access[5];
	char name[24]; /* the beginning of it */
};

struct mapping_reader {
	int fd;
	size_t have, at;
	char text[4096];
};

/* The next line, of which what does not fit is left out; false: there is none. */
static bool read_line(struct mapping_reader *reader, char *line, size_t size)
{
	size_t len = 0;
	for (;;) {
		if (reader->at == reader->have) {
			ssize_t got = read(reader->fd, reader->text, sizeof(reader->text));
			if (got <= 0)
				return false;
			reader->have = (size_t)got;
			reader->at = 0;
		}
		char c = reader->text[reader->at++];
		if (c == '\n')
			break;
		if (len < size - 1)
			line[len++] = c;
	}
	line[len] = '\0';
	return true;
}

/* Whether mappings for which `fits` holds cover all of these bytes. */
static bool covered(const uint8_t *first, size_t bytes, bool (*fits)(const struct mapping *mapping, uint64_t argument),
		    uint64_t argument)
{
	struct mapping_reader reader = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
	if (reader.fd < 0)
		return false;
	uint64_t at = (uint64_t)(uintptr_t)first, end = at + bytes;
	char line[160];
	while (at < end && read_line(&reader, line, sizeof(line))) {
		struct mapping m = {.name = ""};
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %23s", &m.start, &m.end, m.access,
			   &m.inode, m.name) < 4)
			break;
		if (m.end <= at)
			continue;
		if (m.start > at || !fits(&m, argument))
			break;
		at = m.end;
	}
	close(reader.fd);
	return at >= end;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Ordinary private memory, and not the stack that `frame` is on. */
static bool is_movable(const struct mapping *m, uint64_t frame)
{
	return strcmp(m->access, "rw-p") == 0 && (frame < m->start || frame >= m->end) && !begins(m->name, "[stack") &&
	       !begins(m->name, "/anon_hugepage") && !begins(m->name, "/dev/");
}

static bool is_of_file(const struct mapping *m, uint64_t inode)
{
	return m->inode == inode && strcmp(m->access, "rw-s") == 0;
}

/* The program may have unmapped the memory. */
static bool is_there(const struct run *run)
{
	return covered(run->first, run->bytes, is_of_file, run->inode);
}

/* ---- moving ---- */

/* Pages hold more than the program may look at: what sanitizers keep between objects. */
#define READS_ANYTHING __attribute__((noinline, no_sanitize("address"), no_sanitize("thread")))

/* Volatile: no function shall be called instead, which a sanitizer would look into. */
typedef volatile uint64_t __attribute__((may_alias)) word;

/* Pages of zeros stay unwritten, so that they take no memory. */
static READS_ANYTHING void copy_pages(uint8_t *to, const uint8_t *from, size_t bytes)
{
	size_t page = page_size() / sizeof(word), all = bytes / sizeof(word);
	word *target = (word *)to;
	const word *source = (const word *)from;
	for (size_t start = 0; start < all; start += page) {
		uint64_t any = 0;
		for (size_t i = start; i < start + page; i++)
			any |= source[i];
		for (size_t i = start; any != 0 && i < start + page; i++)
			target[i] = source[i];
	}
}

/* Puts pages of a file, or private ones (-1), in the place of those that are there, with the same content. What the
 * process does not write meanwhile stays as it is; there is no moment without pages. */
static bool replace_pages(uint8_t *first, size_t bytes, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	uint8_t *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
	if (pages == MAP_FAILED)
		return false;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	copy_pages(pages, first, bytes);
	bool done = mremap(pages, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, first) == first;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!done)
		munmap(pages, bytes);
	return done;
}

static bool has_one_thread(void)
{
	struct stat status;
	return stat("/proc/self/task", &status) == 0 && status.st_nlink == 3;
}

/* A file of a fixed size. */
static int make_file(size_t bytes)
{
	if (!emu_file_may_have(bytes, "shared memory of an export"))
		return -1;
	int fd = memfd_create(EMU_SHARED_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && (ftruncate(fd, (off_t)bytes) != 0 ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- forks ----
 *
 * A child's memory is a copy of its parent's. It gets copies of what is not private any more, too. */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	for (struct run *run = runs; run != runs + MAX_RUNS; run++) {
		run->copy = NULL;
		if (run->first == NULL || !is_there(run))
			continue;
		void *copy = mmap(NULL, run->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				  -1, 0);
		run->copy = copy == MAP_FAILED ? NULL : copy;
	}
	/* From here on this thread writes nowhere that is copied. */
	for (const struct run *run = runs; run != runs + MAX_RUNS; run++)
		if (run->copy != NULL)
			copy_pages(run->copy, run->first, run->bytes);
}

static void after_fork_in_parent(void)
{
	for (struct run *run = runs; run != runs + MAX_RUNS; run++)
		if (run->copy != NULL) {
			munmap(run->copy, run->bytes);
			run->copy = NULL;
		}
	pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
	for (struct run *run = runs; run != runs + MAX_RUNS; run++) {
		if (run->copy != NULL)
			(void)mremap(run->copy, run->bytes, run->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, run->first);
		if (run->first != NULL)
			close(run->fd);
		*run = (struct run){0};
	}
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- runs; with the lock held ---- */

static void forget(struct run *run)
{
	close(run->fd);
	*run = (struct run){0};
}

/* The run with the address; or NULL, and `until` is brought down to the run that begins before it. */
static struct run *find_run(const uint8_t *at, uint8_t **until)
{
	for (struct run *run = runs; run != runs + MAX_RUNS; run++) {
		if (run->first == NULL)
			continue;
		if (at >= run->first && at < run->first + run->bytes) {
			if (is_there(run))
				return run;
			if (run->users == 0)
				forget(run);
		} else if (run->first > at && run->first < *until) {
			*until = run->first;
		}
	}
	return NULL;
}

static struct run *make_run(uint8_t *first, size_t bytes, bool exact)
{
	struct run *run = runs;
	while (run != runs + MAX_RUNS && run->first != NULL)
		run++;
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	if (run == runs + MAX_RUNS || !covered(first, bytes, is_movable, frame))
		return NULL;
	struct stat status;
	int fd = make_file(bytes);
	if (fd < 0 || fstat(fd, &status) != 0 || !replace_pages(first, bytes, fd)) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*run = (struct run){.first = first, .bytes = bytes, .fd = fd, .inode = status.st_ino, .exact = exact};
	return run;
}

static void release_run(struct run *run)
{
	if (--run->users > 0)
		return;
	bool there = is_there(run);
	if (there && !run->exact && !has_one_thread())
		return; /* others may be writing to its pages */
	if (there && !replace_pages(run->first, run->bytes, -1))
		return;
	forget(run);
}

/* ---- exports ---- */

/* Whole pages of the memory, or all that have some of it. */
struct pages {
	uint8_t *first, *end;
};

static struct pages whole_pages(const void *memory, size_t len)
{
	uintptr_t page = page_size(), start = (uintptr_t)memory, end = start + len;
	return (struct pages){(uint8_t *)((start + page - 1) / page * page), (uint8_t *)(end / page * page)};
}

static struct pages all_pages(const void *memory, size_t len)
{
	uintptr_t page = page_size(), start = (uintptr_t)memory, end = start + len;
	return (struct pages){(uint8_t *)(start / page * page), (uint8_t *)((end + page - 1) / page * page)};
}

static void share_run(struct emu_shared_pages *shared, struct run *run)
{
	run->users++;
	shared->record->runs[shared->num_runs] =
		(struct emu_shared_run){.first = (uint64_t)(uintptr_t)run->first, .bytes = run->bytes, .file = run->fd};
	shared->runs[shared->num_runs++] = run;
	shared->record->num_runs = shared->num_runs;
}

/* With the lock held. */
static void share_all(struct emu_shared_pages *shared, const void *memory, size_t len)
{
	const struct pages all = all_pages(memory, len), whole = whole_pages(memory, len);
	const struct pages movable = has_one_thread() ? all : whole;
	for (uint8_t *at = all.first; at < all.end && shared->num_runs < EMU_SHARED_MAX_RUNS;) {
		uint8_t *end = all.end;
		struct run *run = find_run(at, &end);
		if (run == NULL) {
			uint8_t *first = at > movable.first ? at : movable.first;
			uint8_t *last = end < movable.end ? end : movable.end;
			bool exact = first >= whole.first && last <= whole.end;
			if (first < last)
				run = make_run(first, (size_t)(last - first), exact);
		} else {
			end = run->first + run->bytes;
		}
		if (run != NULL)
			share_run(shared, run);
		at = end;
	}
}

struct emu_shared_pages *emu_share_pages(const void *memory, size_t len, uint64_t cookie, uint64_t export_id)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	(void)pthread_once(&once, watch_forks);
	struct emu_shared_pages *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	made->pid = getpid();
	made->fd = make_file(sizeof(*made->record));
	void *record = made->fd < 0
			       ? MAP_FAILED
			       : mmap(NULL, sizeof(*made->record), PROT_READ | PROT_WRITE, MAP_SHARED, made->fd, 0);
	if (record == MAP_FAILED) {
		EMU_LOG_WARNING("exported memory cannot be shared with kernels of other processes: %m");
		return made;
	}
	made->record = record;
	*made->record = (struct emu_shared_record){.magic = EMU_SHARED_MAGIC, .cookie = cookie, .export_id = export_id};
	pthread_mutex_lock(&lock);
	share_all(made, memory, len);
	pthread_mutex_unlock(&lock);
	return made;
}

int emu_shared_file(const struct emu_shared_pages *shared)
{
	return shared->record == NULL ? -1 : shared->fd;
}

void emu_unshare_pages(struct emu_shared_pages *shared)
{
	if (shared == NULL)
		return;
	if (shared->record != NULL && shared->pid == getpid()) {
		atomic_store(&shared->record->ended, 1);
		pthread_mutex_lock(&lock);
		for (uint32_t i = 0; i < shared->num_runs; i++)
			release_run(shared->runs[i]);
		pthread_mutex_unlock(&lock);
	}
	if (shared->record != NULL)
		munmap(shared->record, sizeof(*shared->record));
	if (shared->fd >= 0)
		close(shared->fd);
	free(shared);
}
