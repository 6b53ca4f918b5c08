/* Threads of the DPA: who wakes them, how often, and how they end. */
#include <stdatomic.h>

#include "fixture.h"

static uint64_t runs_of(struct shared *shared)
{
	return __atomic_load_n(&shared->runs, __ATOMIC_SEQ_CST);
}

static uint64_t name_of(struct doca_dpa_notification_completion *notification)
{
	uint64_t handle;
	OK(doca_dpa_notification_completion_get_dpa_handle(notification, &handle));
	return handle;
}

static struct doca_dpa_notification_completion *waker_of(struct doca_dpa *dpa, struct doca_dpa_thread *thread)
{
	struct doca_dpa_notification_completion *notification;
	OK(doca_dpa_notification_completion_create(dpa, thread, &notification));
	OK(doca_dpa_notification_completion_start(notification));
	return notification;
}

static void a_thread_runs_once_for_each_notification(void **state)
{
	(void)state;
	struct dpa dpa;
	dpa_open(&dpa);
	struct shared *shared = dpa_zeros(dpa.dpa, sizeof(*shared));
	struct doca_dpa_thread *thread = thread_make(dpa.dpa, count_runs, shared);
	struct doca_dpa_notification_completion *waker = waker_of(dpa.dpa, thread);
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
	assert_int_equal(runs_of(shared), 0); /* it may not run yet */
	OK(doca_dpa_thread_run(thread));
	AWAIT(runs_of(shared) == 1); /* and remembers one */
	for (uint64_t runs = 2; runs < 50; runs++) {
		OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
		AWAIT(runs_of(shared) == runs);
	}
	HEALTHY(dpa.dpa);
	GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_thread_destroy(thread));
	OK(doca_dpa_notification_completion_stop(waker));
	OK(doca_dpa_notification_completion_destroy(waker));
	thread_end(thread);
	dpa_release(dpa.dpa, shared);
	dpa_close(&dpa);
}

static void a_finished_thread_runs_no_more(void **state)
{
	(void)state;
	struct dpa dpa;
	dpa_open(&dpa);
	struct shared *shared = dpa_zeros(dpa.dpa, sizeof(*shared));
	shared->limit = 1;
	struct doca_dpa_thread *thread = thread_make(dpa.dpa, count_runs, shared);
	struct doca_dpa_notification_completion *waker = waker_of(dpa.dpa, thread);
	OK(doca_dpa_thread_run(thread));
	for (int i = 0; i < 5; i++)
		OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
	AWAIT(runs_of(shared) == 1);
	OK(doca_dpa_notification_completion_destroy(waker));
	thread_end(thread); /* waits for runs that are under way */
	assert_int_equal(runs_of(shared), 1);
	HEALTHY(dpa.dpa);
	dpa_release(dpa.dpa, shared);
	dpa_close(&dpa);
}

static void a_return_can_be_an_end(void **state)
{
	(void)state;
	struct dpa dpa;
	dpa_open(&dpa);
	struct shared *shared = dpa_zeros(dpa.dpa, sizeof(*shared));
	shared->limit = 3;
	struct doca_dpa_thread *thread = thread_make(dpa.dpa, end_by_returning, shared);
	struct doca_dpa_notification_completion *waker = waker_of(dpa.dpa, thread);
	OK(doca_dpa_thread_run(thread));
	for (uint64_t runs = 1; runs <= 3; runs++) {
		OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
		AWAIT(runs_of(shared) == runs);
	}
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
	OK(doca_dpa_notification_completion_destroy(waker));
	thread_end(thread);
	assert_int_equal(runs_of(shared), 3); /* the third return was the last */
	HEALTHY(dpa.dpa);
	dpa_release(dpa.dpa, shared);
	dpa_close(&dpa);
}

static void threads_wake_each_other(void **state)
{
	(void)state;
	struct dpa dpa;
	enum { ROUNDS = 1000 };
	dpa_open(&dpa);
	struct shared *a = dpa_zeros(dpa.dpa, sizeof(*a)), *b = dpa_zeros(dpa.dpa, sizeof(*b));
	struct doca_dpa_thread *first = thread_make(dpa.dpa, count_runs, a);
	struct doca_dpa_thread *second = thread_make(dpa.dpa, count_runs, b);
	struct doca_dpa_notification_completion *to_first = waker_of(dpa.dpa, first);
	struct doca_dpa_notification_completion *to_second = waker_of(dpa.dpa, second);
	a->next = name_of(to_second);
	b->next = name_of(to_first);
	a->limit = ROUNDS;
	OK(doca_dpa_thread_run(first));
	OK(doca_dpa_thread_run(second));
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(to_first)));
	AWAIT(runs_of(a) == ROUNDS && runs_of(b) == ROUNDS);
	HEALTHY(dpa.dpa);
	OK(doca_dpa_notification_completion_destroy(to_first));
	OK(doca_dpa_notification_completion_destroy(to_second));
	thread_end(first);
	thread_end(second);
	dpa_release(dpa.dpa, a);
	dpa_release(dpa.dpa, b);
	dpa_close(&dpa);
}

