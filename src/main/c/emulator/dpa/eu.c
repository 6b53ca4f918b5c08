#include "eu.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core/cpu.h"
#include "log/sdk_log.h"
#include "readings.h"

/* How often an execution unit without work looks for some before it sleeps: waking a thread takes longer. */
#define LOOKS_BEFORE_SLEEP 400

struct eu {
	struct eu_pool *pool;
	pthread_t thread;
	pthread_cond_t wake;
	bool exists, left;
	_Atomic bool idle;
	struct eu_job *handed;       /* what it is to do next */
	struct eu_job *first, *last; /* what only this one may do */
	struct eu *next_idle;
	_Atomic int64_t since_ms; /* when the call or launch began that it is running; 0: none */
	struct emu_dpa_run run;
};

struct eu_pool {
	pthread_mutex_t lock;
	pthread_cond_t one_left;
	struct eu_job *first, *last;
	struct eu *idle; /* the one that has been idle for the shortest time first */
	uint32_t alive;
	bool closing;
	struct eu eus[READING_DPA_EUS];
};

static int64_t monotonic_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct eu_pool *eu_pool_create(void)
{
	struct eu_pool *pool = calloc(1, sizeof(*pool));
	if (pool == NULL)
		return NULL;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->one_left, &monotonic);
	for (uint32_t i = 0; i < READING_DPA_EUS; i++) {
		pool->eus[i].pool = pool;
		pthread_cond_init(&pool->eus[i].wake, NULL);
	}
	pthread_condattr_destroy(&monotonic);
	return pool;
}

static void append(struct eu_job **first, struct eu_job **last, struct eu_job *job)
{
	job->next = NULL;
	if (*first == NULL)
		*first = job;
	else
		(*last)->next = job;
	*last = job;
}

static struct eu_job *take(struct eu_job **first)
{
	struct eu_job *job = *first;
	if (job != NULL)
		*first = job->next;
	return job;
}

/* With the lock held. */
static struct eu_job *next_job(struct eu *eu)
{
	struct eu_job *job = eu->handed;
	eu->handed = NULL;
	if (job == NULL)
		job = take(&eu->first);
	if (job == NULL)
		job = take(&eu->pool->first);
	return job;
}

/* With the lock held, which is given away meanwhile. */
static void rest(struct eu *eu)
{
	struct eu_pool *pool = eu->pool;
	atomic_store(&eu->idle, true);
	eu->next_idle = pool->idle;
	pool->idle = eu;
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < LOOKS_BEFORE_SLEEP && atomic_load_explicit(&eu->idle, memory_order_relaxed); i++)
		cpu_pause();
	pthread_mutex_lock(&pool->lock);
	while (atomic_load(&eu->idle))
		pthread_cond_wait(&eu->wake, &pool->lock);
}

