#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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
#include "readings.h"
#include "sdk_log.h"

enum sink { SINK_FILE, SINK_FD, SINK_BUF, SINK_SYSLOG };
enum stream { STREAM_APPLICATION, STREAM_SDK };

struct doca_log_backend {
	enum sink sink;
	enum stream stream;
	FILE *file;
	int fd;
	char *buf;
	size_t capacity;
	log_flush_callback flush;
	char *name;
	/* A record shows when upper <= level <= lower. */
	uint32_t lower;
	uint32_t upper;
	/* How far the limits may be opened; narrowed by the strict functions. */
	uint32_t lower_most;
	uint32_t upper_most;
	struct doca_log_backend *next;
};

struct source {
	char *name; /* NULL: free */
};

#define RECORD_ROOM 1024

/* Recursive, because a flush handler may call functions of this file. */
static pthread_mutex_t lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static bool writing;
static struct doca_log_backend *backends;
static struct doca_log_backend **last_backend = &backends;
static struct source *sources;
static size_t num_sources;
static uint32_t global_lower = DOCA_LOG_LEVEL_INFO;
static uint32_t global_upper = DOCA_LOG_LEVEL_CRIT;
static uint32_t global_sdk = DOCA_LOG_LEVEL_INFO;

/* Per stream: the most talkative level that any backend shows, so that others cost one load. */
static _Atomic uint32_t talkative[2];

static void make_lock(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void enter(void)
{
	pthread_once(&lock_once, make_lock);
	pthread_mutex_lock(&lock);
}

static void leave(void)
{
	pthread_mutex_unlock(&lock);
}

static bool is_level(uint32_t level)
{
	return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

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

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void update_talkative(void)
{
	uint32_t most[2] = {0, 0};
	for (const struct doca_log_backend *b = backends; b != NULL; b = b->next)
		most[b->stream] = larger(most[b->stream], b->lower);
	for (int stream = 0; stream < 2; stream++)
		atomic_store_explicit(&talkative[stream], most[stream], memory_order_relaxed);
}

/* Appends a backend with the limits of its stream; takes over the name. */
static doca_error_t add(struct doca_log_backend backend, struct doca_log_backend **added)
{
	struct doca_log_backend *copy = malloc(sizeof(*copy));
	if (copy == NULL) {
		free(backend.name);
		return DOCA_ERROR_NO_MEMORY;
	}
	*copy = backend;
	enter();
	copy->lower = smaller(backend.stream == STREAM_SDK ? global_sdk : global_lower, backend.lower_most);
	copy->upper = larger(backend.stream == STREAM_SDK ? (uint32_t)DOCA_LOG_LEVEL_CRIT : global_upper,
			     backend.upper_most);
	copy->next = NULL;
	*last_backend = copy;
	last_backend = &copy->next;
	update_talkative();
	leave();
	if (added != NULL)
		*added = copy;
	return DOCA_SUCCESS;
}

static doca_error_t add_file(FILE *file, enum stream stream, struct doca_log_backend **backend)
{
	if (file == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.sink = SINK_FILE, .stream = stream, .file = file,
					     .lower_most = UINT32_MAX}, backend);
}

static doca_error_t add_fd(int fd, enum stream stream, struct doca_log_backend **backend)
{
	if (backend == NULL || fcntl(fd, F_GETFD) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.sink = SINK_FD, .stream = stream, .fd = fd,
					     .lower_most = UINT32_MAX}, backend);
}

static doca_error_t add_buf(char *buf, size_t capacity, log_flush_callback handler, enum stream stream,
			    struct doca_log_backend **backend)
{
	if (buf == NULL || capacity == 0 || handler == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.sink = SINK_BUF, .stream = stream, .buf = buf, .capacity = capacity,
					     .flush = handler, .lower_most = UINT32_MAX}, backend);
}

