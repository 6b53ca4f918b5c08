/* One end of an established (or attempted) connection, as this process sees it. "The peer" is the process at the other
 * end, or the part of this process that is.
 *
 * Servers and clients (control/) and producers and consumers (fast/) stand on it, and do not know each other.
 *
 * Threads: everything belongs to the control thread, the one that drives the server's or client's engine, except
 * what is marked otherwise. Producers and consumers live on threads of their own; they hold a reference. */
#ifndef EMU_CONNECTION_H
#define EMU_CONNECTION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/shm_map.h"
#include "base/wire.h"
#include "connection/wakeup.h"
#include "doca_comch.h"
#include "doca_dev.h"

struct comch_endpoint;
struct doca_comch_task_send;
struct doca_mmap;
struct own_consumer;

struct counters {
	uint64_t sent_messages, sent_bytes, received_messages, received_bytes;
};

struct doca_comch_connection {
	struct comch_endpoint *endpoint;
	enum shm_side side;
	/* Its device: for comparison, and its address for the log. Once the connection is over the device may be
	 * closed. */
	const struct doca_dev *dev;
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
	bool can_produce, can_consume; /* what the device can do */
	_Atomic uint32_t refs;         /* any thread */
	union doca_data user_data;

	/* Handshake done; never reset. Any thread. */
	atomic_bool established;
	/* Over, for whatever reason; its producers and consumers stop by themselves. Any thread. */
	atomic_bool lost;
	/* Nothing is sent any more: it is lost, or it has been cut (connection_cut) and will be lost. Any thread. */
	atomic_bool severed;
	/* It has been cut because a task failed for good: nothing is received any more either. Any thread. */
	atomic_bool failed;
	/* The peer's process has ended, or has broken the protocol: there will be no goodbye. */
	bool peer_died;
	bool broken;
	/* The program ends the connection while the peer's consumers run: that has been logged; until when a strict
	 * machine refuses (now_ms). */
	bool teardown_told;
	int64_t teardown_refused_until;
	/* This side has said goodbye. */
	bool goodbye_said;

	int socket;
	struct shm_map *map;
	struct shm_half *own;
	struct shm_half *peer;
	/* The server's doorbells and this connection's bit in them. */
	struct shm_doorbell_map *doorbells;
	uint32_t index;
	/* A client: the server's bell at the last look. */
	uint64_t bell_seen;

	/* Messages to the peer. */
	struct {
		uint8_t *ring;
		uint64_t ring_bytes, start, tail, messages;
		uint64_t trim_tail;     /* the tail at the last look whether pages of the ring can be given back */
		int64_t trimmed_at;     /* when that was done (now_ms) */
		uint64_t restart_bytes; /* messages are written so far into the ring before they begin again */
		int64_t restart_set_at; /* when that was decided (now_ms) */
		uint32_t queue_size;    /* the peer's receive queue */
		/* Messages that the program has handed over, in the ring or not yet. Any thread looks at it. */
		_Atomic uint64_t accepted;
		struct doca_comch_task_send *pending_first, *pending_last;
		/* Those in the ring that have not arrived yet, on a slowed device; and when the newest does. */
		struct doca_comch_task_send *travelling_first, *travelling_last;
		uint64_t arrival;
		/* It is to end: what still waits then is given up (now_ms), if not one more message than these
		 * has gone. */
		int64_t parting_until;
		uint64_t parting_messages;
	} tx;
	/* Messages from the peer. */
	struct {
		uint8_t *ring;
		uint64_t ring_bytes, head, messages;
		/* When the next message arrives, if it has not yet: it is looked at again without a bell or doorbell.
		 * 0: it has, or there is none. */
		uint64_t travelling;
	} rx;
	/* What the peer has done waits for a start of this side (own_consumers_start_first): it is looked at again
	 * without a bell or doorbell. */
	bool held;
	uint32_t max_msg_size; /* the smaller of this side's and the peer's [Q4] */

	struct counters counters, snapshot;

	/* How fast path payloads reach the peer. */
	enum wire_reach reach;
	pid_t peer_pid; /* 0: it has none in this process's namespace */
	/* A thread of the peer that writes was waited for in vain; none is waited for again. Any thread. */
	atomic_bool writers_given_up;

	/* Engines that have slept while contexts of theirs use the connection; `lock`. */
	struct connection_sleeper *sleepers;
	struct connection_sleeper control_sleeper;
	bool peer_joins_barriers;

	/* Producers and consumers; any thread, under `lock` where not atomic. */
	pthread_mutex_t lock;
	_Atomic uint32_t active_children; /* not IDLE */
	_Atomic uint32_t registrations;   /* consumers that wait for the control path */
	atomic_bool starts_announced;     /* some of which may still have to become RUNNING */
	struct own_consumer *consumers;   /* in the order of their latest starts */
	uint64_t announcements;           /* so far */
	atomic_bool starts_wait;          /* for room for their announcements */
	struct doca_comch_producer *producers;
	uint32_t num_consumers, num_producers;
	uint32_t next_consumer_id, next_producer_id;
	_Atomic uint64_t offers_made; /* by this side's producers */
	/* Where the counters of a consumer slot begin at its next start (SHM_INCARNATION). */
	uint64_t slot_base[SHM_CONSUMER_SLOTS];

