/* Ping-pong over least.h, with the calls that rtt.c makes. */
#include <stdalign.h>
#include <stdatomic.h>

#include "least.h"
#include "lines.h"
#include "loop.h"
#include "rounds.h"

struct table {
	alignas(128) struct least_side *side; /* each thread's table on cache lines of its own */
	struct least_task *free[LEAST_DEPTH]; /* to send with */
	uint32_t num_free;
	bool answers;
	uint64_t received, last;
};

static struct table tables[2];
static _Atomic bool over;

static void ping(struct table *table, uint64_t number)
{
	struct least_task *task = table->free[--table->num_free];
	*(uint64_t *)least_buf_data(least_task_buf(task)) = number;
	least_submit(task);
}

static void on_received(struct least_task *task, void *task_data, void *own)
{
	struct table *table = own;
	struct least_buf *buf = least_task_buf(task);
	if (least_buf_len(buf) != LINES_PAYLOAD)
		fail("wrong length");
	table->last = *(const uint64_t *)task_data;
	table->received++;
	if (table->answers)
		ping(table, table->last);
	least_buf_reset(buf);
	least_submit(task);
}

static void on_sent(struct least_task *task, void *task_data, void *own)
{
	struct table *table = own;
	(void)task_data;
	table->free[table->num_free++] = task;
}

static void table_open(struct table *table, uint32_t number, bool answers)
{
	table->side = least_open(number, on_received, on_sent, table);
	table->answers = answers;
	for (uint32_t i = 0; i < LEAST_DEPTH; i++) {
		table->free[table->num_free++] = least_send_task(table->side, i);
		least_submit(least_receive_task(table->side, i));
	}
}

static void answer(const struct options *options)
{
	uint32_t in_vain = 0;
	(void)options;
	while (!atomic_load_explicit(&over, memory_order_relaxed))
		spin(&in_vain, least_progress(tables[0].side));
}

static void ask(const struct options *options)
{
	struct table *table = &tables[1];
	struct rounds *rounds = rounds_open(options);
	do {
		uint64_t before = table->received;
		uint32_t in_vain = 0;
		ping(table, before + 1);
		while (table->received == before)
			spin(&in_vain, least_progress(table->side));
		if (table->last != before + 1)
			fail("round %llu: wrong data", (unsigned long long)before);
	} while (rounds_record(rounds));
	atomic_store_explicit(&over, true, memory_order_relaxed);
	rounds_report(options, options->work, rounds);
}

void work_least_rtt(const struct options *options)
{
	table_open(&tables[0], 0, true);
	table_open(&tables[1], 1, false);
	run_threads(options, answer, ask);
}
