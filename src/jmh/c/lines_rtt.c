/* Ping-pong over lines.h. */
#include <stdatomic.h>

#include "lines.h"
#include "loop.h"
#include "rounds.h"

#define LOOKS 64u /* in a call, as the ping-pongs in Java have */

static _Atomic bool over;

static bool await(uint32_t side, uint64_t number, uint8_t *payload)
{
	uint32_t in_vain = 0;
	while (!lines_receive(side, number, payload, LOOKS)) {
		spin(&in_vain, false);
		if (atomic_load_explicit(&over, memory_order_relaxed))
			return false;
	}
	return true;
}

static void answer(const struct options *options)
{
	uint8_t payload[LINES_PAYLOAD];
	(void)options;
	for (uint64_t number = 1; await(0, number, payload); number++)
		lines_send(0, number, payload);
}

static void ask(const struct options *options)
{
	uint64_t payload[LINES_PAYLOAD / sizeof(uint64_t)] = {0};
	uint8_t *bytes = (uint8_t *)payload;
	struct rounds *rounds = rounds_open(options);
	uint64_t number = 0;
	do {
		payload[0] = ++number;
		lines_send(1, number, bytes);
		(void)await(1, number, bytes);
		if (payload[0] != number)
			fail("round %llu: wrong data", (unsigned long long)number);
	} while (rounds_record(rounds));
	atomic_store_explicit(&over, true, memory_order_relaxed);
	rounds_report(options, options->work, rounds);
}

void work_lines_rtt(const struct options *options)
{
	run_threads(options, answer, ask);
}
