/* How far two cores are from each other: a word from one thread to another, and one in another cache line back. All
 * that passes between two threads depends on it, and on a virtual machine it may be another distance after a while. */
#include <stdalign.h>
#include <stdatomic.h>

#include "histogram.h"
#include "loop.h"
#include "report.h"

#define TURNS 1000

static alignas(128) _Atomic uint64_t there;
static alignas(128) _Atomic uint64_t back;
static alignas(128) _Atomic bool over;

static void answer(const struct options *options)
{
	(void)options;
	uint32_t in_vain = 0;
	uint64_t seen = 0;
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		uint64_t now = atomic_load_explicit(&there, memory_order_acquire);
		bool moved = now != seen;
		if (moved)
			atomic_store_explicit(&back, seen = now, memory_order_release);
		spin(&in_vain, moved);
	}
}

static void ask(const struct options *options)
{
	struct histogram *histogram = must_have(calloc(1, sizeof(*histogram)));
	uint32_t in_vain = 0;
	uint64_t sent = 0;
	int64_t end = now_ns() + (int64_t)(options->seconds * 1e9), before = now_ns();
	for (int64_t after = before; after < end; before = after) {
		for (int i = 0; i < TURNS; i++) {
			atomic_store_explicit(&there, ++sent, memory_order_release);
			while (atomic_load_explicit(&back, memory_order_acquire) != sent)
				spin(&in_vain, false);
			in_vain = 0;
		}
		after = now_ns();
		histogram_add(histogram, (uint64_t)(after - before));
	}
	atomic_store_explicit(&over, true, memory_order_relaxed);
	report_begin(options, "cores");
	report_value((double)histogram_percentile(histogram, 50) / TURNS, "ns");
	report_end();
	free(histogram);
}

void work_cores(const struct options *options)
{
	run_threads(options, answer, ask);
}
