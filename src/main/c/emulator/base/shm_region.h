/* The region of a consumer slot: the fast path to one consumer.
 *
 *   header    struct shm_region         counters of consumer and producers
 *   posts     struct shm_post[]         posted buffers, by index % capacity: the consumer writes them
 *   slots     struct shm_slot[]         completions: each is written by the producer that claimed it
 *   offers    struct shm_offer[]        payloads that the consumer may fetch, by index % capacity
 *   packed    SHM_PACKED_BYTES          the packed area: small payloads of dense traffic, those of one size together
 *   pipe      SHM_PIPE_BYTES            the pipeline: parts of one large payload
 *   eager     shm_eager_bytes() each    payloads that are too long for a slot, by index % capacity
 *
 * The producers write packed, pipe and eager; the consumer reads them. */
#ifndef EMU_SHM_REGION_H
#define EMU_SHM_REGION_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/asleep.h"
#include "base/shm_sides.h"
#include "topology/limits.h"

#define SHM_MAX_POSTS 8192u
#define SHM_SLOT_BYTES 128u
/* Slots are used in turns, many more than buffers are posted: when the producer comes back to one, its cache lines
 * have left the consumer's own caches (2 MiB are twice a usual second cache), and need not be taken from there. With
 * few buffers producer and consumer wait for each other at each turn, and slots that stay in the first caches are
 * faster. */
#define SHM_SLOTS 16384u
#define SHM_FEW_POSTS 32u
#define SHM_INLINE_BYTES 96u
/* In dense traffic, payloads that are a little too long for a slot go through the packed area, for the same reason.
 * Each size of places, powers of two, has a part of it, in which the places are used in turns, as the slots are. The
 * posted buffers need half of a part's places at most (shm_packed_limit), so that each has its own. */
#define SHM_PACKED_PART ((size_t)2 << 20)
#define SHM_PACKED_LEAST_SHIFT 7u
#define SHM_PACKED_MOST_SHIFT 12u
#define SHM_PACKED_PAYLOAD_MAX (1u << SHM_PACKED_MOST_SHIFT)
#define SHM_PACKED_BYTES ((SHM_PACKED_MOST_SHIFT - SHM_PACKED_LEAST_SHIFT + 1) * SHM_PACKED_PART)
#define SHM_PIPE_BYTES (1u << 20)

/* Set in `claimed` by the consumer when it stops: no producer claims after it. */
#define SHM_CLAIM_CLOSED (UINT64_C(1) << 63)

/* The counters of each start of a consumer in a region have a range of their own, so that a producer that was held
 * up cannot mistake a new consumer's buffers for an old one's. */
#define SHM_INCARNATION (UINT64_C(1) << 44)

/* `room` of a posted buffer that its owner has taken back. */
#define SHM_ROOM_REVOKED UINT64_MAX

struct shm_region {
	/* Consumer, before it is announced. Release stores; a producer that reads one of a later start finds the
	 * directory entry changed when it looks again (open_view). */
	_Atomic uint32_t capacity;    /* posted buffers, a power of two */
	_Atomic uint32_t eager_bytes; /* per slot */
	_Atomic uint32_t max_imm_len;
	_Atomic uint32_t can_fetch; /* 1: the consumer can read the producers' memory */
	_Atomic uint64_t base;      /* where the counters of this start of the consumer begin */
	/* Consumer: payloads shorter than this fit every buffer posted since this start, so that a producer need not
	 * look at each; 0 once a buffer was taken back. */
	_Atomic uint64_t fits_below;
	/* Consumer: its engine sleeps (asleep.h). On a line that a producer reads for each payload. */
	shm_asleep asleep;
	/* Consumer: when it stopped, on the monotonic clock in ns: what arrives later is not received. Before
	 * SHM_CLAIM_CLOSED; 0: it has not. */
	_Atomic uint64_t closed_at;
	/* Consumer: buffers posted so far. Release store; pairs with the acquire load in the producer's claim. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t posted;
	/* Producers: buffers claimed so far, by compare-and-swap; the consumer only adds SHM_CLAIM_CLOSED. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t claimed;
	/* Pipeline for payloads that neither fit a slot nor can be written directly; one message at a time.
	 * Consumer: index + 1 of the message whose turn it is, and how much of it has been taken. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t pipe_turn;
	_Atomic uint64_t pipe_consumed; /* shm_pipe_mark */
	/* The producer of that message: how much of it has been written, by compare-and-swap from what it wrote
	 * before. The consumer sets it to none before the message's turn, and to SHM_PIPE_CLOSED when it stops in
	 * the middle: then either all has been written, or never will be. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t pipe_produced; /* shm_pipe_mark */
};

