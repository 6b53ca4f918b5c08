#include "logged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_log.h"
#include "harness.h"

static FILE *log_file;
static char *logged;
static size_t len, forgotten;

void log_keep(void)
{
	struct doca_log_backend *backend;
	log_file = open_memstream(&logged, &len);
	CHECK(log_file != NULL);
	OK(doca_log_backend_create_with_file_sdk(log_file, &backend));
}

static const char *since_forgotten(void)
{
	CHECK(fflush(log_file) == 0);
	return logged + forgotten;
}

void log_forget(void)
{
	(void)since_forgotten();
	forgotten = len;
}

size_t times_logged(const char *part)
{
	size_t times = 0;
	for (const char *at = strstr(since_forgotten(), part); at != NULL; at = strstr(at + 1, part))
		times++;
	return times;
}

void expect_logged(const char *part)
{
	if (times_logged(part) == 1)
		return;
	fprintf(stderr, "not once \"%s\" in:\n%s", part, since_forgotten());
	abort();
}
