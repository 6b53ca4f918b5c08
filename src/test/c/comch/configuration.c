/* Creating and configuring servers, clients, producers and consumers. */
#include <string.h>

#include "harness.h"

/* Less in DOCA 2.5, whose header says so. */
#ifndef MOST_SEND_TASKS
#define MOST_SEND_TASKS 65536
#endif

static void send_done(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		    struct doca_comch_connection *connection)
{
	(void)event, (void)bytes, (void)len, (void)connection;
}

static void consumer_changed(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event, (void)connection, (void)id;
}

static void connection_changed(struct doca_comch_event_connection_status_changed *event,
			       struct doca_comch_connection *connection, uint8_t ok)
{
	(void)event, (void)connection, (void)ok;
}

static void post_done(struct doca_comch_consumer_task_post_recv *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void put_done(struct doca_comch_producer_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

#define BAD DOCA_ERROR_INVALID_VALUE
#define STATE_ERROR DOCA_ERROR_BAD_STATE

static void creating_checks_its_arguments(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct doca_comch_server *server;
	GIVES(BAD, doca_comch_server_create(NULL, d.rep, "name", &server));
	GIVES(BAD, doca_comch_server_create(d.dpu, NULL, "name", &server));
	GIVES(BAD, doca_comch_server_create(d.dpu, d.rep, NULL, &server));
	GIVES(BAD, doca_comch_server_create(d.dpu, d.rep, "name", NULL));
	struct doca_comch_client *client;
	GIVES(BAD, doca_comch_client_create(NULL, "name", &client));
	GIVES(BAD, doca_comch_client_create(d.host, NULL, &client));
	GIVES(BAD, doca_comch_client_create(d.host, "name", NULL));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_client_create(d.dpu, "name", &client));
	GIVES(DESTROYED_NULL, doca_comch_server_destroy(NULL));
	GIVES(DESTROYED_NULL, doca_comch_client_destroy(NULL));
	assert_null(doca_comch_server_as_ctx(NULL));
	assert_null(doca_comch_client_as_ctx(NULL));
	devices_close(&d);
}

static void a_name_has_1_to_119_characters(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	char name[121];
	memset(name, 'n', sizeof(name));
	name[120] = '\0';
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	GIVES(BAD, doca_comch_server_create(d.dpu, d.rep, name, &server));
	GIVES(BAD, doca_comch_client_create(d.host, name, &client));
	GIVES(BAD, doca_comch_server_create(d.dpu, d.rep, "", &server));
	GIVES(BAD, doca_comch_client_create(d.host, "", &client));
	name[119] = '\0';
	OK(doca_comch_server_create(d.dpu, d.rep, name, &server));
	OK(doca_comch_client_create(d.host, name, &client));
	OK(doca_comch_server_destroy(server));
	OK(doca_comch_client_destroy(client));
	devices_close(&d);
}

static void a_context_keeps_its_identity(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "identity");
	client_create(&client, &d, "identity");
	assert_ptr_equal(doca_comch_server_as_ctx(server.server), server.ctx);
	assert_ptr_equal(doca_comch_client_as_ctx(client.client), client.ctx);
	assert_int_equal(state_of(server.ctx), DOCA_CTX_STATE_IDLE);
	assert_int_equal(state_of(client.ctx), DOCA_CTX_STATE_IDLE);
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void devices_in_use_cannot_be_closed(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "users");
	client_create(&client, &d, "users");
	GIVES(DOCA_ERROR_IN_USE, doca_dev_rep_close(d.rep));
	GIVES(DOCA_ERROR_IN_USE, doca_dev_close(d.dpu));
	GIVES(DOCA_ERROR_IN_USE, doca_dev_close(d.host));
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void sizes_have_defaults_and_are_stored_as_given(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "sizes");
	client_create(&client, &d, "sizes");
	uint32_t value;
	OK(doca_comch_server_get_max_msg_size(server.server, &value));
	assert_int_equal(value, DEFAULT_MAX_MSG_SIZE);
	OK(doca_comch_client_get_max_msg_size(client.client, &value));
	assert_int_equal(value, DEFAULT_MAX_MSG_SIZE);
	OK(doca_comch_server_get_recv_queue_size(server.server, &value));
	assert_int_equal(value, DEFAULT_RECV_QUEUE_SIZE);
	OK(doca_comch_client_get_recv_queue_size(client.client, &value));
	assert_int_equal(value, DEFAULT_RECV_QUEUE_SIZE);
	static const uint32_t sizes[] = {1, 10, 4080};
	for (size_t i = 0; i < 3; i++) {
		OK(doca_comch_server_set_max_msg_size(server.server, sizes[i]));
		OK(doca_comch_client_set_max_msg_size(client.client, sizes[i]));
		OK(doca_comch_server_set_recv_queue_size(server.server, sizes[i]));
		OK(doca_comch_client_set_recv_queue_size(client.client, sizes[i]));
		OK(doca_comch_server_get_max_msg_size(server.server, &value));
		assert_int_equal(value, sizes[i]);
		OK(doca_comch_client_get_max_msg_size(client.client, &value));
		assert_int_equal(value, sizes[i]);
		OK(doca_comch_server_get_recv_queue_size(server.server, &value));
		assert_int_equal(value, sizes[i]);
		OK(doca_comch_client_get_recv_queue_size(client.client, &value));
		assert_int_equal(value, sizes[i]);
	}
	OK(doca_comch_server_set_recv_queue_size(server.server, 8192));
	OK(doca_comch_client_set_recv_queue_size(client.client, 8192));
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void sizes_must_be_within_the_capabilities(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "limits");
	client_create(&client, &d, "limits");
	struct doca_comch_server *s = server.server;
	struct doca_comch_client *c = client.client;
	GIVES(BAD, doca_comch_server_set_max_msg_size(NULL, 100));
	GIVES(BAD, doca_comch_server_set_max_msg_size(s, 0));
	GIVES(BAD, doca_comch_server_set_max_msg_size(s, 4081));
	GIVES(BAD, doca_comch_client_set_max_msg_size(NULL, 100));
	GIVES(BAD, doca_comch_client_set_max_msg_size(c, 0));
	GIVES(BAD, doca_comch_client_set_max_msg_size(c, 4081));
	GIVES(BAD, doca_comch_server_set_recv_queue_size(NULL, 10));
	GIVES(BAD, doca_comch_server_set_recv_queue_size(s, 0));
	GIVES(BAD, doca_comch_server_set_recv_queue_size(s, 8193));
	GIVES(BAD, doca_comch_client_set_recv_queue_size(NULL, 10));
	GIVES(BAD, doca_comch_client_set_recv_queue_size(c, 0));
	GIVES(BAD, doca_comch_client_set_recv_queue_size(c, 8193));
	uint32_t value;
	GIVES(BAD, doca_comch_server_get_max_msg_size(NULL, &value));
	GIVES(BAD, doca_comch_server_get_max_msg_size(s, NULL));
	GIVES(BAD, doca_comch_client_get_max_msg_size(NULL, &value));
	GIVES(BAD, doca_comch_client_get_max_msg_size(c, NULL));
	GIVES(BAD, doca_comch_server_get_recv_queue_size(NULL, &value));
	GIVES(BAD, doca_comch_server_get_recv_queue_size(s, NULL));
	GIVES(BAD, doca_comch_client_get_recv_queue_size(NULL, &value));
	GIVES(BAD, doca_comch_client_get_recv_queue_size(c, NULL));
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void devices_can_be_asked_for(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "devices");
	client_create(&client, &d, "devices");
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	OK(doca_comch_server_get_device(server.server, &dev));
	assert_ptr_equal(dev, d.dpu);
	OK(doca_comch_server_get_device_rep(server.server, &rep));
	assert_ptr_equal(rep, d.rep);
	OK(doca_comch_client_get_device(client.client, &dev));
	assert_ptr_equal(dev, d.host);
	GIVES(BAD, doca_comch_server_get_device(NULL, &dev));
	GIVES(BAD, doca_comch_server_get_device(server.server, NULL));
	GIVES(BAD, doca_comch_server_get_device_rep(NULL, &rep));
	GIVES(BAD, doca_comch_server_get_device_rep(server.server, NULL));
	GIVES(BAD, doca_comch_client_get_device(NULL, &dev));
	GIVES(BAD, doca_comch_client_get_device(client.client, NULL));
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void registrations_need_every_callback(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "callbacks");
	client_create(&client, &d, "callbacks");
	struct doca_comch_server *s = server.server;
	struct doca_comch_client *c = client.client;
	GIVES(BAD, doca_comch_server_task_send_set_conf(NULL, send_done, send_done, 1));
	GIVES(BAD, doca_comch_server_task_send_set_conf(s, NULL, send_done, 1));
	GIVES(BAD, doca_comch_server_task_send_set_conf(s, send_done, NULL, 1));
	GIVES(BAD, doca_comch_server_task_send_set_conf(s, send_done, send_done, 0));
	GIVES(BAD, doca_comch_server_task_send_set_conf(s, send_done, send_done, MOST_SEND_TASKS + 1));
	OK(doca_comch_server_task_send_set_conf(s, send_done, send_done, MOST_SEND_TASKS));
	OK(doca_comch_server_task_send_set_conf(s, send_done, send_done, 1));
	GIVES(BAD, doca_comch_client_task_send_set_conf(NULL, send_done, send_done, 1));
	GIVES(BAD, doca_comch_client_task_send_set_conf(c, NULL, send_done, 1));
	GIVES(BAD, doca_comch_client_task_send_set_conf(c, send_done, NULL, 1));
	GIVES(BAD, doca_comch_client_task_send_set_conf(c, send_done, send_done, 0));
	GIVES(BAD, doca_comch_client_task_send_set_conf(c, send_done, send_done, MOST_SEND_TASKS + 1));
	OK(doca_comch_client_task_send_set_conf(c, send_done, send_done, MOST_SEND_TASKS));
	GIVES(BAD, doca_comch_server_event_msg_recv_register(NULL, message));
	GIVES(BAD, doca_comch_server_event_msg_recv_register(s, NULL));
	GIVES(BAD, doca_comch_client_event_msg_recv_register(NULL, message));
	GIVES(BAD, doca_comch_client_event_msg_recv_register(c, NULL));
	GIVES(BAD, doca_comch_server_event_consumer_register(NULL, consumer_changed, consumer_changed));
	GIVES(BAD, doca_comch_server_event_consumer_register(s, NULL, consumer_changed));
	GIVES(BAD, doca_comch_server_event_consumer_register(s, consumer_changed, NULL));
	GIVES(BAD, doca_comch_client_event_consumer_register(NULL, consumer_changed, consumer_changed));
	GIVES(BAD, doca_comch_client_event_consumer_register(c, NULL, consumer_changed));
	GIVES(BAD, doca_comch_client_event_consumer_register(c, consumer_changed, NULL));
	GIVES(BAD,
	      doca_comch_server_event_connection_status_changed_register(NULL, connection_changed, connection_changed));
	GIVES(BAD, doca_comch_server_event_connection_status_changed_register(s, NULL, connection_changed));
	GIVES(BAD, doca_comch_server_event_connection_status_changed_register(s, connection_changed, NULL));
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void nothing_can_be_configured_while_started(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	struct doca_comch_server *s = pair.server.server;
	struct doca_comch_client *c = pair.client.client;
	OK(doca_ctx_start(pair.server.ctx));
	for (int round = 0; round < 2; round++) {
		/* First STARTING, then RUNNING. */
		if (round == 0)
			GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair.client.ctx));
		else
			UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_RUNNING, pair.client.pe, pair.server.pe);
		GIVES(STATE_ERROR, doca_comch_client_set_max_msg_size(c, 100));
		GIVES(STATE_ERROR, doca_comch_client_set_recv_queue_size(c, 100));
		GIVES(STATE_ERROR, doca_comch_client_task_send_set_conf(c, send_done, send_done, 1));
		GIVES(STATE_ERROR, doca_comch_client_event_msg_recv_register(c, message));
		GIVES(STATE_ERROR, doca_comch_client_event_consumer_register(c, consumer_changed, consumer_changed));
	}
	GIVES(STATE_ERROR, doca_comch_server_set_max_msg_size(s, 100));
	GIVES(STATE_ERROR, doca_comch_server_set_recv_queue_size(s, 100));
	GIVES(STATE_ERROR, doca_comch_server_task_send_set_conf(s, send_done, send_done, 1));
	GIVES(STATE_ERROR, doca_comch_server_event_msg_recv_register(s, message));
	GIVES(STATE_ERROR, doca_comch_server_event_consumer_register(s, consumer_changed, consumer_changed));
	GIVES(STATE_ERROR,
	      doca_comch_server_event_connection_status_changed_register(s, connection_changed, connection_changed));
	/* Reading is possible in every state. */
	uint32_t value;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	OK(doca_comch_server_get_max_msg_size(s, &value));
	OK(doca_comch_server_get_recv_queue_size(s, &value));
	OK(doca_comch_server_get_device(s, &dev));
	OK(doca_comch_server_get_device_rep(s, &rep));
	OK(doca_comch_client_get_max_msg_size(c, &value));
	OK(doca_comch_client_get_recv_queue_size(c, &value));
	OK(doca_comch_client_get_device(c, &dev));
	pair_close(&pair);
}

