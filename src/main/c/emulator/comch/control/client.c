#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fabric.h"
#include "base/settings.h"
#include "control/control_messages.h"
#include "control/endpoint.h"
#include "core/release.h"
#include "log/sdk_log.h"
#include "readings.h"
#include "topology/dev.h"

struct doca_comch_client {
	struct comch_endpoint endpoint;
	/* From start until IDLE. */
	struct doca_comch_connection *connection;
	/* Until when a server that is not there is waited for, on the monotonic clock. */
	int64_t wait_until_ms;
	bool looked_for_server;
	/* The connection before, kept for late calls until the next start or the destroy: a program learns of its
	 * server's end in a state callback at best, and goes on asking the connection for its user data [Q6]. */
	struct doca_comch_connection *tombstone;
};

static struct doca_comch_client *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_client *)ctx;
}

static void bury(struct doca_comch_client *client)
{
	connection_unref(client->tombstone);
	client->tombstone = NULL;
}

static void free_resources(struct doca_comch_client *client)
{
	if (client->connection != NULL) {
		if (!atomic_load(&client->connection->lost))
			connection_lose(client->connection);
		bury(client);
		client->tombstone = client->connection;
	}
	client->connection = NULL;
	endpoint_close(&client->endpoint);
}

static doca_error_t client_start(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = of_ctx(ctx);
	bury(client);
	int64_t wait_ms;
	doca_error_t result = settings_connect_wait(&wait_ms);
	if (result == DOCA_SUCCESS)
		result = endpoint_open(&client->endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	struct shm_map *map = NULL;
	result = shm_create(&map);
	if (result == DOCA_SUCCESS) {
		result = connection_create(&client->endpoint, client->endpoint.dev, SHM_CLIENT, map,
					   &client->connection);
		if (result != DOCA_SUCCESS)
			emu_log_reason("no memory for a connection to \"%s\"", client->endpoint.name);
	}
	if (result != DOCA_SUCCESS) {
		/* guard: release-own-memory */ shm_release(map);
		free_resources(client);
		return DOCA_ERROR_INITIALIZATION;
	}
	connection_label(client->connection, client->endpoint.name);
	client->looked_for_server = false;
	client->wait_until_ms = now_ms() + wait_ms;
	return DOCA_ERROR_IN_PROGRESS;
}

/* ---- STARTING ---- */

/* Whether to try again later: servers that are busy, and absent ones for as long as DOCA_EMU_CONNECT_WAIT says. */
static bool worth_waiting(struct doca_comch_client *client, doca_error_t result)
{
	return result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_IN_PROGRESS ||
	       (result == DOCA_ERROR_NOT_FOUND && /* guard: client-patience=1 */ now_ms() < client->wait_until_ms);
}

static doca_error_t receive_answer(struct doca_comch_client *client)
{
	struct doca_comch_connection *connection = client->connection;
	struct wire_message answer;
	int doorbells = -1;
	doca_error_t result = wire_receive(connection->socket, &answer, &doorbells);
	if (result == DOCA_ERROR_AGAIN)
		return DOCA_ERROR_IN_PROGRESS;
	/* What another version answers has no other meaning. */
	if (result == DOCA_ERROR_NOT_SUPPORTED || (result == DOCA_SUCCESS && answer.kind == WIRE_REJECT)) {
		uint32_t refusal = result == DOCA_SUCCESS ? answer.connection_index : WIRE_REFUSED_PROTOCOL;
		EMU_LOG_WARNING("client is refused by server \"%s\" on %s: %s", client->endpoint.name,
				emu_dev_pci(client->endpoint.dev),
				wire_refusal_text(refusal, answer.version, &(struct wire_text){{0}}));
		emu_log_refused(wire_refusal_is_final(refusal));
		result = DOCA_ERROR_CONNECTION_ABORTED;
	} else if (result == DOCA_SUCCESS && (/* guard: answer-kind */ answer.kind != WIRE_ACCEPT || doorbells < 0 ||
					      /* guard: answer-index */ answer.connection_index >= SHM_DOORBELLS)) {
		result = DOCA_ERROR_INVALID_VALUE;
	}
	if (result != DOCA_SUCCESS) {
		if (doorbells >= 0)
			/* guard: answer-doorbells-closed */ close(doorbells);
		return result;
	}
	connection->index = answer.connection_index;
	result = shm_doorbells_attach(doorbells, &connection->doorbells);
	return result == DOCA_SUCCESS ? endpoint_establish(connection, &answer) : result;
}

static doca_error_t send_hello(struct doca_comch_client *client)
{
	struct comch_endpoint *endpoint = &client->endpoint;
	int socket = -1;
	doca_error_t result =
		fabric_connect(emu_dev_folder(endpoint->dev), emu_dev_pci(endpoint->dev), endpoint->name, &socket);
	if (result != DOCA_SUCCESS)
		return result;
	struct wire_message hello;
	wire_init(&hello, WIRE_HELLO);
	hello.max_msg_size = endpoint->max_msg_size;
	hello.recv_queue_size = endpoint->recv_queue_size;
	hello.ring_bytes = messages_ring_bytes(endpoint->recv_queue_size, endpoint->max_msg_size);
	memcpy(hello.name, endpoint->name, sizeof(hello.name));
	bool sent = wire_send(socket, &hello, client->connection->map->base.fd) == DOCA_SUCCESS;
	client->connection->socket = socket;
	if (sent)
		return DOCA_ERROR_IN_PROGRESS;
	/* A server that has closed the socket already has perhaps said why. */
	result = receive_answer(client);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_ERROR_NOT_CONNECTED : result;
}

/* Says why an attempt has failed, where nothing before it has. */
static void explain(const struct doca_comch_client *client, doca_error_t result)
{
	const char *name = client->endpoint.name, *pci = emu_dev_pci(client->endpoint.dev);
	if (result == DOCA_ERROR_NOT_FOUND)
		fabric_explain_absence("client", "server", emu_dev_folder(client->endpoint.dev), pci, name);
	else if (result == DOCA_ERROR_NOT_CONNECTED)
		EMU_LOG_WARNING(
			"client cannot connect to \"%s\" on %s: the server has ended in the middle of it, or is "
			"an older build of the emulated device",
			name, pci);
	else if (result == DOCA_ERROR_INVALID_VALUE)
		EMU_LOG_WARNING("client cannot connect to \"%s\" on %s: the server's answer cannot be used", name, pci);
	else if (result == DOCA_ERROR_NO_MEMORY)
		EMU_LOG_WARNING("client cannot connect to \"%s\" on %s: this process lacks memory or descriptors", name,
				pci);
}

/* An attempt that fails leads to IDLE directly [Q1]. */
static bool progress_starting(struct doca_comch_client *client)
{
	struct comch_endpoint *endpoint = &client->endpoint;
	bool hello_sent = client->connection->socket >= 0;
	/* Looking for a server costs system calls: not on every call of a busy loop. */
	if (!hello_sent && client->looked_for_server && !endpoint_round_due(endpoint))
		return false;
	client->looked_for_server = true;
	doca_error_t result = hello_sent ? receive_answer(client) : send_hello(client);
	if (worth_waiting(client, result))
		return false;
	if (result == DOCA_SUCCESS) {
		emu_ctx_enter(&endpoint->ctx, DOCA_CTX_STATE_RUNNING);
		return true;
	}
	explain(client, result);
	/* guard: release-failed-attempt */ free_resources(client);
	emu_ctx_enter(&endpoint->ctx, DOCA_CTX_STATE_IDLE);
	return true;
}

/* ---- RUNNING ---- */

static bool worth_a_look(const struct doca_comch_connection *connection, uint64_t bell)
{
	return bell != connection->bell_seen || connection->peer_died || connection->broken ||
	       connection->tx.pending_first != NULL || connection->tx.travelling_first != NULL ||
	       atomic_load_explicit(&connection->registrations, memory_order_relaxed) != 0;
}

static bool serve(struct doca_comch_client *client)
{
	struct doca_comch_connection *connection = client->connection;
	/* Pairs with the release in connection_alert_peer; read before the work, so that no later change is missed. */
	uint64_t bell = atomic_load_explicit(&connection->peer->bell, memory_order_acquire);
	if (!worth_a_look(connection, bell))
		return false;
	if (endpoint_serve(&client->endpoint, connection))
		return true;
	if (!endpoint_connection_ended(connection)) {
		if (connection->rx.travelling == 0 && !connection->held)
			connection->bell_seen = bell;
		return false;
	}
	endpoint_flush_pending(&client->endpoint, connection);
	connection_lose(connection);
	emu_ctx_enter(&client->endpoint.ctx, DOCA_CTX_STATE_STOPPING);
	return true;
}

static bool progress_running(struct doca_comch_client *client)
{
	struct comch_endpoint *endpoint = &client->endpoint;
	if (endpoint_round_due(endpoint))
		connection_check_socket(client->connection);
	endpoint->receive_first = !endpoint->receive_first;
	if (endpoint->receive_first)
		return serve(client) || endpoint_report_send(endpoint);
	return endpoint_report_send(endpoint) || serve(client);
}

/* ---- STOPPING ---- */

/* Sends the messages that were submitted before the stop, then says goodbye. */
static void part_from_server(struct doca_comch_client *client)
{
	struct comch_endpoint *endpoint = &client->endpoint;
	struct doca_comch_connection *connection = client->connection;
	if (atomic_load(&connection->lost))
		return;
	if (atomic_load(&connection->established)) {
		endpoint_push_pending(endpoint, connection);
		connection_check_socket(connection);
		if (endpoint_still_waits(connection, READING_STOP_GRACE_MS))
			return;
		endpoint_flush_pending(endpoint, connection);
	}
	connection_say_goodbye(connection);
	connection_lose(connection);
}

static bool progress_stopping(struct doca_comch_client *client)
{
	struct comch_endpoint *endpoint = &client->endpoint;
	part_from_server(client);
	if (endpoint_report_send(endpoint))
		return true;
	/* Producers and consumers that outlive the connection stop by themselves and are waited for [Q13]. */
	if (!atomic_load(&client->connection->lost) || !emu_ctx_drained(&endpoint->ctx) ||
	    atomic_load_explicit(&client->connection->active_children, memory_order_acquire) > 0)
		return false;
	free_resources(client);
	emu_ctx_enter(&endpoint->ctx, DOCA_CTX_STATE_IDLE);
	return true;
}

static bool client_progress(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = of_ctx(ctx);
	switch (ctx->state) {
	case DOCA_CTX_STATE_STARTING:
		return progress_starting(client);
	case DOCA_CTX_STATE_RUNNING:
		return progress_running(client);
	case DOCA_CTX_STATE_STOPPING:
		return progress_stopping(client);
	case DOCA_CTX_STATE_IDLE:
	default:
		return false;
	}
}

static uint64_t client_due_in(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = of_ctx(ctx);
	switch (ctx->state) {
	case DOCA_CTX_STATE_STARTING:
		/* The server's answer is noticed at the socket. */
		if (client->connection->socket >= 0)
			return EMU_NEVER;
		return client->looked_for_server ? READING_NOTIFY_POLL_NS : 0;
	case DOCA_CTX_STATE_RUNNING: {
		uint64_t due = endpoint_connection_due_in(&client->endpoint, client->connection);
		return /* guard: client-awake-for-completions=1 */ task_fifo_empty(&client->endpoint.done) ? due : 0;
	}
	case DOCA_CTX_STATE_STOPPING:
		return task_fifo_empty(&client->endpoint.done) ? READING_NOTIFY_POLL_NS : 0;
	case DOCA_CTX_STATE_IDLE:
	default:
		return EMU_NEVER;
	}
}

static bool client_arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	struct doca_comch_client *client = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_RUNNING)
		return endpoint_arm_connection(client->connection, sleeper, endpoint_socket_ready);
	if (ctx->state == DOCA_CTX_STATE_STARTING && client->connection->socket >= 0)
		(void)connection_join_as_control(client->connection, sleeper, endpoint_socket_ready);
	return true;
}

