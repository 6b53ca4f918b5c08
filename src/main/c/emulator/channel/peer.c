#include "channel/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "channel/channel_endpoint.h"
#include "channel/events.h"
#include "core/forks.h"
#include "log/sdk_log.h"

/* How often it is looked whether a peer is still there, while it is sent to. */
#define LOOK_NS UINT64_C(20000)

doca_error_t peer_create(struct doca_comm_channel_ep_t *endpoint, enum shm_side side, struct channel_map *map,
			 struct doca_comm_channel_addr_t **peer)
{
	struct doca_comm_channel_addr_t *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	handle_begin(&created->handle, HANDLE_PEER);
	created->endpoint = endpoint;
	created->side = side;
	created->recv_bell.socket = created->send_bell.socket = -1;
	peer_use_memory(created, map);
	created->out.send_queue = endpoint->send_queue_size;
	created->in.recv_queue = endpoint->recv_queue_size;
	*peer = created;
	return DOCA_SUCCESS;
}

void peer_use_memory(struct doca_comm_channel_addr_t *peer, struct channel_map *map)
{
	channel_memory_release(peer->map);
	peer->map = map;
	channel_memory_words(map, peer->side, true, &peer->out.own);
	channel_memory_words(map, shm_other(peer->side), false, &peer->out.peer);
	peer->in.own = peer->out.own;
	peer->in.peer = peer->out.peer;
}

bool peer_share_bell(struct doca_comm_channel_addr_t *peer)
{
	peer->recv_bell.socket = emu_fork_keep(fcntl(peer->send_bell.socket, F_DUPFD_CLOEXEC, 0));
	return peer->recv_bell.socket >= 0;
}

/* Sizes that a peer of Comch tells may be greater: what does not fit is not used. */
static bool plausible(const struct wire_message *message, bool comch)
{
	if (/* guard: channel-agreed-message-size-least */ message->max_msg_size == 0 ||
	    /* guard: channel-agreed-receive-queue-least */ message->recv_queue_size == 0)
		return false;
	if (comch)
		return true;
	return /* guard: channel-agreed-message-size-most=1 */ message->max_msg_size <= CHANNEL_MAX_MSG_SIZE &&
	       /* guard: channel-agreed-receive-queue-most=1 */ message->recv_queue_size <= CHANNEL_MAX_QUEUE &&
	       /* guard: channel-agreed-send-queue-least=1 */ message->send_queue_size > 0 &&
	       /* guard: channel-agreed-send-queue-most=1 */ message->send_queue_size <= CHANNEL_MAX_QUEUE;
}

uint64_t peer_comch_ring_bytes(const struct doca_comm_channel_ep_t *endpoint)
{
	uint64_t bytes = channel_ring_bytes(endpoint->recv_queue_size, endpoint->max_msg_size);
	return bytes < SHM_RING_MAX_BYTES ? bytes : SHM_RING_MAX_BYTES;
}

/* Comch's ring has room for the receive queue only: the last places of that are the send queue here. */
static void share_receive_queue(struct ring_out *ring)
{
	if (ring->recv_queue > 2 * CHANNEL_MAX_QUEUE)
		ring->recv_queue = 2 * CHANNEL_MAX_QUEUE;
	if (ring->send_queue > ring->recv_queue)
		ring->send_queue = ring->recv_queue;
	ring->recv_queue -= ring->send_queue;
}

doca_error_t peer_establish(struct doca_comm_channel_addr_t *peer, const struct wire_message *from_peer)
{
	const struct doca_comm_channel_ep_t *endpoint = peer->endpoint;
	bool comch = peer->map->comch;
	if (!plausible(from_peer, comch))
		return DOCA_ERROR_INVALID_VALUE;
	uint32_t max_msg_size = endpoint->max_msg_size;
	if (max_msg_size > from_peer->max_msg_size)
		max_msg_size = from_peer->max_msg_size;
	uint64_t out_bytes =
		comch ? from_peer->ring_bytes
		      : channel_ring_bytes(endpoint->send_queue_size + from_peer->recv_queue_size, max_msg_size);
	uint64_t in_bytes =
		comch ? peer_comch_ring_bytes(endpoint)
		      : channel_ring_bytes(from_peer->send_queue_size + endpoint->recv_queue_size, max_msg_size);
	enum shm_side other = shm_other(peer->side);
	doca_error_t result = channel_memory_map_ring(peer->map, other, out_bytes);
	if (result == DOCA_SUCCESS)
		result = channel_memory_map_ring(peer->map, peer->side, in_bytes);
	if (result != DOCA_SUCCESS)
		return result;
	peer->joins_barriers = from_peer->barriers == 1;
	peer->max_msg_size = peer->in.max_msg_size = max_msg_size;
	peer->out.bytes = peer->map->rings[other];
	peer->out.size = out_bytes;
	peer->out.recv_queue = from_peer->recv_queue_size;
	if (comch)
		share_receive_queue(&peer->out);
	peer->in.bytes = peer->map->rings[peer->side];
	peer->in.size = in_bytes;
	peer->places = from_peer->send_queue_size + endpoint->recv_queue_size;
	peer->endpoint->places += peer->places;
	return DOCA_SUCCESS;
}

