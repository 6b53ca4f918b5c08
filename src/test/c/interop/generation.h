/* Comch's names under which sample.c uses it, in each generation: since DOCA 2.7, or as doca_cc in DOCA 2.5 and 2.6
 * (-DGENERATION_2_5, -DGENERATION_2_6). */
#ifndef INTEROP_GENERATION_H
#define INTEROP_GENERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef GENERATION_2_5

#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>

#define SERVER_PREFIX "cc_"
#define CALL(name) doca_cc_##name
#define MESSAGE_TASK(name) doca_cc_send_task##name
#define RECEIVE_TASK(name) doca_cc_consumer_post_recv_task##name
#define PAYLOAD_TASK(name) doca_cc_producer_send_task##name
#define END_TASK(end, name) doca_cc_##end##_send_task_##name
#define SERVER_EVENT_CONNECTION doca_cc_server_event_connection_register
/* A pool of 2^n tasks. */
#define POOL(n) (n)
typedef size_t message_size;
typedef bool has_succeeded;

static inline doca_error_t payload_alloc(struct doca_cc_producer *producer, struct doca_buf *buf, uint32_t consumer,
					 struct doca_cc_producer_send_task **task)
{
	return doca_cc_producer_send_task_alloc_init(producer, buf, (int)consumer, task);
}

#else

#ifdef GENERATION_2_6

#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>

#define SERVER_PREFIX "cc_"
#define CALL(name) doca_cc_##name
#define SERVER_EVENT_CONNECTION doca_cc_server_event_connection_register

static inline doca_error_t payload_alloc(struct doca_cc_producer *producer, struct doca_buf *buf, uint32_t consumer,
					 struct doca_cc_producer_task_send **task)
{
	return doca_cc_producer_task_send_alloc_init(producer, buf, consumer, task);
}

#else

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#define SERVER_PREFIX "comch_"
#define CALL(name) doca_comch_##name
#define SERVER_EVENT_CONNECTION doca_comch_server_event_connection_status_changed_register

static inline doca_error_t payload_alloc(struct doca_comch_producer *producer, struct doca_buf *buf, uint32_t consumer,
					 struct doca_comch_producer_task_send **task)
{
	return doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, consumer, task);
}

#endif

#define MESSAGE_TASK(name) CALL(task_send##name)
#define RECEIVE_TASK(name) CALL(consumer_task_post_recv##name)
#define PAYLOAD_TASK(name) CALL(producer_task_send##name)
#define END_TASK(end, name) CALL(end##_task_send_##name)
#define POOL(n) (UINT32_C(1) << (n))
typedef uint32_t message_size;
typedef uint8_t has_succeeded;

#endif

#endif
