#include "base/told_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/folder.h"
#include "core/forks.h"
#include "log/sdk_log.h"

#define NAME_BYTES 64
#define SUFFIX ".faults"
#define BETWEEN_LOOKS_NS INT64_C(10000000)
/* After a folder that could not be opened, as the log says each time. */
#define AFTER_FAILURE_NS INT64_C(1000000000)

static atomic_bool listening;
static char file[NAME_BYTES + sizeof(SUFFIX)];
static atomic_int_least64_t next_look;
/* Whoever finds it taken, by another thread or by a look of its own that logs something, need not look. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(looking)
static struct stat seen; /* the file at the latest look; all zero: there was none */

bool told_faults_listen(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
	if (length == 0 || length >= NAME_BYTES || name[length] != '\0')
		return false;
	snprintf(file, sizeof(file), "%s" SUFFIX, name);
	atomic_store(&listening, true);
	return true;
}

bool told_faults_listening(void)
{
	return atomic_load(&listening);
}

static bool same_as_seen(const struct stat *now)
{
	return now->st_dev == seen.st_dev && now->st_ino == seen.st_ino && now->st_size == seen.st_size &&
	       now->st_mtim.tv_sec == seen.st_mtim.tv_sec && now->st_mtim.tv_nsec == seen.st_mtim.tv_nsec &&
	       now->st_ctim.tv_sec == seen.st_ctim.tv_sec && now->st_ctim.tv_nsec == seen.st_ctim.tv_nsec;
}

static bool trustworthy(const struct stat *status)
{
	bool good = S_ISREG(status->st_mode) &&
		    /* guard: told-faults-owner */ status->st_uid == geteuid() &&
		    /* guard: told-faults-mode */ (status->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
		    status->st_size < TOLD_FAULTS_BYTES;
	if (!good)
		EMU_LOG_WARNING(
			"%s in the fabric folder is not listened to: it must be a file of user %u, which nobody "
			"else can write to, of less than %d bytes",
			file, (unsigned)geteuid(), TOLD_FAULTS_BYTES);
	return good;
}

/* What the file says, without the ends of its lines; false if that is nothing to listen to. */
static bool read_list(int fd, const struct stat *status, char list[TOLD_FAULTS_BYTES])
{
	if (!trustworthy(status))
		return false;
	ssize_t length = read(fd, list, TOLD_FAULTS_BYTES - 1);
	if (length < 0)
		return false;
	list[length] = '\0';
	list[strcspn(list, "\n")] = '\0';
	return true;
}

static bool look(char list[TOLD_FAULTS_BYTES])
{
	int dir;
	doca_error_t result = emu_folder_open(NULL, EMU_FOLDER_REPORT, &dir);
	if (result != DOCA_SUCCESS) {
		if (result != DOCA_ERROR_NOT_FOUND)
			atomic_fetch_add(&next_look, AFTER_FAILURE_NS);
		return false;
	}
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | /* guard: told-faults-link */ O_NOFOLLOW);
	int error = errno;
	close(dir);
	struct stat now;
	memset(&now, 0, sizeof(now));
	if (fd < 0 ? error != ENOENT : fstat(fd, &now) != 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool changed = !same_as_seen(&now);
	seen = now;
	list[0] = '\0';
	if (fd >= 0) {
		changed = changed && read_list(fd, &now, list);
		close(fd);
	}
	return changed;
}

bool told_faults_changed(char list[TOLD_FAULTS_BYTES])
{
	int64_t now = clock_tick();
	if (now < atomic_load_explicit(&next_look, memory_order_relaxed) || pthread_mutex_trylock(&looking) != 0)
		return false;
	atomic_store_explicit(&next_look, now + BETWEEN_LOOKS_NS, memory_order_relaxed);
	bool changed = look(list);
	pthread_mutex_unlock(&looking);
	return changed;
}
