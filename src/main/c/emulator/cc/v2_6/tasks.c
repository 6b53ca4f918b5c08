/* Tasks of the fast path, which carry no immediate data. */
#include "cc/cc.h"

doca_error_t doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
							struct doca_cc_consumer_task_post_recv **task)
{
	/* Without a buffer only immediate data can be received. */
	if (buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, task);
}

doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer, struct doca_buf *buf,
						   uint32_t consumer_id, struct doca_cc_producer_task_send **task)
{
	return doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, consumer_id, task);
}
