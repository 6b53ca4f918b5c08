#include "channel/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "export.h"

doca_error_t ring_out_send(struct ring_out *ring, const void *message, uint32_t len, uint64_t arrival)
{
	uint64_t sent = atomic_load_explicit(&ring->sent, memory_order_relaxed);
	/* Pair with the release stores in ring_in_take: the peer has copied what was there. */
	uint64_t taken = atomic_load_explicit(ring->peer.taken, memory_order_acquire);
	uint64_t head = atomic_load_explicit(ring->peer.head, memory_order_acquire);
	/* Without the first and the last there would be no room below, and endpoint_send breaks with a peer that says
	 * so of queues that are not full. */
	if (taken > sent || /* guard: channel-head-ahead */ head > ring->tail || ring->tail - head > ring->size)
		return DOCA_ERROR_NOT_CONNECTED;
	if (sent - taken >= (uint64_t)ring->send_queue + ring->recv_queue)
		return DOCA_ERROR_AGAIN;
	uint64_t offset = (ring->tail - ring->start) & (ring->size - 1);
	if (head == ring->tail && offset >= SHM_RING_RESTART_BYTES) {
		/* The ring is empty: back to its beginning, rather than touch all of its pages in the course of time.
		 * The receiver sees this with the tail. */
		ring->start = ring->tail;
		atomic_store_explicit(ring->own.start, ring->start, memory_order_relaxed);
		offset = 0;
	}
	uint64_t to_end = ring->size - offset;
	uint64_t bytes = channel_record_bytes(len);
	uint64_t filler = bytes > to_end ? to_end : 0;
	if (ring->tail + filler + bytes - head > ring->size)
		return DOCA_ERROR_AGAIN; /* only with a peer that tells less than it has taken */
	if (filler > 0) {
		*(struct shm_record *)(ring->bytes + offset) = (struct shm_record){.len = SHM_RECORD_WRAP};
		offset = 0;
	}
	struct shm_record *record = (struct shm_record *)(ring->bytes + offset);
	*record = (struct shm_record){.len = len, .arrival = arrival};
	memcpy(record + 1, message, len);
	ring->tail += filler + bytes;
	uint64_t *arrivals = atomic_load_explicit(&ring->arrivals, memory_order_relaxed);
	if (EMU_UNLIKELY(arrivals != NULL))
		arrivals[sent & ring->arrivals_mask] = ring->latest_arrival =
			arrival > ring->latest_arrival ? arrival : ring->latest_arrival;
	/* Release: for threads that arm, which look up the time of arrival. */
	atomic_store_explicit(&ring->sent, sent + 1, memory_order_release);
	atomic_store_explicit(ring->own.sent, sent + 1, memory_order_relaxed);
	/* Pairs with the loads in ring_in_look and ring_in_has_any. In one order with the words of those who are armed
	 * (events.h), as is `taken` below. */
	atomic_store(ring->own.tail, ring->tail);
	return DOCA_SUCCESS;
}

void ring_out_slow_down(struct ring_out *ring)
{
	if (atomic_load_explicit(&ring->arrivals, memory_order_relaxed) != NULL)
		return;
	uint32_t places = round_up_pow2(ring->send_queue + ring->recv_queue);
	uint64_t *arrivals = calloc(places, sizeof(*arrivals)); /* what was sent before is there */
	ring->arrivals_mask = places - 1;
	atomic_store_explicit(&ring->arrivals, arrivals, memory_order_release);
}

void ring_out_release(struct ring_out *ring)
{
	free(atomic_exchange(&ring->arrivals, NULL));
}

/* How many of the messages are there, of which the peer has taken so many. */
static uint64_t count_arrived(struct ring_out *ring, const uint64_t *arrivals, uint64_t taken, uint64_t sent)
{
	uint64_t arrived = atomic_load_explicit(&ring->arrived, memory_order_relaxed), now = now_ns();
	if (arrived < taken)
		arrived = taken;
	while (arrived < sent && arrivals[arrived & ring->arrivals_mask] <= now)
		arrived++;
	atomic_store_explicit(&ring->arrived, arrived, memory_order_relaxed);
	return arrived;
}

/* As ring_out_delivered; `placed`: those that have a place, whether they are there or not. */
static uint64_t count_delivered(struct ring_out *ring, const uint64_t *arrivals, uint64_t *placed)
{
	uint64_t taken = atomic_load(ring->peer.taken);
	uint64_t sent = atomic_load_explicit(&ring->sent, memory_order_acquire);
	*placed = taken >= sent || sent - taken <= ring->recv_queue ? sent : taken + ring->recv_queue;
	if (EMU_LIKELY(arrivals == NULL))
		return *placed;
	uint64_t arrived = count_arrived(ring, arrivals, taken < sent ? taken : sent, sent);
	return arrived < *placed ? arrived : *placed;
}

