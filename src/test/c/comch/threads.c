/* A control thread and several threads with producers and consumers of the same connections. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

enum { WORKERS = 4, MESSAGES = 3000, DEPTH = 32, LIVES = 30 };

struct control {
	struct pair *pair;
	atomic_bool ended;
	pthread_t thread;
};

/* Progresses both control engines of a pair until told to end. */
static void *run_control(void *argument)
{
	struct control *control = argument;
	while (!atomic_load(&control->ended))
		if (!(drive(control->pair->server.pe) | drive(control->pair->client.pe)))
			sched_yield();
	return NULL;
}

static void control_start(struct control *control, struct pair *pair)
{
	control->pair = pair;
	atomic_store(&control->ended, false);
	CHECK(pthread_create(&control->thread, NULL, run_control, control) == 0);
}

static void control_end(struct control *control)
{
	atomic_store(&control->ended, true);
	CHECK(pthread_join(control->thread, NULL) == 0);
}

/* One direction of traffic: a receiving thread and a sending thread. */
struct lane {
	struct doca_comch_connection *from, *to;
	struct doca_dev *from_dev, *to_dev;
	_Atomic uint32_t consumer_id;
	size_t bytes;
	pthread_t sender, receiver;
};

static void received_one(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			 doca_error_t status)
{
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	if (status != DOCA_SUCCESS) {
		doca_task_free(base);
		return;
	}
	struct lane *lane = consumer->own;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	void *data;
	OK(doca_buf_get_data(buf, &data));
	CHECK(buf_data_len(buf) == lane->bytes);
	uint64_t number = count_of(&consumer->record, RECEIVED) - 1, first;
	memcpy(&first, data, sizeof(first));
	CHECK(first == number);
	if (number % 100 == 0)
		CHECK(filled((uint8_t *)data + 8, lane->bytes - 8, number));
	OK(doca_buf_reset_data_len(buf));
	if (number + DEPTH < MESSAGES)
		OK(doca_task_submit(base));
	else
		doca_task_free(base);
}

static void *run_receiver(void *argument)
{
	struct lane *lane = argument;
	struct memory memory;
	memory_open(&memory, DEPTH * lane->bytes, DEPTH, lane->to_dev, RW);
	struct consumer consumer;
	consumer_make(&consumer, lane->to, memory.mmap, DEPTH, NULL);
	consumer.own = lane;
	consumer.on_received = received_one;
	consumer_start(&consumer, NULL);
	struct doca_buf *bufs[DEPTH];
	for (size_t i = 0; i < DEPTH; i++) {
		bufs[i] = memory_buf(&memory, i * lane->bytes, lane->bytes, 0);
		post(&consumer, bufs[i]);
	}
	atomic_store(&lane->consumer_id, consumer.id);
	UNTIL(count_of(&consumer.record, RECEIVED) == MESSAGES, consumer.pe);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	for (size_t i = 0; i < DEPTH; i++)
		buf_release(bufs[i]);
	memory_close(&memory);
	return NULL;
}

static void *run_sender(void *argument)
{
	struct lane *lane = argument;
	struct memory memory;
	memory_open(&memory, lane->bytes, 1, lane->from_dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct producer producer;
	producer_make(&producer, lane->from, 1, NULL);
	producer_start(&producer);
	while (atomic_load(&lane->consumer_id) == 0)
		sched_yield();
	struct doca_buf *buf = memory_buf(&memory, 0, lane->bytes, lane->bytes);
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(producer.producer, buf, NULL, 0, atomic_load(&lane->consumer_id),
						    &task));
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	for (uint64_t i = 0; i < MESSAGES; i++) {
		memcpy(memory.bytes, &i, sizeof(i));
		if (i % 100 == 0)
			fill(memory.bytes + 8, lane->bytes - 8, i);
		doca_error_t result;
		int64_t deadline = harness_deadline();
		while ((result = doca_task_submit(base)) == DOCA_ERROR_AGAIN) {
			harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
			sched_yield();
		}
		CHECK(result == DOCA_SUCCESS);
		UNTIL(count_of(&producer.record, SENT) == 1, producer.pe);
		record_clear(&producer.record);
	}
	doca_task_free(base);
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&memory);
	return NULL;
}

