/* Included ahead of each source of the emulator in this test's build: its calls for resources can be made to fail, one
 * at a time, and are counted. Nobody else's are: neither the test's own nor the sanitizers'. */
#ifndef INJECT_CALLS_H
#define INJECT_CALLS_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

void *inject_malloc(size_t size);
void *inject_calloc(size_t count, size_t size);
void *inject_realloc(void *pointer, size_t size);
void *inject_aligned_alloc(size_t alignment, size_t size);
char *inject_strdup(const char *text);
void inject_free(void *pointer);
void *inject_mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset);
int inject_munmap(void *address, size_t len);
int inject_memfd_create(const char *name, unsigned flags);
int inject_ftruncate(int fd, off_t len);
int inject_fcntl(int fd, int command, ...);
int inject_socket(int domain, int type, int protocol);
int inject_socketpair(int domain, int type, int protocol, int pair[2]);
int inject_bind(int fd, const struct sockaddr *address, socklen_t len);
int inject_listen(int fd, int backlog);
int inject_connect(int fd, const struct sockaddr *address, socklen_t len);
int inject_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int inject_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int inject_epoll_create1(int flags);
int inject_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
ssize_t inject_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t inject_recvmsg(int fd, struct msghdr *message, int flags);
int inject_open(const char *path, int flags, ...);
int inject_openat(int dir, const char *path, int flags, ...);
int inject_mkdir(const char *path, mode_t mode);
int inject_flock(int fd, int operation);
int inject_fstat(int fd, struct stat *status);
int inject_timerfd_create(int clock, int flags);
int inject_eventfd(unsigned count, int flags);

#define malloc(...) inject_malloc(__VA_ARGS__)
#define calloc(...) inject_calloc(__VA_ARGS__)
#define realloc(...) inject_realloc(__VA_ARGS__)
#define aligned_alloc(...) inject_aligned_alloc(__VA_ARGS__)
#undef strdup
#define strdup(...) inject_strdup(__VA_ARGS__)
#define free(...) inject_free(__VA_ARGS__)
#define mmap(...) inject_mmap(__VA_ARGS__)
#define munmap(...) inject_munmap(__VA_ARGS__)
#define memfd_create(...) inject_memfd_create(__VA_ARGS__)
#define ftruncate(...) inject_ftruncate(__VA_ARGS__)
#define fcntl(...) inject_fcntl(__VA_ARGS__)
#define socket(...) inject_socket(__VA_ARGS__)
#define socketpair(...) inject_socketpair(__VA_ARGS__)
#define bind(...) inject_bind(__VA_ARGS__)
#define listen(...) inject_listen(__VA_ARGS__)
#define connect(...) inject_connect(__VA_ARGS__)
#define accept4(...) inject_accept4(__VA_ARGS__)
#define getsockopt(...) inject_getsockopt(__VA_ARGS__)
#define epoll_create1(...) inject_epoll_create1(__VA_ARGS__)
#define epoll_ctl(...) inject_epoll_ctl(__VA_ARGS__)
#define sendmsg(...) inject_sendmsg(__VA_ARGS__)
#define recvmsg(...) inject_recvmsg(__VA_ARGS__)
#define open(...) inject_open(__VA_ARGS__)
#define openat(...) inject_openat(__VA_ARGS__)
#define mkdir(...) inject_mkdir(__VA_ARGS__)
#define flock(...) inject_flock(__VA_ARGS__)
#define fstat(...) inject_fstat(__VA_ARGS__)
#define timerfd_create(...) inject_timerfd_create(__VA_ARGS__)
#define eventfd(...) inject_eventfd(__VA_ARGS__)

#endif
