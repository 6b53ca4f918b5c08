/* The two rings of a connection as one of its ends uses them. The endpoint's thread, unless a function says otherwise.
 *
 * NOT_CONNECTED from any of them: the peer has written what cannot be. */
#ifndef EMU_CHANNEL_RING_H
#define EMU_CHANNEL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "channel/channel_memory.h"
#include "doca_error.h"

/* The ring towards the peer. */
struct ring_out {
	uint8_t *bytes;
	uint64_t size;
	struct channel_words own, peer;
	uint64_t tail, start;
	_Atomic uint64_t sent; /* also read by threads that arm */
	uint32_t send_queue;   /* of this end */
	uint32_t recv_queue;   /* of the peer */
	/* Of a slowed device: when each message is there, at its number modulo a power of two. NULL while none has
	 * travelled. */
	_Atomic(uint64_t *) arrivals;
	uint64_t arrivals_mask, latest_arrival;
	_Atomic uint64_t arrived; /* so many messages are known to be there; also written by threads that arm */
};

/* The ring towards this end. */
struct ring_in {
	const uint8_t *bytes;
	uint64_t size;
	struct channel_words own, peer;
	_Atomic uint64_t head, taken; /* also read by threads that arm, as is `travelling` */
	uint32_t recv_queue;          /* of this end */
	uint32_t max_msg_size;
	/* The first message, once ring_in_look has found it. */
	bool known;
	uint32_t len;
	uint64_t offset, arrival;
	/* When the first message arrives, while that is later than now; 0: it has arrived, or nobody has looked. */
	_Atomic uint64_t travelling;
};

/* Writes a message, which arrives at `arrival` (monotonic ns). AGAIN: the send queue is full. */
doca_error_t ring_out_send(struct ring_out *ring, const void *message, uint32_t len, uint64_t arrival);

/* From here on messages travel. Without memory they do not count as in flight meanwhile. */
void ring_out_slow_down(struct ring_out *ring);

/* Messages that are there and have a place in the peer's receive queue, or have been taken from it. Any thread. */
uint64_t ring_out_delivered(struct ring_out *ring);

/* When the first of the others will be there, if it has its place already; otherwise UINT64_MAX. Any thread. */
uint64_t ring_out_next_arrival(struct ring_out *ring);

void ring_out_release(struct ring_out *ring);

/* The others: at most the send queue, whatever the peer says. */
static inline uint64_t ring_out_in_flight(struct ring_out *ring)
{
	uint64_t in_flight = atomic_load_explicit(&ring->sent, memory_order_acquire) - ring_out_delivered(ring);
	return in_flight < ring->send_queue ? in_flight : ring->send_queue;
}

/* Finds the first message. AGAIN: there is none. */
doca_error_t ring_in_look(struct ring_in *ring);

/* Copies the message that ring_in_look has found, and takes it out. */
void ring_in_take(struct ring_in *ring, void *message);

/* After a take: whether it has ended the flight of another message, of which the peer may want to know. */
bool ring_in_ended_a_flight(const struct ring_in *ring);

/* Whether there may be a message; only its sender's word for it. Any thread. */
bool ring_in_has_any(const struct ring_in *ring);

#endif
