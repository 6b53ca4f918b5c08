#include "msgq/msgq_completion.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "readings.h"
#include "topology/limits.h"

#define MAX_RECV (1u << 20)

struct doca_dpa *completion_dpa(const struct doca_comch_consumer_completion *completion)
{
	return completion->thread == NULL ? NULL : emu_dpa_thread_of(completion->thread)->dpa;
}

/* ---- queues ---- */

doca_error_t completion_attach(struct doca_comch_consumer_completion *completion, struct msgq_queue *queue)
{
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	emu_spin_lock(&completion->lock);
	if (/* guard: queues-attached=1 */ completion->num_queues < completion->max_consumers) {
		completion->queues[completion->num_queues++] = queue;
		result = DOCA_SUCCESS;
	}
	emu_spin_unlock(&completion->lock);
	return result;
}

void completion_detach(struct doca_comch_consumer_completion *completion, const struct msgq_queue *queue)
{
	emu_spin_lock(&completion->lock);
	uint32_t i = 0;
	while (completion->queues[i] != queue)
		i++;
	completion->queues[i] = completion->queues[--completion->num_queues];
	completion->next = 0;
	emu_spin_unlock(&completion->lock);
}

static void start_thread(struct doca_comch_consumer_completion *completion)
{
	if (atomic_exchange(&completion->armed, false) && completion->thread != NULL)
		emu_dpa_thread_of(completion->thread)->trigger(completion->thread);
}

void completion_notify(void *argument)
{
	struct doca_comch_consumer_completion *completion = argument;
	if (atomic_load(&completion->armed))
		start_thread(completion);
}

/* With the lock held: whether a message waits that can be read. */
static bool any_readable(const struct doca_comch_consumer_completion *completion)
{
	if (completion->read - completion->acked == completion->max_recv)
		return false;
	for (uint32_t i = 0; i < completion->num_queues; i++)
		if (atomic_load(&completion->queues[i]->arrived) != atomic_load(&completion->queues[i]->taken))
			return true;
	return false;
}

bool completion_read(struct doca_comch_consumer_completion *completion, uint64_t *number)
{
	bool any = false;
	emu_spin_lock(&completion->lock);
	bool room = /* guard: queues-room=1 */ completion->read - completion->acked < completion->max_recv;
	for (uint32_t i = 0; room && !any && i < completion->num_queues; i++) {
		struct msgq_queue *queue = completion->queues[completion->next];
		completion->next = completion->next + 1 < completion->num_queues ? completion->next + 1 : 0;
		const struct msgq_slot *slot = msgq_queue_peek(queue);
		if (slot == NULL)
			continue;
		struct completion_entry *entry = completion_entry(completion, completion->read);
		entry->producer_id = slot->producer_id;
		entry->imm_len = slot->imm_len;
		memcpy(entry->imm, slot->imm, slot->imm_len);
		msgq_queue_take(queue);
		*number = completion->read++;
		any = true;
	}
	emu_spin_unlock(&completion->lock);
	return any;
}

bool completion_acknowledge(struct doca_comch_consumer_completion *completion, uint64_t num)
{
	emu_spin_lock(&completion->lock);
	bool read = /* guard: queues-acknowledged=1 */ num <= completion->read - completion->acked;
	bool was_full = completion->read - completion->acked == completion->max_recv;
	if (read)
		completion->acked += num;
	/* What waited for room can be read now. */
	bool starts = read && was_full && any_readable(completion);
	emu_spin_unlock(&completion->lock);
	if (starts)
		start_thread(completion);
	return read;
}

void completion_arm(struct doca_comch_consumer_completion *completion)
{
	/* Before the look: a message that arrives after it finds the completion armed. */
	atomic_store(&completion->armed, true);
	emu_spin_lock(&completion->lock);
	bool starts = any_readable(completion);
	emu_spin_unlock(&completion->lock);
	if (starts)
		start_thread(completion);
}

/* ---- the host's side ---- */

doca_error_t doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dpa_anywhere())
		return DOCA_ERROR_NOT_SUPPORTED;
	struct doca_comch_consumer_completion *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->max_consumers = READING_MSGQ_DEFAULT_CHILDREN;
	created->max_recv = READING_MSGQ_DEFAULT_RECV;
	created->imm_len = emu_limits()->max_imm_data_len;
	*consumer_comp = created;
	return DOCA_SUCCESS;
}

