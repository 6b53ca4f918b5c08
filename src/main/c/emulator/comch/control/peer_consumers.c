#include "control/peer_consumers.h"

#include "control/control_messages.h"

/* Whether the peer sends no more messages, and all of them have been taken. */
static bool no_messages_follow(const struct doca_comch_connection *connection)
{
	return (connection_peer_closed(connection) || connection->peer_died) &&
	       messages_tail(connection) == connection->rx.head;
}

bool peer_consumers_all_told(const struct doca_comch_connection *connection)
{
	/* Pairs with the release store in own_consumers.c. */
	return atomic_load_explicit(&connection->peer->announced, memory_order_acquire) == connection->told;
}

/* Takes the oldest announcement, if its turn among the messages has come. */
static bool take(struct doca_comch_connection *connection, uint64_t *entry)
{
	const struct shm_announcement *next = &connection->peer->announcements[connection->told % SHM_ANNOUNCEMENTS];
	connection->next_told_after = atomic_load_explicit(&next->after, memory_order_relaxed);
	/* Those that wait for messages that were never sent are told at the end. */
	if (connection->rx.messages < connection->next_told_after &&
	    !(/* guard: announcements-at-end */ no_messages_follow(connection)))
		return false;
	*entry = atomic_load_explicit(&next->entry, memory_order_relaxed);
	connection->next_told_after = 0;
	/* Gives the place back; pairs with the acquire load in has_room. */
	atomic_store_explicit(&connection->own->told, ++connection->told, memory_order_release);
	return true;
}

enum consumer_event peer_consumers_next_event(struct doca_comch_connection *connection, uint32_t *id)
{
	uint64_t entry;
	while (!peer_consumers_all_told(connection)) {
		uint64_t announced = atomic_load_explicit(&connection->peer->announced, memory_order_acquire);
		if (/* guard: announcements-many */ announced - connection->told > SHM_ANNOUNCEMENTS) {
			(void)connection_break(connection, "announcements of consumers");
			return CONSUMER_EVENT_NONE;
		}
		if (!take(connection, &entry))
			return CONSUMER_EVENT_NONE;
		*id = shm_entry_id(entry);
		if (shm_entry_state(entry) == SHM_CONSUMER_RUNNING)
			return CONSUMER_EVENT_NEW;
		if (shm_entry_state(entry) == SHM_CONSUMER_EXPIRED)
			return CONSUMER_EVENT_EXPIRED;
	}
	return CONSUMER_EVENT_NONE;
}

uint32_t peer_consumers_running(const struct doca_comch_connection *connection)
{
	uint32_t running = 0;
	for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++)
		running += shm_entry_state(atomic_load_explicit(&connection->peer->directory[slot],
								memory_order_acquire)) == SHM_CONSUMER_RUNNING;
	return running;
}
