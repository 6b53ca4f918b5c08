/* Buffers that the host copies from and to memory of the DPA. */
#ifndef EMU_DPA_BUF_DATA_H
#define EMU_DPA_BUF_DATA_H

#include "memory/memory.h"

static inline bool emu_buf_is_whole(const struct doca_buf *buf)
{
	return /* guard: buffer-remote=1 */ !buf->remote && emu_contains(buf->head, buf->len, buf->data, buf->data_len);
}

/* `size` bytes of the data segment; NULL: it has not as many, or is not of this process. */
static inline const uint8_t *emu_buf_source(const struct doca_buf *buf, size_t size)
{
	return emu_buf_is_whole(buf) && /* guard: buffer-source=1 */ size <= buf->data_len ? buf->data : NULL;
}

/* Room for `size` bytes from the beginning of the data segment, which they become. */
static inline uint8_t *emu_buf_destination(struct doca_buf *buf, size_t size)
{
	if (!emu_buf_is_whole(buf) ||
	    /* guard: buffer-destination */ !emu_contains(buf->head, buf->len, buf->data, size))
		return NULL;
	buf->data_len = size;
	return buf->data;
}

#endif
