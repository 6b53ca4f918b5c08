/* Where a guide allows two readings: what an easy machine does and what a strict one does. Each has a process of its
 * own, because a process keeps the first machine that it has seen. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "logged.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

static bool strict;
static struct memory memory;

static void on_machine(bool is_strict, int (*body)(void *))
{
	strict = is_strict;
	setenv("DOCA_EMU_STRICT", strict ? "1" : "0", 1);
	assert_int_equal(child_wait(child_start(body, NULL)), 0);
}

static void on_both(int (*body)(void *))
{
	on_machine(false, body);
	on_machine(true, body);
}

/* ---- the order of a teardown ---- */

#define TEARDOWN "the connection ends while consumers of the peer run (1)"

enum { CLIENT_STOP, SERVER_STOP, DISCONNECT, NUM_ENDS };

static doca_error_t part(int how, const struct pair *pair)
{
	doca_error_t result;
	if (how == DISCONNECT)
		return doca_comch_server_disconnect(pair->server.server, pair->server.connection);
	result = doca_ctx_stop(how == CLIENT_STOP ? pair->client.ctx : pair->server.ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

static void end_with_running_consumer(int how)
{
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end *peer = how == CLIENT_STOP ? &pair.server : &pair.client;
	memory_open(&memory, 4096, 4, how == CLIENT_STOP ? pair.devices.dpu : pair.devices.host,
		    DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct consumer consumer;
	consumer_make(&consumer, peer->connection, memory.mmap, 4, NULL);
	consumer_start(&consumer, peer->pe);
	log_forget();
	for (int again = 0; again < 2 && strict; again++)
		GIVES(DOCA_ERROR_IN_USE, part(how, &pair));
	if (strict) {
		CHECK(state_of(pair.client.ctx) == RUNNING && state_of(pair.server.ctx) == RUNNING);
		consumer_stop(&consumer);
	}
	OK(part(how, &pair));
	expect_logged(TEARDOWN);
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe, pair.server.pe, consumer.pe);
	UNTIL(state_of(consumer.ctx) == IDLE, pair.client.pe, pair.server.pe, consumer.pe);
	consumer_destroy(&consumer);
	pair_stop(&pair);
	memory_close(&memory);
}

static int end_in_the_wrong_order(void *unused)
{
	(void)unused;
	log_keep();
	for (int how = 0; how < NUM_ENDS; how++)
		end_with_running_consumer(how);
	return 0;
}

static void consumers_stop_before_their_connection(void **state)
{
	(void)state;
	on_both(end_in_the_wrong_order);
}

static int end_in_order(void *unused)
{
	(void)unused;
	log_keep();
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct consumer consumer;
	consumer_make(&consumer, pair.client.connection, memory.mmap, 4, NULL);
	consumer_start(&consumer, pair.client.pe);
	consumer_stop(&consumer);
	OK(part(DISCONNECT, &pair));
	CHECK(times_logged("consumers of the peer") == 0);
	consumer_destroy(&consumer);
	pair_stop(&pair);
	memory_close(&memory);
	return 0;
}

static void an_orderly_end_is_not_told_of(void **state)
{
	(void)state;
	on_both(end_in_order);
}

/* ---- message data after the callback ---- */

static int look_after_the_callback(void *unused)
{
	(void)unused;
	static uint8_t bytes[4080];
	static const uint32_t sizes[] = {1, 63, 64, 65, 100, 4080};
	fill(bytes, sizeof(bytes), 1);
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct end *from = i % 2 == 0 ? &pair.client : &pair.server,
			   *to = i % 2 == 0 ? &pair.server : &pair.client;
		uint32_t len = sizes[i / 2];
		send_bytes(from, from->connection, bytes, len);
		UNTIL(count_of(&to->record, MESSAGE) == i / 2 + 1, pair.server.pe, pair.client.pe);
		for (uint32_t at = 0; at < len && (strict || at < 64); at++)
			CHECK(to->message[at] == 0xdb);
	}
	pair_close(&pair);
	return 0;
}

static void message_data_are_gone_after_the_callback(void **state)
{
	(void)state;
	on_both(look_after_the_callback);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(consumers_stop_before_their_connection),
		cmocka_unit_test(an_orderly_end_is_not_told_of),
		cmocka_unit_test(message_data_are_gone_after_the_callback),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