static void configuration_is_open_again_after_a_stop(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair.client.ctx));
	UNTIL(state_of(pair.client.ctx) == DOCA_CTX_STATE_IDLE, pair.client.pe);
	OK(doca_comch_client_set_max_msg_size(pair.client.client, 100));
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, 5));
	pair_connect(&pair);
	assert_int_equal(count_of(&pair.server.record, CONNECTED), 2);
	pair_close(&pair);
}

/* ---- producers and consumers ---- */

static void creating_a_consumer_checks_its_arguments(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_comch_consumer *consumer;
	GIVES(BAD, doca_comch_consumer_create(NULL, memory.mmap, &consumer));
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, NULL, &consumer));
	GIVES(BAD, doca_comch_consumer_create(pair.client.connection, memory.mmap, NULL));
	GIVES(DESTROYED_NULL, doca_comch_consumer_destroy(NULL));
	assert_null(doca_comch_consumer_as_ctx(NULL));
	assert_null(doca_comch_consumer_task_post_recv_as_task(NULL));
	memory_close(&memory);
	pair_close(&pair);
}

static void a_consumer_needs_memory_that_the_peer_may_write(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	static const uint32_t refused[] = {DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, DOCA_ACCESS_FLAG_PCI_READ_ONLY,
					   DOCA_ACCESS_FLAG_LOCAL_READ_ONLY};
	struct doca_comch_consumer *consumer;
	struct memory memory;
	for (size_t i = 0; i < 3; i++) {
		memory_open(&memory, 4096, 1, pair.devices.host, refused[i]);
		GIVES(DOCA_ERROR_NOT_PERMITTED,
		      doca_comch_consumer_create(pair.client.connection, memory.mmap, &consumer));
		memory_close(&memory);
	}
	/* And that has been started. */
	struct doca_mmap *mmap;
	static uint8_t bytes[64];
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(mmap, pair.devices.host));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comch_consumer_create(pair.client.connection, mmap, &consumer));
	OK(doca_mmap_start(mmap));
	OK(doca_comch_consumer_create(pair.client.connection, mmap, &consumer));
	/* The consumer holds on to it. */
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	OK(doca_comch_consumer_destroy(consumer));
	OK(doca_mmap_destroy(mmap));
	pair_close(&pair);
}

