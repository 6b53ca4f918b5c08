/* Buffer arrays for programs on the DPA, which read and write the elements themselves (doca_dpa_dev_buf.h). */
#include <stdlib.h>

#include "core/dpa.h"
#include "doca_buf_array.h"
#include "memory/mmap_internal.h"
#include "readings.h"

/* As doca_dpa_dev_buf.h declares them to DPA programs. */
struct element {
	uintptr_t addr;
	uint64_t len;
	uint32_t mmap;
	uint8_t reserved[12];
} __attribute__((packed));

struct head {
	struct element *elements;
	uint8_t reserved[20];
} __attribute__((packed, aligned(64)));

struct doca_buf_arr {
	struct head head;
	size_t num;
	struct doca_dpa *dpa;
	struct doca_mmap *mmap;
	size_t elem_size;
	uint64_t start_offset;
};

static bool started(const struct doca_buf_arr *buf_arr)
{
	return buf_arr->head.elements != NULL;
}

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
	if (num_elem == 0 || buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_buf_arr *created = aligned_alloc(64, (sizeof(*created) + 63) / 64 * 64);
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*created = (struct doca_buf_arr){.num = num_elem};
	*buf_arr = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler)
{
	if (buf_arr == NULL || gpu_handler == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return started(buf_arr) ? DOCA_ERROR_BAD_STATE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler)
{
	if (buf_arr == NULL || dpa_handler == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	buf_arr->dpa = dpa_handler;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap, size_t elem_size,
				     uint64_t start_offset)
{
	if (buf_arr == NULL || mmap == NULL || elem_size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	buf_arr->mmap = mmap;
	buf_arr->elem_size = elem_size;
	buf_arr->start_offset = start_offset;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (started(buf_arr) || buf_arr->dpa == NULL || buf_arr->mmap == NULL || !emu_mmap_usable(buf_arr->mmap))
		return DOCA_ERROR_BAD_STATE;
	const struct doca_mmap *mmap = buf_arr->mmap;
	if (buf_arr->start_offset > mmap->len ||
	    (mmap->len - buf_arr->start_offset) / buf_arr->elem_size < buf_arr->num)
		return DOCA_ERROR_INVALID_VALUE;
	doca_dpa_dev_mmap_t handle;
	doca_error_t result = doca_mmap_dev_get_dpa_handle(buf_arr->mmap, emu_dpa_of(buf_arr->dpa)->dev, &handle);
	if (result != DOCA_SUCCESS)
		return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_INVALID_VALUE;
	struct element *elements = calloc(buf_arr->num, sizeof(elements[0]));
	if (elements == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (size_t i = 0; i < buf_arr->num; i++)
		elements[i] =
			(struct element){.addr = (uintptr_t)mmap->addr + buf_arr->start_offset + i * buf_arr->elem_size,
					 .len = buf_arr->elem_size,
					 .mmap = handle};
	buf_arr->head.elements = elements;
	emu_mmap_use(buf_arr->mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (started(buf_arr)) {
		free(buf_arr->head.elements);
		buf_arr->head.elements = NULL;
		emu_mmap_unuse(buf_arr->mmap);
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
	doca_error_t result = doca_buf_arr_stop(buf_arr);
	if (result == DOCA_SUCCESS)
		free(buf_arr);
	return result;
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr, struct doca_gpu_buf_arr **gpu_buf_arr)
{
	if (buf_arr == NULL || gpu_buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_BAD_STATE; /* a GPU cannot be its target */
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
	if (buf_arr == NULL || dpa_buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!started(buf_arr))
		return DOCA_ERROR_BAD_STATE;
	*dpa_buf_arr = (uint64_t)(uintptr_t)&buf_arr->head;
	return DOCA_SUCCESS;
}
