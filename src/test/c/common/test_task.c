/* task.c */
#include "fake_ctx.h"

static struct doca_pe *pe;
static struct fake *fake;
static struct doca_task task;

static int run_context(void **state)
{
	(void)state;
	expect_success(doca_pe_create(&pe));
	fake = fake_new(&fake_ops);
	expect_success(doca_pe_connect_ctx(pe, &fake->ctx));
	expect_success(doca_ctx_start(&fake->ctx));
	task = (struct doca_task){.ctx = &fake->ctx, .state = EMU_TASK_OWNED};
	return 0;
}

static int end_context(void **state)
{
	(void)state;
	fake_destroy(fake);
	expect_success(doca_pe_destroy(pe));
	return 0;
}

static void submit_flushes(void **state)
{
	(void)state;
	expect_success(doca_task_submit(&task));
	assert_int_equal(1, fake->submits);
	assert_int_equal(DOCA_TASK_SUBMIT_FLAG_FLUSH, fake->last_flags);
	assert_int_equal(0, fake->validations);
}

static void submit_ex_passes_its_flags_on(void **state)
{
	(void)state;
	static const uint32_t flags[] = {
		DOCA_TASK_SUBMIT_FLAG_NONE,
		DOCA_TASK_SUBMIT_FLAG_FLUSH,
		DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS,
		DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS,
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		expect_success(doca_task_submit_ex(&task, flags[i]));
		assert_int_equal(flags[i], fake->last_flags);
		task.state = EMU_TASK_OWNED;
	}
}

static void try_submit_validates_first(void **state)
{
	(void)state;
	fake->validate_result = DOCA_ERROR_INVALID_VALUE;
	expect_invalid(doca_task_try_submit(&task));
	assert_int_equal(0, fake->submits);
	assert_int_equal(EMU_TASK_OWNED, task.state);
	fake->validate_result = DOCA_SUCCESS;
	expect_success(doca_task_try_submit(&task));
	assert_int_equal(1, fake->submits);
	assert_int_equal(2, fake->validations);
	expect_invalid(doca_task_try_submit(NULL));
}

static void try_submit_of_a_kind_without_validation_submits(void **state)
{
	(void)state;
	fake->ctx.ops = &bare_ops;
	expect_success(doca_task_try_submit(&task));
	assert_int_equal(1, fake->submits);
}

static void a_failed_submit_leaves_the_task_with_the_user(void **state)
{
	(void)state;
	fake->submit_result = DOCA_ERROR_AGAIN;
	expect(DOCA_ERROR_AGAIN, doca_task_submit(&task));
	expect(DOCA_ERROR_AGAIN, doca_task_submit(&task));
	fake->submit_result = DOCA_SUCCESS;
	expect_success(doca_task_submit(&task));
}

static void a_task_in_flight_is_not_submitted_again(void **state)
{
	(void)state;
	expect_success(doca_task_submit(&task));
	expect(DOCA_ERROR_BAD_STATE, doca_task_submit(&task));
	expect(DOCA_ERROR_BAD_STATE, doca_task_try_submit(&task));
	assert_int_equal(1, fake->submits);
	assert_int_equal(EMU_TASK_INFLIGHT, task.state);
}

static void nothing_is_submitted_unless_the_context_runs(void **state)
{
	(void)state;
	fake->stops_at_once = false;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	expect(DOCA_ERROR_BAD_STATE, doca_task_submit(&task));
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_IDLE);
	expect(DOCA_ERROR_BAD_STATE, doca_task_submit(&task));
	fake->start_result = DOCA_ERROR_IN_PROGRESS;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(&fake->ctx));
	expect(DOCA_ERROR_BAD_STATE, doca_task_submit(&task));
	assert_int_equal(0, fake->submits);
	assert_int_equal(EMU_TASK_OWNED, task.state);
}

static void a_task_is_freed_once(void **state)
{
	(void)state;
	doca_task_free(&task);
	assert_int_equal(1, fake->frees);
	doca_task_free(&task);
	doca_task_free(NULL);
	assert_int_equal(1, fake->frees);
}

static void freeing_a_task_in_flight_cancels_it_once(void **state)
{
	(void)state;
	expect_success(doca_task_submit(&task));
	doca_task_free(&task);
	assert_int_equal(EMU_TASK_CANCELLED, task.state);
	doca_task_free(&task);
	assert_int_equal(1, fake->frees);
	expect(DOCA_ERROR_BAD_STATE, doca_task_submit(&task));
}

static void a_task_knows_its_context_status_and_user_data(void **state)
{
	(void)state;
	union doca_data data = {.u64 = 12};
	assert_ptr_equal(&fake->ctx, doca_task_get_ctx(&task));
	assert_int_equal(0, doca_task_get_user_data(&task).u64);
	doca_task_set_user_data(&task, data);
	assert_int_equal(12, doca_task_get_user_data(&task).u64);
	expect_success(doca_task_get_status(&task));
	task.status = DOCA_ERROR_IO_FAILED;
	expect(DOCA_ERROR_IO_FAILED, doca_task_get_status(&task));
	expect_success(doca_task_submit(&task));
	assert_int_equal(12, doca_task_get_user_data(&task).u64);
}

static void batches_are_not_supported(void **state)
{
	(void)state;
	/* Stands for an object that no function of Core or Comch makes. */
	struct doca_task_batch *batch = (struct doca_task_batch *)&task;
	const union doca_data data = {.u64 = 1};
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_task_batch_submit(batch));
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_task_batch_try_submit(batch));
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_task_batch_get_status(batch));
	doca_task_batch_set_user_data(batch, data);
	assert_int_equal(0, doca_task_batch_get_user_data(batch).u64);
	assert_int_equal(0, doca_task_batch_get_ctx_user_data(batch).u64);
	assert_null(doca_task_batch_get_ctx(batch));
	assert_int_equal(0, doca_task_batch_get_tasks_num(batch));
	doca_task_batch_free(batch);
	assert_int_equal(0, fake->submits);
	assert_int_equal(0, fake->frees);
	assert_int_equal(EMU_TASK_OWNED, task.state);
}

#define task_test(test) cmocka_unit_test_setup_teardown(test, run_context, end_context)

int main(void)
{
	const struct CMUnitTest tests[] = {
		task_test(submit_flushes),
		task_test(submit_ex_passes_its_flags_on),
		task_test(try_submit_validates_first),
		task_test(try_submit_of_a_kind_without_validation_submits),
		task_test(a_failed_submit_leaves_the_task_with_the_user),
		task_test(a_task_in_flight_is_not_submitted_again),
		task_test(nothing_is_submitted_unless_the_context_runs),
		task_test(a_task_is_freed_once),
		task_test(freeing_a_task_in_flight_cancels_it_once),
		task_test(a_task_knows_its_context_status_and_user_data),
		task_test(batches_are_not_supported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
