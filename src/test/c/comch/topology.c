/* What a topology says is what servers, clients, producers and consumers then keep to. Each machine has a process of
 * its own, because a process keeps the first that it has seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE

static void on_machine(const char *topology, const char *limits, int (*body)(void *))
{
	char path[128];
	snprintf(path, sizeof(path), "%s/topology", getenv("DOCA_EMU_DIR"));
	if (topology != NULL) {
		FILE *file = fopen(path, "w");
		CHECK(file != NULL && fputs(topology, file) >= 0 && fclose(file) == 0);
	}
	if (limits != NULL)
		setenv("DOCA_EMU_LIMITS", limits, 1);
	assert_int_equal(child_wait(child_start(body, NULL)), 0);
	unsetenv("DOCA_EMU_LIMITS");
	(void)unlink(path);
}

static uint32_t capability(doca_error_t (*get)(const struct doca_devinfo *, uint32_t *), const struct doca_dev *dev)
{
	uint32_t value = UINT32_MAX;
	OK(get(doca_dev_as_devinfo(dev), &value));
	return value;
}

/* ---- limits of servers and clients ---- */

static int names_are_bounded(void *unused)
{
	(void)unused;
	struct devices d;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	devices_open(&d);
	CHECK(capability(doca_comch_cap_get_max_name_len, d.host) == 8);
	OK(doca_comch_server_create(d.dpu, d.rep, "1234567", &server));
	OK(doca_comch_server_destroy(server));
	OK(doca_comch_client_create(d.host, "1234567", &client));
	OK(doca_comch_client_destroy(client));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(d.dpu, d.rep, "12345678", &server));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(d.host, "12345678", &client));
	devices_close(&d);
	return 0;
}

static void max_name_len(void **state)
{
	(void)state;
	on_machine("limit max_name_len 8", NULL, names_are_bounded);
}

static int messages_are_bounded(void *unused)
{
	(void)unused;
	struct pair pair;
	struct doca_comch_task_send *task;
	uint8_t bytes[101];
	uint32_t size;
	fill(bytes, sizeof(bytes), 1);
	pair_make(&pair, TWO_ENGINES);
	CHECK(capability(doca_comch_cap_get_max_msg_size, pair.devices.dpu) == 100);
	OK(doca_comch_server_get_max_msg_size(pair.server.server, &size));
	CHECK(size == 100);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(pair.server.server, 101));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(pair.client.client, 101));
	OK(doca_comch_client_set_max_msg_size(pair.client.client, 100));
	pair_connect(&pair);
	GIVES(DOCA_ERROR_INVALID_VALUE, alloc_send(&pair.client, pair.client.connection, bytes, 101, &task));
	(void)send_bytes(&pair.client, pair.client.connection, bytes, 100);
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1, pair.server.pe, pair.client.pe);
	CHECK(filled(nth(&pair.server.record, MESSAGE, 0)->bytes, 100, 1));
	pair_close(&pair);
	return 0;
}

static int large_messages_pass(void *unused)
{
	(void)unused;
	struct pair pair;
	static uint8_t bytes[1 << 20];
	fill(bytes, sizeof(bytes), 2);
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_server_set_max_msg_size(pair.server.server, sizeof(bytes)));
	OK(doca_comch_client_set_max_msg_size(pair.client.client, sizeof(bytes)));
	pair_connect(&pair);
	for (int i = 0; i < 10; i++)
		(void)send_bytes(&pair.server, pair.server.connection, bytes, sizeof(bytes));
	UNTIL(count_of(&pair.client.record, MESSAGE) == 10, pair.server.pe, pair.client.pe);
	for (size_t i = 0; i < 10; i++)
		CHECK(filled(nth(&pair.client.record, MESSAGE, i)->bytes, sizeof(bytes), 2));
	pair_close(&pair);
	return 0;
}

static void max_msg_size(void **state)
{
	(void)state;
	on_machine("limit max_msg_size 100", NULL, messages_are_bounded);
	on_machine(NULL, "max_msg_size=1048576,max_recv_queue_size=62", large_messages_pass);
}

static int queues_are_bounded(void *unused)
{
	(void)unused;
	struct pair pair;
	uint32_t size;
	pair_make(&pair, TWO_ENGINES);
	CHECK(capability(doca_comch_cap_get_max_recv_queue_size, pair.devices.dpu) == 5);
	OK(doca_comch_client_get_recv_queue_size(pair.client.client, &size));
	CHECK(size == 5);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_recv_queue_size(pair.client.client, 6));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(pair.server.server, 6));
	pair_connect(&pair);
	for (int i = 0; i < 7; i++)
		send_text(&pair.client, pair.client.connection, "message");
	/* The server sleeps: five are in its queue and so are sent. */
	settle(pair.client.pe, NULL);
	CHECK(count_of(&pair.client.record, SENT) == 5);
	UNTIL(count_of(&pair.server.record, MESSAGE) == 7, pair.server.pe, pair.client.pe);
	pair_close(&pair);
	return 0;
}

