/* Sync events as contexts: their tasks, alone and with kernels. */
#include <poll.h>

#include "doca_sync_event.h"
#include "fixture.h"

#define KIND_CALLBACKS(name)                                                                                           \
	static void name##_completed(struct doca_sync_event_task_##name *task, union doca_data user_data,              \
				     union doca_data ctx_user_data)                                                    \
	{                                                                                                              \
		ended(doca_sync_event_task_##name##_as_doca_task(task), user_data, ctx_user_data, true);               \
	}                                                                                                              \
	static void name##_failed(struct doca_sync_event_task_##name *task, union doca_data user_data,                 \
				  union doca_data ctx_user_data)                                                       \
	{                                                                                                              \
		ended(doca_sync_event_task_##name##_as_doca_task(task), user_data, ctx_user_data, false);              \
	}

struct scene {
	struct dpa dpa;
	struct doca_pe *pe;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	uint64_t completed, failed; /* the sums of what the tasks carry */
	doca_error_t status;        /* of the last one */
};

static void ended(struct doca_task *task, union doca_data user_data, union doca_data ctx_user_data, bool well)
{
	struct scene *scene = ctx_user_data.ptr;
	*(well ? &scene->completed : &scene->failed) += user_data.u64;
	scene->status = doca_task_get_status(task);
	doca_task_free(task);
}

KIND_CALLBACKS(get)
KIND_CALLBACKS(notify_set)
KIND_CALLBACKS(notify_add)
KIND_CALLBACKS(wait_eq)
KIND_CALLBACKS(wait_neq)

static void scene_open(struct scene *scene)
{
	*scene = (struct scene){0};
	dpa_open(&scene->dpa);
	OK(doca_pe_create(&scene->pe));
	OK(doca_sync_event_create(&scene->event));
	OK(doca_sync_event_add_publisher_location_cpu(scene->event, scene->dpa.dev));
	OK(doca_sync_event_add_subscriber_location_dpa(scene->event, scene->dpa.dpa));
	OK(doca_sync_event_task_get_set_conf(scene->event, get_completed, get_failed, 1));
	OK(doca_sync_event_task_notify_set_set_conf(scene->event, notify_set_completed, notify_set_failed, 1));
	OK(doca_sync_event_task_notify_add_set_conf(scene->event, notify_add_completed, notify_add_failed, 1));
	OK(doca_sync_event_task_wait_eq_set_conf(scene->event, wait_eq_completed, wait_eq_failed, 2));
	OK(doca_sync_event_task_wait_neq_set_conf(scene->event, wait_neq_completed, wait_neq_failed, 2));
	scene->ctx = doca_sync_event_as_ctx(scene->event);
	OK(doca_pe_connect_ctx(scene->pe, scene->ctx));
	OK(doca_ctx_set_user_data(scene->ctx, (union doca_data){.ptr = scene}));
}

static void scene_close(struct scene *scene)
{
	OK(doca_sync_event_destroy(scene->event));
	OK(doca_pe_destroy(scene->pe));
	HEALTHY(scene->dpa.dpa);
	AWAIT(doca_dpa_stop(scene->dpa.dpa) ==
	      DOCA_SUCCESS); /* a kernel that has changed the event may not have ended */
	OK(doca_dpa_destroy(scene->dpa.dpa));
	devices_close(&scene->dpa.devices);
}

static void progress(const struct scene *scene)
{
	while (doca_pe_progress(scene->pe))
		;
}

static enum doca_ctx_states state_now(const struct scene *scene)
{
	enum doca_ctx_states state;
	OK(doca_ctx_get_state(scene->ctx, &state));
	return state;
}

static union doca_data carrying(uint64_t number)
{
	return (union doca_data){.u64 = number};
}

static struct doca_task *wait_eq(struct scene *scene, uint64_t value, uint64_t mask, uint64_t number)
{
	struct doca_sync_event_task_wait_eq *task;
	OK(doca_sync_event_task_wait_eq_alloc_init(scene->event, value, mask, carrying(number), &task));
	return doca_sync_event_task_wait_eq_as_doca_task(task);
}

static struct doca_task *wait_neq(struct scene *scene, uint64_t value, uint64_t mask, uint64_t number)
{
	struct doca_sync_event_task_wait_neq *task;
	OK(doca_sync_event_task_wait_neq_alloc_init(scene->event, value, mask, carrying(number), &task));
	return doca_sync_event_task_wait_neq_as_doca_task(task);
}

static void tasks_read_and_change_the_value(void **state)
{
	(void)state;
	struct scene scene;
	uint64_t read = 99, before = 99, value;
	struct doca_sync_event_task_get *get, *second;
	struct doca_sync_event_task_notify_set *set;
	struct doca_sync_event_task_notify_add *add;
	scene_open(&scene);
	OK(doca_ctx_start(scene.ctx));
	OK(doca_sync_event_task_notify_set_alloc_init(scene.event, 40, carrying(1), &set));
	doca_sync_event_task_notify_set_set_set_val(set, 41);
	assert_int_equal(doca_sync_event_task_notify_set_get_set_val(set), 41);
	OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
	OK(doca_sync_event_task_notify_add_alloc_init(scene.event, 5, NULL, carrying(10), &add));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	doca_sync_event_task_notify_add_set_inc_val(add, UINT64_MAX);
	doca_sync_event_task_notify_add_set_fetched_val_ptr(add, &before);
	assert_true(doca_sync_event_task_notify_add_get_inc_val(add) == UINT64_MAX);
	assert_ptr_equal(doca_sync_event_task_notify_add_get_fetched_val_ptr(add), &before);
	OK(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	OK(doca_sync_event_task_get_alloc_init(scene.event, NULL, carrying(100), &get));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_sync_event_task_get_alloc_init(scene.event, &read, carrying(0), &second));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(doca_sync_event_task_get_as_doca_task(get)));
	doca_sync_event_task_get_set_ret_val_ptr(get, &read);
	assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(get), &read);
	OK(doca_task_submit(doca_sync_event_task_get_as_doca_task(get)));
	assert_int_equal(scene.completed, 0); /* an end is told by the engine */
	progress(&scene);
	assert_int_equal(scene.completed, 111);
	assert_int_equal(scene.status, DOCA_SUCCESS);
	assert_int_equal(before, 41);
	assert_int_equal(read, 40);
	OK(doca_sync_event_get(scene.event, &value)); /* both ways at a time */
	assert_int_equal(value, 40);
	OK(doca_ctx_stop(scene.ctx));
	scene_close(&scene);
}

