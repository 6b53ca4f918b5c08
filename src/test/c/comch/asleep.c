/* The word that says that an engine sleeps (base/asleep.h), and the barrier that makes it reliable: of a change and of
 * a sleep that begins at the same moment, at least one is noticed by the other side. Without the barrier each side can
 * miss the other's, within some thousand rounds on most machines. */
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <time.h>

#include "base/asleep.h"
#include "core/sleeper.h"
#include "harness.h"

#define ROUNDS 400000u
#define LONGEST_S 5 /* where the two threads share a processor */

static alignas(64) shm_asleep word;
static alignas(64) _Atomic uint32_t change;
static alignas(64) _Atomic uint32_t begun;
static alignas(64) _Atomic uint32_t ended;
static bool found_asleep;

static void await(const _Atomic uint32_t *counter, uint32_t round)
{
	for (unsigned spins = 1; atomic_load_explicit(counter, memory_order_acquire) < round; spins++)
		if (spins % 1000 == 0)
			sched_yield();
}

static void dawdle(uint32_t count)
{
	for (volatile uint32_t pause = 0; pause < count; pause++)
		;
}

static void *make_changes(void *argument)
{
	(void)argument;
	for (uint32_t round = 1; round != 0; round++) {
		await(&begun, round);
		if (begun == UINT32_MAX)
			break;
		dawdle(round % 13);
		atomic_store_explicit(&change, round, memory_order_release);
		found_asleep = shm_is_asleep(&word);
		atomic_store_explicit(&ended, round, memory_order_release);
	}
	return NULL;
}

static void a_change_or_the_sleep_is_noticed(void **state)
{
	(void)state;
	if (!emu_barrier_join() || !emu_barrier())
		skip();
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, make_changes, NULL) == 0);
	time_t end = time(NULL) + LONGEST_S;
	uint32_t round = 0, missed = 0;
	while (round < ROUNDS && time(NULL) < end) {
		round++;
		shm_awake(&word);
		atomic_store_explicit(&begun, round, memory_order_release);
		dawdle(round / 13 % 31);
		shm_fall_asleep(&word);
		CHECK(emu_barrier());
		bool noticed = atomic_load_explicit(&change, memory_order_acquire) == round;
		await(&ended, round);
		missed += !noticed && !found_asleep;
	}
	atomic_store(&begun, UINT32_MAX);
	CHECK(pthread_join(thread, NULL) == 0);
	assert_int_equal(missed, 0);
}

static void one_of_many_takes_a_wake_up(void **state)
{
	(void)state;
	shm_fall_asleep(&word);
	assert_true(shm_is_asleep(&word));
	assert_true(shm_takes_wakeup(&word));
	assert_false(shm_takes_wakeup(&word));
	assert_false(shm_is_asleep(&word));
	shm_fall_asleep(&word);
	shm_awake(&word);
	assert_false(shm_takes_wakeup(&word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_many_takes_a_wake_up),
		cmocka_unit_test(a_change_or_the_sleep_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