static bool socket_has_ended(int socket)
{
	struct pollfd watched = {.fd = socket, .events = POLLRDHUP};
	return poll(&watched, 1, 0) > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool peer_has_gone(struct doca_comm_channel_addr_t *peer)
{
	/* Pairs with the release store in peer_say_goodbye. */
	if (!atomic_load(&peer->gone) && (atomic_load_explicit(peer->in.peer.closed, memory_order_acquire) != 0 ||
					  socket_has_ended(peer->send_bell.socket)))
		atomic_store(&peer->gone, true);
	return atomic_load(&peer->gone);
}

bool peer_has_died(const struct doca_comm_channel_addr_t *peer)
{
	/* The word is looked at last: who disconnects sets it before the socket ends. */
	return peer->map != NULL && socket_has_ended(peer->send_bell.socket) &&
	       atomic_load_explicit(peer->in.peer.closed, memory_order_acquire) == 0;
}

bool peer_seems_gone(struct doca_comm_channel_addr_t *peer, uint64_t now)
{
	if (atomic_load_explicit(&peer->gone, memory_order_relaxed) ||
	    atomic_load_explicit(peer->in.peer.closed, memory_order_relaxed) != 0)
		return true;
	if (now - peer->looked_at_ns < LOOK_NS)
		return false;
	peer->looked_at_ns = now;
	return peer_has_gone(peer);
}

void peer_break(struct doca_comm_channel_addr_t *peer, bool report, const char *why)
{
	if (atomic_load(&peer->state) == PEER_BROKEN)
		return;
	EMU_LOG_WARNING("a peer of \"%s\" is broken: %s", peer->endpoint->name, why);
	atomic_store(&peer->state, PEER_BROKEN);
	if (report || (peer->map != NULL && ring_in_has_any(&peer->in))) {
		atomic_store(&peer->reset_due, true);
		events_sound(peer->endpoint, &peer->endpoint->recv_events);
	}
}

void peer_say_goodbye(struct doca_comm_channel_addr_t *peer, int64_t deadline_ms)
{
	if (peer->map == NULL)
		return;
	/* A peer of Comch receives whatever it was sent. */
	bool connected = atomic_load(&peer->state) == PEER_CONNECTED && !peer->map->comch;
	while (connected && ring_out_in_flight(&peer->out) > 0 && !peer_has_gone(peer) && now_ms() < deadline_ms)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	uint64_t sent = atomic_load(&peer->out.sent), delivered = ring_out_delivered(&peer->out);
	atomic_store_explicit(peer->out.own.end, delivered, memory_order_relaxed);
	/* Release: everything sent before is visible to whoever sees it. */
	atomic_store_explicit(peer->out.own.closed, 1, memory_order_release);
	peer_alert(peer);
	if (connected && delivered < sent)
		EMU_LOG_EVENT("\"%s\": %llu messages in flight are given up with the connection", peer->endpoint->name,
			      (unsigned long long)(sent - delivered));
}

void peer_release(struct doca_comm_channel_addr_t *peer)
{
	struct doca_comm_channel_ep_t *endpoint = peer->endpoint;
	endpoint->places -= peer->places;
	peer->places = 0;
	pthread_mutex_lock(&endpoint->lock);
	events_detach(endpoint, peer);
	struct peer_bell *const bells[] = {&peer->recv_bell, &peer->send_bell};
	for (int i = 0; i < 2; i++) {
		if (bells[i]->socket >= 0)
			close(bells[i]->socket);
		bells[i]->socket = -1;
	}
	ring_out_release(&peer->out);
	shm_doorbells_release(peer->doorbells);
	peer->doorbells = NULL;
	struct channel_map *map = peer->map;
	peer->map = NULL;
	peer->in.known = false;
	pthread_mutex_unlock(&endpoint->lock);
	channel_memory_release(map);
}

void peer_ring(const struct peer_bell *bell, shm_asleep *word)
{
	/* A socket that is full is readable at the other end, and one whose peer has gone needs no wake-up. */
	if (shm_takes_wakeup(word))
		(void)send(bell->socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void peer_count(struct doca_comm_channel_addr_t *peer)
{
	peer->snapshot = peer->counters;
	if (peer->map == NULL || atomic_load(&peer->state) == PEER_CONNECTING)
		return;
	atomic_store_explicit(&peer->delivered_seen, ring_out_delivered(&peer->out), memory_order_relaxed);
	peer->snapshot.in_flight = ring_out_in_flight(&peer->out);
}
