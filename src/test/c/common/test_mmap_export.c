/* mmap_export.c */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "devices.h"
#include "doca_buf_pool.h"
#include "doca_types.h"
#include "memory/memory.h"

static uint8_t memory[4096];
static struct doca_dev *host;
static struct doca_dev *dpu;

static int open_devices(void **state)
{
	(void)state;
	host = open_device(HOST_PF);
	dpu = open_device(DPU_PCI);
	return 0;
}

static int close_devices(void **state)
{
	(void)state;
	expect_success(doca_dev_close(host));
	expect_success(doca_dev_close(dpu));
	return 0;
}

static struct doca_mmap *started_map(uint32_t permissions)
{
	struct doca_mmap *mmap;
	expect_success(doca_mmap_create(&mmap));
	expect_success(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	expect_success(doca_mmap_add_dev(mmap, host));
	expect_success(doca_mmap_set_permissions(mmap, permissions));
	expect_success(doca_mmap_start(mmap));
	return mmap;
}

static void export_map(struct doca_mmap *mmap, const void **desc, size_t *len)
{
	expect_success(doca_mmap_export_pci(mmap, host, desc, len));
}

static void an_exported_map_can_be_imported_on_the_dpu(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported;
	const void *desc;
	size_t len;
	const union doca_data user_data = {.u64 = 99};
	union doca_data data = {0};
	void *addr = NULL;
	size_t range = 0;
	uint8_t flag = 7;
	export_map(mmap, &desc, &len);
	expect_success(doca_mmap_get_exported(mmap, &flag));
	assert_int_equal(1, flag);
	expect_success(doca_mmap_create_from_export(&user_data, desc, len, dpu, &imported));
	expect_success(doca_mmap_get_from_export(imported, &flag));
	assert_int_equal(1, flag);
	expect_success(doca_mmap_get_memrange(imported, &addr, &range));
	assert_ptr_equal(memory, addr);
	assert_int_equal(sizeof(memory), range);
	expect_success(doca_mmap_get_user_data(imported, &data));
	assert_int_equal(99, data.u64);
	assert_true(emu_mmap_is_started(imported));
	assert_false(emu_mmap_is_local(imported));
	assert_int_equal(getpid(), emu_mmap_owner(imported));
	assert_int_equal(0, emu_mmap_owner(mmap));
	assert_int_equal(DOCA_ACCESS_FLAG_PCI_READ_WRITE, emu_mmap_permissions(imported));
	expect_success(doca_mmap_destroy(imported));
	expect_success(doca_mmap_destroy(mmap));
}

static void exporting_again_gives_the_same_descriptor(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	const void *first;
	const void *second;
	size_t len;
	export_map(mmap, &first, &len);
	export_map(mmap, &second, &len);
	assert_ptr_equal(first, second);
	expect_success(doca_mmap_destroy(mmap));
}

static void bufs_can_be_taken_on_an_imported_map(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	expect_success(doca_mmap_create_from_export(NULL, desc, len, dpu, &imported));
	expect_success(doca_mmap_enable_thread_safety(imported));
	expect_success(doca_buf_inventory_create(1, &inventory));
	expect_success(doca_buf_inventory_start(inventory));
	expect_success(doca_buf_inventory_buf_get_by_addr(inventory, imported, memory + 1, 10, &buf));
	expect_success(doca_buf_dec_refcount(buf, NULL));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, imported, memory + sizeof(memory), 1, &buf));
	expect_success(doca_buf_inventory_destroy(inventory));
	expect_success(doca_mmap_destroy(imported));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_pool_on_an_imported_map_gives_remote_bufs_until_the_map_is_useless(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported;
	struct doca_buf_pool *pool;
	struct doca_buf *buf;
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	expect_success(doca_mmap_create_from_export(NULL, desc, len, dpu, &imported));
	expect_success(doca_buf_pool_create(2, 2048, imported, &pool));
	expect_success(doca_buf_pool_start(pool));
	expect_success(doca_buf_pool_buf_alloc(pool, &buf));
	assert_true(buf->remote);
	assert_ptr_equal(memory, buf->head);
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_buf_dec_refcount(buf, NULL));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf));
	expect_success(doca_buf_pool_stop(pool));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_start(pool));
	expect_success(doca_buf_pool_destroy(pool));
	expect_success(doca_mmap_destroy(imported));
	expect_success(doca_mmap_destroy(mmap));
}

