/* The time that a receiver measures: it lets the warm-up pass, then counts what arrives until the time is over. */
#ifndef BENCH_WINDOW_H
#define BENCH_WINDOW_H

#include "bench.h"

/* Looks at the clock and at the other engine once in so many turns. */
#define TURNS_PER_LOOK 256u

/* The measured time in so many windows, of which the median counts: what disturbs one does not count. */
#define WINDOWS 7u

struct window {
	int64_t warm, length;      /* when the warm-up is over; of one window */
	int64_t at[WINDOWS + 1];   /* where the windows begin and end */
	uint64_t num[WINDOWS + 1]; /* what had arrived there */
	uint32_t known;            /* of these */
	uint64_t empty_before, empty;
};

void window_open(struct window *window, const struct options *options);
/* With what has been received so far, and how often there was nothing. True when the time is over. */
bool window_look(struct window *window, uint64_t received, uint64_t empty);

void report_window(const struct options *options, const char *work, const struct window *window, uint64_t checked);
/* Under the work's name with "-sender". */
void report_sender(const struct options *options, const char *work, uint64_t sent, uint64_t again);

#endif
