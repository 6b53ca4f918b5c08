/* batch.c, on a DOCA that records what it is told and does what the test says. */
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "batch.h"
#include "entries.h"
#include "layout.h"

#define SLOTS 8

struct doca_pe {
	int rounds_left;
	int empty_left; /* rounds that bring nothing, before those */
	int asked_in_vain;
	void (*round)(struct doca_pe *pe);
};

struct doca_task {
	union doca_data user_data;
	doca_error_t status;
	const struct doca_buf *buf;
	const struct doca_buf *src;
	uint32_t consumer;
	int submits;
	uint32_t producer;
	uint8_t imm[4];
	uint32_t imm_len;
	uint8_t *sent_imm; /* as it was set */
	int imms_set;
};

struct doca_buf {
	void *data;
	size_t len;
};

struct doca_ctx {
	int pushes;
};

static struct doca_pe pe;
static struct doca_ctx ctx;
static struct doca_task tasks[SLOTS];
static struct doca_buf bufs[SLOTS];
static struct batch_engine engine;
static struct batch_context context, other_context;
static struct batch_slot slots[SLOTS];
static struct batch_data segments[SLOTS];
static uint64_t queue[SLOTS], other_queue[SLOTS];
static struct batch_entry ring[16];

/* What submit answers: successes first, then `then`. */
static int room;
static doca_error_t then;
static int order[64];
static int submitted;
static int held_flags;
static void (*in_submit)(struct doca_task *task);

static uint8_t progress(struct doca_pe *engine_pe)
{
	if (engine_pe->empty_left > 0 || engine_pe->rounds_left == 0) {
		engine_pe->empty_left -= engine_pe->empty_left > 0;
		engine_pe->asked_in_vain++;
		return 0;
	}
	engine_pe->rounds_left--;
	engine_pe->round(engine_pe);
	return 1;
}

static doca_error_t submit(struct doca_task *task)
{
	task->submits++;
	if (in_submit != NULL)
		in_submit(task);
	if (room == 0)
		return then;
	room--;
	order[submitted++] = (int)(task - tasks);
	return DOCA_SUCCESS;
}

static doca_error_t submit_ex(struct doca_task *task, uint32_t flags)
{
	assert_int_equal(0, flags & ~(uint32_t)DOCA_TASK_SUBMIT_FLAG_FLUSH);
	held_flags += flags == 0;
	return submit(task);
}

static void flush_tasks(struct doca_ctx *pushed)
{
	pushed->pushes++;
}

static doca_error_t status(const struct doca_task *task)
{
	return task->status;
}

static doca_error_t set_data(struct doca_buf *buf, void *data, size_t len)
{
	if (len == 666)
		return DOCA_ERROR_TOO_BIG;
	if (len == 668)
		return (doca_error_t)INT16_MAX;
	if (len == 667)
		return (doca_error_t)(INT16_MAX + 1); /* of a later release */
	buf->data = data;
	buf->len = len;
	return DOCA_SUCCESS;
}

static doca_error_t reset_data_len(struct doca_buf *buf)
{
	if (buf->len == 666)
		return DOCA_ERROR_BAD_STATE;
	buf->len = 0;
	return DOCA_SUCCESS;
}

static doca_error_t get_data_len(const struct doca_buf *buf, size_t *len)
{
	if (buf->len == 666)
		return DOCA_ERROR_INVALID_VALUE;
	*len = buf->len;
	return DOCA_SUCCESS;
}

static void send_set_buf(struct doca_comch_producer_task_send *task, const struct doca_buf *buf)
{
	((struct doca_task *)task)->buf = buf;
}

static void send_set_consumer(struct doca_comch_producer_task_send *task, uint32_t consumer)
{
	((struct doca_task *)task)->consumer = consumer;
}

static void send_set_imm(struct doca_comch_producer_task_send *task, uint8_t *imm, uint32_t imm_len)
{
	struct doca_task *base = (struct doca_task *)task;
	base->sent_imm = imm;
	base->imm_len = imm_len;
	base->imms_set++;
}

static void receive_set_buf(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
	((struct doca_task *)task)->buf = buf;
}

static uint32_t receive_producer(const struct doca_comch_consumer_task_post_recv *task)
{
	return ((const struct doca_task *)task)->producer;
}

static const uint8_t *receive_imm(const struct doca_comch_consumer_task_post_recv *task)
{
	return ((const struct doca_task *)task)->imm;
}

static uint32_t receive_imm_len(const struct doca_comch_consumer_task_post_recv *task)
{
	return ((const struct doca_task *)task)->imm_len;
}

static void set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
	((struct doca_task *)task)->src = src;
}

static void set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	((struct doca_task *)task)->buf = dst;
}

static struct batch_functions complete = {
	.progress = progress,
	.submit = submit,
	.status = status,
	.set_data = set_data,
	.reset_data_len = reset_data_len,
	.get_data_len = get_data_len,
	.send_set_buf = send_set_buf,
	.send_set_consumer = send_set_consumer,
	.send_set_imm = send_set_imm,
	.receive_set_buf = receive_set_buf,
	.receive_producer = receive_producer,
	.receive_imm = receive_imm,
	.receive_imm_len = receive_imm_len,
	.submit_ex = submit_ex,
	.flush_tasks = flush_tasks,
};

