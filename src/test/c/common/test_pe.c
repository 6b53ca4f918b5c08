/* pe.c */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/pe.h"
#include "fake_ctx.h"
#include "readings.h"

static struct doca_pe *pe;

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

static void functions_refuse_null(void **state)
{
	(void)state;
	struct fake *fake = fake_new(&fake_ops);
	size_t inflight;
	doca_notification_handle_t handle;
	expect_invalid(doca_pe_create(NULL));
	expect_invalid(doca_pe_destroy(NULL));
	expect_invalid(doca_pe_connect_ctx(NULL, &fake->ctx));
	expect_invalid(doca_pe_connect_ctx(pe, NULL));
	expect_invalid(doca_pe_get_num_inflight_tasks(NULL, &inflight));
	expect_invalid(doca_pe_get_num_inflight_tasks(pe, NULL));
	expect_invalid(doca_pe_get_notification_handle(NULL, &handle));
	expect_invalid(doca_pe_get_notification_handle(pe, NULL));
	expect_invalid(doca_pe_request_notification(NULL));
	expect_invalid(doca_pe_clear_notification(NULL, 0));
	expect_invalid(doca_pe_set_event_mode(NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	fake_destroy(fake);
}

static void an_engine_without_contexts_has_nothing_to_do(void **state)
{
	(void)state;
	size_t inflight = 7;
	assert_int_equal(0, doca_pe_progress(pe));
	expect_success(doca_pe_get_num_inflight_tasks(pe, &inflight));
	assert_int_equal(0, inflight);
}

static void an_engine_cannot_be_destroyed_before_its_contexts(void **state)
{
	(void)state;
	struct fake *fake = connected();
	expect(DOCA_ERROR_IN_USE, doca_pe_destroy(pe));
	expect_success(doca_ctx_start(&fake->ctx));
	expect_success(doca_ctx_stop(&fake->ctx));
	/* Stopping is not enough. */
	expect(DOCA_ERROR_IN_USE, doca_pe_destroy(pe));
	fake_destroy(fake);
}

static void a_context_has_one_engine_for_its_whole_life(void **state)
{
	(void)state;
	struct doca_pe *other;
	struct fake *fake = connected();
	expect_success(doca_pe_create(&other));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(pe, &fake->ctx));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_pe_connect_ctx(other, &fake->ctx));
	expect_success(doca_pe_destroy(other));
	fake_destroy(fake);
}

static void only_an_idle_context_is_connected(void **state)
{
	(void)state;
	struct fake *fake = connected();
	expect_success(doca_ctx_start(&fake->ctx));
	expect(DOCA_ERROR_BAD_STATE, doca_pe_connect_ctx(pe, &fake->ctx));
	expect_success(doca_ctx_stop(&fake->ctx));
	fake_destroy(fake);
}

static void one_progress_serves_one_context(void **state)
{
	(void)state;
	struct fake *a = connected();
	struct fake *b = connected();
	a->work = 1;
	b->work = 1;
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(1, a->work + b->work);
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(0, a->work + b->work);
	assert_int_equal(0, doca_pe_progress(pe));
	fake_destroy(a);
	fake_destroy(b);
}

static void contexts_are_served_in_turn(void **state)
{
	(void)state;
	struct fake *fakes[5];
	for (int i = 0; i < 5; i++) {
		fakes[i] = connected();
		fakes[i]->work = 100;
	}
	for (int round = 1; round <= 3; round++) {
		for (int i = 0; i < 5; i++)
			assert_int_equal(1, doca_pe_progress(pe));
		for (int i = 0; i < 5; i++)
			assert_int_equal(100 - round, fakes[i]->work);
	}
	for (int i = 0; i < 5; i++)
		fake_destroy(fakes[i]);
}

static void a_progress_without_work_looks_at_every_context_once(void **state)
{
	(void)state;
	struct fake *fakes[20];
	for (int i = 0; i < 20; i++)
		fakes[i] = connected();
	assert_int_equal(0, doca_pe_progress(pe));
	for (int i = 0; i < 20; i++)
		assert_int_equal(1, fakes[i]->progress_calls);
	for (int i = 0; i < 20; i++)
		fake_destroy(fakes[i]);
}

