/* What a process of another user, or a file of its making, can do to those of this user or group, whatever they have
 * allowed by their umask and their folder's mode: nothing. Strangers speak the emulator's protocol themselves.
 *
 * Only root can become other users; for anybody else the tests that need it are skipped. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fabric.h"
#include "base/shm_map.h"
#include "base/wire.h"
#include "doca_emu.h"
#include "harness.h"
#include "other_users.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

#define PCI "0000:b1:00.0"
#define NAME "strangers"

/* A way for everybody to a folder that a test makes. */
static char parent[64], folder[96];

static int folder_up(void **state)
{
	(void)state;
	strcpy(parent,
	       access("/dev/shm", W_OK) == 0 ? "/dev/shm/doca-emu-strangers-XXXXXX" : "/tmp/doca-emu-strangers-XXXXXX");
	CHECK(mkdtemp(parent) != NULL && chmod(parent, 0711) == 0);
	snprintf(folder, sizeof(folder), "%s/fabric", parent);
	setenv("DOCA_EMU_DIR", folder, 1);
	unsetenv("DOCA_EMU_SHARE");
	umask(0);
	CHECK(mkdir(folder, 0700) == 0);
	return 0;
}

static int folder_down(void **state)
{
	(void)state;
	unsetenv("DOCA_EMU_SHARE");
	CHECK(rmdir(folder) == 0 && rmdir(parent) == 0); /* which also says that nothing was left in them */
	return 0;
}

static void of_alice(mode_t mode)
{
	CHECK(chown(folder, ALICE, ALICE) == 0 && chmod(folder, mode) == 0);
}

static void of_friends(mode_t mode)
{
	setenv("DOCA_EMU_SHARE", "group", 1);
	CHECK(chown(folder, ALICE, FRIENDS) == 0 && chmod(folder, mode) == 0);
}

static int descriptors(void)
{
	int open_ones = 0;
	for (int fd = 0; fd < 1024; fd++)
		open_ones += fcntl(fd, F_GETFD) >= 0;
	return open_ones;
}

/* ---- files ---- */

static void path_of_name(char path[200], const char *suffix)
{
	struct fabric_listener listener;
	OK(fabric_listen(NULL, PCI, NAME, &listener));
	snprintf(path, 200, "%s/%.63s%s", folder, listener.file, suffix);
	fabric_unlisten(&listener);
}

static int listens_beside_a_link(void *unused)
{
	(void)unused;
	struct fabric_listener listener;
	alarm(20); /* it must not look for another file for ever either */
	GIVES(DOCA_ERROR_OPERATING_SYSTEM, fabric_listen(NULL, PCI, NAME, &listener));
	CHECK(strstr(doca_emu_last_error(), "Too many levels of symbolic links") != NULL);
	return 0;
}

/* Whoever can write to a shared folder could have any file made, or opened to the group, by means of a link. */
static void a_link_for_a_lock_is_not_followed(void **state)
{
	(void)state;
	char lock[200], target[128];
	path_of_name(lock, ".lock");
	snprintf(target, sizeof(target), "%s/target", parent);
	CHECK(symlink(target, lock) == 0);
	int status = child_wait(child_start(listens_beside_a_link, NULL));
	int made = access(target, F_OK) == 0;
	(void)unlink(target);
	CHECK(unlink(lock) == 0);
	assert_int_equal(made, 0);
	assert_int_equal(status, 0);
}

static mode_t mode_of(const char *path)
{
	struct stat status;
	CHECK(stat(path, &status) == 0);
	return status.st_mode & 07777;
}

static void expect_modes(mode_t lock_mode, mode_t socket_mode)
{
	char lock[200], socket[200];
	path_of_name(lock, ".lock");
	path_of_name(socket, ".sock");
	struct fabric_listener listener;
	OK(fabric_listen(NULL, PCI, NAME, &listener));
	assert_int_equal(mode_of(lock), lock_mode);
	if (socket_mode != 0)
		assert_int_equal(mode_of(socket), socket_mode);
	fabric_unlisten(&listener);
}

static void files_are_the_users_or_the_groups_and_nobody_elses(void **state)
{
	(void)state;
	expect_modes(0600, 0);
	setenv("DOCA_EMU_SHARE", "group", 1);
	CHECK(chmod(folder, 02770) == 0);
	expect_modes(0660, 0660);
	umask(0077);
	expect_modes(0660, 0660);
}

