/* Clients: the handshake with a service. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/settings.h"
#include "channel/channel_endpoint.h"
#include "channel/channel_readings.h"
#include "log/sdk_log.h"

static doca_error_t find(const struct doca_comm_channel_addr_t *peer, bool comch, int *socket)
{
	const struct doca_comm_channel_ep_t *endpoint = peer->endpoint;
	char place[FABRIC_FILE_BYTES];
	endpoint_place(peer->pci, comch, place);
	return fabric_connect(endpoint_folder(endpoint), place, endpoint->name, socket);
}

/* Connects to the service, or to the server of Comch that has its name. */
static doca_error_t find_service(const struct doca_comm_channel_addr_t *peer, int *socket, bool *comch)
{
	const struct doca_comm_channel_ep_t *endpoint = peer->endpoint;
	*comch = false;
	doca_error_t result = find(peer, false, socket);
	if (result != DOCA_ERROR_NOT_FOUND || !fabric_has(endpoint_folder(endpoint), peer->pci, endpoint->name))
		return result;
	/* A service that has just come has the name among Comch's servers last. */
	result = find(peer, false, socket);
	*comch = result == DOCA_ERROR_NOT_FOUND;
	return *comch ? find(peer, true, socket) : result;
}

/* Makes memory of the kind that the other end has. */
static doca_error_t suit_memory(struct doca_comm_channel_addr_t *peer, bool comch)
{
	struct channel_map *map;
	if (comch == peer->map->comch)
		return DOCA_SUCCESS;
	doca_error_t result = channel_memory_create(comch, &map);
	if (result == DOCA_SUCCESS)
		peer_use_memory(peer, map);
	return result;
}

static void write_hello(struct doca_comm_channel_addr_t *peer, struct wire_message *hello)
{
	const struct doca_comm_channel_ep_t *endpoint = peer->endpoint;
	wire_init(hello, WIRE_HELLO);
	hello->max_msg_size = endpoint->max_msg_size;
	hello->recv_queue_size = endpoint->recv_queue_size;
	memcpy(hello->name, endpoint->name, sizeof(hello->name));
	if (peer->map->comch) {
		hello->ring_bytes = peer_comch_ring_bytes(endpoint);
		shm_write_label(peer->map->base.start, SHM_CLIENT, peer->pci, endpoint->name);
	} else {
		hello->send_queue_size = endpoint->send_queue_size;
		hello->endpoint_number = endpoint->number;
	}
}

/* Looks for the service, and introduces the client to it. */
static doca_error_t introduce(struct doca_comm_channel_addr_t *peer)
{
	int socket = -1;
	bool comch;
	peer->looked_for_service_ns = now_ns();
	doca_error_t result = find_service(peer, &socket, &comch);
	if (result != DOCA_SUCCESS)
		return result;
	result = suit_memory(peer, comch);
	struct wire_message hello;
	write_hello(peer, &hello);
	/* A service that has closed the socket already has perhaps said why: client_go_on finds out. */
	struct pollfd answer = {.fd = socket, .events = POLLIN};
	if (result == DOCA_SUCCESS && wire_send(socket, &hello, peer->map->base.fd) != DOCA_SUCCESS &&
	    poll(&answer, 1, 0) <= 0)
		result = DOCA_ERROR_NOT_CONNECTED;
	if (result == DOCA_SUCCESS)
		peer->send_bell.socket = socket;
	else
		/* guard: release-channel-socket */ close(socket);
	return result;
}

/* Whether to look again later: for services that are busy, and absent ones for as long as DOCA_EMU_CONNECT_WAIT says.
 */
static bool worth_waiting(const struct doca_comm_channel_addr_t *peer, doca_error_t result)
{
	return result == DOCA_ERROR_AGAIN || (result == DOCA_ERROR_NOT_FOUND && now_ms() < peer->wait_until_ms);
}

/* Says why an attempt has failed, where nothing before it has. */
static void explain(const struct doca_comm_channel_addr_t *peer, doca_error_t result)
{
	const char *name = peer->endpoint->name;
	if (result == DOCA_ERROR_NOT_FOUND)
		fabric_explain_absence("client", "service", endpoint_folder(peer->endpoint), peer->pci, name);
	else if (result == DOCA_ERROR_NOT_CONNECTED)
		EMU_LOG_WARNING(
			"client cannot connect to service \"%s\": it has ended in the middle of it, or is an older "
			"build of the emulated device",
			name);
	else if (result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_INITIALIZATION)
		EMU_LOG_WARNING("client cannot connect to service \"%s\": this process lacks memory or descriptors",
				name);
	else if (result == DOCA_ERROR_INVALID_VALUE)
		EMU_LOG_WARNING("client cannot connect to service \"%s\": its answer cannot be used", name);
}

