/* Faults on demand: each strikes where and as often as it was asked for, and not after it was taken back. */
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "doca_emu.h"
#include "other_users.h"

static int without_faults(void **state)
{
	(void)state;
	OK(doca_emu_set_faults(NULL));
	return 0;
}

static int64_t clock_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void only_well_formed_lists_are_taken(void **state)
{
	(void)state;
	static const char *const bad[] = {"refuse",         "refuse=",         "refuse=x",         "refuse=-1",
					  "refuse=1x",      "break_send=1",    "break_recv=1:",    "lose_recv=1:Y",
					  "unknown=1",      "fail_send=1",     "fail_send=1:",     "fail_send=1:X",
					  "refuse=1,again", "again=1,,drop=1", "drop=1:IO_FAILED", "refuse=1,"};
	static const char *const good[] = {
		"",
		"refuse=1",
		"accept_delay=5,again=2",
		"fail_send=1:IO_FAILED,fail_recv=2:DOCA_ERROR_DRIVER",
		"break_send=1:IO_FAILED,lose_recv=2:DOCA_ERROR_DRIVER,break_recv=1:UNKNOWN",
		"drop=3,latency=10,bandwidth=1000",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_set_faults(bad[i]));
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		OK(doca_emu_set_faults(good[i]));
	OK(doca_emu_set_faults(NULL));
}

static void a_list_that_is_refused_changes_nothing(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	OK(doca_emu_set_faults("again=1"));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_set_faults("nonsense"));
	struct doca_comch_task_send *task;
	OK(alloc_send(&pair.client, pair.client.connection, "x", 1, &task));
	GIVES(DOCA_ERROR_AGAIN, doca_task_submit(doca_comch_task_send_as_task(task)));
	OK(doca_task_submit(doca_comch_task_send_as_task(task)));
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1, pair.server.pe, pair.client.pe);
	pair_close(&pair);
}

static void as_many_clients_as_asked_are_refused(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	OK(doca_emu_set_faults("refuse=2"));
	for (int attempt = 0; attempt < 2; attempt++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
		UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_IDLE, pair.client.pe, pair.server.pe);
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_RUNNING, pair.client.pe, pair.server.pe);
	assert_string_equal(states_of(&pair.client.record), "SISISR");
	assert_int_equal(count_of(&pair.server.record, CONNECTED), 1);
	pair_stop(&pair);
}

static void a_client_can_be_made_to_wait(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_ctx_start(pair.server.ctx));
	OK(doca_emu_set_faults("accept_delay=30"));
	int64_t begun = clock_us();
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_RUNNING, pair.client.pe, pair.server.pe);
	assert_true(clock_us() - begun >= 30000);
	pair_stop(&pair);
}

static void the_kth_message_fails_and_is_not_sent(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	OK(doca_emu_set_faults("fail_send=2:DRIVER"));
	send_text(&pair.client, pair.client.connection, "first");
	send_text(&pair.client, pair.client.connection, "second");
	send_text(&pair.client, pair.client.connection, "third");
	UNTIL(count_of(&pair.client.record, SENT) == 2 && count_of(&pair.client.record, SEND_FAILED) == 1 &&
		      count_of(&pair.server.record, MESSAGE) == 2,
	      pair.server.pe, pair.client.pe);
	assert_int_equal(nth(&pair.client.record, SEND_FAILED, 0)->a, DOCA_ERROR_DRIVER);
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 0), "first"));
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 1), "third"));
	pair_close(&pair);
}

static void a_dropped_connection_looks_like_a_dead_peer_to_both(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	OK(doca_emu_set_faults("drop=2"));
	send_text(&pair.client, pair.client.connection, "arrives");
	struct doca_comch_task_send *task;
	OK(alloc_send(&pair.client, pair.client.connection, "breaks", 6, &task));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	UNTIL(count_of(&pair.server.record, DISCONNECTED) == 1 && state_of(pair.client.ctx) == DOCA_CTX_STATE_IDLE,
	      pair.server.pe, pair.client.pe);
	assert_int_equal(nth(&pair.server.record, DISCONNECTED, 0)->a, 0);
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 0), "arrives"));
	pair_stop(&pair);
}

/* ---- fast path ---- */

struct path {
	struct pair pair;
	struct memory memory;
	struct consumer consumer;
	struct producer producer;
};

