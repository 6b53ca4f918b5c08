#include "core/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file_limit.h"
#include "log/sdk_log.h"

static doca_error_t failed(const char *what, const char *path)
{
	int error = errno;
	EMU_LOG_ERROR("cannot %s the fabric folder %s as user %u: %m%s", what, path, (unsigned)geteuid(),
		      emu_file_remedy(error));
	return error == ENOMEM || error == EMFILE || error == ENFILE ? DOCA_ERROR_NO_MEMORY
								     : DOCA_ERROR_OPERATING_SYSTEM;
}

static const char *shared_with(void)
{
	const char *share = getenv("DOCA_EMU_SHARE");
	return share == NULL ? "" : share;
}

bool emu_folder_is_shared(void)
{
	return strcmp(shared_with(), "group") == 0;
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
		if (/* guard: folder-member=1 */ member && /* guard: folder-open-to-group=1 */ open_to_group)
			return true;
		EMU_LOG_ERROR(
			"the fabric folder %s belongs to user %u and group %u and has mode %04o: with "
			"DOCA_EMU_SHARE=group, user %u must be in its group (it is%s), and that group, but "
			"no others, able to write to it, as with mode 2770 (it can%s)",
			path, (unsigned)status->st_uid, (unsigned)status->st_gid, mode, user, member ? "" : " not",
			open_to_group ? "" : "not");
		return false;
	}
	if (/* guard: folder-owner */ status->st_uid != geteuid()) {
		EMU_LOG_ERROR(
			"the fabric folder %s belongs to user %u and this process runs as user %u: run "
			"both sides as one user, or share a group's folder with DOCA_EMU_SHARE=group",
			path, (unsigned)status->st_uid, user);
		return false;
	}
	if (/* guard: folder-mode */ (mode & (S_IWGRP | S_IWOTH)) != 0) {
		EMU_LOG_ERROR(
			"the fabric folder %s can be written to by others than its user (mode %04o): make that "
			"0700, or share it with its group by DOCA_EMU_SHARE=group",
			path, mode);
		return false;
	}
	return true;
}

enum emu_folder_source emu_folder_path(const char *named, char path[EMU_FOLDER_PATH_BYTES])
{
	const char *chosen = named != NULL ? named : getenv("DOCA_EMU_DIR");
	bool is_chosen = chosen != NULL && chosen[0] != '\0';
	int length = is_chosen ? snprintf(path, EMU_FOLDER_PATH_BYTES, "%s", chosen)
			       : snprintf(path, EMU_FOLDER_PATH_BYTES, "/dev/shm/doca-emu-%u", (unsigned)geteuid());
	if (length < 0 || length >= EMU_FOLDER_PATH_BYTES)
		return EMU_FOLDER_TOO_LONG;
	return is_chosen ? EMU_FOLDER_CHOSEN : EMU_FOLDER_DEFAULT;
}

static int make(const char *path, bool *made)
{
	*made = mkdir(path, 0700) == 0;
	return *made || errno == EEXIST ? 0 : -1;
}

/* Anybody can put a link where the default folder is to be. Where DOCA_EMU_DIR leads is up to who sets it. */
static bool is_link(const char *path, enum emu_folder_source source)
{
	struct stat status;
	if (source != EMU_FOLDER_DEFAULT || lstat(path, &status) != 0 || !S_ISLNK(status.st_mode))
		return false;
	EMU_LOG_ERROR(
		"the fabric folder %s is a symbolic link, made by user %u: remove it, or name the folder with "
		"DOCA_EMU_DIR",
		path, (unsigned)status.st_uid);
	return true;
}

doca_error_t emu_folder_open(const char *named, enum emu_folder_missing missing, int *dir)
{
	char path[EMU_FOLDER_PATH_BYTES];
	enum emu_folder_source source = emu_folder_path(named, path);
	if (source == EMU_FOLDER_TOO_LONG) {
		EMU_LOG_ERROR("%s is too long: %d bytes are allowed",
			      named != NULL ? "the name of the fabric folder" : "DOCA_EMU_DIR",
			      EMU_FOLDER_PATH_BYTES - 1);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	if (shared_with()[0] != '\0' && !emu_folder_is_shared()) {
		EMU_LOG_ERROR("DOCA_EMU_SHARE is \"%s\": group is allowed, or nothing for this user's processes only",
			      shared_with());
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	bool made = false;
	if (missing == EMU_FOLDER_MAKE && make(path, &made) != 0)
		return failed("make", path);
	int links = source == EMU_FOLDER_DEFAULT ? /* guard: folder-link */ O_NOFOLLOW : 0;
	int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | links);
	if (opened < 0 && errno == ENOENT && missing == EMU_FOLDER_REPORT)
		return DOCA_ERROR_NOT_FOUND;
	if (opened < 0 && (errno == ELOOP || errno == ENOTDIR)) {
		int error = errno;
		if (is_link(path, source))
			return DOCA_ERROR_OPERATING_SYSTEM;
		errno = error;
	}
	struct stat status;
	/* The owner of a folder that cannot be opened explains more than "permission denied". */
	if (opened < 0 && errno == EACCES && stat(path, &status) == 0 && !trustworthy(&status, path))
		return DOCA_ERROR_OPERATING_SYSTEM;
	if (opened >= 0 && made && emu_folder_is_shared() && fchmod(opened, 02770) != 0) {
		doca_error_t result = failed("make", path);
		close(opened);
		return result;
	}
	if (opened < 0 || fstat(opened, &status) != 0) {
		doca_error_t result = failed("open", path);
		if (opened >= 0)
			close(opened);
		return result;
	}
	if (!trustworthy(&status, path)) {
		/* guard: release-distrusted-folder */ close(opened);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	*dir = opened;
	return DOCA_SUCCESS;
}