/* Progress of one message through the pipeline; the tag distinguishes it from marks of earlier messages. */
#define SHM_PIPE_MARK_BYTES ((UINT64_C(1) << 40) - 1)

static inline uint64_t shm_pipe_mark(uint64_t index, uint64_t bytes)
{
	return (index + 1) << 40 | bytes;
}

/* `pipe_produced` of a message of which no more is taken; no mark that a producer writes. */
#define SHM_PIPE_CLOSED UINT64_MAX

/* The bytes of a mark of message `index`; 0 for any other message's. */
static inline uint64_t shm_pipe_bytes(uint64_t mark, uint64_t index)
{
	return mark >> 40 == ((index + 1) & 0xffffffu) ? mark & SHM_PIPE_MARK_BYTES : 0;
}

struct shm_post {              /* the consumer, before it advances `posted` */
	uint64_t addr;         /* in the consumer's process */
	_Atomic uint64_t room; /* bytes that fit */
};

enum shm_payload {
	SHM_PAYLOAD_PLACED = 0, /* already in the posted buffer */
	SHM_PAYLOAD_INLINE,     /* in the slot, behind the immediate data */
	SHM_PAYLOAD_EAGER,      /* in the slot's eager area */
	SHM_PAYLOAD_PIPE,       /* comes through the pipeline */
	SHM_PAYLOAD_SKIPPED,    /* the buffer was taken back; nothing was sent */
	SHM_PAYLOAD_FAILED,     /* the sender failed half-way */
	SHM_PAYLOAD_FETCH,      /* the consumer reads it from the producer's memory */
	SHM_PAYLOAD_PACKED,     /* in the packed area */
};

struct shm_slot { /* the producer that claimed the posted buffer of this index */
	/* Index + 1 once the slot is filled. Release store; pairs with the acquire load in complete_oldest. */
	_Atomic uint64_t ready;
	uint32_t len;
	uint32_t producer_id;
	uint8_t payload; /* enum shm_payload */
	uint8_t imm_len;
	uint8_t reserved[6];
	uint64_t arrival;                /* as in struct shm_record */
	uint8_t bytes[SHM_INLINE_BYTES]; /* immediate data, then an inline payload */
};

/* A payload that the consumer may fetch. The state belongs to one message (shm_offer_mark) and leaves OPEN by
 * compare-and-swap, so that either the producer or the consumer copies. It stays until the place of the posted
 * buffer is used again or the consumer is destroyed, which may be before the producer looks: that it was fetched
 * also stands in `fetched` of the consumer's half (shm_control.h). */
struct shm_offer {       /* the producer that claimed the posted buffer, before it fills the slot */
	uint64_t addr;   /* in the producer's process */
	uint64_t ticket; /* counts the offers of a side of the connection, from 1 */
	uint32_t place;  /* of the producer, in `fetched` */
	uint32_t reserved;
	_Atomic uint64_t state; /* producer and consumer, by compare-and-swap: enum shm_offer_state says who */
};

enum shm_offer_state {
	SHM_OFFER_OPEN,      /* producer: the memory stays as it is */
	SHM_OFFER_TAKEN,     /* consumer: copies, or is about to discard it */
	SHM_OFFER_FETCHED,   /* consumer: all of it has been copied */
	SHM_OFFER_KEPT,      /* producer: writes it to the posted buffer itself */
	SHM_OFFER_PLACED,    /* producer: has done so */
	SHM_OFFER_WITHDRAWN, /* either of them: what has been copied is not valid */
	SHM_OFFER_FOREIGN,   /* never stored: the state is another message's, or none that exists */
};

static inline uint64_t shm_offer_mark(uint64_t index, enum shm_offer_state state)
{
	return (index + 1) << 3 | (uint64_t)state;
}

_Static_assert(sizeof(struct shm_slot) == SHM_SLOT_BYTES, "a completion slot is two cache lines");
_Static_assert(sizeof(struct shm_post) == 16, "four posts share a cache line");
_Static_assert(sizeof(struct shm_offer) == 32, "two offers share a cache line");

/* ---- offsets in a region ---- */

