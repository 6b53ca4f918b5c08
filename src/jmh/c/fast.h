/* The two halves of the fast path: a sender (producer) and a receiver (consumer) with their tasks and buffers.
 *
 * A payload begins with its number in the order of sending, which the receiver always checks, followed by a pattern
 * that it checks in the first messages of a run. */
#ifndef BENCH_FAST_H
#define BENCH_FAST_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "endpoint.h"

struct memory {
	uint8_t *bytes;
	size_t stride; /* of buffers */
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

struct sender {
	struct doca_pe *pe;
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct memory memory;
	struct doca_task **tasks;
	struct doca_buf **bufs;
	uint32_t *free; /* indices of tasks, as a stack: the last one is still in the caches */
	uint32_t num_free, depth;
	uint64_t sent, again;
};

struct receiver {
	struct doca_pe *pe;
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	struct memory memory;
	uint32_t depth;
	uint64_t size;
	uint64_t received;
	uint64_t to_check; /* messages whose pattern is still to be checked */
	uint64_t checked;
	uint64_t empty; /* progress calls that found nothing */
	/* Called for each message, before its buffer is posted again. */
	void (*on_received)(struct receiver *receiver);
	void *own;
};

/* `pe` NULL: an engine of its own. Both wait until they run, and the sender until the peer has a consumer. */
void sender_open(struct sender *sender, struct endpoint *endpoint, const struct device *device,
		 const struct options *options, struct doca_pe *pe);
void sender_close(struct sender *sender);
void receiver_open(struct receiver *receiver, struct endpoint *endpoint, const struct device *device,
		   const struct options *options, struct doca_pe *pe);
void receiver_close(struct receiver *receiver);

/* The pattern behind the number. */
void payload_fill(uint8_t *bytes, uint64_t size);
bool payload_intact(const uint8_t *bytes, uint64_t size);
/* How many messages of a run are compared byte by byte. */
uint64_t messages_to_check(const struct options *options);

/* Sends the next message; false when no task is free or no buffer is posted. Without DOCA_TASK_SUBMIT_FLAG_FLUSH the
 * device need not look at it before a later call with it, or doca_ctx_flush_tasks. */
static inline bool sender_submit(struct sender *sender, uint32_t flags)
{
	if (sender->num_free == 0)
		return false;
	uint32_t i = sender->free[sender->num_free - 1];
	*(uint64_t *)(void *)(sender->memory.bytes + i * sender->memory.stride) = sender->sent;
	doca_error_t result = doca_task_submit_ex(sender->tasks[i], flags);
	if (__builtin_expect(result != DOCA_SUCCESS, 0)) {
		if (result != DOCA_ERROR_AGAIN)
			fail("doca_task_submit: %s", doca_error_get_name(result));
		sender->again++;
		return false;
	}
	sender->num_free--;
	sender->sent++;
	return true;
}

static inline bool sender_send(struct sender *sender)
{
	return sender_submit(sender, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/* So many messages go out together. Those that complete at once are used again at once, while they are in the cache;
 * where they take longer, up to `depth` are under way after some turns. */
#define BURST 32u

/* As many as there is room for, a burst at most, then everything that completes; true when anything was sent. */
static inline bool sender_turn(struct sender *sender)
{
	uint64_t before = sender->sent;
	for (uint32_t num = 1; num <= BURST && sender_submit(sender, num == BURST ? DOCA_TASK_SUBMIT_FLAG_FLUSH : 0);
	     num++)
		;
	if ((sender->sent - before) % BURST != 0)
		doca_ctx_flush_tasks(sender->ctx);
	while (doca_pe_progress(sender->pe))
		;
	return sender->sent != before;
}

/* Everything that has arrived; returns how many. */
static inline uint32_t receiver_turn(struct receiver *receiver)
{
	uint32_t num = 0;
	while (num < 256 && doca_pe_progress(receiver->pe))
		num++;
	receiver->empty += num == 0;
	return num;
}

#endif
