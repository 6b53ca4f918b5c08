/* A program of tests that hangs prints its threads' stacks before it is killed. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static __attribute__((noinline)) void stand_still(void)
{
	for (;;)
		(void)pause();
}

static void *stand_still_too(void *unused)
{
	(void)unused;
	stand_still();
	return NULL;
}

static int hang(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, stand_still_too, NULL) != 0)
		return 1;
	stand_still();
	return 0;
}

/* The hanging program, whose output is in the pipe until its last thread has been printed. */
static void a_hang_ends_with_the_stacks_of_all_threads(void **state)
{
	(void)state;
	int pipes[2];
	assert_int_equal(0, pipe(pipes));
	pid_t child = fork();
	if (child == 0) {
		(void)dup2(pipes[1], STDERR_FILENO);
		setenv("COMCH4J_TEST_STACKS", "300", 1);
		execl("/proc/self/exe", "hangs", "", (char *)NULL);
		_exit(127);
	}
	close(pipes[1]);
	char said[16384] = "", expected[64];
	size_t len = 0;
	snprintf(expected, sizeof(expected), "--- process %d: hangs", (int)child);
	/* By gdb, or by the kernel: two threads. */
	for (const char *second = NULL; second == NULL;) {
		ssize_t got = read(pipes[0], said + len, sizeof(said) - 1 - len);
		assert_true(got > 0);
		len += (size_t)got;
		said[len] = '\0';
		second = strstr(said, "hread ");
		second = second == NULL ? NULL : strstr(second + 1, "hread ");
	}
	assert_non_null(strstr(said, expected));
	assert_int_equal(0, waitpid(child, NULL, WNOHANG)); /* nobody but ctest ends it */
	kill(child, SIGKILL);
	assert_int_equal(child, waitpid(child, NULL, 0));
	close(pipes[0]);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return hang();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hang_ends_with_the_stacks_of_all_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
