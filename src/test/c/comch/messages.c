/* Control messages between a server and a client. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define MAX_SIZE 4080

static struct doca_task *task_of(struct doca_comch_task_send *task)
{
	return doca_comch_task_send_as_task(task);
}

static void messages_of_every_kind_of_size_arrive_both_ways(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {1, 2, 15, 16, 17, 255, 256, 1000, 4079, 4080};
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end *ends[2] = {&pair.client, &pair.server};
	uint8_t bytes[MAX_SIZE];
	for (int direction = 0; direction < 2; direction++) {
		struct end *from = ends[direction], *to = ends[1 - direction];
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			fill(bytes, sizes[i], i);
			send_bytes(from, from->connection, bytes, sizes[i]);
			UNTIL(count_of(&to->record, MESSAGE) == i + 1, to->pe);
			const struct happened *message = nth(&to->record, MESSAGE, i);
			assert_int_equal(message->a, sizes[i]);
			assert_true(filled(message->bytes, sizes[i], i));
			assert_ptr_equal(message->object, to->connection);
			UNTIL(count_of(&from->record, SENT) == i + 1, from->pe);
			assert_int_equal(inflight(from->ctx), 0);
		}
	}
	pair_close(&pair);
}

static void every_size_survives_the_end_of_the_ring(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, ONE_ENGINE);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, 3));
	pair_connect(&pair);
	uint8_t bytes[MAX_SIZE];
	for (uint32_t len = 1; len <= MAX_SIZE; len += 7) {
		fill(bytes, len, len);
		send_bytes(&pair.client, pair.client.connection, bytes, len);
		UNTIL(count_of(&pair.server.record, MESSAGE) == 1 && count_of(&pair.client.record, SENT) == 1,
		      pair.server.pe);
		const struct happened *message = nth(&pair.server.record, MESSAGE, 0);
		assert_int_equal(message->a, len);
		assert_true(filled(message->bytes, len, len));
		record_clear(&pair.server.record);
		record_clear(&pair.client.record);
	}
	pair_stop(&pair);
}

/* The longest ones fill the ring without a gap, so that one of them ends where the ring does. */
static void a_message_may_end_with_the_ring(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, ONE_ENGINE);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, 3));
	pair_connect(&pair);
	uint8_t bytes[MAX_SIZE];
	for (uint32_t i = 0; i < 20; i++) {
		fill(bytes, MAX_SIZE, i);
		send_bytes(&pair.client, pair.client.connection, bytes, MAX_SIZE);
		UNTIL(count_of(&pair.server.record, MESSAGE) == i + 1, pair.server.pe);
		assert_true(filled(nth(&pair.server.record, MESSAGE, i)->bytes, MAX_SIZE, i));
	}
	pair_stop(&pair);
}

static void empty_and_over_long_messages_are_refused(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	uint8_t bytes[MAX_SIZE + 1] = {0};
	struct doca_comch_task_send *task;
	struct end *ends[2] = {&pair.client, &pair.server};
	for (int i = 0; i < 2; i++) {
		struct end *end = ends[i];
		GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(end, end->connection, bytes, 0, &task));
		GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(end, end->connection, bytes, MAX_SIZE + 1, &task));
		GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(end, end->connection, NULL, 1, &task));
		GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(end, NULL, bytes, 1, &task));
		GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(end, end->connection, bytes, 1, NULL));
		GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(end, ends[1 - i]->connection, bytes, 1, &task));
	}
	GIVES(DOCA_ERROR_INVALID_VALUE,
	      doca_comch_server_task_send_alloc_init(NULL, pair.server.connection, bytes, 1, &task));
	GIVES(DOCA_ERROR_INVALID_VALUE,
	      doca_comch_client_task_send_alloc_init(NULL, pair.client.connection, bytes, 1, &task));
	assert_null(doca_comch_task_send_as_task(NULL));
	pair_close(&pair);
}