static struct fake *victim;
static struct fake *newcomer;

static void destroy_victim(struct fake *fake)
{
	(void)fake;
	fake_destroy(victim);
}

static void a_callback_may_destroy_any_context_of_the_engine(void **state)
{
	(void)state;
	/* Every pair of actor and victim. */
	for (int actor = 0; actor < 3; actor++)
		for (int target = 0; target < 3; target++) {
			struct fake *fakes[3];
			for (int i = 0; i < 3; i++)
				fakes[i] = connected();
			fakes[actor]->work = 1;
			fakes[actor]->on_work = destroy_victim;
			victim = fakes[target];
			assert_int_equal(1, doca_pe_progress(pe));
			for (int i = 0; i < 3; i++)
				if (i != target)
					fakes[i]->progress_calls = 0;
			assert_int_equal(0, doca_pe_progress(pe));
			for (int i = 0; i < 3; i++)
				if (i != target) {
					assert_int_equal(1, fakes[i]->progress_calls);
					fake_destroy(fakes[i]);
				}
		}
}

static void connect_newcomer(struct fake *fake)
{
	(void)fake;
	newcomer = connected();
	newcomer->work = 1;
}

static void a_callback_may_connect_a_context(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->work = 1;
	fake->on_work = connect_newcomer;
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(0, newcomer->work);
	fake_destroy(fake);
	fake_destroy(newcomer);
}

static void progress_again(struct fake *fake)
{
	fake->work = 1;
	assert_int_equal(0, doca_pe_progress(pe));
	assert_int_equal(1, fake->work);
	fake->work = 0;
	expect(DOCA_ERROR_IN_USE, doca_pe_destroy(pe));
}

static void progress_inside_a_callback_does_nothing(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->work = 1;
	fake->on_work = progress_again;
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(1, fake->progress_calls);
	fake_destroy(fake);
}

static struct doca_pe *other_engine;

static void progress_other(struct fake *fake)
{
	(void)fake;
	assert_int_equal(1, doca_pe_progress(other_engine));
}

static void progress_of_another_engine_inside_a_callback_works(void **state)
{
	(void)state;
	struct fake *fake = connected();
	struct fake *other = fake_new(&fake_ops);
	expect_success(doca_pe_create(&other_engine));
	expect_success(doca_pe_connect_ctx(other_engine, &other->ctx));
	fake->work = 1;
	fake->on_work = progress_other;
	other->work = 1;
	assert_int_equal(1, doca_pe_progress(pe));
	assert_int_equal(0, other->work);
	fake_destroy(other);
	expect_success(doca_pe_destroy(other_engine));
	fake_destroy(fake);
}

static void tasks_in_flight_are_summed_over_the_contexts(void **state)
{
	(void)state;
	struct fake *a = connected();
	struct fake *b = connected();
	size_t inflight = 0;
	a->ctx.num_inflight = 3;
	b->ctx.num_inflight = 4;
	expect_success(doca_pe_get_num_inflight_tasks(pe, &inflight));
	assert_int_equal(7, inflight);
	expect_success(doca_ctx_get_num_inflight_tasks(&a->ctx, &inflight));
	assert_int_equal(3, inflight);
	fake_destroy(a);
	fake_destroy(b);
}

static void the_event_mode_is_one_of_two(void **state)
{
	(void)state;
	volatile int stranger = 2;
	expect_success(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE));
	expect_success(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	expect_invalid(doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)stranger));
}

static int handle_of(void)
{
	doca_notification_handle_t handle = -1;
	expect_success(doca_pe_get_notification_handle(pe, &handle));
	assert_true(handle >= 0);
	return handle;
}

static int readable(int handle, int timeout)
{
	struct pollfd fd = {.fd = handle, .events = POLLIN};
	return poll(&fd, 1, timeout);
}

#define LONG_ENOUGH 10000

