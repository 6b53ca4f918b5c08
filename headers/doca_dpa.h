/*
 * The DPA, the data-path accelerator of a device, as the host program sees it.
 *
 * A program for the DPA is compiled by DPACC and linked to the host program: an application (struct
 * doca_dpa_app) and its functions. A dpa loads it; memory, threads, completions and calls belong to
 * the dpa.
 *
 * Functions with a list of arguments after `...` take what the function on the DPA takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

/* The first two are not needed here, but programs written for DOCA count on getting them. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_dpa_app;
struct doca_dpa_async_ops;
struct doca_dpa_completion;
struct doca_dpa_eu_affinity;
struct doca_dpa_hash_table;
struct doca_dpa_notification_completion;
struct doca_dpa_tg;
struct doca_dpa_thread;
struct doca_sync_event;

/* Bits of the number that a completion carries back. */
#define DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA (24)

/* What programs on the DPA call these objects. */
typedef uint64_t doca_dpa_dev_t;
typedef uint64_t doca_dpa_dev_uintptr_t;
typedef uint64_t doca_dpa_dev_hash_table_t;
typedef uint64_t doca_dpa_dev_completion_t;
typedef uint64_t doca_dpa_dev_async_ops_t;
typedef uint64_t doca_dpa_dev_notification_completion_t;

/* A function on the DPA, by the symbol that DPACC gives it in the host program. */
typedef void(doca_dpa_func_t)(void);

/* How much of a DPA program's log is written. */
typedef enum doca_dpa_dev_log_level {
    DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10,
    DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,
    DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40,
    DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,
    DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60,
} doca_dpa_dev_log_level_t;

/* ---- life ---- */

/* Whether the device has a DPA. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

/* Makes a dpa on an open device. NOT_SUPPORTED (no DPA), NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/* Ends a dpa, stopping it if it is started. IN_USE while it has children. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/* Loads the application; from here on the dpa has memory, threads and completions. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/* Undoes start. IN_USE while threads, completions or other objects of the dpa exist. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/* Sets the application. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);

/* The application. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/* Copies the application's name; the length is that of the array, and then of the name with NUL. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_app_get_name(
    struct doca_dpa_app *app, char *app_name, uint32_t *app_name_len);

/*
 * Sets which messages of the DPA program are written. BAD_STATE once started, NOT_PERMITTED on an
 * extended dpa.
 */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_set_log_level(
    struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level);

/* The level. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_log_level(
    struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level);

/* Sends the log of the DPA program to a file instead of stdout. BAD_STATE, OPERATING_SYSTEM. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_log_file_set_path(
    struct doca_dpa *dpa, const char *file_path);

/*
 * Copies the path; the length is that of the array, and then of the path with NUL. NO_MEMORY when
 * it is too short.
 */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_log_file_get_path(
    struct doca_dpa *dpa, char *file_path, uint32_t *file_path_len);

/* Sends the traces of the DPA program to a file instead of stdout. BAD_STATE, OPERATING_SYSTEM. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_trace_file_set_path(
    struct doca_dpa *dpa, const char *file_path);

/* Copies the path, as doca_dpa_log_file_get_path. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_trace_file_get_path(
    struct doca_dpa *dpa, char *file_path, uint32_t *file_path_len);

/* How many threads a kernel may be launched with. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_max_threads_per_kernel(
    const struct doca_dpa *dpa, unsigned int *value);

/* How many seconds a kernel may run. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_kernel_max_run_time(
    const struct doca_dpa *dpa, unsigned long long *value);

/*
 * Makes a dpa on another function of the same card. It is started, and it ends before the first.
 * BAD_STATE (the first is not started).
 */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_device_extend(
    struct doca_dpa *dpa, struct doca_dev *other_dev, struct doca_dpa **extended_dpa);

/* The dpa's own handle, for doca_dpa_dev_device_set. BAD_STATE. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_dpa_handle(
    struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/* The number of the page by which the DPA rings doorbells. BAD_STATE. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id);

/* BAD_STATE after a fatal error on the DPA, until the dpa is destroyed. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/* ---- calls ---- */

