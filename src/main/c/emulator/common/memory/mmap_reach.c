#include "memory/mmap_reach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "log/sdk_log.h"
#include "memory/memory.h"
#include "memory/shared_pages.h"

struct emu_reach {
	pid_t pid;
	int process; /* a descriptor that becomes readable when the process ends; negative: the system has none */
	const struct emu_shared_record *record;
	uint8_t *window; /* NULL: no pages are mapped */
	uint64_t first, bytes;
	uint32_t num_runs;
	struct emu_shared_run runs[EMU_SHARED_MAX_RUNS];
};

/* ---- files of the exporter ---- */

/* Opens a file of the exporter, if it is one of shared_pages.c: nothing else shall be opened, which might be a device,
 * or wait. */
static int open_file(pid_t pid, int number, uint64_t bytes)
{
	static const char name[] = "/memfd:" EMU_SHARED_NAME;
	char path[64], target[64];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, number);
	ssize_t len = readlink(path, target, sizeof(target));
	if (len < (ssize_t)sizeof(name) - 1 || /* guard: reach-file-name */ memcmp(target, name, sizeof(name) - 1) != 0)
		return -1;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	/* It cannot shrink under a mapping, nor be of pages that are not to be had at the first touch. */
	const int needed = F_SEAL_SHRINK | F_SEAL_GROW;
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat status;
	struct statfs system;
	if (seals < 0 || /* guard: reach-file-seals */ (seals & needed) != needed || fstat(fd, &status) != 0 ||
	    !S_ISREG(status.st_mode) ||
	    /* guard: reach-file-size */ (uint64_t)status.st_size != bytes || fstatfs(fd, &system) != 0 ||
	    system.f_type == HUGETLBFS_MAGIC) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool map_record(struct emu_reach *reach, const struct emu_exported *exported)
{
	size_t bytes = sizeof(*reach->record);
	int fd = open_file(exported->pid, exported->file, bytes);
	if (fd < 0)
		return false;
	void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (mapped == MAP_FAILED)
		return false;
	reach->record = mapped;
	/* Another process may have got the number of one that is gone: this tells whose file it is. */
	return /* guard: reach-magic=1 */ reach->record->magic == EMU_SHARED_MAGIC &&
	       /* guard: reach-process=1 */ reach->record->cookie == exported->cookie &&
	       /* guard: reach-export=1 */ reach->record->export_id == exported->export_id;
}

/* ---- the window ---- */

static bool is_sane(const struct emu_reach *reach, const struct emu_shared_run *run, uint64_t page)
{
	return run->bytes > 0 && run->first % page == 0 && run->bytes % page == 0 && run->file >= 0 &&
	       run->first < reach->first + reach->bytes && run->bytes <= UINT64_MAX - run->first &&
	       run->first + run->bytes > reach->first;
}

/* Maps the part of a run that the window has. */
static bool map_run(const struct emu_reach *reach, const struct emu_shared_run *run)
{
	uint64_t end = run->first + run->bytes, window_end = reach->first + reach->bytes;
	uint64_t from = run->first > reach->first ? run->first : reach->first;
	uint64_t to = end < window_end ? end : window_end;
	int fd = open_file(reach->pid, run->file, run->bytes);
	if (fd < 0)
		return false;
	void *mapped = mmap(reach->window + (from - reach->first), to - from, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, (off_t)(from - run->first));
	close(fd);
	return mapped != MAP_FAILED;
}

static void open_window(struct emu_reach *reach, const struct emu_exported *exported)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint32_t num = reach->record->num_runs;
	if (num == 0 || /* guard: reach-runs */ num > EMU_SHARED_MAX_RUNS ||
	    exported->addr + exported->len > UINT64_MAX - page)
		return;
	reach->first = exported->addr / page * page;
	reach->bytes = (exported->addr + exported->len - reach->first + page - 1) / page * page;
	void *window = mmap(NULL, reach->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (window == MAP_FAILED)
		return;
	reach->window = window;
	for (uint32_t i = 0; i < num; i++) {
		const struct emu_shared_run run = reach->record->runs[i];
		if (is_sane(reach, &run, page) && map_run(reach, &run))
			reach->runs[reach->num_runs++] = run;
	}
}

/* ---- life ---- */

static int open_process(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

struct emu_reach *emu_reach_open(const struct emu_exported *exported)
{
	struct emu_reach *reach = calloc(1, sizeof(*reach));
	if (reach == NULL)
		return NULL;
	reach->pid = exported->pid;
	/* The process before its file: what the file says is then true of this process. */
	reach->process = open_process(exported->pid);
	if (!map_record(reach, exported) || !emu_reach_alive(reach)) {
		EMU_LOG_INFO(
			"kernels cannot reach what process %d has exported: it has ended, or its files cannot be "
			"opened here",
			(int)exported->pid);
		emu_reach_close(reach);
		return NULL;
	}
	open_window(reach, exported);
	return reach;
}

void emu_reach_close(struct emu_reach *reach)
{
	if (reach == NULL)
		return;
	if (reach->window != NULL)
		munmap(reach->window, reach->bytes);
	if (reach->record != NULL)
		munmap((void *)(uintptr_t)reach->record, sizeof(*reach->record));
	if (reach->process >= 0)
		close(reach->process);
	free(reach);
}

bool emu_reach_alive(const struct emu_reach *reach)
{
	if (/* guard: reach-ended */ atomic_load(&reach->record->ended) != 0)
		return false;
	if (reach->process < 0)
		return kill(reach->pid, 0) == 0 || errno == EPERM;
	struct pollfd wait = {.fd = reach->process, .events = POLLIN};
	return poll(&wait, 1, 0) == 0;
}

/* ---- bytes ---- */

uint8_t *emu_reach_here(const struct emu_reach *reach, uint64_t addr, uint64_t len)
{
	if (reach->window == NULL || !emu_contains((const uint8_t *)(uintptr_t)reach->first, reach->bytes,
						   (const uint8_t *)(uintptr_t)addr, len))
		return NULL;
	uint64_t at = addr, end = addr + (len > 0 ? len : 1);
	while (at < end) {
		uint32_t i = 0;
		while (i < reach->num_runs &&
		       (at < reach->runs[i].first || at - reach->runs[i].first >= reach->runs[i].bytes))
			i++;
		if (i == reach->num_runs)
			return NULL;
		at = reach->runs[i].first + reach->runs[i].bytes;
	}
	return reach->window + (addr - reach->first);
}

static bool copy(const struct emu_reach *reach, void *here, uint64_t addr, uint64_t len, bool write)
{
	while (len > 0) {
		struct iovec local = {.iov_base = here, .iov_len = len};
		struct iovec remote = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
		ssize_t part = write ? process_vm_writev(reach->pid, &local, 1, &remote, 1, 0)
				     : process_vm_readv(reach->pid, &local, 1, &remote, 1, 0);
		if (part <= 0)
			return false;
		here = (uint8_t *)here + part;
		addr += (uint64_t)part;
		len -= (uint64_t)part;
	}
	return true;
}

bool emu_reach_read(const struct emu_reach *reach, void *here, uint64_t addr, uint64_t len)
{
	return copy(reach, here, addr, len, false);
}

bool emu_reach_write(const struct emu_reach *reach, const void *here, uint64_t addr, uint64_t len)
{
	return copy(reach, (void *)(uintptr_t)here, addr, len, true);
}
