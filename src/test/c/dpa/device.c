/* The life of a dpa and of its objects: null pointers, states, and devices without a DPA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doca_buf_array.h"
#include "doca_clock.h"
#include "doca_sync_event.h"
#include "fixture.h"

#define REFUSED(call) GIVES(DOCA_ERROR_INVALID_VALUE, call)
#define TOO_EARLY(call) GIVES(DOCA_ERROR_BAD_STATE, call)
#define USED(call) GIVES(DOCA_ERROR_IN_USE, call)

static char thing[64];
#define A(type) ((struct type *)(void *)thing)

static void every_function_refuses_null(void **state)
{
	(void)state;
	struct doca_dpa *dpa = A(doca_dpa);
	struct doca_dpa_app *app = NULL;
	struct doca_dpa_eu_affinity *affinity = NULL;
	const struct doca_dpa_eu_affinity *constant = NULL;
	struct doca_dpa_thread *thread = NULL;
	struct doca_dpa_tg *group = NULL;
	struct doca_dpa_completion *completion = NULL;
	struct doca_dpa_async_ops *ops = NULL;
	struct doca_dpa_notification_completion *notification = NULL;
	struct doca_dpa_hash_table *table = NULL;
	doca_dpa_func_t *func = NULL;
	doca_dpa_dev_log_level_t level;
	char text[8];
	uint32_t len = sizeof(text);
	unsigned int number;
	unsigned long long seconds;
	uint64_t handle, argument;
	REFUSED(doca_dpa_cap_is_supported(NULL));
	REFUSED(doca_dpa_create(NULL, &dpa));
	REFUSED(doca_dpa_create(A(doca_dev), NULL));
	REFUSED(doca_dpa_destroy(NULL));
	REFUSED(doca_dpa_start(NULL));
	REFUSED(doca_dpa_stop(NULL));
	REFUSED(doca_dpa_set_app(NULL, test_program));
	REFUSED(doca_dpa_set_app(A(doca_dpa), NULL));
	REFUSED(doca_dpa_get_app(NULL, &app));
	REFUSED(doca_dpa_get_app(A(doca_dpa), NULL));
	REFUSED(doca_dpa_app_get_name(NULL, text, &len));
	REFUSED(doca_dpa_app_get_name(test_program, NULL, &len));
	REFUSED(doca_dpa_app_get_name(test_program, text, NULL));
	REFUSED(doca_dpa_set_log_level(NULL, DOCA_DPA_DEV_LOG_LEVEL_INFO));
	REFUSED(doca_dpa_get_log_level(NULL, &level));
	REFUSED(doca_dpa_get_log_level(A(doca_dpa), NULL));
	REFUSED(doca_dpa_log_file_set_path(NULL, "x"));
	REFUSED(doca_dpa_log_file_set_path(A(doca_dpa), NULL));
	REFUSED(doca_dpa_log_file_get_path(NULL, text, &len));
	REFUSED(doca_dpa_log_file_get_path(A(doca_dpa), NULL, &len));
	REFUSED(doca_dpa_log_file_get_path(A(doca_dpa), text, NULL));
	REFUSED(doca_dpa_trace_file_set_path(NULL, "x"));
	REFUSED(doca_dpa_trace_file_set_path(A(doca_dpa), NULL));
	REFUSED(doca_dpa_trace_file_get_path(NULL, text, &len));
	REFUSED(doca_dpa_trace_file_get_path(A(doca_dpa), NULL, &len));
	REFUSED(doca_dpa_trace_file_get_path(A(doca_dpa), text, NULL));
	REFUSED(doca_dpa_get_max_threads_per_kernel(NULL, &number));
	REFUSED(doca_dpa_get_max_threads_per_kernel(A(doca_dpa), NULL));
	REFUSED(doca_dpa_get_kernel_max_run_time(NULL, &seconds));
	REFUSED(doca_dpa_get_kernel_max_run_time(A(doca_dpa), NULL));
	REFUSED(doca_dpa_device_extend(NULL, A(doca_dev), &dpa));
	REFUSED(doca_dpa_device_extend(A(doca_dpa), NULL, &dpa));
	REFUSED(doca_dpa_device_extend(A(doca_dpa), A(doca_dev), NULL));
	REFUSED(doca_dpa_get_dpa_handle(NULL, &handle));
	REFUSED(doca_dpa_get_dpa_handle(A(doca_dpa), NULL));
	REFUSED(doca_dpa_get_uar_id(NULL, &len));
	REFUSED(doca_dpa_get_uar_id(A(doca_dpa), NULL));
	REFUSED(doca_dpa_kernel_launch_update_set(NULL, NULL, 0, NULL, 0, 1, sum));
	REFUSED(doca_dpa_kernel_launch_update_set(A(doca_dpa), NULL, 0, NULL, 0, 1, NULL));
	REFUSED(doca_dpa_kernel_launch_update_add(NULL, NULL, 0, NULL, 0, 1, sum));
	REFUSED(doca_dpa_kernel_launch_update_add(A(doca_dpa), NULL, 0, NULL, 0, 1, NULL));
	REFUSED(doca_dpa_rpc(NULL, sum, &handle));
	REFUSED(doca_dpa_rpc(A(doca_dpa), NULL, &handle));
	REFUSED(doca_dpa_peek_at_last_error(NULL));
	REFUSED(doca_dpa_mem_alloc(NULL, 1, &handle));
	REFUSED(doca_dpa_mem_alloc(A(doca_dpa), 0, &handle));
	REFUSED(doca_dpa_mem_alloc(A(doca_dpa), 1, NULL));
	REFUSED(doca_dpa_mem_free(NULL, 1));
	REFUSED(doca_dpa_h2d_memcpy(NULL, 1, thing, 1));
	REFUSED(doca_dpa_h2d_memcpy(A(doca_dpa), 1, NULL, 1));
	REFUSED(doca_dpa_h2d_buf_memcpy(NULL, 1, A(doca_buf), 1));
	REFUSED(doca_dpa_h2d_buf_memcpy(A(doca_dpa), 1, NULL, 1));
	REFUSED(doca_dpa_d2h_memcpy(NULL, thing, 1, 1));
	REFUSED(doca_dpa_d2h_memcpy(A(doca_dpa), NULL, 1, 1));
	REFUSED(doca_dpa_d2h_buf_memcpy(NULL, A(doca_buf), 1, 1));
	REFUSED(doca_dpa_d2h_buf_memcpy(A(doca_dpa), NULL, 1, 1));
	REFUSED(doca_dpa_memset(NULL, 1, 0, 1));
	REFUSED(doca_dpa_memset(A(doca_dpa), 0, 0, 1));
	REFUSED(doca_dpa_hash_table_create(NULL, 1, &table));
	REFUSED(doca_dpa_hash_table_create(A(doca_dpa), 0, &table));
	REFUSED(doca_dpa_hash_table_create(A(doca_dpa), 1, NULL));
	REFUSED(doca_dpa_hash_table_destroy(NULL));
	REFUSED(doca_dpa_hash_table_get_dpa_handle(NULL, &handle));
	REFUSED(doca_dpa_hash_table_get_dpa_handle(A(doca_dpa_hash_table), NULL));
	REFUSED(doca_dpa_get_core_num(NULL, &number));
	REFUSED(doca_dpa_get_core_num(A(doca_dpa), NULL));
	REFUSED(doca_dpa_get_num_eus_per_core(NULL, &number));
	REFUSED(doca_dpa_get_num_eus_per_core(A(doca_dpa), NULL));
	REFUSED(doca_dpa_get_total_num_eus_available(NULL, &number));
	REFUSED(doca_dpa_get_total_num_eus_available(A(doca_dpa), NULL));
	REFUSED(doca_dpa_eu_affinity_create(NULL, &affinity));
	REFUSED(doca_dpa_eu_affinity_create(A(doca_dpa), NULL));
	REFUSED(doca_dpa_eu_affinity_destroy(NULL));
	REFUSED(doca_dpa_eu_affinity_set(NULL, 0));
	REFUSED(doca_dpa_eu_affinity_clear(NULL));
	REFUSED(doca_dpa_eu_affinity_get(NULL, &number));
	REFUSED(doca_dpa_eu_affinity_get(A(doca_dpa_eu_affinity), NULL));
	REFUSED(doca_dpa_thread_create(NULL, &thread));
	REFUSED(doca_dpa_thread_create(A(doca_dpa), NULL));
	REFUSED(doca_dpa_thread_destroy(NULL));
	REFUSED(doca_dpa_thread_set_func_arg(NULL, sum, 0));
	REFUSED(doca_dpa_thread_set_func_arg(A(doca_dpa_thread), NULL, 0));
	REFUSED(doca_dpa_thread_get_func_arg(NULL, &func, &argument));
	REFUSED(doca_dpa_thread_get_func_arg(A(doca_dpa_thread), NULL, &argument));
	REFUSED(doca_dpa_thread_get_func_arg(A(doca_dpa_thread), &func, NULL));
	REFUSED(doca_dpa_thread_set_local_storage(NULL, 0));
	REFUSED(doca_dpa_thread_get_local_storage(NULL, &handle));
	REFUSED(doca_dpa_thread_get_local_storage(A(doca_dpa_thread), NULL));
	REFUSED(doca_dpa_thread_set_affinity(NULL, A(doca_dpa_eu_affinity)));
	REFUSED(doca_dpa_thread_set_affinity(A(doca_dpa_thread), NULL));
	REFUSED(doca_dpa_thread_get_affinity(NULL, &constant));
	REFUSED(doca_dpa_thread_get_affinity(A(doca_dpa_thread), NULL));
	REFUSED(doca_dpa_thread_start(NULL));
	REFUSED(doca_dpa_thread_stop(NULL));
	REFUSED(doca_dpa_thread_run(NULL));
	REFUSED(doca_dpa_thread_get_id(NULL, &len));
	REFUSED(doca_dpa_thread_get_id(A(doca_dpa_thread), NULL));
	REFUSED(doca_dpa_thread_group_create(NULL, 1, &group));
	REFUSED(doca_dpa_thread_group_create(A(doca_dpa), 0, &group));
	REFUSED(doca_dpa_thread_group_create(A(doca_dpa), 1, NULL));
	REFUSED(doca_dpa_thread_group_destroy(NULL));
	REFUSED(doca_dpa_thread_group_get_num_threads(NULL, &number));
	REFUSED(doca_dpa_thread_group_get_num_threads(A(doca_dpa_tg), NULL));
	REFUSED(doca_dpa_thread_group_set_thread(NULL, A(doca_dpa_thread), 0));
	REFUSED(doca_dpa_thread_group_set_thread(A(doca_dpa_tg), NULL, 0));
	REFUSED(doca_dpa_thread_group_start(NULL));
	REFUSED(doca_dpa_thread_group_stop(NULL));
	REFUSED(doca_dpa_completion_create(NULL, 1, &completion));
	REFUSED(doca_dpa_completion_create(A(doca_dpa), 0, &completion));
	REFUSED(doca_dpa_completion_create(A(doca_dpa), 1, NULL));
	REFUSED(doca_dpa_completion_destroy(NULL));
	REFUSED(doca_dpa_completion_get_queue_size(NULL, &number));
	REFUSED(doca_dpa_completion_get_queue_size(A(doca_dpa_completion), NULL));
	REFUSED(doca_dpa_completion_set_thread(NULL, A(doca_dpa_thread)));
	REFUSED(doca_dpa_completion_set_thread(A(doca_dpa_completion), NULL));
	REFUSED(doca_dpa_completion_get_thread(NULL, &thread));
	REFUSED(doca_dpa_completion_get_thread(A(doca_dpa_completion), NULL));
	REFUSED(doca_dpa_completion_start(NULL));
	REFUSED(doca_dpa_completion_stop(NULL));
	REFUSED(doca_dpa_completion_get_dpa_handle(NULL, &handle));
	REFUSED(doca_dpa_completion_get_dpa_handle(A(doca_dpa_completion), NULL));
	REFUSED(doca_dpa_async_ops_create(NULL, 1, 0, &ops));
	REFUSED(doca_dpa_async_ops_create(A(doca_dpa), 0, 0, &ops));
	REFUSED(doca_dpa_async_ops_create(A(doca_dpa), 1, 1 << 24, &ops));
	REFUSED(doca_dpa_async_ops_create(A(doca_dpa), 1, 0, NULL));
	REFUSED(doca_dpa_async_ops_destroy(NULL));
	REFUSED(doca_dpa_async_ops_get_queue_size(NULL, &number));
	REFUSED(doca_dpa_async_ops_get_queue_size(A(doca_dpa_async_ops), NULL));
	REFUSED(doca_dpa_async_ops_get_user_data(NULL, &handle));
	REFUSED(doca_dpa_async_ops_get_user_data(A(doca_dpa_async_ops), NULL));
	REFUSED(doca_dpa_async_ops_attach(NULL, A(doca_dpa_completion)));
	REFUSED(doca_dpa_async_ops_attach(A(doca_dpa_async_ops), NULL));
	REFUSED(doca_dpa_async_ops_start(NULL));
	REFUSED(doca_dpa_async_ops_stop(NULL));
	REFUSED(doca_dpa_async_ops_get_dpa_handle(NULL, &handle));
	REFUSED(doca_dpa_async_ops_get_dpa_handle(A(doca_dpa_async_ops), NULL));
	REFUSED(doca_dpa_notification_completion_create(NULL, A(doca_dpa_thread), &notification));
	REFUSED(doca_dpa_notification_completion_create(A(doca_dpa), NULL, &notification));
	REFUSED(doca_dpa_notification_completion_create(A(doca_dpa), A(doca_dpa_thread), NULL));
	REFUSED(doca_dpa_notification_completion_destroy(NULL));
	REFUSED(doca_dpa_notification_completion_get_thread(NULL, &thread));
	REFUSED(doca_dpa_notification_completion_get_thread(A(doca_dpa_notification_completion), NULL));
	REFUSED(doca_dpa_notification_completion_start(NULL));
	REFUSED(doca_dpa_notification_completion_stop(NULL));
	REFUSED(doca_dpa_notification_completion_get_dpa_handle(NULL, &handle));
	REFUSED(doca_dpa_notification_completion_get_dpa_handle(A(doca_dpa_notification_completion), NULL));
}

static void sync_events_and_arrays_refuse_null(void **state)
{
	(void)state;
	struct doca_sync_event *event = NULL;
	struct doca_sync_event_remote_net *remote = NULL;
	struct doca_buf_arr *array = NULL;
	struct doca_gpu_buf_arr *on_gpu = NULL;
	const uint8_t *bytes = NULL;
	size_t size = 0;
	uint64_t value;
	REFUSED(doca_sync_event_create(NULL));
	REFUSED(doca_sync_event_destroy(NULL));
	REFUSED(doca_sync_event_add_publisher_location_cpu(NULL, A(doca_dev)));
	REFUSED(doca_sync_event_add_publisher_location_dpa(NULL, A(doca_dpa)));
	REFUSED(doca_sync_event_add_publisher_location_remote_net(NULL));
	REFUSED(doca_sync_event_add_subscriber_location_cpu(NULL, A(doca_dev)));
	REFUSED(doca_sync_event_add_subscriber_location_dpa(NULL, A(doca_dpa)));
	REFUSED(doca_sync_event_start(NULL));
	REFUSED(doca_sync_event_stop(NULL));
	REFUSED(doca_sync_event_cap_is_export_to_dpa_supported(NULL));
	REFUSED(doca_sync_event_get_dpa_handle(NULL, A(doca_dpa), &value));
	REFUSED(doca_sync_event_get(NULL, &value));
	REFUSED(doca_sync_event_update_add(NULL, 1, &value));
	REFUSED(doca_sync_event_update_set(NULL, 1));
	REFUSED(doca_sync_event_wait_gt(NULL, 1, 1));
	REFUSED(doca_sync_event_wait_gt_yield(NULL, 1, 1));
	REFUSED(doca_sync_event_wait_eq(NULL, 1, 1));
	REFUSED(doca_sync_event_wait_eq_yield(NULL, 1, 1));
	REFUSED(doca_sync_event_wait_neq(NULL, 1, 1));
	REFUSED(doca_sync_event_wait_neq_yield(NULL, 1, 1));
	REFUSED(doca_sync_event_add_publisher_location_remote_pci(NULL));
	REFUSED(doca_sync_event_add_subscriber_location_remote_pci(NULL));
	REFUSED(doca_sync_event_cap_is_export_to_remote_pci_supported(NULL));
	REFUSED(doca_sync_event_cap_is_create_from_export_supported(NULL));
	REFUSED(doca_sync_event_export_to_remote_pci(NULL, A(doca_dev), &bytes, &size));
	REFUSED(doca_sync_event_create_from_export(NULL, (const uint8_t *)"", 1, &event));
	REFUSED(doca_sync_event_export_to_remote_net(NULL, &bytes, &size));
	REFUSED(doca_sync_event_remote_net_create_from_export(NULL, bytes, 1, &remote));
	REFUSED(doca_sync_event_remote_net_destroy(NULL));
	REFUSED(doca_sync_event_remote_net_get_dpa_handle(NULL, A(doca_dpa), &value));
	OK(doca_sync_event_create(&event));
	REFUSED(doca_sync_event_add_publisher_location_cpu(event, NULL));
	REFUSED(doca_sync_event_add_publisher_location_dpa(event, NULL));
	REFUSED(doca_sync_event_add_subscriber_location_cpu(event, NULL));
	REFUSED(doca_sync_event_add_subscriber_location_dpa(event, NULL));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_publisher_location_remote_pci(event));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_subscriber_location_remote_pci(event));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_publisher_location_remote_net(event));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_remote_net(event, &bytes, &size));
	REFUSED(doca_sync_event_start(event));
	REFUSED(doca_sync_event_stop(event));
	REFUSED(doca_sync_event_get(event, &value));
	OK(doca_sync_event_destroy(event));
	REFUSED(doca_buf_arr_create(0, &array));
	REFUSED(doca_buf_arr_create(1, NULL));
	REFUSED(doca_buf_arr_set_target_gpu(NULL, A(doca_gpu)));
	REFUSED(doca_buf_arr_set_target_dpa(NULL, A(doca_dpa)));
	REFUSED(doca_buf_arr_set_params(NULL, A(doca_mmap), 1, 0));
	REFUSED(doca_buf_arr_start(NULL));
	REFUSED(doca_buf_arr_stop(NULL));
	REFUSED(doca_buf_arr_destroy(NULL));
	REFUSED(doca_buf_arr_get_gpu_handle(NULL, &on_gpu));
	REFUSED(doca_buf_arr_get_dpa_handle(NULL, &value));
	OK(doca_buf_arr_create(1, &array));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_gpu(array, A(doca_gpu)));
	REFUSED(doca_buf_arr_set_target_dpa(array, NULL));
	REFUSED(doca_buf_arr_set_params(array, NULL, 1, 0));
	REFUSED(doca_buf_arr_set_params(array, A(doca_mmap), 0, 0));
	TOO_EARLY(doca_buf_arr_start(array));
	TOO_EARLY(doca_buf_arr_get_gpu_handle(array, &on_gpu));
	TOO_EARLY(doca_buf_arr_get_dpa_handle(array, &value));
	OK(doca_buf_arr_destroy(array));
}

static void a_dpa_starts_stops_and_starts_again(void **state)
{
	(void)state;
	struct devices devices;
	struct doca_dpa *dpa;
	struct doca_dpa_app *app = NULL;
	uint64_t handle, memory;
	uint32_t number;
	devices_open(&devices);
	OK(doca_dpa_cap_is_supported(doca_dev_as_devinfo(devices.host)));
	OK(doca_dpa_cap_is_supported(doca_dev_as_devinfo(devices.dpu)));
	OK(doca_dpa_cap_is_supported(doca_dev_as_devinfo(devices.host2)));
	OK(doca_dpa_create(devices.dpu, &dpa));
	TOO_EARLY(doca_dpa_get_dpa_handle(dpa, &handle));
	TOO_EARLY(doca_dpa_get_uar_id(dpa, &number));
	TOO_EARLY(doca_dpa_mem_alloc(dpa, 8, &memory));
	TOO_EARLY(doca_dpa_mem_free(dpa, 8));
	TOO_EARLY(doca_dpa_memset(dpa, 8, 1, 1));
	TOO_EARLY(doca_dpa_rpc(dpa, sum, &handle, 0));
	TOO_EARLY(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, meet));
	TOO_EARLY(doca_dpa_stop(dpa));
	OK(doca_dpa_get_app(dpa, &app));
	assert_null(app);
	REFUSED(doca_dpa_set_app(dpa, A(doca_dpa_app)));
	OK(doca_dpa_set_app(dpa, test_program));
	OK(doca_dpa_get_app(dpa, &app));
	assert_ptr_equal(app, test_program);
	for (int i = 0; i < 3; i++) {
		OK(doca_dpa_start(dpa));
		TOO_EARLY(doca_dpa_start(dpa));
		TOO_EARLY(doca_dpa_set_app(dpa, test_program));
		TOO_EARLY(doca_dpa_set_log_level(dpa, DOCA_DPA_DEV_LOG_LEVEL_DEBUG));
		TOO_EARLY(doca_dpa_log_file_set_path(dpa, "/dev/null"));
		USED(doca_dev_close(devices.dpu));
		OK(doca_dpa_get_dpa_handle(dpa, &handle));
		assert_int_not_equal(handle, 0);
		OK(doca_dpa_get_uar_id(dpa, &number));
		OK(doca_dpa_rpc(dpa, sum, &handle, UINT64_C(1), 2, UINT64_C(3), UINT64_C(4), UINT64_C(5), UINT64_C(6),
				UINT64_C(7), UINT64_C(8)));
		assert_int_equal(handle, 204);
		OK(doca_dpa_stop(dpa));
	}
	OK(doca_dpa_start(dpa));
	OK(doca_dpa_destroy(dpa)); /* stops */
	devices_close(&devices);
}

