/*
 * Comm Channel as DOCA 1.2 has it: messages between a service on the DPU and its clients on the
 * host. Endpoints find their devices by themselves, and calls wait unless they are told not to.
 *
 * The functions have the names of later releases; doca_comm_channel_ep_create has other
 * parameters there. The values of the flags are not in NVIDIA's guide: they are those of a draft
 * of the header from 2021 that is of unclear provenance.
 *
 * An endpoint and its peers belong to one thread at a time. Every function but the two that
 * end something answers INVALID_VALUE for NULL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMM_CHANNEL_H_
#define DOCA_COMM_CHANNEL_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t; /* from connect or the first message until disconnect or destroy */

/* How an endpoint behaves. */
enum doca_comm_channel_init_flags {
    DOCA_CC_INIT_FLAG_NONBLOCK = 1, /* sendto and recvfrom do not wait */
    DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK = DOCA_CC_INIT_FLAG_NONBLOCK
};

/* How a message is sent or received. */
enum doca_comm_channel_msg_flags {
    DOCA_CC_MSG_FLAG_DONTWAIT = 1 /* this call does not wait */
};

struct doca_comm_channel_init_attr {
    uint32_t cookie;  /* the program's own number; nothing gives it back */
    uint32_t flags;   /* 0 or DOCA_CC_INIT_FLAG_NONBLOCK */
    uint32_t maxmsgs; /* messages in each queue of a connection: up to 8191, less than 16 is 16 */
    uint32_t msgsize; /* longest message in bytes: up to 4080, less than 256 is 256 */
};

/* Makes an endpoint. NOT_PERMITTED (a size is too large), NO_MEMORY, INITIALIZATION. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_create(
    struct doca_comm_channel_init_attr *attr, struct doca_comm_channel_ep_t **ep);

/*
 * Makes the endpoint a service of that name (up to 119 characters) on all devices of the DPU, for
 * all functions of the host. NOT_PERMITTED (on the host, or a second time), CONNECTION_ABORTED
 * (the name is taken), NO_MEMORY, INITIALIZATION.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_listen(
    struct doca_comm_channel_ep_t *local_ep, const char *name);

/*
 * Connects to a service over the first device of the host, and waits until the service has let the
 * client in. NOT_PERMITTED (on the DPU, or a second time), CONNECTION_ABORTED (no such service, or
 * it has a client of this function already), NO_MEMORY, INITIALIZATION.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_connect(
    struct doca_comm_channel_ep_t *local_ep, const char *name,
    struct doca_comm_channel_addr_t **peer_addr);

/*
 * Sends a copy of `len` bytes; waits for room, or answers AGAIN. NOT_CONNECTED, INVALID_VALUE (no
 * bytes or too many, flags), CONNECTION_RESET (the peer has gone).
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_sendto(
    struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len, int flags,
    struct doca_comm_channel_addr_t *peer_addr);

/*
 * Takes the message that arrived first; waits for one, or answers AGAIN. `len`: the room at `msg`,
 * then the message's length. A service lets waiting clients in here. NOT_CONNECTED,
 * CONNECTION_RESET (the peer is broken; or the service has gone, where the call would wait), UNKNOWN
 * (a client could not be let in).
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_recvfrom(
    struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
    struct doca_comm_channel_addr_t **peer_addr);

/* Ends a connection on this side and frees the peer; the other side is not told. NOT_CONNECTED. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_disconnect(
    struct doca_comm_channel_ep_t *local_ep, struct doca_comm_channel_addr_t *peer_addr);

/* Waits until everything has been sent, ends all connections, frees the endpoint. NOT_CONNECTED. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_destroy(
    struct doca_comm_channel_ep_t *local_ep);

/* Sets the program's own number of a peer. Both names mean the same. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_user_data_set(
    struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_set_user_data(
    struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/* Reads it; 0 until it is set. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_user_data_get(
    struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_user_data(
    struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMM_CHANNEL_H_ */
