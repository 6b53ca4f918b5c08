/* What the host has done on the DPA: memory, calls, launches; logs, tables and copies of its programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doca_buf_array.h"
#include "doca_sync_event.h"
#include "fixture.h"

static void memory_goes_both_ways(void **state)
{
	(void)state;
	struct dpa dpa;
	doca_dpa_dev_uintptr_t memory, none = 7;
	uint64_t number = 42, got = 0;
	dpa_open(&dpa);
	OK(doca_dpa_mem_alloc(dpa.dpa, 16, &memory));
	OK(doca_dpa_rpc(dpa.dpa, load, &got, memory));
	assert_int_not_equal(got, 0); /* nobody has cleared it */
	OK(doca_dpa_h2d_memcpy(dpa.dpa, memory + 8, &number, sizeof(number)));
	OK(doca_dpa_rpc(dpa.dpa, load, &got, memory + 8));
	assert_int_equal(got, 42);
	OK(doca_dpa_memset(dpa.dpa, memory, 1, 16));
	OK(doca_dpa_d2h_memcpy(dpa.dpa, &got, memory + 8, sizeof(got)));
	assert_int_equal(got, UINT64_C(0x0101010101010101));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_h2d_memcpy(dpa.dpa, memory + 9, &number, sizeof(number)));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_d2h_memcpy(dpa.dpa, &got, memory - 1, sizeof(got)));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_memset(dpa.dpa, memory, 1, 17));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_memset(dpa.dpa, memory + 64, 1, 1));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_memset(dpa.dpa, memory - 64, 1, 1));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_mem_free(dpa.dpa, memory + 8));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_dpa_mem_alloc(dpa.dpa, SIZE_MAX, &none));
	assert_int_equal(none, 0);
	GIVES(DOCA_ERROR_NO_MEMORY, doca_dpa_mem_alloc(dpa.dpa, (size_t)1 << 30, &none));
	OK(doca_dpa_mem_free(dpa.dpa, memory));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_mem_free(dpa.dpa, memory));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_memset(dpa.dpa, memory, 1, 1));
	OK(doca_dpa_mem_alloc(dpa.dpa, 100, &memory)); /* a dpa frees what is left */
	dpa_close(&dpa);
}

static void buffers_go_both_ways(void **state)
{
	(void)state;
	struct dpa dpa;
	struct memory memory;
	doca_dpa_dev_uintptr_t there;
	dpa_open(&dpa);
	memory_open(&memory, 256, 4, dpa.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_dpa_mem_alloc(dpa.dpa, 128, &there));
	struct doca_buf *from = memory_buf(&memory, 0, 64, 48), *to = memory_buf(&memory, 128, 64, 0);
	fill(memory.bytes, 48, 5);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_h2d_buf_memcpy(dpa.dpa, there, from, 49));
	OK(doca_dpa_h2d_buf_memcpy(dpa.dpa, there, from, 48));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_d2h_buf_memcpy(dpa.dpa, to, there, 65));
	OK(doca_dpa_d2h_buf_memcpy(dpa.dpa, to, there, 48));
	assert_true(filled(memory.bytes + 128, 48, 5));
	assert_int_equal(buf_data_len(to), 48);
	buf_release(from);
	buf_release(to);
	OK(doca_dpa_mem_free(dpa.dpa, there));
	memory_close(&memory);
	dpa_close(&dpa);
}

