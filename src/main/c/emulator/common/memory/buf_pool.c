#include <stdlib.h>

#include "doca_buf_pool.h"
#include "memory/buf_internal.h"

struct doca_buf_pool {
	/* What the pool's buffers go back to, as others do to their inventory: returning one asks nothing of pools. */
	struct doca_buf_inventory inventory;
	struct doca_mmap *mmap;
	struct doca_buf *elements;
	/* Elements from here on were not taken since the last start: no others have their place in the memory yet. */
	uint32_t fresh;
	size_t element_size;
	size_t alignment;
	/* Of the last start. */
	uint8_t *first;
	size_t stride;
};

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size, const struct doca_mmap *mmap,
				  struct doca_buf_pool **buf_pool)
{
	if (num_elements == 0 || element_size == 0 || mmap == NULL || buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_pool = NULL;
	if (num_elements > READING_MAX_INVENTORY)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_buf_pool *pool = calloc(1, sizeof(*pool));
	if (pool == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pool->elements = aligned_alloc(EMU_BUF_ALIGNMENT, num_elements * sizeof(struct doca_buf));
	if (pool->elements == NULL) {
		free(pool);
		return DOCA_ERROR_NO_MEMORY;
	}
	pool->inventory.num_elements = (uint32_t)num_elements;
	pool->inventory.num_free = (uint32_t)num_elements;
	pool->element_size = element_size;
	pool->alignment = 1;
	/* The map counts its buffers, which a program cannot see in its memory. */
	pool->mmap = (struct doca_mmap *)(uintptr_t)mmap;
	*buf_pool = pool;
	return DOCA_SUCCESS;
}

static bool has_bufs_out(const struct doca_buf_pool *pool)
{
	return pool->inventory.num_free < pool->inventory.num_elements;
}

/* Leaves the map alone, which may have been destroyed before the pool. */
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (has_bufs_out(buf_pool))
		return DOCA_ERROR_IN_USE;
	free(buf_pool->elements);
	free(buf_pool);
	return DOCA_SUCCESS;
}

/* Divides where a product may not fit: sizes and numbers are the program's. */
static bool lay_out(struct doca_buf_pool *pool)
{
	const struct doca_mmap *mmap = pool->mmap;
	size_t mask = pool->alignment - 1;
	size_t offset = (size_t)(-(uintptr_t)mmap->addr & mask);
	if (offset > mmap->len || pool->element_size > mmap->len - offset)
		return false;
	/* Rounded up, the first element still ends before the last address: it begins at a multiple, and not at 0. */
	size_t stride = (pool->element_size + mask) & ~mask;
	/* The last element needs its own bytes only. */
	if (pool->inventory.num_elements - 1 > (mmap->len - offset - pool->element_size) / stride)
		return false;
	pool->first = mmap->addr + offset;
	pool->stride = stride;
	return true;
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->inventory.started)
		return READING_POOL_START_WHEN_STARTED;
	if (!emu_mmap_usable(buf_pool->mmap))
		return DOCA_ERROR_BAD_STATE;
	if (!lay_out(buf_pool))
		return DOCA_ERROR_INITIALIZATION;
	/* None is out; those that were taken before lie where the alignment of that time had them. */
	buf_pool->inventory.free = NULL;
	buf_pool->fresh = 0;
	buf_pool->inventory.started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (has_bufs_out(buf_pool))
		return DOCA_ERROR_IN_USE;
	buf_pool->inventory.started = false;
	return DOCA_SUCCESS;
}

/* The first use of an element since the start, when none has been returned. */
static struct doca_buf *take_fresh(struct doca_buf_pool *pool)
{
	struct doca_buf *buf = &pool->elements[pool->fresh];
	*buf = (struct doca_buf){
		.head = pool->first + pool->fresh * pool->stride,
		.len = pool->element_size,
		.mmap = pool->mmap,
		.inventory = &pool->inventory,
		.remote = !emu_mmap_is_local(pool->mmap),
	};
	pool->fresh++;
	return buf;
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
	if (EMU_UNLIKELY(buf_pool == NULL || buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_buf_inventory *inventory = &buf_pool->inventory;
	if (EMU_UNLIKELY(!inventory->started))
		return DOCA_ERROR_BAD_STATE;
	/* The map can have been stopped while none of its buffers was out. */
	if (EMU_UNLIKELY(!emu_mmap_usable(buf_pool->mmap)))
		return READING_POOL_MAP_STOPPED;
	if (EMU_UNLIKELY(inventory->num_free == 0)) {
		*buf = NULL;
		return DOCA_ERROR_EMPTY;
	}
	struct doca_buf *taken = inventory->free;
	if (EMU_LIKELY(taken != NULL))
		inventory->free = taken->next;
	else
		taken = take_fresh(buf_pool);
	inventory->num_free--;
	taken->data = taken->head;
	taken->data_len = 0;
	taken->next = NULL;
	taken->refcount = 1;
	/* The map can have been restarted, with other devices, while none of its buffers was out. */
	taken->registration = buf_pool->mmap->registration;
	emu_mmap_count_buf(buf_pool->mmap);
	*buf = taken;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->inventory.started)
		return DOCA_ERROR_BAD_STATE;
	buf_pool->inventory.user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool, size_t element_alignment)
{
	if (buf_pool == NULL || element_alignment == 0 || (element_alignment & (element_alignment - 1)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->inventory.started)
		return DOCA_ERROR_BAD_STATE;
	buf_pool->alignment = element_alignment;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool, uint32_t *num_of_elements)
{
	if (buf_pool == NULL || num_of_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_elements = buf_pool->inventory.num_elements;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool, uint32_t *num_of_free_elements)
{
	if (buf_pool == NULL || num_of_free_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_free_elements = buf_pool->inventory.num_free;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool, union doca_data *user_data)
{
	if (buf_pool == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = buf_pool->inventory.user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool, size_t *element_alignment)
{
	if (buf_pool == NULL || element_alignment == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*element_alignment = buf_pool->alignment;
	return DOCA_SUCCESS;
}
