/*
 * Comm Channel, endpoints: messages between a service on the DPU and its clients on the host,
 * without contexts, engines and callbacks. DOCA 1.5 to 2.8 have it.
 *
 * An endpoint is a service once it listens, or a client once it connects. A peer address stands
 * for one connection of it. No call waits for the peer but disconnect and destroy: what cannot go
 * on answers AGAIN, and the event channels tell when to try again.
 *
 * An endpoint and its peers belong to one thread at a time. Only the two calls that arm event
 * channels may run beside any other call.
 *
 * Every function answers INVALID_VALUE for a NULL that it cannot do with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMM_CHANNEL_H_
#define DOCA_COMM_CHANNEL_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t; /* from connect or the first message until disconnect or destroy */

/* A descriptor for poll and epoll (EPOLLIN). Never to be read or closed by the program. */
typedef doca_event_handle_t doca_event_channel_t;

/* How a message is sent or received. */
enum doca_comm_channel_msg_flags {
    DOCA_CC_MSG_FLAG_NONE = 0 /* the only choice */
};

/* ---- capabilities of a device ---- */

/* Longest service name in bytes, with the closing NUL; the same for all devices. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_get_max_service_name_len(
    uint32_t *max_service_name_len);

/* Longest message in bytes. UNEXPECTED. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_get_max_message_size(
    struct doca_devinfo *devinfo, uint32_t *max_message_size);

/* Largest send queue, in messages. UNEXPECTED. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_get_max_send_queue_size(
    struct doca_devinfo *devinfo, uint32_t *max_send_queue_size);

/* Largest receive queue, in messages. UNEXPECTED. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_get_max_recv_queue_size(
    struct doca_devinfo *devinfo, uint32_t *max_recv_queue_size);

/*
 * Clients that a service can have at a time; 0: as many as come. NOT_SUPPORTED where there can be
 * no service, UNEXPECTED.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_get_service_max_num_connections(
    struct doca_devinfo *devinfo, uint32_t *max_num_connections);

/* ---- endpoint: configuration ---- */

/* Makes an endpoint with default sizes and without a device. NO_MEMORY, INITIALIZATION, DRIVER. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);

/* The device of the endpoint; NULL before there is one. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_device(
    struct doca_comm_channel_ep_t *ep, struct doca_dev **device);

/* The representor of the endpoint; NULL before there is one. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_device_rep(
    struct doca_comm_channel_ep_t *ep, struct doca_dev_rep **device_rep);

/* The longest message in bytes, as it is in use. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_max_msg_size(
    struct doca_comm_channel_ep_t *ep, uint16_t *max_msg_size);

/* The send queue of each connection in messages, as it is in use. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_send_queue_size(
    struct doca_comm_channel_ep_t *ep, uint16_t *send_queue_size);

/* The receive queue of each connection in messages, as it is in use. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_recv_queue_size(
    struct doca_comm_channel_ep_t *ep, uint16_t *recv_queue_size);

/* Sets the device, which every endpoint needs. BAD_STATE once the endpoint listens or connects. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_set_device(
    struct doca_comm_channel_ep_t *ep, struct doca_dev *device);

/* Sets the host function that a service is for. BAD_STATE as above. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_set_device_rep(
    struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *device_rep);

/*
 * Sets the longest message; the library may take more. INVALID_VALUE (0, more than the
 * capability), BAD_STATE as above.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_set_max_msg_size(
    struct doca_comm_channel_ep_t *ep, uint16_t max_msg_size);

/*
 * Sets how many messages of a connection may be in flight; the library takes a minimum and powers
 * of two. Errors as above.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_set_send_queue_size(
    struct doca_comm_channel_ep_t *ep, uint16_t send_queue_size);

/* Sets how many messages of a connection may wait for recvfrom; as above. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_set_recv_queue_size(
    struct doca_comm_channel_ep_t *ep, uint16_t recv_queue_size);

/* ---- event channels ---- */

