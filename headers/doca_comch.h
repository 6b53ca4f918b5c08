/*
 * Comch, control path: a server on the DPU, clients on the host, and messages between them.
 *
 * Configuration is possible in IDLE only, else BAD_STATE; a size of 0 or above the capability is
 * INVALID_VALUE. Messages of a connection arrive once and in order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

struct doca_comch_server;
struct doca_comch_client;
struct doca_comch_connection; /* made at the handshake, ends with the disconnection */
struct doca_comch_task_send;
struct doca_comch_event_msg_recv;
struct doca_comch_event_connection_status_changed;
struct doca_comch_event_consumer;

/* What doca_comch_connection_get_counter can tell. */
enum doca_comch_counter {
    DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
    DOCA_COMCH_COUNTER_SENT_BYTES = 2,
    DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
    DOCA_COMCH_COUNTER_RECV_BYTES = 4
};

/* Told that a send task has ended, well or badly. */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
    union doca_data task_user_data, union doca_data ctx_user_data);

/* Told of a message. The bytes are gone when the callback returns. */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
    uint8_t *recv_buffer, uint32_t msg_len, struct doca_comch_connection *comch_connection);

/*
 * Told of a new or an ended connection. With `change_successful` 0 the connection is usable in the
 * callback only.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_successful);

/* Told that the peer's consumer `id` can be sent to from now on, or no longer. */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
    struct doca_comch_connection *comch_connection, uint32_t id);

/* ---- capabilities of a device ---- */

/* SUCCESS when the device can carry a server, as on the DPU; else NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/* SUCCESS when the device can carry a client, as on the host; else NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/* Longest server name in bytes, with the closing NUL. */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_name_len(
    const struct doca_devinfo *devinfo, uint32_t *max_name_len);

/* Longest message in bytes. */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_msg_size(
    const struct doca_devinfo *devinfo, uint32_t *size);

/* Largest receive queue, in messages. */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_recv_queue_size(
    const struct doca_devinfo *devinfo, uint32_t *size);

/* Largest pool of send tasks. */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_send_tasks(
    const struct doca_devinfo *devinfo, uint32_t *max_send_tasks);

/* Connections that a server can hold. */
DOCA_STABLE doca_error_t doca_comch_cap_get_max_clients(
    const struct doca_devinfo *devinfo, uint32_t *num_clients);

/* ---- server ---- */

/*
 * Makes a server of that name for one host function; the name is copied. NO_MEMORY, INITIALIZATION.
 */
DOCA_STABLE doca_error_t doca_comch_server_create(
    struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
    struct doca_comch_server **comch_server);

/* Ends a server. IN_USE unless IDLE. */
DOCA_STABLE doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/* The server's context. NULL for NULL. */
DOCA_STABLE struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/* Sets the longest message. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_server_set_max_msg_size(
    struct doca_comch_server *comch_server, uint32_t size);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_comch_server_get_max_msg_size(
    const struct doca_comch_server *comch_server, uint32_t *size);

/* Sets how many messages may wait for progress. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_server_set_recv_queue_size(
    struct doca_comch_server *comch_server, uint32_t size);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_comch_server_get_recv_queue_size(
    const struct doca_comch_server *comch_server, uint32_t *size);

/* The device that the server was made on. */
DOCA_STABLE doca_error_t doca_comch_server_get_device(
    const struct doca_comch_server *comch_server, struct doca_dev **dev);

/* The representor that the server was made on. */
DOCA_STABLE doca_error_t doca_comch_server_get_device_rep(
    const struct doca_comch_server *comch_server, struct doca_dev_rep **rep);

/* Sizes the pool of send tasks and sets their callbacks for success and for errors. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server,
    doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/* Sets the function that receives messages. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_server_event_msg_recv_register(
    struct doca_comch_server *comch_server, doca_comch_event_msg_recv_cb_t recv_event_cb);

/* Sets the functions that are told of new and of ended connections. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/* Sets the functions that are told of the peers' consumers. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_server_event_consumer_register(
    struct doca_comch_server *comch_server, doca_comch_event_consumer_cb_t new_consumer_event_cb,
    doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/*
 * Takes a task that sends `len` bytes to a peer. NO_MEMORY when the pool is exhausted: progress,
 * try again.
 */
