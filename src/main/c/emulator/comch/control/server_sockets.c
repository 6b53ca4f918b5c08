/* The sockets of a server: clients that connect, and clients that have died. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/faults.h"
#include "control/server.h"
#include "core/file_limit.h"
#include "log/sdk_log.h"
#include "topology/dev.h"

/* How long a client that has connected may take to send its HELLO. */
#define STRANGER_PATIENCE_MS 5000
/* How often every connection is looked at, whether its doorbell is set or not. */
#define FULL_LOOK_MS 50

#define SLOT_LISTENER UINT32_MAX
#define SLOT_STRANGERS 0x10000u

static uint32_t free_index(const struct doca_comch_server *server)
{
	uint32_t limit = emu_dev_limits(server->endpoint.dev)->max_clients;
	for (uint32_t index = 0; index < limit; index++)
		if (server->connections[index] == NULL)
			return index;
	return SHM_DOORBELLS;
}

/* A socket that cannot be watched is closed: neither a client nor its death would be noticed. */
static bool watch(const struct doca_comch_server *server, int socket, uint32_t slot)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.u32 = slot}};
	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, socket, &event) == 0;
}

static void refuse(struct doca_comch_server *server, int socket, enum wire_refusal refusal, uint32_t version)
{
	fabric_refuse(&server->listener, server->endpoint.name, socket, refusal, version);
}

static bool is_welcome(const struct doca_comch_server *server, int socket, const struct wire_message *hello, int memory,
		       enum wire_refusal *refusal)
{
	if (/* guard: hello-kind */ hello->kind != WIRE_HELLO || memory < 0 ||
	    /* guard: hello-name */ strcmp(hello->name, server->endpoint.name) != 0)
		*refusal = WIRE_REFUSED_PROTOCOL;
	else if (/* guard: hello-trusted */ !wire_peer_is_trusted(socket, server->listener.group))
		*refusal = WIRE_REFUSED_USER;
	else if (/* guard: hello-full */ free_index(server) >= SHM_DOORBELLS)
		*refusal = WIRE_REFUSED_FULL;
	else if (faults_any() && fault_refuses_client(emu_dev_folder(server->endpoint.dev)))
		*refusal = WIRE_REFUSED_ON_DEMAND;
	else
		return true;
	return false;
}

/* Takes over `memory`. */
static doca_error_t connect_client(struct doca_comch_server *server, int socket, const struct wire_message *hello,
				   int memory, struct doca_comch_connection **connection)
{
	struct comch_endpoint *endpoint = &server->endpoint;
	struct shm_map *map = NULL;
	doca_error_t result = shm_attach(memory, &map);
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_comch_connection *created;
	result = connection_create(endpoint, endpoint->dev, SHM_SERVER, map, &created);
	if (result != DOCA_SUCCESS) {
		/* guard: release-offered-memory */ shm_release(map);
		return result;
	}
	connection_label(created, endpoint->name);
	created->socket = socket;
	created->index = free_index(server);
	created->doorbells = server->doorbells;
	shm_doorbells_ref(server->doorbells);
	result = endpoint_establish(created, hello);
	if (result == DOCA_SUCCESS && !watch(server, socket, created->index))
		result = DOCA_ERROR_NO_MEMORY;
	if (result != DOCA_SUCCESS) {
		created->socket = -1; /* it is the caller's */
		/* guard: hello-released */ connection_unref(created);
		return result;
	}
	*connection = created;
	return DOCA_SUCCESS;
}

/* Takes over `socket` and `memory`. */
static void admit(struct doca_comch_server *server, int socket, const struct wire_message *hello, int memory)
{
	enum wire_refusal refusal;
	if (!is_welcome(server, socket, hello, memory, &refusal)) {
		if (memory >= 0)
			/* guard: hello-memory-closed */ close(memory);
		refuse(server, socket, refusal, hello->version);
		return;
	}
	struct doca_comch_connection *connection;
	doca_error_t result = connect_client(server, socket, hello, memory, &connection);
	if (result != DOCA_SUCCESS) {
		refuse(server, socket, result == DOCA_ERROR_INVALID_VALUE ? WIRE_REFUSED_PROTOCOL : WIRE_REFUSED_MEMORY,
		       hello->version);
		return;
	}
	struct wire_message reply;
	wire_init(&reply, WIRE_ACCEPT);
	reply.max_msg_size = server->endpoint.max_msg_size;
	reply.recv_queue_size = server->endpoint.recv_queue_size;
	reply.ring_bytes = connection->rx.ring_bytes;
	reply.connection_index = connection->index;
	/* A client that has vanished meanwhile is reported as an attempt that failed [Q2]. */
	if (wire_send(socket, &reply, server->doorbells->base.fd) != DOCA_SUCCESS)
		atomic_store(&connection->established, false);
	connection->connect_event_due = true;
	server->connections[connection->index] = connection;
	server->num_connections++;
	server_mark_ready(server, connection->index);
}

