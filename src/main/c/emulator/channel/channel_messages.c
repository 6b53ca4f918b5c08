/* Sending and receiving. */
#include "base/clock.h"
#include "base/faults.h"
#include "channel/channel_endpoint.h"
#include "channel/channel_readings.h"
#include "log/sdk_log.h"
#include "topology/dev.h"

/* How often a service that has messages to receive looks whether clients have come. */
#define COLLECT_NS UINT64_C(20000)

/* How often one that has none looks, which is a system call. Nobody connects in less, and who comes between makes the
 * event channel readable. */
#define COLLECT_IDLE_NS UINT64_C(5000)

/* Longer journeys are not believed: peers write the times of arrival. */
#define LONGEST_TRAVEL_NS UINT64_C(60000000000)

/* After the change: the one that arms sees it, or this end the word (events.h). */
static void wake(const struct peer_bell *bell, shm_asleep *word)
{
	if (atomic_load(word) != 0)
		peer_ring(bell, word);
}

/* ---- sending ---- */

/* Ends a connection at both ends, without a goodbye. */
static void cut(struct doca_comm_channel_addr_t *peer, const char *why)
{
	peer_break(peer, false, why);
	peer_release(peer);
	atomic_store(&peer->gone, true);
	events_sound(peer->endpoint, &peer->endpoint->send_events);
}

/* The device of this end fails: a client's connection, or all of a service. */
static doca_error_t drop(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer)
{
	bool all = endpoint_listens(endpoint);
	for (uint32_t i = 0; i < endpoint->num_peers; i++)
		if (all || endpoint->peers[i] == peer)
			cut(endpoint->peers[i], "dropped on demand");
	endpoint->lost = all;
	events_sound(endpoint, &endpoint->service_events);
	return DOCA_ERROR_CONNECTION_RESET;
}

static doca_error_t reset(struct doca_comm_channel_addr_t *peer, const char *why)
{
	peer_break(peer, false, why);
	return DOCA_ERROR_CONNECTION_RESET;
}

/* The guide of 1.5 lets a client send once it has seen that the connection is complete. */
static doca_error_t check_asked(struct doca_comm_channel_addr_t *peer)
{
	if (EMU_LIKELY(peer->asked))
		return DOCA_SUCCESS;
	bool strict = emu_dev_strict(peer->endpoint->dev);
	if (!strict)
		peer->asked = true; /* this is said once */
	emu_log_event(DOCA_LOG_LEVEL_WARNING,
		      "client of \"%s\" sends without having asked whether it is connected "
		      "(doca_comm_channel_peer_addr_update_info)%s",
		      peer->endpoint->name, strict ? "" : ": a device may refuse that");
	return strict ? READING_SEND_UNASKED : DOCA_SUCCESS;
}

/* The peer's side of the connection, before something is sent. */
static doca_error_t check_peer(struct doca_comm_channel_addr_t *peer)
{
	if (atomic_load_explicit(&peer->state, memory_order_relaxed) == PEER_CONNECTING)
		client_go_on(peer);
	switch (atomic_load_explicit(&peer->state, memory_order_relaxed)) {
	case PEER_CONNECTING:
		return READING_SEND_BEFORE_CONNECTED;
	case PEER_ABORTED:
		return READING_PEER_ABORTED;
	case PEER_BROKEN:
		return DOCA_ERROR_CONNECTION_RESET;
	case PEER_CONNECTED:
	default:
		break;
	}
	if (peer->map == NULL || peer->gone_told)
		return reset(peer, "it has gone");
	return atomic_load_explicit(&peer->violated, memory_order_relaxed)
		       ? reset(peer, "its wake-ups break the protocol")
		       : DOCA_SUCCESS;
}

/* A message has gone out without having been in flight: who is armed for the end of flights is told. Or it travels, and
 * nobody else tells when it is there. */
static void tell_sender(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer)
{
	if (EMU_LIKELY(!atomic_load(&endpoint->send_events.armed)))
		return;
	if (ring_out_delivered(&peer->out) != atomic_load_explicit(&peer->delivered_seen, memory_order_relaxed))
		events_sound(endpoint, &endpoint->send_events);
	else
		events_sound_at(endpoint, &endpoint->send_events, ring_out_next_arrival(&peer->out));
}

/* The send queue is full. */
static doca_error_t refuse_for_now(struct doca_comm_channel_addr_t *peer, uint64_t delivered)
{
	atomic_store_explicit(&peer->delivered_seen, delivered, memory_order_relaxed);
	return peer_has_gone(peer) ? reset(peer, "it has gone") : DOCA_ERROR_AGAIN;
}