static void path_open(struct path *path)
{
	pair_open(&path->pair, TWO_ENGINES);
	memory_open(&path->memory, 1 << 16, 32, path->pair.devices.dpu,
		    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_share(&path->memory, path->pair.devices.host);
	consumer_make(&path->consumer, path->pair.server.connection, path->memory.mmap, 8, NULL);
	consumer_start(&path->consumer, path->pair.server.pe);
	producer_make(&path->producer, path->pair.client.connection, 8, NULL);
	producer_start(&path->producer);
}

struct receiver { /* progresses a path's consumer on a thread of its own */
	struct path *path;
	pthread_t thread;
	atomic_bool ended;
};

static void path_end(struct path *path)
{
	producer_stop(&path->producer);
	producer_destroy(&path->producer);
	consumer_stop(&path->consumer);
	consumer_destroy(&path->consumer);
}

static void path_close(struct path *path)
{
	path_end(path);
	memory_close(&path->memory);
	pair_close(&path->pair);
}

static void sends_and_receives_of_the_fast_path_fail_as_asked(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.memory, 0, 64, 64), *to[3];
	for (size_t i = 0; i < 3; i++) {
		to[i] = memory_buf(&path.memory, 4096 * (i + 1), 64, 0);
		post(&path.consumer, to[i]);
	}
	OK(doca_emu_set_faults("again=2,fail_send=2:IO_FAILED,lose_recv=2:TIME_OUT"));
	struct doca_comch_producer_task_send *task;
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, &task));
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, from, NULL, 0, &task));
	for (int i = 0; i < 4; i++)
		put(&path.producer, path.consumer.id, from);
	UNTIL(count_of(&path.producer.record, SENT) == 3 && count_of(&path.producer.record, SEND_FAILED) == 1 &&
		      count_of(&path.consumer.record, RECEIVED) == 2 &&
		      count_of(&path.consumer.record, RECEIVE_FAILED) == 1,
	      path.producer.pe, path.consumer.pe);
	assert_int_equal(nth(&path.producer.record, SEND_FAILED, 0)->a, DOCA_ERROR_IO_FAILED);
	assert_int_equal(nth(&path.consumer.record, RECEIVE_FAILED, 0)->a, DOCA_ERROR_TIME_OUT);
	assert_int_equal(buf_data_len(to[0]), 64);
	assert_int_equal(buf_data_len(to[1]), 0);
	assert_int_equal(buf_data_len(to[2]), 64);
	free_sent(&path.producer.record);
	free_received(&path.consumer.record);
	buf_release(from);
	for (size_t i = 0; i < 3; i++)
		buf_release(to[i]);
	path_close(&path);
}

/* Sends payload `number`, whose bytes say so. */
static void put_number(struct path *path, uint8_t number, uint32_t len)
{
	memset(path->memory.bytes, number, len);
	struct doca_buf *from = memory_buf(&path->memory, 0, len, len);
	struct doca_comch_producer_task_send *task;
	OK(try_send(&path->producer, path->consumer.id, from, NULL, 0, &task));
	UNTIL(count_of(&path->producer.record, SENT) == 1, path->producer.pe);
	free_sent(&path->producer.record);
	record_clear(&path->producer.record);
	buf_release(from);
}

/* The n-th receive that has ended; its number, or 0 if it has failed with `error`. */
static uint8_t received_number(struct path *path, size_t n, doca_error_t error)
{
	size_t seen = 0;
	for (size_t i = 0; i < path->consumer.record.num; i++) {
		const struct happened *what = &path->consumer.record.list[i];
		if ((what->what != RECEIVED && what->what != RECEIVE_FAILED) || seen++ != n)
			continue;
		struct doca_comch_consumer_task_post_recv *task = what->object;
		struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
		if (what->what == RECEIVE_FAILED) {
			assert_int_equal(what->a, error);
			assert_int_equal(buf_data_len(buf), 0);
			return 0;
		}
		void *bytes;
		OK(doca_buf_get_data(buf, &bytes));
		uint8_t number = *(uint8_t *)bytes;
		for (size_t j = 0; j < buf_data_len(buf); j++)
			assert_int_equal(((uint8_t *)bytes)[j], number);
		return number;
	}
	return 255;
}

#define ended_receives(path)                                                                                           \
	(count_of(&(path)->consumer.record, RECEIVED) + count_of(&(path)->consumer.record, RECEIVE_FAILED))

