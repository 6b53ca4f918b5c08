/* Servers. The control thread, unless a function says otherwise. */
#ifndef EMU_SERVER_H
#define EMU_SERVER_H

#include "base/fabric.h"
#include "control/endpoint.h"

/* Strangers: sockets whose client has not sent its HELLO yet. More of them wait in the listener's backlog. */
#define SERVER_MAX_STRANGERS 64

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
	struct emu_sleeper *watched_by; /* the sleeper of its engine, once that has slept */
	/* A callback of RUNNING may be on the stack: its arguments must survive a stop in it. */
	bool serving;
	int64_t last_full_look_ms;
	struct stranger strangers[SERVER_MAX_STRANGERS];
	struct shm_doorbell_map *doorbells;
	struct doca_comch_connection *connections[SHM_DOORBELLS];
	uint32_t num_connections;
	/* Connections to look at: those whose doorbell was set, and those that the server has found by itself. */
	uint64_t ready[SHM_DOORBELL_WORDS];
	uint32_t next_index;
	struct doca_comch_connection *tombstones; /* newest first; until the next start or the destroy */
	uint32_t own_ends;                        /* of them, those whose end is yet to be reported */
};

static inline void server_mark_ready(struct doca_comch_server *server, uint32_t index)
{
	server->ready[index / 64] |= UINT64_C(1) << (index % 64);
}

/* Takes a connection out of service; its waiting messages fail. */
void server_drop_connection(struct doca_comch_server *server, struct doca_comch_connection *connection);

/* The server ends the connection: says goodbye, and takes it out of service. On a strict machine its program is told of
 * that as well [Q7]. */
void server_end_connection(struct doca_comch_server *server, struct doca_comch_connection *connection);

/* Frees ended connections but the newest `keep` and those whose tasks are not freed yet. */
void server_trim_tombstones(struct doca_comch_server *server, uint32_t keep);

extern const struct emu_ctx_ops server_ops;

/* ---- server_sockets.c: new clients, and clients that have died ---- */

/* Opens the epoll instance and watches the listener. */
bool server_open_sockets(struct doca_comch_server *server);

/* Looks at all sockets. */
void server_look_at_sockets(struct doca_comch_server *server);

/* Closes the sockets of clients that have not sent their HELLO. */
void server_dismiss_strangers(struct doca_comch_server *server);

#endif
