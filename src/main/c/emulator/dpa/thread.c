#include "thread.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "doca_dpa.h"
#include "log/sdk_log.h"

static struct doca_dpa_thread *of_job(struct eu_job *job)
{
	return (struct doca_dpa_thread *)((char *)job - offsetof(struct doca_dpa_thread, job));
}

/* With the lock held: starts a run if one is due and possible. */
static void run_if_due(struct doca_dpa_thread *thread)
{
	if (!thread->pending || !thread->run || thread->busy || thread->finished)
		return;
	thread->pending = false;
	thread->busy = eu_pool_submit(thread->base.dpa->pool, &thread->job);
	if (!thread->busy)
		emu_dpa_fail(thread->base.dpa, "no execution unit for a thread");
}

static void trigger(struct doca_dpa_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	thread->pending = true;
	run_if_due(thread);
	pthread_mutex_unlock(&thread->lock);
}

/* On an execution unit. */
static void work(struct eu_job *job, struct emu_dpa_run *run)
{
	struct doca_dpa_thread *thread = of_job(job);
	pthread_mutex_lock(&thread->lock);
	bool wanted = thread->run; /* it may have been stopped meanwhile */
	pthread_mutex_unlock(&thread->lock);
	enum emu_dpa_end how = EMU_DPA_RESCHEDULED;
	if (wanted) {
		run->dpa = run->home = thread->base.dpa;
		run->job = EMU_DPA_THREAD;
		run->rank = thread->rank;
		run->num_threads = thread->group_size;
		run->local_storage = thread->local_storage;
		uint64_t ignored;
		how = kernel_run(&thread->kernel, run, &ignored);
		if (how == EMU_DPA_RETURNED)
			emu_dpa_fail(run->home,
				     "the kernel of a thread returned; it must end with "
				     "doca_dpa_dev_thread_reschedule or doca_dpa_dev_thread_finish");
	}
	pthread_mutex_lock(&thread->lock);
	thread->busy = false;
	thread->finished |= how != EMU_DPA_RESCHEDULED;
	run_if_due(thread);
	pthread_cond_broadcast(&thread->at_rest);
	pthread_mutex_unlock(&thread->lock);
}

doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread)
{
	static _Atomic uint32_t last_id;
	if (dpa == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa_thread *created = dpa_adopt(dpa, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->base.dpa = dpa;
	created->base.trigger = trigger;
	created->job = (struct eu_job){.work = work, .eu = EU_ANY};
	created->id = atomic_fetch_add(&last_id, 1) + 1;
	created->group_size = 1;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&created->lock, NULL);
	pthread_cond_init(&created->at_rest, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*dpa_thread = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&dpa_thread->base.started) || dpa_thread->kernel.function == NULL ||
	    !dpa_started(dpa_thread->base.dpa))
		return DOCA_ERROR_BAD_STATE;
	int eu = dpa_thread->affinity == NULL ? EU_ANY : dpa_thread->affinity->eu;
	dpa_thread->job.eu = eu;
	dpa_thread->pending = dpa_thread->finished = false;
	atomic_store(&dpa_thread->base.started, true);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&dpa_thread->base.started))
		return READING_DPA_NOT_STARTED;
	pthread_mutex_lock(&dpa_thread->lock);
	dpa_thread->run = true;
	run_if_due(dpa_thread);
	pthread_mutex_unlock(&dpa_thread->lock);
	return DOCA_SUCCESS;
}

/* Lets no further run begin, and waits for the one that is under way. */
static bool come_to_rest(struct doca_dpa_thread *thread)
{
	struct timespec deadline;
	(void)clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += READING_DPA_STOP_PATIENCE_MS / 1000;
	pthread_mutex_lock(&thread->lock);
	thread->run = false;
	int error = 0;
	while (thread->busy && /* guard: thread-patience=1 */ error != ETIMEDOUT)
		error = pthread_cond_timedwait(&thread->at_rest, &thread->lock, &deadline);
	bool rests = !thread->busy;
	pthread_mutex_unlock(&thread->lock);
	return rests;
}

doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&dpa_thread->base.started))
		return READING_DPA_NOT_STARTED;
	if (!come_to_rest(dpa_thread)) {
		emu_log_reason("the kernel of a thread does not end");
		return READING_DPA_STOP_RUNNING;
	}
	atomic_store(&dpa_thread->base.started, false);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (/* guard: thread-in-use */ atomic_load(&dpa_thread->base.users) > 0 || dpa_thread->group != NULL)
		return DOCA_ERROR_BAD_STATE;
	if (!come_to_rest(dpa_thread))
		return READING_DPA_STOP_RUNNING;
	pthread_cond_destroy(&dpa_thread->at_rest);
	pthread_mutex_destroy(&dpa_thread->lock);
	dpa_disown(dpa_thread->base.dpa, dpa_thread);
	return DOCA_SUCCESS;
}

/* ---- properties ---- */

doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func, uint64_t arg)
{
	if (dpa_thread == NULL || func == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&dpa_thread->base.started))
		return DOCA_ERROR_BAD_STATE;
	dpa_thread->kernel = (struct kernel){.function = func, .arguments = {arg}};
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t **func, uint64_t *arg)
{
	if (dpa_thread == NULL || func == NULL || arg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*func = dpa_thread->kernel.function;
	*arg = dpa_thread->kernel.arguments[0];
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread, doca_dpa_dev_uintptr_t dev_ptr)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&dpa_thread->base.started))
		return DOCA_ERROR_BAD_STATE;
	dpa_thread->local_storage = dev_ptr;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread, doca_dpa_dev_uintptr_t *dev_ptr)
{
	if (dpa_thread == NULL || dev_ptr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev_ptr = dpa_thread->local_storage;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
					  const struct doca_dpa_eu_affinity *affinity)
{
	if (dpa_thread == NULL || affinity == NULL || affinity->eu == EU_ANY)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&dpa_thread->base.started))
		return DOCA_ERROR_BAD_STATE;
	dpa_thread->affinity = affinity;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
					  const struct doca_dpa_eu_affinity **affinity)
{
	if (dpa_thread == NULL || affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*affinity = dpa_thread->affinity;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id)
{
	if (dpa_thread == NULL || dpa_thread_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&dpa_thread->base.started))
		return READING_DPA_NOT_STARTED;
	*dpa_thread_id = dpa_thread->id;
	return DOCA_SUCCESS;
}
