#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk_log.h"

static doca_error_t failed(const char *what, const char *path)
{
	int error = errno;
	EMU_LOG_ERROR("cannot %s the fabric folder %s as user %u: %m", what, path, (unsigned)geteuid());
	return error == ENOMEM || error == EMFILE || error == ENFILE ? DOCA_ERROR_NO_MEMORY
								     : DOCA_ERROR_OPERATING_SYSTEM;
}

bool emu_folder_is_shared(void)
{
	const char *share = getenv("DOCA_EMU_SHARE");
	return share != NULL && strcmp(share, "group") == 0;
}

gid_t emu_folder_group(int dir)
{
	struct stat status;
	return emu_folder_is_shared() && fstat(dir, &status) == 0 ? status.st_gid : (gid_t)-1;
}

static bool in_group(gid_t group)
{
	if (group == getegid())
		return true;
	gid_t groups[256];
	int num = getgroups((int)(sizeof(groups) / sizeof(groups[0])), groups);
	for (int i = 0; i < num; i++)
		if (groups[i] == group)
			return true;
	return false;
}

/* Whoever can write to the folder can pass for any server of the machine. */
static bool trustworthy(const struct stat *status, const char *path)
{
	unsigned mode = (unsigned)status->st_mode & 07777u, user = (unsigned)geteuid();
	if (emu_folder_is_shared()) {
		bool member = in_group(status->st_gid);
		bool open_to_group = (mode & (S_IRWXG | S_IWOTH)) == S_IRWXG;
		if (member && open_to_group)
			return true;
		EMU_LOG_ERROR(
			"the fabric folder %s belongs to user %u and group %u and has mode %04o: with "
			"DOCA_EMU_SHARE=group, user %u must be in its group (it is%s), and that group, but "
			"no others, able to write to it, as with mode 2770 (it can%s)",
			path, (unsigned)status->st_uid, (unsigned)status->st_gid, mode, user, member ? "" : " not",
			open_to_group ? "" : "not");
		return false;
	}
	if (status->st_uid != geteuid()) {
		EMU_LOG_ERROR(
			"the fabric folder %s belongs to user %u and this process runs as user %u: run "
			"both sides as one user, or share a group's folder with DOCA_EMU_SHARE=group",
			path, (unsigned)status->st_uid, user);
		return false;
	}
	if ((mode & (S_IWGRP | S_IWOTH)) != 0) {
		EMU_LOG_ERROR(
			"the fabric folder %s can be written to by others than its user (mode %04o): make that "
			"0700, or share it with its group by DOCA_EMU_SHARE=group",
			path, mode);
		return false;
	}
	return true;
}

static int make(const char *path)
{
	if (mkdir(path, 0700) != 0)
		return errno == EEXIST ? 0 : -1;
	return emu_folder_is_shared() ? chmod(path, 02770) : 0;
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
	if (missing == EMU_FOLDER_MAKE && make(path) != 0)
		return failed("make", path);
	int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0 && errno == ENOENT && missing == EMU_FOLDER_REPORT)
		return DOCA_ERROR_NOT_FOUND;
	struct stat status;
	/* The owner of a folder that cannot be opened explains more than "permission denied". */
	if (opened < 0 && errno == EACCES && stat(path, &status) == 0 && !trustworthy(&status, path))
		return DOCA_ERROR_OPERATING_SYSTEM;
	if (opened < 0 || fstat(opened, &status) != 0) {
		doca_error_t result = failed("open", path);
		if (opened >= 0)
			close(opened);
		return result;
	}
	if (!trustworthy(&status, path)) {
		close(opened);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	*dir = opened;
	return DOCA_SUCCESS;
}
