#include "batched.h"

#include "linked.h"

#define ROUNDS (BATCH_QUEUED + 1u) /* of progress in one call, as Java asks for */

void batched_init(void)
{
	if (batch_init_linked() == 0)
		fail("the batch library lacks a function");
}

static void *array(uint32_t num, size_t size)
{
	return must_have(calloc(num, size));
}

struct batched *batched_new(uint32_t tasks)
{
	struct batched *batched = array(1, sizeof(*batched));
	struct batch_context *context = &batched->context;
	uint32_t places = 1;
	while (places < tasks + BATCH_STATES)
		places *= 2;
	batched->engine.ring = array(places, sizeof(struct batch_entry));
	batched->engine.ring_mask = places - 1;
	batched->engine.contexts = context;
	context->engine = &batched->engine;
	context->slots = array(tasks, sizeof(struct batch_slot));
	context->queue = array(places, sizeof(uint64_t));
	context->queue_mask = places - 1;
	context->freed = array(places, sizeof(uint64_t));
	return batched;
}

void batched_begin(struct batched *batched, struct doca_pe *pe, struct doca_ctx *ctx, struct doca_task *const *tasks,
		   struct doca_buf *const *bufs, uint32_t num)
{
	batched->engine.pe = pe;
	batched->context.ctx = ctx;
	for (uint32_t i = 0; i < num; i++)
		batched->context.slots[i] = (struct batch_slot){.task = tasks[i], .buf = bufs[i]};
}

void batched_free(struct batched *batched)
{
	if (batched == NULL)
		return;
	free(batched->engine.ring);
	free(batched->context.slots);
	free(batched->context.queue);
	free(batched->context.freed);
	free(batched);
}

static inline uint32_t row_len(uint64_t row)
{
	return (uint32_t)(row >> BATCH_ROW_SHIFT);
}

static inline void enqueue(struct batched *batched, uint32_t first, uint32_t num)
{
	struct batch_context *context = &batched->context;
	context->queue[context->queue_tail & context->queue_mask] = first | (uint64_t)num << BATCH_ROW_SHIFT;
	context->queue_tail += num;
	batched->engine.queued = 1;
}

/* ---- sender ---- */

static inline void take_freed(struct sender *sender)
{
	struct batch_context *context = &sender->batched->context;
	while (context->freed_head != context->freed_tail) {
		uint64_t row = context->freed[context->freed_head & context->queue_mask];
		for (uint32_t i = 0; i < row_len(row); i++) {
			sender->free[sender->last] = (uint32_t)row + i;
			sender->last = sender->last + 1 == sender->depth ? 0 : sender->last + 1;
		}
		context->freed_head += row_len(row);
		sender->num_free += row_len(row);
	}
	sender->batched->engine.freed = NULL;
}

static inline void number(struct sender *sender, uint32_t slot)
{
	uint64_t number = payload_number(sender->index, sender->sent++);
	*(uint64_t *)(void *)(sender->memory.bytes + slot * sender->memory.stride) = number;
}

/* Slots that follow each other, so many at most; returns how many. */
static inline uint32_t enqueue_row(struct sender *sender, uint32_t most)
{
	uint32_t first = sender->free[sender->next], num = 0;
	do {
		number(sender, first + num++);
		sender->next = sender->next + 1 == sender->depth ? 0 : sender->next + 1;
	} while (num < most && sender->free[sender->next] == first + num);
	enqueue(sender->batched, first, num);
	sender->num_free -= num;
	return num;
}

bool batched_sender_turn(struct sender *sender)
{
	uint32_t num = sender->num_free < BURST ? sender->num_free : BURST;
	for (uint32_t left = num; left > 0;)
		left -= enqueue_row(sender, left);
	batched_sender_settle(sender);
	return num > 0;
}

bool batched_sender_settle(struct sender *sender)
{
	while (comch4j_batch_progress(&sender->batched->engine, ROUNDS, 0) == ROUNDS)
		;
	take_freed(sender);
	return sender->num_free == sender->depth;
}

/* ---- receiver ---- */

/* What is in the ring; each slot is posted again. */
static inline uint32_t take_entries(struct receiver *receiver)
{
	struct batched *batched = receiver->batched;
	struct batch_context *context = &batched->context;
	uint32_t num = batched->engine.tail, next;
	for (uint32_t i = 0; i < num; i = next) {
		const struct batch_entry *entry = &batched->engine.ring[i];
		uint32_t first = (uint32_t)entry->what;
		if (__builtin_expect(entry->what >> BATCH_STATUS_SHIFT != DOCA_SUCCESS || first >= receiver->depth, 0))
			fail("a fast-path receive failed");
		next = i + 1 + (uint32_t)entry->imm;
		const uint8_t *bytes = receiver->memory.bytes + first * receiver->memory.stride;
		for (uint32_t at = i; at < next; at++, bytes += receiver->memory.stride) {
			receiver_check(receiver, bytes, entry->data_len);
			receiver->received++;
		}
		enqueue(batched, first | BATCH_EMPTY, next - i);
	}
	batched->engine.tail = 0;
	if (context->queue_tail - context->queue_head > BATCH_QUEUED)
		comch4j_batch_flush(context);
	return num;
}

uint32_t batched_receiver_turn(struct receiver *receiver)
{
	uint32_t num = 0, rounds;
	do {
		rounds = comch4j_batch_poll_rows(&receiver->batched->context, ROUNDS, 0);
		num += take_entries(receiver);
	} while (rounds == ROUNDS && num < 256);
	receiver->empty += num == 0;
	return num;
}
