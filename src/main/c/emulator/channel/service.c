/* Services: clients that come, and are let in; the state that the program asks for. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/faults.h"
#include "channel/channel_endpoint.h"
#include "channel/channel_readings.h"
#include "core/forks.h"
#include "log/sdk_log.h"

doca_error_t service_listen(struct doca_comm_channel_ep_t *endpoint, struct endpoint_listener *listeners, uint32_t num)
{
	doca_error_t result = DOCA_SUCCESS;
	struct pending_client *pending = calloc(ENDPOINT_MAX_PENDING, sizeof(*pending));
	if (pending == NULL)
		return DOCA_ERROR_NO_MEMORY;
	uint32_t listening = 0;
	while (listening < num && result == DOCA_SUCCESS) {
		struct endpoint_listener *listener = &listeners[listening];
		result = fabric_listen(endpoint_folder(endpoint), listener->place, endpoint->name, &listener->fabric);
		listening += result == DOCA_SUCCESS;
	}
	if (result != DOCA_SUCCESS) {
		while (listening > 0)
			fabric_unlisten(&listeners[--listening].fabric);
		/* guard: release-channel-pending */ free(pending);
		return result == DOCA_ERROR_ALREADY_EXIST ? READING_SERVICE_NAME_TAKEN
		       : result == DOCA_ERROR_NO_MEMORY   ? result
							  : DOCA_ERROR_INITIALIZATION;
	}
	pthread_mutex_lock(&endpoint->lock);
	endpoint->pending = pending;
	endpoint->listeners = listeners;
	endpoint->num_listeners = num;
	pthread_mutex_unlock(&endpoint->lock);
	return DOCA_SUCCESS;
}

void service_close(struct doca_comm_channel_ep_t *endpoint)
{
	keeper_stop(endpoint);
	pthread_mutex_lock(&endpoint->lock);
	/* For a client that finds one of its two names, the reverse order (channel_client.c). */
	for (uint32_t i = endpoint->num_listeners; i > 0; i--)
		fabric_unlisten(&endpoint->listeners[i - 1].fabric);
	for (uint32_t i = 0; i < endpoint->num_pending; i++)
		/* guard: release-silent-clients */ close(endpoint->pending[i].socket);
	free(endpoint->listeners);
	free(endpoint->pending);
	shm_doorbells_release(endpoint->doorbells);
	endpoint->listeners = NULL;
	endpoint->pending = NULL;
	endpoint->doorbells = NULL;
	endpoint->num_listeners = endpoint->num_pending = 0;
	pthread_mutex_unlock(&endpoint->lock);
}

void service_keep_names(struct doca_comm_channel_ep_t *endpoint, uint64_t now)
{
	for (uint32_t i = 0; i < endpoint->num_listeners; i++) {
		struct fabric_listener *listener = &endpoint->listeners[i].fabric;
		if (fabric_keep_names(listener, endpoint->name, (int64_t)(now / 1000000)))
			events_attach_listener(endpoint, listener->socket);
	}
}

/* ---- clients that come ---- */

void service_collect(struct doca_comm_channel_ep_t *endpoint, uint64_t now)
{
	endpoint->collected_at_ns = now;
	bool any = false;
	pthread_mutex_lock(&endpoint->lock);
	service_keep_names(endpoint, now);
	for (uint32_t i = 0; i < endpoint->num_listeners; i++) {
		struct fabric_listener *listener = &endpoint->listeners[i].fabric;
		struct pollfd watched = {.fd = listener->socket, .events = POLLIN};
		/* An accept in vain costs more. */
		if (poll(&watched, 1, 0) <= 0)
			continue;
		while (/* guard: channel-crowd=1 */ endpoint->num_pending < ENDPOINT_MAX_PENDING) {
			int socket = fabric_accept(listener, endpoint->name);
			if (socket < 0)
				break;
			endpoint->pending[endpoint->num_pending++] =
				(struct pending_client){.socket = socket, .listener = i, .accepted_at_ms = now_ms()};
			events_attach_stranger(endpoint, socket);
			any = true;
		}
	}
	pthread_mutex_unlock(&endpoint->lock);
	if (any)
		events_sound(endpoint, &endpoint->service_events);
}