static void producers_and_consumers_have_threads_of_their_own(void **state)
{
	(void)state;
	static const size_t sizes[WORKERS] = {64, 100, 4096, 20000};
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct control control;
	struct lane lanes[WORKERS];
	for (size_t i = 0; i < WORKERS; i++) {
		bool to_server = i % 2 == 0;
		lanes[i] = (struct lane){
			.from = to_server ? pair.client.connection : pair.server.connection,
			.to = to_server ? pair.server.connection : pair.client.connection,
			.from_dev = to_server ? pair.devices.host : pair.devices.dpu,
			.to_dev = to_server ? pair.devices.dpu : pair.devices.host,
			.bytes = sizes[i],
		};
	}
	control_start(&control, &pair);
	for (size_t i = 0; i < WORKERS; i++) {
		CHECK(pthread_create(&lanes[i].receiver, NULL, run_receiver, &lanes[i]) == 0);
		CHECK(pthread_create(&lanes[i].sender, NULL, run_sender, &lanes[i]) == 0);
	}
	for (size_t i = 0; i < WORKERS; i++) {
		CHECK(pthread_join(lanes[i].receiver, NULL) == 0);
		CHECK(pthread_join(lanes[i].sender, NULL) == 0);
	}
	control_end(&control);
	settle(pair.client.pe, pair.server.pe);
	assert_int_equal(count_of(&pair.server.record, CONSUMER_NEW), WORKERS / 2);
	assert_int_equal(count_of(&pair.client.record, CONSUMER_EXPIRED), WORKERS / 2);
	pair_close(&pair);
}

/* ---- children that come and go while the control path works ---- */

static void *live_and_die(void *argument)
{
	struct lane *lane = argument;
	struct memory memory;
	memory_open(&memory, 4096, 4, lane->to_dev, RW);
	for (int life = 0; life < LIVES; life++) {
		struct consumer consumer;
		struct producer producer;
		struct doca_pe *pe;
		OK(doca_pe_create(&pe));
		consumer_make(&consumer, lane->to, memory.mmap, 4, pe);
		producer_make(&producer, lane->to, 4, pe);
		producer_start(&producer);
		if (life % 3 == 0)
			GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
		else
			consumer_start(&consumer, NULL);
		struct doca_buf *buf = memory_buf(&memory, 0, 64, 0);
		if (life % 3 == 1)
			post(&consumer, buf);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
		UNTIL(inflight(consumer.ctx) == 0, pe);
		free_received(&consumer.record);
		UNTIL(state_of(consumer.ctx) == IDLE, pe);
		producer_stop(&producer);
		consumer_destroy(&consumer);
		producer_destroy(&producer);
		buf_release(buf);
		OK(doca_pe_destroy(pe));
	}
	memory_close(&memory);
	return NULL;
}

static void they_come_and_go_while_the_control_thread_works(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct control control;
	struct lane lanes[WORKERS];
	control_start(&control, &pair);
	for (size_t i = 0; i < WORKERS; i++) {
		lanes[i] = (struct lane){
			.to = i % 2 == 0 ? pair.server.connection : pair.client.connection,
			.to_dev = i % 2 == 0 ? pair.devices.dpu : pair.devices.host,
		};
		CHECK(pthread_create(&lanes[i].receiver, NULL, live_and_die, &lanes[i]) == 0);
	}
	for (size_t i = 0; i < WORKERS; i++)
		CHECK(pthread_join(lanes[i].receiver, NULL) == 0);
	control_end(&control);
	settle(pair.client.pe, pair.server.pe);
	assert_int_equal(count_of(&pair.server.record, CONSUMER_NEW), count_of(&pair.server.record, CONSUMER_EXPIRED));
	assert_int_equal(count_of(&pair.client.record, CONSUMER_NEW), count_of(&pair.client.record, CONSUMER_EXPIRED));
	pair_close(&pair);
}

