#include "core/ctx.h"
#include "core/pe.h"
#include "log/sdk_log.h"
#include "readings.h"

/* It may complete at once, and a program that sleeps meanwhile would not learn of it. */
static __attribute__((noinline)) doca_error_t wake_and_submit(struct doca_task *task, uint32_t flags)
{
	emu_pe_wake(task->ctx->pe);
	return task->ctx->ops->submit(task, flags);
}

/* A freed task is a fault of the program that a card may not show: a library that looks at nothing sends it. */
static __attribute__((noinline, cold)) doca_error_t refuse_submit(const struct doca_task *task)
{
	if (task->state == EMU_TASK_FREE || task->state == EMU_TASK_CANCELLED)
		EMU_LOG_ERROR("a task is submitted that was freed");
	return READING_TASK_IN_FLIGHT;
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	const struct doca_ctx *ctx = task->ctx;
	if (EMU_UNLIKELY(task->state != EMU_TASK_OWNED))
		return refuse_submit(task);
	if (EMU_UNLIKELY(ctx->state != DOCA_CTX_STATE_RUNNING))
		return READING_TASK_WHEN_NOT_RUNNING;
	return EMU_UNLIKELY(ctx->armed) ? wake_and_submit(task, flags) : ctx->ops->submit(task, flags);
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	return doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
	if (task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (task->ctx->ops->validate != NULL) {
		doca_error_t result = task->ctx->ops->validate(task);
		if (result != DOCA_SUCCESS)
			return result;
	}
	return doca_task_submit(task);
}

void doca_task_free(struct doca_task *task)
{
	if (task == NULL || task->state == EMU_TASK_FREE || task->state == EMU_TASK_CANCELLED)
		return;
	task->ctx->ops->free_task(task);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return task->user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return task->ctx;
}

/* Task batches: no function of Core or Comch makes one, so none can be passed in. */

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return DOCA_ERROR_NOT_SUPPORTED;
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
	(void)task_batch;
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return DOCA_ERROR_NOT_SUPPORTED;
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
	(void)task_batch;
	(void)user_data;
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return (union doca_data){.u64 = 0};
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return (union doca_data){.u64 = 0};
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
	(void)task_batch;
	return 0;
}
