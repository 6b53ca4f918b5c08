/* dev.c and topology.c */
#include "topology/dev.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "doca_mmap.h"

static struct doca_devinfo **list;
static uint32_t count;

static int make_list(void **state)
{
	(void)state;
	unsetenv("DOCA_EMU_SIDE");
	expect_success(doca_devinfo_create_list(&list, &count));
	return 0;
}

static int destroy_list(void **state)
{
	(void)state;
	expect_success(doca_devinfo_destroy_list(list));
	return 0;
}

static struct doca_devinfo *find(const char *pci)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t equal;
		expect_success(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			return list[i];
	}
	fail_msg("no device %s", pci);
	return NULL;
}

static uint32_t visible(const char *side)
{
	struct doca_devinfo **seen;
	uint32_t num = UINT32_MAX;
	setenv("DOCA_EMU_SIDE", side, 1);
	expect_success(doca_devinfo_create_list(&seen, &num));
	unsetenv("DOCA_EMU_SIDE");
	for (uint32_t i = 0; i < num; i++) {
		if (strcmp(side, "host") == 0)
			assert_false(emu_devinfo_is_dpu(seen[i]));
		if (strcmp(side, "dpu") == 0)
			assert_true(emu_devinfo_is_dpu(seen[i]));
	}
	assert_null(seen[num]);
	expect_success(doca_devinfo_destroy_list(seen));
	return num;
}

static void a_process_sees_the_devices_of_its_side(void **state)
{
	(void)state;
	assert_int_equal(4, count);
	assert_int_equal(4, visible(""));
	assert_int_equal(3, visible("host"));
	assert_int_equal(1, visible("dpu"));
}

static void an_unknown_side_sees_nothing(void **state)
{
	(void)state;
	struct doca_devinfo **seen = NULL;
	uint32_t num = 7;
	setenv("DOCA_EMU_SIDE", "left", 1);
	expect(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&seen, &num));
	unsetenv("DOCA_EMU_SIDE");
	assert_null(seen);
	assert_int_equal(7, num);
}

static void lists_refuse_null(void **state)
{
	(void)state;
	struct doca_devinfo **seen;
	uint32_t num;
	expect_invalid(doca_devinfo_create_list(NULL, &num));
	expect_invalid(doca_devinfo_create_list(&seen, NULL));
	expect_invalid(doca_devinfo_destroy_list(NULL));
}

static void opening_a_device_twice_gives_the_same_pointer(void **state)
{
	(void)state;
	struct doca_devinfo **other;
	uint32_t num;
	struct doca_dev *first;
	struct doca_dev *second;
	struct doca_dev *third;
	expect_success(doca_devinfo_create_list(&other, &num));
	expect_success(doca_dev_open(list[0], &first));
	expect_success(doca_dev_open(other[0], &second));
	expect_success(doca_dev_open(list[1], &third));
	assert_ptr_equal(first, second);
	assert_ptr_not_equal(first, third);
	expect_success(doca_devinfo_destroy_list(other));
	expect_success(doca_dev_close(first));
	expect_success(doca_dev_close(second));
	expect_success(doca_dev_close(third));
}

static void an_open_device_and_its_info_outlive_the_list(void **state)
{
	(void)state;
	struct doca_devinfo **other;
	uint32_t num;
	struct doca_dev *dev;
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
	expect_success(doca_devinfo_create_list(&other, &num));
	expect_success(doca_dev_open(other[0], &dev));
	expect_success(doca_devinfo_destroy_list(other));
	expect_success(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(dev), pci));
	assert_string_equal(DPU_PCI, pci);
	assert_string_equal(DPU_PCI, emu_dev_pci(dev));
	expect_success(doca_dev_close(dev));
}

static void open_and_close_refuse_null(void **state)
{
	(void)state;
	struct doca_dev *dev = NULL;
	expect_invalid(doca_dev_open(NULL, &dev));
	expect_invalid(doca_dev_open(list[0], NULL));
	expect_success(doca_dev_close(NULL));
	assert_null(dev);
	assert_null(doca_dev_as_devinfo(NULL));
}

static void the_last_close_is_refused_while_something_uses_the_device(void **state)
{
	(void)state;
	struct doca_dev *dev;
	expect_success(doca_dev_open(list[0], &dev));
	expect_success(doca_dev_open(list[0], &dev));
	emu_dev_use(dev);
	expect_success(doca_dev_close(dev));
	expect(DOCA_ERROR_IN_USE, doca_dev_close(dev));
	expect(DOCA_ERROR_IN_USE, doca_dev_close(dev));
	emu_dev_unuse(dev);
	expect_success(doca_dev_close(dev));
}

