#include "base/fabric.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/shm_sides.h"
#include "base/wire.h"
#include "core/file_limit.h"
#include "core/folder.h"
#include "core/forks.h"
#include "log/sdk_log.h"

/* Of a place, which is a PCI address and, for services of the endpoint API, ".ep". */
#define FUNCTION "%.12s"

#define LOCK_SUFFIX ".lock"
#define SOCKET_SUFFIX ".sock"
#define FABRIC_PATH_BYTES (FABRIC_FILE_BYTES + sizeof(SOCKET_SUFFIX))

/* A server that accepts late may find all the clients that it takes waiting. */
#define BACKLOG 512

#define HOLDER_BYTES 32

/* How long a server waits for others that are starting. */
#define TURN_PATIENCE_MS 2000

static uint64_t fnv1a(const char *text, uint64_t hash)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* The handshake compares the whole name; the hash only has to be unlikely to collide. */
static void file_name(const char *pci, const char *name, char file[FABRIC_FILE_BYTES])
{
	uint64_t low = fnv1a(name, UINT64_C(0xcbf29ce484222325));
	uint64_t high = fnv1a(name, low ^ UINT64_C(0x9e3779b97f4a7c15));
	snprintf(file, FABRIC_FILE_BYTES, "%s-%016" PRIx64 "%016" PRIx64, pci, low, high);
}

/* Socket paths are short; going through the open folder keeps them so wherever the folder is. */
static void socket_address(int dir, const char *file, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%.63s" SOCKET_SUFFIX, dir, file);
}

static void path_of(const char *file, const char *suffix, char path[FABRIC_PATH_BYTES])
{
	snprintf(path, FABRIC_PATH_BYTES, "%.63s%s", file, suffix);
}

static void remove_file(int dir, const char *file, const char *suffix)
{
	char path[FABRIC_PATH_BYTES];
	path_of(file, suffix, path);
	unlinkat(dir, path, 0);
}

/* What is made in a shared folder is the group's. Another user's file cannot be changed, and need not be. */
static void open_to_group(int dir, int fd)
{
	gid_t group = emu_folder_group(dir);
	if (group != (gid_t)-1 && fchown(fd, (uid_t)-1, group) == 0)
		(void)fchmod(fd, /* guard: fabric-lock-mode=0666 */ 0660);
}

/* Takes FILE.lock; -1 with errno EWOULDBLOCK while another server holds it. */
static int take_lock(int dir, const char *file, int flags)
{
	char path[FABRIC_PATH_BYTES];
	path_of(file, LOCK_SUFFIX, path);
	for (;;) {
		int lock =
			openat(dir, path, flags | O_RDWR | O_CLOEXEC | /* guard: fabric-lock-link */ O_NOFOLLOW, 0600);
		if (lock < 0)
			return -1;
		if ((flags & O_CREAT) != 0)
			open_to_group(dir, lock);
		struct stat held, named;
		if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
			/* Its owner may have removed the name between the open and the lock. */
			if (fstat(lock, &held) == 0 && fstatat(dir, path, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
			    /* guard: fabric-lock-name=1 */ held.st_ino == named.st_ino && held.st_dev == named.st_dev)
				return emu_fork_keep(lock);
			close(lock);
			continue;
		}
		int error = errno;
		close(lock);
		errno = error;
		return -1;
	}
}

/* Removes what servers that died have left behind. */
static void sweep(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	if (entries == NULL) {
		if (copy >= 0)
			close(copy);
		return;
	}
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
		size_t length = strlen(entry->d_name);
		size_t suffix = sizeof(LOCK_SUFFIX) - 1;
		if (length <= suffix || /* guard: fabric-sweep-length */ length - suffix >= FABRIC_FILE_BYTES ||
		    strcmp(entry->d_name + length - suffix, LOCK_SUFFIX) != 0)
			continue;
		char file[FABRIC_FILE_BYTES];
		memcpy(file, entry->d_name, length - suffix);
		file[length - suffix] = '\0';
		int lock = take_lock(dir, file, 0);
		if (/* guard: fabric-sweep-in-use */ lock < 0)
			continue;
		remove_file(dir, file, SOCKET_SUFFIX);
		remove_file(dir, file, LOCK_SUFFIX);
		close(lock);
	}
	closedir(entries);
}