static void an_imported_map_cannot_be_configured_stopped_or_exported(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported;
	const void *desc;
	size_t len;
	const union doca_data data = {0};
	export_map(mmap, &desc, &len);
	expect_success(doca_mmap_create_from_export(NULL, desc, len, dpu, &imported));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(imported, memory, 1));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(imported, 0));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_user_data(imported, data));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(imported, 3));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(imported, host));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(imported, dpu));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(imported));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(imported));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(imported, dpu, &desc, &len));
	expect_success(doca_mmap_destroy(imported));
	expect_success(doca_mmap_destroy(mmap));
}

static void an_exported_map_stays_exported_when_it_is_stopped(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap));
	expect_success(doca_mmap_stop(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(mmap, dpu));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, 0));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap, host, &desc, &len));
	expect_success(doca_mmap_destroy(mmap));
}

static void stopping_or_destroying_the_exporter_makes_the_imported_map_useless(void **state)
{
	(void)state;
	for (int destroy = 0; destroy < 2; destroy++) {
		struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		struct doca_mmap *other = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		struct doca_mmap *imported;
		struct doca_mmap *other_imported;
		const void *desc;
		size_t len;
		export_map(other, &desc, &len);
		expect_success(doca_mmap_create_from_export(NULL, desc, len, dpu, &other_imported));
		export_map(mmap, &desc, &len);
		expect_success(doca_mmap_create_from_export(NULL, desc, len, dpu, &imported));
		expect_success(destroy ? doca_mmap_destroy(mmap) : doca_mmap_stop(mmap));
		assert_false(emu_mmap_is_started(imported));
		assert_true(emu_mmap_is_started(other_imported));
		expect_success(doca_mmap_destroy(imported));
		if (!destroy)
			expect_success(doca_mmap_destroy(mmap));
		expect_success(doca_mmap_destroy(other));
		expect_success(doca_mmap_destroy(other_imported));
	}
}

static void the_descriptor_of_a_map_that_has_ended_is_refused(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported = NULL;
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	void *copy = malloc(len);
	assert_non_null(copy);
	memcpy(copy, desc, len);
	expect_success(doca_mmap_stop(mmap));
	expect(DOCA_ERROR_DRIVER, doca_mmap_create_from_export(NULL, copy, len, dpu, &imported));
	assert_null(imported);
	free(copy);
	expect_success(doca_mmap_destroy(mmap));
}

static void exporting_needs_the_right_state_device_and_permission(void **state)
{
	(void)state;
	const void *desc = NULL;
	size_t len;
	struct doca_mmap *mmap;
	expect_success(doca_mmap_create(&mmap));
	expect_success(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	expect_success(doca_mmap_set_max_num_devices(mmap, 2));
	expect_success(doca_mmap_add_dev(mmap, host));
	expect_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap, host, &desc, &len));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_NOT_FOUND, doca_mmap_export_pci(mmap, dpu, &desc, &len));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_add_dev(mmap, dpu));
	expect_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap, host, &desc, &len));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap, dpu, &desc, &len));
	expect_invalid(doca_mmap_export_pci(NULL, host, &desc, &len));
	expect_invalid(doca_mmap_export_pci(mmap, NULL, &desc, &len));
	expect_invalid(doca_mmap_export_pci(mmap, host, NULL, &len));
	expect_invalid(doca_mmap_export_pci(mmap, host, &desc, NULL));
	assert_null(desc);
	expect_success(doca_mmap_destroy(mmap));
}