static int set_up(void **state)
{
	(void)state;
	complete.layout = comch4j_batch_layout();
	assert_int_equal(1, comch4j_batch_init(&complete));
	pe = (struct doca_pe){0};
	ctx = (struct doca_ctx){0};
	memset(tasks, 0, sizeof(tasks));
	memset(bufs, 0, sizeof(bufs));
	memset(ring, 0xee, sizeof(ring));
	engine = (struct batch_engine){.pe = &pe, .ring = ring, .ring_mask = 15, .contexts = &context};
	context = (struct batch_context){.engine = &engine,
					 .next = &other_context,
					 .ctx = &ctx,
					 .slots = slots,
					 .data = segments,
					 .queue = queue,
					 .queue_mask = SLOTS - 1,
					 .index = 3};
	other_context = (struct batch_context){.engine = &engine,
					       .ctx = &ctx,
					       .slots = slots,
					       .data = segments,
					       .queue = other_queue,
					       .queue_mask = SLOTS - 1,
					       .index = 4};
	for (uint32_t i = 0; i < SLOTS; i++) {
		slots[i] = (struct batch_slot){.task = &tasks[i], .typed = &tasks[i], .buf = &bufs[i]};
		tasks[i].user_data.u64 = i;
	}
	room = 1000;
	then = DOCA_ERROR_AGAIN;
	submitted = 0;
	held_flags = 0;
	in_submit = NULL;
	return 0;
}

static uint64_t row_of(uint32_t first, uint32_t num)
{
	return first | (uint64_t)num << BATCH_ROW_SHIFT;
}

/* As Java does. */
static void enqueue_row(struct batch_context *to, uint32_t first, uint32_t num)
{
	to->queue[to->queue_tail & to->queue_mask] = row_of(first, num);
	to->queue_tail += num;
	engine.queued = 1;
}

static void enqueue(struct batch_context *to, uint32_t slot)
{
	enqueue_row(to, slot, 1);
}

static void expect_entry(uint32_t at, uint32_t slot, doca_error_t wanted)
{
	assert_int_equal(slot, entry_slot(&ring[at]));
	assert_int_equal(3, entry_context(&ring[at]));
	assert_int_equal(wanted, entry_status(&ring[at]));
}

static void init_wants_its_layout_and_every_function(void **state)
{
	(void)state;
	struct batch_functions functions = complete;
	functions.layout++;
	assert_int_equal(0, comch4j_batch_init(&functions));
	functions = complete;
	functions.receive_imm = NULL;
	assert_int_equal(0, comch4j_batch_init(&functions));
	functions = complete;
	functions.send_set_imm = NULL;
	assert_int_equal(0, comch4j_batch_init(&functions));
	functions = complete;
	functions.submit_ex = NULL; /* of use together only, and may be missing */
	assert_int_equal(1, comch4j_batch_init(&functions));
	enqueue(&context, 1);
	enqueue(&context, 2);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(2, submitted);
	assert_int_equal(0, held_flags);
	assert_int_equal(0, ctx.pushes);
}

static void submit_tells_what_has_changed_and_nothing_else(void **state)
{
	(void)state;
	int bytes;
	slots[1].changes = BATCH_BUF | BATCH_CONSUMER | BATCH_DATA;
	slots[1].consumer = 7;
	segments[1].data = &bytes;
	segments[1].data_len = 5;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 1));
	assert_ptr_equal(&bufs[1], tasks[1].buf);
	assert_int_equal(7, tasks[1].consumer);
	assert_ptr_equal(&bytes, bufs[1].data);
	assert_int_equal(5, bufs[1].len);
	assert_int_equal(0, slots[1].changes);
	tasks[1].buf = NULL;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 1));
	assert_null(tasks[1].buf);
	context.kind = BATCH_RECEIVES;
	slots[2].changes = BATCH_BUF | BATCH_CONSUMER;
	slots[2].consumer = 9;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 2));
	assert_ptr_equal(&bufs[2], tasks[2].buf);
	assert_int_equal(0, tasks[2].consumer);
	slots[3].changes = BATCH_DATA;
	segments[3].data_len = 666;
	assert_int_equal(DOCA_ERROR_TOO_BIG, comch4j_batch_submit(&context, 3));
	assert_int_equal(0, tasks[3].submits);
	room = 0;
	then = DOCA_ERROR_BAD_STATE;
	assert_int_equal(DOCA_ERROR_BAD_STATE, comch4j_batch_submit(&context, 4));
	assert_int_equal(0, engine.tail);
}

