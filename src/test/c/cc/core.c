/* What DOCA Core of 2.5 and of 2.6 has in another form. */
#include <string.h>

#include "devices.h"
#include "doca_version.h"
#include "harness.h"

#ifdef TEST_OVER_CC_2_5_H
#define VERSION DOCA_VER_STRING
#else
#define VERSION DOCA_VERSION_STRING
#endif

static void the_version_is_that_of_the_release_and_says_emulated(void **state)
{
	(void)state;
	assert_string_equal(doca_version_runtime(), VERSION "-emulated");
	assert_string_equal(doca_version(), VERSION);
}

static void codes_that_came_later_have_no_name(void **state)
{
	(void)state;
	assert_string_equal(doca_error_get_name(DOCA_ERROR_TOO_BIG), "DOCA_ERROR_TOO_BIG");
	for (unsigned code = DOCA_ERROR_TOO_BIG + 1; code < 100; code++) {
		assert_ptr_equal(doca_error_get_name((doca_error_t)code), doca_error_get_name((doca_error_t)1000000));
		assert_ptr_equal(doca_error_get_descr((doca_error_t)code), doca_error_get_descr((doca_error_t)1000000));
	}
}

static const char *const short_addresses[] = {"04:00.0", "b2:00.0"};

static bool names(const struct doca_devinfo *info, const char *address)
{
	uint8_t equal = 7;
	OK(doca_devinfo_is_equal_pci_addr(info, address, &equal));
	CHECK(equal <= 1);
	return equal;
}

static int devices_of_a_domain_have_short_addresses(void *unused)
{
	(void)unused;
	struct doca_dev *dpu = open_device("000a:04:00.0"), *host = open_device("000b:b2:00.0");
	const struct doca_devinfo *infos[] = {doca_dev_as_devinfo(dpu), doca_dev_as_devinfo(host)};
	for (int i = 0; i < 2; i++)
		for (int address = 0; address < 2; address++)
			CHECK(names(infos[i], short_addresses[address]) == (i == address));
	CHECK(!names(infos[0], "0000:04:00.0"));
	CHECK(names(infos[1], "000B:B2:00.0"));
	struct doca_devinfo_rep **list;
	uint32_t num;
	uint8_t equal = 7;
	OK(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	CHECK(num == 1);
	OK(doca_devinfo_rep_is_equal_pci_addr(list[0], "b2:00.0", &equal));
	CHECK(equal == 1);
	OK(doca_devinfo_rep_is_equal_pci_addr(list[0], "b2:00.1", &equal));
	CHECK(equal == 0);
	OK(doca_devinfo_rep_destroy_list(list));
	OK(doca_dev_close(dpu));
	OK(doca_dev_close(host));
	return 0;
}

static void a_short_address_names_a_device_of_any_domain(void **state)
{
	(void)state;
	char path[128];
	snprintf(path, sizeof(path), "%s/topology", getenv("DOCA_EMU_DIR"));
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs("dpu 000a:04:00.0\nhost 000b:b2:00.0 pf\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(child_wait(child_start(devices_of_a_domain_have_short_addresses, NULL)), 0);
	assert_int_equal(remove(path), 0);
}

/* The CPU drives all data paths. */
static void no_data_path_but_the_cpus(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	struct doca_ctx *contexts[] = {pair.server.ctx, pair.client.ctx};
	struct doca_gpu *gpu = (struct doca_gpu *)&pair;
	struct doca_dpa *dpa = (struct doca_dpa *)&pair;
	for (int i = 0; i < 2; i++) {
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_gpu(contexts[i], gpu));
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_dpa(contexts[i], dpa));
		GIVES(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_gpu(contexts[i], NULL));
		GIVES(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_dpa(NULL, dpa));
	}
	pair_stop(&pair);
}

/* ---- what was seen of 2.5.0108 ---- */

static uint8_t bytes[4096];

static struct doca_mmap *map_of_bytes(void)
{
	struct doca_mmap *mmap;
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	return mmap;
}

static struct doca_buf_inventory *inventory_of(size_t num)
{
	struct doca_buf_inventory *inventory;
	OK(doca_buf_inventory_create(num, &inventory));
	OK(doca_buf_inventory_start(inventory));
	return inventory;
}

static void a_map_has_one_device_and_states_of_its_own(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct doca_mmap *mmap;
	OK(doca_mmap_create(&mmap));
	uint32_t most = 0;
	OK(doca_mmap_get_max_num_devices(mmap, &most));
	assert_int_equal(most, 1);
	OK(doca_mmap_add_dev(mmap, d.host));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_mmap_add_dev(mmap, d.dpu));
	GIVES(DOCA_ERROR_BAD_STATE, doca_mmap_start(mmap)); /* no range yet */
	OK(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	OK(doca_mmap_start(mmap));
	GIVES(DOCA_ERROR_BAD_STATE, doca_mmap_add_dev(mmap, d.dpu));
	GIVES(DOCA_ERROR_BAD_STATE, doca_mmap_rm_dev(mmap, d.host));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 2));
	OK(doca_mmap_stop(mmap));
	OK(doca_mmap_set_max_num_devices(mmap, 2));
	OK(doca_mmap_add_dev(mmap, d.dpu));
	OK(doca_mmap_destroy(mmap));
	devices_close(&d);
}