static void the_smaller_maximum_of_both_sides_holds(void **state)
{
	(void)state;
	for (int client_is_smaller = 0; client_is_smaller < 2; client_is_smaller++) {
		struct pair pair;
		pair_make(&pair, ONE_ENGINE);
		OK(doca_comch_client_set_max_msg_size(pair.client.client, client_is_smaller ? 100 : 3000));
		OK(doca_comch_server_set_max_msg_size(pair.server.server, client_is_smaller ? 3000 : 100));
		pair_connect(&pair);
		uint8_t bytes[101] = {7};
		struct doca_comch_task_send *task;
		struct end *ends[2] = {&pair.client, &pair.server};
		for (int i = 0; i < 2; i++) {
			GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(ends[i], ends[i]->connection, bytes, 101, &task));
			send_bytes(ends[i], ends[i]->connection, bytes, 100);
			UNTIL(count_of(&ends[1 - i]->record, MESSAGE) == 1, pair.server.pe);
		}
		uint32_t value;
		OK(doca_comch_client_get_max_msg_size(pair.client.client, &value));
		assert_int_equal(value, client_is_smaller ? 100 : 3000);
		pair_close(&pair);
	}
}

static void the_memory_may_be_reused_right_after_the_submit(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, 2));
	pair_connect(&pair);
	uint8_t bytes[64];
	for (uint64_t i = 0; i < 10; i++) {
		fill(bytes, sizeof(bytes), i);
		send_bytes(&pair.client, pair.client.connection, bytes, sizeof(bytes));
		memset(bytes, 0xff, sizeof(bytes));
	}
	UNTIL(count_of(&pair.server.record, MESSAGE) == 10, pair.server.pe, pair.client.pe);
	for (uint64_t i = 0; i < 10; i++)
		assert_true(filled(nth(&pair.server.record, MESSAGE, i)->bytes, sizeof(bytes), i));
	pair_close(&pair);
}

static void a_message_can_be_changed_until_the_submit(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, 2));
	pair_connect(&pair);
	struct doca_comch_task_send *tasks[6];
	char text[] = "first";
	pair.client.keep_tasks = true;
	for (size_t i = 0; i < 6; i++)
		OK(alloc_send(&pair.client, pair.client.connection, text, 5, &tasks[i]));
	/* Four of them find no room. */
	for (size_t i = 0; i < 6; i++) {
		text[0] = (char)('a' + i);
		OK(doca_task_submit(doca_comch_task_send_as_task(tasks[i])));
	}
	text[0] = '?';
	UNTIL(count_of(&pair.client.record, SENT) == 6, pair.server.pe, pair.client.pe);
	text[0] = 'g';
	OK(doca_task_submit(doca_comch_task_send_as_task(tasks[0])));
	UNTIL(count_of(&pair.server.record, MESSAGE) == 7, pair.server.pe, pair.client.pe);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(nth(&pair.server.record, MESSAGE, i)->bytes[0], 'a' + i);
	UNTIL(count_of(&pair.client.record, SENT) == 7, pair.client.pe);
	for (size_t i = 0; i < 6; i++)
		doca_task_free(doca_comch_task_send_as_task(tasks[i]));
	pair_close(&pair);
}

static void a_full_pool_gives_no_memory_until_a_task_is_freed(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_comch_task_send *tasks[TEST_SEND_TASKS], *one_more;
	for (size_t i = 0; i < TEST_SEND_TASKS; i++)
		OK(alloc_send(&pair.client, pair.client.connection, "y", 1, &tasks[i]));
	GIVES(DOCA_ERROR_NO_MEMORY, alloc_send(&pair.client, pair.client.connection, "x", 1, &one_more));
	doca_task_free(task_of(tasks[5]));
	OK(alloc_send(&pair.client, pair.client.connection, "x", 1, &tasks[5]));
	/* A task that could be allocated can be submitted. */
	for (size_t i = 0; i < TEST_SEND_TASKS; i++)
		OK(doca_task_submit(task_of(tasks[i])));
	assert_int_equal(inflight(pair.client.ctx), TEST_SEND_TASKS);
	size_t all;
	OK(doca_pe_get_num_inflight_tasks(pair.client.pe, &all));
	assert_int_equal(all, TEST_SEND_TASKS);
	UNTIL(count_of(&pair.client.record, SENT) == 1, pair.client.pe);
	OK(alloc_send(&pair.client, pair.client.connection, "x", 1, &one_more));
	doca_task_free(task_of(one_more));
	UNTIL(count_of(&pair.server.record, MESSAGE) == TEST_SEND_TASKS, pair.client.pe, pair.server.pe);
	pair_close(&pair);
}

