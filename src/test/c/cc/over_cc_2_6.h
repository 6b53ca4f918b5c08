/* DOCA 2.6, see over_cc.h. */
#ifndef TEST_OVER_CC_2_6_H
#define TEST_OVER_CC_2_6_H

#define doca_comch_task_send doca_cc_task_send
#define doca_comch_consumer_task_post_recv doca_cc_consumer_task_post_recv
#define doca_comch_producer_task_send doca_cc_producer_task_send

#define doca_comch_task_send_completion_cb_t doca_cc_task_send_completion_cb_t
#define doca_comch_event_msg_recv_cb_t doca_cc_event_msg_recv_cb_t
#define doca_comch_event_connection_status_changed_cb_t doca_cc_event_connection_status_changed_cb_t
#define doca_comch_event_consumer_cb_t doca_cc_event_consumer_cb_t
#define doca_comch_consumer_task_post_recv_completion_cb_t doca_cc_consumer_task_post_recv_completion_cb_t
#define doca_comch_producer_task_send_completion_cb_t doca_cc_producer_task_send_completion_cb_t

#define doca_comch_consumer_create doca_cc_consumer_create
#define doca_comch_producer_create doca_cc_producer_create
#define doca_comch_consumer_task_post_recv_alloc_init doca_cc_consumer_task_post_recv_alloc_init

/* Without const. */
#define OVER_CC_MUTABLE(type, object) ((type *)(uintptr_t)(object))
#define doca_comch_consumer_task_post_recv_get_buf(task)                                                               \
	doca_cc_consumer_task_post_recv_get_buf(OVER_CC_MUTABLE(struct doca_cc_consumer_task_post_recv, task))
#define doca_comch_consumer_task_post_recv_get_producer_id(task)                                                       \
	doca_cc_consumer_task_post_recv_get_producer_id(OVER_CC_MUTABLE(struct doca_cc_consumer_task_post_recv, task))
#define doca_comch_producer_task_send_get_buf(task)                                                                    \
	doca_cc_producer_task_send_get_buf(OVER_CC_MUTABLE(struct doca_cc_producer_task_send, task))
#define doca_comch_producer_task_send_set_buf(task, buf)                                                               \
	doca_cc_producer_task_send_set_buf(task, OVER_CC_MUTABLE(struct doca_buf, buf))
#define doca_comch_producer_task_send_get_consumer_id(task)                                                            \
	doca_cc_producer_task_send_get_consumer_id(OVER_CC_MUTABLE(struct doca_cc_producer_task_send, task))

#include "over_cc.h"

static inline doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_cc_producer *producer,
								    const struct doca_buf *buf, uint8_t *imm,
								    uint32_t imm_len, uint32_t id,
								    struct doca_cc_producer_task_send **task)
{
	if (imm != NULL || imm_len > 0)
		over_cc_lacks("immediate data");
	return doca_cc_producer_task_send_alloc_init(producer, OVER_CC_MUTABLE(struct doca_buf, buf), id, task);
}

#endif
