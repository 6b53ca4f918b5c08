/* Configuration of servers and clients. */
#include "control/endpoint.h"
#include "readings.h"
#include "topology/dev.h"

static doca_error_t configurable(const struct comch_endpoint *endpoint)
{
	return endpoint->ctx.state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t endpoint_set_max_msg_size(struct comch_endpoint *endpoint, uint32_t size)
{
	if (endpoint == NULL || size == 0 || size > emu_dev_limits(endpoint->dev)->max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result == DOCA_SUCCESS)
		endpoint->max_msg_size = size;
	return result;
}

doca_error_t endpoint_set_recv_queue_size(struct comch_endpoint *endpoint, uint32_t size)
{
	if (endpoint == NULL || size == 0 || size > emu_dev_limits(endpoint->dev)->max_recv_queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result == DOCA_SUCCESS)
		endpoint->recv_queue_size = size;
	return result;
}

doca_error_t endpoint_get_max_msg_size(const struct comch_endpoint *endpoint, uint32_t *size)
{
	if (endpoint == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = endpoint->max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_get_recv_queue_size(const struct comch_endpoint *endpoint, uint32_t *size)
{
	if (endpoint == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = endpoint->recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_get_device(const struct comch_endpoint *endpoint, struct doca_dev **dev)
{
	if (endpoint == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = endpoint->dev;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_task_send_set_conf(struct comch_endpoint *endpoint,
					 doca_comch_task_send_completion_cb_t completed,
					 doca_comch_task_send_completion_cb_t failed, uint32_t num)
{
	if (endpoint == NULL || completed == NULL || failed == NULL || num == 0 ||
	    num > emu_dev_limits(endpoint->dev)->max_send_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	endpoint->send_completed = completed;
	endpoint->send_failed = failed;
	endpoint->num_send_tasks = num;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_msg_recv_register(struct comch_endpoint *endpoint, doca_comch_event_msg_recv_cb_t received)
{
	if (endpoint == NULL || received == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result == DOCA_SUCCESS)
		endpoint->message_received = received;
	return result;
}

doca_error_t endpoint_consumer_register(struct comch_endpoint *endpoint, doca_comch_event_consumer_cb_t created,
					doca_comch_event_consumer_cb_t expired)
{
	if (endpoint == NULL || created == NULL || expired == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	endpoint->consumer_new = created;
	endpoint->consumer_expired = expired;
	return DOCA_SUCCESS;
}
