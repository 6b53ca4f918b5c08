#include "base/shm_map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sdk_log.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Mappings of this process, so that a server and a client in one process use the same addresses. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shm_mapping *registry;

static doca_error_t from_errno(const char *what)
{
	int error = errno;
	EMU_LOG_ERROR("%s: %m", what);
	return error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOSPC ? DOCA_ERROR_NO_MEMORY
											: DOCA_ERROR_OPERATING_SYSTEM;
}

/* A memfd of a fixed size, which no holder of the descriptor can change. */
static int sealed_memfd(const char *name, uint64_t bytes)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)bytes) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static void *map_part(int fd, uint64_t offset, uint64_t bytes)
{
	void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
	return mapped == MAP_FAILED ? NULL : mapped;
}

/* Memory from the peer must not be able to vanish under a mapping: exact size, sealed at that size, and of ordinary
 * pages, because huge ones that cannot be had are found out only at the first touch. */
static bool acceptable(int fd, uint64_t bytes, struct stat *status)
{
	struct statfs system;
	if (fstatfs(fd, &system) != 0 || system.f_type == HUGETLBFS_MAGIC || fstat(fd, status) != 0 ||
	    !S_ISREG(status->st_mode) || (uint64_t)status->st_size != bytes)
		return false;
	int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) == (F_SEAL_SHRINK | F_SEAL_GROW);
}

/* Finds or makes the mapping of a shared file; `object_bytes` is the size of the structure around it. Takes `fd`
 * over. */
static doca_error_t acquire(int fd, uint64_t file_bytes, size_t start_bytes, size_t object_bytes,
			    struct shm_mapping **mapping)
{
	struct stat status;
	if (!acceptable(fd, file_bytes, &status)) {
		close(fd);
		EMU_LOG_WARNING("a peer offered shared memory of the wrong size or without seals");
		return DOCA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_lock(&registry_lock);
	struct shm_mapping *found = registry;
	while (found != NULL && (found->dev != status.st_dev || found->ino != status.st_ino))
		found = found->next;
	if (found != NULL) {
		found->refs++;
		close(fd);
	} else if ((found = calloc(1, object_bytes)) != NULL) {
		found->start = map_part(fd, 0, start_bytes);
		if (found->start == NULL) {
			free(found);
			found = NULL;
		}
	}
	if (found == NULL) {
		close(fd);
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
	if (found == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*mapping = found;
	return DOCA_SUCCESS;
}

/* Takes a reference away; true when it was the last, and the mapping is out of the registry. */
static bool let_go(struct shm_mapping *mapping)
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

static void dispose(struct shm_mapping *mapping)
{
	munmap(mapping->start, mapping->start_bytes);
	close(mapping->fd);
	pthread_mutex_destroy(&mapping->lock);
	free(mapping);
}

doca_error_t shm_create(struct shm_map **map)
{
	int fd = sealed_memfd("doca-emu-connection", SHM_TOTAL_BYTES);
	if (fd < 0)
		return from_errno("cannot make a connection's shared memory");
	return shm_attach(fd, map);
}

doca_error_t shm_attach(int fd, struct shm_map **map)
{
	struct shm_mapping *base;
	doca_error_t result = acquire(fd, SHM_TOTAL_BYTES, SHM_CONTROL_BYTES, sizeof(**map), &base);
	if (result == DOCA_SUCCESS)
		*map = (struct shm_map *)base;
	return result;
}

void shm_release(struct shm_map *map)
{
	if (map == NULL || !let_go(&map->base))
		return;
	for (int side = 0; side < SHM_SIDES; side++) {
		if (map->rings[side] != NULL)
			munmap(map->rings[side], map->ring_bytes[side]);
		for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++) {
			struct shm_region *region = atomic_load(&map->regions[side][slot]);
			if (region != NULL)
				munmap(region, SHM_REGION_BYTES);
		}
	}
	dispose(&map->base);
}

doca_error_t shm_map_ring(struct shm_map *map, enum shm_side side, uint64_t bytes)
{
	if (bytes < SHM_PAGE || bytes > SHM_RING_MAX_BYTES || (bytes & (bytes - 1)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&map->base.lock);
	if (map->rings[side] == NULL) {
		map->rings[side] = map_part(map->base.fd, SHM_RING_OFFSET(side), bytes);
		map->ring_bytes[side] = bytes;
	}
	if (map->rings[side] == NULL)
		result = DOCA_ERROR_NO_MEMORY;
	else if (map->ring_bytes[side] != bytes)
		result = DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&map->base.lock);
	return result;
}

/* Not being able to give pages back early only costs memory. */
static void drop_pages(struct shm_map *map, uint64_t from, uint64_t to)
{
	if (from < to)
		(void)fallocate(map->base.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
				(off_t)(to - from));
}

void shm_drop_ring_pages(struct shm_map *map, enum shm_side side, uint64_t from, uint64_t bytes)
{
	uint64_t size = map->ring_bytes[side];
	uint64_t begin = from & (size - 1);
	uint64_t end = begin + bytes;
	begin = SHM_ROUND_PAGE(begin);
	end -= end % SHM_PAGE;
	uint64_t lap = end < size ? end : size;
	drop_pages(map, SHM_RING_OFFSET(side) + begin, SHM_RING_OFFSET(side) + lap);
	drop_pages(map, SHM_RING_OFFSET(side), SHM_RING_OFFSET(side) + end - lap);
}

struct shm_region *shm_map_region(struct shm_map *map, enum shm_side side, uint32_t slot)
{
	struct shm_region *region = atomic_load_explicit(&map->regions[side][slot], memory_order_acquire);
	if (region != NULL)
		return region;
	pthread_mutex_lock(&map->base.lock);
	region = atomic_load_explicit(&map->regions[side][slot], memory_order_relaxed);
	if (region == NULL) {
		region = map_part(map->base.fd, SHM_REGION_OFFSET(side, slot), SHM_REGION_BYTES);
		atomic_store_explicit(&map->regions[side][slot], region, memory_order_release);
	}
	pthread_mutex_unlock(&map->base.lock);
	return region;
}

void shm_drop_region_pages(struct shm_map *map, enum shm_side side, uint32_t slot)
{
	uint64_t region = SHM_REGION_OFFSET(side, slot);
	drop_pages(map, region + SHM_REGION_POSTS, region + SHM_REGION_BYTES);
}

doca_error_t shm_doorbells_create(struct shm_doorbell_map **map)
{
	int fd = sealed_memfd("doca-emu-doorbells", SHM_PAGE);
	if (fd < 0)
		return from_errno("cannot make a server's doorbells");
	return shm_doorbells_attach(fd, map);
}

doca_error_t shm_doorbells_attach(int fd, struct shm_doorbell_map **map)
{
	struct shm_mapping *base;
	doca_error_t result = acquire(fd, SHM_PAGE, SHM_PAGE, sizeof(**map), &base);
	if (result == DOCA_SUCCESS)
		*map = (struct shm_doorbell_map *)base;
	return result;
}

void shm_doorbells_ref(struct shm_doorbell_map *map)
{
	pthread_mutex_lock(&registry_lock);
	map->base.refs++;
	pthread_mutex_unlock(&registry_lock);
}

void shm_doorbells_release(struct shm_doorbell_map *map)
{
	if (map != NULL && let_go(&map->base))
		dispose(&map->base);
}
