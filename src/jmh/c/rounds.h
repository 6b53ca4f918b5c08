/* Round trips of a client, in three times: the warm-up; then blocks, whose median is the result; then, for half as
 * long, single ones, which show how they are distributed and contain the look at the clock. A longer one also counts
 * those that could not begin meanwhile; the blocks say how long one usually takes. */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "bench.h"
#include "histogram.h"

struct rounds {
	struct histogram blocks, raw, corrected;
	int64_t warm, blocks_end, end, last;
	uint64_t interval; /* 0: not the time of the single ones yet */
	uint32_t left;     /* of the block */
};

struct rounds *rounds_open(const struct options *options);

/* For rounds_record: the last round trip of a block has ended. */
void rounds_block_ended(struct rounds *rounds);

/* A round trip has ended; false when it was the last one. */
static inline bool rounds_record(struct rounds *rounds)
{
	if (rounds->interval == 0) {
		if (--rounds->left == 0)
			rounds_block_ended(rounds);
		return true;
	}
	int64_t now = now_ns();
	uint64_t took = (uint64_t)(now - rounds->last);
	rounds->last = now;
	histogram_add(&rounds->raw, took);
	histogram_add_corrected(&rounds->corrected, took, rounds->interval);
	return now < rounds->end;
}

/* Also frees them. */
void rounds_report(const struct options *options, const char *work, struct rounds *rounds);

#endif