static void a_consumer_is_configured_before_its_start(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_comch_consumer *consumer;
	OK(doca_comch_consumer_create(pair.client.connection, memory.mmap, &consumer));
	uint32_t value;
	OK(doca_comch_consumer_get_imm_data_len(consumer, &value));
	assert_int_equal(value, 32);
	OK(doca_comch_consumer_set_imm_data_len(consumer, 0));
	OK(doca_comch_consumer_set_imm_data_len(consumer, 24));
	GIVES(BAD, doca_comch_consumer_set_imm_data_len(consumer, 33));
	GIVES(BAD, doca_comch_consumer_set_imm_data_len(NULL, 8));
	GIVES(BAD, doca_comch_consumer_get_imm_data_len(NULL, &value));
	GIVES(BAD, doca_comch_consumer_get_imm_data_len(consumer, NULL));
	OK(doca_comch_consumer_get_imm_data_len(consumer, &value));
	assert_int_equal(value, 24);
	GIVES(BAD, doca_comch_consumer_get_id(NULL, &value));
	GIVES(BAD, doca_comch_consumer_get_id(consumer, NULL));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(NULL, post_done, post_done, 1));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(consumer, NULL, post_done, 1));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(consumer, post_done, NULL, 1));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(consumer, post_done, post_done, 0));
	GIVES(BAD, doca_comch_consumer_task_post_recv_set_conf(consumer, post_done, post_done, 8193));

	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(consumer);
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer, post_done, post_done, 8192));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
	OK(doca_pe_connect_ctx(pair.client.pe, ctx));
	struct doca_comch_consumer_task_post_recv *task;
	GIVES(STATE_ERROR, doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	GIVES(STATE_ERROR, doca_comch_consumer_set_imm_data_len(consumer, 8));
	GIVES(STATE_ERROR, doca_comch_consumer_task_post_recv_set_conf(consumer, post_done, post_done, 1));
	GIVES(STATE_ERROR, doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_consumer_destroy(consumer));
	UNTIL(state_of(ctx) == DOCA_CTX_STATE_RUNNING, pair.client.pe);
	GIVES(BAD, doca_comch_consumer_task_post_recv_alloc_init(NULL, NULL, &task));
	GIVES(BAD, doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, NULL));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
	GIVES(STATE_ERROR, doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
	UNTIL(state_of(ctx) == DOCA_CTX_STATE_IDLE, pair.client.pe);
	OK(doca_comch_consumer_destroy(consumer));
	memory_close(&memory);
	pair_close(&pair);
}

