/* Each function with NULL and in each state, the limits, and devices without DMA. */
#include "fixture.h"

static void null_is_refused(void **state)
{
	(void)state;
	struct copier copier;
	uint32_t number;
	uint64_t size;
	struct doca_dma *dma;
	struct doca_dma_task_memcpy *task;
	const union doca_data none = {.u64 = 0};
	copier_open(&copier, false, 1);
	struct doca_devinfo *info = doca_dev_as_devinfo(copier.dev);
	struct doca_buf *src = source(&copier, 0, 1), *dst = destination(&copier, 0, 1);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_create(NULL, &dma));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_create(copier.dev, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_destroy(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_is_supported(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_list_len(NULL, &number));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_list_len(info, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_size(NULL, &size));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_size(info, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_get_max_num_tasks(NULL, &number));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_get_max_num_tasks(copier.dma, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(NULL, on_completed, on_failed, 1));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(copier.dma, NULL, on_failed, 1));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(copier.dma, on_completed, NULL, 1));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_alloc_init(NULL, src, dst, none, &task));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_alloc_init(copier.dma, NULL, dst, none, &task));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_alloc_init(copier.dma, src, NULL, none, &task));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_alloc_init(copier.dma, src, dst, none, NULL));
	assert_null(doca_dma_as_ctx(NULL));
	assert_null(doca_dma_task_memcpy_as_task(NULL));
	assert_null(doca_dma_task_memcpy_get_src(NULL));
	assert_null(doca_dma_task_memcpy_get_dst(NULL));
	doca_dma_task_memcpy_set_src(NULL, src);
	doca_dma_task_memcpy_set_dst(NULL, dst);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void each_call_has_its_states(void **state)
{
	(void)state;
	struct copier copier;
	struct doca_dma_task_memcpy *task;
	copier_open(&copier, false, 1);
	struct doca_buf *src = source(&copier, 0, 1), *dst = destination(&copier, 0, 1);
	GIVES(DOCA_ERROR_BAD_STATE, doca_dma_task_memcpy_set_conf(copier.dma, on_completed, on_failed, 1));
	GIVES(DOCA_ERROR_IN_USE, doca_dma_destroy(copier.dma));
	GIVES(DOCA_ERROR_BAD_STATE, doca_ctx_start(copier.ctx));
	OK(doca_ctx_stop(copier.ctx));
	GIVES(DOCA_ERROR_BAD_STATE,
	      doca_dma_task_memcpy_alloc_init(copier.dma, src, dst, (union doca_data){.u64 = 0}, &task));
	OK(doca_dma_task_memcpy_set_conf(copier.dma, on_completed, on_failed, 3));
	OK(doca_ctx_start(copier.ctx));
	assert_string_equal(copier.states, "RPIR");
	for (int i = 0; i < 3; i++)
		submit(&copier, src, dst, 0), OK(doca_buf_reset_data_len(dst));
	GIVES(DOCA_ERROR_NO_MEMORY,
	      doca_dma_task_memcpy_alloc_init(copier.dma, src, dst, (union doca_data){.u64 = 0}, &task));
	GIVES(DOCA_ERROR_IN_USE, doca_dev_close(copier.dev));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(drive(copier.pe), 1);
		OK(doca_buf_reset_data_len(dst));
	}
	assert_int_equal(copier.completed, 3);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void a_context_needs_tasks_and_an_engine(void **state)
{
	(void)state;
	struct devices devices;
	struct doca_dma *dma;
	struct doca_pe *pe;
	uint32_t most;
	devices_open(&devices);
	OK(doca_dma_create(devices.host, &dma));
	OK(doca_pe_create(&pe));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_dma_as_ctx(dma)));
	OK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(doca_dma_as_ctx(dma)));
	OK(doca_dma_cap_get_max_num_tasks(dma, &most));
	OK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, 0)); /* as if it had not been called */
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(doca_dma_as_ctx(dma)));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, most + 1));
	OK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, most));
	OK(doca_ctx_start(doca_dma_as_ctx(dma)));
	OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
	OK(doca_dma_destroy(dma));
	OK(doca_pe_destroy(pe));
	devices_close(&devices);
}

