#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fabric.h"
#include "base/faults.h"
#include "control/endpoint.h"
#include "dev.h"
#include "readings.h"
#include "sdk_log.h"

/* Sockets whose client has not introduced itself yet; more wait in the listener's backlog. */
#define MAX_STRANGERS 64
/* How long a stranger may take, and how often every connection is looked at, bell or not. */
#define STRANGER_PATIENCE_MS 5000
#define FULL_LOOK_MS 50
/* Connections that have ended are kept for late calls; the oldest go first. */
#define MAX_TOMBSTONES 64

#define SLOT_LISTENER UINT32_MAX
#define SLOT_STRANGERS 0x10000u

struct stranger {
	int socket;
	int64_t accepted_at_ms;
};

struct doca_comch_server {
	struct comch_endpoint endpoint;
	struct doca_dev_rep *rep;
	doca_comch_event_connection_status_changed_cb_t connected;
	doca_comch_event_connection_status_changed_cb_t disconnected;

	struct fabric_listener listener;
	int epoll;
	/* A callback of RUNNING may be on the stack: what it was given must survive a stop in it. */
	bool serving;
	int64_t last_full_look_ms;
	struct stranger strangers[MAX_STRANGERS];
	struct shm_doorbell_map *doorbells;
	struct doca_comch_connection *connections[SHM_DOORBELLS];
	uint32_t num_connections;
	/* Connections to look at: the doorbells that rang, and what this side found by itself. */
	uint64_t ready[SHM_DOORBELL_WORDS];
	uint32_t next_index;
	struct doca_comch_connection *tombstones; /* newest first; until the next start or the destroy */
};

static struct doca_comch_server *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_server *)ctx;
}

static void mark_ready(struct doca_comch_server *server, uint32_t index)
{
	server->ready[index / 64] |= UINT64_C(1) << (index % 64);
}

static void unmark_ready(struct doca_comch_server *server, uint32_t index)
{
	server->ready[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* ---- connections come and go ---- */

static void trim_tombstones(struct doca_comch_server *server, uint32_t keep)
{
	struct doca_comch_connection **link = &server->tombstones;
	for (uint32_t kept = 0; *link != NULL;) {
		struct doca_comch_connection *connection = *link;
		if (kept < keep || connection->num_tasks > 0) {
			kept++;
			link = &connection->next;
		} else {
			*link = connection->next;
			connection_unref(connection);
		}
	}
}

/* Takes a connection out of service; its waiting messages fail. */
static void drop_connection(struct doca_comch_server *server, struct doca_comch_connection *connection)
{
	if (connection->socket >= 0)
		epoll_ctl(server->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
	server->connections[connection->index] = NULL;
	server->num_connections--;
	unmark_ready(server, connection->index);
	endpoint_flush_pending(&server->endpoint, connection);
	connection_lose(connection);
	connection->next = server->tombstones;
	server->tombstones = connection;
	trim_tombstones(server, MAX_TOMBSTONES);
}

static uint32_t free_index(const struct doca_comch_server *server)
{
	uint32_t limit = emu_limits()->max_clients;
	for (uint32_t index = 0; index < limit; index++)
		if (server->connections[index] == NULL)
			return index;
	return SHM_DOORBELLS;
}

/* A socket that cannot be watched is of no use: neither a client nor its death would be noticed. */
static bool watch(const struct doca_comch_server *server, int socket, uint32_t slot)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.u32 = slot}};
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, socket, &event) == 0)
		return true;
	EMU_LOG_WARNING("server \"%s\" cannot watch a socket: errno %d", server->endpoint.name, errno);
	return false;
}