static void a_memory_map_does_not_keep_a_device_open(void **state)
{
	(void)state;
	struct doca_dev *dev;
	struct doca_dev *again;
	struct doca_mmap *mmap;
	expect_success(doca_dev_open(list[0], &dev));
	expect_success(doca_mmap_create(&mmap));
	expect_success(doca_mmap_add_dev(mmap, dev));
	expect_success(doca_dev_close(dev));
	expect_invalid(doca_dev_close(dev));
	expect_success(doca_dev_open(list[0], &again));
	assert_ptr_equal(dev, again);
	expect_success(doca_mmap_destroy(mmap));
	expect_success(doca_dev_close(again));
}

static void *open_and_close(void *argument)
{
	(void)argument;
	for (int i = 0; i < 500; i++) {
		struct doca_dev *dev;
		if (doca_dev_open(list[i % 4], &dev) != DOCA_SUCCESS)
			return "open";
		emu_dev_use(dev);
		if (strcmp(emu_dev_pci(dev), "") == 0)
			return "address";
		emu_dev_unuse(dev);
		if (doca_dev_close(dev) != DOCA_SUCCESS)
			return "close";
	}
	return NULL;
}

static void devices_can_be_opened_and_closed_by_several_threads(void **state)
{
	(void)state;
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, open_and_close, NULL));
	for (int i = 0; i < 4; i++) {
		void *failed;
		assert_int_equal(0, pthread_join(threads[i], &failed));
		assert_null(failed);
	}
}

static void an_address_has_a_long_form_and_a_short_form_of_domain_0(void **state)
{
	(void)state;
	uint8_t equal = 7;
	struct doca_devinfo *info = find(HOST_PF);
	expect_success(doca_devinfo_is_equal_pci_addr(info, "0000:b1:00.0", &equal));
	assert_int_equal(1, equal);
	expect_success(doca_devinfo_is_equal_pci_addr(info, "b1:00.0", &equal));
	assert_int_equal(1, equal);
	expect_success(doca_devinfo_is_equal_pci_addr(info, "0000:B1:00.0", &equal));
	assert_int_equal(1, equal);
	expect_success(doca_devinfo_is_equal_pci_addr(info, "0001:b1:00.0", &equal));
	assert_int_equal(0, equal);
	expect_success(doca_devinfo_is_equal_pci_addr(info, "b1:00.1", &equal));
	assert_int_equal(0, equal);
}

static void a_malformed_address_is_refused(void **state)
{
	(void)state;
	static const char *const malformed[] = {
		"",
		"b1",
		"b1:00.",
		"b1:00:0",
		"0000:b1:00.",
		"0000:b1:00.00",
		"0000:b1:00.g",
		"0000 b1:00.0",
		"000:b1:00.0",
		"00000:b1:00.0",
		":b1:00.0",
		"b1:00.0 ",
	};
	uint8_t equal = 7;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		expect_invalid(doca_devinfo_is_equal_pci_addr(list[0], malformed[i], &equal));
	assert_int_equal(7, equal);
	expect_invalid(doca_devinfo_is_equal_pci_addr(NULL, HOST_PF, &equal));
	expect_invalid(doca_devinfo_is_equal_pci_addr(list[0], NULL, &equal));
	expect_invalid(doca_devinfo_is_equal_pci_addr(list[0], HOST_PF, NULL));
}

static void the_address_string_is_lower_case_and_complete(void **state)
{
	(void)state;
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
	for (uint32_t i = 0; i < count; i++) {
		expect_success(doca_devinfo_get_pci_addr_str(list[i], pci));
		assert_int_equal(12, strlen(pci));
		for (const char *c = pci; *c != '\0'; c++)
			assert_int_equal(*c, tolower(*c));
	}
	expect_invalid(doca_devinfo_get_pci_addr_str(NULL, pci));
	expect_invalid(doca_devinfo_get_pci_addr_str(list[0], NULL));
}