static void a_thread_knows_its_storage_and_its_rank(void **state)
{
	(void)state;
	struct dpa dpa;
	enum { NUM = 3 };
	struct doca_dpa_thread *threads[NUM];
	struct doca_dpa_notification_completion *wakers[NUM];
	struct shared *shared[NUM];
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_tg *group;
	doca_dpa_func_t *func;
	uint64_t argument, storage;
	unsigned int num;
	dpa_open(&dpa);
	OK(doca_dpa_eu_affinity_create(dpa.dpa, &affinity));
	OK(doca_dpa_eu_affinity_set(affinity, 17));
	OK(doca_dpa_thread_group_create(dpa.dpa, NUM, &group));
	OK(doca_dpa_thread_group_get_num_threads(group, &num));
	assert_int_equal(num, NUM);
	for (unsigned int i = 0; i < NUM; i++) {
		shared[i] = dpa_zeros(dpa.dpa, sizeof(*shared[i]));
		OK(doca_dpa_thread_create(dpa.dpa, &threads[i]));
		OK(doca_dpa_thread_set_func_arg(threads[i], count_runs, (uint64_t)shared[i]));
		OK(doca_dpa_thread_set_local_storage(threads[i], 100 + i));
		OK(doca_dpa_thread_set_affinity(threads[i], affinity));
		OK(doca_dpa_thread_start(threads[i]));
		GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_thread_set_affinity(threads[i], affinity));
		OK(doca_dpa_thread_get_func_arg(threads[i], &func, &argument));
		assert_true(func == count_runs && argument == (uint64_t)shared[i]);
		OK(doca_dpa_thread_get_local_storage(threads[i], &storage));
		assert_int_equal(storage, 100 + i);
		GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_thread_group_start(group)); /* a rank is missing */
		GIVES(DOCA_ERROR_INVALID_VALUE, doca_dpa_thread_group_set_thread(group, threads[i], NUM));
		OK(doca_dpa_thread_group_set_thread(group, threads[i], NUM - 1 - i));
	}
	OK(doca_dpa_thread_group_start(group));
	GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_thread_group_start(group));
	GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_thread_group_set_thread(group, threads[0], 0));
	for (unsigned int i = 0; i < NUM; i++) {
		wakers[i] = waker_of(dpa.dpa, threads[i]);
		OK(doca_dpa_thread_run(threads[i]));
		OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(wakers[i])));
	}
	for (unsigned int i = 0; i < NUM; i++) {
		AWAIT(runs_of(shared[i]) == 1);
		assert_int_equal(shared[i]->storage, 100 + i);
		assert_int_equal(shared[i]->rank, NUM - 1 - i);
		assert_int_equal(shared[i]->size, NUM);
		OK(doca_dpa_notification_completion_destroy(wakers[i]));
	}
	OK(doca_dpa_thread_group_stop(group));
	GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_thread_group_stop(group));
	OK(doca_dpa_thread_group_destroy(group));
	for (unsigned int i = 0; i < NUM; i++) {
		thread_end(threads[i]);
		dpa_release(dpa.dpa, shared[i]);
	}
	OK(doca_dpa_eu_affinity_destroy(affinity));
	dpa_close(&dpa);
}

static void a_polling_kernel_ends_by_a_flag(void **state)
{
	(void)state;
	struct dpa dpa;
	dpa_open(&dpa);
	uint64_t *stop = dpa_zeros(dpa.dpa, 2 * sizeof(*stop));
	struct doca_dpa_thread *thread = thread_make(dpa.dpa, poll_for_ever, stop);
	struct doca_dpa_notification_completion *waker = waker_of(dpa.dpa, thread);
	OK(doca_dpa_thread_run(thread));
	OK(doca_dpa_rpc(dpa.dpa, notify, NULL, name_of(waker)));
	OK(doca_dpa_notification_completion_destroy(waker));
	AWAIT(__atomic_load_n(&stop[1], __ATOMIC_RELAXED) == 1);
	GIVES(DOCA_ERROR_DRIVER, doca_dpa_thread_stop(thread));
	GIVES(DOCA_ERROR_DRIVER, doca_dpa_thread_destroy(thread));
	uint64_t found = 0; /* other calls go on meanwhile */
	OK(doca_dpa_rpc(dpa.dpa, load, &found, stop));
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	thread_end(thread);
	HEALTHY(dpa.dpa);
	dpa_release(dpa.dpa, stop);
	dpa_close(&dpa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_runs_once_for_each_notification),
		cmocka_unit_test(a_finished_thread_runs_no_more),
		cmocka_unit_test(a_return_can_be_an_end),
		cmocka_unit_test(threads_wake_each_other),
		cmocka_unit_test(a_thread_knows_its_storage_and_its_rank),
		cmocka_unit_test(a_polling_kernel_ends_by_a_flag),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