/* What is on demand for a send; SUCCESS: it goes on, and arrives then. */
static doca_error_t meet_faults(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer,
				size_t len, uint64_t *arrival)
{
	uint64_t delivered = ring_out_delivered(&peer->out);
	/* Faults count sends that find room, and those alone take the line. */
	if (ring_out_in_flight(&peer->out) >= peer->out.send_queue)
		return refuse_for_now(peer, delivered);
	doca_error_t result = DOCA_SUCCESS;
	switch (fault_of_send(endpoint_folder(endpoint), &result)) {
	case SEND_DROPS_CONNECTION:
		return drop(endpoint, peer);
	case SEND_BREAKS:
		cut(peer, "a send failed for good on demand");
		return DOCA_ERROR_CONNECTION_RESET;
	case SEND_GOES_ON:
		break;
	case SEND_AGAIN:
		/* Nothing need be in flight whose end tells of room: there is some at once. */
		atomic_store_explicit(&peer->delivered_seen, delivered - 1, memory_order_relaxed);
		tell_sender(endpoint, peer);
		return result;
	case SEND_FAILS:
	default:
		return result;
	}
	uint64_t slowed = fault_arrival(endpoint_folder(endpoint), len);
	if (slowed != 0) {
		*arrival = slowed;
		ring_out_slow_down(&peer->out);
	}
	return DOCA_SUCCESS;
}

doca_error_t endpoint_send(struct doca_comm_channel_ep_t *endpoint, const void *message, size_t len,
			   struct doca_comm_channel_addr_t *peer)
{
	doca_error_t result = check_asked(peer);
	if (result == DOCA_SUCCESS)
		result = check_peer(peer);
	if (result != DOCA_SUCCESS)
		return result;
	if (len == 0 || len > peer->max_msg_size) {
		emu_log_reason("a message of %zu bytes; 1 to %u can be sent to this peer", len, peer->max_msg_size);
		return READING_ENDPOINT_BAD_LENGTH;
	}
	uint64_t arrival = now_ns();
	if (peer_seems_gone(peer, arrival))
		return reset(peer, "it has gone");
	if (faults_any() && (result = meet_faults(endpoint, peer, len, &arrival)) != DOCA_SUCCESS)
		return result;
	result = ring_out_send(&peer->out, message, (uint32_t)len, arrival);
	if (result == DOCA_ERROR_AGAIN) {
		uint64_t delivered = ring_out_delivered(&peer->out);
		if (ring_out_in_flight(&peer->out) >= peer->out.send_queue)
			return refuse_for_now(peer, delivered);
		/* Room has come meanwhile. */
		result = ring_out_send(&peer->out, message, (uint32_t)len, arrival);
	}
	if (result != DOCA_SUCCESS)
		return reset(peer, "it breaks the protocol of the ring");
	peer->counters.send_messages++;
	peer->counters.send_bytes += len;
	peer_alert(peer);
	wake(&peer->recv_bell, peer->out.peer.armed_recv);
	tell_sender(endpoint, peer);
	return DOCA_SUCCESS;
}

/* ---- receiving ---- */

/* Finds the first message of a peer; false: there is none, or it has not arrived. */
static bool find_first(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer, uint64_t *now)
{
	struct ring_in *ring = &peer->in;
	if (!ring->known) {
		doca_error_t result = ring_in_look(ring);
		if (result == DOCA_ERROR_NOT_CONNECTED)
			peer_break(peer, true, "it breaks the protocol of the ring");
		if (result != DOCA_SUCCESS)
			return false;
		peer->seen_at_pick = endpoint->picks;
		/* Comch does not say when it has sent what does not travel. */
		if (peer->map->comch && ring->arrival == 0)
			ring->arrival = *now;
	}
	if (ring->arrival > *now)
		*now = now_ns();
	if (ring->arrival > *now && /* guard: channel-travel-bound=1 */ ring->arrival - *now <= LONGEST_TRAVEL_NS) {
		atomic_store_explicit(&ring->travelling, ring->arrival, memory_order_relaxed);
		return false;
	}
	return true;
}

/* Whether the message of `one` is to be received before that of `other`. Times of arrival are the sender's word: one
 * whose messages always claim to be the oldest must not keep others out, who have waited for as many receives as can
 * have been before them. */
static bool goes_before(const struct doca_comm_channel_ep_t *endpoint, const struct doca_comm_channel_addr_t *one,
			const struct doca_comm_channel_addr_t *other)
{
	bool one_waits = endpoint->picks - one->seen_at_pick > endpoint->places;
	bool other_waits = endpoint->picks - other->seen_at_pick > endpoint->places;
	if (/* guard: channel-turns */ one_waits != other_waits)
		return one_waits;
	return one->in.arrival < other->in.arrival;
}

