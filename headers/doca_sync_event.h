/*
 * Sync events: numbers of 64 bits that CPU and DPA change and wait for.
 *
 * What programs for the DPA need, and tasks; no GPU. What is of the other side of the PCI bus or of
 * another machine is NOT_SUPPORTED here. Changed by its publishers, waited for by its subscribers; each
 * side has one or more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_sync_event;
struct doca_sync_event_remote_net;
struct doca_task;

/* What programs on the DPA call an event. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/* ---- life ---- */

/* Makes an event whose value is 0. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/* Ends an event. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/* The CPU changes it. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_publisher_location_cpu(
    struct doca_sync_event *event, struct doca_dev *dev);

/* The DPA changes it. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_publisher_location_dpa(
    struct doca_sync_event *event, struct doca_dpa *dpa);

/* Another machine changes it. NOT_SUPPORTED here. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_publisher_location_remote_net(
    struct doca_sync_event *event);

/* The CPU waits for it. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_subscriber_location_cpu(
    struct doca_sync_event *event, struct doca_dev *dev);

/* The DPA waits for it. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_subscriber_location_dpa(
    struct doca_sync_event *event, struct doca_dpa *dpa);

/* Makes it ready. INVALID_VALUE without publisher or subscriber. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/* Undoes start. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/* Whether the device's DPA can have events. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(
    const struct doca_devinfo *devinfo);

/* The event's name on a DPA that is one of its publishers or subscribers. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_get_dpa_handle(
    struct doca_sync_event *event, struct doca_dpa *dpa,
    doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/* ---- values ---- */

/* The value. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/* Adds to the value, modulo 2^64, and tells what it was. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_update_add(
    struct doca_sync_event *event, uint64_t value, uint64_t *fetched);

/* Sets the value. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_update_set(
    struct doca_sync_event *event, uint64_t value);

/* Waits, busily, until the value in the mask's bits is greater than `value`. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_wait_gt(
    struct doca_sync_event *event, uint64_t value, uint64_t mask);

/* The same, giving the processor away meanwhile. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_wait_gt_yield(
    struct doca_sync_event *event, uint64_t value, uint64_t mask);

/* Waits until it is equal to `value`. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_wait_eq(
    struct doca_sync_event *event, uint64_t value, uint64_t mask);

/* The same, giving the processor away meanwhile. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_wait_eq_yield(
    struct doca_sync_event *event, uint64_t value, uint64_t mask);

/* Waits until it is not equal to `value`. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_wait_neq(
    struct doca_sync_event *event, uint64_t value, uint64_t mask);

/* The same, giving the processor away meanwhile. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_wait_neq_yield(
    struct doca_sync_event *event, uint64_t value, uint64_t mask);

/* ---- tasks ---- */

/* The event as a context, which doca_ctx_start and doca_ctx_stop start and stop then. */
DOCA_EXPERIMENTAL struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/* Reads the value. */
struct doca_sync_event_task_get;
typedef void (*doca_sync_event_task_get_completion_cb_t)(
    struct doca_sync_event_task_get *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Whether the device can. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_task_get_is_supported(
    const struct doca_devinfo *devinfo);

/* So many tasks, and what their ends call. Before the start: else NOT_PERMITTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/* Takes one; NO_MEMORY when all are out, BAD_STATE unless the context is RUNNING. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_get_alloc_init(
    struct doca_sync_event *event, uint64_t *ret_val_ptr, union doca_data user_data,
    struct doca_sync_event_task_get **task);

/* To submit and to free it. */
DOCA_EXPERIMENTAL struct doca_task *doca_sync_event_task_get_as_doca_task(
    struct doca_sync_event_task_get *task);

DOCA_EXPERIMENTAL void doca_sync_event_task_get_set_ret_val_ptr(
    struct doca_sync_event_task_get *task, uint64_t *ret_val_ptr);
DOCA_EXPERIMENTAL uint64_t *doca_sync_event_task_get_get_ret_val_ptr(
    const struct doca_sync_event_task_get *task);

/* Sets the value. */
struct doca_sync_event_task_notify_set;
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
    struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Whether the device can. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_task_notify_set_is_supported(
    const struct doca_devinfo *devinfo);

/* So many tasks, and what their ends call. Before the start: else NOT_PERMITTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/* Takes one; NO_MEMORY when all are out, BAD_STATE unless the context is RUNNING. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_notify_set_alloc_init(
    struct doca_sync_event *event, uint64_t set_val, union doca_data user_data,
    struct doca_sync_event_task_notify_set **task);

/* To submit and to free it. */
DOCA_EXPERIMENTAL struct doca_task *doca_sync_event_task_notify_set_as_doca_task(
    struct doca_sync_event_task_notify_set *task);

DOCA_EXPERIMENTAL void doca_sync_event_task_notify_set_set_set_val(
    struct doca_sync_event_task_notify_set *task, uint64_t set_val);
DOCA_EXPERIMENTAL uint64_t doca_sync_event_task_notify_set_get_set_val(
    const struct doca_sync_event_task_notify_set *task);

/* Adds to the value, modulo 2^64, and tells what it was. */
struct doca_sync_event_task_notify_add;
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
    struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Whether the device can. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_task_notify_add_is_supported(
    const struct doca_devinfo *devinfo);

/* So many tasks, and what their ends call. Before the start: else NOT_PERMITTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/* Takes one; NO_MEMORY when all are out, BAD_STATE unless the context is RUNNING. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_notify_add_alloc_init(
    struct doca_sync_event *event, uint64_t inc_val, uint64_t *fetched_val_ptr,
    union doca_data user_data, struct doca_sync_event_task_notify_add **task);

/* To submit and to free it. */
DOCA_EXPERIMENTAL struct doca_task *doca_sync_event_task_notify_add_as_doca_task(
    struct doca_sync_event_task_notify_add *task);

DOCA_EXPERIMENTAL void doca_sync_event_task_notify_add_set_inc_val(
    struct doca_sync_event_task_notify_add *task, uint64_t inc_val);
DOCA_EXPERIMENTAL uint64_t doca_sync_event_task_notify_add_get_inc_val(
    const struct doca_sync_event_task_notify_add *task);
DOCA_EXPERIMENTAL void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);
DOCA_EXPERIMENTAL uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task);