/* ---- many producers at one consumer, whose buffers come and go ---- */

struct crowd {
	struct doca_comch_connection *connection;
	struct doca_dev *dev;
	uint32_t consumer_id;
	atomic_bool ended;
	_Atomic uint64_t sent;
};

static void *run_crowd(void *argument)
{
	struct crowd *crowd = argument;
	struct memory memory;
	memory_open(&memory, 64, 1, crowd->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	memset(memory.bytes, 0x11, 64);
	struct producer producer;
	producer_make(&producer, crowd->connection, 8, NULL);
	producer_start(&producer);
	struct doca_buf *buf = memory_buf(&memory, 0, 64, 64);
	while (!atomic_load(&crowd->ended)) {
		for (int i = 0; i < 8; i++)
			if (try_send(&producer, crowd->consumer_id, buf, NULL, 0, NULL) == DOCA_SUCCESS)
				atomic_fetch_add(&crowd->sent, 1);
		while (drive(producer.pe))
			;
		free_sent(&producer.record);
		record_clear(&producer.record);
	}
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&memory);
	return NULL;
}

static void a_buffer_that_was_taken_back_is_not_written(void **state)
{
	(void)state;
	enum { POSTS = 16, ROUNDS = 2000 };
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory;
	memory_open(&memory, POSTS * 64, POSTS, pair.devices.dpu, RW);
	struct consumer consumer;
	consumer_make(&consumer, pair.server.connection, memory.mmap, POSTS, NULL);
	consumer_start(&consumer, pair.server.pe);
	struct doca_buf *bufs[POSTS];
	for (size_t i = 0; i < POSTS; i++)
		bufs[i] = memory_buf(&memory, i * 64, 64, 0);
	struct crowd crowd = {
		.connection = pair.client.connection, .dev = pair.devices.host, .consumer_id = consumer.id};
	pthread_t threads[3];
	for (size_t i = 0; i < 3; i++)
		CHECK(pthread_create(&threads[i], NULL, run_crowd, &crowd) == 0);
	uint64_t kept = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct doca_comch_consumer_task_post_recv *tasks[POSTS];
		size_t posted = 0;
		for (; posted < POSTS; posted++) {
			OK(doca_buf_reset_data_len(bufs[posted]));
			if (try_post(&consumer, bufs[posted], &tasks[posted]) != DOCA_SUCCESS)
				break; /* cancelled ones have not had their turn */
		}
		if (round % 3 == 0)
			sched_yield();
		/* Every other buffer is taken back, and belongs to this thread again at once. */
		size_t cancelled = 0;
		for (size_t i = round % 2; i < posted; i += 2) {
			bool done = false;
			for (size_t j = 0; j < consumer.record.num; j++)
				done |= consumer.record.list[j].object == tasks[i];
			if (done)
				continue;
			doca_task_free(doca_comch_consumer_task_post_recv_as_task(tasks[i]));
			memset(memory.bytes + i * 64, 0x22, 64);
			tasks[i] = NULL;
			cancelled++;
		}
		UNTIL(count_of(&consumer.record, RECEIVED) == posted - cancelled && inflight(consumer.ctx) == 0,
		      consumer.pe);
		for (size_t i = 0; i < posted; i++)
			for (size_t j = 0; j < 64; j++)
				CHECK(memory.bytes[i * 64 + j] == (tasks[i] == NULL ? 0x22 : 0x11));
		kept += posted - cancelled;
		free_received(&consumer.record);
		CHECK(count_of(&consumer.record, RECEIVE_FAILED) == 0);
		record_clear(&consumer.record);
	}
	atomic_store(&crowd.ended, true);
	for (size_t i = 0; i < 3; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	assert_true(atomic_load(&crowd.sent) >= kept);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	for (size_t i = 0; i < POSTS; i++)
		buf_release(bufs[i]);
	pair_close(&pair);
	memory_close(&memory);
}

