#include "connection/connection.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dense_traffic.h"
#include "base/faults.h"
#include "control/endpoint.h"
#include "ctx.h"
#include "dev.h"
#include "fast/consumer.h"
#include "memory.h"
#include "readings.h"
#include "sdk_log.h"

doca_error_t connection_create(struct comch_endpoint *endpoint, enum shm_side side, struct shm_map *map,
			       struct doca_comch_connection **connection)
{
	struct doca_comch_connection *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->endpoint = endpoint;
	created->side = side;
	created->dev = endpoint->dev;
	snprintf(created->pci, sizeof(created->pci), "%s", emu_dev_pci(endpoint->dev));
	created->can_produce = emu_dev_can(endpoint->dev, EMU_CAN_PRODUCE);
	created->can_consume = emu_dev_can(endpoint->dev, EMU_CAN_CONSUME);
	created->refs = 1;
	created->socket = -1;
	created->map = map;
	created->own = &shm_map_control(map)->half[side];
	created->peer = &shm_map_control(map)->half[shm_other(side)];
	created->next_consumer_id = READING_FIRST_ID;
	created->next_producer_id = READING_FIRST_ID;
	pthread_mutex_init(&created->lock, NULL);
	*connection = created;
	return DOCA_SUCCESS;
}

void connection_ref(struct doca_comch_connection *connection)
{
	atomic_fetch_add_explicit(&connection->refs, 1, memory_order_relaxed);
}

static void release_shared(struct doca_comch_connection *connection)
{
	shm_release(connection->map);
	shm_doorbells_release(connection->doorbells);
	connection->map = NULL;
	connection->own = connection->peer = NULL;
	connection->doorbells = NULL;
	if (connection->socket >= 0)
		close(connection->socket);
	connection->socket = -1;
}

void connection_unref(struct doca_comch_connection *connection)
{
	if (connection == NULL || atomic_fetch_sub_explicit(&connection->refs, 1, memory_order_acq_rel) != 1)
		return;
	release_shared(connection);
	pthread_mutex_destroy(&connection->lock);
	free(connection);
}

static uint64_t record_bytes(uint32_t len)
{
	uint64_t padded = ((uint64_t)len + SHM_RECORD_ALIGN - 1) / SHM_RECORD_ALIGN * SHM_RECORD_ALIGN;
	return sizeof(struct shm_record) + padded;
}

uint64_t connection_ring_bytes(uint32_t queue_size, uint32_t max_msg_size)
{
	/* One record more than the queue holds, for the filler at the end of a lap. */
	uint64_t needed = ((uint64_t)queue_size + 1) * record_bytes(max_msg_size);
	uint64_t bytes = SHM_PAGE;
	while (bytes < needed)
		bytes *= 2;
	return bytes;
}

doca_error_t connection_establish(struct doca_comch_connection *connection, const struct wire_message *from_peer)
{
	const struct comch_endpoint *endpoint = connection->endpoint;
	uint64_t own_bytes = connection_ring_bytes(endpoint->recv_queue_size, endpoint->max_msg_size);
	if (from_peer->max_msg_size == 0 || from_peer->recv_queue_size == 0 ||
	    from_peer->ring_bytes < connection_ring_bytes(from_peer->recv_queue_size, 1))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = shm_map_ring(connection->map, connection->side, own_bytes);
	if (result == DOCA_SUCCESS)
		result = shm_map_ring(connection->map, shm_other(connection->side), from_peer->ring_bytes);
	if (result != DOCA_SUCCESS)
		return result;
	connection->rx.ring = connection->map->rings[connection->side];
	connection->rx.ring_bytes = own_bytes;
	connection->tx.ring = connection->map->rings[shm_other(connection->side)];
	connection->tx.ring_bytes = from_peer->ring_bytes;
	connection->tx.warm = SHM_RING_WARM;
	connection->tx.queue_size = from_peer->recv_queue_size;
	connection->max_msg_size = endpoint->max_msg_size < from_peer->max_msg_size ? endpoint->max_msg_size
										     : from_peer->max_msg_size;
	connection->reach = wire_reach_of(connection->socket, from_peer, &connection->peer_pid);
	EMU_LOG_DEBUG("connection established, payloads %s",
		      connection->reach == WIRE_REACH_SELF	? "within the process"
		      : connection->reach == WIRE_REACH_PROCESS ? "by direct writes"
								: "through shared memory only");
	atomic_store_explicit(&connection->established, true, memory_order_release);
	return DOCA_SUCCESS;
}

