/* What callbacks of this generation are given, and what the fast path does differently. */
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define BAD DOCA_ERROR_INVALID_VALUE
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

/* ---- callbacks with types of their own ---- */

/* A server with callbacks that know which it is: each registration must reach its own. */
struct told {
	struct doca_cc_server *server;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	size_t messages, length, connected, disconnected;
	bool successful;
	struct doca_cc_connection *connection;
};

static struct told servers[2];

static void tell_message(struct told *told, const struct doca_cc_event_msg_recv *event, const uint8_t *bytes,
			 size_t length, struct doca_cc_connection *connection)
{
	CHECK(event != NULL && connection == told->connection);
	CHECK(doca_cc_server_get_server_ctx(connection) == told->server);
	CHECK(filled(bytes, length, length));
	told->messages++;
	told->length = length;
}

static void tell_connected(struct told *told, const struct doca_cc_event_connection_status_changed *event,
			   struct doca_cc_connection *connection, bool successful)
{
	CHECK(event != NULL);
	told->connected++;
	told->successful = successful;
	told->connection = connection;
}

static void tell_disconnected(struct told *told, const struct doca_cc_event_connection_status_changed *event,
			      const struct doca_cc_connection *connection, bool successful)
{
	CHECK(event != NULL && connection == told->connection);
	told->disconnected++;
	told->successful = successful;
}

#define CALLBACKS_OF(number)                                                                                           \
	static void message_of_##number(struct doca_cc_event_msg_recv *event, uint8_t *bytes, size_t length,           \
					struct doca_cc_connection *connection)                                         \
	{                                                                                                              \
		tell_message(&servers[number], event, bytes, length, connection);                                      \
	}                                                                                                              \
	static void connected_of_##number(struct doca_cc_event_connection_status_changed *event,                       \
					  struct doca_cc_connection *connection, bool successful)                      \
	{                                                                                                              \
		tell_connected(&servers[number], event, connection, successful);                                       \
	}                                                                                                              \
	static void disconnected_of_##number(struct doca_cc_event_connection_status_changed *event,                    \
					     struct doca_cc_connection *connection, bool successful)                   \
	{                                                                                                              \
		tell_disconnected(&servers[number], event, connection, successful);                                    \
	}

CALLBACKS_OF(0)
CALLBACKS_OF(1)

static void control_done(struct doca_cc_send_task *task, union doca_data a, union doca_data b)
{
	(void)a, (void)b;
	doca_task_free(doca_cc_send_task_as_task(task));
}

static void told_open(int number, const struct devices *d, const char *name)
{
	struct told *told = &servers[number];
	*told = (struct told){0};
	OK(doca_cc_server_create(d->dpu, d->rep, name, &told->server));
	told->ctx = doca_cc_server_as_ctx(told->server);
	OK(doca_cc_server_send_task_set_conf(told->server, control_done, control_done, 4));
	OK(doca_cc_server_event_msg_recv_register(told->server, number == 0 ? message_of_0 : message_of_1));
	OK(doca_cc_server_event_connection_register(told->server, number == 0 ? connected_of_0 : connected_of_1,
						    number == 0 ? disconnected_of_0 : disconnected_of_1));
	OK(doca_pe_create(&told->pe));
	OK(doca_pe_connect_ctx(told->pe, told->ctx));
	OK(doca_ctx_start(told->ctx));
}

static void told_close(struct told *told)
{
	if (doca_ctx_stop(told->ctx) == DOCA_ERROR_IN_PROGRESS)
		UNTIL(state_of(told->ctx) == DOCA_CTX_STATE_IDLE, told->pe);
	OK(doca_cc_server_destroy(told->server));
	OK(doca_pe_destroy(told->pe));
}

