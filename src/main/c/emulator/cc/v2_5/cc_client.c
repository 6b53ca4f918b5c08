/* Clients. */
#include "cc_messages.h"
#include "numbers.h"

/* ---- life and properties ---- */

doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, size_t size)
{
	return doca_comch_client_set_max_msg_size(cc_client, cc_narrow(size));
}

doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client, size_t *size)
{
	uint32_t value = 0;
	return cc_widen(doca_comch_client_get_max_msg_size(cc_client, &value), &value, size);
}

doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client, size_t size)
{
	return doca_comch_client_set_recv_queue_size(cc_client, cc_narrow(size));
}

doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client, size_t *size)
{
	uint32_t value = 0;
	return cc_widen(doca_comch_client_get_recv_queue_size(cc_client, &value), &value, size);
}

/* ---- send tasks ---- */

doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
					       doca_cc_send_task_comp_handler task_completion_cb,
					       doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks)
{
	return doca_comch_client_task_send_set_conf(cc_client, task_completion_cb, task_error_cb,
						    cc_send_pool_size(log_num_tasks));
}

doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client, struct doca_cc_connection *peer,
						 const void *msg, size_t len, struct doca_cc_send_task **task)
{
	return doca_comch_client_task_send_alloc_init(cc_client, peer, msg, cc_narrow(len), task);
}

/* ---- events ---- */

doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return cc_msg_recv_register((struct comch_endpoint *)cc_client, recv_event_cb);
}
