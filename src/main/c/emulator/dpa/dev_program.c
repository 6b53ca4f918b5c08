/* Calls of DPA programs: their threads, logs and hash tables. */
#include <sched.h>
#include <stdarg.h>
#include <time.h>

#include "device.h"
#include "doca_dpa_dev.h"
#include "doca_emu_dpa.h"
#include "hash_table.h"
#include "log/sdk_log.h"
#include "notification.h"

/* The calling execution unit's run; NULL, and logged: the caller is none. */
static struct emu_dpa_run *run_for(const char *call)
{
	struct emu_dpa_run *run = emu_dpa_run();
	if (run == NULL)
		EMU_LOG_ERROR("%s: only kernels on the DPA may call it", call);
	return run;
}

static void flush(struct emu_dpa_run *run)
{
	for (uint32_t i = 0; i < run->num_unflushed; i++)
		run->flush(run->unflushed[i]);
	run->num_unflushed = 0;
}

void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle)
{
	struct doca_dpa *dpa = emu_dpa_enter(EMU_DPA_DEVICE, dpa_handle, __func__);
	if (dpa == NULL)
		return;
	struct emu_dpa_run *run = emu_dpa_run();
	bool related = /* guard: dpa-of-another-program=1 */ dpa_root(dpa) == dpa_root(run->home);
	if (!related)
		emu_dpa_fail(run->dpa, "%s: a dpa of another program", __func__);
	emu_dpa_leave();
	if (related) {
		flush(run); /* what it holds back is of the dpa that it has meant so far */
		run->dpa = dpa;
	}
}

unsigned int doca_dpa_dev_thread_rank(void)
{
	const struct emu_dpa_run *run = run_for(__func__);
	return run == NULL ? 0 : run->rank;
}

unsigned int doca_dpa_dev_num_threads(void)
{
	const struct emu_dpa_run *run = run_for(__func__);
	return run == NULL ? 0 : run->num_threads;
}

doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void)
{
	const struct emu_dpa_run *run = run_for(__func__);
	return run == NULL ? 0 : run->local_storage;
}

void doca_dpa_dev_yield(void)
{
	const struct emu_dpa_run *run = run_for(__func__);
	if (run == NULL)
		return;
	if (run->job != EMU_DPA_LAUNCH)
		emu_dpa_fail(run->dpa, "%s: only launched kernels may call it", __func__);
	sched_yield();
}

static void end_run(const char *call, enum emu_dpa_end how)
{
	struct emu_dpa_run *run = run_for(call);
	if (run == NULL)
		return;
	if (run->job != EMU_DPA_THREAD)
		emu_dpa_fail(run->dpa, "%s: only the kernels of threads may call it", call);
	siglongjmp(*run->end, (int)how);
}

void doca_dpa_dev_thread_reschedule(void)
{
	end_run(__func__, EMU_DPA_RESCHEDULED);
}

void doca_dpa_dev_thread_finish(void)
{
	end_run(__func__, EMU_DPA_FINISHED);
}

void doca_emu_dpa_end_on_return(int reschedule)
{
	struct emu_dpa_run *run = run_for(__func__);
	if (run != NULL)
		run->on_return = reschedule ? EMU_DPA_RESCHEDULED : EMU_DPA_FINISHED;
}

void doca_emu_dpa_fail(const char *what)
{
	struct emu_dpa_run *run = run_for(__func__);
	if (run != NULL)
		emu_dpa_fail(run->dpa, "a kernel: %s", what == NULL ? "it has failed" : what);
}

uint64_t doca_emu_dpa_time(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle)
{
	struct doca_dpa_notification_completion *found = emu_dpa_enter(EMU_DPA_NOTIFICATION, comp_handle, __func__);
	if (found == NULL)
		return;
	emu_dpa_thread_of(found->thread)->trigger(found->thread);
	emu_dpa_leave();
}

/* ---- logs and traces ---- */

void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char *format, ...)
{
	const struct emu_dpa_run *run = run_for(__func__);
	if (run == NULL || format == NULL || (uint32_t)log_level > dpa_root(run->dpa)->log_level)
		return;
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	dpa_write_log(run->dpa, (uint32_t)log_level, text);
}

void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
	const struct emu_dpa_run *run = run_for(__func__);
	const uint64_t numbers[5] = {arg1, arg2, arg3, arg4, arg5};
	if (run != NULL)
		dpa_write_trace(run->dpa, numbers);
}

void doca_dpa_dev_trace_flush(void)
{
	const struct emu_dpa_run *run = run_for(__func__);
	if (run != NULL)
		dpa_flush_trace(run->dpa);
}

/* ---- hash tables ---- */

void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value)
{
	struct doca_dpa_hash_table *table = emu_dpa_enter(EMU_DPA_HASH_TABLE, ht_handle, __func__);
	if (table == NULL)
		return;
	if (!hash_table_add(table, key, value))
		emu_dpa_fail(emu_dpa_run()->dpa, "%s: the table is full", __func__);
	emu_dpa_leave();
}

void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key)
{
	struct doca_dpa_hash_table *table = emu_dpa_enter(EMU_DPA_HASH_TABLE, ht_handle, __func__);
	if (table == NULL)
		return;
	hash_table_remove(table, key);
	emu_dpa_leave();
}

int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value)
{
	struct doca_dpa_hash_table *table = emu_dpa_enter(EMU_DPA_HASH_TABLE, ht_handle, __func__);
	if (table == NULL)
		return 0;
	bool found = value != NULL && hash_table_find(table, key, value);
	emu_dpa_leave();
	return found;
}