static void each_server_has_callbacks_of_its_own(void **state)
{
	(void)state;
	static const char *const server_names[] = {"told 0", "told 1"};
	struct devices d;
	devices_open(&d);
	struct end clients[2];
	for (int i = 0; i < 2; i++) {
		told_open(i, &d, server_names[i]);
		client_make(&clients[i], &d, server_names[i], NULL);
	}
	for (int i = 0; i < 2; i++) {
		struct told *told = &servers[i];
		struct end *client = &clients[i];
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
		UNTIL(client->connection != NULL && told->connected == 1, told->pe, client->pe);
		assert_true(told->successful);
		for (uint32_t len = 1; len <= 4080; len += 4079) {
			uint8_t bytes[4080];
			fill(bytes, len, len);
			send_bytes(client, client->connection, bytes, len);
			size_t before = told->messages;
			UNTIL(told->messages > before, told->pe, client->pe);
			assert_int_equal(told->length, len);
		}
	}
	for (int i = 0; i < 2; i++) {
		struct told *told = &servers[i];
		assert_int_equal(told->messages, 2);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(clients[i].ctx));
		UNTIL(state_of(clients[i].ctx) == DOCA_CTX_STATE_IDLE && told->disconnected == 1, told->pe,
		      clients[i].pe);
		assert_true(told->successful);
		assert_int_equal(told->connected, 1);
		end_destroy(&clients[i]);
		told_close(told);
	}
	devices_close(&d);
}

static int client_that_vanishes(void *unused)
{
	(void)unused;
	struct devices d;
	devices_open_host(&d);
	struct end client;
	client_make(&client, &d, "told 0", NULL);
	int64_t deadline = harness_deadline();
	while (client.connection == NULL) {
		harness_in_time(deadline, __FILE__, __LINE__, "connected");
		if (state_of(client.ctx) == DOCA_CTX_STATE_IDLE)
			(void)doca_ctx_start(client.ctx);
		drive(client.pe);
	}
	_exit(9); /* without a goodbye */
}

static void a_lost_client_is_an_unsuccessful_disconnection(void **state)
{
	(void)state;
	int pid = child_start(client_that_vanishes, NULL);
	struct devices d;
	devices_open_dpu(&d);
	told_open(0, &d, "told 0");
	UNTIL(servers[0].disconnected == 1, servers[0].pe);
	assert_false(servers[0].successful);
	assert_int_equal(child_wait(pid), 9);
	told_close(&servers[0]);
	devices_close(&d);
}

/* ---- the fast path ---- */

/* A producer of the client, a consumer of the server. */
struct lane {
	struct pair pair;
	struct memory from, to;
	struct producer producer;
	struct consumer consumer;
};

static void lane_open(struct lane *lane)
{
	pair_open(&lane->pair, TWO_ENGINES);
	memory_open(&lane->from, 1u << 20, 8, lane->pair.devices.host, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	memory_open(&lane->to, 1u << 20, 8, lane->pair.devices.dpu, RW);
	producer_make(&lane->producer, lane->pair.client.connection, 8, NULL);
	consumer_make(&lane->consumer, lane->pair.server.connection, lane->to.mmap, 8, NULL);
	producer_start(&lane->producer);
	consumer_start(&lane->consumer, lane->pair.server.pe);
}

static void lane_close(struct lane *lane)
{
	free_sent(&lane->producer.record);
	producer_stop(&lane->producer);
	producer_destroy(&lane->producer);
	free_received(&lane->consumer.record);
	consumer_stop(&lane->consumer);
	consumer_destroy(&lane->consumer);
	memory_close(&lane->from);
	memory_close(&lane->to);
	pair_close(&lane->pair);
}

static void data_of_every_size_are_appended(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 96, 97, 4096, 16385, 500000};
	struct lane lane;
	lane_open(&lane);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(lane.from.bytes, sizes[i], i);
		struct doca_buf *from = memory_buf(&lane.from, 0, 500000, sizes[i]);
		struct doca_buf *to = memory_buf(&lane.to, 0, 600000, 64);
		memset(lane.to.bytes, 'h', 64);
		(void)post(&lane.consumer, to);
		(void)put(&lane.producer, lane.consumer.id, from);
		UNTIL(count_of(&lane.consumer.record, RECEIVED) == i + 1 &&
			      count_of(&lane.producer.record, SENT) == i + 1,
		      lane.consumer.pe, lane.producer.pe);
		assert_int_equal(buf_data_len(to), 64 + sizes[i]);
		assert_true(lane.to.bytes[0] == 'h' && lane.to.bytes[63] == 'h');
		assert_true(filled(lane.to.bytes + 64, sizes[i], i));
		assert_int_equal(buf_data_len(from), sizes[i]);
		buf_release(from);
		buf_release(to);
	}
	lane_close(&lane);
}

