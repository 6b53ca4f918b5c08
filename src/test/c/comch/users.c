/* Processes of different users on one fabric folder: refused with a sentence that helps, or admitted as a group.
 *
 * Only root can become other users; for anybody else these tests are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doca_emu.h"
#include "doca_log.h"
#include "harness.h"
#include "other_users.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

/* A world-readable way to a folder that a test makes; the fabric of the group of tests is root's. */
static char parent[64], folder[96];

static int folders_up(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return 0;
	strcpy(parent, access("/dev/shm", W_OK) == 0 ? "/dev/shm/doca-emu-users-XXXXXX" : "/tmp/doca-emu-users-XXXXXX");
	CHECK(mkdtemp(parent) != NULL && chmod(parent, 01777) == 0);
	snprintf(folder, sizeof(folder), "%s/fabric", parent);
	setenv("DOCA_EMU_DIR", folder, 1);
	unsetenv("DOCA_EMU_SHARE");
	return 0;
}

static int folders_down(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return 0;
	(void)rmdir(folder);
	CHECK(rmdir(parent) == 0); /* which also says that nothing was left in it */
	return 0;
}

static void share(void)
{
	setenv("DOCA_EMU_SHARE", "group", 1);
}

static void expect_complaint(const char *part)
{
	const char *text = doca_emu_last_error();
	if (strstr(text, part) != NULL) {
		CHECK(strcmp(doca_emu_last_error(), "") == 0); /* asking makes it forget */
		return;
	}
	fprintf(stderr, "\"%s\" does not contain \"%s\"\n", text, part);
	abort();
}

/* Where the folder is refused, the machine in it is not seen either. */
static void sees_no_device(const char *why)
{
	struct doca_devinfo **list;
	uint32_t num;
	GIVES(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &num));
	expect_complaint(why);
}

/* A client of one message; false when there is no server. */
static bool client_gets_an_echo(void)
{
	struct devices devices;
	devices_open_host(&devices);
	struct end client;
	client_make(&client, &devices, "users", NULL);
	doca_error_t result = doca_ctx_start(client.ctx);
	CHECK(result == DOCA_ERROR_IN_PROGRESS);
	UNTIL(state_of(client.ctx) != DOCA_CTX_STATE_STARTING, client.pe);
	bool admitted = state_of(client.ctx) == RUNNING;
	if (admitted) {
		send_text(&client, client.connection, "hello");
		UNTIL(count_of(&client.record, MESSAGE) == 1, client.pe);
		CHECK(is_text(nth(&client.record, MESSAGE, 0), "hello"));
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
		UNTIL(state_of(client.ctx) == IDLE, client.pe);
	}
	end_destroy(&client);
	devices_close(&devices);
	return admitted;
}

static void echo(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	send_bytes(end, connection, bytes, len);
}

static int ready[2];

/* Serves one client, for as long as it is there. */
static void serve_one(void)
{
	struct devices devices;
	devices_open_dpu(&devices);
	struct end server;
	server_make(&server, &devices, "users", NULL);
	server.on_message = echo;
	OK(doca_ctx_start(server.ctx));
	CHECK(write(ready[1], "", 1) == 1);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&devices);
}

static int alice_serves(void *unused)
{
	(void)unused;
	umask(077); /* what is made in a shared folder must be the group's all the same */
	become(ALICE, ALICE, 1, (const gid_t[]){FRIENDS});
	serve_one();
	return 0;
}

static int bob_connects(void *unused)
{
	(void)unused;
	become(BOB, FRIENDS, 0, NULL);
	CHECK(client_gets_an_echo());
	return 0;
}

static int mallory_connects(void *unused)
{
	(void)unused;
	become(MALLORY, MALLORY, 0, NULL);
	sees_no_device("user 61003 must be in its group (it is not)");
	return 0;
}

