/* mmap.c */
#include "memory/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "devices.h"
#include "doca_types.h"

static uint8_t memory[4096];
static struct doca_dev *host;
static struct doca_dev *dpu;

/* Stands for an object that cannot be made here. */
static struct doca_dpa *dpa = (struct doca_dpa *)memory;

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

static struct doca_mmap *new_map(void)
{
	struct doca_mmap *mmap;
	expect_success(doca_mmap_create(&mmap));
	return mmap;
}

static struct doca_mmap *map_with_range(void)
{
	struct doca_mmap *mmap = new_map();
	expect_success(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	return mmap;
}

static struct doca_mmap *started_map(void)
{
	struct doca_mmap *mmap = map_with_range();
	expect_success(doca_mmap_start(mmap));
	return mmap;
}

static struct doca_buf_inventory *started_inventory(size_t elements)
{
	struct doca_buf_inventory *inventory;
	expect_success(doca_buf_inventory_create(elements, &inventory));
	expect_success(doca_buf_inventory_start(inventory));
	return inventory;
}

static const union doca_data some_data = {.u64 = 42};

static void life_functions_refuse_null(void **state)
{
	(void)state;
	expect_invalid(doca_mmap_create(NULL));
	expect_invalid(doca_mmap_destroy(NULL));
	expect_invalid(doca_mmap_start(NULL));
	expect_invalid(doca_mmap_stop(NULL));
}

static void a_new_map_has_no_range_and_default_properties(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	void *addr;
	size_t len;
	union doca_data data = some_data;
	uint32_t number = 77;
	uint8_t flag = 7;
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(mmap, &addr, &len));
	expect_success(doca_mmap_get_user_data(mmap, &data));
	assert_int_equal(0, data.u64);
	expect_success(doca_mmap_get_num_bufs(mmap, &number));
	assert_int_equal(0, number);
	expect_success(doca_mmap_get_max_num_devices(mmap, &number));
	assert_int_equal(1, number);
	expect_success(doca_mmap_get_exported(mmap, &flag));
	assert_int_equal(0, flag);
	flag = 7;
	expect_success(doca_mmap_get_from_export(mmap, &flag));
	assert_int_equal(0, flag);
	assert_false(emu_mmap_is_started(mmap));
	assert_true(emu_mmap_is_local(mmap));
	assert_int_equal(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, emu_mmap_permissions(mmap));
	expect_success(doca_mmap_destroy(mmap));
}

static void getters_refuse_null(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	void *addr;
	size_t len;
	union doca_data data;
	uint32_t number;
	uint8_t flag;
	expect_invalid(doca_mmap_get_memrange(NULL, &addr, &len));
	expect_invalid(doca_mmap_get_memrange(mmap, NULL, &len));
	expect_invalid(doca_mmap_get_memrange(mmap, &addr, NULL));
	expect_invalid(doca_mmap_get_user_data(NULL, &data));
	expect_invalid(doca_mmap_get_user_data(mmap, NULL));
	expect_invalid(doca_mmap_get_max_num_devices(NULL, &number));
	expect_invalid(doca_mmap_get_max_num_devices(mmap, NULL));
	expect_invalid(doca_mmap_get_num_bufs(NULL, &number));
	expect_invalid(doca_mmap_get_num_bufs(mmap, NULL));
	expect_invalid(doca_mmap_get_exported(NULL, &flag));
	expect_invalid(doca_mmap_get_exported(mmap, NULL));
	expect_invalid(doca_mmap_get_from_export(NULL, &flag));
	expect_invalid(doca_mmap_get_from_export(mmap, NULL));
	expect_success(doca_mmap_destroy(mmap));
}

