/* What the parser of DOCA 2.5 and 2.6 has, and that of 3.0 has not: the address of gRPC, and leniency. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static doca_error_t on_address(void *config)
{
	(void)config;
	const char *address = NULL;
	OK(doca_argp_get_grpc_addr(&address));
	printf("address %s\n", address);
	return DOCA_SUCCESS;
}

static void with_grpc(void)
{
	doca_argp_set_grpc_program();
	doca_argp_set_grpc_program(); /* once is enough */
	OK(doca_argp_register_validation_callback(on_address));
}

static void a_program_of_grpc_has_an_address(void **state)
{
	(void)state;
	check_line(0, with_grpc, "-g 1.2.3.4:5 -s a", "string 'a'\naddress 1.2.3.4:5\n-> DOCA_SUCCESS\n", NULL);
	check_line(0, with_grpc, "--grpc-address 1.2.3.4", "address 1.2.3.4\n-> DOCA_SUCCESS\n", NULL);
	check_line(0, with_grpc, "-s a", "USAGE\n-> DOCA_ERROR_INVALID_VALUE\n", "\"grpc-address\" is missing");
	struct outcome outcome;
	parse(&outcome, 0, with_grpc, "-h");
	assert_non_null(strstr(outcome.out, "  -g, --grpc-address ip_address[:port]    Address of the gRPC server\n"));
	assert_non_null(strstr(outcome.out, "  -s, --string <text>                     A string\n"));
}

static void an_address_can_be_asked_for_at_any_time(void **state)
{
	(void)state;
	const char *address = NULL;
	assert_int_equal(doca_argp_get_grpc_addr(NULL), DOCA_ERROR_INVALID_VALUE);
	OK(doca_argp_get_grpc_addr(&address));
	assert_string_equal(address, "");
	doca_argp_set_grpc_program(); /* before doca_argp_init: nothing */
	OK(doca_argp_init("older", NULL));
	OK(doca_argp_start(1, (char *[]){(char *)"older", NULL}));
	OK(doca_argp_destroy());
}

static doca_error_t on_param(void *param, void *config)
{
	(void)param;
	(void)config;
	return DOCA_SUCCESS;
}

/* 3.0's reference has BAD_STATE for these; 2.5.0108 does not look. */
static void the_order_of_calls_is_not_checked(void **state)
{
	(void)state;
	char *argv[] = {(char *)"older", NULL};
	struct doca_argp_param *param;
	OK(doca_argp_start(1, argv));
	OK(doca_argp_start(1, NULL));
	OK(doca_argp_start(0, argv));
	OK(doca_argp_param_create(&param));
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	OK(doca_argp_register_version_callback(on_param));
	OK(doca_argp_destroy());
	OK(doca_argp_destroy());
	OK(doca_argp_init("older", NULL));
	OK(doca_argp_init("older", NULL));
	OK(doca_argp_start(1, argv));
	OK(doca_argp_start(1, argv));
	add_flag(&(struct flag){"a", NULL, NULL, "Late", on_param, DOCA_ARGP_TYPE_STRING, {NULL}});
	OK(doca_argp_destroy());
	assert_int_equal(doca_argp_init(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_start(2, NULL), DOCA_ERROR_INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_grpc_has_an_address),
		cmocka_unit_test(an_address_can_be_asked_for_at_any_time),
		cmocka_unit_test(the_order_of_calls_is_not_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