/* Sends `total` messages through a queue of `queue`, with and without a receiver that sleeps. */
static void press(uint32_t queue, bool to_server)
{
	const size_t total = 200;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, queue));
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, queue));
	pair_connect(&pair);
	struct end *from = to_server ? &pair.client : &pair.server, *to = to_server ? &pair.server : &pair.client;
	size_t submitted = 0;
	/* The receiver sleeps: exactly as many as its queue holds complete, the others stay in flight. */
	for (; submitted < TEST_SEND_TASKS; submitted++)
		send_bytes(from, from->connection, &submitted, sizeof(submitted));
	settle(from->pe, NULL);
	assert_int_equal(count_of(&from->record, SENT), queue);
	assert_int_equal(inflight(from->ctx), TEST_SEND_TASKS - queue);
	while (submitted < total) {
		struct doca_comch_task_send *task;
		if (alloc_send(from, from->connection, &submitted, sizeof(submitted), &task) == DOCA_SUCCESS) {
			OK(doca_task_submit(task_of(task)));
			submitted++;
		} else {
			drive(to->pe);
			drive(from->pe);
		}
	}
	UNTIL(count_of(&to->record, MESSAGE) == total && count_of(&from->record, SENT) == total, to->pe, from->pe);
	for (size_t i = 0; i < total; i++) {
		size_t number;
		memcpy(&number, nth(&to->record, MESSAGE, i)->bytes, sizeof(number));
		assert_int_equal(number, i);
	}
	assert_int_equal(count_of(&from->record, SEND_FAILED), 0);
	pair_stop(&pair);
}

static void a_full_queue_holds_messages_back_and_loses_none(void **state)
{
	(void)state;
	press(1, true);
	press(1, false);
	press(10, true);
	press(10, false);
}

static void a_send_completes_while_the_peer_sleeps(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	send_text(&pair.client, pair.client.connection, "sleep well");
	send_text(&pair.server, pair.server.connection, "you too");
	UNTIL(count_of(&pair.client.record, SENT) == 1, pair.client.pe);
	assert_int_equal(count_of(&pair.server.record, MESSAGE), 0);
	UNTIL(count_of(&pair.server.record, SENT) == 1, pair.server.pe);
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1, pair.server.pe);
	UNTIL(count_of(&pair.client.record, MESSAGE) == 1, pair.client.pe);
	pair_close(&pair);
}

static void what_was_submitted_before_a_client_stop_arrives(void **state)
{
	(void)state;
	/* Also what finds no room in the server's queue at first. */
	for (uint32_t queue = 1; queue <= 64; queue *= 64) {
		struct pair pair;
		pair_make(&pair, ONE_ENGINE);
		OK(doca_comch_server_set_recv_queue_size(pair.server.server, queue));
		pair_connect(&pair);
		for (int i = 0; i < 20; i++)
			send_text(&pair.client, pair.client.connection, "before the end");
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
		UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1 && state_of(pair.client.ctx) == IDLE,
		      pair.client.pe);
		assert_int_equal(count_of(&pair.server.record, MESSAGE), 20);
		assert_int_equal(nth(&pair.server.record, DISCONNECTED, 0)->a, 1);
		/* Last of all comes the disconnection. */
		assert_int_equal(pair.server.record.list[pair.server.record.num - 1].what, DISCONNECTED);
		assert_int_equal(count_of(&pair.client.record, SENT), 20);
		pair_stop(&pair);
	}
}

static void reply_and_stop(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	send_bytes(end, connection, bytes, len);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
}

static void a_reply_right_before_a_server_stop_arrives(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	pair.server.on_message = reply_and_stop;
	send_text(&pair.client, pair.client.connection, "question");
	UNTIL(state_of(pair.server.ctx) == IDLE, pair.server.pe);
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	assert_int_equal(count_of(&pair.client.record, MESSAGE), 1);
	assert_true(is_text(nth(&pair.client.record, MESSAGE, 0), "question"));
	assert_string_equal(states_of(&pair.client.record), "SRPI");
	pair_stop(&pair);
}