/*
 * Runs a function on so many threads once the event is above the threshold, and sets the other
 * event when all have ended. Either event may be NULL. Does not wait.
 */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_kernel_launch_update_set(
    struct doca_dpa *dpa, struct doca_sync_event *wait_event, uint64_t wait_threshold,
    struct doca_sync_event *comp_event, uint64_t comp_count, unsigned int num_threads,
    doca_dpa_func_t *func, ...);

/* The same, but adds to the other event. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_kernel_launch_update_add(
    struct doca_dpa *dpa, struct doca_sync_event *wait_event, uint64_t wait_threshold,
    struct doca_sync_event *comp_event, uint64_t comp_count, unsigned int num_threads,
    doca_dpa_func_t *func, ...);

/* Calls a function on the DPA and waits for its result. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_rpc(
    struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...);

/* ---- memory of the DPA ---- */

/* Allocates memory; nobody has cleared it. BAD_STATE, NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_mem_alloc(
    struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/* Frees it. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_mem_free(
    struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/* Copies from the host to the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_h2d_memcpy(
    struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr, void *src_ptr, size_t size);

/* Copies from a buffer's data to the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_h2d_buf_memcpy(
    struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr, struct doca_buf *buf, size_t size);

/* Copies from the DPA to the host. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_d2h_memcpy(
    struct doca_dpa *dpa, void *dst_ptr, doca_dpa_dev_uintptr_t src_ptr, size_t size);

/* Copies from the DPA to a buffer. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_d2h_buf_memcpy(
    struct doca_dpa *dpa, struct doca_buf *buf, doca_dpa_dev_uintptr_t src_ptr, size_t size);

/* Fills memory of the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_memset(
    struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value, size_t size);

/* ---- hash tables on the DPA ---- */

/* Makes a table for so many entries. BAD_STATE, NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_hash_table_create(
    struct doca_dpa *dpa, unsigned int num_entries, struct doca_dpa_hash_table **ht);

/* Ends a table. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht);

/* The table's name on the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_hash_table_get_dpa_handle(
    struct doca_dpa_hash_table *ht, doca_dpa_dev_hash_table_t *ht_handle);

/* ---- execution units ---- */

/* How many cores the DPA has. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores);

/* How many execution units a core has. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_num_eus_per_core(
    struct doca_dpa *dpa, unsigned int *eus_per_core);

/* How many execution units programs can have. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_get_total_num_eus_available(
    struct doca_dpa *dpa, unsigned int *total_num_eus);

/* Makes an affinity, which names no execution unit yet. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_eu_affinity_create(
    struct doca_dpa *dpa, struct doca_dpa_eu_affinity **affinity);

/* Ends an affinity. BAD_STATE. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity);

/* Names an execution unit. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_eu_affinity_set(
    struct doca_dpa_eu_affinity *affinity, unsigned int eu_id);

/* Names none. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity);

/* The execution unit. INVALID_VALUE when none is named. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_eu_affinity_get(
    struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id);

/* ---- threads ---- */

/* Makes a thread. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_create(
    struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread);

/* Ends a thread. DRIVER when it runs and does not end, BAD_STATE. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/* Sets the function and its argument; mandatory. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_set_func_arg(
    struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func, uint64_t arg);

/* The function and its argument. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_get_func_arg(
    struct doca_dpa_thread *dpa_thread, doca_dpa_func_t **func, uint64_t *arg);

/*
 * Sets the pointer that the thread gets from doca_dpa_dev_thread_get_local_storage. BAD_STATE once
 * started.
 */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_set_local_storage(
    struct doca_dpa_thread *dpa_thread, doca_dpa_dev_uintptr_t dev_ptr);