/* A producer thread keeps sending while the consumer stops and starts again with another number of buffers. */
static void a_consumer_restarts_under_fire(void **state)
{
	(void)state;
	enum { LIVES_UNDER_FIRE = 200 };
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory;
	memory_open(&memory, 64 * 64, 64, pair.devices.dpu, RW);
	struct consumer consumer;
	consumer_make(&consumer, pair.server.connection, memory.mmap, 4, NULL);
	struct crowd crowd = {
		.connection = pair.client.connection, .dev = pair.devices.host, .consumer_id = consumer.id};
	pthread_t threads[2];
	for (size_t i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, run_crowd, &crowd) == 0);
	struct doca_buf *bufs[64];
	for (size_t i = 0; i < 64; i++)
		bufs[i] = memory_buf(&memory, i * 64, 64, 0);
	struct control control;
	control_start(&control, &pair);
	size_t received = 0;
	for (int life = 0; life < LIVES_UNDER_FIRE; life++) {
		consumer_start(&consumer, NULL);
		size_t posts = life % 2 == 0 ? 4 : 3;
		for (size_t i = 0; i < posts; i++) {
			OK(doca_buf_reset_data_len(bufs[i]));
			post(&consumer, bufs[i]);
		}
		if (life % 3 != 0)
			UNTIL(count_of(&consumer.record, RECEIVED) > 0, consumer.pe);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
		UNTIL(inflight(consumer.ctx) == 0, consumer.pe);
		CHECK(count_of(&consumer.record, RECEIVED) + count_of(&consumer.record, RECEIVE_FAILED) == posts);
		received += count_of(&consumer.record, RECEIVED);
		free_received(&consumer.record);
		record_clear(&consumer.record);
		UNTIL(state_of(consumer.ctx) == IDLE, consumer.pe);
	}
	atomic_store(&crowd.ended, true);
	for (size_t i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	control_end(&control);
	/* What was sent has arrived, nothing else. */
	assert_int_equal(atomic_load(&crowd.sent), received);
	consumer_destroy(&consumer);
	for (size_t i = 0; i < 64; i++)
		buf_release(bufs[i]);
	pair_close(&pair);
	memory_close(&memory);
}

/* ---- a connection that ends while its children work ---- */

struct victim {
	struct lane lane;
	atomic_bool ready;
};

static void *suffer(void *argument)
{
	struct victim *victim = argument;
	struct memory memory;
	memory_open(&memory, 4096, 4, victim->lane.to_dev, RW);
	struct consumer consumer;
	struct producer producer;
	struct doca_pe *pe;
	OK(doca_pe_create(&pe));
	consumer_make(&consumer, victim->lane.to, memory.mmap, 4, pe);
	producer_make(&producer, victim->lane.to, 4, pe);
	producer_start(&producer);
	consumer_start(&consumer, NULL);
	struct doca_buf *buf = memory_buf(&memory, 0, 64, 0);
	post(&consumer, buf);
	atomic_store(&victim->ready, true);
	uint8_t imm[4] = {0};
	while (state_of(producer.ctx) == DOCA_CTX_STATE_RUNNING) {
		struct doca_comch_producer_task_send *task;
		if (try_send(&producer, 1, NULL, imm, 4, &task) == DOCA_SUCCESS)
			doca_task_free(doca_comch_producer_task_send_as_task(task));
		drive(pe);
	}
	UNTIL(inflight(consumer.ctx) == 0, pe);
	free_received(&consumer.record);
	UNTIL(state_of(consumer.ctx) == IDLE && state_of(producer.ctx) == IDLE, pe);
	consumer_destroy(&consumer);
	producer_destroy(&producer);
	buf_release(buf);
	OK(doca_pe_destroy(pe));
	memory_close(&memory);
	return NULL;
}

