/* Included ahead of each source of the emulator in the fuzzer's build. */
#ifndef FUZZ_WORLD_CALLS_H
#define FUZZ_WORLD_CALLS_H

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int world_clock_gettime(clockid_t clock, struct timespec *now);
int world_nanosleep(const struct timespec *time, struct timespec *left);
ssize_t world_getrandom(void *bytes, size_t len, unsigned flags);
pid_t world_getpid(void);
void *world_mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset);
int world_munmap(void *address, size_t len);
ssize_t world_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
			       const struct iovec *remote, unsigned long num_remote, unsigned long flags);
ssize_t world_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote, unsigned long num_remote, unsigned long flags);

#define clock_gettime(...) world_clock_gettime(__VA_ARGS__)
#define nanosleep(...) world_nanosleep(__VA_ARGS__)
#define getrandom(...) world_getrandom(__VA_ARGS__)
#define getpid(...) world_getpid(__VA_ARGS__)
#define mmap(...) world_mmap(__VA_ARGS__)
#define munmap(...) world_munmap(__VA_ARGS__)
#define process_vm_readv(...) world_process_vm_readv(__VA_ARGS__)
#define process_vm_writev(...) world_process_vm_writev(__VA_ARGS__)

#endif