static void *eu_main(void *argument)
{
	struct eu *eu = argument;
	struct eu_pool *pool = eu->pool;
	emu_dpa_run_register(&eu->run);
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct eu_job *job = next_job(eu);
		if (job != NULL) {
			pthread_mutex_unlock(&pool->lock);
			job->work(job, &eu->run);
			pthread_mutex_lock(&pool->lock);
		} else if (pool->closing) {
			break;
		} else {
			rest(eu);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	emu_dpa_run_unregister(&eu->run);
	pthread_mutex_lock(&pool->lock);
	eu->left = true;
	pool->alive--;
	pthread_cond_signal(&pool->one_left);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* With the lock held. */
static bool start(struct eu *eu)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	eu->left = false;
	eu->exists = pthread_create(&eu->thread, NULL, eu_main, eu) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	eu->pool->alive += eu->exists;
	return eu->exists;
}

/* With the lock held. */
static void wake(struct eu *eu)
{
	struct eu **link = &eu->pool->idle;
	while (*link != eu)
		link = &(*link)->next_idle;
	*link = eu->next_idle;
	atomic_store(&eu->idle, false);
	pthread_cond_signal(&eu->wake);
}

static bool submit_to(struct eu *eu, struct eu_job *job)
{
	append(&eu->first, &eu->last, job);
	if (!eu->exists) {
		if (start(eu))
			return true;
		eu->first = NULL;
		return false;
	}
	if (atomic_load(&eu->idle))
		wake(eu);
	return true;
}

static bool submit_to_any(struct eu_pool *pool, struct eu_job *job)
{
	struct eu *eu = pool->idle;
	if (eu != NULL) {
		eu->handed = job;
		wake(eu);
		return true;
	}
	for (uint32_t i = 0; i < READING_DPA_EUS; i++) {
		eu = &pool->eus[i];
		if (eu->exists)
			continue;
		eu->handed = job;
		if (start(eu))
			return true;
		eu->handed = NULL;
		break;
	}
	if (pool->alive == 0)
		return false;
	append(&pool->first, &pool->last, job);
	return true;
}

bool eu_pool_submit(struct eu_pool *pool, struct eu_job *job)
{
	pthread_mutex_lock(&pool->lock);
	bool taken = job->eu == EU_ANY ? submit_to_any(pool, job) : submit_to(&pool->eus[job->eu], job);
	pthread_mutex_unlock(&pool->lock);
	if (!taken)
		EMU_LOG_ERROR("cannot start a thread for an execution unit of the DPA");
	return taken;
}

/* With the lock held: waits until all threads have left; false when they have not in time. */
static bool await_all(struct eu_pool *pool, int64_t patience_ms)
{
	int64_t until = monotonic_ms() + patience_ms;
	const struct timespec deadline = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
	while (pool->alive > 0)
		if (pthread_cond_timedwait(&pool->one_left, &pool->lock, &deadline) == ETIMEDOUT)
			return pool->alive == 0;
	return true;
}

bool eu_pool_destroy(struct eu_pool *pool, int64_t patience_ms)
{
	pthread_mutex_lock(&pool->lock);
	pool->closing = true;
	while (pool->idle != NULL)
		wake(pool->idle);
	bool all = await_all(pool, patience_ms);
	pool->closing = false;
	for (uint32_t i = 0; i < READING_DPA_EUS; i++) {
		struct eu *eu = &pool->eus[i];
		if (!eu->exists || !eu->left)
			continue;
		eu->exists = false;
		pthread_mutex_unlock(&pool->lock);
		pthread_join(eu->thread, NULL);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	if (!all)
		return false;
	for (uint32_t i = 0; i < READING_DPA_EUS; i++)
		pthread_cond_destroy(&pool->eus[i].wake);
	pthread_cond_destroy(&pool->one_left);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	return true;
}

int64_t eu_pool_longest_run_ms(struct eu_pool *pool)
{
	int64_t earliest = 0;
	for (uint32_t i = 0; i < READING_DPA_EUS; i++) {
		int64_t since = atomic_load(&pool->eus[i].since_ms);
		if (since != 0 && (earliest == 0 || since < earliest))
			earliest = since;
	}
	return earliest == 0 ? 0 : monotonic_ms() - earliest + 1;
}

/* ---- kernels ---- */

/* Registers and stack that a function does not ask for do no harm: true of integers on x86-64 and AArch64. */
typedef uint64_t any_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			      uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static uint64_t call(const struct kernel *kernel)
{
	any_function *function = (any_function *)kernel->function;
	const uint64_t *a = kernel->arguments;
	return function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
			a[15]);
}

/* Of its own: nothing here lives on across the jump. */
static __attribute__((noinline)) enum emu_dpa_end call_or_leave(const struct kernel *kernel, struct emu_dpa_run *run,
								uint64_t *returned)
{
	sigjmp_buf end;
	run->end = &end;
	int left = sigsetjmp(end, 0);
	if (left != 0)
		return (enum emu_dpa_end)left;
	*returned = call(kernel);
	return EMU_DPA_RETURNED;
}

enum emu_dpa_end kernel_run(const struct kernel *kernel, struct emu_dpa_run *run, uint64_t *returned)
{
	struct eu *eu = (struct eu *)((char *)run - offsetof(struct eu, run));
	if (run->job != EMU_DPA_THREAD)
		atomic_store(&eu->since_ms, monotonic_ms());
	run->num_unflushed = 0;
	run->on_return = EMU_DPA_RETURNED;
	enum emu_dpa_end how = call_or_leave(kernel, run, returned);
	for (uint32_t i = 0; i < run->num_unflushed; i++)
		run->flush(run->unflushed[i]);
	run->num_unflushed = 0;
	atomic_store(&eu->since_ms, 0);
	return how == EMU_DPA_RETURNED ? run->on_return : how;
}
