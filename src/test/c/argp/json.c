/* Files of -j, where json-c is there. The same on the parser of each release, what is marked so apart. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DONE "-> DOCA_SUCCESS\n"
#define REFUSED "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n"
#define UNKNOWN "USAGE\n-> DOCA_ERROR_NOT_SUPPORTED\n"
#define UNREADABLE "USAGE\n-> DOCA_ERROR_IO_FAILED\n"

static char path[] = "/tmp/argp-json-XXXXXX";

static int make_file(void **state)
{
	(void)state;
	int file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* `line` is what stands behind the file's name. */
static void check_file(unsigned with, more_t more, const char *text, const char *line, const char *out, const char *err)
{
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	char words[256];
	snprintf(words, sizeof(words), "-j %s%s", path, line);
	check_line(with, more, words, out, err);
}

static void check_program(const char *flags, const char *out, const char *err)
{
	char text[256];
	snprintf(text, sizeof(text), "{\"doca_program_flags\": {%s}}", flags);
	check_file(0, NULL, text, "", out, err);
}

static void flags_come_from_the_file(void **state)
{
	(void)state;
	check_program("\"number\": 7, \"string\": \"abc\", \"switch\": true, \"many\": [1, 2]",
		      "string 'abc'\nnumber 7\nswitch 1\nmany 1\nmany 2\n" DONE, NULL);
	check_program("\"switch\": false", DONE, NULL);
	check_program("\"many\": []", DONE, NULL);
	check_program("\"number\": -4", "number -4\n" DONE, NULL);
	check_program("\"number\": 99999999999", "number 2147483647\n" DONE, NULL);
	check_program("\"string\": \"a\", \"string\": \"b\"", "string 'b'\n" DONE, NULL);
	check_file(0, NULL, "{}", "", DONE, NULL);
	check_file(0, NULL, "{\"other\": {\"nope\": 1}}", "", DONE, NULL);
	check_file(MUST, NULL, "{\"doca_program_flags\": {\"must\": \"1\"}}", "", "other '1'\n" DONE, NULL);
	check_file(MUST, NULL, "{}", "", REFUSED, "The flag \"must\" is missing");
	check_file(VALIDATE, NULL, "{}", "", "validation\n" DONE, NULL);
	check_file(FAIL_STRING, NULL, "{\"doca_program_flags\": {\"string\": \"a\", \"number\": 1}}", "",
		   "string 'a'\nUSAGE\n-> DOCA_ERROR_NOT_FOUND\n", NULL);
}

static void comments_and_spare_commas_are_read(void **state)
{
	(void)state;
	check_file(0, NULL, "/* a comment */\n{ // another\n\"doca_program_flags\": {\"string\": \"a\", /* c */},\n}\n",
		   "", "string 'a'\n" DONE, NULL);
	check_file(0, NULL, "{\"doca_program_flags\": {\"string\": \"a//b\"}} behind it", "", "string 'a//b'\n" DONE,
		   NULL);
}

static void values_of_other_types_are_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = {"\"number\": \"7\"", "\"number\": 1.5",      "\"number\": [1]",
					    "\"number\": null",  "\"string\": 7",        "\"string\": null",
					    "\"switch\": 1",     "\"switch\": \"true\"", "\"many\": [\"a\"]",
					    "\"many\": [null]"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check_program(wrong[i], REFUSED, "of another type for the flag");
	check_program("\"many\": 1", REFUSED, "no array for the flag \"many\"");
	check_program("\"many\": [1, \"a\"]", "many 1\n" REFUSED, "of another type");
}

static void keys_are_those_of_flags(void **state)
{
	(void)state;
	check_program("\"string\": \"a\", \"nope\": 1", UNKNOWN, "There is no flag \"nope\"");
	check_program("\"s\": \"abc\"", UNKNOWN, "\"s\"");
	check_program("\"two\": \"abc\"", UNKNOWN, "\"two\"");
	check_program("\"cli\": \"abc\"", DONE, "\"cli\" is for command lines only");
	check_file(0, NULL, "{\"doca_general_flags\": {\"nope\": 1}}", "", UNKNOWN, "\"nope\"");
	check_file(0, NULL, "{\"doca_general_flags\": 7}", "", REFUSED, "no object");
	check_file(0, NULL, "{\"doca_program_flags\": [1]}", "", REFUSED, "no object");
}

static doca_error_t on_levels(void *config)
{
	(void)config;
	int level = 0, sdk_level = 0;
	OK(doca_argp_get_log_level(&level));
	OK(doca_argp_get_sdk_log_level(&sdk_level));
	printf("levels %d %d\n", level, sdk_level);
	return DOCA_SUCCESS;
}

