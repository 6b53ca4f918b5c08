/* dev_rep.c */
#include <string.h>

#include "devices.h"
#include "topology/dev.h"

static struct doca_dev *dpu;
static struct doca_dev *host;
static struct doca_devinfo_rep **list;
static uint32_t count;

static int open_and_list(void **state)
{
	(void)state;
	dpu = open_device(DPU_PCI);
	host = open_device(HOST_PF);
	expect_success(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count));
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	expect_success(doca_devinfo_rep_destroy_list(list));
	expect_success(doca_dev_close(dpu));
	expect_success(doca_dev_close(host));
	return 0;
}

static void the_dpu_represents_every_function_of_the_host(void **state)
{
	(void)state;
	static const char *const expected[] = {"0000:b1:00.0", "0000:b1:00.2", "0000:b1:00.3"};
	assert_int_equal(3, count);
	assert_null(list[count]);
	for (uint32_t i = 0; i < count; i++) {
		char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
		uint8_t equal = 7;
		expect_success(doca_devinfo_rep_get_pci_addr_str(list[i], pci));
		assert_string_equal(expected[i], pci);
		expect_success(doca_devinfo_rep_is_equal_pci_addr(list[i], expected[i] + 5, &equal));
		assert_int_equal(1, equal);
		expect_success(doca_devinfo_rep_is_equal_pci_addr(list[i], DPU_PCI, &equal));
		assert_int_equal(0, equal);
	}
}

static void filter_net_selects_network_functions(void **state)
{
	(void)state;
	struct doca_devinfo_rep **net;
	uint32_t num = 0;
	expect_success(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &net, &num));
	assert_int_equal(3, num);
	expect_success(doca_devinfo_rep_destroy_list(net));
}

static void filter_emulated_is_not_supported_as_its_capability_says(void **state)
{
	(void)state;
	struct doca_devinfo_rep **none = NULL;
	uint32_t num = 7;
	uint8_t supported = 7;
	expect_success(doca_devinfo_rep_cap_is_filter_emulated_supported(doca_dev_as_devinfo(dpu), &supported));
	assert_int_equal(0, supported);
	expect(DOCA_ERROR_NOT_SUPPORTED,
	       doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_EMULATED, &none, &num));
	expect(DOCA_ERROR_NOT_SUPPORTED,
	       doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED, &none,
					    &num));
	assert_null(none);
	assert_int_equal(7, num);
}

static void the_host_has_no_representors_and_its_capabilities_say_so(void **state)
{
	(void)state;
	struct doca_devinfo_rep **none;
	uint32_t num;
	uint8_t supported = 7;
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_rep_create_list(host, DOCA_DEVINFO_REP_FILTER_NET, &none, &num));
	expect_success(doca_devinfo_rep_cap_is_filter_all_supported(doca_dev_as_devinfo(host), &supported));
	assert_int_equal(0, supported);
	expect_success(doca_devinfo_rep_cap_is_filter_net_supported(doca_dev_as_devinfo(host), &supported));
	assert_int_equal(0, supported);
	expect_success(doca_devinfo_rep_cap_is_filter_net_supported(doca_dev_as_devinfo(dpu), &supported));
	assert_int_equal(1, supported);
	expect_success(doca_devinfo_rep_cap_is_filter_all_supported(doca_dev_as_devinfo(dpu), &supported));
	assert_int_equal(1, supported);
}

static void capability_queries_refuse_null(void **state)
{
	(void)state;
	typedef doca_error_t (*query)(const struct doca_devinfo *, uint8_t *);
	static const query queries[] = {
		doca_devinfo_rep_cap_is_filter_all_supported,
		doca_devinfo_rep_cap_is_filter_net_supported,
		doca_devinfo_rep_cap_is_filter_emulated_supported,
	};
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		uint8_t supported;
		expect_invalid(queries[i](NULL, &supported));
		expect_invalid(queries[i](doca_dev_as_devinfo(dpu), NULL));
	}
}