/* What was sent to the buffer that fails, and what is behind it, comes into those behind, and the last one waits for a
 * buffer that is posted later; of any length, as all of it is one after the other. */
static void a_receive_that_fails_loses_nothing(void **state)
{
	(void)state;
	static const uint32_t lengths[] = {40, 3000, 1, 2000};
	struct path path;
	path_open(&path);
	struct doca_buf *to[6];
	for (size_t i = 0; i < 6; i++)
		to[i] = memory_buf(&path.memory, 4096 * (i + 1), 3000, 0);
	for (size_t i = 0; i < 4; i++)
		post(&path.consumer, to[i]);
	OK(doca_emu_set_faults("fail_recv=2:TIME_OUT"));
	for (uint8_t i = 0; i < 4; i++)
		put_number(&path, i + 1, lengths[i]);
	struct doca_comch_producer_task_send *task;
	struct doca_buf *more = memory_buf(&path.memory, 0, 8, 8);
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, more, NULL, 0, &task));
	UNTIL(ended_receives(&path) == 4, path.consumer.pe);
	OK(doca_emu_set_faults(NULL)); /* what has struck has its consequences */
	settle(path.consumer.pe, NULL);
	assert_int_equal(ended_receives(&path), 4);
	post(&path.consumer, to[4]);
	UNTIL(ended_receives(&path) == 5, path.consumer.pe);
	GIVES(DOCA_ERROR_AGAIN, try_send(&path.producer, path.consumer.id, more, NULL, 0, &task));
	post(&path.consumer, to[5]);
	put_number(&path, 5, 70);
	UNTIL(ended_receives(&path) == 6, path.consumer.pe);
	const uint8_t expected[] = {1, 0, 2, 3, 4, 5};
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(received_number(&path, i, DOCA_ERROR_TIME_OUT), expected[i]);
	free_received(&path.consumer.record);
	buf_release(more);
	for (size_t i = 0; i < 6; i++)
		buf_release(to[i]);
	path_close(&path);
}

/* With many posted buffers the next one is not claimed: the payload goes into it, and the producer's next one behind.
 * One that is too small for it fails, too. */
static void the_payload_of_a_failed_receive_goes_into_the_next_that_takes_it(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *to[4];
	for (size_t i = 0; i < 4; i++) {
		to[i] = memory_buf(&path.memory, 4096 * (i + 1), i == 1 ? 10 : 100, 0);
		post(&path.consumer, to[i]);
	}
	OK(doca_emu_set_faults("fail_recv=1:IO_FAILED"));
	put_number(&path, 1, 60);
	UNTIL(ended_receives(&path) == 3, path.consumer.pe);
	put_number(&path, 2, 60);
	UNTIL(ended_receives(&path) == 4, path.consumer.pe);
	const uint8_t expected[] = {0, 0, 1, 2};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(received_number(&path, i, DOCA_ERROR_IO_FAILED), expected[i]);
	free_received(&path.consumer.record);
	for (size_t i = 0; i < 4; i++)
		buf_release(to[i]);
	path_close(&path);
}

/* The consumer stops while a payload waits for a buffer: another one that is posted takes it, or it goes with it. */
static void a_payload_that_waits_goes_with_its_consumer(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *to = memory_buf(&path.memory, 4096, 100, 0);
	post(&path.consumer, to);
	OK(doca_emu_set_faults("fail_recv=1:IO_FAILED"));
	put_number(&path, 1, 60);
	UNTIL(ended_receives(&path) == 1, path.consumer.pe);
	free_received(&path.consumer.record);
	record_clear(&path.consumer.record);
	post(&path.consumer, to);
	(void)doca_ctx_stop(path.consumer.ctx);
	UNTIL(ended_receives(&path) == 1, path.consumer.pe);
	assert_int_equal(received_number(&path, 0, DOCA_SUCCESS), 1);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == DOCA_CTX_STATE_IDLE, path.consumer.pe);
	OK(doca_buf_reset_data_len(to));
	record_clear(&path.consumer.record);
	consumer_start(&path.consumer, path.pair.server.pe);
	post(&path.consumer, to);
	OK(doca_emu_set_faults("fail_recv=1:IO_FAILED"));
	put_number(&path, 1, 60);
	UNTIL(ended_receives(&path) == 1, path.consumer.pe);
	free_received(&path.consumer.record);
	buf_release(to);
	path_close(&path);
}

