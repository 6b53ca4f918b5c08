/* Consumers of a MsgQ: those on the CPU, and the context of both kinds. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "msgq/msgq.h"
#include "readings.h"

static struct doca_comch_consumer *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_consumer *)ctx;
}

static doca_error_t take_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa)
{
	of_ctx(ctx)->msgq->dpa = dpa; /* looked at when it starts */
	return DOCA_SUCCESS;
}

/* With the queue's lock held. */
static void notify(void *argument)
{
	const struct doca_comch_consumer *consumer = argument;
	if (EMU_UNLIKELY(consumer->msgq->sleeper != NULL))
		emu_sleeper_wake(consumer->msgq->sleeper);
}

static void free_resources(struct doca_comch_consumer *consumer)
{
	task_pool_fini(&consumer->pool);
	free(consumer->tasks);
	consumer->tasks = NULL;
	msgq_queue_free_slots(consumer->msgq->queue);
}

static doca_error_t start_on_cpu(struct doca_comch_consumer *consumer)
{
	if (consumer->num_tasks == 0)
		return READING_START_UNCONFIGURED;
	uint32_t capacity = round_up_pow2(consumer->num_tasks);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): it is an array of pointers */
	consumer->tasks = calloc(capacity, sizeof(consumer->tasks[0]));
	doca_error_t result =
		consumer->tasks == NULL
			? DOCA_ERROR_INITIALIZATION
			: task_pool_init(&consumer->pool, &consumer->ctx, consumer->num_tasks,
					 sizeof(struct doca_comch_consumer_task_post_recv) + EMU_BOUND_MSGQ_IMM_LEN);
	if (result == DOCA_SUCCESS)
		result = msgq_queue_open(consumer->msgq->queue, capacity, consumer->imm_data_len, notify, consumer);
	if (result != DOCA_SUCCESS) {
		free_resources(consumer);
		return DOCA_ERROR_INITIALIZATION;
	}
	consumer->mask = capacity - 1;
	consumer->posted = consumer->completed = 0;
	return DOCA_SUCCESS;
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	doca_error_t result = msgq_check_side(consumer->msgq->dpa, consumer->msgq->msgq->consumer_dpa);
	if (result != DOCA_SUCCESS)
		return result;
	return ctx->on_dpa ? msgq_dpa_consumer_start(consumer) : start_on_cpu(consumer);
}

static doca_error_t stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (ctx->on_dpa)
		msgq_dpa_consumer_stop(consumer);
	else
		msgq_queue_close(consumer->msgq->queue);
	return DOCA_SUCCESS;
}

static bool all_done(const struct doca_comch_consumer *consumer)
{
	return consumer->completed == consumer->posted && emu_ctx_drained(&consumer->ctx);
}

static bool stopped_at_once(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (ctx->on_dpa)
		return true;
	if (!all_done(consumer))
		return false;
	free_resources(consumer);
	return true;
}

/* ---- tasks ---- */

static struct doca_comch_consumer_task_post_recv *oldest(const struct doca_comch_consumer *consumer)
{
	return consumer->tasks[consumer->completed & consumer->mask];
}

static void finish_oldest(struct doca_comch_consumer *consumer, doca_error_t status)
{
	struct doca_comch_consumer_task_post_recv *task = oldest(consumer);
	consumer->completed++;
	if (EMU_UNLIKELY(!task_landed(&task->base, status)))
		task_pool_give(&consumer->pool, &task->base);
	else
		(status == DOCA_SUCCESS ? consumer->completed_cb : consumer->failed_cb)(task, task->base.user_data,
											consumer->ctx.user_data);
}

static bool receive(struct doca_comch_consumer *consumer)
{
	struct msgq_queue *queue = consumer->msgq->queue;
	const struct msgq_slot *slot = msgq_queue_peek(queue);
	if (slot == NULL)
		return false;
	struct doca_comch_consumer_task_post_recv *task = oldest(consumer);
	if (EMU_LIKELY(!slot->revoked)) {
		task->producer_id = slot->producer_id;
		task->imm_len = slot->imm_len;
		memcpy(task->imm, slot->imm, slot->imm_len);
	}
	msgq_queue_take(queue);
	finish_oldest(consumer, DOCA_SUCCESS);
	return true;
}