static void names_differ_and_say_that_the_device_is_emulated(void **state)
{
	(void)state;
	char names[4][DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char ifaces[4][DOCA_DEVINFO_IFACE_NAME_SIZE];
	for (uint32_t i = 0; i < count; i++) {
		expect_success(doca_devinfo_get_ibdev_name(list[i], names[i], sizeof(names[i])));
		expect_success(doca_devinfo_get_iface_name(list[i], ifaces[i], sizeof(ifaces[i])));
		assert_memory_equal("emu_", names[i], 4);
		assert_memory_equal("emu_", ifaces[i], 4);
		/* What Linux allows for a network interface. */
		assert_in_range(strlen(ifaces[i]), 1, 15);
		for (uint32_t j = 0; j < i; j++) {
			assert_string_not_equal(names[i], names[j]);
			assert_string_not_equal(ifaces[i], ifaces[j]);
		}
	}
}

static void name_getters_check_the_size_of_the_buffer(void **state)
{
	(void)state;
	char name[DOCA_DEVINFO_IFACE_NAME_SIZE + 1];
	memset(name, '#', sizeof(name));
	expect_invalid(doca_devinfo_get_iface_name(list[0], name, DOCA_DEVINFO_IFACE_NAME_SIZE - 1));
	expect_invalid(doca_devinfo_get_ibdev_name(list[0], name, DOCA_DEVINFO_IBDEV_NAME_SIZE - 1));
	assert_int_equal('#', name[0]);
	expect_success(doca_devinfo_get_iface_name(list[0], name, DOCA_DEVINFO_IFACE_NAME_SIZE));
	assert_int_equal('#', name[DOCA_DEVINFO_IFACE_NAME_SIZE]);
	expect_invalid(doca_devinfo_get_iface_name(NULL, name, sizeof(name)));
	expect_invalid(doca_devinfo_get_iface_name(list[0], NULL, sizeof(name)));
	expect_invalid(doca_devinfo_get_ibdev_name(NULL, name, sizeof(name)));
	expect_invalid(doca_devinfo_get_ibdev_name(list[0], NULL, sizeof(name)));
}

static void mac_addresses_are_unicast_and_locally_administered(void **state)
{
	(void)state;
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	for (uint32_t i = 0; i < count; i++) {
		expect_success(doca_devinfo_get_mac_addr(list[i], mac, sizeof(mac)));
		assert_int_equal(2, mac[0] & 3);
	}
	expect_invalid(doca_devinfo_get_mac_addr(list[0], mac, sizeof(mac) - 1));
	expect_invalid(doca_devinfo_get_mac_addr(list[0], NULL, sizeof(mac)));
	expect_invalid(doca_devinfo_get_mac_addr(NULL, mac, sizeof(mac)));
}

static void the_ipv6_address_is_link_local(void **state)
{
	(void)state;
	uint8_t address[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	expect_success(doca_devinfo_get_ipv6_addr(list[0], address, sizeof(address)));
	assert_int_equal(0xfe, address[0]);
	assert_int_equal(0x80, address[1]);
	assert_int_equal(0xff, address[11]);
	assert_int_equal(0xfe, address[12]);
	expect_invalid(doca_devinfo_get_ipv6_addr(list[0], address, sizeof(address) - 1));
	expect_invalid(doca_devinfo_get_ipv6_addr(list[0], NULL, sizeof(address)));
	expect_invalid(doca_devinfo_get_ipv6_addr(NULL, address, sizeof(address)));
}

static void no_ipv4_address_is_assigned(void **state)
{
	(void)state;
	uint8_t address[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	expect(DOCA_ERROR_NOT_FOUND, doca_devinfo_get_ipv4_addr(list[0], address, sizeof(address)));
	expect_invalid(doca_devinfo_get_ipv4_addr(list[0], address, sizeof(address) - 1));
	expect_invalid(doca_devinfo_get_ipv4_addr(list[0], NULL, sizeof(address)));
	expect_invalid(doca_devinfo_get_ipv4_addr(NULL, address, sizeof(address)));
}

static void an_ethernet_port_has_no_lid(void **state)
{
	(void)state;
	uint16_t lid;
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_lid(list[0], &lid));
	expect_invalid(doca_devinfo_get_lid(list[0], NULL));
	expect_invalid(doca_devinfo_get_lid(NULL, &lid));
}

static void rate_and_vhca_id_are_reported(void **state)
{
	(void)state;
	uint64_t rate = 0;
	uint16_t first;
	uint16_t second;
	expect_success(doca_devinfo_get_active_rate(list[0], &rate));
	assert_true(rate > 0);
	expect_success(doca_devinfo_get_vhca_id(list[0], &first));
	expect_success(doca_devinfo_get_vhca_id(list[1], &second));
	assert_int_not_equal(first, second);
	expect_invalid(doca_devinfo_get_active_rate(list[0], NULL));
	expect_invalid(doca_devinfo_get_active_rate(NULL, &rate));
	expect_invalid(doca_devinfo_get_vhca_id(list[0], NULL));
	expect_invalid(doca_devinfo_get_vhca_id(NULL, &first));
}

static void the_kind_of_a_function_is_reported(void **state)
{
	(void)state;
	enum doca_pci_func_type type;
	expect_success(doca_devinfo_get_pci_func_type(find("03:00.0"), &type));
	assert_int_equal(DOCA_PCI_FUNC_TYPE_PF, type);
	expect_success(doca_devinfo_get_pci_func_type(find("b1:00.0"), &type));
	assert_int_equal(DOCA_PCI_FUNC_TYPE_PF, type);
	expect_success(doca_devinfo_get_pci_func_type(find("b1:00.2"), &type));
	assert_int_equal(DOCA_PCI_FUNC_TYPE_VF, type);
	expect_invalid(doca_devinfo_get_pci_func_type(list[0], NULL));
	expect_invalid(doca_devinfo_get_pci_func_type(NULL, &type));
}

static void only_a_sf_has_an_index(void **state)
{
	(void)state;
	uint32_t index = 7;
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_sf_index(find("b1:00.0"), &index));
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_sf_index(find("b1:00.2"), &index));
	assert_int_equal(7, index);
	expect_invalid(doca_devinfo_get_sf_index(list[0], NULL));
	expect_invalid(doca_devinfo_get_sf_index(NULL, &index));
}

