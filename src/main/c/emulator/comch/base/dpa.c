/* What needs the DPA, a processor that the emulated BlueField does not have: MsgQ, completion contexts of the DPA, and
 * the DPA side of producers and consumers. All answer "not supported", after the check for null pointers. */
#include <stddef.h>

#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"

static doca_error_t unsupported(const void *first, const void *second)
{
	return first == NULL || second == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
							   struct doca_dpa_thread *dpa_thread)
{
	return unsupported(consumer_comp, dpa_thread);
}

doca_error_t doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_get_dpa_handle(struct doca_comch_consumer_completion *consumer_comp,
					      doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	return unsupported(consumer_comp, consumer_comp_handle);
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(struct doca_comch_consumer_completion *consumer_comp,
								  uint32_t max_num_consumers)
{
	(void)max_num_consumers;
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_get_max_num_consumers(const struct doca_comch_consumer_completion *consumer_comp,
						     uint32_t *max_num_consumers)
{
	return unsupported(consumer_comp, max_num_consumers);
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t max_num_recv)
{
	(void)max_num_recv;
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(const struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t *max_num_recv)
{
	return unsupported(consumer_comp, max_num_recv);
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t imm_data_len)
{
	(void)imm_data_len;
	return unsupported(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(const struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t *imm_data_len)
{
	return unsupported(consumer_comp, imm_data_len);
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer, uint32_t dev_num_recv)
{
	(void)dev_num_recv;
	return unsupported(consumer, consumer);
}

doca_error_t doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
						struct doca_comch_consumer_completion *consumer_comp,
						uint32_t user_data)
{
	(void)user_data;
	return unsupported(consumer, consumer_comp);
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	return unsupported(consumer, dpa_consumer);
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer, uint32_t dev_num_send)
{
	(void)dev_num_send;
	return unsupported(producer, producer);
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
						       struct doca_dpa_completion *dpa_comp)
{
	return unsupported(producer, dpa_comp);
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
						doca_dpa_dev_comch_producer_t *dpa_producer)
{
	return unsupported(producer, dpa_producer);
}

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
	return unsupported(dev, msgq);
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
	return unsupported(msgq, msgq);
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return unsupported(msgq, dpa);
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq, uint32_t max_num_consumers)
{
	(void)max_num_consumers;
	return unsupported(msgq, msgq);
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return unsupported(msgq, dpa);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq, uint32_t max_num_producers)
{
	(void)max_num_producers;
	return unsupported(msgq, msgq);
}

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
	return unsupported(msgq, msgq);
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
	return unsupported(msgq, msgq);
}

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq, struct doca_comch_consumer **consumer)
{
	return unsupported(msgq, consumer);
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq, struct doca_comch_producer **producer)
{
	return unsupported(msgq, producer);
}
