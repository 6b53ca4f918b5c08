/* Messages of the libraries themselves; they reach the backends made by the doca_log_backend_create_*_sdk functions. */
#ifndef EMU_SDK_LOG_H
#define EMU_SDK_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "doca_log.h"
#include "export.h"

EMU_PRIVATE_API void emu_log_at(uint32_t level, const char *file, int line, const char *func, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The same for what is no failure of this thread's call: doca_emu_last_error() does not tell it. */
EMU_PRIVATE_API void emu_log_event_at(uint32_t level, const char *file, int line, const char *func, const char *format,
				      ...) __attribute__((format(printf, 5, 6)));

/* Whether the attempt to connect whose failure has just been logged would fail at any other time as well:
 * doca_emu_refused_for_good(). */
EMU_PRIVATE_API void emu_log_refused(bool for_good);

/* For doca_emu_last_error() only, where an error is too ordinary to be logged. */
EMU_PRIVATE_API void emu_log_reason(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called at the beginning of doca_ctx_start and of listing devices, so that doca_emu_last_error() does not report an
 * error from before. */
EMU_PRIVATE_API void emu_log_forget(void);

#define emu_log(level, ...) emu_log_at(level, __FILE__, __LINE__, __func__, __VA_ARGS__)

#define EMU_LOG_ERROR(...) emu_log(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define EMU_LOG_WARNING(...) emu_log(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define emu_log_event(level, ...) emu_log_event_at(level, __FILE__, __LINE__, __func__, __VA_ARGS__)
#define EMU_LOG_EVENT(...) emu_log_event(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define EMU_LOG_INFO(...) emu_log(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define EMU_LOG_DEBUG(...) emu_log(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