/* Frees what connections hold whose client has gone and whose messages have been received. */
static void release_leftovers(struct doca_comm_channel_ep_t *endpoint)
{
	for (uint32_t i = 0; i < endpoint->num_peers; i++) {
		struct doca_comm_channel_addr_t *peer = endpoint->peers[i];
		if (peer->map != NULL && !peer->in.known && peer_has_gone(peer) && !ring_in_has_any(&peer->in))
			peer_release(peer);
	}
}

static uint32_t num_served(const struct doca_comm_channel_ep_t *endpoint)
{
	uint32_t num = 0;
	for (uint32_t i = 0; i < endpoint->num_peers; i++)
		num += endpoint->peers[i]->map != NULL;
	return num;
}

static bool is_full(struct doca_comm_channel_ep_t *endpoint)
{
	uint32_t limit = emu_limits()->max_clients;
	if (num_served(endpoint) < limit)
		return false;
	release_leftovers(endpoint);
	return num_served(endpoint) >= limit;
}

/* Whether the program still holds a client of this function, also one that has gone, or may yet be given it. */
static bool serves_function(struct doca_comm_channel_ep_t *endpoint, uint32_t function)
{
	for (uint32_t i = 0; i < endpoint->num_peers; i++) {
		struct doca_comm_channel_addr_t *peer = endpoint->peers[i];
		if (peer->function != function)
			continue;
		if (peer->given || (peer->map != NULL && (!peer_has_gone(peer) || ring_in_has_any(&peer->in))))
			return true;
	}
	return false;
}

/* Whether a client can come in. */
static bool is_welcome(struct doca_comm_channel_ep_t *endpoint, const struct pending_client *client,
		       const struct wire_message *hello, int memory, uint32_t *refusal)
{
	*refusal = WIRE_REFUSED_PROTOCOL;
	if (/* guard: channel-hello-kind */ hello->kind != WIRE_HELLO || memory < 0 ||
	    /* guard: channel-hello-name */ strcmp(hello->name, endpoint->name) != 0)
		return false;
	*refusal = WIRE_REFUSED_USER;
	if (/* guard: channel-hello-trusted */ !wire_peer_is_trusted(
		client->socket, endpoint->listeners[client->listener].fabric.group))
		return false;
	*refusal = WIRE_REFUSED_FULL;
	if (/* guard: channel-hello-full */ is_full(endpoint) ||
	    (endpoint->one_client_per_function && serves_function(endpoint, client->listener / ENDPOINT_FAMILIES)))
		return false;
	*refusal = WIRE_REFUSED_ON_DEMAND;
	return !faults_any() || !fault_refuses_client(endpoint_folder(endpoint));
}

/* The guides have a handshake fail that "is done for an existing client"; from 1.5 on only the log says so. */
static void warn_of_return(const struct doca_comm_channel_ep_t *endpoint, const struct wire_message *hello)
{
	for (uint32_t i = 0; i < endpoint->num_peers; i++) {
		const struct doca_comm_channel_addr_t *peer = endpoint->peers[i];
		if (peer->number == hello->endpoint_number &&
		    memcmp(peer->process, hello->cookie, sizeof(peer->process)) == 0) {
			EMU_LOG_EVENT(
				"a client of service \"%s\" connects again, whose peer address of before has not "
				"been disconnected: a device may refuse that",
				endpoint->name);
			return;
		}
	}
}

static void refuse(struct doca_comm_channel_ep_t *endpoint, const struct pending_client *client, uint32_t refusal,
		   uint32_t version)
{
	pthread_mutex_lock(&endpoint->lock);
	fabric_refuse(&endpoint->listeners[client->listener].fabric, endpoint->name, client->socket,
		      (enum wire_refusal)refusal, version);
	pthread_mutex_unlock(&endpoint->lock);
}