static doca_error_t add_syslog(const char *name, enum stream stream, struct doca_log_backend **backend)
{
	if (name == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	char *copy = strdup(name);
	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	return add((struct doca_log_backend){.sink = SINK_SYSLOG, .stream = stream, .name = copy,
					     .lower_most = UINT32_MAX}, backend);
}

doca_error_t doca_log_backend_create_standard(void)
{
	/* Once each, also when an earlier call has got half the way: a second one would write every record twice. */
	static bool has_err;
	static bool has_out;
	doca_error_t result = DOCA_SUCCESS;
	enter();
	if (!has_err) {
		result = add((struct doca_log_backend){.sink = SINK_FILE, .stream = STREAM_APPLICATION, .file = stderr,
						       .lower_most = DOCA_LOG_LEVEL_WARNING}, NULL);
		has_err = result == DOCA_SUCCESS;
	}
	if (has_err && !has_out) {
		result = add((struct doca_log_backend){.sink = SINK_FILE, .stream = STREAM_APPLICATION, .file = stdout,
						       .lower_most = UINT32_MAX, .upper_most = DOCA_LOG_LEVEL_INFO}, NULL);
		has_out = result == DOCA_SUCCESS;
	}
	leave();
	return result;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
	return add_file(fptr, STREAM_APPLICATION, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	return add_fd(fd, STREAM_APPLICATION, backend);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity, log_flush_callback handler,
					      struct doca_log_backend **backend)
{
	return add_buf(buf, capacity, handler, STREAM_APPLICATION, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name, struct doca_log_backend **backend)
{
	return add_syslog(name, STREAM_APPLICATION, backend);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
	return add_file(fptr, STREAM_SDK, backend);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	return add_fd(fd, STREAM_SDK, backend);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity, log_flush_callback handler,
						  struct doca_log_backend **backend)
{
	return add_buf(buf, capacity, handler, STREAM_SDK, backend);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name, struct doca_log_backend **backend)
{
	return add_syslog(name, STREAM_SDK, backend);
}

static doca_error_t set_lower(struct doca_log_backend *backend, enum stream stream, uint32_t level)
{
	if (backend == NULL || backend->stream != stream || !is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	enter();
	if (level > backend->lower_most)
		result = READING_LOG_STRICT_LIMIT;
	else
		backend->lower = level;
	update_talkative();
	leave();
	return result;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend, uint32_t level)
{
	return set_lower(backend, STREAM_APPLICATION, level);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	return set_lower(backend, STREAM_SDK, level);
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend, uint32_t upper_limit)
{
	if (backend == NULL || backend->stream != STREAM_APPLICATION || !is_level(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	enter();
	if (upper_limit < backend->upper_most)
		result = READING_LOG_STRICT_LIMIT;
	else
		backend->upper = upper_limit;
	leave();
	return result;
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	if (backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	enter();
	backend->lower_most = backend->lower;
	leave();
	return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	if (backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	enter();
	backend->upper_most = backend->upper;
	leave();
	return DOCA_SUCCESS;
}

/* A global limit reaches every backend of the stream, as far as its strict limit lets it. */
static doca_error_t set_global_lower(uint32_t *global, enum stream stream, uint32_t level)
{
	if (!is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	enter();
	*global = level;
	for (struct doca_log_backend *b = backends; b != NULL; b = b->next)
		if (b->stream == stream)
			b->lower = smaller(level, b->lower_most);
	update_talkative();
	leave();
	return DOCA_SUCCESS;
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	return set_global_lower(&global_lower, STREAM_APPLICATION, level);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	return set_global_lower(&global_sdk, STREAM_SDK, level);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	if (!is_level(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;
	enter();
	global_upper = upper_limit;
	for (struct doca_log_backend *b = backends; b != NULL; b = b->next)
		if (b->stream == STREAM_APPLICATION)
			b->upper = larger(upper_limit, b->upper_most);
	leave();
	return DOCA_SUCCESS;
}

static uint32_t get_global(const uint32_t *global)
{
	enter();
	uint32_t level = *global;
	leave();
	return level;
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
	return get_global(&global_lower);
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
	return get_global(&global_upper);
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
	return get_global(&global_sdk);
}

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	if (source_name == NULL || source == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	char *name = strdup(source_name);
	if (name == NULL)
		return DOCA_ERROR_NO_MEMORY;
	enter();
	size_t i = 0;
	while (i < num_sources && sources[i].name != NULL)
		i++;
	if (i == num_sources) {
		struct source *grown = realloc(sources, (num_sources + 1) * sizeof(struct source));
		if (grown == NULL) {
			leave();
			free(name);
			return DOCA_ERROR_NO_MEMORY;
		}
		sources = grown;
		num_sources++;
	}
	sources[i].name = name;
	*source = (int)i;
	leave();
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
	enter();
	struct source *found = source_of(source);
	if (found != NULL) {
		free(found->name);
		found->name = NULL;
		result = DOCA_SUCCESS;
	}
	leave();
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
		return fwrite(record, 1, len, backend->file) == len && fflush(backend->file) == 0 ?
			       DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
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
	int len = snprintf(out, room, "%04d-%02d-%02d %02d:%02d:%02d.%06ldZ %-5s %s %s (%s:%d): ",
			   parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
			   parts.tm_sec, now.tv_nsec / 1000, level_name(level), source, func == NULL ? "?" : func,
			   file == NULL ? "?" : file, line);
	return len < 0 ? 0 : smaller((uint32_t)len, (uint32_t)room - 1);
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
	for (struct doca_log_backend *b = backends; b != NULL; b = b->next) {
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

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func, const char *format, ...)
{
	if (format == NULL || level == DOCA_LOG_LEVEL_DISABLE || !is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = READING_LOG_UNKNOWN_SOURCE;
	enter();
	const struct source *found = source_of(source);
	if (found != NULL && level > atomic_load_explicit(&talkative[STREAM_APPLICATION], memory_order_relaxed)) {
		result = DOCA_SUCCESS;
	} else if (found != NULL) {
		va_list arguments;
		va_start(arguments, format);
		result = show(STREAM_APPLICATION, level, found->name, fname, line, func, format, arguments);
		va_end(arguments);
	}
	leave();
	return result;
}

/* What this thread was told last that somebody should know who gets an error and no more. */
static _Thread_local char complaint[512];

const char *doca_emu_last_error(void)
{
	static _Thread_local char asked[sizeof(complaint)];
	memcpy(asked, complaint, sizeof(asked));
	complaint[0] = '\0';
	return asked;
}

void emu_log_forget(void)
{
	complaint[0] = '\0';
}

void emu_log_reason(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(complaint, sizeof(complaint), format, arguments);
	va_end(arguments);
}

void emu_log_at(uint32_t level, const char *file, int line, const char *func, const char *format, ...)
{
	/* Callers look at errno after they have reported. */
	int saved = errno;
	va_list arguments;
	if (level <= DOCA_LOG_LEVEL_WARNING) {
		va_start(arguments, format);
		(void)vsnprintf(complaint, sizeof(complaint), format, arguments);
		va_end(arguments);
		errno = saved;
	}
	/* Before any lock: most programs have no backend for the libraries' messages. */
	if (level > atomic_load_explicit(&talkative[STREAM_SDK], memory_order_relaxed))
		return;
	va_start(arguments, format);
	enter();
	errno = saved; /* for %m */
	show(STREAM_SDK, level, "emulator", file, line, func, format, arguments);
	leave();
	va_end(arguments);
	errno = saved;
}
