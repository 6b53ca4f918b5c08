/* What programs on the DPA do wrong is the dpa's last error: never a crash, never a hang. */
#include "doca_sync_event.h"
#include "fixture.h"

#define MISUSES 15

static void no_call_takes_a_wrong_handle(void **state)
{
	(void)state;
	const uint64_t wrong[] = {0, 1, UINT64_MAX, UINT64_C(0x12345678), UINT64_C(1) << 16};
	for (uint64_t which = 0; which < MISUSES; which++) {
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			struct dpa dpa;
			uint64_t got = 1;
			dpa_open(&dpa);
			HEALTHY(dpa.dpa);
			OK(doca_dpa_rpc(dpa.dpa, misuse, &got, which, wrong[i]));
			assert_int_equal(got, 0);
			FAILED(dpa.dpa);
			OK(doca_dpa_stop(dpa.dpa)); /* the error stays until the end */
			FAILED(dpa.dpa);
			OK(doca_dpa_destroy(dpa.dpa));
			devices_close(&dpa.devices);
		}
	}
}

static void the_handle_of_what_has_ended_names_nothing(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_completion *completion;
	uint64_t handle, again, got = 0;
	dpa_open(&dpa);
	OK(doca_dpa_completion_create(dpa.dpa, 4, &completion));
	OK(doca_dpa_completion_start(completion));
	OK(doca_dpa_completion_get_dpa_handle(completion, &handle));
	OK(doca_dpa_rpc(dpa.dpa, misuse, &got, UINT64_C(2), handle));
	HEALTHY(dpa.dpa);
	OK(doca_dpa_completion_stop(completion));
	OK(doca_dpa_completion_start(completion));
	OK(doca_dpa_completion_get_dpa_handle(completion, &again));
	assert_int_not_equal(handle, again);
	OK(doca_dpa_rpc(dpa.dpa, misuse, &got, UINT64_C(2), again));
	OK(doca_dpa_rpc(dpa.dpa, misuse, &got, UINT64_C(3), UINT64_C(0)));
	FAILED(dpa.dpa);
	OK(doca_dpa_completion_destroy(completion));
	OK(doca_dpa_rpc(dpa.dpa, misuse, &got, UINT64_C(0), again));
	assert_int_equal(got, 0);
	dpa_close(&dpa);
}

static void a_handle_names_one_kind_of_object(void **state)
{
	(void)state;
	for (uint64_t which = 0; which < MISUSES; which++) {
		struct dpa dpa;
		struct doca_dpa_completion *completion;
		struct doca_dpa_hash_table *table;
		uint64_t handle, got = 1;
		if (which >= 9 && which <= 11)
			continue; /* without a handle */
		dpa_open(&dpa);
		OK(doca_dpa_completion_create(dpa.dpa, 4, &completion));
		OK(doca_dpa_completion_start(completion));
		OK(doca_dpa_hash_table_create(dpa.dpa, 4, &table));
		if (which <= 2)
			OK(doca_dpa_hash_table_get_dpa_handle(table, &handle));
		else
			OK(doca_dpa_completion_get_dpa_handle(completion, &handle));
		HEALTHY(dpa.dpa);
		OK(doca_dpa_rpc(dpa.dpa, misuse, &got, which, handle));
		assert_int_equal(got, 0);
		FAILED(dpa.dpa);
		OK(doca_dpa_hash_table_destroy(table));
		OK(doca_dpa_completion_destroy(completion));
		dpa_close(&dpa);
	}
}

static void a_kernel_cannot_mean_the_dpa_of_another_program(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa *other;
	uint64_t handle;
	dpa_open(&dpa);
	OK(doca_dpa_create(dpa.dev, &other));
	OK(doca_dpa_set_app(other, test_program));
	OK(doca_dpa_start(other));
	OK(doca_dpa_get_dpa_handle(other, &handle));
	OK(doca_dpa_rpc(dpa.dpa, misuse, NULL, UINT64_C(5), handle));
	FAILED(dpa.dpa);
	HEALTHY(other);
	OK(doca_dpa_stop(other));
	OK(doca_dpa_destroy(other));
	dpa_close(&dpa);
}

static void more_cannot_be_acknowledged_than_was_read(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_completion *completion;
	uint64_t handle;
	dpa_open(&dpa);
	OK(doca_dpa_completion_create(dpa.dpa, 4, &completion));
	OK(doca_dpa_completion_start(completion));
	OK(doca_dpa_completion_get_dpa_handle(completion, &handle));
	OK(doca_dpa_rpc(dpa.dpa, misuse, NULL, UINT64_C(1), handle));
	FAILED(dpa.dpa);
	OK(doca_dpa_completion_destroy(completion));
	dpa_close(&dpa);
}

