/* The sample pair (interop/channel.c) in two processes, ten times, and the ends of two threads each (interop/secure.c);
 * each sees its side of the machine only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

/* Starts one end; what it prints can be read. */
static FILE *start(const char *side, const char *const *command, pid_t *process)
{
	int printed[2];
	CHECK(pipe(printed) == 0);
	*process = fork();
	CHECK(*process >= 0);
	if (*process == 0) {
		setenv("DOCA_EMU_SIDE", side, 1);
		alarm(100);
		if (dup2(printed[1], STDOUT_FILENO) >= 0 && close(printed[0]) == 0 && close(printed[1]) == 0)
			execv(command[0], (char *const *)command);
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
		FILE *of_server = start("dpu", (const char *[]){SAMPLE, "server", "an answer", NULL}, &server);
		expect_line(of_server, "Listening");
		FILE *of_client = start("host", (const char *[]){SAMPLE, "client", "a question", NULL}, &client);
		expect_line(of_server, "Received message: a question");
		expect_line(of_server, "Finished");
		expect_line(of_client, "Server response: an answer");
		expect_line(of_client, "Finished");
		CHECK(fclose(of_server) == 0 && fclose(of_client) == 0);
		child_finish(server);
		child_finish(client);
	}
}

/* More messages than the queues take, so that both ends wait for room, too. */
static void ends_that_send_and_receive_in_two_threads_get_all(void **state)
{
	(void)state;
	pid_t server, client;
	FILE *of_server = start("dpu", (const char *[]){SECURE, "server", "4080", "20000", NULL}, &server);
	expect_line(of_server, "Listening");
	FILE *of_client = start("host", (const char *[]){SECURE, "client", "4080", "20000", NULL}, &client);
	child_finish(client);
	child_finish(server);
	CHECK(fclose(of_server) == 0 && fclose(of_client) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pair_talks),
		cmocka_unit_test(ends_that_send_and_receive_in_two_threads_get_all),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