/* A socket for wake-ups; `other`: the client's end of it, or what it is to ring instead. With Comch there is one socket
 * for all. */
static doca_error_t make_bell(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer,
			      int *other)
{
	if (peer->map->comch) {
		if (endpoint->doorbells == NULL && shm_doorbells_create(&endpoint->doorbells) != DOCA_SUCCESS)
			return DOCA_ERROR_NO_MEMORY;
		*other = fcntl(endpoint->doorbells->base.fd, F_DUPFD_CLOEXEC, 0);
		return *other >= 0 && peer_share_bell(peer) ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
	}
	int pair[2] = {-1, -1};
	/* Of this kind, as these do not become readable when the other end is closed. */
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
		return DOCA_ERROR_NO_MEMORY;
	peer->recv_bell.socket = emu_fork_keep(pair[0]);
	*other = emu_fork_keep(pair[1]);
	return DOCA_SUCCESS;
}

/* Makes a peer of a client that can come in; `bell`: as of make_bell. Takes over `memory`, and the client's socket on
 * success. */
static doca_error_t make_peer(struct doca_comm_channel_ep_t *endpoint, const struct pending_client *client,
			      const struct wire_message *hello, int memory, struct doca_comm_channel_addr_t **made,
			      int *bell)
{
	struct channel_map *map = NULL;
	struct doca_comm_channel_addr_t *peer = NULL;
	bool comch = endpoint->listeners[client->listener].comch;
	doca_error_t result = channel_memory_attach(memory, comch, &map);
	if (result == DOCA_SUCCESS)
		result = peer_create(endpoint, SHM_SERVER, map, &peer);
	if (result != DOCA_SUCCESS) {
		/* guard: release-offered-channel */ channel_memory_release(map);
		return result;
	}
	peer->function = client->listener / ENDPOINT_FAMILIES;
	peer->asked = true;
	peer->number = comch ? 0 : hello->endpoint_number;
	memcpy(peer->process, hello->cookie, sizeof(peer->process));
	peer->send_bell.socket = client->socket;
	*bell = -1;
	result = peer_establish(peer, hello);
	if (result == DOCA_SUCCESS)
		result = make_bell(endpoint, peer, bell);
	atomic_store(&peer->state, PEER_CONNECTED);
	if (result == DOCA_SUCCESS)
		result = endpoint_add_peer(endpoint, peer);
	if (result == DOCA_SUCCESS) {
		*made = peer;
		return DOCA_SUCCESS;
	}
	if (*bell >= 0)
		/* guard: release-channel-bell */ close(*bell);
	pthread_mutex_lock(&endpoint->lock);
	events_detach(endpoint, peer);
	peer->send_bell.socket = -1; /* it is the caller's */
	pthread_mutex_unlock(&endpoint->lock);
	/* guard: release-channel-peer */ peer_release(peer);
	handle_bury(&peer->handle);
	return result;
}

/* Answers a client that can come in. Takes over `memory` and the client's socket. */
static bool let_in(struct doca_comm_channel_ep_t *endpoint, const struct pending_client *client,
		   const struct wire_message *hello, int memory)
{
	struct doca_comm_channel_addr_t *peer;
	int bell;
	if (!endpoint->listeners[client->listener].comch)
		warn_of_return(endpoint, hello);
	doca_error_t result = make_peer(endpoint, client, hello, memory, &peer, &bell);
	if (result != DOCA_SUCCESS) {
		refuse(endpoint, client,
		       result == DOCA_ERROR_INVALID_VALUE ? WIRE_REFUSED_PROTOCOL : WIRE_REFUSED_MEMORY,
		       hello->version);
		return false;
	}
	struct wire_message answer;
	wire_init(&answer, WIRE_ACCEPT);
	answer.max_msg_size = endpoint->max_msg_size;
	answer.recv_queue_size = endpoint->recv_queue_size;
	if (peer->map->comch)
		answer.ring_bytes = peer->in.size;
	else
		answer.send_queue_size = endpoint->send_queue_size;
	events_arm_newcomer(endpoint, peer);
	bool answered = wire_send(client->socket, &answer, bell) == DOCA_SUCCESS;
	close(bell);
	if (!answered)
		/* guard: release-unanswered-client */ endpoint_disconnect(endpoint, peer, 0);
	return answered;
}

