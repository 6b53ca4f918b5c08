/* What a child of this process must not keep alive: locks, sockets and memory end with the process that has made them,
 * as the objects of a driver do.
 *
 * A child that executes another program keeps nothing: each descriptor has O_CLOEXEC. One that goes on after fork()
 * gets a socket without a peer in the place of each descriptor that was handed to emu_fork_keep: the numbers stay
 * taken, so that who closes one of them closes nothing else. Handlers in children do only what is async-signal-safe. */
#ifndef EMU_FORKS_H
#define EMU_FORKS_H

#include <pthread.h>

#include "export.h"

/* Keeps the descriptor to this process; returns it. One that is closed need not be told of, unless the kernel has one
 * inode for all of its kind, as of epoll. Negative: nothing. */
EMU_PRIVATE_API int emu_fork_keep(int fd);
EMU_PRIVATE_API void emu_fork_forget(int fd);

/* A lock of the whole process, which another thread may have in the moment of the fork: it is free in the child. */
#define EMU_FREE_IN_CHILDREN(lock)                                                                                     \
	static void free_##lock(void)                                                                                  \
	{                                                                                                              \
		(lock) = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;                                                   \
	}                                                                                                              \
	__attribute__((constructor)) static void watch_forks_for_##lock(void)                                          \
	{                                                                                                              \
		(void)pthread_atfork(NULL, NULL, free_##lock);                                                         \
	}

#endif
