/* Each function of doca_cc, under its name in Comch, without its arguments, and in the states and on the sides where it
 * must refuse. */
#include <string.h>

#include "harness.h"

#define BAD DOCA_ERROR_INVALID_VALUE
#define STATE_ERROR DOCA_ERROR_BAD_STATE
#define UNSUPPORTED DOCA_ERROR_NOT_SUPPORTED
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

static void control_done(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void post_done(struct doca_comch_consumer_task_post_recv *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void put_done(struct doca_comch_producer_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		    struct doca_comch_connection *connection)
{
	(void)event, (void)bytes, (void)len, (void)connection;
}

static void connection_changed(struct doca_comch_event_connection_status_changed *event,
			       struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event, (void)connection, (void)successful;
}

static void consumer_changed(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event, (void)connection, (void)id;
}

static void devices_know_their_side(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	const struct doca_devinfo *dpu = doca_dev_as_devinfo(d.dpu), *host = doca_dev_as_devinfo(d.host);
	OK(doca_comch_cap_server_is_supported(dpu));
	OK(doca_comch_cap_client_is_supported(host));
	GIVES(UNSUPPORTED, doca_comch_cap_server_is_supported(host));
	GIVES(UNSUPPORTED, doca_comch_cap_client_is_supported(dpu));
	OK(doca_comch_consumer_cap_is_supported(dpu));
	OK(doca_comch_consumer_cap_is_supported(host));
	OK(doca_comch_producer_cap_is_supported(dpu));
	OK(doca_comch_producer_cap_is_supported(host));
	GIVES(BAD, doca_comch_cap_server_is_supported(NULL));
	GIVES(BAD, doca_comch_cap_client_is_supported(NULL));
	GIVES(BAD, doca_comch_consumer_cap_is_supported(NULL));
	GIVES(BAD, doca_comch_producer_cap_is_supported(NULL));
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	GIVES(UNSUPPORTED, doca_comch_client_create(d.dpu, "side", &client));
	GIVES(BAD, doca_comch_server_create(d.host, d.rep, "side", &server)); /* the representor is another device's */
	devices_close(&d);
}

static void servers_and_clients_need_their_arguments(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	GIVES(BAD, doca_comch_server_create(NULL, d.rep, "calls", &server));
	GIVES(BAD, doca_comch_server_create(d.dpu, NULL, "calls", &server));
	GIVES(BAD, doca_comch_server_create(d.dpu, d.rep, NULL, &server));
	GIVES(BAD, doca_comch_server_create(d.dpu, d.rep, "calls", NULL));
	GIVES(BAD, doca_comch_client_create(NULL, "calls", &client));
	GIVES(BAD, doca_comch_client_create(d.host, NULL, &client));
	GIVES(BAD, doca_comch_client_create(d.host, "calls", NULL));
	GIVES(DESTROYED_NULL, doca_comch_server_destroy(NULL));
	GIVES(DESTROYED_NULL, doca_comch_client_destroy(NULL));
	assert_null(doca_comch_server_as_ctx(NULL));
	assert_null(doca_comch_client_as_ctx(NULL));

	OK(doca_comch_server_create(d.dpu, d.rep, "calls", &server));
	OK(doca_comch_client_create(d.host, "calls", &client));
	assert_non_null(doca_comch_server_as_ctx(server));
	assert_non_null(doca_comch_client_as_ctx(client));
	struct doca_dev *dev = NULL;
	struct doca_dev_rep *rep = NULL;
	OK(doca_comch_server_get_device(server, &dev));
	assert_ptr_equal(dev, d.dpu);
	OK(doca_comch_client_get_device(client, &dev));
	assert_ptr_equal(dev, d.host);
	OK(doca_comch_server_get_device_rep(server, &rep));
	assert_ptr_equal(rep, d.rep);
	GIVES(BAD, doca_comch_server_get_device(NULL, &dev));
	GIVES(BAD, doca_comch_server_get_device(server, NULL));
	GIVES(BAD, doca_comch_client_get_device(NULL, &dev));
	GIVES(BAD, doca_comch_client_get_device(client, NULL));
	GIVES(BAD, doca_comch_server_get_device_rep(NULL, &rep));
	GIVES(BAD, doca_comch_server_get_device_rep(server, NULL));
	OK(doca_comch_server_destroy(server));
	OK(doca_comch_client_destroy(client));
	devices_close(&d);
}

static void registrations_need_their_arguments(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	OK(doca_comch_server_create(d.dpu, d.rep, "calls", &server));
	OK(doca_comch_client_create(d.host, "calls", &client));
	GIVES(BAD, doca_comch_server_task_send_set_conf(NULL, control_done, control_done, 3));
	GIVES(BAD, doca_comch_server_task_send_set_conf(server, NULL, control_done, 3));
	GIVES(BAD, doca_comch_server_task_send_set_conf(server, control_done, NULL, 3));
	GIVES(BAD, doca_comch_client_task_send_set_conf(NULL, control_done, control_done, 3));
	GIVES(BAD, doca_comch_client_task_send_set_conf(client, NULL, control_done, 3));
	GIVES(BAD, doca_comch_client_task_send_set_conf(client, control_done, NULL, 3));
	GIVES(BAD, doca_comch_server_event_msg_recv_register(NULL, message));
	GIVES(BAD, doca_comch_server_event_msg_recv_register(server, NULL));
	GIVES(BAD, doca_comch_client_event_msg_recv_register(NULL, message));
	GIVES(BAD, doca_comch_client_event_msg_recv_register(client, NULL));
	GIVES(BAD,
	      doca_comch_server_event_connection_status_changed_register(NULL, connection_changed, connection_changed));
	GIVES(BAD, doca_comch_server_event_connection_status_changed_register(server, NULL, connection_changed));
	GIVES(BAD, doca_comch_server_event_connection_status_changed_register(server, connection_changed, NULL));
	GIVES(BAD, doca_comch_server_event_consumer_register(NULL, consumer_changed, consumer_changed));
	GIVES(BAD, doca_comch_server_event_consumer_register(server, NULL, consumer_changed));
	GIVES(BAD, doca_comch_server_event_consumer_register(server, consumer_changed, NULL));
	GIVES(BAD, doca_comch_client_event_consumer_register(NULL, consumer_changed, consumer_changed));
	GIVES(BAD, doca_comch_client_event_consumer_register(client, NULL, consumer_changed));
	GIVES(BAD, doca_comch_client_event_consumer_register(client, consumer_changed, NULL));
	OK(doca_comch_server_destroy(server));
	OK(doca_comch_client_destroy(client));
	devices_close(&d);
}

static void a_running_server_or_client_is_not_configured(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_comch_server *server = pair.server.server;
	struct doca_comch_client *client = pair.client.client;
	GIVES(STATE_ERROR, doca_comch_server_task_send_set_conf(server, control_done, control_done, 3));
	GIVES(STATE_ERROR, doca_comch_client_task_send_set_conf(client, control_done, control_done, 3));
	GIVES(STATE_ERROR, doca_comch_server_event_msg_recv_register(server, message));
	GIVES(STATE_ERROR, doca_comch_client_event_msg_recv_register(client, message));
	GIVES(STATE_ERROR, doca_comch_server_event_connection_status_changed_register(server, connection_changed,
										      connection_changed));
	GIVES(STATE_ERROR, doca_comch_server_event_consumer_register(server, consumer_changed, consumer_changed));
	GIVES(STATE_ERROR, doca_comch_client_event_consumer_register(client, consumer_changed, consumer_changed));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_server_destroy(server));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_client_destroy(client));
	/* The callbacks that were refused have not replaced those of the harness. */
	send_text(&pair.client, pair.client.connection, "to the server");
	send_text(&pair.server, pair.server.connection, "to the client");
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1 && count_of(&pair.client.record, MESSAGE) == 1,
	      pair.server.pe, pair.client.pe);
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 0), "to the server"));
	assert_true(is_text(nth(&pair.client.record, MESSAGE, 0), "to the client"));
	pair_close(&pair);
}

