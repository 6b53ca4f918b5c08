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

#include "core/ctx.h"
#include "log/sdk_log.h"
#include "memory/memory.h"
#include "readings.h"
#include "topology/dev.h"

doca_error_t connection_create(struct comch_endpoint *endpoint, const struct doca_dev *dev, enum shm_side side,
			       struct shm_map *map, struct doca_comch_connection **connection)
{
	struct doca_comch_connection *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->endpoint = endpoint;
	created->side = side;
	created->dev = dev;
	snprintf(created->pci, sizeof(created->pci), "%s", emu_dev_pci(dev));
	created->can_produce = emu_dev_can(dev, EMU_CAN_PRODUCE);
	created->can_consume = emu_dev_can(dev, EMU_CAN_CONSUME);
	created->refs = 1;
	created->socket = -1;
	created->map = map;
	created->own = &shm_map_control(map)->half[side];
	created->peer = &shm_map_control(map)->half[shm_other(side)];
	created->next_consumer_id = created->next_producer_id = !emu_dev_strict(dev) ? READING_FIRST_ID
								: side == SHM_CLIENT ? READING_FIRST_ID_OF_CLIENT
										     : READING_FIRST_ID_OF_SERVER;
	pthread_mutex_init(&created->lock, NULL);
	*connection = created;
	return DOCA_SUCCESS;
}

void connection_label(struct doca_comch_connection *connection, const char *name)
{
	shm_write_label(shm_map_control(connection->map), connection->side, connection->pci, name);
}

