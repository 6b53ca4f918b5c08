/*
 * Comch, fast path: the consumer, which posts buffers for the peer's producers to write into.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

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
struct doca_dpa_thread;
struct doca_mmap;
struct doca_task;

struct doca_comch_consumer;
struct doca_comch_consumer_completion; /* where a consumer on the DPA reports */
struct doca_comch_consumer_task_post_recv;

/* Name DPA objects in programs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/* Told that a posted buffer was filled, or came back unused. */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- capabilities of a device ---- */

/* SUCCESS when the device can carry consumers, else NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/* Largest pool of post-receive tasks. */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_num_tasks(
    const struct doca_devinfo *devinfo, uint32_t *max_num_tasks);

/* Largest buffer in bytes. NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_buf_size(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_size);

/* Longest list of buffers in one task. NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/* Consumers that one connection can have. */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_consumers(
    const struct doca_devinfo *devinfo, uint32_t *max_consumers);

/* Most immediate data in bytes. */
DOCA_STABLE doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(
    const struct doca_devinfo *devinfo, uint32_t *max_imm_data_len);

/* ---- consumer ---- */

/*
 * Makes a consumer on an established connection; posted buffers lie in `buf_mmap`, which devices
 * may write over PCIe. BAD_STATE (not established), NOT_PERMITTED (the peer cannot), NO_MEMORY.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_create(
    struct doca_comch_connection *comch_connection, struct doca_mmap *buf_mmap,
    struct doca_comch_consumer **consumer);

/* Ends a consumer that is IDLE. INITIALIZATION. */
DOCA_STABLE doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/*
 * The consumer's context; starting it takes progress here and on the control path. NULL for NULL.
 */
DOCA_STABLE struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/* The number that the peer's producers address; unique on this side of the connection. */
DOCA_STABLE doca_error_t doca_comch_consumer_get_id(
    const struct doca_comch_consumer *consumer, uint32_t *id);

/* Sets how much immediate data can arrive, in bytes. BAD_STATE unless IDLE. */
DOCA_STABLE doca_error_t doca_comch_consumer_set_imm_data_len(
    struct doca_comch_consumer *consumer, uint32_t imm_data_len);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_comch_consumer_get_imm_data_len(
    const struct doca_comch_consumer *consumer, uint32_t *imm_data_len);

/* ---- post-receive task ---- */

/*
 * Sizes the pool of tasks and sets their callbacks for success and for errors. BAD_STATE unless
 * IDLE.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);

/*
 * Takes a task that posts `buf`; NULL posts room for immediate data only. Data arrive behind the
 * data that the buffer has. NO_MEMORY when the pool is exhausted.
 */
DOCA_STABLE doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
    struct doca_comch_consumer *consumer, struct doca_buf *buf,
    struct doca_comch_consumer_task_post_recv **task);

/* The buffer. */
DOCA_STABLE struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
    const struct doca_comch_consumer_task_post_recv *task);

/* Changes the buffer, before the next submit. */
DOCA_STABLE void doca_comch_consumer_task_post_recv_set_buf(
    struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf);

/* Who wrote; valid in and after the success callback. */
DOCA_STABLE uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);

/*
 * The immediate data that came along, NULL for none; valid until the task is submitted again or
 * freed.
 */
DOCA_STABLE const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);

/* Their length in bytes. */
DOCA_STABLE uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);

/* The doca_task of a post-receive task. */
DOCA_STABLE struct doca_task *doca_comch_consumer_task_post_recv_as_task(
    struct doca_comch_consumer_task_post_recv *task);

/* ---- consumers that run on the DPA ---- */

/* Makes a completion context for consumers on the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_create(
    struct doca_comch_consumer_completion **consumer_comp);

/* Ends a stopped one. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_destroy(
    struct doca_comch_consumer_completion *consumer_comp);

/* Sets the DPA thread that completions wake. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_set_dpa_thread(
    struct doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread);

/* Sets how many consumers may share it; rounded up to a power of two. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/* Reads it back. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/* Sets how many receives all its consumers may have posted; rounded up to a power of two. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/* Reads it back. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/*
 * Sets the room for immediate data; no less than any of its consumers needs. BAD_STATE when
 * started.
 */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/* Reads it back. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/* Freezes the configuration and allows attaching consumers. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_start(
    struct doca_comch_consumer_completion *consumer_comp);

/* Undoes start; no consumer may be attached. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_stop(
    struct doca_comch_consumer_completion *consumer_comp);

/* Its name on the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/* Attaches a consumer; `user_data` comes back with each completion. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_set_completion(
    struct doca_comch_consumer *consumer, struct doca_comch_consumer_completion *consumer_comp,
    uint32_t user_data);

/* Sets how many receives the DPA may have posted; rounded up to a power of two. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_set_dev_max_num_recv(
    struct doca_comch_consumer *consumer, uint32_t dev_num_recv);

/* The consumer's name on the DPA. BAD_STATE unless started there. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_consumer_get_dpa_handle(
    struct doca_comch_consumer *consumer, doca_dpa_dev_comch_consumer_t *dpa_consumer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */
