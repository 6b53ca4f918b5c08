/* Public functions of DOCA 1.2: endpoints that find their devices, and calls that wait. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "channel/api.h"
#include "channel/channel_readings.h"
#include "channel/v1_2/functions.h"
#include "doca_comm_channel.h"
#include "log/sdk_log.h"

#define MAX_MSGS 8191u
#define MIN_MSGS 16u
#define MAX_MSG_SIZE 4080u

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr, struct doca_comm_channel_ep_t **ep)
{
	if (attr == NULL || ep == NULL || (attr->flags & ~(uint32_t)DOCA_CC_INIT_FLAG_NONBLOCK) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (attr->msgsize > MAX_MSG_SIZE || attr->maxmsgs > MAX_MSGS)
		return DOCA_ERROR_NOT_PERMITTED;
	if (functions_load() != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	doca_error_t result = endpoint_create(ep);
	if (result != DOCA_SUCCESS)
		return result;
	(*ep)->one_client_per_function = true;
	(*ep)->waits = (attr->flags & DOCA_CC_INIT_FLAG_NONBLOCK) == 0;
	(*ep)->cookie = attr->cookie;
	(*ep)->max_msg_size = endpoint_round_msg_size(attr->msgsize);
	(*ep)->send_queue_size = (*ep)->recv_queue_size = attr->maxmsgs < MIN_MSGS ? MIN_MSGS : attr->maxmsgs;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
{
	if (!is_endpoint(local_ep) || name == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint_is_active(local_ep))
		return DOCA_ERROR_NOT_PERMITTED;
	if (!endpoint_is_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	endpoint_set_name(local_ep, name);
	emu_log_forget();
	struct endpoint_listener *listeners;
	uint32_t num;
	doca_error_t result = functions_of_dpus(&listeners, &num);
	if (result != DOCA_SUCCESS)
		return result;
	result = service_listen(local_ep, listeners, num);
	if (result != DOCA_SUCCESS)
		free(listeners);
	return result;
}

/* Sleeps until the descriptor is readable. */
static void sleep_on(int fd)
{
	struct pollfd watched = {.fd = fd, .events = POLLIN};
	while (poll(&watched, 1, -1) < 0 && errno == EINTR)
		;
}

doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
					  struct doca_comm_channel_addr_t **peer_addr)
{
	if (!is_endpoint(local_ep) || name == NULL || peer_addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	const char *pci = functions_first_of_host();
	if (endpoint_is_active(local_ep) || pci == NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (!endpoint_is_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	endpoint_set_name(local_ep, name);
	emu_log_forget();
	struct doca_comm_channel_addr_t *peer;
	doca_error_t result = client_connect(local_ep, pci, &peer);
	if (result != DOCA_SUCCESS)
		return result;
	peer->asked = true; /* this call asks until it is */
	client_go_on(peer);
	while (atomic_load(&peer->state) == PEER_CONNECTING) {
		if (peer_looks_for_service(peer))
			nanosleep(&(struct timespec){.tv_nsec = (long)READING_SERVICE_LOOK_NS}, NULL);
		else
			sleep_on(peer->send_bell.socket);
		client_go_on(peer);
	}
	if (atomic_load(&peer->state) != PEER_CONNECTED) {
		endpoint_disconnect(local_ep, peer, 0);
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	*peer_addr = peer;
	return DOCA_SUCCESS;
}

/* Whether a call with these flags is to wait; false in `known`: there are no such flags. */
static bool waits(const struct doca_comm_channel_ep_t *ep, int flags, bool *known)
{
	*known = (flags & ~DOCA_CC_MSG_FLAG_DONTWAIT) == 0;
	return ep->waits && flags == 0;
}

doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
					 int flags, struct doca_comm_channel_addr_t *peer_addr)
{
	if (!is_endpoint(local_ep) || msg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	bool known, wait = waits(local_ep, flags, &known);
	if (!known)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_peer(peer_addr) || peer_addr->endpoint != local_ep)
		return DOCA_ERROR_NOT_CONNECTED;
	doca_error_t result = endpoint_send(local_ep, msg, len, peer_addr);
	while (wait && result == DOCA_ERROR_AGAIN) {
		result = events_arm_send(local_ep);
		if (result != DOCA_SUCCESS)
			return DOCA_ERROR_UNKNOWN;
		result = endpoint_send(local_ep, msg, len, peer_addr);
		if (result == DOCA_ERROR_AGAIN)
			sleep_on(local_ep->send_events.epoll);
	}
	return result;
}

/* A client whose service has died, or is known to have gone, waits in vain. Of a disconnect it is unaware. */
static bool is_alone(const struct doca_comm_channel_ep_t *ep)
{
	return !endpoint_listens(ep) &&
	       (atomic_load(&ep->peers[0]->state) == PEER_BROKEN || peer_has_died(ep->peers[0]));
}

/* Sleeps until there is something to receive, or the service of a client dies. */
static void sleep_to_receive(const struct doca_comm_channel_ep_t *ep)
{
	const struct doca_comm_channel_addr_t *of_client = endpoint_listens(ep) ? NULL : ep->peers[0];
	bool disconnected = of_client != NULL && atomic_load(of_client->in.peer.closed) != 0;
	struct pollfd watched[] = {
		{.fd = ep->recv_events.epoll, .events = POLLIN},
		{.fd = of_client == NULL || disconnected ? -1 : of_client->send_bell.socket, .events = POLLRDHUP},
	};
	while (poll(watched, 2, -1) < 0 && errno == EINTR)
		;
}

static doca_error_t receive_once(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len, size_t room, bool wait,
				 struct doca_comm_channel_addr_t **from)
{
	/* Who does not wait is not told of it. Looked at first: what it has sent before its death comes before that. */
	bool alone = wait && is_alone(ep);
	*len = room;
	doca_error_t result = endpoint_receive(ep, msg, len, from);
	if (result == DOCA_ERROR_AGAIN && alone) {
		*from = ep->peers[0];
		return DOCA_ERROR_CONNECTION_RESET;
	}
	return result == READING_HANDSHAKE_FAILED ? DOCA_ERROR_UNKNOWN : result;
}

doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
					   struct doca_comm_channel_addr_t **peer_addr)
{
	if (!is_endpoint(local_ep) || msg == NULL || len == NULL || peer_addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	bool known, wait = waits(local_ep, flags, &known);
	if (!known)
		return DOCA_ERROR_INVALID_VALUE;
	if (!endpoint_is_active(local_ep))
		return DOCA_ERROR_NOT_CONNECTED;
	size_t room = *len;
	doca_error_t result = receive_once(local_ep, msg, len, room, wait, peer_addr);
	while (wait && result == DOCA_ERROR_AGAIN) {
		if (events_arm_recv(local_ep) != DOCA_SUCCESS)
			return DOCA_ERROR_UNKNOWN;
		result = receive_once(local_ep, msg, len, room, wait, peer_addr);
		if (result == DOCA_ERROR_AGAIN)
			sleep_to_receive(local_ep);
	}
	return result;
}

doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
					     struct doca_comm_channel_addr_t *peer_addr)
{
	if (!is_endpoint(local_ep) || !is_peer(peer_addr) || peer_addr->endpoint != local_ep)
		return DOCA_ERROR_NOT_CONNECTED;
	endpoint_disconnect(local_ep, peer_addr, now_ms() + READING_DISCONNECT_GRACE_MS);
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep)
{
	if (!is_endpoint(local_ep))
		return DOCA_ERROR_NOT_CONNECTED;
	endpoint_destroy(local_ep, now_ms() + READING_DISCONNECT_GRACE_MS);
	return DOCA_SUCCESS;
}

/* ---- user data ---- */

doca_error_t doca_comm_channel_peer_addr_user_data_set(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	if (!is_peer(peer_addr))
		return DOCA_ERROR_INVALID_VALUE;
	peer_addr->user_data = user_context;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_user_data_get(struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data)
{
	if (!is_peer(peer_addr) || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = peer_addr->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	return doca_comm_channel_peer_addr_user_data_set(peer_addr, user_context);
}

doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data)
{
	return doca_comm_channel_peer_addr_user_data_get(peer_addr, user_data);
}
