#include "world.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/wire.h"
#include "world_calls.h"

#undef mmap
#undef munmap
#undef getpid

#define PAGE 4096u

static uint64_t now_ns;
static bool remote;
static size_t most_written;
static bool write_fails;
static size_t mappings;

void world_reset(void)
{
	now_ns = UINT64_C(1000000000);
	remote = false;
	most_written = SIZE_MAX;
	write_fails = false;
}

void world_pass_ms(uint64_t milliseconds)
{
	now_ns += milliseconds * 1000000;
}

void world_peer_is_remote(bool reachable)
{
	remote = reachable;
}

void world_remote_write(size_t most, bool fails)
{
	most_written = most == 0 ? 1 : most;
	write_fails = fails;
}

size_t world_mappings(void)
{
	return mappings;
}

int world_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	/* Loops that wait for a time must come to an end. */
	now_ns += 250000;
	*now = (struct timespec){.tv_sec = (time_t)(now_ns / 1000000000), .tv_nsec = (long)(now_ns % 1000000000)};
	return 0;
}

int world_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	now_ns += (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
	return 0;
}

ssize_t world_getrandom(void *bytes, size_t len, unsigned flags)
{
	(void)flags;
	memset(bytes, 0x5a, len);
	return (ssize_t)len;
}

pid_t world_getpid(void)
{
	/* A peer with another process id than this is somebody else. */
	return remote ? getpid() + 1 : getpid();
}

void *world_mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset)
{
	uint8_t *room = mmap(NULL, len + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return MAP_FAILED;
	void *mapped = mmap(room + PAGE, len, protection, flags | MAP_FIXED, fd, offset);
	if (mapped == MAP_FAILED) {
		int error = errno;
		munmap(room, len + 2 * PAGE);
		errno = error;
		return MAP_FAILED;
	}
	(void)address;
	mappings++;
	return mapped;
}

int world_munmap(void *address, size_t len)
{
	mappings--;
	return munmap((uint8_t *)address - PAGE, len + 2 * PAGE);
}

/* The trial of the handshake finds that the peer is what it says; payloads that are fetched meet what writes meet. */
ssize_t world_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
			       const struct iovec *remote_part, unsigned long num_remote, unsigned long flags)
{
	(void)pid, (void)num_local, (void)num_remote, (void)flags;
	bool trial = remote_part->iov_len == WIRE_COOKIE_BYTES;
	if (!trial && write_fails) {
		errno = EFAULT;
		return -1;
	}
	size_t len = trial || local->iov_len < most_written ? local->iov_len : most_written;
	memset(local->iov_base, 0x11, len);
	return (ssize_t)len;
}

ssize_t world_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote_part, unsigned long num_remote, unsigned long flags)
{
	(void)pid, (void)num_local, (void)remote_part, (void)num_remote, (void)flags;
	if (write_fails) {
		errno = EFAULT;
		return -1;
	}
	/* What is written must be readable. */
	volatile uint8_t sum = 0;
	for (size_t i = 0; i < local->iov_len; i += 64)
		sum = (uint8_t)(sum + ((const uint8_t *)local->iov_base)[i]);
	return (ssize_t)(local->iov_len < most_written ? local->iov_len : most_written);
}
