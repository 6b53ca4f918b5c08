/* DMA: contexts that copy between memory maps, of this process or of one that has exported them.
 *
 * A copy is made by the progress of the engine that the context belongs to, one at a time, in the order of the submits.
 * Threads: those of the engine. */
#ifndef EMU_DMA_H
#define EMU_DMA_H

#include "base/task_pool.h"
#include "core/ctx.h"
#include "doca_dma.h"

/* Those of BlueField devices. */
#define DMA_MAX_BUF_SIZE (UINT64_C(2) << 20)
#define DMA_MAX_BUF_LIST_LEN 64u
#define DMA_MAX_TASKS 65536u

struct doca_dma {
	struct doca_ctx ctx;
	struct doca_dev *dev;
	doca_dma_task_memcpy_completion_cb_t completed, failed;
	uint32_t num_tasks; /* 0: not set */
	struct task_pool tasks;
	struct task_fifo in_flight;
	bool broken; /* a copy has failed: the context stops by itself */
};

struct doca_dma_task_memcpy {
	struct doca_task base;
	const struct doca_buf *src;
	struct doca_buf *dst;
};

extern const struct emu_ctx_ops dma_ctx_ops;

/* ---- dma_copy.c ---- */

/* What a submit looks at: whether there is what is to be copied, and room for it. */
doca_error_t dma_check(const struct doca_dma *dma, const struct doca_dma_task_memcpy *task);
/* IO_FAILED: what the device finds out. The destination may have some of the bytes, and does not tell of them. */
doca_error_t dma_copy(const struct doca_dma_task_memcpy *task);

#endif
