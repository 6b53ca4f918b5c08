/* The queue of one consumer of a MsgQ: what it has posted, and the messages that have arrived.
 *
 * Positions count from the start of the consumer. Of those that were posted, the first `arrived` have a message, and
 * the first `taken` of these the consumer has seen.
 *
 * Threads: any number send; one at a time posts and takes. The lock is the senders', and of who opens, closes or
 * revokes. */
#ifndef EMU_MSGQ_QUEUE_H
#define EMU_MSGQ_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spin.h"
#include "doca_error.h"

enum msgq_queue_state {
	MSGQ_QUEUE_FREE,    /* no consumer */
	MSGQ_QUEUE_CREATED, /* it has not been started */
	MSGQ_QUEUE_OPEN,
	MSGQ_QUEUE_CLOSED, /* it has stopped */
};

struct msgq_slot {
	uint32_t producer_id;
	uint16_t imm_len;
	bool revoked; /* nothing arrives here: the consumer has taken it back */
	uint8_t imm[];
};

struct msgq_queue {
	struct emu_spin lock;
	enum msgq_queue_state state;
	uint32_t max_imm;
	uint32_t capacity; /* a power of two */
	size_t stride;
	uint8_t *slots;
	/* Tells the consumer that a message has arrived; with the lock held. */
	void (*notify)(void *consumer);
	void *consumer;

	_Atomic uint64_t posted;
	_Atomic uint64_t arrived __attribute__((aligned(64)));
	_Atomic uint64_t revoked; /* among those that were posted and have no message */
	_Atomic uint64_t taken __attribute__((aligned(64)));
};

static inline struct msgq_slot *msgq_queue_slot(const struct msgq_queue *queue, uint64_t position)
{
	return (struct msgq_slot *)(queue->slots + (position & (queue->capacity - 1)) * queue->stride);
}

/* NO_MEMORY. */
doca_error_t msgq_queue_open(struct msgq_queue *queue, uint32_t capacity, uint32_t max_imm,
			     void (*notify)(void *consumer), void *consumer);

/* On return nobody sends to it. Messages stay, until the memory is given back. */
void msgq_queue_close(struct msgq_queue *queue);
void msgq_queue_free_slots(struct msgq_queue *queue);
enum msgq_queue_state msgq_queue_get_state(struct msgq_queue *queue);
void msgq_queue_set_state(struct msgq_queue *queue, enum msgq_queue_state state);

/* Posts up to `num` more; how many there was room for. Who revokes clears the slot's mark before. */
uint32_t msgq_queue_post(struct msgq_queue *queue, uint32_t num);

/* Takes back a position that has no message; false: it has one. */
bool msgq_queue_revoke(struct msgq_queue *queue, uint64_t position);
/* Goes over the position that is next to be taken, if it was taken back. */
bool msgq_queue_skip(struct msgq_queue *queue);

/* How many messages a sender finds room for. */
int64_t msgq_queue_room(const struct msgq_queue *queue);

/* INVALID_VALUE: no such consumer, or one that does not take so much; AGAIN: it has nothing posted. */
doca_error_t msgq_queue_send(struct msgq_queue *queue, uint32_t producer_id, const uint8_t *imm, uint32_t imm_len);

/* The next message, NULL for none; it stays until msgq_queue_take. */
static inline const struct msgq_slot *msgq_queue_peek(const struct msgq_queue *queue)
{
	uint64_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
	/* Pairs with the release in msgq_queue_send. */
	if (atomic_load_explicit(&queue->arrived, memory_order_acquire) == taken)
		return NULL;
	return msgq_queue_slot(queue, taken);
}

static inline void msgq_queue_take(struct msgq_queue *queue)
{
	uint64_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
	/* The slot may be posted anew. */
	atomic_store_explicit(&queue->taken, taken + 1, memory_order_release);
}

#endif