static void the_range_is_set_once(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	void *addr = NULL;
	size_t len = 0;
	expect_success(doca_mmap_set_memrange(mmap, memory, 100));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap, memory, 200));
	expect_success(doca_mmap_get_memrange(mmap, &addr, &len));
	assert_ptr_equal(memory, addr);
	assert_int_equal(100, len);
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(mmap, memory, 200));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_senseless_range_is_refused(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	expect_invalid(doca_mmap_set_memrange(NULL, memory, 1));
	expect_invalid(doca_mmap_set_memrange(mmap, NULL, 1));
	expect_invalid(doca_mmap_set_memrange(mmap, memory, 0));
	expect_invalid(doca_mmap_set_memrange(mmap, memory, SIZE_MAX));
	expect_success(doca_mmap_set_memrange(mmap, memory, 1));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_dmabuf_range_is_an_ordinary_range_with_a_descriptor(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	expect_invalid(doca_mmap_set_dmabuf_memrange(NULL, fd, memory, 0, 64));
	expect_invalid(doca_mmap_set_dmabuf_memrange(mmap, -1, memory, 0, 64));
	expect_invalid(doca_mmap_set_dmabuf_memrange(mmap, fd, NULL, 0, 64));
	expect_invalid(doca_mmap_set_dmabuf_memrange(mmap, fd, memory, 0, 0));
	expect_invalid(doca_mmap_set_dmabuf_memrange(mmap, fd, memory, SIZE_MAX - 63, 64));
	expect_success(doca_mmap_set_dmabuf_memrange(mmap, fd, memory, 4096, 64));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_dmabuf_memrange(mmap, fd, memory, 0, 64));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_dmabuf_memrange(mmap, fd, memory, 0, 64));
	expect_success(doca_mmap_destroy(mmap));
	assert_int_equal(0, close(fd));
}

static void memory_of_a_dpa_needs_a_dpa(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	expect_invalid(doca_mmap_set_dpa_memrange(NULL, dpa, 0x1000, 64));
	expect_invalid(doca_mmap_set_dpa_memrange(mmap, NULL, 0x1000, 64));
	expect_invalid(doca_mmap_set_dpa_memrange(mmap, dpa, 0x1000, 0));
	expect_invalid(doca_mmap_set_dpa_memrange(mmap, dpa, UINT64_MAX, 64));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_map_has_a_name_on_the_dpa_of_each_of_its_devices(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	doca_dpa_dev_mmap_t handle, again, after;
	expect_success(doca_mmap_add_dev(mmap, host));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_get_dpa_handle(mmap, host, &handle));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_NOT_FOUND, doca_mmap_dev_get_dpa_handle(mmap, dpu, &handle));
	expect_success(doca_mmap_dev_get_dpa_handle(mmap, host, &handle));
	assert_int_not_equal(handle, 0);
	expect_success(doca_mmap_dev_get_dpa_handle(mmap, host, &again));
	assert_int_equal(again, handle);
	expect_invalid(doca_mmap_dev_get_dpa_handle(NULL, host, &handle));
	expect_invalid(doca_mmap_dev_get_dpa_handle(mmap, NULL, &handle));
	expect_invalid(doca_mmap_dev_get_dpa_handle(mmap, host, NULL));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_dev_get_dpa_handle(mmap, host, &after));
	assert_int_not_equal(after, handle);
	expect_success(doca_mmap_destroy(mmap));
}

static void a_started_map_has_a_key_on_each_of_its_devices(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	uint32_t key = 0, other = 0, after = 0;
	expect_success(doca_mmap_add_dev(mmap, host));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_get_mkey(mmap, host, &key));
	expect_success(doca_mmap_set_max_num_devices(mmap, 2));
	expect_success(doca_mmap_add_dev(mmap, dpu));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_get_mkey(mmap, host, &key));
	expect_success(doca_mmap_get_mkey(mmap, dpu, &other));
	assert_int_not_equal(key, other);
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_rm_dev(mmap, dpu));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_NOT_FOUND, doca_mmap_get_mkey(mmap, dpu, &after));
	expect_success(doca_mmap_get_mkey(mmap, host, &after));
	assert_int_not_equal(key, after);
	expect_invalid(doca_mmap_get_mkey(NULL, host, &key));
	expect_invalid(doca_mmap_get_mkey(mmap, NULL, &key));
	expect_invalid(doca_mmap_get_mkey(mmap, host, NULL));
	expect_success(doca_mmap_destroy(mmap));
}