static void it_says_what_it_has(void **state)
{
	(void)state;
	struct dpa dpa;
	unsigned int threads, cores, eus, all;
	unsigned long long seconds;
	char name[32];
	uint32_t len = 4;
	dpa_open(&dpa);
	OK(doca_dpa_get_max_threads_per_kernel(dpa.dpa, &threads));
	OK(doca_dpa_get_kernel_max_run_time(dpa.dpa, &seconds));
	OK(doca_dpa_get_core_num(dpa.dpa, &cores));
	OK(doca_dpa_get_num_eus_per_core(dpa.dpa, &eus));
	OK(doca_dpa_get_total_num_eus_available(dpa.dpa, &all));
	assert_int_equal(threads, 128);
	assert_in_range(seconds, 1, 3600);
	assert_int_equal(cores, 16);
	assert_int_equal(eus, 16);
	assert_in_range(all, threads, cores * eus);
	REFUSED(doca_dpa_app_get_name(test_program, name, &len));
	len = sizeof(name);
	OK(doca_dpa_app_get_name(test_program, name, &len));
	assert_string_equal(name, "test_program");
	assert_int_equal(len, sizeof("test_program"));
	OK(doca_dpa_app_get_name(test_program, name, &len)); /* just enough */
	OK(doca_dpa_stop(dpa.dpa));
	REFUSED(doca_dpa_set_app(dpa.dpa, A(doca_dpa_app))); /* not made by dpacc */
	OK(doca_dpa_start(dpa.dpa));
	dpa_close(&dpa);
}