static void a_folder_that_is_not_trusted_is_closed(void **state)
{
	(void)state;
	CHECK(chmod(folder, 0777) == 0);
	int before = descriptors();
	GIVES(DOCA_ERROR_OPERATING_SYSTEM, fabric_listen(NULL, PCI, NAME, &(struct fabric_listener){0}));
	CHECK(strstr(doca_emu_last_error(), "can be written to by others than its user (mode 0777)") != NULL);
	assert_int_equal(descriptors(), before);
}

/* ---- two servers that start at the same time ---- */

static const char *taken_meanwhile; /* the path of a lock */
static int other_server = -1;

/* In the place of the C library's, which fabric.c calls: between its open and its lock the file's owner ends, and
 * another server takes the name. */
int flock(int fd, int operation)
{
	struct stat status;
	if (taken_meanwhile != NULL && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		CHECK(unlink(taken_meanwhile) == 0);
		other_server = open(taken_meanwhile, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
		taken_meanwhile = NULL;
		CHECK(other_server >= 0 && flock(other_server, LOCK_EX) == 0);
	}
	return (int)syscall(SYS_flock, fd, operation);
}

static void a_lock_that_has_lost_its_name_is_none(void **state)
{
	(void)state;
	char lock[200];
	path_of_name(lock, ".lock");
	taken_meanwhile = lock;
	struct fabric_listener listener;
	GIVES(DOCA_ERROR_ALREADY_EXIST, fabric_listen(NULL, PCI, NAME, &listener));
	assert_true(other_server >= 0);
	close(other_server);
	/* The other one's name is left alone. */
	CHECK(unlink(lock) == 0);
}

static void a_sweep_leaves_alone_what_is_in_use_or_none_of_its_own(void **state)
{
	(void)state;
	/* Names that are too long to be its own, by one letter and by many. */
	const int lengths[] = {FABRIC_FILE_BYTES, 199};
	char paths[2][400], letters[200];
	memset(letters, 'x', sizeof(letters));
	for (int i = 0; i < 2; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%.*s.lock", folder, lengths[i], letters);
		int fd = open(paths[i], O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
		close(fd);
	}
	struct fabric_listener first, second;
	int socket;
	OK(fabric_listen(NULL, PCI, NAME, &first));
	OK(fabric_listen(NULL, PCI, "another", &second));
	CHECK(access(paths[0], F_OK) == 0 && access(paths[1], F_OK) == 0);
	OK(fabric_connect(NULL, PCI, NAME, &socket));
	close(socket);
	GIVES(DOCA_ERROR_ALREADY_EXIST, fabric_listen(NULL, PCI, NAME, &(struct fabric_listener){0}));
	fabric_unlisten(&first);
	fabric_unlisten(&second);
	CHECK(unlink(paths[0]) == 0 && unlink(paths[1]) == 0);
}

/* ---- a server of alice's ---- */

static int ready[2], done[2];

/* Serves whoever connects, until the test is over; the exit code is how many have. */
static int alice_serves(void *unused)
{
	(void)unused;
	become(ALICE, ALICE, 1, (const gid_t[]){FRIENDS});
	close(done[1]);
	CHECK(fcntl(done[0], F_SETFL, O_NONBLOCK) == 0);
	struct devices devices;
	devices_open_dpu(&devices);
	struct end server;
	server_make(&server, &devices, NAME, NULL);
	OK(doca_ctx_start(server.ctx));
	CHECK(write(ready[1], "", 1) == 1);
	char byte;
	UNTIL(read(done[0], &byte, 1) == 0, server.pe);
	int served = (int)count_of(&server.record, CONNECTED);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&devices);
	return served;
}

static int alice_starts(void)
{
	char byte;
	CHECK(pipe(ready) == 0 && pipe(done) == 0);
	int child = child_start(alice_serves, NULL);
	CHECK(read(ready[0], &byte, 1) == 1);
	return child;
}

static void alice_ends(int child, int served)
{
	for (int i = 0; i < 2; i++)
		close(done[i]);
	assert_int_equal(child_wait(child), served);
	for (int i = 0; i < 2; i++)
		close(ready[i]);
}

/* The socket or lock of the folder's only server, as root sees it. */
static void find_file(const char *suffix, char path[400])
{
	DIR *entries = opendir(folder);
	path[0] = '\0';
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		if (strstr(entry->d_name, suffix) != NULL)
			snprintf(path, 400, "%s/%s", folder, entry->d_name);
	closedir(entries);
	CHECK(path[0] != '\0');
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%.107s", path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	CHECK(fd >= 0);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Introduces itself as a client does; the answer must be that it is another user. */
static int mallory_is_refused(void *path)
{
	become(MALLORY, MALLORY, 0, NULL);
	int fd = connect_to(path), answered_fd;
	CHECK(fd >= 0);
	struct shm_map *map;
	struct wire_message hello, answer;
	wire_init(&hello, WIRE_HELLO);
	hello.max_msg_size = 4080;
	hello.recv_queue_size = 64;
	hello.ring_bytes = UINT64_C(512) << 10;
	strcpy(hello.name, NAME);
	OK(shm_create(&map));
	OK(wire_send(fd, &hello, map->base.fd));
	int64_t deadline = harness_deadline();
	doca_error_t result;
	while ((result = wire_receive(fd, &answer, &answered_fd)) == DOCA_ERROR_AGAIN) {
		harness_in_time(deadline, __FILE__, __LINE__, "the server answers");
		usleep(200);
	}
	OK(result);
	CHECK(answer.kind == WIRE_REJECT && answer.connection_index == WIRE_REFUSED_USER && answered_fd < 0);
	shm_release(map);
	close(fd);
	return 0;
}

static int mallory_cannot_connect(void *path)
{
	become(MALLORY, MALLORY, 0, NULL);
	CHECK(connect_to(path) < 0 && errno == EACCES);
	return 0;
}

static int mallory_cannot_open(void *path)
{
	become(MALLORY, MALLORY, 0, NULL);
	CHECK(open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES);
	return 0;
}

/* Other users' processes find no machine in the folder. */
static int mallory_sees_no_device(void *unused)
{
	(void)unused;
	become(MALLORY, MALLORY, 0, NULL);
	struct doca_devinfo **list;
	uint32_t num;
	GIVES(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &num));
	CHECK(strstr(doca_emu_last_error(), folder) != NULL);
	return 0;
}

static int a_friend_connects(void *user)
{
	become(*(const uid_t *)user, *(const uid_t *)user, 1, (const gid_t[]){FRIENDS});
	struct devices devices;
	struct end client;
	devices_open_host(&devices);
	client_make(&client, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) != DOCA_CTX_STATE_STARTING, client.pe);
	CHECK(state_of(client.ctx) == RUNNING);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	end_destroy(&client);
	devices_close(&devices);
	return 0;
}

