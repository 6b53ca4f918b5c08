#include "msgq/queue.h"

#include <stdlib.h>
#include <string.h>

#include "log/sdk_log.h"
#include "readings.h"

#define CACHE_LINE 64u

doca_error_t msgq_queue_open(struct msgq_queue *queue, uint32_t capacity, uint32_t max_imm,
			     void (*notify)(void *consumer), void *consumer)
{
	/* Whole cache lines: producer and consumer work on different slots. */
	size_t stride = (sizeof(struct msgq_slot) + max_imm + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	uint8_t *slots = aligned_alloc(CACHE_LINE, stride * capacity);
	if (slots == NULL)
		return DOCA_ERROR_NO_MEMORY;
	memset(slots, 0, stride * capacity);
	emu_spin_lock(&queue->lock);
	queue->max_imm = max_imm;
	queue->capacity = capacity;
	queue->stride = stride;
	queue->slots = slots;
	queue->notify = notify;
	queue->consumer = consumer;
	atomic_store(&queue->posted, 0);
	atomic_store(&queue->arrived, 0);
	atomic_store(&queue->revoked, 0);
	atomic_store(&queue->taken, 0);
	queue->state = MSGQ_QUEUE_OPEN;
	emu_spin_unlock(&queue->lock);
	return DOCA_SUCCESS;
}

enum msgq_queue_state msgq_queue_get_state(struct msgq_queue *queue)
{
	emu_spin_lock(&queue->lock);
	enum msgq_queue_state state = queue->state;
	emu_spin_unlock(&queue->lock);
	return state;
}

void msgq_queue_set_state(struct msgq_queue *queue, enum msgq_queue_state state)
{
	emu_spin_lock(&queue->lock);
	queue->state = state;
	emu_spin_unlock(&queue->lock);
}

void msgq_queue_close(struct msgq_queue *queue)
{
	emu_spin_lock(&queue->lock);
	queue->state = MSGQ_QUEUE_CLOSED;
	/* It has room for nothing any more. */
	atomic_store(&queue->posted, atomic_load(&queue->arrived));
	atomic_store(&queue->revoked, 0);
	emu_spin_unlock(&queue->lock);
}

void msgq_queue_free_slots(struct msgq_queue *queue)
{
	free(queue->slots);
	queue->slots = NULL;
}

uint32_t msgq_queue_post(struct msgq_queue *queue, uint32_t num)
{
	uint64_t posted = atomic_load(&queue->posted);
	uint64_t room;
	do {
		room = queue->capacity - (posted - atomic_load_explicit(&queue->taken, memory_order_acquire));
		if (/* guard: queue-places */ num > room)
			num = (uint32_t)room;
		/* Pairs with the acquire in msgq_queue_send. */
	} while (!atomic_compare_exchange_weak_explicit(&queue->posted, &posted, posted + num, memory_order_release,
							memory_order_relaxed));
	return num;
}

bool msgq_queue_revoke(struct msgq_queue *queue, uint64_t position)
{
	emu_spin_lock(&queue->lock);
	bool free = position >= atomic_load_explicit(&queue->arrived, memory_order_relaxed);
	if (free) {
		msgq_queue_slot(queue, position)->revoked = true;
		atomic_fetch_add(&queue->revoked, 1);
	}
	emu_spin_unlock(&queue->lock);
	return free;
}

/* With the lock held: goes over positions that were taken back; false: no other one is posted. */
static bool find_posted(struct msgq_queue *queue, uint64_t *position)
{
	uint64_t arrived = atomic_load_explicit(&queue->arrived, memory_order_relaxed);
	uint64_t posted = atomic_load_explicit(&queue->posted, memory_order_acquire);
	while (arrived != posted && msgq_queue_slot(queue, arrived)->revoked) {
		arrived++;
		atomic_fetch_sub(&queue->revoked, 1);
	}
	atomic_store_explicit(&queue->arrived, arrived, memory_order_release);
	*position = arrived;
	return arrived != posted;
}

bool msgq_queue_skip(struct msgq_queue *queue)
{
	uint64_t ignored;
	emu_spin_lock(&queue->lock);
	(void)find_posted(queue, &ignored);
	emu_spin_unlock(&queue->lock);
	const struct msgq_slot *next = msgq_queue_peek(queue);
	if (next == NULL || !next->revoked)
		return false;
	msgq_queue_take(queue);
	return true;
}

int64_t msgq_queue_room(const struct msgq_queue *queue)
{
	uint64_t taken_up = atomic_load(&queue->arrived) + atomic_load(&queue->revoked);
	return (int64_t)(atomic_load(&queue->posted) - taken_up);
}

doca_error_t msgq_queue_send(struct msgq_queue *queue, uint32_t producer_id, const uint8_t *imm, uint32_t imm_len)
{
	doca_error_t result = DOCA_SUCCESS;
	uint64_t position;
	emu_spin_lock(&queue->lock);
	if (EMU_UNLIKELY(/* guard: queue-open */ queue->state != MSGQ_QUEUE_OPEN))
		result = queue->state == MSGQ_QUEUE_CREATED ? READING_CONSUMER_NOT_RUNNING
			 : queue->state == MSGQ_QUEUE_FREE  ? READING_CONSUMER_UNKNOWN
							    : READING_CONSUMER_EXPIRED;
	else if (EMU_UNLIKELY(/* guard: queue-immediate-length */ imm_len > queue->max_imm))
		result = READING_SEND_TOO_LONG;
	else if (/* guard: queue-posted */ !find_posted(queue, &position))
		result = DOCA_ERROR_AGAIN;
	if (result == DOCA_SUCCESS) {
		struct msgq_slot *slot = msgq_queue_slot(queue, position);
		slot->producer_id = producer_id;
		slot->imm_len = (uint16_t)imm_len;
		memcpy(slot->imm, imm, imm_len);
		/* Release: the message. Sequentially consistent: a consumer that arms and then looks sees it, or is
		 * seen as armed. */
		atomic_store(&queue->arrived, position + 1);
		queue->notify(queue->consumer);
	}
	emu_spin_unlock(&queue->lock);
	if (EMU_UNLIKELY(result == DOCA_ERROR_INVALID_VALUE))
		emu_log_reason("the queue's consumer takes less, or has stopped");
	return result;
}
