/* The consumers that this side of a connection has made: their slots and ids, and what its directory says of them.
 *
 * The fast path enlists a consumer, asks for its registration when it starts and ends it when it stops; the control
 * path registers those that asked, so that a start keeps its place among the messages. */
#ifndef EMU_OWN_CONSUMERS_H
#define EMU_OWN_CONSUMERS_H

#include "connection/connection.h"
#include "core/ctx.h"

enum registration {
	NOT_REGISTERED,
	REGISTRATION_WANTED, /* by the consumer's thread, from the control thread */
	REGISTERED,
};

/* What a connection knows of one of its consumers; part of the consumer. */
struct own_consumer {
	const struct doca_ctx *ctx; /* the consumer's */
	uint32_t id;
	uint32_t slot;                 /* in the directory */
	uint32_t generation;           /* counts starts */
	_Atomic uint32_t registration; /* enum registration */
	struct own_consumer *next;     /* the connection's lock */
};

/* Gives a new consumer a slot and an id, and announces to the peer that it exists. NO_MEMORY: no slot is free. The
 * consumer's thread. */
doca_error_t own_consumer_enlist(struct doca_comch_connection *connection, struct own_consumer *consumer);
void own_consumer_delist(struct doca_comch_connection *connection, struct own_consumer *consumer);

/* Has the control thread register a consumer that starts, after those that have asked before. The consumer's thread. */
void own_consumer_ask_for_registration(struct doca_comch_connection *connection, struct own_consumer *consumer);

/* Whether no consumer on the same engine that was announced before this one still has to become RUNNING: they do so in
 * the order of the announcements. For one that is registered. The consumer's thread. */
bool own_consumer_has_its_turn(struct doca_comch_connection *connection, const struct own_consumer *consumer);

/* Whether a consumer on the engine `pe` has been announced, and its program has not been told: a start is reported
 * before what the peer does after it. The control thread, whose engine it is. */
bool own_consumers_start_first(struct doca_comch_connection *connection, const struct doca_pe *pe);

/* Announces to the peer that a consumer has stopped, if its start has been announced. The consumer's thread. */
void own_consumer_end(struct doca_comch_connection *connection, struct own_consumer *consumer);

/* Registers the starting consumers with the peer, in the order of their starts. The control thread. */
void own_consumers_register_waiting(struct doca_comch_connection *connection);

/* The same, if there are any: cheap enough for each message. */
static inline void own_consumers_register(struct doca_comch_connection *connection)
{
	if (atomic_load_explicit(&connection->registrations, memory_order_relaxed) != 0)
		own_consumers_register_waiting(connection);
}

#endif