/* Takes over `socket` and `memory`. */
static void admit(struct doca_comch_server *server, int socket, const struct wire_message *hello, int memory)
{
	struct comch_endpoint *endpoint = &server->endpoint;
	struct wire_message reply;
	wire_init(&reply, WIRE_REJECT);
	uint32_t index = free_index(server);
	bool welcome = false;
	reply.connection_index = WIRE_REFUSED;
	if (hello->kind != WIRE_HELLO || memory < 0 || strcmp(hello->name, endpoint->name) != 0)
		reply.connection_index = WIRE_REFUSED_PROTOCOL;
	else if (!wire_peer_is_trusted(socket, server->listener.group))
		reply.connection_index = WIRE_REFUSED_USER;
	else if (index >= SHM_DOORBELLS)
		reply.connection_index = WIRE_REFUSED_FULL;
	else
		welcome = !(faults_any() && fault_refuses_client());
	struct shm_map *map = NULL;
	struct doca_comch_connection *connection = NULL;
	if (!welcome) {
		if (memory >= 0)
			close(memory);
	} else if (shm_attach(memory, &map) == DOCA_SUCCESS &&
		   connection_create(endpoint, endpoint->dev, SHM_SERVER, map, &connection) != DOCA_SUCCESS) {
		shm_release(map);
	}
	if (connection == NULL) {
		EMU_LOG_WARNING("server \"%s\" refused a client: %s", endpoint->name,
				wire_refusal_text(reply.connection_index));
		(void)wire_send(socket, &reply, -1);
		close(socket);
		return;
	}
	connection->socket = socket;
	connection->index = index;
	connection->doorbells = server->doorbells;
	shm_doorbells_ref(server->doorbells);
	if (endpoint_establish(connection, hello) != DOCA_SUCCESS || !watch(server, socket, index)) {
		(void)wire_send(socket, &reply, -1);
		connection_unref(connection);
		return;
	}
	reply.kind = WIRE_ACCEPT;
	reply.max_msg_size = endpoint->max_msg_size;
	reply.recv_queue_size = endpoint->recv_queue_size;
	reply.ring_bytes = connection->rx.ring_bytes;
	reply.connection_index = index;
	/* A client that has vanished meanwhile is reported as an attempt that failed [Q2]. */
	if (wire_send(socket, &reply, server->doorbells->base.fd) != DOCA_SUCCESS)
		atomic_store(&connection->established, false);
	connection->connect_event_due = true;
	server->connections[index] = connection;
	server->num_connections++;
	mark_ready(server, index);
}

static void forget_stranger(struct stranger *stranger)
{
	stranger->socket = -1;
}

/* Looks whether a stranger has introduced itself. */
static void hear_stranger(struct doca_comch_server *server, struct stranger *stranger)
{
	int64_t delay_ms = faults_any() ? (int64_t)fault_accept_delay_ms() : 0;
	/* Both times are rounded down, and the delay is not to be shorter than asked for. */
	if (delay_ms > 0 && now_ms() - stranger->accepted_at_ms <= delay_ms)
		return;
	struct wire_message hello;
	int memory = -1;
	doca_error_t result = wire_receive(stranger->socket, &hello, &memory);
	if (result == DOCA_ERROR_AGAIN)
		return;
	int socket = stranger->socket;
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, socket, NULL);
	forget_stranger(stranger);
	if (result == DOCA_SUCCESS)
		admit(server, socket, &hello, memory);
	else
		close(socket);
}

