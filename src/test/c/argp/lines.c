/* Command lines: what is called back, in which order, and what is refused. Run on the parser of each release; what is
 * expected here is what that of DOCA 2.5.0108 was seen to do, messages apart. */
#include "program.h"

#include <string.h>

#define DONE "-> DOCA_SUCCESS\n"
#define REFUSED "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n"
#define UNKNOWN "USAGE\n-> DOCA_ERROR_NOT_SUPPORTED\n"

static void flags_are_called_in_the_order_of_their_registration(void **state)
{
	(void)state;
	check_line(0, NULL, "", DONE, NULL);
	check_line(0, NULL, "-n 5 -s abc -b -m 1 -m 2 --many 3",
		   "string 'abc'\nnumber 5\nswitch 1\nmany 1\nmany 2\nmany 3\n" DONE, NULL);
	check_line(0, NULL, "--string abc --number 5 --switch", "string 'abc'\nnumber 5\nswitch 1\n" DONE, NULL);
	check_line(0, NULL, "-two q --a-name-that-is-longer-than-the-column r -c t",
		   "other 'q'\nother 'r'\nother 't'\n" DONE, NULL);
	check_line(0, NULL, "-s ", "string ''\n" DONE, NULL);
}

static void integers_are_read_as_c_writes_them(void **state)
{
	(void)state;
	check_line(0, NULL, "-n 0x10", "number 16\n" DONE, NULL);
	check_line(0, NULL, "-n 010", "number 8\n" DONE, NULL);
	check_line(0, NULL, "-n -5", "number -5\n" DONE, NULL);
	check_line(0, NULL, "-n +3", "number 3\n" DONE, NULL);
	check_line(0, NULL, "-n 2147483647", "number 2147483647\n" DONE, NULL);
	check_line(0, NULL, "-n -2147483648", "number -2147483648\n" DONE, NULL);
	check_line(0, NULL, "-n 2147483648", REFUSED, "2147483648 of \"number\" is too large");
	check_line(0, NULL, "-n -2147483649", REFUSED, "too small");
	check_line(0, NULL, "-n 99999999999999999999", REFUSED, "too large");
	check_line(0, NULL, "-n -99999999999999999999", REFUSED, "too small");
	check_line(0, NULL, "-n x", REFUSED, "\"x\" of \"number\" is no integer");
	check_line(0, NULL, "-n 5x", REFUSED, "no integer");
	check_line(0, NULL, "-n 1e3", REFUSED, "no integer");
	check_line(0, NULL, "-n ", REFUSED, "no integer");
	check_line(0, NULL, "-m 1 -m x", "many 1\n" REFUSED, "\"x\" of \"many\" is no integer");
}

static void what_is_no_flag_is_refused_before_anything_is_called(void **state)
{
	(void)state;
	check_line(0, NULL, "-s a --nope", UNKNOWN, "\"--nope\"");
	check_line(0, NULL, "word", UNKNOWN, "\"word\"");
	check_line(0, NULL, "-b true", UNKNOWN, "\"true\"");
	check_line(0, NULL, "-s --number 4", UNKNOWN, "\"4\"");
	check_line(0, NULL, "--string=abc", UNKNOWN, "\"--string=abc\"");
	check_line(0, NULL, "-sabc", UNKNOWN, "\"-sabc\"");
	check_line(0, NULL, "--s q", UNKNOWN, "\"--s\"");
	check_line(0, NULL, "-string q", UNKNOWN, "\"-string\"");
	check_line(0, NULL, "-S q", UNKNOWN, "\"-S\"");
	check_line(0, NULL, "-", UNKNOWN, "\"-\"");
	check_line(0, NULL, "-- -s a", UNKNOWN, "\"--\"");
	check_line(0, NULL, "-s a -s b", REFUSED, "\"-s\" may stand once");
	check_line(0, NULL, "--string a -s b", REFUSED, "may stand once");
	check_line(0, NULL, "-b -b", REFUSED, "may stand once");
	check_line(0, NULL, "-l 60 -l 30", REFUSED, "may stand once");
}

static void a_value_that_is_missing_is_noticed_when_it_is_needed(void **state)
{
	(void)state;
	check_line(0, NULL, "-s", REFUSED, "missing behind the flag \"string\"");
	check_line(0, NULL, "-s a -n", "string 'a'\n" REFUSED, "missing behind the flag \"number\"");
	check_line(0, NULL, "-two", REFUSED, "missing behind the flag \"two\"");
	check_line(0, NULL, "-s -n", "string '-n'\n" REFUSED, "missing behind the flag \"number\"");
	check_line(0, NULL, "--sdk-log-level", REFUSED, "missing behind the flag \"sdk-log-level\"");
}