/* Its bytes are on the other machine, though in this test that is this process. */
static void a_buffer_of_an_imported_map_is_not_the_hosts(void **state)
{
	(void)state;
	struct dpa dpa;
	struct memory memory;
	struct doca_mmap *imported;
	struct doca_buf *buf;
	const void *descriptor;
	size_t len;
	doca_dpa_dev_uintptr_t there;
	dpa_open_on(&dpa, true);
	memory_open(&memory, 256, 1, dpa.devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(memory.mmap, dpa.devices.host, &descriptor, &len));
	OK(doca_mmap_create_from_export(NULL, descriptor, len, dpa.dev, &imported));
	OK(doca_buf_inventory_buf_get_by_data(memory.inventory, imported, memory.bytes, 64, &buf));
	OK(doca_dpa_mem_alloc(dpa.dpa, 64, &there));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_h2d_buf_memcpy(dpa.dpa, there, buf, 64));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_d2h_buf_memcpy(dpa.dpa, buf, there, 64));
	OK(doca_dpa_mem_free(dpa.dpa, there));
	buf_release(buf);
	OK(doca_mmap_destroy(imported));
	memory_close(&memory);
	dpa_close(&dpa);
}

static struct doca_sync_event *event_make(struct dpa *dpa, bool to_dpa)
{
	struct doca_sync_event *event;
	OK(doca_sync_event_create(&event));
	if (to_dpa) {
		OK(doca_sync_event_add_publisher_location_cpu(event, dpa->dev));
		OK(doca_sync_event_add_subscriber_location_dpa(event, dpa->dpa));
	} else {
		OK(doca_sync_event_add_publisher_location_dpa(event, dpa->dpa));
		OK(doca_sync_event_add_subscriber_location_cpu(event, dpa->dev));
	}
	OK(doca_sync_event_start(event));
	return event;
}

static void all_ranks_of_a_launch_run_at_once(void **state)
{
	(void)state;
	struct dpa dpa;
	enum { RANKS = 32 };
	dpa_open(&dpa);
	struct doca_sync_event *done = event_make(&dpa, false), *on_cpu;
	OK(doca_sync_event_create(&on_cpu));
	OK(doca_sync_event_add_publisher_location_cpu(on_cpu, dpa.dev));
	OK(doca_sync_event_add_subscriber_location_cpu(on_cpu, dpa.dev));
	OK(doca_sync_event_start(on_cpu));
	uint64_t *words = dpa_zeros(dpa.dpa, (1 + 128) * sizeof(uint64_t));
	OK(doca_dpa_kernel_launch_update_add(dpa.dpa, NULL, 0, done, 5, RANKS, meet, words, (uint64_t)RANKS));
	OK(doca_sync_event_wait_eq(done, 5, UINT64_MAX));
	for (uint64_t rank = 0; rank < RANKS; rank++)
		assert_int_equal(words[1 + rank], RANKS * 1000 + rank);
	HEALTHY(dpa.dpa);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_kernel_launch_update_set(dpa.dpa, NULL, 0, done, 1, 0, meet));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_kernel_launch_update_set(dpa.dpa, NULL, 0, done, 1, 129, meet));
	OK(doca_dpa_kernel_launch_update_set(dpa.dpa, NULL, 0, done, 128, 128, meet, words, UINT64_C(0)));
	OK(doca_sync_event_wait_eq(done, 128, UINT64_MAX));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_kernel_launch_update_set(dpa.dpa, on_cpu, 0, NULL, 1, 1, meet));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_kernel_launch_update_set(dpa.dpa, NULL, 0, on_cpu, 1, 1, meet));
	OK(doca_sync_event_destroy(on_cpu));
	OK(doca_sync_event_stop(done));
	OK(doca_sync_event_destroy(done));
	dpa_release(dpa.dpa, words);
	dpa_close(&dpa);
}

