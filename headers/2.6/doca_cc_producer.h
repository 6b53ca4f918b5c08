/*
 * Comm Channel, fast path: the producer, which writes into buffers that the peer's consumers have
 * posted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_CC_PRODUCER_H_
#define DOCA_CC_PRODUCER_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_cc_connection;
struct doca_ctx;
struct doca_devinfo;
struct doca_task;

struct doca_cc_producer;
struct doca_cc_producer_task_send;

/* Told that a send task has ended, well or badly. */
typedef void (*doca_cc_producer_task_send_completion_cb_t)(
    struct doca_cc_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- capabilities of a device ---- */

/* SUCCESS when the device can carry producers, else NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_cap_is_supported(
    const struct doca_devinfo *devinfo);

/* Largest pool of send tasks. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_cap_get_max_num_tasks(
    const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/* Largest buffer in bytes. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_cap_get_max_buf_size(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/* Producers that one connection can have. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_cap_get_max_producers(
    const struct doca_devinfo *devinfo, uint32_t *max_producers);

/* ---- producer ---- */

/*
 * Makes a producer on an established connection. BAD_STATE (not established), NOT_PERMITTED (the
 * peer cannot), NO_MEMORY.
 */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_create(
    struct doca_cc_connection *cc_connection, struct doca_cc_producer **producer);

/* Ends a producer that is IDLE. INITIALIZATION. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);

/* The producer's context. NULL for NULL. */
DOCA_EXPERIMENTAL struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

/* The number that the peer's consumers see; never 0. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_get_id(
    const struct doca_cc_producer *producer, uint32_t *id);

/* ---- send task ---- */

/*
 * Sizes the pool of tasks and sets their callbacks for success and for errors. BAD_STATE unless
 * IDLE.
 */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_task_send_set_conf(
    struct doca_cc_producer *producer,
    doca_cc_producer_task_send_completion_cb_t task_completion_cb,
    doca_cc_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/*
 * Takes a task that writes the data of `buf` into the next buffer of a consumer. NO_MEMORY when the
 * pool is exhausted. Submitting it gives AGAIN while the consumer has nothing posted, and
 * INVALID_VALUE when the data are longer than what it has posted.
 */
DOCA_EXPERIMENTAL doca_error_t doca_cc_producer_task_send_alloc_init(
    struct doca_cc_producer *producer, struct doca_buf *buf, uint32_t consumer_id,
    struct doca_cc_producer_task_send **task);

/* The buffer. */
DOCA_EXPERIMENTAL struct doca_buf *doca_cc_producer_task_send_get_buf(
    struct doca_cc_producer_task_send *task);

/* Changes the buffer, before the next submit. */
DOCA_EXPERIMENTAL void doca_cc_producer_task_send_set_buf(
    struct doca_cc_producer_task_send *task, struct doca_buf *buf);

/* The consumer that is addressed. */
DOCA_EXPERIMENTAL uint32_t doca_cc_producer_task_send_get_consumer_id(
    struct doca_cc_producer_task_send *task);

/* Changes the consumer, before the next submit. */
DOCA_EXPERIMENTAL void doca_cc_producer_task_send_set_consumer_id(
    struct doca_cc_producer_task_send *task, const uint32_t consumer_id);

/* The doca_task of a send task. */
DOCA_EXPERIMENTAL struct doca_task *doca_cc_producer_task_send_as_task(
    struct doca_cc_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_PRODUCER_H_ */
