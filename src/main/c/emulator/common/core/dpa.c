/* Handles of what programs on an emulated DPA use, and the calls that are using it. */
#include "core/dpa.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/forks.h"
#include "log/sdk_log.h"

#define INDEX_COUNT (1u << EMU_DPA_INDEX_BITS)
#define INDEX_MASK (INDEX_COUNT - 1)

#define RETIRING UINT64_MAX

struct entry {
	_Atomic uint64_t handle; /* 0: free; RETIRING: calls may still use the object */
	enum emu_dpa_kind kind;
	void *object;
	const void *owner;
};

static struct entry entries[INDEX_COUNT];
static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(entries_lock)
static uint64_t last_generation;
static uint32_t next_index;

static pthread_mutex_t runs_lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(runs_lock)
static struct emu_dpa_run *runs;
static _Thread_local struct emu_dpa_run *current;

uint64_t emu_dpa_publish(enum emu_dpa_kind kind, void *object, const void *owner)
{
	uint64_t handle = 0;
	pthread_mutex_lock(&entries_lock);
	for (uint32_t tried = 0; tried < INDEX_COUNT && handle == 0; tried++) {
		uint32_t index = next_index++ & INDEX_MASK;
		struct entry *entry = &entries[index];
		if (atomic_load_explicit(&entry->handle, memory_order_relaxed) != 0)
			continue;
		entry->kind = kind;
		entry->object = object;
		entry->owner = owner;
		/* No handle is 0, also where 32 bits of it are the handle. */
		do
			last_generation++;
		while ((last_generation & INDEX_MASK) == 0);
		handle = last_generation << EMU_DPA_INDEX_BITS | index;
		if (kind == EMU_DPA_MMAP)
			handle &= UINT32_MAX;
		atomic_store(&entry->handle, handle);
	}
	pthread_mutex_unlock(&entries_lock);
	return handle;
}

void emu_dpa_quiesce(void)
{
	pthread_mutex_lock(&runs_lock);
	for (struct emu_dpa_run *run = runs; run != NULL; run = run->next) {
		uint64_t calls = atomic_load(&run->calls);
		while (calls % 2 == 1 && atomic_load(&run->calls) == calls)
			sched_yield();
	}
	pthread_mutex_unlock(&runs_lock);
}

void emu_dpa_unpublish(uint64_t handle)
{
	struct entry *entry = &entries[handle & INDEX_MASK];
	if (handle == 0 || atomic_load(&entry->handle) != handle)
		return;
	atomic_store(&entry->handle, RETIRING);
	emu_dpa_quiesce();
	atomic_store(&entry->handle, 0);
}

void *emu_dpa_find(enum emu_dpa_kind kind, uint64_t handle, const char *call)
{
	struct emu_dpa_run *run = current;
	struct entry *entry = &entries[handle & INDEX_MASK];
	if (EMU_UNLIKELY(/* guard: dpa-handle-none */ handle == 0 || handle == RETIRING ||
			 /* guard: dpa-handle-current */ atomic_load(&entry->handle) != handle ||
			 /* guard: dpa-handle-kind */ entry->kind != kind)) {
		emu_dpa_fail(run->dpa, "%s: %#llx is no such object, or not any more", call,
			     (unsigned long long)handle);
		return NULL;
	}
	const void *meant = kind == EMU_DPA_MMAP ? (const void *)emu_dpa_of(run->dpa)->dev : (const void *)run->dpa;
	if (EMU_UNLIKELY(entry->owner != NULL && /* guard: dpa-handle-owner */ entry->owner != meant)) {
		emu_dpa_fail(run->dpa, "%s: an object of another dpa (doca_dpa_dev_device_set says which is meant)",
			     call);
		return NULL;
	}
	return entry->object;
}

bool emu_dpa_begin(const char *call)
{
	struct emu_dpa_run *run = current;
	if (EMU_UNLIKELY(/* guard: dpa-caller */ run == NULL)) {
		EMU_LOG_ERROR("%s: only kernels on the DPA may call it", call);
		return false;
	}
	/* Seen before the handle is looked up: pairs with unpublish, which stores the handle and then looks here. */
	(void)atomic_fetch_add(&run->calls, 1);
	return true;
}

void emu_dpa_leave(void)
{
	struct emu_dpa_run *run = current;
	uint64_t calls = atomic_load_explicit(&run->calls, memory_order_relaxed);
	atomic_store_explicit(&run->calls, calls + 1, memory_order_release);
}

void *emu_dpa_enter(enum emu_dpa_kind kind, uint64_t handle, const char *call)
{
	if (!emu_dpa_begin(call))
		return NULL;
	void *object = emu_dpa_find(kind, handle, call);
	if (object == NULL)
		emu_dpa_leave();
	return object;
}

void *emu_dpa_at(enum emu_dpa_kind kind, uint16_t index)
{
	struct entry *entry = &entries[index];
	uint64_t handle = atomic_load(&entry->handle);
	return handle != 0 && handle != RETIRING && /* guard: dpa-element-kind=1 */ entry->kind == kind ? entry->object
													: NULL;
}

struct emu_dpa_run *emu_dpa_run(void)
{
	return current;
}

void emu_dpa_run_register(struct emu_dpa_run *run)
{
	pthread_mutex_lock(&runs_lock);
	run->next = runs;
	runs = run;
	pthread_mutex_unlock(&runs_lock);
	current = run;
}

void emu_dpa_run_unregister(struct emu_dpa_run *run)
{
	pthread_mutex_lock(&runs_lock);
	struct emu_dpa_run **link = &runs;
	while (*link != run)
		link = &(*link)->next;
	*link = run->next;
	pthread_mutex_unlock(&runs_lock);
	current = NULL;
}

void emu_dpa_fail(struct doca_dpa *dpa, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	struct emu_dpa *base = emu_dpa_of(dpa);
	bool first = !atomic_exchange(&base->failed, true);
	if (base->root != dpa)
		first = !atomic_exchange(&emu_dpa_of(base->root)->failed, true) && first;
	if (first)
		EMU_LOG_ERROR("the DPA has failed: %s", text);
	else
		EMU_LOG_DEBUG("the DPA, which has failed before: %s", text);
}
