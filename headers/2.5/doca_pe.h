/*
 * The progress engine, which drives contexts and runs all callbacks, and the tasks it completes.
 *
 * An engine with everything connected to it is for one thread at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stddef.h>
#include <stdint.h>

/*
 * Not needed here, but programs written for DOCA count on getting it with this header. So they do
 * with doca_ctx.h, and with doca_dev.h from there.
 */
#include <stdlib.h>

#include "doca_compat.h"
#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task; /* one piece of work, from the pool of a context */

/* Told that a task has ended; from then on the task belongs to the program again. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* ---- engine ---- */

/* Makes an engine without contexts. NO_MEMORY. */
DOCA_STABLE doca_error_t doca_pe_create(struct doca_pe **pe);

/*
 * Ends an engine. IN_USE until every connected context has been destroyed; stopping is not enough.
 */
DOCA_STABLE doca_error_t doca_pe_destroy(struct doca_pe *pe);

/*
 * Ties a context to an engine for the rest of its life. BAD_STATE unless IDLE, NOT_PERMITTED when
 * it has an engine already, NO_MEMORY.
 */
DOCA_STABLE doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/*
 * Does one step and runs at most one callback, without blocking. 1 when something happened, else 0.
 * `pe` must not be NULL; not to be called from a callback of the same engine.
 */
DOCA_STABLE uint8_t doca_pe_progress(struct doca_pe *pe);

/* Submitted tasks of all connected contexts that have not been handed to their callback yet. */
DOCA_STABLE doca_error_t doca_pe_get_num_inflight_tasks(
    const struct doca_pe *pe, size_t *num_inflight_tasks);

/* ---- waiting for events ---- */

/* The descriptor to wait on. It belongs to the engine and never changes. */
DOCA_STABLE doca_error_t doca_pe_get_notification_handle(
    const struct doca_pe *pe, doca_notification_handle_t *handle);

/* Arms the descriptor: it becomes readable with the next event, at once when one is pending. */
DOCA_STABLE doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/* Makes it unreadable again; `handle` does not matter on Linux. OPERATING_SYSTEM. */
DOCA_STABLE doca_error_t doca_pe_clear_notification(
    struct doca_pe *pe, doca_notification_handle_t handle);

/* ---- tasks ---- */

/*
 * Hands a task to the library, unchecked. On failure it still belongs to the caller; AGAIN when
 * there is no room at the moment.
 */
DOCA_STABLE doca_error_t doca_task_submit(struct doca_task *task);

/* Checks the task first, then submits it. INVALID_VALUE when a field is wrong. */
DOCA_STABLE doca_error_t doca_task_try_submit(struct doca_task *task);

/* Returns a task that is not submitted to its pool. */
DOCA_STABLE void doca_task_free(struct doca_task *task);

/* How the task ended; SUCCESS or an error. Valid until it is submitted again or freed. */
DOCA_STABLE doca_error_t doca_task_get_status(const struct doca_task *task);

/* Sets the word that the task's callback receives; kept over submissions. */
DOCA_STABLE void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/* Reads it back. */
DOCA_STABLE union doca_data doca_task_get_user_data(const struct doca_task *task);

/* The context that the task was allocated from. */
DOCA_STABLE struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
