/* What is new since DOCA 3.1: commands, flags that are hidden, inherited or stand alone, doubles, messages to a
 * callback, a program without a name, and -j beside other flags. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DONE "-> DOCA_SUCCESS\n"
#define REFUSED "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n"
#define UNKNOWN "USAGE\n-> DOCA_ERROR_NOT_SUPPORTED\n"

static void say(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

static doca_error_t on_get(void *config)
{
	say(config != NULL ? "get" : "get, without a config");
	return DOCA_SUCCESS;
}

static doca_error_t on_link(void *config)
{
	(void)config;
	say("link");
	return DOCA_SUCCESS;
}

static doca_error_t on_bad(void *config)
{
	(void)config;
	return DOCA_ERROR_NOT_PERMITTED;
}

static struct doca_argp_cmd *make_cmd(const char *name, const char *description, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd;
	OK(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_name(cmd, name);
	doca_argp_cmd_set_description(cmd, description);
	doca_argp_cmd_set_callback(cmd, callback);
	return cmd;
}

/* prog [-i, -s, …] get [-k] [link [-k]] | set | bad | secret */
static void with_commands(void)
{
	struct doca_argp_cmd *get = make_cmd("get", "Reads", on_get), *link = make_cmd("link", "Reads a link", on_link);
	const struct flag inherited = {
		"i", "inherited", NULL, "Everywhere", on_other, DOCA_ARGP_TYPE_STRING, {doca_argp_param_set_inherited}};
	const struct flag key = {"k", "key", "<key>", "A key", on_string, DOCA_ARGP_TYPE_STRING, {NULL}};
	const struct flag must = {
		"x", "must", NULL, "A must", on_number, DOCA_ARGP_TYPE_INT, {doca_argp_param_set_mandatory}};
	add_flag(&inherited);
	OK(doca_argp_cmd_register_param(link, make_flag(&key)));
	OK(doca_argp_cmd_register_cmd(get, link));
	OK(doca_argp_cmd_register_param(get, make_flag(&key)));
	OK(doca_argp_register_cmd(get));
	struct doca_argp_cmd *set = make_cmd("set", "Writes", NULL);
	OK(doca_argp_cmd_register_param(set, make_flag(&must)));
	OK(doca_argp_register_cmd(set));
	OK(doca_argp_register_cmd(make_cmd("bad", "Fails", on_bad)));
	struct doca_argp_cmd *secret = make_cmd("secret", "Nobody knows", NULL);
	doca_argp_cmd_set_hidden(secret);
	OK(doca_argp_register_cmd(secret));
}

static void commands_have_flags_of_their_own(void **state)
{
	(void)state;
	check_line(0, with_commands, "", DONE, NULL);
	check_line(0, with_commands, "get", "get\n" DONE, NULL);
	check_line(0, with_commands, "get -k 1", "get\nstring '1'\n" DONE, NULL);
	check_line(0, with_commands, "-n 5 get -k 1", "number 5\nget\nstring '1'\n" DONE, NULL);
	check_line(0, with_commands, "get -k 1 link -k 2", "get\nstring '1'\nlink\nstring '2'\n" DONE, NULL);
	check_line(0, with_commands, "get link", "get\nlink\n" DONE, NULL);
	check_line(0, with_commands, "-l 60 get -k a --sdk-log-level 20", "get\nstring 'a'\n" DONE, NULL);
	check_line(0, with_commands, "secret", DONE, NULL);
	check_line(VALIDATE, with_commands, "get", "get\nvalidation\n" DONE, NULL);
	check_line(0, with_commands, "-s get", "string 'get'\n" DONE, NULL);
	check_line(0, with_commands, "bad", "USAGE\n-> DOCA_ERROR_NOT_PERMITTED\n", NULL);
}

static void what_does_not_belong_there_is_refused(void **state)
{
	(void)state;
	check_line(0, with_commands, "-k 1", UNKNOWN, "no flag or command \"-k\"");
	check_line(0, with_commands, "link", UNKNOWN, "\"link\"");
	check_line(0, with_commands, "get -n 5", UNKNOWN, "\"-n\"");
	check_line(0, with_commands, "get set", UNKNOWN, "\"set\"");
	check_line(0, with_commands, "get get", UNKNOWN, "\"get\"");
	check_line(0, with_commands, "get -k 1 -k 2", REFUSED, "once");
	check_line(0, with_commands, "get -k", "get\n" REFUSED, "missing behind the flag \"key\"");
	check_line(0, with_commands, "set", REFUSED, "The flag \"must\" is missing");
	check_line(0, with_commands, "set -x 1", "number 1\n" DONE, NULL);
	check_line(MUST, with_commands, "get", REFUSED, "The flag \"must\" is missing");
}

static void an_inherited_flag_stands_behind_inner_commands(void **state)
{
	(void)state;
	check_line(0, with_commands, "get -i 1", "other '1'\nget\n" DONE, NULL);
	check_line(0, with_commands, "get link -i 1", "other '1'\nget\nlink\n" DONE, NULL);
	check_line(0, with_commands, "-i 1 get -i 2", REFUSED, "once");
}

static void each_command_has_a_usage(void **state)
{
	(void)state;
	struct outcome outcome;
	parse(&outcome, 0, with_commands, "-h");
	assert_non_null(strstr(outcome.out, "Usage: prog [DOCA Flags] [Program Flags] [Command]\n"));
	assert_non_null(strstr(outcome.out,
			       "\nCommands:\n"
			       "  get                               Reads\n"
			       "  set                               Writes\n"
			       "  bad                               Fails\n\n\n"));
	parse(&outcome, 0, with_commands, "get --help");
	assert_non_null(strstr(outcome.out, "Usage: prog get [DOCA Flags] [Command Flags] [Command]\n"));
	assert_non_null(strstr(outcome.out,
			       "\nCommand Flags:\n"
			       "  -k, --key <key>                   A key\n"
			       "\nCommands:\n"
			       "  link                              Reads a link\n\n\n"));
	assert_null(strstr(outcome.out, "--string"));
	parse(&outcome, 0, with_commands, "get -k link -h link");
	assert_non_null(strstr(outcome.out, "Usage: prog get [DOCA Flags]"));
	parse(&outcome, 0, with_commands, "get link -k");
	assert_non_null(strstr(outcome.out, "Usage: prog get link [DOCA Flags] [Command Flags]\n"));
}

static doca_error_t on_double(void *param, void *config)
{
	(void)config;
	printf("double %g\n", *(double *)param);
	return DOCA_SUCCESS;
}

static void with_kinds(void)
{
	add_flag(&(struct flag){"d", "double", NULL, "A double", on_double, DOCA_ARGP_TYPE_DOUBLE, {NULL}});
	add_flag(&(struct flag){
		"a", "alone", NULL, "Alone", on_other, DOCA_ARGP_TYPE_STRING, {doca_argp_param_set_singular}});
	add_flag(&(struct flag){
		"z", "hidden", NULL, "Hidden", on_other, DOCA_ARGP_TYPE_STRING, {doca_argp_param_set_hidden}});
}

static void doubles_are_read_as_c_writes_them(void **state)
{
	(void)state;
	check_line(0, with_kinds, "-d 12.5", "double 12.5\n" DONE, NULL);
	check_line(0, with_kinds, "-d -1e3", "double -1000\n" DONE, NULL);
	check_line(0, with_kinds, "-d 7", "double 7\n" DONE, NULL);
	check_line(0, with_kinds, "-d x", REFUSED, "\"x\" of \"double\" is no number");
	check_line(0, with_kinds, "-d 1.5x", REFUSED, "no number");
	check_line(0, with_kinds, "-d nan", REFUSED, "no number");
	check_line(0, with_kinds, "-d 1e999", REFUSED, "no number");
	check_line(0, with_kinds, "-d ", REFUSED, "no number");
}

static void a_singular_flag_stands_alone(void **state)
{
	(void)state;
	check_line(0, with_kinds, "-a 1", "other '1'\n" DONE, NULL);
	check_line(MUST, with_kinds, "-a 1", "other '1'\n" DONE, NULL);
	check_line(0, with_kinds, "-a 1 -d 1", REFUSED, "\"alone\" stands alone");
	check_line(0, with_kinds, "-l 50 -a 1", REFUSED, "\"alone\" stands alone");
}

static void a_hidden_flag_is_not_told(void **state)
{
	(void)state;
	check_line(0, with_kinds, "-z 1", "other '1'\n" DONE, NULL);
	struct outcome outcome;
	parse(&outcome, 0, with_kinds, "-h");
	assert_null(strstr(outcome.out, "hidden"));
	assert_non_null(strstr(outcome.out, "--alone"));
}

static doca_error_t on_message(enum doca_log_level level, const char *format, va_list arguments)
{
	printf("%d: ", (int)level);
	vprintf(format, arguments);
	printf("\n");
	return DOCA_SUCCESS;
}

static void with_logger(void)
{
	OK(doca_argp_register_logger_callback(on_message));
}

static void without_logger(void)
{
	with_logger();
	OK(doca_argp_disable_logger_callback());
}

static void messages_go_to_the_callback(void **state)
{
	(void)state;
	check_line(0, with_logger, "--nope", "30: There is no flag \"--nope\"\n" UNKNOWN, NULL);
	check_line(0, without_logger, "--nope", UNKNOWN, "There is no flag \"--nope\"\n");
}

static void nameless(const void *argument)
{
	char *argv[] = {(char *)argument, (char *)"-h", NULL};
	if (doca_argp_init(NULL, NULL) == DOCA_SUCCESS)
		(void)doca_argp_start(2, argv);
	exit(3);
}

static void a_program_without_a_name_has_that_of_its_file(void **state)
{
	(void)state;
	struct outcome outcome;
	run(&outcome, nameless, "/tmp/build/doca_sample");
	assert_non_null(strstr(outcome.out, "Usage: doca_sample [DOCA Flags]\n"));
	assert_int_equal(outcome.status, 0);
	run(&outcome, nameless, "plain");
	assert_non_null(strstr(outcome.out, "Usage: plain [DOCA Flags]\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_have_flags_of_their_own),
		cmocka_unit_test(what_does_not_belong_there_is_refused),
		cmocka_unit_test(an_inherited_flag_stands_behind_inner_commands),
		cmocka_unit_test(each_command_has_a_usage),
		cmocka_unit_test(doubles_are_read_as_c_writes_them),
		cmocka_unit_test(a_singular_flag_stands_alone),
		cmocka_unit_test(a_hidden_flag_is_not_told),
		cmocka_unit_test(messages_go_to_the_callback),
		cmocka_unit_test(a_program_without_a_name_has_that_of_its_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
