/* Sizes, lengths and pools: what is 64 bits wide or a binary logarithm in this generation. */
#include <string.h>

#include "harness.h"

#define BAD DOCA_ERROR_INVALID_VALUE
#define STATE_ERROR DOCA_ERROR_BAD_STATE

/* Lengths whose lower 32 bits are valid ones. */
static const size_t beyond_32_bits[] = {UINT64_C(0x100000001), UINT64_C(0x100000064), UINT64_C(0xffffffff00000001),
					SIZE_MAX, UINT32_MAX};

#define NUM_BEYOND (sizeof(beyond_32_bits) / sizeof(beyond_32_bits[0]))

/* An output with neighbours, all of which a function writes over that takes it for larger than it is. */
struct guarded {
	uint64_t before;
	size_t value;
	uint64_t behind;
};

#define GUARD UINT64_C(0x5ca1ab1e0ddba115)

static struct guarded guarded_new(void)
{
	return (struct guarded){.before = GUARD, .value = SIZE_MAX, .behind = GUARD};
}

static void expect_only(const struct guarded *guarded, size_t wanted)
{
	assert_int_equal(guarded->before, GUARD);
	assert_int_equal(guarded->behind, GUARD);
	assert_int_equal(guarded->value, wanted);
}

struct capability {
	doca_error_t (*get)(const struct doca_devinfo *devinfo, size_t *value);
	size_t wanted;
};

static const struct capability capabilities[] = {
	{doca_cc_cap_get_max_msg_size, 4080},
	{doca_cc_cap_get_max_recv_queue_size, 8192},
	{doca_cc_cap_get_max_clients, 512},
	{doca_cc_cap_get_max_send_tasks, 8192},
	{doca_cc_consumer_cap_get_max_log_num_tasks, 13},
	{doca_cc_producer_cap_get_max_log_num_tasks, 13},
	{doca_cc_consumer_cap_get_max_buf_size, 1u << 30},
	{doca_cc_producer_cap_get_max_buf_size, 1u << 30},
};

#define NUM_CAPABILITIES (sizeof(capabilities) / sizeof(capabilities[0]))

static void capabilities_fill_64_bits_and_no_more(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	const struct doca_devinfo *infos[2] = {doca_dev_as_devinfo(d.dpu), doca_dev_as_devinfo(d.host)};
	for (size_t i = 0; i < NUM_CAPABILITIES; i++) {
		for (size_t side = 0; side < 2; side++) {
			struct guarded guarded = guarded_new();
			OK(capabilities[i].get(infos[side], &guarded.value));
			expect_only(&guarded, capabilities[i].wanted);
			GIVES(BAD, capabilities[i].get(infos[side], NULL));
		}
		struct guarded guarded = guarded_new();
		GIVES(BAD, capabilities[i].get(NULL, &guarded.value));
		expect_only(&guarded, SIZE_MAX);
		GIVES(BAD, capabilities[i].get(NULL, NULL));
	}
	uint32_t len[3] = {7, 7, 7}; /* 32 bits in both generations */
	OK(doca_cc_cap_get_max_name_len(infos[0], &len[1]));
	assert_int_equal(len[0], 7);
	assert_int_equal(len[1], 120);
	assert_int_equal(len[2], 7);
	GIVES(BAD, doca_cc_cap_get_max_name_len(NULL, &len[1]));
	GIVES(BAD, doca_cc_cap_get_max_name_len(infos[0], NULL));
	devices_close(&d);
}

/* Limits that are not powers of two: the logarithm is that of the largest pool there can be. */
static int logarithms_are_rounded_down(void *unused)
{
	(void)unused;
	struct devices d;
	devices_open(&d);
	const struct doca_devinfo *info = doca_dev_as_devinfo(d.dpu);
	size_t log, num;
	OK(doca_cc_consumer_cap_get_max_log_num_tasks(info, &log));
	CHECK(log == 6);
	OK(doca_cc_producer_cap_get_max_log_num_tasks(info, &log));
	CHECK(log == 6);
	OK(doca_cc_cap_get_max_send_tasks(info, &num));
	CHECK(num == 100);
	devices_close(&d);
	return 0;
}

static int one_task_at_most(void *unused)
{
	(void)unused;
	struct devices d;
	devices_open(&d);
	size_t log = 1;
	OK(doca_cc_consumer_cap_get_max_log_num_tasks(doca_dev_as_devinfo(d.dpu), &log));
	CHECK(log == 0);
	devices_close(&d);
	return 0;
}

static void the_logarithm_of_a_limit_is_rounded_down(void **state)
{
	(void)state;
	setenv("DOCA_EMU_LIMITS", "max_tasks=100,max_send_tasks=100", 1);
	assert_int_equal(child_wait(child_start(logarithms_are_rounded_down, NULL)), 0);
	setenv("DOCA_EMU_LIMITS", "max_tasks=1", 1);
	assert_int_equal(child_wait(child_start(one_task_at_most, NULL)), 0);
	unsetenv("DOCA_EMU_LIMITS");
}

struct sizes_of_kind {
	doca_error_t (*set)(void *object, size_t size);
	doca_error_t (*get)(const void *object, size_t *size);
	size_t initial, largest;
};

