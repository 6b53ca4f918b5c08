/* Starting, connecting, disconnecting, stopping and destroying servers and clients. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "logged.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define STARTING DOCA_CTX_STATE_STARTING
#define RUNNING DOCA_CTX_STATE_RUNNING
#define STOPPING DOCA_CTX_STATE_STOPPING

static void on_sent(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event, (void)bytes, (void)len, (void)connection;
}

static void on_connection(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t ok)
{
	(void)event, (void)connection, (void)ok;
}

/* ---- start ---- */

static void a_start_needs_an_engine(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "engine");
	client_create(&client, &d, "engine");
	end_configure(&server);
	end_configure(&client);
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(server.ctx));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(client.ctx));
	assert_int_equal(state_of(server.ctx), IDLE);
	assert_int_equal(server.record.num + client.record.num, 0);
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void a_start_needs_each_mandatory_item(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	/* Each bit leaves one item out. */
	for (int left_out = 1; left_out < 8; left_out++) {
		struct end server;
		server_create(&server, &d, "mandatory");
		if ((left_out & 1) == 0)
			OK(doca_comch_server_task_send_set_conf(server.server, on_sent, on_sent, 1));
		if ((left_out & 2) == 0)
			OK(doca_comch_server_event_msg_recv_register(server.server, on_message));
		if ((left_out & 4) == 0)
			OK(doca_comch_server_event_connection_status_changed_register(server.server, on_connection,
										      on_connection));
		end_connect_pe(&server, NULL);
		GIVES(START_UNCONFIGURED, doca_ctx_start(server.ctx));
		assert_int_equal(state_of(server.ctx), IDLE);
		end_destroy(&server);
	}
	for (int left_out = 1; left_out < 4; left_out++) {
		struct end client;
		client_create(&client, &d, "mandatory");
		if ((left_out & 1) == 0)
			OK(doca_comch_client_task_send_set_conf(client.client, on_sent, on_sent, 1));
		if ((left_out & 2) == 0)
			OK(doca_comch_client_event_msg_recv_register(client.client, on_message));
		end_connect_pe(&client, NULL);
		GIVES(START_UNCONFIGURED, doca_ctx_start(client.ctx));
		assert_int_equal(state_of(client.ctx), IDLE);
		end_destroy(&client);
	}
	devices_close(&d);
}

static void the_order_of_configuration_is_free_and_consumer_events_are_optional(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server;
	server_create(&server, &d, "order");
	end_connect_pe(&server, NULL);
	OK(doca_comch_server_event_connection_status_changed_register(server.server, on_connection, on_connection));
	OK(doca_comch_server_event_msg_recv_register(server.server, on_message));
	OK(doca_comch_server_task_send_set_conf(server.server, on_sent, on_sent, 1));
	OK(doca_ctx_start(server.ctx));
	assert_int_equal(state_of(server.ctx), RUNNING);
	OK(doca_ctx_stop(server.ctx));
	assert_int_equal(state_of(server.ctx), IDLE);
	end_destroy(&server);
	devices_close(&d);
}

static void a_server_runs_at_once_and_a_client_when_it_is_accepted(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	assert_int_equal(state_of(pair.server.ctx), RUNNING);
	assert_string_equal(states_of(&pair.server.record), "R");
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	assert_int_equal(state_of(pair.client.ctx), STARTING);
	assert_string_equal(states_of(&pair.client.record), "S");
	/* A server that is not progressed accepts nobody. */
	settle(pair.client.pe, NULL);
	assert_int_equal(state_of(pair.client.ctx), STARTING);
	UNTIL(count_of(&pair.server.record, CONNECTED) == 1, pair.server.pe);
	UNTIL(state_of(pair.client.ctx) == RUNNING, pair.client.pe);
	assert_string_equal(states_of(&pair.client.record), "SR");
	assert_int_equal(nth(&pair.server.record, CONNECTED, 0)->a, 1);
	GIVES(DOCA_ERROR_BAD_STATE, doca_ctx_start(pair.server.ctx));
	GIVES(DOCA_ERROR_BAD_STATE, doca_ctx_start(pair.client.ctx));
	pair_close(&pair);
}

