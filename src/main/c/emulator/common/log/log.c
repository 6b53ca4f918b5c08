/* Records of the log: their sources, their text, and their way to the backends. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "doca_emu.h"
#include "log/log_backend.h"
#include "log/sdk_log.h"
#include "readings.h"

struct source {
	char *name; /* NULL: free */
};

#define RECORD_ROOM 1024

static struct source *sources;
static size_t num_sources;
/* A record is on its way to the backends; with the lock held. */
static bool writing;

static const char *level_name(uint32_t level)
{
	switch (level) {
	case DOCA_LOG_LEVEL_CRIT:
		return "CRIT";
	case DOCA_LOG_LEVEL_ERROR:
		return "ERROR";
	case DOCA_LOG_LEVEL_WARNING:
		return "WARN";
	case DOCA_LOG_LEVEL_INFO:
		return "INFO";
	case DOCA_LOG_LEVEL_DEBUG:
		return "DEBUG";
	default:
		return "TRACE";
	}
}

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	if (source_name == NULL || source == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	char *name = strdup(source_name);
	if (name == NULL)
		return DOCA_ERROR_NO_MEMORY;
	log_enter();
	size_t i = 0;
	while (i < num_sources && sources[i].name != NULL)
		i++;
	if (i == num_sources) {
		struct source *grown = realloc(sources, (num_sources + 1) * sizeof(struct source));
		if (grown == NULL) {
			log_leave();
			free(name);
			return DOCA_ERROR_NO_MEMORY;
		}
		sources = grown;
		num_sources++;
	}
	sources[i].name = name;
	*source = (int)i;
	log_leave();
	return DOCA_SUCCESS;
}

/* With the lock held. */
static struct source *source_of(int source)
{
	if (source < 0 || (size_t)source >= num_sources || sources[source].name == NULL)
		return NULL;
	return &sources[source];
}

doca_error_t doca_log_unregister_source(int source)
{
	doca_error_t result = DOCA_ERROR_INVALID_VALUE;
	log_enter();
	struct source *found = source_of(source);
	if (found != NULL) {
		free(found->name);
		found->name = NULL;
		result = DOCA_SUCCESS;
	}
	log_leave();
	return result;
}

static doca_error_t write_fd(int fd, const char *record, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, record, len);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return DOCA_ERROR_IO_FAILED;
		record += written;
		len -= (size_t)written;
	}
	return DOCA_SUCCESS;
}

static int syslog_priority(uint32_t level)
{
	switch (level) {
	case DOCA_LOG_LEVEL_CRIT:
		return LOG_CRIT;
	case DOCA_LOG_LEVEL_ERROR:
		return LOG_ERR;
	case DOCA_LOG_LEVEL_WARNING:
		return LOG_WARNING;
	case DOCA_LOG_LEVEL_INFO:
		return LOG_INFO;
	default:
		return LOG_DEBUG;
	}
}

static doca_error_t write_record(struct doca_log_backend *backend, uint32_t level, const char *record, size_t len)
{
	switch (backend->sink) {
	case SINK_FILE:
		return fwrite(record, 1, len, backend->file) == len && fflush(backend->file) == 0
			       ? DOCA_SUCCESS
			       : DOCA_ERROR_IO_FAILED;
	case SINK_FD:
		return write_fd(backend->fd, record, len);
	case SINK_BUF:
		if (len > backend->capacity - 1)
			len = backend->capacity - 1;
		memcpy(backend->buf, record, len);
		backend->buf[len] = '\0';
		backend->flush(backend->buf);
		return DOCA_SUCCESS;
	default:
		syslog(LOG_USER | syslog_priority(level), "%s: %s", backend->name, record);
		return DOCA_SUCCESS;
	}
}

/* "2026-01-31 23:59:59.123456Z WARN  source function (file:line): text\n" */
static size_t format_head(char *out, size_t room, uint32_t level, const char *source, const char *file, int line,
			  const char *func)
{
	struct timespec now;
	struct tm parts;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	int len =
		snprintf(out, room, "%04d-%02d-%02d %02d:%02d:%02d.%06ldZ %-5s %s %s (%s:%d): ", parts.tm_year + 1900,
			 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1000,
			 level_name(level), source, func == NULL ? "?" : func, file == NULL ? "?" : file, line);
	if (len < 0)
		return 0;
	return (size_t)len < room ? (size_t)len : room - 1;
}