	/* The peer's announcements that the program has been told, and after how many messages the next one is. */
	uint64_t told;
	uint64_t next_told_after;

	/* Send tasks of this connection that are out of their pool. */
	uint32_t num_tasks;

	/* Server: list of ended connections, and whether their events have yet to be reported. */
	struct doca_comch_connection *next;
	bool connect_event_due, disconnect_event_due;
};

/* A new connection object with one reference; `map` is taken over on success. */
doca_error_t connection_create(struct comch_endpoint *endpoint, const struct doca_dev *dev, enum shm_side side,
			       struct shm_map *map, struct doca_comch_connection **connection);

/* Writes down whose connection it is, for who looks from outside; `name`: the server's. */
void connection_label(struct doca_comch_connection *connection, const char *name);

void connection_ref(struct doca_comch_connection *connection);
void connection_unref(struct doca_comch_connection *connection);

/* Wakes the peer's engine, if it sleeps. After the change that it is woken for; any thread that may use the socket. */
static inline void connection_wake_peer(const struct doca_comch_connection *connection, shm_asleep *word)
{
	if (shm_is_asleep(word))
		connection_ring(connection, word);
}

/* Makes the peer look at this connection; any thread. */
static inline void connection_alert_peer(struct doca_comch_connection *connection)
{
	if (connection->side == SHM_CLIENT)
		shm_doorbell_set(shm_doorbells_of(connection->doorbells), connection->index);
	else
		atomic_fetch_add_explicit(&connection->own->bell, 1, memory_order_release);
	connection_wake_peer(connection, &connection->peer->asleep_for_events);
}

/* Makes this side's control thread look at it; any thread. */
void connection_alert_self(struct doca_comch_connection *connection);

/* Whether the peer's process can be seen to have ended; for those who wait for it. Any thread that holds a producer or
 * consumer of the connection. Costs a system call. */
bool connection_peer_vanished(const struct doca_comch_connection *connection);

/* Whether it has been cut, or lost, or will be as that process has ended. The same. */
bool connection_seems_over(const struct doca_comch_connection *connection);

/* Whether a thread of the peer's process may still run, also on a connection that has ended: a payload that it has
 * begun to write into this process's memory it writes to the end. True where that cannot be found out. Any thread
 * that holds a producer or consumer of the connection. Costs system calls. */
bool connection_peer_lives(const struct doca_comch_connection *connection);

/* Copy `len` bytes between the memory of this process and the peer's; false when that is impossible, with ESRCH in
 * errno if it is because the peer has died. Any thread that holds a producer or consumer of the connection. They cost
 * system calls. */
bool connection_read_peer(const struct doca_comch_connection *connection, void *dest, uint64_t source, uint64_t len);
bool connection_write_peer(const struct doca_comch_connection *connection, uint64_t dest, const void *source,
			   uint64_t len);
/* The same from several places, one behind the other; they have `len` bytes together. */
bool connection_gather_to_peer(const struct doca_comch_connection *connection, uint64_t dest,
			       const struct iovec *places, uint64_t len);

/* Whether the peer has said goodbye. Messages from before it may still be in the queue. */
bool connection_peer_closed(const struct doca_comch_connection *connection);

/* Notes that the peer has broken the protocol: `what` names where, for the log. NOT_CONNECTED. */
doca_error_t connection_break(struct doca_comch_connection *connection, const char *what);

/* Notices that the peer's end of the socket has been closed. */
void connection_check_socket(struct doca_comch_connection *connection);

/* Breaks the connection as if the peer had died, and lets the peer see the same; this side sends nothing from here
 * on. Any thread that may use the socket. */
void connection_cut(struct doca_comch_connection *connection);

/* The same because a task of this side has failed for good: what the peer has sent, and has not been received, is not
 * received any more. */
void connection_fail(struct doca_comch_connection *connection);

/* Says goodbye, unless it has been cut: nobody is to take its end for a good one. Nothing may be sent afterwards. */
void connection_say_goodbye(struct doca_comch_connection *connection);

/* Ends the connection on this side: its producers and consumers will stop. What it shares with the peer is given
 * back at once, or with the last of them; the object itself stays and answers late calls [Q6]. */
void connection_lose(struct doca_comch_connection *connection);

/* A new producer or consumer of the connection: takes a reference, or fails with BAD_STATE when it is not usable.
 * Any thread. */
doca_error_t connection_adopt(struct doca_comch_connection *connection, uint32_t *count, uint32_t limit);
void connection_disown(struct doca_comch_connection *connection, uint32_t *count);

/* Whether the memory map is registered with the connection's device; if not, the log says so. Any thread. */
bool connection_takes_map(const struct doca_comch_connection *connection, const struct doca_mmap *mmap);

#endif