static void a_consumer_without_tasks_does_not_start(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_comch_consumer *consumer;
	OK(doca_comch_consumer_create(pair.client.connection, memory.mmap, &consumer));
	OK(doca_pe_connect_ctx(pair.client.pe, doca_comch_consumer_as_ctx(consumer)));
	GIVES(BAD, doca_ctx_start(doca_comch_consumer_as_ctx(consumer)));
	assert_int_equal(state_of(doca_comch_consumer_as_ctx(consumer)), DOCA_CTX_STATE_IDLE);
	OK(doca_comch_consumer_destroy(consumer));
	memory_close(&memory);
	pair_close(&pair);
}

static void a_producer_is_configured_before_its_start(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct doca_comch_producer *producer;
	GIVES(BAD, doca_comch_producer_create(NULL, &producer));
	GIVES(BAD, doca_comch_producer_create(pair.server.connection, NULL));
	GIVES(DESTROYED_NULL, doca_comch_producer_destroy(NULL));
	assert_null(doca_comch_producer_as_ctx(NULL));
	assert_null(doca_comch_producer_task_send_as_task(NULL));
	OK(doca_comch_producer_create(pair.server.connection, &producer));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(producer);
	uint32_t id;
	GIVES(BAD, doca_comch_producer_get_id(NULL, &id));
	GIVES(BAD, doca_comch_producer_get_id(producer, NULL));
	OK(doca_comch_producer_get_id(producer, &id));
	assert_int_equal(id, 1);
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
	OK(doca_pe_connect_ctx(pair.server.pe, ctx));
	GIVES(BAD, doca_ctx_start(ctx));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(NULL, put_done, put_done, 1));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(producer, NULL, put_done, 1));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(producer, put_done, NULL, 1));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(producer, put_done, put_done, 0));
	GIVES(BAD, doca_comch_producer_task_send_set_conf(producer, put_done, put_done, 8193));
	OK(doca_comch_producer_task_send_set_conf(producer, put_done, put_done, 8192));
	struct doca_comch_producer_task_send *task;
	uint8_t imm[40] = {0};
	GIVES(STATE_ERROR, doca_comch_producer_task_send_alloc_init(producer, NULL, imm, 8, 1, &task));
	OK(doca_ctx_start(ctx));
	GIVES(STATE_ERROR, doca_comch_producer_task_send_set_conf(producer, put_done, put_done, 1));
	GIVES(DOCA_ERROR_IN_USE, doca_comch_producer_destroy(producer));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(NULL, NULL, imm, 8, 1, &task));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(producer, NULL, imm, 8, 1, NULL));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 0, 1, &task));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 8, 1, &task));
	GIVES(BAD, doca_comch_producer_task_send_alloc_init(producer, NULL, imm, 33, 1, &task));
	OK(doca_ctx_stop(ctx));
	assert_int_equal(state_of(ctx), DOCA_CTX_STATE_IDLE);
	GIVES(STATE_ERROR, doca_comch_producer_task_send_alloc_init(producer, NULL, imm, 8, 1, &task));
	OK(doca_comch_producer_destroy(producer));
	pair_close(&pair);
}

