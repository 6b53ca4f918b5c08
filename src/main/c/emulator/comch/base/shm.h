/* The memory that the two ends of a connection share.
 *
 * One memfd per connection, made and sealed by the client. It is sparse: the offsets below leave room for the
 * largest configuration, pages exist once touched, and each part is mapped when it is first needed.
 *
 *   0          struct shm_control     who has written and read how far, consumer directories, goodbyes
 *   RING(s)    control messages towards side s, a ring of variable-length records
 *   REGION(s,k) consumer slot k of side s: posted buffers, completions, small payloads, pipeline
 *
 * No pointers, only offsets and free-running counters. Every field has one writing side, named in its comment.
 * Whatever the other side has written is checked before it is used; a violation ends the connection. */
#ifndef EMU_SHM_H
#define EMU_SHM_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/dense_traffic.h"
#include "doca_error.h"
#include "limits.h"

#define SHM_LAYOUT_VERSION 7u
#define SHM_CACHE_LINE 64

enum shm_side { SHM_CLIENT = 0, SHM_SERVER = 1, SHM_SIDES = 2 };

static inline enum shm_side shm_other(enum shm_side side)
{
	return side == SHM_CLIENT ? SHM_SERVER : SHM_CLIENT;
}

/* ---- consumer directory ---- */

#define SHM_CONSUMER_SLOTS 128u
/* Places of one side's producers, for what the other side tells each of them. */
#define SHM_PRODUCER_PLACES 1024u

enum shm_consumer_state {
	SHM_CONSUMER_NONE = 0,
	SHM_CONSUMER_CREATED, /* has an id, takes nothing yet */
	SHM_CONSUMER_RUNNING,
	SHM_CONSUMER_EXPIRED,
};

/* An entry is one word, so that id, generation (start count) and state change together. */
static inline uint64_t shm_entry(uint32_t id, uint32_t generation, enum shm_consumer_state state)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): not of an unsigned type */
	return (uint64_t)id << 32 | (uint64_t)(generation & 0xffffffu) << 8 | (uint64_t)state;
}

static inline uint32_t shm_entry_id(uint64_t entry)
{
	return (uint32_t)(entry >> 32);
}

static inline uint32_t shm_entry_generation(uint64_t entry)
{
	return (uint32_t)(entry >> 8) & 0xffffffu;
}

static inline enum shm_consumer_state shm_entry_state(uint64_t entry)
{
	return (enum shm_consumer_state)(entry & 0xffu);
}

/* Where a start or an end of a consumer belongs among what the peer is told. */
struct shm_mark {
	_Atomic uint64_t order; /* among the starts and ends of all consumers of this side */
	_Atomic uint64_t after; /* so many messages go before it */
};

/* Written before the entry that they belong to. Two of each, by the generation's lowest bit: a reader that is about to
 * look at a generation's mark does not find the next one's. */
struct shm_marks {
	alignas(SHM_CACHE_LINE) struct shm_mark began[2];
	struct shm_mark ended[2];
};

/* ---- control part ---- */

