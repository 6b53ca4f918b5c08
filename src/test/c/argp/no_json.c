/* -j where json-c was not there to build with. */
#include "program.h"

static void a_file_is_not_supported(void **state)
{
	(void)state;
	check_line(0, NULL, "-j /nowhere", "USAGE\n-> DOCA_ERROR_NOT_SUPPORTED\n", "built without json-c");
	check_line(DPDK, NULL, "-j /nowhere", "USAGE\n-> DOCA_ERROR_NOT_SUPPORTED\n", "built without json-c");
	check_line(0, NULL, "-j", "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n", "-j stands without a file");
	check_line(0, NULL, "-s a", "string 'a'\n-> DOCA_SUCCESS\n", NULL);
	check_line(0, NULL, "-h", "USAGE\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_not_supported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