doca_error_t client_connect(struct doca_comm_channel_ep_t *endpoint, const char *pci,
			    struct doca_comm_channel_addr_t **peer)
{
	int64_t wait_ms;
	doca_error_t result = settings_connect_wait(&wait_ms);
	if (result != DOCA_SUCCESS)
		return result;
	struct channel_map *map = NULL;
	struct doca_comm_channel_addr_t *created = NULL;
	result = channel_memory_create(false, &map);
	if (result == DOCA_SUCCESS)
		result = peer_create(endpoint, SHM_CLIENT, map, &created);
	if (result != DOCA_SUCCESS) {
		/* guard: release-channel-memory */ channel_memory_release(map);
		return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_INITIALIZATION;
	}
	snprintf(created->pci, sizeof(created->pci), "%s", pci);
	created->wait_until_ms = now_ms() + wait_ms;
	result = introduce(created);
	if (result == DOCA_SUCCESS || worth_waiting(created, result))
		result = endpoint_add_peer(endpoint, created);
	if (result == DOCA_SUCCESS) {
		*peer = created;
		return DOCA_SUCCESS;
	}
	explain(created, result);
	/* guard: release-channel-attempt */ peer_release(created);
	handle_bury(&created->handle);
	if (result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_INITIALIZATION)
		return result;
	return result == DOCA_ERROR_OPERATING_SYSTEM ? DOCA_ERROR_INITIALIZATION : READING_NO_SUCH_SERVICE;
}

/* What a service hands over may be any descriptor, among them such as cannot be watched. */
static bool is_for_wakeups(int fd)
{
	int domain = 0, type = 0;
	socklen_t size = sizeof(type);
	return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

/* Whether the descriptor that came with an answer is what it has to be. */
static bool is_to_ring(const struct doca_comm_channel_addr_t *peer, const struct wire_message *answer, int fd)
{
	if (!peer->map->comch)
		return is_for_wakeups(fd);
	return fd >= 0 && /* guard: channel-comch-answer-index=1 */ answer->connection_index < SHM_DOORBELLS;
}

/* Takes the descriptor over. */
static doca_error_t keep_bells(struct doca_comm_channel_addr_t *peer, const struct wire_message *answer, int fd)
{
	if (!peer->map->comch) {
		peer->recv_bell.socket = fd;
		return DOCA_SUCCESS;
	}
	peer->doorbell = answer->connection_index;
	doca_error_t result = shm_doorbells_attach(fd, &peer->doorbells);
	if (result == DOCA_SUCCESS && !peer_share_bell(peer))
		result = DOCA_ERROR_NO_MEMORY;
	return result;
}

/* With the lock. */
static doca_error_t receive_answer(struct doca_comm_channel_addr_t *peer)
{
	struct wire_message answer;
	int socket = -1;
	doca_error_t result = wire_receive(peer->send_bell.socket, &answer, &socket);
	/* What another version answers has no other meaning. */
	if (result == DOCA_ERROR_NOT_SUPPORTED || (result == DOCA_SUCCESS && answer.kind == WIRE_REJECT)) {
		uint32_t refusal = result == DOCA_SUCCESS ? answer.connection_index : WIRE_REFUSED_PROTOCOL;
		EMU_LOG_WARNING("client is refused by service \"%s\": %s", peer->endpoint->name,
				wire_refusal_text(refusal, answer.version, &(struct wire_text){{0}}));
		emu_log_refused(wire_refusal_is_final(refusal));
		result = DOCA_ERROR_CONNECTION_ABORTED;
	} else if (result == DOCA_SUCCESS &&
		   (/* guard: channel-answer-kind */ answer.kind != WIRE_ACCEPT ||
		    /* guard: channel-answer-descriptor */ !is_to_ring(peer, &answer, socket))) {
		result = DOCA_ERROR_INVALID_VALUE;
	}
	if (result != DOCA_SUCCESS) {
		if (socket >= 0)
			/* guard: channel-answer-closed */ close(socket);
		return result;
	}
	result = peer_establish(peer, &answer);
	events_detach(peer->endpoint, peer);
	doca_error_t kept = keep_bells(peer, &answer, socket);
	if (result == DOCA_SUCCESS)
		result = kept;
	if (result != DOCA_SUCCESS)
		return result;
	atomic_store(&peer->state, PEER_CONNECTED);
	return events_attach(peer->endpoint, peer) ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION;
}

/* With the lock. AGAIN: not yet. */
static doca_error_t look_for_service(struct doca_comm_channel_addr_t *peer)
{
	if (now_ns() - peer->looked_for_service_ns < READING_SERVICE_LOOK_NS)
		return DOCA_ERROR_AGAIN;
	doca_error_t result = introduce(peer);
	if (worth_waiting(peer, result))
		return DOCA_ERROR_AGAIN;
	if (result != DOCA_SUCCESS)
		return result;
	return events_attach(peer->endpoint, peer) ? receive_answer(peer) : DOCA_ERROR_INITIALIZATION;
}

void client_go_on(struct doca_comm_channel_addr_t *peer)
{
	struct doca_comm_channel_ep_t *endpoint = peer->endpoint;
	pthread_mutex_lock(&endpoint->lock);
	doca_error_t result = peer_looks_for_service(peer) ? look_for_service(peer) : receive_answer(peer);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
		atomic_store(&peer->state, PEER_ABORTED);
	pthread_mutex_unlock(&endpoint->lock);
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN)
		return;
	explain(peer, result);
	/* guard: release-refused-client */ peer_release(peer);
}
