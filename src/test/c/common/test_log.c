/* log.c */
#include "log/sdk_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

/* Backends cannot be destroyed: every test makes its own and silences it at the end. */

#define ROOM 4096
static char buffer[ROOM];
static int flushes;
static int source;

static void on_flush(char *record)
{
	assert_ptr_equal(buffer, record);
	flushes++;
}

static struct doca_log_backend *application;
static struct doca_log_backend *sdk;

static int make_backends(void **state)
{
	(void)state;
	expect_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));
	expect_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	expect_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO));
	expect_success(doca_log_backend_create_with_buf(buffer, ROOM, on_flush, &application));
	expect_success(doca_log_backend_create_with_buf_sdk(buffer, ROOM, on_flush, &sdk));
	expect_success(doca_log_register_source("TESTS", &source));
	flushes = 0;
	buffer[0] = '\0';
	return 0;
}

/* For good: a strict limit keeps later global limits away. */
static void silence(struct doca_log_backend *backend, bool is_sdk)
{
	expect_success(is_sdk ? doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE)
			      : doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DISABLE));
	expect_success(doca_log_backend_set_level_lower_limit_strict(backend));
}

static int silence_backends(void **state)
{
	(void)state;
	silence(application, false);
	silence(sdk, true);
	expect_success(doca_log_unregister_source(source));
	return 0;
}

static doca_error_t say(uint32_t level, const char *text)
{
	return doca_log(level, source, "here.c", 12, "speak", "%s", text);
}

static void assert_says(const char *text)
{
	if (strstr(buffer, text) == NULL)
		fail_msg("no \"%s\" in \"%s\"", text, buffer);
}

static void a_record_has_time_level_source_place_and_text(void **state)
{
	(void)state;
	expect_success(doca_log(DOCA_LOG_LEVEL_WARNING, source, "here.c", 12, "speak", "%d of %s", 3, "four"));
	assert_int_equal(1, flushes);
	assert_int_equal('Z', buffer[26]);
	assert_says(" WARN  TESTS speak (here.c:12): 3 of four\n");
}

static void a_record_without_a_place_is_written_all_the_same(void **state)
{
	(void)state;
	expect_success(doca_log(DOCA_LOG_LEVEL_CRIT, source, NULL, 0, NULL, "text\n"));
	assert_says("CRIT  TESTS ? (?:0): text\n");
	assert_null(strstr(buffer, "\n\n"));
}

static void a_long_record_is_complete(void **state)
{
	(void)state;
	char text[3000];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t len = 900; len < 1100; len++) {
		const char *end = text + sizeof(text) - 1 - len;
		expect_success(say(DOCA_LOG_LEVEL_INFO, end));
		const char *start = strstr(buffer, ": x");
		assert_non_null(start);
		assert_int_equal(len + 1, strlen(start + 2));
	}
	expect_success(say(DOCA_LOG_LEVEL_INFO, text));
	assert_says(text);
}

static void a_small_buffer_gets_the_beginning_of_the_record(void **state)
{
	(void)state;
	struct doca_log_backend *small;
	memset(buffer, '#', ROOM);
	silence(application, false);
	expect_success(doca_log_backend_create_with_buf(buffer, 10, on_flush, &small));
	expect_success(say(DOCA_LOG_LEVEL_INFO, "text"));
	assert_int_equal(9, strlen(buffer));
	assert_int_equal('#', buffer[10]);
	silence(small, false);
}

static void a_record_shows_between_the_two_limits(void **state)
{
	(void)state;
	static const uint32_t levels[] = {DOCA_LOG_LEVEL_CRIT, DOCA_LOG_LEVEL_ERROR, DOCA_LOG_LEVEL_WARNING,
					  DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_DEBUG, DOCA_LOG_LEVEL_TRACE};
	for (size_t lower = 0; lower < 6; lower++)
		for (size_t upper = 0; upper < 6; upper++) {
			expect_success(doca_log_backend_set_level_lower_limit(application, levels[lower]));
			expect_success(doca_log_backend_set_level_upper_limit(application, levels[upper]));
			for (size_t level = 0; level < 6; level++) {
				flushes = 0;
				expect_success(say(levels[level], "text"));
				assert_int_equal(level <= lower && level >= upper, flushes);
			}
		}
}