static void max_recv_queue_size(void **state)
{
	(void)state;
	on_machine("limit max_recv_queue_size 5", NULL, queues_are_bounded);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static int send_pools_are_bounded(void *unused)
{
	(void)unused;
	struct devices d;
	struct end server, client;
	devices_open(&d);
	CHECK(capability(doca_comch_cap_get_max_send_tasks, d.host) == 3);
	server_create(&server, &d, "pool");
	client_create(&client, &d, "pool");
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_task_send_set_conf(server.server, on_sent, on_sent, 4));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_task_send_set_conf(client.client, on_sent, on_sent, 4));
	OK(doca_comch_server_task_send_set_conf(server.server, on_sent, on_sent, 3));
	OK(doca_comch_client_task_send_set_conf(client.client, on_sent, on_sent, 3));
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
	return 0;
}

static void max_send_tasks(void **state)
{
	(void)state;
	on_machine(NULL, "max_send_tasks=3", send_pools_are_bounded);
}

static int clients_are_bounded(void *unused)
{
	(void)unused;
	struct devices d;
	struct end server, clients[3];
	devices_open(&d);
	CHECK(capability(doca_comch_cap_get_max_clients, d.dpu) == 2);
	server_make(&server, &d, "full", NULL);
	OK(doca_ctx_start(server.ctx));
	for (int i = 0; i < 3; i++)
		client_make(&clients[i], &d, "full", server.pe);
	for (int i = 0; i < 2; i++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[i].ctx));
		UNTIL(clients[i].connection != NULL, server.pe);
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[2].ctx));
	UNTIL(state_of(clients[2].ctx) == IDLE, server.pe);
	CHECK(strcmp(states_of(&clients[2].record), "SI") == 0);
	CHECK(count_of(&server.record, CONNECTED) == 2);
	/* One leaves, and there is room again. */
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(clients[0].ctx));
	UNTIL(state_of(clients[0].ctx) == IDLE && count_of(&server.record, DISCONNECTED) == 1, server.pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[2].ctx));
	UNTIL(clients[2].connection != NULL, server.pe);
	for (int i = 1; i < 3; i++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(clients[i].ctx));
		UNTIL(state_of(clients[i].ctx) == IDLE, server.pe);
	}
	for (int i = 0; i < 3; i++)
		end_destroy(&clients[i]);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&d);
	return 0;
}

static void max_clients(void **state)
{
	(void)state;
	on_machine("limit max_clients 511", "max_clients=2", clients_are_bounded);
}

/* ---- limits of producers and consumers ---- */

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void was_put(struct doca_comch_producer_task_send *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static int children_are_bounded(void *unused)
{
	(void)unused;
	struct pair pair;
	struct memory memory;
	struct doca_comch_producer *producers[3];
	struct doca_comch_consumer *consumers[2];
	pair_open(&pair, TWO_ENGINES);
	memory_open(&memory, 4096, 1, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	CHECK(capability(doca_comch_producer_cap_get_max_producers, pair.devices.host) == 2);
	CHECK(capability(doca_comch_consumer_cap_get_max_consumers, pair.devices.host) == 1);
	CHECK(capability(doca_comch_producer_cap_get_max_num_tasks, pair.devices.host) == 4);
	CHECK(capability(doca_comch_consumer_cap_get_max_num_tasks, pair.devices.host) == 4);
	struct doca_comch_connection *connection = pair.client.connection;
	OK(doca_comch_producer_create(connection, &producers[0]));
	OK(doca_comch_producer_create(connection, &producers[1]));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_comch_producer_create(connection, &producers[2]));
	OK(doca_comch_producer_destroy(producers[0]));
	OK(doca_comch_producer_create(connection, &producers[2]));
	OK(doca_comch_consumer_create(connection, memory.mmap, &consumers[0]));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_comch_consumer_create(connection, memory.mmap, &consumers[1]));
	GIVES(DOCA_ERROR_INVALID_VALUE,
	      doca_comch_consumer_task_post_recv_set_conf(consumers[0], received, received, 5));
	OK(doca_comch_consumer_task_post_recv_set_conf(consumers[0], received, received, 4));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_task_send_set_conf(producers[1], was_put, was_put, 5));
	OK(doca_comch_producer_task_send_set_conf(producers[1], was_put, was_put, 4));
	OK(doca_comch_consumer_destroy(consumers[0]));
	OK(doca_comch_consumer_create(connection, memory.mmap, &consumers[1]));
	OK(doca_comch_consumer_destroy(consumers[1]));
	OK(doca_comch_producer_destroy(producers[1]));
	OK(doca_comch_producer_destroy(producers[2]));
	memory_close(&memory);
	pair_close(&pair);
	return 0;
}

