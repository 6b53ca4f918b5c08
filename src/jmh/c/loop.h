/* The engines of one thread, and waiting with them. */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <sched.h>

#include <doca_ctx.h>
#include <doca_pe.h>

#include "bench.h"

/* A new engine that waiting in this thread progresses. */
struct doca_pe *loop_new_pe(void);

/* Progresses each of them once; ends the program when it waits for longer than `deadline`. */
void loop_turn(int64_t deadline);

#define PATIENCE_NS INT64_C(30000000000)
#define WAIT_FOR(condition)                                                                                            \
	do {                                                                                                           \
		int64_t wait_deadline = now_ns() + PATIENCE_NS;                                                        \
		while (!(condition))                                                                                   \
			loop_turn(wait_deadline);                                                                      \
	} while (0)

/* Both sides spin. Where there are fewer processors than things to do, a side that waits in vain for a while lets
 * others run: the peer, perhaps. */
#define TURNS_IN_VAIN 2000u

static inline void spin(uint32_t *in_vain, bool moved)
{
	if (moved) {
		*in_vain = 0;
	} else if (++*in_vain == TURNS_IN_VAIN) {
		*in_vain = 0;
		sched_yield();
	}
}

enum doca_ctx_states ctx_state(const struct doca_ctx *ctx);

#endif
