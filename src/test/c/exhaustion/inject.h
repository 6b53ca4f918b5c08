/* Control of the failing calls of inject_calls.h. */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>

enum call {
	CALL_ALLOC, /* malloc, calloc, realloc, aligned_alloc, strdup */
	CALL_MMAP,
	CALL_MEMFD_CREATE,
	CALL_FTRUNCATE,
	CALL_FCNTL,
	CALL_SOCKET, /* and socketpair */
	CALL_BIND,
	CALL_LISTEN,
	CALL_CONNECT,
	CALL_ACCEPT,
	CALL_GETSOCKOPT,
	CALL_EPOLL_CREATE,
	CALL_EPOLL_CTL,
	CALL_SENDMSG,
	CALL_RECVMSG,
	CALL_OPEN, /* and openat */
	CALL_MKDIR,
	CALL_FLOCK,
	CALL_FSTAT,
	CALL_TIMERFD,
	CALL_EVENTFD,
};

/* The nth such call from now (1: the next) fails with that errno. */
void inject(enum call call, unsigned nth, int error);
/* No call fails any more; whether one has. */
bool inject_end(void);

/* What the emulator has allocated and mapped, and not given back. */
long inject_live_allocations(void);
long inject_live_mappings(void);

#endif
