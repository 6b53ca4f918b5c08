/* DOCA 2.5, see over_cc.h. A pool of tasks is as large as the next power of two. */
#ifndef TEST_OVER_CC_2_5_H
#define TEST_OVER_CC_2_5_H

#define doca_comch_task_send doca_cc_send_task
#define doca_comch_consumer_task_post_recv doca_cc_consumer_post_recv_task
#define doca_comch_producer_task_send doca_cc_producer_send_task

#include "over_cc.h"

#define doca_comch_task_send_completion_cb_t doca_cc_send_task_comp_handler
#define doca_comch_task_send_as_task doca_cc_send_task_as_task
#define doca_comch_event_consumer_cb_t doca_cc_event_consumer_cb_t
#define doca_comch_consumer_create doca_cc_consumer_create
#define doca_comch_consumer_task_post_recv_completion_cb_t doca_cc_consumer_post_recv_task_comp_handler
#define doca_comch_consumer_task_post_recv_alloc_init doca_cc_consumer_post_recv_task_alloc_init
#define doca_comch_consumer_task_post_recv_set_buf doca_cc_consumer_post_recv_task_set_buf
#define doca_comch_consumer_task_post_recv_as_task doca_cc_consumer_post_recv_task_as_task
#define doca_comch_producer_create doca_cc_producer_create
#define doca_comch_producer_task_send_completion_cb_t doca_cc_producer_send_task_comp_handler
#define doca_comch_producer_task_send_as_task doca_cc_producer_send_task_as_task

/* ---- numbers ---- */

static inline doca_error_t over_cc_number(doca_error_t result, const size_t *wide, uint32_t *narrow)
{
	if (result == DOCA_SUCCESS)
		*narrow = (uint32_t)*wide;
	return result;
}

#define OVER_CC_NUMBER(comch, cc, type)                                                                                \
	static inline doca_error_t comch(type object, uint32_t *value)                                                 \
	{                                                                                                              \
		size_t wide = 0;                                                                                       \
		return over_cc_number(cc(object, value == NULL ? NULL : &wide), &wide, value);                         \
	}

OVER_CC_NUMBER(doca_comch_cap_get_max_msg_size, doca_cc_cap_get_max_msg_size, const struct doca_devinfo *)
OVER_CC_NUMBER(doca_comch_cap_get_max_recv_queue_size, doca_cc_cap_get_max_recv_queue_size, const struct doca_devinfo *)
OVER_CC_NUMBER(doca_comch_cap_get_max_clients, doca_cc_cap_get_max_clients, const struct doca_devinfo *)
OVER_CC_NUMBER(doca_comch_cap_get_max_send_tasks, doca_cc_cap_get_max_send_tasks, const struct doca_devinfo *)
OVER_CC_NUMBER(doca_comch_consumer_cap_get_max_buf_size, doca_cc_consumer_cap_get_max_buf_size,
	       const struct doca_devinfo *)
OVER_CC_NUMBER(doca_comch_producer_cap_get_max_buf_size, doca_cc_producer_cap_get_max_buf_size,
	       const struct doca_devinfo *)
OVER_CC_NUMBER(doca_comch_server_get_max_msg_size, doca_cc_server_get_max_msg_size, const struct doca_cc_server *)
OVER_CC_NUMBER(doca_comch_client_get_max_msg_size, doca_cc_client_get_max_msg_size, const struct doca_cc_client *)
OVER_CC_NUMBER(doca_comch_server_get_recv_queue_size, doca_cc_server_get_recv_queue_size, const struct doca_cc_server *)
OVER_CC_NUMBER(doca_comch_client_get_recv_queue_size, doca_cc_client_get_recv_queue_size, const struct doca_cc_client *)

static inline doca_error_t over_cc_power(doca_error_t result, const size_t *log, uint32_t *number)
{
	if (result == DOCA_SUCCESS)
		*number = UINT32_C(1) << *log;
	return result;
}

static inline doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max)
{
	size_t log = 0;
	return over_cc_power(doca_cc_consumer_cap_get_max_log_num_tasks(devinfo, max == NULL ? NULL : &log), &log, max);
}