static void copies_are_told_their_ends(void **state)
{
	(void)state;
	struct batch_copy_functions functions = {.layout = complete.layout + 1, .set_src = set_src, .set_dst = set_dst};
	assert_int_equal(0, comch4j_batch_init_copies(&functions));
	functions.layout--;
	functions.set_dst = NULL;
	assert_int_equal(0, comch4j_batch_init_copies(&functions));
	functions.set_dst = set_dst;
	functions.set_src = NULL;
	assert_int_equal(0, comch4j_batch_init_copies(&functions));
	functions.set_src = set_src;
	assert_int_equal(1, comch4j_batch_init_copies(&functions));
	struct batch_source sources[SLOTS] = {[1] = {.buf = &bufs[5]}};
	int bytes[2];
	context.kind = BATCH_COPIES;
	context.sources = sources;
	slots[1].changes = BATCH_BUF | BATCH_SRC | BATCH_DATA | BATCH_SRC_DATA;
	segments[1].data = &bytes[0];
	segments[1].data_len = 0;
	sources[1].data = &bytes[1];
	sources[1].data_len = 4;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 1));
	assert_ptr_equal(&bufs[1], tasks[1].buf);
	assert_ptr_equal(&bufs[5], tasks[1].src);
	assert_ptr_equal(&bytes[0], bufs[1].data);
	assert_ptr_equal(&bytes[1], bufs[5].data);
	assert_int_equal(4, bufs[5].len);
	assert_int_equal(0, slots[1].changes);
	tasks[1].src = NULL;
	enqueue(&context, 1);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_null(tasks[1].src); /* nothing has changed */
	assert_int_equal(2, tasks[1].submits);
	slots[1].changes = BATCH_SRC_DATA | BATCH_DATA;
	sources[1].data_len = 666;
	segments[1].data_len = 1;
	assert_int_equal(DOCA_ERROR_TOO_BIG, comch4j_batch_submit(&context, 1));
	assert_int_equal(0, bufs[1].len);
	union doca_data user_data = {.ptr = &context};
	comch4j_batch_copied((struct doca_dma_task_memcpy *)&tasks[1], tasks[1].user_data, user_data);
	tasks[1].status = DOCA_ERROR_IO_FAILED;
	comch4j_batch_not_copied((struct doca_dma_task_memcpy *)&tasks[1], tasks[1].user_data, user_data);
	tasks[1].status = DOCA_SUCCESS;
	comch4j_batch_not_copied((struct doca_dma_task_memcpy *)&tasks[1], tasks[1].user_data, user_data);
	expect_entry(0, 1, DOCA_SUCCESS);
	expect_entry(1, 1, DOCA_ERROR_IO_FAILED);
	expect_entry(2, 1, DOCA_ERROR_UNKNOWN);
}

static void immediate_data_are_set_with_the_submit_that_follows(void **state)
{
	(void)state;
	uint8_t bytes[3];
	slots[1].changes = BATCH_IMM;
	segments[1].imm = bytes;
	segments[1].imm_len = 3;
	slots[2].changes = BATCH_IMM | BATCH_DATA;
	segments[2].imm = bytes + 1;
	segments[2].imm_len = 2;
	enqueue(&context, 1);
	enqueue(&context, 2);
	assert_int_equal(0, tasks[1].imms_set);
	room = 1;
	assert_int_equal(1, comch4j_batch_flush(&context)); /* the second one meets AGAIN */
	assert_ptr_equal(bytes, tasks[1].sent_imm);
	assert_int_equal(3, tasks[1].imm_len);
	room = 1;
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_ptr_equal(bytes + 1, tasks[2].sent_imm);
	assert_int_equal(2, tasks[2].imm_len);
	assert_int_equal(1, tasks[2].imms_set); /* not for each try */
	room = 1000;
	enqueue(&context, 1);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(1, tasks[1].imms_set);
	slots[1].changes = BATCH_IMM;
	segments[1] = (struct batch_data){0};
	enqueue(&context, 1);
	comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
	assert_null(tasks[1].sent_imm);
	assert_int_equal(0, tasks[1].imm_len);
	context.kind = BATCH_RECEIVES;
	slots[3].changes = BATCH_IMM;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 3));
	assert_int_equal(0, tasks[3].imms_set); /* receives have none to set */
}

static void flush_submits_in_order_and_rings_the_bell_once(void **state)
{
	(void)state;
	enqueue(&context, 5);
	enqueue(&context, 1);
	enqueue(&context, 3);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(3, submitted);
	assert_int_equal(5, order[0]);
	assert_int_equal(1, order[1]);
	assert_int_equal(3, order[2]);
	assert_int_equal(2, held_flags); /* the last one pushes */
	assert_int_equal(0, ctx.pushes);
	assert_int_equal(0, comch4j_batch_flush(&context));
}

static void what_meets_again_waits_in_order(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		enqueue(&context, i);
	room = 2;
	assert_int_equal(3, comch4j_batch_flush(&context));
	assert_int_equal(1, engine.queued);
	assert_int_equal(1, context.stalls);
	assert_int_equal(1, ctx.pushes); /* what was held must not wait */
	assert_int_equal(0, engine.tail);
	slots[7].changes = BATCH_BUF;
	assert_int_equal(DOCA_ERROR_AGAIN, comch4j_batch_submit(&context, 7));
	assert_int_equal(0, tasks[7].submits);
	assert_ptr_equal(&bufs[7], tasks[7].buf);
	room = 1000;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 7));
	assert_int_equal(6, submitted);
	for (int i = 0; i < 5; i++)
		assert_int_equal(i, order[i]);
	assert_int_equal(7, order[5]);
	assert_int_equal(2, context.stalls);
}