static void the_handle_stays_the_same_and_is_not_inherited(void **state)
{
	(void)state;
	assert_int_equal(handle_of(), handle_of());
	assert_int_equal(FD_CLOEXEC, fcntl(handle_of(), F_GETFD) & FD_CLOEXEC);
}

static void an_engine_that_is_not_armed_signals_nothing(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->is_pending = true;
	assert_int_equal(0, readable(handle_of(), 0));
	fake_destroy(fake);
}

static void arming_with_work_pending_signals(void **state)
{
	(void)state;
	struct fake *idle = connected();
	struct fake *fake = connected();
	fake->is_pending = true;
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
	fake_destroy(idle);
	fake_destroy(fake);
}

static void an_armed_engine_wakes_its_waiter_even_without_an_event(void **state)
{
	(void)state;
	struct fake *fake = connected();
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
	/* Level style: readable until cleared. */
	assert_int_equal(1, readable(handle_of(), 0));
	fake_destroy(fake);
}

static void clearing_makes_the_handle_unreadable_until_it_is_armed_again(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		expect_success(doca_pe_request_notification(pe));
		assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
		/* The handle argument is not used on Linux; programs pass 0. */
		expect_success(doca_pe_clear_notification(pe, 0));
		assert_int_equal(0, readable(handle_of(), 0));
	}
}

/* Far longer than any test takes: a wake-up that is lost shows. */
#define FOR_EVER UINT64_C(3600000000000)

static void arming_again_forgets_an_earlier_event(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->is_pending = true;
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
	fake->is_pending = false;
	emu_pe_set_longest_sleep(FOR_EVER);
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(0, readable(handle_of(), 0));
	assert_non_null(fake->armed_by);
	expect_success(doca_pe_clear_notification(pe, 0));
	assert_null(fake->armed_by);
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

static int timers_set;

/* In the place of the C library's, also for the library. */
int timerfd_settime(int fd, int flags, const struct itimerspec *new_value, struct itimerspec *old_value)
{
	timers_set++;
	return (int)syscall(SYS_timerfd_settime, fd, flags, new_value, old_value);
}

static void sleep_of(uint64_t longest)
{
	emu_pe_set_longest_sleep(longest);
	expect_success(doca_pe_request_notification(pe));
}

static void the_timer_is_set_only_where_it_fires_too_late_or_too_early(void **state)
{
	(void)state;
	struct fake *fake = connected();
	timers_set = 0;
	for (int round = 0; round < 100; round++)
		sleep_of(FOR_EVER);
	assert_int_equal(1, timers_set);
	/* At the latest after the time that holds now ... */
	sleep_of(FOR_EVER / 2);
	assert_int_equal(2, timers_set);
	/* ... and not before half of it has passed. */
	sleep_of(FOR_EVER * 2);
	assert_int_equal(3, timers_set);
	sleep_of(FOR_EVER * 3);
	assert_int_equal(3, timers_set);
	expect_success(doca_pe_clear_notification(pe, 0));
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

#define MILLISECOND UINT64_C(1000000)

static void each_sleep_ends_and_no_timer_wakes_twice(void **state)
{
	(void)state;
	struct fake *fake = connected();
	for (int round = 0; round < 20; round++) {
		sleep_of(FOR_EVER);
		assert_int_equal(0, readable(handle_of(), 0));
		sleep_of(MILLISECOND);
		assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
		sleep_of(MILLISECOND);
		assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
	}
	expect_success(doca_pe_clear_notification(pe, 0));
	assert_int_equal(0, readable(handle_of(), 0));
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

static void become_pending(struct fake *fake)
{
	fake->is_pending = true;
}

static void what_happens_while_it_is_being_armed_is_seen(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->on_arm = become_pending;
	emu_pe_set_longest_sleep(FOR_EVER);
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), 0));
	expect_success(doca_pe_clear_notification(pe, 0));
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

/* ---- the barrier between the look that finds nothing and the sleep ---- */

static char steps[8];

static void step(char what)
{
	size_t len = strlen(steps);
	if (len + 1 < sizeof(steps))
		steps[len] = what;
}

/* In the place of the C library's, also for the library. */
long syscall(long number, ...)
{
	static long (*next)(long number, ...);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	long arguments[6];
	va_list list;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_membarrier && arguments[0] == MEMBARRIER_CMD_GLOBAL_EXPEDITED)
		step('B');
	return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static void note_arming(struct fake *fake)
{
	(void)fake;
	step('A');
}

static uint64_t note_look(struct doca_ctx *ctx)
{
	(void)ctx;
	step('L');
	return EMU_NEVER;
}

/* What the contexts have written must be visible to the peers before they are looked at for the last time: else both
 * could miss what the other one did, and sleep. */
static void a_barrier_stands_between_arming_and_the_last_look(void **state)
{
	(void)state;
	struct emu_ctx_ops ops = fake_ops;
	ops.due_in = note_look;
	struct fake *fake = fake_new(&ops);
	fake->on_arm = note_arming;
	expect_success(doca_pe_connect_ctx(pe, &fake->ctx));
	memset(steps, 0, sizeof(steps));
	expect_success(doca_pe_request_notification(pe));
	assert_string_equal(steps, "LABL");
	expect_success(doca_pe_clear_notification(pe, 0));
	fake_destroy(fake);
}

static bool no_eventfd;

/* In the place of the C library's, also for the library. */
int eventfd(unsigned count, int flags)
{
	if (no_eventfd) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_eventfd2, count, flags);
}