/* False: nothing has come from it. */
static bool look_at(struct doca_comm_channel_ep_t *endpoint, const struct pending_client *client)
{
	int64_t delay_ms = faults_any() ? (int64_t)fault_accept_delay_ms(endpoint_folder(endpoint)) : 0;
	int64_t waited_ms = now_ms() - client->accepted_at_ms;
	/* Both times are rounded down, and the delay is not to be shorter than asked for. */
	if (delay_ms > 0 && waited_ms <= delay_ms)
		return false;
	struct wire_message hello;
	int memory = -1;
	doca_error_t result = wire_receive(client->socket, &hello, &memory);
	if (result == DOCA_ERROR_AGAIN &&
	    /* guard: channel-hello-patience=1 */ waited_ms <= READING_HELLO_PATIENCE_MS + delay_ms)
		return false;
	pthread_mutex_lock(&endpoint->lock);
	events_detach_stranger(endpoint, client->socket);
	pthread_mutex_unlock(&endpoint->lock);
	uint32_t refusal = result == DOCA_ERROR_AGAIN       ? WIRE_REFUSED_LATE
			   : result == DOCA_ERROR_NO_MEMORY ? WIRE_REFUSED_DESCRIPTORS
							    : WIRE_REFUSED_PROTOCOL;
	bool known = result == DOCA_SUCCESS || result == DOCA_ERROR_NOT_SUPPORTED;
	bool welcome = result == DOCA_SUCCESS && is_welcome(endpoint, client, &hello, memory, &refusal);
	if (welcome) {
		welcome = let_in(endpoint, client, &hello, memory);
	} else {
		refuse(endpoint, client, refusal, known ? hello.version : SHM_LAYOUT_VERSION);
		if (memory >= 0)
			/* guard: channel-hello-memory-closed */ close(memory);
	}
	if (!welcome)
		atomic_fetch_add(&endpoint->failed_handshakes, 1);
	return true;
}

void service_admit(struct doca_comm_channel_ep_t *endpoint, uint64_t now)
{
	service_collect(endpoint, now);
	for (uint32_t i = 0; i < endpoint->num_pending;) {
		struct pending_client client = endpoint->pending[i];
		if (!look_at(endpoint, &client)) {
			i++;
			continue;
		}
		pthread_mutex_lock(&endpoint->lock);
		endpoint->num_pending--;
		memmove(&endpoint->pending[i], &endpoint->pending[i + 1],
			(endpoint->num_pending - i) * sizeof(endpoint->pending[0]));
		pthread_mutex_unlock(&endpoint->lock);
	}
}

/* ---- state ---- */

doca_error_t service_take_state(struct doca_comm_channel_ep_t *endpoint)
{
	/* Before it is armed: who has been collected is part of the state, and no event. */
	service_collect(endpoint, now_ns());
	if (events_arm_service(endpoint) != DOCA_SUCCESS)
		return DOCA_ERROR_DRIVER;
	if (endpoint->lost)
		return DOCA_ERROR_CONNECTION_RESET;
	struct doca_comm_channel_addr_t **listed =
		malloc((endpoint->num_peers + 1) * sizeof(struct doca_comm_channel_addr_t *));
	if (listed == NULL)
		return DOCA_ERROR_DRIVER;
	if (endpoint->num_peers > 0)
		memcpy(listed, endpoint->peers, endpoint->num_peers * sizeof(struct doca_comm_channel_addr_t *));
	free(endpoint->listed_before);
	endpoint->listed_before = endpoint->listed;
	endpoint->listed = listed;
	endpoint->num_listed = endpoint->num_peers;
	endpoint->listed_pending = endpoint->num_pending;
	return DOCA_SUCCESS;
}
