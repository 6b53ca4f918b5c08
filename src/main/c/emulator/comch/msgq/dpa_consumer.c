/* Consumers of a MsgQ on the DPA: the host's side. */
#include "base/bits.h"
#include "msgq/msgq_completion.h"
#include "readings.h"

#define MAX_RECV (1u << 20)

doca_error_t msgq_dpa_consumer_start(struct doca_comch_consumer *consumer)
{
	struct msgq_consumer *end = consumer->msgq;
	struct doca_comch_consumer_completion *completion = end->completion;
	if (end->max_recv == 0 || completion == NULL || !atomic_load(&completion->started))
		return READING_DPA_PART_MISSING;
	struct doca_dpa *dpa = completion_dpa(completion);
	if ((dpa != NULL && dpa != consumer->msgq->dpa) || completion->imm_len < consumer->imm_data_len)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result =
		msgq_queue_open(end->queue, end->max_recv, consumer->imm_data_len, completion_notify, completion);
	if (result != DOCA_SUCCESS)
		return result;
	result = completion_attach(completion, end->queue);
	if (result == DOCA_SUCCESS) {
		end->handle = emu_dpa_publish(EMU_DPA_CONSUMER, consumer, consumer->msgq->dpa);
		if (end->handle != 0)
			return DOCA_SUCCESS;
		completion_detach(completion, end->queue);
		result = DOCA_ERROR_NO_MEMORY;
	}
	msgq_queue_set_state(end->queue, MSGQ_QUEUE_CREATED);
	msgq_queue_free_slots(end->queue);
	return result;
}

void msgq_dpa_consumer_stop(struct doca_comch_consumer *consumer)
{
	struct msgq_consumer *end = consumer->msgq;
	emu_dpa_unpublish(end->handle);
	end->handle = 0;
	msgq_queue_close(end->queue);
	completion_detach(end->completion, end->queue);
	msgq_queue_free_slots(end->queue);
}

static doca_error_t configurable(const struct doca_comch_consumer *consumer)
{
	if (consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return msgq_configurable(&consumer->ctx, consumer->msgq != NULL);
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer, uint32_t dev_num_recv)
{
	doca_error_t result = configurable(consumer);
	if (result != DOCA_SUCCESS)
		return result;
	if (dev_num_recv == 0 || dev_num_recv > MAX_RECV)
		return DOCA_ERROR_INVALID_VALUE;
	consumer->msgq->max_recv = round_up_pow2(dev_num_recv);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
						struct doca_comch_consumer_completion *consumer_comp,
						uint32_t user_data)
{
	if (consumer_comp == NULL || user_data >> 24 != 0)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(consumer);
	if (result == DOCA_SUCCESS)
		consumer->msgq->completion = consumer_comp; /* no call on the DPA tells the user data */
	return result;
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	if (consumer == NULL || dpa_consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->msgq == NULL || consumer->msgq->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*dpa_consumer = consumer->msgq->handle;
	return DOCA_SUCCESS;
}