void connection_ring_peer(struct doca_comch_connection *connection)
{
	if (connection->side == SHM_CLIENT)
		shm_ring_doorbell(shm_doorbells_of(connection->doorbells), connection->index);
	else
		atomic_fetch_add_explicit(&connection->own->bell, 1, memory_order_release);
}

void connection_ring_self(struct doca_comch_connection *connection)
{
	/* A client looks at its `registrations` on every call; a server only where a bell rings. */
	if (connection->side == SHM_SERVER)
		shm_ring_doorbell(shm_doorbells_of(connection->doorbells), connection->index);
}

static doca_error_t broken(struct doca_comch_connection *connection, const char *what)
{
	if (!connection->broken)
		EMU_LOG_ERROR("a peer broke the protocol (%s): connection ended", what);
	connection->broken = true;
	return DOCA_ERROR_NOT_CONNECTED;
}

/* A ring that is never empty is walked through from end to end, and would keep all of its pages for ever. So now and
 * then what is ahead of the sender, where nothing lies, is given back. */
static void give_ring_back(struct doca_comch_connection *connection, uint64_t head)
{
	connection->tx.looked = connection->tx.tail;
	int64_t now = now_ms();
	if (now - connection->tx.given_back < SHM_RING_GIVE_BACK_MS)
		return;
	connection->tx.given_back = now;
	uint64_t free_bytes = connection->tx.ring_bytes - (connection->tx.tail - head);
	shm_drop_ring_pages(connection->map, shm_other(connection->side), connection->tx.tail - connection->tx.start,
			    free_bytes);
}

/* Whether a sender that finds the ring empty leaves its beginning alone for the time being. */
static bool goes_on(struct doca_comch_connection *connection, uint32_t len)
{
	uint64_t size = connection->tx.ring_bytes;
	uint64_t most = size < SHM_RING_LAP ? size : SHM_RING_LAP;
	bool on = traffic_is_dense(&connection->tx.warm_since) && len >= SHM_RING_LONG &&
		  connection->tx.warm + SHM_RING_WARM < most;
	connection->tx.warm = on ? connection->tx.warm + SHM_RING_WARM : SHM_RING_WARM;
	return on;
}

