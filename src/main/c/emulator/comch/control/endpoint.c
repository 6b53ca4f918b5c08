#include "control/endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "base/clock.h"
#include "base/faults.h"
#include "readings.h"

/* Busy engines look at their sockets every so many calls, slow ones at every tick of the coarse clock. */
#define CALLS_PER_ROUND 128u

doca_error_t endpoint_init(struct comch_endpoint *endpoint, enum shm_side side, struct doca_dev *dev, const char *name,
			   const struct emu_ctx_ops *ops)
{
	size_t length = strlen(name);
	if (length == 0 || length >= emu_limits()->max_name_len)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dev_can(dev, EMU_CAN_COMCH))
		return DOCA_ERROR_NOT_SUPPORTED;
	emu_ctx_init(&endpoint->ctx, ops);
	endpoint->side = side;
	endpoint->dev = dev;
	memcpy(endpoint->name, name, length + 1);
	endpoint->max_msg_size = READING_DEFAULT_MAX_MSG_SIZE;
	if (endpoint->max_msg_size > emu_limits()->max_msg_size)
		endpoint->max_msg_size = emu_limits()->max_msg_size;
	endpoint->recv_queue_size = READING_DEFAULT_RECV_QUEUE_SIZE;
	if (endpoint->recv_queue_size > emu_limits()->max_recv_queue_size)
		endpoint->recv_queue_size = emu_limits()->max_recv_queue_size;
	emu_dev_use(dev);
	faults_init();
	return DOCA_SUCCESS;
}

void endpoint_fini(struct comch_endpoint *endpoint)
{
	emu_ctx_fini(&endpoint->ctx);
	emu_dev_unuse(endpoint->dev);
}

/* ---- configuration ---- */