static void with_levels(void)
{
	OK(doca_argp_register_validation_callback(on_levels));
}

static void general_flags_have_a_part_of_their_own(void **state)
{
	(void)state;
	check_file(0, with_levels, "{\"doca_general_flags\": {\"log-level\": 60, \"sdk-log-level\": 30}}", "",
		   "levels 60 30\n" DONE, NULL);
	check_file(0, NULL, "{\"doca_general_flags\": {\"log-level\": 5}}", "", REFUSED, "5 is no level");
	check_file(0, NULL, "{\"doca_general_flags\": {\"log-level\": \"60\"}}", "", REFUSED, "another type");
	static const char *const cli[] = {"help", "version", "json"};
	for (size_t i = 0; i < sizeof(cli) / sizeof(cli[0]); i++) {
		char text[64];
		snprintf(text, sizeof(text), "{\"doca_general_flags\": {\"%s\": true}}", cli[i]);
		check_file(0, NULL, text, "", DONE, "for command lines only");
	}
}

static void a_file_may_have_what_is_dpdks(void **state)
{
	(void)state;
	check_file(DPDK, NULL,
		   "{\"doca_dpdk_flags\": {\"flags\": \"-x  y\", \"core-list\": \"0-3\", \"devices\": ["
		   "{\"device\": \"regex\", \"id\": \"03:00.0\"}, {\"device\": \"sf\", \"id\": \"4\", \"sft\": true},"
		   "{\"device\": \"vf\", \"id\": \"b1:00.3\", \"hws\": true}, {\"device\": \"pf\", \"id\": \"6\"}]},"
		   "\"doca_program_flags\": {\"string\": \"a\"}}",
		   "",
		   "dpdk -a 03:00.0,class=regex -a auxiliary:mlx5_core.sf.4,sft_en=1 -a b1:00.3,dv_flow_en=2 -a 6 "
		   "-l 0-3 -x y --\nstring 'a'\n" DONE,
		   NULL);
	check_file(DPDK, NULL, "{}", "", "dpdk --\n" DONE, NULL);
	check_file(0, NULL, "{\"doca_dpdk_flags\": {\"flags\": \"-x\"}}", "", DONE, NULL);
	check_file(DPDK, NULL, "{\"doca_dpdk_flags\": {\"nope\": \"-x\"}}", "", UNKNOWN, "\"nope\" of DPDK");
	static const char *const wrong[] = {"\"flags\": 1",
					    "\"core-list\": [0]",
					    "\"devices\": {}",
					    "\"devices\": [1]",
					    "\"devices\": [{\"device\": \"pf\"}]",
					    "\"devices\": [{\"id\": \"6\"}]"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "{\"doca_dpdk_flags\": {%s}}", wrong[i]);
		check_file(DPDK, NULL, text, "", REFUSED, "is not what DPDK takes");
	}
	check_file(DPDK, NULL, "{\"doca_dpdk_flags\": 7}", "", REFUSED, "no object");
}