static void a_server_stops_when_a_peer_that_sleeps_has_taken_all(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, 1));
	pair_connect(&pair);
	for (int i = 0; i < 3; i++)
		send_text(&pair.server, pair.server.connection, "wake up");
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.server.ctx));
	for (int i = 0; i < 1500; i++) {
		drive(pair.server.pe);
		usleep(1000);
	}
	assert_int_equal(state_of(pair.server.ctx), DOCA_CTX_STATE_STOPPING);
	UNTIL(state_of(pair.server.ctx) == IDLE && state_of(pair.client.ctx) == IDLE, pair.server.pe, pair.client.pe);
	assert_int_equal(count_of(&pair.server.record, SENT), 3);
	assert_int_equal(count_of(&pair.client.record, MESSAGE), 3);
	pair_stop(&pair);
}

static void a_task_can_be_submitted_again(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	pair.client.keep_tasks = true;
	struct doca_comch_task_send *task = send_bytes(&pair.client, pair.client.connection, "again", 5);
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(task_of(task)));
	for (size_t round = 1; round <= 3; round++) {
		UNTIL(count_of(&pair.client.record, SENT) == round, pair.client.pe);
		assert_int_equal(doca_task_get_status(task_of(task)), DOCA_SUCCESS);
		OK(round == 2 ? doca_task_try_submit(task_of(task)) : doca_task_submit(task_of(task)));
	}
	UNTIL(count_of(&pair.server.record, MESSAGE) == 4 && inflight(pair.client.ctx) == 0, pair.client.pe);
	for (size_t i = 0; i < 4; i++)
		assert_true(is_text(nth(&pair.server.record, MESSAGE, i), "again"));
	doca_task_free(task_of(task));
	pair_close(&pair);
}

static void a_task_that_was_not_freed_holds_its_context_in_stopping(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct doca_comch_task_send *never_submitted, *completed;
	OK(alloc_send(&pair.client, pair.client.connection, "never", 5, &never_submitted));
	pair.client.keep_tasks = true;
	completed = send_bytes(&pair.client, pair.client.connection, "done", 4);
	UNTIL(count_of(&pair.client.record, SENT) == 1, pair.client.pe);
	(void)doca_ctx_stop(pair.client.ctx);
	settle(pair.client.pe, NULL);
	assert_string_equal(states_of(&pair.client.record), "SRP");
	/* In STOPPING tasks can only be freed. */
	struct doca_comch_task_send *task;
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(task_of(never_submitted)));
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_try_submit(task_of(completed)));
	GIVES(DOCA_ERROR_BAD_STATE, alloc_send(&pair.client, pair.client.connection, "x", 1, &task));
	doca_task_free(task_of(completed));
	settle(pair.client.pe, NULL);
	assert_string_equal(states_of(&pair.client.record), "SRP");
	doca_task_free(task_of(never_submitted));
	assert_string_equal(states_of(&pair.client.record), "SRP");
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	pair_stop(&pair);
}

static void freeing_a_task_in_flight_cancels_its_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, 1));
	pair_connect(&pair);
	/* One completes at once, one waits for room. */
	struct doca_comch_task_send *first = send_bytes(&pair.client, pair.client.connection, "first", 5);
	struct doca_comch_task_send *second = send_bytes(&pair.client, pair.client.connection, "second", 6);
	doca_task_free(task_of(first));
	doca_task_free(task_of(second));
	doca_task_free(task_of(second));
	send_text(&pair.client, pair.client.connection, "third");
	UNTIL(count_of(&pair.client.record, SENT) == 1 && inflight(pair.client.ctx) == 0, pair.client.pe,
	      pair.server.pe);
	settle(pair.client.pe, pair.server.pe);
	assert_int_equal(count_of(&pair.client.record, SENT), 1);
	assert_int_equal(count_of(&pair.client.record, SEND_FAILED), 0);
	/* All places of the pool are free again. */
	for (size_t i = 0; i < TEST_SEND_TASKS; i++)
		send_text(&pair.client, pair.client.connection, "after");
	pair_close(&pair);
}