static void rows_are_submitted_slot_by_slot(void **state)
{
	(void)state;
	context.queue_head = context.queue_tail = SLOTS - 2; /* the rows go around the queue's end */
	enqueue_row(&context, 4, 3);
	enqueue(&context, 1);
	enqueue_row(&context, 2, 2);
	bufs[4].len = 1;
	assert_int_equal(0, comch4j_batch_flush(&context));
	const int expected[] = {4, 5, 6, 1, 2, 3};
	assert_int_equal(6, submitted);
	for (int i = 0; i < 6; i++)
		assert_int_equal(expected[i], order[i]);
	assert_int_equal(5, held_flags);
	assert_int_equal(1, bufs[4].len);
	enqueue_row(&context, (uint32_t)4 | BATCH_EMPTY, 2);
	bufs[5].len = 2;
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(8, submitted);
	assert_int_equal(0, bufs[4].len);
	assert_int_equal(0, bufs[5].len);
}

static void what_is_left_of_a_row_waits_in_order(void **state)
{
	(void)state;
	enqueue_row(&context, 2, 5);
	enqueue(&context, 0);
	for (int left = 5; left >= 0; left--) {
		room = 1;
		assert_int_equal(left, comch4j_batch_flush(&context));
	}
	assert_int_equal(5, context.stalls);
	const int expected[] = {2, 3, 4, 5, 6, 0};
	assert_int_equal(6, submitted);
	for (int i = 0; i < 6; i++)
		assert_int_equal(expected[i], order[i]);
	assert_int_equal(0, engine.tail);
}

static void a_slot_of_a_row_may_be_refused_and_the_rest_be_cancelled(void **state)
{
	(void)state;
	slots[3].changes = BATCH_DATA;
	segments[3].data_len = 666;
	enqueue_row(&context, 2, 4);
	room = 2;
	assert_int_equal(1, comch4j_batch_flush(&context));
	assert_int_equal(2, submitted);
	assert_int_equal(1, engine.tail);
	expect_entry(0, 3, DOCA_ERROR_TOO_BIG);
	enqueue_row(&context, 0, 2);
	comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
	assert_int_equal(context.queue_tail, context.queue_head);
	assert_int_equal(4, engine.tail);
	expect_entry(1, 5, DOCA_ERROR_IO_FAILED);
	expect_entry(2, 0, DOCA_ERROR_IO_FAILED);
	expect_entry(3, 1, DOCA_ERROR_IO_FAILED);
}

static void what_is_refused_becomes_an_entry_and_the_rest_goes_on(void **state)
{
	(void)state;
	slots[2].changes = BATCH_DATA;
	segments[2].data_len = 666;
	enqueue(&context, 1);
	enqueue(&context, 2);
	enqueue(&context, 3);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(2, submitted);
	assert_int_equal(1, engine.tail);
	expect_entry(0, 2, DOCA_ERROR_TOO_BIG);
	slots[4].changes = BATCH_DATA;
	segments[4].data_len = 667;
	enqueue(&context, 4);
	assert_int_equal(0, comch4j_batch_flush(&context));
	expect_entry(1, 4, DOCA_ERROR_UNKNOWN);
	slots[5].changes = BATCH_DATA;
	segments[5].data_len = 668;
	enqueue(&context, 5);
	assert_int_equal(0, comch4j_batch_flush(&context));
	expect_entry(2, 5, (doca_error_t)INT16_MAX);
}

static void cancel_ends_what_is_queued(void **state)
{
	(void)state;
	slots[4].changes = BATCH_BUF;
	enqueue(&context, 4);
	enqueue(&context, 5);
	comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
	assert_int_equal(context.queue_tail, context.queue_head);
	assert_int_equal(2, engine.tail);
	expect_entry(0, 4, DOCA_ERROR_IO_FAILED);
	expect_entry(1, 5, DOCA_ERROR_IO_FAILED);
	assert_ptr_equal(&bufs[4], tasks[4].buf);
	assert_int_equal(0, submitted);
	comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
	assert_int_equal(2, engine.tail);
}

static void cancel_inside_submit(struct doca_task *task)
{
	if (task == &tasks[1]) {
		assert_int_equal(1, comch4j_batch_flush(&context)); /* leaves it to the outer call */
		comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
		room = 0;
	}
}

static void a_callback_inside_a_submit_may_cancel_the_queue(void **state)
{
	(void)state;
	enqueue(&context, 1);
	enqueue(&context, 2);
	in_submit = cancel_inside_submit;
	assert_int_equal(1, comch4j_batch_flush(&context)); /* 1 met AGAIN and is tried again, 2 has ended */
	assert_int_equal(1, engine.queued);
	assert_int_equal(1, engine.tail);
	expect_entry(0, 2, DOCA_ERROR_IO_FAILED);
	in_submit = NULL;
	then = DOCA_ERROR_BAD_STATE;
	assert_int_equal(0, comch4j_batch_flush(&context));
	expect_entry(1, 1, DOCA_ERROR_BAD_STATE);
}