/* ---- fatal failures ---- */

/* Both ends hear of it, and nothing that lies behind arrives. */
static void a_client_whose_send_fails_for_good_stops(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	OK(doca_emu_set_faults("break_send=2:DRIVER"));
	send_text(&pair.client, pair.client.connection, "first");
	send_text(&pair.client, pair.client.connection, "second");
	struct doca_comch_task_send *task;
	OK(alloc_send(&pair.client, pair.client.connection, "third", 5, &task));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_IDLE && count_of(&pair.server.record, DISCONNECTED) == 1,
	      pair.client.pe, pair.server.pe);
	assert_string_equal(states_of(&pair.client.record), "SRPI");
	assert_int_equal(count_of(&pair.client.record, SENT), 1);
	assert_int_equal(nth(&pair.client.record, SEND_FAILED, 0)->a, DOCA_ERROR_DRIVER);
	assert_int_equal(count_of(&pair.server.record, MESSAGE), 1);
	assert_int_equal(nth(&pair.server.record, DISCONNECTED, 0)->a, 0);
	/* It may start again. */
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_RUNNING, pair.client.pe, pair.server.pe);
	pair_stop(&pair);
}

/* No end of its client is a good one, also where the server's program says goodbye at once. */
static void a_server_whose_send_fails_for_good_stops(void **state)
{
	(void)state;
	for (int at_once = 0; at_once < 2; at_once++) {
		struct pair pair;
		pair_open(&pair, TWO_ENGINES);
		OK(doca_emu_set_faults("break_send=1:IO_FAILED"));
		send_text(&pair.server, pair.server.connection, "first");
		struct doca_comch_task_send *task;
		OK(alloc_send(&pair.server, pair.server.connection, "second", 6, &task));
		GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
		doca_task_free(doca_comch_task_send_as_task(task));
		send_text(&pair.client, pair.client.connection, "is not received");
		if (at_once == 1)
			GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.server.ctx));
		UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_IDLE &&
			      state_of(pair.server.ctx) == DOCA_CTX_STATE_IDLE,
		      pair.client.pe, pair.server.pe);
		assert_string_equal(states_of(&pair.server.record), "RPI");
		assert_string_equal(states_of(&pair.client.record), "SRPI");
		assert_int_equal(count_of(&pair.server.record, SEND_FAILED), 1);
		assert_int_equal(count_of(&pair.server.record, DISCONNECTED), 0);
		assert_int_equal(count_of(&pair.client.record, MESSAGE), 0);
		assert_int_equal(count_of(&pair.server.record, MESSAGE), 0);
		OK(doca_ctx_start(pair.server.ctx));
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
		UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_RUNNING, pair.client.pe, pair.server.pe);
		pair_stop(&pair);
	}
}

/* What is left of a path whose connection has broken. */
static void path_is_over(struct path *path)
{
	UNTIL(state_of(path->producer.ctx) != DOCA_CTX_STATE_RUNNING &&
		      state_of(path->consumer.ctx) == DOCA_CTX_STATE_STOPPING &&
		      count_of(&path->pair.server.record, DISCONNECTED) == 1,
	      path->pair.client.pe, path->pair.server.pe, path->producer.pe, path->consumer.pe);
	assert_int_equal(nth(&path->pair.server.record, DISCONNECTED, 0)->a, 0);
}

static void path_free(struct path *path)
{
	free_sent(&path->producer.record);
	free_received(&path->consumer.record);
	UNTIL(state_of(path->producer.ctx) == DOCA_CTX_STATE_IDLE &&
		      state_of(path->consumer.ctx) == DOCA_CTX_STATE_IDLE &&
		      state_of(path->pair.client.ctx) == DOCA_CTX_STATE_IDLE,
	      path->pair.client.pe, path->producer.pe, path->consumer.pe);
	producer_destroy(&path->producer);
	consumer_destroy(&path->consumer);
	memory_close(&path->memory);
	pair_stop(&path->pair);
}

