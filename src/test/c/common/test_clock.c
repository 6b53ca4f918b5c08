/* Clocks of the card, and what of Core answers that it is not supported. */
#include "devices.h"
#include "doca_clock.h"
#include "doca_mmap_advise.h"
#include "doca_sync_event.h"

#define NOT_THERE DOCA_ERROR_NOT_SUPPORTED
#define BAD DOCA_ERROR_INVALID_VALUE

static uint64_t ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static void clocks_go_on(void **state)
{
	(void)state;
	static const uint64_t types[] = {
		DOCA_CLOCK_NIC_FREE_RUNNING, DOCA_CLOCK_NIC_DPA_TIMER,  DOCA_CLOCK_NIC_REAL_TIME,
		DOCA_CLOCK_HOST_REAL_TIME,   DOCA_CLOCK_HOST_MONOTONIC, DOCA_CLOCK_HOST_MONOTONIC_RAW,
	};
	struct doca_dev *dev = open_device(HOST_PF);
	struct doca_clock *clock;
	expect_success(doca_clock_create(dev, &clock));
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		union doca_clock_timespec_t first = {0}, second = {0};
		expect_success(doca_clock_get_timestamp(clock, types[i], &first));
		expect_success(doca_clock_get_timestamp(clock, types[i], &second));
		assert_true(first.ts.tv_sec != 0 || first.ts.tv_nsec != 0);
		/* The real time may be set meanwhile. */
		if (types[i] != DOCA_CLOCK_NIC_REAL_TIME && types[i] != DOCA_CLOCK_HOST_REAL_TIME)
			assert_true(ns(&second.ts) >= ns(&first.ts));
	}
	union doca_clock_timespec_t cycles = {0};
	expect_success(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_COUNTER_CYCLES, &cycles));
	assert_true(cycles.counter != 0);
	expect_success(doca_clock_destroy(clock));
	expect_success(doca_dev_close(dev));
}

/* The card's free-running clock and that of the host are read between two reads of the host's. */
static void two_clocks_are_read_together(void **state)
{
	(void)state;
	struct doca_dev *dev = open_device(DPU_PCI);
	struct doca_clock *clock;
	expect_success(doca_clock_create(dev, &clock));
	union doca_clock_timespec_t before, host, card, after;
	uint64_t margin = UINT64_MAX;
	expect_success(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_MONOTONIC_RAW, &before));
	expect_success(doca_clock_get_crosstimestamp(clock, DOCA_CLOCK_HOST_MONOTONIC_RAW, DOCA_CLOCK_NIC_FREE_RUNNING,
						     &host, &card, &margin));
	expect_success(doca_clock_get_timestamp(clock, DOCA_CLOCK_HOST_MONOTONIC_RAW, &after));
	assert_true(ns(&before.ts) <= ns(&host.ts) && ns(&host.ts) <= ns(&card.ts) && ns(&card.ts) <= ns(&after.ts));
	assert_true(margin >= ns(&card.ts) - ns(&host.ts) && margin <= ns(&after.ts) - ns(&before.ts));
	expect_success(doca_clock_get_crosstimestamp(clock, DOCA_CLOCK_HOST_COUNTER_CYCLES, DOCA_CLOCK_NIC_REAL_TIME,
						     &host, &card, &margin));
	assert_true(host.counter != 0);
	expect_success(doca_clock_destroy(clock));
	expect_success(doca_dev_close(dev));
}