static void completions_become_entries(void **state)
{
	(void)state;
	comch4j_batch_sent((void *)&tasks[1], tasks[1].user_data, (union doca_data){.ptr = &context});
	tasks[2].status = DOCA_ERROR_NOT_CONNECTED;
	comch4j_batch_not_sent((void *)&tasks[2], tasks[2].user_data, (union doca_data){.ptr = &context});
	comch4j_batch_not_received((void *)&tasks[3], tasks[3].user_data, (union doca_data){.ptr = &context});
	tasks[4].status = (doca_error_t)100000;
	comch4j_batch_not_received((void *)&tasks[4], tasks[4].user_data, (union doca_data){.ptr = &context});
	assert_int_equal(4, engine.tail);
	expect_entry(0, 1, DOCA_SUCCESS);
	expect_entry(1, 2, DOCA_ERROR_NOT_CONNECTED);
	expect_entry(2, 3, DOCA_ERROR_UNKNOWN); /* failed, whatever its status says */
	expect_entry(3, 4, DOCA_ERROR_UNKNOWN);
}

static void free_slot(struct batch_context *of, uint32_t slot)
{
	comch4j_batch_freed((void *)&tasks[slot], tasks[slot].user_data, (union doca_data){.ptr = of});
}

/* As Java does. */
static void take_freed(struct batch_context *of)
{
	engine.freed = of->next_freed;
	of->freed_head = of->freed_tail;
}

static void freed_slots_are_rows_and_their_producers_a_list(void **state)
{
	(void)state;
	uint64_t freed[SLOTS], other_freed[SLOTS];
	context.freed = freed;
	other_context.freed = other_freed;
	free_slot(&context, 5);
	free_slot(&other_context, 2);
	free_slot(&context, 6);
	free_slot(&context, 1);
	assert_int_equal(0, engine.tail);
	assert_ptr_equal(&other_context, engine.freed);
	assert_ptr_equal(&context, other_context.next_freed);
	assert_null(context.next_freed);
	assert_int_equal(3, context.freed_tail);
	assert_true(freed[0] == row_of(5, 2));
	assert_true(freed[2] == row_of(1, 1));
	assert_true(other_freed[0] == row_of(2, 1));
	take_freed(&other_context);
	take_freed(&context);
	assert_null(engine.freed);
	for (uint32_t slot = 2; slot < SLOTS; slot++) /* 2 after 1, which has been taken: a row of its own */
		free_slot(&context, slot);
	free_slot(&context, 0);
	free_slot(&context, 1);
	assert_ptr_equal(&context, engine.freed);
	assert_null(context.next_freed);
	assert_true(freed[3] == row_of(2, SLOTS - 2));
	assert_true(freed[1] == row_of(0, 2)); /* around */
}

static void a_receive_is_told_completely(void **state)
{
	(void)state;
	bufs[1].len = (size_t)1 << 33;
	tasks[1].producer = 12;
	tasks[1].imm_len = 4;
	comch4j_batch_received((void *)&tasks[1], tasks[1].user_data, (union doca_data){.ptr = &context});
	bufs[2].len = 666;
	comch4j_batch_received((void *)&tasks[2], tasks[2].user_data, (union doca_data){.ptr = &context});
	expect_entry(0, 1, DOCA_SUCCESS);
	assert_true(ring[0].data_len == (uint64_t)1 << 33);
	assert_int_equal(12, entry_producer(&ring[0]));
	assert_int_equal(4, entry_len(&ring[0]));
	assert_ptr_equal(tasks[1].imm, (void *)(uintptr_t)ring[0].imm);
	expect_entry(1, 2, DOCA_SUCCESS);
	assert_int_equal(0, ring[1].data_len);
	assert_int_equal(0, entry_len(&ring[1]));
}

static void of_a_consumer_that_takes_none_nobody_asks_for_immediate_data(void **state)
{
	(void)state;
	engine.rows = &context;
	for (uint32_t slot = 1; slot <= 2; slot++) {
		bufs[slot].len = 5;
		tasks[slot].producer = 12;
		tasks[slot].imm_len = 4; /* what nobody asks for */
		comch4j_batch_received_data((void *)&tasks[slot], tasks[slot].user_data,
					    (union doca_data){.ptr = &context});
	}
	expect_entry(0, 1, DOCA_SUCCESS);
	assert_int_equal(5, ring[0].data_len);
	assert_int_equal(12, entry_producer(&ring[0]));
	assert_int_equal(0, entry_len(&ring[0]));
	assert_int_equal(1, ring[0].imm); /* the other one, of the same row */
	expect_entry(1, 2, DOCA_SUCCESS);
}

/* As in doca_cc. */
static void without_functions_for_immediate_data_a_receive_has_data_only(void **state)
{
	(void)state;
	struct batch_functions functions = complete;
	functions.send_set_imm = NULL;
	functions.receive_imm = NULL;
	functions.receive_imm_len = NULL;
	assert_int_equal(1, comch4j_batch_init(&functions));
	slots[2].changes = BATCH_IMM; /* Java does not ask for it: nobody is called */
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 2));
	bufs[1].len = 5;
	tasks[1].producer = 12;
	tasks[1].imm_len = 4;
	comch4j_batch_received((void *)&tasks[1], tasks[1].user_data, (union doca_data){.ptr = &context});
	expect_entry(0, 1, DOCA_SUCCESS);
	assert_int_equal(5, ring[0].data_len);
	assert_int_equal(12, entry_producer(&ring[0]));
	assert_int_equal(0, entry_len(&ring[0]));
	functions.receive_imm = receive_imm; /* one of three */
	assert_int_equal(0, comch4j_batch_init(&functions));
}

