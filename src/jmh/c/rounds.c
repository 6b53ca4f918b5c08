#include "rounds.h"

#include "report.h"

/* A look at the clock costs as much as a tenth of a round trip, so there is one for so many of them. */
#define BLOCK 64u

struct rounds *rounds_open(const struct options *options)
{
	struct rounds *rounds = must_have(calloc(1, sizeof(*rounds)));
	rounds->last = now_ns();
	rounds->warm = rounds->last + (int64_t)(options->warmup * 1e9);
	rounds->blocks_end = rounds->warm + (int64_t)(options->seconds * 1e9);
	rounds->end = rounds->blocks_end + (int64_t)(options->seconds * 1e9) / 2;
	rounds->left = BLOCK;
	return rounds;
}

void rounds_block_ended(struct rounds *rounds)
{
	int64_t now = now_ns();
	if (now >= rounds->warm)
		histogram_add(&rounds->blocks, (uint64_t)(now - rounds->last));
	if (now >= rounds->blocks_end)
		rounds->interval = histogram_percentile(&rounds->blocks, 50) / BLOCK;
	rounds->last = now;
	rounds->left = BLOCK;
}

void rounds_report(const struct options *options, const char *work, struct rounds *rounds)
{
	report_begin(options, work);
	report_value((double)histogram_percentile(&rounds->blocks, 50) / BLOCK / 2, "ns/half");
	report_count("rounds", rounds->blocks.total * BLOCK + rounds->raw.total);
	report_count("interval", rounds->interval);
	report_percentiles("", &rounds->corrected);
	report_percentiles("raw_", &rounds->raw);
	report_end();
	free(rounds);
}
