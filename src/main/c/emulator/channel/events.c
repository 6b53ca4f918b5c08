#include "channel/events.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "channel/channel_endpoint.h"
#include "channel/channel_readings.h"
#include "core/sleeper.h"
#include "log/sdk_log.h"

#define NANOSECONDS UINT64_C(1000000000)

/* Descriptors that are looked at in one go. */
#define READY_AT_ONCE 64

/* So few are looked at without asking which. */
#define FEW_PEERS 2

void events_init(struct doca_comm_channel_ep_t *endpoint)
{
	endpoint->send_events = endpoint->recv_events = endpoint->service_events =
		(struct event_channel){.epoll = -1, .alarm = -1, .timer = -1, .timer_at = UINT64_MAX};
}

static void close_channel(struct event_channel *events)
{
	int *const fds[] = {&events->epoll, &events->alarm, &events->timer};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	events->watches = false;
}

void events_fini(struct doca_comm_channel_ep_t *endpoint)
{
	pthread_mutex_lock(&endpoint->lock);
	close_channel(&endpoint->send_events);
	close_channel(&endpoint->recv_events);
	close_channel(&endpoint->service_events);
	pthread_mutex_unlock(&endpoint->lock);
}

static bool watch(const struct event_channel *events, int fd, uint32_t what, void *source)
{
	struct epoll_event event = {.events = what, .data = {.ptr = source}};
	return epoll_ctl(events->epoll, EPOLL_CTL_ADD, fd, &event) == 0 || errno == EEXIST;
}

