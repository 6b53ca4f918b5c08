/* What -h prints, to the letter, and the log levels that it tells of. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_log.h"

DOCA_LOG_REGISTER(USAGE)

#define LEVELS "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>\n"
#define GENERAL                                                                                                        \
	"\nDOCA Flags:\n"                                                                                              \
	"  -h, --help                        Print this text\n"                                                        \
	"  -v, --version                     Print the version\n"                                                      \
	"  -l, --log-level                   Level of the program's log " LEVELS                                       \
	"  --sdk-log-level                   Level of the SDK's log " LEVELS                                           \
	"  -j, --json <path>                 Take flags from a JSON file\n"
#define PROGRAM                                                                                                        \
	"\nProgram Flags:\n"                                                                                           \
	"  -s, --string <text>               A string\n"                                                               \
	"  -n, --number                      A number\n"                                                               \
	"  -b, --switch                      A switch\n"                                                               \
	"  -m, --many                        Numbers\n"                                                                \
	"  -two                              Without a long name\n"                                                    \
	"  --a-name-that-is-longer-than-the-column Without a short name\n"                                             \
	"  -c, --cli                         For command lines\n"

static void the_layout_is_docas(void **state)
{
	(void)state;
	struct outcome outcome;
	parse(&outcome, MUST, NULL, "-h");
	assert_string_equal(outcome.out, "\n\nUsage: prog [DOCA Flags] [Program Flags]\n" GENERAL PROGRAM
					 "  -x, --must                        A must\n\n\n");
	assert_int_equal(outcome.status, 0);
	parse(&outcome, DPDK, NULL, "-- -h");
	assert_string_equal(outcome.out,
			    "\n\nUsage: prog [DPDK Flags] -- [DOCA Flags] [Program Flags]\n" GENERAL PROGRAM "\n\n");
}

static void without_flags(const void *argument)
{
	(void)argument;
	if (doca_argp_init("none", NULL) != DOCA_SUCCESS)
		exit(3);
	doca_argp_usage();
	char *argv[] = {(char *)"none", (char *)"-s", NULL};
	if (doca_argp_start(2, argv) != DOCA_ERROR_NOT_SUPPORTED || doca_argp_destroy() != DOCA_SUCCESS)
		exit(4);
	exit(5); /* the usage ends nothing */
}

static void a_program_may_have_no_flags(void **state)
{
	(void)state;
	struct outcome outcome;
	run(&outcome, without_flags, NULL);
	assert_string_equal(outcome.out, "\n\nUsage: none [DOCA Flags]\n" GENERAL
					 "\n\n"
					 "\n\nUsage: none [DOCA Flags]\n" GENERAL "\n\n");
	assert_string_equal(outcome.err, "There is no flag \"-s\"\n");
	assert_int_equal(outcome.status, 5);
}

/* Logs at two levels of each kind of records, behind the line that begins with the words. */
static void log_some(const void *argument)
{
	const char *const *words = argument;
	struct doca_log_backend *sdk;
	if (doca_log_backend_create_standard() != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file_sdk(stderr, &sdk) != DOCA_SUCCESS ||
	    doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS ||
	    doca_argp_init("levels", NULL) != DOCA_SUCCESS)
		exit(3);
	char *argv[] = {(char *)"levels", (char *)words[0], (char *)words[1], NULL};
	if (doca_argp_start(words[0] == NULL ? 1 : 3, argv) != DOCA_SUCCESS)
		exit(4);
	int level = -1, sdk_level = -1;
	if (doca_argp_get_log_level(&level) != DOCA_SUCCESS || doca_argp_get_sdk_log_level(&sdk_level) != DOCA_SUCCESS)
		exit(5);
	printf("%d %d\n", level, sdk_level);
	DOCA_LOG_ERR("program at ERROR");
	DOCA_LOG_DBG("program at DEBUG");
	struct doca_argp_param *param;
	if (doca_argp_param_create(&param) != DOCA_SUCCESS)
		exit(6);
	doca_error_t result = doca_argp_register_param(param); /* without a name, of which the SDK logs an ERROR */
	if (result == DOCA_SUCCESS || doca_argp_destroy() != DOCA_SUCCESS)
		exit(7);
}

static void check_levels(const char *flag, const char *value, const char *levels, bool error, bool debug, bool sdk)
{
	struct outcome outcome;
	run(&outcome, log_some, (const char *[]){flag, value});
	assert_int_equal(outcome.status, 0);
	assert_memory_equal(outcome.out, levels, strlen(levels));
	assert_int_equal(strstr(outcome.err, "program at ERROR") != NULL, error);
	assert_int_equal(strstr(outcome.out, "program at DEBUG") != NULL, debug);
	assert_int_equal(strstr(outcome.err, "registered without its name") != NULL, sdk);
}

static void log_levels_are_those_of_the_log(void **state)
{
	(void)state;
	check_levels(NULL, NULL, "50 50\n", true, false, true);
	check_levels("-l", "60", "60 50\n", true, true, true);
	check_levels("--log-level", "0x14", "20 50\n", false, false, true);
	check_levels("--sdk-log-level", "20", "50 20\n", true, false, false);
	check_levels("--sdk-log-level", "70", "50 70\n", true, false, true);
}

static void levels_that_are_none_are_refused(void **state)
{
	(void)state;
	static const char *const refused[] = {"-l 5", "-l 55", "-l 80", "-l -10", "-l 0", "--sdk-log-level 7"};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "-s a %s", refused[i]);
		check_line(0, NULL, line, "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n", "is no level of the ");
	}
	check_line(0, NULL, "-l abc", "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n", "\"abc\" of \"log-level\" is no integer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_layout_is_docas),
		cmocka_unit_test(a_program_may_have_no_flags),
		cmocka_unit_test(log_levels_are_those_of_the_log),
		cmocka_unit_test(levels_that_are_none_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