static void a_producer_whose_send_fails_for_good_stops(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.memory, 0, 64, 64), *to[4];
	for (size_t i = 0; i < 4; i++) {
		to[i] = memory_buf(&path.memory, 4096 * (i + 1), 64, 0);
		post(&path.consumer, to[i]);
	}
	OK(doca_emu_set_faults("break_send=2:TIME_OUT"));
	put(&path.producer, path.consumer.id, from);
	put(&path.producer, path.consumer.id, from);
	struct doca_comch_producer_task_send *task;
	GIVES(DOCA_ERROR_NOT_CONNECTED, try_send(&path.producer, path.consumer.id, from, NULL, 0, &task));
	/* By itself, whether or not anybody looks at the connection. */
	UNTIL(state_of(path.producer.ctx) == DOCA_CTX_STATE_STOPPING, path.producer.pe);
	assert_int_equal(count_of(&path.producer.record, SENT), 1);
	assert_int_equal(nth(&path.producer.record, SEND_FAILED, 0)->a, DOCA_ERROR_TIME_OUT);
	path_is_over(&path);
	UNTIL(ended_receives(&path) == 4, path.consumer.pe);
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 1);
	buf_release(from);
	for (size_t i = 0; i < 4; i++)
		buf_release(to[i]);
	path_free(&path);
}

static void a_consumer_whose_receive_fails_for_good_stops(void **state)
{
	(void)state;
	for (int stops = 0; stops < 2; stops++) {
		struct path path;
		path_open(&path);
		struct doca_buf *to[4];
		for (size_t i = 0; i < 4; i++) {
			to[i] = memory_buf(&path.memory, 4096 * (i + 1), 64, 0);
			post(&path.consumer, to[i]);
		}
		OK(doca_emu_set_faults("break_recv=2:TIME_OUT"));
		for (uint8_t i = 1; i <= 3; i++)
			put_number(&path, i, 60);
		UNTIL(ended_receives(&path) == 2, path.consumer.pe);
		OK(doca_emu_set_faults(NULL));
		if (stops == 1)
			(void)doca_ctx_stop(path.consumer.ctx);
		UNTIL(state_of(path.consumer.ctx) == DOCA_CTX_STATE_STOPPING, path.consumer.pe);
		path_is_over(&path);
		UNTIL(ended_receives(&path) == 4, path.consumer.pe);
		assert_int_equal(nth(&path.consumer.record, RECEIVE_FAILED, 0)->a, DOCA_ERROR_TIME_OUT);
		assert_int_equal(count_of(&path.consumer.record, RECEIVED), 1);
		for (size_t i = 0; i < 4; i++)
			buf_release(to[i]);
		path_free(&path);
	}
}

static void posted_again(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			 doca_error_t status)
{
	(void)consumer;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	if (status != DOCA_SUCCESS) {
		doca_task_free(base);
		return;
	}
	OK(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)));
	OK(doca_task_submit(base));
}

static void *receive(void *argument)
{
	struct receiver *receiver = argument;
	while (!atomic_load(&receiver->ended))
		drive(receiver->path->consumer.pe);
	return NULL;
}

/* One buffer is posted again and again by another thread, so that it often comes between two looks of one send. */
static void each_payload_is_counted_once(void **state)
{
	(void)state;
	enum { PAYLOADS = 10000 };
	struct path path;
	path_open(&path);
	path.consumer.on_received = posted_again;
	struct doca_buf *from = memory_buf(&path.memory, 0, 64, 64), *to = memory_buf(&path.memory, 4096, 64, 0);
	post(&path.consumer, to);
	char faults[40];
	snprintf(faults, sizeof(faults), "fail_send=%d:DRIVER", PAYLOADS);
	OK(doca_emu_set_faults(faults));
	struct receiver receiver = {.path = &path};
	assert_int_equal(pthread_create(&receiver.thread, NULL, receive, &receiver), 0);
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(path.producer.producer, from, NULL, 0, path.consumer.id, &task));
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	int sent = 0;
	do {
		doca_error_t result;
		int64_t deadline = harness_deadline();
		while ((result = doca_task_submit(base)) == DOCA_ERROR_AGAIN)
			harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
		OK(result);
		record_clear(&path.producer.record);
		UNTIL(path.producer.record.num == 1, path.producer.pe);
		sent++;
	} while (count_of(&path.producer.record, SENT) == 1 && sent < 2 * PAYLOADS);
	assert_int_equal(sent, PAYLOADS);
	atomic_store(&receiver.ended, true);
	assert_int_equal(pthread_join(receiver.thread, NULL), 0);
	doca_task_free(base);
	path_end(&path);
	buf_release(from);
	buf_release(to);
	memory_close(&path.memory);
	pair_close(&path.pair);
}

