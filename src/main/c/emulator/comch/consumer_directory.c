/* Which consumers a connection has, and what the peer is told about them. */
#include "consumer_internal.h"
#include "readings.h"

struct doca_comch_consumer *consumer_next(const struct doca_comch_consumer *consumer)
{
	return consumer->next;
}

void consumer_announce(struct doca_comch_consumer *consumer, enum shm_consumer_state state)
{
	struct shm_half *own = consumer->connection->own;
	/* Release: a producer that sees RUNNING sees the region's header. Pairs with the load in directory_entry. */
	atomic_store_explicit(&own->directory[consumer->slot], shm_entry(consumer->id, consumer->generation, state),
			      memory_order_release);
	atomic_fetch_add_explicit(&own->directory_version, 1, memory_order_release);
	connection_ring_peer(consumer->connection);
}

void consumer_register(struct doca_comch_consumer *consumer)
{
	if (atomic_load_explicit(&consumer->registration, memory_order_acquire) != REGISTRATION_WANTED)
		return;
	consumer_announce(consumer, SHM_CONSUMER_RUNNING);
	atomic_store_explicit(&consumer->registration, REGISTERED, memory_order_release);
}

/* A slot that nobody has, and whose last consumer never ran or has been seen to end by the peer. A stopped consumer
 * keeps its slot: it may still be flushing, or start again. The connection's lock is held. */
static bool find_slot(struct doca_comch_connection *connection, uint32_t *found)
{
	bool taken[SHM_CONSUMER_SLOTS] = {false};
	for (const struct doca_comch_consumer *c = connection->consumers; c != NULL; c = c->next)
		taken[c->slot] = true;
	for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++) {
		if (taken[slot])
			continue;
		uint64_t entry = atomic_load_explicit(&connection->own->directory[slot], memory_order_relaxed);
		enum shm_consumer_state state = shm_entry_state(entry);
		if (state == SHM_CONSUMER_NONE ||
		    (state == SHM_CONSUMER_EXPIRED &&
		     /* Pairs with the release store in connection_next_consumer_event. */
		     atomic_load_explicit(&connection->peer->reported[slot], memory_order_acquire) == entry)) {
			*found = slot;
			return true;
		}
	}
	return false;
}

static bool id_taken(const struct doca_comch_connection *connection, uint32_t id)
{
	const struct doca_comch_consumer *consumer = connection->consumers;
	while (consumer != NULL && consumer->id != id)
		consumer = consumer->next;
	return consumer != NULL;
}

doca_error_t consumer_enlist(struct doca_comch_consumer *consumer)
{
	struct doca_comch_connection *connection = consumer->connection;
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
	consumer->next = connection->consumers;
	connection->consumers = consumer;
	consumer_announce(consumer, SHM_CONSUMER_CREATED);
	pthread_mutex_unlock(&connection->lock);
	return DOCA_SUCCESS;
}

void consumer_delist(struct doca_comch_consumer *consumer)
{
	struct doca_comch_connection *connection = consumer->connection;
	pthread_mutex_lock(&connection->lock);
	struct doca_comch_consumer **link = &connection->consumers;
	while (*link != consumer)
		link = &(*link)->next;
	*link = consumer->next;
	/* One that has run stays visible as expired, until the peer has seen it. */
	uint64_t entry = atomic_load_explicit(&connection->own->directory[consumer->slot], memory_order_relaxed);
	if (shm_entry_state(entry) == SHM_CONSUMER_CREATED)
		consumer_announce(consumer, SHM_CONSUMER_NONE);
	shm_drop_region_pages(connection->map, connection->side, consumer->slot);
	pthread_mutex_unlock(&connection->lock);
}
