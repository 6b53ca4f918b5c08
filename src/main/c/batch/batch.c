#include "batch.h"

#include <string.h>

#include "layout.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ONE_SLOT (UINT64_C(1) << BATCH_ROW_SHIFT)

static inline uint32_t row_len(uint64_t row)
{
	return (uint32_t)(row >> BATCH_ROW_SHIFT);
}

static struct batch_functions doca;
static struct batch_copy_functions dma;

/* The engine with an inbox that this thread progresses; NULL: none. DOCA calls back only then. Eight bytes fit into the
 * room that the C library keeps for such variables of libraries that are loaded late. */
static _Thread_local struct batch_engine *progressing __attribute__((tls_model("initial-exec")));

/* In place of functions that doca_cc lacks: submits and completions go without a look at which generation it is. */
static uint32_t nothing(const struct doca_comch_consumer_task_post_recv *task)
{
	(void)task;
	return 0;
}

static void set_nothing(struct doca_comch_producer_task_send *task, uint8_t *imm, uint32_t imm_len)
{
	(void)task;
	(void)imm;
	(void)imm_len;
}

/* The same for releases whose submits all ring the doorbell. */
static doca_error_t submit_with_doorbell(struct doca_task *task, uint32_t flags)
{
	(void)flags;
	return doca.submit(task);
}

static void flush_nothing(struct doca_ctx *ctx)
{
	(void)ctx;
}

uint32_t comch4j_batch_init(const struct batch_functions *functions)
{
	if (/* guard: batch-layout */ functions->layout != comch4j_batch_layout() || functions->progress == NULL ||
	    functions->submit == NULL || functions->status == NULL || functions->set_data == NULL ||
	    functions->reset_data_len == NULL || functions->get_data_len == NULL || functions->send_set_buf == NULL ||
	    functions->send_set_consumer == NULL || functions->receive_set_buf == NULL)
		return 0;
	bool immediate = functions->send_set_imm != NULL;
	if (immediate != (functions->receive_imm != NULL) || immediate != (functions->receive_imm_len != NULL))
		return 0;
	doca = *functions;
	if (!immediate) {
		doca.send_set_imm = set_nothing;
		doca.receive_imm_len = nothing; /* so receive_imm is not called */
	}
	if (doca.receive_producer == NULL)
		doca.receive_producer = nothing;
	if (doca.submit_ex == NULL || doca.flush_tasks == NULL) { /* of use only together */
		doca.submit_ex = submit_with_doorbell;
		doca.flush_tasks = flush_nothing;
	}
	return 1;
}

uint32_t comch4j_batch_init_copies(const struct batch_copy_functions *functions)
{
	if (functions->layout != comch4j_batch_layout() || functions->set_src == NULL || functions->set_dst == NULL)
		return 0;
	dma = *functions;
	return 1;
}

/* ---- completions ---- */

static inline struct batch_entry *take_entry(struct batch_engine *engine, uint64_t what)
{
	struct batch_entry *entry = &engine->ring[engine->tail++ & engine->ring_mask];
	entry->what = what;
	return entry;
}

/* The next entry of the ring, of no row. */
static inline struct batch_entry *next_entry(struct batch_engine *engine, uint64_t what)
{
	engine->row = NULL;
	return take_entry(engine, what);
}

static inline struct batch_entry *append(const struct batch_context *context, uint32_t slot, doca_error_t status)
{
	/* The status fits into 16 bits. */
	uint64_t code = /* guard: batch-status=1 */ (unsigned int)status <= INT16_MAX ? status : DOCA_ERROR_UNKNOWN;
	return next_entry(context->engine,
			  slot | (uint64_t)context->index << BATCH_CONTEXT_SHIFT | code << BATCH_STATUS_SHIFT);
}

static void append_failure(const struct batch_context *context, uint32_t slot)
{
	doca_error_t status = doca.status(context->slots[slot].task);
	/* The error callback means that it failed. */
	append(context, slot, status == DOCA_SUCCESS ? DOCA_ERROR_UNKNOWN : status);
}

void comch4j_batch_sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	append(ctx_data.ptr, (uint32_t)task_data.u64, DOCA_SUCCESS);
}

