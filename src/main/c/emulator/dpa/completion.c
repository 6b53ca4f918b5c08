#include "completion.h"

#include <stdlib.h>

#include "doca_dpa.h"

static uint32_t round_up(uint32_t num)
{
	uint32_t power = 1;
	while (power < num)
		power *= 2;
	return power;
}

static void notify(struct doca_dpa_completion *completion)
{
	if (completion->thread != NULL)
		emu_dpa_thread_of(completion->thread)->trigger(completion->thread);
}

/* Of a counter that runs on; how fast is the processor's business. */
static uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t count;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
#else
#error "no counter is known on this processor"
#endif
}

static void push(struct doca_dpa_completion *completion, uint32_t type, uint32_t user_data, _Atomic uint32_t *unacked)
{
	emu_spin_lock(&completion->lock);
	bool fits = /* guard: completion-full=1 */ completion->pushed - completion->acked < completion->size;
	bool wakes = fits && completion->armed;
	if (fits) {
		uint32_t counter = (uint32_t)completion->pushed;
		completion->elements[completion->pushed++ & (completion->size - 1)] = (struct completion_element){
			.value = (uint64_t)type << ELEMENT_TYPE_SHIFT |
				 (uint64_t)(user_data & ELEMENT_USER_DATA_MASK) << ELEMENT_USER_DATA_SHIFT | counter,
			.time = ticks(),
			.unacked = unacked};
		completion->armed = false;
	}
	emu_spin_unlock(&completion->lock);
	if (wakes)
		notify(completion);
	if (!fits)
		emu_dpa_fail(completion->base.dpa,
			     "a completion of %u elements is full: its program does not "
			     "acknowledge them",
			     completion->size);
}

static void forget(struct doca_dpa_completion *completion, const _Atomic uint32_t *unacked)
{
	emu_spin_lock(&completion->lock);
	for (uint64_t i = completion->acked; i != completion->pushed; i++) {
		struct completion_element *element = &completion->elements[i & (completion->size - 1)];
		if (element->unacked == unacked)
			element->unacked = NULL;
	}
	emu_spin_unlock(&completion->lock);
}

bool completion_get(struct doca_dpa_completion *completion, uint64_t *element, uint64_t *time)
{
	emu_spin_lock(&completion->lock);
	bool any = completion->read != completion->pushed;
	if (any) {
		const struct completion_element *next =
			&completion->elements[completion->read++ & (completion->size - 1)];
		*element = next->value;
		*time = next->time;
	}
	emu_spin_unlock(&completion->lock);
	return any;
}

bool completion_ack(struct doca_dpa_completion *completion, uint64_t num)
{
	emu_spin_lock(&completion->lock);
	bool read = /* guard: completion-acknowledged=1 */ num <= completion->read - completion->acked;
	for (; read && num > 0; num--) {
		struct completion_element *element =
			&completion->elements[completion->acked++ & (completion->size - 1)];
		if (element->unacked != NULL)
			atomic_fetch_sub(element->unacked, 1);
	}
	emu_spin_unlock(&completion->lock);
	return read;
}

void completion_arm(struct doca_dpa_completion *completion)
{
	emu_spin_lock(&completion->lock);
	bool waits = completion->read != completion->pushed;
	completion->armed = !waits;
	emu_spin_unlock(&completion->lock);
	if (waits)
		notify(completion);
}

/* ---- the host's side ---- */

doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
					struct doca_dpa_completion **dpa_comp)
{
	if (dpa == NULL || queue_size == 0 || queue_size > READING_DPA_MAX_QUEUE || dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	uint32_t size = round_up(queue_size);
	struct completion_element *elements = calloc(size, sizeof(elements[0]));
	struct doca_dpa_completion *created = elements == NULL ? NULL : dpa_adopt(dpa, sizeof(*created));
	if (created == NULL) {
		free(elements);
		return DOCA_ERROR_NO_MEMORY;
	}
	created->base.dpa = dpa;
	created->base.push = push;
	created->base.forget = forget;
	created->size = size;
	created->elements = elements;
	*dpa_comp = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp, unsigned int *queue_size)
{
	if (dpa_comp == NULL || queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*queue_size = dpa_comp->size;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp, struct doca_dpa_thread *dpa_thread)
{
	if (dpa_comp == NULL || dpa_thread == NULL || emu_dpa_thread_of(dpa_thread)->dpa != dpa_comp->base.dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&dpa_comp->base.started))
		return DOCA_ERROR_BAD_STATE;
	dpa_comp->thread = dpa_thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp, struct doca_dpa_thread **dpa_thread)
{
	if (dpa_comp == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = dpa_comp->thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct emu_dpa_thread *thread = dpa_comp->thread == NULL ? NULL : emu_dpa_thread_of(dpa_comp->thread);
	if (atomic_load(&dpa_comp->base.started) || !dpa_started(dpa_comp->base.dpa) ||
	    (thread != NULL && !atomic_load(&thread->started)))
		return DOCA_ERROR_BAD_STATE;
	dpa_comp->pushed = dpa_comp->read = dpa_comp->acked = 0;
	dpa_comp->armed = true;
	dpa_comp->handle = emu_dpa_publish(EMU_DPA_COMPLETION, dpa_comp, dpa_comp->base.dpa);
	if (dpa_comp->handle == 0)
		return DOCA_ERROR_DRIVER;
	if (thread != NULL)
		atomic_fetch_add(&thread->users, 1);
	atomic_store(&dpa_comp->base.started, true);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp)
{
	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&dpa_comp->base.started))
		return DOCA_ERROR_BAD_STATE;
	if (atomic_load(&dpa_comp->base.users) > 0)
		return DOCA_ERROR_IN_USE;
	atomic_store(&dpa_comp->base.started, false);
	emu_dpa_unpublish(dpa_comp->handle);
	dpa_comp->handle = 0;
	if (dpa_comp->thread != NULL)
		atomic_fetch_sub(&emu_dpa_thread_of(dpa_comp->thread)->users, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp)
{
	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&dpa_comp->base.started)) {
		doca_error_t result = doca_dpa_completion_stop(dpa_comp);
		if (result != DOCA_SUCCESS)
			return result;
	}
	free(dpa_comp->elements);
	dpa_disown(dpa_comp->base.dpa, dpa_comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp, doca_dpa_dev_completion_t *handle)
{
	if (dpa_comp == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&dpa_comp->base.started))
		return READING_DPA_NOT_STARTED;
	*handle = dpa_comp->handle;
	return DOCA_SUCCESS;
}
