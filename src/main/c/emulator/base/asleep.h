/* Whether an engine of the peer sleeps, and is to be woken for a change in the shared memory.
 *
 * An engine that goes to sleep sets the word, lets a barrier pass through the threads of all processes (sleeper.h), and
 * looks once more whether there is something to do. Who changes something looks at the word afterwards. If it is set,
 * the one that clears it wakes the engine (connection/wakeup.h). While nobody sleeps that costs one load of a cache
 * line that seldom changes: neither a fence nor a system call. */
#ifndef EMU_ASLEEP_H
#define EMU_ASLEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "export.h"

/* The sleeper's side sets and clears it, and the peer clears it. 1 while the engine sleeps. */
typedef _Atomic uint32_t shm_asleep;

/* To be asked after the change, which the compiler must not move behind it. */
static inline bool shm_is_asleep(const shm_asleep *word)
{
	atomic_signal_fence(memory_order_seq_cst);
	return EMU_UNLIKELY(atomic_load_explicit(word, memory_order_relaxed) != 0);
}

static inline void shm_fall_asleep(shm_asleep *word)
{
	atomic_store_explicit(word, 1, memory_order_relaxed);
}

/* Not stored where it is not needed: the peer has the cache line. */
static inline void shm_awake(shm_asleep *word)
{
	if (atomic_load_explicit(word, memory_order_relaxed) != 0)
		atomic_store_explicit(word, 0, memory_order_relaxed);
}

/* True for the one that is to wake it. */
static inline bool shm_takes_wakeup(shm_asleep *word)
{
	return atomic_exchange_explicit(word, 0, memory_order_acq_rel) != 0;
}

#endif