static void objects_keep_a_dpa_from_stopping(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_thread *thread;
	struct doca_dpa_tg *group;
	struct doca_dpa_completion *completion;
	struct doca_dpa_async_ops *ops;
	struct doca_dpa_notification_completion *notification;
	struct doca_dpa_hash_table *table;
	struct doca_dpa *extended;
	dpa_open(&dpa);
#define KEEPS(create, destroy)                                                                                         \
	OK(create);                                                                                                    \
	USED(doca_dpa_stop(dpa.dpa));                                                                                  \
	USED(doca_dpa_destroy(dpa.dpa));                                                                               \
	OK(destroy)
	KEEPS(doca_dpa_thread_create(dpa.dpa, &thread), doca_dpa_thread_destroy(thread));
	KEEPS(doca_dpa_thread_group_create(dpa.dpa, 2, &group), doca_dpa_thread_group_destroy(group));
	KEEPS(doca_dpa_completion_create(dpa.dpa, 2, &completion), doca_dpa_completion_destroy(completion));
	KEEPS(doca_dpa_async_ops_create(dpa.dpa, 2, 0, &ops), doca_dpa_async_ops_destroy(ops));
	KEEPS(doca_dpa_hash_table_create(dpa.dpa, 2, &table), doca_dpa_hash_table_destroy(table));
	KEEPS(doca_dpa_device_extend(dpa.dpa, dpa.devices.host2, &extended), doca_dpa_destroy(extended));
	OK(doca_dpa_thread_create(dpa.dpa, &thread));
	KEEPS(doca_dpa_notification_completion_create(dpa.dpa, thread, &notification),
	      doca_dpa_notification_completion_destroy(notification));
	OK(doca_dpa_thread_destroy(thread));
	dpa_close(&dpa);
}

