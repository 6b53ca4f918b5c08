/* The work `batched`: a sender and a receiver that go by way of the batch library as Java does, in bursts of one call
 * each, with everything that is not the library's in C. What it takes more than `flat` is the library's share of what
 * Java takes more than C. */
#ifndef BENCH_BATCHED_H
#define BENCH_BATCHED_H

#include "batch.h"
#include "fast.h"

/* What the library knows of one side. */
struct batched {
	struct batch_engine engine;
	struct batch_context context;
};

static inline bool is_batched(const struct options *options)
{
	return options->work[0] == 'b';
}

/* Once, before there are threads: gives the library DOCA's functions. */
void batched_init(void);

/* Before the side is opened with &batched->context as its context's user data. Nothing of a task is changed once it
 * has been allocated: there is no batch_data. */
struct batched *batched_new(uint32_t tasks);
/* The side is open: everything goes by way of the library from now on. */
void batched_begin(struct batched *batched, struct doca_pe *pe, struct doca_ctx *ctx, struct doca_task *const *tasks,
		   struct doca_buf *const *bufs, uint32_t num);
void batched_free(struct batched *batched);

/* As sender_turn: a burst, then everything that completes; true when anything was sent. */
bool batched_sender_turn(struct sender *sender);
/* Submits what is queued and takes what has completed; true when nothing is under way any more. */
bool batched_sender_settle(struct sender *sender);
/* As receiver_turn: everything that has arrived; returns how many. */
uint32_t batched_receiver_turn(struct receiver *receiver);

#endif
