/* Backends of the log and their limits. */
#include "log/log_backend.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "readings.h"

static pthread_mutex_t lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static struct doca_log_backend **last_backend = &log_backends;
static uint32_t global_lower = DOCA_LOG_LEVEL_INFO;
static uint32_t global_upper = DOCA_LOG_LEVEL_CRIT;
static uint32_t global_sdk = DOCA_LOG_LEVEL_INFO;

struct doca_log_backend *log_backends;
_Atomic uint32_t log_talkative[2];

static void free_in_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static void make_lock(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	(void)pthread_atfork(NULL, NULL, free_in_child);
}

void log_enter(void)
{
	pthread_once(&lock_once, make_lock);
	pthread_mutex_lock(&lock);
}

void log_leave(void)
{
	pthread_mutex_unlock(&lock);
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
	for (const struct doca_log_backend *b = log_backends; b != NULL; b = b->next)
		most[b->stream] = larger(most[b->stream], b->lower);
	for (int stream = 0; stream < 2; stream++)
		atomic_store_explicit(&log_talkative[stream], most[stream], memory_order_relaxed);
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
	log_enter();
	copy->lower = smaller(backend.stream == STREAM_SDK ? global_sdk : global_lower, backend.lower_most);
	copy->upper =
		larger(backend.stream == STREAM_SDK ? (uint32_t)DOCA_LOG_LEVEL_CRIT : global_upper, backend.upper_most);
	copy->next = NULL;
	*last_backend = copy;
	last_backend = &copy->next;
	update_talkative();
	log_leave();
	if (added != NULL)
		*added = copy;
	return DOCA_SUCCESS;
}

static doca_error_t add_file(FILE *file, enum stream stream, struct doca_log_backend **backend)
{
	if (file == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add(
		(struct doca_log_backend){.sink = SINK_FILE, .stream = stream, .file = file, .lower_most = UINT32_MAX},
		backend);
}

static doca_error_t add_fd(int fd, enum stream stream, struct doca_log_backend **backend)
{
	if (backend == NULL || fcntl(fd, F_GETFD) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.sink = SINK_FD, .stream = stream, .fd = fd, .lower_most = UINT32_MAX},
		   backend);
}

static doca_error_t add_buf(char *buf, size_t capacity, log_flush_callback handler, enum stream stream,
			    struct doca_log_backend **backend)
{
	if (buf == NULL || capacity == 0 || handler == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add((struct doca_log_backend){.sink = SINK_BUF,
					     .stream = stream,
					     .buf = buf,
					     .capacity = capacity,
					     .flush = handler,
					     .lower_most = UINT32_MAX},
		   backend);
}

static doca_error_t add_syslog(const char *name, enum stream stream, struct doca_log_backend **backend)
{
	if (name == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	char *copy = strdup(name);
	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	return add(
		(struct doca_log_backend){
			.sink = SINK_SYSLOG, .stream = stream, .name = copy, .lower_most = UINT32_MAX},
		backend);
}

doca_error_t doca_log_backend_create_standard(void)
{
	/* Once each, also when an earlier call has got half the way: a second one would write every record twice. */
	static bool has_err;
	static bool has_out;
	doca_error_t result = DOCA_SUCCESS;
	log_enter();
	if (!has_err) {
		result = add((struct doca_log_backend){.sink = SINK_FILE,
						       .stream = STREAM_APPLICATION,
						       .file = stderr,
						       .lower_most = DOCA_LOG_LEVEL_WARNING},
			     NULL);
		has_err = result == DOCA_SUCCESS;
	}
	if (has_err && !has_out) {
		result = add((struct doca_log_backend){.sink = SINK_FILE,
						       .stream = STREAM_APPLICATION,
						       .file = stdout,
						       .lower_most = UINT32_MAX,
						       .upper_most = DOCA_LOG_LEVEL_INFO},
			     NULL);
		has_out = result == DOCA_SUCCESS;
	}
	log_leave();
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
	if (backend == NULL || backend->stream != stream || !log_is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	log_enter();
	if (level > backend->lower_most)
		result = READING_LOG_STRICT_LIMIT;
	else
		backend->lower = level;
	update_talkative();
	log_leave();
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
	if (backend == NULL || backend->stream != STREAM_APPLICATION || !log_is_level(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	log_enter();
	if (upper_limit < backend->upper_most)
		result = READING_LOG_STRICT_LIMIT;
	else
		backend->upper = upper_limit;
	log_leave();
	return result;
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	if (backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	log_enter();
	backend->lower_most = backend->lower;
	log_leave();
	return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	if (backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	log_enter();
	backend->upper_most = backend->upper;
	log_leave();
	return DOCA_SUCCESS;
}

/* A global limit reaches every backend of the stream, as far as its strict limit lets it. */
static doca_error_t set_global_lower(uint32_t *global, enum stream stream, uint32_t level)
{
	if (!log_is_level(level))
		return DOCA_ERROR_INVALID_VALUE;
	log_enter();
	*global = level;
	for (struct doca_log_backend *b = log_backends; b != NULL; b = b->next)
		if (b->stream == stream)
			b->lower = smaller(level, b->lower_most);
	update_talkative();
	log_leave();
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
	if (!log_is_level(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;
	log_enter();
	global_upper = upper_limit;
	for (struct doca_log_backend *b = log_backends; b != NULL; b = b->next)
		if (b->stream == STREAM_APPLICATION)
			b->upper = larger(upper_limit, b->upper_most);
	log_leave();
	return DOCA_SUCCESS;
}

static uint32_t get_global(const uint32_t *global)
{
	log_enter();
	uint32_t level = *global;
	log_leave();
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