static void a_second_server_of_the_same_name_does_not_start(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end first, second;
	server_make(&first, &d, "twice", NULL);
	server_make(&second, &d, "twice", NULL);
	OK(doca_ctx_start(first.ctx));
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(second.ctx));
	assert_int_equal(state_of(second.ctx), IDLE);
	assert_int_equal(second.record.num, 0);
	/* One after the other is fine. */
	OK(doca_ctx_stop(first.ctx));
	OK(doca_ctx_start(second.ctx));
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(first.ctx));
	OK(doca_ctx_stop(second.ctx));
	end_destroy(&first);
	end_destroy(&second);
	devices_close(&d);
}

static void names_are_per_representor_and_a_client_meets_its_own(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct devices other = d;
	other.rep = d.rep2;
	other.host = d.host2;
	struct end first, second, client, client2;
	server_make(&first, &d, "same/../name", NULL);
	server_make(&second, &other, "same/../name", NULL);
	OK(doca_ctx_start(first.ctx));
	OK(doca_ctx_start(second.ctx));
	client_make(&client, &d, "same/../name", NULL);
	client_make(&client2, &other, "same/../name", NULL);
	(void)doca_ctx_start(client.ctx);
	UNTIL(first.connection != NULL, client.pe, first.pe, second.pe);
	assert_null(second.connection);
	(void)doca_ctx_start(client2.ctx);
	UNTIL(second.connection != NULL, client2.pe, first.pe, second.pe);
	assert_int_equal(count_of(&first.record, CONNECTED), 1);
	struct end *all[] = {&client, &client2, &first, &second};
	for (size_t i = 0; i < 4; i++) {
		(void)doca_ctx_stop(all[i]->ctx);
		UNTIL(state_of(all[i]->ctx) == IDLE, client.pe, client2.pe, first.pe, second.pe);
	}
	for (size_t i = 0; i < 4; i++)
		end_destroy(all[i]);
	devices_close(&d);
}

static void without_a_server_the_start_fails_in_progress(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end client;
	client_make(&client, &d, "nobody", NULL);
	for (int attempt = 0; attempt < 3; attempt++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		assert_int_equal(state_of(client.ctx), STARTING);
		UNTIL(state_of(client.ctx) == IDLE, client.pe);
	}
	assert_string_equal(states_of(&client.record), "SISISI");
	assert_int_equal(nth(&client.record, STATE, 1)->a, STARTING);
	struct doca_comch_connection *connection;
	GIVES(DOCA_ERROR_BAD_STATE, doca_comch_client_get_connection(client.client, &connection));
	end_destroy(&client);
	devices_close(&d);
}

static void a_client_can_be_told_to_wait_for_its_server(void **state)
{
	(void)state;
	setenv("DOCA_EMU_CONNECT_WAIT", "60000", 1);
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	settle(pair.client.pe, NULL);
	assert_int_equal(state_of(pair.client.ctx), STARTING);
	OK(doca_ctx_start(pair.server.ctx));
	UNTIL(state_of(pair.client.ctx) == RUNNING, pair.client.pe, pair.server.pe);
	pair_stop(&pair);
	setenv("DOCA_EMU_CONNECT_WAIT", "1", 1);
	struct end lonely;
	struct devices d;
	devices_open(&d);
	client_make(&lonely, &d, "nobody", NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(lonely.ctx));
	UNTIL(state_of(lonely.ctx) == IDLE, lonely.pe);
	assert_string_equal(states_of(&lonely.record), "SI");
	end_destroy(&lonely);
	devices_close(&d);
	unsetenv("DOCA_EMU_CONNECT_WAIT");
}

static void a_server_that_stops_ends_the_attempts_of_waiting_clients(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	settle(pair.client.pe, NULL);
	OK(doca_ctx_stop(pair.server.ctx));
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	assert_string_equal(states_of(&pair.client.record), "SI");
	assert_int_equal(count_of(&pair.server.record, CONNECTED), 0);
	pair_stop(&pair);
}

/* ---- connection objects ---- */

