/* A malformed variable stops the start of a program, with the variable, its value and what is allowed. Each value in a
 * process of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_emu.h"
#include "harness.h"

struct setting {
	const char *variable, *value, *allowed;
};

static void expect_told(const struct setting *setting)
{
	const char *told = doca_emu_last_error();
	char quoted[128];
	snprintf(quoted, sizeof(quoted), "%s is \"%s\"", setting->variable, setting->value);
	if (strstr(told, quoted) != NULL && strstr(told, setting->allowed) != NULL)
		return;
	fprintf(stderr, "\"%s\" does not contain %s and \"%s\"\n", told, quoted, setting->allowed);
	abort();
}

static int makes_nothing(void *argument)
{
	const struct setting *setting = argument;
	struct devices devices;
	setenv(setting->variable, setting->value, 1);
	devices_open(&devices);
	for (int i = 0; i < 2; i++) {
		struct doca_comch_server *server;
		struct doca_comch_client *client;
		GIVES(DOCA_ERROR_INITIALIZATION, doca_comch_server_create(devices.dpu, devices.rep, "x", &server));
		expect_told(setting);
		GIVES(DOCA_ERROR_INITIALIZATION, doca_comch_client_create(devices.host, "x", &client));
		expect_told(setting);
	}
	devices_close(&devices);
	return 0;
}

static int sees_nothing(void *argument)
{
	const struct setting *setting = argument;
	setenv(setting->variable, setting->value, 1);
	struct doca_devinfo **list;
	uint32_t num;
	GIVES(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &num));
	expect_told(setting);
	return 0;
}

static int makes_both(void *argument)
{
	const struct setting *setting = argument;
	setenv(setting->variable, setting->value, 1);
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	pair_close(&pair);
	return 0;
}

static void malformed_values_stop_the_start_of_servers_and_clients(void **state)
{
	(void)state;
	static const char faults[] = "allowed is a list KEY=VALUE,",
			  wait[] = "a number of milliseconds is allowed, 0 to";
	struct setting settings[] = {
		{"DOCA_EMU_FAULTS", "refuse=x", faults},
		{"DOCA_EMU_FAULTS", "nope=1", faults},
		{"DOCA_EMU_FAULTS", "refuse=1,accept_delay=zz", faults},
		{"DOCA_EMU_FAULTS", "refuse=99999999999999999999", faults},
		{"DOCA_EMU_FAULTS", "refuse", faults},
		{"DOCA_EMU_FAULTS", "@", faults},
		{"DOCA_EMU_FAULTS", "@../me", faults},
		{"DOCA_EMU_FAULTS", "fail_send=1:NO_SUCH_ERROR", faults},
		{"DOCA_EMU_CONNECT_WAIT", "abc", wait},
		{"DOCA_EMU_CONNECT_WAIT", "-1", wait},
		{"DOCA_EMU_CONNECT_WAIT", "5s", wait},
		{"DOCA_EMU_CONNECT_WAIT", " 5", wait},
		{"DOCA_EMU_CONNECT_WAIT", "86400001", wait},
		{"DOCA_EMU_CONNECT_WAIT", "99999999999999999999999", wait},
		{"DOCA_EMU_DIRECT_WRITE", "banana", "0 and 1 are allowed"},
		{"DOCA_EMU_DIRECT_WRITE", "00", "0 and 1 are allowed"},
	};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_int_equal(child_wait(child_start(makes_nothing, &settings[i])), 0);
}

static void malformed_values_leave_no_device_visible(void **state)
{
	(void)state;
	struct setting settings[] = {
		{"DOCA_EMU_SHARE", "yes", "group is allowed"},
		{"DOCA_EMU_SHARE", "Group", "group is allowed"},
		{"DOCA_EMU_SIDE", "moon", "host, dpu, dpu:PCI and both are allowed"},
	};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_int_equal(child_wait(child_start(sees_nothing, &settings[i])), 0);
}

static void other_values_are_taken(void **state)
{
	(void)state;
	struct setting settings[] = {
		{"DOCA_EMU_FAULTS", "", NULL},        {"DOCA_EMU_FAULTS", "refuse=0,accept_delay=1", NULL},
		{"DOCA_EMU_CONNECT_WAIT", "", NULL},  {"DOCA_EMU_CONNECT_WAIT", "0", NULL},
		{"DOCA_EMU_DIRECT_WRITE", "", NULL},  {"DOCA_EMU_CONNECT_WAIT", "86400000", NULL},
		{"DOCA_EMU_DIRECT_WRITE", "0", NULL}, {"DOCA_EMU_DIRECT_WRITE", "1", NULL},
		{"DOCA_EMU_SHARE", "", NULL},         {"DOCA_EMU_SIDE", "", NULL},
	};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_int_equal(child_wait(child_start(makes_both, &settings[i])), 0);
}

/* What is set between the making of a client and its start. */
static void a_client_does_not_start_with_a_malformed_wait(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	setenv("DOCA_EMU_CONNECT_WAIT", "soon", 1);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(pair.client.ctx));
	assert_int_equal(state_of(pair.client.ctx), DOCA_CTX_STATE_IDLE);
	unsetenv("DOCA_EMU_CONNECT_WAIT");
	pair_connect(&pair);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_values_stop_the_start_of_servers_and_clients),
		cmocka_unit_test(malformed_values_leave_no_device_visible),
		cmocka_unit_test(other_values_are_taken),
		cmocka_unit_test(a_client_does_not_start_with_a_malformed_wait),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