static void first_must(void)
{
	add_flag(&(struct flag){
		"f", "first", NULL, "A must", on_other, DOCA_ARGP_TYPE_STRING, {doca_argp_param_set_mandatory}});
	add_flag(&(struct flag){"g", "last", NULL, "Behind it", on_other, DOCA_ARGP_TYPE_STRING, {NULL}});
}

static void a_mandatory_flag_must_be_there(void **state)
{
	(void)state;
	check_line(MUST, NULL, "-x 1", "other '1'\n" DONE, NULL);
	check_line(MUST, NULL, "--must 1 -s a", "string 'a'\nother '1'\n" DONE, NULL);
	check_line(MUST, NULL, "", REFUSED, "The flag \"must\" is missing");
	check_line(MUST, NULL, "-s a", "string 'a'\n" REFUSED, "The flag \"must\" is missing");
	check_line(0, first_must, "-g 1", REFUSED, "The flag \"first\" is missing");
	check_line(MUST, NULL, "--nope", UNKNOWN, "\"--nope\"");
}

static void callbacks_end_it(void **state)
{
	(void)state;
	check_line(FAIL_STRING, NULL, "-s a -n 5", "string 'a'\nUSAGE\n-> DOCA_ERROR_NOT_FOUND\n", NULL);
	check_line(VALIDATE, NULL, "-s a", "string 'a'\nvalidation\n" DONE, NULL);
	check_line(VALIDATE | INVALID, NULL, "", "validation\nUSAGE\n-> DOCA_ERROR_TOO_BIG\n", NULL);
	check_line(VALIDATE | MUST, NULL, "", REFUSED, "missing");
	check_line(VALIDATE | FAIL_STRING, NULL, "-s a", "string 'a'\nUSAGE\n-> DOCA_ERROR_NOT_FOUND\n", NULL);
}

static void help_and_version_end_the_program(void **state)
{
	(void)state;
	static const char *const help[] = {"-h",        "--help",  "-s a -h", "-h -s a",  "--nope -h",
					   "-h --nope", "-v -h",   "-n x -h", "-s -h",    "-h -h",
					   "-l 5 -h",   "-h word", "-h -s",   "-b -b -h", "-m -h"};
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		check_line(MUST | VERSION | VALIDATE, NULL, help[i], "USAGE\n", NULL);
	static const char *const version[] = {"-v", "--version", "-v -s a", "-v --nope", "-v -v"};
	for (size_t i = 0; i < sizeof(version) / sizeof(version[0]); i++)
		check_line(MUST | VERSION | VALIDATE, NULL, version[i], "version of the program\n", NULL);
	struct outcome outcome;
	parse(&outcome, 0, NULL, "-v");
	assert_memory_equal(outcome.out, "DOCA Version: ", 14);
	assert_non_null(strstr(outcome.out, "-emulated\n"));
	assert_int_equal(outcome.status, 0);
}

static void what_is_dpdks_goes_there(void **state)
{
	(void)state;
	check_line(DPDK, NULL, "-a 1 -- -s a", "dpdk -a 1\nstring 'a'\n" DONE, NULL);
	check_line(DPDK, NULL, "-- -s a", "dpdk\nstring 'a'\n" DONE, NULL);
	check_line(DPDK, NULL, "-a 1 --", "dpdk -a 1\n" DONE, NULL);
	check_line(DPDK, NULL, "-h -s a", "dpdk -h -s a\n" DONE, NULL);
	check_line(DPDK, NULL, "-a 1 -- -h", "USAGE\n", NULL);
	check_line(DPDK, NULL, "-a 1 -- --nope", "dpdk -a 1\n" UNKNOWN, "\"--nope\"");
	check_line(DPDK, NULL, "-a 1 -- -n 1 --", "dpdk -a 1\n" UNKNOWN, "\"--\"");
	check_line(DPDK | MUST, NULL, "-a 1", "dpdk -a 1\n" REFUSED, "missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_called_in_the_order_of_their_registration),
		cmocka_unit_test(integers_are_read_as_c_writes_them),
		cmocka_unit_test(what_is_no_flag_is_refused_before_anything_is_called),
		cmocka_unit_test(a_value_that_is_missing_is_noticed_when_it_is_needed),
		cmocka_unit_test(a_mandatory_flag_must_be_there),
		cmocka_unit_test(callbacks_end_it),
		cmocka_unit_test(help_and_version_end_the_program),
		cmocka_unit_test(what_is_dpdks_goes_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
