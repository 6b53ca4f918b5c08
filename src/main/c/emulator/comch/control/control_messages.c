#include "control/control_messages.h"

#include <string.h>

#include "base/clock.h"
#include "base/dense_traffic.h"
#include "base/faults.h"
#include "base/prefetch.h"
#include "connection/own_consumers.h"
#include "topology/dev.h"

/* So much of the ring behind each message is prefetched. */
#define PREFETCHED_BYTES 256u

static uint64_t record_bytes(uint32_t len)
{
	uint64_t padded = ((uint64_t)len + SHM_RECORD_ALIGN - 1) / SHM_RECORD_ALIGN * SHM_RECORD_ALIGN;
	return sizeof(struct shm_record) + padded;
}

uint64_t messages_ring_bytes(uint32_t queue_size, uint32_t max_msg_size)
{
	/* One record more than the queue holds, for the filler at the end of a lap. */
	uint64_t needed = ((uint64_t)queue_size + 1) * record_bytes(max_msg_size);
	uint64_t bytes = SHM_PAGE;
	while (bytes < needed)
		bytes *= 2;
	return bytes;
}

/* A ring that is never empty is written from end to end, and would keep all of its pages for ever. So now and then the
 * pages ahead of the sender, which hold no message, are given back. */
static void trim_ring(struct doca_comch_connection *connection, uint64_t head)
{
	connection->tx.trim_tail = connection->tx.tail;
	int64_t now = now_ms();
	if (now - connection->tx.trimmed_at < SHM_RING_TRIM_MS)
		return;
	connection->tx.trimmed_at = now;
	uint64_t free_bytes = connection->tx.ring_bytes - (connection->tx.tail - head);
	shm_drop_ring_pages(connection->map, shm_other(connection->side), connection->tx.tail - connection->tx.start,
			    free_bytes);
}

/* Whether a sender that finds the ring empty goes on in it for the time being, and does not begin again at its
 * start. */
static bool writes_on(struct doca_comch_connection *connection, uint32_t len)
{
	uint64_t size = connection->tx.ring_bytes;
	uint64_t most = size < SHM_RING_RESTART_MAX_BYTES ? size : SHM_RING_RESTART_MAX_BYTES;
	bool further = traffic_is_dense(&connection->tx.restart_set_at) && len >= SHM_RING_LONG_MESSAGE &&
		       connection->tx.restart_bytes + SHM_RING_RESTART_BYTES < most;
	connection->tx.restart_bytes = SHM_RING_RESTART_BYTES + (further ? connection->tx.restart_bytes : 0);
	return further;
}

doca_error_t messages_send(struct doca_comch_connection *connection, const void *message, uint32_t len)
{
	uint64_t size = connection->tx.ring_bytes;
	uint64_t tail = connection->tx.tail;
	/* Pair with the release stores in messages_receive: the peer has copied what was there. */
	uint64_t consumed = atomic_load_explicit(&connection->peer->ring_head_msgs, memory_order_acquire);
	uint64_t head = atomic_load_explicit(&connection->peer->ring_head, memory_order_acquire);
	if (/* guard: ring-head-messages */ consumed > connection->tx.messages ||
	    /* guard: ring-head-ahead */ head > tail || /* guard: ring-head */ tail - head > size)
		return connection_break(connection, "ring head");
	/* Consumers that were started before the message go before it. */
	own_consumers_register(connection);
	if (connection->tx.messages - consumed >= connection->tx.queue_size)
		return DOCA_ERROR_AGAIN;
	if (tail - connection->tx.trim_tail >= SHM_RING_TRIM_BYTES)
		trim_ring(connection, head);
	uint64_t offset = (tail - connection->tx.start) & (size - 1);
	if (offset >= connection->tx.restart_bytes && head == tail && !writes_on(connection, len)) {
		/* The ring is empty: back to its beginning, rather than touch all of its pages in the course of
		 * time. The receiver sees this with the tail. */
		connection->tx.start = tail;
		atomic_store_explicit(&connection->own->ring_start, tail, memory_order_relaxed);
		offset = 0;
	}
	uint64_t to_end = size - offset;
	uint64_t bytes = record_bytes(len);
	uint64_t filler = bytes > to_end ? to_end : 0;
	if (tail + filler + bytes - head > size)
		return DOCA_ERROR_AGAIN;
	if (filler > 0) {
		*(struct shm_record *)(connection->tx.ring + offset) = (struct shm_record){.len = SHM_RECORD_WRAP};
		offset = 0;
	}
	struct shm_record *record = (struct shm_record *)(connection->tx.ring + offset);
	connection->tx.arrival = faults_any() ? fault_arrival(emu_dev_folder(connection->dev), len) : 0;
	*record = (struct shm_record){.len = len, .arrival = connection->tx.arrival};
	memcpy(record + 1, message, len);
	prefetch_for_writes(connection->tx.ring, offset + bytes, PREFETCHED_BYTES, size);
	connection->tx.tail = tail + filler + bytes;
	connection->tx.messages++;
	/* Pairs with the acquire load in messages_tail. */
	atomic_store_explicit(&connection->own->ring_tail, connection->tx.tail, memory_order_release);
	connection_alert_peer(connection);
	return DOCA_SUCCESS;
}