static void a_launch_waits_for_its_event(void **state)
{
	(void)state;
	struct dpa dpa;
	uint64_t value, before;
	dpa_open(&dpa);
	struct doca_sync_event *go = event_make(&dpa, true), *done = event_make(&dpa, false);
	uint64_t *words = dpa_zeros(dpa.dpa, 2 * sizeof(uint64_t));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_kernel_launch_update_set(dpa.dpa, go, 255, done, 1, 1, meet));
	OK(doca_dpa_kernel_launch_update_set(dpa.dpa, go, 3, done, 77, 1, meet, words, UINT64_C(1)));
	GIVES(DOCA_ERROR_IN_USE, doca_sync_event_stop(go));
	GIVES(DOCA_ERROR_IN_USE, doca_sync_event_destroy(done));
	GIVES(DOCA_ERROR_IN_USE, doca_dpa_stop(dpa.dpa));
	OK(doca_sync_event_update_set(go, 3));
	OK(doca_dpa_rpc(dpa.dpa, load, &value, words));
	assert_int_equal(value, 0);
	OK(doca_sync_event_update_add(go, 1, &before));
	assert_int_equal(before, 3);
	OK(doca_sync_event_wait_gt(done, 76, UINT64_MAX));
	OK(doca_sync_event_get(done, &value));
	assert_int_equal(value, 77);
	assert_int_equal(words[0], 1);
	OK(doca_dpa_kernel_launch_update_set(dpa.dpa, go, 254, done, 78, 1, meet, words, UINT64_C(1)));
	OK(doca_sync_event_update_set(go, 255));
	OK(doca_sync_event_wait_gt(done, 77, UINT64_MAX));
	OK(doca_sync_event_destroy(go));
	OK(doca_sync_event_destroy(done));
	dpa_release(dpa.dpa, words);
	dpa_close(&dpa);
}

static void kernels_and_host_talk_by_events(void **state)
{
	(void)state;
	struct dpa dpa;
	uint64_t question_handle, reply_handle, none;
	dpa_open(&dpa);
	struct doca_sync_event *question = event_make(&dpa, true), *reply = event_make(&dpa, false);
	struct doca_dpa *extended;
	OK(doca_sync_event_get_dpa_handle(question, dpa.dpa, &question_handle));
	OK(doca_sync_event_get_dpa_handle(reply, dpa.dpa, &reply_handle));
	OK(doca_dpa_device_extend(dpa.dpa, dpa.devices.host2, &extended));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_dpa_handle(reply, extended, &none));
	OK(doca_dpa_destroy(extended));
	OK(doca_dpa_kernel_launch_update_set(dpa.dpa, NULL, 0, NULL, 0, 1, answer, question_handle, reply_handle));
	OK(doca_sync_event_update_set(question, 4));
	OK(doca_sync_event_update_set(question, 9));
	OK(doca_sync_event_wait_eq_yield(reply, 109, UINT64_MAX));
	HEALTHY(dpa.dpa);
	AWAIT(doca_dpa_stop(dpa.dpa) == DOCA_SUCCESS);
	OK(doca_dpa_destroy(dpa.dpa));
	OK(doca_sync_event_destroy(question));
	OK(doca_sync_event_destroy(reply));
	devices_close(&dpa.devices);
}

/* Locations say where the value had best lie, not who may do what. */
static void cpu_and_kernels_change_and_await_any_event(void **state)
{
	(void)state;
	for (int to_dpa = 0; to_dpa < 2; to_dpa++) {
		struct dpa dpa;
		uint64_t handle, value;
		dpa_open(&dpa);
		struct doca_sync_event *event = event_make(&dpa, to_dpa);
		uint64_t *words = dpa_zeros(dpa.dpa, 2 * sizeof(uint64_t));
		OK(doca_sync_event_get_dpa_handle(event, dpa.dpa, &handle));
		OK(doca_dpa_kernel_launch_update_set(dpa.dpa, NULL, 0, NULL, 0, 1, answer, handle, handle));
		OK(doca_sync_event_update_set(event, 5)); /* the kernel sets it to what it has seen, and adds 100 */
		OK(doca_sync_event_wait_gt(event, 100, UINT64_MAX));
		OK(doca_sync_event_wait_eq(event, 105, UINT64_MAX));
		OK(doca_sync_event_wait_neq(event, 5, UINT64_MAX));
		OK(doca_sync_event_wait_gt_yield(event, 100, UINT64_MAX));
		OK(doca_sync_event_wait_eq_yield(event, 105, UINT64_MAX));
		OK(doca_sync_event_wait_neq_yield(event, 5, UINT64_MAX));
		OK(doca_sync_event_update_add(event, 1, &value));
		assert_int_equal(value, 105);
		OK(doca_dpa_kernel_launch_update_add(dpa.dpa, event, 105, event, 4, 1, meet, words, UINT64_C(1)));
		OK(doca_sync_event_wait_gt(event, 106, UINT64_MAX));
		HEALTHY(dpa.dpa);
		OK(doca_sync_event_destroy(event));
		dpa_release(dpa.dpa, words);
		AWAIT(doca_dpa_stop(dpa.dpa) == DOCA_SUCCESS);
		OK(doca_dpa_destroy(dpa.dpa));
		devices_close(&dpa.devices);
	}
}

