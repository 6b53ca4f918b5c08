/* What callbacks of DOCA 2.5 are given, which have types of their own. */
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define BAD DOCA_ERROR_INVALID_VALUE
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

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
		for (uint32_t len = 1; len <= 2048; len += 2047) {
			uint8_t bytes[2048];
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_server_has_callbacks_of_its_own),
		cmocka_unit_test(a_lost_client_is_an_unsuccessful_disconnection),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
