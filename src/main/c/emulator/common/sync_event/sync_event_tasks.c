/* Sync events as contexts: their tasks. */
#include <stdlib.h>

#include "readings.h"
#include "sync_event/sync_event_internal.h"

static struct doca_sync_event *of_ctx(const struct doca_ctx *ctx)
{
	return (struct doca_sync_event *)ctx; /* its first member */
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
	return event == NULL ? NULL : &event->ctx;
}

/* ---- the context ---- */

static doca_error_t start(struct doca_ctx *ctx)
{
	return emu_sync_event_start(of_ctx(ctx));
}

static doca_error_t stop(struct doca_ctx *ctx)
{
	return emu_sync_event_stop(of_ctx(ctx));
}

static bool stopped_at_once(struct doca_ctx *ctx)
{
	return emu_ctx_drained(ctx);
}

/* What does not wait has been carried out when it was submitted. */
static bool has_ended(const struct sync_task *task, uint64_t value)
{
	if (task->kind != SYNC_WAIT_EQ && task->kind != SYNC_WAIT_NEQ)
		return true;
	return sync_relation_holds(value & task->mask, task->kind == SYNC_WAIT_EQ ? EMU_SYNC_EQUAL : EMU_SYNC_UNEQUAL,
				   task->operand);
}

/* Where the oldest task is linked that has ended; where the list ends if there is none. */
static struct sync_task **find_ended(struct doca_sync_event *event)
{
	uint64_t value = emu_sync_event_value(event);
	struct sync_task **link = &event->in_flight;
	while (*link != NULL && !has_ended(*link, value))
		link = &(*link)->next;
	return link;
}

static void release(struct sync_task *task)
{
	struct doca_sync_event *event = of_ctx(task->base.ctx);
	event->tasks[task->kind].out--;
	event->ctx.num_tasks_out--;
	free(task);
}

static void end_task(struct doca_sync_event *event, struct sync_task **link, doca_error_t status)
{
	struct sync_task *task = *link;
	*link = task->next;
	const struct sync_task_conf *conf = &event->tasks[task->kind];
	if (task_landed(&task->base, status))
		conf->call(conf, task, status == DOCA_SUCCESS);
	else
		release(task);
}

static bool progress(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = of_ctx(ctx);
	struct sync_task **ended = event->in_flight == NULL ? &event->in_flight : find_ended(event);
	bool stops = ctx->state == DOCA_CTX_STATE_STOPPING;
	if (*ended != NULL) {
		end_task(event, ended, DOCA_SUCCESS);
	} else if (stops && event->in_flight != NULL) {
		end_task(event, &event->in_flight, READING_FLUSHED_TASK);
	} else if (stops && emu_ctx_drained(ctx)) {
		emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
	} else {
		return false;
	}
	return true;
}

static uint64_t due_in(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return event->in_flight != NULL || emu_ctx_drained(ctx) ? 0 : READING_NOTIFY_POLL_NS;
	return *find_ended(event) != NULL ? 0 : EMU_NEVER;
}

static void set_sleeper(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	struct doca_sync_event *event = of_ctx(ctx);
	pthread_mutex_lock(&event->lock);
	event->sleeper = sleeper;
	pthread_mutex_unlock(&event->lock);
}

static bool arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	set_sleeper(ctx, sleeper);
	return true;
}

static void disarm(struct doca_ctx *ctx)
{
	set_sleeper(ctx, NULL);
}

/* What does not wait is carried out here; its end comes with the engine's progress, as that of any task. */
static doca_error_t submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	struct sync_task *task = (struct sync_task *)base;
	struct doca_sync_event *event = of_ctx(base->ctx);
	if ((task->kind == SYNC_GET || task->kind == SYNC_NOTIFY_ADD) && task->result == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	task_sent_off(base);
	task->next = NULL;
	struct sync_task **link = &event->in_flight;
	while (*link != NULL)
		link = &(*link)->next;
	*link = task;
	if (task->kind == SYNC_GET)
		*task->result = emu_sync_event_value(event);
	else if (task->kind == SYNC_NOTIFY_ADD)
		*task->result = emu_sync_event_change(event, EMU_SYNC_ADD, task->operand);
	else if (task->kind == SYNC_NOTIFY_SET)
		(void)emu_sync_event_change(event, EMU_SYNC_SET, task->operand);
	return DOCA_SUCCESS;
}