static void objects_have_states(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_thread *thread, *got = NULL;
	struct doca_dpa_completion *completion;
	struct doca_dpa_async_ops *ops;
	struct doca_dpa_notification_completion *notification;
	struct doca_dpa_tg *group;
	struct doca_dpa_hash_table *table;
	uint64_t handle;
	uint32_t id, other;
	unsigned int size;
	dpa_open(&dpa);
	OK(doca_dpa_thread_create(dpa.dpa, &thread));
	OK(doca_dpa_thread_group_create(dpa.dpa, 2, &group));
	REFUSED(doca_dpa_thread_group_set_thread(group, thread, 2));
	OK(doca_dpa_thread_group_set_thread(group, thread, 1));
	OK(doca_dpa_thread_group_destroy(group));
	REFUSED(doca_dpa_hash_table_create(dpa.dpa, (1u << 24) + 1, &table));
	TOO_EARLY(doca_dpa_thread_start(thread)); /* no function */
	TOO_EARLY(doca_dpa_thread_run(thread));
	TOO_EARLY(doca_dpa_thread_stop(thread));
	TOO_EARLY(doca_dpa_thread_get_id(thread, &id));
	OK(doca_dpa_completion_create(dpa.dpa, 5, &completion));
	OK(doca_dpa_completion_get_queue_size(completion, &size));
	assert_int_equal(size, 8);
	OK(doca_dpa_completion_get_thread(completion, &got));
	assert_null(got);
	OK(doca_dpa_completion_set_thread(completion, thread));
	OK(doca_dpa_completion_get_thread(completion, &got));
	assert_ptr_equal(got, thread);
	TOO_EARLY(doca_dpa_completion_start(completion)); /* its thread is not started */
	TOO_EARLY(doca_dpa_completion_get_dpa_handle(completion, &handle));
	TOO_EARLY(doca_dpa_completion_stop(completion));
	OK(doca_dpa_notification_completion_create(dpa.dpa, thread, &notification));
	TOO_EARLY(doca_dpa_notification_completion_start(notification));
	TOO_EARLY(doca_dpa_notification_completion_get_dpa_handle(notification, &handle));
	OK(doca_dpa_async_ops_create(dpa.dpa, 3, 77, &ops));
	OK(doca_dpa_async_ops_get_queue_size(ops, &size));
	assert_int_equal(size, 4);
	OK(doca_dpa_async_ops_get_user_data(ops, &handle));
	assert_int_equal(handle, 77);
	TOO_EARLY(doca_dpa_async_ops_start(ops)); /* nothing attached */
	OK(doca_dpa_async_ops_attach(ops, completion));
	TOO_EARLY(doca_dpa_async_ops_start(ops)); /* not started */
	TOO_EARLY(doca_dpa_async_ops_get_dpa_handle(ops, &handle));
	TOO_EARLY(doca_dpa_async_ops_stop(ops));

	OK(doca_dpa_thread_set_func_arg(thread, count_runs, 5));
	OK(doca_dpa_thread_start(thread));
	TOO_EARLY(doca_dpa_thread_start(thread));
	TOO_EARLY(doca_dpa_thread_set_func_arg(thread, count_runs, 5));
	TOO_EARLY(doca_dpa_thread_set_local_storage(thread, 5));
	OK(doca_dpa_thread_get_id(thread, &id));
	struct doca_dpa_thread *second = thread_make(dpa.dpa, count_runs, NULL);
	OK(doca_dpa_thread_get_id(second, &other));
	assert_int_not_equal(id, other);
	thread_end(second);
	OK(doca_dpa_completion_start(completion));
	TOO_EARLY(doca_dpa_completion_start(completion));
	TOO_EARLY(doca_dpa_completion_set_thread(completion, thread));
	OK(doca_dpa_completion_get_dpa_handle(completion, &handle));
	TOO_EARLY(doca_dpa_thread_destroy(thread));
	OK(doca_dpa_notification_completion_start(notification));
	TOO_EARLY(doca_dpa_notification_completion_start(notification));
	OK(doca_dpa_notification_completion_get_dpa_handle(notification, &handle));
	OK(doca_dpa_async_ops_start(ops));
	TOO_EARLY(doca_dpa_async_ops_attach(ops, completion));
	TOO_EARLY(doca_dpa_async_ops_start(ops));
	OK(doca_dpa_async_ops_get_dpa_handle(ops, &handle));
	USED(doca_dpa_completion_stop(completion));
	USED(doca_dpa_completion_destroy(completion));

	OK(doca_dpa_async_ops_stop(ops));
	OK(doca_dpa_async_ops_destroy(ops));
	OK(doca_dpa_completion_stop(completion));
	OK(doca_dpa_completion_destroy(completion));
	OK(doca_dpa_notification_completion_stop(notification));
	OK(doca_dpa_notification_completion_destroy(notification));
	OK(doca_dpa_thread_destroy(thread)); /* without a stop */
	dpa_close(&dpa);
}