static inline doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max)
{
	size_t log = 0;
	return over_cc_power(doca_cc_producer_cap_get_max_log_num_tasks(devinfo, max == NULL ? NULL : &log), &log, max);
}

static inline doca_error_t doca_comch_server_set_max_msg_size(struct doca_cc_server *server, uint32_t size)
{
	return doca_cc_server_set_max_msg_size(server, size);
}

static inline doca_error_t doca_comch_client_set_max_msg_size(struct doca_cc_client *client, uint32_t size)
{
	return doca_cc_client_set_max_msg_size(client, size);
}

static inline doca_error_t doca_comch_server_set_recv_queue_size(struct doca_cc_server *server, uint32_t size)
{
	return doca_cc_server_set_recv_queue_size(server, size);
}

static inline doca_error_t doca_comch_client_set_recv_queue_size(struct doca_cc_client *client, uint32_t size)
{
	return doca_cc_client_set_recv_queue_size(client, size);
}

/* The logarithm of a pool that has room for so many; no pool at all is what no logarithm says. */
static inline uint8_t over_cc_log(uint32_t number)
{
	uint8_t log = 0;
	while (log < 32 && (UINT64_C(1) << log) < number)
		log++;
	return number == 0 ? UINT8_MAX : log;
}

#define MOST_SEND_TASKS 8192

static inline doca_error_t doca_comch_server_task_send_set_conf(struct doca_cc_server *server,
								doca_cc_send_task_comp_handler completed,
								doca_cc_send_task_comp_handler failed, uint32_t num)
{
	return doca_cc_server_send_task_set_conf(server, completed, failed, over_cc_log(num));
}

static inline doca_error_t doca_comch_client_task_send_set_conf(struct doca_cc_client *client,
								doca_cc_send_task_comp_handler completed,
								doca_cc_send_task_comp_handler failed, uint32_t num)
{
	return doca_cc_client_send_task_set_conf(client, completed, failed, over_cc_log(num));
}

static inline doca_error_t
doca_comch_consumer_task_post_recv_set_conf(struct doca_cc_consumer *consumer,
					    doca_cc_consumer_post_recv_task_comp_handler completed,
					    doca_cc_consumer_post_recv_task_comp_handler failed, uint32_t num)
{
	return doca_cc_consumer_post_recv_task_set_conf(consumer, completed, failed, over_cc_log(num));
}

static inline doca_error_t doca_comch_producer_task_send_set_conf(struct doca_cc_producer *producer,
								  doca_cc_producer_send_task_comp_handler completed,
								  doca_cc_producer_send_task_comp_handler failed,
								  uint32_t num)
{
	return doca_cc_producer_send_task_set_conf(producer, completed, failed, over_cc_log(num));
}

static inline doca_error_t doca_comch_server_task_send_alloc_init(struct doca_cc_server *server,
								  struct doca_cc_connection *peer, const void *message,
								  uint32_t len, struct doca_cc_send_task **task)
{
	return doca_cc_server_send_task_alloc_init(server, peer, message, len, task);
}

static inline doca_error_t doca_comch_client_task_send_alloc_init(struct doca_cc_client *client,
								  struct doca_cc_connection *peer, const void *message,
								  uint32_t len, struct doca_cc_send_task **task)
{
	return doca_cc_client_send_task_alloc_init(client, peer, message, len, task);
}

/* ---- callbacks: a source file has one of each kind ---- */

typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event, uint8_t *bytes, uint32_t len,
					       struct doca_cc_connection *connection);
typedef void (*doca_comch_event_connection_status_changed_cb_t)(struct doca_cc_event_connection_status_changed *event,
								struct doca_cc_connection *connection,
								uint8_t change_successful);

static _Atomic(doca_comch_event_msg_recv_cb_t) over_cc_received;
static _Atomic(doca_comch_event_connection_status_changed_cb_t) over_cc_connected, over_cc_disconnected;

