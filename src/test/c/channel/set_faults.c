/* Faults that the program sets while it runs: doca_emu_set_faults is Comch's, and reaches endpoints all the same. */
#include "doca_emu.h"
#include "harness.h"

static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

static void what_the_program_sets_reaches_endpoints(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "set", small, small);
	OK(doca_emu_set_faults("fail_send=2:IO_FAILED"));
	send_text(pair.client, "one", pair.of_service);
	GIVES(DOCA_ERROR_IO_FAILED, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	send_text(pair.client, "two", pair.of_service);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_set_faults("fail_send=2"));
	OK(doca_emu_set_faults("again=100"));
	OK(doca_emu_set_faults(NULL));
	send_text(pair.client, "three", pair.of_service);
	expect_text(pair.service, "one");
	expect_text(pair.service, "two");
	expect_text(pair.service, "three");
	pair_close(&pair);
}

static void faults_of_another_machine_do_not(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "other", small, small);
	OK(doca_emu_set_faults_of("/dev/shm/another-machine", "fail_send=1:IO_FAILED"));
	send_text(pair.client, "one", pair.of_service);
	expect_text(pair.service, "one");
	OK(doca_emu_set_faults_of("/dev/shm/another-machine", NULL));
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_program_sets_reaches_endpoints),
		cmocka_unit_test(faults_of_another_machine_do_not),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
