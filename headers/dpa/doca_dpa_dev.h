/*
 * What programs on the DPA can call: themselves, their threads, logs, hash tables and completions.
 *
 * For sources that DPACC compiles, or scripts/dpacc for the emulated device. A host program must not
 * include it: doca_dpa.h has some of the same names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

/* Before the first header of DOCA: what they say differs on the DPA. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_DPA_DEVICE
#endif

#include <stddef.h>
#include <stdint.h>

#include "../doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What DPACC understands; to other compilers they say nothing. */
#ifndef __dpa_global__
#define __dpa_global__ /* a kernel: for threads and launches */
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__ /* a function for doca_dpa_rpc */
#endif
#ifndef __forceinline
#define __forceinline static inline __attribute__((always_inline))
#endif

/* Objects, by the handles that the host program has passed. */
typedef uint64_t doca_dpa_dev_t;
typedef uint64_t doca_dpa_dev_uintptr_t;
typedef uint64_t doca_dpa_dev_hash_table_t;
typedef uint64_t doca_dpa_dev_completion_t;
typedef uint64_t doca_dpa_dev_completion_element_t;
typedef uint64_t doca_dpa_dev_async_ops_t;
typedef uint64_t doca_dpa_dev_notification_completion_t;

typedef enum doca_dpa_dev_log_level {
    DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10,
    DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,
    DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40,
    DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,
    DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60,
} doca_dpa_dev_log_level_t;

/* What has ended. */
typedef enum {
    DOCA_DPA_DEV_COMP_SEND = 0,
    DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 1,
    DOCA_DPA_DEV_COMP_RECV_SEND = 2,
    DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 3,
    DOCA_DPA_DEV_COMP_SEND_ERR = 13,
    DOCA_DPA_DEV_COMP_RECV_ERR = 14,
} doca_dpa_dev_completion_type_t;

/* FLUSH: this operation and all before it go out. OPTIMIZE_REPORTS: no completion for this one. */
enum doca_dpa_dev_submit_flag {
    DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = 1,
    DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2,
};

/* ---- the program and its threads ---- */

/* What follows is about objects of this dpa: to be called before those of an extended one. */
DOCA_EXPERIMENTAL void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle);

/* This thread's number among those of its launch or group, from 0. */
DOCA_EXPERIMENTAL unsigned int doca_dpa_dev_thread_rank(void);

/* How many they are. */
DOCA_EXPERIMENTAL unsigned int doca_dpa_dev_num_threads(void);

/* The pointer that the host program has set. */
DOCA_EXPERIMENTAL doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);

/* Lets other threads run. In launched kernels only. */
DOCA_EXPERIMENTAL void doca_dpa_dev_yield(void);

/* Ends this run; the next notification begins another. Does not return. */
DOCA_EXPERIMENTAL void doca_dpa_dev_thread_reschedule(void);

/* Ends the thread for good. Does not return. */
DOCA_EXPERIMENTAL void doca_dpa_dev_thread_finish(void);

/* Wakes the thread of a notification completion. */
DOCA_EXPERIMENTAL void doca_dpa_dev_thread_notify(
    doca_dpa_dev_notification_completion_t comp_handle);

/* ---- logs and traces ---- */

/* Writes a message, if the dpa's level lets it. */
DOCA_EXPERIMENTAL void doca_dpa_dev_log(
    doca_dpa_dev_log_level_t log_level, const char *format, ...) DOCA_PRINTF_FORMAT(2, 3);

#define DOCA_DPA_DEV_LOG_ERR(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_DBG(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Traces five numbers. */
DOCA_EXPERIMENTAL void doca_dpa_dev_trace(
    uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/* Writes what has been traced. */
DOCA_EXPERIMENTAL void doca_dpa_dev_trace_flush(void);

/* ---- hash tables ---- */

/* Adds an entry, or replaces the one of this key. */
DOCA_EXPERIMENTAL void doca_dpa_dev_hash_table_add(
    doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value);

/* Removes an entry, if there is one. */
DOCA_EXPERIMENTAL void doca_dpa_dev_hash_table_remove(
    doca_dpa_dev_hash_table_t ht_handle, uint32_t key);

/* 1 and the value when there is an entry, else 0. */
DOCA_EXPERIMENTAL int doca_dpa_dev_hash_table_find(
    doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value);

/* ---- completions ---- */

/* 1 and the oldest element that was not read, or 0. */
DOCA_EXPERIMENTAL int doca_dpa_dev_get_completion(
    doca_dpa_dev_completion_t dpa_comp_handle, doca_dpa_dev_completion_element_t *comp_element);

/* What has ended. */
DOCA_EXPERIMENTAL doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(
    doca_dpa_dev_completion_element_t comp_element);

/* The number that belongs to the queue of the operation. */
DOCA_EXPERIMENTAL uint32_t doca_dpa_dev_get_completion_user_data(
    doca_dpa_dev_completion_element_t comp_element);

/* The immediate data of what was received. */
DOCA_EXPERIMENTAL uint32_t doca_dpa_dev_get_completion_immediate(
    doca_dpa_dev_completion_element_t comp_element);

/* Since DOCA 3.3. Which of its queue's work requests has ended. */
DOCA_EXPERIMENTAL uint32_t doca_dpa_dev_completion_element_get_wqe_counter(
    doca_dpa_dev_completion_element_t comp_element);

/* Since DOCA 3.3. When that was, by the device's clock. */
DOCA_EXPERIMENTAL uint64_t doca_dpa_dev_completion_element_get_timestamp(
    doca_dpa_dev_completion_element_t comp_element);

/* So many elements have been read: their places are free. */
DOCA_EXPERIMENTAL void doca_dpa_dev_completion_ack(
    doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp);

/* The next element, or one that was not read, starts the thread. */
DOCA_EXPERIMENTAL void doca_dpa_dev_completion_request_notification(
    doca_dpa_dev_completion_t dpa_comp_handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_H_ */
