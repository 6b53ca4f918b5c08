/* What a device says it can do. */
#include "harness.h"

static struct devices devices;
static const struct doca_devinfo *host, *dpu;

static int open_all(void **state)
{
	fabric_up(state);
	devices_open(&devices);
	host = doca_dev_as_devinfo(devices.host);
	dpu = doca_dev_as_devinfo(devices.dpu);
	return 0;
}

static int close_all(void **state)
{
	devices_close(&devices);
	return fabric_down(state);
}

static void servers_are_for_the_dpu_and_clients_for_the_host(void **state)
{
	(void)state;
	OK(doca_comch_cap_server_is_supported(dpu));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_server_is_supported(host));
	OK(doca_comch_cap_client_is_supported(host));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(dpu));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_server_is_supported(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_cap_client_is_supported(NULL));
}

static void producers_and_consumers_work_on_both_sides(void **state)
{
	(void)state;
	OK(doca_comch_consumer_cap_is_supported(dpu));
	OK(doca_comch_consumer_cap_is_supported(host));
	OK(doca_comch_producer_cap_is_supported(dpu));
	OK(doca_comch_producer_cap_is_supported(host));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_cap_is_supported(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_cap_is_supported(NULL));
}

static const struct limit {
	doca_error_t (*get)(const struct doca_devinfo *devinfo, uint32_t *value);
	uint32_t value;
} limits[] = {
	{doca_comch_cap_get_max_name_len, 120},
	{doca_comch_cap_get_max_msg_size, 4080},
	{doca_comch_cap_get_max_recv_queue_size, 8192},
	{doca_comch_cap_get_max_send_tasks, 65536},
	{doca_comch_cap_get_max_clients, 512},
	{doca_comch_consumer_cap_get_max_num_tasks, 8192},
	{doca_comch_consumer_cap_get_max_buf_size, 1u << 30},
	{doca_comch_consumer_cap_get_max_buf_list_len, 1},
	{doca_comch_consumer_cap_get_max_consumers, 64},
	{doca_comch_consumer_cap_get_max_imm_data_len, 32},
	{doca_comch_producer_cap_get_max_num_tasks, 8192},
	{doca_comch_producer_cap_get_max_buf_size, 1u << 30},
	{doca_comch_producer_cap_get_max_buf_list_len, 1},
	{doca_comch_producer_cap_get_max_producers, 64},
};

#define NUM_LIMITS (sizeof(limits) / sizeof(limits[0]))

static void limits_are_the_same_on_both_sides(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_LIMITS; i++) {
		uint32_t value = 0;
		OK(limits[i].get(host, &value));
		assert_int_equal(value, limits[i].value);
		value = 0;
		OK(limits[i].get(dpu, &value));
		assert_int_equal(value, limits[i].value);
	}
}

static void limits_refuse_null(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_LIMITS; i++) {
		uint32_t value = 4711;
		GIVES(DOCA_ERROR_INVALID_VALUE, limits[i].get(NULL, &value));
		assert_int_equal(value, 4711);
		GIVES(DOCA_ERROR_INVALID_VALUE, limits[i].get(host, NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_are_for_the_dpu_and_clients_for_the_host),
		cmocka_unit_test(producers_and_consumers_work_on_both_sides),
		cmocka_unit_test(limits_are_the_same_on_both_sides),
		cmocka_unit_test(limits_refuse_null),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
