#include "connection/own_consumers.h"

#include "readings.h"

/* Puts a start or an end behind all earlier ones, and behind all earlier messages. The connection's lock is held. */
static void tell(struct doca_comch_connection *connection, uint64_t entry)
{
	struct shm_half *own = connection->own;
	struct shm_announcement *next = &own->announcements[connection->announcements++ % SHM_ANNOUNCEMENTS];
	atomic_store_explicit(&next->entry, entry, memory_order_relaxed);
	atomic_store_explicit(&next->after, atomic_load_explicit(&connection->tx.accepted, memory_order_relaxed),
			      memory_order_relaxed);
	/* Pairs with the acquire load in peer_consumers_next_event. */
	atomic_store_explicit(&own->announced, connection->announcements, memory_order_release);
}

/* Writes the consumer's state to the directory. The connection's lock is held. */
static void announce(struct doca_comch_connection *connection, const struct own_consumer *consumer,
		     enum shm_consumer_state state)
{
	uint64_t entry = shm_entry(consumer->id, consumer->generation, state);
	/* Release: a producer that sees RUNNING sees the region's header. Pairs with the load in directory_entry. */
	atomic_store_explicit(&connection->own->directory[consumer->slot], entry, memory_order_release);
	if (state == SHM_CONSUMER_RUNNING || state == SHM_CONSUMER_EXPIRED)
		tell(connection, entry);
	connection_alert_peer(connection);
	/* A payload that is on its way to the consumer may have to end. */
	connection_wake_peer(connection, &connection->peer->asleep_for_transfers);
}

/* ---- the order of starts ---- */

static void append(struct doca_comch_connection *connection, struct own_consumer *consumer)
{
	struct own_consumer **link = &connection->consumers;
	while (*link != NULL)
		link = &(*link)->next;
	*link = consumer;
	consumer->next = NULL;
}

static void take_out(struct doca_comch_connection *connection, const struct own_consumer *consumer)
{
	struct own_consumer **link = &connection->consumers;
	while (*link != consumer)
		link = &(*link)->next;
	*link = consumer->next;
}

void own_consumer_ask_for_registration(struct doca_comch_connection *connection, struct own_consumer *consumer)
{
	pthread_mutex_lock(&connection->lock);
	take_out(connection, consumer);
	append(connection, consumer);
	atomic_store_explicit(&consumer->registration, REGISTRATION_WANTED, memory_order_release);
	atomic_fetch_add_explicit(&connection->registrations, 1, memory_order_release);
	pthread_mutex_unlock(&connection->lock);
	connection_alert_self(connection);
	connection_wake_engines(connection, NULL);
}

/* Whether the peer has told its program so much that a start and its end can be announced, and the ends of all that
 * run. The connection's lock is held. */
static bool has_room(const struct doca_comch_connection *connection)
{
	uint64_t told = atomic_load_explicit(&connection->peer->told, memory_order_acquire);
	uint64_t taken = connection->announcements - told;
	for (const struct own_consumer *c = connection->consumers; c != NULL; c = c->next)
		taken += atomic_load_explicit(&c->registration, memory_order_relaxed) == REGISTERED;
	return /* guard: announcements-room=1 */ taken <= SHM_ANNOUNCEMENTS - 2;
}

/* The connection's lock is held. */
static void register_all(struct doca_comch_connection *connection)
{
	for (struct own_consumer *c = connection->consumers; c != NULL; c = c->next) {
		if (atomic_load_explicit(&c->registration, memory_order_acquire) != REGISTRATION_WANTED)
			continue;
		if (!has_room(connection)) {
			atomic_store_explicit(&connection->starts_wait, true, memory_order_relaxed);
			atomic_fetch_add_explicit(&connection->registrations, 1, memory_order_relaxed);
			return;
		}
		announce(connection, c, SHM_CONSUMER_RUNNING);
		atomic_store_explicit(&c->registration, REGISTERED, memory_order_release);
		atomic_store_explicit(&connection->starts_announced, true, memory_order_relaxed);
	}
	atomic_store_explicit(&connection->starts_wait, false, memory_order_relaxed);
}

void own_consumers_register_waiting(struct doca_comch_connection *connection)
{
	/* Set to 0 before the look: a consumer that asks meanwhile is counted again. */
	atomic_exchange_explicit(&connection->registrations, 0, memory_order_acq_rel);
	pthread_mutex_lock(&connection->lock);
	register_all(connection);
	pthread_mutex_unlock(&connection->lock);
}