/* Before either side has noticed, and although a buffer is posted and the ring has room. */
static void nothing_is_sent_after_a_drop(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.memory, 0, 64, 64), *to = memory_buf(&path.memory, 4096, 64, 0);
	post(&path.consumer, to);
	OK(doca_emu_set_faults("drop=1"));
	struct doca_comch_producer_task_send *send;
	struct doca_comch_task_send *message;
	OK(alloc_send(&path.pair.client, path.pair.client.connection, "x", 1, &message));
	for (int attempt = 0; attempt < 2; attempt++) {
		GIVES(DOCA_ERROR_NOT_CONNECTED, try_send(&path.producer, path.consumer.id, from, NULL, 0, &send));
		GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(message)));
		OK(doca_emu_set_faults(NULL));
	}
	doca_task_free(doca_comch_task_send_as_task(message));
	UNTIL(state_of(path.producer.ctx) == DOCA_CTX_STATE_IDLE &&
		      state_of(path.pair.client.ctx) == DOCA_CTX_STATE_IDLE &&
		      count_of(&path.pair.server.record, DISCONNECTED) == 1 &&
		      count_of(&path.consumer.record, RECEIVE_FAILED) == 1,
	      path.pair.client.pe, path.pair.server.pe, path.producer.pe, path.consumer.pe);
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 0);
	assert_int_equal(count_of(&path.pair.server.record, MESSAGE), 0);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == DOCA_CTX_STATE_IDLE, path.consumer.pe);
	producer_destroy(&path.producer);
	consumer_destroy(&path.consumer);
	buf_release(from);
	buf_release(to);
	memory_close(&path.memory);
	pair_stop(&path.pair);
}

static void what_is_sent_to_a_slow_device_arrives_later(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.memory, 0, 1000, 1000), *to = memory_buf(&path.memory, 4096, 1000, 0);
	post(&path.consumer, to);
	OK(doca_emu_set_faults("latency=20000,bandwidth=1"));
	int64_t begun = clock_us();
	put(&path.producer, path.consumer.id, from);
	assert_int_equal(inflight(path.producer.ctx), 1);
	UNTIL(count_of(&path.producer.record, SENT) == 1, path.producer.pe);
	/* 20 ms, and 1000 bytes at one million bytes per second; a task ends when its payload has arrived. */
	assert_true(clock_us() - begun >= 21000);
	UNTIL(count_of(&path.consumer.record, RECEIVED) == 1, path.consumer.pe);
	begun = clock_us();
	send_text(&path.pair.server, path.pair.server.connection, "slow");
	send_text(&path.pair.client, path.pair.client.connection, "slow too");
	UNTIL(count_of(&path.pair.client.record, SENT) == 1 && count_of(&path.pair.server.record, SENT) == 1,
	      path.pair.client.pe, path.pair.server.pe);
	assert_true(clock_us() - begun >= 20000);
	UNTIL(count_of(&path.pair.client.record, MESSAGE) == 1 && count_of(&path.pair.server.record, MESSAGE) == 1,
	      path.pair.client.pe, path.pair.server.pe);
	assert_true(clock_us() - begun >= 20000);
	free_sent(&path.producer.record);
	free_received(&path.consumer.record);
	buf_release(from);
	buf_release(to);
	path_close(&path);
}

