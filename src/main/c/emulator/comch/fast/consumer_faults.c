/* Faults on demand that receives meet, and payloads that wait for another buffer because theirs has failed. */
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"
#include "fast/consumer.h"
#include "log/sdk_log.h"
#include "memory/memory.h"
#include "topology/dev.h"

/* ---- payloads that wait ---- */

static bool any_held(const struct doca_comch_consumer *consumer)
{
	return consumer->troubles.first != NULL;
}

/* As long as anything is left, the usual way, which knows nothing of it, is not taken. */
static void tell_consequences(struct doca_comch_consumer *consumer)
{
	struct consumer_troubles *troubles = &consumer->troubles;
	bool any = troubles->first != NULL || troubles->fatal;
	if (any != troubles->told)
		fault_has_consequences(any);
	troubles->told = any;
}

static void drop_first(struct doca_comch_consumer *consumer)
{
	struct held_payload *first = consumer->troubles.first;
	consumer->troubles.first = first->next;
	free(first);
}

/* Takes a payload out of the buffer that it was brought to, which is as it was then. */
static void hold(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task)
{
	struct consumer_troubles *troubles = &consumer->troubles;
	uint64_t len = task->piped;
	struct held_payload *held = malloc(sizeof(*held) + task->imm_len + len);
	if (held == NULL) {
		EMU_LOG_ERROR("no memory for the payload of a receive that fails on demand: it is lost");
	} else {
		*held = (struct held_payload){.len = len, .producer_id = task->producer_id, .imm_len = task->imm_len};
		memcpy(held->bytes, task->imm, task->imm_len);
		if (len > 0)
			memcpy(held->bytes + task->imm_len, task->dest, len);
		if (troubles->first == NULL)
			troubles->end = &troubles->first;
		*troubles->end = held;
		troubles->end = &held->next;
	}
	if (task->buf != NULL)
		task->buf->data_len -= len;
	task->producer_id = 0;
	task->imm_len = 0;
}

/* Brings the first one to a buffer; if it is too small for it, that fails, too. */
static doca_error_t bring_first(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task)
{
	const struct held_payload *first = consumer->troubles.first;
	if (first->len > task->room)
		return DOCA_ERROR_IO_FAILED;
	task->producer_id = first->producer_id;
	task->imm_len = first->imm_len;
	memcpy(task->imm, first->bytes, first->imm_len);
	if (first->len > 0) {
		memcpy(task->dest, first->bytes + first->imm_len, first->len);
		task->buf->data_len += first->len;
	}
	drop_first(consumer);
	return DOCA_SUCCESS;
}

void consumer_pass_on(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
		      doca_error_t *status)
{
	if (!any_held(consumer) || consumer->barren || task->base.state == EMU_TASK_CANCELLED)
		return;
	if (*status == DOCA_SUCCESS)
		hold(consumer, task);
	*status = bring_first(consumer, task);
}

void consumer_forget_faults(struct doca_comch_consumer *consumer)
{
	while (any_held(consumer))
		drop_first(consumer);
	consumer->troubles.fatal = false;
	tell_consequences(consumer);
}

/* ---- faults ---- */

/* What the fault makes of a buffer that a payload has come for, or waits for. */
static doca_error_t suffer(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			   bool came)
{
	doca_error_t error;
	enum receive_fault fault = fault_of_receive(emu_dev_folder(consumer->connection->dev), &error);
	/* A strict machine knows no failure that leaves the context running. */
	if (fault == RECEIVE_FAILS && consumer->strict)
		fault = RECEIVE_BREAKS;
	if (fault == RECEIVE_GOES_ON && !any_held(consumer))
		return DOCA_SUCCESS;
	if (came)
		hold(consumer, task);
	switch (fault) {
	case RECEIVE_GOES_ON:
		return bring_first(consumer, task);
	case RECEIVE_LOSES:
		if (any_held(consumer))
			drop_first(consumer);
		return error;
	case RECEIVE_BREAKS:
		consumer->troubles.fatal = consumer->barren = true;
		connection_fail(consumer->connection);
		return error;
	case RECEIVE_FAILS:
	default:
		return error;
	}
}

/* Whether no producer has claimed the oldest posted buffer; it is claimed now. */
static bool claim_oldest(struct doca_comch_consumer *consumer)
{
	uint64_t index = consumer->completed;
	return atomic_compare_exchange_strong(&consumer->region->claimed, &index, index + 1);
}

bool consumer_suffer_faults(struct doca_comch_consumer *consumer)
{
	uint64_t index = consumer->completed;
	if (index == consumer->posted)
		return false;
	const struct shm_slot *slot = &consumer->slots[index & consumer->slot_mask];
	struct doca_comch_consumer_task_post_recv *task = consumer->tasks[index & consumer->mask];
	bool came = atomic_load_explicit(&slot->ready, memory_order_acquire) == index + 1;
	if (came ? fault_still_travelling(slot->arrival) : !any_held(consumer) || !claim_oldest(consumer))
		return false;
	doca_error_t status = DOCA_SUCCESS;
	uint64_t piped = task->piped;
	enum delivery delivery = came ? consumer_deliver(consumer, slot, task, &status) : DELIVERY_ENDED;
	if (delivery == DELIVERY_GOES_ON)
		return task->piped != piped;
	bool wanted = task->base.state != EMU_TASK_CANCELLED;
	if (wanted && delivery == DELIVERY_OF_NOTHING && !any_held(consumer)) {
		consumer_post_oldest_again(consumer);
		return true;
	}
	if (wanted && (status == DOCA_SUCCESS || delivery == DELIVERY_OF_NOTHING))
		status = suffer(consumer, task, came && delivery == DELIVERY_ENDED);
	tell_consequences(consumer);
	consumer_finish_oldest(consumer, status);
	return true;
}

bool consumer_faults_are_due(const struct doca_comch_consumer *consumer)
{
	if (consumer->troubles.fatal)
		return true;
	return any_held(consumer) && consumer->completed != consumer->posted &&
	       atomic_load_explicit(&consumer->region->claimed, memory_order_acquire) == consumer->completed;
}