static void no_device_exports_for_rdma(void **state)
{
	(void)state;
	const void *desc;
	size_t len;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_RDMA_READ);
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_rdma(mmap, host, &desc, &len));
	expect(DOCA_ERROR_NOT_FOUND, doca_mmap_export_rdma(mmap, dpu, &desc, &len));
	expect_invalid(doca_mmap_export_rdma(NULL, host, &desc, &len));
	expect_invalid(doca_mmap_export_rdma(mmap, NULL, &desc, &len));
	expect_invalid(doca_mmap_export_rdma(mmap, host, NULL, &len));
	expect_invalid(doca_mmap_export_rdma(mmap, host, &desc, NULL));
	expect_success(doca_mmap_stop(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(mmap, host, &desc, &len));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_malformed_descriptor_is_refused_whatever_byte_is_wrong(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported = NULL;
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	uint8_t *copy = malloc(len);
	assert_non_null(copy);
	for (size_t i = 0; i < len; i++) {
		memcpy(copy, desc, len);
		copy[i] ^= 1;
		expect_invalid(doca_mmap_create_from_export(NULL, copy, len, dpu, &imported));
	}
	for (size_t shorter = 0; shorter < len; shorter++)
		expect_invalid(doca_mmap_create_from_export(NULL, desc, shorter, dpu, &imported));
	expect_invalid(doca_mmap_create_from_export(NULL, NULL, len, dpu, &imported));
	expect_invalid(doca_mmap_create_from_export(NULL, desc, len, NULL, &imported));
	expect_invalid(doca_mmap_create_from_export(NULL, desc, len, dpu, NULL));
	assert_null(imported);
	free(copy);
	expect_success(doca_mmap_destroy(mmap));
}

/* Where the emulated device's descriptor has what, for a peer that writes one itself. */
enum {
	MAGIC_AT = 0,
	VERSION_AT = 8,
	PERMISSIONS_AT = 12,
	PID_AT = 24,
	ADDR_AT = 48,
	LEN_AT = 56,
	SIDE_AT = 68,
	CHECKSUM_AT = 88
};

static void put_number(uint8_t *descriptor, size_t at, uint64_t number, size_t bytes)
{
	memcpy(descriptor + at, &number, bytes);
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < CHECKSUM_AT; i++)
		sum = (sum ^ descriptor[i]) * UINT64_C(0x100000001b3);
	memcpy(descriptor + CHECKSUM_AT, &sum, sizeof(sum));
}

static void a_well_formed_descriptor_is_not_trusted_either(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported = NULL;
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	uint64_t address = (uint64_t)(uintptr_t)memory, process = (uint64_t)getpid();
	const struct {
		size_t at, bytes;
		uint64_t number;
		doca_error_t answer;
	} lies[] = {
		{MAGIC_AT, 8, 0, DOCA_ERROR_INVALID_VALUE},
		{VERSION_AT, 4, 2, DOCA_ERROR_INVALID_VALUE},
		{PID_AT, 8, 0, DOCA_ERROR_INVALID_VALUE},
		{PID_AT, 8, UINT64_MAX, DOCA_ERROR_INVALID_VALUE},
		{PID_AT, 8, process + (UINT64_C(1) << 32), DOCA_ERROR_INVALID_VALUE},
		{ADDR_AT, 8, 0, DOCA_ERROR_INVALID_VALUE},
		{LEN_AT, 8, 0, DOCA_ERROR_INVALID_VALUE},
		{LEN_AT, 8, UINT64_MAX - address + 1, DOCA_ERROR_INVALID_VALUE},
		{SIDE_AT, 4, 1, DOCA_ERROR_INVALID_VALUE},
		{SIDE_AT, 4, 2, DOCA_ERROR_INVALID_VALUE},
		{PERMISSIONS_AT, 4, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, DOCA_ERROR_NOT_PERMITTED},
		{PERMISSIONS_AT, 4, DOCA_ACCESS_FLAG_PCI_READ_WRITE, DOCA_SUCCESS}, /* which is no lie */
	};
	uint8_t *copy = malloc(len);
	assert_non_null(copy);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(copy, desc, len);
		put_number(copy, lies[i].at, lies[i].number, lies[i].bytes);
		expect(lies[i].answer, doca_mmap_create_from_export(NULL, copy, len, dpu, &imported));
	}
	expect_success(doca_mmap_destroy(imported));
	free(copy);
	expect_success(doca_mmap_destroy(mmap));
}