static void capabilities_that_are_not_emulated_answer_0(void **state)
{
	(void)state;
	typedef doca_error_t (*query)(const struct doca_devinfo *, uint8_t *);
	static const query queries[] = {
		doca_devinfo_cap_is_hotplug_manager_supported,
		doca_devinfo_cap_is_notification_moderation_supported,
		doca_devinfo_cap_is_accelerate_resource_reclaim_supported,
	};
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		uint8_t supported = 7;
		expect_success(queries[i](list[0], &supported));
		assert_int_equal(0, supported);
		expect_invalid(queries[i](NULL, &supported));
		expect_invalid(queries[i](list[0], NULL));
	}
}

static void reclaiming_resources_is_not_supported(void **state)
{
	(void)state;
	struct doca_dev *dev;
	expect_success(doca_dev_open(list[0], &dev));
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_dev_accelerate_resource_reclaim(dev));
	expect_invalid(doca_dev_accelerate_resource_reclaim(NULL));
	expect_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_sees_the_devices_of_its_side),
		cmocka_unit_test(an_unknown_side_sees_nothing),
		cmocka_unit_test(lists_refuse_null),
		cmocka_unit_test(opening_a_device_twice_gives_the_same_pointer),
		cmocka_unit_test(an_open_device_and_its_info_outlive_the_list),
		cmocka_unit_test(open_and_close_refuse_null),
		cmocka_unit_test(the_last_close_is_refused_while_something_uses_the_device),
		cmocka_unit_test(a_memory_map_does_not_keep_a_device_open),
		cmocka_unit_test(devices_can_be_opened_and_closed_by_several_threads),
		cmocka_unit_test(an_address_has_a_long_form_and_a_short_form_of_domain_0),
		cmocka_unit_test(a_malformed_address_is_refused),
		cmocka_unit_test(the_address_string_is_lower_case_and_complete),
		cmocka_unit_test(names_differ_and_say_that_the_device_is_emulated),
		cmocka_unit_test(name_getters_check_the_size_of_the_buffer),
		cmocka_unit_test(mac_addresses_are_unicast_and_locally_administered),
		cmocka_unit_test(the_ipv6_address_is_link_local),
		cmocka_unit_test(no_ipv4_address_is_assigned),
		cmocka_unit_test(an_ethernet_port_has_no_lid),
		cmocka_unit_test(rate_and_vhca_id_are_reported),
		cmocka_unit_test(the_kind_of_a_function_is_reported),
		cmocka_unit_test(only_a_sf_has_an_index),
		cmocka_unit_test(capabilities_that_are_not_emulated_answer_0),
		cmocka_unit_test(reclaiming_resources_is_not_supported),
	};
	return cmocka_run_group_tests(tests, make_list, destroy_list);
}