static void lists_refuse_null_and_unknown_filters(void **state)
{
	(void)state;
	struct doca_devinfo_rep **none;
	uint32_t num;
	expect_invalid(doca_devinfo_rep_create_list(NULL, DOCA_DEVINFO_REP_FILTER_ALL, &none, &num));
	expect_invalid(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_ALL, NULL, &num));
	expect_invalid(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_ALL, &none, NULL));
	expect_invalid(doca_devinfo_rep_create_list(dpu, 1, &none, &num));
	expect_invalid(doca_devinfo_rep_create_list(dpu, 8, &none, &num));
	expect_invalid(doca_devinfo_rep_create_list(dpu, -1, &none, &num));
	expect_invalid(doca_devinfo_rep_destroy_list(NULL));
}

static void an_open_representor_outlives_its_list(void **state)
{
	(void)state;
	struct doca_devinfo_rep **other;
	uint32_t num;
	struct doca_dev_rep *rep;
	char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	expect_success(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &other, &num));
	expect_success(doca_dev_rep_open(other[1], &rep));
	expect_success(doca_devinfo_rep_destroy_list(other));
	expect_success(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep), pci));
	assert_string_equal(HOST_VF, pci);
	assert_string_equal(HOST_VF, emu_rep_pci(rep));
	assert_ptr_equal(dpu, emu_rep_dev(rep));
	expect_success(doca_dev_rep_close(rep));
}

static void opening_twice_gives_the_same_pointer_and_needs_two_closes(void **state)
{
	(void)state;
	struct doca_dev_rep *first;
	struct doca_dev_rep *second;
	expect_success(doca_dev_rep_open(list[0], &first));
	expect_success(doca_dev_rep_open(list[0], &second));
	assert_ptr_equal(first, second);
	expect_success(doca_dev_rep_close(first));
	assert_string_equal(HOST_PF, emu_rep_pci(second));
	expect_success(doca_dev_rep_close(second));
}

static void a_device_with_an_open_representor_cannot_be_closed(void **state)
{
	(void)state;
	struct doca_dev_rep *rep;
	expect_success(doca_dev_rep_open(list[0], &rep));
	expect(DOCA_ERROR_IN_USE, doca_dev_close(dpu));
	expect_success(doca_dev_rep_close(rep));
}

static void the_last_close_is_refused_while_something_uses_the_representor(void **state)
{
	(void)state;
	struct doca_dev_rep *rep;
	expect_success(doca_dev_rep_open(list[0], &rep));
	expect_success(doca_dev_rep_open(list[0], &rep));
	emu_rep_use(rep);
	expect_success(doca_dev_rep_close(rep));
	expect(DOCA_ERROR_IN_USE, doca_dev_rep_close(rep));
	emu_rep_unuse(rep);
	expect_success(doca_dev_rep_close(rep));
}

static void the_list_of_a_closed_device_opens_nothing(void **state)
{
	(void)state;
	struct doca_devinfo_rep **other;
	uint32_t num;
	struct doca_dev_rep *rep = NULL;
	expect_success(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &other, &num));
	expect_success(doca_dev_close(dpu));
	expect_invalid(doca_dev_rep_open(other[0], &rep));
	assert_null(rep);
	expect_success(doca_devinfo_rep_destroy_list(other));
	/* The list of the group still holds it. */
	dpu = open_device(DPU_PCI);
}

static void open_and_close_refuse_null(void **state)
{
	(void)state;
	struct doca_dev_rep *rep;
	expect_invalid(doca_dev_rep_open(NULL, &rep));
	expect_invalid(doca_dev_rep_open(list[0], NULL));
	expect_invalid(doca_dev_rep_close(NULL));
	assert_null(doca_dev_rep_as_devinfo(NULL));
}

