/* The directory of one side's consumers, as the peer sees it. The consumers' side writes entries and announcements. */
#ifndef EMU_SHM_DIRECTORY_H
#define EMU_SHM_DIRECTORY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/shm_sides.h"
#include "topology/limits.h"

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

/* Starts and ends of the side's consumers, in a ring: each is told to the peer's program once, in this order. A start
 * takes a place for the end as well, and waits until the peer has told what stands there (own_consumers.c). */
#define SHM_ANNOUNCEMENTS 512u

struct shm_announcement {
	_Atomic uint64_t entry; /* RUNNING or EXPIRED */
	_Atomic uint64_t after; /* how many of the side's messages are delivered before it */
};

_Static_assert(EMU_BOUND_CONSUMERS <= SHM_CONSUMER_SLOTS, "every consumer has a slot");
_Static_assert(2 * SHM_CONSUMER_SLOTS <= SHM_ANNOUNCEMENTS, "every consumer can start and end");

#endif
