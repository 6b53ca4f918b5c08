/* Large payloads: they come through the pipeline in parts, or are fetched from the producer's memory. */
#include <errno.h>
#include <string.h>

#include "fast/consumer.h"
#include "readings.h"

enum delivery consumer_take_from_pipe(struct doca_comch_consumer *consumer,
				      struct doca_comch_consumer_task_post_recv *task, uint64_t len,
				      doca_error_t *status)
{
	struct shm_region *region = consumer->region;
	uint64_t index = consumer->completed;
	bool wanted = /* guard: pipe-taken-back=1 */ task->base.state != EMU_TASK_CANCELLED;
	if (atomic_load_explicit(&region->pipe_turn, memory_order_relaxed) != index + 1) {
		task->piped = 0;
		atomic_store_explicit(&region->pipe_consumed, shm_pipe_mark(index, 0), memory_order_relaxed);
		/* Tags of marks are short: a mark from before a restart could be taken for this message's. */
		atomic_store_explicit(&region->pipe_produced, shm_pipe_mark(index, 0), memory_order_relaxed);
		/* Pairs with the acquire load in producer_push_through_pipe. */
		atomic_store_explicit(&region->pipe_turn, index + 1, memory_order_release);
	}
	/* A consumer that stops does not wait for the rest. Its producer, which may be writing the rest just now,
	 * notices. */
	bool stops = consumer->ctx.state == DOCA_CTX_STATE_STOPPING;
	uint64_t mark = stops ? atomic_exchange(&region->pipe_produced, SHM_PIPE_CLOSED)
			      : atomic_load_explicit(&region->pipe_produced, memory_order_acquire);
	uint64_t produced = shm_pipe_bytes(mark, index);
	if (/* guard: pipe-more-than-said */ produced > len ||
	    /* guard: pipe-more-than-it-holds */ produced - task->piped > SHM_PIPE_BYTES) {
		*status = DOCA_ERROR_IO_FAILED;
		return DELIVERY_ENDED;
	}
	while (task->piped < produced) {
		uint64_t offset = task->piped % SHM_PIPE_BYTES;
		uint64_t part = produced - task->piped;
		if (part > SHM_PIPE_BYTES - offset)
			part = SHM_PIPE_BYTES - offset;
		if (wanted)
			memcpy(task->dest + task->piped, shm_region_pipe(region) + offset, part);
		task->piped += part;
	}
	atomic_store_explicit(&region->pipe_consumed, shm_pipe_mark(index, task->piped), memory_order_release);
	connection_wake_peer(consumer->connection, &consumer->connection->peer->asleep_for_transfers);
	if (task->piped < len && stops)
		*status = READING_FLUSHED_TASK;
	return task->piped == len || stops ? DELIVERY_ENDED : DELIVERY_GOES_ON;
}

bool consumer_end_offer(struct doca_comch_consumer *consumer, uint64_t index, enum shm_offer_state from)
{
	struct shm_offer *offer = offer_of(consumer, index);
	uint64_t ticket = read_once(offer->ticket);
	uint32_t place = read_once(offer->place);
	if (!shm_offer_move(offer, index, from, SHM_OFFER_FETCHED))
		return false;
	connection_wake_peer(consumer->connection, &consumer->connection->peer->asleep_for_transfers);
	if (/* guard: offer-place */ place >= SHM_PRODUCER_PLACES)
		return true; /* a place that does not exist: the producer finds the state of its offer only */
	/* Only to a later ticket: another consumer may have fetched the producer's next payload meanwhile. */
	_Atomic uint64_t *fetched = &consumer->connection->own->fetched[place];
	uint64_t before = atomic_load_explicit(fetched, memory_order_relaxed);
	while (before < ticket && !atomic_compare_exchange_weak_explicit(fetched, &before, ticket, memory_order_release,
									 memory_order_relaxed))
		;
	return true;
}

enum delivery consumer_fetch(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			     uint64_t len)
{
	uint64_t index = consumer->completed;
	struct shm_offer *offer = offer_of(consumer, index);
	if (shm_offer_move(offer, index, SHM_OFFER_OPEN, SHM_OFFER_TAKEN)) {
		uint64_t source = read_once(offer->addr);
		bool done = task->base.state == EMU_TASK_CANCELLED ||
			    connection_read_peer(consumer->connection, task->dest, source, len);
		/* A producer that has withdrawn its offer may have done anything to that memory meanwhile. */
		if (done && consumer_end_offer(consumer, index, SHM_OFFER_TAKEN))
			return DELIVERY_ENDED;
		/* A process that dies loses its memory before it loses its socket. */
		bool died = !done && errno == ESRCH;
		(void)shm_offer_move(offer, index, SHM_OFFER_TAKEN, died ? SHM_OFFER_OPEN : SHM_OFFER_WITHDRAWN);
		return died ? DELIVERY_GOES_ON : DELIVERY_OF_NOTHING;
	}
	switch (shm_offer_state(offer, index)) {
	case SHM_OFFER_KEPT:
		return DELIVERY_GOES_ON;
	case SHM_OFFER_PLACED:
	case SHM_OFFER_FETCHED:
		return DELIVERY_ENDED;
	case SHM_OFFER_OPEN:
	case SHM_OFFER_TAKEN:
	case SHM_OFFER_WITHDRAWN:
	case SHM_OFFER_FOREIGN:
	default:
		return DELIVERY_OF_NOTHING;
	}
}