void own_consumer_end(struct doca_comch_connection *connection, struct own_consumer *consumer)
{
	pthread_mutex_lock(&connection->lock);
	if (atomic_load_explicit(&consumer->registration, memory_order_relaxed) == REGISTERED) {
		/* Consumers that were started before this stop are announced before it. */
		register_all(connection);
		announce(connection, consumer, SHM_CONSUMER_EXPIRED);
	}
	atomic_store_explicit(&consumer->registration, NOT_REGISTERED, memory_order_release);
	pthread_mutex_unlock(&connection->lock);
}

bool own_consumer_has_its_turn(struct doca_comch_connection *connection, const struct own_consumer *consumer)
{
	bool turn = true;
	pthread_mutex_lock(&connection->lock);
	/* The engine of a registered consumer does not change, and the states of its contexts belong to this thread. */
	for (const struct own_consumer *c = connection->consumers; turn && c != consumer; c = c->next)
		turn = atomic_load_explicit(&c->registration, memory_order_acquire) != REGISTERED ||
		       c->ctx->pe != consumer->ctx->pe || c->ctx->state != DOCA_CTX_STATE_STARTING;
	pthread_mutex_unlock(&connection->lock);
	return turn;
}

bool own_consumers_start_first(struct doca_comch_connection *connection, const struct doca_pe *pe)
{
	if (EMU_LIKELY(!atomic_load_explicit(&connection->starts_announced, memory_order_relaxed)))
		return false;
	bool starting = false;
	pthread_mutex_lock(&connection->lock);
	/* As in own_consumer_has_its_turn. */
	for (const struct own_consumer *c = connection->consumers; !starting && c != NULL; c = c->next)
		starting = atomic_load_explicit(&c->registration, memory_order_acquire) == REGISTERED &&
			   c->ctx->pe == pe && c->ctx->state == DOCA_CTX_STATE_STARTING;
	if (!starting)
		atomic_store_explicit(&connection->starts_announced, false, memory_order_relaxed);
	pthread_mutex_unlock(&connection->lock);
	return starting;
}

/* ---- slots and ids ---- */

/* A slot that nobody has. A stopped consumer keeps its slot: it may still be flushing, or start again. The connection's
 * lock is held. */
static bool find_slot(const struct doca_comch_connection *connection, uint32_t *found)
{
	bool taken[SHM_CONSUMER_SLOTS] = {false};
	for (const struct own_consumer *c = connection->consumers; c != NULL; c = c->next)
		taken[c->slot] = true;
	for (*found = 0; *found < SHM_CONSUMER_SLOTS; (*found)++)
		if (!taken[*found])
			return true;
	return false;
}

static bool id_taken(const struct doca_comch_connection *connection, uint32_t id)
{
	const struct own_consumer *consumer = connection->consumers;
	while (consumer != NULL && consumer->id != id)
		consumer = consumer->next;
	return consumer != NULL;
}

doca_error_t own_consumer_enlist(struct doca_comch_connection *connection, struct own_consumer *consumer)
{
	pthread_mutex_lock(&connection->lock);
	if (!find_slot(connection, &consumer->slot)) {
		pthread_mutex_unlock(&connection->lock);
		return DOCA_ERROR_NO_MEMORY;
	}
	do {
		consumer->id = connection->next_consumer_id++;
		if (connection->next_consumer_id == READING_ID_LIMIT)
			connection->next_consumer_id = READING_FIRST_ID;
	} while (id_taken(connection, consumer->id));
	append(connection, consumer);
	announce(connection, consumer, SHM_CONSUMER_CREATED);
	pthread_mutex_unlock(&connection->lock);
	return DOCA_SUCCESS;
}

void own_consumer_delist(struct doca_comch_connection *connection, struct own_consumer *consumer)
{
	pthread_mutex_lock(&connection->lock);
	take_out(connection, consumer);
	/* One that has run stays visible as expired. */
	uint64_t entry = atomic_load_explicit(&connection->own->directory[consumer->slot], memory_order_relaxed);
	if (shm_entry_state(entry) == SHM_CONSUMER_CREATED)
		announce(connection, consumer, SHM_CONSUMER_NONE);
	shm_drop_region_pages(connection->map, connection->side, consumer->slot);
	pthread_mutex_unlock(&connection->lock);
}
