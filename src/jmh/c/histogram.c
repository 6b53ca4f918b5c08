#include "histogram.h"

/* Values below HISTOGRAM_STEPS are exact; above, the top 8 bits count. */
static uint32_t place_of(uint64_t value)
{
	if (value < HISTOGRAM_STEPS)
		return (uint32_t)value;
	uint32_t power = 63u - (uint32_t)__builtin_clzll(value); /* 7 and up */
	uint32_t step = (uint32_t)(value >> (power - 7)) - HISTOGRAM_STEPS;
	uint32_t place = (power - 6) * HISTOGRAM_STEPS + step;
	return place < HISTOGRAM_POWERS * HISTOGRAM_STEPS ? place : HISTOGRAM_POWERS * HISTOGRAM_STEPS - 1;
}

/* The middle of a place. */
static uint64_t value_of(uint32_t place)
{
	if (place < HISTOGRAM_STEPS)
		return place;
	uint32_t power = place / HISTOGRAM_STEPS + 6;
	uint64_t step = (uint64_t)1 << (power - 7);
	return (place % HISTOGRAM_STEPS + HISTOGRAM_STEPS) * step + step / 2;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->counts[place_of(value)]++;
	histogram->total++;
	histogram->sum += value;
	if (value > histogram->max)
		histogram->max = value;
}

void histogram_add_corrected(struct histogram *histogram, uint64_t value, uint64_t interval)
{
	histogram_add(histogram, value);
	if (interval == 0)
		return;
	while (value > 2 * interval) {
		value -= interval;
		histogram_add(histogram, value);
	}
}

uint64_t histogram_percentile(const struct histogram *histogram, double percent)
{
	uint64_t wanted = (uint64_t)(percent / 100 * (double)histogram->total + 0.5);
	uint64_t seen = 0;
	if (wanted == 0)
		wanted = 1;
	for (uint32_t place = 0; place < HISTOGRAM_POWERS * HISTOGRAM_STEPS; place++) {
		seen += histogram->counts[place];
		if (seen >= wanted) {
			uint64_t value = value_of(place);
			return value < histogram->max ? value : histogram->max;
		}
	}
	return histogram->max;
}