static void tasks_wait_for_values(void **state)
{
	(void)state;
	struct scene scene;
	struct doca_sync_event_task_wait_eq *eq;
	struct doca_sync_event_task_wait_neq *neq;
	scene_open(&scene);
	OK(doca_ctx_start(scene.ctx));
	OK(doca_sync_event_update_set(scene.event, 0x100));
	OK(doca_task_submit(wait_eq(&scene, 7, 0xff, 1)));
	OK(doca_task_submit(wait_neq(&scene, 0x100, UINT64_MAX, 10)));
	OK(doca_task_submit(wait_neq(&scene, 7, 0xff, 100))); /* it is so at once */
	progress(&scene);
	assert_int_equal(scene.completed, 100);
	OK(doca_sync_event_update_set(scene.event, 0x106));
	progress(&scene);
	assert_int_equal(scene.completed, 110);
	OK(doca_sync_event_update_set(scene.event, 0x207));
	progress(&scene);
	assert_int_equal(scene.completed, 111);
	/* One that has changed its mind. */
	OK(doca_sync_event_task_wait_eq_alloc_init(scene.event, 1, 2, carrying(1000), &eq));
	doca_sync_event_task_wait_eq_set_wait_val(eq, 0x200);
	doca_sync_event_task_wait_eq_set_mask(eq, 0xf00);
	assert_int_equal(doca_sync_event_task_wait_eq_get_wait_val(eq), 0x200);
	assert_int_equal(doca_sync_event_task_wait_eq_get_mask(eq), 0xf00);
	OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
	OK(doca_sync_event_task_wait_neq_alloc_init(scene.event, 1, 2, carrying(10000), &neq));
	doca_sync_event_task_wait_neq_set_wait_val(neq, 0x200);
	doca_sync_event_task_wait_neq_set_mask(neq, 0xff);
	assert_int_equal(doca_sync_event_task_wait_neq_get_wait_val(neq), 0x200);
	assert_int_equal(doca_sync_event_task_wait_neq_get_mask(neq), 0xff);
	OK(doca_task_submit(doca_sync_event_task_wait_neq_as_doca_task(neq)));
	progress(&scene);
	assert_int_equal(scene.completed, 11111);
	assert_int_equal(scene.failed, 0);
	OK(doca_ctx_stop(scene.ctx));
	scene_close(&scene);
}

static void a_kernel_wakes_the_engine(void **state)
{
	(void)state;
	struct scene scene;
	uint64_t handle;
	doca_notification_handle_t notification;
	scene_open(&scene);
	OK(doca_ctx_start(scene.ctx));
	OK(doca_sync_event_get_dpa_handle(scene.event, scene.dpa.dpa, &handle));
	OK(doca_task_submit(wait_eq(&scene, 105, UINT64_MAX, 1)));
	OK(doca_pe_get_notification_handle(scene.pe, &notification));
	OK(doca_dpa_kernel_launch_update_set(scene.dpa.dpa, NULL, 0, NULL, 0, 1, answer, handle, handle));
	OK(doca_sync_event_update_set(scene.event, 5)); /* the kernel sets it to what it has seen, and adds 100 */
	while (scene.completed == 0) {
		struct pollfd woken = {.fd = notification, .events = POLLIN};
		OK(doca_pe_request_notification(scene.pe));
		assert_int_equal(poll(&woken, 1, 30000), 1);
		OK(doca_pe_clear_notification(scene.pe, notification));
		progress(&scene);
	}
	OK(doca_ctx_stop(scene.ctx));
	scene_close(&scene);
}

