/* The memory that the two ends of a connection share: a sealed memfd, made by the client (base/shm_file.h).
 *
 * Where a program of Comch is at the other end, it is that of Comch's connections (base/shm_sides.h), of which this
 * library uses the message rings. Between endpoints:
 *
 *   0         struct channel_control   one half for each side: how far its rings are, and what it sleeps for
 *   64 KiB    the ring towards the client, then the ring towards the service: messages as records of variable length,
 *             each a struct shm_record (base/shm_messages.h) and the bytes behind it
 *
 * A ring has room for the sender's send queue and the receiver's receive queue together. A message is written to it
 * once. It is in flight while as many messages as the receive queue holds are before it, and not from then on: so it
 * gets on without anything being done for it.
 *
 * There are no pointers in it, only counters that never run backwards. Whatever the peer has written is checked before
 * it is used. */
#ifndef EMU_CHANNEL_MEMORY_H
#define EMU_CHANNEL_MEMORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/asleep.h"
#include "base/shm_file.h"
#include "base/shm_map.h"
#include "base/shm_messages.h"
#include "base/shm_sides.h"
#include "doca_error.h"

/* Messages of a send queue, and of a receive queue. */
#define CHANNEL_MAX_QUEUE 8192u
#define CHANNEL_MAX_MSG_SIZE UINT16_MAX

/* One half. "The side" is the one that writes it. */
struct channel_half {
	/* The ring towards the peer: bytes written, after the messages. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t tail;
	/* The count of bytes at which that ring's first byte stands; changes while the ring is empty, before `tail`. */
	_Atomic uint64_t start;
	/* Messages written; before `tail`. */
	_Atomic uint64_t sent;
	/* The ring towards the side: bytes and messages taken out, in this order. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t head;
	_Atomic uint64_t taken;
	/* 1: the side has disconnected, and sends nothing more. Of its messages those from `end` on were given up. */
	alignas(SHM_CACHE_LINE) _Atomic uint32_t closed;
	_Atomic uint64_t end;
	/* What the side is to be woken for: a message; a message of its own that is not in flight any more. The side
	 * sets them, the peer clears the one that it wakes the side for. */
	alignas(SHM_CACHE_LINE) shm_asleep armed_recv;
	shm_asleep armed_send;
};

struct channel_control {
	struct channel_half half[SHM_SIDES];
};

#define CHANNEL_CONTROL_BYTES SHM_ROUND_PAGE(sizeof(struct channel_control))

/* The largest ring: both queues and one message, of the greatest sizes. */
#define CHANNEL_RING_MAX_BYTES (UINT64_C(2) << 30)
#define CHANNEL_RING_OFFSET(side) (CHANNEL_CONTROL_BYTES + (uint64_t)(side)*CHANNEL_RING_MAX_BYTES)
#define CHANNEL_FILE_BYTES CHANNEL_RING_OFFSET(SHM_SIDES)

_Static_assert((2 * CHANNEL_MAX_QUEUE + 1) * (UINT64_C(65536) + SHM_RECORD_ALIGN) <= CHANNEL_RING_MAX_BYTES,
	       "the largest queues fit a ring");

struct channel_map {
	struct shm_mapping base;
	uint8_t *rings[SHM_SIDES]; /* towards that side */
	uint64_t ring_bytes[SHM_SIDES];
	bool comch;
	_Atomic uint64_t unread[SHM_SIDES]; /* for what a side writes, and Comch has no word for */
};

/* The words of one half, in either kind of memory. */
struct channel_words {
	_Atomic uint64_t *tail, *start, *sent, *head, *taken, *end;
	_Atomic uint32_t *closed;
	shm_asleep *armed_recv, *armed_send;
	_Atomic uint64_t *bell; /* a server's, which a client of Comch looks at (base/shm_control.h); NULL */
};

/* `own`: of the side that this is; of the other, what Comch has no word for reads as UINT64_MAX: all has been sent, and
 * nothing was given up. */
void channel_memory_words(struct channel_map *map, enum shm_side side, bool own, struct channel_words *words);

/* A new memory, of Comch's kind or this library's; the caller holds one reference. */
doca_error_t channel_memory_create(bool comch, struct channel_map **map);

/* Memory received from a peer, after a check. Takes `fd` over. */
doca_error_t channel_memory_attach(int fd, bool comch, struct channel_map **map);

void channel_memory_release(struct channel_map *map);

/* Maps the ring towards `side`. INVALID_VALUE: there is no such ring in Comch's memory. */
doca_error_t channel_memory_map_ring(struct channel_map *map, enum shm_side side, uint64_t bytes);

/* The size of a ring for so many messages: a power of two. */
uint64_t channel_ring_bytes(uint32_t messages, uint32_t max_msg_size);

/* What a message takes in a ring. */
static inline uint64_t channel_record_bytes(uint32_t len)
{
	return sizeof(struct shm_record) + ((uint64_t)len + SHM_RECORD_ALIGN - 1) / SHM_RECORD_ALIGN * SHM_RECORD_ALIGN;
}

#endif