uint64_t messages_tail(const struct doca_comch_connection *connection)
{
	/* Pairs with the release store in messages_send. */
	return atomic_load_explicit(&connection->peer->ring_tail, memory_order_acquire);
}

doca_error_t messages_receive(struct doca_comch_connection *connection, uint64_t tail, uint8_t *message, uint32_t *len)
{
	uint64_t size = connection->rx.ring_bytes;
	connection->rx.travelling = 0;
	/* It changes only while the ring is empty; a peer that does otherwise garbles its own messages. */
	uint64_t start = atomic_load_explicit(&connection->peer->ring_start, memory_order_relaxed);
	/* guard: ring-start */ start &= ~(SHM_RECORD_ALIGN - 1);
	for (;;) {
		uint64_t available = tail - connection->rx.head;
		if (available == 0)
			return DOCA_ERROR_AGAIN;
		if (/* guard: ring-tail-far */ available > size ||
		    /* guard: ring-tail-align */ available % SHM_RECORD_ALIGN != 0)
			return connection_break(connection, "ring tail");
		uint64_t offset = (connection->rx.head - start) & (size - 1);
		const struct shm_record *record = (const struct shm_record *)(connection->rx.ring + offset);
		uint32_t claimed = read_once(record->len);
		if (claimed == SHM_RECORD_WRAP) {
			if (/* guard: filler-at-start */ offset == 0 ||
			    /* guard: filler-without-end */ size - offset > available)
				return connection_break(connection, "filler");
			connection->rx.head += size - offset;
			continue;
		}
		uint64_t bytes = record_bytes(claimed);
		if (/* guard: message-empty */ claimed == 0 ||
		    /* guard: message-length */ claimed > connection->max_msg_size)
			return connection_break(connection, "message length");
		if (/* guard: message-without-end */ bytes > available)
			return connection_break(connection, "message without its end");
		if (/* guard: message-over-end */ bytes > size - offset)
			return connection_break(connection, "message over the end of the ring");
		uint64_t arrival = read_once(record->arrival);
		if (fault_still_travelling(arrival)) {
			connection->rx.travelling = arrival;
			return DOCA_ERROR_AGAIN;
		}
		memcpy(message, record + 1, claimed);
		*len = claimed;
		connection->rx.head += bytes;
		connection->rx.messages++;
		/* Pair with the acquire loads in messages_send. */
		atomic_store_explicit(&connection->own->ring_head, connection->rx.head, memory_order_release);
		atomic_store_explicit(&connection->own->ring_head_msgs, connection->rx.messages, memory_order_release);
		connection_wake_peer(connection, &connection->peer->asleep_for_room);
		return DOCA_SUCCESS;
	}
}