void comch4j_batch_freed(struct doca_comch_producer_task_send *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	(void)task;
	struct batch_context *context = ctx_data.ptr;
	uint32_t slot = (uint32_t)task_data.u64;
	uint32_t tail = context->freed_tail++;
	if (tail == context->freed_head) {
		context->next_freed = context->engine->freed;
		context->engine->freed = context;
	} else {
		uint64_t *row = &context->freed[context->freed_row & context->queue_mask];
		if ((uint32_t)*row + row_len(*row) == slot) {
			*row += ONE_SLOT;
			return;
		}
	}
	context->freed_row = tail;
	context->freed[tail & context->queue_mask] = slot | ONE_SLOT;
}

void comch4j_batch_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	(void)task;
	append_failure(ctx_data.ptr, (uint32_t)task_data.u64);
}

static inline void append_received(const struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				   union doca_data ctx_data, uint32_t imm_len)
{
	const struct batch_context *context = ctx_data.ptr;
	uint32_t slot = (uint32_t)task_data.u64;
	const struct doca_buf *buf = context->slots[slot].buf;
	size_t data_len = 0;
	if (UNLIKELY(buf == NULL || doca.get_data_len(buf, &data_len) != DOCA_SUCCESS))
		data_len = 0;
	uint64_t origin = doca.receive_producer(task) | (uint64_t)imm_len << 32;
	struct batch_engine *engine = context->engine;
	uint64_t what = slot | (uint64_t)context->index << BATCH_CONTEXT_SHIFT;
	struct batch_entry *row = engine->row; /* that of a message without immediate data */
	if (row != NULL && row->what + row->imm + 1 == what && row->data_len == data_len && row->origin == origin) {
		row->imm++;
		take_entry(engine, what);
		return;
	}
	struct batch_entry *entry = next_entry(engine, what);
	entry->data_len = data_len;
	entry->origin = origin;
	entry->imm = 0;
	if (UNLIKELY(imm_len > 0))
		entry->imm = (uintptr_t)doca.receive_imm(task);
	else if (context == engine->rows)
		engine->row = entry;
}

void comch4j_batch_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	append_received(task, task_data, ctx_data, doca.receive_imm_len(task));
}

void comch4j_batch_received_data(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				 union doca_data ctx_data)
{
	append_received(task, task_data, ctx_data, 0);
}

void comch4j_batch_not_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				union doca_data ctx_data)
{
	(void)task;
	append_failure(ctx_data.ptr, (uint32_t)task_data.u64);
}

void comch4j_batch_copied(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	append(ctx_data.ptr, (uint32_t)task_data.u64, DOCA_SUCCESS);
}

void comch4j_batch_not_copied(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	append_failure(ctx_data.ptr, (uint32_t)task_data.u64);
}

void comch4j_batch_state(union doca_data ctx_data, struct doca_ctx *ctx, enum doca_ctx_states before,
			 enum doca_ctx_states after)
{
	(void)ctx;
	struct batch_context *context = ctx_data.ptr;
	append(context, BATCH_STATE, DOCA_SUCCESS)->data_len = (uint32_t)before | (uint64_t)after << 32;
	/* So that Java looks for it first: handlers of what came before must not use what runs no more. */
	context->engine->stop = 1;
}

/* In one of the inboxes, NULL if there is none. */
static inline uint8_t *take_place(struct batch_engine *engine, uint64_t len)
{
	if (/* guard: batch-message-length=1 */ len <= BATCH_MESSAGE_LEN)
		return /* guard: batch-messages */ engine->messages == BATCH_MESSAGES
			       ? NULL
			       : engine->inbox + (size_t)engine->messages++ * BATCH_MESSAGE_LEN;
	if (/* guard: batch-long-length */ len > BATCH_LONG_LEN || engine->long_inbox == NULL ||
	    /* guard: batch-long-messages */ engine->long_messages == BATCH_LONG_MESSAGES)
		return NULL;
	return engine->long_inbox + (size_t)engine->long_messages++ * BATCH_LONG_LEN;
}

