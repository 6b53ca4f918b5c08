#include "messages.h"

#include "layout.h"

static struct messages_functions doca;

/* The two functions that allocate, of one kind. */
static bool can_allocate(const struct messages_functions *functions)
{
	return (functions->server_alloc != NULL && functions->client_alloc != NULL) ||
	       (functions->server_alloc_wide != NULL && functions->client_alloc_wide != NULL);
}

uint32_t comch4j_messages_init(const struct messages_functions *functions)
{
	if (/* guard: messages-layout */ functions->layout != comch4j_batch_layout() || !can_allocate(functions) ||
	    functions->as_task == NULL || functions->set_user_data == NULL || functions->submit == NULL ||
	    functions->free_task == NULL || functions->connection_data == NULL || functions->state_changed == NULL ||
	    functions->not_sent == NULL || functions->received == NULL)
		return 0;
	doca = *functions;
	return 1;
}

/* Submits what has been allocated. */
static inline int32_t submit(doca_error_t allocation, struct doca_comch_task_send *send,
			     struct messages_connection *connection)
{
	if (allocation != DOCA_SUCCESS)
		return (int32_t)allocation;
	struct doca_task *task = doca.as_task(send);
	doca.set_user_data(task, (union doca_data){.ptr = connection});
	doca_error_t result = doca.submit(task);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	doca.free_task(task);
	return (int32_t)result | MESSAGES_SUBMIT;
}

int32_t comch4j_messages_send(struct messages_endpoint *endpoint, struct doca_comch_connection *peer, const void *msg,
			      uint32_t len, struct messages_connection *connection)
{
	struct doca_comch_task_send *send = NULL;
	doca_error_t result = endpoint->server != NULL ? doca.server_alloc(endpoint->server, peer, msg, len, &send)
						       : doca.client_alloc(endpoint->client, peer, msg, len, &send);
	return submit(result, send, connection);
}

int32_t comch4j_messages_send_wide(struct messages_endpoint *endpoint, struct doca_comch_connection *peer,
				   const void *msg, uint32_t len, struct messages_connection *connection)
{
	struct doca_comch_task_send *send = NULL;
	doca_error_t result = endpoint->server != NULL
				      ? doca.server_alloc_wide(endpoint->server, peer, msg, len, &send)
				      : doca.client_alloc_wide(endpoint->client, peer, msg, len, &send);
	return submit(result, send, connection);
}

/* Java has set the number of the message in bits that no address of a program has. */
static inline struct messages_connection *connection_of(union doca_data task_data)
{
	task_data.u64 &= (UINT64_C(1) << MESSAGES_NUMBER) - 1;
	return task_data.ptr;
}

void comch4j_messages_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct messages_connection *connection = connection_of(task_data);
	struct messages_endpoint *endpoint = ctx_data.ptr;
	doca.free_task(doca.as_task(task));
	connection->ended++;
	endpoint->ended++;
}

void comch4j_messages_not_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct messages_connection *connection = connection_of(task_data);
	struct messages_endpoint *endpoint = ctx_data.ptr;
	connection->ended++;
	endpoint->ended++;
	doca.not_sent(task, connection->user_data, endpoint->user_data);
}

/* A connection without user data is not known to Java yet. */
static inline void receive(uint8_t *bytes, uint64_t len, struct doca_comch_connection *from)
{
	union doca_data data = doca.connection_data(from);
	if (data.u64 == 0 || !batch_append_message(bytes, len, data))
		doca.received(bytes, len, from, data);
}

void comch4j_messages_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			       struct doca_comch_connection *from)
{
	(void)event;
	receive(bytes, len, from);
}

void comch4j_messages_received_wide(struct doca_comch_event_msg_recv *event, uint8_t *bytes, size_t len,
				    struct doca_comch_connection *from)
{
	(void)event;
	receive(bytes, len, from);
}

void comch4j_messages_state(union doca_data ctx_data, struct doca_ctx *ctx, enum doca_ctx_states before,
			    enum doca_ctx_states after)
{
	const struct messages_endpoint *endpoint = ctx_data.ptr;
	doca.state_changed(endpoint->user_data, ctx, before, after);
}
