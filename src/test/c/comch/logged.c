#include "logged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_log.h"
#include "harness.h"

#define RECORD_BYTES 2048
static char record[RECORD_BYTES], logged[16 * RECORD_BYTES];

static void on_flush(char *text)
{
	size_t len = strlen(logged);
	snprintf(logged + len, sizeof(logged) - len, "%s", text);
}

void log_keep(void)
{
	struct doca_log_backend *backend;
	OK(doca_log_backend_create_with_buf_sdk(record, sizeof(record), on_flush, &backend));
}

void log_forget(void)
{
	logged[0] = '\0';
}

size_t times_logged(const char *part)
{
	size_t times = 0;
	for (const char *at = strstr(logged, part); at != NULL; at = strstr(at + 1, part))
		times++;
	return times;
}

void expect_logged(const char *part)
{
	if (times_logged(part) == 1)
		return;
	fprintf(stderr, "not once \"%s\" in:\n%s", part, logged);
	abort();
}
