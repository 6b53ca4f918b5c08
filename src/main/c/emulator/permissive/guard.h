/* What the guards of the permissive build call (guards.py makes them). */
#ifndef EMU_GUARD_H
#define EMU_GUARD_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ctx.h"
#include "core/pe.h"
#include "doca_emu.h"
#include "log/sdk_log.h"
#include "memory/memory.h"
#include "topology/limits.h"

#define GUARD __attribute__((visibility("default")))

/* Ends the process as a real library would, but says why. By the signal that a debugger and a JVM know how to tell
 * of: the JVM's report has the Java frames. */
static __attribute__((noreturn, cold, noinline, unused)) void guard_end(const char *function, const char *what)
{
	(void)dprintf(2, "%s: %s; DOCA does not check that\n", function, what);
	(void)raise(SIGSEGV);
	abort();
}

/* Tasks lie in pools, which outlive them. */
static inline bool guard_task_is_free(const struct doca_task *task)
{
	return task->state == EMU_TASK_FREE || task->state == EMU_TASK_CANCELLED;
}

static inline bool guard_is_busy(struct doca_pe *pe)
{
	bool busy = emu_pe_enter_callback(pe);
	emu_pe_leave_callback(pe, busy);
	return busy;
}

static inline bool guard_is_behind(const struct doca_buf *first, const struct doca_buf *later)
{
	while (first != NULL && first != later)
		first = first->next;
	return first != NULL;
}

static inline bool guard_name_is_long(const char *name)
{
	return strlen(name) >= emu_limits()->max_name_len;
}

/* A message can also be too long for the other side, which no program can know. The type of sizes is that of the
 * release. */
#define GUARD_NO_LENGTH(len, get_max_msg_size, endpoint)                                                               \
	__extension__({                                                                                                \
		__typeof__(len) guard_most = 0;                                                                        \
		(void)get_max_msg_size(endpoint, &guard_most);                                                         \
		(len) == 0 || (len) > guard_most;                                                                      \
	})

/* A submit is also refused because of what the peer has posted, or has not any more, which no program can know: the
 * reason tells it. Asking for a reason clears it. */
static inline void guard_forget(void)
{
	(void)doca_emu_last_error();
}

static inline bool guard_is_of_peer(doca_error_t result)
{
	char reason[256];
	(void)snprintf(reason, sizeof(reason), "%s", doca_emu_last_error());
	emu_log_reason("%s", reason);
	return result == DOCA_ERROR_INVALID_VALUE && strstr(reason, "consumer") != NULL;
}

/* Kernels have fewer arguments; what is read beyond them is the caller's frame (dpa/rpc.c). */
#define GUARD_MORE 16
#define GUARD_READ_MORE(more, last)                                                                                    \
	do {                                                                                                           \
		va_list guard_list;                                                                                    \
		va_start(guard_list, last);                                                                            \
		for (int guard_i = 0; guard_i < GUARD_MORE; guard_i++)                                                 \
			more[guard_i] = va_arg(guard_list, uint64_t);                                                  \
		va_end(guard_list);                                                                                    \
	} while (0)
#define GUARD_PASS_MORE(more)                                                                                          \
	more[0], more[1], more[2], more[3], more[4], more[5], more[6], more[7], more[8], more[9], more[10], more[11],  \
		more[12], more[13], more[14], more[15]

#endif