static void an_affinity_names_an_execution_unit(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_eu_affinity *affinity;
	const struct doca_dpa_eu_affinity *got = NULL;
	struct doca_dpa_thread *thread;
	unsigned int eu, all;
	dpa_open(&dpa);
	OK(doca_dpa_get_total_num_eus_available(dpa.dpa, &all));
	OK(doca_dpa_eu_affinity_create(dpa.dpa, &affinity));
	OK(doca_dpa_thread_create(dpa.dpa, &thread));
	REFUSED(doca_dpa_eu_affinity_get(affinity, &eu));
	REFUSED(doca_dpa_thread_set_affinity(thread, affinity));
	REFUSED(doca_dpa_eu_affinity_set(affinity, all));
	OK(doca_dpa_eu_affinity_set(affinity, all - 1));
	OK(doca_dpa_eu_affinity_get(affinity, &eu));
	assert_int_equal(eu, all - 1);
	OK(doca_dpa_thread_set_affinity(thread, affinity));
	OK(doca_dpa_thread_get_affinity(thread, &got));
	assert_ptr_equal(got, affinity);
	OK(doca_dpa_eu_affinity_clear(affinity));
	REFUSED(doca_dpa_eu_affinity_get(affinity, &eu));
	OK(doca_dpa_thread_destroy(thread));
	OK(doca_dpa_eu_affinity_destroy(affinity));
	dpa_close(&dpa);
}

