/* Calls of the host: rpc, and the launch of kernels. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "device.h"
#include "doca_dpa.h"
#include "log/sdk_log.h"
#include "sync_event/sync_event.h"

/* How many arguments the caller has given is unknown, so that more are read than there are: what lies behind them
 * belongs to the caller's frame, and the kernel does not look at it. Structures cannot be passed. */
#if defined(__clang__) || defined(__GNUC__)
#define READS_BEYOND __attribute__((noinline, no_sanitize("address"), no_sanitize("thread")))
#else
#define READS_BEYOND
#endif

static READS_BEYOND void read_arguments(struct kernel *kernel, va_list *arguments)
{
	for (int i = 0; i < KERNEL_ARGUMENTS; i++)
		kernel->arguments[i] = va_arg(*arguments, uint64_t);
}

static void describe(struct emu_dpa_run *run, struct doca_dpa *dpa, enum emu_dpa_job job, uint32_t rank, uint32_t num)
{
	run->dpa = run->home = dpa;
	run->job = job;
	run->rank = rank;
	run->num_threads = num;
	run->local_storage = 0;
}

/* ---- rpc ---- */

struct rpc {
	struct eu_job job;
	struct doca_dpa *dpa;
	struct kernel kernel;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	uint64_t returned;
	bool done, abandoned; /* nobody waits any more */
};

static void free_rpc(struct rpc *rpc)
{
	pthread_cond_destroy(&rpc->ended);
	pthread_mutex_destroy(&rpc->lock);
	free(rpc);
}

static void work_rpc(struct eu_job *job, struct emu_dpa_run *run)
{
	struct rpc *rpc = (struct rpc *)((char *)job - offsetof(struct rpc, job));
	describe(run, rpc->dpa, EMU_DPA_RPC, 0, 1);
	uint64_t returned = 0;
	(void)kernel_run(&rpc->kernel, run, &returned);
	pthread_mutex_lock(&rpc->lock);
	rpc->returned = returned;
	rpc->done = true;
	bool abandoned = rpc->abandoned;
	pthread_cond_signal(&rpc->ended);
	pthread_mutex_unlock(&rpc->lock);
	if (abandoned)
		/* guard: release-abandoned-call */ free_rpc(rpc);
}

static doca_error_t await_rpc(struct rpc *rpc, uint64_t *retval)
{
	struct timespec deadline;
	(void)clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += READING_DPA_MAX_RUN_S;
	struct doca_dpa *dpa = rpc->dpa;
	int error = 0;
	pthread_mutex_lock(&rpc->lock);
	while (!rpc->done && /* guard: rpc-patience=1 */ error != ETIMEDOUT)
		error = pthread_cond_timedwait(&rpc->ended, &rpc->lock, &deadline);
	bool done = rpc->done;
	rpc->abandoned = !done;
	if (done && retval != NULL)
		*retval = rpc->returned;
	pthread_mutex_unlock(&rpc->lock);
	if (done) {
		free_rpc(rpc);
		return DOCA_SUCCESS;
	}
	/* Abandoned: its execution unit frees it. */
	emu_dpa_fail(dpa, "a call has been running for %u s", READING_DPA_MAX_RUN_S);
	return DOCA_ERROR_DRIVER;
}

static doca_error_t call(struct doca_dpa *dpa, const struct kernel *kernel, uint64_t *retval)
{
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	struct rpc *rpc = calloc(1, sizeof(*rpc));
	if (rpc == NULL)
		return DOCA_ERROR_DRIVER;
	rpc->job = (struct eu_job){.work = work_rpc, .eu = EU_ANY};
	rpc->dpa = dpa;
	rpc->kernel = *kernel;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&rpc->lock, NULL);
	pthread_cond_init(&rpc->ended, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (eu_pool_submit(dpa->pool, &rpc->job))
		return await_rpc(rpc, retval);
	free_rpc(rpc);
	return DOCA_ERROR_DRIVER;
}