uint64_t ring_out_delivered(struct ring_out *ring)
{
	uint64_t placed;
	return count_delivered(ring, atomic_load_explicit(&ring->arrivals, memory_order_acquire), &placed);
}

uint64_t ring_out_next_arrival(struct ring_out *ring)
{
	const uint64_t *arrivals = atomic_load_explicit(&ring->arrivals, memory_order_acquire);
	if (EMU_LIKELY(arrivals == NULL))
		return UINT64_MAX;
	uint64_t placed, delivered = count_delivered(ring, arrivals, &placed);
	return delivered < placed ? arrivals[delivered & ring->arrivals_mask] : UINT64_MAX;
}

/* Whether the sender has given up the next message and all behind it. */
static bool given_up(const struct ring_in *ring)
{
	return atomic_load_explicit(ring->peer.closed, memory_order_acquire) != 0 &&
	       atomic_load_explicit(&ring->taken, memory_order_relaxed) >=
		       atomic_load_explicit(ring->peer.end, memory_order_relaxed);
}

bool ring_in_has_any(const struct ring_in *ring)
{
	return atomic_load(ring->peer.tail) != atomic_load_explicit(&ring->head, memory_order_relaxed) &&
	       !given_up(ring);
}

doca_error_t ring_in_look(struct ring_in *ring)
{
	/* Pairs with the release store in ring_out_send. */
	uint64_t tail = atomic_load_explicit(ring->peer.tail, memory_order_acquire);
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	/* It changes only while the ring is empty; a peer that does otherwise garbles its own messages. */
	uint64_t start = atomic_load_explicit(ring->peer.start, memory_order_relaxed);
	/* guard: channel-ring-start */ start &= ~(SHM_RECORD_ALIGN - 1);
	if (tail == head || given_up(ring))
		return DOCA_ERROR_AGAIN;
	uint64_t available = tail - head;
	if (/* guard: channel-tail-far */ available > ring->size ||
	    /* guard: channel-tail-align */ available % SHM_RECORD_ALIGN != 0)
		return DOCA_ERROR_NOT_CONNECTED;
	uint64_t offset = (head - start) & (ring->size - 1);
	const struct shm_record *record = (const struct shm_record *)(ring->bytes + offset);
	uint32_t len = read_once(record->len);
	if (len == SHM_RECORD_WRAP) {
		uint64_t filler = ring->size - offset;
		/* A sender writes filler and message at once. */
		if (/* guard: channel-filler-without-end */ filler + sizeof(struct shm_record) > available)
			return DOCA_ERROR_NOT_CONNECTED;
		atomic_store_explicit(&ring->head, head + filler, memory_order_relaxed);
		available -= filler;
		offset = 0;
		record = (const struct shm_record *)ring->bytes;
		len = read_once(record->len);
	}
	uint64_t bytes = channel_record_bytes(len);
	if (/* guard: channel-message-empty */ len == 0 ||
	    /* guard: channel-message-length */ len > ring->max_msg_size ||
	    /* guard: channel-message-without-end */ bytes > available ||
	    /* guard: channel-message-over-end */ bytes > ring->size - offset)
		return DOCA_ERROR_NOT_CONNECTED;
	ring->known = true;
	ring->len = len;
	ring->offset = offset;
	ring->arrival = read_once(record->arrival);
	return DOCA_SUCCESS;
}

void ring_in_take(struct ring_in *ring, void *message)
{
	memcpy(message, ring->bytes + ring->offset + sizeof(struct shm_record), ring->len);
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed) + channel_record_bytes(ring->len);
	uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed) + 1;
	ring->known = false;
	atomic_store_explicit(&ring->taken, taken, memory_order_relaxed);
	atomic_store_explicit(&ring->travelling, 0, memory_order_relaxed);
	atomic_store_explicit(&ring->head, head, memory_order_relaxed);
	/* Pair with the loads in ring_out_send. */
	atomic_store_explicit(ring->own.head, head, memory_order_release);
	atomic_store(ring->own.taken, taken);
}

bool ring_in_ended_a_flight(const struct ring_in *ring)
{
	uint64_t sent = atomic_load_explicit(ring->peer.sent, memory_order_relaxed);
	return sent - (atomic_load_explicit(&ring->taken, memory_order_relaxed) - 1) > ring->recv_queue;
}