/* As in doca_cc of DOCA 2.5. */
static void without_a_function_for_it_the_producer_is_0(void **state)
{
	(void)state;
	struct batch_functions functions = complete;
	functions.receive_producer = NULL;
	assert_int_equal(1, comch4j_batch_init(&functions));
	tasks[1].producer = 12;
	tasks[1].imm_len = 4;
	comch4j_batch_received((void *)&tasks[1], tasks[1].user_data, (union doca_data){.ptr = &context});
	expect_entry(0, 1, DOCA_SUCCESS);
	assert_int_equal(0, entry_producer(&ring[0]));
	assert_int_equal(4, entry_len(&ring[0]));
}

/* Of the functions above, those of a buffer read it unasked: none may be called. */
static void a_receive_without_a_buffer_has_no_data(void **state)
{
	(void)state;
	context.kind = BATCH_RECEIVES;
	tasks[1].buf = &bufs[1]; /* has had one */
	slots[1].buf = NULL;
	slots[1].changes = BATCH_BUF;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 1));
	assert_null(tasks[1].buf);
	tasks[1].producer = 5;
	tasks[1].imm_len = 3;
	comch4j_batch_received((void *)&tasks[1], tasks[1].user_data, (union doca_data){.ptr = &context});
	expect_entry(0, 1, DOCA_SUCCESS);
	assert_int_equal(0, ring[0].data_len);
	assert_int_equal(5, entry_producer(&ring[0]));
	assert_int_equal(3, entry_len(&ring[0]));
	assert_ptr_equal(tasks[1].imm, (void *)(uintptr_t)ring[0].imm);
	enqueue(&context, 1);
	enqueue(&context, 1 | BATCH_EMPTY);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(3, tasks[1].submits);
	slots[1].changes = BATCH_DATA;
	assert_int_equal(DOCA_SUCCESS, comch4j_batch_submit(&context, 1));
	enqueue(&context, 1 | BATCH_EMPTY);
	comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
	expect_entry(1, 1, DOCA_ERROR_IO_FAILED);
	assert_int_equal(2, engine.tail);
}

static void complete_one(struct doca_pe *from)
{
	uint32_t slot = (uint32_t)from->rounds_left % SLOTS;
	comch4j_batch_sent((void *)&tasks[slot], tasks[slot].user_data, (union doca_data){.ptr = &context});
}

static void progress_collects_up_to_its_limit(void **state)
{
	(void)state;
	pe = (struct doca_pe){.rounds_left = 7, .round = complete_one};
	assert_int_equal(5, comch4j_batch_progress(&engine, 5, 0));
	assert_int_equal(5, engine.tail);
	assert_int_equal(0, engine.others);
	assert_int_equal(2, comch4j_batch_progress(&engine, 5, 0));
	assert_int_equal(0, comch4j_batch_progress(&engine, 5, 0));
	expect_entry(0, 6, DOCA_SUCCESS);
	expect_entry(6, 0, DOCA_SUCCESS);
}

static void progress_spins_until_the_first_round_that_brings_something(void **state)
{
	(void)state;
	pe = (struct doca_pe){.empty_left = 3, .rounds_left = 2, .round = complete_one};
	assert_int_equal(0, comch4j_batch_progress(&engine, 5, 0));
	assert_int_equal(2, pe.empty_left);
	assert_int_equal(0, comch4j_batch_progress(&engine, 5, 1));
	assert_int_equal(0, pe.empty_left);
	pe.empty_left = 2;
	pe.asked_in_vain = 0;
	assert_int_equal(1, comch4j_batch_progress(&engine, 5, 7));
	assert_int_equal(2, pe.asked_in_vain); /* what came after a wait is not kept waiting */
	assert_int_equal(1, comch4j_batch_progress(&engine, 5, 7));
	assert_int_equal(3, pe.asked_in_vain); /* no spins after a round that brought something */
}

static void progress_flushes_all_queues_first(void **state)
{
	(void)state;
	enqueue(&context, 1);
	enqueue(&other_context, 2);
	pe = (struct doca_pe){.rounds_left = 1, .round = complete_one};
	assert_int_equal(1, comch4j_batch_progress(&engine, 1, 0));
	assert_int_equal(2, submitted);
	assert_int_equal(0, engine.queued);
}

static void something_else(struct doca_pe *from)
{
	if (from->rounds_left % 2 == 0)
		complete_one(from);
	if (from->rounds_left == 3)
		engine.stop = 1;
}

