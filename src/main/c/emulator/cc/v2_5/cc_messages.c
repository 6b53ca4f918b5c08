#include "cc_messages.h"

static void message_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
			     struct doca_comch_connection *comch_connection)
{
	doca_cc_event_msg_recv_cb_t program = (doca_cc_event_msg_recv_cb_t)event->endpoint->older.message_received;
	program(event, recv_buffer, msg_len, comch_connection);
}

doca_error_t cc_msg_recv_register(struct comch_endpoint *endpoint, doca_cc_event_msg_recv_cb_t received)
{
	doca_error_t result = endpoint_msg_recv_register(endpoint, received == NULL ? NULL : message_received);
	if (result == DOCA_SUCCESS)
		endpoint->older.message_received = (older_callback)received;
	return result;
}

struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task)
{
	return doca_comch_task_send_as_task(task);
}
