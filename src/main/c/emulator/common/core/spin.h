/* A lock for sections of some dozen instructions, which EUs of an emulated DPA and threads of the program share. */
#ifndef EMU_SPIN_H
#define EMU_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct emu_spin {
	_Atomic bool taken;
};

/* Its holder may have lost the processor: then this thread gives it away, too. */
#define EMU_SPINS_BEFORE_YIELD 64

static inline void emu_spin_lock(struct emu_spin *lock)
{
	int spins = 0;
	while (atomic_exchange_explicit(&lock->taken, true, memory_order_acquire))
		while (atomic_load_explicit(&lock->taken, memory_order_relaxed))
			if (++spins >= EMU_SPINS_BEFORE_YIELD)
				sched_yield();
}

static inline void emu_spin_unlock(struct emu_spin *lock)
{
	atomic_store_explicit(&lock->taken, false, memory_order_release);
}

#endif