bool batch_append_message(const uint8_t *bytes, uint64_t len, union doca_data connection_data)
{
	struct batch_engine *engine = progressing;
	uint8_t *copy = engine == NULL ? NULL : take_place(engine, len);
	if (copy == NULL)
		return false;
	memcpy(copy, bytes, len);
	struct batch_entry *entry = next_entry(engine, BATCH_MESSAGE);
	entry->data_len = connection_data.u64;
	entry->imm = (uintptr_t)copy;
	entry->origin = len << 32;
	return true;
}

/* ---- submits ---- */

static doca_error_t apply_source(const struct batch_source *source, const struct batch_slot *slot, uint32_t changes)
{
	if ((changes & BATCH_SRC) != 0)
		dma.set_src(slot->typed, source->buf);
	bool moved = (changes & BATCH_SRC_DATA) != 0;
	return moved ? doca.set_data(source->buf, source->data, source->data_len) : DOCA_SUCCESS;
}

/* Brings task and buffer up to date. */
static doca_error_t apply_changes(const struct batch_context *context, struct batch_slot *slot)
{
	const struct batch_data *segment = &context->data[slot - context->slots];
	uint32_t changes = slot->changes;
	slot->changes = 0;
	if (context->kind == BATCH_RECEIVES) {
		if ((changes & BATCH_BUF) != 0)
			doca.receive_set_buf(slot->typed, slot->buf);
	} else if (context->kind == BATCH_COPIES) {
		if ((changes & BATCH_BUF) != 0)
			dma.set_dst(slot->typed, slot->buf);
		doca_error_t result = apply_source(&context->sources[slot - context->slots], slot, changes);
		if (result != DOCA_SUCCESS)
			return result;
	} else {
		if ((changes & BATCH_BUF) != 0)
			doca.send_set_buf(slot->typed, slot->buf);
		if ((changes & BATCH_CONSUMER) != 0)
			doca.send_set_consumer(slot->typed, slot->consumer);
		if ((changes & BATCH_IMM) != 0)
			doca.send_set_imm(slot->typed, segment->imm, segment->imm_len);
	}
	bool moved = (changes & BATCH_DATA) != 0 && slot->buf != NULL;
	return moved ? doca.set_data(slot->buf, segment->data, segment->data_len) : DOCA_SUCCESS;
}

/* A slot that is queued `empty` is submitted with an empty data segment. */
static inline doca_error_t apply(const struct batch_context *context, struct batch_slot *slot, bool empty)
{
	if (UNLIKELY(slot->changes != 0)) {
		doca_error_t result = apply_changes(context, slot);
		if (result != DOCA_SUCCESS)
			return result;
	}
	return empty && slot->buf != NULL ? doca.reset_data_len(slot->buf) : DOCA_SUCCESS;
}

static inline doca_error_t submit(const struct batch_context *context, struct batch_slot *slot, bool empty,
				  uint32_t flags)
{
	doca_error_t result = apply(context, slot, empty);
	return LIKELY(result == DOCA_SUCCESS) ? doca.submit_ex(slot->task, flags) : result;
}

static inline uint64_t *place(const struct batch_context *context, uint32_t position)
{
	return &context->queue[position & context->queue_mask];
}

/* Takes the next row out of the queue. */
static inline uint64_t take_row(struct batch_context *context)
{
	uint64_t row = *place(context, context->queue_head);
	context->queue_head += row_len(row);
	return row;
}

/* Submits the slots of a row that is not in the queue any more. Returns how many are left, as DOCA answered AGAIN. */
static inline uint32_t submit_row(const struct batch_context *context, uint64_t row, bool *held)
{
	bool empty = ((uint32_t)row & BATCH_EMPTY) != 0;
	uint32_t left = row_len(row);
	struct batch_slot *slot = &context->slots[(uint32_t)row & ~BATCH_EMPTY];
	for (; left > 0; slot++, left--) {
		/* The last one pushes the earlier ones out as well. */
		bool last = left == 1 && context->queue_head == context->queue_tail;
		doca_error_t result = submit(context, slot, empty, last ? DOCA_TASK_SUBMIT_FLAG_FLUSH : 0);
		if (LIKELY(result == DOCA_SUCCESS))
			*held = !last;
		else if (result == DOCA_ERROR_AGAIN)
			break;
		else
			append(context, (uint32_t)(slot - context->slots), result);
	}
	return left;
}

