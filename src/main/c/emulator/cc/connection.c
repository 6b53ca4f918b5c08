/* Connections and the tasks on them. */
#include "cc.h"

doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection, union doca_data user_data)
{
	return doca_comch_connection_set_user_data(connection, user_data);
}

union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *connection)
{
	return doca_comch_connection_get_user_data(connection);
}

doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection)
{
	return doca_comch_connection_update_info(cc_connection);
}

doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
					    enum doca_cc_counter counter_type, uint64_t *counter_value)
{
	/* The values are the same. */
	return doca_comch_connection_get_counter(cc_connection, (enum doca_comch_counter)counter_type, counter_value);
}

struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task)
{
	return doca_comch_task_send_as_task(task);
}
