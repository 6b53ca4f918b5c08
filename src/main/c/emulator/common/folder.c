#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk_log.h"

static doca_error_t failed(const char *what, const char *path)
{
	int error = errno;
	EMU_LOG_ERROR("cannot %s the fabric folder %s: errno %d", what, path, error);
	return error == ENOMEM || error == EMFILE || error == ENFILE ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t emu_folder_open(enum emu_folder_missing missing, int *dir)
{
	char path[4096];
	const char *chosen = getenv("DOCA_EMU_DIR");
	int length = chosen != NULL && chosen[0] != '\0'
			     ? snprintf(path, sizeof(path), "%s", chosen)
			     : snprintf(path, sizeof(path), "/dev/shm/doca-emu-%u", (unsigned)geteuid());
	if (length < 0 || (size_t)length >= sizeof(path)) {
		EMU_LOG_ERROR("DOCA_EMU_DIR is too long");
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	if (missing == EMU_FOLDER_MAKE && mkdir(path, 0700) != 0 && errno != EEXIST)
		return failed("make", path);
	int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0 && errno == ENOENT && missing == EMU_FOLDER_REPORT)
		return DOCA_ERROR_NOT_FOUND;
	struct stat status;
	if (opened < 0 || fstat(opened, &status) != 0) {
		doca_error_t result = failed("open", path);
		if (opened >= 0)
			close(opened);
		return result;
	}
	if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		EMU_LOG_ERROR("the fabric folder %s must belong to this user and be writable by nobody else", path);
		close(opened);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	*dir = opened;
	return DOCA_SUCCESS;
}
