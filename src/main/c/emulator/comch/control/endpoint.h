/* What servers and clients have in common: configuration, send tasks, and the traffic on their connections. */
#ifndef EMU_ENDPOINT_H
#define EMU_ENDPOINT_H

#include "base/task_pool.h"
#include "base/wire.h"
#include "connection/connection.h"
#include "core/ctx.h"
#include "doca_comch.h"

struct doca_comch_event_msg_recv {
	struct comch_endpoint *endpoint;
};

struct doca_comch_event_consumer {
	struct comch_endpoint *endpoint;
};

struct doca_comch_event_connection_status_changed {
	struct comch_endpoint *endpoint;
};

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *next_pending; /* or travelling */
	uint64_t arrival, number;                  /* of a travelling message, among those of the connection */
	uint32_t len;
	const void *source; /* the program's message, which it may change until the submit [Q5] */
	/* The message while it waits for room; endpoint->max_msg_size bytes. */
	_Alignas(16) uint8_t message[];
};

/* A callback of a type that only the functions of an older generation know. */
typedef void (*older_callback)(void);

struct comch_endpoint {
	struct doca_ctx ctx;
	enum shm_side side;
	struct doca_dev *dev;
	char name[WIRE_NAME_BYTES];
	bool strict; /* its device's machine */
	uint32_t max_msg_size;
	uint32_t recv_queue_size;

	doca_comch_task_send_completion_cb_t send_completed;
	doca_comch_task_send_completion_cb_t send_failed;
	uint32_t num_send_tasks;
	doca_comch_event_msg_recv_cb_t message_received;
	doca_comch_event_consumer_cb_t consumer_new;
	doca_comch_event_consumer_cb_t consumer_expired;

	/* The program's callbacks that functions of the older generation (cc) call, which stand in their place above.
	 */
	struct {
		older_callback message_received, connected, disconnected;
	} older;

	/* While not IDLE. */
	struct task_pool pool;
	struct task_fifo done;
	bool broken;        /* a send has failed for good: the context stops by itself */
	uint8_t *received;  /* the message being delivered */
	bool receive_first; /* alternates, so that neither direction starves the other */
	int64_t last_tick;
	uint32_t progress_calls;
};

/* Initialises the common part; INVALID_VALUE for an unusable name, NOT_SUPPORTED for a device without Comch. The
 * device is used until endpoint_fini. */
doca_error_t endpoint_init(struct comch_endpoint *endpoint, enum shm_side side, struct doca_dev *dev, const char *name,
			   const struct emu_ctx_ops *ops);
void endpoint_fini(struct comch_endpoint *endpoint);

/* Configuration calls, shared by both kinds. */
doca_error_t endpoint_set_max_msg_size(struct comch_endpoint *endpoint, uint32_t size);
doca_error_t endpoint_set_recv_queue_size(struct comch_endpoint *endpoint, uint32_t size);
doca_error_t endpoint_get_max_msg_size(const struct comch_endpoint *endpoint, uint32_t *size);
doca_error_t endpoint_get_recv_queue_size(const struct comch_endpoint *endpoint, uint32_t *size);
doca_error_t endpoint_get_device(const struct comch_endpoint *endpoint, struct doca_dev **dev);
doca_error_t endpoint_task_send_set_conf(struct comch_endpoint *endpoint,
					 doca_comch_task_send_completion_cb_t completed,
					 doca_comch_task_send_completion_cb_t failed, uint32_t num);
doca_error_t endpoint_msg_recv_register(struct comch_endpoint *endpoint, doca_comch_event_msg_recv_cb_t received);
doca_error_t endpoint_consumer_register(struct comch_endpoint *endpoint, doca_comch_event_consumer_cb_t created,
					doca_comch_event_consumer_cb_t expired);

/* Resources for RUNNING; INVALID_VALUE when a mandatory configuration is missing. */
doca_error_t endpoint_open(struct comch_endpoint *endpoint);
void endpoint_close(struct comch_endpoint *endpoint);

/* Takes over what the peer's HELLO or ACCEPT says and maps both rings. */
doca_error_t endpoint_establish(struct doca_comch_connection *connection, const struct wire_message *from_peer);

doca_error_t endpoint_task_send_alloc_init(struct comch_endpoint *endpoint, struct doca_comch_connection *peer,
					   const void *message, uint32_t len, struct doca_comch_task_send **task);
doca_error_t endpoint_submit(struct doca_task *task, uint32_t flags);
void endpoint_free_task(struct doca_task *task);

/* Reports one finished send task. */
bool endpoint_report_send(struct comch_endpoint *endpoint);

/* Does the protocol work of one connection and reports at most one of its events. */
bool endpoint_serve(struct comch_endpoint *endpoint, struct doca_comch_connection *connection);

/* Moves waiting messages into the peer's queue as far as there is room. */
void endpoint_push_pending(struct comch_endpoint *endpoint, struct doca_comch_connection *connection);

/* Fails the messages that still wait for room. */
void endpoint_flush_pending(struct comch_endpoint *endpoint, struct doca_comch_connection *connection);

/* In how many nanoseconds a round of the control path will find anything to do (emu_ctx_ops). Also does what is not
 * reported of itself: messages that have found room. */
uint64_t endpoint_connection_due_in(struct comch_endpoint *endpoint, struct doca_comch_connection *connection);

/* The peer is to wake the endpoint's engine, and need not any more; `ready` as in connection_join_as_control. */
bool endpoint_arm_connection(struct doca_comch_connection *connection, struct emu_sleeper *sleeper, emu_ready_cb ready);
void endpoint_disarm_connection(struct doca_comch_connection *connection);

/* Something has come on one of the endpoint's sockets: they are looked at in the next round. An emu_ready_cb. */
bool endpoint_socket_ready(void *endpoint, struct emu_sleeper *sleeper);

/* True when everything that the peer left has been reported and the connection has ended. */
bool endpoint_connection_ended(struct doca_comch_connection *connection);

/* Whether the program may end the connection: its own producers and consumers have stopped, and the peer's consumers,
 * without which a strict machine refuses for a while and another one logs. */
doca_error_t endpoint_may_part(const struct comch_endpoint *endpoint, struct doca_comch_connection *connection);

/* True once in a while: time to look at things that cost a system call. */
bool endpoint_round_due(struct comch_endpoint *endpoint);

/* Whether a connection that is to end waits for messages that have no room yet, or still travel, at a peer that lives.
 * When it has taken none for so long, they are given up, and the connection is cut. */
bool endpoint_still_waits(struct doca_comch_connection *connection, int64_t patience_ms);

#endif
