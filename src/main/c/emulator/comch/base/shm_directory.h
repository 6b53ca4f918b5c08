/* The directory of one side's consumers, as the peer sees it. The consumers' side writes entries and marks. */
#ifndef EMU_SHM_DIRECTORY_H
#define EMU_SHM_DIRECTORY_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/shm_sides.h"
#include "limits.h"

#define SHM_CONSUMER_SLOTS 128u

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

/* Where the start or the end of a consumer belongs among the events that the peer's program gets. */
struct shm_mark {
	_Atomic uint64_t order; /* counts the starts and ends of all consumers of the side, from 1 */
	_Atomic uint64_t after; /* how many of the side's messages are delivered before it */
};

/* Written before the entry that they belong to. Two of each, by the generation's lowest bit: a reader that is about to
 * look at a generation's mark does not find the next one's. */
struct shm_marks {
	alignas(SHM_CACHE_LINE) struct shm_mark began[2];
	struct shm_mark ended[2];
};

_Static_assert(EMU_BOUND_CONSUMERS <= SHM_CONSUMER_SLOTS, "every consumer has a slot");

#endif
