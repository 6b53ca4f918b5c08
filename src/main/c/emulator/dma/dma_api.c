/* The calls of doca_dma.h. */
#include <stdlib.h>

#include "core/release.h"
#include "dma.h"
#include "readings.h"
#include "topology/dev.h"

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	if (dev == NULL || dma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dev_can(dev, EMU_CAN_DMA))
		return DOCA_ERROR_NOT_SUPPORTED;
	struct doca_dma *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	emu_ctx_init(&made->ctx, &dma_ctx_ops);
	made->dev = dev;
	emu_dev_use(dev);
	*dma = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	if (dma == NULL)
		return release_destroy_null();
	if (dma->ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	emu_ctx_fini(&dma->ctx);
	emu_dev_unuse(dma->dev);
	free(dma);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	return dma == NULL ? NULL : &dma->ctx;
}

/* ---- what a device can ---- */

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_devinfo_can(devinfo, EMU_CAN_DMA) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len)
{
	if (devinfo == NULL || max_buf_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_devinfo_can(devinfo, EMU_CAN_DMA))
		return DOCA_ERROR_NOT_SUPPORTED;
	*max_buf_list_len = DMA_MAX_BUF_LIST_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo, uint64_t *buf_size)
{
	if (devinfo == NULL || buf_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_devinfo_can(devinfo, EMU_CAN_DMA))
		return DOCA_ERROR_NOT_SUPPORTED;
	*buf_size = DMA_MAX_BUF_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
	if (dma == NULL || max_num_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = DMA_MAX_TASKS;
	return DOCA_SUCCESS;
}

/* ---- tasks ---- */

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks)
{
	if (dma == NULL || task_completion_cb == NULL || task_error_cb == NULL || num_memcpy_tasks > DMA_MAX_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (dma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	dma->completed = task_completion_cb;
	dma->failed = task_error_cb;
	dma->num_tasks = num_memcpy_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src, struct doca_buf *dst,
					     union doca_data user_data, struct doca_dma_task_memcpy **task)
{
	if (dma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return READING_TASK_WHEN_NOT_RUNNING;
	if (src == NULL || dst == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dma_task_memcpy *taken = (struct doca_dma_task_memcpy *)task_pool_take(&dma->tasks);
	if (taken == NULL)
		return DOCA_ERROR_NO_MEMORY;
	taken->base.user_data = user_data;
	taken->src = src;
	taken->dst = dst;
	*task = taken;
	return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	return task == NULL ? NULL : &task->base;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
	if (task != NULL)
		task->src = src;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return task == NULL ? NULL : task->src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	if (task != NULL)
		task->dst = dst;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return task == NULL ? NULL : task->dst;
}