static void messages_need_their_arguments_and_a_running_context(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_comch_server *server = pair.server.server;
	struct doca_comch_client *client = pair.client.client;
	struct doca_comch_connection *of_server = pair.server.connection, *of_client = pair.client.connection;
	struct doca_comch_task_send *task;
	GIVES(BAD, doca_comch_server_task_send_alloc_init(NULL, of_server, "x", 1, &task));
	GIVES(BAD, doca_comch_server_task_send_alloc_init(server, NULL, "x", 1, &task));
	GIVES(BAD, doca_comch_server_task_send_alloc_init(server, of_server, NULL, 1, &task));
	GIVES(BAD, doca_comch_server_task_send_alloc_init(server, of_server, "x", 0, &task));
	GIVES(BAD, doca_comch_server_task_send_alloc_init(server, of_server, "x", 1, NULL));
	GIVES(BAD, doca_comch_server_task_send_alloc_init(server, of_client, "x", 1, &task));
	GIVES(BAD, doca_comch_client_task_send_alloc_init(NULL, of_client, "x", 1, &task));
	GIVES(BAD, doca_comch_client_task_send_alloc_init(client, NULL, "x", 1, &task));
	GIVES(BAD, doca_comch_client_task_send_alloc_init(client, of_client, NULL, 1, &task));
	GIVES(BAD, doca_comch_client_task_send_alloc_init(client, of_client, "x", 0, &task));
	GIVES(BAD, doca_comch_client_task_send_alloc_init(client, of_client, "x", 1, NULL));
	GIVES(BAD, doca_comch_client_task_send_alloc_init(client, of_server, "x", 1, &task));
	assert_null(doca_comch_task_send_as_task(NULL));

	/* STOPPING: a task is out. A second stop is welcome, a new task is not. */
	OK(doca_comch_client_task_send_alloc_init(client, of_client, "x", 1, &task));
	assert_ptr_equal(doca_task_get_ctx(doca_comch_task_send_as_task(task)), pair.client.ctx);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
	struct doca_comch_task_send *late;
	GIVES(STATE_ERROR, doca_comch_client_task_send_alloc_init(client, of_client, "x", 1, &late));
	GIVES(STATE_ERROR, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_IDLE, pair.client.pe, pair.server.pe);
	pair_stop(&pair);
}

