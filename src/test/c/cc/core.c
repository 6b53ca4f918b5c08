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
#ifdef TEST_OVER_CC_2_6_H
		cmocka_unit_test(the_rate_is_in_gigabits),
#endif
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
