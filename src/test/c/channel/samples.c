/* The sample pair (interop/channel.c) in two processes, ten times; each sees its side of the machine only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* Starts one end; what it prints can be read. */
static FILE *start(const char *side, const char *role, const char *text, pid_t *process)
{
	int printed[2];
	CHECK(pipe(printed) == 0);
	*process = fork();
	CHECK(*process >= 0);
	if (*process == 0) {
		setenv("DOCA_EMU_SIDE", side, 1);
		alarm(100);
		if (dup2(printed[1], STDOUT_FILENO) >= 0 && close(printed[0]) == 0 && close(printed[1]) == 0)
			execl(SAMPLE, SAMPLE, role, text, (char *)NULL);
		_exit(127);
	}
	close(printed[1]);
	FILE *lines = fdopen(printed[0], "r");
	CHECK(lines != NULL);
	return lines;
}

static void expect_line(FILE *lines, const char *expected)
{
	char line[256];
	CHECK(fgets(line, sizeof(line), lines) != NULL);
	CHECK(strncmp(line, expected, strlen(expected)) == 0 && strcmp(line + strlen(expected), "\n") == 0);
}

static void the_pair_talks(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		pid_t server, client;
		FILE *of_server = start("dpu", "server", "an answer", &server);
		expect_line(of_server, "Listening");
		FILE *of_client = start("host", "client", "a question", &client);
		expect_line(of_server, "Received message: a question");
		expect_line(of_server, "Finished");
		expect_line(of_client, "Server response: an answer");
		expect_line(of_client, "Finished");
		CHECK(fclose(of_server) == 0 && fclose(of_client) == 0);
		child_finish(server);
		child_finish(client);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_pair_talks)};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