static void devices_are_added_once_and_removed_once(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	expect_success(doca_mmap_set_max_num_devices(mmap, 2));
	expect_success(doca_mmap_add_dev(mmap, host));
	expect(DOCA_ERROR_ALREADY_EXIST, doca_mmap_add_dev(mmap, host));
	expect_success(doca_mmap_add_dev(mmap, dpu));
	expect_success(doca_mmap_rm_dev(mmap, host));
	expect(DOCA_ERROR_NOT_FOUND, doca_mmap_rm_dev(mmap, host));
	expect_success(doca_mmap_rm_dev(mmap, dpu));
	expect_invalid(doca_mmap_add_dev(NULL, host));
	expect_invalid(doca_mmap_add_dev(mmap, NULL));
	expect_invalid(doca_mmap_rm_dev(NULL, host));
	expect_invalid(doca_mmap_rm_dev(mmap, NULL));
	expect_success(doca_mmap_destroy(mmap));
}

/* What has the key, and the bufs taken before, go on. */
static void a_second_start_does_not_register_a_map_again(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	uint32_t before = 0, after = 0;
	expect_success(doca_mmap_add_dev(mmap, host));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_get_mkey(mmap, host, &before));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_get_mkey(mmap, host, &after));
	assert_int_equal(before, after);
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_get_mkey(mmap, host, &after));
	assert_int_not_equal(before, after);
	expect_success(doca_mmap_destroy(mmap));
}

static void devices_are_fixed_by_the_start(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	expect_success(doca_mmap_set_max_num_devices(mmap, 2));
	expect_success(doca_mmap_add_dev(mmap, host));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(mmap, dpu));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(mmap, host));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_add_dev(mmap, dpu));
	expect_success(doca_mmap_destroy(mmap));
}

static void more_devices_than_the_limit_are_refused(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	uint32_t limit = 0;
	expect_success(doca_mmap_set_max_num_devices(mmap, 1));
	expect_success(doca_mmap_get_max_num_devices(mmap, &limit));
	assert_int_equal(1, limit);
	expect_success(doca_mmap_add_dev(mmap, host));
	expect(DOCA_ERROR_NO_MEMORY, doca_mmap_add_dev(mmap, dpu));
	expect_success(doca_mmap_set_max_num_devices(mmap, 2));
	expect_success(doca_mmap_add_dev(mmap, dpu));
	expect_invalid(doca_mmap_set_max_num_devices(mmap, 1));
	expect_invalid(doca_mmap_set_max_num_devices(mmap, 0));
	expect_invalid(doca_mmap_set_max_num_devices(NULL, 1));
	expect_success(doca_mmap_destroy(mmap));
}

static void the_device_limit_is_fixed_by_the_first_start(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map();
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 9));
	expect_success(doca_mmap_stop(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 9));
	expect_success(doca_mmap_destroy(mmap));
}

static void unknown_and_contradicting_permissions_are_refused(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	expect_invalid(doca_mmap_set_permissions(mmap, 128));
	expect_invalid(doca_mmap_set_permissions(mmap, UINT32_MAX));
	expect_invalid(
		doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	expect_invalid(doca_mmap_set_permissions(NULL, 0));
	expect_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING));
	expect_invalid(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_ATOMIC));
	expect_invalid(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_READ));
	expect_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ));
	expect_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |
							       DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	expect_success(
		doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	assert_int_equal(33, emu_mmap_permissions(mmap));
	expect_success(doca_mmap_destroy(mmap));
}

static void properties_are_set_between_stop_and_start_only(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map();
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, 0));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_user_data(mmap, some_data));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_set_permissions(mmap, 0));
	expect_success(doca_mmap_set_user_data(mmap, some_data));
	union doca_data data = {0};
	expect_success(doca_mmap_get_user_data(mmap, &data));
	assert_int_equal(42, data.u64);
	expect_invalid(doca_mmap_set_user_data(NULL, some_data));
	expect_success(doca_mmap_destroy(mmap));
}