#define SHM_REGION_POSTS SHM_PAGE
#define SHM_REGION_SLOTS (SHM_REGION_POSTS + SHM_MAX_POSTS * sizeof(struct shm_post))
#define SHM_REGION_OFFERS (SHM_REGION_SLOTS + SHM_SLOTS * (size_t)SHM_SLOT_BYTES)
#define SHM_REGION_PACKED (SHM_REGION_OFFERS + SHM_MAX_POSTS * sizeof(struct shm_offer))
#define SHM_REGION_PIPE (SHM_REGION_PACKED + SHM_PACKED_BYTES)
#define SHM_REGION_EAGER (SHM_REGION_PIPE + SHM_PIPE_BYTES)
#define SHM_EAGER_MAX_BYTES (UINT64_C(32) << 20)
#define SHM_REGION_BYTES (SHM_REGION_EAGER + SHM_EAGER_MAX_BYTES)

_Static_assert(sizeof(struct shm_region) <= SHM_PAGE, "the region header is one page");
_Static_assert(SHM_REGION_BYTES % SHM_PAGE == 0, "regions are mapped one by one");

/* What a topology may ask for has room here. */
_Static_assert(EMU_BOUND_TASKS <= SHM_MAX_POSTS, "every task can be posted");
_Static_assert(SHM_MAX_POSTS <= SHM_SLOTS, "every posted buffer has a slot");
_Static_assert(EMU_BOUND_IMM_DATA_LEN <= SHM_INLINE_BYTES, "immediate data fit a slot");

static inline struct shm_post *shm_region_posts(struct shm_region *region)
{
	return (struct shm_post *)((uint8_t *)region + SHM_REGION_POSTS);
}

static inline struct shm_slot *shm_region_slots(struct shm_region *region)
{
	return (struct shm_slot *)((uint8_t *)region + SHM_REGION_SLOTS);
}

/* To be applied to the index of a message, for its slot. */
static inline uint64_t shm_slot_mask(uint32_t capacity)
{
	return (capacity <= SHM_FEW_POSTS ? capacity : SHM_SLOTS) - 1;
}

/* The longest payload that goes through the packed area; 0: none does. */
static inline uint32_t shm_packed_limit(uint32_t capacity)
{
	if (capacity <= SHM_FEW_POSTS)
		return 0;
	uint32_t share = (uint32_t)(SHM_PACKED_PART / 2) / capacity;
	return share < SHM_PACKED_PAYLOAD_MAX ? share : SHM_PACKED_PAYLOAD_MAX;
}

/* The place of a payload of message `index`, of SHM_PACKED_PAYLOAD_MAX bytes at most, in the packed area. */
static inline uint8_t *shm_region_packed(struct shm_region *region, uint64_t index, uint32_t len)
{
	uint32_t shift =
		len <= 1u << SHM_PACKED_LEAST_SHIFT ? SHM_PACKED_LEAST_SHIFT : 32u - (uint32_t)__builtin_clz(len - 1);
	return (uint8_t *)region + SHM_REGION_PACKED + (shift - SHM_PACKED_LEAST_SHIFT) * SHM_PACKED_PART +
	       (index << shift) % SHM_PACKED_PART;
}

static inline struct shm_offer *shm_region_offers(struct shm_region *region)
{
	return (struct shm_offer *)((uint8_t *)region + SHM_REGION_OFFERS);
}

/* Changes the state of message `index`; false when it was not `from`. */
static inline bool shm_offer_move(struct shm_offer *offer, uint64_t index, enum shm_offer_state from,
				  enum shm_offer_state to)
{
	uint64_t expected = shm_offer_mark(index, from);
	return atomic_compare_exchange_strong(&offer->state, &expected, shm_offer_mark(index, to));
}

/* How far the copying of message `index` is. */
static inline enum shm_offer_state shm_offer_state(const struct shm_offer *offer, uint64_t index)
{
	uint64_t mark = atomic_load_explicit(&offer->state, memory_order_acquire);
	uint64_t state = mark - shm_offer_mark(index, SHM_OFFER_OPEN);
	return state < SHM_OFFER_FOREIGN ? (enum shm_offer_state)state : SHM_OFFER_FOREIGN;
}

static inline uint8_t *shm_region_pipe(struct shm_region *region)
{
	return (uint8_t *)region + SHM_REGION_PIPE;
}

static inline uint8_t *shm_region_eager(struct shm_region *region)
{
	return (uint8_t *)region + SHM_REGION_EAGER;
}

/* Bytes of the eager area of each of `capacity` posted buffers: larger where there are few. */
uint32_t shm_eager_bytes(uint32_t capacity);

#endif
