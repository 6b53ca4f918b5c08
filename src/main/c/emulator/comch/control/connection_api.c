/* The public calls on connections and on send tasks, the same for servers and clients. */
#include "control/endpoint.h"

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection, union doca_data user_data)
{
	if (connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	connection->user_data = user_data;
	return DOCA_SUCCESS;
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
	return connection == NULL ? (union doca_data){.u64 = 0} : connection->user_data;
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection)
{
	if (comch_connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (atomic_load(&comch_connection->lost) || comch_connection->broken || comch_connection->peer_died)
		return DOCA_ERROR_CONNECTION_ABORTED;
	if (!atomic_load(&comch_connection->established))
		return DOCA_ERROR_CONNECTION_INPROGRESS;
	comch_connection->snapshot = comch_connection->counters;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
					       enum doca_comch_counter counter_type, uint64_t *counter_value)
{
	if (comch_connection == NULL || counter_value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	const struct counters *snapshot = &comch_connection->snapshot;
	switch (counter_type) {
	case DOCA_COMCH_COUNTER_SENT_MESSAGES:
		*counter_value = snapshot->sent_messages;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_SENT_BYTES:
		*counter_value = snapshot->sent_bytes;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_MESSAGES:
		*counter_value = snapshot->received_messages;
		return DOCA_SUCCESS;
	case DOCA_COMCH_COUNTER_RECV_BYTES:
		*counter_value = snapshot->received_bytes;
		return DOCA_SUCCESS;
	default:
		return DOCA_ERROR_INVALID_VALUE;
	}
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}
