/* Each function with NULL, in each state, and registrations that are refused. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "doca_dev.h"

static doca_error_t on_param(void *param, void *config)
{
	(void)param;
	(void)config;
	return DOCA_SUCCESS;
}

static doca_error_t on_config(void *config)
{
	(void)config;
	return DOCA_SUCCESS;
}

static doca_error_t on_device(struct doca_devinfo *devinfo, void *context, struct doca_dev **dev)
{
	(void)context;
	return doca_dev_open(devinfo, dev);
}

static doca_error_t on_log(enum doca_log_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return DOCA_SUCCESS;
}

static struct doca_argp_param *flag(const char *name)
{
	return make_flag(&(struct flag){name, NULL, NULL, "A flag", on_param, DOCA_ARGP_TYPE_INT, {NULL}});
}

static struct doca_argp_cmd *cmd(const char *name)
{
	struct doca_argp_cmd *made;
	OK(doca_argp_cmd_create(&made));
	doca_argp_cmd_set_name(made, name);
	doca_argp_cmd_set_description(made, "A command");
	return made;
}

static int begin(void **state)
{
	(void)state;
	return doca_argp_init("calls", NULL) == DOCA_SUCCESS ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return doca_argp_destroy() == DOCA_SUCCESS ? 0 : -1;
}

static void null_is_refused(void **state)
{
	(void)state;
	struct doca_argp_cmd *some_cmd = cmd("some");
	assert_int_equal(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_param_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_param(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_create(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_cmd(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(some_cmd, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(NULL, some_cmd), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(some_cmd, some_cmd), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_param(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_param(some_cmd, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_version_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_validation_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_dev_open_callback(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_logger_callback(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_get_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_get_sdk_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_start(1, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_start(0, (char *[]){NULL}), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_start(1, (char *[]){NULL}), DOCA_ERROR_INVALID_VALUE);
	OK(doca_argp_cmd_destroy(some_cmd));
}

static void setters_of_null_do_nothing(void **state)
{
	(void)state;
	doca_argp_param_set_short_name(NULL, "a");
	doca_argp_param_set_long_name(NULL, "a");
	doca_argp_param_set_arguments(NULL, "a");
	doca_argp_param_set_description(NULL, "a");
	doca_argp_param_set_callback(NULL, on_param);
	doca_argp_param_set_type(NULL, DOCA_ARGP_TYPE_INT);
	doca_argp_param_set_mandatory(NULL);
	doca_argp_param_set_cli_only(NULL);
	doca_argp_param_set_multiplicity(NULL);
	doca_argp_param_set_singular(NULL);
	doca_argp_param_set_inherited(NULL);
	doca_argp_param_set_hidden(NULL);
	doca_argp_cmd_set_name(NULL, "a");
	doca_argp_cmd_set_description(NULL, "a");
	doca_argp_cmd_set_callback(NULL, on_config);
	doca_argp_cmd_set_hidden(NULL);
	doca_argp_set_dpdk_program(NULL);
	/* And those of a flag take NULL: then it has none. */
	struct doca_argp_param *param = flag("a");
	doca_argp_param_set_short_name(param, NULL);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
}