static void a_received_buffer_goes_back_empty(void **state)
{
	(void)state;
	int bytes;
	context.kind = BATCH_RECEIVES;
	bufs[1] = (struct doca_buf){.data = &bytes, .len = 9};
	enqueue(&context, 1 | BATCH_EMPTY);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(1, tasks[1].submits);
	assert_ptr_equal(&bytes, bufs[1].data);
	assert_int_equal(0, bufs[1].len);
	bufs[2].len = 666;
	enqueue(&context, 2 | BATCH_EMPTY);
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(0, tasks[2].submits);
	expect_entry(0, 2, DOCA_ERROR_BAD_STATE);
	bufs[3].len = 4;
	enqueue(&context, 3 | BATCH_EMPTY);
	comch4j_batch_cancel(&context, DOCA_ERROR_IO_FAILED);
	assert_int_equal(0, bufs[3].len); /* as Java believes */
	expect_entry(1, 3, DOCA_ERROR_IO_FAILED);
	bufs[4].len = 4;
	enqueue(&context, 4 | BATCH_EMPTY);
	room = 0;
	assert_int_equal(1, comch4j_batch_flush(&context));
	room = 1;
	assert_int_equal(0, comch4j_batch_flush(&context));
	assert_int_equal(2, tasks[4].submits);
}

static void changes_of_state_become_entries(void **state)
{
	(void)state;
	comch4j_batch_state((union doca_data){.ptr = &context}, &ctx, DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING);
	expect_entry(0, BATCH_STATE, DOCA_SUCCESS);
	assert_true(ring[0].data_len == (DOCA_CTX_STATE_STARTING | (uint64_t)DOCA_CTX_STATE_RUNNING << 32));
}

static void progress_counts_other_rounds_and_stops_when_told(void **state)
{
	(void)state;
	pe = (struct doca_pe){.rounds_left = 8, .round = something_else};
	assert_int_equal(5, comch4j_batch_progress(&engine, 100, 0)); /* left: 7 6 5 4 3 */
	assert_int_equal(3, engine.others);
	assert_int_equal(2, engine.tail);
	assert_int_equal(3, comch4j_batch_progress(&engine, 100, 0));
	assert_int_equal(1, engine.others);
}

static struct batch_context *receives_for;

static void receive_one(struct doca_pe *from)
{
	uint32_t slot = (uint32_t)from->rounds_left;
	comch4j_batch_received((void *)&tasks[slot], tasks[slot].user_data, (union doca_data){.ptr = receives_for});
}

static void lose_one(struct doca_pe *from)
{
	(void)from;
	tasks[2].status = DOCA_ERROR_IO_FAILED;
	comch4j_batch_not_received((void *)&tasks[2], tasks[2].user_data, (union doca_data){.ptr = &context});
}

static void change_state(struct doca_pe *from)
{
	(void)from;
	comch4j_batch_state((union doca_data){.ptr = &context}, &ctx, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING);
}

static void call_back(struct doca_pe *from)
{
	(void)from;
}

static uint32_t poll_after(int rounds, void (*round)(struct doca_pe *), uint32_t limit)
{
	pe = (struct doca_pe){.rounds_left = rounds, .round = round};
	engine.tail = 0;
	return comch4j_batch_poll(&context, limit, 0);
}

static void poll_tells_the_slot_of_a_message_that_comes_alone(void **state)
{
	(void)state;
	receives_for = &context;
	assert_int_equal(0, poll_after(0, receive_one, 5));
	assert_true(poll_after(1, receive_one, 5) == BATCH_ALONE);
	expect_entry(0, 0, DOCA_SUCCESS);
	assert_int_equal(1, engine.tail);
	assert_true(poll_after(4, receive_one, 1) == (BATCH_ALONE | 3));
	expect_entry(0, 3, DOCA_SUCCESS);
	enqueue(&context, 1);
	pe.empty_left = 3;
	engine.tail = 0;
	assert_true(comch4j_batch_poll(&context, 5, 7) == (BATCH_ALONE | 2)); /* of three that are there */
	assert_int_equal(1, submitted);
}

static void poll_tells_of_anything_else_how_many_rounds_there_were(void **state)
{
	(void)state;
	uint64_t freed[SLOTS];
	context.freed = freed;
	receives_for = &context;
	assert_int_equal(2, poll_after(2, receive_one, 5));
	assert_int_equal(1, poll_after(1, call_back, 5));
	assert_int_equal(1, engine.others);
	assert_int_equal(1, poll_after(1, lose_one, 5));
	assert_int_equal(1, poll_after(1, change_state, 5));
	receives_for = &other_context;
	assert_int_equal(1, poll_after(1, receive_one, 5));
	receives_for = &context;
	free_slot(&context, 1); /* as a submit may do: Java is to be told of it first */
	assert_int_equal(1, poll_after(1, receive_one, 5));
	take_freed(&context);
	assert_true(poll_after(1, receive_one, 5) == BATCH_ALONE);
}

static const uint32_t *arrivals; /* slots, or: */
#define UPCALL 100u

static void receive_next(struct doca_pe *from)
{
	(void)from;
	uint32_t slot = *arrivals++;
	if (slot == UPCALL)
		engine.row = NULL; /* as Java does */
	else
		comch4j_batch_received((void *)&tasks[slot], tasks[slot].user_data,
				       (union doca_data){.ptr = receives_for});
}

#define POLL_ROWS(...)                                                                                                 \
	poll_rows((const uint32_t[]){__VA_ARGS__}, (int)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static void poll_rows(const uint32_t *slots_in_turn, int num)
{
	arrivals = slots_in_turn;
	pe = (struct doca_pe){.rounds_left = num, .round = receive_next};
	engine.tail = 0;
	assert_int_equal(num, comch4j_batch_poll_rows(&context, 100, 0));
}

static void expect_row(uint32_t at, uint32_t first, uint32_t num)
{
	expect_entry(at, first, DOCA_SUCCESS);
	assert_int_equal(num - 1, ring[at].imm);
	assert_int_equal(0, entry_len(&ring[at]));
	for (uint32_t i = 1; i < num; i++)
		expect_entry(at + i, first + i, DOCA_SUCCESS);
}

static void messages_side_by_side_are_a_row(void **state)
{
	(void)state;
	receives_for = &context;
	POLL_ROWS(1, 2, 3, 5, 6, 4, 7, 0);
	assert_int_equal(8, engine.tail);
	assert_int_equal(0, engine.others);
	expect_row(0, 1, 3);
	expect_row(3, 5, 2);
	expect_row(5, 4, 1);
	expect_row(6, 7, 1);
	expect_row(7, 0, 1);
	tasks[2].producer = tasks[3].producer = 9;
	bufs[5].len = bufs[6].len = 11;
	tasks[7].imm_len = 3;
	POLL_ROWS(0, 1, 2, 3, 4, 5, 6, 7);
	expect_row(0, 0, 2);
	expect_row(2, 2, 2);
	assert_int_equal(9, entry_producer(&ring[2]));
	expect_row(4, 4, 1);
	expect_row(5, 5, 2);
	assert_int_equal(11, ring[5].data_len);
	expect_entry(7, 7, DOCA_SUCCESS);
	assert_int_equal(3, entry_len(&ring[7]));
	assert_ptr_equal(tasks[7].imm, (void *)(uintptr_t)ring[7].imm);
}

static void a_row_ends_where_something_else_happens(void **state)
{
	(void)state;
	receives_for = &context;
	POLL_ROWS(1, 2, UPCALL, 3, 4); /* where Java may have taken what was there */
	assert_int_equal(1, engine.others);
	expect_row(0, 1, 2);
	expect_row(2, 3, 2);
	const uint32_t next = 5;
	arrivals = &next;
	pe = (struct doca_pe){.rounds_left = 1, .round = receive_next};
	assert_int_equal(1, comch4j_batch_progress(&engine, 5, 0)); /* which makes no rows */
	expect_row(2, 3, 2);
	expect_row(4, 5, 1);
	receives_for = &other_context;
	POLL_ROWS(1, 2);
	assert_int_equal(4, entry_context(&ring[0]));
	assert_int_equal(0, ring[0].imm);
	assert_int_equal(0, ring[1].imm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(init_wants_its_layout_and_every_function, set_up),
		cmocka_unit_test_setup(submit_tells_what_has_changed_and_nothing_else, set_up),
		cmocka_unit_test_setup(copies_are_told_their_ends, set_up),
		cmocka_unit_test_setup(immediate_data_are_set_with_the_submit_that_follows, set_up),
		cmocka_unit_test_setup(flush_submits_in_order_and_rings_the_bell_once, set_up),
		cmocka_unit_test_setup(what_meets_again_waits_in_order, set_up),
		cmocka_unit_test_setup(rows_are_submitted_slot_by_slot, set_up),
		cmocka_unit_test_setup(what_is_left_of_a_row_waits_in_order, set_up),
		cmocka_unit_test_setup(a_slot_of_a_row_may_be_refused_and_the_rest_be_cancelled, set_up),
		cmocka_unit_test_setup(what_is_refused_becomes_an_entry_and_the_rest_goes_on, set_up),
		cmocka_unit_test_setup(cancel_ends_what_is_queued, set_up),
		cmocka_unit_test_setup(a_callback_inside_a_submit_may_cancel_the_queue, set_up),
		cmocka_unit_test_setup(completions_become_entries, set_up),
		cmocka_unit_test_setup(freed_slots_are_rows_and_their_producers_a_list, set_up),
		cmocka_unit_test_setup(a_receive_is_told_completely, set_up),
		cmocka_unit_test_setup(of_a_consumer_that_takes_none_nobody_asks_for_immediate_data, set_up),
		cmocka_unit_test_setup(without_functions_for_immediate_data_a_receive_has_data_only, set_up),
		cmocka_unit_test_setup(without_a_function_for_it_the_producer_is_0, set_up),
		cmocka_unit_test_setup(a_receive_without_a_buffer_has_no_data, set_up),
		cmocka_unit_test_setup(progress_collects_up_to_its_limit, set_up),
		cmocka_unit_test_setup(progress_spins_until_the_first_round_that_brings_something, set_up),
		cmocka_unit_test_setup(progress_flushes_all_queues_first, set_up),
		cmocka_unit_test_setup(a_received_buffer_goes_back_empty, set_up),
		cmocka_unit_test_setup(changes_of_state_become_entries, set_up),
		cmocka_unit_test_setup(progress_counts_other_rounds_and_stops_when_told, set_up),
		cmocka_unit_test_setup(poll_tells_the_slot_of_a_message_that_comes_alone, set_up),
		cmocka_unit_test_setup(poll_tells_of_anything_else_how_many_rounds_there_were, set_up),
		cmocka_unit_test_setup(messages_side_by_side_are_a_row, set_up),
		cmocka_unit_test_setup(a_row_ends_where_something_else_happens, set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
