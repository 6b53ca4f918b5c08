/*
 * Comch, fast path: the producer, which writes into buffers that the peer's consumers have posted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_comch_connection;
struct doca_ctx;
struct doca_devinfo;
struct doca_dpa_completion;
struct doca_task;

struct doca_comch_producer;
struct doca_comch_producer_task_send;

/* Names a producer in programs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/* Told that a send task has ended, well or badly. */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
    struct doca_comch_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- capabilities of a device ---- */

/* SUCCESS when the device can carry producers, else NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/* Largest pool of send tasks. */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_num_tasks(
    const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/* Largest buffer in bytes. NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_buf_size(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/* Longest list of buffers in one task. NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_buf_list_len(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/* Producers that one connection can have. */
DOCA_STABLE doca_error_t doca_comch_producer_cap_get_max_producers(
    const struct doca_devinfo *devinfo, uint32_t *max_producers);

/* ---- producer ---- */

/*
 * Makes a producer on an established connection. BAD_STATE (not established), NOT_PERMITTED (the
 * peer cannot), NO_MEMORY.
 */
DOCA_STABLE doca_error_t doca_comch_producer_create(
    struct doca_comch_connection *comch_connection, struct doca_comch_producer **producer);

/* Ends a producer that is IDLE. INITIALIZATION. */
DOCA_STABLE doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/* The producer's context. NULL for NULL. */
DOCA_STABLE struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/* The number that the peer's consumers see; unique on this side of the connection, never 0. */
DOCA_STABLE doca_error_t doca_comch_producer_get_id(
    const struct doca_comch_producer *producer, uint32_t *id);

/* ---- send task ---- */

/*
 * Sizes the pool of tasks and sets their callbacks for success and for errors. BAD_STATE unless
 * IDLE.
 */
DOCA_STABLE doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/*
 * Takes a task that writes the data of `buf` into the next buffer of a consumer, with immediate
 * data (copied; NULL and 0 for none). NO_MEMORY when the pool is exhausted. Submitting it gives
 * AGAIN while the consumer has nothing posted.
 */
DOCA_STABLE doca_error_t doca_comch_producer_task_send_alloc_init(
    struct doca_comch_producer *producer, const struct doca_buf *buf, uint8_t *imm_data,
    uint32_t imm_data_len, uint32_t consumer_id, struct doca_comch_producer_task_send **task);

/* The buffer. */
DOCA_STABLE const struct doca_buf *doca_comch_producer_task_send_get_buf(
    const struct doca_comch_producer_task_send *task);

/* Changes the buffer, before the next submit. */
DOCA_STABLE void doca_comch_producer_task_send_set_buf(
    struct doca_comch_producer_task_send *task, const struct doca_buf *buf);

/* The consumer that is addressed. */
DOCA_STABLE uint32_t doca_comch_producer_task_send_get_consumer_id(
    const struct doca_comch_producer_task_send *task);

/* Changes the consumer, before the next submit. */
DOCA_STABLE void doca_comch_producer_task_send_set_consumer_id(
    struct doca_comch_producer_task_send *task, const uint32_t consumer_id);

/* The immediate data, NULL for none. */
DOCA_STABLE uint8_t *doca_comch_producer_task_send_get_imm_data(
    const struct doca_comch_producer_task_send *task);

/* Their length in bytes. */
DOCA_STABLE uint32_t doca_comch_producer_task_send_get_imm_data_len(
    const struct doca_comch_producer_task_send *task);

/* Changes the immediate data (copied), before the next submit. */
DOCA_STABLE void doca_comch_producer_task_send_set_imm_data(
    struct doca_comch_producer_task_send *task, uint8_t *imm_data, uint32_t imm_data_len);

/* The doca_task of a send task. */
DOCA_STABLE struct doca_task *doca_comch_producer_task_send_as_task(
    struct doca_comch_producer_task_send *task);

/* ---- producers that run on the DPA ---- */

/* Sets how many sends the DPA may have in flight; rounded up to a power of two. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_producer_set_dev_max_num_send(
    struct doca_comch_producer *producer, uint32_t dev_num_send);

/* Sets where the producer reports on the DPA; after doca_ctx_set_datapath_on_dpa. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_producer_dpa_completion_attach(
    struct doca_comch_producer *producer, struct doca_dpa_completion *dpa_comp);

/* The producer's name on the DPA. BAD_STATE unless started there. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_producer_get_dpa_handle(
    struct doca_comch_producer *producer, doca_dpa_dev_comch_producer_t *dpa_producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_PRODUCER_H_ */