static void only_a_function_of_the_same_card_extends_a_dpa(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa *extended, *more;
	struct doca_dpa_app *app;
	uint64_t handle, base;
	doca_dpa_dev_log_level_t level;
	dpa_open(&dpa);
	REFUSED(doca_dpa_device_extend(dpa.dpa, dpa.devices.dpu, &extended));
	OK(doca_dpa_device_extend(dpa.dpa, dpa.devices.host2, &extended));
	REFUSED(doca_dpa_device_extend(extended, dpa.devices.host2, &more));
	REFUSED(doca_dpa_get_app(extended, &app));
	REFUSED(doca_dpa_set_app(extended, test_program));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_dpa_set_log_level(extended, DOCA_DPA_DEV_LOG_LEVEL_INFO));
	OK(doca_dpa_get_log_level(extended, &level));
	TOO_EARLY(doca_dpa_stop(extended));
	OK(doca_dpa_get_dpa_handle(extended, &handle));
	OK(doca_dpa_get_dpa_handle(dpa.dpa, &base));
	assert_int_not_equal(handle, base);
	USED(doca_dpa_stop(dpa.dpa));
	USED(doca_dev_close(dpa.devices.host2));
	OK(doca_dpa_destroy(extended));
	dpa_close(&dpa);
}

/* In a process of its own: a topology holds for the life of a process. */
static int without(void *argument)
{
	(void)argument;
	topology_write("dpu 0000:03:00.0 without=dpa\nhost 0000:b1:00.0 pf without=dpa\nhost 0000:b1:00.2 vf\n");
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	CHECK(num == 3);
	for (uint32_t i = 0; i < num; i++) {
		struct doca_dev *dev;
		struct doca_dpa *dpa = NULL;
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_dpa_cap_is_supported(list[i]));
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_is_export_to_dpa_supported(list[i]));
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_clock_cap_nic_dpa_timer_is_supported(list[i]));
		OK(doca_dev_open(list[i], &dev));
		struct doca_clock *clock;
		union doca_clock_timespec_t now;
		OK(doca_clock_create(dev, &clock));
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_clock_get_timestamp(clock, DOCA_CLOCK_NIC_DPA_TIMER, &now));
		OK(doca_clock_destroy(clock));
		GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_dpa_create(dev, &dpa));
		CHECK(dpa == NULL);
		OK(doca_dev_close(dev));
	}
	struct doca_mmap *map;
	struct doca_dev *dev;
	doca_dpa_dev_mmap_t handle;
	OK(doca_dev_open(list[1], &dev));
	OK(doca_mmap_create(&map));
	OK(doca_mmap_set_memrange(map, thing, sizeof(thing)));
	OK(doca_mmap_add_dev(map, dev));
	OK(doca_mmap_start(map));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_get_dpa_handle(map, dev, &handle));
	OK(doca_mmap_destroy(map));
	OK(doca_dev_close(dev));
	OK(doca_devinfo_destroy_list(list));
	return 0;
}