static void a_connection_belongs_to_its_side(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	struct doca_comch_connection *connection = NULL;
	GIVES(STATE_ERROR, doca_comch_client_get_connection(pair.client.client, &connection));
	pair_connect(&pair);
	struct doca_comch_connection *of_server = pair.server.connection, *of_client = pair.client.connection;
	OK(doca_comch_client_get_connection(pair.client.client, &connection));
	assert_ptr_equal(connection, of_client);
	GIVES(BAD, doca_comch_client_get_connection(NULL, &connection));
	GIVES(BAD, doca_comch_client_get_connection(pair.client.client, NULL));
	assert_ptr_equal(doca_comch_server_get_server_ctx(of_server), pair.server.server);
	assert_ptr_equal(doca_comch_client_get_client_ctx(of_client), pair.client.client);
	assert_null(doca_comch_server_get_server_ctx(of_client));
	assert_null(doca_comch_client_get_client_ctx(of_server));
	assert_null(doca_comch_server_get_server_ctx(NULL));
	assert_null(doca_comch_client_get_client_ctx(NULL));

	union doca_data before = doca_comch_connection_get_user_data(of_server), data = {.u64 = UINT64_MAX};
	OK(doca_comch_connection_set_user_data(of_server, data));
	assert_int_equal(doca_comch_connection_get_user_data(of_server).u64, UINT64_MAX);
	OK(doca_comch_connection_set_user_data(of_server, before));
	GIVES(BAD, doca_comch_connection_set_user_data(NULL, data));
	assert_int_equal(doca_comch_connection_get_user_data(NULL).u64, 0);

	send_text(&pair.client, of_client, "twelve bytes");
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1 && count_of(&pair.client.record, SENT) == 1, pair.server.pe,
	      pair.client.pe);
	uint64_t value = 7;
	GIVES(BAD, doca_comch_connection_update_info(NULL));
	OK(doca_comch_connection_update_info(of_server));
	OK(doca_comch_connection_update_info(of_client));
	GIVES(BAD, doca_comch_connection_get_counter(NULL, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
	GIVES(BAD, doca_comch_connection_get_counter(of_server, DOCA_COMCH_COUNTER_RECV_BYTES, NULL));
	GIVES(BAD, doca_comch_connection_get_counter(of_server, (enum doca_comch_counter)0, &value));
	GIVES(BAD, doca_comch_connection_get_counter(of_server, (enum doca_comch_counter)5, &value));
	assert_int_equal(value, 7);
	static const uint64_t wanted[2][5] = {{0, 0, 0, 1, 12}, {0, 1, 12, 0, 0}};
	for (unsigned counter = 1; counter <= 4; counter++) {
		OK(doca_comch_connection_get_counter(of_server, (enum doca_comch_counter)counter, &value));
		assert_int_equal(value, wanted[0][counter]);
		OK(doca_comch_connection_get_counter(of_client, (enum doca_comch_counter)counter, &value));
		assert_int_equal(value, wanted[1][counter]);
	}
	pair_close(&pair);
}

static void consumers_need_their_arguments_and_the_right_state(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory, closed;
	memory_open(&memory, 4096, 4, pair.devices.dpu, RW);
	memory_open(&closed, 4096, 4, pair.devices.dpu, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_comch_consumer *raw;
	GIVES(BAD, doca_comch_consumer_create(NULL, memory.mmap, &raw));
	GIVES(BAD, doca_comch_consumer_create(pair.server.connection, NULL, &raw));
	GIVES(BAD, doca_comch_consumer_create(pair.server.connection, memory.mmap, NULL));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comch_consumer_create(pair.server.connection, closed.mmap, &raw));
	GIVES(DESTROYED_NULL, doca_comch_consumer_destroy(NULL));
	assert_null(doca_comch_consumer_as_ctx(NULL));
	struct consumer consumer;
	consumer_make(&consumer, pair.server.connection, memory.mmap, 4, NULL);
	uint32_t id;
	GIVES(BAD, doca_comch_consumer_get_id(NULL, &id));
	GIVES(BAD, doca_comch_consumer_get_id(consumer.consumer, NULL));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(NULL, post_done, post_done, 2));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(consumer.consumer, NULL, post_done, 2));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(consumer.consumer, post_done, NULL, 2));
	struct doca_buf *buf = memory_buf(&memory, 0, 100, 0), *other = memory_buf(&memory, 100, 100, 0);
	struct doca_comch_consumer_task_post_recv *task;
	GIVES(STATE_ERROR, doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, buf, &task));
	consumer_start(&consumer, pair.server.pe);
	GIVES(STATE_ERROR, doca_comch_consumer_task_post_recv_set_conf(consumer.consumer, post_done, post_done, 2));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_consumer_destroy(consumer.consumer));
	GIVES(BAD, doca_comch_consumer_task_post_recv_alloc_init(NULL, buf, &task));
	GIVES(BAD, doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, NULL, &task));
	GIVES(BAD, doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, buf, NULL));
	OK(doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, buf, &task));
	assert_ptr_equal(doca_comch_consumer_task_post_recv_get_buf(task), buf);
	doca_comch_consumer_task_post_recv_set_buf(task, other);
	assert_ptr_equal(doca_comch_consumer_task_post_recv_get_buf(task), other);
	assert_null(doca_comch_consumer_task_post_recv_as_task(NULL));
	assert_ptr_equal(doca_task_get_ctx(doca_comch_consumer_task_post_recv_as_task(task)), consumer.ctx);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	buf_release(buf);
	buf_release(other);
	memory_close(&memory);
	memory_close(&closed);
	pair_close(&pair);
}