static void expect_text(const char *path, const char *wanted)
{
	char text[512];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	assert_string_equal(text, wanted);
	assert_int_equal(unlink(path), 0);
}

static void logs_and_traces_go_to_files(void **state)
{
	(void)state;
	struct dpa dpa;
	char log[64], trace[64], path[64];
	uint32_t len = 2;
	doca_dpa_dev_log_level_t level;
	snprintf(log, sizeof(log), "/tmp/dpa-log-%d", getpid());
	snprintf(trace, sizeof(trace), "/tmp/dpa-trace-%d", getpid());
	dpa_open(&dpa);
	OK(doca_dpa_stop(dpa.dpa));
	OK(doca_dpa_get_log_level(dpa.dpa, &level));
	assert_int_equal(level, DOCA_DPA_DEV_LOG_LEVEL_INFO);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_set_log_level(dpa.dpa, (doca_dpa_dev_log_level_t)55));
	OK(doca_dpa_set_log_level(dpa.dpa, DOCA_DPA_DEV_LOG_LEVEL_WARNING));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_dpa_log_file_get_path(dpa.dpa, path, &len));
	GIVES(DOCA_ERROR_OPERATING_SYSTEM, doca_dpa_log_file_set_path(dpa.dpa, "/nowhere/at/all"));
	OK(doca_dpa_log_file_set_path(dpa.dpa, log));
	OK(doca_dpa_trace_file_set_path(dpa.dpa, trace));
	len = sizeof(path);
	OK(doca_dpa_log_file_get_path(dpa.dpa, path, &len));
	assert_string_equal(path, log);
	assert_int_equal(len, strlen(log) + 1);
	OK(doca_dpa_log_file_get_path(dpa.dpa, path, &len)); /* just enough */
	len = sizeof(path);
	OK(doca_dpa_trace_file_get_path(dpa.dpa, path, &len));
	assert_string_equal(path, trace);
	OK(doca_dpa_start(dpa.dpa));
	OK(doca_dpa_rpc(dpa.dpa, say, NULL, UINT64_C(7)));
	dpa_close(&dpa);
	expect_text(log, "[DPA][ERR] an error 7\n[DPA][WRN] a warning\n");
	expect_text(trace, "7 2 3 4 5\n");
}

static void programs_have_hash_tables(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_hash_table *table;
	uint64_t handle, found;
	dpa_open(&dpa);
	OK(doca_dpa_hash_table_create(dpa.dpa, 50, &table));
	OK(doca_dpa_hash_table_get_dpa_handle(table, &handle));
	OK(doca_dpa_rpc(dpa.dpa, use_table, &found, handle, 50, UINT64_C(0)));
	assert_int_equal(found, 49 * 50 / 2 - 1 + 100); /* the value of key 7 is 100 instead of 1 */
	HEALTHY(dpa.dpa);
	OK(doca_dpa_rpc(dpa.dpa, use_table, &found, handle, 49, UINT64_C(1)));
	FAILED(dpa.dpa);
	OK(doca_dpa_hash_table_destroy(table));
	dpa_close(&dpa);
}