static void before_init_and_after_destroy_nothing_goes(void **state)
{
	(void)state;
	struct doca_argp_param *param = NULL;
	struct doca_argp_cmd *command = NULL;
	OK(doca_argp_init("calls", NULL));
	struct doca_argp_param *before = flag("a");
	struct doca_argp_cmd *cmd_before = cmd("a");
	OK(doca_argp_destroy());
	assert_int_equal(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_create(&command), DOCA_ERROR_BAD_STATE);
	assert_null(param);
	assert_null(command);
	assert_int_equal(doca_argp_start(1, (char *[]){(char *)"a", NULL}), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_version_callback(on_param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_validation_callback(on_config), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_dev_open_callback(on_device, NULL), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_logger_callback(on_log), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
	/* A program may end what it has made. */
	OK(doca_argp_param_destroy(before));
	OK(doca_argp_cmd_destroy(cmd_before));
	int level;
	OK(doca_argp_get_log_level(&level));
	OK(doca_argp_get_sdk_log_level(&level));
}

static void it_begins_once_and_starts_once(void **state)
{
	(void)state;
	assert_int_equal(doca_argp_init("again", NULL), DOCA_ERROR_BAD_STATE);
	struct doca_argp_param *late = flag("l2");
	struct doca_argp_cmd *late_cmd = cmd("late");
	char *argv[] = {(char *)"calls", NULL};
	OK(doca_argp_start(1, argv));
	assert_int_equal(doca_argp_start(1, argv), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_param(late), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(late_cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
	/* They are the parser's nevertheless. */
	assert_int_equal(doca_argp_param_destroy(late), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(late_cmd), DOCA_ERROR_BAD_STATE);
}

static void a_flag_needs_its_parts(void **state)
{
	(void)state;
	static const struct flag incomplete[] = {
		{NULL, NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"a", NULL, NULL, NULL, on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"a", NULL, NULL, "d", NULL, DOCA_ARGP_TYPE_INT, {NULL}},
		{"a", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_UNKNOWN, {NULL}},
	};
	for (size_t i = 0; i < sizeof(incomplete) / sizeof(incomplete[0]); i++) {
		struct doca_argp_param *param = make_flag(&incomplete[i]);
		assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
		assert_int_equal(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
	}
	struct flag strange = {"a", NULL, NULL, "d", on_param, (enum doca_argp_type)7, {NULL}};
	assert_int_equal(doca_argp_register_param(make_flag(&strange)), DOCA_ERROR_INVALID_VALUE);
	OK(doca_argp_register_param(flag("a")));
}

static void names_are_used_once(void **state)
{
	(void)state;
	struct doca_argp_param *first =
		make_flag(&(struct flag){"a", "long-a", NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}});
	OK(doca_argp_register_param(first));
	assert_int_equal(doca_argp_register_param(first), DOCA_ERROR_BAD_STATE);
	static const struct flag taken[] = {
		{"a", "b", NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"b", "long-a", NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"long-a", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{NULL, "a", NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"h", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"v", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"l", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"j", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{NULL, "help", NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{NULL, "json", NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
		{"sdk-log-level", NULL, NULL, "d", on_param, DOCA_ARGP_TYPE_INT, {NULL}},
	};
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		assert_int_equal(doca_argp_register_param(make_flag(&taken[i])), DOCA_ERROR_INVALID_VALUE);
}

static void commands_are_refused_as_flags_are(void **state)
{
	(void)state;
	struct doca_argp_cmd *nameless = cmd("a"), *undescribed = cmd("a"), *one = cmd("one"), *inner = cmd("inner");
	doca_argp_cmd_set_name(nameless, NULL);
	doca_argp_cmd_set_description(undescribed, NULL);
	assert_int_equal(doca_argp_register_cmd(nameless), DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_register_cmd(undescribed), DOCA_ERROR_INITIALIZATION);
	OK(doca_argp_cmd_register_cmd(one, inner));
	assert_int_equal(doca_argp_register_cmd(inner), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_register_cmd(one, cmd("inner")), DOCA_ERROR_INVALID_VALUE);
	OK(doca_argp_cmd_register_param(one, flag("a")));
	assert_int_equal(doca_argp_cmd_register_param(one, flag("a")), DOCA_ERROR_INVALID_VALUE);
	OK(doca_argp_register_cmd(one));
	assert_int_equal(doca_argp_register_cmd(one), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(cmd("one")), DOCA_ERROR_INVALID_VALUE);
	struct doca_argp_param *late = flag("b");
	struct doca_argp_cmd *late_cmd = cmd("late");
	assert_int_equal(doca_argp_cmd_register_param(one, late), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_register_cmd(one, late_cmd), DOCA_ERROR_BAD_STATE);
	OK(doca_argp_param_destroy(late));
	OK(doca_argp_cmd_destroy(late_cmd));
	/* One that was never registered takes along what was added to it. */
	struct doca_argp_cmd *unused = cmd("unused");
	OK(doca_argp_cmd_register_param(unused, flag("a")));
	OK(doca_argp_cmd_register_cmd(unused, cmd("inner")));
	OK(doca_argp_cmd_destroy(unused));
}

static void one_logger_at_a_time(void **state)
{
	(void)state;
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
	OK(doca_argp_register_logger_callback(on_log));
	assert_int_equal(doca_argp_register_logger_callback(on_log), DOCA_ERROR_ALREADY_EXIST);
	OK(doca_argp_disable_logger_callback());
	OK(doca_argp_register_logger_callback(on_log));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(null_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(setters_of_null_do_nothing, begin, end),
		cmocka_unit_test(before_init_and_after_destroy_nothing_goes),
		cmocka_unit_test_setup_teardown(it_begins_once_and_starts_once, begin, end),
		cmocka_unit_test_setup_teardown(a_flag_needs_its_parts, begin, end),
		cmocka_unit_test_setup_teardown(names_are_used_once, begin, end),
		cmocka_unit_test_setup_teardown(commands_are_refused_as_flags_are, begin, end),
		cmocka_unit_test_setup_teardown(one_logger_at_a_time, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
