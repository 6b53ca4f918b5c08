/* The log of DOCA 1.2, in place of common/log/log.c: records of programs and of the library go to one stream. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/forks.h"
#include "log/sdk_log.h"

#define MAX_LEVEL ((uint32_t)DOCA_LOG_LEVEL_DEBUG)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(lock)
static FILE *stream; /* NULL: stderr */
static uint32_t limit = DOCA_LOG_LEVEL_INFO;
static char **sources;
static int num_sources;

int doca_log_stream_redirect(FILE *new_stream)
{
	if (new_stream == NULL)
		return -1;
	pthread_mutex_lock(&lock);
	stream = new_stream;
	pthread_mutex_unlock(&lock);
	return 0;
}

void doca_log_global_level_set(uint32_t level)
{
	pthread_mutex_lock(&lock);
	limit = level < MAX_LEVEL ? level : MAX_LEVEL;
	pthread_mutex_unlock(&lock);
}

uint32_t doca_log_global_level_get(void)
{
	pthread_mutex_lock(&lock);
	uint32_t level = limit;
	pthread_mutex_unlock(&lock);
	return level;
}

int doca_log_source_register(const char *source_name)
{
	if (source_name == NULL)
		return -1;
	int source = -1;
	pthread_mutex_lock(&lock);
	char **more = realloc(sources, ((size_t)num_sources + 1) * sizeof(*sources));
	if (more != NULL) {
		sources = more;
		sources[num_sources] = strdup(source_name);
		if (sources[num_sources] != NULL)
			source = num_sources++;
	}
	pthread_mutex_unlock(&lock);
	return source;
}

/* With the lock held. */
static void write_record(uint32_t level, const char *source, const char *format, va_list arguments)
{
	static const char *const names[] = {"CRT", "ERR", "WRN", "INF", "DBG"};
	int error = errno; /* for %m */
	FILE *out = stream != NULL ? stream : stderr;
	struct tm now;
	time_t seconds = time(NULL);
	localtime_r(&seconds, &now);
	fprintf(out, "[%02d:%02d:%02d][%s][%s]: ", now.tm_hour, now.tm_min, now.tm_sec, source, names[level]);
	errno = error;
	vfprintf(out, format, arguments);
	fputc('\n', out);
	fflush(out);
}

static void show(uint32_t level, uint32_t source, const char *format, va_list arguments)
{
	pthread_mutex_lock(&lock);
	if (level <= limit)
		write_record(level, source < (uint32_t)num_sources ? sources[source] : "?", format, arguments);
	pthread_mutex_unlock(&lock);
}

void doca_log(uint32_t level, uint32_t source, int line, const char *format, ...)
{
	(void)line;
	if (format == NULL)
		return;
	va_list arguments;
	va_start(arguments, format);
	show(level, source, format, arguments);
	va_end(arguments);
}

void doca_log_developer(uint32_t level, uint32_t source, int line, const char *format, ...)
{
	(void)line;
	if (format == NULL)
		return;
	va_list arguments;
	va_start(arguments, format);
	show(level, source, format, arguments);
	va_end(arguments);
}

/* ---- the library's own ---- */

/* `level` counts as the libraries of later releases do: 20 for what is critical, 30 for errors, … */
static void show_own(uint32_t level, const char *format, va_list arguments)
{
	/* Callers look at errno after they have reported. */
	int saved = errno;
	uint32_t here = level < 20 ? 0 : level / 10 - 2;
	pthread_mutex_lock(&lock);
	if (here <= limit)
		write_record(here, "DOCA", format, arguments);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

void emu_log_at(uint32_t level, const char *file, int line, const char *func, const char *format, ...)
{
	(void)file;
	(void)line;
	(void)func;
	va_list arguments;
	va_start(arguments, format);
	show_own(level, format, arguments);
	va_end(arguments);
}

void emu_log_event_at(uint32_t level, const char *file, int line, const char *func, const char *format, ...)
{
	(void)file;
	(void)line;
	(void)func;
	va_list arguments;
	va_start(arguments, format);
	show_own(level, format, arguments);
	va_end(arguments);
}

/* Nobody can ask for the last error. */
void emu_log_reason(const char *format, ...)
{
	(void)format;
}

void emu_log_refused(bool for_good)
{
	(void)for_good;
}

void emu_log_forget(void)
{
}