static void wrong_calls_of_clocks_are_refused(void **state)
{
	(void)state;
	struct doca_dev *dev = open_device(HOST_PF);
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	expect_success(doca_clock_cap_nic_free_running_is_supported(info));
	expect_success(doca_clock_cap_nic_real_time_is_supported(info));
	expect_success(doca_clock_cap_nic_dpa_timer_is_supported(info));
	assert_int_equal(doca_clock_cap_nic_free_running_is_supported(NULL), BAD);
	assert_int_equal(doca_clock_cap_nic_real_time_is_supported(NULL), BAD);
	assert_int_equal(doca_clock_cap_nic_dpa_timer_is_supported(NULL), BAD);
	struct doca_clock *clock;
	assert_int_equal(doca_clock_create(NULL, &clock), BAD);
	assert_int_equal(doca_clock_create(dev, NULL), BAD);
	expect_success(doca_clock_create(dev, &clock));
	union doca_clock_timespec_t one, two;
	uint64_t margin;
	const uint64_t real = DOCA_CLOCK_NIC_REAL_TIME, host = DOCA_CLOCK_HOST_REAL_TIME;
	assert_int_equal(doca_clock_get_timestamp(NULL, real, &one), BAD);
	assert_int_equal(doca_clock_get_timestamp(clock, real, NULL), BAD);
	assert_int_equal(doca_clock_get_timestamp(clock, 0, &one), NOT_THERE);
	assert_int_equal(doca_clock_get_timestamp(clock, real | host, &one), NOT_THERE);
	assert_int_equal(doca_clock_get_crosstimestamp(NULL, host, real, &one, &two, &margin), BAD);
	assert_int_equal(doca_clock_get_crosstimestamp(clock, host, real, NULL, &two, &margin), BAD);
	assert_int_equal(doca_clock_get_crosstimestamp(clock, host, real, &one, NULL, &margin), BAD);
	assert_int_equal(doca_clock_get_crosstimestamp(clock, host, real, &one, &two, NULL), BAD);
	assert_int_equal(doca_clock_get_crosstimestamp(clock, 0, real, &one, &two, &margin), NOT_THERE);
	assert_int_equal(doca_clock_get_crosstimestamp(clock, real, host, &one, &two, &margin), NOT_THERE);
	expect_success(doca_clock_destroy(clock));
	assert_int_equal(doca_clock_destroy(NULL), BAD);
	expect_success(doca_dev_close(dev));
}

static void caches_and_far_events_are_not_supported(void **state)
{
	(void)state;
	struct doca_dev *dev = open_device(DPU_PCI);
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_mmap_advise *advise = NULL;
	uint64_t most;
	assert_int_equal(doca_mmap_advise_cap_task_cache_invalidate_is_supported(info), NOT_THERE);
	assert_int_equal(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(info, &most), NOT_THERE);
	assert_int_equal(doca_mmap_advise_create(dev, &advise), NOT_THERE);
	assert_null(advise);
	assert_int_equal(doca_mmap_advise_cap_task_cache_invalidate_is_supported(NULL), BAD);
	assert_int_equal(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(NULL, &most), BAD);
	assert_int_equal(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(info, NULL), BAD);
	assert_int_equal(doca_mmap_advise_create(NULL, &advise), BAD);
	assert_int_equal(doca_mmap_advise_create(dev, NULL), BAD);
	assert_int_equal(doca_mmap_advise_destroy(NULL), BAD);
	assert_null(doca_mmap_advise_as_ctx(NULL));
	struct doca_sync_event *event = NULL, *far = NULL;
	const uint8_t *bytes = NULL;
	size_t size = 0;
	assert_int_equal(doca_sync_event_cap_is_export_to_remote_pci_supported(info), NOT_THERE);
	assert_int_equal(doca_sync_event_cap_is_create_from_export_supported(info), NOT_THERE);
	expect_success(doca_sync_event_create(&event));
	assert_int_equal(doca_sync_event_export_to_remote_pci(event, dev, &bytes, &size), NOT_THERE);
	assert_int_equal(doca_sync_event_create_from_export(dev, (const uint8_t *)"any", 3, &far), NOT_THERE);
	assert_null(bytes);
	assert_null(far);
	expect_success(doca_sync_event_destroy(event));
	expect_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_go_on),
		cmocka_unit_test(two_clocks_are_read_together),
		cmocka_unit_test(wrong_calls_of_clocks_are_refused),
		cmocka_unit_test(caches_and_far_events_are_not_supported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