/* Waits until the value in the mask's bits is equal to `wait_val`. */
struct doca_sync_event_task_wait_eq;
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
    struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Whether the device can. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(
    const struct doca_devinfo *devinfo);

/* So many tasks, and what their ends call. Before the start: else NOT_PERMITTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/* Takes one; NO_MEMORY when all are out, BAD_STATE unless the context is RUNNING. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_wait_eq_alloc_init(
    struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
    struct doca_sync_event_task_wait_eq **task);

/* To submit and to free it. */
DOCA_EXPERIMENTAL struct doca_task *doca_sync_event_task_wait_eq_as_doca_task(
    struct doca_sync_event_task_wait_eq *task);

DOCA_EXPERIMENTAL void doca_sync_event_task_wait_eq_set_wait_val(
    struct doca_sync_event_task_wait_eq *task, uint64_t wait_val);
DOCA_EXPERIMENTAL uint64_t doca_sync_event_task_wait_eq_get_wait_val(
    const struct doca_sync_event_task_wait_eq *task);
DOCA_EXPERIMENTAL void doca_sync_event_task_wait_eq_set_mask(
    struct doca_sync_event_task_wait_eq *task, uint64_t mask);
DOCA_EXPERIMENTAL uint64_t doca_sync_event_task_wait_eq_get_mask(
    const struct doca_sync_event_task_wait_eq *task);

/* Waits until it is not equal to `wait_val`. */
struct doca_sync_event_task_wait_neq;
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
    struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Whether the device can. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(
    const struct doca_devinfo *devinfo);

/* So many tasks, and what their ends call. Before the start: else NOT_PERMITTED. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/* Takes one; NO_MEMORY when all are out, BAD_STATE unless the context is RUNNING. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_task_wait_neq_alloc_init(
    struct doca_sync_event *event, uint64_t wait_val, uint64_t mask, union doca_data user_data,
    struct doca_sync_event_task_wait_neq **task);

/* To submit and to free it. */
DOCA_EXPERIMENTAL struct doca_task *doca_sync_event_task_wait_neq_as_doca_task(
    struct doca_sync_event_task_wait_neq *task);

DOCA_EXPERIMENTAL void doca_sync_event_task_wait_neq_set_wait_val(
    struct doca_sync_event_task_wait_neq *task, uint64_t wait_val);
DOCA_EXPERIMENTAL uint64_t doca_sync_event_task_wait_neq_get_wait_val(
    const struct doca_sync_event_task_wait_neq *task);
DOCA_EXPERIMENTAL void doca_sync_event_task_wait_neq_set_mask(
    struct doca_sync_event_task_wait_neq *task, uint64_t mask);
DOCA_EXPERIMENTAL uint64_t doca_sync_event_task_wait_neq_get_mask(
    const struct doca_sync_event_task_wait_neq *task);

/* ---- events of the other side of the PCI bus: NOT_SUPPORTED here ---- */

/* The other side changes it, or waits for it. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_publisher_location_remote_pci(
    struct doca_sync_event *event);
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_add_subscriber_location_remote_pci(
    struct doca_sync_event *event);

/* Whether the device can describe an event to the other side, and whether it can take one. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_is_export_to_remote_pci_supported(
    const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_cap_is_create_from_export_supported(
    const struct doca_devinfo *devinfo);

/* Describes an event to the other side. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_export_to_remote_pci(
    struct doca_sync_event *event, struct doca_dev *dev, const uint8_t **data, size_t *sz);

/* Makes what stands for the other side's event. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_create_from_export(
    struct doca_dev *dev, const uint8_t *data, size_t sz, struct doca_sync_event **event);

/* ---- events of other machines: NOT_SUPPORTED here ---- */

/* Describes an event to another machine. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_export_to_remote_net(
    struct doca_sync_event *event, const uint8_t **data, size_t *sz);

/* Makes what stands for another machine's event. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_remote_net_create_from_export(
    struct doca_dev *dev, const uint8_t *data, size_t sz,
    struct doca_sync_event_remote_net **event);

/* Ends it. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_remote_net_destroy(
    struct doca_sync_event_remote_net *event);

/* Its name on the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_sync_event_remote_net_get_dpa_handle(
    struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
    doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */
