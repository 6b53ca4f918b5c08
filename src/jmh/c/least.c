#include "least.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

#include "slot.h"

/* What the other side writes to. */
struct inbox {
	struct slot slots[LEAST_DEPTH];
	alignas(128) _Atomic uint64_t claimed; /* several producers may send to a consumer */
};

struct least_buf {
	uint8_t *data;
	size_t len;
};

struct least_task {
	void (*submit)(struct least_task *task); /* DOCA submits tasks of all kinds with one function */
	struct least_side *side;
	struct least_buf *buf;
	void *data;
};

struct least_side {
	alignas(128) struct inbox inbox;
	alignas(128) struct inbox *peer;
	least_callback received, sent;
	void *own;
	struct least_task *posted[LEAST_DEPTH], *done[LEAST_DEPTH]; /* rings: to be filled, to be reported */
	uint64_t posts, messages;                                   /* buffers posted so far; messages received */
	uint64_t sends, reports;                                    /* tasks sent so far; completions reported */
	struct least_task receives[LEAST_DEPTH], sending[LEAST_DEPTH];
	struct least_buf bufs[2][LEAST_DEPTH];
	alignas(128) uint8_t bytes[2][LEAST_DEPTH][LINES_PAYLOAD];
};

static struct least_side sides[2];

static void post(struct least_task *task)
{
	struct least_side *side = task->side;
	side->posted[side->posts++ % LEAST_DEPTH] = task;
}

static void send(struct least_task *task)
{
	struct least_side *side = task->side;
	uint64_t number = atomic_fetch_add(&side->peer->claimed, 1) + 1;
	struct slot *slot = &side->peer->slots[number % LEAST_DEPTH];
	slot_fill(slot, task->buf->data);
	atomic_store_explicit(&slot->number, number, memory_order_release);
	side->done[side->sends++ % LEAST_DEPTH] = task;
}

struct least_side *least_open(uint32_t number, least_callback received, least_callback sent, void *own)
{
	struct least_side *side = &sides[number];
	side->peer = &sides[1 - number].inbox;
	side->received = received;
	side->sent = sent;
	side->own = own;
	for (uint32_t i = 0; i < LEAST_DEPTH; i++) {
		side->bufs[0][i] = (struct least_buf){.data = side->bytes[0][i]};
		side->bufs[1][i] = (struct least_buf){.data = side->bytes[1][i], .len = LINES_PAYLOAD};
		side->receives[i] = (struct least_task){
			.submit = post, .side = side, .buf = &side->bufs[0][i], .data = side->bytes[0][i]};
		side->sending[i] = (struct least_task){
			.submit = send, .side = side, .buf = &side->bufs[1][i], .data = side->bytes[1][i]};
	}
	return side;
}

struct least_task *least_receive_task(struct least_side *side, uint32_t i)
{
	return &side->receives[i];
}

struct least_task *least_send_task(struct least_side *side, uint32_t i)
{
	return &side->sending[i];
}

void least_submit(struct least_task *task)
{
	task->submit(task);
}

uint8_t least_progress(struct least_side *side)
{
	struct slot *slot = &side->inbox.slots[(side->messages + 1) % LEAST_DEPTH];
	if (atomic_load_explicit(&slot->number, memory_order_acquire) == side->messages + 1) {
		struct least_task *task = side->posted[side->messages++ % LEAST_DEPTH];
		memcpy(task->buf->data, slot->payload, LINES_PAYLOAD);
		task->buf->len += LINES_PAYLOAD;
		side->received(task, task->data, side->own);
		return 1;
	}
	if (side->reports < side->sends) {
		struct least_task *task = side->done[side->reports++ % LEAST_DEPTH];
		side->sent(task, task->data, side->own);
		return 1;
	}
	__builtin_prefetch(slot->payload + LINES_PAYLOAD - 1); /* the second line is on its way then */
	pause_between_looks();
	return 0;
}

struct least_buf *least_task_buf(const struct least_task *task)
{
	return task->buf;
}

void *least_buf_data(const struct least_buf *buf)
{
	return buf->data;
}

size_t least_buf_len(const struct least_buf *buf)
{
	return buf->len;
}

void least_buf_reset(struct least_buf *buf)
{
	buf->len = 0;
}