static void the_kernel_of_a_thread_may_not_return(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_notification_completion *waker;
	uint64_t handle;
	dpa_open(&dpa);
	uint64_t *runs = dpa_zeros(dpa.dpa, sizeof(*runs));
	struct doca_dpa_thread *thread = thread_make(dpa.dpa, return_at_once, runs);
	OK(doca_dpa_notification_completion_create(dpa.dpa, thread, &waker));
	OK(doca_dpa_notification_completion_start(waker));
	OK(doca_dpa_notification_completion_get_dpa_handle(waker, &handle));
	OK(doca_dpa_thread_run(thread));
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, handle));
	AWAIT(doca_dpa_peek_at_last_error(dpa.dpa) == DOCA_ERROR_BAD_STATE);
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, handle));
	OK(doca_dpa_notification_completion_destroy(waker));
	thread_end(thread);
	assert_int_equal(*runs, 1); /* it has finished */
	dpa_release(dpa.dpa, runs);
	dpa_close(&dpa);
}

static void a_kernel_can_say_that_it_has_failed(void **state)
{
	(void)state;
	for (uint64_t says_why = 0; says_why < 2; says_why++) {
		struct dpa dpa;
		uint64_t got = 0;
		dpa_open(&dpa);
		HEALTHY(dpa.dpa);
		OK(doca_dpa_rpc(dpa.dpa, fail, &got, says_why));
		assert_int_equal(got, 7); /* the call goes on */
		FAILED(dpa.dpa);
		dpa_close(&dpa);
	}
}

static void a_call_that_does_not_end_is_given_up(void **state)
{
	(void)state;
	struct dpa dpa;
	uint64_t got = 5;
	dpa_open(&dpa);
	uint64_t *stop = dpa_zeros(dpa.dpa, sizeof(*stop));
	GIVES(DOCA_ERROR_DRIVER, doca_dpa_rpc(dpa.dpa, run_for_ever, &got, stop));
	assert_int_equal(got, 5);
	FAILED(dpa.dpa);
	GIVES(DOCA_ERROR_DRIVER, doca_dpa_stop(dpa.dpa));
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	dpa_close(&dpa);
}

/* Of doca_dpa_dev*.h, which do not go with the host's headers. */
int doca_dpa_dev_get_completion(uint64_t completion, uint64_t *element);
void doca_dpa_dev_thread_reschedule(void);
void doca_dpa_dev_yield(void);
void doca_emu_dpa_fail(const char *what);
unsigned int doca_dpa_dev_num_threads(void);

static void the_host_is_no_kernel(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa_completion *completion;
	uint64_t handle, element;
	dpa_open(&dpa);
	OK(doca_dpa_completion_create(dpa.dpa, 4, &completion));
	OK(doca_dpa_completion_start(completion));
	OK(doca_dpa_completion_get_dpa_handle(completion, &handle));
	assert_int_equal(doca_dpa_dev_get_completion(handle, &element), 0);
	assert_int_equal(doca_dpa_dev_num_threads(), 0);
	doca_dpa_dev_yield();
	doca_emu_dpa_fail("the host");
	doca_dpa_dev_thread_reschedule(); /* returns: there is nothing to leave */
	HEALTHY(dpa.dpa);
	OK(doca_dpa_completion_destroy(completion));
	dpa_close(&dpa);
}

static void objects_of_an_extended_dpa_need_to_be_meant(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa *extended;
	struct doca_dpa_completion *completion;
	uint64_t handle, here, there;
	dpa_open(&dpa);
	OK(doca_dpa_device_extend(dpa.dpa, dpa.devices.host2, &extended));
	OK(doca_dpa_get_dpa_handle(dpa.dpa, &here));
	OK(doca_dpa_get_dpa_handle(extended, &there));
	OK(doca_dpa_completion_create(extended, 4, &completion));
	OK(doca_dpa_completion_start(completion));
	OK(doca_dpa_completion_get_dpa_handle(completion, &handle));
	OK(doca_dpa_rpc(dpa.dpa, use_completion_of, NULL, there, handle));
	OK(doca_dpa_rpc(extended, use_completion_of, NULL, there, handle));
	HEALTHY(dpa.dpa);
	HEALTHY(extended);
	OK(doca_dpa_rpc(dpa.dpa, use_completion_of, NULL, here, handle));
	FAILED(dpa.dpa);
	FAILED(extended);
	GIVES(DOCA_ERROR_IN_USE, doca_dpa_destroy(extended));
	OK(doca_dpa_completion_destroy(completion));
	OK(doca_dpa_destroy(extended));
	dpa_close(&dpa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_takes_a_wrong_handle),
		cmocka_unit_test(the_handle_of_what_has_ended_names_nothing),
		cmocka_unit_test(a_handle_names_one_kind_of_object),
		cmocka_unit_test(a_kernel_cannot_mean_the_dpa_of_another_program),
		cmocka_unit_test(more_cannot_be_acknowledged_than_was_read),
		cmocka_unit_test(the_kernel_of_a_thread_may_not_return),
		cmocka_unit_test(a_kernel_can_say_that_it_has_failed),
		cmocka_unit_test(a_call_that_does_not_end_is_given_up),
		cmocka_unit_test(the_host_is_no_kernel),
		cmocka_unit_test(objects_of_an_extended_dpa_need_to_be_meant),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