static void data_longer_than_the_posted_room_are_refused(void **state)
{
	(void)state;
	struct lane lane;
	lane_open(&lane);
	struct doca_buf *from = memory_buf(&lane.from, 0, 200, 101), *to = memory_buf(&lane.to, 0, 100, 0);
	(void)post(&lane.consumer, to);
	struct doca_cc_producer_send_task *task;
	OK(doca_cc_producer_send_task_alloc_init(lane.producer.producer, from, (int)lane.consumer.id, &task));
	GIVES(BAD, doca_task_submit(doca_cc_producer_send_task_as_task(task)));
	assert_int_equal(buf_data_len(from), 101);
	assert_int_equal(buf_data_len(to), 0);
	OK(doca_buf_set_data_len(from, 100));
	OK(doca_task_submit(doca_cc_producer_send_task_as_task(task)));
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.consumer.pe, lane.producer.pe);
	assert_int_equal(buf_data_len(to), 100);
	buf_release(from);
	buf_release(to);
	lane_close(&lane);
}

static void a_send_whose_buffer_was_taken_away_is_refused(void **state)
{
	(void)state;
	struct lane lane;
	lane_open(&lane);
	struct doca_buf *from = memory_buf(&lane.from, 0, 100, 100), *to = memory_buf(&lane.to, 0, 100, 0);
	(void)post(&lane.consumer, to);
	struct doca_cc_producer_send_task *task;
	OK(doca_cc_producer_send_task_alloc_init(lane.producer.producer, from, (int)lane.consumer.id, &task));
	doca_cc_producer_send_task_set_buf(task, NULL);
	assert_null(doca_cc_producer_send_task_get_buf(task));
	GIVES(BAD, doca_task_submit(doca_cc_producer_send_task_as_task(task)));
	doca_cc_producer_send_task_set_buf(task, from);
	OK(doca_task_submit(doca_cc_producer_send_task_as_task(task)));
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.consumer.pe, lane.producer.pe);
	assert_int_equal(buf_data_len(to), 100);
	buf_release(from);
	buf_release(to);
	lane_close(&lane);
}

/* The device can send lists here; this generation cannot. */
static int lists_are_refused(void *unused)
{
	(void)unused;
	struct lane lane;
	lane_open(&lane);
	struct doca_buf *first = memory_buf(&lane.from, 0, 100, 100), *second = memory_buf(&lane.from, 100, 100, 100);
	struct doca_buf *to = memory_buf(&lane.to, 0, 1000, 0), *more = memory_buf(&lane.to, 1000, 1000, 0);
	(void)post(&lane.consumer, to);
	OK(doca_buf_chain_list(first, second));
	struct doca_cc_producer_send_task *task;
	GIVES(BAD, try_send(&lane.producer, lane.consumer.id, first, NULL, 0, &task));
	OK(doca_buf_unchain_list(first, second));
	OK(try_send(&lane.producer, lane.consumer.id, first, NULL, 0, &task));
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.consumer.pe, lane.producer.pe);
	CHECK(buf_data_len(to) == 100);
	OK(doca_buf_reset_data_len(to));
	OK(doca_buf_chain_list(to, more));
	struct doca_cc_consumer_post_recv_task *receive;
	GIVES(BAD, try_post(&lane.consumer, to, &receive));
	OK(doca_buf_unchain_list(to, more));
	buf_release(first);
	buf_release(second);
	buf_release(to);
	buf_release(more);
	lane_close(&lane);
	return 0;
}

static void lists_of_buffers_are_refused_whatever_the_device_can_do(void **state)
{
	(void)state;
	setenv("DOCA_EMU_LIMITS", "max_buf_list_len=3", 1);
	assert_int_equal(child_wait(child_start(lists_are_refused, NULL)), 0);
	unsetenv("DOCA_EMU_LIMITS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: its child reads limits of its own, which a process does once. */
		cmocka_unit_test(lists_of_buffers_are_refused_whatever_the_device_can_do),
		cmocka_unit_test(each_server_has_callbacks_of_its_own),
		cmocka_unit_test(a_lost_client_is_an_unsuccessful_disconnection),
		cmocka_unit_test(data_of_every_size_are_appended),
		cmocka_unit_test(data_longer_than_the_posted_room_are_refused),
		cmocka_unit_test(a_send_whose_buffer_was_taken_away_is_refused),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
