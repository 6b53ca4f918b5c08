/* What the fast path of doca_cc does differently, in both releases and under Comch's names. */
#include <string.h>

#include "doca_emu.h"
#include "harness.h"

#define BAD DOCA_ERROR_INVALID_VALUE
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

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
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(lane.producer.producer, from, NULL, 0, lane.consumer.id, &task));
	GIVES(BAD, doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	assert_int_equal(buf_data_len(from), 101);
	assert_int_equal(buf_data_len(to), 0);
	OK(doca_buf_set_data_len(from, 100));
	OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
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
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(lane.producer.producer, from, NULL, 0, lane.consumer.id, &task));
	doca_comch_producer_task_send_set_buf(task, NULL);
	assert_null(doca_comch_producer_task_send_get_buf(task));
	GIVES(BAD, doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	doca_comch_producer_task_send_set_buf(task, from);
	OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.consumer.pe, lane.producer.pe);
	assert_int_equal(buf_data_len(to), 100);
	buf_release(from);
	buf_release(to);
	lane_close(&lane);
}

/* A benchmark's way: one task and one buffer on each side, submitted again for each message. What was freed in between
 * is not sent, and the log says so. */
static void a_task_is_submitted_again_until_it_is_freed(void **state)
{
	(void)state;
	struct lane lane;
	lane_open(&lane);
	struct doca_buf *from = memory_buf(&lane.from, 0, 4080, 0), *to = memory_buf(&lane.to, 0, 4080, 0);
	struct doca_comch_producer_task_send *send;
	struct doca_comch_consumer_task_post_recv *receive;
	OK(doca_comch_producer_task_send_alloc_init(lane.producer.producer, from, NULL, 0, lane.consumer.id, &send));
	OK(doca_comch_consumer_task_post_recv_alloc_init(lane.consumer.consumer, to, &receive));
	struct doca_task *sent = doca_comch_producer_task_send_as_task(send);
	struct doca_task *received = doca_comch_consumer_task_post_recv_as_task(receive);
	for (size_t i = 1; i <= 10; i++) {
		fill(lane.from.bytes, 14 * i, i);
		OK(doca_buf_set_data(from, lane.from.bytes, 14 * i));
		OK(doca_buf_reset_data_len(to));
		OK(doca_task_submit(received));
		OK(doca_task_submit(sent));
		UNTIL(count_of(&lane.consumer.record, RECEIVED) == i && count_of(&lane.producer.record, SENT) == i,
		      lane.consumer.pe, lane.producer.pe);
		assert_int_equal(buf_data_len(to), 14 * i);
		assert_true(filled(lane.to.bytes, 14 * i, i));
	}
	record_clear(&lane.consumer.record);
	record_clear(&lane.producer.record);
	doca_task_free(sent);
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(sent));
	assert_non_null(strstr(doca_emu_last_error(), "freed"));
	doca_task_free(received);
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
	struct doca_comch_producer_task_send *task;
	GIVES(BAD, try_send(&lane.producer, lane.consumer.id, first, NULL, 0, &task));
	OK(doca_buf_unchain_list(first, second));
	OK(try_send(&lane.producer, lane.consumer.id, first, NULL, 0, &task));
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.consumer.pe, lane.producer.pe);
	CHECK(buf_data_len(to) == 100);
	OK(doca_buf_reset_data_len(to));
	OK(doca_buf_chain_list(to, more));
	struct doca_comch_consumer_task_post_recv *receive;
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

/* ---- callbacks for new consumers ---- */

static void nothing(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void no_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event, (void)bytes, (void)len, (void)connection;
}

static bool complained(void)
{
	return strstr(doca_emu_last_error(), "no callback for new consumers") != NULL;
}

/* Creates one of each kind and destroys it again. */
static bool creating_is_complained_about(struct doca_comch_connection *connection, struct doca_mmap *mmap)
{
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	OK(doca_comch_consumer_create(connection, mmap, &consumer));
	bool of_consumer = complained();
	OK(doca_comch_consumer_destroy(consumer));
	OK(doca_comch_producer_create(connection, &producer));
	CHECK(complained() == of_consumer);
	OK(doca_comch_producer_destroy(producer));
	return of_consumer;
}

static void without_callbacks_for_consumers_there_is_a_warning(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_make(&server, &d, "warned", NULL);
	client_create(&client, &d, "warned");
	OK(doca_comch_client_task_send_set_conf(client.client, nothing, nothing, 4));
	OK(doca_comch_client_event_msg_recv_register(client.client, no_message));
	end_connect_pe(&client, NULL);
	OK(doca_ctx_start(server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(server.connection != NULL && state_of(client.ctx) == DOCA_CTX_STATE_RUNNING, server.pe, client.pe);
	OK(doca_comch_client_get_connection(client.client, &client.connection));
	struct memory of_dpu, of_host;
	memory_open(&of_dpu, 4096, 4, d.dpu, RW);
	memory_open(&of_host, 4096, 4, d.host, RW);
	assert_false(creating_is_complained_about(server.connection, of_dpu.mmap));
	assert_true(creating_is_complained_about(client.connection, of_host.mmap));
	memory_close(&of_dpu);
	memory_close(&of_host);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
	UNTIL(state_of(client.ctx) == DOCA_CTX_STATE_IDLE, server.pe, client.pe);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == DOCA_CTX_STATE_IDLE, server.pe);
	end_destroy(&client);
	end_destroy(&server);
	devices_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: its child reads limits of its own, which a process does once. */
		cmocka_unit_test(lists_of_buffers_are_refused_whatever_the_device_can_do),
		cmocka_unit_test(data_of_every_size_are_appended),
		cmocka_unit_test(data_longer_than_the_posted_room_are_refused),
		cmocka_unit_test(a_send_whose_buffer_was_taken_away_is_refused),
		cmocka_unit_test(a_task_is_submitted_again_until_it_is_freed),
		cmocka_unit_test(without_callbacks_for_consumers_there_is_a_warning),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