static void tasks_carry_user_data_and_know_their_context(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct doca_comch_task_send *task;
	OK(alloc_send(&pair.server, pair.server.connection, "data", 4, &task));
	assert_int_equal(doca_task_get_user_data(task_of(task)).u64, 0);
	doca_task_set_user_data(task_of(task), (union doca_data){.u64 = 4711});
	assert_int_equal(doca_task_get_user_data(task_of(task)).u64, 4711);
	assert_ptr_equal(doca_task_get_ctx(task_of(task)), pair.server.ctx);
	OK(doca_task_submit_ex(task_of(task), DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));
	doca_ctx_flush_tasks(pair.server.ctx);
	UNTIL(count_of(&pair.server.record, SENT) == 1, pair.server.pe);
	assert_int_equal(nth(&pair.server.record, SENT, 0)->b, 4711);
	/* A task from the pool starts anew. */
	OK(alloc_send(&pair.server, pair.server.connection, "data", 4, &task));
	assert_int_equal(doca_task_get_user_data(task_of(task)).u64, 0);
	doca_task_free(task_of(task));
	pair_close(&pair);
}

static void greet(struct end *end, struct doca_comch_connection *connection)
{
	send_text(end, connection, "welcome");
}

static void greet_when_running(struct end *end, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_RUNNING)
		send_text(end, end->connection, "hello");
}

static void messages_can_be_sent_from_connect_and_state_callbacks(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	pair.server.on_connect = greet;
	pair.client.on_state = greet_when_running;
	OK(doca_ctx_start(pair.server.ctx));
	(void)doca_ctx_start(pair.client.ctx);
	drive(pair.client.pe);
	UNTIL(count_of(&pair.server.record, CONNECTED) == 1, pair.server.pe, pair.client.pe);
	UNTIL(count_of(&pair.client.record, MESSAGE) == 1 && count_of(&pair.server.record, MESSAGE) == 1,
	      pair.server.pe, pair.client.pe);
	/* RUNNING comes first. */
	assert_int_equal(pair.client.record.list[1].what, STATE);
	assert_true(is_text(nth(&pair.client.record, MESSAGE, 0), "welcome"));
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 0), "hello"));
	pair.client.on_state = NULL;
	pair_close(&pair);
}

static void bounce(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	if (count_of(&end->record, MESSAGE) < 500)
		send_bytes(end, connection, bytes, len);
}

static void a_message_can_go_back_and_forth_from_callbacks(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	pair.client.on_message = bounce;
	pair.server.on_message = bounce;
	send_text(&pair.client, pair.client.connection, "ball");
	UNTIL(count_of(&pair.server.record, MESSAGE) == 500, pair.server.pe);
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 499), "ball"));
	pair_close(&pair);
}

static void send_again(struct end *end, struct doca_comch_task_send *task, doca_error_t status)
{
	CHECK(status == DOCA_SUCCESS);
	if (count_of(&end->record, SENT) < 300)
		OK(doca_task_submit(task_of(task)));
	else
		doca_task_free(task_of(task));
}

static void a_task_can_be_submitted_again_in_its_completion_callback(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, ONE_ENGINE);
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, 3));
	pair_connect(&pair);
	pair.server.on_sent = send_again;
	send_text(&pair.server, pair.server.connection, "tick");
	UNTIL(count_of(&pair.client.record, MESSAGE) == 300, pair.server.pe);
	pair_close(&pair);
}

static uint64_t counter(struct doca_comch_connection *connection, enum doca_comch_counter which)
{
	uint64_t value;
	OK(doca_comch_connection_get_counter(connection, which, &value));
	return value;
}

static void counters_count_messages_and_bytes(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct doca_comch_connection *s = pair.server.connection, *c = pair.client.connection;
	for (int i = 0; i < 3; i++)
		send_text(&pair.client, c, "12345");
	send_text(&pair.server, s, "1234567");
	UNTIL(count_of(&pair.server.record, MESSAGE) == 3 && count_of(&pair.client.record, MESSAGE) == 1 &&
		      count_of(&pair.client.record, SENT) == 3 && count_of(&pair.server.record, SENT) == 1,
	      pair.server.pe);
	/* Nothing before the first snapshot. */
	assert_int_equal(counter(c, DOCA_COMCH_COUNTER_SENT_MESSAGES), 0);
	OK(doca_comch_connection_update_info(c));
	OK(doca_comch_connection_update_info(s));
	assert_int_equal(counter(c, DOCA_COMCH_COUNTER_SENT_MESSAGES), 3);
	assert_int_equal(counter(c, DOCA_COMCH_COUNTER_SENT_BYTES), 15);
	assert_int_equal(counter(c, DOCA_COMCH_COUNTER_RECV_MESSAGES), 1);
	assert_int_equal(counter(c, DOCA_COMCH_COUNTER_RECV_BYTES), 7);
	assert_int_equal(counter(s, DOCA_COMCH_COUNTER_SENT_MESSAGES), 1);
	assert_int_equal(counter(s, DOCA_COMCH_COUNTER_SENT_BYTES), 7);
	assert_int_equal(counter(s, DOCA_COMCH_COUNTER_RECV_MESSAGES), 3);
	assert_int_equal(counter(s, DOCA_COMCH_COUNTER_RECV_BYTES), 15);
	uint64_t value;
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_update_info(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_get_counter(NULL, DOCA_COMCH_COUNTER_SENT_BYTES, &value));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_get_counter(c, DOCA_COMCH_COUNTER_SENT_BYTES, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_get_counter(c, (enum doca_comch_counter)0, &value));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_connection_get_counter(c, (enum doca_comch_counter)5, &value));
	pair_close(&pair);
}

