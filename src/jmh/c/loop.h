/* The engines of one thread, and waiting with them. */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

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

enum doca_ctx_states ctx_state(const struct doca_ctx *ctx);

#endif