static void functions_are_described(void **state)
{
	(void)state;
	static const enum doca_pci_func_type types[] = {DOCA_PCI_FUNC_TYPE_PF, DOCA_PCI_FUNC_TYPE_VF,
							DOCA_PCI_FUNC_TYPE_VF};
	for (uint32_t i = 0; i < count; i++) {
		char vuid[DOCA_DEVINFO_REP_VUID_SIZE];
		char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
		enum doca_pci_func_type type;
		uint8_t hotplug = 7;
		uint16_t vhca = 0;
		expect_success(doca_devinfo_rep_get_vuid(list[i], vuid, sizeof(vuid)));
		assert_memory_equal("EMU", vuid, 3);
		expect_success(doca_devinfo_rep_get_iface_name(list[i], iface, sizeof(iface)));
		assert_memory_equal("emu_", iface, 4);
		expect_success(doca_devinfo_rep_get_pci_func_type(list[i], &type));
		assert_int_equal(types[i], type);
		expect_success(doca_devinfo_rep_get_is_hotplug(list[i], &hotplug));
		assert_int_equal(0, hotplug);
		expect_success(doca_devinfo_rep_get_vhca_id(list[i], &vhca));
		assert_int_not_equal(0, vhca);
	}
}

static void getters_check_arguments_and_sizes(void **state)
{
	(void)state;
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	enum doca_pci_func_type type;
	uint8_t flag;
	uint16_t id;
	expect_invalid(doca_devinfo_rep_get_vuid(NULL, text, sizeof(text)));
	expect_invalid(doca_devinfo_rep_get_vuid(list[0], NULL, sizeof(text)));
	expect_invalid(doca_devinfo_rep_get_vuid(list[0], text, DOCA_DEVINFO_REP_VUID_SIZE - 1));
	expect_invalid(doca_devinfo_rep_get_iface_name(NULL, text, sizeof(text)));
	expect_invalid(doca_devinfo_rep_get_iface_name(list[0], NULL, sizeof(text)));
	expect_invalid(doca_devinfo_rep_get_iface_name(list[0], text, DOCA_DEVINFO_IFACE_NAME_SIZE - 1));
	expect_invalid(doca_devinfo_rep_get_pci_addr_str(NULL, text));
	expect_invalid(doca_devinfo_rep_get_pci_addr_str(list[0], NULL));
	expect_invalid(doca_devinfo_rep_get_pci_func_type(NULL, &type));
	expect_invalid(doca_devinfo_rep_get_pci_func_type(list[0], NULL));
	expect_invalid(doca_devinfo_rep_get_is_hotplug(NULL, &flag));
	expect_invalid(doca_devinfo_rep_get_is_hotplug(list[0], NULL));
	expect_invalid(doca_devinfo_rep_get_vhca_id(NULL, &id));
	expect_invalid(doca_devinfo_rep_get_vhca_id(list[0], NULL));
	expect_invalid(doca_devinfo_rep_is_equal_pci_addr(NULL, HOST_PF, &flag));
	expect_invalid(doca_devinfo_rep_is_equal_pci_addr(list[0], NULL, &flag));
	expect_invalid(doca_devinfo_rep_is_equal_pci_addr(list[0], HOST_PF, NULL));
	expect_invalid(doca_devinfo_rep_is_equal_pci_addr(list[0], "b1", &flag));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_dpu_represents_every_function_of_the_host),
		cmocka_unit_test(filter_net_selects_network_functions),
		cmocka_unit_test(filter_emulated_is_not_supported_as_its_capability_says),
		cmocka_unit_test(the_host_has_no_representors_and_its_capabilities_say_so),
		cmocka_unit_test(capability_queries_refuse_null),
		cmocka_unit_test(lists_refuse_null_and_unknown_filters),
		cmocka_unit_test(an_open_representor_outlives_its_list),
		cmocka_unit_test(opening_twice_gives_the_same_pointer_and_needs_two_closes),
		cmocka_unit_test(a_device_with_an_open_representor_cannot_be_closed),
		cmocka_unit_test(the_last_close_is_refused_while_something_uses_the_representor),
		cmocka_unit_test(the_list_of_a_closed_device_opens_nothing),
		cmocka_unit_test(open_and_close_refuse_null),
		cmocka_unit_test(functions_are_described),
		cmocka_unit_test(getters_check_arguments_and_sizes),
	};
	return cmocka_run_group_tests(tests, open_and_list, close_all);
}
