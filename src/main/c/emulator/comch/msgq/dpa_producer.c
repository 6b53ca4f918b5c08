/* Messages without FLUSH are held back until one with it, until the run of their kernel ends, or until there are as
 * many as the producer's queue has places. */
#include "msgq/dpa_producer.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "readings.h"

#define MAX_SEND (1u << 20)

/* As in doca_dpa_dev.h, which host's headers do not go with. */
#define FLUSH 1u
#define OPTIMIZE_REPORTS 2u
#define COMP_SEND 0u
#define COMP_SEND_ERR 0xdu

struct held_operation {
	struct operation operation;
	uint8_t imm[EMU_BOUND_MSGQ_IMM_LEN];
};

static const char *reason(doca_error_t error)
{
	switch (error) {
	case DOCA_ERROR_AGAIN:
		return "the consumer has posted no receive";
	case READING_SEND_TOO_LONG:
	default:
		return "no such consumer, or it takes less immediate data";
	}
}

/* With the producer's lock held. */
static void carry_out(struct doca_comch_producer *producer, const struct operation *op, const char *call)
{
	struct msgq_producer *end = producer->msgq;
	struct doca_dpa *dpa = producer->msgq->dpa;
	struct emu_dpa_completion *completion = emu_dpa_completion_of(end->completion);
	bool reports = (op->flags & OPTIMIZE_REPORTS) == 0;
	if (reports && /* guard: sends-unacknowledged */ atomic_fetch_add(&end->unacked, 1) >= end->max_send) {
		atomic_fetch_sub(&end->unacked, 1);
		emu_dpa_fail(dpa, "%s: more than %u operations without acknowledgement", call, end->max_send);
		return;
	}
	bool done = !op->copies || emu_dpa_map_copy(op->dst_map, op->dst, op->src_map, op->src, op->length, call);
	if (done) {
		struct msgq_queue *queue = msgq_find(end->msgq, op->consumer_id);
		doca_error_t result = queue == NULL ? READING_CONSUMER_UNKNOWN
						    : msgq_queue_send(queue, producer->id, op->imm, op->imm_len);
		done = result == DOCA_SUCCESS;
		if (!done)
			emu_dpa_fail(dpa, "%s to consumer %u: %s", call, op->consumer_id, reason(result));
	}
	/* What has failed is always reported. */
	if (reports || !done)
		completion->push(end->completion, done ? COMP_SEND : COMP_SEND_ERR, 0, reports ? &end->unacked : NULL);
}

/* With the producer's lock held. */
static void flush_held(struct doca_comch_producer *producer, const char *call)
{
	struct msgq_producer *end = producer->msgq;
	for (uint32_t i = 0; i < end->num_held; i++) {
		end->held[i].operation.imm = end->held[i].imm;
		carry_out(producer, &end->held[i].operation, call);
	}
	end->num_held = 0;
}

/* At the end of a kernel's run. */
static void flush_at_end(uint64_t handle)
{
	struct doca_comch_producer *producer = emu_dpa_enter(EMU_DPA_PRODUCER, handle, __func__);
	if (producer == NULL)
		return;
	emu_spin_lock(&producer->msgq->lock);
	flush_held(producer, "a send that was held back");
	emu_spin_unlock(&producer->msgq->lock);
	emu_dpa_leave();
}

/* Has the run of the calling kernel flush the producer at its end; false: it has too many already. */
static bool flush_later(const struct msgq_producer *end)
{
	struct emu_dpa_run *run = emu_dpa_run();
	for (uint32_t i = 0; i < run->num_unflushed; i++)
		if (run->unflushed[i] == end->handle)
			return true;
	if (/* guard: sends-unflushed */ run->num_unflushed == EMU_DPA_MAX_UNFLUSHED)
		return false;
	run->flush = flush_at_end;
	run->unflushed[run->num_unflushed++] = end->handle;
	return true;
}