/* The inode of FILE.sock; 0: there is none. */
static ino_t socket_ino(int dir, const char *file)
{
	char path[FABRIC_PATH_BYTES];
	struct stat named;
	path_of(file, SOCKET_SUFFIX, path);
	return fstatat(dir, path, &named, AT_SYMLINK_NOFOLLOW) == 0 ? named.st_ino : 0;
}

static int listen_on(int dir, const char *file)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	struct sockaddr_un address;
	socket_address(dir, file, &address);
	/* Before the listen: until then nobody gets in. The mode of the name is what counts, not that of the socket. */
	gid_t group = emu_folder_group(dir);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    (group != (gid_t)-1 && (chown(address.sun_path, (uid_t)-1, group) != 0 ||
				    chmod(address.sun_path, /* guard: fabric-socket-mode=0666 */ 0660) != 0)) ||
	    listen(fd, BACKLOG) != 0) {
		int error = errno;
		/* guard: release-deaf-socket */ close(fd);
		errno = error;
		return -1;
	}
	return emu_fork_keep(fd);
}

/* Whether somebody listens on FILE.sock, or may: a server without its lock file, which was removed. Then errno is
 * EWOULDBLOCK, or why nobody could look. */
static bool is_listened_on(int dir, const char *file)
{
	struct sockaddr_un address;
	socket_address(dir, file, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return true;
	bool listened_on = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
			   (errno != ECONNREFUSED && errno != ENOENT);
	close(fd);
	errno = EWOULDBLOCK;
	return listened_on;
}

/* ", in process N" of who has FILE.lock; "" if that is not known, such as in another PID namespace. FILE.sock is not
 * connected to for that: its server would see a client that leaves. */
static void write_holder(int dir, const char *file, char text[HOLDER_BYTES])
{
	text[0] = '\0';
	char path[FABRIC_PATH_BYTES], line[256];
	path_of(file, LOCK_SUFFIX, path);
	struct stat lock;
	FILE *locks = fstatat(dir, path, &lock, AT_SYMLINK_NOFOLLOW) == 0 ? fopen("/proc/locks", "re") : NULL;
	if (locks == NULL)
		return;
	int pid;
	unsigned int on_major, on_minor;
	uint64_t inode;
	while (fgets(line, sizeof(line), locks) != NULL) {
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%" SCNu64, &pid, &on_major, &on_minor, &inode) == 4 &&
		    pid > 0 && inode == lock.st_ino && on_major == major(lock.st_dev) && on_minor == minor(lock.st_dev))
			snprintf(text, HOLDER_BYTES, ", in process %d", pid);
	}
	fclose(locks);
}

/* What one try to get hold of the folder's lock gives: 1, 0 for now, or -1 on a file system without locks, where
 * servers start side by side. */
static int try_turn(int dir)
{
	if (flock(dir, LOCK_EX | LOCK_NB) == 0)
		return 1;
	return errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
}

/* Servers start one at a time: while a sweep looks whether a file has an owner, it holds that file's lock, and a server
 * that is just starting would take the sweep for a second server of its name. That takes moments, unless a process is
 * stopped in the middle of it. */
