#include "batch.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The other side computes with these. */
_Static_assert(sizeof(struct batch_entry) == 32, "BatchLayout.ENTRY_SIZE");
_Static_assert(offsetof(struct batch_entry, slot) == 24, "BatchLayout.ENTRY_SLOT");
_Static_assert(offsetof(struct batch_entry, status) == 30, "BatchLayout.ENTRY_STATUS");
_Static_assert(offsetof(struct batch_engine, tail) == 20, "BatchLayout.ENGINE_TAIL");
_Static_assert(offsetof(struct batch_engine, contexts) == 40, "BatchLayout.ENGINE_CONTEXTS");
_Static_assert(sizeof(struct batch_engine) == 48, "BatchLayout.ENGINE_SIZE");
_Static_assert(offsetof(struct batch_context, queue_mask) == 40, "BatchLayout.CONTEXT_QUEUE_MASK");
_Static_assert(offsetof(struct batch_context, index) == 52, "BatchLayout.CONTEXT_INDEX");
_Static_assert(sizeof(struct batch_context) == 56, "BatchLayout.CONTEXT_SIZE");
_Static_assert(offsetof(struct batch_slot, consumer) == 48, "BatchLayout.SLOT_CONSUMER");
_Static_assert(sizeof(struct batch_slot) == 64, "BatchLayout.SLOT_SIZE");

static struct batch_functions doca;

uint32_t comch4j_batch_init(const struct batch_functions *functions)
{
	if (functions->version != BATCH_VERSION || functions->progress == NULL || functions->submit == NULL ||
	    functions->status == NULL || functions->set_data == NULL || functions->get_data_len == NULL ||
	    functions->send_set_buf == NULL || functions->send_set_consumer == NULL ||
	    functions->receive_set_buf == NULL || functions->receive_producer == NULL ||
	    functions->receive_imm == NULL || functions->receive_imm_len == NULL)
		return 0;
	doca = *functions;
	if (doca.submit_held == NULL || doca.push_held == NULL) {
		doca.submit_held = NULL; /* of use together only */
		doca.push_held = NULL;
	}
	return 1;
}

/* ---- completions ---- */

static inline struct batch_entry *append(const struct batch_slot *slot, doca_error_t status)
{
	const struct batch_context *context = slot->context;
	struct batch_engine *engine = context->engine;
	struct batch_entry *entry = &engine->ring[engine->tail++ & engine->ring_mask];
	entry->slot = slot->number;
	entry->context = context->index;
	entry->status = (unsigned int)status <= INT16_MAX ? (int16_t)status : (int16_t)DOCA_ERROR_UNKNOWN;
	return entry;
}

static doca_error_t failure(const struct batch_slot *slot)
{
	doca_error_t status = doca.status(slot->task);
	return status == DOCA_SUCCESS ? DOCA_ERROR_UNKNOWN : status; /* the error callback means that it failed */
}

void comch4j_batch_sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)ctx_data;
	append(task_data.ptr, DOCA_SUCCESS);
}

void comch4j_batch_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	(void)task;
	(void)ctx_data;
	append(task_data.ptr, failure(task_data.ptr));
}

void comch4j_batch_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	(void)ctx_data;
	const struct batch_slot *slot = task_data.ptr;
	size_t data_len = 0;
	if (UNLIKELY(doca.get_data_len(slot->buf, &data_len) != DOCA_SUCCESS))
		data_len = 0;
	uint32_t imm_len = doca.receive_imm_len(task);
	struct batch_entry *entry = append(slot, DOCA_SUCCESS);
	entry->data_len = data_len;
	entry->producer = doca.receive_producer(task);
	entry->imm_len = imm_len;
	if (imm_len > 0)
		entry->imm = (uintptr_t)doca.receive_imm(task);
}

void comch4j_batch_not_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				union doca_data ctx_data)
{
	(void)task;
	(void)ctx_data;
	append(task_data.ptr, failure(task_data.ptr));
}