READS_BEYOND doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...)
{
	if (dpa == NULL || func == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct kernel kernel = {.function = func};
	va_list arguments;
	va_start(arguments, retval);
	read_arguments(&kernel, &arguments);
	va_end(arguments);
	return call(dpa, &kernel, retval);
}

/* ---- launches ---- */

struct launch;

struct launch_rank {
	struct eu_job job;
	struct launch *launch;
	uint32_t rank;
};

struct launch {
	struct emu_sync_watch watch;
	struct doca_dpa *dpa;
	struct kernel kernel;
	struct doca_sync_event *comp_event;
	enum emu_sync_change change;
	uint64_t count;
	uint32_t num;
	_Atomic uint32_t left; /* ranks that have not ended */
	struct launch_rank ranks[];
};

static void end_ranks(struct launch *launch, uint32_t num)
{
	if (atomic_fetch_sub(&launch->left, num) != num)
		return;
	struct doca_dpa *dpa = launch->dpa;
	struct doca_sync_event *comp_event = launch->comp_event;
	enum emu_sync_change change = launch->change;
	uint64_t count = launch->count;
	free(launch);
	/* The dpa first: whoever sees the event may stop it at once. */
	atomic_fetch_sub(&dpa->base.users, 1);
	if (comp_event != NULL)
		emu_sync_event_change_and_unuse(comp_event, change, count);
}

static void work_rank(struct eu_job *job, struct emu_dpa_run *run)
{
	struct launch_rank *rank = (struct launch_rank *)((char *)job - offsetof(struct launch_rank, job));
	struct launch *launch = rank->launch;
	describe(run, launch->dpa, EMU_DPA_LAUNCH, rank->rank, launch->num);
	uint64_t ignored;
	(void)kernel_run(&launch->kernel, run, &ignored);
	end_ranks(launch, 1);
}

static void fire(struct emu_sync_watch *watch)
{
	struct launch *launch = (struct launch *)((char *)watch - offsetof(struct launch, watch));
	uint32_t num = launch->num, failed = 0;
	for (uint32_t rank = 0; rank < num; rank++)
		if (!eu_pool_submit(launch->dpa->pool, &launch->ranks[rank].job))
			failed++;
	/* A rank that was submitted may have ended: only those that were not keep the launch. */
	if (failed > 0) {
		emu_dpa_fail(launch->dpa, "no execution unit for a kernel");
		end_ranks(launch, failed);
	}
}

static doca_error_t launch(struct doca_dpa *dpa, struct doca_sync_event *wait_event, uint64_t threshold,
			   struct doca_sync_event *comp_event, uint64_t count, enum emu_sync_change change,
			   unsigned int num_threads, const struct kernel *kernel)
{
	/* As much as the hardware compares. */
	if (/* guard: launch-threshold */ threshold > 254 || /* guard: launch-threads-none */ num_threads == 0 ||
	    /* guard: launch-threads */ num_threads > READING_DPA_MAX_THREADS_PER_KERNEL ||
	    (wait_event != NULL && /* guard: launch-wait-event */ !emu_sync_event_is_for(wait_event, dpa)) ||
	    (comp_event != NULL && /* guard: launch-completion-event */ !emu_sync_event_is_for(comp_event, dpa)))
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	struct launch *made = calloc(1, sizeof(*made) + num_threads * sizeof(made->ranks[0]));
	if (made == NULL)
		return DOCA_ERROR_DRIVER;
	made->watch = (struct emu_sync_watch){.relation = EMU_SYNC_GREATER, .value = threshold, .fire = fire};
	made->dpa = dpa;
	made->kernel = *kernel;
	made->comp_event = comp_event;
	made->change = change;
	made->count = count;
	made->num = num_threads;
	atomic_store(&made->left, num_threads);
	for (uint32_t rank = 0; rank < num_threads; rank++)
		made->ranks[rank] = (struct launch_rank){{.work = work_rank, .eu = EU_ANY}, made, rank};
	atomic_fetch_add(&dpa->base.users, 1);
	if (comp_event != NULL)
		emu_sync_event_use(comp_event);
	if (wait_event == NULL || !emu_sync_event_watch(wait_event, &made->watch))
		fire(&made->watch);
	return DOCA_SUCCESS;
}

READS_BEYOND doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa, struct doca_sync_event *wait_event,
							    uint64_t wait_threshold, struct doca_sync_event *comp_event,
							    uint64_t comp_count, unsigned int num_threads,
							    doca_dpa_func_t *func, ...)
{
	if (dpa == NULL || func == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct kernel kernel = {.function = func};
	va_list arguments;
	va_start(arguments, func);
	read_arguments(&kernel, &arguments);
	va_end(arguments);
	return launch(dpa, wait_event, wait_threshold, comp_event, comp_count, EMU_SYNC_SET, num_threads, &kernel);
}

READS_BEYOND doca_error_t doca_dpa_kernel_launch_update_add(struct doca_dpa *dpa, struct doca_sync_event *wait_event,
							    uint64_t wait_threshold, struct doca_sync_event *comp_event,
							    uint64_t comp_count, unsigned int num_threads,
							    doca_dpa_func_t *func, ...)
{
	if (dpa == NULL || func == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct kernel kernel = {.function = func};
	va_list arguments;
	va_start(arguments, func);
	read_arguments(&kernel, &arguments);
	va_end(arguments);
	return launch(dpa, wait_event, wait_threshold, comp_event, comp_count, EMU_SYNC_ADD, num_threads, &kernel);
}
