/* Large payloads: they go through the pipeline in parts, or are offered to the consumer, which fetches them. */
#include <string.h>

#include "base/clock.h"
#include "base/faults.h"
#include "fast/producer.h"
#include "readings.h"

/* Payloads go through the pipeline in parts, so that producer and consumer copy at the same time. */
#define PIPE_PART_BYTES (128u << 10)

/* A consumer that does not fetch the payload in time may be waiting for something else: then the producer writes it. */
#define FETCH_PATIENCE_MS 2

static struct shm_region *region_of(const struct doca_comch_producer *producer,
				    const struct doca_comch_producer_task_send *task)
{
	return shm_map_region(producer->connection->map, shm_other(producer->connection->side), task->slot);
}

static struct shm_offer *offer_of(const struct doca_comch_producer *producer,
				  const struct doca_comch_producer_task_send *task)
{
	return &shm_region_offers(region_of(producer, task))[task->index & (task->capacity - 1)];
}

/* The error of a task whose consumer has stopped in the middle of it; SUCCESS: the consumer is still running. */
static doca_error_t consumer_gone(const struct doca_comch_producer *producer,
				  const struct doca_comch_producer_task_send *task)
{
	if (atomic_load_explicit(&producer->connection->lost, memory_order_acquire))
		return READING_FLUSHED_TASK;
	return directory_entry(producer, task->slot) == task->entry ? DOCA_SUCCESS : READING_CONSUMER_GONE;
}

/* ---- offers ---- */

static void make_offer(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task)
{
	struct shm_offer *offer = offer_of(producer, task);
	producer->ticket = atomic_fetch_add_explicit(&producer->connection->offers_made, 1, memory_order_relaxed) + 1;
	offer->addr = (uint64_t)(uintptr_t)task->source;
	offer->ticket = producer->ticket;
	offer->place = producer->place;
	/* The consumer sees it once the slot is published. Release: another producer whose offer this one replaces
	 * sees that its own was fetched; pairs with the acquire load in shm_offer_state. */
	atomic_store_explicit(&offer->state, shm_offer_mark(task->index, SHM_OFFER_OPEN), memory_order_release);
	producer->offered = task;
	producer->offered_until_ms = now_ms() + FETCH_PATIENCE_MS;
}

/* How far the consumer is. A payload that it has fetched is known as such also when the place of the offer has been
 * used again or its page given back. */
static enum shm_offer_state state_of_offer(const struct doca_comch_producer *producer)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	enum shm_offer_state state = shm_offer_state(offer_of(producer, task), task->index);
	if (state != SHM_OFFER_FOREIGN)
		return state;
	/* Pairs with the release in consumer_end_offer. */
	const struct shm_half *peer = producer->connection->peer;
	uint64_t fetched = atomic_load_explicit(&peer->fetched[producer->place], memory_order_acquire);
	return fetched == producer->ticket ? SHM_OFFER_FETCHED : SHM_OFFER_FOREIGN;
}

static void settle_offer(struct doca_comch_producer *producer, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = producer->offered;
	producer->offered = NULL;
	task_fifo_end(&producer->done, &task->base, status);
}

void producer_withdraw_offer(struct doca_comch_producer *producer, doca_error_t status)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	struct shm_offer *offer = offer_of(producer, task);
	bool withdrawn = shm_offer_move(offer, task->index, SHM_OFFER_OPEN, SHM_OFFER_WITHDRAWN) ||
			 /* guard: offer-taken-withdrawn */ shm_offer_move(offer, task->index, SHM_OFFER_TAKEN,
									   SHM_OFFER_WITHDRAWN);
	bool fetched = !withdrawn && state_of_offer(producer) == SHM_OFFER_FETCHED;
	settle_offer(producer, fetched ? DOCA_SUCCESS : status);
}

/* Writes the payload to the posted buffer, if the consumer has not begun to fetch it. */
static void keep_offer(struct doca_comch_producer *producer)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	struct shm_region *region = region_of(producer, task);
	struct shm_offer *offer = offer_of(producer, task);
	uint64_t dest = shm_region_posts(region)[task->index & (task->capacity - 1)].addr;
	if (!shm_offer_move(offer, task->index, SHM_OFFER_OPEN, SHM_OFFER_KEPT))
		return;
	bool placed = connection_write_peer(producer->connection, dest, task->source, task->len);
	(void)shm_offer_move(offer, task->index, SHM_OFFER_KEPT, placed ? SHM_OFFER_PLACED : SHM_OFFER_WITHDRAWN);
	connection_wake_peer(producer->connection, &region->asleep);
	settle_offer(producer, placed ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
}

