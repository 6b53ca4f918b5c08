/*
 * Logging.
 *
 * Application records come from programs, SDK records from the libraries; a backend takes one of
 * the two streams (SDK: those made by a function ending in _sdk). A backend cannot be ended;
 * streams, descriptors and buffers stay the program's.
 *
 * A program names each source file once, DOCA_LOG_REGISTER(NAME), and then writes records, such as
 * DOCA_LOG_ERR("sent %d of %d", sent, all).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_log_backend;

/*
 * A record passes when its level lies between a backend's upper (most severe) and lower (most
 * talkative) limit.
 */
enum doca_log_level {
    DOCA_LOG_LEVEL_DISABLE = 10,
    DOCA_LOG_LEVEL_CRIT = 20,
    DOCA_LOG_LEVEL_ERROR = 30,
    DOCA_LOG_LEVEL_WARNING = 40,
    DOCA_LOG_LEVEL_INFO = 50,
    DOCA_LOG_LEVEL_DEBUG = 60,
    DOCA_LOG_LEVEL_TRACE = 70
};

/* Told that the buffer of a backend holds a new record. */
typedef void (*log_flush_callback)(char *buffer);

/* ---- backends for application records ---- */

/* Two of them: standard output up to INFO, standard error from WARNING on. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_standard(void);

/* Writes to a stream. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_file(
    FILE *fptr, struct doca_log_backend **backend);

/* Writes to a file descriptor. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_fd(
    int fd, struct doca_log_backend **backend);

/* Writes each record to the start of `buf` and calls `handler`. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_buf(
    char *buf, size_t capacity, log_flush_callback handler, struct doca_log_backend **backend);

/* Writes to the system log under that name. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_syslog(
    const char *name, struct doca_log_backend **backend);

/* ---- backends for SDK records ---- */

/* Writes to a stream. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_file_sdk(
    FILE *fptr, struct doca_log_backend **backend);

/* Writes to a file descriptor. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_fd_sdk(
    int fd, struct doca_log_backend **backend);

/* Writes each record to the start of `buf` and calls `handler`. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_buf_sdk(
    char *buf, size_t capacity, log_flush_callback handler, struct doca_log_backend **backend);

/* Writes to the system log under that name. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_syslog_sdk(
    const char *name, struct doca_log_backend **backend);

/* Sets the most talkative level of an SDK backend. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_sdk_level(
    struct doca_log_backend *backend, uint32_t level);

/* ---- limits of application backends ---- */

/* Sets the most talkative level that passes. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_lower_limit(
    struct doca_log_backend *backend, uint32_t level);

/* Sets the most severe level that passes. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_upper_limit(
    struct doca_log_backend *backend, uint32_t upper_limit);

/* Later changes, also global ones, cannot make the backend more talkative. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_lower_limit_strict(
    struct doca_log_backend *backend);

/* Later changes, also global ones, cannot let more severe records pass. */
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_upper_limit_strict(
    struct doca_log_backend *backend);

/* ---- limits of all backends, present and future ---- */

/* Sets the most talkative level of application records; INFO at first. */
DOCA_EXPERIMENTAL doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/* Reads it back. */
DOCA_EXPERIMENTAL uint32_t doca_log_level_get_global_lower_limit(void);

/* Sets the most severe level of application records; CRIT at first. */
DOCA_EXPERIMENTAL doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/* Reads it back. */
DOCA_EXPERIMENTAL uint32_t doca_log_level_get_global_upper_limit(void);

/* Sets the most talkative level of SDK records; INFO at first. */
DOCA_EXPERIMENTAL doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/* Reads it back. */
DOCA_EXPERIMENTAL uint32_t doca_log_level_get_global_sdk_limit(void);

/* ---- records ---- */

/* Gives a source of records a number. */
DOCA_EXPERIMENTAL doca_error_t doca_log_register_source(const char *source_name, int *source);

/* Takes it back. */
DOCA_EXPERIMENTAL doca_error_t doca_log_unregister_source(int source);

/* Writes one application record, in the manner of printf. Programs use the macros below. */
DOCA_EXPERIMENTAL doca_error_t doca_log(
    uint32_t level, int source, const char *fname, int line,
    const char *func, const char *format, ...) DOCA_PRINTF_FORMAT(6, 7);

#ifdef __cplusplus
}
#endif

/*
 * Names this source file in its records; once in a file, before any other logging macro. It ends
 * with a function, so that it stands with a semicolon and without. It runs before all constructors
 * that a program may have, so that they can log.
 */
#define DOCA_LOG_REGISTER(name)                                                           \
    static int log_source;                                                                \
    __attribute__((constructor(101), used)) static void doca_log_register_this_file(void) \
    {                                                                                     \
        (void)doca_log_register_source(#name, &log_source);                               \
    }

/* One record of the given enum doca_log_level; an expression with the value of doca_log. */
#define DOCA_LOG(level, ...) \
    doca_log((level), log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)

#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Trace records cost something even when unread, so they are compiled in on demand only. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...)                                \
    do {                                                 \
        if (0)                                           \
            DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__); \
    } while (0)
#endif

#endif /* DOCA_LOG_H_ */