static void what_is_no_file_of_json_is_refused(void **state)
{
	(void)state;
	check_line(0, NULL, "-j /nowhere/flags.json", UNREADABLE, "\"/nowhere/flags.json\" cannot be read");
	check_line(0, NULL, "--json /tmp", UNREADABLE, "cannot be read");
	static const char *const bad[] = {"",
					  "not json",
					  "[]",
					  "7",
					  "{",
					  "{\"doca_program_flags\": {\"string\": \"a\"",
					  "{\"doca_program_flags\" {}}"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_file(0, NULL, bad[i], "", UNREADABLE, "is no JSON, or no object of it");
	check_line(0, NULL, "-j", REFUSED, "-j stands");
}

#ifdef ARGP_2_5
static doca_error_t on_object(void *param, void *config)
{
	(void)config;
	printf("object%s\n", param == NULL ? ", none" : "");
	return DOCA_SUCCESS;
}

static void with_object(void)
{
	add_flag(&(struct flag){"o", "object", NULL, "An object", on_object, DOCA_ARGP_TYPE_JSON_OBJ, {NULL}});
}

static void the_file_stands_alone(void **state)
{
	(void)state;
	static const char *const lines[] = {" -s b", " -h", " word", " -j x"};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check_file(0, NULL, "{}", lines[i], REFUSED, "-j stands alone");
	check_line(0, NULL, "-s a -j /nowhere", REFUSED, "-j stands alone");
	check_line(0, NULL, "-h -j /nowhere", "USAGE\n", NULL);
	check_line(DPDK, NULL, "-a 1 -- -j /nowhere", "dpdk -a 1\n" REFUSED, "-j stands alone");
}

static void an_object_is_given_as_it_is(void **state)
{
	(void)state;
	check_file(0, with_object, "{\"doca_program_flags\": {\"object\": {\"a\": 1}}}", "", "object\n" DONE, NULL);
	check_file(0, with_object, "{\"doca_program_flags\": {\"object\": \"text\"}}", "", "object\n" DONE, NULL);
	check_file(0, with_object, "{\"doca_program_flags\": {\"object\": null}}", "", REFUSED, "another type");
	check_line(0, with_object, "-o 1", UNKNOWN, "for JSON files only");
}
#else
static doca_error_t on_double(void *param, void *config)
{
	(void)config;
	printf("double %g\n", *(double *)param);
	return DOCA_SUCCESS;
}

static void with_double(void)
{
	add_flag(&(struct flag){"d", "double", NULL, "A double", on_double, DOCA_ARGP_TYPE_DOUBLE, {NULL}});
}

static void with_lenience(void)
{
	OK(doca_argp_disable_pedantic_config_parsing());
}

static void with_command(void)
{
	struct doca_argp_cmd *cmd;
	OK(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_name(cmd, "get");
	doca_argp_cmd_set_description(cmd, "Reads");
	OK(doca_argp_cmd_register_param(
		cmd, make_flag(&(struct flag){"k", "key", NULL, "A key", on_other, DOCA_ARGP_TYPE_STRING, {NULL}})));
	OK(doca_argp_register_cmd(cmd));
}

static void other_flags_may_stand_beside_it(void **state)
{
	(void)state;
	const char *text = "{\"doca_program_flags\": {\"string\": \"file\", \"many\": [1, 2]}}";
	check_file(0, NULL, text, " -n 5", "string 'file'\nnumber 5\nmany 1\nmany 2\n" DONE, NULL);
	check_file(0, NULL, text, " -s line -m 7", "string 'line'\nmany 7\n" DONE, NULL);
	check_file(MUST, NULL, text, " -x 1", "string 'file'\nmany 1\nmany 2\nother '1'\n" DONE, NULL);
	check_file(0, NULL, text, " -h", "USAGE\n", NULL);
	check_file(0, NULL, text, " word", UNKNOWN, "\"word\"");
	check_file(0, NULL, text, " -j x", REFUSED, "once");
	check_file(0, with_command, "{\"doca_program_flags\": {\"key\": \"1\"}}", " get", "other '1'\n" DONE, NULL);
	check_file(0, with_command, "{\"doca_program_flags\": {\"key\": \"1\"}}", "", UNKNOWN, "\"key\"");
}

static void unknown_keys_may_be_allowed(void **state)
{
	(void)state;
	check_file(DPDK, with_lenience,
		   "{\"doca_program_flags\": {\"string\": \"a\", \"nope\": 1}, \"doca_general_flags\": {\"nope\": 1},"
		   "\"doca_dpdk_flags\": {\"nope\": 1}}",
		   "", "dpdk --\nstring 'a'\n" DONE, NULL);
}

static void a_file_may_have_doubles(void **state)
{
	(void)state;
	check_file(0, with_double, "{\"doca_program_flags\": {\"double\": 1.5}}", "", "double 1.5\n" DONE, NULL);
	check_file(0, with_double, "{\"doca_program_flags\": {\"double\": 2}}", "", "double 2\n" DONE, NULL);
	check_file(0, with_double, "{\"doca_program_flags\": {\"double\": \"2\"}}", "", REFUSED, "another type");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_come_from_the_file),
		cmocka_unit_test(comments_and_spare_commas_are_read),
		cmocka_unit_test(values_of_other_types_are_refused),
		cmocka_unit_test(keys_are_those_of_flags),
		cmocka_unit_test(general_flags_have_a_part_of_their_own),
		cmocka_unit_test(a_file_may_have_what_is_dpdks),
		cmocka_unit_test(what_is_no_file_of_json_is_refused),
#ifdef ARGP_2_5
		cmocka_unit_test(the_file_stands_alone),
		cmocka_unit_test(an_object_is_given_as_it_is),
#else
		cmocka_unit_test(other_flags_may_stand_beside_it),
		cmocka_unit_test(unknown_keys_may_be_allowed),
		cmocka_unit_test(a_file_may_have_doubles),
#endif
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
