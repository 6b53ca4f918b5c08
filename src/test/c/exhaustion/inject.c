#include "inject.h"

#include <errno.h>
#include <stdarg.h>

#include "inject_calls.h"

#undef malloc
#undef calloc
#undef realloc
#undef aligned_alloc
#undef strdup
#undef free
#undef mmap
#undef munmap
#undef memfd_create
#undef ftruncate
#undef fcntl
#undef socket
#undef socketpair
#undef bind
#undef listen
#undef connect
#undef accept4
#undef getsockopt
#undef epoll_create1
#undef epoll_ctl
#undef sendmsg
#undef recvmsg
#undef open
#undef openat
#undef mkdir
#undef flock
#undef fstat
#undef timerfd_create
#undef eventfd

static enum call failing;
static unsigned countdown;
static int failure;
static bool struck;
static long allocations;
static long mappings;

void inject(enum call call, unsigned nth, int error)
{
	failing = call;
	countdown = nth;
	failure = error;
	struck = false;
}

bool inject_end(void)
{
	countdown = 0;
	return struck;
}

long inject_live_allocations(void)
{
	return allocations;
}

long inject_live_mappings(void)
{
	return mappings;
}

static bool fails(enum call call)
{
	if (call != failing || countdown == 0 || --countdown > 0)
		return false;
	struck = true;
	errno = failure;
	return true;
}

static void *counted(void *pointer)
{
	allocations += pointer != NULL;
	return pointer;
}

void *inject_malloc(size_t size)
{
	return fails(CALL_ALLOC) ? NULL : counted(malloc(size));
}

void *inject_calloc(size_t count, size_t size)
{
	return fails(CALL_ALLOC) ? NULL : counted(calloc(count, size));
}

void *inject_realloc(void *pointer, size_t size)
{
	if (fails(CALL_ALLOC))
		return NULL;
	allocations -= pointer != NULL;
	return counted(realloc(pointer, size));
}

void *inject_aligned_alloc(size_t alignment, size_t size)
{
	return fails(CALL_ALLOC) ? NULL : counted(aligned_alloc(alignment, size));
}

char *inject_strdup(const char *text)
{
	return fails(CALL_ALLOC) ? NULL : counted(strdup(text));
}

void inject_free(void *pointer)
{
	allocations -= pointer != NULL;
	free(pointer);
}

void *inject_mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset)
{
	if (fails(CALL_MMAP))
		return MAP_FAILED;
	void *mapped = mmap(address, len, protection, flags, fd, offset);
	mappings += mapped != MAP_FAILED;
	return mapped;
}

int inject_munmap(void *address, size_t len)
{
	mappings--;
	return munmap(address, len);
}

int inject_memfd_create(const char *name, unsigned flags)
{
	return fails(CALL_MEMFD_CREATE) ? -1 : memfd_create(name, flags);
}

int inject_ftruncate(int fd, off_t len)
{
	return fails(CALL_FTRUNCATE) ? -1 : ftruncate(fd, len);
}

int inject_fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	int argument = command == F_ADD_SEALS ? va_arg(arguments, int) : 0;
	va_end(arguments);
	return fails(CALL_FCNTL) ? -1 : fcntl(fd, command, argument);
}

int inject_socket(int domain, int type, int protocol)
{
	return fails(CALL_SOCKET) ? -1 : socket(domain, type, protocol);
}

int inject_socketpair(int domain, int type, int protocol, int pair[2])
{
	return fails(CALL_SOCKET) ? -1 : socketpair(domain, type, protocol, pair);
}

int inject_bind(int fd, const struct sockaddr *address, socklen_t len)
{
	return fails(CALL_BIND) ? -1 : bind(fd, address, len);
}

int inject_listen(int fd, int backlog)
{
	return fails(CALL_LISTEN) ? -1 : listen(fd, backlog);
}

int inject_connect(int fd, const struct sockaddr *address, socklen_t len)
{
	return fails(CALL_CONNECT) ? -1 : connect(fd, address, len);
}

int inject_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	return fails(CALL_ACCEPT) ? -1 : accept4(fd, address, len, flags);
}

int inject_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	return fails(CALL_GETSOCKOPT) ? -1 : getsockopt(fd, level, name, value, len);
}

int inject_epoll_create1(int flags)
{
	return fails(CALL_EPOLL_CREATE) ? -1 : epoll_create1(flags);
}

int inject_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	return fails(CALL_EPOLL_CTL) ? -1 : epoll_ctl(epoll, operation, fd, event);
}

ssize_t inject_sendmsg(int fd, const struct msghdr *message, int flags)
{
	return fails(CALL_SENDMSG) ? -1 : sendmsg(fd, message, flags);
}

ssize_t inject_recvmsg(int fd, struct msghdr *message, int flags)
{
	return fails(CALL_RECVMSG) ? -1 : recvmsg(fd, message, flags);
}

int inject_open(const char *path, int flags, ...)
{
	return fails(CALL_OPEN) ? -1 : open(path, flags);
}

int inject_openat(int dir, const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return fails(CALL_OPEN) ? -1 : openat(dir, path, flags, mode);
}

int inject_mkdir(const char *path, mode_t mode)
{
	return fails(CALL_MKDIR) ? -1 : mkdir(path, mode);
}

int inject_flock(int fd, int operation)
{
	return fails(CALL_FLOCK) ? -1 : flock(fd, operation);
}

int inject_fstat(int fd, struct stat *status)
{
	return fails(CALL_FSTAT) ? -1 : fstat(fd, status);
}

int inject_timerfd_create(int clock, int flags)
{
	return fails(CALL_TIMERFD) ? -1 : timerfd_create(clock, flags);
}

int inject_eventfd(unsigned count, int flags)
{
	return fails(CALL_EVENTFD) ? -1 : eventfd(count, flags);
}