static void the_default_limits_are_info_and_crit(void **state)
{
	(void)state;
	assert_int_equal(DOCA_LOG_LEVEL_INFO, doca_log_level_get_global_lower_limit());
	assert_int_equal(DOCA_LOG_LEVEL_CRIT, doca_log_level_get_global_upper_limit());
	assert_int_equal(DOCA_LOG_LEVEL_INFO, doca_log_level_get_global_sdk_limit());
	expect_success(say(DOCA_LOG_LEVEL_DEBUG, "text"));
	assert_int_equal(0, flushes);
	expect_success(say(DOCA_LOG_LEVEL_INFO, "text"));
	expect_success(say(DOCA_LOG_LEVEL_CRIT, "text"));
	assert_int_equal(2, flushes);
}

static void global_limits_reach_existing_and_new_backends(void **state)
{
	(void)state;
	struct doca_log_backend *fresh;
	expect_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	expect_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING));
	assert_int_equal(DOCA_LOG_LEVEL_DEBUG, doca_log_level_get_global_lower_limit());
	assert_int_equal(DOCA_LOG_LEVEL_WARNING, doca_log_level_get_global_upper_limit());
	expect_success(doca_log_backend_create_with_buf(buffer, ROOM, on_flush, &fresh));
	expect_success(say(DOCA_LOG_LEVEL_DEBUG, "text"));
	assert_int_equal(2, flushes);
	expect_success(say(DOCA_LOG_LEVEL_ERROR, "text"));
	assert_int_equal(2, flushes);
	silence(fresh, false);
}

static void a_strict_lower_limit_cannot_be_made_more_talkative(void **state)
{
	(void)state;
	expect_success(doca_log_backend_set_level_lower_limit(application, DOCA_LOG_LEVEL_WARNING));
	expect_success(doca_log_backend_set_level_lower_limit_strict(application));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_log_backend_set_level_lower_limit(application, DOCA_LOG_LEVEL_INFO));
	expect_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	expect_success(say(DOCA_LOG_LEVEL_INFO, "text"));
	assert_int_equal(0, flushes);
	expect_success(say(DOCA_LOG_LEVEL_WARNING, "text"));
	assert_int_equal(1, flushes);
	expect_success(doca_log_backend_set_level_lower_limit(application, DOCA_LOG_LEVEL_ERROR));
}

static void a_strict_upper_limit_cannot_be_made_more_severe(void **state)
{
	(void)state;
	expect_success(doca_log_backend_set_level_upper_limit(application, DOCA_LOG_LEVEL_WARNING));
	expect_success(doca_log_backend_set_level_upper_limit_strict(application));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_log_backend_set_level_upper_limit(application, DOCA_LOG_LEVEL_ERROR));
	expect_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	expect_success(say(DOCA_LOG_LEVEL_ERROR, "text"));
	assert_int_equal(0, flushes);
	expect_success(say(DOCA_LOG_LEVEL_WARNING, "text"));
	assert_int_equal(1, flushes);
	expect_success(doca_log_backend_set_level_upper_limit(application, DOCA_LOG_LEVEL_INFO));
}

static void messages_of_the_libraries_reach_sdk_backends_only(void **state)
{
	(void)state;
	silence(application, false);
	EMU_LOG_WARNING("number %d", 5);
	assert_int_equal(1, flushes);
	assert_says(" WARN  emulator messages_of_the_libraries_reach_sdk_backends_only (src/test/c/common/test_log.c:");
	assert_says("): number 5\n");
	silence(sdk, true);
	EMU_LOG_ERROR("unheard");
	assert_int_equal(1, flushes);
	/* For the teardown: what is silent stays so. */
}

static void messages_of_programs_do_not_reach_sdk_backends(void **state)
{
	(void)state;
	silence(application, false);
	expect_success(say(DOCA_LOG_LEVEL_CRIT, "text"));
	assert_int_equal(0, flushes);
}

static void the_sdk_level_has_its_own_limits(void **state)
{
	(void)state;
	expect_success(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_ERROR));
	EMU_LOG_WARNING("unheard");
	assert_int_equal(0, flushes);
	EMU_LOG_ERROR("heard");
	assert_int_equal(1, flushes);
	expect_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DEBUG));
	assert_int_equal(DOCA_LOG_LEVEL_DEBUG, doca_log_level_get_global_sdk_limit());
	EMU_LOG_DEBUG("heard");
	assert_int_equal(2, flushes);
	expect_success(say(DOCA_LOG_LEVEL_DEBUG, "unheard"));
	assert_int_equal(2, flushes);
}

static void logging_leaves_errno_alone(void **state)
{
	(void)state;
	errno = EXDEV;
	EMU_LOG_ERROR("text");
	assert_int_equal(EXDEV, errno);
}