static void an_engine_that_could_not_be_armed_can_be_armed_later(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->is_pending = true;
	no_eventfd = true;
	expect(DOCA_ERROR_OPERATING_SYSTEM, doca_pe_request_notification(pe));
	no_eventfd = false;
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
	expect_success(doca_pe_clear_notification(pe, 0));
	fake_destroy(fake);
}

static void what_cannot_be_relied_upon_is_not_slept_on(void **state)
{
	(void)state;
	struct fake *fake = connected();
	fake->is_unreliable = true;
	emu_pe_set_longest_sleep(FOR_EVER);
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
	expect_success(doca_pe_clear_notification(pe, 0));
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

static void what_the_program_does_while_it_is_armed_wakes(void **state)
{
	(void)state;
	struct fake *fake = connected();
	struct doca_task task = {.ctx = &fake->ctx, .state = EMU_TASK_OWNED};
	emu_pe_set_longest_sleep(FOR_EVER);
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(0, readable(handle_of(), 0));
	expect_success(doca_ctx_start(&fake->ctx));
	assert_int_equal(1, readable(handle_of(), 0));
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(0, readable(handle_of(), 0));
	expect_success(doca_task_submit(&task));
	assert_int_equal(1, readable(handle_of(), 0));
	fake->ctx.num_inflight = 0;
	expect_success(doca_pe_request_notification(pe));
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_int_equal(1, readable(handle_of(), 0));
	expect_success(doca_pe_clear_notification(pe, 0));
	/* And nothing of it signals an engine that is not armed. */
	expect_success(doca_ctx_start(&fake->ctx));
	expect_success(doca_ctx_stop(&fake->ctx));
	assert_int_equal(0, readable(handle_of(), 0));
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

static int times_ready;

static bool stay_watched(void *argument, struct emu_sleeper *sleeper)
{
	(void)sleeper;
	times_ready++;
	return *(bool *)argument;
}

static void a_watched_descriptor_wakes_for_as_long_as_it_is_readable(void **state)
{
	(void)state;
	struct fake *fake = connected();
	int ends[2];
	bool stays = true;
	assert_int_equal(0, pipe(ends));
	emu_pe_set_longest_sleep(FOR_EVER);
	expect_success(doca_pe_request_notification(pe));
	struct emu_sleeper *sleeper = fake->armed_by;
	/* Two ask for it. */
	assert_true(emu_sleeper_watch(sleeper, ends[0], stay_watched, &stays));
	assert_true(emu_sleeper_watch(sleeper, ends[0], stay_watched, &stays));
	times_ready = 0;
	assert_int_equal(0, readable(handle_of(), 0));
	assert_int_equal(1, write(ends[1], "x", 1));
	assert_int_equal(1, readable(handle_of(), 0));
	expect_success(doca_pe_clear_notification(pe, 0));
	assert_int_equal(1, times_ready);
	assert_int_equal(0, readable(handle_of(), 0));
	emu_sleeper_unwatch(sleeper, ends[0]);
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(1, readable(handle_of(), 0));
	/* One that says so is not watched any more. */
	stays = false;
	expect_success(doca_pe_request_notification(pe));
	assert_int_equal(2, times_ready);
	assert_int_equal(0, readable(handle_of(), 0));
	emu_sleeper_unwatch(sleeper, ends[0]);
	/* Both have taken it back: it can be watched anew. */
	assert_true(emu_sleeper_watch(sleeper, ends[0], stay_watched, &stays));
	assert_int_equal(1, readable(handle_of(), 0));
	emu_sleeper_unwatch(sleeper, ends[0]);
	assert_int_equal(0, readable(handle_of(), 0));
	expect_success(doca_pe_clear_notification(pe, 0));
	close(ends[0]);
	close(ends[1]);
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

static void the_handle_wakes_an_epoll_instance_of_the_program(void **state)
{
	(void)state;
	struct fake *fake = connected();
	int outer = epoll_create1(EPOLL_CLOEXEC), inner = epoll_create1(EPOLL_CLOEXEC), sockets[2];
	struct epoll_event event = {.events = EPOLLIN};
	bool stays = true;
	assert_int_equal(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
	emu_pe_set_longest_sleep(FOR_EVER);
	expect_success(doca_pe_request_notification(pe));
	/* As a server: it has an instance of its own for its sockets. */
	assert_int_equal(0, epoll_ctl(inner, EPOLL_CTL_ADD, sockets[0], &event));
	assert_true(emu_sleeper_watch(fake->armed_by, inner, stay_watched, &stays));
	assert_int_equal(0, epoll_ctl(outer, EPOLL_CTL_ADD, handle_of(), &event));
	assert_int_equal(0, epoll_wait(outer, &event, 1, 0));
	assert_int_equal(1, send(sockets[1], "x", 1, 0));
	assert_int_equal(1, epoll_wait(outer, &event, 1, LONG_ENOUGH));
	emu_sleeper_unwatch(fake->armed_by, inner);
	expect_success(doca_pe_clear_notification(pe, 0));
	assert_int_equal(0, epoll_wait(outer, &event, 1, 0));
	close(outer);
	close(inner);
	close(sockets[0]);
	close(sockets[1]);
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

#define HANDED_OVER 20000

static _Atomic uint32_t handed_over;
static _Atomic(struct emu_sleeper *) sleeping;

static uint64_t taken;

static uint64_t work_handed_over(struct doca_ctx *ctx)
{
	(void)ctx;
	return atomic_load_explicit(&handed_over, memory_order_acquire) > taken ? 0 : EMU_NEVER;
}

static void *hand_over(void *argument)
{
	(void)argument;
	struct emu_sleeper *sleeper;
	while ((sleeper = atomic_load(&sleeping)) == NULL)
		;
	for (uint32_t i = 1; i <= HANDED_OVER; i++) {
		atomic_store_explicit(&handed_over, i, memory_order_release);
		emu_sleeper_wake(sleeper);
		for (volatile uint32_t pause = 0; pause < i % 1000; pause++)
			;
	}
	return NULL;
}

/* Another thread gives it work, just as it goes to sleep. */
static void no_wake_up_of_another_thread_is_lost(void **state)
{
	(void)state;
	struct emu_ctx_ops ops = fake_ops;
	ops.due_in = work_handed_over;
	struct fake *fake = fake_new(&ops);
	expect_success(doca_pe_connect_ctx(pe, &fake->ctx));
	emu_pe_set_longest_sleep(FOR_EVER);
	pthread_t thread;
	assert_int_equal(0, pthread_create(&thread, NULL, hand_over, NULL));
	while (taken < HANDED_OVER) {
		expect_success(doca_pe_request_notification(pe));
		atomic_store(&sleeping, fake->armed_by != NULL ? fake->armed_by : atomic_load(&sleeping));
		assert_int_equal(1, readable(handle_of(), LONG_ENOUGH));
		expect_success(doca_pe_clear_notification(pe, 0));
		taken = atomic_load_explicit(&handed_over, memory_order_acquire);
	}
	assert_int_equal(0, pthread_join(thread, NULL));
	emu_pe_set_longest_sleep(READING_LONGEST_SLEEP_NS);
	fake_destroy(fake);
}

static void *use_own_engine(void *argument)
{
	(void)argument;
	struct doca_pe *own;
	if (doca_pe_create(&own) != DOCA_SUCCESS)
		return "create";
	struct fake *fake = calloc(1, sizeof(*fake));
	if (fake == NULL)
		return "memory";
	emu_ctx_init(&fake->ctx, &fake_ops);
	fake->stops_at_once = true;
	if (doca_pe_connect_ctx(own, &fake->ctx) != DOCA_SUCCESS)
		return "connect";
	for (int i = 0; i < 1000; i++) {
		if (doca_ctx_start(&fake->ctx) != DOCA_SUCCESS)
			return "start";
		fake->work = 1;
		if (doca_pe_progress(own) != 1)
			return "progress";
		if (doca_ctx_stop(&fake->ctx) != DOCA_SUCCESS)
			return "stop";
	}
	fake_destroy(fake);
	return doca_pe_destroy(own) == DOCA_SUCCESS ? NULL : "destroy";
}

static void engines_in_different_threads_need_no_locks(void **state)
{
	(void)state;
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, use_own_engine, NULL));
	for (int i = 0; i < 4; i++) {
		void *failed;
		assert_int_equal(0, pthread_join(threads[i], &failed));
		assert_null(failed);
	}
}

#define pe_test(test) cmocka_unit_test_setup_teardown(test, make_engine, destroy_engine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		pe_test(functions_refuse_null),
		pe_test(an_engine_without_contexts_has_nothing_to_do),
		pe_test(an_engine_cannot_be_destroyed_before_its_contexts),
		pe_test(a_context_has_one_engine_for_its_whole_life),
		pe_test(only_an_idle_context_is_connected),
		pe_test(one_progress_serves_one_context),
		pe_test(contexts_are_served_in_turn),
		pe_test(a_progress_without_work_looks_at_every_context_once),
		pe_test(a_callback_may_destroy_any_context_of_the_engine),
		pe_test(a_callback_may_connect_a_context),
		pe_test(progress_inside_a_callback_does_nothing),
		pe_test(progress_of_another_engine_inside_a_callback_works),
		pe_test(tasks_in_flight_are_summed_over_the_contexts),
		pe_test(the_event_mode_is_one_of_two),
		pe_test(the_handle_stays_the_same_and_is_not_inherited),
		pe_test(an_engine_that_is_not_armed_signals_nothing),
		pe_test(arming_with_work_pending_signals),
		pe_test(an_armed_engine_wakes_its_waiter_even_without_an_event),
		pe_test(clearing_makes_the_handle_unreadable_until_it_is_armed_again),
		pe_test(arming_again_forgets_an_earlier_event),
		pe_test(the_timer_is_set_only_where_it_fires_too_late_or_too_early),
		pe_test(each_sleep_ends_and_no_timer_wakes_twice),
		pe_test(what_happens_while_it_is_being_armed_is_seen),
		pe_test(a_barrier_stands_between_arming_and_the_last_look),
		pe_test(an_engine_that_could_not_be_armed_can_be_armed_later),
		pe_test(what_cannot_be_relied_upon_is_not_slept_on),
		pe_test(what_the_program_does_while_it_is_armed_wakes),
		pe_test(a_watched_descriptor_wakes_for_as_long_as_it_is_readable),
		pe_test(the_handle_wakes_an_epoll_instance_of_the_program),
		pe_test(no_wake_up_of_another_thread_is_lost),
		pe_test(engines_in_different_threads_need_no_locks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