doca_error_t connection_send(struct doca_comch_connection *connection, const void *message, uint32_t len)
{
	uint64_t size = connection->tx.ring_bytes;
	uint64_t tail = connection->tx.tail;
	/* Pair with the release stores in connection_receive: what was there has been copied out. */
	uint64_t consumed = atomic_load_explicit(&connection->peer->ring_head_msgs, memory_order_acquire);
	uint64_t head = atomic_load_explicit(&connection->peer->ring_head, memory_order_acquire);
	if (consumed > connection->tx.messages || head > tail || tail - head > size)
		return broken(connection, "ring head");
	/* Consumers that were started before the message go before it. */
	connection_register_consumers(connection);
	if (connection->tx.messages - consumed >= connection->tx.queue_size)
		return DOCA_ERROR_AGAIN;
	if (tail - connection->tx.looked >= SHM_RING_LOOK)
		give_ring_back(connection, head);
	uint64_t offset = (tail - connection->tx.start) & (size - 1);
	if (offset >= connection->tx.warm && head == tail && !goes_on(connection, len)) {
		/* Nothing is in the ring: back to its beginning, rather than touch all of it in the course of time. The
		 * receiver sees this with the tail. */
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
	*record = (struct shm_record){.len = len, .arrival = faults_any() ? fault_arrival(len) : 0};
	memcpy(record + 1, message, len);
	connection->tx.tail = tail + filler + bytes;
	connection->tx.messages++;
	/* Pairs with the acquire load in connection_tail. */
	atomic_store_explicit(&connection->own->ring_tail, connection->tx.tail, memory_order_release);
	connection_ring_peer(connection);
	return DOCA_SUCCESS;
}

uint64_t connection_tail(const struct doca_comch_connection *connection)
{
	/* Pairs with the release store in connection_send. */
	return atomic_load_explicit(&connection->peer->ring_tail, memory_order_acquire);
}

doca_error_t connection_receive(struct doca_comch_connection *connection, uint64_t tail, uint8_t *message,
				uint32_t *len)
{
	uint64_t size = connection->rx.ring_bytes;
	connection->rx.travelling = false;
	/* It changes only while the ring is empty; a peer that does otherwise garbles its own messages. */
	uint64_t start = atomic_load_explicit(&connection->peer->ring_start, memory_order_relaxed) & ~(SHM_RECORD_ALIGN - 1);
	for (;;) {
		uint64_t available = tail - connection->rx.head;
		if (available == 0)
			return DOCA_ERROR_AGAIN;
		if (available > size || available % SHM_RECORD_ALIGN != 0)
			return broken(connection, "ring tail");
		uint64_t offset = (connection->rx.head - start) & (size - 1);
		const struct shm_record *record = (const struct shm_record *)(connection->rx.ring + offset);
		/* Read once: the peer could change it between check and use. */
		uint32_t claimed = *(const volatile uint32_t *)&record->len;
		if (claimed == SHM_RECORD_WRAP) {
			if (offset == 0 || size - offset > available)
				return broken(connection, "filler");
			connection->rx.head += size - offset;
			continue;
		}
		uint64_t bytes = record_bytes(claimed);
		if (claimed == 0 || claimed > connection->max_msg_size || bytes > available || bytes > size - offset)
			return broken(connection, "message length");
		if (fault_still_travelling(record->arrival)) {
			connection->rx.travelling = true;
			return DOCA_ERROR_AGAIN;
		}
		memcpy(message, record + 1, claimed);
		*len = claimed;
		connection->rx.head += bytes;
		connection->rx.messages++;
		/* Pair with the acquire loads in connection_send. */
		atomic_store_explicit(&connection->own->ring_head, connection->rx.head, memory_order_release);
		atomic_store_explicit(&connection->own->ring_head_msgs, connection->rx.messages, memory_order_release);
		return DOCA_SUCCESS;
	}
}

bool connection_peer_closed(const struct doca_comch_connection *connection)
{
	/* Pairs with the release store in connection_say_goodbye. */
	return atomic_load_explicit(&connection->peer->closed, memory_order_acquire) != 0;
}

bool connection_peer_vanished(const struct doca_comch_connection *connection)
{
	struct pollfd watched = {.fd = connection->socket, .events = POLLRDHUP};
	return poll(&watched, 1, 0) > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool connection_peer_lives(const struct doca_comch_connection *connection)
{
	if (connection->reach == WIRE_REACH_SELF || connection->peer_pid <= 0)
		return true;
	/* The descriptor becomes readable once the last thread has ended. Another process that has got the pid meanwhile is
	 * taken for the peer, which costs patience. */
	struct pollfd process = {.fd = (int)syscall(SYS_pidfd_open, connection->peer_pid, 0), .events = POLLIN};
	if (process.fd < 0)
		return errno != ESRCH && (kill(connection->peer_pid, 0) == 0 || errno != ESRCH);
	bool ended = poll(&process, 1, 0) > 0;
	close(process.fd);
	return !ended;
}

static bool copy_across(const struct doca_comch_connection *connection, bool write, uintptr_t own, uint64_t peers,
			uint64_t len)
{
	/* A pid could belong to somebody else by now; the socket tells. */
	if (connection->reach != WIRE_REACH_PROCESS || connection_peer_vanished(connection))
		return false;
	for (uint64_t done = 0; done < len;) {
		struct iovec local = {.iov_base = (void *)(own + done), .iov_len = len - done};
		struct iovec remote = {.iov_base = (void *)(uintptr_t)(peers + done), .iov_len = len - done};
		ssize_t part = write ? process_vm_writev(connection->peer_pid, &local, 1, &remote, 1, 0)
				     : process_vm_readv(connection->peer_pid, &local, 1, &remote, 1, 0);
		if (part <= 0)
			return false;
		done += (uint64_t)part;
	}
	return true;
}

bool connection_read_peer(const struct doca_comch_connection *connection, void *dest, uint64_t source, uint64_t len)
{
	return copy_across(connection, false, (uintptr_t)dest, source, len);
}

bool connection_write_peer(const struct doca_comch_connection *connection, uint64_t dest, const void *source,
			   uint64_t len)
{
	return copy_across(connection, true, (uintptr_t)source, dest, len);
}

void connection_check_socket(struct doca_comch_connection *connection)
{
	if (connection->peer_died || connection->broken || connection->socket < 0)
		return;
	char byte;
	ssize_t received = recv(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (received > 0)
		(void)broken(connection, "unexpected packet");
	else if (received == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		connection->peer_died = true;
}

void connection_cut(struct doca_comch_connection *connection)
{
	atomic_store_explicit(&connection->severed, true, memory_order_relaxed);
	shutdown(connection->socket, SHUT_RDWR);
}

void connection_say_goodbye(struct doca_comch_connection *connection)
{
	if (connection->goodbye_said)
		return;
	connection->goodbye_said = true;
	/* Release: everything sent before is visible to whoever sees the goodbye. */
	atomic_store_explicit(&connection->own->closed, 1, memory_order_release);
	if (connection->doorbells != NULL)
		connection_ring_peer(connection);
}

void connection_lose(struct doca_comch_connection *connection)
{
	pthread_mutex_lock(&connection->lock);
	atomic_store_explicit(&connection->severed, true, memory_order_relaxed);
	atomic_store_explicit(&connection->lost, true, memory_order_release);
	if (connection->num_consumers + connection->num_producers == 0)
		release_shared(connection);
	else if (connection->socket >= 0)
		shutdown(connection->socket, SHUT_RDWR); /* producers may still look at the descriptor */
	pthread_mutex_unlock(&connection->lock);
}

doca_error_t connection_adopt(struct doca_comch_connection *connection, uint32_t *count, uint32_t limit)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&connection->lock);
	if (!atomic_load(&connection->established) || atomic_load(&connection->lost))
		result = DOCA_ERROR_BAD_STATE;
	else if (*count >= limit)
		result = DOCA_ERROR_NO_MEMORY;
	else
		(*count)++;
	if (result == DOCA_SUCCESS)
		connection_ref(connection); /* under the lock: the control thread may be ending the connection */
	pthread_mutex_unlock(&connection->lock);
	return result;
}

void connection_disown(struct doca_comch_connection *connection, uint32_t *count)
{
	pthread_mutex_lock(&connection->lock);
	(*count)--;
	if (atomic_load(&connection->lost) && connection->num_consumers + connection->num_producers == 0)
		release_shared(connection);
	pthread_mutex_unlock(&connection->lock);
	connection_unref(connection);
}

void connection_register_consumers(struct doca_comch_connection *connection)
{
	if (atomic_load_explicit(&connection->registrations, memory_order_relaxed) == 0)
		return;
	/* Forgotten before the look: a consumer that asks meanwhile counts again. */
	atomic_exchange_explicit(&connection->registrations, 0, memory_order_acq_rel);
	pthread_mutex_lock(&connection->lock);
	for (struct doca_comch_consumer *c = connection->consumers; c != NULL; c = consumer_next(c))
		consumer_register(c);
	pthread_mutex_unlock(&connection->lock);
}

static uint64_t with_state(uint64_t entry, enum shm_consumer_state state)
{
	return (entry & ~UINT64_C(0xff)) | (uint64_t)state;
}

/* A change of one slot that its user has not been told. */
struct change {
	uint32_t slot;
	enum consumer_event event; /* NONE: nobody is told */
	uint32_t id;
	uint64_t reported; /* the entry as it stands once this has been told */
	uint64_t order, after;
};

static void place(struct change *change, const struct shm_mark *mark)
{
	/* Acquire: who reads a mark of a later generation finds that the version has changed. */
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
	       connection_tail(connection) == connection->rx.head;
}

enum consumer_event connection_next_consumer_event(struct doca_comch_connection *connection, uint32_t *id)
{
	const struct shm_half *peer = connection->peer;
	uint32_t version = atomic_load_explicit(&peer->directory_version, memory_order_acquire);
	if (version == connection->directory_version_seen)
		return CONSUMER_EVENT_NONE;
	/* What waits for messages that never came out is told at the end. */
	bool end = no_messages_follow(connection);
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
	/* The look at a slot may have come too early for a change that went before another one's. */
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

bool connection_pending(const struct doca_comch_connection *connection)
{
	if (connection->own == NULL)
		return false;
	return connection->connect_event_due || connection->peer_died || connection->broken ||
	       connection->tx.pending_first != NULL || connection_peer_closed(connection) ||
	       atomic_load_explicit(&connection->registrations, memory_order_relaxed) != 0 ||
	       connection_tail(connection) != connection->rx.head ||
	       (connection->rx.messages >= connection->directory_waits_for &&
		atomic_load_explicit(&connection->peer->directory_version, memory_order_acquire) !=
			connection->directory_version_seen);
}

bool connection_takes_map(const struct doca_comch_connection *connection, const struct doca_mmap *mmap)
{
	if (emu_mmap_has_dev(mmap, connection->dev))
		return true;
	void *range = NULL;
	size_t len = 0;
	(void)doca_mmap_get_memrange(mmap, &range, &len);
	EMU_LOG_ERROR("the memory map of %zu bytes at %p is not registered with the connection's device %s: call "
		      "doca_mmap_add_dev for it before doca_mmap_start",
		      len, range, connection->pci);
	return false;
}
