/* ctx.c */
#include "fake_ctx.h"

static struct doca_pe *pe;

/* Stand for objects that cannot be made here. */
static int nothing;
static struct doca_gpu *gpu = (struct doca_gpu *)&nothing;
static struct doca_dpa *dpa = (struct doca_dpa *)&nothing;
static struct doca_devinfo *devinfo = (struct doca_devinfo *)&nothing;

static int make_engine(void **state)
{
	(void)state;
	expect_success(doca_pe_create(&pe));
	return 0;
}

/* Fails when a test has left a context behind. */
static int destroy_engine(void **state)
{
	(void)state;
	expect_success(doca_pe_destroy(pe));
	return 0;
}

static struct fake *connected(void)
{
	struct fake *fake = fake_new(&fake_ops);
	expect_success(doca_pe_connect_ctx(pe, &fake->ctx));
	return fake;
}

static struct fake *running(void)
{
	struct fake *fake = connected();
	expect_success(doca_ctx_start(&fake->ctx));
	fake->num_transitions = 0;
	return fake;
}

static void assert_transitions(const struct fake *fake, int count, const enum doca_ctx_states *path)
{
	assert_int_equal(count, fake->num_transitions);
	for (int i = 0; i < count; i++) {
		assert_int_equal(path[i], fake->from[i]);
		assert_int_equal(path[i + 1], fake->to[i]);
	}
}

#define assert_path(fake, ...)                                                                                         \
	do {                                                                                                           \
		const enum doca_ctx_states path_[] = {__VA_ARGS__};                                                    \
		assert_transitions(fake, (int)(sizeof(path_) / sizeof(path_[0])) - 1, path_);                          \
	} while (0)

static void a_new_context_is_idle(void **state)
{
	(void)state;
	struct fake *fake = fake_new(&fake_ops);
	union doca_data data = {.u64 = 7};
	size_t inflight = 7;
	assert_state(fake, DOCA_CTX_STATE_IDLE);
	expect_success(doca_ctx_get_user_data(&fake->ctx, &data));
	assert_int_equal(0, data.u64);
	expect_success(doca_ctx_get_num_inflight_tasks(&fake->ctx, &inflight));
	assert_int_equal(0, inflight);
	fake_destroy(fake);
}

static void functions_refuse_null(void **state)
{
	(void)state;
	struct fake *fake = fake_new(&fake_ops);
	enum doca_ctx_states now;
	union doca_data data = {0};
	size_t inflight;
	uint32_t vectors;
	expect_invalid(doca_ctx_start(NULL));
	expect_invalid(doca_ctx_stop(NULL));
	expect_invalid(doca_ctx_get_state(NULL, &now));
	expect_invalid(doca_ctx_get_state(&fake->ctx, NULL));
	expect_invalid(doca_ctx_set_user_data(NULL, data));
	expect_invalid(doca_ctx_get_user_data(NULL, &data));
	expect_invalid(doca_ctx_get_user_data(&fake->ctx, NULL));
	expect_invalid(doca_ctx_set_state_changed_cb(NULL, fake_on_state));
	expect_invalid(doca_ctx_set_state_changed_cb(&fake->ctx, NULL));
	expect_invalid(doca_ctx_get_num_inflight_tasks(NULL, &inflight));
	expect_invalid(doca_ctx_get_num_inflight_tasks(&fake->ctx, NULL));
	expect_invalid(doca_ctx_set_completion_vector(NULL, 0));
	expect_invalid(doca_ctx_cap_get_num_completion_vectors(NULL, &vectors));
	expect_invalid(doca_ctx_cap_get_num_completion_vectors(devinfo, NULL));
	expect_invalid(doca_ctx_set_datapath_on_gpu(NULL, gpu));
	expect_invalid(doca_ctx_set_datapath_on_gpu(&fake->ctx, NULL));
	expect_invalid(doca_ctx_set_datapath_on_dpa(NULL, dpa));
	expect_invalid(doca_ctx_set_datapath_on_dpa(&fake->ctx, NULL));
	fake_destroy(fake);
}

static void a_start_needs_an_engine(void **state)
{
	(void)state;
	struct fake *fake = fake_new(&fake_ops);
	expect(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_IDLE);
	assert_int_equal(0, fake->num_transitions);
	fake_destroy(fake);
}

