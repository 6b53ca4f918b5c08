/*
 * Logging, as DOCA 1.2 has it: one stream, stderr unless it is redirected, and one level.
 *
 * A program names each source file once, DOCA_LOG_REGISTER(NAME), and then writes records, such as
 * DOCA_LOG_ERR("sent %d of %d", sent, all).
 *
 * Here is what programs of Comm Channel use. Further backends and limited rates are left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

enum DOCA_LOG_LEVEL {
    DOCA_LOG_LEVEL_CRIT = 0,
    DOCA_LOG_LEVEL_ERROR = 1,
    DOCA_LOG_LEVEL_WARNING = 2,
    DOCA_LOG_LEVEL_INFO = 3,
    DOCA_LOG_LEVEL_DEBUG = 4
};

/* Where records go from now on. 0; not 0 for NULL. */
DOCA_STABLE int doca_log_stream_redirect(FILE *stream);

/* Records up to this enum DOCA_LOG_LEVEL are written; at first those up to INFO. */
DOCA_STABLE void doca_log_global_level_set(uint32_t level);
DOCA_STABLE uint32_t doca_log_global_level_get(void);

/* Makes a source, under the name that its records have. Negative when there is no memory. */
DOCA_STABLE int doca_log_source_register(const char *source_name);

/* Writes one record. Any thread. */
DOCA_STABLE void doca_log(uint32_t level, uint32_t source, int line, const char *format, ...)
    DOCA_PRINTF_FORMAT(4, 5);

/* The same, for what only DOCA_LOGGING_ALLOW_DLOG compiles in. */
DOCA_STABLE void doca_log_developer(
    uint32_t level, uint32_t source, int line, const char *format, ...) DOCA_PRINTF_FORMAT(4, 5);

#ifdef __cplusplus
}
#endif

/* Makes this file a source, before main and before constructors of a later priority. */
#define DOCA_LOG_REGISTER(name)                                                           \
    static int log_source;                                                                \
    __attribute__((constructor(101), used)) static void doca_log_register_this_file(void) \
    {                                                                                     \
        log_source = doca_log_source_register(#name);                                     \
    }

/* One record; `level` is the end of the constant's name. */
#define DOCA_LOG(level, ...) \
    doca_log(DOCA_LOG_LEVEL_##level, (uint32_t)log_source, __LINE__, __VA_ARGS__)

#define DOCA_LOG_CRIT(...) DOCA_LOG(CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...) DOCA_LOG(ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...) DOCA_LOG(DEBUG, __VA_ARGS__)

/* Records for who works on the program. Without DOCA_LOGGING_ALLOW_DLOG they are not compiled in. */
#ifdef DOCA_LOGGING_ALLOW_DLOG
#define DOCA_DLOG(level, ...) \
    doca_log_developer(DOCA_LOG_LEVEL_##level, (uint32_t)log_source, __LINE__, __VA_ARGS__)
#else
#define DOCA_DLOG(level, ...) \
    do {                      \
    } while (0)
#endif

#define DOCA_DLOG_CRIT(...) DOCA_DLOG(CRIT, __VA_ARGS__)
#define DOCA_DLOG_ERR(...) DOCA_DLOG(ERROR, __VA_ARGS__)
#define DOCA_DLOG_WARN(...) DOCA_DLOG(WARNING, __VA_ARGS__)
#define DOCA_DLOG_INFO(...) DOCA_DLOG(INFO, __VA_ARGS__)
#define DOCA_DLOG_DBG(...) DOCA_DLOG(DEBUG, __VA_ARGS__)

#endif /* DOCA_LOG_H_ */