static void max_producers_consumers_and_tasks(void **state)
{
	(void)state;
	on_machine("limit max_producers 2\nlimit max_consumers 1\nlimit max_tasks 4\n", NULL, children_are_bounded);
}

/* A producer on the client's side, a consumer on the server's. */
struct lane {
	struct pair pair;
	struct memory from, to;
	struct producer producer;
	struct consumer consumer;
};

static void lane_open(struct lane *lane)
{
	pair_open(&lane->pair, TWO_ENGINES);
	memory_open(&lane->from, 4096, 8, lane->pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	memory_open(&lane->to, 4096, 8, lane->pair.devices.dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
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

static int buffers_are_bounded(void *unused)
{
	(void)unused;
	struct lane lane;
	struct doca_comch_consumer_task_post_recv *posted;
	lane_open(&lane);
	CHECK(capability(doca_comch_producer_cap_get_max_buf_size, lane.pair.devices.host) == 1000);
	CHECK(capability(doca_comch_consumer_cap_get_max_buf_size, lane.pair.devices.dpu) == 1000);
	struct doca_buf *to = memory_buf(&lane.to, 0, 1000, 0);
	struct doca_buf *too_large = memory_buf(&lane.to, 1000, 1001, 0);
	struct doca_buf *from = memory_buf(&lane.from, 0, 1000, 1000);
	struct doca_buf *too_long = memory_buf(&lane.from, 0, 1001, 1001);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_post(&lane.consumer, too_large, &posted));
	(void)post(&lane.consumer, to);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&lane.producer, lane.consumer.id, too_long, NULL, 0, NULL));
	(void)put(&lane.producer, lane.consumer.id, from);
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.producer.pe, lane.consumer.pe);
	CHECK(buf_data_len(to) == 1000);
	buf_release(to);
	buf_release(too_large);
	buf_release(from);
	buf_release(too_long);
	lane_close(&lane);
	return 0;
}

static void max_buf_size(void **state)
{
	(void)state;
	on_machine("limit max_buf_size 1000", NULL, buffers_are_bounded);
}

static int immediate_data_are_bounded(void *unused)
{
	(void)unused;
	struct lane lane;
	struct doca_comch_producer_task_send *task;
	uint8_t imm[5] = {1, 2, 3, 4, 5};
	uint32_t len;
	lane_open(&lane);
	CHECK(capability(doca_comch_consumer_cap_get_max_imm_data_len, lane.pair.devices.dpu) == 4);
	OK(doca_comch_consumer_get_imm_data_len(lane.consumer.consumer, &len));
	CHECK(len == 4);
	struct doca_comch_consumer *other;
	OK(doca_comch_consumer_create(lane.pair.server.connection, lane.to.mmap, &other));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_imm_data_len(other, 5));
	OK(doca_comch_consumer_set_imm_data_len(other, 4));
	OK(doca_comch_consumer_destroy(other));
	struct doca_buf *to = memory_buf(&lane.to, 0, 100, 0);
	(void)post(&lane.consumer, to);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&lane.producer, lane.consumer.id, NULL, imm, 5, NULL));
	/* The setter cannot refuse; submit does. */
	OK(doca_comch_producer_task_send_alloc_init(lane.producer.producer, NULL, imm, 4, lane.consumer.id, &task));
	doca_comch_producer_task_send_set_imm_data(task, imm, 5);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	doca_comch_producer_task_send_set_imm_data(task, imm, 4);
	OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.producer.pe, lane.consumer.pe);
	buf_release(to);
	lane_close(&lane);
	return 0;
}

static void max_imm_data_len(void **state)
{
	(void)state;
	on_machine("limit max_imm_data_len 4", NULL, immediate_data_are_bounded);
}

