/* Public functions of DOCA 1.5 and later: peer addresses. */
#include "channel/api.h"
#include "doca_comm_channel.h"

doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data)
{
	if (!is_peer(peer_addr) || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = peer_addr->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
						       uint64_t user_context)
{
	if (!is_peer(peer_addr))
		return DOCA_ERROR_INVALID_VALUE;
	peer_addr->user_data = user_context;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr)
{
	if (!is_peer(peer_addr))
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&peer_addr->state) == PEER_CONNECTING)
		client_go_on(peer_addr);
	peer_count(peer_addr);
	enum peer_state state = atomic_load(&peer_addr->state);
	peer_addr->asked |= state != PEER_CONNECTING;
	switch (state) {
	case PEER_CONNECTING:
		return DOCA_ERROR_CONNECTION_INPROGRESS;
	case PEER_CONNECTED:
		return peer_addr->gone_told ? DOCA_ERROR_CONNECTION_ABORTED : DOCA_SUCCESS;
	case PEER_ABORTED:
	case PEER_BROKEN:
	default:
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
}

static doca_error_t report(const struct doca_comm_channel_addr_t *peer_addr, size_t counter, uint64_t *value)
{
	if (!is_peer(peer_addr) || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*value = *(const uint64_t *)((const char *)&peer_addr->snapshot + counter);
	return DOCA_SUCCESS;
}

#define REPORT(field) report(peer_addr, offsetof(struct peer_counters, field), field)

doca_error_t doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer_addr,
							   uint64_t *send_messages)
{
	return REPORT(send_messages);
}

doca_error_t doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer_addr,
							uint64_t *send_bytes)
{
	return REPORT(send_bytes);
}

doca_error_t doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer_addr,
							   uint64_t *recv_messages)
{
	return REPORT(recv_messages);
}

doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer_addr,
							uint64_t *recv_bytes)
{
	return REPORT(recv_bytes);
}

doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(const struct doca_comm_channel_addr_t *peer_addr,
								     uint64_t *send_in_flight_messages)
{
	return report(peer_addr, offsetof(struct peer_counters, in_flight), send_in_flight_messages);
}