static doca_error_t configurable(const struct comch_endpoint *endpoint)
{
	return endpoint->ctx.state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t endpoint_set_max_msg_size(struct comch_endpoint *endpoint, uint32_t size)
{
	if (endpoint == NULL || size == 0 || size > emu_limits()->max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result == DOCA_SUCCESS)
		endpoint->max_msg_size = size;
	return result;
}

doca_error_t endpoint_set_recv_queue_size(struct comch_endpoint *endpoint, uint32_t size)
{
	if (endpoint == NULL || size == 0 || size > emu_limits()->max_recv_queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result == DOCA_SUCCESS)
		endpoint->recv_queue_size = size;
	return result;
}

doca_error_t endpoint_get_max_msg_size(const struct comch_endpoint *endpoint, uint32_t *size)
{
	if (endpoint == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = endpoint->max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_get_recv_queue_size(const struct comch_endpoint *endpoint, uint32_t *size)
{
	if (endpoint == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = endpoint->recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_get_device(const struct comch_endpoint *endpoint, struct doca_dev **dev)
{
	if (endpoint == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = endpoint->dev;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_task_send_set_conf(struct comch_endpoint *endpoint, doca_comch_task_send_completion_cb_t completed,
					 doca_comch_task_send_completion_cb_t failed, uint32_t num)
{
	if (endpoint == NULL || completed == NULL || failed == NULL || num == 0 || num > emu_limits()->max_send_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	endpoint->send_completed = completed;
	endpoint->send_failed = failed;
	endpoint->num_send_tasks = num;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_msg_recv_register(struct comch_endpoint *endpoint, doca_comch_event_msg_recv_cb_t received)
{
	if (endpoint == NULL || received == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result == DOCA_SUCCESS)
		endpoint->message_received = received;
	return result;
}

doca_error_t endpoint_consumer_register(struct comch_endpoint *endpoint, doca_comch_event_consumer_cb_t created,
					doca_comch_event_consumer_cb_t expired)
{
	if (endpoint == NULL || created == NULL || expired == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = configurable(endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	endpoint->consumer_new = created;
	endpoint->consumer_expired = expired;
	return DOCA_SUCCESS;
}

/* ---- running ---- */

doca_error_t endpoint_open(struct comch_endpoint *endpoint)
{
	if (endpoint->num_send_tasks == 0 || endpoint->message_received == NULL)
		return READING_START_UNCONFIGURED;
	size_t task_bytes = sizeof(struct doca_comch_task_send) + endpoint->max_msg_size;
	doca_error_t result = task_pool_init(&endpoint->pool, &endpoint->ctx, endpoint->num_send_tasks, task_bytes);
	if (result == DOCA_SUCCESS)
		result = task_fifo_init(&endpoint->done, endpoint->num_send_tasks);
	if (result == DOCA_SUCCESS) {
		endpoint->received = aligned_alloc(64, ((size_t)endpoint->max_msg_size + 63) / 64 * 64);
		if (endpoint->received == NULL)
			result = DOCA_ERROR_NO_MEMORY;
	}
	if (result != DOCA_SUCCESS) {
		endpoint_close(endpoint);
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
	memcpy(taken->message, message, len);
	*task = taken;
	return DOCA_SUCCESS;
}

doca_error_t endpoint_submit(struct doca_task *task, uint32_t flags)
{
	(void)flags;
	struct doca_comch_task_send *send = (struct doca_comch_task_send *)task;
	struct doca_comch_connection *connection = send->connection;
	struct comch_endpoint *endpoint = connection->endpoint;
	if (atomic_load_explicit(&connection->severed, memory_order_relaxed) || connection->broken)
		return DOCA_ERROR_NOT_CONNECTED;
	if (faults_any()) {
		doca_error_t error;
		switch (fault_of_send(&error)) {
		case SEND_AGAIN:
			return DOCA_ERROR_AGAIN;
		case SEND_FAILS:
			task_sent_off(task);
			task_fifo_end(&endpoint->done, task, error);
			return DOCA_SUCCESS;
		case SEND_DROPS_CONNECTION:
			connection_cut(connection);
			return DOCA_ERROR_NOT_CONNECTED;
		case SEND_GOES_ON:
			break;
		}
	}
	/* Messages that wait already go first. */
	doca_error_t result = DOCA_ERROR_AGAIN;
	if (connection->tx.pending_first == NULL)
		result = connection_send(connection, send->message, send->len);
	else
		connection_register_consumers(connection); /* as connection_send does */
	if (result == DOCA_ERROR_NOT_CONNECTED)
		return result;
	task_sent_off(task);
	atomic_store_explicit(&connection->tx.accepted,
			      atomic_load_explicit(&connection->tx.accepted, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	task->status = DOCA_SUCCESS; /* it may have failed in its last flight */
	if (result == DOCA_SUCCESS) {
		task_fifo_push(&endpoint->done, task);
		return DOCA_SUCCESS;
	}
	send->next_pending = NULL;
	if (connection->tx.pending_first == NULL)
		connection->tx.pending_first = send;
	else
		connection->tx.pending_last->next_pending = send;
	connection->tx.pending_last = send;
	/* A server looks only at connections that rang. */
	connection_ring_self(connection);
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
	/* A peer that has said goodbye has taken what it took: room in its queue is of no use. */
	while (connection->tx.pending_first != NULL && !connection->peer_died && !connection_peer_closed(connection)) {
		struct doca_comch_task_send *send = connection->tx.pending_first;
		doca_error_t result = connection_send(connection, send->message, send->len);
		if (result != DOCA_SUCCESS)
			return;
		connection->tx.pending_first = send->next_pending;
		task_fifo_push(&endpoint->done, &send->base);
	}
}

void endpoint_flush_pending(struct comch_endpoint *endpoint, struct doca_comch_connection *connection)
{
	for (struct doca_comch_task_send *send = connection->tx.pending_first; send != NULL; send = send->next_pending)
		task_fifo_end(&endpoint->done, &send->base, READING_FLUSHED_TASK);
	connection->tx.pending_first = NULL;
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
	connection_register_consumers(connection);
	/* Before the look at the peer's consumers: what comes in between is left for the next time. */
	uint64_t tail = connection_tail(connection);
	enum consumer_event event;
	uint32_t id;
	while ((event = connection_next_consumer_event(connection, &id)) != CONSUMER_EVENT_NONE) {
		if (event == CONSUMER_EVENT_LATER)
			return false;
		if (report_consumer(endpoint, connection, event, id))
			return true;
	}
	uint32_t len;
	if (connection_receive(connection, tail, endpoint->received, &len) != DOCA_SUCCESS)
		return false;
	connection->counters.received_messages++;
	connection->counters.received_bytes += len;
	struct doca_comch_event_msg_recv details = {.endpoint = endpoint};
	endpoint->message_received(&details, endpoint->received, len, connection);
	return true;
}

bool endpoint_connection_ended(struct doca_comch_connection *connection)
{
	if (connection->broken)
		return true;
	/* Order matters: what was sent before the goodbye is visible once the goodbye is. */
	if (!connection_peer_closed(connection) && !connection->peer_died)
		return false;
	return connection_tail(connection) == connection->rx.head &&
	       atomic_load_explicit(&connection->peer->directory_version, memory_order_acquire) ==
		       connection->directory_version_seen;
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

void endpoint_start_grace(struct comch_endpoint *endpoint)
{
	endpoint->stop_deadline_ms = now_ms() + READING_STOP_GRACE_MS;
}

bool endpoint_grace_over(const struct comch_endpoint *endpoint)
{
	return now_ms() >= endpoint->stop_deadline_ms;
}
