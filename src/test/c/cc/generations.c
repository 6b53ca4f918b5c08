/* Ends of DOCA 2.5, of 2.6 and of Comch on the same device: two processes, each with its release's libraries, in all
 * roles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { R2_5, R2_6, COMCH };

static const char *const names[] = {"2.5", "2.6", "comch"};
static const char *const programs[] = {END_OF_2_5, END_OF_2_6, END_OF_COMCH};

/* Another architecture's programs are started by an emulator: with its options in COMCH4J_TEST_LAUNCHER. */
static pid_t start(int generation, const char *role, int peer, const char *closer)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	const char *launcher = getenv("COMCH4J_TEST_LAUNCHER");
	char command[4096];
	(void)snprintf(command, sizeof(command), "exec %s '%s' %s %s %s", launcher == NULL ? "" : launcher,
		       programs[generation], role, names[peer], closer);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void converse(int server, int client, const char *closer)
{
	char folder[] = "/tmp/generations-XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("DOCA_EMU_DIR", folder, 1), 0);
	pid_t pids[2] = {start(server, "server", client, closer), start(client, "client", server, closer)};
	for (int i = 0; i < 2; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("the %s of %s with a %s of %s: status %d", i == 0 ? "server" : "client",
				 names[i == 0 ? server : client], i == 0 ? "client" : "server",
				 names[i == 0 ? client : server], status);
	}
	char command[64];
	(void)snprintf(command, sizeof(command), "rm -r '%s'", folder);
	assert_int_equal(system(command), 0);
}

static void in_all_roles(int one, int other)
{
	for (int turn = 0; turn < (one == other ? 1 : 2); turn++) {
		int server = turn == 0 ? one : other, client = turn == 0 ? other : one;
		converse(server, client, "client");
		converse(server, client, "server");
	}
}

static void ends_of_2_5_and_of_comch(void **state)
{
	(void)state;
	in_all_roles(R2_5, COMCH);
}

static void ends_of_2_6_and_of_comch(void **state)
{
	(void)state;
	in_all_roles(R2_6, COMCH);
}

static void ends_of_2_5_and_of_2_6(void **state)
{
	(void)state;
	in_all_roles(R2_5, R2_6);
}

static void two_ends_of_2_5(void **state)
{
	(void)state;
	in_all_roles(R2_5, R2_5);
}

static void two_ends_of_2_6(void **state)
{
	(void)state;
	in_all_roles(R2_6, R2_6);
}

static void two_ends_of_comch(void **state)
{
	(void)state;
	in_all_roles(COMCH, COMCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_2_5_and_of_comch), cmocka_unit_test(ends_of_2_6_and_of_comch),
		cmocka_unit_test(ends_of_2_5_and_of_2_6),   cmocka_unit_test(two_ends_of_2_5),
		cmocka_unit_test(two_ends_of_2_6),          cmocka_unit_test(two_ends_of_comch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
