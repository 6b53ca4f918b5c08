#include "core/forks.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a process with more of them, those beyond are not kept to it. */
#define MOST_DESCRIPTORS (1 << 18)

/* The inodes of what was to be kept, by descriptor; 0: none. Pages that nobody writes to take no memory. */
static _Atomic uint64_t inodes[MOST_DESCRIPTORS];
static _Atomic int highest = -1;

int emu_fork_keep(int fd)
{
	struct stat status;
	if (fd < 0 || fd >= MOST_DESCRIPTORS || fstat(fd, &status) != 0)
		return fd;
	atomic_store(&inodes[fd], status.st_ino);
	int known = atomic_load(&highest);
	while (fd > known && !atomic_compare_exchange_weak(&highest, &known, fd))
		;
	return fd;
}

void emu_fork_forget(int fd)
{
	if (fd >= 0 && fd < MOST_DESCRIPTORS)
		atomic_store(&inodes[fd], 0);
}

/* The number may be that of something else by now. */
static bool is_kept(int fd)
{
	struct stat status;
	uint64_t inode = atomic_exchange(&inodes[fd], 0);
	return inode != 0 && fstat(fd, &status) == 0 && status.st_ino == inode;
}

/* A socket whose peer has gone. -1: there are no descriptors. */
static int lonely_socket(void)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
		return -1;
	close(pair[1]);
	return pair[0];
}

static void after_fork_in_child(void)
{
	int lonely = lonely_socket();
	for (int fd = 0; fd <= atomic_load(&highest); fd++) {
		if (!is_kept(fd))
			continue;
		if (lonely >= 0 && dup3(lonely, fd, O_CLOEXEC) == fd)
			continue;
		close(fd);
	}
	if (lonely >= 0)
		close(lonely);
	atomic_store(&highest, -1);
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, after_fork_in_child);
}