static void both_sides_export_and_import_as_the_capabilities_say(void **state)
{
	(void)state;
	uint8_t host_exports = 7, dpu_exports = 7, host_imports = 7, dpu_imports = 7;
	expect_success(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(host), &host_exports));
	expect_success(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(dpu), &dpu_exports));
	expect_success(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(host), &host_imports));
	expect_success(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dpu), &dpu_imports));
	assert_int_equal(1, host_exports);
	assert_int_equal(1, dpu_exports);
	assert_int_equal(1, host_imports);
	assert_int_equal(1, dpu_imports);
	expect_invalid(doca_mmap_cap_is_export_pci_supported(NULL, &host_exports));
	expect_invalid(doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(host), NULL));
	expect_invalid(doca_mmap_cap_is_create_from_export_pci_supported(NULL, &host_imports));
	expect_invalid(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(host), NULL));

	struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *imported;
	const void *desc;
	size_t len;
	export_map(mmap, &desc, &len);
	expect_invalid(doca_mmap_create_from_export(NULL, desc, len, host, &imported)); /* its own side */
	expect_success(doca_mmap_destroy(mmap));
}

/* A child exports, hands the descriptor over, and either waits to be killed or is gone at once. */
static pid_t export_in_child(uint8_t *desc, size_t room, size_t *len)
{
	int fds[2];
	assert_int_equal(0, pipe(fds));
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		struct doca_mmap *mmap = started_map(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		const void *made;
		size_t made_len;
		if (doca_mmap_export_pci(mmap, host, &made, &made_len) != DOCA_SUCCESS ||
		    write(fds[1], made, made_len) != (ssize_t)made_len)
			_exit(1);
		for (;;)
			pause();
	}
	ssize_t got = read(fds[0], desc, room);
	assert_true(got > 0);
	*len = (size_t)got;
	close(fds[0]);
	close(fds[1]);
	return child;
}

static void a_map_of_another_process_is_imported_until_that_process_is_gone(void **state)
{
	(void)state;
	uint8_t desc[256];
	size_t len;
	struct doca_mmap *imported;
	pid_t child = export_in_child(desc, sizeof(desc), &len);
	expect_success(doca_mmap_create_from_export(NULL, desc, len, dpu, &imported));
	assert_int_equal(child, emu_mmap_owner(imported));
	assert_int_equal(0, kill(child, SIGKILL));
	assert_int_equal(child, waitpid(child, NULL, 0));
	expect_success(doca_mmap_destroy(imported));
	expect(DOCA_ERROR_DRIVER, doca_mmap_create_from_export(NULL, desc, len, dpu, &imported));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exported_map_can_be_imported_on_the_dpu),
		cmocka_unit_test(exporting_again_gives_the_same_descriptor),
		cmocka_unit_test(bufs_can_be_taken_on_an_imported_map),
		cmocka_unit_test(a_pool_on_an_imported_map_gives_remote_bufs_until_the_map_is_useless),
		cmocka_unit_test(an_imported_map_cannot_be_configured_stopped_or_exported),
		cmocka_unit_test(an_exported_map_stays_exported_when_it_is_stopped),
		cmocka_unit_test(stopping_or_destroying_the_exporter_makes_the_imported_map_useless),
		cmocka_unit_test(the_descriptor_of_a_map_that_has_ended_is_refused),
		cmocka_unit_test(exporting_needs_the_right_state_device_and_permission),
		cmocka_unit_test(no_device_exports_for_rdma),
		cmocka_unit_test(a_malformed_descriptor_is_refused_whatever_byte_is_wrong),
		cmocka_unit_test(a_well_formed_descriptor_is_not_trusted_either),
		cmocka_unit_test(both_sides_export_and_import_as_the_capabilities_say),
		cmocka_unit_test(a_map_of_another_process_is_imported_until_that_process_is_gone),
	};
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
