/* What the public functions of all releases begin with. */
#ifndef EMU_CHANNEL_API_H
#define EMU_CHANNEL_API_H

#include "channel/channel_endpoint.h"

static inline bool is_endpoint(const struct doca_comm_channel_ep_t *ep)
{
	return ep != NULL && handle_is(&ep->handle, HANDLE_ENDPOINT);
}

static inline bool is_peer(const struct doca_comm_channel_addr_t *peer)
{
	return peer != NULL && handle_is(&peer->handle, HANDLE_PEER);
}

#endif