static void programs_copy_between_maps(void **state)
{
	(void)state;
	struct dpa dpa;
	struct memory memory;
	struct doca_dpa_completion *completion;
	struct doca_dpa_async_ops *ops;
	struct doca_mmap *heap;
	uint64_t completion_handle, ops_handle, got;
	dpa_open(&dpa);
	memory_open(&memory, 256, 1, dpa.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	uint8_t *there = dpa_zeros(dpa.dpa, 128);
	OK(doca_mmap_create(&heap));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(heap, dpa.dpa, (uint64_t)there, 129));
	OK(doca_mmap_set_dpa_memrange(heap, dpa.dpa, (uint64_t)there, 128));
	OK(doca_mmap_start(heap));
	OK(doca_dpa_completion_create(dpa.dpa, 4, &completion));
	OK(doca_dpa_completion_start(completion));
	OK(doca_dpa_completion_get_dpa_handle(completion, &completion_handle));
	OK(doca_dpa_async_ops_create(dpa.dpa, 4, 0xabcdef, &ops));
	OK(doca_dpa_async_ops_attach(ops, completion));
	OK(doca_dpa_async_ops_start(ops));
	OK(doca_dpa_async_ops_get_dpa_handle(ops, &ops_handle));
	uint64_t on_host = handle_of_map(memory.mmap, dpa.dev), on_dpa = handle_of_map(heap, dpa.dev);
	doca_dpa_dev_mmap_t nowhere;
	GIVES(DOCA_ERROR_NOT_FOUND, doca_mmap_dev_get_dpa_handle(memory.mmap, dpa.devices.host2, &nowhere));
	fill(memory.bytes, 128, 9);
	OK(doca_dpa_rpc(dpa.dpa, copy, &got, ops_handle, completion_handle, on_dpa, there, on_host, memory.bytes,
			UINT64_C(128), UINT64_C(1)));
	assert_int_equal(got, 0xabcdef); /* type SEND */
	assert_true(filled(there, 128, 9));
	OK(doca_dpa_rpc(dpa.dpa, copy, &got, ops_handle, completion_handle, on_dpa, there, on_host, memory.bytes,
			UINT64_C(64), UINT64_C(3)));
	assert_int_equal(got, UINT64_MAX); /* no report is wanted */
	OK(doca_dpa_rpc(dpa.dpa, count_copies, &got, ops_handle, completion_handle, on_dpa, there, on_host,
			memory.bytes));
	assert_int_equal(got, 1);
	HEALTHY(dpa.dpa);

	struct doca_buf_arr *array;
	uint64_t array_handle;
	OK(doca_buf_arr_create(5, &array));
	OK(doca_buf_arr_set_target_dpa(array, dpa.dpa));
	OK(doca_buf_arr_set_params(array, memory.mmap, 64, 0));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(array)); /* five times 64 */
	OK(doca_buf_arr_destroy(array));
	OK(doca_buf_arr_create(3, &array));
	OK(doca_buf_arr_set_target_dpa(array, dpa.dpa));
	OK(doca_buf_arr_set_params(array, memory.mmap, 64, 64));
	OK(doca_buf_arr_start(array));
	GIVES(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	GIVES(DOCA_ERROR_BAD_STATE, doca_buf_arr_set_params(array, memory.mmap, 64, 64));
	GIVES(DOCA_ERROR_BAD_STATE, doca_buf_arr_set_target_dpa(array, dpa.dpa));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(memory.mmap));
	OK(doca_buf_arr_get_dpa_handle(array, &array_handle));
	fill(memory.bytes + 64, 64, 10);
	OK(doca_dpa_rpc(dpa.dpa, copy_elements, &got, ops_handle, array_handle));
	assert_int_equal(got, 1);
	assert_true(filled(memory.bytes + 128, 64, 10));
	HEALTHY(dpa.dpa);
	OK(doca_buf_arr_stop(array));
	OK(doca_buf_arr_destroy(array));

	OK(doca_dpa_rpc(dpa.dpa, copy, &got, ops_handle, completion_handle, on_dpa, there, on_host, memory.bytes,
			UINT64_C(129), UINT64_C(1)));
	assert_int_equal(got, UINT64_C(0xd00abcdef)); /* more than the map has: type SEND_ERR */
	FAILED(dpa.dpa);
	OK(doca_dpa_async_ops_destroy(ops));
	OK(doca_dpa_completion_destroy(completion));
	OK(doca_mmap_destroy(heap));
	dpa_release(dpa.dpa, there);
	memory_close(&memory);
	dpa_close(&dpa);
}

