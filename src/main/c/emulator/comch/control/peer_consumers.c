#include "control/peer_consumers.h"

#include "control/messages.h"

static uint64_t with_state(uint64_t entry, enum shm_consumer_state state)
{
	return (entry & ~UINT64_C(0xff)) | (uint64_t)state;
}

/* A change of one slot that has not been reported to the program. */
struct change {
	uint32_t slot;
	enum consumer_event event; /* NONE: nothing is reported */
	uint32_t id;
	uint64_t reported; /* the entry as it stands once this has been reported */
	uint64_t order, after;
};

static void place(struct change *change, const struct shm_mark *mark)
{
	/* Acquire: after the mark of a later generation the directory's version is another, too. */
	change->order = atomic_load_explicit(&mark->order, memory_order_acquire);
	change->after = atomic_load_explicit(&mark->after, memory_order_acquire);
}

static struct change next_change(const struct doca_comch_connection *connection, uint32_t slot, uint64_t entry)
{
	uint64_t reported = connection->directory_reported[slot];
	const struct shm_marks *marks = &connection->peer->marks[slot];
	const struct shm_mark *began = &marks->began[shm_entry_generation(entry) & 1];
	enum shm_consumer_state state = shm_entry_state(entry);
	struct change change = {.slot = slot, .event = CONSUMER_EVENT_NONE, .reported = entry};
	if (shm_entry_state(reported) == SHM_CONSUMER_RUNNING) {
		/* It ended, whatever came after it; a successor is looked at in the next round. */
		change.event = CONSUMER_EVENT_EXPIRED;
		change.id = shm_entry_id(reported);
		change.reported = with_state(reported, SHM_CONSUMER_EXPIRED);
		place(&change, &marks->ended[shm_entry_generation(reported) & 1]);
		/* After several restarts the mark can be another one's; the end comes before the last start. */
		struct change successor = change;
		place(&successor, began);
		if (entry != change.reported && successor.order < change.order)
			change = successor;
	} else if (state == SHM_CONSUMER_RUNNING || state == SHM_CONSUMER_EXPIRED) {
		/* Also when it has expired meanwhile: both events are reported, in order. */
		change.event = CONSUMER_EVENT_NEW;
		change.id = shm_entry_id(entry);
		change.reported = with_state(entry, SHM_CONSUMER_RUNNING);
		place(&change, began);
	}
	return change;
}

static void note_change(struct doca_comch_connection *connection, const struct change *change)
{
	connection->directory_reported[change->slot] = change->reported;
	/* Lets the owner use the slot again; pairs with the acquire load in find_slot. */
	atomic_store_explicit(&connection->own->reported[change->slot], change->reported, memory_order_release);
}

/* Whether the peer sends no more messages, and all of them have been taken. */
static bool no_messages_follow(const struct doca_comch_connection *connection)
{
	return (connection_peer_closed(connection) || connection->peer_died) &&
	       messages_tail(connection) == connection->rx.head;
}

enum consumer_event peer_consumers_next_event(struct doca_comch_connection *connection, uint32_t *id)
{
	const struct shm_half *peer = connection->peer;
	uint32_t version = atomic_load_explicit(&peer->directory_version, memory_order_acquire);
	if (version == connection->directory_version_seen)
		return CONSUMER_EVENT_NONE;
	/* Changes that wait for messages that were never sent are reported at the end. */
	bool end = /* guard: announcements-at-end */ no_messages_follow(connection);
	if (!end && connection->rx.messages < connection->directory_waits_for)
		return CONSUMER_EVENT_NONE;
	struct change first = {.event = CONSUMER_EVENT_NONE};
	for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++) {
		uint64_t entry = atomic_load_explicit(&peer->directory[slot], memory_order_acquire);
		if (entry == connection->directory_reported[slot])
			continue;
		struct change change = next_change(connection, slot, entry);
		if (change.event == CONSUMER_EVENT_NONE)
			note_change(connection, &change);
		else if (first.event == CONSUMER_EVENT_NONE || change.order < first.order)
			first = change;
	}
	/* A slot may have been looked at before a change of it that precedes the one found in another slot. */
	if (atomic_load_explicit(&peer->directory_version, memory_order_acquire) != version && !end)
		return CONSUMER_EVENT_LATER;
	connection->directory_waits_for = 0;
	if (first.event == CONSUMER_EVENT_NONE) {
		connection->directory_version_seen = version;
	} else if (!end && connection->rx.messages < first.after) {
		connection->directory_waits_for = first.after;
		return CONSUMER_EVENT_NONE;
	} else {
		*id = first.id;
		note_change(connection, &first);
	}
	return first.event;
}
