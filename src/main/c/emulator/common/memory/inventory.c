#include <stdlib.h>

#include "memory/buf_internal.h"

struct emu_buf_block {
	struct emu_buf_block *next;
	struct doca_buf *elements;
	size_t count;
	/* Elements from here on were never taken: memory of a large inventory is touched only when it is used. */
	size_t fresh;
};

static doca_error_t add_block(struct doca_buf_inventory *inventory, uint32_t count)
{
	struct emu_buf_block *block = malloc(sizeof(*block));
	if (block == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_buf *elements = aligned_alloc(EMU_BUF_ALIGNMENT, count * sizeof(struct doca_buf));
	if (elements == NULL) {
		free(block);
		return DOCA_ERROR_NO_MEMORY;
	}
	*block = (struct emu_buf_block){.next = inventory->blocks, .elements = elements, .count = count};
	inventory->blocks = block;
	inventory->num_elements += count;
	inventory->num_free += count;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (num_elements == 0)
		return READING_EMPTY_INVENTORY;
	if (num_elements > UINT32_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	*inventory = NULL;
	if (num_elements > READING_MAX_INVENTORY)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_buf_inventory *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	doca_error_t result = add_block(created, (uint32_t)num_elements);
	if (result != DOCA_SUCCESS) {
		free(created);
		return result;
	}
	*inventory = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (inventory->num_free < inventory->num_elements)
		return DOCA_ERROR_IN_USE;
	while (inventory->blocks != NULL) {
		struct emu_buf_block *block = inventory->blocks;
		inventory->blocks = block->next;
		free(block->elements);
		free(block);
	}
	free(inventory);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->started = false;
	return DOCA_SUCCESS;
}

/* The first use of an element, when none has been returned. */
static __attribute__((noinline)) struct doca_buf *take_fresh(struct doca_buf_inventory *inventory)
{
	for (struct emu_buf_block *block = inventory->blocks; block != NULL; block = block->next) {
		if (block->fresh == block->count)
			continue;
		struct doca_buf *buf = &block->elements[block->fresh++];
		*buf = (struct doca_buf){.inventory = inventory};
		return buf;
	}
	return NULL;
}

static inline struct doca_buf *take(struct doca_buf_inventory *inventory)
{
	struct doca_buf *buf = inventory->free;
	if (EMU_LIKELY(buf != NULL)) {
		inventory->free = buf->next;
	} else {
		buf = take_fresh(inventory);
		if (buf == NULL)
			return NULL;
	}
	inventory->num_free--;
	buf->next = NULL;
	buf->refcount = 1;
	return buf;
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
						void *addr, size_t len, void *data, size_t data_len,
						struct doca_buf **buf)
{
	if (EMU_UNLIKELY(inventory == NULL || mmap == NULL || addr == NULL || data == NULL || buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	size_t headroom = (size_t)((uintptr_t)data - (uintptr_t)addr);
	if (EMU_UNLIKELY(!inventory->started || !emu_mmap_usable(mmap) || headroom > len || data_len > len - headroom))
		return READING_BUF_GET_REFUSED;
	if (EMU_UNLIKELY(!emu_mmap_contains(mmap, addr, len)))
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_buf *taken = take(inventory);
	if (EMU_UNLIKELY(taken == NULL)) {
		*buf = NULL;
		return DOCA_ERROR_NO_MEMORY;
	}
	taken->head = addr;
	taken->len = len;
	taken->data = data;
	taken->data_len = data_len;
	taken->mmap = mmap;
	taken->remote = !emu_mmap_is_local(mmap);
	taken->registration = mmap->registration;
	emu_mmap_count_buf(mmap);
	*buf = taken;
	return DOCA_SUCCESS;
}

/* In its map, with what `data_len` says of the data. */
static doca_error_t reuse(struct doca_buf *buf, void *addr, size_t len, size_t data_len)
{
	/* The buffers of a pool have their place. */
	if (EMU_UNLIKELY(buf == NULL || addr == NULL || buf->refcount == 0 || buf->inventory->blocks == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (EMU_UNLIKELY(buf->refcount > 1 || buf->inner || buf->next != NULL))
		return READING_BUF_REUSE_SHARED;
	if (EMU_UNLIKELY(!emu_mmap_usable(buf->mmap) || !emu_mmap_contains(buf->mmap, addr, len)))
		return DOCA_ERROR_INVALID_VALUE;
	buf->head = addr;
	buf->len = len;
	buf->data = addr;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len)
{
	return reuse(buf, addr, len, 0);
}

doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data, size_t data_len)
{
	return reuse(buf, data, data_len, data_len);
}

/* The payload is not copied: the new descriptors point to the same memory. */
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory, const struct doca_buf *src_buf,
					struct doca_buf **dst_buf)
{
	if (inventory == NULL || src_buf == NULL || dst_buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (src_buf->inner) {
		*dst_buf = NULL;
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (src_buf->refcount == 0 || !inventory->started || !src_buf->inventory->started)
		return DOCA_ERROR_BAD_STATE;
	for (const struct doca_buf *src = src_buf; src != NULL; src = src->next)
		if (!emu_mmap_usable(src->mmap))
			return DOCA_ERROR_BAD_STATE;
	if (inventory->num_free < emu_buf_list_len(src_buf)) {
		*dst_buf = NULL;
		return DOCA_ERROR_NO_MEMORY;
	}
	struct doca_buf **link = dst_buf;
	for (const struct doca_buf *src = src_buf; src != NULL; src = src->next) {
		struct doca_buf *copy = take(inventory);
		copy->head = src->head;
		copy->len = src->len;
		copy->data = src->data;
		copy->data_len = src->data_len;
		copy->mmap = src->mmap;
		copy->remote = src->remote;
		copy->registration = src->registration;
		copy->inner = src != src_buf;
		emu_mmap_count_buf(src->mmap);
		*link = copy;
		link = &copy->next;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
	if (inventory == NULL || num_elements == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->started)
		return DOCA_ERROR_BAD_STATE;
	if (num_elements > READING_MAX_INVENTORY - inventory->num_elements)
		return DOCA_ERROR_NO_MEMORY;
	return add_block(inventory, num_elements);
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory, union doca_data user_data)
{
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (inventory->started)
		return DOCA_ERROR_BAD_STATE;
	inventory->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory, union doca_data *user_data)
{
	if (inventory == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory, uint32_t *num_of_elements)
{
	if (inventory == NULL || num_of_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_elements = inventory->num_elements;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_of_free_elements)
{
	if (inventory == NULL || num_of_free_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_free_elements = inventory->num_free;
	return DOCA_SUCCESS;
}