/* With the lock held. */
static doca_error_t show(enum stream stream, uint32_t level, const char *source, const char *file, int line,
			 const char *func, const char *format, va_list arguments)
{
	if (writing)
		return READING_LOG_FROM_FLUSH_HANDLER;
	char fixed[RECORD_ROOM];
	char *record = fixed;
	size_t head = format_head(fixed, sizeof(fixed) / 2, level, source, file, line, func);
	va_list again;
	va_copy(again, arguments);
	int text = vsnprintf(fixed + head, sizeof(fixed) - head, format, arguments);
	if (text < 0) {
		va_end(again);
		return DOCA_ERROR_INVALID_VALUE;
	}
	size_t len = head + (size_t)text;
	/* Room for the line end and the terminator. */
	if (len + 2 > sizeof(fixed)) {
		record = malloc(len + 2);
		if (record == NULL) {
			record = fixed;
			len = sizeof(fixed) - 2;
		} else {
			memcpy(record, fixed, head);
			vsnprintf(record + head, len - head + 1, format, again);
		}
	}
	va_end(again);
	/* Callers differ in whether they end a message themselves. */
	if (len == 0 || record[len - 1] != '\n')
		record[len++] = '\n';
	record[len] = '\0';
	doca_error_t result = DOCA_SUCCESS;
	writing = true;
	for (struct doca_log_backend *b = log_backends; b != NULL; b = b->next) {
		if (b->stream != stream || level > b->lower || level < b->upper)
			continue;
		doca_error_t written = write_record(b, level, record, len);
		if (result == DOCA_SUCCESS)
			result = written;
	}
	writing = false;
	if (record != fixed)
		free(record);
	return result;
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func, const char *format,
		      ...)
{
	if (format == NULL || level == DOCA_LOG_LEVEL_DISABLE || !log_is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = READING_LOG_UNKNOWN_SOURCE;
	log_enter();
	const struct source *found = source_of(source);
	if (found != NULL && level > atomic_load_explicit(&log_talkative[STREAM_APPLICATION], memory_order_relaxed)) {
		result = DOCA_SUCCESS;
	} else if (found != NULL) {
		va_list arguments;
		va_start(arguments, format);
		result = show(STREAM_APPLICATION, level, found->name, fname, line, func, format, arguments);
		va_end(arguments);
	}
	log_leave();
	return result;
}

/* The thread's latest error or warning, for programs that get an error code and no more (doca_emu_last_error). */
static _Thread_local char last_error[512];

const char *doca_emu_last_error(void)
{
	static _Thread_local char asked[sizeof(last_error)];
	memcpy(asked, last_error, sizeof(asked));
	last_error[0] = '\0';
	return asked;
}

static _Thread_local bool refused_for_good;

uint8_t doca_emu_refused_for_good(void)
{
	return refused_for_good;
}

void emu_log_refused(bool for_good)
{
	refused_for_good = for_good;
}

void emu_log_forget(void)
{
	last_error[0] = '\0';
	refused_for_good = false;
}

void emu_log_reason(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(last_error, sizeof(last_error), format, arguments);
	va_end(arguments);
}

/* For the log; errno is that of the report, for %m. */
static void log_own(uint32_t level, const char *file, int line, const char *func, const char *format, va_list arguments)
{
	/* Before any lock: most programs have no backend for the libraries' messages. */
	if (level > atomic_load_explicit(&log_talkative[STREAM_SDK], memory_order_relaxed))
		return;
	int saved = errno;
	log_enter();
	errno = saved;
	show(STREAM_SDK, level, "emulator", file, line, func, format, arguments);
	log_leave();
}

void emu_log_at(uint32_t level, const char *file, int line, const char *func, const char *format, ...)
{
	/* Callers look at errno after they have reported. */
	int saved = errno;
	va_list arguments;
	if (level <= DOCA_LOG_LEVEL_WARNING) {
		va_start(arguments, format);
		(void)vsnprintf(last_error, sizeof(last_error), format, arguments);
		va_end(arguments);
		errno = saved;
	}
	va_start(arguments, format);
	log_own(level, file, line, func, format, arguments);
	va_end(arguments);
	errno = saved;
}

void emu_log_event_at(uint32_t level, const char *file, int line, const char *func, const char *format, ...)
{
	int saved = errno;
	va_list arguments;
	va_start(arguments, format);
	log_own(level, file, line, func, format, arguments);
	va_end(arguments);
	errno = saved;
}