/* The pointer. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_get_local_storage(
    struct doca_dpa_thread *dpa_thread, doca_dpa_dev_uintptr_t *dev_ptr);

/* Binds the thread to an execution unit. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_set_affinity(
    struct doca_dpa_thread *dpa_thread, const struct doca_dpa_eu_affinity *affinity);

/* The affinity, NULL for none. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_get_affinity(
    struct doca_dpa_thread *dpa_thread, const struct doca_dpa_eu_affinity **affinity);

/*
 * Makes the thread ready to be attached. BAD_STATE without function, and while the dpa is not
 * started.
 */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/* Undoes start. DRIVER when it runs and does not end. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/* Lets the thread run at each notification. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/* The thread's number. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_get_id(
    struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id);

/* Makes a group for so many threads. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_group_create(
    struct doca_dpa *dpa, unsigned int num_threads, struct doca_dpa_tg **tg);

/* Ends a group. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg);

/* How many threads it takes. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_group_get_num_threads(
    struct doca_dpa_tg *tg, unsigned int *num_threads);

/* Gives a thread its rank. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_group_set_thread(
    struct doca_dpa_tg *tg, struct doca_dpa_thread *thread, unsigned int rank);

/* Starts the group: from here on its threads know their ranks. BAD_STATE when a rank is missing. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg);

/* Undoes start. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg);

/* ---- completions: where threads learn that something has ended ---- */

/* Makes a completion for at least so many elements. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_create(
    struct doca_dpa *dpa, unsigned int queue_size, struct doca_dpa_completion **dpa_comp);

/* Ends a completion. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);

/* How many elements it holds: a power of two. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_get_queue_size(
    struct doca_dpa_completion *dpa_comp, unsigned int *queue_size);

/* Sets the thread that it notifies. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_set_thread(
    struct doca_dpa_completion *dpa_comp, struct doca_dpa_thread *dpa_thread);

/* The thread, NULL for none. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_get_thread(
    struct doca_dpa_completion *dpa_comp, struct doca_dpa_thread **dpa_thread);

/* Makes it ready to be attached to. BAD_STATE when the dpa or the thread is not started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);

/* Undoes start. Not while anything is attached. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/* Its name on the DPA. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_completion_get_dpa_handle(
    struct doca_dpa_completion *dpa_comp, doca_dpa_dev_completion_t *handle);

/* ---- asynchronous operations of DPA programs ---- */

/* Makes a queue for operations whose completions carry `user_data` (24 bits). NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_create(
    struct doca_dpa *dpa, unsigned int queue_size, uint64_t user_data,
    struct doca_dpa_async_ops **async_ops);

/* Ends a queue. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops);

/* How many operations it holds: a power of two. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_get_queue_size(
    struct doca_dpa_async_ops *async_ops, unsigned int *queue_size);

/* What its completions carry. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_get_user_data(
    struct doca_dpa_async_ops *async_ops, uint64_t *user_data);

/* Sets its completion; mandatory. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_attach(
    struct doca_dpa_async_ops *async_ops, struct doca_dpa_completion *dpa_comp);

/* Makes it ready. BAD_STATE when no started completion is attached. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops);

/* Undoes start. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops);

/* Its name on the DPA. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_async_ops_get_dpa_handle(
    struct doca_dpa_async_ops *async_ops, doca_dpa_dev_async_ops_t *handle);

/* ---- notification completions: by which one thread wakes another ---- */

/* Makes one that wakes a thread. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_notification_completion_create(
    struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
    struct doca_dpa_notification_completion **notify_comp);

/* Ends it. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_notification_completion_destroy(
    struct doca_dpa_notification_completion *notify_comp);

/* The thread. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_notification_completion_get_thread(
    struct doca_dpa_notification_completion *notify_comp, struct doca_dpa_thread **dpa_thread);

/* Makes it ready. BAD_STATE when the dpa or the thread is not started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_notification_completion_start(
    struct doca_dpa_notification_completion *notify_comp);

/* Undoes start. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_notification_completion_stop(
    struct doca_dpa_notification_completion *notify_comp);

/* Its name on the DPA. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_dpa_notification_completion_get_dpa_handle(
    struct doca_dpa_notification_completion *notify_comp,
    doca_dpa_dev_notification_completion_t *handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_H_ */
