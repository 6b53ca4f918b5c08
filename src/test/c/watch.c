/* Part of each program of tests. COMCH4J_TEST_STACKS=MILLISECONDS, which is a little less than what ctest gives it:
 * when it still runs then, it prints where all its threads are, before it is killed. COMCH4J_TEST_ONLY=CASE leaves out
 * all other cases (* and ? stand for anything). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

/* Which no test uses. */
#define HANGS (SIGRTMIN + 5)

static void print_stacks(int signal)
{
	(void)signal;
	int error = errno;
	char pid[16];
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	/* Not fork, before which sanitizers wait for locks. */
	pid_t child = vfork();
	if (child == 0) {
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/sh", "sh", COMCH4J_STACKS, pid, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	errno = error;
}

static void watch(long milliseconds)
{
	struct sigaction action = {.sa_handler = print_stacks, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = HANGS};
	struct itimerspec when = {
		.it_value = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}};
	timer_t timer;
	if (sigaction(HANGS, &action, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		(void)timer_settime(timer, 0, &when, NULL);
}

static __attribute__((constructor)) void begin(void)
{
	const char *only = getenv("COMCH4J_TEST_ONLY"), *stacks = getenv("COMCH4J_TEST_STACKS");
	if (only != NULL)
		cmocka_set_test_filter(only);
	if (stacks != NULL)
		watch(atol(stacks));
	/* The programs that it starts are printed with it. */
	unsetenv("COMCH4J_TEST_STACKS");
}