static void producers_need_their_arguments_and_the_right_state(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_comch_producer *raw;
	GIVES(BAD, doca_comch_producer_create(NULL, &raw));
	GIVES(BAD, doca_comch_producer_create(pair.client.connection, NULL));
	GIVES(DESTROYED_NULL, doca_comch_producer_destroy(NULL));
	assert_null(doca_comch_producer_as_ctx(NULL));
	struct producer producer;
	producer_make(&producer, pair.client.connection, 4, NULL);
	GIVES(BAD, doca_comch_producer_task_send_set_conf(NULL, put_done, put_done, 2));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(producer.producer, NULL, put_done, 2));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(producer.producer, put_done, NULL, 2));
	struct doca_buf *buf = memory_buf(&memory, 0, 100, 100), *other = memory_buf(&memory, 100, 100, 100);
	struct doca_comch_producer_task_send *task;
	GIVES(STATE_ERROR, doca_comch_producer_task_send_alloc_init(producer.producer, buf, NULL, 0, 1, &task));
	producer_start(&producer);
	GIVES(STATE_ERROR, doca_comch_producer_task_send_set_conf(producer.producer, put_done, put_done, 2));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_producer_destroy(producer.producer));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(NULL, buf, NULL, 0, 1, &task));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(producer.producer, NULL, NULL, 0, 1, &task));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(producer.producer, buf, NULL, 0, 1, NULL));
