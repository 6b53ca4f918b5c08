/* The two halves of the fast path: a sender (producer) and a receiver (consumer) with their tasks and buffers.
 *
 * The work `fast` sends from the buffer that was free last, which is still in the caches; the work `flat` from each of
 * them in its turn.
 *
 * A payload begins with its number in the order of its producer's sending, which the receiver always checks, followed
 * by a pattern that it checks in the first messages of a run. */
#ifndef BENCH_FAST_H
#define BENCH_FAST_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "endpoint.h"

struct batched;

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
	uint32_t index;      /* among the producers */
	bool in_turn;        /* set before it is opened: each buffer in its turn */
	uint32_t next, last; /* then free[] is a ring: where the longest free buffer is, and where the next one goes */
	struct batched *batched; /* set before it is opened, with in_turn; NULL: it does without the batch library */
};

struct receiver {
	struct doca_pe *pe;
	struct doca_task **tasks;
	struct doca_buf **bufs;
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	struct memory memory;
	uint32_t depth;
	uint64_t size;
	uint64_t received;
	uint64_t received_of[MAX_PRODUCERS]; /* by the producer's index, where there are several */
	bool several;
	uint64_t to_check; /* messages whose pattern is still to be checked */
	uint64_t checked;
	uint64_t empty; /* progress calls that found nothing */
	/* Set before it is opened: takes completions in place of the receiver's own callback, and ends with
	 * receiver_post_again. */
	doca_comch_consumer_task_post_recv_completion_cb_t completed;
	/* Called for each message, before its buffer is posted again. */
	void (*on_received)(struct receiver *receiver);
	void *own;
	struct batched *batched; /* set before it is opened; NULL: it does without the batch library */
};

/* `pe` NULL: an engine of its own. Both wait until they run, and the sender until the peer has a consumer. */
void sender_open(struct sender *sender, struct endpoint *endpoint, const struct device *device,
		 const struct options *options, struct doca_pe *pe);
void sender_close(struct sender *sender);
void receiver_open(struct receiver *receiver, struct endpoint *endpoint, const struct device *device,
		   const struct options *options, struct doca_pe *pe);
void receiver_close(struct receiver *receiver);
void receiver_post_again(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf);

/* Whether this is one of the works that use each buffer in its turn. */
static inline bool is_in_turn(const struct options *options)
{
	return options->work[1] == 'l' || options->work[0] == 'b'; /* flat, flat-rtt, batched */
}

/* The pattern behind the number. */
void payload_fill(uint8_t *bytes, uint64_t size);
bool payload_intact(const uint8_t *bytes, uint64_t size);
/* How many messages of a run are compared byte by byte. */
uint64_t messages_to_check(const struct options *options);

/* What a payload begins with: the producer's index in the uppermost byte. */
static inline uint64_t payload_number(uint32_t producer, uint64_t sent)
{
	return (uint64_t)producer << 56 | sent;
}

/* The number that the next payload of this one's producer must have. */
static inline uint64_t receiver_expects(struct receiver *receiver, uint64_t number)
{
	if (__builtin_expect(!receiver->several, 1))
		return receiver->received;
	uint32_t producer = (uint32_t)(number >> 56) % MAX_PRODUCERS;
	return payload_number(producer, receiver->received_of[producer]++);
}

/* Looks at what has arrived, of which `receiver->received` says how much there was before. */
static inline void receiver_check(struct receiver *receiver, const uint8_t *bytes, size_t len)
{
	uint64_t number = *(const uint64_t *)(const void *)bytes;
	if (__builtin_expect(len != receiver->size || number != receiver_expects(receiver, number), 0))
		fail("message %llu: number %llu, %zu bytes", (unsigned long long)receiver->received,
		     (unsigned long long)number, len);
	if (__builtin_expect(receiver->to_check > 0, 0)) {
		if (!payload_intact(bytes, len))
			fail("message %llu: wrong data", (unsigned long long)number);
		receiver->to_check--;
		receiver->checked++;
	}
}

static inline bool sender_submit_buffer(struct sender *sender, uint32_t i, uint32_t flags)
{
	uint64_t number = payload_number(sender->index, sender->sent);
	*(uint64_t *)(void *)(sender->memory.bytes + i * sender->memory.stride) = number;
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

/* Sends the next message; false when no task is free or no buffer is posted. Without DOCA_TASK_SUBMIT_FLAG_FLUSH the
 * device need not look at it before a later call with it, or doca_ctx_flush_tasks. */
static inline bool sender_submit(struct sender *sender, uint32_t flags)
{
	return sender->num_free > 0 && sender_submit_buffer(sender, sender->free[sender->num_free - 1], flags);
}

static inline bool sender_submit_in_turn(struct sender *sender, uint32_t flags)
{
	if (sender->num_free == 0 || !sender_submit_buffer(sender, sender->free[sender->next], flags))
		return false;
	sender->next = sender->next + 1 == sender->depth ? 0 : sender->next + 1;
	return true;
}

static inline bool sender_send(struct sender *sender)
{
	return sender->in_turn ? sender_submit_in_turn(sender, DOCA_TASK_SUBMIT_FLAG_FLUSH)
			       : sender_submit(sender, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

/* So many messages go out together. Those that complete at once are used again at once, while they are in the cache;
 * where they take longer, up to `depth` are under way after some turns. */
#define BURST 64u

/* `submit` is known to the compiler. */
static inline __attribute__((always_inline)) bool sender_turn_with(struct sender *sender,
								   bool (*submit)(struct sender *, uint32_t))
{
	uint64_t before = sender->sent;
	for (uint32_t num = 1; num <= BURST && submit(sender, num == BURST ? DOCA_TASK_SUBMIT_FLAG_FLUSH : 0); num++)
		;
	if ((sender->sent - before) % BURST != 0)
		doca_ctx_flush_tasks(sender->ctx);
	while (doca_pe_progress(sender->pe))
		;
	return sender->sent != before;
}

/* As many as there is room for, a burst at most, then everything that completes; true when anything was sent. */
static inline bool sender_turn(struct sender *sender)
{
	return sender->in_turn ? sender_turn_with(sender, sender_submit_in_turn)
			       : sender_turn_with(sender, sender_submit);
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
