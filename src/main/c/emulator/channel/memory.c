#include "channel/memory.h"

doca_error_t channel_memory_create(struct channel_map **map)
{
	int fd;
	doca_error_t result = shm_file_create("doca-emu-endpoint", CHANNEL_FILE_BYTES, &fd);
	return result == DOCA_SUCCESS ? channel_memory_attach(fd, map) : result;
}

doca_error_t channel_memory_attach(int fd, struct channel_map **map)
{
	struct shm_mapping *base;
	doca_error_t result =
		shm_file_acquire(fd, CHANNEL_FILE_BYTES, CHANNEL_CONTROL_BYTES, sizeof(struct channel_map), &base);
	if (result == DOCA_SUCCESS)
		*map = (struct channel_map *)base;
	return result;
}

void channel_memory_release(struct channel_map *map)
{
	if (map == NULL || !shm_file_let_go(&map->base))
		return;
	for (int side = 0; side < SHM_SIDES; side++)
		if (map->rings[side] != NULL)
			shm_file_unmap(map->rings[side]);
	shm_file_dispose(&map->base);
}

doca_error_t channel_memory_map_ring(struct channel_map *map, enum shm_side side, uint64_t bytes)
{
	return shm_file_map_part(&map->base, &map->rings[side], &map->ring_bytes[side], CHANNEL_RING_OFFSET(side),
				 bytes);
}

uint64_t channel_ring_bytes(uint32_t messages, uint32_t max_msg_size)
{
	/* One record more, for the filler at the end of a lap. */
	uint64_t needed = ((uint64_t)messages + 1) * channel_record_bytes(max_msg_size);
	uint64_t bytes = SHM_PAGE;
	while (bytes < needed)
		bytes *= 2;
	return bytes;
}
