/* The context: its states, and the tasks that it ends. */
#include "base/faults.h"
#include "core/release.h"
#include "dma.h"
#include "log/sdk_log.h"
#include "readings.h"

static struct doca_dma *of_ctx(const struct doca_ctx *ctx)
{
	return (struct doca_dma *)ctx; /* its first member */
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = of_ctx(ctx);
	if (dma->num_tasks == 0) {
		EMU_LOG_ERROR("a DMA context without tasks: doca_dma_task_memcpy_set_conf was not called");
		return emu_release.start_unconfigured;
	}
	dma->broken = false;
	doca_error_t result = faults_init();
	if (result != DOCA_SUCCESS)
		return result;
	result = task_pool_init(&dma->tasks, ctx, dma->num_tasks, sizeof(struct doca_dma_task_memcpy));
	if (result != DOCA_SUCCESS)
		return result;
	result = task_fifo_init(&dma->in_flight, dma->num_tasks);
	if (result != DOCA_SUCCESS)
		task_pool_fini(&dma->tasks);
	return result;
}

static void become_idle(struct doca_dma *dma)
{
	task_fifo_fini(&dma->in_flight);
	task_pool_fini(&dma->tasks);
}

static doca_error_t stop(struct doca_ctx *ctx)
{
	(void)ctx;
	return DOCA_SUCCESS;
}

static bool stopped_at_once(struct doca_ctx *ctx)
{
	if (!emu_ctx_drained(ctx))
		return false;
	become_idle(of_ctx(ctx));
	return true;
}

/* Ends the oldest task. What the device finds out stops the context afterwards, as on hardware. */
static void end_oldest(struct doca_dma *dma)
{
	struct doca_task *base = task_fifo_pop(&dma->in_flight);
	struct doca_dma_task_memcpy *task = (struct doca_dma_task_memcpy *)base;
	/* Of a task that was freed the buffers may be gone. */
	bool flushed = dma->ctx.state == DOCA_CTX_STATE_STOPPING || base->state == EMU_TASK_CANCELLED;
	doca_error_t status = flushed ? READING_FLUSHED_TASK : DOCA_SUCCESS;
	if (!flushed && faults_any())
		status = fault_of_copy(NULL);
	if (!flushed && status == DOCA_SUCCESS)
		status = dma_copy(task);
	if (!flushed && status != DOCA_SUCCESS)
		dma->broken = true;
	if (!task_landed(base, status))
		task_pool_give(&dma->tasks, base);
	else
		(status == DOCA_SUCCESS ? dma->completed : dma->failed)(task, base->user_data, dma->ctx.user_data);
}

static bool progress(struct doca_ctx *ctx)
{
	struct doca_dma *dma = of_ctx(ctx);
	if (ctx->state != DOCA_CTX_STATE_RUNNING && ctx->state != DOCA_CTX_STATE_STOPPING)
		return false;
	if (dma->broken && ctx->state == DOCA_CTX_STATE_RUNNING) {
		emu_ctx_enter(ctx, DOCA_CTX_STATE_STOPPING);
		return true;
	}
	if (!task_fifo_empty(&dma->in_flight)) {
		end_oldest(dma);
		return true;
	}
	if (ctx->state != DOCA_CTX_STATE_STOPPING || !emu_ctx_drained(ctx))
		return false;
	become_idle(dma);
	emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
	return true;
}

static uint64_t due_in(struct doca_ctx *ctx)
{
	struct doca_dma *dma = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return !task_fifo_empty(&dma->in_flight) || emu_ctx_drained(ctx) ? 0 : READING_NOTIFY_POLL_NS;
	return ctx->state == DOCA_CTX_STATE_RUNNING && (dma->broken || !task_fifo_empty(&dma->in_flight)) ? 0
													  : EMU_NEVER;
}

static bool arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	(void)ctx;
	(void)sleeper;
	return true; /* only submits give it something to do, and they wake the engine */
}

static doca_error_t submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	struct doca_dma *dma = of_ctx(base->ctx);
	doca_error_t result = dma_check(dma, (const struct doca_dma_task_memcpy *)base);
	if (result != DOCA_SUCCESS)
		return result;
	task_sent_off(base);
	task_fifo_push(&dma->in_flight, base);
	return DOCA_SUCCESS;
}

static void free_task(struct doca_task *base)
{
	if (base->state == EMU_TASK_INFLIGHT)
		base->state = EMU_TASK_CANCELLED;
	else
		task_pool_give(&of_ctx(base->ctx)->tasks, base);
}

const struct emu_ctx_ops dma_ctx_ops = {
	.start = start,
	.stop = stop,
	.stopped_at_once = stopped_at_once,
	.progress = progress,
	.due_in = due_in,
	.arm = arm,
	.submit = submit,
	.free_task = free_task,
};
