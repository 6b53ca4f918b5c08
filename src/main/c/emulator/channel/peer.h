/* A peer address: one connection, as one of its ends sees it. The endpoint's thread, unless it says otherwise; threads
 * that arm hold the endpoint's lock. */
#ifndef EMU_CHANNEL_PEER_H
#define EMU_CHANNEL_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fabric.h"
#include "base/wire.h"
#include "channel/handle.h"
#include "channel/ring.h"

struct doca_comm_channel_ep_t;

enum peer_state {
	PEER_CONNECTING, /* a client's: the service has not answered */
	PEER_CONNECTED,
	PEER_ABORTED, /* the handshake has failed */
	PEER_BROKEN,  /* to be disconnected */
};

struct peer_counters {
	uint64_t send_messages, send_bytes, recv_messages, recv_bytes, in_flight;
};

/* The wake-ups of one kind. The peer sends one for each time that it finds the word set: more are against the
 * protocol. With the endpoint's lock. */
struct peer_bell {
	int socket;     /* where they arrive; -1: none */
	bool ended;     /* nothing more arrives */
	uint64_t armed; /* how often the word was set */
	uint64_t rung;
};

struct doca_comm_channel_addr_t {
	struct handle handle;
	struct doca_comm_channel_ep_t *endpoint;
	_Atomic enum peer_state state;
	enum shm_side side;
	uint32_t function; /* of a service's peer: which of its listeners it has come to */
	uint32_t max_msg_size;
	uint64_t user_data;
	struct peer_counters counters, snapshot;

	/* From connect or the handshake until the end, or until it has gone and its messages have been taken. Changed
	 * with the endpoint's lock. */
	struct channel_map *map;
	struct ring_out out;
	struct ring_in in;
	/* The socket of the handshake: it ends when the peer does, which makes room for nothing more. */
	struct peer_bell send_bell;
	/* One that says nothing of the peer's end, as no message has come with that. */
	struct peer_bell recv_bell;

	/* A client's, of a server of Comch: what it rings, and its bit there. */
	struct shm_doorbell_map *doorbells;
	uint32_t doorbell;

	/* A client's function. It waits for its service to appear: the socket is -1. */
	char pci[FABRIC_FILE_BYTES];
	int64_t wait_until_ms;
	uint64_t looked_for_service_ns;

	uint32_t places;                 /* messages that the peer can have sent and this end not received */
	uint64_t looked_at_ns;           /* when it was looked whether the peer is still there */
	uint64_t seen_at_pick;           /* messages that the endpoint had received when the first one here was found */
	_Atomic uint64_t delivered_seen; /* ring_out_delivered, as far as the program knows */
	_Atomic bool gone;               /* the peer has disconnected, or ended */
	_Atomic bool violated;           /* its wake-ups were against the protocol */
	_Atomic bool reset_due;          /* recvfrom has to report that it is broken */
	bool gone_told;                  /* the program has been told, by the service's state */
	bool joins_barriers;             /* of Comch: barriers of this process pass through its threads */
	bool given;                      /* the program has been given this address, and may disconnect it */
	bool asked;                      /* it need not, or has, asked whether a client's connection is complete */

	/* Of a service's: the endpoint at the other end, by its process and the number that it has there. */
	uint8_t process[WIRE_COOKIE_BYTES];
	uint64_t number;
};

/* A new peer, not yet in its endpoint's list. Takes `map` over on success. */
doca_error_t peer_create(struct doca_comm_channel_ep_t *endpoint, enum shm_side side, struct channel_map *map,
			 struct doca_comm_channel_addr_t **peer);

/* Puts another memory in the place of its own. With the endpoint's lock, if it has been added. */
void peer_use_memory(struct doca_comm_channel_addr_t *peer, struct channel_map *map);

/* The size of the ring towards this end that a peer of Comch is told. */
uint64_t peer_comch_ring_bytes(const struct doca_comm_channel_ep_t *endpoint);

/* For a peer of Comch, whose wake-ups all come over the socket of the handshake. False: there are no descriptors. */
bool peer_share_bell(struct doca_comm_channel_addr_t *peer);

/* The peer has introduced itself: sizes are agreed upon, and the rings mapped. */
doca_error_t peer_establish(struct doca_comm_channel_addr_t *peer, const struct wire_message *from_peer);

/* Whether the peer has disconnected or ended; costs a system call. */
bool peer_has_gone(struct doca_comm_channel_addr_t *peer);

/* Whether its process has ended without a disconnect; costs a system call. */
bool peer_has_died(const struct doca_comm_channel_addr_t *peer);

/* The same, asked so seldom that it may be asked for each message. */
bool peer_seems_gone(struct doca_comm_channel_addr_t *peer, uint64_t now);

/* The peer can be sent to no more. `report`: recvfrom says so also where there is no message of it. */
void peer_break(struct doca_comm_channel_addr_t *peer, bool report, const char *why);

/* Waits until nothing is in flight; what is after `deadline_ms` is given up. Then says that nothing comes any more. */
void peer_say_goodbye(struct doca_comm_channel_addr_t *peer, int64_t deadline_ms);

/* Whether it still looks for its service. */
static inline bool peer_looks_for_service(const struct doca_comm_channel_addr_t *peer)
{
	return atomic_load(&peer->state) == PEER_CONNECTING && peer->send_bell.socket < 0;
}

/* Gives back what it shares with the peer. Takes the endpoint's lock. */
void peer_release(struct doca_comm_channel_addr_t *peer);

/* Makes an engine of Comch look at the connection, where it would not. After the change. */
static inline void peer_alert(const struct doca_comm_channel_addr_t *peer)
{
	if (EMU_LIKELY(peer->out.own.bell == NULL))
		return;
	if (peer->side == SHM_SERVER)
		atomic_fetch_add(peer->out.own.bell, 1);
	else if (peer->doorbells != NULL)
		shm_doorbell_set(shm_doorbells_of(peer->doorbells), peer->doorbell);
}

/* Wakes the peer, if it sleeps for this. After the change. */
void peer_ring(const struct peer_bell *bell, shm_asleep *word);

/* A snapshot of the counters. */
void peer_count(struct doca_comm_channel_addr_t *peer);

#endif
