/* Where a guide allows two readings: what an easy machine does and what a strict one does. Each has a process of its
 * own, because a process keeps the first machine that it has seen. */
#include <stdlib.h>
#include <string.h>

#include "doca_emu.h"
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

static void end_with_running_consumer(int how, bool stubborn)
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
		if (!stubborn)
			consumer_stop(&consumer);
	}
	/* A peer that does not stop its consumer is waited for, and not for ever. */
	doca_error_t result;
	int64_t deadline = harness_deadline();
	while ((result = part(how, &pair)) == DOCA_ERROR_IN_USE && stubborn && strict)
		harness_in_time(deadline, __FILE__, __LINE__, "the connection ends");
	OK(result);
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
		for (int stubborn = 0; stubborn < 2; stubborn++)
			end_with_running_consumer(how, stubborn == 1);
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

/* ---- states and events of a server ---- */

static int stop_without_clients(void *unused)
{
	(void)unused;
	struct devices devices;
	struct end server;
	devices_open(&devices);
	server_make(&server, &devices, "alone", NULL);
	for (int i = 0; i < 2; i++) {
		record_clear(&server.record);
		OK(doca_ctx_start(server.ctx));
		GIVES(strict ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS, doca_ctx_stop(server.ctx));
		CHECK(state_of(server.ctx) == (strict ? DOCA_CTX_STATE_STOPPING : IDLE));
		UNTIL(state_of(server.ctx) == IDLE, server.pe);
		CHECK(strcmp(states_of(&server.record), "RPI") == 0);
	}
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

static void a_server_without_clients_stops_at_once_or_by_progress(void **state)
{
	(void)state;
	on_both(stop_without_clients);
}

static int stop_producer(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct producer producer;
	producer_make(&producer, pair.client.connection, 4, NULL);
	producer_start(&producer);
	GIVES(strict ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS, doca_ctx_stop(producer.ctx));
	UNTIL(state_of(producer.ctx) == IDLE, producer.pe);
	producer_destroy(&producer);
	pair_close(&pair);
	return 0;
}

static void a_producer_with_nothing_in_flight_stops_at_once_or_by_progress(void **state)
{
	(void)state;
	on_both(stop_producer);
}

static int end_connections(void *unused)
{
	(void)unused;
	harness_sleep_for_ever();
	for (int how = SERVER_STOP; how < NUM_ENDS; how++) {
		struct pair pair;
		pair_open(&pair, TWO_ENGINES);
		struct doca_comch_connection *ended = pair.server.connection;
		struct record *told = &pair.server.record;
		settle(pair.server.pe, pair.client.pe);
		OK(part(how, &pair));
		CHECK(count_of(told, DISCONNECTED) == 0);
		/* One that has an end to report does not sleep. */
		if (how == DISCONNECT)
			CHECK(is_kept_awake(pair.server.pe) == strict);
		OK(doca_pe_clear_notification(pair.server.pe, 0));
		UNTIL(state_of(pair.client.ctx) == IDLE, pair.server.pe, pair.client.pe);
		UNTIL(how == DISCONNECT || state_of(pair.server.ctx) == IDLE, pair.server.pe);
		settle(pair.server.pe, pair.client.pe);
		CHECK(count_of(told, DISCONNECTED) == (strict ? 1 : 0));
		if (strict)
			CHECK(nth(told, DISCONNECTED, 0)->object == ended && nth(told, DISCONNECTED, 0)->a == 1);
		pair_stop(&pair);
	}
	return 0;
}

static void an_end_by_the_server_itself_is_an_event_if_strict(void **state)
{
	(void)state;
	on_both(end_connections);
}

/* ---- ids ---- */

static int compare_ids(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_share(&memory, pair.devices.dpu);
	const struct end *ends[] = {&pair.client, &pair.server};
	uint32_t ids[2][2];
	for (int i = 0; i < 2; i++) {
		struct consumer consumer;
		struct producer producer;
		consumer_make(&consumer, ends[i]->connection, memory.mmap, 4, NULL);
		producer_make(&producer, ends[i]->connection, 4, NULL);
		ids[i][0] = consumer.id;
		OK(doca_comch_producer_get_id(producer.producer, &ids[i][1]));
		CHECK(ids[i][0] < 65535 && ids[i][1] < 65535);
		consumer_destroy(&consumer);
		producer_destroy(&producer);
	}
	for (int i = 0; i < 2; i++) {
		CHECK((ids[0][i] == ids[1][i]) == !strict);
		CHECK((ids[0][i] == 1) == !strict);
	}
	pair_close(&pair);
	memory_close(&memory);
	return 0;
}

static void ids_of_both_sides_begin_alike_unless_strict(void **state)
{
	(void)state;
	on_both(compare_ids);
}

/* ---- memory that is the device's, and failures ---- */

struct path {
	struct pair pair;
	struct consumer consumer;
	struct producer producer;
	struct doca_buf *bufs[3];
	size_t num_bufs;
};

/* Of the memory, until the path is closed. */
static struct doca_buf *path_buf(struct path *path, size_t offset, size_t len, size_t data_len)
{
	return path->bufs[path->num_bufs++] = memory_buf(&memory, offset, len, data_len);
}

static void path_open(struct path *path)
{
	path->num_bufs = 0;
	pair_open(&path->pair, TWO_ENGINES);
	memory_open(&memory, 1u << 20, 8, path->pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_share(&memory, path->pair.devices.dpu);
	consumer_make(&path->consumer, path->pair.server.connection, memory.mmap, 4, NULL);
	consumer_start(&path->consumer, path->pair.server.pe);
	producer_make(&path->producer, path->pair.client.connection, 4, NULL);
	producer_start(&path->producer);
}

static void path_close(struct path *path)
{
	(void)doca_ctx_stop(path->producer.ctx);
	(void)doca_ctx_stop(path->consumer.ctx);
	UNTIL(inflight(path->producer.ctx) == 0 && inflight(path->consumer.ctx) == 0, path->producer.pe,
	      path->consumer.pe);
	free_sent(&path->producer.record);
	free_received(&path->consumer.record);
	UNTIL(state_of(path->producer.ctx) == IDLE, path->producer.pe);
	UNTIL(state_of(path->consumer.ctx) == IDLE, path->consumer.pe);
	producer_destroy(&path->producer);
	consumer_destroy(&path->consumer);
	pair_stop(&path->pair);
	for (size_t i = 0; i < path->num_bufs; i++)
		buf_release(path->bufs[i]);
	memory_close(&memory);
}

static void expect_broken(struct path *path)
{
	UNTIL(count_of(&path->pair.server.record, DISCONNECTED) == 1 && state_of(path->producer.ctx) != RUNNING &&
		      state_of(path->consumer.ctx) != RUNNING && inflight(path->consumer.ctx) == 0,
	      path->pair.client.pe, path->pair.server.pe, path->producer.pe, path->consumer.pe);
	CHECK(nth(&path->pair.server.record, DISCONNECTED, 0)->a == 0);
}

/* From the first half of the memory to the second. */
static void change_source(size_t len, bool change)
{
	struct path path;
	path_open(&path);
	fill(memory.bytes, len, 1);
	struct doca_buf *from = path_buf(&path, 0, len, len), *to = path_buf(&path, 1u << 19, len, 0);
	post(&path.consumer, to);
	put(&path.producer, path.consumer.id, from);
	if (change)
		memory.bytes[len - 1] ^= 1;
	log_forget();
	bool fails = change && strict;
	UNTIL(count_of(&path.producer.record, fails ? SEND_FAILED : SENT) == 1, path.producer.pe, path.consumer.pe);
	if (fails) {
		CHECK(times_logged("were changed between") == 1);
		expect_broken(&path);
	} else {
		UNTIL(count_of(&path.consumer.record, RECEIVED) == 1, path.consumer.pe);
	}
	path_close(&path);
}

static int change_sources(void *unused)
{
	(void)unused;
	static const size_t sizes[] = {1, 20, 96, 97, 4000, 200000};
	log_keep();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int change = 0; change < 2; change++)
			change_source(sizes[i], change == 1);
	return 0;
}

static void a_payload_that_is_changed_in_flight_fails_for_good_if_strict(void **state)
{
	(void)state;
	on_both(change_sources);
}

static int look_at_target(void *unused)
{
	(void)unused;
	struct path path;
	path_open(&path);
	fill(memory.bytes, 4096, 1);
	fill(memory.bytes + 8192, 4096, 2);
	/* It has 96 bytes already. */
	struct doca_buf *to = path_buf(&path, 8192, 4096, 96), *from = path_buf(&path, 0, 1000, 1000);
	post(&path.consumer, to);
	CHECK(filled(memory.bytes + 8192, 96, 2));
	CHECK(filled(memory.bytes + 8192, 4096, 2) == !strict);
	for (size_t i = 96; i < 4096 && strict; i++)
		CHECK(memory.bytes[8192 + i] == 0xdb);
	put(&path.producer, path.consumer.id, from);
	UNTIL(count_of(&path.consumer.record, RECEIVED) == 1, path.consumer.pe);
	UNTIL(count_of(&path.producer.record, SENT) == 1, path.producer.pe);
	CHECK(filled(memory.bytes + 8192, 96, 2) && filled(memory.bytes + 8192 + 96, 1000, 1));
	path_close(&path);
	return 0;
}

static void a_posted_buffer_is_overwritten_if_strict(void **state)
{
	(void)state;
	on_both(look_at_target);
}

static void fail_on_demand(const char *faults, enum happening what)
{
	struct path path;
	path_open(&path);
	struct doca_buf *from = path_buf(&path, 0, 100, 100), *to[2];
	for (int i = 0; i < 2; i++) {
		to[i] = path_buf(&path, (size_t)(i + 1) * 4096, 100, 0);
		post(&path.consumer, to[i]);
	}
	OK(doca_emu_set_faults(faults));
	put(&path.producer, path.consumer.id, from);
	struct record *told = what == SEND_FAILED ? &path.producer.record : &path.consumer.record;
	UNTIL(count_of(told, what) == 1, path.producer.pe, path.consumer.pe);
	CHECK(nth(told, what, 0)->a == DOCA_ERROR_IO_FAILED);
	settle(path.producer.pe, path.consumer.pe);
	if (strict)
		expect_broken(&path);
	else
		CHECK(state_of(path.producer.ctx) == RUNNING && state_of(path.consumer.ctx) == RUNNING);
	OK(doca_emu_set_faults(NULL));
	path_close(&path);
}

static int fail_tasks(void *unused)
{
	(void)unused;
	fail_on_demand("fail_send=1:IO_FAILED", SEND_FAILED);
	fail_on_demand("fail_recv=1:IO_FAILED", RECEIVE_FAILED);
	return 0;
}

static void a_failed_task_stops_its_context_if_strict(void **state)
{
	(void)state;
	on_both(fail_tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(consumers_stop_before_their_connection),
		cmocka_unit_test(an_orderly_end_is_not_told_of),
		cmocka_unit_test(message_data_are_gone_after_the_callback),
		cmocka_unit_test(a_server_without_clients_stops_at_once_or_by_progress),
		cmocka_unit_test(a_producer_with_nothing_in_flight_stops_at_once_or_by_progress),
		cmocka_unit_test(an_end_by_the_server_itself_is_an_event_if_strict),
		cmocka_unit_test(ids_of_both_sides_begin_alike_unless_strict),
		cmocka_unit_test(a_payload_that_is_changed_in_flight_fails_for_good_if_strict),
		cmocka_unit_test(a_posted_buffer_is_overwritten_if_strict),
		cmocka_unit_test(a_failed_task_stops_its_context_if_strict),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
