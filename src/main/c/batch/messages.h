/* The control path: one call for a message that is sent, none for its completion, and none for a short message that is
 * received, which becomes an entry of the engine's ring.
 *
 * As batch.h: links to no DOCA, allocates nothing; an endpoint belongs to the thread that owns its engine. Java's side
 * is io.github.comch4j.internal.transport.BatchedMessageSender.
 */
#ifndef COMCH4J_MESSAGES_H
#define COMCH4J_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "doca_comch.h"

/* DOCA's functions, and Java's, which callbacks call. doca_cc of DOCA 2.5 has lengths of the type size_t: Java
 * gives the wide functions there, and otherwise the other two, and uses the calls of the same kind below. */
struct messages_functions {
	uint64_t layout; /* as in struct batch_functions */
	doca_error_t (*server_alloc)(struct doca_comch_server *server, struct doca_comch_connection *peer,
				     const void *msg, uint32_t len, struct doca_comch_task_send **task);
	doca_error_t (*client_alloc)(struct doca_comch_client *client, struct doca_comch_connection *peer,
				     const void *msg, uint32_t len, struct doca_comch_task_send **task);
	doca_error_t (*server_alloc_wide)(struct doca_comch_server *server, struct doca_comch_connection *peer,
					  const void *msg, size_t len, struct doca_comch_task_send **task);
	doca_error_t (*client_alloc_wide)(struct doca_comch_client *client, struct doca_comch_connection *peer,
					  const void *msg, size_t len, struct doca_comch_task_send **task);
	struct doca_task *(*as_task)(struct doca_comch_task_send *task);
	void (*set_user_data)(struct doca_task *task, union doca_data user_data);
	doca_error_t (*submit)(struct doca_task *task);
	void (*free_task)(struct doca_task *task);
	union doca_data (*connection_data)(const struct doca_comch_connection *connection);
	/* Java's: */
	doca_ctx_state_changed_callback_t state_changed;
	doca_comch_task_send_completion_cb_t not_sent; /* has to free the task */
	/* what becomes no entry, see batch_append_message */
	void (*received)(uint8_t *bytes, uint64_t len, struct doca_comch_connection *from,
			 union doca_data connection_data);
};

/* A server or client. Its address is the context's user data; zero but for what Java sets. */
struct messages_endpoint {
	struct doca_comch_server *server; /* NULL for a client */
	struct doca_comch_client *client;
	union doca_data user_data; /* what Java gets instead of that address */
	uint64_t ended;            /* send tasks that succeeded or failed; only C writes it */
};

/* One connection of an endpoint. Its address is the user data of the connection's send tasks, with a number of the
 * message from bit MESSAGES_NUMBER on, by which Java knows those that failed. Java uses the place again when they have
 * all ended. Zero but for what Java sets. */
struct messages_connection {
	union doca_data user_data; /* of the connection: what not_sent gets instead of that address */
	uint64_t ended; /* its send tasks that succeeded or failed; only C writes it, but for resets by Java */
};

/* Addresses of programs are shorter. */
#define MESSAGES_NUMBER 48

/* Or-ed to what messages_send returns when DOCA refused not the allocation but the submit. */
#define MESSAGES_SUBMIT 0x10000

/* As comch4j_batch_init. */
BATCH_API uint32_t comch4j_messages_init(const struct messages_functions *functions);

/* Sends a copy of the message; the connection's address bears the number of the message. Returns doca_error_t, if it is
 * of the submit plus MESSAGES_SUBMIT. */
BATCH_API int32_t comch4j_messages_send(struct messages_endpoint *endpoint, struct doca_comch_connection *peer,
					const void *msg, uint32_t len, struct messages_connection *connection);
BATCH_API int32_t comch4j_messages_send_wide(struct messages_endpoint *endpoint, struct doca_comch_connection *peer,
					     const void *msg, uint32_t len, struct messages_connection *connection);

/* Callbacks, for the set_conf and register functions. */
BATCH_API void comch4j_messages_sent(struct doca_comch_task_send *task, union doca_data task_data,
				     union doca_data ctx_data);
BATCH_API void comch4j_messages_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
					 union doca_data ctx_data);
BATCH_API void comch4j_messages_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
					 struct doca_comch_connection *from);
BATCH_API void comch4j_messages_received_wide(struct doca_comch_event_msg_recv *event, uint8_t *bytes, size_t len,
					      struct doca_comch_connection *from);
BATCH_API void comch4j_messages_state(union doca_data ctx_data, struct doca_ctx *ctx, enum doca_ctx_states before,
				      enum doca_ctx_states after);

#endif
