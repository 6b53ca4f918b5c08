/*
 * Sync events on the DPA.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H_
#define DOCA_DPA_DEV_SYNC_EVENT_H_

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/* The value. */
DOCA_EXPERIMENTAL void doca_dpa_dev_sync_event_get(
    doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value);

/* Adds to the value. */
DOCA_EXPERIMENTAL void doca_dpa_dev_sync_event_update_add(
    doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value);

/* Sets the value. */
DOCA_EXPERIMENTAL void doca_dpa_dev_sync_event_update_set(
    doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value);

/* Waits until the value in the mask's bits is greater than `value`. */
DOCA_EXPERIMENTAL void doca_dpa_dev_sync_event_wait_gt(
    doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value, uint64_t mask);

/* What is posted after this begins when the value is greater than `value`. */
DOCA_EXPERIMENTAL void doca_dpa_dev_sync_event_post_wait_gt(
    doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_sync_event_t wait_se_handle,
    uint64_t value);

/* What is posted after this begins when the value is not `value`. */
DOCA_EXPERIMENTAL void doca_dpa_dev_sync_event_post_wait_ne(
    doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_sync_event_t wait_se_handle,
    uint64_t value);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_SYNC_EVENT_H_ */
