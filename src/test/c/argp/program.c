#include "program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int config;
static unsigned has;

static void read_all(int file, char *text, size_t size)
{
	ssize_t len = pread(file, text, size - 1, 0);
	assert_true(len >= 0 && (size_t)len < size - 1);
	text[len] = '\0';
	close(file);
}

void run(struct outcome *outcome, void (*body)(const void *), const void *argument)
{
	int out = memfd_create("out", 0), err = memfd_create("err", 0);
	assert_true(out >= 0 && err >= 0);
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		body(argument);
		exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	read_all(out, outcome->out, sizeof(outcome->out));
	read_all(err, outcome->err, sizeof(outcome->err));
}

static void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	fflush(stdout);
}

doca_error_t on_string(void *param, void *given)
{
	say("string '%s'%s\n", (const char *)param, given == &config ? "" : ", not this program's");
	return has & FAIL_STRING ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS;
}

doca_error_t on_number(void *param, void *given)
{
	(void)given;
	say("number %d\n", *(int *)param);
	return DOCA_SUCCESS;
}

doca_error_t on_other(void *param, void *given)
{
	(void)given;
	say("other '%s'\n", (const char *)param);
	return DOCA_SUCCESS;
}

static doca_error_t on_switch(void *param, void *given)
{
	(void)given;
	say("switch %d\n", *(bool *)param);
	return DOCA_SUCCESS;
}

static doca_error_t on_many(void *param, void *given)
{
	(void)given;
	say("many %d\n", *(int *)param);
	return DOCA_SUCCESS;
}

static doca_error_t on_version(void *param, void *given)
{
	say("version of %s\n", param == NULL && given == &config ? "the program" : "nothing");
	return DOCA_SUCCESS;
}

static doca_error_t on_validation(void *given)
{
	say("validation%s\n", given == &config ? "" : " of nothing");
	return has & INVALID ? DOCA_ERROR_TOO_BIG : DOCA_SUCCESS;
}

static doca_error_t on_dpdk(int argc, char **argv)
{
	say("dpdk");
	for (int i = 1; i < argc; i++)
		say(" %s", argv[i]);
	say("%s\n", argv[argc] == NULL ? "" : ", without an end");
	return DOCA_SUCCESS;
}

struct doca_argp_param *make_flag(const struct flag *flag)
{
	struct doca_argp_param *param;
	if (doca_argp_param_create(&param) != DOCA_SUCCESS)
		exit(3);
	doca_argp_param_set_short_name(param, flag->short_name);
	doca_argp_param_set_long_name(param, flag->long_name);
	doca_argp_param_set_arguments(param, flag->arguments);
	doca_argp_param_set_description(param, flag->description);
	doca_argp_param_set_callback(param, flag->callback);
	doca_argp_param_set_type(param, flag->type);
	for (int i = 0; i < 3 && flag->set[i] != NULL; i++)
		flag->set[i](param);
	return param;
}

void add_flag(const struct flag *flag)
{
	doca_error_t result = doca_argp_register_param(make_flag(flag));
	if (result != DOCA_SUCCESS)
		say("not registered: %s\n", doca_error_get_name(result));
}

static void register_all(void)
{
	static const struct flag flags[] = {
		{"s", "string", "<text>", "A string", on_string, DOCA_ARGP_TYPE_STRING, {NULL}},
		{"n", "number", NULL, "A number", on_number, DOCA_ARGP_TYPE_INT, {NULL}},
		{"b", "switch", NULL, "A switch", on_switch, DOCA_ARGP_TYPE_BOOLEAN, {NULL}},
		{"m", "many", NULL, "Numbers", on_many, DOCA_ARGP_TYPE_INT, {doca_argp_param_set_multiplicity}},
		{"two", NULL, NULL, "Without a long name", on_other, DOCA_ARGP_TYPE_STRING, {NULL}},
		{NULL,
		 "a-name-that-is-longer-than-the-column",
		 NULL,
		 "Without a short name",
		 on_other,
		 DOCA_ARGP_TYPE_STRING,
		 {NULL}},
		{"c",
		 "cli",
		 NULL,
		 "For command lines",
		 on_other,
		 DOCA_ARGP_TYPE_STRING,
		 {doca_argp_param_set_cli_only}},
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		add_flag(&flags[i]);
	if (has & MUST)
		add_flag(&(struct flag){
			"x", "must", NULL, "A must", on_other, DOCA_ARGP_TYPE_STRING, {doca_argp_param_set_mandatory}});
	if (has & VALIDATE)
		(void)doca_argp_register_validation_callback(on_validation);
	if (has & VERSION)
		(void)doca_argp_register_version_callback(on_version);
	if (has & DPDK)
		doca_argp_set_dpdk_program(on_dpdk);
}

struct line {
	unsigned with;
	more_t more;
	const char *words;
};

static void program(const void *argument)
{
	const struct line *line = argument;
	has = line->with;
	char *words = strdup(line->words);
	char *argv[32] = {(char *)"/a/folder/prog"};
	int argc = 1;
	for (char *rest = words, *word; words[0] != '\0' && (word = strsep(&rest, " ")) != NULL;)
		argv[argc++] = word;
	if (doca_argp_init("prog", &config) != DOCA_SUCCESS)
		exit(3);
	register_all();
	if (line->more != NULL)
		line->more();
	doca_error_t result = doca_argp_start(argc, argv);
	say("-> %s\n", doca_error_get_name(result));
	if (doca_argp_destroy() != DOCA_SUCCESS)
		exit(4);
	free(words);
}

void parse(struct outcome *outcome, unsigned with, more_t more, const char *line)
{
	run(outcome, program, &(struct line){with, more, line});
}

/* Puts "USAGE" in place of what stands from the two empty lines before "Usage:" to those behind. */
static void cut_usage(char *text)
{
	char *begin = strstr(text, "\n\nUsage: ");
	char *end = begin == NULL ? NULL : strstr(begin + 2, "\n\n\n");
	if (end == NULL)
		return;
	memmove(begin + 6, end + 3, strlen(end + 3) + 1);
	memcpy(begin, "USAGE\n", 6);
}

void check_line(unsigned with, more_t more, const char *line, const char *out, const char *err)
{
	struct outcome outcome;
	parse(&outcome, with, more, line);
	cut_usage(outcome.out);
	if (strcmp(outcome.out, out) != 0 || (err == NULL ? outcome.err[0] != '\0' : strstr(outcome.err, err) == NULL))
		print_error("of \"%s\"\n%s%s", line, outcome.out, outcome.err);
	assert_string_equal(outcome.out, out);
	assert_int_equal(outcome.status, 0);
	if (err == NULL)
		assert_string_equal(outcome.err, "");
	else
		assert_non_null(strstr(outcome.err, err));
}
