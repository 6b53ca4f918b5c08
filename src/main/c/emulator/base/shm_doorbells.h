/* The doorbells of a server, which tell it whose connections to look at: a page that it shares with all its clients. */
#ifndef EMU_SHM_DOORBELLS_H
#define EMU_SHM_DOORBELLS_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/shm_sides.h"
#include "topology/limits.h"

#define SHM_DOORBELL_WORDS 8u
#define SHM_DOORBELLS (SHM_DOORBELL_WORDS * 64u)

_Static_assert(EMU_BOUND_CLIENTS <= SHM_DOORBELLS, "every client has a doorbell");

/* One bit per connection. The client sets it after it has changed its half, and threads of the server for its
 * control thread; the server clears it. A client that sets other bits only makes the server look in vain; one that
 * clears others' does not silence them, because the server looks at every connection now and then. */
struct shm_doorbells {
	alignas(SHM_CACHE_LINE) _Atomic uint64_t words[SHM_DOORBELL_WORDS];
};

static inline void shm_doorbell_set(struct shm_doorbells *bells, uint32_t index)
{
	atomic_fetch_or_explicit(&bells->words[index / 64], UINT64_C(1) << (index % 64), memory_order_seq_cst);
}

#endif