static void expect_of(int (*body)(void *argument), void *argument)
{
	assert_int_equal(child_wait(child_start(body, argument)), 0);
}

/* Its folder can be read by everybody, and its socket be connected to. */
static void a_private_server_has_no_peer_of_another_user(void **state)
{
	(void)state;
	ROOT_ONLY();
	of_alice(0755);
	int server = alice_starts();
	char socket[400], lock[400];
	find_file(".sock", socket);
	find_file(".lock", lock);
	expect_of(mallory_sees_no_device, NULL);
	expect_of(mallory_is_refused, socket);
	expect_of(mallory_cannot_open, lock);
	expect_of(a_friend_connects, &(uid_t){ALICE});
	alice_ends(server, 1);
}

static void a_private_folder_is_closed(void **state)
{
	(void)state;
	ROOT_ONLY();
	of_alice(0700);
	int server = alice_starts();
	char socket[400], lock[400];
	find_file(".sock", socket);
	find_file(".lock", lock);
	expect_of(mallory_sees_no_device, NULL);
	expect_of(mallory_cannot_open, folder);
	expect_of(mallory_cannot_connect, socket);
	expect_of(mallory_cannot_open, lock);
	alice_ends(server, 0);
}

static void a_groups_server_has_peers_of_the_group_only(void **state)
{
	(void)state;
	ROOT_ONLY();
	of_friends(02775);
	int server = alice_starts();
	char socket[400], lock[400];
	find_file(".sock", socket);
	find_file(".lock", lock);
	expect_of(mallory_sees_no_device, NULL);
	expect_of(mallory_cannot_connect, socket);
	expect_of(mallory_cannot_open, lock);
	/* Neither where somebody has opened the socket to everybody. */
	CHECK(chmod(socket, 0666) == 0);
	expect_of(mallory_is_refused, socket);
	expect_of(a_friend_connects, &(uid_t){BOB});
	alice_ends(server, 1);
}

