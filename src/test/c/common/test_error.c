/* doca_error.c */
#include <string.h>

#include "support.h"

static void every_code_has_its_constants_name(void **state)
{
	(void)state;
	assert_string_equal("DOCA_SUCCESS", doca_error_get_name(DOCA_SUCCESS));
	assert_string_equal("DOCA_ERROR_AGAIN", doca_error_get_name(DOCA_ERROR_AGAIN));
	assert_string_equal("DOCA_ERROR_CONNECTION_INPROGRESS", doca_error_get_name(DOCA_ERROR_CONNECTION_INPROGRESS));
	assert_string_equal("DOCA_ERROR_SKIPPED", doca_error_get_name(DOCA_ERROR_SKIPPED));
	for (int code = 1; code <= DOCA_ERROR_SKIPPED; code++)
		assert_memory_equal("DOCA_ERROR_", doca_error_get_name((doca_error_t)code), 11);
}

static void no_two_codes_share_a_text(void **state)
{
	(void)state;
	for (int a = 0; a <= DOCA_ERROR_SKIPPED; a++)
		for (int b = 0; b < a; b++) {
			assert_string_not_equal(doca_error_get_name((doca_error_t)a),
						doca_error_get_name((doca_error_t)b));
			assert_string_not_equal(doca_error_get_descr((doca_error_t)a),
						doca_error_get_descr((doca_error_t)b));
		}
}

static void a_number_outside_the_enum_has_a_fixed_text(void **state)
{
	(void)state;
	const int strangers[] = {DOCA_ERROR_SKIPPED + 1, -1, INT32_MAX, INT32_MIN};
	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		/* Through a volatile: a compiler that sees the value may reject it for an enum. */
		volatile int stranger = strangers[i];
		assert_non_null(strstr(doca_error_get_name((doca_error_t)stranger), "not a DOCA error code"));
		assert_non_null(strstr(doca_error_get_descr((doca_error_t)stranger), "not a DOCA error code"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_its_constants_name),
		cmocka_unit_test(no_two_codes_share_a_text),
		cmocka_unit_test(a_number_outside_the_enum_has_a_fixed_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