static void a_connection_knows_its_end_and_carries_user_data(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_comch_connection *s = pair.server.connection, *c = pair.client.connection;
	assert_ptr_equal(doca_comch_server_get_server_ctx(s), pair.server.server);
	assert_null(doca_comch_client_get_client_ctx(s));
	assert_ptr_equal(doca_comch_client_get_client_ctx(c), pair.client.client);
	assert_null(doca_comch_server_get_server_ctx(c));
	assert_null(doca_comch_server_get_server_ctx(NULL));
	assert_null(doca_comch_client_get_client_ctx(NULL));
	assert_int_equal(doca_comch_connection_get_user_data(s).u64, 0);
	OK(doca_comch_connection_set_user_data(s, (union doca_data){.u64 = 42}));
	OK(doca_comch_connection_set_user_data(c, (union doca_data){.u64 = 43}));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_set_user_data(NULL, (union doca_data){.u64 = 1}));
	assert_int_equal(doca_comch_connection_get_user_data(s).u64, 42);
	assert_int_equal(doca_comch_connection_get_user_data(c).u64, 43);
	struct doca_comch_connection *again;
	OK(doca_comch_client_get_connection(pair.client.client, &again));
	assert_ptr_equal(again, c);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_connection(NULL, &again));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_connection(pair.client.client, NULL));
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1, pair.client.pe, pair.server.pe);
	/* Readable inside the disconnect callback. */
	assert_int_equal(nth(&pair.server.record, DISCONNECTED, 0)->b, 42);
	pair_stop(&pair);
}

static void in_starting_the_connection_exists_but_is_in_progress(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	struct doca_comch_connection *connection;
	OK(doca_comch_client_get_connection(pair.client.client, &connection));
	GIVES(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comch_connection_update_info(connection));
	struct doca_comch_task_send *task;
	GIVES(DOCA_ERROR_BAD_STATE, alloc_send(&pair.client, connection, "x", 1, &task));
	struct doca_comch_producer *producer;
	GIVES(DOCA_ERROR_BAD_STATE, doca_comch_producer_create(connection, &producer));
	UNTIL(state_of(pair.client.ctx) == RUNNING, pair.client.pe, pair.server.pe);
	OK(doca_comch_connection_update_info(connection));
	assert_ptr_equal(pair.client.connection, connection);
	pair_close(&pair);
}

/* ---- client stops ---- */

static void a_client_that_stops_is_reported_as_an_orderly_disconnection(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	void *connection = pair.server.connection;
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
	assert_int_equal(state_of(pair.client.ctx), STOPPING);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
	/* The client does not need the server for it. */
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	assert_string_equal(states_of(&pair.client.record), "SRPI");
	OK(doca_ctx_stop(pair.client.ctx));
	assert_string_equal(states_of(&pair.client.record), "SRPI");
	UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1, pair.server.pe);
	assert_int_equal(nth(&pair.server.record, DISCONNECTED, 0)->a, 1);
	assert_ptr_equal(nth(&pair.server.record, DISCONNECTED, 0)->object, connection);
	pair_stop(&pair);
}

static void a_client_can_be_restarted_and_is_a_new_connection(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	for (size_t round = 1; round <= 100; round++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
		UNTIL(state_of(pair.client.ctx) == IDLE && count_of(&pair.server.record, DISCONNECTED) == round,
		      pair.server.pe);
		pair_connect(&pair);
	}
	assert_int_equal(count_of(&pair.server.record, CONNECTED), 101);
	pair_close(&pair);
}

static void a_client_may_stop_while_starting(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	/* Before it has done anything; after its request; after the server has accepted. */
	for (int when = 0; when < 3; when++) {
		size_t connects = count_of(&pair.server.record, CONNECTED);
		size_t disconnects = count_of(&pair.server.record, DISCONNECTED);
		record_clear(&pair.client.record);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
		if (when > 0)
			settle(pair.client.pe, NULL);
		if (when == 2)
			UNTIL(count_of(&pair.server.record, CONNECTED) == connects + 1, pair.server.pe);
		assert_int_equal(state_of(pair.client.ctx), STARTING);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
		UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
		assert_string_equal(states_of(&pair.client.record), "SPI");
		settle(pair.server.pe, NULL);
		/* Whoever was reported as connected is reported as gone. */
		size_t successful = 0;
		for (size_t i = connects; i < count_of(&pair.server.record, CONNECTED); i++)
			successful += nth(&pair.server.record, CONNECTED, i)->a == 1;
		assert_int_equal(count_of(&pair.server.record, DISCONNECTED) - disconnects, successful);
	}
	assert_null(pair.server.connection);
	pair_stop(&pair);
}

