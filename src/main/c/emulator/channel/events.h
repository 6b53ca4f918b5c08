/* The event channels of an endpoint: descriptors that become readable by themselves.
 *
 *   send, recv   an epoll instance each, with an alarm (eventfd), and from the first arm on with the sockets on which
 *                the peers' wake-ups of that kind arrive; recv also with the listeners and the sockets of clients that
 *                wait to be let in
 *   service      the same with listeners, and the ends of the peers' sockets, from the beginning
 *
 * To arm sets a word in the memory of each connection. The peer looks at it after each change, and the one that clears
 * it sends one byte. All four accesses are sequentially consistent: either the peer sees the word, or the one that arms
 * sees the change. While nobody is armed that costs no system call.
 *
 * Any thread may arm beside the endpoint's; it holds the endpoint's lock. */
#ifndef EMU_CHANNEL_EVENTS_H
#define EMU_CHANNEL_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "doca_error.h"

struct doca_comm_channel_addr_t;
struct doca_comm_channel_ep_t;

struct event_channel {
	int epoll; /* -1 until it is first asked for */
	int alarm;
	int timer;          /* for messages that travel, and clients that wait for a service; -1 until one does */
	uint64_t timer_at;  /* what it is set to; UINT64_MAX: nothing that is still to come. With the lock */
	bool watches;       /* its sources are in the epoll instance; with the lock */
	bool sounded;       /* there is something to read in `alarm`; with the lock */
	_Atomic bool armed; /* the alarm has not sounded since */
};

void events_init(struct doca_comm_channel_ep_t *endpoint);
void events_fini(struct doca_comm_channel_ep_t *endpoint);

/* Makes the descriptor, unless there is one. NOT_FOUND: there are none left. With the lock. */
doca_error_t events_open(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events);

/* Makes it readable, if it has ever been armed. Takes the lock. */
void events_sound(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events);

/* The same at a time on the monotonic clock; UINT64_MAX: not. Takes the lock. */
void events_sound_at(struct doca_comm_channel_ep_t *endpoint, struct event_channel *events, uint64_t when);

/* Makes it unreadable, unless what it is for is the case. Takes the lock. */
doca_error_t events_arm_send(struct doca_comm_channel_ep_t *endpoint);
doca_error_t events_arm_recv(struct doca_comm_channel_ep_t *endpoint);
doca_error_t events_arm_service(struct doca_comm_channel_ep_t *endpoint);

/* Arms for a peer that comes after the endpoint has been armed. Takes the lock. */
void events_arm_newcomer(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer);

/* Watches the socket of a listener that has been replaced. With the lock. */
void events_attach_listener(struct doca_comm_channel_ep_t *endpoint, int socket);

/* Watches a peer's sockets, and that of a client which waits to be let in. With the lock. */
bool events_attach(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer);
void events_detach(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer);
void events_attach_stranger(struct doca_comm_channel_ep_t *endpoint, int socket);
void events_detach_stranger(struct doca_comm_channel_ep_t *endpoint, int socket);

#endif