static void limits_of_the_other_stream_and_strange_levels_are_refused(void **state)
{
	(void)state;
	static const uint32_t strangers[] = {0, 9, 25, 80, UINT32_MAX};
	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		expect_invalid(doca_log_backend_set_level_lower_limit(application, strangers[i]));
		expect_invalid(doca_log_backend_set_level_upper_limit(application, strangers[i]));
		expect_invalid(doca_log_backend_set_sdk_level(sdk, strangers[i]));
		expect_invalid(doca_log_level_set_global_lower_limit(strangers[i]));
		expect_invalid(doca_log_level_set_global_upper_limit(strangers[i]));
		expect_invalid(doca_log_level_set_global_sdk_limit(strangers[i]));
		expect_invalid(say(strangers[i], "text"));
	}
	expect_invalid(say(DOCA_LOG_LEVEL_DISABLE, "text"));
	expect_invalid(doca_log_backend_set_level_lower_limit(sdk, DOCA_LOG_LEVEL_INFO));
	expect_invalid(doca_log_backend_set_level_upper_limit(sdk, DOCA_LOG_LEVEL_INFO));
	expect_invalid(doca_log_backend_set_sdk_level(application, DOCA_LOG_LEVEL_INFO));
	assert_int_equal(0, flushes);
}

static void functions_refuse_null(void **state)
{
	(void)state;
	struct doca_log_backend *none = NULL;
	int number;
	expect_invalid(doca_log_backend_create_with_file(NULL, &none));
	expect_invalid(doca_log_backend_create_with_file(stderr, NULL));
	expect_invalid(doca_log_backend_create_with_fd(-1, &none));
	expect_invalid(doca_log_backend_create_with_fd(1, NULL));
	expect_invalid(doca_log_backend_create_with_buf(NULL, ROOM, on_flush, &none));
	expect_invalid(doca_log_backend_create_with_buf(buffer, 0, on_flush, &none));
	expect_invalid(doca_log_backend_create_with_buf(buffer, ROOM, NULL, &none));
	expect_invalid(doca_log_backend_create_with_buf(buffer, ROOM, on_flush, NULL));
	expect_invalid(doca_log_backend_create_with_syslog(NULL, &none));
	expect_invalid(doca_log_backend_create_with_syslog("name", NULL));
	expect_invalid(doca_log_backend_create_with_file_sdk(NULL, &none));
	expect_invalid(doca_log_backend_create_with_fd_sdk(-1, &none));
	expect_invalid(doca_log_backend_create_with_buf_sdk(NULL, ROOM, on_flush, &none));
	expect_invalid(doca_log_backend_create_with_syslog_sdk(NULL, &none));
	expect_invalid(doca_log_backend_set_level_lower_limit(NULL, DOCA_LOG_LEVEL_INFO));
	expect_invalid(doca_log_backend_set_level_upper_limit(NULL, DOCA_LOG_LEVEL_INFO));
	expect_invalid(doca_log_backend_set_sdk_level(NULL, DOCA_LOG_LEVEL_INFO));
	expect_invalid(doca_log_backend_set_level_lower_limit_strict(NULL));
	expect_invalid(doca_log_backend_set_level_upper_limit_strict(NULL));
	expect_invalid(doca_log_register_source(NULL, &number));
	expect_invalid(doca_log_register_source("name", NULL));
	expect_invalid(doca_log(DOCA_LOG_LEVEL_INFO, source, "f", 1, "f", NULL));
	assert_null(none);
}

static void a_source_counts_until_it_is_unregistered(void **state)
{
	(void)state;
	int other = -1;
	expect_success(doca_log_register_source("OTHER", &other));
	assert_int_not_equal(source, other);
	expect_success(doca_log(DOCA_LOG_LEVEL_INFO, other, "f", 1, "f", "text"));
	assert_says(" OTHER ");
	expect_success(doca_log_unregister_source(other));
	expect_invalid(doca_log_unregister_source(other));
	expect_invalid(doca_log(DOCA_LOG_LEVEL_INFO, other, "f", 1, "f", "text"));
	expect_invalid(doca_log(DOCA_LOG_LEVEL_INFO, -1, "f", 1, "f", "text"));
	expect_invalid(doca_log(DOCA_LOG_LEVEL_INFO, 1000, "f", 1, "f", "text"));
	expect_invalid(doca_log_unregister_source(-1));
	assert_int_equal(1, flushes);
}

DOCA_LOG_REGISTER(TEST::LOG)

static void the_macros_write_as_the_source_of_their_file(void **state)
{
	(void)state;
	DOCA_LOG_ERR("count %d", 7);
	assert_says(" ERROR TEST::LOG the_macros_write_as_the_source_of_their_file (src/test/c/common/test_log.c:");
	assert_says("): count 7\n");
}