/* The receiver stops before it has: the task fails, and nothing is received. */
static void what_has_not_arrived_when_its_receiver_stops_has_failed(void **state)
{
	(void)state;
	struct path path;
	path_open(&path);
	struct doca_buf *from = memory_buf(&path.memory, 0, 60, 60), *to[2];
	for (size_t i = 0; i < 2; i++)
		post(&path.consumer, to[i] = memory_buf(&path.memory, 4096 * (i + 1), 60, 0));
	put(&path.producer, path.consumer.id, from);
	OK(doca_emu_set_faults("latency=1000000"));
	put(&path.producer, path.consumer.id, from);
	send_text(&path.pair.client, path.pair.client.connection, "too late");
	OK(doca_emu_set_faults(NULL));
	send_text(&path.pair.client, path.pair.client.connection, "and this, too");
	UNTIL(count_of(&path.consumer.record, RECEIVED) == 1, path.consumer.pe);
	UNTIL(count_of(&path.producer.record, SENT) == 1, path.producer.pe);
	settle(path.pair.client.pe, path.pair.server.pe);
	assert_int_equal(inflight(path.producer.ctx), 1);
	assert_int_equal(inflight(path.pair.client.ctx), 2);
	(void)doca_ctx_stop(path.consumer.ctx);
	UNTIL(count_of(&path.consumer.record, RECEIVE_FAILED) == 1, path.consumer.pe);
	UNTIL(count_of(&path.producer.record, SEND_FAILED) == 1, path.producer.pe);
	assert_int_equal(nth(&path.producer.record, SEND_FAILED, 0)->a, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(count_of(&path.consumer.record, RECEIVED), 1);
	free_sent(&path.producer.record);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == DOCA_CTX_STATE_IDLE, path.consumer.pe);
	producer_stop(&path.producer);
	producer_destroy(&path.producer);
	consumer_destroy(&path.consumer);
	(void)doca_ctx_stop(path.pair.server.ctx);
	UNTIL(state_of(path.pair.server.ctx) == DOCA_CTX_STATE_IDLE &&
		      state_of(path.pair.client.ctx) == DOCA_CTX_STATE_IDLE,
	      path.pair.client.pe, path.pair.server.pe);
	assert_int_equal(count_of(&path.pair.server.record, MESSAGE), 0);
	assert_int_equal(count_of(&path.pair.client.record, SEND_FAILED), 2);
	assert_int_equal(count_of(&path.pair.client.record, SENT), 0);
	buf_release(from);
	for (size_t i = 0; i < 2; i++)
		buf_release(to[i]);
	memory_close(&path.memory);
	pair_stop(&path.pair);
}

/* A stop waits for it, and the goodbye follows. */
static void what_travels_arrives_before_the_goodbye(void **state)
{
	(void)state;
	for (int of_server = 0; of_server < 2; of_server++) {
		struct pair pair;
		pair_open(&pair, TWO_ENGINES);
		struct end *from = of_server ? &pair.server : &pair.client,
			   *to = of_server ? &pair.client : &pair.server;
		OK(doca_emu_set_faults("latency=600000"));
		send_text(from, from->connection, "on its way");
		OK(doca_emu_set_faults(NULL));
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(from->ctx));
		settle(from->pe, NULL);
		assert_int_equal(state_of(from->ctx), DOCA_CTX_STATE_STOPPING);
		UNTIL(state_of(from->ctx) == DOCA_CTX_STATE_IDLE && count_of(&to->record, MESSAGE) == 1, from->pe,
		      to->pe);
		assert_int_equal(count_of(&from->record, SENT), 1);
		pair_stop(&pair);
	}
}

static int in_the_child(void *argument)
{
	(void)argument;
	setenv("DOCA_EMU_FAULTS", "again=1", 1);
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_comch_task_send *task;
	OK(alloc_send(&pair.client, pair.client.connection, "x", 1, &task));
	GIVES(DOCA_ERROR_AGAIN, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	pair_close(&pair);
	return 7;
}

static void the_environment_is_read_at_the_start(void **state)
{
	(void)state;
	assert_int_equal(child_wait(child_start(in_the_child, NULL)), 7);
}

/* The file of a process that listens as "me", and another name in the same folder. */
static char told[128], other[128];

/* As the command does it: the file is there at once, and whole. */
static void tell(const char *list, mode_t mode)
{
	int fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && write(fd, list, strlen(list)) == (ssize_t)strlen(list) && fchmod(fd, mode) == 0);
	CHECK(close(fd) == 0 && rename(other, told) == 0);
}

