/* Public functions of DOCA 1.5 and later: capabilities, and the configuration of endpoints. */
#include "channel/api.h"
#include "doca_comm_channel.h"
#include "topology/dev.h"

/* ---- capabilities ---- */

static doca_error_t report(const struct doca_devinfo *devinfo, uint32_t limit, uint32_t *value)
{
	if (devinfo == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*value = limit;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len)
{
	if (max_service_name_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_service_name_len = endpoint_max_name_len();
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo, uint32_t *max_message_size)
{
	return report(devinfo, endpoint_max_msg_size(), max_message_size);
}

doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo, uint32_t *max_send_queue_size)
{
	return report(devinfo, endpoint_max_send_queue(), max_send_queue_size);
}

doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo, uint32_t *max_recv_queue_size)
{
	return report(devinfo, endpoint_max_recv_queue(), max_recv_queue_size);
}

doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
							       uint32_t *max_num_connections)
{
	if (devinfo != NULL && max_num_connections != NULL &&
	    (!emu_devinfo_is_dpu(devinfo) || !emu_devinfo_can(devinfo, EMU_CAN_COMCH)))
		return DOCA_ERROR_NOT_SUPPORTED;
	return report(devinfo, emu_limits()->max_clients, max_num_connections);
}

/* ---- device and representor ---- */

doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep, struct doca_dev **device)
{
	if (!is_endpoint(ep) || device == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*device = ep->dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device)
{
	if (!is_endpoint(ep) || device == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint_is_active(ep))
		return DOCA_ERROR_BAD_STATE;
	emu_dev_use(device);
	if (ep->dev != NULL)
		emu_dev_unuse(ep->dev);
	ep->dev = device;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep **device_rep)
{
	if (!is_endpoint(ep) || device_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*device_rep = ep->rep;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *device_rep)
{
	if (!is_endpoint(ep) || device_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint_is_active(ep))
		return DOCA_ERROR_BAD_STATE;
	emu_rep_use(device_rep);
	if (ep->rep != NULL)
		emu_rep_unuse(ep->rep);
	ep->rep = device_rep;
	return DOCA_SUCCESS;
}

/* ---- sizes ---- */

/* Whether a size can be set to that. */
static doca_error_t settable(const struct doca_comm_channel_ep_t *ep, uint16_t size, uint32_t limit)
{
	if (!is_endpoint(ep) || size == 0 || size > limit)
		return DOCA_ERROR_INVALID_VALUE;
	return endpoint_is_active(ep) ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t *max_msg_size)
{
	if (!is_endpoint(ep) || max_msg_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_msg_size = (uint16_t)ep->max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t max_msg_size)
{
	doca_error_t result = settable(ep, max_msg_size, endpoint_max_msg_size());
	if (result == DOCA_SUCCESS)
		ep->max_msg_size = endpoint_round_msg_size(max_msg_size);
	return result;
}

doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t *send_queue_size)
{
	if (!is_endpoint(ep) || send_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*send_queue_size = (uint16_t)ep->send_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t send_queue_size)
{
	doca_error_t result = settable(ep, send_queue_size, endpoint_max_send_queue());
	if (result == DOCA_SUCCESS)
		ep->send_queue_size = endpoint_round_queue(send_queue_size);
	return result;
}

doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t *recv_queue_size)
{
	if (!is_endpoint(ep) || recv_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*recv_queue_size = (uint16_t)ep->recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t recv_queue_size)
{
	doca_error_t result = settable(ep, recv_queue_size, endpoint_max_recv_queue());
	if (result == DOCA_SUCCESS)
		ep->recv_queue_size = endpoint_round_queue(recv_queue_size);
	return result;
}