/* One look at all peers: the one whose message arrived first, or one that is newly broken. */
static struct doca_comm_channel_addr_t *scan(struct doca_comm_channel_ep_t *endpoint, uint64_t *now)
{
	struct doca_comm_channel_addr_t *first = NULL;
	for (uint32_t i = 0; i < endpoint->num_peers; i++) {
		struct doca_comm_channel_addr_t *peer = endpoint->peers[i];
		if (EMU_UNLIKELY(atomic_load_explicit(&peer->violated, memory_order_relaxed)))
			peer_break(peer, true, "its wake-ups break the protocol");
		bool connected = atomic_load_explicit(&peer->state, memory_order_relaxed) == PEER_CONNECTED;
		bool found = connected && peer->map != NULL && find_first(endpoint, peer, now);
		if (EMU_UNLIKELY(atomic_load_explicit(&peer->reset_due, memory_order_relaxed)))
			return peer;
		if (found && (first == NULL || goes_before(endpoint, peer, first)))
			first = peer;
	}
	return first;
}

/* A message that was sent after another one had been sent, by whomever, is not received before it: what the first look
 * was too early for, the second one sees. */
static struct doca_comm_channel_addr_t *first_arrived(struct doca_comm_channel_ep_t *endpoint, uint64_t *now)
{
	struct doca_comm_channel_addr_t *first = scan(endpoint, now);
	return first != NULL && endpoint->num_peers > 1 ? scan(endpoint, now) : first;
}

/* The program is given the address of a peer; of whom it hears, it need not ask whether it is connected. */
static void give(struct doca_comm_channel_addr_t *peer, struct doca_comm_channel_addr_t **from)
{
	*from = peer;
	peer->given = peer->asked = true;
}

static doca_error_t take(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer, void *message,
			 size_t *len, struct doca_comm_channel_addr_t **from, uint64_t now)
{
	struct ring_in *ring = &peer->in;
	size_t room = *len;
	if (room < ring->len) {
		emu_log_reason("a message of %u bytes does not fit into %zu", ring->len, room);
		*len = ring->len;
		give(peer, from);
		return READING_ENDPOINT_BAD_LENGTH;
	}
	doca_error_t error = DOCA_SUCCESS;
	enum receive_fault fault = faults_any() ? fault_of_receive(endpoint_folder(endpoint), &error) : RECEIVE_GOES_ON;
	if (fault == RECEIVE_FAILS)
		return error; /* the message stays */
	if (fault == RECEIVE_BREAKS) {
		give(peer, from);
		cut(peer, "a receive failed for good on demand");
		atomic_store(&peer->reset_due, false); /* this call tells */
		return DOCA_ERROR_CONNECTION_RESET;
	}
	ring_in_take(ring, message);
	*len = ring->len;
	give(peer, from);
	endpoint->picks++;
	/* It was there when it sent this. */
	if (ring->arrival < now && ring->arrival > peer->looked_at_ns)
		peer->looked_at_ns = ring->arrival;
	peer->counters.recv_messages++;
	peer->counters.recv_bytes += ring->len;
	if (atomic_load(ring->peer.armed_send) != 0 && ring_in_ended_a_flight(ring))
		peer_ring(&peer->send_bell, ring->peer.armed_send);
	return error;
}

doca_error_t endpoint_receive(struct doca_comm_channel_ep_t *endpoint, void *message, size_t *len,
			      struct doca_comm_channel_addr_t **from)
{
	uint64_t now = now_ns();
	bool service = endpoint_listens(endpoint), admitted = false;
	if (service && now - endpoint->collected_at_ns >= COLLECT_NS) {
		service_admit(endpoint, now);
		admitted = true;
	}
	if (!service && atomic_load(&endpoint->peers[0]->state) == PEER_CONNECTING)
		client_go_on(endpoint->peers[0]);
	struct doca_comm_channel_addr_t *first = first_arrived(endpoint, &now);
	/* Who has been collected for the service's state made this end readable: this receive lets it in. */
	bool due = endpoint->num_pending > 0 || now - endpoint->collected_at_ns >= COLLECT_IDLE_NS;
	if (first == NULL && service && !admitted && due)
		service_admit(endpoint, now);
	if (first == NULL) {
		if (!service && atomic_load(&endpoint->peers[0]->state) == PEER_ABORTED)
			return READING_PEER_ABORTED;
		if (atomic_load(&endpoint->failed_handshakes) == 0)
			return DOCA_ERROR_AGAIN;
		atomic_fetch_sub(&endpoint->failed_handshakes, 1);
		return READING_HANDSHAKE_FAILED;
	}
	if (atomic_load(&first->reset_due)) {
		atomic_store(&first->reset_due, false);
		give(first, from);
		return DOCA_ERROR_CONNECTION_RESET;
	}
	return take(endpoint, first, message, len, from, now);
}