/* What a message from the client meets. */
static doca_error_t one_message(struct pair *pair)
{
	struct doca_comch_task_send *task;
	OK(alloc_send(&pair->client, pair->client.connection, "x", 1, &task));
	size_t before = count_of(&pair->server.record, MESSAGE);
	doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		UNTIL(count_of(&pair->server.record, MESSAGE) == before + 1, pair->server.pe, pair->client.pe);
	else
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

static void expect_soon(struct pair *pair, doca_error_t expected)
{
	int64_t begun = clock_us();
	while (one_message(pair) != expected)
		CHECK(clock_us() - begun < 20000000);
}

/* Messages go on for longer than it takes to look again. */
static void expect_nothing(struct pair *pair)
{
	for (int64_t begun = clock_us(); clock_us() - begun < 60000;)
		OK(one_message(pair));
}

static int listens(void *argument)
{
	(void)argument;
	const char *folder = getenv("DOCA_EMU_DIR");
	snprintf(told, sizeof(told), "%s/me.faults", folder);
	snprintf(other, sizeof(other), "%s/other.faults", folder);
	setenv("DOCA_EMU_FAULTS", "@me", 1);
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	OK(one_message(&pair));
	tell("again=1000000000\n", 0600);
	expect_soon(&pair, DOCA_ERROR_AGAIN);
	tell("again=x", 0600); /* nothing changes */
	for (int64_t begun = clock_us(); clock_us() - begun < 60000;)
		GIVES(DOCA_ERROR_AGAIN, one_message(&pair));
	CHECK(unlink(told) == 0);
	expect_soon(&pair, DOCA_SUCCESS);

	tell("again=1000000000", 0620);
	expect_nothing(&pair);
	tell("again=1000000000", 0602);
	expect_nothing(&pair);
	CHECK(rename(told, other) == 0 && chmod(other, 0600) == 0 && symlink(other, told) == 0);
	expect_nothing(&pair);
	CHECK(unlink(told) == 0 && mkfifo(told, 0600) == 0);
	expect_nothing(&pair);
	if (geteuid() == 0) {
		CHECK(chown(other, BOB, BOB) == 0 && rename(other, told) == 0);
		expect_nothing(&pair);
	}
	/* A program that sets faults itself is listened to until it is told something else. */
	OK(doca_emu_set_faults("again=1"));
	GIVES(DOCA_ERROR_AGAIN, one_message(&pair));
	OK(one_message(&pair));
	tell("again=1000000000", 0600);
	expect_soon(&pair, DOCA_ERROR_AGAIN);
	CHECK(unlink(told) == 0);
	(void)unlink(other);
	expect_soon(&pair, DOCA_SUCCESS);
	pair_close(&pair);
	return 7;
}

static void who_listens_is_told_faults_by_its_user_alone(void **state)
{
	(void)state;
	assert_int_equal(child_wait(child_start(listens, NULL)), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First, because it forks before this process has used the library. */
		cmocka_unit_test(the_environment_is_read_at_the_start),
		cmocka_unit_test(who_listens_is_told_faults_by_its_user_alone),
		cmocka_unit_test_teardown(only_well_formed_lists_are_taken, without_faults),
		cmocka_unit_test_teardown(a_list_that_is_refused_changes_nothing, without_faults),
		cmocka_unit_test_teardown(as_many_clients_as_asked_are_refused, without_faults),
		cmocka_unit_test_teardown(a_client_can_be_made_to_wait, without_faults),
		cmocka_unit_test_teardown(the_kth_message_fails_and_is_not_sent, without_faults),
		cmocka_unit_test_teardown(a_dropped_connection_looks_like_a_dead_peer_to_both, without_faults),
		cmocka_unit_test_teardown(sends_and_receives_of_the_fast_path_fail_as_asked, without_faults),
		cmocka_unit_test_teardown(a_receive_that_fails_loses_nothing, without_faults),
		cmocka_unit_test_teardown(the_payload_of_a_failed_receive_goes_into_the_next_that_takes_it,
					  without_faults),
		cmocka_unit_test_teardown(a_payload_that_waits_goes_with_its_consumer, without_faults),
		cmocka_unit_test_teardown(a_client_whose_send_fails_for_good_stops, without_faults),
		cmocka_unit_test_teardown(a_server_whose_send_fails_for_good_stops, without_faults),
		cmocka_unit_test_teardown(a_producer_whose_send_fails_for_good_stops, without_faults),
		cmocka_unit_test_teardown(a_consumer_whose_receive_fails_for_good_stops, without_faults),
		cmocka_unit_test_teardown(each_payload_is_counted_once, without_faults),
		cmocka_unit_test_teardown(nothing_is_sent_after_a_drop, without_faults),
		cmocka_unit_test_teardown(what_is_sent_to_a_slow_device_arrives_later, without_faults),
		cmocka_unit_test_teardown(what_has_not_arrived_when_its_receiver_stops_has_failed, without_faults),
		cmocka_unit_test_teardown(what_travels_arrives_before_the_goodbye, without_faults),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
