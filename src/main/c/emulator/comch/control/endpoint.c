#include "control/endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/faults.h"
#include "base/settings.h"
#include "connection/faulty_send.h"
#include "connection/own_consumers.h"
#include "control/control_messages.h"
#include "control/peer_consumers.h"
#include "core/release.h"
#include "log/sdk_log.h"
#include "readings.h"
#include "topology/dev.h"

/* Busy engines look at their sockets every so many calls, slow ones at every tick of the coarse clock. */
#define CALLS_PER_ROUND 128u

doca_error_t endpoint_init(struct comch_endpoint *endpoint, enum shm_side side, struct doca_dev *dev, const char *name,
			   const struct emu_ctx_ops *ops)
{
	size_t length = strlen(name);
	if (emu_release.cuts_names && length >= emu_dev_limits(dev)->max_name_len)
		length = emu_dev_limits(dev)->max_name_len - 1;
	if ((length == 0 && !emu_release.cuts_names) || length >= emu_dev_limits(dev)->max_name_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dev_can(dev, EMU_CAN_COMCH))
		return DOCA_ERROR_NOT_SUPPORTED;
	doca_error_t result = settings_check();
	if (result != DOCA_SUCCESS)
		return result;
	emu_ctx_init(&endpoint->ctx, ops);
	endpoint->side = side;
	endpoint->dev = dev;
	endpoint->strict = emu_dev_strict(dev);
	memcpy(endpoint->name, name, length);
	endpoint->name[length] = 0;
	endpoint->max_msg_size = emu_release.default_max_msg_size;
	if (endpoint->max_msg_size > emu_dev_limits(dev)->max_msg_size)
		endpoint->max_msg_size = emu_dev_limits(dev)->max_msg_size;
	endpoint->recv_queue_size = emu_release.default_recv_queue_size;
	if (endpoint->recv_queue_size > emu_dev_limits(dev)->max_recv_queue_size)
		endpoint->recv_queue_size = emu_dev_limits(dev)->max_recv_queue_size;
	emu_dev_use(dev);
	return DOCA_SUCCESS;
}

void endpoint_fini(struct comch_endpoint *endpoint)
{
	emu_ctx_fini(&endpoint->ctx);
	emu_dev_unuse(endpoint->dev);
}

/* ---- running ---- */

doca_error_t endpoint_open(struct comch_endpoint *endpoint)
{
	if (endpoint->num_send_tasks == 0 || endpoint->message_received == NULL)
		return emu_release.start_unconfigured;
	if (endpoint->name[0] == 0)
		return DOCA_ERROR_INVALID_VALUE;
	size_t task_bytes = sizeof(struct doca_comch_task_send) + endpoint->max_msg_size;
	doca_error_t result = task_pool_init(&endpoint->pool, &endpoint->ctx, endpoint->num_send_tasks, task_bytes);
	if (result == DOCA_SUCCESS)
		result = task_fifo_init(&endpoint->done, endpoint->num_send_tasks);
	if (result == DOCA_SUCCESS) {
		size_t lines = ((size_t)endpoint->max_msg_size + READING_POISONED_BYTES - 1) / READING_POISONED_BYTES;
		endpoint->received = aligned_alloc(READING_POISONED_BYTES, lines * READING_POISONED_BYTES);
		if (endpoint->received == NULL)
			result = DOCA_ERROR_NO_MEMORY;
	}
	if (result != DOCA_SUCCESS) {
		EMU_LOG_ERROR("no memory for \"%s\": %u send tasks of %zu bytes each", endpoint->name,
			      endpoint->num_send_tasks, task_bytes);
		/* guard: release-failed-endpoint */ endpoint_close(endpoint);
		return DOCA_ERROR_INITIALIZATION;
	}
	endpoint->last_tick = -1;
	return DOCA_SUCCESS;
}

void endpoint_close(struct comch_endpoint *endpoint)
{
	task_pool_fini(&endpoint->pool);
	task_fifo_fini(&endpoint->done);
	free(endpoint->received);
	endpoint->received = NULL;
	if (endpoint->broken)
		fault_has_consequences(false);
	endpoint->broken = false;
}