static void sending_to_an_ended_connection_fails(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct doca_comch_connection *connection = pair.server.connection;
	struct doca_comch_task_send *early, *late;
	OK(alloc_send(&pair.server, connection, "early", 5, &early));
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1, pair.server.pe);
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(task_of(early)));
	doca_error_t result = alloc_send(&pair.server, connection, "late", 4, &late);
	if (result == DOCA_SUCCESS) {
		GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(task_of(late)));
		doca_task_free(task_of(late));
	} else {
		assert_true(result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_INVALID_VALUE);
	}
	assert_int_equal(inflight(pair.server.ctx), 0);
	doca_task_free(task_of(early));
	pair_stop(&pair);
}

static void waiting_messages_fail_when_the_peer_goes(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, 1));
	pair_connect(&pair);
	for (int i = 0; i < 4; i++)
		send_text(&pair.server, pair.server.connection, "too late");
	/* The client leaves without taking any. */
	(void)doca_ctx_stop(pair.client.ctx);
	UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe);
	UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1 && inflight(pair.server.ctx) == 0, pair.server.pe);
	assert_int_equal(count_of(&pair.server.record, SENT), 1);
	assert_int_equal(count_of(&pair.server.record, SEND_FAILED), 3);
	pair_stop(&pair);
}

static void one_flood_does_not_starve_other_clients(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end quiet;
	client_make(&quiet, &pair.devices, "pair", NULL);
	(void)doca_ctx_start(quiet.ctx);
	UNTIL(state_of(quiet.ctx) == DOCA_CTX_STATE_RUNNING && count_of(&pair.server.record, CONNECTED) == 2, quiet.pe,
	      pair.server.pe);
	record_clear(&pair.server.record);
	for (int i = 0; i < 60; i++)
		send_text(&pair.client, pair.client.connection, "flood");
	send_text(&quiet, quiet.connection, "me too");
	UNTIL(count_of(&pair.server.record, MESSAGE) == 61, pair.server.pe);
	size_t place = 0;
	while (!is_text(nth(&pair.server.record, MESSAGE, place), "me too"))
		place++;
	assert_true(place < 3);
	(void)doca_ctx_stop(quiet.ctx);
	UNTIL(state_of(quiet.ctx) == IDLE, quiet.pe);
	end_destroy(&quiet);
	pair_stop(&pair);
}

/* Bytes of memory that this process' connections share with their peers. */
static uint64_t shared_bytes(void)
{
	uint64_t sum = 0;
	for (int fd = 0; fd < 256; fd++) {
		char path[32], target[64];
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t len = readlink(path, target, sizeof(target) - 1);
		struct stat status;
		if (len <= 0 || fstat(fd, &status) != 0)
			continue;
		target[len] = '\0';
		if (strstr(target, "doca-emu-connection") != NULL)
			sum += (uint64_t)status.st_blocks * 512;
	}
	return sum;
}

static void one_more(struct pair *pair, uint32_t len, uint64_t number)
{
	uint8_t bytes[MAX_SIZE];
	fill(bytes, len, number);
	send_bytes(&pair->client, pair->client.connection, bytes, len);
	UNTIL(count_of(&pair->client.record, SENT) == 1, pair->client.pe);
	record_clear(&pair->client.record);
}