static void a_connection_ends_while_threads_use_it(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		struct pair pair;
		pair_open(&pair, TWO_ENGINES);
		struct victim victims[2];
		for (size_t i = 0; i < 2; i++) {
			victims[i].lane = (struct lane){.to = pair.client.connection, .to_dev = pair.devices.host};
			atomic_store(&victims[i].ready, false);
			CHECK(pthread_create(&victims[i].lane.receiver, NULL, suffer, &victims[i]) == 0);
		}
		/* Their word wakes no engine. */
		struct control control;
		control_start(&control, &pair);
		while (!atomic_load(&victims[0].ready) || !atomic_load(&victims[1].ready))
			usleep(100);
		control_end(&control);
		if (round % 2 == 0)
			OK(doca_comch_server_disconnect(pair.server.server, pair.server.connection));
		else
			GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.server.ctx));
		UNTIL(state_of(pair.client.ctx) == IDLE, pair.client.pe, pair.server.pe);
		for (size_t i = 0; i < 2; i++)
			CHECK(pthread_join(victims[i].lane.receiver, NULL) == 0);
		pair_stop(&pair);
	}
}

/* ---- servers and clients on threads of their own ---- */

struct talker {
	const struct devices *devices;
	size_t number;
	pthread_t thread;
};

static void *talk(void *argument)
{
	struct talker *talker = argument;
	struct end client;
	client_make(&client, talker->devices, "talk", NULL);
	for (int round = 0; round < 5; round++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		UNTIL(state_of(client.ctx) == DOCA_CTX_STATE_RUNNING, client.pe);
		for (size_t i = 0; i < 20; i++)
			send_bytes(&client, client.connection, &i, sizeof(i));
		UNTIL(count_of(&client.record, MESSAGE) == 20, client.pe);
		for (size_t i = 0; i < 20; i++)
			CHECK(memcmp(nth(&client.record, MESSAGE, i)->bytes, &i, sizeof(i)) == 0);
		(void)doca_ctx_stop(client.ctx);
		UNTIL(state_of(client.ctx) == IDLE, client.pe);
		record_clear(&client.record);
	}
	end_destroy(&client);
	return NULL;
}

static void echo(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	/* More than the pool holds could be asked for: then the newest waits its turn in the callback's stead. */
	send_bytes(end, connection, bytes, len);
}

static void clients_on_threads_talk_to_one_server(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	struct end server;
	server_create(&server, &devices, "talk");
	end_configure(&server);
	end_connect_pe(&server, NULL);
	server.on_message = echo;
	OK(doca_ctx_start(server.ctx));
	struct talker talkers[3];
	for (size_t i = 0; i < 3; i++) {
		talkers[i] = (struct talker){.devices = &devices, .number = i};
		CHECK(pthread_create(&talkers[i].thread, NULL, talk, &talkers[i]) == 0);
	}
	UNTIL(count_of(&server.record, DISCONNECTED) == 15, server.pe);
	for (size_t i = 0; i < 3; i++)
		CHECK(pthread_join(talkers[i].thread, NULL) == 0);
	assert_int_equal(count_of(&server.record, MESSAGE), 300);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&devices);
}

static void *serve_alone(void *argument)
{
	struct talker *talker = argument;
	char name[32] = "alone-";
	name[6] = (char)('a' + talker->number);
	for (int round = 0; round < 500; round++) {
		struct end server;
		server_make(&server, talker->devices, name, NULL);
		OK(doca_ctx_start(server.ctx));
		OK(doca_ctx_stop(server.ctx));
		end_destroy(&server);
	}
	return NULL;
}

static void servers_of_different_names_start_at_the_same_time(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	struct talker talkers[4];
	for (size_t i = 0; i < 4; i++) {
		talkers[i] = (struct talker){.devices = &devices, .number = i};
		CHECK(pthread_create(&talkers[i].thread, NULL, serve_alone, &talkers[i]) == 0);
	}
	for (size_t i = 0; i < 4; i++)
		CHECK(pthread_join(talkers[i].thread, NULL) == 0);
	devices_close(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(producers_and_consumers_have_threads_of_their_own),
		cmocka_unit_test(they_come_and_go_while_the_control_thread_works),
		cmocka_unit_test(a_buffer_that_was_taken_back_is_not_written),
		cmocka_unit_test(a_consumer_restarts_under_fire),
		cmocka_unit_test(a_connection_ends_while_threads_use_it),
		cmocka_unit_test(clients_on_threads_talk_to_one_server),
		cmocka_unit_test(servers_of_different_names_start_at_the_same_time),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
