#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

enum { SECONDS = 2 }; /* a call that takes longer hangs */

static const char *case_function;
static const char *case_name;
static int case_line;
static volatile bool *line_is_open; /* shared with the process of the case */

void lines_open(const char *function)
{
	printf("%s\t%s/%02d\t", function, case_name, ++case_line);
	*line_is_open = true;
	fflush(stdout);
}

void lines_close(void)
{
	printf("\n");
	fflush(stdout);
	*line_is_open = false;
}

void lines_without_device(void)
{
	lines_open(case_function);
	printf("no device\t");
	lines_close();
	_exit(0);
}

/* PROBE_STDERR in the environment: what the libraries say is wanted. */
static void quieten(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (getenv("PROBE_STDERR") == NULL)
		dup2(null, STDERR_FILENO);
	dup2(null, STDIN_FILENO);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	alarm(SECONDS);
}

void lines_process(const char *function, const char *name, void (*run)(void *), void *argument)
{
	if (line_is_open == NULL)
		line_is_open =
			mmap(NULL, sizeof *line_is_open, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*line_is_open = false;
	case_function = function;
	case_name = name;
	case_line = 0;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		quieten();
		values_reset();
		run(argument);
		fflush(stdout);
		_exit(0);
	}
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("fork");
		exit(2);
	}
	if (!WIFSIGNALED(status))
		return;
	if (!*line_is_open)
		printf("%s\t%s\t", function, name);
	if (WTERMSIG(status) == SIGALRM)
		printf("hangs\t\n");
	else
		printf("signal %d\t\n", WTERMSIG(status));
}