/* A queue on the host's memory, whose completion nobody is woken by. */
struct queue {
	struct memory memory;
	struct doca_dpa_completion *completion;
	struct doca_dpa_async_ops *ops;
	uint64_t completion_handle, handle, map;
};

static void queue_open(struct queue *queue, struct dpa *dpa, unsigned int size)
{
	memory_open(&queue->memory, 256, 1, dpa->dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	queue->map = handle_of_map(queue->memory.mmap, dpa->dev);
	OK(doca_dpa_completion_create(dpa->dpa, size, &queue->completion));
	OK(doca_dpa_completion_start(queue->completion));
	OK(doca_dpa_completion_get_dpa_handle(queue->completion, &queue->completion_handle));
	OK(doca_dpa_async_ops_create(dpa->dpa, size, 1, &queue->ops));
	OK(doca_dpa_async_ops_attach(queue->ops, queue->completion));
	OK(doca_dpa_async_ops_start(queue->ops));
	OK(doca_dpa_async_ops_get_dpa_handle(queue->ops, &queue->handle));
}

static void queue_close(struct queue *queue)
{
	OK(doca_dpa_async_ops_destroy(queue->ops));
	OK(doca_dpa_completion_destroy(queue->completion));
	memory_close(&queue->memory);
}

static uint64_t completed(struct dpa *dpa, const struct queue *queue)
{
	uint64_t num;
	OK(doca_dpa_rpc(dpa->dpa, count_completed, &num, queue->completion_handle));
	return num;
}

static void operations_wait_for_events(void **state)
{
	(void)state;
	struct dpa dpa;
	struct queue queue;
	uint64_t handle, num = 0;
	dpa_open(&dpa);
	queue_open(&queue, &dpa, 8);
	uint8_t *bytes = queue.memory.bytes;
	bytes[0] = 11;
	bytes[1] = 12;
	bytes[64] = bytes[65] = 0;
	struct doca_sync_event *event = event_make(&dpa, true);
	OK(doca_sync_event_get_dpa_handle(event, dpa.dpa, &handle));
	OK(doca_dpa_rpc(dpa.dpa, copy_after, NULL, queue.handle, handle, UINT64_C(3), UINT64_C(4), queue.map,
			bytes + 64, bytes));
	GIVES(DOCA_ERROR_IN_USE, doca_sync_event_stop(event));
	OK(doca_sync_event_update_set(event, 3));
	assert_int_equal(completed(&dpa, &queue), 0);
	assert_int_equal(bytes[64], 0);
	OK(doca_sync_event_update_set(event,
				      4)); /* the first wait and its copy; the second wait is for another value */
	AWAIT((num += completed(&dpa, &queue)) == 2);
	assert_int_equal(bytes[64], 11);
	assert_int_equal(bytes[65], 0);
	OK(doca_sync_event_update_set(event, 2));
	AWAIT((num += completed(&dpa, &queue)) == 4);
	assert_int_equal(bytes[65], 12);
	bytes[64] = bytes[65] = 0;
	OK(doca_dpa_rpc(dpa.dpa, copy_after, NULL, queue.handle, handle, UINT64_C(1), UINT64_C(4), queue.map,
			bytes + 64, bytes)); /* nothing to wait for: all is done when the kernel has posted it */
	assert_int_equal(completed(&dpa, &queue), 4);
	assert_int_equal(bytes[64] + bytes[65], 23);
	HEALTHY(dpa.dpa);
	OK(doca_sync_event_destroy(event));
	queue_close(&queue);
	dpa_close(&dpa);
}

static void what_waits_ends_with_its_queue(void **state)
{
	(void)state;
	struct dpa dpa;
	struct queue queue;
	uint64_t handle;
	dpa_open(&dpa);
	queue_open(&queue, &dpa, 8);
	struct doca_sync_event *event = event_make(&dpa, true);
	OK(doca_sync_event_get_dpa_handle(event, dpa.dpa, &handle));
	OK(doca_dpa_rpc(dpa.dpa, copy_after, NULL, queue.handle, handle, UINT64_C(3), UINT64_C(4), queue.map,
			queue.memory.bytes + 64, queue.memory.bytes));
	OK(doca_dpa_async_ops_stop(queue.ops));
	OK(doca_sync_event_update_set(event, 9));
	OK(doca_dpa_async_ops_start(queue.ops)); /* empty, with its whole size */
	OK(doca_dpa_async_ops_get_dpa_handle(queue.ops, &queue.handle));
	assert_int_equal(completed(&dpa, &queue), 0);
	for (int i = 0; i < 2; i++)
		OK(doca_dpa_rpc(dpa.dpa, copy_after, NULL, queue.handle, handle, UINT64_C(3), UINT64_C(4), queue.map,
				queue.memory.bytes + 64, queue.memory.bytes));
	assert_int_equal(completed(&dpa, &queue), 8);
	HEALTHY(dpa.dpa);
	OK(doca_sync_event_destroy(event));
	queue_close(&queue);
	dpa_close(&dpa);
}

/* As many as the smaller of queue and completion has places. */
static void operations_must_be_acknowledged(void **state)
{
	(void)state;
	for (int smaller = 0; smaller < 2; smaller++) {
		struct dpa dpa;
		struct memory memory;
		struct doca_dpa_completion *completion;
		struct doca_dpa_async_ops *ops;
		uint64_t handle, of_completion, got;
		dpa_open(&dpa);
		memory_open(&memory, 256, 1, dpa.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		OK(doca_dpa_completion_create(dpa.dpa, smaller == 0 ? 4 : 8, &completion));
		OK(doca_dpa_completion_start(completion));
		OK(doca_dpa_completion_get_dpa_handle(completion, &of_completion));
		OK(doca_dpa_async_ops_create(dpa.dpa, smaller == 0 ? 8 : 4, 1, &ops));
		OK(doca_dpa_async_ops_attach(ops, completion));
		OK(doca_dpa_async_ops_start(ops));
		OK(doca_dpa_async_ops_get_dpa_handle(ops, &handle));
		uint64_t map = handle_of_map(memory.mmap, dpa.dev);
		struct doca_dpa_completion *unused;
		uint64_t of_unused;
		OK(doca_dpa_completion_create(dpa.dpa, 1, &unused));
		OK(doca_dpa_completion_start(unused));
		OK(doca_dpa_completion_get_dpa_handle(unused, &of_unused));
		for (int i = 0; i < 4; i++)
			OK(doca_dpa_rpc(dpa.dpa, copy, NULL, handle, of_unused, map, memory.bytes + 1, map,
					memory.bytes, UINT64_C(1), UINT64_C(1)));
		HEALTHY(dpa.dpa);
		OK(doca_dpa_rpc(dpa.dpa, copy, NULL, handle, of_unused, map, memory.bytes + 1, map, memory.bytes,
				UINT64_C(1), UINT64_C(1)));
		FAILED(dpa.dpa);
		OK(doca_dpa_rpc(dpa.dpa, count_completed, &got, of_completion));
		assert_int_equal(got, 4);
		OK(doca_dpa_rpc(dpa.dpa, copy, &got, handle, of_completion, map, memory.bytes + 1, map, memory.bytes,
				UINT64_C(1), UINT64_C(1)));
		assert_int_equal(got, 1); /* there is room again */
		OK(doca_dpa_async_ops_destroy(ops));
		OK(doca_dpa_completion_destroy(completion));
		OK(doca_dpa_completion_destroy(unused));
		memory_close(&memory);
		dpa_close(&dpa);
	}
}

static void memory_that_was_given_back_is_not_reached_by_a_map(void **state)
{
	(void)state;
	struct dpa dpa;
	struct queue queue;
	struct doca_mmap *heap;
	uint64_t got;
	dpa_open(&dpa);
	queue_open(&queue, &dpa, 4);
	uint8_t *there = dpa_zeros(dpa.dpa, 64);
	OK(doca_mmap_create(&heap));
	OK(doca_mmap_set_dpa_memrange(heap, dpa.dpa, (uint64_t)there, 64));
	OK(doca_mmap_start(heap));
	uint64_t map = handle_of_map(heap, dpa.dev);
	OK(doca_dpa_rpc(dpa.dpa, copy, &got, queue.handle, queue.completion_handle, queue.map, queue.memory.bytes, map,
			there, UINT64_C(64), UINT64_C(1)));
	assert_int_equal(got, 1);
	dpa_release(dpa.dpa, there);
	OK(doca_dpa_rpc(dpa.dpa, copy, &got, queue.handle, queue.completion_handle, queue.map, queue.memory.bytes, map,
			there, UINT64_C(64), UINT64_C(1)));
	assert_int_equal(got >> 32, SEND_ERR);
	FAILED(dpa.dpa);
	OK(doca_mmap_destroy(heap));
	queue_close(&queue);
	dpa_close(&dpa);
}

/* As large a value as the hardware compares, room for what waits, with a report or without, and an event of the dpa. */
static void a_wait_that_cannot_be_posted_is_the_dpas_error(void **state)
{
	(void)state;
	for (int mistake = 0; mistake < 4; mistake++) {
		struct dpa dpa;
		struct queue queue;
		uint64_t handle;
		dpa_open(&dpa);
		queue_open(&queue, &dpa, mistake == 1 ? 2 : mistake == 3 ? 4 : 8);
		struct doca_sync_event *event = event_make(&dpa, true);
		OK(doca_sync_event_get_dpa_handle(event, dpa.dpa, &handle));
		OK(doca_dpa_rpc(dpa.dpa, copy_after, NULL, queue.handle, mistake == 2 ? queue.handle : handle,
				UINT64_C(254) + (mistake == 0), UINT64_C(4), queue.map, queue.memory.bytes + 64,
				queue.memory.bytes));
		if (mistake == 3) {
			HEALTHY(dpa.dpa);
			OK(doca_dpa_rpc(dpa.dpa, copy, NULL, queue.handle, queue.completion_handle, queue.map,
					queue.memory.bytes + 64, queue.map, queue.memory.bytes, UINT64_C(1),
					UINT64_C(3)));
		}
		FAILED(dpa.dpa);
		queue_close(&queue);
		OK(doca_sync_event_destroy(event));
		dpa_close(&dpa);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_goes_both_ways),
		cmocka_unit_test(buffers_go_both_ways),
		cmocka_unit_test(a_buffer_of_an_imported_map_is_not_the_hosts),
		cmocka_unit_test(all_ranks_of_a_launch_run_at_once),
		cmocka_unit_test(a_launch_waits_for_its_event),
		cmocka_unit_test(kernels_and_host_talk_by_events),
		cmocka_unit_test(cpu_and_kernels_change_and_await_any_event),
		cmocka_unit_test(logs_and_traces_go_to_files),
		cmocka_unit_test(programs_have_hash_tables),
		cmocka_unit_test(programs_copy_between_maps),
		cmocka_unit_test(operations_wait_for_events),
		cmocka_unit_test(what_waits_ends_with_its_queue),
		cmocka_unit_test(operations_must_be_acknowledged),
		cmocka_unit_test(memory_that_was_given_back_is_not_reached_by_a_map),
		cmocka_unit_test(a_wait_that_cannot_be_posted_is_the_dpas_error),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
