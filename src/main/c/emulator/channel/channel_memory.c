#include "channel/channel_memory.h"

doca_error_t channel_memory_create(bool comch, struct channel_map **map)
{
	int fd;
	doca_error_t result = comch ? shm_file_create("doca-emu-connection", SHM_TOTAL_BYTES, &fd)
				    : shm_file_create("doca-emu-endpoint", CHANNEL_FILE_BYTES, &fd);
	return result == DOCA_SUCCESS ? channel_memory_attach(fd, comch, map) : result;
}

doca_error_t channel_memory_attach(int fd, bool comch, struct channel_map **map)
{
	struct shm_mapping *base;
	doca_error_t result =
		shm_file_acquire(fd, comch ? SHM_TOTAL_BYTES : CHANNEL_FILE_BYTES,
				 comch ? SHM_CONTROL_BYTES : CHANNEL_CONTROL_BYTES, sizeof(struct channel_map), &base);
	if (result != DOCA_SUCCESS)
		return result;
	*map = (struct channel_map *)base;
	(*map)->comch = comch;
	return DOCA_SUCCESS;
}

void channel_memory_words(struct channel_map *map, enum shm_side side, bool own, struct channel_words *words)
{
	static _Atomic uint64_t everything = UINT64_MAX;
	if (!map->comch) {
		struct channel_half *half = &((struct channel_control *)map->base.start)->half[side];
		*words = (struct channel_words){.tail = &half->tail,
						.start = &half->start,
						.sent = &half->sent,
						.head = &half->head,
						.taken = &half->taken,
						.end = &half->end,
						.closed = &half->closed,
						.armed_recv = &half->armed_recv,
						.armed_send = &half->armed_send};
		return;
	}
	struct shm_half *half = &((struct shm_control *)map->base.start)->half[side];
	_Atomic uint64_t *none = own ? &map->unread[side] : &everything;
	*words = (struct channel_words){.tail = &half->ring_tail,
					.start = &half->ring_start,
					.sent = none,
					.head = &half->ring_head,
					.taken = &half->ring_head_msgs,
					.end = none,
					.closed = &half->closed,
					.armed_recv = &half->asleep_for_events,
					.armed_send = &half->asleep_for_room,
					.bell = &half->bell};
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
	if (!map->comch)
		return shm_file_map_part(&map->base, &map->rings[side], &map->ring_bytes[side],
					 CHANNEL_RING_OFFSET(side), bytes);
	if (/* guard: channel-comch-ring-most */ bytes > SHM_RING_MAX_BYTES ||
	    /* guard: channel-comch-ring-power-of-two */ (bytes & (bytes - 1)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	return shm_file_map_part(&map->base, &map->rings[side], &map->ring_bytes[side], SHM_RING_OFFSET(side), bytes);
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