static int lists_are_refused(void *unused)
{
	(void)unused;
	struct lane lane;
	struct doca_comch_consumer_task_post_recv *posted;
	lane_open(&lane);
	CHECK(capability(doca_comch_producer_cap_get_max_buf_list_len, lane.pair.devices.host) == 1);
	CHECK(capability(doca_comch_consumer_cap_get_max_buf_list_len, lane.pair.devices.dpu) == 1);
	struct doca_buf *to = memory_buf(&lane.to, 0, 100, 0);
	struct doca_buf *from = memory_buf(&lane.from, 0, 100, 10);
	OK(doca_buf_chain_list(to, memory_buf(&lane.to, 100, 100, 0)));
	OK(doca_buf_chain_list(from, memory_buf(&lane.from, 100, 100, 10)));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_post(&lane.consumer, to, &posted));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&lane.producer, lane.consumer.id, from, NULL, 0, NULL));
	buf_release(to);
	buf_release(from);
	lane_close(&lane);
	return 0;
}

/* Three times `len` bytes. */
static struct doca_buf *list_of_three(struct memory *memory, size_t len)
{
	struct doca_buf *head = memory_buf(memory, 0, 400, len);
	OK(doca_buf_chain_list(head, memory_buf(memory, 400, 400, len)));
	OK(doca_buf_chain_list(head, memory_buf(memory, 800, 400, len)));
	return head;
}

static int lists_are_bounded(void *unused)
{
	(void)unused;
	struct lane lane;
	struct doca_comch_consumer_task_post_recv *posted;
	lane_open(&lane);
	CHECK(capability(doca_comch_producer_cap_get_max_buf_list_len, lane.pair.devices.host) == 3);
	CHECK(capability(doca_comch_consumer_cap_get_max_buf_list_len, lane.pair.devices.dpu) == 1);
	struct doca_buf *to = memory_buf(&lane.to, 0, 960, 0);
	struct doca_buf *list = memory_buf(&lane.to, 1000, 100, 0);
	OK(doca_buf_chain_list(list, memory_buf(&lane.to, 1100, 100, 0)));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_post(&lane.consumer, list, &posted));
	(void)post(&lane.consumer, to);
	/* One buffer too many; then longer than a send may be, and than the posted buffer is. */
	struct doca_buf *head = list_of_three(&lane.from, 10);
	OK(doca_buf_chain_list(head, memory_buf(&lane.from, 1200, 10, 0)));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&lane.producer, lane.consumer.id, head, NULL, 0, NULL));
	buf_release(head);
	head = list_of_three(&lane.from, 334);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&lane.producer, lane.consumer.id, head, NULL, 0, NULL));
	buf_release(head);
	head = list_of_three(&lane.from, 321);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&lane.producer, lane.consumer.id, head, NULL, 0, NULL));
	buf_release(head);
	/* None of them has taken the posted buffer. */
	head = list_of_three(&lane.from, 320);
	(void)put(&lane.producer, lane.consumer.id, head);
	UNTIL(count_of(&lane.consumer.record, RECEIVED) == 1 && count_of(&lane.producer.record, SENT) == 1,
	      lane.producer.pe, lane.consumer.pe);
	CHECK(buf_data_len(to) == 960);
	buf_release(head);
	buf_release(to);
	buf_release(list);
	lane_close(&lane);
	return 0;
}

static void max_buf_list_len(void **state)
{
	(void)state;
	on_machine(NULL, NULL, lists_are_refused);
	on_machine("limit max_buf_list_len 3\nlimit max_buf_size 1000\n", NULL, lists_are_bounded);
}

/* ---- capabilities ---- */

static int functions_lack_capabilities(void *unused)
{
	(void)unused;
	struct pair pair;
	struct memory memory;
	struct producer producer;
	struct consumer consumer;
	struct doca_comch_client *client;
	uint32_t value;
	pair_open(&pair, ONE_ENGINE);
	const struct doca_devinfo *host = doca_dev_as_devinfo(pair.devices.host);
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_is_supported(host));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_is_supported(host));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_cap_get_max_buf_size(host, &value));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_cap_get_max_num_tasks(host, &value));
	OK(doca_comch_consumer_cap_is_supported(doca_dev_as_devinfo(pair.devices.dpu)));
	memory_open(&memory, 4096, 1, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	producer_make(&producer, pair.client.connection, 1, NULL);
	consumer_make(&consumer, pair.client.connection, memory.mmap, 1, NULL);
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(producer.ctx));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_start(consumer.ctx));
	producer_destroy(&producer);
	consumer_destroy(&consumer);
	memory_close(&memory);
	/* The other function has no control path either. */
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(doca_dev_as_devinfo(pair.devices.host2)));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_client_create(pair.devices.host2, "name", &client));
	pair_close(&pair);
	return 0;
}

static void without(void **state)
{
	(void)state;
	on_machine(
		"dpu 03:00.0\n"
		"host b1:00.0 pf without=consumer,producer\n"
		"host b1:00.2 vf without=comch\n",
		NULL, functions_lack_capabilities);
}