static void accept_strangers(struct doca_comch_server *server)
{
	for (uint32_t i = 0; i < MAX_STRANGERS; i++) {
		struct stranger *stranger = &server->strangers[i];
		if (stranger->socket >= 0)
			continue;
		int socket = accept4(server->listener.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (socket < 0)
			return;
		if (!watch(server, socket, SLOT_STRANGERS + i)) {
			close(socket);
			return;
		}
		*stranger = (struct stranger){.socket = socket, .accepted_at_ms = now_ms()};
		/* Clients send their HELLO at once, so it is usually there. */
		hear_stranger(server, stranger);
	}
}

static void expire_strangers(struct doca_comch_server *server, int64_t now)
{
	int64_t patience = STRANGER_PATIENCE_MS + (faults_any() ? (int64_t)fault_accept_delay_ms() : 0);
	for (uint32_t i = 0; i < MAX_STRANGERS; i++) {
		struct stranger *stranger = &server->strangers[i];
		if (stranger->socket >= 0 && now - stranger->accepted_at_ms > patience) {
			close(stranger->socket);
			forget_stranger(stranger);
		}
	}
}

/* Looks at the sockets: new clients, and clients that have died. */
static void look_at_sockets(struct doca_comch_server *server)
{
	struct epoll_event events[16];
	int num = epoll_wait(server->epoll, events, 16, 0);
	for (int i = 0; i < num; i++) {
		uint32_t slot = events[i].data.u32;
		if (slot == SLOT_LISTENER) {
			accept_strangers(server);
		} else if (slot >= SLOT_STRANGERS) {
			if (server->strangers[slot - SLOT_STRANGERS].socket >= 0)
				hear_stranger(server, &server->strangers[slot - SLOT_STRANGERS]);
		} else if (server->connections[slot] != NULL) {
			struct doca_comch_connection *connection = server->connections[slot];
			connection_check_socket(connection);
			if (connection->peer_died || connection->broken)
				epoll_ctl(server->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
			mark_ready(server, slot);
		}
	}
	int64_t now = now_ms();
	expire_strangers(server, now);
	/* A client can clear other clients' doorbells; it must not be able to silence them. */
	if (now - server->last_full_look_ms < FULL_LOOK_MS)
		return;
	server->last_full_look_ms = now;
	for (uint32_t index = 0; index < SHM_DOORBELLS; index++)
		if (server->connections[index] != NULL)
			mark_ready(server, index);
}

/* ---- progress ---- */

static void collect_doorbells(struct doca_comch_server *server)
{
	for (uint32_t word = 0; word < SHM_DOORBELL_WORDS; word++) {
		_Atomic uint64_t *bells = &shm_doorbells_of(server->doorbells)->words[word];
		if (atomic_load_explicit(bells, memory_order_relaxed) != 0)
			server->ready[word] |= atomic_exchange_explicit(bells, 0, memory_order_seq_cst);
	}
}

static void report_connection(const struct doca_comch_server *server, struct doca_comch_connection *connection,
			      doca_comch_event_connection_status_changed_cb_t report, bool successful)
{
	struct doca_comch_event_connection_status_changed details = {
		.endpoint = (struct comch_endpoint *)(uintptr_t)&server->endpoint};
	report(&details, connection, successful ? 1 : 0);
}

/* Reports at most one event of a connection, which the callback may end. */
static bool serve_connection(struct doca_comch_server *server, struct doca_comch_connection *connection)
{
	if (connection->connect_event_due) {
		connection->connect_event_due = false;
		bool established = atomic_load(&connection->established);
		if (!established)
			drop_connection(server, connection);
		report_connection(server, connection, server->connected, established);
		return true;
	}
	if (endpoint_serve(&server->endpoint, connection))
		return true;
	if (!endpoint_connection_ended(connection))
		return false;
	bool orderly = !connection->broken && connection_peer_closed(connection);
	drop_connection(server, connection);
	report_connection(server, connection, server->disconnected, orderly);
	return true;
}

static bool serve_connections(struct doca_comch_server *server)
{
	collect_doorbells(server);
	for (uint32_t step = 0; step <= SHM_DOORBELL_WORDS; step++) {
		uint32_t start = server->next_index % 64;
		uint32_t word = server->next_index / 64;
		/* From next_index to the end of its word. */
		for (uint64_t bits = server->ready[word] >> start << start; bits != 0; bits &= bits - 1) {
			uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
			struct doca_comch_connection *connection = server->connections[index];
			if (connection != NULL && serve_connection(server, connection)) {
				server->next_index = (index + 1) % SHM_DOORBELLS;
				return true;
			}
			/* Messages that wait for room or are on their way are looked at again without a bell. */
			if (connection == NULL ||
			    (connection->tx.pending_first == NULL && !connection->rx.travelling))
				unmark_ready(server, index);
		}
		server->next_index = (word + 1) % SHM_DOORBELL_WORDS * 64;
	}
	return false;
}

static void free_resources(struct doca_comch_server *server)
{
	fabric_unlisten(&server->listener);
	if (server->epoll >= 0)
		close(server->epoll);
	server->epoll = -1;
	shm_doorbells_release(server->doorbells);
	server->doorbells = NULL;
	endpoint_close(&server->endpoint);
}

/* Says goodbye to every client that has got all its messages. */
static void part_from_clients(struct doca_comch_server *server)
{
	bool impatient = endpoint_grace_over(&server->endpoint);
	for (uint32_t index = 0; index < SHM_DOORBELLS && server->num_connections > 0; index++) {
		struct doca_comch_connection *connection = server->connections[index];
		if (connection == NULL)
			continue;
		endpoint_push_pending(&server->endpoint, connection);
		connection_check_socket(connection);
		if (connection->tx.pending_first != NULL && !impatient && !connection->peer_died && !connection->broken &&
		    !connection_peer_closed(connection))
			continue;
		connection_say_goodbye(connection);
		drop_connection(server, connection);
	}
}

static bool finished(struct doca_comch_server *server)
{
	return server->num_connections == 0 && task_fifo_empty(&server->endpoint.done) &&
	       emu_ctx_drained(&server->endpoint.ctx);
}

static bool server_progress(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	struct comch_endpoint *endpoint = &server->endpoint;
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_IDLE))
		return false;
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_STOPPING)) {
		if (server->num_connections > 0)
			part_from_clients(server);
		if (endpoint_report_send(endpoint))
			return true;
		if (!finished(server))
			return false;
		free_resources(server);
		emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
		return true;
	}
	server->serving = true;
	if (endpoint_round_due(endpoint))
		look_at_sockets(server);
	endpoint->receive_first = !endpoint->receive_first;
	bool worked = endpoint->receive_first ? serve_connections(server) || endpoint_report_send(endpoint)
					      : endpoint_report_send(endpoint) || serve_connections(server);
	server->serving = false;
	return worked;
}