/* With the connection's lock. */
static void label_producers(const struct doca_comch_connection *connection)
{
	if (connection->map != NULL)
		atomic_store_explicit(&shm_map_control(connection->map)->label[connection->side].producers,
				      connection->num_producers, memory_order_relaxed);
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

void connection_alert_self(struct doca_comch_connection *connection)
{
	/* A client looks at its `registrations` on every call; a server only where a bell rings. */
	if (connection->side == SHM_SERVER)
		shm_doorbell_set(shm_doorbells_of(connection->doorbells), connection->index);
}

doca_error_t connection_break(struct doca_comch_connection *connection, const char *what)
{
	if (!connection->broken)
		EMU_LOG_ERROR("a peer broke the protocol (%s): connection ended", what);
	connection->broken = true;
	return DOCA_ERROR_NOT_CONNECTED;
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

bool connection_seems_over(const struct doca_comch_connection *connection)
{
	return atomic_load_explicit(&connection->severed, memory_order_relaxed) || connection_peer_vanished(connection);
}

bool connection_peer_lives(const struct doca_comch_connection *connection)
{
	if (connection->reach == WIRE_REACH_SELF || connection->peer_pid <= 0)
		return true;
	/* The descriptor becomes readable once the last thread has ended. Another process that has got the pid
	 * meanwhile is taken for the peer, which costs time. */
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
	/* Another process could have the pid by now; then the socket has ended. */
	errno = ESRCH;
	if (connection->reach != WIRE_REACH_PROCESS || connection_peer_vanished(connection))
		return false;
	for (uint64_t done = 0; done < len;) {
		struct iovec local = {.iov_base = (void *)(own + done), .iov_len = len - done};
		struct iovec remote = {.iov_base = (void *)(uintptr_t)(peers + done), .iov_len = len - done};
		ssize_t part = write ? process_vm_writev(connection->peer_pid, &local, 1, &remote, 1, 0)
				     : process_vm_readv(connection->peer_pid, &local, 1, &remote, 1, 0);
		if (part == 0)
			errno = EFAULT;
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

/* The kernel moves a little less than 2 GiB in one call: the caller has another way for what is longer. */
bool connection_gather_to_peer(const struct doca_comch_connection *connection, uint64_t dest,
			       const struct iovec *places, uint64_t len)
{
	if (connection->reach != WIRE_REACH_PROCESS || connection_peer_vanished(connection))
		return false;
	struct iovec remote = {.iov_base = (void *)(uintptr_t)dest, .iov_len = len};
	size_t num = 0;
	for (uint64_t end = 0; end < len; num++)
		end += places[num].iov_len;
	return process_vm_writev(connection->peer_pid, places, num, &remote, 1, 0) == (ssize_t)len;
}

void connection_check_socket(struct doca_comch_connection *connection)
{
	if (connection->peer_died || connection->broken || connection->socket < 0)
		return;
	bool broken;
	if (!connection_take_wakeups(connection, connection->control_sleeper.sleeper, &broken)) {
		connection->peer_died = true;
		connection->broken = atomic_load_explicit(&connection->failed, memory_order_relaxed);
	} else if (broken)
		(void)connection_break(connection, "unexpected packet");
}

void connection_cut(struct doca_comch_connection *connection)
{
	atomic_store_explicit(&connection->severed, true, memory_order_relaxed);
	shutdown(connection->socket, SHUT_RDWR);
}

void connection_fail(struct doca_comch_connection *connection)
{
	atomic_store_explicit(&connection->failed, true, memory_order_relaxed);
	connection_cut(connection);
}

void connection_say_goodbye(struct doca_comch_connection *connection)
{
	if (connection->goodbye_said || atomic_load_explicit(&connection->severed, memory_order_relaxed))
		return;
	connection->goodbye_said = true;
	/* Release: everything sent before is visible to whoever sees the goodbye. */
	atomic_store_explicit(&connection->own->closed, 1, memory_order_release);
	if (connection->doorbells != NULL)
		connection_alert_peer(connection);
}

void connection_lose(struct doca_comch_connection *connection)
{
	connection_leave_sleepers(connection, &connection->control_sleeper);
	pthread_mutex_lock(&connection->lock);
	atomic_store_explicit(&connection->severed, true, memory_order_relaxed);
	bool used = connection->num_consumers + connection->num_producers > 0;
	/* The peer is to see the end before it sees what producers, which may still look at the descriptor, give up. */
	if (used && connection->socket >= 0)
		shutdown(connection->socket, SHUT_RDWR);
	atomic_store_explicit(&connection->lost, true, memory_order_release);
	if (!used)
		release_shared(connection);
	pthread_mutex_unlock(&connection->lock);
	connection_wake_engines(connection, NULL);
}

doca_error_t connection_adopt(struct doca_comch_connection *connection, uint32_t *count, uint32_t limit)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&connection->lock);
	if (!atomic_load(&connection->established) || atomic_load(&connection->lost))
		result = DOCA_ERROR_BAD_STATE;
	else if (/* guard: children-limit */ *count >= limit)
		result = DOCA_ERROR_NO_MEMORY;
	else
		(*count)++;
	label_producers(connection);
	if (result == DOCA_SUCCESS)
		connection_ref(connection); /* under the lock: the control thread may be ending the connection */
	pthread_mutex_unlock(&connection->lock);
	return result;
}

void connection_disown(struct doca_comch_connection *connection, uint32_t *count)
{
	pthread_mutex_lock(&connection->lock);
	(*count)--;
	label_producers(connection);
	if (atomic_load(&connection->lost) && connection->num_consumers + connection->num_producers == 0)
		release_shared(connection);
	pthread_mutex_unlock(&connection->lock);
	connection_unref(connection);
}

bool connection_takes_map(const struct doca_comch_connection *connection, const struct doca_mmap *mmap)
{
	if (emu_mmap_has_dev(mmap, connection->dev))
		return true;
	void *range = NULL;
	size_t len = 0;
	(void)doca_mmap_get_memrange(mmap, &range, &len);
	EMU_LOG_ERROR(
		"the memory map of %zu bytes at %p is not registered with the connection's device %s: call "
		"doca_mmap_add_dev for it before doca_mmap_start",
		len, range, connection->pci);
	return false;
}