static doca_error_t configurable(const struct doca_comch_consumer_completion *completion)
{
	if (completion == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return atomic_load(&completion->started) ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
							   struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(consumer_comp);
	if (result == DOCA_SUCCESS)
		consumer_comp->thread = dpa_thread;
	return result;
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(struct doca_comch_consumer_completion *consumer_comp,
								  uint32_t max_num_consumers)
{
	if (max_num_consumers == 0 || max_num_consumers > EMU_BOUND_CONSUMERS)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(consumer_comp);
	if (result == DOCA_SUCCESS)
		consumer_comp->max_consumers = round_up_pow2(max_num_consumers);
	return result;
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t max_num_recv)
{
	if (max_num_recv == 0 || max_num_recv > MAX_RECV)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(consumer_comp);
	if (result == DOCA_SUCCESS)
		consumer_comp->max_recv = round_up_pow2(max_num_recv);
	return result;
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t imm_data_len)
{
	if (imm_data_len > EMU_BOUND_MSGQ_IMM_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(consumer_comp);
	if (result == DOCA_SUCCESS)
		consumer_comp->imm_len = imm_data_len;
	return result;
}

doca_error_t
doca_comch_consumer_completion_get_max_num_consumers(const struct doca_comch_consumer_completion *consumer_comp,
						     uint32_t *max_num_consumers)
{
	if (consumer_comp == NULL || max_num_consumers == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_consumers = consumer_comp->max_consumers;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(const struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t *max_num_recv)
{
	if (consumer_comp == NULL || max_num_recv == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_recv = consumer_comp->max_recv;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(const struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t *imm_data_len)
{
	if (consumer_comp == NULL || imm_data_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer_comp->imm_len;
	return DOCA_SUCCESS;
}

static void free_resources(struct doca_comch_consumer_completion *completion)
{
	free(completion->queues);
	free(completion->entries);
	completion->queues = NULL;
	completion->entries = NULL;
}

doca_error_t doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	doca_error_t result = configurable(consumer_comp);
	if (result != DOCA_SUCCESS)
		return result;
	struct emu_dpa_thread *thread = consumer_comp->thread == NULL ? NULL : emu_dpa_thread_of(consumer_comp->thread);
	if (thread != NULL && !atomic_load(&thread->started))
		return READING_DPA_NOT_STARTED;
	free_resources(consumer_comp); /* of the start before */
	consumer_comp->stride = (sizeof(struct completion_entry) + consumer_comp->imm_len + 7) / 8 * 8;
	consumer_comp->queues = calloc(consumer_comp->max_consumers, sizeof(struct msgq_queue *));
	consumer_comp->entries = calloc(consumer_comp->max_recv, consumer_comp->stride);
	consumer_comp->num_queues = consumer_comp->next = 0;
	consumer_comp->read = consumer_comp->acked = 0;
	atomic_store(&consumer_comp->armed, true);
	if (consumer_comp->queues != NULL && consumer_comp->entries != NULL)
		consumer_comp->handle =
			emu_dpa_publish(EMU_DPA_CONSUMER_COMPLETION, consumer_comp, completion_dpa(consumer_comp));
	if (consumer_comp->handle == 0)
		return DOCA_ERROR_NO_MEMORY;
	if (thread != NULL)
		atomic_fetch_add(&thread->users, 1);
	atomic_store(&consumer_comp->started, true);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&consumer_comp->started))
		return DOCA_ERROR_BAD_STATE;
	emu_spin_lock(&consumer_comp->lock);
	bool used = consumer_comp->num_queues > 0;
	emu_spin_unlock(&consumer_comp->lock);
	if (used)
		return DOCA_ERROR_IN_USE;
	atomic_store(&consumer_comp->started, false);
	emu_dpa_unpublish(consumer_comp->handle);
	consumer_comp->handle = 0;
	if (consumer_comp->thread != NULL)
		atomic_fetch_sub(&emu_dpa_thread_of(consumer_comp->thread)->users, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&consumer_comp->started)) {
		doca_error_t result = doca_comch_consumer_completion_stop(consumer_comp);
		if (result != DOCA_SUCCESS)
			return result;
	}
	free_resources(consumer_comp);
	free(consumer_comp);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_get_dpa_handle(struct doca_comch_consumer_completion *consumer_comp,
					      doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	if (consumer_comp == NULL || consumer_comp_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_load(&consumer_comp->started))
		return READING_DPA_NOT_STARTED;
	*consumer_comp_handle = consumer_comp->handle;
	return DOCA_SUCCESS;
}
