/*
 * MsgQ on the DPA: the consumers and producers of doca_comch_msgq.h that run there.
 *
 * A consumer has room for messages (doca_dpa_dev_comch_consumer_ack), and its completion has room for
 * elements (doca_dpa_dev_comch_consumer_completion_ack): a program must give both back. A producer may
 * only send to a consumer that is not empty.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H_
#define DOCA_DPA_DEV_COMCH_MSGQ_H_

#include "doca_dpa_dev.h"
#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_sync_event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t doca_dpa_dev_comch_consumer_t;
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;
typedef uint64_t doca_dpa_dev_comch_producer_t;

/* ---- receiving ---- */

/* Makes room for so many more messages. */
DOCA_EXPERIMENTAL void doca_dpa_dev_comch_consumer_ack(
    doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/* 1 and the oldest message that was not read, or 0. */
DOCA_EXPERIMENTAL int doca_dpa_dev_comch_consumer_get_completion(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
    doca_dpa_dev_comch_consumer_completion_element_t *comp_element);

/* A message's immediate data, valid until its element is given back. */
DOCA_EXPERIMENTAL const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length);

/* Who has sent it. */
DOCA_EXPERIMENTAL uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element);

/* So many elements have been read: their places are free. */
DOCA_EXPERIMENTAL void doca_dpa_dev_comch_consumer_completion_ack(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle, uint64_t num_comp);

/* The next message, or one that was not read, starts the thread. */
DOCA_EXPERIMENTAL void doca_dpa_dev_comch_consumer_completion_request_notification(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle);

/* ---- sending ---- */

/* 1 when the consumer has room for no message. */
DOCA_EXPERIMENTAL int doca_dpa_dev_comch_producer_is_consumer_empty(
    doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id);

/* Sends immediate data. `flags`: enum doca_dpa_dev_submit_flag. */
DOCA_EXPERIMENTAL void doca_dpa_dev_comch_producer_post_send_imm_only(
    doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id, const uint8_t *imm,
    uint32_t imm_length, uint32_t flags);

/* Copies memory from one map to another, and then sends immediate data. */
DOCA_EXPERIMENTAL void doca_dpa_dev_comch_producer_dma_copy(
    doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
    uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap, uint64_t src_addr, size_t length,
    const uint8_t *imm, uint32_t imm_length, uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_COMCH_MSGQ_H_ */
