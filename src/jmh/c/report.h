/* Results: one JSON object per line on stdout. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench.h"
#include "histogram.h"

/* Begins a line with the options that the result is about. Text and numbers may follow, then the end. */
void report_begin(const struct options *options, const char *work);
void report_number(const char *name, double value);
void report_count(const char *name, uint64_t value);
void report_text(const char *name, const char *value);
void report_end(void);

/* value and unit. */
void report_value(double value, const char *unit);
/* p50, p90, p99, p99.9, p99.99, mean, max under names with this prefix. */
void report_percentiles(const char *prefix, const struct histogram *histogram);

#endif