#define OF_KIND(kind, what)                                                                                            \
	static doca_error_t kind##_set_##what(void *object, size_t size)                                               \
	{                                                                                                              \
		return doca_cc_##kind##_set_##what(object, size);                                                      \
	}                                                                                                              \
	static doca_error_t kind##_get_##what(const void *object, size_t *size)                                        \
	{                                                                                                              \
		return doca_cc_##kind##_get_##what(object, size);                                                      \
	}

OF_KIND(server, max_msg_size)
OF_KIND(server, recv_queue_size)
OF_KIND(client, max_msg_size)
OF_KIND(client, recv_queue_size)

static void check_size(const struct sizes_of_kind *kind, struct end *end)
{
	void *object = end->server != NULL ? (void *)end->server : (void *)end->client;
	struct guarded guarded = guarded_new();
	OK(kind->get(object, &guarded.value));
	expect_only(&guarded, kind->initial);
	GIVES(BAD, kind->get(object, NULL));
	GIVES(BAD, kind->get(NULL, &guarded.value));
	expect_only(&guarded, kind->initial);
	OK(kind->set(object, 10));
	GIVES(BAD, kind->set(NULL, 10));
	GIVES(BAD, kind->set(object, 0));
	GIVES(BAD, kind->set(object, kind->largest + 1));
	for (size_t i = 0; i < NUM_BEYOND; i++)
		GIVES(BAD, kind->set(object, beyond_32_bits[i]));
	guarded = guarded_new();
	OK(kind->get(object, &guarded.value));
	expect_only(&guarded, 10);
	OK(kind->set(object, kind->largest));
	OK(kind->get(object, &guarded.value));
	expect_only(&guarded, kind->largest);
}

static const struct sizes_of_kind of_servers[] = {
	{server_set_max_msg_size, server_get_max_msg_size, 2048, 4080},
	{server_set_recv_queue_size, server_get_recv_queue_size, 128, 8192},
};
static const struct sizes_of_kind of_clients[] = {
	{client_set_max_msg_size, client_get_max_msg_size, 2048, 4080},
	{client_set_recv_queue_size, client_get_recv_queue_size, 128, 8192},
};

static void sizes_are_kept_and_never_cut(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "sizes");
	client_create(&client, &d, "sizes");
	for (size_t i = 0; i < 2; i++) {
		check_size(&of_servers[i], &server);
		check_size(&of_clients[i], &client);
	}
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void sizes_are_set_before_the_start_only(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	for (size_t i = 0; i < 2; i++) {
		struct guarded guarded = guarded_new();
		size_t chosen = i == 0 ? 4080 : of_servers[i].initial; /* by the harness, and by default */
		GIVES(STATE_ERROR, of_servers[i].set(pair.server.server, 10));
		GIVES(STATE_ERROR, of_clients[i].set(pair.client.client, 10));
		OK(of_servers[i].get(pair.server.server, &guarded.value));
		expect_only(&guarded, chosen);
		OK(of_clients[i].get(pair.client.client, &guarded.value));
		expect_only(&guarded, chosen);
	}
	pair_close(&pair);
}

static void a_message_longer_than_32_bits_say_is_refused(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct doca_cc_send_task *task = NULL;
	uint8_t bytes[100] = {1};
	for (size_t i = 0; i < NUM_BEYOND; i++) {
		GIVES(BAD, doca_cc_server_send_task_alloc_init(pair.server.server, pair.server.connection, bytes,
							       beyond_32_bits[i], &task));
		GIVES(BAD, doca_cc_client_send_task_alloc_init(pair.client.client, pair.client.connection, bytes,
							       beyond_32_bits[i], &task));
	}
	GIVES(BAD, doca_cc_client_send_task_alloc_init(pair.client.client, pair.client.connection, bytes, 0, &task));
	assert_null(task);
	pair_close(&pair);
}

/* ---- pools ---- */

