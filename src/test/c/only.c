/* Part of each program of tests: COMCH4J_TEST_ONLY=CASE leaves out all other cases (* and ? stand for anything). */
#include <stdlib.h>

#include "support.h"

static __attribute__((constructor)) void choose_tests(void)
{
	const char *only = getenv("COMCH4J_TEST_ONLY");
	if (only != NULL)
		cmocka_set_test_filter(only);
}
