/* Producers and their tasks. */
#include "cc/cc.h"
#include "numbers.h"

doca_error_t doca_cc_producer_send_task_set_conf(struct doca_cc_producer *producer,
						 doca_cc_producer_send_task_comp_handler task_completion_cb,
						 doca_cc_producer_send_task_comp_handler task_error_cb,
						 size_t log_num_tasks)
{
	return doca_comch_producer_task_send_set_conf(producer, task_completion_cb, task_error_cb,
						      cc_pool_size(log_num_tasks));
}

doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer, struct doca_buf *buf,
						   int consumer_id, struct doca_cc_producer_send_task **task)
{
	if (consumer_id < 0)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, (uint32_t)consumer_id, task);
}

struct doca_buf *doca_cc_producer_send_task_get_buf(struct doca_cc_producer_send_task *task)
{
	/* It came without const, from a function of this generation. */
	return (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task);
}

void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task, struct doca_buf *buf)
{
	doca_comch_producer_task_send_set_buf(task, buf);
}

int doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task)
{
	return (int)doca_comch_producer_task_send_get_consumer_id(task);
}

void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task, const int consumer_id)
{
	/* A negative one becomes a number that no consumer has, and is refused by submit. */
	doca_comch_producer_task_send_set_consumer_id(task, (uint32_t)consumer_id);
}

struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task)
{
	return doca_comch_producer_task_send_as_task(task);
}
