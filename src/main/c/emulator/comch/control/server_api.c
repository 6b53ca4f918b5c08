/* The public calls on servers. Capabilities: caps.c. */
#include <stdlib.h>

#include "base/clock.h"
#include "control/server.h"
#include "core/pe.h"
#include "core/release.h"
#include "readings.h"
#include "topology/dev.h"

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
				      struct doca_comch_server **comch_server)
{
	if (dev == NULL || repr == NULL || name == NULL || comch_server == NULL || emu_rep_dev(repr) != dev)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_comch_server *server = calloc(1, sizeof(*server));
	if (server == NULL)
		return DOCA_ERROR_NO_MEMORY;
	doca_error_t result = endpoint_init(&server->endpoint, SHM_SERVER, dev, name, &server_ops);
	if (result != DOCA_SUCCESS) {
		free(server);
		return result;
	}
	server->rep = repr;
	server->epoll = -1;
	server->listener = (struct fabric_listener){.dir = -1, .lock = -1, .socket = -1, .spare = -1};
	emu_rep_use(repr);
	*comch_server = server;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
	if (comch_server == NULL)
		return release_destroy_null();
	if (comch_server->endpoint.ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	server_trim_tombstones(comch_server, 0);
	emu_rep_unuse(comch_server->rep);
	endpoint_fini(&comch_server->endpoint);
	free(comch_server);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server)
{
	return comch_server == NULL ? NULL : &comch_server->endpoint.ctx;
}

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server, uint32_t size)
{
	return endpoint_set_max_msg_size((struct comch_endpoint *)comch_server, size);
}

doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server, uint32_t *size)
{
	return endpoint_get_max_msg_size((const struct comch_endpoint *)comch_server, size);
}

doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server, uint32_t size)
{
	return endpoint_set_recv_queue_size((struct comch_endpoint *)comch_server, size);
}

doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server, uint32_t *size)
{
	return endpoint_get_recv_queue_size((const struct comch_endpoint *)comch_server, size);
}

doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server, struct doca_dev **dev)
{
	return endpoint_get_device((const struct comch_endpoint *)comch_server, dev);
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server, struct doca_dev_rep **rep)
{
	if (comch_server == NULL || rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*rep = comch_server->rep;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
					  struct doca_comch_connection *connection)
{
	if (comch_server == NULL || connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	/* Looked for by address only, because an ended connection may have been freed. */
	uint32_t index = 0;
	while (index < SHM_DOORBELLS && comch_server->connections[index] != connection)
		index++;
	if (index == SHM_DOORBELLS)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = endpoint_may_part(&comch_server->endpoint, connection);
	if (result != DOCA_SUCCESS)
		return result;
	emu_pe_wake(comch_server->endpoint.ctx.pe);
	endpoint_push_pending(&comch_server->endpoint, connection);
	/* The goodbye follows the messages, which may have no room yet. */
	if (endpoint_still_waits(connection, READING_DISCONNECT_GRACE_MS))
		return DOCA_ERROR_AGAIN;
	server_end_connection(comch_server, connection);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_task_send_set_conf(struct doca_comch_server *comch_server,
						  doca_comch_task_send_completion_cb_t task_completion_cb,
						  doca_comch_task_send_completion_cb_t task_error_cb,
						  uint32_t num_send_tasks)
{
	return endpoint_task_send_set_conf((struct comch_endpoint *)comch_server, task_completion_cb, task_error_cb,
					   num_send_tasks);
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *peer, const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	return endpoint_task_send_alloc_init((struct comch_endpoint *)comch_server, peer, msg, len, task);
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	return endpoint_msg_recv_register((struct comch_endpoint *)comch_server, recv_event_cb);
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server, doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	if (comch_server == NULL || connect_event_cb == NULL || disconnect_event_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (comch_server->endpoint.ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	comch_server->connected = connect_event_cb;
	comch_server->disconnected = disconnect_event_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
						       doca_comch_event_consumer_cb_t new_consumer_event_cb,
						       doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	return endpoint_consumer_register((struct comch_endpoint *)comch_server, new_consumer_event_cb,
					  expired_consumer_event_cb);
}

struct doca_comch_server *doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
	return connection == NULL || connection->side != SHM_SERVER ? NULL
								    : (struct doca_comch_server *)connection->endpoint;
}
