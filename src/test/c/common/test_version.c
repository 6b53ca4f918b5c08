/* doca_version.c */
#include <string.h>

#include "doca_version.h"
#include "support.h"

static void the_runtime_version_is_the_compiled_one_and_says_that_it_is_emulated(void **state)
{
	(void)state;
	size_t len = strlen(doca_version());
	assert_memory_equal(doca_version(), doca_version_runtime(), len);
	assert_string_equal("-emulated", doca_version_runtime() + len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_runtime_version_is_the_compiled_one_and_says_that_it_is_emulated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