bool producer_end_offer(struct doca_comch_producer *producer)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	enum shm_offer_state state = state_of_offer(producer);
	doca_error_t gone = consumer_gone(producer, task);
	if (state != SHM_OFFER_FETCHED && gone != DOCA_SUCCESS) {
		producer_withdraw_offer(producer, gone);
		return true;
	}
	switch (state) {
	case SHM_OFFER_OPEN:
		if (now_ms() > producer->offered_until_ms)
			keep_offer(producer);
		break;
	case SHM_OFFER_TAKEN: /* the consumer copies */
		if (producer_waits_in_vain(producer))
			producer_withdraw_offer(producer, READING_FLUSHED_TASK);
		break;
	case SHM_OFFER_FETCHED:
		settle_offer(producer, DOCA_SUCCESS);
		break;
	case SHM_OFFER_KEPT:
	case SHM_OFFER_PLACED:
	case SHM_OFFER_WITHDRAWN:
	case SHM_OFFER_FOREIGN:
	default:
		settle_offer(producer, DOCA_ERROR_IO_FAILED);
		break;
	}
	return producer->offered == NULL;
}

/* ---- the pipeline ---- */

static void enqueue_piped(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task)
{
	task->next_piped = NULL;
	if (producer->piped_first == NULL)
		producer->piped_first = task;
	else
		producer->piped_last->next_piped = task;
	producer->piped_last = task;
}

/* Ends the oldest piped task's stay in the pipeline. */
static void leave_pipe(struct doca_comch_producer *producer, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = producer->piped_first;
	producer->piped_first = task->next_piped;
	task_fifo_end(&producer->done, &task->base, status);
}

/* The consumer looks at the slot again before each part. The pipeline's counters are not touched: they may be about
 * another producer's message. */
static void abort_pipe(struct doca_comch_producer *producer, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = producer->piped_first;
	if (directory_entry(producer, task->slot) == task->entry) {
		struct shm_region *region = region_of(producer, task);
		struct shm_slot *slot = &shm_region_slots(region)[task->index & shm_slot_mask(task->capacity)];
		*(volatile uint8_t *)&slot->payload = SHM_PAYLOAD_FAILED;
		connection_wake_peer(producer->connection, &region->asleep);
	}
	leave_pipe(producer, status);
}

/* The consumer has no room for the next part. True when it never will: the task has ended then. */
static bool give_up_piped(struct doca_comch_producer *producer)
{
	if (!producer_waits_in_vain(producer))
		return false;
	leave_pipe(producer, READING_FLUSHED_TASK);
	return true;
}

bool producer_push_through_pipe(struct doca_comch_producer *producer)
{
	struct doca_comch_producer_task_send *task = producer->piped_first;
	doca_error_t gone = consumer_gone(producer, task);
	if (gone != DOCA_SUCCESS) {
		leave_pipe(producer, gone);
		return true;
	}
	if (task->base.state == EMU_TASK_CANCELLED) {
		/* Its memory may have been freed, and half a message is of no use. */
		abort_pipe(producer, READING_FLUSHED_TASK);
		return true;
	}
	struct shm_region *region = region_of(producer, task);
	/* Pairs with the release store in consumer_take_from_pipe. */
	if (atomic_load_explicit(&region->pipe_turn, memory_order_acquire) != task->index + 1)
		return give_up_piped(producer);
	uint64_t mark = atomic_load_explicit(&region->pipe_consumed, memory_order_acquire);
	uint64_t consumed = shm_pipe_bytes(mark, task->index);
	if (/* guard: pipe-consumed */ task->piped - consumed > SHM_PIPE_BYTES) {
		leave_pipe(producer, DOCA_ERROR_IO_FAILED);
		return true;
	}
	uint64_t offset = task->piped % SHM_PIPE_BYTES;
	uint64_t part = task->len - task->piped;
	if (part > SHM_PIPE_BYTES - (task->piped - consumed))
		part = SHM_PIPE_BYTES - (task->piped - consumed);
	if (part > SHM_PIPE_BYTES - offset)
		part = SHM_PIPE_BYTES - offset;
	if (part > PIPE_PART_BYTES)
		part = PIPE_PART_BYTES;
	if (part == 0)
		return give_up_piped(producer);
	if (task->source == NULL)
		producer_gather(shm_region_pipe(region) + offset, producer_list_of(producer, task), task->piped, part);
	else
		memcpy(shm_region_pipe(region) + offset, task->source + task->piped, part);
	uint64_t written = shm_pipe_mark(task->index, task->piped);
	task->piped += part;
	if (!atomic_compare_exchange_strong(&region->pipe_produced, &written,
					    shm_pipe_mark(task->index, task->piped))) {
		/* The consumer has stopped meanwhile; one that still runs breaks the protocol. */
		gone = consumer_gone(producer, task);
		leave_pipe(producer, gone == DOCA_SUCCESS ? DOCA_ERROR_IO_FAILED : gone);
		return true;
	}
	connection_wake_peer(producer->connection, &region->asleep);
	if (task->piped == task->len)
		leave_pipe(producer, DOCA_SUCCESS);
	return true;
}