static doca_error_t inner_result;

static void log_again(char *record)
{
	(void)record;
	inner_result = say(DOCA_LOG_LEVEL_INFO, "inner");
	/* Other functions may be called. */
	expect_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));
	flushes++;
}

static void a_record_from_a_flush_handler_is_dropped(void **state)
{
	(void)state;
	struct doca_log_backend *nested;
	silence(application, false);
	expect_success(doca_log_backend_create_with_buf(buffer, ROOM, log_again, &nested));
	expect_success(say(DOCA_LOG_LEVEL_INFO, "outer"));
	assert_int_equal(1, flushes);
	expect(DOCA_ERROR_NOT_PERMITTED, inner_result);
	assert_says("outer");
	silence(nested, false);
}

/* What a call has written to a stream that is a pipe for its duration. */
static void read_back(int fd, char *text, size_t room)
{
	ssize_t len = read(fd, text, room - 1);
	text[len > 0 ? len : 0] = '\0';
}

static void files_and_descriptors_get_whole_records(void **state)
{
	(void)state;
	struct doca_log_backend *backends[4];
	char text[ROOM];
	int fds[2];
	assert_int_equal(0, pipe2(fds, O_CLOEXEC | O_NONBLOCK));
	FILE *file = fdopen(fds[1], "w");
	assert_non_null(file);
	expect_success(doca_log_backend_create_with_fd(fds[1], &backends[0]));
	expect_success(doca_log_backend_create_with_file(file, &backends[1]));
	expect_success(doca_log_backend_create_with_fd_sdk(fds[1], &backends[2]));
	expect_success(doca_log_backend_create_with_file_sdk(file, &backends[3]));
	expect_success(say(DOCA_LOG_LEVEL_INFO, "once\n"));
	read_back(fds[0], text, sizeof(text));
	const char *first = strstr(text, "once\n");
	assert_non_null(first);
	assert_non_null(strstr(first + 5, "once\n"));
	EMU_LOG_INFO("twice");
	read_back(fds[0], text, sizeof(text));
	first = strstr(text, "twice\n");
	assert_non_null(first);
	assert_non_null(strstr(first + 5, "twice\n"));
	for (int i = 0; i < 4; i++)
		silence(backends[i], i >= 2);
	/* The stream stays the program's. */
	assert_int_equal(0, fclose(file));
	close(fds[0]);
}

static void a_record_that_cannot_be_written_is_an_error(void **state)
{
	(void)state;
	struct doca_log_backend *full[2];
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	FILE *file = fopen("/dev/full", "we");
	assert_non_null(file);
	expect_success(doca_log_backend_create_with_fd(fd, &full[0]));
	expect(DOCA_ERROR_IO_FAILED, say(DOCA_LOG_LEVEL_INFO, "text"));
	silence(full[0], false);
	expect_success(doca_log_backend_create_with_file(file, &full[1]));
	expect(DOCA_ERROR_IO_FAILED, say(DOCA_LOG_LEVEL_INFO, "text"));
	silence(full[1], false);
	/* The others got it. */
	assert_int_equal(2, flushes);
	fclose(file);
	close(fd);
}

static void the_system_log_takes_every_level(void **state)
{
	(void)state;
	struct doca_log_backend *backends[2];
	expect_success(doca_log_backend_create_with_syslog("comch4j-test", &backends[0]));
	expect_success(doca_log_backend_create_with_syslog_sdk("comch4j-test", &backends[1]));
	expect_success(doca_log_backend_set_level_lower_limit(backends[0], DOCA_LOG_LEVEL_TRACE));
	for (uint32_t level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10)
		expect_success(say(level, "text"));
	EMU_LOG_ERROR("text");
	silence(backends[0], false);
	silence(backends[1], true);
}

