/* What the files of the log share: its backends and its lock. */
#ifndef EMU_LOG_BACKEND_H
#define EMU_LOG_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doca_log.h"

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

/* In the order in which they were made; with the lock held. */
extern struct doca_log_backend *log_backends;

/* Per stream: the most talkative level that any backend shows, so that others cost one load. */
extern _Atomic uint32_t log_talkative[2];

/* The lock is recursive, because a flush handler may call functions of the log. */
void log_enter(void);
void log_leave(void);

static inline bool log_is_level(uint32_t level)
{
	return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

#endif