static void client_disarm(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = of_ctx(ctx);
	if (client->connection != NULL)
		endpoint_disarm_connection(client->connection);
}

static doca_error_t client_stop(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = of_ctx(ctx);
	return endpoint_may_part(&client->endpoint, client->connection);
}

static const struct emu_ctx_ops client_ops = {
	.start = client_start,
	.stop = client_stop,
	.progress = client_progress,
	.due_in = client_due_in,
	.arm = client_arm,
	.disarm = client_disarm,
	.submit = endpoint_submit,
	.free_task = endpoint_free_task,
};

/* ---- public ---- */

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name, struct doca_comch_client **comch_client)
{
	if (dev == NULL || name == NULL || comch_client == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dev_is_dpu(dev))
		return DOCA_ERROR_NOT_SUPPORTED;
	struct doca_comch_client *client = calloc(1, sizeof(*client));
	if (client == NULL)
		return DOCA_ERROR_NO_MEMORY;
	doca_error_t result = endpoint_init(&client->endpoint, SHM_CLIENT, dev, name, &client_ops);
	if (result != DOCA_SUCCESS) {
		free(client);
		return result;
	}
	*comch_client = client;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
	if (comch_client == NULL)
		return release_destroy_null();
	if (comch_client->endpoint.ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	bury(comch_client);
	endpoint_fini(&comch_client->endpoint);
	free(comch_client);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
	return comch_client == NULL ? NULL : &comch_client->endpoint.ctx;
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client, uint32_t size)
{
	return endpoint_set_max_msg_size((struct comch_endpoint *)comch_client, size);
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client, uint32_t *size)
{
	return endpoint_get_max_msg_size((const struct comch_endpoint *)comch_client, size);
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client, uint32_t size)
{
	return endpoint_set_recv_queue_size((struct comch_endpoint *)comch_client, size);
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client, uint32_t *size)
{
	return endpoint_get_recv_queue_size((const struct comch_endpoint *)comch_client, size);
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client, struct doca_dev **dev)
{
	return endpoint_get_device((const struct comch_endpoint *)comch_client, dev);
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
					      struct doca_comch_connection **connection)
{
	if (comch_client == NULL || connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (comch_client->connection == NULL)
		return DOCA_ERROR_BAD_STATE;
	*connection = comch_client->connection;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_set_conf(struct doca_comch_client *comch_client,
						  doca_comch_task_send_completion_cb_t task_completion_cb,
						  doca_comch_task_send_completion_cb_t task_error_cb,
						  uint32_t num_send_tasks)
{
	return endpoint_task_send_set_conf((struct comch_endpoint *)comch_client, task_completion_cb, task_error_cb,
					   num_send_tasks);
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
						    struct doca_comch_connection *peer, const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	return endpoint_task_send_alloc_init((struct comch_endpoint *)comch_client, peer, msg, len, task);
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	return endpoint_msg_recv_register((struct comch_endpoint *)comch_client, recv_event_cb);
}

doca_error_t doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
						       doca_comch_event_consumer_cb_t new_consumer_event_cb,
						       doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	return endpoint_consumer_register((struct comch_endpoint *)comch_client, new_consumer_event_cb,
					  expired_consumer_event_cb);
}

struct doca_comch_client *doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
	return connection == NULL || connection->side != SHM_CLIENT ? NULL
								    : (struct doca_comch_client *)connection->endpoint;
}
