/* Consumers and their tasks. */
#include "cc/cc.h"
#include "numbers.h"

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
