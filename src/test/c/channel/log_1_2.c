/* The log of DOCA 1.2 (channel/v1_2/log_1_2.c) and its words for errors, as programs of that release use them. */
#include "doca_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "doca_error.h"

DOCA_LOG_REGISTER(A_PROGRAM);

static char *text;
static size_t size;

static int to_memory(void **state)
{
	FILE *stream = open_memstream(&text, &size);
	assert_non_null(stream);
	*state = stream;
	assert_int_equal(doca_log_stream_redirect(stream), 0);
	return 0;
}

static int to_stderr(void **state)
{
	assert_int_equal(doca_log_stream_redirect(stderr), 0);
	fclose(*state);
	free(text);
	doca_log_global_level_set(DOCA_LOG_LEVEL_INFO);
	return 0;
}

static void records_name_their_source_and_level(void **state)
{
	(void)state;
	DOCA_LOG_ERR("sent %d of %s", 3, "all");
	assert_non_null(strstr(text, "[A_PROGRAM][ERR]: sent 3 of all\n"));
	DOCA_LOG_CRIT("c");
	assert_non_null(strstr(text, "[CRT]: c\n"));
	doca_log(DOCA_LOG_LEVEL_WARNING, 1000, __LINE__, "of nobody");
	assert_non_null(strstr(text, "[?][WRN]: of nobody\n"));
}

static void what_is_below_the_level_is_not_written(void **state)
{
	(void)state;
	assert_int_equal(doca_log_global_level_get(), DOCA_LOG_LEVEL_INFO);
	DOCA_LOG_INFO("seen");
	DOCA_LOG_DBG("unseen");
	assert_non_null(strstr(text, "[INF]: seen\n"));
	assert_null(strstr(text, "unseen"));
	doca_log_global_level_set(1000);
	assert_int_equal(doca_log_global_level_get(), DOCA_LOG_LEVEL_DEBUG);
	DOCA_LOG_DBG("seen now");
	assert_non_null(strstr(text, "[DBG]: seen now\n"));
	doca_log_global_level_set(DOCA_LOG_LEVEL_CRIT);
	DOCA_LOG_WARN("not this");
	assert_null(strstr(text, "not this"));
}

static void records_for_developers_are_left_out(void **state)
{
	(void)state;
	DOCA_DLOG_ERR("left out");
	doca_log_developer(DOCA_LOG_LEVEL_ERROR, 0, __LINE__, "by hand");
	assert_null(strstr(text, "left out"));
	assert_non_null(strstr(text, "by hand\n"));
}

static void null_is_refused(void **state)
{
	(void)state;
	assert_true(doca_log_source_register(NULL) < 0);
	assert_int_not_equal(doca_log_stream_redirect(NULL), 0);
}

static void errors_have_words(void **state)
{
	(void)state;
	assert_non_null(doca_get_error_string(DOCA_SUCCESS));
	assert_string_not_equal(doca_get_error_string(DOCA_ERROR_AGAIN), doca_get_error_string(DOCA_ERROR_IN_USE));
	assert_non_null(doca_get_error_string((doca_error_t)1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_name_their_source_and_level, to_memory, to_stderr),
		cmocka_unit_test_setup_teardown(what_is_below_the_level_is_not_written, to_memory, to_stderr),
		cmocka_unit_test_setup_teardown(records_for_developers_are_left_out, to_memory, to_stderr),
		cmocka_unit_test(null_is_refused),
		cmocka_unit_test(errors_have_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