/* ---- server disconnects ---- */

static void a_server_can_disconnect_a_client(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_comch_connection *connection = pair.server.connection;
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(NULL, connection));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(pair.server.server, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(pair.server.server, pair.client.connection));
	OK(doca_comch_server_disconnect(pair.server.server, connection));
	/* A dead pointer: late calls are answered. */
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(pair.server.server, connection));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(connection));
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe, pair.server.pe);
	assert_string_equal(states_of(&pair.client.record), "SRPI");
	settle(pair.server.pe, NULL);
	/* What a server asks for itself is not reported to it. */
	assert_int_equal(count_of(&pair.server.record, DISCONNECTED), 0);
	pair_connect(&pair);
	pair_close(&pair);
}

static void reject(struct end *end, struct doca_comch_connection *connection)
{
	OK(doca_comch_server_disconnect(end->server, connection));
}

static void a_server_can_reject_a_client_in_the_connect_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	pair.server.on_connect = reject;
	OK(doca_ctx_start(pair.server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe, pair.server.pe);
	const char *states = states_of(&pair.client.record);
	assert_true(strcmp(states, "SRPI") == 0 || strcmp(states, "SI") == 0);
	settle(pair.server.pe, NULL);
	assert_int_equal(count_of(&pair.server.record, CONNECTED), 1);
	assert_int_equal(count_of(&pair.server.record, DISCONNECTED), 0);
	pair_stop(&pair);
}

static void messages_before_a_disconnection_arrive_first(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	for (int i = 0; i < 5; i++)
		send_text(&pair.server, pair.server.connection, "last words");
	OK(doca_comch_server_disconnect(pair.server.server, pair.server.connection));
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	assert_int_equal(count_of(&pair.client.record, MESSAGE), 5);
	UNTIL(count_of(&pair.server.record, SENT) == 5, pair.server.pe);
	pair_stop(&pair);
}

static void a_goodbye_that_has_no_room_gives_again(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, 1));
	pair_connect(&pair);
	send_text(&pair.server, pair.server.connection, "one");
	send_text(&pair.server, pair.server.connection, "two");
	struct doca_comch_connection *connection = pair.server.connection;
	GIVES(DOCA_ERROR_AGAIN, doca_comch_server_disconnect(pair.server.server, connection));
	/* Nothing has changed: the connection goes on. */
	send_text(&pair.server, connection, "three");
	UNTIL(count_of(&pair.client.record, MESSAGE) == 3, pair.client.pe, pair.server.pe);
	OK(doca_comch_server_disconnect(pair.server.server, connection));
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe, pair.server.pe);
	pair_stop(&pair);
}

static void a_client_that_does_not_read_can_be_disconnected(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, 1));
	pair_connect(&pair);
	for (int i = 0; i < 3; i++)
		send_text(&pair.server, pair.server.connection, "unread");
	log_forget();
	doca_error_t result;
	do { /* it does not wait longer than for a second without any message that goes */
		result = doca_comch_server_disconnect(pair.server.server, pair.server.connection);
	} while (result == DOCA_ERROR_AGAIN);
	OK(result);
	expect_logged("2 submitted messages are given up");
	UNTIL(count_of(&pair.server.record, SENT) == 1 && count_of(&pair.server.record, SEND_FAILED) == 2,
	      pair.server.pe);
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	assert_int_equal(count_of(&pair.client.record, MESSAGE), 1);
	pair_stop(&pair);
}

/* ---- server stops ---- */

