#include "dma.h"
#include "memory/memory.h"
#include "memory/mmap_copy.h"
#include "readings.h"

/* Bytes of a list, and its length. */
static uint64_t data_of(const struct doca_buf *head, uint32_t *num)
{
	uint64_t bytes = 0;
	for (*num = 0; head != NULL; head = head->next, ++*num)
		bytes += head->data_len;
	return bytes;
}

/* What is free behind the data of one. */
static size_t room_of(const struct doca_buf *buf)
{
	return buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
}

static uint64_t room_of_list(const struct doca_buf *head, uint32_t *num)
{
	uint64_t bytes = 0;
	for (*num = 0; head != NULL; head = head->next, ++*num)
		bytes += room_of(head);
	return bytes;
}

static bool is_of(const struct doca_dma *dma, const struct doca_buf *head)
{
	for (; head != NULL; head = head->next)
		if (head->refcount == 0 || !emu_mmap_has_dev(head->mmap, dma->dev))
			return false;
	return true;
}

doca_error_t dma_check(const struct doca_dma *dma, const struct doca_dma_task_memcpy *task)
{
	if (task->src == NULL || task->dst == NULL || !is_of(dma, task->src) || !is_of(dma, task->dst))
		return DOCA_ERROR_INVALID_VALUE;
	uint32_t sources, destinations;
	uint64_t bytes = data_of(task->src, &sources), room = room_of_list(task->dst, &destinations);
	if (bytes > DMA_MAX_BUF_SIZE || sources > DMA_MAX_BUF_LIST_LEN || destinations > DMA_MAX_BUF_LIST_LEN ||
	    bytes > room)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

/* An imported map is written as its exporter allows the other side of the bus. */
static bool may_be_written(const struct doca_mmap *mmap)
{
	uint32_t needed = emu_mmap_is_local(mmap) ? DOCA_ACCESS_FLAG_LOCAL_READ_WRITE : DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	return (emu_mmap_permissions(mmap) & needed) != 0;
}

static bool copy_piece(uint8_t *dst, const struct doca_mmap *dst_map, const uint8_t *src,
		       const struct doca_mmap *src_map, size_t len)
{
	const struct emu_place to = emu_mmap_place(dst_map, (uint64_t)(uintptr_t)dst, len);
	const struct emu_place from = emu_mmap_place(src_map, (uint64_t)(uintptr_t)src, len);
	return emu_mmap_copy_bytes(&to, &from, len);
}

static bool is_ready(const struct doca_buf *head, bool written)
{
	for (; head != NULL; head = head->next)
		if (/* guard: dma-reach */ !emu_mmap_is_within_reach(head->mmap) ||
		    (written && /* guard: dma-permissions */ !may_be_written(head->mmap)))
			return false;
	return true;
}

static bool copy_lists(const struct doca_buf *src, struct doca_buf *dst)
{
	size_t taken = 0;
	size_t filled = 0;
	while (src != NULL) {
		size_t left = src->data_len - taken;
		if (left == 0) {
			src = src->next;
			taken = 0;
			continue;
		}
		size_t room = room_of(dst) - filled;
		if (room == 0) {
			dst = dst->next;
			filled = 0;
			continue;
		}
		size_t len = left < room ? left : room;
		if (!copy_piece(dst->data + dst->data_len + filled, dst->mmap, src->data + taken, src->mmap, len))
			return false;
		taken += len;
		filled += len;
	}
	return true;
}

static void add_data(struct doca_buf *dst, uint64_t bytes)
{
	for (; bytes > 0; dst = dst->next) {
		size_t room = room_of(dst);
		size_t len = bytes < room ? (size_t)bytes : room;
		dst->data_len += len;
		bytes -= len;
	}
}

doca_error_t dma_copy(const struct doca_dma_task_memcpy *task)
{
	uint32_t num;
	uint64_t bytes = data_of(task->src, &num);
	if (bytes == 0 || !is_ready(task->src, false) || !is_ready(task->dst, true) ||
	    !copy_lists(task->src, task->dst))
		return READING_DMA_FAILED;
	add_data(task->dst, bytes);
	return DOCA_SUCCESS;
}
