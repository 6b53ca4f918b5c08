#include "base/shm_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/file_limit.h"
#include "core/forks.h"
#include "log/sdk_log.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Mappings of this process, so that both ends of a connection in one process use the same addresses. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shm_mapping *registry;
EMU_FREE_IN_CHILDREN(registry_lock)

/* What is mapped of shared files. A child gets memory of its own in its place: it must neither write to that of its
 * parent's connections nor keep it. */
struct place {
	void *start;
	uint64_t bytes;
	struct place *next;
};

static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static struct place *places;

static void before_fork(void)
{
	pthread_mutex_lock(&places_lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&places_lock);
}

static void after_fork_in_child(void)
{
	for (const struct place *place = places; place != NULL; place = place->next)
		(void)mmap(place->start, place->bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	pthread_mutex_unlock(&places_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static doca_error_t from_errno(const char *what)
{
	int error = errno;
	EMU_LOG_ERROR("%s: %m%s", what, emu_file_remedy(error));
	bool lacks = error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOSPC || error == EFBIG;
	return lacks ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM;
}

/* A memfd of a fixed size, which no holder of the descriptor can change. */
static int sealed_memfd(const char *name, uint64_t bytes)
{
	if (!emu_file_may_have(bytes, "shared memory of a connection"))
		return -1;
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)bytes) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
		int error = errno;
		/* guard: release-unsealed-file */ close(fd);
		errno = error;
		return -1;
	}
	return emu_fork_keep(fd);
}

void *shm_file_map(int fd, uint64_t offset, uint64_t bytes)
{
	struct place *place = malloc(sizeof(*place));
	if (place == NULL)
		return NULL;
	pthread_mutex_lock(&places_lock);
	void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
	if (mapped == MAP_FAILED) {
		/* guard: release-place */ free(place);
		mapped = NULL;
	} else {
		*place = (struct place){.start = mapped, .bytes = bytes, .next = places};
		places = place;
	}
	pthread_mutex_unlock(&places_lock);
	return mapped;
}

void shm_file_unmap(void *start)
{
	pthread_mutex_lock(&places_lock);
	struct place **link = &places;
	while (*link != NULL && (*link)->start != start)
		link = &(*link)->next;
	struct place *place = *link;
	if (place != NULL) {
		*link = place->next;
		munmap(place->start, place->bytes);
	}
	pthread_mutex_unlock(&places_lock);
	free(place);
}

doca_error_t shm_file_map_part(struct shm_mapping *mapping, uint8_t **part, uint64_t *part_bytes, uint64_t offset,
			       uint64_t bytes)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mapping->lock);
	if (*part == NULL) {
		*part = shm_file_map(mapping->fd, offset, bytes);
		*part_bytes = bytes;
	}
	if (*part == NULL)
		result = DOCA_ERROR_NO_MEMORY;
	else if (/* guard: shm-part-agreed */ *part_bytes != bytes)
		result = DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&mapping->lock);
	return result;
}

/* Memory from the peer must not be able to vanish under a mapping: exact size, sealed at that size, and of ordinary
 * pages, because huge ones that cannot be had are found out only at the first touch. */
static bool acceptable(int fd, uint64_t bytes, struct stat *status)
{
	struct statfs system;
	if (fstatfs(fd, &system) != 0 || /* guard: shm-huge-pages */ system.f_type == HUGETLBFS_MAGIC ||
	    fstat(fd, status) != 0 || !S_ISREG(status->st_mode) ||
	    /* guard: shm-size */ (uint64_t)status->st_size != bytes)
		return false;
	int seals = fcntl(fd, F_GET_SEALS);
	return /* guard: shm-sealable=1 */ seals >= 0 &&
	       /* guard: shm-seals=1 */ (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) == (F_SEAL_SHRINK | F_SEAL_GROW);
}

doca_error_t shm_file_acquire(int fd, uint64_t file_bytes, size_t start_bytes, size_t object_bytes,
			      struct shm_mapping **mapping)
{
	struct stat status;
	if (!acceptable(fd, file_bytes, &status)) {
		/* guard: shm-refused-closed */ close(fd);
		EMU_LOG_WARNING("a peer offered shared memory of the wrong size or without seals");
		return DOCA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_lock(&registry_lock);
	struct shm_mapping *found = registry;
	while (found != NULL && (found->dev != status.st_dev || found->ino != status.st_ino))
		found = found->next;
	if (found != NULL) {
		found->refs++;
		/* guard: shm-known-closed */ close(fd);
	} else if ((found = calloc(1, object_bytes)) != NULL) {
		found->start = shm_file_map(fd, 0, start_bytes);
		if (found->start == NULL) {
			/* guard: release-mapping */ free(found);
			found = NULL;
		}
	}
	if (found == NULL) {
		/* guard: release-unmapped-file */ close(fd);
	} else if (found->refs == 0) {
		found->fd = fd;
		found->dev = status.st_dev;
		found->ino = status.st_ino;
		found->refs = 1;
		found->start_bytes = start_bytes;
		pthread_mutex_init(&found->lock, NULL);
		found->next = registry;
		registry = found;
	}
	pthread_mutex_unlock(&registry_lock);
	if (found == NULL) {
		emu_log_reason("no memory to map what two processes share");
		return DOCA_ERROR_NO_MEMORY;
	}
	*mapping = found;
	return DOCA_SUCCESS;
}

bool shm_file_let_go(struct shm_mapping *mapping)
{
	pthread_mutex_lock(&registry_lock);
	bool last = --mapping->refs == 0;
	if (last) {
		struct shm_mapping **link = &registry;
		while (*link != mapping)
			link = &(*link)->next;
		*link = mapping->next;
	}
	pthread_mutex_unlock(&registry_lock);
	return last;
}

void shm_file_dispose(struct shm_mapping *mapping)
{
	shm_file_unmap(mapping->start);
	close(mapping->fd);
	pthread_mutex_destroy(&mapping->lock);
	free(mapping);
}

doca_error_t shm_file_create(const char *name, uint64_t bytes, int *fd)
{
	*fd = sealed_memfd(name, bytes);
	return *fd >= 0 ? DOCA_SUCCESS : from_errno("cannot make shared memory");
}

void shm_file_ref(struct shm_mapping *mapping)
{
	pthread_mutex_lock(&registry_lock);
	mapping->refs++;
	pthread_mutex_unlock(&registry_lock);
}
