/* Servers. */
#include "cc_messages.h"
#include "numbers.h"

/* ---- life and properties ---- */

doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, size_t size)
{
	return doca_comch_server_set_max_msg_size(cc_server, cc_narrow(size));
}

doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server, size_t *size)
{
	uint32_t value = 0;
	return cc_widen(doca_comch_server_get_max_msg_size(cc_server, &value), &value, size);
}

doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server, size_t size)
{
	return doca_comch_server_set_recv_queue_size(cc_server, cc_narrow(size));
}

doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server, size_t *size)
{
	uint32_t value = 0;
	return cc_widen(doca_comch_server_get_recv_queue_size(cc_server, &value), &value, size);
}

/* ---- send tasks ---- */

doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server,
					       doca_cc_send_task_comp_handler task_completion_cb,
					       doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks)
{
	return doca_comch_server_task_send_set_conf(cc_server, task_completion_cb, task_error_cb,
						    cc_send_pool_size(log_num_tasks));
}

doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server, struct doca_cc_connection *peer,
						 const void *msg, size_t len, struct doca_cc_send_task **task)
{
	return doca_comch_server_task_send_alloc_init(cc_server, peer, msg, cc_narrow(len), task);
}

/* ---- events ---- */

doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return cc_msg_recv_register((struct comch_endpoint *)cc_server, recv_event_cb);
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t change_successful)
{
	((doca_cc_event_connection_status_changed_cb_t)event->endpoint->older.connected)(event, connection,
											 change_successful != 0);
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t change_successful)
{
	((doca_cc_event_connection_status_changed_cb_t)event->endpoint->older.disconnected)(event, connection,
											    change_successful != 0);
}

doca_error_t doca_cc_server_event_connection_register(struct doca_cc_server *cc_server,
						      doca_cc_event_connection_status_changed_cb_t connect_event_cb,
						      doca_cc_event_connection_status_changed_cb_t disconnect_event_cb)
{
	doca_error_t result = doca_comch_server_event_connection_status_changed_register(
		cc_server, connect_event_cb == NULL ? NULL : connected,
		disconnect_event_cb == NULL ? NULL : disconnected);
	if (result != DOCA_SUCCESS)
		return result;
	struct comch_endpoint *endpoint = (struct comch_endpoint *)cc_server;
	endpoint->older.connected = (older_callback)connect_event_cb;
	endpoint->older.disconnected = (older_callback)disconnect_event_cb;
	return DOCA_SUCCESS;
}