static void a_server_that_stops_drops_its_clients(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end second;
	client_make(&second, &pair.devices, "pair", NULL);
	(void)doca_ctx_start(second.ctx);
	UNTIL(state_of(second.ctx) == RUNNING && count_of(&pair.server.record, CONNECTED) == 2, second.pe,
	      pair.server.pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.server.ctx));
	assert_int_equal(state_of(pair.server.ctx), STOPPING);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.server.ctx));
	UNTIL(state_of(pair.server.ctx) == IDLE, pair.server.pe);
	assert_string_equal(states_of(&pair.server.record), "RPI");
	assert_int_equal(count_of(&pair.server.record, DISCONNECTED), 0);
	UNTIL(state_of(pair.client.ctx) == IDLE && state_of(second.ctx) == IDLE, pair.client.pe, second.pe);
	assert_string_equal(states_of(&pair.client.record), "SRPI");
	assert_string_equal(states_of(&second.record), "SRPI");
	OK(doca_ctx_stop(pair.server.ctx));
	end_destroy(&second);
	pair_stop(&pair);
}

static void a_server_can_be_restarted(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	for (int round = 0; round < 50; round++) {
		(void)doca_ctx_stop(pair.server.ctx);
		UNTIL(state_of(pair.server.ctx) == IDLE && state_of(pair.client.ctx) == IDLE, pair.server.pe);
		pair_connect(&pair);
	}
	pair_close(&pair);
}

static void a_lone_server_stops_at_once(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server;
	server_make(&server, &d, "lone", NULL);
	OK(doca_ctx_start(server.ctx));
	OK(doca_ctx_stop(server.ctx));
	assert_string_equal(states_of(&server.record), "RPI");
	end_destroy(&server);
	devices_close(&d);
}

/* ---- stopping and destroying inside callbacks ---- */

static void stop_this(struct end *end, struct doca_comch_connection *connection)
{
	/* What the callback was given stays valid until it returns, whatever the stop does. */
	doca_error_t result = doca_ctx_stop(end->ctx);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	CHECK(doca_comch_connection_get_user_data(connection).u64 == 0);
	CHECK(end->server == NULL || doca_comch_server_get_server_ctx(connection) == end->server);
}

static void drop_and_stop(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	(void)bytes, (void)len;
	if (end->server != NULL)
		OK(doca_comch_server_disconnect(end->server, connection));
	stop_this(end, connection);
}

static void destroy_when_idle(struct end *end, enum doca_ctx_states next)
{
	if (next != IDLE)
		return;
	if (end->server != NULL)
		OK(doca_comch_server_destroy(end->server));
	else
		OK(doca_comch_client_destroy(end->client));
	end->ctx = NULL;
}

static void a_context_may_be_destroyed_in_its_idle_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	pair.client.on_state = destroy_when_idle;
	pair.server.on_state = destroy_when_idle;
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(pair.client.ctx == NULL, pair.server.pe);
	(void)doca_ctx_stop(pair.server.ctx);
	UNTIL(pair.server.ctx == NULL, pair.server.pe);
	pair_stop(&pair);
}

static void a_server_may_stop_in_the_disconnect_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	pair.server.on_disconnect = stop_this;
	pair.server.on_state = destroy_when_idle;
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(pair.server.ctx == NULL && state_of(pair.client.ctx) == IDLE, pair.server.pe);
	assert_string_equal(states_of(&pair.server.record), "RPI");
	pair_stop(&pair);
}

static void a_server_may_stop_in_the_connect_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, ONE_ENGINE);
	pair.server.on_connect = stop_this;
	pair.server.on_state = destroy_when_idle;
	OK(doca_ctx_start(pair.server.ctx));
	(void)doca_ctx_start(pair.client.ctx);
	UNTIL(pair.server.ctx == NULL && state_of(pair.client.ctx) == IDLE, pair.server.pe);
	pair_stop(&pair);
}

static void a_server_may_drop_its_last_client_and_stop_in_the_message_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	pair.server.on_message = drop_and_stop;
	pair.server.on_state = destroy_when_idle;
	send_text(&pair.client, pair.client.connection, "go away");
	UNTIL(pair.server.ctx == NULL && state_of(pair.client.ctx) == IDLE, pair.server.pe);
	pair_stop(&pair);
}