uint32_t comch4j_batch_flush(struct batch_context *context)
{
	if (context->flushing) /* a callback that DOCA runs in a submit; the outer call goes on with the queue */
		return context->queue_tail - context->queue_head;
	context->flushing = 1;
	bool held = false;
	while (context->queue_head != context->queue_tail) {
		/* Gone from the queue before the submits: what those call back may look at the queue. */
		uint64_t row = take_row(context);
		uint32_t left = submit_row(context, row, &held);
		if (left > 0) {
			/* Their places are free: the queue's head has passed them. */
			context->queue_head -= left;
			*place(context, context->queue_head) = ((uint32_t)row + row_len(row) - left) | left * ONE_SLOT;
			context->engine->queued = 1;
			context->stalls++;
			break;
		}
	}
	if (held)
		doca.flush_tasks(context->ctx);
	context->flushing = 0;
	return context->queue_tail - context->queue_head;
}

int32_t comch4j_batch_submit(struct batch_context *context, uint32_t number)
{
	struct batch_slot *slot = &context->slots[number];
	if (UNLIKELY(context->queue_head != context->queue_tail) && comch4j_batch_flush(context) > 0) {
		apply(context, slot, false); /* Java takes the changes for applied from now on */
		return DOCA_ERROR_AGAIN;
	}
	return (int32_t)submit(context, slot, false, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

void comch4j_batch_cancel(struct batch_context *context, int32_t status)
{
	while (context->queue_head != context->queue_tail) {
		uint64_t row = take_row(context);
		uint32_t first = (uint32_t)row & ~BATCH_EMPTY;
		for (uint32_t number = first; number < first + row_len(row); number++) {
			apply(context, &context->slots[number], ((uint32_t)row & BATCH_EMPTY) != 0);
			append(context, number, (doca_error_t)status);
		}
	}
}

static void flush_all(struct batch_engine *engine)
{
	engine->queued = 0; /* flush sets it where something remains */
	for (struct batch_context *context = engine->contexts; context != NULL; context = context->next)
		if (context->queue_head != context->queue_tail)
			comch4j_batch_flush(context);
}

/* What comes after a look in vain comes alone: it is not kept waiting for another look. */
static inline uint32_t make_progress(struct batch_engine *engine, uint32_t limit, uint32_t spins)
{
	uint32_t rounds = 0;
	while (rounds < limit) {
		uint32_t tail = engine->tail;
		if (!doca.progress(engine->pe)) {
			if (rounds > 0 || spins-- == 0)
				break;
			limit = 1;
			continue;
		}
		rounds++;
		if (engine->tail == tail) {
			engine->others++;
			if (engine->stop)
				break;
		}
	}
	return rounds;
}

uint32_t comch4j_batch_progress(struct batch_engine *engine, uint32_t limit, uint32_t spins)
{
	if (engine->queued)
		flush_all(engine);
	engine->others = 0;
	engine->stop = 0;
	if (engine->inbox == NULL)
		return make_progress(engine, limit, spins);
	struct batch_engine *outer = progressing; /* a callback of another engine may have called this */
	progressing = engine;
	uint32_t rounds = make_progress(engine, limit, spins);
	progressing = outer;
	return rounds;
}

uint32_t comch4j_batch_poll(struct batch_context *consumer, uint32_t limit, uint32_t spins)
{
	const struct batch_engine *engine = consumer->engine;
	uint32_t before = engine->tail;
	uint32_t rounds = comch4j_batch_progress(consumer->engine, limit, spins);
	if (rounds != 1 || engine->tail != before + 1 || engine->freed != NULL)
		return rounds;
	uint64_t what = engine->ring[before & engine->ring_mask].what;
	bool received = what >> BATCH_CONTEXT_SHIFT == consumer->index && (uint32_t)what < BATCH_MESSAGE;
	return received ? (uint32_t)what | BATCH_ALONE : rounds;
}

uint32_t comch4j_batch_poll_rows(struct batch_context *consumer, uint32_t limit, uint32_t spins)
{
	consumer->engine->rows = consumer;
	uint32_t result = comch4j_batch_poll(consumer, limit, spins);
	consumer->engine->rows = NULL;
	consumer->engine->row = NULL;
	return result;
}