/* Whether the oldest piped message has to wait for the consumer. */
static bool pipe_waits(const struct doca_comch_producer *producer)
{
	const struct doca_comch_producer_task_send *task = producer->piped_first;
	if (consumer_gone(producer, task) != DOCA_SUCCESS || task->base.state == EMU_TASK_CANCELLED)
		return false;
	const struct shm_region *region = region_of(producer, task);
	if (atomic_load_explicit(&region->pipe_turn, memory_order_acquire) != task->index + 1)
		return true;
	uint64_t mark = atomic_load_explicit(&region->pipe_consumed, memory_order_acquire);
	return task->piped - shm_pipe_bytes(mark, task->index) == SHM_PIPE_BYTES;
}

/* ---- both ---- */

uint64_t producer_transfers_due_in(const struct doca_comch_producer *producer)
{
	if (producer->piped_first != NULL && !pipe_waits(producer))
		return 0;
	if (producer->offered != NULL) {
		enum shm_offer_state state = state_of_offer(producer);
		bool waits = consumer_gone(producer, producer->offered) == DOCA_SUCCESS &&
			     (state == SHM_OFFER_TAKEN ||
			      (state == SHM_OFFER_OPEN && now_ms() <= producer->offered_until_ms));
		if (!waits)
			return 0;
	}
	if (producer->travelling_first != NULL) {
		uint64_t left = fault_travel_left(producer->travelling_first->arrival);
		return left < READING_NOTIFY_POLL_NS ? left : READING_NOTIFY_POLL_NS;
	}
	/* The consumer wakes the program; and the producer looks now and then whether the peer is still there. */
	bool any = producer->piped_first != NULL || producer->offered != NULL;
	return any ? READING_NOTIFY_POLL_NS : EMU_NEVER;
}

void producer_begin_transfer(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
			     const struct consumer_view *view, enum shm_payload payload)
{
	task->slot = view->slot;
	task->capacity = view->capacity;
	task->entry = view->entry;
	task->piped = 0;
	if (payload == SHM_PAYLOAD_PIPE)
		enqueue_piped(producer, task);
	else
		make_offer(producer, task);
}

void producer_flush_transfers(struct doca_comch_producer *producer)
{
	if (producer->offered != NULL)
		producer_withdraw_offer(producer, READING_FLUSHED_TASK);
	while (producer->piped_first != NULL)
		abort_pipe(producer, READING_FLUSHED_TASK);
}

/* ---- a slowed device ---- */

void producer_let_travel(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
			 const struct consumer_view *view, uint64_t arrival)
{
	task->slot = view->slot;
	task->entry = view->entry;
	task->arrival = arrival;
	task->next_piped = NULL;
	if (producer->travelling_first == NULL)
		producer->travelling_first = task;
	else
		producer->travelling_last->next_piped = task;
	producer->travelling_last = task;
}

/* SUCCESS: it has arrived; AGAIN: it travels. What the consumer has stopped for is decided by the time at which it did,
 * so that both ends agree. */
static doca_error_t journey_of(const struct doca_comch_producer *producer,
			       const struct doca_comch_producer_task_send *task)
{
	if (atomic_load_explicit(&producer->connection->lost, memory_order_acquire))
		return READING_FLUSHED_TASK;
	uint64_t closed_at = atomic_load(&region_of(producer, task)->closed_at);
	bool same = directory_entry(producer, task->slot) == task->entry;
	if (closed_at == 0 && same)
		return fault_still_travelling(task->arrival) ? DOCA_ERROR_AGAIN : DOCA_SUCCESS;
	/* Started again meanwhile: the time of its end is not known any more. */
	if (closed_at == 0)
		return READING_CONSUMER_GONE;
	return task->arrival <= closed_at ? DOCA_SUCCESS : READING_CONSUMER_GONE;
}

void producer_end_travels(struct doca_comch_producer *producer)
{
	while (producer->travelling_first != NULL) {
		struct doca_comch_producer_task_send *task = producer->travelling_first;
		doca_error_t status = journey_of(producer, task);
		if (status == DOCA_ERROR_AGAIN)
			return;
		producer->travelling_first = task->next_piped;
		task_fifo_end(&producer->done, &task->base, status);
	}
}