#ifdef TEST_OVER_CC_2_5_H
	static const int negative[] = {-1, -65535, INT32_MIN};
	for (int i = 0; i < 3; i++)
		GIVES(BAD, doca_cc_producer_send_task_alloc_init(producer.producer, buf, negative[i], &task));
#endif
	OK(doca_comch_producer_task_send_alloc_init(producer.producer, buf, NULL, 0, 7, &task));
	assert_ptr_equal(doca_comch_producer_task_send_get_buf(task), buf);
	assert_int_equal(doca_comch_producer_task_send_get_consumer_id(task), 7);
	doca_comch_producer_task_send_set_buf(task, other);
	assert_ptr_equal(doca_comch_producer_task_send_get_buf(task), other);
	assert_null(doca_comch_producer_task_send_as_task(NULL));
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	assert_ptr_equal(doca_task_get_ctx(base), producer.ctx);

	/* What the setters cannot refuse, the submit does. */
	static const uint32_t no_ids[] = {UINT32_MAX, 0, 1, 65535, 65536, INT32_MAX, UINT32_C(1) << 31};
	for (size_t i = 0; i < sizeof(no_ids) / sizeof(no_ids[0]); i++) {
		doca_comch_producer_task_send_set_consumer_id(task, no_ids[i]);
		assert_int_equal(doca_comch_producer_task_send_get_consumer_id(task), no_ids[i]);
		GIVES(BAD, doca_task_submit(base));
	}
	doca_task_free(base);
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	buf_release(other);
	memory_close(&memory);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_know_their_side),
		cmocka_unit_test(servers_and_clients_need_their_arguments),
		cmocka_unit_test(registrations_need_their_arguments),
		cmocka_unit_test(a_running_server_or_client_is_not_configured),
		cmocka_unit_test(messages_need_their_arguments_and_a_running_context),
		cmocka_unit_test(a_connection_belongs_to_its_side),
		cmocka_unit_test(consumers_need_their_arguments_and_the_right_state),
		cmocka_unit_test(producers_need_their_arguments_and_the_right_state),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