/* Runs last: the standard backends stay. */
static void the_standard_backends_split_at_warning(void **state)
{
	(void)state;
	char out[ROOM];
	char err[ROOM];
	int out_fds[2];
	int err_fds[2];
	assert_int_equal(0, pipe2(out_fds, O_CLOEXEC | O_NONBLOCK));
	assert_int_equal(0, pipe2(err_fds, O_CLOEXEC | O_NONBLOCK));
	fflush(stdout);
	int saved_out = dup(STDOUT_FILENO);
	int saved_err = dup(STDERR_FILENO);
	dup2(out_fds[1], STDOUT_FILENO);
	dup2(err_fds[1], STDERR_FILENO);
	doca_error_t made = doca_log_backend_create_standard();
	doca_error_t made_again = doca_log_backend_create_standard();
	say(DOCA_LOG_LEVEL_INFO, "at-info");
	say(DOCA_LOG_LEVEL_WARNING, "at-warning");
	say(DOCA_LOG_LEVEL_DEBUG, "at-debug");
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);
	say(DOCA_LOG_LEVEL_TRACE, "at-trace");
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR);
	say(DOCA_LOG_LEVEL_WARNING, "too-talkative");
	doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_ERROR);
	say(DOCA_LOG_LEVEL_ERROR, "at-error");
	say(DOCA_LOG_LEVEL_CRIT, "too-severe");
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	read_back(out_fds[0], out, sizeof(out));
	read_back(err_fds[0], err, sizeof(err));
	close(saved_out);
	close(saved_err);
	for (int i = 0; i < 2; i++) {
		close(out_fds[i]);
		close(err_fds[i]);
	}
	expect_success(made);
	expect_success(made_again);
	const char *info = strstr(out, "at-info");
	assert_non_null(info);
	assert_null(strstr(info + 1, "at-info"));
	assert_non_null(strstr(out, "at-trace"));
	assert_null(strstr(out, "at-debug"));
	assert_null(strstr(out, "at-warning"));
	assert_non_null(strstr(err, "at-warning"));
	assert_non_null(strstr(err, "at-error"));
	assert_null(strstr(err, "at-info"));
	assert_null(strstr(err, "too-talkative"));
	assert_null(strstr(err, "too-severe"));
}

static int intact;

static void check_record(char *record)
{
	/* Called under the lock of the log: no two records meet in the buffer. */
	const char *text = strstr(record, "thread ");
	if (text != NULL && strcmp(text + 8, " writes\n") == 0)
		intact++;
}

#define RECORDS 500

static void *write_records(void *argument)
{
	int own;
	if (doca_log_register_source("THREAD", &own) != DOCA_SUCCESS)
		return "register";
	for (int i = 0; i < RECORDS; i++) {
		if (doca_log(DOCA_LOG_LEVEL_INFO, own, "f", i, "f", "thread %d writes", *(int *)argument) !=
		    DOCA_SUCCESS)
			return "log";
		doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_CRIT);
		EMU_LOG_DEBUG("unheard");
	}
	return doca_log_unregister_source(own) == DOCA_SUCCESS ? NULL : "unregister";
}

static void records_of_several_threads_do_not_mix(void **state)
{
	(void)state;
	struct doca_log_backend *shared;
	silence(application, false);
	expect_success(doca_log_backend_create_with_buf(buffer, ROOM, check_record, &shared));
	intact = 0;
	pthread_t threads[4];
	int numbers[4];
	for (int i = 0; i < 4; i++) {
		numbers[i] = i;
		assert_int_equal(0, pthread_create(&threads[i], NULL, write_records, &numbers[i]));
	}
	for (int i = 0; i < 4; i++) {
		void *failed;
		assert_int_equal(0, pthread_join(threads[i], &failed));
		assert_null(failed);
	}
	silence(shared, false);
	assert_int_equal(4 * RECORDS, intact);
}

#define log_test(test) cmocka_unit_test_setup_teardown(test, make_backends, silence_backends)

int main(void)
{
	const struct CMUnitTest tests[] = {
		log_test(a_record_has_time_level_source_place_and_text),
		log_test(a_record_without_a_place_is_written_all_the_same),
		log_test(a_long_record_is_complete),
		log_test(a_small_buffer_gets_the_beginning_of_the_record),
		log_test(a_record_shows_between_the_two_limits),
		log_test(the_default_limits_are_info_and_crit),
		log_test(global_limits_reach_existing_and_new_backends),
		log_test(a_strict_lower_limit_cannot_be_made_more_talkative),
		log_test(a_strict_upper_limit_cannot_be_made_more_severe),
		log_test(messages_of_the_libraries_reach_sdk_backends_only),
		log_test(messages_of_programs_do_not_reach_sdk_backends),
		log_test(the_sdk_level_has_its_own_limits),
		log_test(logging_leaves_errno_alone),
		log_test(limits_of_the_other_stream_and_strange_levels_are_refused),
		log_test(functions_refuse_null),
		log_test(a_source_counts_until_it_is_unregistered),
		log_test(the_macros_write_as_the_source_of_their_file),
		log_test(a_record_from_a_flush_handler_is_dropped),
		log_test(files_and_descriptors_get_whole_records),
		log_test(a_record_that_cannot_be_written_is_an_error),
		log_test(the_system_log_takes_every_level),
		log_test(records_of_several_threads_do_not_mix),
		log_test(the_standard_backends_split_at_warning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
