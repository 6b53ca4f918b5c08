/* Consumers and their tasks. */
#include "cc.h"

doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection, struct doca_mmap *buf_mmap,
				     struct doca_cc_consumer **consumer)
{
	doca_error_t result = doca_comch_consumer_create(cc_connection, buf_mmap, consumer);
	/* There is none in this generation: a Comch producer that sends some is refused. */
	return result == DOCA_SUCCESS ? doca_comch_consumer_set_imm_data_len(*consumer, 0) : result;
}

doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_destroy(consumer);
}

struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_as_ctx(consumer);
}

doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id)
{
	return doca_comch_consumer_get_id(consumer, id);
}

doca_error_t doca_cc_consumer_post_recv_task_set_conf(struct doca_cc_consumer *consumer,
						      doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
						      doca_cc_consumer_post_recv_task_comp_handler task_error_cb,
						      size_t log_num_tasks)
{
	return doca_comch_consumer_task_post_recv_set_conf(consumer, task_completion_cb, task_error_cb,
							   cc_pool_size(log_num_tasks));
}

doca_error_t doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
							struct doca_cc_consumer_post_recv_task **task)
{
	/* Without a buffer only immediate data can be received. */
	if (buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, task);
}

struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(task);
}

void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task, struct doca_buf *buf)
{
	doca_comch_consumer_task_post_recv_set_buf(task, buf);
}

struct doca_task *doca_cc_consumer_post_recv_task_as_task(struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_as_task(task);
}
