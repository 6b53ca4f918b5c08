/* What the environment sets for servers, clients and endpoints. A malformed value stops the start of whoever reads it:
 * a program that runs on as if the variable were not there does something else than was meant. */
#ifndef EMU_SETTINGS_H
#define EMU_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "doca_error.h"

/* Reads all of them, DOCA_EMU_FAULTS once per process. INITIALIZATION: one is malformed; the log says which, and what
 * is allowed. For what makes a server, client or endpoint. */
doca_error_t settings_check(void);

/* DOCA_EMU_CONNECT_WAIT: for how many milliseconds a client waits for its server to appear. INITIALIZATION as above. */
doca_error_t settings_connect_wait(int64_t *milliseconds);

/* DOCA_EMU_DIRECT_WRITE: whether the peer's memory may be written to. Has been checked. */
static inline bool settings_direct_write(void)
{
	const char *choice = getenv("DOCA_EMU_DIRECT_WRITE");
	return choice == NULL || strcmp(choice, "0") != 0;
}

#endif