/* ---- machines ---- */

/* Its only representor. */
static struct doca_dev_rep *open_rep(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	uint32_t num;
	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	CHECK(num == 1);
	OK(doca_dev_rep_open(list[0], &rep));
	OK(doca_devinfo_rep_destroy_list(list));
	return rep;
}

static const char two_cards[] = "dpu 03:00.0\nhost b1:00.0 pf\ndpu 43:00.0\nhost c1:00.0 pf\n";

static int serve_on_two_dpus(void *unused)
{
	(void)unused;
	struct devices d[2];
	struct end servers[2], clients[2];
	struct doca_comch_server *mixed;
	for (int i = 0; i < 2; i++) {
		d[i] = (struct devices){.dpu = open_device(i == 0 ? "03:00.0" : "43:00.0"),
					.host = open_device(i == 0 ? "b1:00.0" : "c1:00.0")};
		d[i].rep = open_rep(d[i].dpu);
		/* The same name on both is no duplicate. */
		server_make(&servers[i], &d[i], "card", NULL);
		OK(doca_ctx_start(servers[i].ctx));
		client_make(&clients[i], &d[i], "card", NULL);
	}
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(d[0].dpu, d[1].rep, "mixed", &mixed));
	for (int i = 0; i < 2; i++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[i].ctx));
		UNTIL(clients[i].connection != NULL, clients[i].pe, servers[0].pe, servers[1].pe);
		CHECK(servers[i].connection != NULL && count_of(&servers[1].record, CONNECTED) == (size_t)i);
	}
	for (int i = 0; i < 2; i++) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(clients[i].ctx));
		UNTIL(state_of(clients[i].ctx) == IDLE && servers[i].connection == NULL, clients[i].pe, servers[i].pe);
		end_destroy(&clients[i]);
		(void)doca_ctx_stop(servers[i].ctx);
		UNTIL(state_of(servers[i].ctx) == IDLE, servers[i].pe);
		end_destroy(&servers[i]);
		OK(doca_dev_rep_close(d[i].rep));
		OK(doca_dev_close(d[i].dpu));
		OK(doca_dev_close(d[i].host));
	}
	return 0;
}

static void two_dpus_have_servers_of_the_same_name(void **state)
{
	(void)state;
	on_machine(two_cards, NULL, serve_on_two_dpus);
}

static int process_of_the_host(void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_SIDE", "host", 1);
	struct devices d = {.host = open_device("c1:00.0")};
	struct end client;
	client_make(&client, &d, "card", NULL);
	/* Until the server is there. */
	while (client.connection == NULL) {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		UNTIL(client.connection != NULL || state_of(client.ctx) == IDLE, client.pe);
	}
	UNTIL(count_of(&client.record, MESSAGE) == 1, client.pe);
	(void)doca_ctx_stop(client.ctx);
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	end_destroy(&client);
	OK(doca_dev_close(d.host));
	return 0;
}

static int process_of_the_second_dpu(void *unused)
{
	(void)unused;
	int host = child_start(process_of_the_host, NULL);
	setenv("DOCA_EMU_SIDE", "dpu:43:00.0", 1);
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	CHECK(num == 1);
	OK(doca_devinfo_destroy_list(list));
	struct devices d = {.dpu = open_device("43:00.0")};
	d.rep = open_rep(d.dpu);
	struct end server;
	server_make(&server, &d, "card", NULL);
	OK(doca_ctx_start(server.ctx));
	UNTIL(server.connection != NULL, server.pe);
	send_text(&server, server.connection, "hello");
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	CHECK(child_wait(host) == 0);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	OK(doca_dev_rep_close(d.rep));
	OK(doca_dev_close(d.dpu));
	return 0;
}

static void both_processes_of_a_fabric_see_its_topology(void **state)
{
	(void)state;
	on_machine(two_cards, NULL, process_of_the_second_dpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(max_name_len),
		cmocka_unit_test(max_msg_size),
		cmocka_unit_test(max_recv_queue_size),
		cmocka_unit_test(max_send_tasks),
		cmocka_unit_test(max_clients),
		cmocka_unit_test(max_producers_consumers_and_tasks),
		cmocka_unit_test(max_buf_size),
		cmocka_unit_test(max_imm_data_len),
		cmocka_unit_test(max_buf_list_len),
		cmocka_unit_test(without),
		cmocka_unit_test(two_dpus_have_servers_of_the_same_name),
		cmocka_unit_test(both_processes_of_a_fabric_see_its_topology),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