static void a_synchronous_start_runs_the_callback_before_it_returns(void **state)
{
	(void)state;
	struct fake *fake = connected();
	expect_success(doca_ctx_start(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_RUNNING);
	assert_path(fake, DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING);
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void an_asynchronous_start_waits_in_starting(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->start_result = DOCA_ERROR_IN_PROGRESS;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(&fake->ctx));
	assert_path(fake, DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_STARTING);
	expect(DOCA_ERROR_BAD_STATE, doca_ctx_start(&fake->ctx));
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_RUNNING);
	assert_path(fake, DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING);
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void a_refused_start_leaves_the_context_idle(void **state)
{
	(void)state;
	static const doca_error_t errors[] = {DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_SUPPORTED,
					      DOCA_ERROR_INITIALIZATION, DOCA_ERROR_UNEXPECTED};
	struct fake *fake = connected();
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fake->start_result = errors[i];
		expect(errors[i], doca_ctx_start(&fake->ctx));
		assert_state(fake, DOCA_CTX_STATE_IDLE);
	}
	assert_int_equal(0, fake->num_transitions);
	fake_destroy(fake);
}

static void a_start_works_from_idle_only(void **state)
{
	(void)state;
	struct fake *fake = running();
	expect(DOCA_ERROR_BAD_STATE, doca_ctx_start(&fake->ctx));
	fake->stops_at_once = false;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	expect(DOCA_ERROR_BAD_STATE, doca_ctx_start(&fake->ctx));
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_IDLE);
	expect_success(doca_ctx_start(&fake->ctx));
	fake->stops_at_once = true;
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void a_stop_with_nothing_outstanding_ends_in_idle(void **state)
{
	(void)state;
	struct fake *fake = running();
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_path(fake, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void a_stop_with_work_outstanding_waits_in_stopping(void **state)
{
	(void)state;
	struct fake *fake = running();
	fake->stops_at_once = false;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	assert_path(fake, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING);
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void a_kind_that_never_stops_at_once_waits_in_stopping(void **state)
{
	(void)state;
	struct fake *fake = fake_new(&bare_ops);
	expect_success(doca_pe_connect_ctx(pe, &fake->ctx));
	expect_success(doca_ctx_start(&fake->ctx));
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_STOPPING);
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void a_stop_during_starting_goes_through_stopping(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->start_result = DOCA_ERROR_IN_PROGRESS;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(&fake->ctx));
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_path(fake, DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void a_stop_in_idle_or_stopping_changes_nothing(void **state)
{
	(void)state;
	struct fake *fake = connected();
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_int_equal(0, fake->num_transitions);
	expect_success(doca_ctx_start(&fake->ctx));
	fake->stops_at_once = false;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	fake->num_transitions = 0;
	fake->stops_at_once = true;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_STOPPING);
	assert_int_equal(0, fake->num_transitions);
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void a_refused_stop_leaves_the_context_running(void **state)
{
	(void)state;
	struct fake *fake = running();
	fake->stop_result = DOCA_ERROR_IN_USE;
	expect(DOCA_ERROR_IN_USE, doca_ctx_stop(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_RUNNING);
	assert_int_equal(0, fake->num_transitions);
	fake->stop_result = DOCA_SUCCESS;
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void the_callback_gets_the_user_data(void **state)
{
	(void)state;
	struct fake *fake = connected();
	union doca_data data = {.u64 = UINT64_MAX};
	expect_success(doca_ctx_set_user_data(&fake->ctx, data));
	data.u64 = 0;
	expect_success(doca_ctx_get_user_data(&fake->ctx, &data));
	assert_true(data.u64 == UINT64_MAX);
	expect_success(doca_ctx_start(&fake->ctx));
	assert_true(fake->seen_user_data == UINT64_MAX);
	/* Also while running. */
	data.u64 = 3;
	expect_success(doca_ctx_set_user_data(&fake->ctx, data));
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_int_equal(3, fake->seen_user_data);
	fake_destroy(fake);
}

static void without_a_callback_states_change_silently(void **state)
{
	(void)state;
	struct fake *fake = calloc(1, sizeof(*fake));
	assert_non_null(fake);
	emu_ctx_init(&fake->ctx, &fake_ops);
	fake->stops_at_once = true;
	expect_success(doca_pe_connect_ctx(pe, &fake->ctx));
	expect_success(doca_ctx_start(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_RUNNING);
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_state(fake, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void destroy_when_idle(struct fake *fake, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_IDLE)
		fake_destroy(fake);
}

static void a_context_may_be_destroyed_in_its_own_idle_callback(void **state)
{
	(void)state;
	struct fake *fake = running();
	fake->on_state = destroy_when_idle;
	expect_success(doca_ctx_stop(&fake->ctx));
}

static void become_idle(struct fake *fake)
{
	emu_ctx_enter(&fake->ctx, DOCA_CTX_STATE_IDLE);
}

static void progress_may_destroy_a_context_that_becomes_idle(void **state)
{
	(void)state;
	struct fake *fake = running();
	fake->stops_at_once = false;
	fake->on_state = destroy_when_idle;
	fake->on_work = become_idle;
	fake->work = 1;
	expect(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake->ctx));
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(0, doca_pe_progress(pe));
}

static void stop_when_running(struct fake *fake, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_RUNNING)
		expect_success(doca_ctx_stop(&fake->ctx));
}

static void a_context_may_be_stopped_in_its_own_running_callback(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->on_state = stop_when_running;
	expect_success(doca_ctx_start(&fake->ctx));
	assert_path(fake, DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE);
	fake_destroy(fake);
}

static void progress_in_callback(struct fake *fake, enum doca_ctx_states next)
{
	(void)next;
	fake->work = 1;
	assert_int_equal(0, doca_pe_progress(pe));
	expect(DOCA_ERROR_IN_USE, doca_pe_destroy(pe));
}

static void progress_inside_the_callback_of_a_start_or_stop_does_nothing(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->on_state = progress_in_callback;
	fake->on_work = become_idle;
	expect_success(doca_ctx_start(&fake->ctx));
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_int_equal(0, fake->progress_calls);
	fake->on_state = NULL;
	fake->on_work = NULL;
	assert_int_equal(1, doca_pe_progress(pe));
	fake_destroy(fake);
}

static void flushing_tasks_changes_nothing(void **state)
{
	(void)state;
	struct fake *fake = running();
	doca_ctx_flush_tasks(&fake->ctx);
	assert_state(fake, DOCA_CTX_STATE_RUNNING);
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void there_is_one_completion_vector(void **state)
{
	(void)state;
	uint32_t vectors = 0;
	expect_success(doca_ctx_cap_get_num_completion_vectors(devinfo, &vectors));
	assert_int_equal(1, vectors);
	struct fake *fake = connected();
	expect_success(doca_ctx_set_completion_vector(&fake->ctx, 0));
	expect_invalid(doca_ctx_set_completion_vector(&fake->ctx, 1));
	expect_success(doca_ctx_start(&fake->ctx));
	expect(DOCA_ERROR_BAD_STATE, doca_ctx_set_completion_vector(&fake->ctx, 0));
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void no_other_processor_can_take_the_data_path(void **state)
{
	(void)state;
	struct fake *fake = connected();
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_gpu(&fake->ctx, gpu));
	expect(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_dpa(&fake->ctx, dpa));
	expect_success(doca_ctx_start(&fake->ctx));
	expect(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_gpu(&fake->ctx, gpu));
	expect(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_dpa(&fake->ctx, dpa));
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void a_context_is_drained_when_no_task_is_out(void **state)
{
	(void)state;
	struct fake *fake = fake_new(&fake_ops);
	assert_true(emu_ctx_drained(&fake->ctx));
	fake->ctx.num_tasks_out = 1;
	assert_false(emu_ctx_drained(&fake->ctx));
	fake->ctx.num_tasks_out = 0;
	fake->ctx.num_inflight = 1;
	assert_false(emu_ctx_drained(&fake->ctx));
	fake_destroy(fake);
}

#define ctx_test(test) cmocka_unit_test_setup_teardown(test, make_engine, destroy_engine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ctx_test(a_new_context_is_idle),
		ctx_test(functions_refuse_null),
		ctx_test(a_start_needs_an_engine),
		ctx_test(a_synchronous_start_runs_the_callback_before_it_returns),
		ctx_test(an_asynchronous_start_waits_in_starting),
		ctx_test(a_refused_start_leaves_the_context_idle),
		ctx_test(a_start_works_from_idle_only),
		ctx_test(a_stop_with_nothing_outstanding_ends_in_idle),
		ctx_test(a_stop_with_work_outstanding_waits_in_stopping),
		ctx_test(a_kind_that_never_stops_at_once_waits_in_stopping),
		ctx_test(a_stop_during_starting_goes_through_stopping),
		ctx_test(a_stop_in_idle_or_stopping_changes_nothing),
		ctx_test(a_refused_stop_leaves_the_context_running),
		ctx_test(the_callback_gets_the_user_data),
		ctx_test(without_a_callback_states_change_silently),
		ctx_test(a_context_may_be_destroyed_in_its_own_idle_callback),
		ctx_test(progress_may_destroy_a_context_that_becomes_idle),
		ctx_test(a_context_may_be_stopped_in_its_own_running_callback),
		ctx_test(progress_inside_the_callback_of_a_start_or_stop_does_nothing),
		ctx_test(flushing_tasks_changes_nothing),
		ctx_test(there_is_one_completion_vector),
		ctx_test(no_other_processor_can_take_the_data_path),
		ctx_test(a_context_is_drained_when_no_task_is_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
