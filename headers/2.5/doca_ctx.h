/*
 * The context: the view of a library object that starts, stops and has a state.
 *
 * A context is configured in IDLE and works in RUNNING. Everything asynchronous about it happens in
 * doca_pe_progress of the engine that it is connected to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dpa;
struct doca_gpu;

enum doca_ctx_states {
    DOCA_CTX_STATE_IDLE = 0,     /* configurable, may be started or destroyed */
    DOCA_CTX_STATE_STARTING = 1, /* start was accepted and goes on in progress */
    DOCA_CTX_STATE_RUNNING = 2,  /* tasks may be allocated and submitted */
    DOCA_CTX_STATE_STOPPING = 3  /* tasks come back and must be freed, then IDLE */
};

/*
 * Told of each change of state, after it has happened: inside the start or stop call that causes
 * it, otherwise in progress.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
    struct doca_ctx *ctx, enum doca_ctx_states prev_state, enum doca_ctx_states next_state);

/*
 * Starts an IDLE context. SUCCESS: it is RUNNING. IN_PROGRESS: it is STARTING, progress completes
 * or fails it. NOT_CONNECTED (no progress engine), NOT_SUPPORTED, INITIALIZATION, UNEXPECTED.
 */
DOCA_STABLE doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/*
 * Stops it. SUCCESS: it is IDLE. IN_PROGRESS: it is STOPPING until all tasks have come back and are
 * freed. NOT_CONNECTED, UNEXPECTED.
 */
DOCA_STABLE doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/* The present state. */
DOCA_STABLE doca_error_t doca_ctx_get_state(
    const struct doca_ctx *ctx, enum doca_ctx_states *state);

/* Sets the function that is told of changes of state. */
DOCA_STABLE doca_error_t doca_ctx_set_state_changed_cb(
    struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb);

/* Sets the word that all callbacks of this context receive; 0 at first. */
DOCA_STABLE doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_ctx_get_user_data(
    const struct doca_ctx *ctx, union doca_data *user_data);

/* How many submitted tasks have not been handed to their callback yet. */
DOCA_STABLE doca_error_t doca_ctx_get_num_inflight_tasks(
    const struct doca_ctx *ctx, size_t *num_inflight_tasks);

/* Lets a GPU drive the data path. BAD_STATE unless IDLE. */
DOCA_EXPERIMENTAL doca_error_t doca_ctx_set_datapath_on_gpu(
    struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/* Lets the DPA drive the data path; no progress engine is needed then. BAD_STATE unless IDLE. */
DOCA_EXPERIMENTAL doca_error_t doca_ctx_set_datapath_on_dpa(
    struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */
