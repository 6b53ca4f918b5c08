/* Consumers and producers, which in both releases lack what came to Comch later: immediate data, lists of buffers. */
#include "cc.h"
#include "connection/connection.h"
#include "control/endpoint.h"
#include "fast/producer.h"
#include "log/sdk_log.h"

/* The guide of DOCA 2.6 makes the callback mandatory, and does not say which call refuses without it. */
static void warn_without_consumer_callbacks(const struct doca_comch_connection *connection)
{
	if (connection->endpoint->consumer_new == NULL)
		EMU_LOG_WARNING("\"%s\" has no callback for new consumers, which the guide of DOCA 2.6 makes mandatory",
				connection->endpoint->name);
}

doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection, struct doca_mmap *buf_mmap,
				     struct doca_cc_consumer **consumer)
{
	doca_error_t result = doca_comch_consumer_create(cc_connection, buf_mmap, consumer);
	if (result != DOCA_SUCCESS)
		return result;
	warn_without_consumer_callbacks(cc_connection);
	/* A Comch producer that sends immediate data is refused. */
	return doca_comch_consumer_set_imm_data_len(*consumer, 0);
}

doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection, struct doca_cc_producer **producer)
{
	doca_error_t result = doca_comch_producer_create(cc_connection, producer);
	if (result != DOCA_SUCCESS)
		return result;
	warn_without_consumer_callbacks(cc_connection);
	(*producer)->max_list = 1; /* whatever the device can do */
	return DOCA_SUCCESS;
}
