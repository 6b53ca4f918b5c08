/* Endpoints. One thread at a time, but what events.h says. */
#ifndef EMU_CHANNEL_ENDPOINT_H
#define EMU_CHANNEL_ENDPOINT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fabric.h"
#include "base/wire.h"
#include "channel/events.h"
#include "channel/handle.h"
#include "channel/keeper.h"
#include "channel/peer.h"
#include "doca_dev.h"
#include "doca_error.h"

/* Clients that have connected to a service and not been let in; more of them wait in the listener's backlog. */
#define ENDPOINT_MAX_PENDING 512u

struct pending_client {
	int socket;
	uint32_t listener;
	int64_t accepted_at_ms;
};

/* Each host function that a service is for has two listeners, one behind the other: for endpoints, and for clients of
 * Comch, whose servers have the same names. */
#define ENDPOINT_FAMILIES 2u

struct endpoint_listener {
	char place[FABRIC_FILE_BYTES]; /* where its services are registered */
	bool comch;
	struct fabric_listener fabric;
};

struct doca_comm_channel_ep_t {
	struct handle handle;
	uint64_t number; /* among those of this process, from 1 */
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	uint32_t max_msg_size, send_queue_size, recv_queue_size;
	/* Of DOCA 1.2. */
	bool one_client_per_function;
	bool waits; /* calls wait that are not told otherwise */
	uint32_t cookie;
	char name[WIRE_NAME_BYTES]; /* of the service */

	/* Of what threads that arm look at: the list of peers, what peers share, and events. */
	pthread_mutex_t lock;
	/* A client's one, or a service's; until they are disconnected. */
	struct doca_comm_channel_addr_t **peers;
	uint32_t num_peers, capacity;
	struct event_channel send_events, recv_events, service_events;

	/* ---- receiving ---- */
	uint64_t picks;                     /* messages received */
	uint64_t places;                    /* messages that all peers can have sent and not been received at a time */
	_Atomic uint32_t failed_handshakes; /* that recvfrom has to report */

	/* ---- services ---- */
	struct endpoint_listener *listeners;
	uint32_t num_listeners; /* 0: it does not listen */
	/* What clients of Comch ring; nobody looks, as recvfrom looks at all peers. NULL until the first of them. */
	struct shm_doorbell_map *doorbells;
	struct pending_client *pending;
	uint32_t num_pending;
	uint64_t collected_at_ns; /* when it was looked whether clients have come */
	bool lost;                /* the device has failed */
	struct keeper keeper;
	/* The snapshot of its state; the one before it stays for late readers. */
	struct doca_comm_channel_addr_t **listed, **listed_before;
	uint32_t num_listed, listed_pending;
};

/* An endpoint without a device. */
doca_error_t endpoint_create(struct doca_comm_channel_ep_t **endpoint);

/* Withdraws the name, disconnects all peers, and buries the endpoint. Messages in flight are waited for until the
 * deadline. */
void endpoint_destroy(struct doca_comm_channel_ep_t *endpoint, int64_t deadline_ms);

static inline bool endpoint_listens(const struct doca_comm_channel_ep_t *endpoint)
{
	return endpoint->num_listeners > 0;
}

/* From listen or connect on. Any thread with the lock. */
static inline bool endpoint_is_active(const struct doca_comm_channel_ep_t *endpoint)
{
	return endpoint_listens(endpoint) || endpoint->num_peers > 0;
}

/* Rounded as it is in use. */
uint32_t endpoint_round_queue(uint32_t size);
uint32_t endpoint_round_msg_size(uint32_t size);

/* The longest name, its NUL included, and the limits of the other sizes. */
uint32_t endpoint_max_name_len(void);
uint32_t endpoint_max_msg_size(void);
uint32_t endpoint_max_send_queue(void);
uint32_t endpoint_max_recv_queue(void);

/* Neither empty nor too long. */
bool endpoint_is_name(const char *name);
void endpoint_set_name(struct doca_comm_channel_ep_t *endpoint, const char *name);

/* Where services for the host function `pci` are registered, and Comch's servers. */
void endpoint_place(const char *pci, bool comch, char place[FABRIC_FILE_BYTES]);
/* The listeners of host function number `function`. */
void endpoint_place_listeners(struct endpoint_listener *listeners, uint32_t function, const char *pci);
/* The fabric folder of its device; NULL: the environment's. */
const char *endpoint_folder(const struct doca_comm_channel_ep_t *endpoint);

/* Puts a peer into the list, and watches its sockets. */
doca_error_t endpoint_add_peer(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer);

/* Ends a connection on this side, and buries the peer. */
void endpoint_disconnect(struct doca_comm_channel_ep_t *endpoint, struct doca_comm_channel_addr_t *peer,
			 int64_t deadline_ms);

/* ---- channel_client.c ---- */

/* Begins to connect to the service of the endpoint's name on `pci`. */
doca_error_t client_connect(struct doca_comm_channel_ep_t *endpoint, const char *pci,
			    struct doca_comm_channel_addr_t **peer);

/* Goes on with the handshake of a peer that is connecting. */
void client_go_on(struct doca_comm_channel_addr_t *peer);

/* ---- service.c ---- */

/* Listens at the places of `num` listeners. Takes them over on success. */
doca_error_t service_listen(struct doca_comm_channel_ep_t *endpoint, struct endpoint_listener *listeners, uint32_t num);

/* Looks after its names, once in a second. Any thread, with the lock. */
void service_keep_names(struct doca_comm_channel_ep_t *endpoint, uint64_t now);

/* Takes clients out of the backlog, without letting them in. */
void service_collect(struct doca_comm_channel_ep_t *endpoint, uint64_t now);

/* Lets them in. */
void service_admit(struct doca_comm_channel_ep_t *endpoint, uint64_t now);

/* Takes a snapshot of the state. */
doca_error_t service_take_state(struct doca_comm_channel_ep_t *endpoint);

/* Withdraws the name, and turns away who waits. */
void service_close(struct doca_comm_channel_ep_t *endpoint);

/* ---- channel_messages.c ---- */

doca_error_t endpoint_send(struct doca_comm_channel_ep_t *endpoint, const void *message, size_t len,
			   struct doca_comm_channel_addr_t *peer);
/* `len`: room, then the length; `from`: untouched on AGAIN. */
doca_error_t endpoint_receive(struct doca_comm_channel_ep_t *endpoint, void *message, size_t *len,
			      struct doca_comm_channel_addr_t **from);

#endif
