/* A log-linear histogram of nanoseconds: 128 steps for each power of two, so values are kept to within 1 %. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEPS 128u
#define HISTOGRAM_POWERS 40u

struct histogram {
	uint64_t counts[HISTOGRAM_POWERS * HISTOGRAM_STEPS];
	uint64_t total;
	uint64_t sum, max;
};

void histogram_add(struct histogram *histogram, uint64_t value);

/* As histogram_add; a value above `interval` also stands for the tries that could not start meanwhile, at
 * value - interval, value - 2 * interval, … (coordinated omission). */
void histogram_add_corrected(struct histogram *histogram, uint64_t value, uint64_t interval);

/* The value that `percent` of all values do not exceed. */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

#endif