static void free_task(struct doca_task *base)
{
	if (base->state == EMU_TASK_INFLIGHT)
		base->state = EMU_TASK_CANCELLED;
	else
		release((struct sync_task *)base);
}

const struct emu_ctx_ops emu_sync_event_ctx_ops = {
	.start = start,
	.stop = stop,
	.stopped_at_once = stopped_at_once,
	.progress = progress,
	.due_in = due_in,
	.arm = arm,
	.disarm = disarm,
	.submit = submit,
	.free_task = free_task,
};

/* ---- what is alike of all kinds ---- */

static doca_error_t configure(struct doca_sync_event *event, enum sync_task_kind kind, struct sync_task_conf conf)
{
	if (event == NULL || conf.completed == NULL || conf.failed == NULL || conf.num == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->started || event->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_NOT_PERMITTED;
	event->tasks[kind] = conf;
	return DOCA_SUCCESS;
}

static doca_error_t take(struct doca_sync_event *event, enum sync_task_kind kind, union doca_data user_data,
			 struct sync_task init, struct sync_task **task)
{
	if (event == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->ctx.state != DOCA_CTX_STATE_RUNNING)
		return READING_TASK_WHEN_NOT_RUNNING;
	struct sync_task_conf *conf = &event->tasks[kind];
	struct sync_task *taken = conf->out < conf->num ? malloc(sizeof(*taken)) : NULL;
	if (taken == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*taken = init;
	taken->kind = kind;
	taken->base = (struct doca_task){.ctx = &event->ctx, .user_data = user_data, .state = EMU_TASK_OWNED};
	conf->out++;
	event->ctx.num_tasks_out++;
	*task = taken;
	return DOCA_SUCCESS;
}

/* What differs in the type of the task alone. Exported names are written out where it is used, for who searches. */
#define TASK_FUNCTIONS(type, kind, is_supported, set_conf, as_doca_task)                                               \
	static void call_##type(const struct sync_task_conf *conf, struct sync_task *task, bool success)               \
	{                                                                                                              \
		type##_completion_cb_t callback = (type##_completion_cb_t)(success ? conf->completed : conf->failed);  \
		callback((struct type *)task, task->base.user_data, task->base.ctx->user_data);                        \
	}                                                                                                              \
	doca_error_t is_supported(const struct doca_devinfo *devinfo)                                                  \
	{                                                                                                              \
		return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;                                      \
	}                                                                                                              \
	doca_error_t set_conf(struct doca_sync_event *event, type##_completion_cb_t completion_cb,                     \
			      type##_completion_cb_t error_cb, uint32_t num_tasks)                                     \
	{                                                                                                              \
		return configure(event, kind,                                                                          \
				 (struct sync_task_conf){.call = call_##type,                                          \
							 .completed = (void (*)(void))completion_cb,                   \
							 .failed = (void (*)(void))error_cb,                           \
							 .num = num_tasks});                                           \
	}                                                                                                              \
	struct doca_task *as_doca_task(struct type *task)                                                              \
	{                                                                                                              \
		return (struct doca_task *)task;                                                                       \
	}

/* A property of the task, as it is set and read. */
#define TASK_PROPERTY(type, set, get, value_type, member)                                                              \
	void set(struct type *task, value_type value)                                                                  \
	{                                                                                                              \
		((struct sync_task *)task)->member = value;                                                            \
	}                                                                                                              \
	value_type get(const struct type *task)                                                                        \
	{                                                                                                              \
		return ((const struct sync_task *)task)->member;                                                       \
	}

/* ---- kind by kind ---- */

TASK_FUNCTIONS(doca_sync_event_task_get, SYNC_GET, doca_sync_event_cap_task_get_is_supported,
	       doca_sync_event_task_get_set_conf, doca_sync_event_task_get_as_doca_task)
TASK_PROPERTY(doca_sync_event_task_get, doca_sync_event_task_get_set_ret_val_ptr,
	      doca_sync_event_task_get_get_ret_val_ptr, uint64_t *, result)

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event, uint64_t *ret_val_ptr,
						 union doca_data user_data, struct doca_sync_event_task_get **task)
{
	return take(event, SYNC_GET, user_data, (struct sync_task){.result = ret_val_ptr}, (struct sync_task **)task);
}

TASK_FUNCTIONS(doca_sync_event_task_notify_set, SYNC_NOTIFY_SET, doca_sync_event_cap_task_notify_set_is_supported,
	       doca_sync_event_task_notify_set_set_conf, doca_sync_event_task_notify_set_as_doca_task)
TASK_PROPERTY(doca_sync_event_task_notify_set, doca_sync_event_task_notify_set_set_set_val,
	      doca_sync_event_task_notify_set_get_set_val, uint64_t, operand)

doca_error_t doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
							union doca_data user_data,
							struct doca_sync_event_task_notify_set **task)
{
	return take(event, SYNC_NOTIFY_SET, user_data, (struct sync_task){.operand = set_val},
		    (struct sync_task **)task);
}

TASK_FUNCTIONS(doca_sync_event_task_notify_add, SYNC_NOTIFY_ADD, doca_sync_event_cap_task_notify_add_is_supported,
	       doca_sync_event_task_notify_add_set_conf, doca_sync_event_task_notify_add_as_doca_task)
TASK_PROPERTY(doca_sync_event_task_notify_add, doca_sync_event_task_notify_add_set_inc_val,
	      doca_sync_event_task_notify_add_get_inc_val, uint64_t, operand)
TASK_PROPERTY(doca_sync_event_task_notify_add, doca_sync_event_task_notify_add_set_fetched_val_ptr,
	      doca_sync_event_task_notify_add_get_fetched_val_ptr, uint64_t *, result)

doca_error_t doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
							uint64_t *fetched_val_ptr, union doca_data user_data,
							struct doca_sync_event_task_notify_add **task)
{
	return take(event, SYNC_NOTIFY_ADD, user_data,
		    (struct sync_task){.operand = inc_val, .result = fetched_val_ptr}, (struct sync_task **)task);
}