static bool progress(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE || ctx->on_dpa)
		return false;
	if (receive(consumer))
		return true;
	bool waits = consumer->completed < consumer->posted;
	if (EMU_UNLIKELY(waits && oldest(consumer)->base.state == EMU_TASK_CANCELLED) &&
	    ctx->state == DOCA_CTX_STATE_RUNNING) {
		if (!msgq_queue_skip(consumer->msgq->queue))
			return false;
		finish_oldest(consumer, READING_FLUSHED_TASK);
		return true;
	}
	if (EMU_LIKELY(ctx->state != DOCA_CTX_STATE_STOPPING))
		return false;
	if (waits) {
		finish_oldest(consumer, READING_FLUSHED_TASK);
		return true;
	}
	if (!all_done(consumer))
		return false;
	free_resources(consumer);
	emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
	return true;
}

static uint64_t due_in(struct doca_ctx *ctx)
{
	const struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE || ctx->on_dpa)
		return EMU_NEVER;
	if (msgq_queue_peek(consumer->msgq->queue) != NULL)
		return 0;
	bool waits = consumer->completed < consumer->posted;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return waits || all_done(consumer) ? 0 : READING_NOTIFY_POLL_NS;
	return waits && oldest(consumer)->base.state == EMU_TASK_CANCELLED ? 0 : EMU_NEVER;
}

static void set_sleeper(const struct doca_comch_consumer *consumer, struct emu_sleeper *sleeper)
{
	struct msgq_queue *queue = consumer->msgq->queue;
	emu_spin_lock(&queue->lock);
	consumer->msgq->sleeper = sleeper;
	emu_spin_unlock(&queue->lock);
}

static bool arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	set_sleeper(of_ctx(ctx), sleeper);
	return true;
}

static void disarm(struct doca_ctx *ctx)
{
	set_sleeper(of_ctx(ctx), NULL);
}

static doca_error_t submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	struct doca_comch_consumer_task_post_recv *task = (struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = of_ctx(base->ctx);
	if (/* guard: receive-on-cpu-buffer */ task->buf != NULL)
		return DOCA_ERROR_INVALID_VALUE; /* a MsgQ carries immediate data only */
	/* Cannot be: there are no more tasks than places, and a cancelled one is taken until its turn. */
	if (EMU_UNLIKELY(consumer->posted - consumer->completed > consumer->mask))
		return DOCA_ERROR_AGAIN;
	task->index = consumer->posted;
	task->producer_id = 0;
	task->imm_len = 0;
	msgq_queue_slot(consumer->msgq->queue, consumer->posted)->revoked = false;
	consumer->tasks[consumer->posted++ & consumer->mask] = task;
	task_sent_off(base);
	(void)msgq_queue_post(consumer->msgq->queue, 1);
	return DOCA_SUCCESS;
}

static void free_task(struct doca_task *task)
{
	struct doca_comch_consumer *consumer = of_ctx(task->ctx);
	if (task->state != EMU_TASK_INFLIGHT) {
		task_pool_give(&consumer->pool, task);
		return;
	}
	/* A message that has arrived for it is lost. */
	if (consumer->ctx.state == DOCA_CTX_STATE_RUNNING)
		(void)msgq_queue_revoke(consumer->msgq->queue,
					((struct doca_comch_consumer_task_post_recv *)task)->index);
	task->state = EMU_TASK_CANCELLED;
}

const struct emu_ctx_ops msgq_consumer_ops = {
	.start = start,
	.stop = stop,
	.stopped_at_once = stopped_at_once,
	.progress = progress,
	.due_in = due_in,
	.arm = arm,
	.disarm = disarm,
	.submit = submit,
	.free_task = free_task,
	.take_dpa = take_dpa,
};