static void control_done(struct doca_cc_send_task *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void post_done(struct doca_cc_consumer_post_recv_task *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

static void put_done(struct doca_cc_producer_send_task *task, union doca_data a, union doca_data b)
{
	(void)task, (void)a, (void)b;
}

/* 2^13 tasks: of the release's send tasks, and of the device's default limits for consumers and producers. */
static const struct pool {
	size_t log;
	doca_error_t control, fast;
} pools[] = {
	{0, DOCA_SUCCESS, DOCA_SUCCESS},
	{1, DOCA_SUCCESS, DOCA_SUCCESS},
	{10, DOCA_SUCCESS, DOCA_SUCCESS},
	{13, DOCA_SUCCESS, DOCA_SUCCESS},
	{14, BAD, BAD},
	{16, BAD, BAD},
	{17, BAD, BAD},
	{31, BAD, BAD},
	{32, BAD, BAD},
	{63, BAD, BAD},
	{64, BAD, BAD},
	{255, BAD, BAD},
};

#define NUM_POOLS (sizeof(pools) / sizeof(pools[0]))

static void pools_are_given_by_their_logarithm(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end server, client;
	server_create(&server, &pair.devices, "pools");
	client_create(&client, &pair.devices, "pools");
	struct memory memory;
	memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_cc_consumer *consumer;
	struct doca_cc_producer *producer;
	OK(doca_cc_consumer_create(pair.client.connection, memory.mmap, &consumer));
	OK(doca_cc_producer_create(pair.client.connection, &producer));
	for (size_t i = 0; i < NUM_POOLS; i++) {
		size_t log = pools[i].log;
		GIVES(pools[i].control,
		      doca_cc_server_send_task_set_conf(server.server, control_done, control_done, (uint8_t)log));
		GIVES(pools[i].control,
		      doca_cc_client_send_task_set_conf(client.client, control_done, control_done, (uint8_t)log));
		GIVES(pools[i].fast, doca_cc_consumer_post_recv_task_set_conf(consumer, post_done, post_done, log));
		GIVES(pools[i].fast, doca_cc_producer_send_task_set_conf(producer, put_done, put_done, log));
	}
	for (size_t i = 0; i < NUM_BEYOND; i++) {
		GIVES(BAD, doca_cc_consumer_post_recv_task_set_conf(consumer, post_done, post_done, beyond_32_bits[i]));
		GIVES(BAD, doca_cc_producer_send_task_set_conf(producer, put_done, put_done, beyond_32_bits[i]));
	}
	OK(doca_cc_consumer_destroy(consumer));
	OK(doca_cc_producer_destroy(producer));
	end_destroy(&server);
	end_destroy(&client);
	memory_close(&memory);
	pair_close(&pair);
}

/* Takes all tasks that there are, and gives them back. */
static size_t tasks_of_control(struct end *end)
{
	struct doca_cc_send_task *tasks[1025];
	size_t num = 0;
	while (num < 1025 && alloc_send(end, end->connection, "x", 1, &tasks[num]) == DOCA_SUCCESS)
		num++;
	for (size_t i = 0; i < num; i++)
		doca_task_free(doca_cc_send_task_as_task(tasks[i]));
	return num;
}

static void a_pool_has_two_to_the_power_of_its_logarithm_tasks(void **state)
{
	(void)state;
	static const uint8_t logs[] = {0, 1, 10};
	for (size_t i = 0; i < 3; i++) {
		size_t num = (size_t)1 << logs[i];
		struct pair pair;
		pair_make(&pair, TWO_ENGINES);
		OK(doca_cc_server_send_task_set_conf(pair.server.server, control_done, control_done, logs[i]));
		OK(doca_cc_client_send_task_set_conf(pair.client.client, control_done, control_done, logs[i]));
		pair_connect(&pair);
		assert_int_equal(tasks_of_control(&pair.server), num);
		assert_int_equal(tasks_of_control(&pair.client), num);

		struct memory memory;
		memory_open(&memory, 4096, 4, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		struct consumer consumer;
		struct producer producer;
		consumer_make(&consumer, pair.client.connection, memory.mmap, 1, NULL);
		producer_make(&producer, pair.client.connection, 1, NULL);
		OK(doca_cc_consumer_post_recv_task_set_conf(consumer.consumer, post_done, post_done, logs[i]));
		OK(doca_cc_producer_send_task_set_conf(producer.producer, put_done, put_done, logs[i]));
		consumer_start(&consumer, pair.client.pe);
		producer_start(&producer);
		struct doca_buf *buf = memory_buf(&memory, 0, 100, 100);
		struct doca_cc_consumer_post_recv_task *receives[1025];
		struct doca_cc_producer_send_task *sends[1025];
		size_t receive = 0, send = 0;
		while (receive < 1025 && doca_cc_consumer_post_recv_task_alloc_init(consumer.consumer, buf,
										    &receives[receive]) == DOCA_SUCCESS)
			receive++;
		while (send < 1025 &&
		       doca_cc_producer_send_task_alloc_init(producer.producer, buf, 1, &sends[send]) == DOCA_SUCCESS)
			send++;
		assert_int_equal(receive, num);
		assert_int_equal(send, num);
		for (size_t n = 0; n < num; n++) {
			doca_task_free(doca_cc_consumer_post_recv_task_as_task(receives[n]));
			doca_task_free(doca_cc_producer_send_task_as_task(sends[n]));
		}
		buf_release(buf);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
		UNTIL(state_of(consumer.ctx) == DOCA_CTX_STATE_IDLE, consumer.pe, pair.client.pe);
		producer_stop(&producer);
		consumer_destroy(&consumer);
		producer_destroy(&producer);
		memory_close(&memory);
		pair_close(&pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: its children read limits of their own, which a process does once. */
		cmocka_unit_test(the_logarithm_of_a_limit_is_rounded_down),
		cmocka_unit_test(capabilities_fill_64_bits_and_no_more),
		cmocka_unit_test(sizes_are_kept_and_never_cut),
		cmocka_unit_test(sizes_are_set_before_the_start_only),
		cmocka_unit_test(a_message_longer_than_32_bits_say_is_refused),
		cmocka_unit_test(pools_are_given_by_their_logarithm),
		cmocka_unit_test(a_pool_has_two_to_the_power_of_its_logarithm_tasks),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
