/* What kernels have posted to queues of asynchronous operations. */
#include <stdlib.h>

#include "async_ops.h"
#include "doca_dpa_dev.h"

/* Notes an operation whose completion the program wants; false when the queue has no room. */
static bool take_place(struct doca_dpa_async_ops *ops, const char *call)
{
	if (/* guard: operations-unacknowledged=1 */ atomic_fetch_add(&ops->unacked, 1) < ops->size)
		return true;
	atomic_fetch_sub(&ops->unacked, 1);
	emu_dpa_fail(ops->dpa, "%s: more than %u operations without acknowledgement", call, ops->size);
	return false;
}

static void complete(struct doca_dpa_async_ops *ops, const struct async_op *op, bool done)
{
	/* What has failed is always reported. */
	if (op->reports || !done)
		emu_dpa_completion_of(ops->completion)
			->push(ops->completion, done ? DOCA_DPA_DEV_COMP_SEND : DOCA_DPA_DEV_COMP_SEND_ERR,
			       (uint32_t)ops->user_data, op->reports ? &ops->unacked : NULL);
}

static bool copy(const struct async_op *op)
{
	return emu_dpa_map_copy(op->copy.dst_map, op->copy.dst, op->copy.src_map, op->copy.src, op->copy.len, op->call);
}

static struct async_op *first_held(struct doca_dpa_async_ops *ops)
{
	return &ops->held[ops->first & (ops->size - 1)];
}

static void end_first(struct doca_dpa_async_ops *ops, bool done)
{
	complete(ops, first_held(ops), done);
	ops->first++;
	atomic_fetch_sub(&ops->num_held, 1);
}

/* Whether the first operation, which waits, has to. */
static bool watch_first(struct doca_dpa_async_ops *ops)
{
	const struct async_op *op = first_held(ops);
	struct doca_sync_event *event = emu_dpa_find(EMU_DPA_SYNC_EVENT, op->wait.event, op->call);
	ops->watch.relation = op->wait.relation;
	ops->watch.value = op->wait.value;
	if (event != NULL && emu_sync_event_watch(event, &ops->watch))
		return true;
	end_first(ops, event != NULL);
	return false;
}

/* With the lock held, inside a device call: carries out what is held, as far as the next event that has not come. */
static void advance(struct doca_dpa_async_ops *ops)
{
	ops->state = ASYNC_OPS_AT_REST;
	while (atomic_load(&ops->num_held) > 0) {
		const struct async_op *op = first_held(ops);
		if (!op->waits) {
			end_first(ops, copy(op));
		} else if (watch_first(ops)) {
			ops->state = ASYNC_OPS_WATCHING;
			return;
		}
	}
}

/* The event of the first operation has come. */
static void work(struct eu_job *job, struct emu_dpa_run *run)
{
	struct doca_dpa_async_ops *ops =
		(struct doca_dpa_async_ops *)((char *)job - offsetof(struct doca_dpa_async_ops, job));
	run->dpa = run->home = ops->dpa;
	run->job = EMU_DPA_THREAD;
	pthread_mutex_lock(&ops->lock);
	(void)emu_dpa_begin(__func__);
	end_first(ops, true);
	advance(ops);
	emu_dpa_leave();
	pthread_cond_broadcast(&ops->at_rest);
	pthread_mutex_unlock(&ops->lock);
}

static void fire(struct emu_sync_watch *watch)
{
	struct doca_dpa_async_ops *ops =
		(struct doca_dpa_async_ops *)((char *)watch - offsetof(struct doca_dpa_async_ops, watch));
	pthread_mutex_lock(&ops->lock);
	ops->state = ASYNC_OPS_WORKING;
	if (!eu_pool_submit(ops->dpa->pool, &ops->job)) {
		emu_dpa_fail(ops->dpa, "no execution unit for operations that have waited");
		ops->state = ASYNC_OPS_AT_REST;
		pthread_cond_broadcast(&ops->at_rest);
	}
	pthread_mutex_unlock(&ops->lock);
}

/* With the lock held. */
static bool hold(struct doca_dpa_async_ops *ops, const struct async_op *op)
{
	if (ops->held == NULL)
		ops->held = calloc(ops->size, sizeof(ops->held[0]));
	uint32_t num = atomic_load(&ops->num_held);
	if (ops->held == NULL || /* guard: operations-held */ num == ops->size) {
		emu_dpa_fail(ops->dpa, "%s: no room for an operation behind %u that wait", op->call, num);
		return false;
	}
	ops->held[(ops->first + num) & (ops->size - 1)] = *op;
	atomic_fetch_add(&ops->num_held, 1);
	return true;
}

void async_ops_post(struct doca_dpa_async_ops *ops, const struct async_op *op)
{
	if (op->reports && !take_place(ops, op->call))
		return;
	/* One kernel at a time posts: what was held before this operation has been carried out. */
	if (!op->waits && atomic_load(&ops->num_held) == 0) {
		complete(ops, op, copy(op));
		return;
	}
	pthread_mutex_lock(&ops->lock);
	bool held = hold(ops, op);
	if (held && ops->state == ASYNC_OPS_AT_REST)
		advance(ops);
	pthread_mutex_unlock(&ops->lock);
	if (!held && op->reports)
		atomic_fetch_sub(&ops->unacked, 1);
}

void async_ops_init_held(struct doca_dpa_async_ops *ops)
{
	ops->watch.fire = fire;
	ops->job = (struct eu_job){.work = work, .eu = EU_ANY};
	pthread_mutex_init(&ops->lock, NULL);
	pthread_cond_init(&ops->at_rest, NULL);
}

void async_ops_fini_held(struct doca_dpa_async_ops *ops)
{
	pthread_cond_destroy(&ops->at_rest);
	pthread_mutex_destroy(&ops->lock);
	free(ops->held);
}

void async_ops_drop_held(struct doca_dpa_async_ops *ops)
{
	pthread_mutex_lock(&ops->lock);
	while (ops->state != ASYNC_OPS_AT_REST) {
		if (ops->state == ASYNC_OPS_WATCHING && emu_sync_event_unwatch(&ops->watch))
			ops->state = ASYNC_OPS_AT_REST;
		else
			pthread_cond_wait(&ops->at_rest, &ops->lock);
	}
	atomic_store(&ops->num_held, 0);
	pthread_mutex_unlock(&ops->lock);
}