/*
 * The two descriptors of a listening or connected endpoint; one of the pointers may be NULL.
 * Readable after an arm call, once there is something to receive, and once messages have left the
 * send queue. BAD_STATE before listen or connect, NOT_FOUND.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_event_channel(
    struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *send_event_channel,
    doca_event_channel_t *recv_event_channel);

/*
 * A descriptor that becomes readable when a client comes or goes, and when the service breaks.
 * BAD_STATE (not listening), NOT_SUPPORTED (client).
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_service_event_channel(
    struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *service_event_channel);

/*
 * Makes the send event channel unreadable until its next event: before the first wait, and after
 * each event.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_event_handle_arm_send(
    struct doca_comm_channel_ep_t *local_ep);

/* The same for the receive event channel. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_event_handle_arm_recv(
    struct doca_comm_channel_ep_t *local_ep);

/* ---- connections and messages ---- */

/*
 * Makes the endpoint a service of that name for the host function of its representor.
 * BAD_STATE (no device or representor), NOT_SUPPORTED (not a device of the DPU), NOT_PERMITTED
 * (it listens or connects already), CONNECTION_ABORTED (the name is taken), NO_MEMORY,
 * INITIALIZATION, DRIVER.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_listen(
    struct doca_comm_channel_ep_t *local_ep, const char *name);

/*
 * Begins to connect to a service, and gives the peer at once. It can be used when
 * doca_comm_channel_peer_addr_update_info answers SUCCESS. BAD_STATE (no device), NOT_SUPPORTED
 * (not a device of the host), NOT_PERMITTED (there is a peer already, or it listens),
 * CONNECTION_ABORTED (no such service), NO_MEMORY, INITIALIZATION, DRIVER.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_connect(
    struct doca_comm_channel_ep_t *local_ep, const char *name,
    struct doca_comm_channel_addr_t **peer_addr);

/*
 * Sends a copy of `len` bytes. NOT_CONNECTED, INVALID_VALUE (no bytes or too many, flags), AGAIN
 * (the send queue is full), CONNECTION_RESET (the peer is broken: disconnect it), INITIALIZATION,
 * UNKNOWN.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_sendto(
    struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len, int flags,
    struct doca_comm_channel_addr_t *peer_addr);

/*
 * Takes the message that arrived first. `len`: the room at `msg`, then the message's length. A
 * service lets waiting clients in here, and here alone. AGAIN (there is none), NOT_CONNECTED,
 * CONNECTION_RESET (a message of a broken peer), INITIALIZATION, UNKNOWN.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_recvfrom(
    struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
    struct doca_comm_channel_addr_t **peer_addr);

/*
 * Ends a connection on this side and frees the peer address; the other side is not told.
 * NOT_CONNECTED, NO_MEMORY, UNKNOWN.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_disconnect(
    struct doca_comm_channel_ep_t *local_ep, struct doca_comm_channel_addr_t *peer_addr);

/* Ends all connections, closes the event channels, frees the endpoint. NOT_CONNECTED for NULL. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_destroy(
    struct doca_comm_channel_ep_t *local_ep);

/* ---- peers ---- */

/* Reads the program's own number of the peer; 0 until it is set. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_user_data(
    struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);

/* Sets it. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_set_user_data(
    struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/*
 * Takes a snapshot of the counters below, and tells the state: SUCCESS (connected),
 * CONNECTION_INPROGRESS, CONNECTION_ABORTED (it has failed, or is broken).
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_update_info(
    struct doca_comm_channel_addr_t *peer_addr);

/* Messages sent to the peer, as of the snapshot. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_send_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages);

/* Bytes sent to the peer. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_send_bytes(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes);

/* Messages received from the peer. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages);

/* Bytes received from the peer. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes);

/* Messages sent that have not reached the peer's receive queue; 0: no disconnect loses one. */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

/* ---- state of a service ---- */

/*
 * Takes a snapshot of the service's peers, and arms its event channel. Arrays got before are gone.
 * NOT_SUPPORTED (client), AGAIN (clients came meanwhile: call again), CONNECTION_RESET (the
 * service is broken: destroy it), DRIVER.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_update_service_state_info(
    struct doca_comm_channel_ep_t *local_ep);

/* The peers of the snapshot, in an array that stays the library's. NOT_SUPPORTED (client). */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_peer_addr_list(
    const struct doca_comm_channel_ep_t *local_ep,
    struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len);

/* Clients that wait for recvfrom to let them in, as of the snapshot. NOT_SUPPORTED (client). */
DOCA_EXPERIMENTAL doca_error_t doca_comm_channel_ep_get_pending_connections(
    const struct doca_comm_channel_ep_t *local_ep, uint32_t *pending_connections);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMM_CHANNEL_H_ */