/* ---- submits ---- */

/* Brings task and buffer up to date. */
static inline doca_error_t apply(struct batch_slot *slot)
{
	uint32_t changes = slot->changes;
	if (changes == 0)
		return DOCA_SUCCESS;
	slot->changes = 0;
	if (slot->context->receives) {
		if ((changes & BATCH_BUF) != 0)
			doca.receive_set_buf(slot->typed, slot->buf);
	} else {
		if ((changes & BATCH_BUF) != 0)
			doca.send_set_buf(slot->typed, slot->buf);
		if ((changes & BATCH_CONSUMER) != 0)
			doca.send_set_consumer(slot->typed, slot->consumer);
	}
	return (changes & BATCH_DATA) != 0 ? doca.set_data(slot->buf, slot->data, slot->data_len) : DOCA_SUCCESS;
}

static inline doca_error_t submit(struct batch_slot *slot, bool held)
{
	doca_error_t result = apply(slot);
	if (UNLIKELY(result != DOCA_SUCCESS))
		return result;
	return held ? doca.submit_held(slot->task, 0) : doca.submit(slot->task);
}

static struct batch_slot *next_queued(struct batch_context *context)
{
	return &context->slots[context->queue[context->queue_head & context->queue_mask]];
}

uint32_t comch4j_batch_flush(struct batch_context *context)
{
	if (context->flushing) /* a callback that DOCA runs in a submit; the outer call goes on with the queue */
		return context->queue_tail - context->queue_head;
	context->flushing = 1;
	bool held = false;
	while (context->queue_head != context->queue_tail) {
		struct batch_slot *slot = next_queued(context);
		/* Gone from the queue before the submit: what that calls back may look at the queue. */
		context->queue_head++;
		context->engine->queued--;
		/* The last one pushes the earlier ones out as well. */
		bool last = doca.submit_held == NULL || context->queue_head == context->queue_tail;
		doca_error_t result = submit(slot, !last);
		if (LIKELY(result == DOCA_SUCCESS)) {
			held = !last;
		} else if (result == DOCA_ERROR_AGAIN) {
			/* By name: if the callback has cancelled the queue, another one is in this place. */
			context->queue[--context->queue_head & context->queue_mask] = slot->number;
			context->engine->queued++;
			break;
		} else {
			append(slot, result);
		}
	}
	if (held)
		doca.push_held(context->ctx);
	context->flushing = 0;
	return context->queue_tail - context->queue_head;
}

int32_t comch4j_batch_submit(struct batch_slot *slot)
{
	struct batch_context *context = slot->context;
	if (UNLIKELY(context->queue_head != context->queue_tail) && comch4j_batch_flush(context) > 0) {
		apply(slot); /* what the caller believes to be so from now on */
		return DOCA_ERROR_AGAIN;
	}
	return (int32_t)submit(slot, false);
}

void comch4j_batch_cancel(struct batch_context *context, int32_t status)
{
	while (context->queue_head != context->queue_tail) {
		struct batch_slot *slot = next_queued(context);
		context->queue_head++;
		context->engine->queued--;
		apply(slot);
		append(slot, (doca_error_t)status);
	}
}

static void flush_all(struct batch_engine *engine)
{
	for (struct batch_context *context = engine->contexts; context != NULL; context = context->next)
		if (context->queue_head != context->queue_tail)
			comch4j_batch_flush(context);
}

uint32_t comch4j_batch_progress(struct batch_engine *engine, uint32_t limit)
{
	if (engine->queued > 0)
		flush_all(engine);
	engine->others = 0;
	engine->stop = 0;
	uint32_t rounds = 0;
	while (rounds < limit) {
		uint32_t tail = engine->tail;
		if (!doca.progress(engine->pe))
			break;
		rounds++;
		if (UNLIKELY(engine->tail == tail)) {
			engine->others++;
			if (engine->stop)
				break;
		}
	}
	return rounds;
}