static void starting_needs_a_range_but_no_device(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	expect_invalid(doca_mmap_start(mmap));
	assert_false(emu_mmap_is_started(mmap));
	expect_success(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	expect_success(doca_mmap_start(mmap));
	assert_true(emu_mmap_is_started(mmap));
	expect_success(doca_mmap_destroy(mmap));
}

static void starting_and_stopping_twice_changes_nothing(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map();
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_stop(mmap));
	assert_false(emu_mmap_is_started(mmap));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_map_with_bufs_is_neither_stopped_nor_destroyed(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map();
	struct doca_buf_inventory *inventory = started_inventory(1);
	struct doca_buf *buf;
	uint32_t bufs = 7;
	expect_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 10, &buf));
	expect_success(doca_mmap_get_num_bufs(mmap, &bufs));
	assert_int_equal(1, bufs);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	assert_true(emu_mmap_is_started(mmap));
	expect_success(doca_buf_dec_refcount(buf, NULL));
	expect_success(doca_mmap_get_num_bufs(mmap, &bufs));
	assert_int_equal(0, bufs);
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_destroy(mmap));
	expect_success(doca_buf_inventory_destroy(inventory));
}

static void a_map_in_use_by_a_consumer_is_neither_stopped_nor_destroyed(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map();
	emu_mmap_use(mmap);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	emu_mmap_unuse(mmap);
	expect_success(doca_mmap_destroy(mmap));
}

struct freed {
	int calls;
	void *addr;
	size_t len;
};

static void on_free(void *addr, size_t len, void *opaque)
{
	struct freed *freed = opaque;
	freed->calls++;
	freed->addr = addr;
	freed->len = len;
}

static void destroy_calls_the_free_callback_of_a_map_that_was_started(void **state)
{
	(void)state;
	struct freed freed = {0};
	struct doca_mmap *mmap = map_with_range();
	expect_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	expect_success(doca_mmap_start(mmap));
	expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap, on_free, &freed));
	expect_success(doca_mmap_stop(mmap));
	assert_int_equal(0, freed.calls);
	expect_success(doca_mmap_destroy(mmap));
	assert_int_equal(1, freed.calls);
	assert_ptr_equal(memory, freed.addr);
	assert_int_equal(sizeof(memory), freed.len);
}

static void destroy_does_not_call_a_free_callback_that_no_start_has_seen(void **state)
{
	(void)state;
	struct freed freed = {0};
	struct doca_mmap *mmap = map_with_range();
	expect_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	expect_success(doca_mmap_destroy(mmap));
	mmap = map_with_range();
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	expect_success(doca_mmap_destroy(mmap));
	assert_int_equal(0, freed.calls);
}

static void a_missing_free_callback_is_refused(void **state)
{
	(void)state;
	struct doca_mmap *mmap = new_map();
	expect_invalid(doca_mmap_set_free_cb(NULL, on_free, NULL));
	expect_invalid(doca_mmap_set_free_cb(mmap, NULL, NULL));
	expect_success(doca_mmap_set_free_cb(mmap, on_free, NULL));
	expect_success(doca_mmap_destroy(mmap));
}

static void thread_safety_is_enabled_before_start_and_bufs(void **state)
{
	(void)state;
	struct doca_mmap *mmap = started_map();
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(mmap));
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_mmap_enable_thread_safety(mmap));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_mmap_enable_thread_safety(mmap));
	expect_invalid(doca_mmap_enable_thread_safety(NULL));
	expect_success(doca_mmap_destroy(mmap));
}

