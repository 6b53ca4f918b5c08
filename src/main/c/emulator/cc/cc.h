/* The doca_cc generation (DOCA 2.5 and 2.6): Comch under its first name, with other types in its signatures.
 *
 * Servers, clients, connections, tasks and events are those of Comch. For the compiler their structures have Comch's
 * tags here, so that a function of one generation takes what the other one returns, and every difference that is left
 * shows as an error. */
#ifndef EMU_CC_H
#define EMU_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"

#define doca_cc_server doca_comch_server
#define doca_cc_client doca_comch_client
#define doca_cc_connection doca_comch_connection
#define doca_cc_send_task doca_comch_task_send
#define doca_cc_event_msg_recv doca_comch_event_msg_recv
#define doca_cc_event_connection_status_changed doca_comch_event_connection_status_changed
#define doca_cc_event_consumer doca_comch_event_consumer
#define doca_cc_consumer doca_comch_consumer
#define doca_cc_consumer_post_recv_task doca_comch_consumer_task_post_recv
#define doca_cc_producer doca_comch_producer
#define doca_cc_producer_send_task doca_comch_producer_task_send

#include "doca_cc.h"
#include "doca_cc_consumer.h"
#include "doca_cc_producer.h"

/* A size or length as Comch has it. One of more than 32 bits becomes the largest there is, which is above every limit
 * of the device and refused like any other that is too large. */
static inline uint32_t cc_narrow(size_t size)
{
	return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* The tasks of a pool that is given by its binary logarithm; 0 is a pool of one. */
static inline uint32_t cc_pool_size(size_t log_num_tasks)
{
	return log_num_tasks < 32 ? UINT32_C(1) << log_num_tasks : UINT32_MAX;
}

/* What a function that asks Comch for a number answers: it is written on success only. By address, because the call
 * that gives `result` fills it in. */
static inline doca_error_t cc_widen(doca_error_t result, const uint32_t *value, size_t *out)
{
	if (out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS)
		*out = *value;
	return result;
}

#endif