static void a_group_shares_a_machine(void **state)
{
	(void)state;
	ROOT_ONLY();
	share();
	CHECK(mkdir(folder, 0700) == 0 && chown(folder, (uid_t)-1, FRIENDS) == 0 && chmod(folder, 02775) == 0);
	for (int round = 0; round < 2; round++) {
		CHECK(pipe(ready) == 0);
		int server = child_start(alice_serves, NULL);
		char byte;
		CHECK(read(ready[0], &byte, 1) == 1);
		assert_int_equal(child_wait(child_start(mallory_connects, NULL)), 0);
		assert_int_equal(child_wait(child_start(bob_connects, NULL)), 0);
		assert_int_equal(child_wait(server), 0);
		close(ready[0]);
		close(ready[1]);
	}
}

static int makes_the_folder(void *unused)
{
	(void)unused;
	become(ALICE, FRIENDS, 0, NULL);
	CHECK(!client_gets_an_echo());
	expect_complaint("none runs in the fabric folder");
	struct stat status;
	CHECK(stat(folder, &status) == 0 && status.st_gid == FRIENDS && (status.st_mode & 07777) == 02770);
	CHECK(rmdir(folder) == 0);
	return 0;
}

static void a_shared_folder_is_made_for_the_group(void **state)
{
	(void)state;
	ROOT_ONLY();
	share();
	assert_int_equal(child_wait(child_start(makes_the_folder, NULL)), 0);
}

/* The folder is root's, or open to the world; bob has no business in it. */
static int bob_is_told_why(void *argument)
{
	become(BOB, BOB, 0, NULL);
	sees_no_device(argument);
	return 0;
}

static int root_is_told_why(void *argument)
{
	sees_no_device(argument);
	return 0;
}

/* A process of one of the group's users, which expects an error that says all of these. */
struct complaint {
	uid_t user;
	const char *topology;
	const char *parts[4];
};

static int is_told_what_a_shared_folder_needs(void *argument)
{
	const struct complaint *complaint = argument;
	char *logged;
	size_t len;
	FILE *log = open_memstream(&logged, &len);
	struct doca_log_backend *backend;
	OK(doca_log_backend_create_with_file_sdk(log, &backend));
	OK(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_ERROR));
	if (complaint->topology != NULL)
		setenv("DOCA_EMU_TOPOLOGY", complaint->topology, 1);
	if (complaint->user != 0)
		become(complaint->user, complaint->user, 1, (const gid_t[]){FRIENDS});
	for (int i = 0; i < 4 && complaint->parts[i] != NULL; i++) {
		sees_no_device(complaint->parts[i]);
		CHECK(fflush(log) == 0);
		CHECK(strstr(logged, complaint->parts[i]) != NULL && strstr(logged, folder) != NULL);
	}
	return 0;
}

/* The folder is there, and not the group's: both the one who made it and the other one are told what it needs. */
static void a_folder_that_is_not_the_groups_is_refused_with_what_it_needs(void **state)
{
	(void)state;
	ROOT_ONLY();
	share();
	CHECK(mkdir(folder, 0700) == 0 && chown(folder, ALICE, ALICE) == 0);
	struct complaint complaints[] = {
		{ALICE,
		 NULL,
		 {"belongs to user 61001 and group 61001 and has mode 0700", "user 61001 must be in its group (it is)",
		  "as with mode 2770 (it cannot)"}},
		/* Bob cannot even open it. */
		{BOB,
		 NULL,
		 {"belongs to user 61001 and group 61001 and has mode 0700",
		  "user 61002 must be in its group (it is not)", "as with mode 2770 (it cannot)"}},
		{0, NULL, {"user 0 must be in its group (it is not)"}},
		/* Also where the machine is described elsewhere. */
		{BOB, "/dev/null", {"user 61002 must be in its group (it is not)"}},
	};
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++)
		assert_int_equal(child_wait(child_start(is_told_what_a_shared_folder_needs, &complaints[i])), 0);
	/* The mode is right, the group is not. */
	CHECK(chmod(folder, 02770) == 0);
	struct complaint of_the_group = {
		BOB, NULL, {"has mode 2770", "user 61002 must be in its group (it is not)", "(it can)"}};
	assert_int_equal(child_wait(child_start(is_told_what_a_shared_folder_needs, &of_the_group)), 0);
	/* The group is right, the mode is not; for those who are not the owner that says it all. */
	CHECK(chown(folder, ALICE, FRIENDS) == 0 && chmod(folder, 0750) == 0);
	struct complaint of_the_mode = {
		BOB, NULL, {"has mode 0750", "user 61002 must be in its group (it is)", "(it cannot)"}};
	assert_int_equal(child_wait(child_start(is_told_what_a_shared_folder_needs, &of_the_mode)), 0);
}