static void a_stop_ends_what_waits(void **state)
{
	(void)state;
	struct scene scene;
	scene_open(&scene);
	OK(doca_ctx_start(scene.ctx));
	OK(doca_task_submit(wait_eq(&scene, 7, UINT64_MAX, 1)));
	struct doca_task *given_up = wait_neq(&scene, 0, UINT64_MAX, 10), *mine = wait_neq(&scene, 0, UINT64_MAX, 100);
	OK(doca_task_submit(given_up));
	doca_task_free(given_up); /* no callback */
	GIVES(DOCA_ERROR_IN_USE, doca_sync_event_destroy(scene.event));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_sync_event_stop(scene.event));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(scene.ctx));
	progress(&scene);
	assert_int_equal(scene.failed, 1);
	assert_int_equal(scene.status, DOCA_ERROR_IO_FAILED);
	assert_int_equal(state_now(&scene), DOCA_CTX_STATE_STOPPING);
	doca_task_free(mine);
	progress(&scene);
	assert_int_equal(state_now(&scene), DOCA_CTX_STATE_IDLE);
	assert_int_equal(scene.completed, 0);
	OK(doca_ctx_start(scene.ctx));
	OK(doca_ctx_stop(scene.ctx));
	scene_close(&scene);
}

/* It is started as a context or as none. */
static void calls_in_a_wrong_state_are_refused(void **state)
{
	(void)state;
	struct scene scene;
	uint64_t value;
	struct doca_sync_event_task_get *get;
	scene_open(&scene);
	GIVES(DOCA_ERROR_BAD_STATE, doca_sync_event_task_get_alloc_init(scene.event, &value, carrying(0), &get));
	OK(doca_sync_event_start(scene.event));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(scene.ctx));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_task_get_set_conf(scene.event, get_completed, get_failed, 1));
	OK(doca_sync_event_stop(scene.event));
	OK(doca_ctx_start(scene.ctx));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_sync_event_start(scene.event));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_task_get_set_conf(scene.event, get_completed, get_failed, 1));
	OK(doca_ctx_stop(scene.ctx));
	scene_close(&scene);
}

#define REFUSED(call) GIVES(DOCA_ERROR_INVALID_VALUE, call)
#define REFUSES_NULL(name, ...)                                                                                        \
	do {                                                                                                           \
		struct doca_sync_event_task_##name *task;                                                              \
		REFUSED(doca_sync_event_cap_task_##name##_is_supported(NULL));                                         \
		OK(doca_sync_event_cap_task_##name##_is_supported(info));                                              \
		REFUSED(doca_sync_event_task_##name##_set_conf(NULL, name##_completed, name##_failed, 1));             \
		REFUSED(doca_sync_event_task_##name##_set_conf(event, NULL, name##_failed, 1));                        \
		REFUSED(doca_sync_event_task_##name##_set_conf(event, name##_completed, NULL, 1));                     \
		REFUSED(doca_sync_event_task_##name##_set_conf(event, name##_completed, name##_failed, 0));            \
		REFUSED(doca_sync_event_task_##name##_alloc_init(NULL, __VA_ARGS__, carrying(0), &task));              \
		REFUSED(doca_sync_event_task_##name##_alloc_init(event, __VA_ARGS__, carrying(0), NULL));              \
	} while (0)

static void arguments_are_checked(void **state)
{
	(void)state;
	struct scene scene;
	uint64_t value;
	scene_open(&scene);
	struct doca_sync_event *event = scene.event;
	const struct doca_devinfo *info = doca_dev_as_devinfo(scene.dpa.dev);
	assert_null(doca_sync_event_as_ctx(NULL));
	REFUSES_NULL(get, &value);
	REFUSES_NULL(notify_set, 1);
	REFUSES_NULL(notify_add, 1, &value);
	REFUSES_NULL(wait_eq, 1, 1);
	REFUSES_NULL(wait_neq, 1, 1);
	scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_read_and_change_the_value),    cmocka_unit_test(tasks_wait_for_values),
		cmocka_unit_test(a_kernel_wakes_the_engine),          cmocka_unit_test(a_stop_ends_what_waits),
		cmocka_unit_test(calls_in_a_wrong_state_are_refused), cmocka_unit_test(arguments_are_checked),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
