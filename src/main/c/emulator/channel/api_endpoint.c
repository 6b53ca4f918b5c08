/* Public functions of DOCA 1.5 and later: endpoints, messages, event channels, the state of a service. */
#include <stdlib.h>

#include "base/clock.h"
#include "channel/api.h"
#include "channel/channel_readings.h"
#include "doca_comm_channel.h"
#include "log/sdk_log.h"
#include "topology/dev.h"

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
{
	return ep == NULL ? DOCA_ERROR_INVALID_VALUE : endpoint_create(ep);
}

doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep)
{
	if (!is_endpoint(local_ep))
		return DOCA_ERROR_NOT_CONNECTED;
	endpoint_destroy(local_ep, now_ms() + READING_DISCONNECT_GRACE_MS);
	return DOCA_SUCCESS;
}

/* ---- connections ---- */

doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
{
	if (!is_endpoint(local_ep) || name == NULL || !endpoint_is_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint_is_active(local_ep))
		return DOCA_ERROR_NOT_PERMITTED;
	if (local_ep->dev == NULL)
		return DOCA_ERROR_BAD_STATE;
	if (!emu_dev_is_dpu(local_ep->dev) || !emu_dev_can(local_ep->dev, EMU_CAN_COMCH))
		return DOCA_ERROR_NOT_SUPPORTED;
	if (local_ep->rep == NULL)
		return DOCA_ERROR_BAD_STATE;
	emu_log_forget();
	if (emu_rep_dev(local_ep->rep) != local_ep->dev) {
		EMU_LOG_ERROR("the representor of %s is not one of the endpoint's device", emu_rep_pci(local_ep->rep));
		return DOCA_ERROR_INVALID_VALUE;
	}
	endpoint_set_name(local_ep, name);
	struct endpoint_listener *listeners = calloc(ENDPOINT_FAMILIES, sizeof(*listeners));
	if (listeners == NULL)
		return DOCA_ERROR_NO_MEMORY;
	endpoint_place_listeners(listeners, 0, emu_rep_pci(local_ep->rep));
	doca_error_t result = service_listen(local_ep, listeners, ENDPOINT_FAMILIES);
	if (result != DOCA_SUCCESS)
		/* guard: release-channel-functions */ free(listeners);
	return result;
}

doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
					  struct doca_comm_channel_addr_t **peer_addr)
{
	if (!is_endpoint(local_ep) || name == NULL || peer_addr == NULL || !endpoint_is_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint_is_active(local_ep))
		return DOCA_ERROR_NOT_PERMITTED;
	if (local_ep->dev == NULL)
		return DOCA_ERROR_BAD_STATE;
	if (emu_dev_is_dpu(local_ep->dev) || !emu_dev_can(local_ep->dev, EMU_CAN_COMCH))
		return DOCA_ERROR_NOT_SUPPORTED;
	endpoint_set_name(local_ep, name);
	emu_log_forget();
	return client_connect(local_ep, emu_dev_pci(local_ep->dev), peer_addr);
}

doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
					     struct doca_comm_channel_addr_t *peer_addr)
{
	if (!is_endpoint(local_ep))
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_peer(peer_addr) || peer_addr->endpoint != local_ep)
		return DOCA_ERROR_NOT_CONNECTED;
	endpoint_disconnect(local_ep, peer_addr, now_ms() + READING_DISCONNECT_GRACE_MS);
	return DOCA_SUCCESS;
}

/* ---- messages ---- */

doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
					 int flags, struct doca_comm_channel_addr_t *peer_addr)
{
	if (!is_endpoint(local_ep))
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_is_active(local_ep))
		return DOCA_ERROR_NOT_CONNECTED;
	if (msg == NULL || flags != DOCA_CC_MSG_FLAG_NONE)
		return DOCA_ERROR_INVALID_VALUE;
	if (peer_addr == NULL)
		return DOCA_ERROR_NOT_CONNECTED;
	if (!is_peer(peer_addr))
		return DOCA_ERROR_INVALID_VALUE;
	if (peer_addr->endpoint != local_ep)
		return DOCA_ERROR_NOT_CONNECTED;
	return endpoint_send(local_ep, msg, len, peer_addr);
}

doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
					   struct doca_comm_channel_addr_t **peer_addr)
{
	if (!is_endpoint(local_ep) || msg == NULL || len == NULL || flags != DOCA_CC_MSG_FLAG_NONE)
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_is_active(local_ep))
		return *len == 0 || peer_addr == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_CONNECTED;
	/* A client knows whom it hears. */
	if (peer_addr == NULL && endpoint_listens(local_ep))
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_comm_channel_addr_t *only;
	return endpoint_receive(local_ep, msg, len, peer_addr == NULL ? &only : peer_addr);
}

/* ---- event channels ---- */

static doca_error_t handle_of(struct doca_comm_channel_ep_t *ep, struct event_channel *events,
			      doca_event_channel_t *handle)
{
	if (handle == NULL)
		return DOCA_SUCCESS;
	pthread_mutex_lock(&ep->lock);
	doca_error_t result = events_open(ep, events);
	if (result == DOCA_SUCCESS)
		*handle = events->epoll;
	pthread_mutex_unlock(&ep->lock);
	return result;
}

doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
						    doca_event_channel_t *send_event_channel,
						    doca_event_channel_t *recv_event_channel)
{
	if (!is_endpoint(local_ep) || (send_event_channel == NULL && recv_event_channel == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_is_active(local_ep))
		return DOCA_ERROR_BAD_STATE;
	doca_error_t result = handle_of(local_ep, &local_ep->send_events, send_event_channel);
	return result == DOCA_SUCCESS ? handle_of(local_ep, &local_ep->recv_events, recv_event_channel) : result;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep)
{
	return is_endpoint(local_ep) ? events_arm_send(local_ep) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep)
{
	return is_endpoint(local_ep) ? events_arm_recv(local_ep) : DOCA_ERROR_INVALID_VALUE;
}

/* ---- state of a service ---- */

/* For whom is not a service: a client, or something that may become either. */
static doca_error_t no_service(const struct doca_comm_channel_ep_t *ep)
{
	return ep->num_peers > 0 || (ep->dev != NULL && !emu_dev_is_dpu(ep->dev)) ? DOCA_ERROR_NOT_SUPPORTED
										  : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
							    doca_event_channel_t *service_event_channel)
{
	if (!is_endpoint(local_ep) || service_event_channel == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_listens(local_ep))
		return no_service(local_ep);
	return handle_of(local_ep, &local_ep->service_events, service_event_channel);
}

doca_error_t doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep)
{
	if (!is_endpoint(local_ep))
		return DOCA_ERROR_INVALID_VALUE;
	return endpoint_listens(local_ep) ? service_take_state(local_ep) : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
						     struct doca_comm_channel_addr_t ***peer_addr_array,
						     uint32_t *peer_addr_array_len)
{
	if (!is_endpoint(local_ep) || peer_addr_array == NULL || peer_addr_array_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_listens(local_ep))
		return DOCA_ERROR_NOT_SUPPORTED;
	*peer_addr_array = local_ep->listed;
	*peer_addr_array_len = local_ep->num_listed;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
							  uint32_t *pending_connections)
{
	if (!is_endpoint(local_ep) || pending_connections == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_listens(local_ep))
		return DOCA_ERROR_NOT_SUPPORTED;
	*pending_connections = local_ep->listed_pending;
	return DOCA_SUCCESS;
}