static void a_client_may_stop_in_the_message_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	pair.client.on_message = drop_and_stop;
	pair.client.on_state = destroy_when_idle;
	send_text(&pair.server, pair.server.connection, "go away");
	UNTIL(pair.client.ctx == NULL && count_of(&pair.server.record, DISCONNECTED) == 1, pair.server.pe);
	pair_stop(&pair);
}

static void restart_when_idle(struct end *end, enum doca_ctx_states next)
{
	if (next == IDLE && count_of(&end->record, STATE) < 8)
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
}

static void a_client_may_be_restarted_in_its_idle_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	pair.client.on_state = restart_when_idle;
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(state_of(pair.client.ctx) == RUNNING, pair.server.pe, pair.client.pe);
	assert_string_equal(states_of(&pair.client.record), "SRPISR");
	pair_close(&pair);
}

/* ---- destroying and engines ---- */

static void only_an_idle_context_can_be_destroyed(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_server_destroy(pair.server.server));
	(void)doca_ctx_start(pair.client.ctx);
	GIVES(DOCA_ERROR_IN_USE, doca_comch_client_destroy(pair.client.client));
	UNTIL(pair.client.connection != NULL && pair.server.connection != NULL, pair.server.pe, pair.client.pe);
	GIVES(DOCA_ERROR_IN_USE, doca_comch_client_destroy(pair.client.client));
	(void)doca_ctx_stop(pair.client.ctx);
	GIVES(DOCA_ERROR_IN_USE, doca_comch_client_destroy(pair.client.client));
	(void)doca_ctx_stop(pair.server.ctx);
	GIVES(DOCA_ERROR_IN_USE, doca_comch_server_destroy(pair.server.server));
	UNTIL(state_of(pair.client.ctx) == IDLE && state_of(pair.server.ctx) == IDLE, pair.server.pe, pair.client.pe);
	pair_stop(&pair);
}

static void an_engine_outlives_its_contexts(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, ONE_ENGINE);
	struct doca_pe *other;
	OK(doca_pe_create(&other));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(other, pair.client.ctx));
	pair_connect(&pair);
	GIVES(DOCA_ERROR_BAD_STATE, doca_pe_connect_ctx(other, pair.client.ctx));
	GIVES(DOCA_ERROR_IN_USE, doca_pe_destroy(pair.server.pe));
	OK(doca_pe_destroy(other));
	pair_close(&pair);
}

static void progress_in_a_callback(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes,
				   uint32_t len)
{
	(void)connection, (void)bytes, (void)len;
	CHECK(doca_pe_progress(end->pe) == 0);
	CHECK(doca_pe_destroy(end->pe) == DOCA_ERROR_IN_USE);
}

static void progress_inside_a_callback_does_nothing(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	pair.client.on_message = progress_in_a_callback;
	for (int i = 0; i < 5; i++)
		send_text(&pair.server, pair.server.connection, "again");
	UNTIL(count_of(&pair.client.record, MESSAGE) == 5, pair.client.pe, pair.server.pe);
	pair_close(&pair);
}

static void progress_of_another_engine(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes,
				       uint32_t len)
{
	(void)connection, (void)bytes, (void)len;
	struct pair *pair = end->own;
	UNTIL(count_of(&pair->server.record, MESSAGE) == 1, pair->server.pe);
}

static void progress_of_another_engine_works_inside_a_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	pair.client.own = &pair;
	pair.client.on_message = progress_of_another_engine;
	send_text(&pair.client, pair.client.connection, "to the server");
	send_text(&pair.server, pair.server.connection, "to the client");
	UNTIL(count_of(&pair.client.record, MESSAGE) == 1, pair.client.pe);
	pair_close(&pair);
}

/* ---- several clients ---- */

#define MANY 40

