/* What producers tell the consumers of the same thread. */
#ifndef EMU_THREAD_SENDS_H
#define EMU_THREAD_SENDS_H

#include <stdbool.h>

/* A producer has sent something on this thread since one of its consumers last asked. In the C library's own room for
 * such variables, which is small, so that an access takes one instruction. */
extern _Thread_local bool thread_sends __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether this thread has sent something since the last question. */
static inline bool thread_has_sent(void)
{
	bool sent = thread_sends;
	thread_sends = false;
	return sent;
}

#endif