/* As `without`. */
static int one_card(void *argument)
{
	(void)argument;
	topology_write("dpu 03:00.0\ndpu 03:00.1 dpa=03:00.0\ndpu 03:00.2 sf dpa=03:00.0\ndpu 43:00.0\n");
	enum { BASE, PORT, SUBFUNCTION, ELSEWHERE, NUM };
	struct doca_devinfo **list;
	struct doca_dev *devs[NUM];
	struct doca_dpa *dpa, *extended;
	uint64_t handle, got;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	CHECK(num == NUM);
	for (uint32_t i = 0; i < num; i++)
		OK(doca_dev_open(list[i], &devs[i]));
	OK(doca_dpa_cap_is_supported(list[PORT]));
	OK(doca_dpa_cap_is_supported(list[SUBFUNCTION])); /* by a dpa of a port that is extended to it */
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_dpa_create(devs[SUBFUNCTION], &dpa));
	OK(doca_dpa_create(devs[BASE], &dpa));
	OK(doca_dpa_set_app(dpa, test_program));
	OK(doca_dpa_start(dpa));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_device_extend(dpa, devs[ELSEWHERE], &extended));
	for (int other = PORT; other <= SUBFUNCTION; other++) {
		struct doca_dpa_completion *completion;
		OK(doca_dpa_device_extend(dpa, devs[other], &extended));
		OK(doca_dpa_get_dpa_handle(extended, &handle));
		OK(doca_dpa_completion_create(extended, 4, &completion));
		OK(doca_dpa_completion_start(completion));
		uint64_t elements;
		OK(doca_dpa_completion_get_dpa_handle(completion, &elements));
		OK(doca_dpa_rpc(dpa, use_completion_of, &got, handle, elements));
		CHECK(got == 0);
		HEALTHY(dpa);
		OK(doca_dpa_completion_destroy(completion));
		OK(doca_dpa_destroy(extended));
	}
	OK(doca_dpa_destroy(dpa));
	for (uint32_t i = 0; i < num; i++)
		OK(doca_dev_close(devs[i]));
	OK(doca_devinfo_destroy_list(list));
	return 0;
}

static void ports_and_subfunctions_of_a_dpu_share_its_dpa(void **state)
{
	(void)state;
	assert_int_equal(run_with_topology(one_card), 0);
}

static void a_topology_can_be_without_a_dpa(void **state)
{
	(void)state;
	assert_int_equal(run_with_topology(without), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_topology_can_be_without_a_dpa), /* before this process has a topology */
		cmocka_unit_test(ports_and_subfunctions_of_a_dpu_share_its_dpa),
		cmocka_unit_test(every_function_refuses_null),
		cmocka_unit_test(sync_events_and_arrays_refuse_null),
		cmocka_unit_test(a_dpa_starts_stops_and_starts_again),
		cmocka_unit_test(it_says_what_it_has),
		cmocka_unit_test(objects_keep_a_dpa_from_stopping),
		cmocka_unit_test(objects_have_states),
		cmocka_unit_test(an_affinity_names_an_execution_unit),
		cmocka_unit_test(only_a_function_of_the_same_card_extends_a_dpa),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