struct shm_half { /* written by one side */
	/* Ring towards the other side: bytes published. Release store; pairs with the acquire load in messages_receive. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t ring_tail;
	/* The count of bytes at which the ring's first byte stands. Changes only while the ring is empty. Published with
	 * ring_tail. */
	_Atomic uint64_t ring_start;
	/* Counts everything that the other side should look at: messages, directory changes, goodbye. Bumped last. */
	_Atomic uint64_t bell;
	/* Ring towards this side: bytes and messages consumed. Release stores; pair with the loads in
	 * messages_send. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t ring_head;
	_Atomic uint64_t ring_head_msgs;
	/* Orderly goodbye: 1 once nothing more will be written to the ring. */
	alignas(SHM_CACHE_LINE) _Atomic uint32_t closed;
	/* Changes of `directory`, each counted after it has been made. */
	_Atomic uint32_t directory_version;
	/* This side's consumers. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t directory[SHM_CONSUMER_SLOTS];
	struct shm_marks marks[SHM_CONSUMER_SLOTS];
	/* The other side's directory entries as far as this side has reported them to its user. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t reported[SHM_CONSUMER_SLOTS];
	/* The latest ticket of each of the other side's producers whose payload a consumer of this side has fetched. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t fetched[SHM_PRODUCER_PLACES];
};

struct shm_control {
	struct shm_half half[SHM_SIDES];
};

/* ---- ring of control messages ---- */

#define SHM_RECORD_ALIGN UINT64_C(16)
/* A sender that has come so far and finds the ring empty begins again at its first byte: traffic that is taken as it
 * comes stays in few pages. If messages are long and traffic is dense it goes on, up to SHM_RING_LAP: when it comes back
 * to a line, that has left the receiver's own caches, and need not be taken from there. */
#define SHM_RING_WARM DENSE_TRAFFIC_BYTES
#define SHM_RING_LAP (UINT64_C(2) << 20)
#define SHM_RING_LONG 512u
/* Every so many bytes a sender looks whether it is time to give pages of the ring back. */
#define SHM_RING_LOOK (UINT64_C(256) << 10)
#define SHM_RING_GIVE_BACK_MS 2000
#define SHM_RECORD_WRAP UINT32_MAX /* length of the filler that ends a lap */

struct shm_record { /* followed by the message */
	uint32_t len;
	uint32_t reserved;
	uint64_t arrival; /* monotonic ns before which it is still on its way (faults.h); 0: there */
};

/* ---- consumer region ---- */

#define SHM_MAX_POSTS 8192u
#define SHM_SLOT_BYTES 128u
/* Slots are used in turns, many more than buffers are posted: when the producer comes back to one, its lines have left the
 * consumer's own caches (2 MiB are twice a usual second cache), and need not be taken from there. With few buffers both
 * sides wait for each other at each turn, and slots that stay in the first caches are faster. */
#define SHM_SLOTS 16384u
#define SHM_FEW_POSTS 32u
#define SHM_INLINE_BYTES 96u
/* Payloads that flow and are little too long for a slot lie one behind the other in a ring of bytes, for the same reason.
 * Those of all posted buffers fill half of it at most (shm_ring_limit), so that it does not overtake itself. */
#define SHM_BYTES_RING (2u << 20)
#define SHM_BYTES_RING_MOST 4096u
#define SHM_PIPE_BYTES (1u << 20)

/* Set in `claimed` by the consumer when it stops: no producer claims after it. */
#define SHM_CLAIM_CLOSED (UINT64_C(1) << 63)

/* The counters of each start of a consumer in a region have a range of their own, so that a producer that was held
 * up cannot mistake a new consumer's buffers for an old one's. */
#define SHM_INCARNATION (UINT64_C(1) << 44)

/* `room` of a posted buffer that its owner has taken back. */
#define SHM_ROOM_REVOKED UINT64_MAX

struct shm_region {
	/* Consumer, before it announces itself. Release stores; a producer that reads one of a later start finds the
	 * directory entry changed when it looks again (open_view). */
	_Atomic uint32_t capacity;    /* posted buffers, a power of two */
	_Atomic uint32_t eager_bytes; /* per slot */
	_Atomic uint32_t max_imm_len;
	_Atomic uint32_t can_fetch; /* 1: the consumer can read the producers' memory */
	_Atomic uint64_t base; /* where the counters of this start of the consumer begin */
	/* Payloads shorter than this fit every buffer posted since this start, so that a producer need not look at each;
	 * 0 once a buffer was taken back. */
	_Atomic uint64_t fits_below;
	/* Consumer: buffers posted so far. Release store; pairs with the acquire load in the producer's claim. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t posted;
	/* Producers: buffers claimed so far, by compare-and-swap; the consumer only adds SHM_CLAIM_CLOSED. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t claimed;
	/* Producers: bytes taken from the ring of bytes so far, fillers included. */
	_Atomic uint64_t ring_taken;
	/* Pipeline for payloads that neither fit a slot nor can be written directly; one message at a time.
	 * Consumer: index + 1 of the message whose turn it is, and how much of it has been taken. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t pipe_turn;
	_Atomic uint64_t pipe_consumed; /* shm_pipe_mark */
	/* Producer: how much of that message has been put, by compare-and-swap from what it put before. The consumer sets it
	 * to none before the message's turn, and to SHM_PIPE_CLOSED when it stops in the middle: then either all has been
	 * put, or never will be. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t pipe_produced; /* shm_pipe_mark */
};

/* Progress of one message through the pipeline; the tag tells it from marks of earlier messages. */
#define SHM_PIPE_MARK_BYTES ((UINT64_C(1) << 40) - 1)

static inline uint64_t shm_pipe_mark(uint64_t index, uint64_t bytes)
{
	return (index + 1) << 40 | bytes;
}

/* `pipe_produced` of a message of which no more is taken; no mark that a producer puts. */
#define SHM_PIPE_CLOSED UINT64_MAX

/* The bytes of a mark of message `index`; 0 for any other message's. */
static inline uint64_t shm_pipe_bytes(uint64_t mark, uint64_t index)
{
	return mark >> 40 == ((index + 1) & 0xffffffu) ? mark & SHM_PIPE_MARK_BYTES : 0;
}

struct shm_post { /* consumer */
	uint64_t addr;
	_Atomic uint64_t room;
};

enum shm_payload {
	SHM_PAYLOAD_PLACED = 0, /* already in the posted buffer */
	SHM_PAYLOAD_INLINE,     /* in the slot, behind the immediate data */
	SHM_PAYLOAD_EAGER,      /* in the slot's eager area */
	SHM_PAYLOAD_PIPE,       /* comes through the pipeline */
	SHM_PAYLOAD_SKIPPED,    /* the buffer was taken back; nothing was sent */
	SHM_PAYLOAD_FAILED,     /* the sender failed half-way */
	SHM_PAYLOAD_FETCH,      /* the consumer reads it from the producer's memory */
	SHM_PAYLOAD_RING,       /* in the ring of bytes, at ring_offset */
};

struct shm_slot { /* the producer that claimed it */
	/* Index + 1 once the slot is filled. Release store; pairs with the acquire load in complete_oldest. */
	_Atomic uint64_t ready;
	uint32_t len;
	uint32_t producer_id;
	uint8_t payload; /* enum shm_payload */
	uint8_t imm_len;
	uint8_t reserved[2];
	uint32_t ring_offset;
	uint64_t arrival; /* as in struct shm_record */
	uint8_t bytes[SHM_INLINE_BYTES]; /* immediate data, then an inline payload */
};

/* A payload that the consumer may fetch. The state belongs to one message (shm_offer_mark) and leaves OPEN by
 * compare-and-swap, so that one side copies. It stays until the place of the posted buffer is used again or the
 * consumer is destroyed, which may be before the producer looks: that it was fetched also stands in `fetched`. */
struct shm_offer {
	uint64_t addr;	 /* in the producer's process */
	uint64_t ticket; /* counts the offers of a side of the connection, from 1 */
	uint32_t place;	 /* of the producer */
	uint32_t reserved;
	_Atomic uint64_t state;
};

enum shm_offer_state {
	SHM_OFFER_OPEN,      /* producer: the memory stays as it is */
	SHM_OFFER_TAKEN,     /* consumer: begins to copy, or does not want it */
	SHM_OFFER_FETCHED,   /* consumer: all of it has been copied */
	SHM_OFFER_KEPT,      /* producer: writes it to the posted buffer itself */
	SHM_OFFER_PLACED,    /* producer: has done so */
	SHM_OFFER_WITHDRAWN, /* either side: what has been copied is worth nothing */
	SHM_OFFER_FOREIGN,   /* never stored: the state is another message's, or nonsense */
};

static inline uint64_t shm_offer_mark(uint64_t index, enum shm_offer_state state)
{
	return (index + 1) << 3 | (uint64_t)state;
}

_Static_assert(sizeof(struct shm_slot) == SHM_SLOT_BYTES, "a completion slot is two cache lines");
_Static_assert(sizeof(struct shm_post) == 16, "four posts share a cache line");
_Static_assert(sizeof(struct shm_offer) == 32, "two offers share a cache line");
_Static_assert(sizeof(struct shm_record) == SHM_RECORD_ALIGN, "messages start 16-byte aligned");

/* ---- offsets ---- */

/* Parts are mapped one by one, and kernels for aarch64 may have pages of 64 KiB. */
#define SHM_PAGE 65536u
#define SHM_ROUND_PAGE(n) (((n) + SHM_PAGE - 1) / SHM_PAGE * SHM_PAGE)

#define SHM_CONTROL_BYTES SHM_ROUND_PAGE(sizeof(struct shm_control))
#define SHM_RING_MAX_BYTES (UINT64_C(64) << 20)
#define SHM_RING_OFFSET(side) ((UINT64_C(16) << 20) + (uint64_t)(side) * SHM_RING_MAX_BYTES)

#define SHM_REGION_POSTS SHM_PAGE
#define SHM_REGION_SLOTS (SHM_REGION_POSTS + SHM_MAX_POSTS * sizeof(struct shm_post))
#define SHM_REGION_OFFERS (SHM_REGION_SLOTS + SHM_SLOTS * (size_t)SHM_SLOT_BYTES)
#define SHM_REGION_RING (SHM_REGION_OFFERS + SHM_MAX_POSTS * sizeof(struct shm_offer))
#define SHM_REGION_PIPE (SHM_REGION_RING + SHM_BYTES_RING)
#define SHM_REGION_EAGER (SHM_REGION_PIPE + SHM_PIPE_BYTES)
#define SHM_EAGER_MAX_BYTES (UINT64_C(32) << 20)
#define SHM_REGION_BYTES (SHM_REGION_EAGER + SHM_EAGER_MAX_BYTES)
#define SHM_REGION_OFFSET(side, slot) \
	(SHM_RING_OFFSET(SHM_SIDES) + ((uint64_t)(side) * SHM_CONSUMER_SLOTS + (slot)) * SHM_REGION_BYTES)
#define SHM_TOTAL_BYTES SHM_REGION_OFFSET(SHM_SIDES, 0)

_Static_assert(sizeof(struct shm_region) <= SHM_PAGE, "the region header is one page");
_Static_assert(SHM_REGION_BYTES % SHM_PAGE == 0, "regions are mapped one by one");

/* What a topology may ask for has room here. */
_Static_assert(EMU_BOUND_TASKS <= SHM_MAX_POSTS, "every task can be posted");
_Static_assert(SHM_MAX_POSTS <= SHM_SLOTS, "every posted buffer has a slot");
_Static_assert(EMU_BOUND_CONSUMERS <= SHM_CONSUMER_SLOTS, "every consumer has a slot");
_Static_assert(EMU_BOUND_PRODUCERS <= SHM_PRODUCER_PLACES, "every producer has a place");
_Static_assert(EMU_BOUND_IMM_DATA_LEN <= SHM_INLINE_BYTES, "immediate data fit a slot");
_Static_assert(EMU_BOUND_QUEUE_BYTES <= SHM_RING_MAX_BYTES, "the largest queue fits a ring");

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

/* The longest payload that goes through the ring of bytes; 0: none does. */
static inline uint32_t shm_ring_limit(uint32_t capacity)
{
	if (capacity <= SHM_FEW_POSTS)
		return 0;
	return SHM_BYTES_RING / 2 / capacity < SHM_BYTES_RING_MOST ? SHM_BYTES_RING / 2 / capacity : SHM_BYTES_RING_MOST;
}

static inline uint8_t *shm_region_ring(struct shm_region *region)
{
	return (uint8_t *)region + SHM_REGION_RING;
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

/* Eager bytes per slot for a region of `capacity` slots: larger where there are few. */
uint32_t shm_eager_bytes(uint32_t capacity);

/* ---- mappings ---- */

/* A shared file of a fixed size and its first part. When both ends live in this process they share one mapping. */
struct shm_mapping {
	int fd;
	dev_t dev;
	ino_t ino;
	unsigned refs;
	void *start;
	size_t start_bytes;
	pthread_mutex_t lock; /* of what is mapped later */
	struct shm_mapping *next;
};

/* One connection's memory as this process sees it. */
struct shm_map {
	struct shm_mapping base;
	uint8_t *rings[SHM_SIDES];
	uint64_t ring_bytes[SHM_SIDES];
	_Atomic(struct shm_region *) regions[SHM_SIDES][SHM_CONSUMER_SLOTS];
};

static inline struct shm_control *shm_map_control(const struct shm_map *map)
{
	return map->base.start;
}

/* A new, sealed memory; on success the caller holds one reference. */
doca_error_t shm_create(struct shm_map **map);

/* Maps memory received from a peer, after checking size and seals. Takes `fd` over. */
doca_error_t shm_attach(int fd, struct shm_map **map);

void shm_release(struct shm_map *map);

/* Maps the ring towards `side`; `bytes` is a power of two and at most SHM_RING_MAX_BYTES. */
doca_error_t shm_map_ring(struct shm_map *map, enum shm_side side, uint64_t bytes);

/* Gives back pages of the ring towards `side`, which holds nothing in the `bytes` from `from` on, modulo its size. For
 * its sender, who alone knows that. */
void shm_drop_ring_pages(struct shm_map *map, enum shm_side side, uint64_t from, uint64_t bytes);

/* The region of a consumer slot, mapped at first use; NULL when out of memory. */
struct shm_region *shm_map_region(struct shm_map *map, enum shm_side side, uint32_t slot);

/* Gives back the pages of a region's arrays; its counters stay. */
void shm_drop_region_pages(struct shm_map *map, enum shm_side side, uint32_t slot);

/* ---- doorbells of a server ---- */

#define SHM_DOORBELL_WORDS 8u
#define SHM_DOORBELLS (SHM_DOORBELL_WORDS * 64u)

_Static_assert(EMU_BOUND_CLIENTS <= SHM_DOORBELLS, "every client has a doorbell");

/* One bit per connection, set by the client after it has changed its half; cleared by the server. A client that
 * sets other bits only makes the server look in vain; one that clears others' is caught by the server's rounds. */
struct shm_doorbells {
	alignas(SHM_CACHE_LINE) _Atomic uint64_t words[SHM_DOORBELL_WORDS];
};

struct shm_doorbell_map {
	struct shm_mapping base;
};

static inline struct shm_doorbells *shm_doorbells_of(const struct shm_doorbell_map *map)
{
	return map->base.start;
}

doca_error_t shm_doorbells_create(struct shm_doorbell_map **map);
doca_error_t shm_doorbells_attach(int fd, struct shm_doorbell_map **map);
void shm_doorbells_ref(struct shm_doorbell_map *map);
void shm_doorbells_release(struct shm_doorbell_map *map);

static inline void shm_ring_doorbell(struct shm_doorbells *bells, uint32_t index)
{
	atomic_fetch_or_explicit(&bells->words[index / 64], UINT64_C(1) << (index % 64), memory_order_seq_cst);
}

#endif
