/* Buffers and their inventory inside libdoca_common. */
#ifndef EMU_BUF_INTERNAL_H
#define EMU_BUF_INTERNAL_H

#include "memory/mmap_internal.h"
#include "readings.h"

/* A buf is exactly one cache line, and shares none. */
#define EMU_BUF_ALIGNMENT 64
_Static_assert(sizeof(struct doca_buf) == EMU_BUF_ALIGNMENT, "a buf fills a cache line");

struct emu_buf_block; /* elements that were allocated together */

/* A pool has one of these for its buffers, without blocks. */
struct doca_buf_inventory {
	struct doca_buf *free; /* returned ones, the latest first: it is the warmest */
	uint32_t num_free;     /* these and the ones that were never taken */
	uint32_t num_elements;
	bool started;
	struct emu_buf_block *blocks;
	union doca_data user_data;
};

/* Back to its inventory, whatever its count. */
static inline void emu_buf_put(struct doca_buf *buf)
{
	struct doca_buf_inventory *inventory = buf->inventory;
	emu_mmap_uncount_buf(buf->mmap);
	buf->refcount = 0;
	buf->inner = false;
	buf->next = inventory->free;
	inventory->free = buf;
	inventory->num_free++;
}

static inline uint32_t emu_buf_list_len(const struct doca_buf *head)
{
	uint32_t len = 0;
	for (; head != NULL; head = head->next)
		len++;
	return len;
}

#endif