static void a_map_stops_with_bufs_but_is_not_destroyed(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_of_bytes();
	struct doca_buf_inventory *inventory = inventory_of(1);
	struct doca_buf *buf;
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 1, &buf));
	OK(doca_mmap_stop(mmap));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	OK(doca_buf_dec_refcount(buf, NULL));
	OK(doca_mmap_destroy(mmap));
	OK(doca_buf_inventory_destroy(inventory));
}

static void an_element_of_a_list_tells_its_place_and_what_follows(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_of_bytes();
	struct doca_buf_inventory *inventory = inventory_of(3);
	struct doca_buf *bufs[3];
	OK(doca_mmap_start(mmap));
	for (int i = 0; i < 3; i++)
		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 1, &bufs[i]));
	OK(doca_buf_chain_list(bufs[0], bufs[1]));
	OK(doca_buf_chain_list(bufs[0], bufs[2]));
	for (uint32_t i = 0; i < 3; i++) {
		uint8_t first = 7;
		uint32_t length = 0;
		OK(doca_buf_is_first_in_list(bufs[i], &first));
		assert_int_equal(first, i == 0 ? 2 : 0);
		OK(doca_buf_get_list_len(bufs[i], &length));
		assert_int_equal(length, 3 - i);
	}
	OK(doca_buf_dec_refcount(bufs[0], NULL));
	OK(doca_mmap_destroy(mmap));
	OK(doca_buf_inventory_destroy(inventory));
}

static void null_is_destroyed_and_closed(void **state)
{
	(void)state;
	OK(doca_cc_server_destroy(NULL));
	OK(doca_cc_client_destroy(NULL));
	OK(doca_cc_consumer_destroy(NULL));
	OK(doca_cc_producer_destroy(NULL));
	OK(doca_dev_close(NULL));
}

/* Of both names the first 119 characters are left, which are the same. */
static void a_long_name_is_cut(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	char name[200] = "";
	memset(name, 'n', sizeof(name) - 1);
	server_create(&server, &d, name);
	name[119] = 'x';
	client_create(&client, &d, name);
	end_configure(&server);
	end_configure(&client);
	end_connect_pe(&server, NULL);
	end_connect_pe(&client, NULL);
	OK(doca_ctx_start(server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == DOCA_CTX_STATE_RUNNING, server.pe, client.pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
	UNTIL(state_of(client.ctx) == DOCA_CTX_STATE_IDLE, server.pe, client.pe);
	doca_error_t result = doca_ctx_stop(server.ctx);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	UNTIL(state_of(server.ctx) == DOCA_CTX_STATE_IDLE, server.pe);
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&d);
}

static void an_empty_name_is_refused_by_the_start(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	struct end server, client;
	server_create(&server, &d, "");
	client_create(&client, &d, "");
	struct end *const ends[] = {&server, &client};
	for (int i = 0; i < 2; i++) {
		end_configure(ends[i]);
		end_connect_pe(ends[i], NULL);
		GIVES(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(ends[i]->ctx));
		end_destroy(ends[i]);
	}
	devices_close(&d);
}

#ifdef TEST_OVER_CC_2_6_H
static void the_rate_is_in_gigabits(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	double rate = 0;
	OK(doca_devinfo_get_active_rate(doca_dev_as_devinfo(d.host), &rate));
	assert_true(rate > 199.999 && rate < 200.001);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_active_rate(NULL, &rate));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_active_rate(doca_dev_as_devinfo(d.host), NULL));
	devices_close(&d);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_is_that_of_the_release_and_says_emulated),
		cmocka_unit_test(codes_that_came_later_have_no_name),
		/* Before this process has read its topology. */
		cmocka_unit_test(a_short_address_names_a_device_of_any_domain),
		cmocka_unit_test(no_data_path_but_the_cpus),
		cmocka_unit_test(a_map_has_one_device_and_states_of_its_own),
		cmocka_unit_test(a_map_stops_with_bufs_but_is_not_destroyed),
		cmocka_unit_test(an_element_of_a_list_tells_its_place_and_what_follows),
		cmocka_unit_test(null_is_destroyed_and_closed),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(an_empty_name_is_refused_by_the_start),
#ifdef TEST_OVER_CC_2_6_H
		cmocka_unit_test(the_rate_is_in_gigabits),
#endif
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