static bool server_pending(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return false;
	if (ctx->state == DOCA_CTX_STATE_STOPPING || !task_fifo_empty(&server->endpoint.done))
		return true;
	for (uint32_t index = 0; index < SHM_DOORBELLS; index++)
		if (server->connections[index] != NULL && endpoint_connection_pending(server->connections[index]))
			return true;
	return false;
}

static doca_error_t server_start(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (server->connected == NULL)
		return READING_START_UNCONFIGURED;
	trim_tombstones(server, 0);
	doca_error_t result = endpoint_open(&server->endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	result = fabric_listen(emu_rep_pci(server->rep), server->endpoint.name, &server->listener);
	if (result == DOCA_SUCCESS)
		result = shm_doorbells_create(&server->doorbells);
	if (result == DOCA_SUCCESS) {
		server->epoll = epoll_create1(EPOLL_CLOEXEC);
		if (server->epoll < 0 || !watch(server, server->listener.socket, SLOT_LISTENER))
			result = DOCA_ERROR_OPERATING_SYSTEM;
	}
	if (result != DOCA_SUCCESS) {
		free_resources(server);
		return result == DOCA_ERROR_ALREADY_EXIST ? READING_DUPLICATE_SERVER_NAME : DOCA_ERROR_INITIALIZATION;
	}
	for (uint32_t i = 0; i < MAX_STRANGERS; i++)
		forget_stranger(&server->strangers[i]);
	memset(server->ready, 0, sizeof(server->ready));
	server->next_index = 0;
	return DOCA_SUCCESS;
}

static doca_error_t server_stop(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	for (uint32_t index = 0; index < SHM_DOORBELLS; index++)
		if (server->connections[index] != NULL &&
		    atomic_load_explicit(&server->connections[index]->active_children, memory_order_acquire) > 0)
			return READING_STOP_WITH_CHILDREN;
	for (uint32_t i = 0; i < MAX_STRANGERS; i++) {
		if (server->strangers[i].socket >= 0)
			close(server->strangers[i].socket);
		forget_stranger(&server->strangers[i]);
	}
	fabric_unlisten(&server->listener);
	endpoint_start_grace(&server->endpoint);
	return DOCA_SUCCESS;
}

static bool server_stopped_at_once(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (server->serving || !finished(server))
		return false;
	free_resources(server);
	return true;
}

static const struct emu_ctx_ops server_ops = {
	.start = server_start,
	.stop = server_stop,
	.stopped_at_once = server_stopped_at_once,
	.progress = server_progress,
	.pending = server_pending,
	.submit = endpoint_submit,
	.free_task = endpoint_free_task,
};

/* ---- public ---- */

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
	server->listener = (struct fabric_listener){.dir = -1, .lock = -1, .socket = -1};
	emu_rep_use(repr);
	*comch_server = server;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
	if (comch_server == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (comch_server->endpoint.ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	trim_tombstones(comch_server, 0);
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
	/* Looked for by address only, because an ended connection's memory may be gone. */
	uint32_t index = 0;
	while (index < SHM_DOORBELLS && comch_server->connections[index] != connection)
		index++;
	if (index == SHM_DOORBELLS)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load_explicit(&connection->active_children, memory_order_acquire) > 0)
		return READING_STOP_WITH_CHILDREN;
	endpoint_push_pending(&comch_server->endpoint, connection);
	if (connection->tx.pending_first != NULL && !connection->broken && !connection_peer_closed(connection))
		return DOCA_ERROR_AGAIN; /* the goodbye goes behind the messages, which have no room yet */
	connection_say_goodbye(connection);
	drop_connection(comch_server, connection);
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
