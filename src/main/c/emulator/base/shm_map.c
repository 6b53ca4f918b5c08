#include "base/shm_map.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <unistd.h>

doca_error_t shm_create(struct shm_map **map)
{
	int fd;
	doca_error_t result = shm_file_create("doca-emu-connection", SHM_TOTAL_BYTES, &fd);
	return result == DOCA_SUCCESS ? shm_attach(fd, map) : result;
}

doca_error_t shm_attach(int fd, struct shm_map **map)
{
	struct shm_mapping *base;
	doca_error_t result = shm_file_acquire(fd, SHM_TOTAL_BYTES, SHM_CONTROL_BYTES, sizeof(**map), &base);
	if (result == DOCA_SUCCESS)
		*map = (struct shm_map *)base;
	return result;
}

void shm_release(struct shm_map *map)
{
	if (map == NULL || !shm_file_let_go(&map->base))
		return;
	for (int side = 0; side < SHM_SIDES; side++) {
		if (map->rings[side] != NULL)
			shm_file_unmap(map->rings[side]);
		for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++) {
			struct shm_region *region = atomic_load(&map->regions[side][slot]);
			if (region != NULL)
				shm_file_unmap(region);
		}
	}
	shm_file_dispose(&map->base);
}

doca_error_t shm_map_ring(struct shm_map *map, enum shm_side side, uint64_t bytes)
{
	/* endpoint_establish wants at least a page of the peer. */
	if (bytes < SHM_PAGE || /* guard: ring-most-bytes */ bytes > SHM_RING_MAX_BYTES ||
	    /* guard: ring-power-of-two */ (bytes & (bytes - 1)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	return shm_file_map_part(&map->base, &map->rings[side], &map->ring_bytes[side], SHM_RING_OFFSET(side), bytes);
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
		region = shm_file_map(map->base.fd, SHM_REGION_OFFSET(side, slot), SHM_REGION_BYTES);
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

void shm_write_label(struct shm_control *control, enum shm_side side, const char *pci, const char *name)
{
	struct shm_label *label = &control->label[side];
	label->pid = (uint32_t)getpid();
	snprintf(label->pci, sizeof(label->pci), "%s", pci);
	snprintf(label->name, sizeof(label->name), "%s", name);
	atomic_store_explicit(&label->version, SHM_LAYOUT_VERSION, memory_order_release);
}

doca_error_t shm_doorbells_create(struct shm_doorbell_map **map)
{
	int fd;
	doca_error_t result = shm_file_create("doca-emu-doorbells", SHM_PAGE, &fd);
	return result == DOCA_SUCCESS ? shm_doorbells_attach(fd, map) : result;
}

doca_error_t shm_doorbells_attach(int fd, struct shm_doorbell_map **map)
{
	struct shm_mapping *base;
	doca_error_t result = shm_file_acquire(fd, SHM_PAGE, SHM_PAGE, sizeof(**map), &base);
	if (result == DOCA_SUCCESS)
		*map = (struct shm_doorbell_map *)base;
	return result;
}

void shm_doorbells_ref(struct shm_doorbell_map *map)
{
	shm_file_ref(&map->base);
}

void shm_doorbells_release(struct shm_doorbell_map *map)
{
	if (map != NULL && shm_file_let_go(&map->base))
		shm_file_dispose(&map->base);
}