static void a_thread_safe_map_does_not_count_bufs(void **state)
{
	(void)state;
	struct doca_mmap *mmap = map_with_range();
	struct doca_buf_inventory *inventory = started_inventory(1);
	struct doca_buf *buf;
	uint32_t bufs = 7;
	expect_success(doca_mmap_enable_thread_safety(mmap));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 10, &buf));
	expect_success(doca_mmap_get_num_bufs(mmap, &bufs));
	assert_int_equal(0, bufs);
	expect_success(doca_mmap_stop(mmap));
	expect_success(doca_buf_dec_refcount(buf, NULL));
	expect_success(doca_mmap_destroy(mmap));
	expect_success(doca_buf_inventory_destroy(inventory));
}

static struct doca_mmap *shared_map;

static void *use_shared_map(void *argument)
{
	(void)argument;
	struct doca_buf_inventory *inventory;
	if (doca_buf_inventory_create(4, &inventory) != DOCA_SUCCESS ||
	    doca_buf_inventory_start(inventory) != DOCA_SUCCESS)
		return "inventory";
	for (size_t i = 0; i < 5000; i++) {
		struct doca_buf *buf;
		void *addr;
		size_t len;
		if (doca_buf_inventory_buf_get_by_data(inventory, shared_map, memory + i % 1000, 8, &buf) !=
		    DOCA_SUCCESS)
			return "get";
		if (doca_mmap_get_memrange(shared_map, &addr, &len) != DOCA_SUCCESS || addr != memory)
			return "range";
		if (doca_buf_dec_refcount(buf, NULL) != DOCA_SUCCESS)
			return "return";
	}
	return doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS ? NULL : "destroy";
}

static void a_thread_safe_map_serves_several_threads(void **state)
{
	(void)state;
	shared_map = map_with_range();
	expect_success(doca_mmap_enable_thread_safety(shared_map));
	expect_success(doca_mmap_start(shared_map));
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, use_shared_map, NULL));
	for (int i = 0; i < 4; i++) {
		void *failed;
		assert_int_equal(0, pthread_join(threads[i], &failed));
		assert_null(failed);
	}
	expect_success(doca_mmap_destroy(shared_map));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_functions_refuse_null),
		cmocka_unit_test(a_new_map_has_no_range_and_default_properties),
		cmocka_unit_test(getters_refuse_null),
		cmocka_unit_test(the_range_is_set_once),
		cmocka_unit_test(a_senseless_range_is_refused),
		cmocka_unit_test(a_dmabuf_range_is_an_ordinary_range_with_a_descriptor),
		cmocka_unit_test(memory_of_a_dpa_needs_a_dpa),
		cmocka_unit_test(a_map_has_a_name_on_the_dpa_of_each_of_its_devices),
		cmocka_unit_test(a_started_map_has_a_key_on_each_of_its_devices),
		cmocka_unit_test(a_second_start_does_not_register_a_map_again),
		cmocka_unit_test(devices_are_added_once_and_removed_once),
		cmocka_unit_test(devices_are_fixed_by_the_start),
		cmocka_unit_test(more_devices_than_the_limit_are_refused),
		cmocka_unit_test(the_device_limit_is_fixed_by_the_first_start),
		cmocka_unit_test(unknown_and_contradicting_permissions_are_refused),
		cmocka_unit_test(properties_are_set_between_stop_and_start_only),
		cmocka_unit_test(starting_needs_a_range_but_no_device),
		cmocka_unit_test(starting_and_stopping_twice_changes_nothing),
		cmocka_unit_test(a_map_with_bufs_is_neither_stopped_nor_destroyed),
		cmocka_unit_test(a_map_in_use_by_a_consumer_is_neither_stopped_nor_destroyed),
		cmocka_unit_test(destroy_calls_the_free_callback_of_a_map_that_was_started),
		cmocka_unit_test(destroy_does_not_call_a_free_callback_that_no_start_has_seen),
		cmocka_unit_test(a_missing_free_callback_is_refused),
		cmocka_unit_test(thread_safety_is_enabled_before_start_and_bufs),
		cmocka_unit_test(a_thread_safe_map_does_not_count_bufs),
		cmocka_unit_test(a_thread_safe_map_serves_several_threads),
	};
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
