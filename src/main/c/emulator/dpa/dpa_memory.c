/* Memory of the DPA: the process's own, handed out under its own addresses. */
#include <stdlib.h>
#include <string.h>

#include "buf_data.h"
#include "device.h"
#include "doca_dpa.h"

/* Nobody has cleared it; a program that counts on zeros shall notice. */
#define UNCLEARED 0xa5

static bool holds(const struct allocation *a, uint64_t addr, uint64_t len)
{
	/* What is in front of it is far behind it, modulo 2^64. */
	return /* guard: dpa-memory-outside=1 */ addr - a->addr <= a->size &&
	       /* guard: dpa-memory-end=1 */ len <= a->size - (addr - a->addr);
}

bool dpa_owns(struct doca_dpa *dpa, uint64_t addr, uint64_t len)
{
	struct doca_dpa *root = dpa_root(dpa);
	pthread_mutex_lock(&root->lock);
	const struct allocation *a = root->allocations;
	while (a != NULL && !holds(a, addr, len))
		a = a->next;
	pthread_mutex_unlock(&root->lock);
	return a != NULL;
}

void dpa_free_all(struct doca_dpa *dpa)
{
	while (dpa->allocations != NULL) {
		struct allocation *next = dpa->allocations->next;
		free((void *)(uintptr_t)dpa->allocations->addr);
		free(dpa->allocations);
		dpa->allocations = next;
	}
}

doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
	if (dpa == NULL || size == 0 || dev_ptr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev_ptr = 0;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	/* Before memory is asked for; how much is left is looked at below. */
	if (size > READING_DPA_HEAP)
		return READING_DPA_HEAP_USED_UP;
	struct doca_dpa *root = dpa_root(dpa);
	void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
	struct allocation *allocation = malloc(sizeof(*allocation));
	pthread_mutex_lock(&root->lock);
	bool fits = memory != NULL && allocation != NULL &&
		    /* guard: dpa-heap-left=1 */ size <= READING_DPA_HEAP - root->allocated;
	if (fits) {
		*allocation = (struct allocation){(uint64_t)(uintptr_t)memory, size, root->allocations};
		root->allocations = allocation;
		root->allocated += size;
		memset(memory, UNCLEARED, size);
		*dev_ptr = allocation->addr;
	}
	pthread_mutex_unlock(&root->lock);
	if (!fits) {
		/* guard: release-refused-memory */ free(memory);
		/* guard: release-refused-allocation */ free(allocation);
	}
	return fits ? DOCA_SUCCESS : READING_DPA_HEAP_USED_UP;
}

doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr)
{
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	struct doca_dpa *root = dpa_root(dpa);
	pthread_mutex_lock(&root->lock);
	struct allocation **link = &root->allocations;
	while (*link != NULL && (*link)->addr != dev_ptr)
		link = &(*link)->next;
	struct allocation *found = *link;
	if (found != NULL) {
		*link = found->next;
		root->allocated -= found->size;
	}
	pthread_mutex_unlock(&root->lock);
	if (found == NULL)
		return READING_DPA_OUT_OF_RANGE;
	emu_dpa_quiesce(); /* a copy on the device may be using it */
	free((void *)(uintptr_t)found->addr);
	free(found);
	return DOCA_SUCCESS;
}

/* Whether the host may use these bytes of the DPA. */
static doca_error_t check(struct doca_dpa *dpa, const void *other, uint64_t dev_ptr, size_t size)
{
	if (dpa == NULL || other == NULL || dev_ptr == 0 || size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	return /* guard: dpa-memory-owned=1 */ dpa_owns(dpa, dev_ptr, size) ? DOCA_SUCCESS : READING_DPA_OUT_OF_RANGE;
}

doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr, void *src_ptr, size_t size)
{
	doca_error_t result = check(dpa, src_ptr, dst_ptr, size);
	if (result == DOCA_SUCCESS)
		memcpy((void *)(uintptr_t)dst_ptr, src_ptr, size);
	return result;
}

doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr, doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
	doca_error_t result = check(dpa, dst_ptr, src_ptr, size);
	if (result == DOCA_SUCCESS)
		memcpy(dst_ptr, (const void *)(uintptr_t)src_ptr, size);
	return result;
}

doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr, struct doca_buf *buf,
				     size_t size)
{
	doca_error_t result = check(dpa, buf, dst_ptr, size);
	if (result != DOCA_SUCCESS)
		return result;
	const uint8_t *source = emu_buf_source(buf, size);
	if (source == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy((void *)(uintptr_t)dst_ptr, source, size);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *buf, doca_dpa_dev_uintptr_t src_ptr,
				     size_t size)
{
	doca_error_t result = check(dpa, buf, src_ptr, size);
	if (result != DOCA_SUCCESS)
		return result;
	uint8_t *dest = emu_buf_destination(buf, size);
	if (dest == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(dest, (const void *)(uintptr_t)src_ptr, size);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value, size_t size)
{
	doca_error_t result = check(dpa, dpa, dev_ptr, size);
	if (result == DOCA_SUCCESS)
		memset((void *)(uintptr_t)dev_ptr, value, size);
	return result;
}