/* ---- a server of mallory's ---- */

/* Listens in place of a server of the folder's owner; who connects is left waiting for a moment, and hung up on. */
static int mallory_listens(void *owner)
{
	struct fabric_listener listener;
	CHECK(seteuid(*(const uid_t *)owner) == 0);
	OK(fabric_listen(NULL, PCI, NAME, &listener));
	CHECK(seteuid(0) == 0);
	become(MALLORY, MALLORY, 0, NULL);
	/* Whoever listens last is who the clients see. */
	CHECK(listen(listener.socket, 8) == 0 && write(ready[1], "", 1) == 1);
	close(done[1]);
	char byte;
	CHECK(fcntl(done[0], F_SETFL, O_NONBLOCK) == 0);
	int64_t deadline = harness_deadline();
	while (read(done[0], &byte, 1) != 0) {
		int fd = fabric_accept(&listener, NAME);
		if (fd >= 0)
			close(fd);
		harness_in_time(deadline, __FILE__, __LINE__, "the test ends");
		usleep(200);
	}
	return 0;
}

static int does_not_use_it(void *user)
{
	become(*(const uid_t *)user, *(const uid_t *)user, 1, (const gid_t[]){FRIENDS});
	struct devices devices;
	struct end client;
	devices_open_host(&devices);
	client_make(&client, &devices, NAME, NULL);
	int before = descriptors();
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	CHECK(descriptors() == before);
	CHECK(strstr(doca_emu_last_error(),
		     "server \"strangers\" is not used: client and server run as different users") != NULL);
	CHECK(doca_emu_refused_for_good() == 1);
	end_destroy(&client);
	devices_close(&devices);
	return 0;
}

static void expect_unused(uid_t owner, uid_t user)
{
	char byte;
	char left[400];
	CHECK(pipe(ready) == 0 && pipe(done) == 0);
	int server = child_start(mallory_listens, &owner);
	CHECK(read(ready[0], &byte, 1) == 1);
	int status = child_wait(child_start(does_not_use_it, &user));
	for (int i = 0; i < 2; i++)
		close(done[i]);
	assert_int_equal(child_wait(server), 0);
	for (int i = 0; i < 2; i++)
		close(ready[i]);
	find_file(".sock", left);
	CHECK(unlink(left) == 0);
	find_file(".lock", left);
	CHECK(unlink(left) == 0);
	assert_int_equal(status, 0);
}

static void a_server_of_another_user_is_not_used(void **state)
{
	(void)state;
	ROOT_ONLY();
	of_alice(0711);
	expect_unused(ALICE, ALICE);
}

static void a_server_of_nobody_in_the_group_is_not_used(void **state)
{
	(void)state;
	ROOT_ONLY();
	of_friends(02770);
	CHECK(setgroups(1, (const gid_t[]){FRIENDS}) == 0); /* mallory's process, before it becomes mallory's */
	expect_unused(ALICE, BOB);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_up, folder_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_link_for_a_lock_is_not_followed),
		IN_FOLDER(files_are_the_users_or_the_groups_and_nobody_elses),
		IN_FOLDER(a_folder_that_is_not_trusted_is_closed),
		IN_FOLDER(a_lock_that_has_lost_its_name_is_none),
		IN_FOLDER(a_sweep_leaves_alone_what_is_in_use_or_none_of_its_own),
		IN_FOLDER(a_private_server_has_no_peer_of_another_user),
		IN_FOLDER(a_private_folder_is_closed),
		IN_FOLDER(a_groups_server_has_peers_of_the_group_only),
		IN_FOLDER(a_server_of_another_user_is_not_used),
		IN_FOLDER(a_server_of_nobody_in_the_group_is_not_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