static void take_one(struct pair *pair, uint32_t len, uint64_t number)
{
	UNTIL(count_of(&pair->server.record, MESSAGE) == 1, pair->server.pe);
	assert_true(filled(nth(&pair->server.record, MESSAGE, 0)->bytes, len, number));
	record_clear(&pair->server.record);
}

static void pair_with_a_large_queue(struct pair *pair)
{
	pair_make(pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(pair->server.server, 8000));
	pair_connect(pair);
	record_clear(&pair->server.record);
	record_clear(&pair->client.record);
}

static void send_and_take(struct pair *pair, uint32_t len, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / len; i++) {
		one_more(pair, len, i);
		take_one(pair, len, i);
	}
}

static void messages_that_are_taken_as_they_come_need_little_memory(void **state)
{
	(void)state;
	struct pair pair;
	pair_with_a_large_queue(&pair);
	uint64_t before = shared_bytes();
	send_and_take(&pair, 400, 8u << 20);
	assert_in_range(shared_bytes(), 1, before + (256u << 10));
	/* Long ones in quick succession go further. */
	send_and_take(&pair, MAX_SIZE, 8u << 20);
	assert_in_range(shared_bytes(), 1, before + (2u << 20) + (256u << 10));
	pair_stop(&pair);
}

static void a_queue_that_never_runs_empty_gives_memory_back(void **state)
{
	(void)state;
	enum { WAITING = 8 };
	struct pair pair;
	pair_with_a_large_queue(&pair);
	uint64_t sent = 0, taken = 0, most = 0, now = 0;
	while (sent < WAITING)
		one_more(&pair, MAX_SIZE, sent++);
	int64_t deadline = harness_deadline();
	do {
		harness_in_time(deadline, __FILE__, __LINE__, "memory given back");
		one_more(&pair, MAX_SIZE, sent++);
		take_one(&pair, MAX_SIZE, taken++);
		if (sent % 64 == 0) {
			now = shared_bytes();
			most = now > most ? now : most;
		}
	} while (now + (1u << 20) > most);
	while (taken < sent)
		take_one(&pair, MAX_SIZE, taken++);
	pair_stop(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_every_kind_of_size_arrive_both_ways),
		cmocka_unit_test(every_size_survives_the_end_of_the_ring),
		cmocka_unit_test(a_message_may_end_with_the_ring),
		cmocka_unit_test(empty_and_over_long_messages_are_refused),
		cmocka_unit_test(the_smaller_maximum_of_both_sides_holds),
		cmocka_unit_test(the_memory_may_be_reused_right_after_the_submit),
		cmocka_unit_test(a_message_can_be_changed_until_the_submit),
		cmocka_unit_test(a_full_pool_gives_no_memory_until_a_task_is_freed),
		cmocka_unit_test(a_full_queue_holds_messages_back_and_loses_none),
		cmocka_unit_test(a_send_completes_while_the_peer_sleeps),
		cmocka_unit_test(what_was_submitted_before_a_client_stop_arrives),
		cmocka_unit_test(a_reply_right_before_a_server_stop_arrives),
		cmocka_unit_test(a_server_stops_when_a_peer_that_sleeps_has_taken_all),
		cmocka_unit_test(a_task_can_be_submitted_again),
		cmocka_unit_test(a_task_that_was_not_freed_holds_its_context_in_stopping),
		cmocka_unit_test(freeing_a_task_in_flight_cancels_its_callback),
		cmocka_unit_test(tasks_carry_user_data_and_know_their_context),
		cmocka_unit_test(messages_can_be_sent_from_connect_and_state_callbacks),
		cmocka_unit_test(a_message_can_go_back_and_forth_from_callbacks),
		cmocka_unit_test(a_task_can_be_submitted_again_in_its_completion_callback),
		cmocka_unit_test(counters_count_messages_and_bytes),
		cmocka_unit_test(sending_to_an_ended_connection_fails),
		cmocka_unit_test(waiting_messages_fail_when_the_peer_goes),
		cmocka_unit_test(one_flood_does_not_starve_other_clients),
		cmocka_unit_test(messages_that_are_taken_as_they_come_need_little_memory),
		cmocka_unit_test(a_queue_that_never_runs_empty_gives_memory_back),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