static void devices_tell_what_they_can(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	struct doca_dev *const all[] = {devices.host, devices.host2, devices.dpu};
	for (int i = 0; i < 3; i++) {
		uint32_t list = 0;
		uint64_t size = 0;
		struct doca_devinfo *info = doca_dev_as_devinfo(all[i]);
		OK(doca_dma_cap_task_memcpy_is_supported(info));
		OK(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &list));
		OK(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size));
		assert_int_equal(list, 64);
		assert_int_equal(size, 2 << 20);
	}
	devices_close(&devices);
}

/* In a process of its own: a topology holds for the life of a process. */
static int without(void *argument)
{
	FILE *file = fopen(argument, "w");
	CHECK(file != NULL);
	fputs("dpu 0000:03:00.0 without=dma\nhost 0000:b1:00.0 pf without=dma,dpa\nhost 0000:b1:00.2 vf\n", file);
	fclose(file);
	setenv("DOCA_EMU_TOPOLOGY", argument, 1);
	struct doca_devinfo **list;
	uint32_t num, number;
	uint64_t size;
	OK(doca_devinfo_create_list(&list, &num));
	CHECK(num == 3);
	unsigned with = 0;
	for (uint32_t i = 0; i < num; i++) {
		struct doca_dev *dev;
		struct doca_dma *dma;
		OK(doca_dev_open(list[i], &dev));
		doca_error_t can = doca_dma_cap_task_memcpy_is_supported(list[i]);
		GIVES(can, doca_dma_create(dev, &dma));
		GIVES(can, doca_dma_cap_task_memcpy_get_max_buf_list_len(list[i], &number));
		GIVES(can, doca_dma_cap_task_memcpy_get_max_buf_size(list[i], &size));
		if (can == DOCA_SUCCESS)
			OK(doca_dma_destroy(dma));
		else
			CHECK(can == DOCA_ERROR_NOT_SUPPORTED);
		with += can == DOCA_SUCCESS;
		OK(doca_dev_close(dev));
	}
	OK(doca_devinfo_destroy_list(list));
	return with == 1 ? 0 : 1;
}

static void a_topology_can_be_without_dma(void **state)
{
	(void)state;
	char path[] = "/tmp/dma-topology-XXXXXX";
	int file = mkstemp(path);
	CHECK(file >= 0);
	close(file);
	int result = child_wait(child_start(without, path));
	unlink(path);
	assert_int_equal(result, 0);
}

/* In a process of its own: DOCA_EMU_FAULTS is read once. */
static int with_faults(void *argument)
{
	struct copier copier;
	(void)argument;
	setenv("DOCA_EMU_FAULTS", "fail_dma=2:DRIVER", 1);
	copier_open(&copier, false, 2);
	struct doca_buf *src = source(&copier, 0, 10), *dst = destination(&copier, 0, 1000);
	CHECK(copied(&copier, src, dst) == DOCA_SUCCESS);
	CHECK(copied(&copier, src, dst) == DOCA_ERROR_DRIVER);
	CHECK(data_len_of(dst) == 10);
	UNTIL(strcmp(copier.states, "RPI") == 0, copier.pe);
	OK(doca_ctx_start(copier.ctx));
	CHECK(copied(&copier, src, dst) == DOCA_SUCCESS);
	CHECK(data_len_of(dst) == 20);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
	return 0;
}

static int with_malformed_faults(void *argument)
{
	struct devices devices;
	struct doca_dma *dma;
	struct doca_pe *pe;
	(void)argument;
	setenv("DOCA_EMU_FAULTS", "fail_dma=2", 1);
	devices_open(&devices);
	OK(doca_pe_create(&pe));
	OK(doca_dma_create(devices.host, &dma));
	OK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	OK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_failed, 1));
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_dma_as_ctx(dma)));
	OK(doca_dma_destroy(dma));
	OK(doca_pe_destroy(pe));
	devices_close(&devices);
	return 0;
}

static void copies_fail_on_demand(void **state)
{
	(void)state;
	assert_int_equal(child_wait(child_start(with_faults, NULL)), 0);
	assert_int_equal(child_wait(child_start(with_malformed_faults, NULL)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_topology_can_be_without_dma), /* before this process has a topology */
		cmocka_unit_test(copies_fail_on_demand),         cmocka_unit_test(null_is_refused),
		cmocka_unit_test(each_call_has_its_states),      cmocka_unit_test(a_context_needs_tasks_and_an_engine),
		cmocka_unit_test(devices_tell_what_they_can),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