static void another_users_folder_is_refused_with_a_reason(void **state)
{
	(void)state;
	ROOT_ONLY();
	CHECK(mkdir(folder, 0755) == 0);
	char reason[] = "belongs to user 0 and this process runs as user 61002";
	assert_int_equal(child_wait(child_start(bob_is_told_why, reason)), 0);
	CHECK(chmod(folder, 0700) == 0);
	assert_int_equal(child_wait(child_start(bob_is_told_why, reason)), 0);
	CHECK(chmod(parent, 0700) == 0);
	char denied[] = "Permission denied";
	assert_int_equal(child_wait(child_start(bob_is_told_why, denied)), 0);
	CHECK(chmod(parent, 01777) == 0);
	CHECK(chmod(folder, 0770) == 0);
	char group[] = "mode 0770): make that 0700, or share it with its group by DOCA_EMU_SHARE=group";
	assert_int_equal(child_wait(child_start(root_is_told_why, group)), 0);
	share();
	CHECK(chmod(folder, 0777) == 0);
	char world[] = "mode 0777: with DOCA_EMU_SHARE=group";
	assert_int_equal(child_wait(child_start(bob_is_told_why, world)), 0);
}

/* Where bob's folder is unless he names another. */
#define BOBS_DEFAULT "/dev/shm/doca-emu-61002"

static int mallory_links_it(void *unused)
{
	(void)unused;
	become(MALLORY, MALLORY, 0, NULL);
	CHECK(symlink(folder, BOBS_DEFAULT) == 0);
	return 0;
}

static int bob_uses_his_default(void *reason)
{
	unsetenv("DOCA_EMU_DIR");
	become(BOB, BOB, 0, NULL);
	if (reason != NULL) {
		sees_no_device(reason);
		return 0;
	}
	CHECK(!client_gets_an_echo());
	expect_complaint("fabric folder " BOBS_DEFAULT ", which is this user's only (DOCA_EMU_DIR names another)");
	CHECK(rmdir(BOBS_DEFAULT) == 0);
	return 0;
}

static void a_link_is_no_default_folder(void **state)
{
	(void)state;
	ROOT_ONLY();
	struct stat there;
	if (access("/dev/shm", W_OK) != 0 || lstat(BOBS_DEFAULT, &there) == 0)
		skip();
	/* A private folder of bob's own: only the link says that it is not meant. */
	CHECK(mkdir(folder, 0700) == 0 && chown(folder, BOB, BOB) == 0);
	assert_int_equal(child_wait(child_start(mallory_links_it, NULL)), 0);
	char reason[] = "the fabric folder " BOBS_DEFAULT " is a symbolic link, made by user 61003";
	int told = child_wait(child_start(bob_uses_his_default, reason));
	CHECK(unlink(BOBS_DEFAULT) == 0);
	assert_int_equal(told, 0);
	assert_int_equal(child_wait(child_start(bob_uses_his_default, NULL)), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folders_up, folders_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_group_shares_a_machine),
		IN_FOLDER(a_shared_folder_is_made_for_the_group),
		IN_FOLDER(a_folder_that_is_not_the_groups_is_refused_with_what_it_needs),
		IN_FOLDER(another_users_folder_is_refused_with_a_reason),
		IN_FOLDER(a_link_is_no_default_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