static void no_more_than_64_consumers_and_producers_per_side(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, ONE_ENGINE);
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_comch_consumer *consumers[64], *consumer;
	struct doca_comch_producer *producers[64], *producer;
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t id;
		OK(doca_comch_consumer_create(pair.client.connection, memory.mmap, &consumers[i]));
		OK(doca_comch_consumer_get_id(consumers[i], &id));
		assert_int_equal(id, i + 1);
		OK(doca_comch_producer_create(pair.client.connection, &producers[i]));
		OK(doca_comch_producer_get_id(producers[i], &id));
		assert_int_equal(id, i + 1);
	}
	GIVES(DOCA_ERROR_NO_MEMORY, doca_comch_consumer_create(pair.client.connection, memory.mmap, &consumer));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_comch_producer_create(pair.client.connection, &producer));
	/* The peer has places and ids of its own. */
	OK(doca_comch_producer_create(pair.server.connection, &producer));
	OK(doca_comch_producer_destroy(producer));
	for (uint32_t i = 0; i < 64; i++) {
		OK(doca_comch_consumer_destroy(consumers[i]));
		OK(doca_comch_producer_destroy(producers[i]));
	}
	OK(doca_comch_producer_create(pair.client.connection, &producer));
	OK(doca_comch_producer_destroy(producer));
	memory_close(&memory);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creating_checks_its_arguments),
		cmocka_unit_test(a_name_has_1_to_119_characters),
		cmocka_unit_test(a_context_keeps_its_identity),
		cmocka_unit_test(devices_in_use_cannot_be_closed),
		cmocka_unit_test(sizes_have_defaults_and_are_stored_as_given),
		cmocka_unit_test(sizes_must_be_within_the_capabilities),
		cmocka_unit_test(devices_can_be_asked_for),
		cmocka_unit_test(registrations_need_every_callback),
		cmocka_unit_test(nothing_can_be_configured_while_started),
		cmocka_unit_test(configuration_is_open_again_after_a_stop),
		cmocka_unit_test(creating_a_consumer_checks_its_arguments),
		cmocka_unit_test(a_consumer_needs_memory_that_the_peer_may_write),
		cmocka_unit_test(a_consumer_is_configured_before_its_start),
		cmocka_unit_test(a_consumer_without_tasks_does_not_start),
		cmocka_unit_test(a_producer_is_configured_before_its_start),
		cmocka_unit_test(no_more_than_64_consumers_and_producers_per_side),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