static bool take_turn(int dir)
{
	for (int tries = 0; try_turn(dir) == 0; tries++) {
		if (/* guard: fabric-turn-patience */ tries == TURN_PATIENCE_MS)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return true;
}

static int make_spare(int dir)
{
	return fcntl(dir, F_DUPFD_CLOEXEC, 0);
}

static int accept_client(const struct fabric_listener *listener)
{
	return emu_fork_keep(accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

/* Makes room for FILE.sock, in the turn of the server that has the lock; false with errno, EWOULDBLOCK: somebody
 * listens there, although it has lost its lock file. */
static bool clear_socket(int dir, const char *file)
{
	if (socket_ino(dir, file) == 0)
		return true;
	if (/* guard: fabric-socket-in-use */ is_listened_on(dir, file))
		return false;
	remove_file(dir, file, SOCKET_SUFFIX);
	return true;
}

static void give_lock_up(int dir, const char *file, int lock)
{
	int error = errno;
	remove_file(dir, file, LOCK_SUFFIX);
	close(lock);
	errno = error;
}

/* For who looks at the folder from outside (comch list): the file is called after a hash. */
static void write_name(int lock, const char *name)
{
	if (ftruncate(lock, 0) == 0 && emu_file_may_have(strlen(name), "the file with the name of a server"))
		(void)!pwrite(lock, name, strlen(name), 0);
}

/* FILE.lock, in this server's turn; -1 with errno EWOULDBLOCK while another server of the name runs. */
static int take_name(int dir, const char *file)
{
	int lock = take_lock(dir, file, O_CREAT);
	if (lock < 0 || clear_socket(dir, file))
		return lock;
	give_lock_up(dir, file, lock);
	return -1;
}

/* Who waits for a name asks again and again: the log tells it once in a while, the caller each time. */
static void tell_taken(const char *file, const char *name, const char *pci, const char *holder)
{
	static _Thread_local char told_file[FABRIC_FILE_BYTES];
	static _Thread_local int64_t again_ms;
	/* NameTakenException reads this. */
	static const char text[] = "there is a server \"%s\" on " FUNCTION " already%s";
	if (strcmp(file, told_file) == 0 && now_ms() < again_ms) {
		emu_log_reason(text, name, pci, holder);
		return;
	}
	EMU_LOG_ERROR(text, name, pci, holder);
	memcpy(told_file, file, sizeof(told_file));
	again_ms = now_ms() + FABRIC_TELL_AGAIN_MS;
}

doca_error_t fabric_listen(const char *folder, const char *pci, const char *name, struct fabric_listener *listener)
{
	int dir;
	doca_error_t result = emu_folder_open(folder, EMU_FOLDER_MAKE, &dir);
	if (result != DOCA_SUCCESS)
		return result;
	if (!take_turn(dir)) {
		EMU_LOG_ERROR(
			"cannot register server \"%s\": another process has been starting one in the fabric "
			"folder for %d s; is it stopped?",
			name, TURN_PATIENCE_MS / 1000);
		close(dir);
		return DOCA_ERROR_TIME_OUT;
	}
	sweep(dir);
	struct fabric_listener opened = {
		.folder = folder, .group = emu_folder_group(dir), .dir = dir, .lock = -1, .socket = -1, .spare = -1};
	file_name(pci, name, opened.file);
	opened.lock = take_name(dir, opened.file);
	int error = errno;
	char path[EMU_FOLDER_PATH_BYTES];
	(void)emu_folder_path(folder, path);
	char holder[HOLDER_BYTES] = "";
	if (opened.lock < 0 && error == EWOULDBLOCK)
		write_holder(dir, opened.file, holder);
	(void)flock(dir, LOCK_UN);
	if (opened.lock < 0) {
		bool taken = error == EWOULDBLOCK;
		errno = error;
		if (!taken)
			EMU_LOG_ERROR("cannot register server \"%s\" in the fabric folder %s: %m%s", name, path,
				      emu_file_remedy(error));
		else if (socket_ino(dir, opened.file) != 0)
			tell_taken(opened.file, name, pci, holder);
		else
			EMU_LOG_ERROR("there is a server \"%s\" on " FUNCTION
				      " already, which cannot be connected to: its socket was "
				      "removed from the fabric folder %s, and it does not progress",
				      name, pci, path);
		close(dir);
		return taken ? DOCA_ERROR_ALREADY_EXIST : DOCA_ERROR_OPERATING_SYSTEM;
	}
	opened.socket = listen_on(dir, opened.file);
	if (opened.socket < 0) {
		EMU_LOG_ERROR("cannot listen for server \"%s\" in the fabric folder %s: %m%s", name, path,
			      emu_file_remedy(errno));
		/* guard: release-names */ fabric_unlisten(&opened);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	write_name(opened.lock, name);
	opened.socket_ino = socket_ino(dir, opened.file);
	opened.spare = make_spare(dir);
	*listener = opened;
	return DOCA_SUCCESS;
}

static bool is_unlinked(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

void fabric_unlisten(struct fabric_listener *listener)
{
	if (listener->lock < 0)
		return;
	if (listener->socket >= 0)
		close(listener->socket);
	if (listener->spare >= 0)
		close(listener->spare);
	/* Names go before the lock, so that the next owner never finds those of this server. Where they have been
	 * removed, others may be in their place. */
	if (/* guard: fabric-names-of-others=1 */ !is_unlinked(listener->lock)) {
		remove_file(listener->dir, listener->file, SOCKET_SUFFIX);
		remove_file(listener->dir, listener->file, LOCK_SUFFIX);
	} else if (listener->socket_ino != 0 && socket_ino(listener->dir, listener->file) == listener->socket_ino) {
		remove_file(listener->dir, listener->file, SOCKET_SUFFIX);
	}
	close(listener->lock);
	close(listener->dir);
	listener->dir = listener->lock = listener->socket = listener->spare = -1;
}

/* ---- names that somebody has removed ---- */

/* After a failure, which is logged. */
#define LOOK_AGAIN_MS 30000

static void explain_loss(struct fabric_listener *listener, const char *name, int error)
{
	if (listener->lost)
		return;
	listener->lost = true;
	char path[EMU_FOLDER_PATH_BYTES];
	(void)emu_folder_path(listener->folder, path);
	errno = error;
	if (error == EWOULDBLOCK)
		emu_log_event(
			DOCA_LOG_LEVEL_ERROR,
			"the files of server \"%s\" were removed from the fabric folder %s, and another server has "
			"taken its name: clients find that one, and not this",
			name, path);
	else
		emu_log_event(
			DOCA_LOG_LEVEL_ERROR,
			"the files of server \"%s\" were removed from the fabric folder %s, and cannot be made again: "
			"clients do not find it (%m)",
			name, path);
}

/* Takes the names in `dir` that are gone. False with errno: they cannot be had. */
static bool take_names_again(struct fabric_listener *listener, int dir, bool without_lock, bool without_socket)
{
	int lock = without_lock ? take_lock(dir, listener->file, O_CREAT) : listener->lock;
	if (lock < 0)
		return false;
	if (without_socket) {
		int socket = clear_socket(dir, listener->file) ? listen_on(dir, listener->file) : -1;
		if (socket < 0) {
			if (without_lock)
				give_lock_up(dir, listener->file, lock);
			return false;
		}
		close(listener->socket);
		listener->socket = socket;
		listener->socket_ino = socket_ino(dir, listener->file);
	}
	if (without_lock)
		close(listener->lock);
	listener->lock = lock;
	return true;
}

/* ---- clients that cannot be taken ---- */

static bool may_tell(struct fabric_untold *untold, int64_t now)
{
	if (now < untold->from_ms)
		return false;
	untold->from_ms = now + FABRIC_TELL_AGAIN_MS;
	return true;
}

void fabric_refuse(struct fabric_listener *listener, const char *name, int socket, enum wire_refusal refusal,
		   uint32_t version)
{
	struct fabric_untold *untold = &listener->untold[refusal];
	untold->version = version;
	if (untold->clients == 0 && may_tell(untold, now_ms()))
		EMU_LOG_EVENT("server \"%s\" refused a client: %s", name,
			      wire_refusal_text(refusal, version, &(struct wire_text){{0}}));
	else
		untold->clients++;
	wire_reject(socket, refusal);
}

static void tell_refusals(struct fabric_listener *listener, const char *name, int64_t now)
{
	for (uint32_t refusal = WIRE_REFUSED + 1; refusal < WIRE_NUM_REFUSALS; refusal++) {
		struct fabric_untold *untold = &listener->untold[refusal];
		if (untold->clients == 0 || !may_tell(untold, now))
			continue;
		EMU_LOG_EVENT("server \"%s\" refused %u more: %s", name, untold->clients,
			      wire_refusal_text(refusal, untold->version, &(struct wire_text){{0}}));
		untold->clients = 0;
	}
}

/* Whether a call that failed with it would fail at any other time, too. */
static bool is_lasting(int error)
{
	return error != EMFILE && error != ENFILE && error != ENOMEM && error != ENOBUFS && error != EINTR;
}

/* After an accept that has failed: -1. */
static int leave_waiting(struct fabric_listener *listener, const char *name)
{
	int error = errno;
	if (is_lasting(error) || error == EINTR || !may_tell(&listener->untold[WIRE_REFUSED], now_ms()))
		return -1;
	errno = error;
	EMU_LOG_EVENT("server \"%s\" cannot take clients, which wait: %m%s", name, emu_file_remedy(error));
	return -1;
}

bool fabric_keep_names(struct fabric_listener *listener, const char *name, int64_t now_ms)
{
	if (now_ms < listener->look_at_names_ms)
		return false;
	tell_refusals(listener, name, now_ms);
	listener->look_at_names_ms = now_ms + FABRIC_LOOK_AT_NAMES_MS;
	bool without_folder = is_unlinked(listener->dir);
	bool without_lock = without_folder || is_unlinked(listener->lock);
	bool without_socket = without_folder || socket_ino(listener->dir, listener->file) != listener->socket_ino;
	if (!without_lock && !without_socket)
		return false;
	int dir = listener->dir;
	listener->look_at_names_ms = now_ms + LOOK_AGAIN_MS;
	if (without_folder && emu_folder_open(listener->folder, EMU_FOLDER_MAKE, &dir) != DOCA_SUCCESS) {
		explain_loss(listener, name, errno);
		return false;
	}
	int turn = try_turn(dir);
	bool taken = turn != 0 && take_names_again(listener, dir, without_lock, without_socket);
	int error = errno;
	if (turn == 1)
		(void)flock(dir, LOCK_UN);
	if (taken && without_folder) {
		close(listener->dir);
		listener->dir = dir;
		listener->group = emu_folder_group(dir);
	} else if (without_folder) {
		close(dir);
	}
	if (turn == 0 || taken)
		listener->look_at_names_ms = now_ms + FABRIC_LOOK_AT_NAMES_MS;
	if (taken) {
		write_name(listener->lock, name);
		listener->lost = false;
		EMU_LOG_EVENT("%s of server \"%s\" had been removed from outside: made again",
			      without_folder   ? "the fabric folder"
			      : without_socket ? "the socket file"
					       : "the lock file",
			      name);
	} else if (turn != 0) {
		explain_loss(listener, name, error);
	}
	return taken && without_socket;
}

int fabric_accept(struct fabric_listener *listener, const char *name)
{
	for (;;) {
		int socket = accept_client(listener);
		if (socket >= 0)
			return socket;
		if (errno != EMFILE && errno != ENFILE)
			return leave_waiting(listener, name);
		/* Without a spare descriptor clients wait until there is one. */
		if (listener->spare < 0 && (listener->spare = make_spare(listener->dir)) < 0)
			return leave_waiting(listener, name);
		close(listener->spare);
		listener->spare = -1;
		socket = accept_client(listener);
		int error = errno;
		if (socket >= 0)
			fabric_refuse(listener, name, socket, WIRE_REFUSED_DESCRIPTORS, SHM_LAYOUT_VERSION);
		listener->spare = make_spare(listener->dir);
		errno = error;
		if (socket < 0)
			return leave_waiting(listener, name);
	}
}

doca_error_t fabric_connect(const char *folder, const char *pci, const char *name, int *connected)
{
	int dir;
	doca_error_t result = emu_folder_open(folder, EMU_FOLDER_MAKE, &dir);
	if (result != DOCA_SUCCESS) {
		emu_log_refused(result != DOCA_ERROR_NO_MEMORY);
		return result;
	}
	char file[FABRIC_FILE_BYTES];
	file_name(pci, name, file);
	struct sockaddr_un address;
	socket_address(dir, file, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		result = DOCA_ERROR_OPERATING_SYSTEM;
	else if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		result = errno == EAGAIN                            ? DOCA_ERROR_AGAIN
			 : errno == ENOENT || errno == ECONNREFUSED ? DOCA_ERROR_NOT_FOUND
								    : DOCA_ERROR_OPERATING_SYSTEM;
	if (result == DOCA_ERROR_OPERATING_SYSTEM) {
		emu_log_refused(is_lasting(errno));
		EMU_LOG_ERROR("cannot connect to server \"%s\" in the fabric folder: %m%s", name,
			      emu_file_remedy(errno));
	}
	if (result == DOCA_SUCCESS &&
	    /* guard: fabric-trusted-server */ !wire_peer_is_trusted(fd, emu_folder_group(dir))) {
		EMU_LOG_ERROR("server \"%s\" is not used: %s", name,
			      wire_refusal_text(WIRE_REFUSED_USER, SHM_LAYOUT_VERSION, &(struct wire_text){{0}}));
		emu_log_refused(true);
		result = DOCA_ERROR_NOT_PERMITTED;
	}
	close(dir);
	if (result == DOCA_SUCCESS)
		*connected = emu_fork_keep(fd);
	else if (fd >= 0)
		/* guard: fabric-unused-socket-closed */ close(fd);
	return result;
}

bool fabric_has(const char *folder, const char *pci, const char *name)
{
	int dir;
	if (emu_folder_open(folder, EMU_FOLDER_REPORT, &dir) != DOCA_SUCCESS)
		return false;
	char file[FABRIC_FILE_BYTES];
	file_name(pci, name, file);
	bool there = socket_ino(dir, file) != 0;
	close(dir);
	return there;
}

/* Whether a running server holds the lock of that file. To look is to take it for a moment, which a server that is
 * starting would take for another server: so it needs a turn, and while others have theirs nobody looks. */
static bool is_locked(int dir, const char *file)
{
	if (try_turn(dir) != 1)
		return false;
	int lock = take_lock(dir, file, 0);
	bool locked = lock < 0 && errno == EWOULDBLOCK;
	if (lock >= 0)
		close(lock);
	return locked;
}

void fabric_explain_absence(const char *client, const char *server, const char *folder, const char *pci,
			    const char *name)
{
	char path[EMU_FOLDER_PATH_BYTES], file[FABRIC_FILE_BYTES];
	bool own = emu_folder_path(folder, path) == EMU_FOLDER_DEFAULT;
	file_name(pci, name, file);
	int dir = -1;
	bool deaf = emu_folder_open(folder, EMU_FOLDER_REPORT, &dir) == DOCA_SUCCESS && is_locked(dir, file);
	if (dir >= 0)
		close(dir);
	if (deaf)
		EMU_LOG_WARNING("%s finds no socket of %s \"%s\" on " FUNCTION
				" in the fabric folder %s, where it runs: it has been "
				"removed, or the %s starts or ends at this moment",
				client, server, name, pci, path, server);
	else
		EMU_LOG_WARNING("%s finds no %s \"%s\" on " FUNCTION ": none runs in the fabric folder %s%s", client,
				server, name, pci, path,
				own ? ", which is this user's only (DOCA_EMU_DIR names another)" : "");
}