static void many_clients_each_have_their_own_connection(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, clients[MANY];
	server_make(&server, &d, "many", NULL);
	OK(doca_ctx_start(server.ctx));
	for (size_t i = 0; i < MANY; i++) {
		client_make(&clients[i], &d, "many", server.pe);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[i].ctx));
	}
	size_t running = 0;
	while (running < MANY) {
		UNTIL(count_of(&server.record, CONNECTED) > running, server.pe);
		running = count_of(&server.record, CONNECTED);
	}
	for (size_t i = 0; i < MANY; i++) {
		UNTIL(state_of(clients[i].ctx) == RUNNING, server.pe);
		struct doca_comch_connection *connection = nth(&server.record, CONNECTED, i)->object;
		OK(doca_comch_connection_set_user_data(connection, (union doca_data){.u64 = 100 + i}));
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(connection, nth(&server.record, CONNECTED, j)->object);
	}
	for (size_t i = 0; i < MANY; i++)
		send_bytes(&clients[i], clients[i].connection, &i, sizeof(i));
	UNTIL(count_of(&server.record, MESSAGE) == MANY, server.pe);
	/* One client's end does not concern the others. */
	for (size_t i = 0; i < MANY; i += 2)
		(void)doca_ctx_stop(clients[i].ctx);
	UNTIL(count_of(&server.record, DISCONNECTED) == MANY / 2, server.pe);
	for (size_t i = 1; i < MANY; i += 2) {
		assert_int_equal(state_of(clients[i].ctx), RUNNING);
		send_bytes(&clients[i], clients[i].connection, &i, sizeof(i));
	}
	UNTIL(count_of(&server.record, MESSAGE) == MANY + MANY / 2, server.pe);
	(void)doca_ctx_stop(server.ctx);
	for (size_t i = 0; i < MANY; i++) {
		UNTIL(state_of(clients[i].ctx) == IDLE, server.pe);
		end_destroy(&clients[i]);
	}
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&d);
}

int main(void)
{
	log_keep();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_needs_an_engine),
		cmocka_unit_test(a_start_needs_each_mandatory_item),
		cmocka_unit_test(the_order_of_configuration_is_free_and_consumer_events_are_optional),
		cmocka_unit_test(a_server_runs_at_once_and_a_client_when_it_is_accepted),
		cmocka_unit_test(a_second_server_of_the_same_name_does_not_start),
		cmocka_unit_test(names_are_per_representor_and_a_client_meets_its_own),
		cmocka_unit_test(without_a_server_the_start_fails_in_progress),
		cmocka_unit_test(a_client_can_be_told_to_wait_for_its_server),
		cmocka_unit_test(a_server_that_stops_ends_the_attempts_of_waiting_clients),
		cmocka_unit_test(a_connection_knows_its_end_and_carries_user_data),
		cmocka_unit_test(in_starting_the_connection_exists_but_is_in_progress),
		cmocka_unit_test(a_client_that_stops_is_reported_as_an_orderly_disconnection),
		cmocka_unit_test(a_client_can_be_restarted_and_is_a_new_connection),
		cmocka_unit_test(a_client_may_stop_while_starting),
		cmocka_unit_test(a_server_can_disconnect_a_client),
		cmocka_unit_test(a_server_can_reject_a_client_in_the_connect_callback),
		cmocka_unit_test(messages_before_a_disconnection_arrive_first),
		cmocka_unit_test(a_goodbye_that_has_no_room_gives_again),
		cmocka_unit_test(a_client_that_does_not_read_can_be_disconnected),
		cmocka_unit_test(a_server_that_stops_drops_its_clients),
		cmocka_unit_test(a_server_can_be_restarted),
		cmocka_unit_test(a_lone_server_stops_at_once),
		cmocka_unit_test(a_context_may_be_destroyed_in_its_idle_callback),
		cmocka_unit_test(a_server_may_stop_in_the_disconnect_callback),
		cmocka_unit_test(a_server_may_stop_in_the_connect_callback),
		cmocka_unit_test(a_server_may_drop_its_last_client_and_stop_in_the_message_callback),
		cmocka_unit_test(a_client_may_stop_in_the_message_callback),
		cmocka_unit_test(a_client_may_be_restarted_in_its_idle_callback),
		cmocka_unit_test(only_an_idle_context_can_be_destroyed),
		cmocka_unit_test(an_engine_outlives_its_contexts),
		cmocka_unit_test(progress_inside_a_callback_does_nothing),
		cmocka_unit_test(progress_of_another_engine_works_inside_a_callback),
		cmocka_unit_test(many_clients_each_have_their_own_connection),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