doca_error_t endpoint_establish(struct doca_comch_connection *connection, const struct wire_message *from_peer)
{
	const struct comch_endpoint *endpoint = connection->endpoint;
	uint64_t own_bytes = messages_ring_bytes(endpoint->recv_queue_size, endpoint->max_msg_size);
	if (/* guard: agreed-message-size */ from_peer->max_msg_size == 0 ||
	    /* guard: agreed-queue-size */ from_peer->recv_queue_size == 0 ||
	    /* guard: agreed-ring-size */ from_peer->ring_bytes < messages_ring_bytes(from_peer->recv_queue_size, 1))
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
	connection->tx.restart_bytes = SHM_RING_RESTART_BYTES;
	connection->tx.queue_size = from_peer->recv_queue_size;
	connection->max_msg_size =
		endpoint->max_msg_size < from_peer->max_msg_size ? endpoint->max_msg_size : from_peer->max_msg_size;
	/* The guide of doca_cc says that the sizes must match: a device may refuse what works here. */
	if (endpoint->max_msg_size != from_peer->max_msg_size)
		EMU_LOG_EVENT(
			"\"%s\": the maximum message size is %u here and %u at the other end, and DOCA wants them to "
			"be "
			"the same; on this connection it is %u",
			endpoint->name, endpoint->max_msg_size, from_peer->max_msg_size, connection->max_msg_size);
	connection->reach = wire_reach_of(connection->socket, from_peer, &connection->peer_pid);
	EMU_LOG_DEBUG("connection established, payloads %s", connection->reach == WIRE_REACH_SELF ? "within the process"
							     : connection->reach == WIRE_REACH_PROCESS
								     ? "by direct writes"
								     : "through shared memory only");
	connection->peer_joins_barriers = from_peer->barriers == 1;
	atomic_store_explicit(&connection->established, true, memory_order_release);
	return DOCA_SUCCESS;
}

doca_error_t endpoint_task_send_alloc_init(struct comch_endpoint *endpoint, struct doca_comch_connection *peer,
					   const void *message, uint32_t len, struct doca_comch_task_send **task)
{
	if (endpoint == NULL || peer == NULL || message == NULL || task == NULL || peer->endpoint != endpoint)
		return DOCA_ERROR_INVALID_VALUE;
	if (endpoint->ctx.state != DOCA_CTX_STATE_RUNNING)
		return READING_TASK_WHEN_NOT_RUNNING;
	if (len == 0 || len > peer->max_msg_size)
		return READING_BAD_MESSAGE_LENGTH;
	struct doca_comch_task_send *taken = (struct doca_comch_task_send *)task_pool_take(&endpoint->pool);
	if (taken == NULL)
		return DOCA_ERROR_NO_MEMORY;
	taken->connection = peer;
	peer->num_tasks++;
	taken->len = len;
	taken->source = message;
	*task = taken;
	return DOCA_SUCCESS;
}

/* Whether faults on demand do not let the message go on; then `result` is submit's answer. */
static __attribute__((noinline)) bool suffers_faults(struct comch_endpoint *endpoint,
						     struct doca_comch_connection *connection, struct doca_task *task,
						     doca_error_t *result)
{
	*result = DOCA_ERROR_NOT_CONNECTED;
	if (endpoint->broken)
		return true;
	if (device_lets_send(endpoint->dev, connection, task, &endpoint->done, &endpoint->broken, result))
		return false;
	if (endpoint->broken) {
		fault_has_consequences(true); /* until endpoint_close */
		connection->broken = true;
	}
	return true;
}

/* A message is in the ring: its task ends when it has arrived, and those behind it later. */
static void went_out(struct comch_endpoint *endpoint, struct doca_comch_task_send *send)
{
	struct doca_comch_connection *connection = send->connection;
	if (EMU_LIKELY(connection->tx.arrival == 0 && connection->tx.travelling_first == NULL)) {
		task_fifo_push(&endpoint->done, &send->base);
		return;
	}
	send->arrival = connection->tx.arrival;
	send->number = connection->tx.messages;
	send->next_pending = NULL;
	if (connection->tx.travelling_first == NULL)
		connection->tx.travelling_first = send;
	else
		connection->tx.travelling_last->next_pending = send;
	connection->tx.travelling_last = send;
	connection_alert_self(connection);
}

