/* Waking engines that sleep: the peer's, through the socket of the connection, and other engines of this process that
 * use the connection.
 *
 * The socket belongs to the two processes of the connection alone. So a peer that rings too often or not at all, or
 * fills the socket up, delays nothing but its own traffic: when the socket is full, there is something to read for
 * the sleeper. All engines of this process that use the connection watch it; the one that reads a wake-up from it
 * passes it on to the others. */
#ifndef EMU_WAKEUP_H
#define EMU_WAKEUP_H

#include <stdbool.h>

#include "base/asleep.h"
#include "core/sleeper.h"

struct doca_comch_connection;

/* An engine that has slept while a context of it used a connection; part of the context, or of the connection. */
struct connection_sleeper {
	struct emu_sleeper *sleeper; /* NULL: not in the connection's list */
	int watched;                 /* the connection's socket; -1: the engine need not watch it for this context */
	struct connection_sleeper *next;
};

/* Sends a wake-up to the engine that has set the word, unless another thread does. Costs a system call. */
void connection_ring(const struct doca_comch_connection *connection, shm_asleep *word) __attribute__((cold));

/* Reads the wake-ups that have come, and passes them on to the engines but `reader`'s; `broken`: something else has
 * come. False: the peer's end has been closed. Any thread that may use the socket. */
bool connection_take_wakeups(struct doca_comch_connection *connection, const struct emu_sleeper *reader, bool *broken);

/* Wakes the engines of this process that use the connection, but `reader`'s. Any thread. */
void connection_wake_engines(struct doca_comch_connection *connection, const struct emu_sleeper *reader);

/* A producer's or consumer's engine is about to sleep: what the control thread does for it wakes it, and so does the
 * peer. False when wake-ups of the peer cannot be relied upon. The engine's thread. */
bool connection_join_sleepers(struct doca_comch_connection *connection, struct connection_sleeper *joining,
			      struct emu_sleeper *sleeper);
/* The same for the control path, which looks after the socket: `ready` is called when something has come, with the
 * endpoint; NULL: the endpoint has other means. */
bool connection_join_as_control(struct doca_comch_connection *connection, struct emu_sleeper *sleeper,
				emu_ready_cb ready);
/* Before the context leaves its running states, and the control path the connection. The engine's thread. */
void connection_leave_sleepers(struct doca_comch_connection *connection, struct connection_sleeper *leaving);

#endif
