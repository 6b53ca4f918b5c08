/* Producers of a MsgQ: those on the CPU, and the context of both kinds. */
#include "base/faults.h"
#include "connection/faulty_send.h"
#include "log/sdk_log.h"
#include "msgq/msgq.h"
#include "readings.h"
#include "topology/dev.h"

static struct doca_comch_producer *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

static doca_error_t take_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa)
{
	of_ctx(ctx)->msgq->dpa = dpa; /* looked at when it starts */
	return DOCA_SUCCESS;
}

static void free_resources(struct doca_comch_producer *producer)
{
	task_pool_fini(&producer->pool);
	task_fifo_fini(&producer->done);
}

static doca_error_t start_on_cpu(struct doca_comch_producer *producer)
{
	if (producer->num_tasks == 0)
		return READING_START_UNCONFIGURED;
	producer->broken = false;
	if (task_fifo_init(&producer->done, producer->num_tasks) != DOCA_SUCCESS ||
	    task_pool_init(&producer->pool, &producer->ctx, producer->num_tasks,
			   sizeof(struct doca_comch_producer_task_send)) != DOCA_SUCCESS) {
		free_resources(producer);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of_ctx(ctx);
	doca_error_t result = msgq_check_side(producer->msgq->dpa, producer->msgq->msgq->producer_dpa);
	if (result != DOCA_SUCCESS)
		return result;
	return ctx->on_dpa ? msgq_dpa_producer_start(producer) : start_on_cpu(producer);
}

static doca_error_t stop(struct doca_ctx *ctx)
{
	if (ctx->on_dpa)
		msgq_dpa_producer_stop(of_ctx(ctx));
	return DOCA_SUCCESS;
}

static bool stopped_at_once(struct doca_ctx *ctx)
{
	if (ctx->on_dpa)
		return true;
	if (!emu_ctx_drained(ctx))
		return false;
	free_resources(of_ctx(ctx));
	return true;
}

static bool progress(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE || ctx->on_dpa)
		return false;
	struct doca_task *base = task_fifo_pop(&producer->done);
	if (base != NULL) {
		doca_error_t status = base->status;
		if (EMU_UNLIKELY(!task_landed(base, status)))
			task_pool_give(&producer->pool, base);
		else
			(status == DOCA_SUCCESS ? producer->completed_cb : producer->failed_cb)(
				(struct doca_comch_producer_task_send *)base, base->user_data, ctx->user_data);
		return true;
	}
	if (EMU_UNLIKELY(producer->broken) && ctx->state == DOCA_CTX_STATE_RUNNING) {
		emu_ctx_enter(ctx, DOCA_CTX_STATE_STOPPING);
		return true;
	}
	if (EMU_LIKELY(ctx->state != DOCA_CTX_STATE_STOPPING) || !emu_ctx_drained(ctx))
		return false;
	free_resources(producer);
	emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
	return true;
}

static uint64_t due_in(struct doca_ctx *ctx)
{
	const struct doca_comch_producer *producer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE || ctx->on_dpa)
		return EMU_NEVER;
	if (!task_fifo_empty(&producer->done))
		return 0;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return emu_ctx_drained(ctx) ? 0 : READING_NOTIFY_POLL_NS;
	return producer->broken ? 0 : EMU_NEVER;
}

static doca_error_t submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = of_ctx(base->ctx);
	/* No consumer takes more than the bound, which its queue looks at, too. */
	if (EMU_UNLIKELY(task->buf != NULL || /* guard: send-from-cpu-none */ task->imm_len == 0 ||
			 task->imm_len > producer->imm_bound))
		return DOCA_ERROR_INVALID_VALUE;
	struct msgq_queue *queue = msgq_find(producer->msgq->msgq, task->consumer_id);
	if (EMU_UNLIKELY(queue == NULL)) {
		emu_log_reason("the queue has no such consumer");
		return READING_CONSUMER_UNKNOWN;
	}
	if (EMU_UNLIKELY(producer->broken))
		return READING_TASK_WHEN_NOT_RUNNING;
	doca_error_t result;
	/* A send that finds no posted receive does not count. */
	if (faults_any() && msgq_queue_room(queue) > 0 &&
	    !device_lets_send(producer->msgq->msgq->dev, NULL, base, &producer->done, &producer->broken, &result))
		return result;
	result = msgq_queue_send(queue, producer->id, task->any_imm, task->imm_len);
	if (result != DOCA_SUCCESS)
		return result;
	task_sent_off(base);
	task_fifo_end(&producer->done, base, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

static void free_task(struct doca_task *task)
{
	if (task->state == EMU_TASK_INFLIGHT)
		task->state = EMU_TASK_CANCELLED;
	else
		task_pool_give(&of_ctx(task->ctx)->pool, task);
}

const struct emu_ctx_ops msgq_producer_ops = {
	.start = start,
	.stop = stop,
	.stopped_at_once = stopped_at_once,
	.progress = progress,
	.due_in = due_in,
	.submit = submit,
	.free_task = free_task,
	.take_dpa = take_dpa,
};