DOCA_STABLE doca_error_t doca_comch_server_task_send_alloc_init(
    struct doca_comch_server *comch_server, struct doca_comch_connection *peer, const void *msg,
    uint32_t len, struct doca_comch_task_send **task);

/*
 * Ends one connection. IN_USE while producers or consumers run on it, AGAIN when the send queue is
 * full.
 */
DOCA_STABLE doca_error_t doca_comch_server_disconnect(
    struct doca_comch_server *comch_server, struct doca_comch_connection *connection);

/* ---- client ---- */

/* Makes a client of the server of that name; the name is copied. NO_MEMORY, INITIALIZATION. */
DOCA_STABLE doca_error_t doca_comch_client_create(
    struct doca_dev *dev, const char *name, struct doca_comch_client **comch_client);

/* Ends a client. IN_USE unless IDLE. */
DOCA_STABLE doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/* The client's context; starting it connects, stopping it disconnects. NULL for NULL. */
DOCA_STABLE struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/* Sets the longest message. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_client_set_max_msg_size(
    struct doca_comch_client *comch_client, uint32_t size);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_comch_client_get_max_msg_size(
    const struct doca_comch_client *comch_client, uint32_t *size);

/* Sets how many messages may wait for progress. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_client_set_recv_queue_size(
    struct doca_comch_client *comch_client, uint32_t size);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_comch_client_get_recv_queue_size(
    const struct doca_comch_client *comch_client, uint32_t *size);

/* The device that the client was made on. */
DOCA_STABLE doca_error_t doca_comch_client_get_device(
    const struct doca_comch_client *comch_client, struct doca_dev **dev);

/* Sizes the pool of send tasks and sets their callbacks for success and for errors. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client,
    doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/* Sets the function that receives messages. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_client_event_msg_recv_register(
    struct doca_comch_client *comch_client, doca_comch_event_msg_recv_cb_t recv_event_cb);

/* Sets the functions that are told of the server's consumers. BAD_STATE. */
DOCA_STABLE doca_error_t doca_comch_client_event_consumer_register(
    struct doca_comch_client *comch_client, doca_comch_event_consumer_cb_t new_consumer_event_cb,
    doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/* The client's connection. BAD_STATE when it was not started. */
DOCA_STABLE doca_error_t doca_comch_client_get_connection(
    const struct doca_comch_client *comch_client, struct doca_comch_connection **connection);

/*
 * Takes a task that sends `len` bytes to the server. NO_MEMORY when the pool is exhausted:
 * progress, try again.
 */
DOCA_STABLE doca_error_t doca_comch_client_task_send_alloc_init(
    struct doca_comch_client *comch_client, struct doca_comch_connection *peer, const void *msg,
    uint32_t len, struct doca_comch_task_send **task);

/* ---- send task ---- */

/* The doca_task of a send task. */
DOCA_STABLE struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/* ---- connection ---- */

/* Sets the connection's user data. */
DOCA_STABLE doca_error_t doca_comch_connection_set_user_data(
    struct doca_comch_connection *connection, union doca_data user_data);

/* Reads it back; 0 at first. */
DOCA_STABLE union doca_data doca_comch_connection_get_user_data(
    const struct doca_comch_connection *connection);

/* The server of a connection, NULL when it is a client's. */
DOCA_STABLE struct doca_comch_server *doca_comch_server_get_server_ctx(
    const struct doca_comch_connection *connection);

/* The client of a connection, NULL when it is a server's. */
DOCA_STABLE struct doca_comch_client *doca_comch_client_get_client_ctx(
    const struct doca_comch_connection *connection);

/* Takes a snapshot of the counters. CONNECTION_INPROGRESS, CONNECTION_ABORTED. */
DOCA_STABLE doca_error_t doca_comch_connection_update_info(
    struct doca_comch_connection *comch_connection);

/* Reads a counter of the last snapshot. */
DOCA_STABLE doca_error_t doca_comch_connection_get_counter(
    const struct doca_comch_connection *comch_connection, enum doca_comch_counter counter_type,
    uint64_t *counter_value);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H_ */