/* Ends the oldest message that travels. */
static void arrive(struct comch_endpoint *endpoint, struct doca_comch_connection *connection, doca_error_t status)
{
	struct doca_comch_task_send *send = connection->tx.travelling_first;
	connection->tx.travelling_first = send->next_pending;
	task_fifo_end(&endpoint->done, &send->base, status);
}

doca_error_t endpoint_submit(struct doca_task *task, uint32_t flags)
{
	(void)flags;
	struct doca_comch_task_send *send = (struct doca_comch_task_send *)task;
	struct doca_comch_connection *connection = send->connection;
	struct comch_endpoint *endpoint = connection->endpoint;
	if (atomic_load_explicit(&connection->severed, memory_order_relaxed) || connection->broken)
		return DOCA_ERROR_NOT_CONNECTED;
	doca_error_t result;
	if (faults_any() && suffers_faults(endpoint, connection, task, &result))
		return result;
	/* Messages that wait already go first. */
	result = DOCA_ERROR_AGAIN;
	if (connection->tx.pending_first == NULL)
		result = messages_send(connection, send->source, send->len);
	else
		own_consumers_register(connection); /* as messages_send does */
	if (result == DOCA_ERROR_NOT_CONNECTED)
		return result;
	task_sent_off(task);
	atomic_store_explicit(&connection->tx.accepted,
			      atomic_load_explicit(&connection->tx.accepted, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	task->status = DOCA_SUCCESS; /* it may have failed in its last flight */
	if (result == DOCA_SUCCESS) {
		went_out(endpoint, send);
		return DOCA_SUCCESS;
	}
	memcpy(send->message, send->source, send->len);
	send->next_pending = NULL;
	if (connection->tx.pending_first == NULL)
		connection->tx.pending_first = send;
	else
		connection->tx.pending_last->next_pending = send;
	connection->tx.pending_last = send;
	/* A server looks only at connections whose doorbell is set. */
	connection_alert_self(connection);
	return DOCA_SUCCESS;
}

static void give_back(struct comch_endpoint *endpoint, struct doca_comch_task_send *send)
{
	send->connection->num_tasks--;
	task_pool_give(&endpoint->pool, &send->base);
}

void endpoint_free_task(struct doca_task *task)
{
	struct comch_endpoint *endpoint = (struct comch_endpoint *)task->ctx;
	if (task->state == EMU_TASK_INFLIGHT)
		task->state = EMU_TASK_CANCELLED; /* the message still goes out; its memory is the task's own */
	else
		give_back(endpoint, (struct doca_comch_task_send *)task);
}

bool endpoint_report_send(struct comch_endpoint *endpoint)
{
	struct doca_task *task = task_fifo_pop(&endpoint->done);
	if (task == NULL)
		return false;
	struct doca_comch_task_send *send = (struct doca_comch_task_send *)task;
	doca_error_t status = task->status;
	if (status == DOCA_SUCCESS) {
		send->connection->counters.sent_messages++;
		send->connection->counters.sent_bytes += send->len;
	}
	if (!task_landed(task, status))
		give_back(endpoint, send);
	else
		(status == DOCA_SUCCESS ? endpoint->send_completed : endpoint->send_failed)(send, task->user_data,
											    endpoint->ctx.user_data);
	return true;
}

void endpoint_push_pending(struct comch_endpoint *endpoint, struct doca_comch_connection *connection)
{
	while (EMU_UNLIKELY(connection->tx.travelling_first != NULL) && !connection->peer_died &&
	       !connection_peer_closed(connection) && !fault_still_travelling(connection->tx.travelling_first->arrival))
		arrive(endpoint, connection, DOCA_SUCCESS);
	/* A peer that has said goodbye takes no more messages, even with room in its queue. */
	while (connection->tx.pending_first != NULL && !connection->peer_died && !connection_peer_closed(connection)) {
		struct doca_comch_task_send *send = connection->tx.pending_first;
		doca_error_t result = messages_send(connection, send->message, send->len);
		if (result != DOCA_SUCCESS)
			return;
		connection->tx.pending_first = send->next_pending;
		went_out(endpoint, send);
	}
}

void endpoint_flush_pending(struct comch_endpoint *endpoint, struct doca_comch_connection *connection)
{
	for (struct doca_comch_task_send *send = connection->tx.pending_first; send != NULL; send = send->next_pending)
		task_fifo_end(&endpoint->done, &send->base, READING_FLUSHED_TASK);
	connection->tx.pending_first = NULL;
	/* What travels and will not be received; the memory is there as long as the connection is not lost. */
	while (connection->tx.travelling_first != NULL) {
		bool received = atomic_load_explicit(&connection->peer->ring_head_msgs, memory_order_acquire) >=
				connection->tx.travelling_first->number;
		arrive(endpoint, connection, received ? DOCA_SUCCESS : READING_FLUSHED_TASK);
	}
}

static bool report_consumer(struct comch_endpoint *endpoint, struct doca_comch_connection *connection,
			    enum consumer_event event, uint32_t id)
{
	doca_comch_event_consumer_cb_t report =
		event == CONSUMER_EVENT_NEW ? endpoint->consumer_new : endpoint->consumer_expired;
	if (report == NULL)
		return false;
	struct doca_comch_event_consumer details = {.endpoint = endpoint};
	report(&details, connection, id);
	return true;
}

bool endpoint_serve(struct comch_endpoint *endpoint, struct doca_comch_connection *connection)
{
	if (connection->broken)
		return false;
	endpoint_push_pending(endpoint, connection);
	own_consumers_register(connection);
	connection->held = own_consumers_start_first(connection, endpoint->ctx.pe);
	if (EMU_UNLIKELY(connection->held))
		return false;
	/* Before the look at the peer's consumers: messages that come in between are left for the next round. */
	uint64_t tail = messages_tail(connection);
	enum consumer_event event;
	uint32_t id;
	while ((event = peer_consumers_next_event(connection, &id)) != CONSUMER_EVENT_NONE)
		if (report_consumer(endpoint, connection, event, id))
			return true;
	if (EMU_UNLIKELY(connection->broken))
		return false;
	uint32_t len;
	if (messages_receive(connection, tail, endpoint->received, &len) != DOCA_SUCCESS)
		return false;
	connection->counters.received_messages++;
	connection->counters.received_bytes += len;
	struct doca_comch_event_msg_recv details = {.endpoint = endpoint};
	endpoint->message_received(&details, endpoint->received, len, connection);
	/* So much costs next to nothing; all of a long message, as much as another copy. */
	memset(endpoint->received, READING_POISON, READING_POISONED_BYTES);
	if (EMU_UNLIKELY(endpoint->strict))
		memset(endpoint->received, READING_POISON, len);
	return true;
}

bool endpoint_connection_ended(struct doca_comch_connection *connection)
{
	if (connection->broken)
		return true;
	/* Order matters: what was sent before the goodbye is visible once the goodbye is. */
	if (!connection_peer_closed(connection) && !connection->peer_died)
		return false;
	return messages_tail(connection) == connection->rx.head && peer_consumers_all_told(connection);
}

static bool peer_is_gone(const struct doca_comch_connection *connection)
{
	return !atomic_load(&connection->established) || atomic_load(&connection->lost) || connection->peer_died ||
	       connection->broken || connection_peer_closed(connection);
}

doca_error_t endpoint_may_part(const struct comch_endpoint *endpoint, struct doca_comch_connection *connection)
{
	if (atomic_load_explicit(&connection->active_children, memory_order_acquire) > 0)
		return READING_STOP_WITH_CHILDREN;
	uint32_t running = peer_is_gone(connection) ? 0 : peer_consumers_running(connection);
	if (running == 0)
		return DOCA_SUCCESS;
	bool strict = endpoint->strict;
	static const char text[] =
		"\"%s\": the connection ends while consumers of the peer run (%u): both ends are to "
		"stop theirs first, or errors may occur";
	if (!connection->teardown_told) {
		EMU_LOG_EVENT(text, endpoint->name, running);
		connection->teardown_refused_until = now_ms() + READING_TEARDOWN_PATIENCE_MS;
	}
	connection->teardown_told = true;
	if (!strict || now_ms() > connection->teardown_refused_until)
		return DOCA_SUCCESS;
	emu_log_reason(text, endpoint->name, running);
	return READING_STOP_WITH_CHILDREN;
}

/* Whoever uses it last gives its memory back, and that need not be this thread. */
static bool is_over(const struct doca_comch_connection *connection)
{
	return atomic_load_explicit(&connection->lost, memory_order_relaxed);
}

uint64_t endpoint_connection_due_in(struct comch_endpoint *endpoint, struct doca_comch_connection *connection)
{
	if (is_over(connection))
		return EMU_NEVER;
	if (!connection->broken)
		endpoint_push_pending(endpoint, connection);
	if (connection->connect_event_due || connection->peer_died || connection->broken ||
	    connection_peer_closed(connection) ||
	    (connection->rx.messages >= connection->next_told_after && !peer_consumers_all_told(connection)))
		return 0;
	if (atomic_load_explicit(&connection->registrations, memory_order_relaxed) != 0)
		return atomic_load_explicit(&connection->starts_wait, memory_order_relaxed) ? READING_NOTIFY_POLL_NS
											    : 0;
	const struct doca_comch_task_send *sent = connection->tx.travelling_first;
	uint64_t due = EMU_NEVER;
	if (messages_tail(connection) != connection->rx.head)
		due = fault_travel_left(connection->rx.travelling);
	uint64_t arrives = sent == NULL ? EMU_NEVER : fault_travel_left(sent->arrival);
	return arrives < due ? arrives : due;
}

bool endpoint_arm_connection(struct doca_comch_connection *connection, struct emu_sleeper *sleeper, emu_ready_cb ready)
{
	if (is_over(connection))
		return true;
	shm_fall_asleep(&connection->own->asleep_for_events);
	if (/* guard: asleep-for-room */ connection->tx.pending_first != NULL)
		shm_fall_asleep(&connection->own->asleep_for_room);
	return connection_join_as_control(connection, sleeper, ready);
}

void endpoint_disarm_connection(struct doca_comch_connection *connection)
{
	if (is_over(connection))
		return;
	shm_awake(&connection->own->asleep_for_events);
	shm_awake(&connection->own->asleep_for_room);
}

bool endpoint_socket_ready(void *endpoint, struct emu_sleeper *sleeper)
{
	(void)sleeper;
	((struct comch_endpoint *)endpoint)->last_tick = -1;
	return true;
}

bool endpoint_round_due(struct comch_endpoint *endpoint)
{
	if (++endpoint->progress_calls % CALLS_PER_ROUND == 0)
		return true;
	int64_t tick = clock_tick();
	if (tick == endpoint->last_tick)
		return false;
	endpoint->last_tick = tick;
	return true;
}

static bool wants(const struct doca_comch_connection *connection)
{
	bool any = connection->tx.pending_first != NULL || connection->tx.travelling_first != NULL;
	return any && !connection->peer_died && !connection->broken && !connection_peer_closed(connection);
}

/* Nobody is to take this for a good end. */
static void give_up_messages(struct doca_comch_connection *connection)
{
	unsigned number = 0;
	for (const struct doca_comch_task_send *send = connection->tx.pending_first; send != NULL;
	     send = send->next_pending)
		number++;
	EMU_LOG_WARNING("the connection to a peer that takes nothing ends: %u submitted messages are given up", number);
	connection_cut(connection);
}

bool endpoint_still_waits(struct doca_comch_connection *connection, int64_t patience_ms)
{
	if (!wants(connection))
		return false;
	if (connection->tx.parting_until == 0 || connection->tx.parting_messages != connection->tx.messages) {
		connection->tx.parting_until = now_ms() + patience_ms;
		connection->tx.parting_messages = connection->tx.messages;
	}
	if (now_ms() < connection->tx.parting_until || connection->tx.pending_first == NULL)
		return true;
	give_up_messages(connection);
	return false;
}