static void forget_stranger(struct stranger *stranger)
{
	stranger->socket = -1;
}

/* Looks whether a stranger has sent its HELLO. */
static void look_at_stranger(struct doca_comch_server *server, struct stranger *stranger)
{
	int64_t delay_ms = faults_any() ? (int64_t)fault_accept_delay_ms(emu_dev_folder(server->endpoint.dev)) : 0;
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
	else if (result == DOCA_ERROR_NOT_CONNECTED)
		/* guard: stranger-closed */ close(socket);
	else
		refuse(server, socket,
		       result == DOCA_ERROR_NO_MEMORY ? WIRE_REFUSED_DESCRIPTORS : WIRE_REFUSED_PROTOCOL,
		       result == DOCA_ERROR_INVALID_VALUE ? SHM_LAYOUT_VERSION : hello.version);
}

static void accept_strangers(struct doca_comch_server *server)
{
	for (uint32_t i = 0; i < SERVER_MAX_STRANGERS; i++) {
		struct stranger *stranger = &server->strangers[i];
		if (stranger->socket >= 0)
			continue;
		int socket = fabric_accept(&server->listener, server->endpoint.name);
		if (socket < 0)
			return;
		if (!watch(server, socket, SLOT_STRANGERS + i)) {
			refuse(server, socket, WIRE_REFUSED_MEMORY, SHM_LAYOUT_VERSION);
			return;
		}
		*stranger = (struct stranger){.socket = socket, .accepted_at_ms = now_ms()};
		/* Clients send their HELLO at once, so it is usually there. */
		look_at_stranger(server, stranger);
	}
}

static void expire_strangers(struct doca_comch_server *server, int64_t now)
{
	int64_t patience = STRANGER_PATIENCE_MS +
			   (faults_any() ? (int64_t)fault_accept_delay_ms(emu_dev_folder(server->endpoint.dev)) : 0);
	for (uint32_t i = 0; i < SERVER_MAX_STRANGERS; i++) {
		struct stranger *stranger = &server->strangers[i];
		if (stranger->socket >= 0 && /* guard: stranger-patience */ now - stranger->accepted_at_ms > patience) {
			refuse(server, stranger->socket, WIRE_REFUSED_LATE, SHM_LAYOUT_VERSION);
			forget_stranger(stranger);
		}
	}
}

void server_look_at_sockets(struct doca_comch_server *server)
{
	struct epoll_event events[16];
	int num = epoll_wait(server->epoll, events, 16, 0);
	for (int i = 0; i < num; i++) {
		uint32_t slot = events[i].data.u32;
		if (slot == SLOT_LISTENER) {
			accept_strangers(server);
		} else if (slot >= SLOT_STRANGERS) {
			if (server->strangers[slot - SLOT_STRANGERS].socket >= 0)
				look_at_stranger(server, &server->strangers[slot - SLOT_STRANGERS]);
		} else if (server->connections[slot] != NULL) {
			struct doca_comch_connection *connection = server->connections[slot];
			connection_check_socket(connection);
			if (connection->peer_died || connection->broken)
				epoll_ctl(server->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
			server_mark_ready(server, slot);
		}
	}
	int64_t now = now_ms();
	expire_strangers(server, now);
	if (fabric_keep_names(&server->listener, server->endpoint.name, now) &&
	    !watch(server, server->listener.socket, SLOT_LISTENER))
		EMU_LOG_EVENT("cannot watch for clients of server \"%s\" any more: %m", server->endpoint.name);
	/* A client can clear other clients' doorbells; the server looks at their connections all the same. */
	if (now - server->last_full_look_ms < FULL_LOOK_MS)
		return;
	server->last_full_look_ms = now;
	for (uint32_t index = 0; index < SHM_DOORBELLS; index++)
		if (server->connections[index] != NULL)
			server_mark_ready(server, index);
}

bool server_open_sockets(struct doca_comch_server *server)
{
	for (uint32_t i = 0; i < SERVER_MAX_STRANGERS; i++)
		forget_stranger(&server->strangers[i]);
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll >= 0 && watch(server, server->listener.socket, SLOT_LISTENER))
		return true;
	EMU_LOG_ERROR("cannot watch for clients of server \"%s\": %m%s", server->endpoint.name, emu_file_remedy(errno));
	return false;
}

void server_dismiss_strangers(struct doca_comch_server *server)
{
	for (uint32_t i = 0; i < SERVER_MAX_STRANGERS; i++) {
		if (server->strangers[i].socket >= 0)
			/* guard: strangers-dismissed */ close(server->strangers[i].socket);
		forget_stranger(&server->strangers[i]);
	}
}