TASK_FUNCTIONS(doca_sync_event_task_wait_eq, SYNC_WAIT_EQ, doca_sync_event_cap_task_wait_eq_is_supported,
	       doca_sync_event_task_wait_eq_set_conf, doca_sync_event_task_wait_eq_as_doca_task)
TASK_PROPERTY(doca_sync_event_task_wait_eq, doca_sync_event_task_wait_eq_set_wait_val,
	      doca_sync_event_task_wait_eq_get_wait_val, uint64_t, operand)
TASK_PROPERTY(doca_sync_event_task_wait_eq, doca_sync_event_task_wait_eq_set_mask,
	      doca_sync_event_task_wait_eq_get_mask, uint64_t, mask)

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
						     union doca_data user_data,
						     struct doca_sync_event_task_wait_eq **task)
{
	return take(event, SYNC_WAIT_EQ, user_data, (struct sync_task){.operand = wait_val, .mask = mask},
		    (struct sync_task **)task);
}

TASK_FUNCTIONS(doca_sync_event_task_wait_neq, SYNC_WAIT_NEQ, doca_sync_event_cap_task_wait_neq_is_supported,
	       doca_sync_event_task_wait_neq_set_conf, doca_sync_event_task_wait_neq_as_doca_task)
TASK_PROPERTY(doca_sync_event_task_wait_neq, doca_sync_event_task_wait_neq_set_wait_val,
	      doca_sync_event_task_wait_neq_get_wait_val, uint64_t, operand)
TASK_PROPERTY(doca_sync_event_task_wait_neq, doca_sync_event_task_wait_neq_set_mask,
	      doca_sync_event_task_wait_neq_get_mask, uint64_t, mask)

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
						      union doca_data user_data,
						      struct doca_sync_event_task_wait_neq **task)
{
	return take(event, SYNC_WAIT_NEQ, user_data, (struct sync_task){.operand = wait_val, .mask = mask},
		    (struct sync_task **)task);
}