void dpa_producer_post(struct doca_comch_producer *producer, const struct operation *operation, const char *call)
{
	struct msgq_producer *end = producer->msgq;
	if (operation->imm == NULL || /* guard: sends-immediate-none */ operation->imm_len == 0 ||
	    /* guard: sends-immediate-length */ operation->imm_len > EMU_BOUND_MSGQ_IMM_LEN) {
		emu_dpa_fail(producer->msgq->dpa, "%s: %u bytes of immediate data", call, operation->imm_len);
		return;
	}
	emu_spin_lock(&end->lock);
	if ((operation->flags & FLUSH) != 0 || !flush_later(end)) {
		flush_held(producer, call);
		carry_out(producer, operation, call);
	} else {
		if (/* guard: sends-held */ end->num_held == end->max_send)
			flush_held(producer, call);
		struct held_operation *held = &end->held[end->num_held++];
		held->operation = *operation;
		memcpy(held->imm, operation->imm, operation->imm_len);
	}
	emu_spin_unlock(&end->lock);
}

bool dpa_producer_has_room(struct doca_comch_producer *producer, uint32_t consumer_id)
{
	struct msgq_producer *end = producer->msgq;
	const struct msgq_queue *queue = msgq_find(end->msgq, consumer_id);
	if (queue == NULL)
		return false;
	int64_t room = msgq_queue_room(queue);
	if (room <= 0)
		return false;
	emu_spin_lock(&end->lock);
	for (uint32_t i = 0; i < end->num_held; i++)
		room -= end->held[i].operation.consumer_id == consumer_id;
	emu_spin_unlock(&end->lock);
	return room > 0;
}

/* ---- the host's side ---- */

doca_error_t msgq_dpa_producer_start(struct doca_comch_producer *producer)
{
	struct msgq_producer *end = producer->msgq;
	if (end->max_send == 0 || end->completion == NULL ||
	    !atomic_load(&emu_dpa_completion_of(end->completion)->started))
		return READING_DPA_PART_MISSING;
	if (emu_dpa_completion_of(end->completion)->dpa != producer->msgq->dpa)
		return DOCA_ERROR_INVALID_VALUE;
	end->held = calloc(end->max_send, sizeof(end->held[0]));
	if (end->held == NULL)
		return DOCA_ERROR_NO_MEMORY;
	end->num_held = 0;
	atomic_store(&end->unacked, 0);
	end->handle = emu_dpa_publish(EMU_DPA_PRODUCER, producer, producer->msgq->dpa);
	if (end->handle == 0) {
		free(end->held);
		return DOCA_ERROR_NO_MEMORY;
	}
	atomic_fetch_add(&emu_dpa_completion_of(end->completion)->users, 1);
	return DOCA_SUCCESS;
}

void msgq_dpa_producer_stop(struct doca_comch_producer *producer)
{
	struct msgq_producer *end = producer->msgq;
	struct emu_dpa_completion *completion = emu_dpa_completion_of(end->completion);
	emu_dpa_unpublish(end->handle);
	end->handle = 0;
	free(end->held);
	end->held = NULL;
	completion->forget(end->completion, &end->unacked);
	atomic_fetch_sub(&completion->users, 1);
}

static doca_error_t configurable(const struct doca_comch_producer *producer)
{
	if (producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return msgq_configurable(&producer->ctx, producer->msgq != NULL);
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer, uint32_t dev_num_send)
{
	doca_error_t result = configurable(producer);
	if (result != DOCA_SUCCESS)
		return result;
	if (dev_num_send == 0 || dev_num_send > MAX_SEND)
		return DOCA_ERROR_INVALID_VALUE;
	producer->msgq->max_send = round_up_pow2(dev_num_send);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
						       struct doca_dpa_completion *dpa_comp)
{
	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(producer);
	if (result == DOCA_SUCCESS)
		producer->msgq->completion = dpa_comp;
	return result;
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
						doca_dpa_dev_comch_producer_t *dpa_producer)
{
	if (producer == NULL || dpa_producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->msgq == NULL || producer->msgq->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*dpa_producer = producer->msgq->handle;
	return DOCA_SUCCESS;
}