static inline void over_cc_on_received(struct doca_cc_event_msg_recv *event, uint8_t *bytes, size_t len,
				       struct doca_cc_connection *connection)
{
	atomic_load (&over_cc_received)(event, bytes, (uint32_t)len, connection);
}

static inline void over_cc_on_connected(struct doca_cc_event_connection_status_changed *event,
					struct doca_cc_connection *connection, bool change_successful)
{
	atomic_load (&over_cc_connected)(event, connection, change_successful);
}

static inline void over_cc_on_disconnected(struct doca_cc_event_connection_status_changed *event,
					   struct doca_cc_connection *connection, bool change_successful)
{
	atomic_load (&over_cc_disconnected)(event, connection, change_successful);
}

static inline doca_cc_event_msg_recv_cb_t over_cc_message_callback(doca_comch_event_msg_recv_cb_t received)
{
	if (received != NULL)
		atomic_store(&over_cc_received, received);
	return received == NULL ? NULL : over_cc_on_received;
}

static inline doca_error_t doca_comch_server_event_msg_recv_register(struct doca_cc_server *server,
								     doca_comch_event_msg_recv_cb_t received)
{
	return doca_cc_server_event_msg_recv_register(server, over_cc_message_callback(received));
}

static inline doca_error_t doca_comch_client_event_msg_recv_register(struct doca_cc_client *client,
								     doca_comch_event_msg_recv_cb_t received)
{
	return doca_cc_client_event_msg_recv_register(client, over_cc_message_callback(received));
}

static inline doca_error_t
doca_comch_server_event_connection_status_changed_register(struct doca_cc_server *server,
							   doca_comch_event_connection_status_changed_cb_t connected,
							   doca_comch_event_connection_status_changed_cb_t disconnected)
{
	if (connected != NULL)
		atomic_store(&over_cc_connected, connected);
	if (disconnected != NULL)
		atomic_store(&over_cc_disconnected, disconnected);
	return doca_cc_server_event_connection_register(server, connected == NULL ? NULL : over_cc_on_connected,
							disconnected == NULL ? NULL : over_cc_on_disconnected);
}

/* ---- the fast path ---- */

static inline struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_cc_consumer_post_recv_task *task)
{
	return doca_cc_consumer_post_recv_task_get_buf((struct doca_cc_consumer_post_recv_task *)(uintptr_t)task);
}

static inline const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_cc_producer_send_task *task)
{
	return doca_cc_producer_send_task_get_buf((struct doca_cc_producer_send_task *)(uintptr_t)task);
}

static inline void doca_comch_producer_task_send_set_buf(struct doca_cc_producer_send_task *task,
							 const struct doca_buf *buf)
{
	doca_cc_producer_send_task_set_buf(task, (struct doca_buf *)(uintptr_t)buf);
}

static inline uint32_t doca_comch_producer_task_send_get_consumer_id(const struct doca_cc_producer_send_task *task)
{
	return (uint32_t)doca_cc_producer_send_task_get_consumer_id(
		(struct doca_cc_producer_send_task *)(uintptr_t)task);
}

static inline void doca_comch_producer_task_send_set_consumer_id(struct doca_cc_producer_send_task *task, uint32_t id)
{
	doca_cc_producer_send_task_set_consumer_id(task, (int)id);
}

static inline doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_cc_producer *producer,
								    const struct doca_buf *buf, uint8_t *imm,
								    uint32_t imm_len, uint32_t id,
								    struct doca_cc_producer_send_task **task)
{
	if (imm != NULL || imm_len > 0)
		over_cc_lacks("immediate data");
	return doca_cc_producer_send_task_alloc_init(producer, (struct doca_buf *)(uintptr_t)buf, (int)id, task);
}

/* ---- what there is not ---- */

#define doca_comch_producer_get_id(producer, id)                                                                       \
	((void)(producer), (void)(id), over_cc_lacks("producer_get_id"), DOCA_ERROR_NOT_SUPPORTED)
#define doca_comch_consumer_task_post_recv_get_producer_id(task)                                                       \
	((void)(task), over_cc_lacks("get_producer_id"), UINT32_C(0))

#endif