static void unwatch(const struct event_channel *events, int fd)
{
	if (events->epoll >= 0 && fd >= 0)
		(void)epoll_ctl(events->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- sources ---- */

bool events_attach(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer)
{
	int first = peer->send_bell.socket;
	/* The answer of the service wakes who waits to receive, too. */
	int second = atomic_load(&peer->state) == PEER_CONNECTING ? first : peer->recv_bell.socket;
	return (!endpoint->send_events.watches || first < 0 || watch(&endpoint->send_events, first, EPOLLIN, peer)) &&
	       (!endpoint->recv_events.watches || second < 0 || watch(&endpoint->recv_events, second, EPOLLIN, peer)) &&
	       (!endpoint->service_events.watches || first < 0 ||
		watch(&endpoint->service_events, first, EPOLLRDHUP, peer));
}

void events_detach(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer)
{
	unwatch(&endpoint->send_events, peer->send_bell.socket);
	unwatch(&endpoint->recv_events, peer->send_bell.socket);
	unwatch(&endpoint->recv_events, peer->recv_bell.socket);
	unwatch(&endpoint->service_events, peer->send_bell.socket);
}

void events_attach_stranger(struct doca_comm_channel_ep_t *endpoint, int socket)
{
	/* One that cannot be watched is found by the next recvfrom. */
	if (endpoint->recv_events.watches)
		(void)watch(&endpoint->recv_events, socket, EPOLLIN, endpoint);
}

void events_detach_stranger(struct doca_comm_channel_ep_t *endpoint, int socket)
{
	unwatch(&endpoint->recv_events, socket);
}

void events_attach_listener(struct doca_comm_channel_ep_t *endpoint, int socket)
{
	struct event_channel *const channels[] = {&endpoint->recv_events, &endpoint->service_events};
	for (int i = 0; i < 2; i++)
		if (channels[i]->watches && !watch(channels[i], socket, EPOLLIN, endpoint))
			EMU_LOG_EVENT("service \"%s\" cannot watch its new socket: clients wait for its next receive",
				      endpoint->name);
}

static bool watch_listeners(struct doca_comm_channel_ep_t *endpoint, const struct event_channel *events)
{
	for (uint32_t i = 0; i < endpoint->num_listeners; i++)
		if (!watch(events, endpoint->listeners[i].fabric.socket, EPOLLIN, endpoint))
			return false;
	return true;
}

static bool watch_all(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events)
{
	events->watches = true;
	if (events != &endpoint->send_events && !watch_listeners(endpoint, events))
		return false;
	for (uint32_t i = 0; i < endpoint->num_peers; i++)
		if (!events_attach(endpoint, endpoint->peers[i]))
			return false;
	if (events == &endpoint->recv_events)
		for (uint32_t i = 0; i < endpoint->num_pending; i++)
			events_attach_stranger(endpoint, endpoint->pending[i].socket);
	return true;
}

doca_error_t events_open(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events)
{
	if (events->epoll >= 0)
		return DOCA_SUCCESS;
	events->epoll = epoll_create1(EPOLL_CLOEXEC);
	events->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (events->epoll < 0 || events->alarm < 0 || !watch(events, events->alarm, EPOLLIN, &events->alarm) ||
	    (events == &endpoint->service_events && !watch_all(endpoint, events))) {
		EMU_LOG_ERROR("cannot make an event channel: %m");
		close_channel(events);
		return DOCA_ERROR_NOT_FOUND;
	}
	return DOCA_SUCCESS;
}

/* For an arm: what it is armed for is watched from the first time on. */
static doca_error_t open_to_arm(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events)
{
	if (!endpoint_is_active(endpoint))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = events_open(endpoint, events);
	if (result != DOCA_SUCCESS || events->watches || watch_all(endpoint, events))
		return result;
	EMU_LOG_ERROR("cannot arm an event channel: %m");
	events->watches = false; /* what is watched already is no harm to the next try */
	return DOCA_ERROR_NOT_FOUND;
}

/* ---- wake-ups ---- */

static void sound(struct event_channel *events)
{
	uint64_t one = 1;
	atomic_store_explicit(&events->armed, false, memory_order_relaxed);
	events->sounded = true;
	/* It can only fail when the alarm has sounded 2^64 times and nobody has looked. */
	if (write(events->alarm, &one, sizeof(one)) < 0)
		return;
}

void events_sound(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events)
{
	pthread_mutex_lock(&endpoint->lock);
	if (events->watches)
		sound(events);
	pthread_mutex_unlock(&endpoint->lock);
}

static void set_word(struct peer_bell *bell, shm_asleep *word)
{
	if (atomic_exchange(word, 1) == 0)
		bell->armed++;
}

enum bell_state { BELL_LIVES, BELL_ENDED, BELL_VIOLATED };

/* Reads a wake-up, if one has come. There may be another one, of an earlier arm: the descriptor stays readable then. */
static enum bell_state read_bell(struct peer_bell *bell, bool can_end)
{
	char bytes[2];
	ssize_t received = recv(bell->socket, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return BELL_LIVES;
	if (received <= 0)
		return can_end ? BELL_ENDED : BELL_VIOLATED;
	return /* guard: channel-wakeup-length */ received > 1 ||
			       /* guard: channel-wakeup-unasked */ ++bell->rung > bell->armed
		       ? BELL_VIOLATED
		       : BELL_LIVES;
}

/* Whether a wake-up of that kind is on its way: its word has been set, and cleared, more often than one has come. */
static bool is_expected(const struct peer_bell *bell, const shm_asleep *word)
{
	return bell->rung + (atomic_load(word) != 0 ? 1 : 0) < bell->armed;
}

/* Reads the wake-ups of a peer of Comch, which come over one socket: those of the other kind sound its event channel.
 * No wake-up says of which kind it is: where both are on their way, the other one still comes. */
static enum bell_state read_shared_bell(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events,
					struct doca_comm_channel_addr_t *peer)
{
	bool sends = events == &endpoint->send_events;
	int socket = sends ? peer->send_bell.socket : peer->recv_bell.socket;
	for (;;) {
		char bytes[2];
		ssize_t received = recv(socket, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
			return BELL_LIVES;
		if (received <= 0)
			return BELL_ENDED;
		bool for_send = is_expected(&peer->send_bell, peer->out.own.armed_send);
		bool for_recv = is_expected(&peer->recv_bell, peer->out.own.armed_recv);
		if (/* guard: channel-comch-wakeup-length */ received > 1 ||
		    /* guard: channel-comch-wakeup-unasked */ (!for_send && !for_recv))
			return BELL_VIOLATED;
		bool own = sends ? for_send : for_recv;
		bool to_send = sends == own;
		(to_send ? &peer->send_bell : &peer->recv_bell)->rung++;
		if (!own)
			sound(to_send ? &endpoint->send_events : &endpoint->recv_events);
	}
}

/* Looks at the socket of a peer. True: it is news for the program that this peer has gone or is broken. */
static bool look_at_peer(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events,
			 struct doca_comm_channel_addr_t *peer)
{
	bool sends = events == &endpoint->send_events;
	struct peer_bell *bell = sends ? &peer->send_bell : &peer->recv_bell;
	/* What comes first is the answer to the client's introduction, for client_go_on. */
	if (atomic_load(&peer->state) == PEER_CONNECTING || bell->socket < 0 || bell->ended)
		return false;
	bool shared = peer->out.own.bell != NULL;
	enum bell_state state = shared ? read_shared_bell(endpoint, events, peer) : read_bell(bell, sends);
	if (state == BELL_LIVES)
		return false;
	bell->ended = true;
	unwatch(events, bell->socket);
	atomic_store(state == BELL_ENDED ? &peer->gone : &peer->violated, true);
	/* Of a peer's end the channel for messages says nothing. */
	return sends || state == BELL_VIOLATED;
}

static void read_count(int fd)
{
	uint64_t count;
	/* Another thread cannot have read it: this one has the lock. */
	if (fd >= 0 && read(fd, &count, sizeof(count)) < 0)
		return;
}

/* Makes the descriptor unreadable, as far as it is not for what goes on. True: there is news. */
static bool drain(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events)
{
	if (events->sounded)
		read_count(events->alarm);
	events->sounded = false;
	read_count(events->timer);
	events->timer_at = UINT64_MAX;
	bool news = false;
	if (endpoint->num_peers <= FEW_PEERS) {
		for (uint32_t i = 0; i < endpoint->num_peers; i++)
			news |= look_at_peer(endpoint, events, endpoint->peers[i]);
		return news;
	}
	struct epoll_event ready[READY_AT_ONCE];
	int num = READY_AT_ONCE;
	/* Each source is ready once at most, but for those that stay so. */
	for (uint32_t rounds = 0; num == READY_AT_ONCE && rounds <= endpoint->num_peers / READY_AT_ONCE; rounds++) {
		num = epoll_wait(events->epoll, ready, READY_AT_ONCE, 0);
		for (int i = 0; i < num; i++) {
			void *source = ready[i].data.ptr;
			if (source != &events->alarm && source != &events->timer && source != endpoint)
				news |= look_at_peer(endpoint, events, source);
		}
	}
	return news;
}

/* ---- arming ---- */

static uint64_t earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Whether sends have ended since the program has last been told. */
static bool sends_have_ended(struct doca_comm_channel_addr_t *peer)
{
	/* With it comes what the endpoint's thread has sent before. */
	(void)atomic_load(peer->out.own.tail);
	uint64_t delivered = ring_out_delivered(&peer->out);
	return atomic_exchange_explicit(&peer->delivered_seen, delivered, memory_order_relaxed) != delivered;
}

/* The descriptor becomes readable at `when`, on the monotonic clock. */
static bool set_timer(struct event_channel *events, uint64_t when)
{
	if (events->timer < 0) {
		events->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (events->timer < 0 || !watch(events, events->timer, EPOLLIN, &events->timer))
			return false;
	}
	struct itimerspec at = {
		.it_value = {.tv_sec = (time_t)(when / NANOSECONDS), .tv_nsec = (long)(when % NANOSECONDS)}};
	events->timer_at = when;
	return timerfd_settime(events->timer, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

void events_sound_at(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events, uint64_t when)
{
	pthread_mutex_lock(&endpoint->lock);
	if (events->watches && when < events->timer_at && !set_timer(events, when))
		sound(events);
	pthread_mutex_unlock(&endpoint->lock);
}

/* Whether nobody else wakes the program, which has to look for the service itself. */
static bool looks_for_service(const struct doca_comm_channel_ep_t *endpoint)
{
	return endpoint->num_peers > 0 && peer_looks_for_service(endpoint->peers[0]);
}

/* The words have been set. Peers of Comch look at them without a fence, so that a barrier has to pass through their
 * threads (base/asleep.h); false: none does. */
static bool words_are_seen(const struct doca_comm_channel_ep_t *endpoint)
{
	bool comch = false, joined = true;
	for (uint32_t i = 0; i < endpoint->num_peers; i++) {
		const struct doca_comm_channel_addr_t *peer = endpoint->peers[i];
		if (peer->map == NULL || !peer->map->comch)
			continue;
		comch = true;
		joined &= peer->joins_barriers;
	}
	return !comch || (emu_barrier() && joined);
}

doca_error_t events_arm_send(struct doca_comm_channel_ep_t *endpoint)
{
	struct event_channel *events = &endpoint->send_events;
	pthread_mutex_lock(&endpoint->lock);
	doca_error_t result = open_to_arm(endpoint, events);
	if (result == DOCA_SUCCESS) {
		bool holds = drain(endpoint, events);
		atomic_store(&events->armed, true);
		for (uint32_t i = 0; i < endpoint->num_peers; i++)
			if (endpoint->peers[i]->map != NULL)
				set_word(&endpoint->peers[i]->send_bell, endpoint->peers[i]->out.own.armed_send);
		bool blind = !words_are_seen(endpoint) || looks_for_service(endpoint);
		uint64_t next = blind ? now_ns() + READING_SERVICE_LOOK_NS : UINT64_MAX;
		for (uint32_t i = 0; i < endpoint->num_peers; i++)
			if (endpoint->peers[i]->map != NULL) {
				holds |= sends_have_ended(endpoint->peers[i]);
				next = earlier(next, ring_out_next_arrival(&endpoint->peers[i]->out));
			}
		if (holds || (next != UINT64_MAX && !set_timer(events, next)))
			sound(events);
	}
	pthread_mutex_unlock(&endpoint->lock);
	return result;
}

void events_arm_newcomer(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer)
{
	pthread_mutex_lock(&endpoint->lock);
	if (endpoint->recv_events.watches)
		set_word(&peer->recv_bell, peer->out.own.armed_recv);
	if (endpoint->send_events.watches)
		set_word(&peer->send_bell, peer->out.own.armed_send);
	pthread_mutex_unlock(&endpoint->lock);
}

/* Whether recvfrom has something to do for this peer; for a message that travels, when it arrives. */
static bool has_something(struct doca_comm_channel_addr_t *peer, uint64_t now, uint64_t *arrives)
{
	enum peer_state state = atomic_load(&peer->state);
	if (atomic_load(&peer->reset_due) || (atomic_load(&peer->violated) && state == PEER_CONNECTED))
		return true;
	if (state != PEER_CONNECTED || peer->map == NULL || !ring_in_has_any(&peer->in))
		return false;
	uint64_t arrival = atomic_load_explicit(&peer->in.travelling, memory_order_relaxed);
	if (arrival <= now)
		return true;
	*arrives = earlier(*arrives, arrival);
	return false;
}

doca_error_t events_arm_recv(struct doca_comm_channel_ep_t *endpoint)
{
	struct event_channel *events = &endpoint->recv_events;
	pthread_mutex_lock(&endpoint->lock);
	doca_error_t result = open_to_arm(endpoint, events);
	if (result == DOCA_SUCCESS) {
		bool holds = drain(endpoint, events);
		atomic_store(&events->armed, true);
		for (uint32_t i = 0; i < endpoint->num_peers; i++)
			if (endpoint->peers[i]->map != NULL)
				set_word(&endpoint->peers[i]->recv_bell, endpoint->peers[i]->out.own.armed_recv);
		bool blind = !words_are_seen(endpoint) || looks_for_service(endpoint);
		uint64_t now = now_ns(), arrives = UINT64_MAX;
		for (uint32_t i = 0; i < endpoint->num_peers; i++)
			holds |= has_something(endpoint->peers[i], now, &arrives);
		holds |= atomic_load(&endpoint->failed_handshakes) > 0;
		if (blind)
			arrives = earlier(arrives, now + READING_SERVICE_LOOK_NS);
		if (holds || (arrives != UINT64_MAX && !set_timer(events, arrives)))
			sound(events);
	}
	if (result == DOCA_SUCCESS && endpoint_listens(endpoint))
		keeper_start(endpoint);
	pthread_mutex_unlock(&endpoint->lock);
	return result;
}

doca_error_t events_arm_service(struct doca_comm_channel_ep_t *endpoint)
{
	struct event_channel *events = &endpoint->service_events;
	pthread_mutex_lock(&endpoint->lock);
	doca_error_t result = events_open(endpoint, events);
	if (result == DOCA_SUCCESS) {
		if (events->sounded)
			read_count(events->alarm);
		events->sounded = false;
		struct epoll_event ready[READY_AT_ONCE];
		int num = epoll_wait(events->epoll, ready, READY_AT_ONCE, 0);
		for (int i = 0; i < num; i++) {
			void *source = ready[i].data.ptr;
			if (source == &events->alarm || source == endpoint)
				continue;
			struct doca_comm_channel_addr_t *peer = source;
			unwatch(events, peer->send_bell.socket);
			atomic_store(&peer->gone, true);
			peer->gone_told = true;
		}
		atomic_store(&events->armed, true);
	}
	pthread_mutex_unlock(&endpoint->lock);
	return result;
}
