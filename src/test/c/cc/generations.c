/* A doca_cc end and a Comch end on the same device: two processes, each with its release's libraries, in all roles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { CC, COMCH };

static const char *const names[] = {"cc", "comch"};
static const char *const programs[] = {END_OF_CC, END_OF_COMCH};

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

static void both(int server, int client)
{
	converse(server, client, "client");
	converse(server, client, "server");
}

static void a_cc_server_with_a_comch_client(void **state)
{
	(void)state;
	both(CC, COMCH);
}

static void a_comch_server_with_a_cc_client(void **state)
{
	(void)state;
	both(COMCH, CC);
}

static void cc_with_cc(void **state)
{
	(void)state;
	both(CC, CC);
}

static void comch_with_comch(void **state)
{
	(void)state;
	both(COMCH, COMCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cc_server_with_a_comch_client),
		cmocka_unit_test(a_comch_server_with_a_cc_client),
		cmocka_unit_test(cc_with_cc),
		cmocka_unit_test(comch_with_comch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
