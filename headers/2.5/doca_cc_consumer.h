/*
 * Comm Channel, fast path: the consumer, which posts buffers for the peer's producers to write
 * into.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_CC_CONSUMER_H_
#define DOCA_CC_CONSUMER_H_

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
struct doca_mmap;
struct doca_task;

struct doca_cc_consumer;
struct doca_cc_consumer_post_recv_task;

/* Told that a posted buffer was filled, or came back unused. */
typedef void (*doca_cc_consumer_post_recv_task_comp_handler)(
    struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- capabilities of a device ---- */

/* SUCCESS when the device can carry consumers, else NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_cap_is_consumer_supported(
    const struct doca_devinfo *devinfo);

/* Largest pool of post-receive tasks, as a binary logarithm. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(
    const struct doca_devinfo *devinfo, size_t *max_log_num_tasks);

/* Largest buffer in bytes. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_cap_get_max_buf_size(
    const struct doca_devinfo *devinfo, size_t *max_buf_size);

/* ---- consumer ---- */

/*
 * Makes a consumer on an established connection; posted buffers lie in `buf_mmap`, which devices
 * may write over PCIe. BAD_STATE (not established), NOT_PERMITTED (the peer cannot), NO_MEMORY.
 */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_create(
    struct doca_cc_connection *cc_connection, struct doca_mmap *buf_mmap,
    struct doca_cc_consumer **consumer);

/* Ends a consumer that is IDLE. INITIALIZATION. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);

/*
 * The consumer's context; starting it takes progress here and on the control path. NULL for NULL.
 */
DOCA_EXPERIMENTAL struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);

/* The number that the peer's producers address; unique on this side of the connection. */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_get_id(
    const struct doca_cc_consumer *consumer, uint32_t *id);

/* ---- post-receive task ---- */

/*
 * Sizes the pool of tasks, 2^log_num_tasks, and sets their callbacks for success and for errors.
 * BAD_STATE unless IDLE.
 */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_post_recv_task_set_conf(
    struct doca_cc_consumer *consumer,
    doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
    doca_cc_consumer_post_recv_task_comp_handler task_error_cb, size_t log_num_tasks);

/*
 * Takes a task that posts `buf`. Data arrive behind the data that the buffer has. NO_MEMORY when
 * the pool is exhausted.
 */
DOCA_EXPERIMENTAL doca_error_t doca_cc_consumer_post_recv_task_alloc_init(
    struct doca_cc_consumer *consumer, struct doca_buf *buf,
    struct doca_cc_consumer_post_recv_task **task);

/* The buffer. */
DOCA_EXPERIMENTAL struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(
    struct doca_cc_consumer_post_recv_task *task);

/* Changes the buffer, before the next submit. */
DOCA_EXPERIMENTAL void doca_cc_consumer_post_recv_task_set_buf(
    struct doca_cc_consumer_post_recv_task *task, struct doca_buf *buf);

/* The doca_task of a post-receive task. */
DOCA_EXPERIMENTAL struct doca_task *doca_cc_consumer_post_recv_task_as_task(
    struct doca_cc_consumer_post_recv_task *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_CONSUMER_H_ */
