/* Faults on demand, each in a process of its own: they are read once. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

static void with_faults(const char *faults, int (*body)(void *))
{
	setenv("DOCA_EMU_FAULTS", faults, 1);
	child_finish(child_start(body, NULL));
	unsetenv("DOCA_EMU_FAULTS");
}

static int sends_are_tried_again(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, "again", small, small);
	int fd = send_handle(pair.client);
	/* There is room at once: who arms then is told, and so is who has armed before. */
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	OK(doca_comm_channel_ep_event_handle_arm_send(pair.client));
	CHECK(is_readable(fd));
	OK(doca_comm_channel_ep_event_handle_arm_send(pair.client));
	CHECK(!is_readable(fd));
	for (int i = 0; i < 2; i++)
		GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	CHECK(is_readable(fd));
	expect_nothing(pair.service);
	send_text(pair.client, "x", pair.of_service);
	expect_text(pair.service, "x");
	pair_close(&pair);
	return 0;
}

static void again_refuses_so_many_sends(void **state)
{
	(void)state;
	with_faults("again=3", sends_are_tried_again);
}

static int the_second_of_each_fails(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, "fails", small, small);
	send_text(pair.client, "one", pair.of_service);
	GIVES(DOCA_ERROR_IO_FAILED, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	send_text(pair.client, "two", pair.of_service);
	send_text(pair.client, "three", pair.of_service);
	expect_text(pair.service, "one");
	char bytes[64];
	size_t len = sizeof(bytes);
	address *from = NULL;
	GIVES(DOCA_ERROR_UNKNOWN, receive(pair.service, bytes, &len, &from));
	CHECK(len == sizeof(bytes) && from == NULL);
	/* The message is there for the next receive. */
	CHECK(expect_text(pair.service, "two") == expect_text(pair.service, "three"));
	expect_nothing(pair.service);
	struct counts counts;
	OK(counts_of(pair.of_service, &counts));
	CHECK(counts.send_messages == 3);
	pair_close(&pair);
	return 0;
}

static void single_calls_fail(void **state)
{
	(void)state;
	with_faults("fail_send=2:IO_FAILED,fail_recv=2:UNKNOWN", the_second_of_each_fails);
}

/* Whether a peer is there is looked for now and then, so that a first send may be too early. */
static void send_until_reset(endpoint *from, address *to)
{
	doca_error_t result = DOCA_SUCCESS;
	UNTIL(result != DOCA_SUCCESS, result = doca_comm_channel_ep_sendto(from, "x", 2, 0, to));
	CHECK(result == DOCA_ERROR_CONNECTION_RESET);
}

static int the_third_send_breaks(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_meet(&pair, "breaks", small, small); /* the first send */
	endpoint *other = client_make(&pair.devices, small);
	address *of_service = client_connect_to(other, "breaks", pair.service);
	send_text(pair.client, "before", pair.of_service);
	for (int i = 0; i < 2; i++)
		GIVES(DOCA_ERROR_CONNECTION_RESET,
		      doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(pair.of_service));
	/* What was sent before arrives, nothing else does, and the other end is over, too. */
	expect_text(pair.service, "before");
	expect_nothing(pair.service);
	send_until_reset(pair.service, pair.of_client);
	send_text(other, "others stay", of_service);
	expect_text(pair.service, "others stay");
	OK(doca_comm_channel_ep_disconnect(pair.service, pair.of_client));
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	pair.of_service = client_connect_to(pair.client, "breaks", pair.service);
	send_text(pair.client, "anew", pair.of_service);
	expect_text(pair.service, "anew");
	OK(doca_comm_channel_ep_destroy(other));
	pair_close(&pair);
	return 0;
}

static int the_second_receive_breaks(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_meet(&pair, "breaks", small, small); /* the first receive */
	endpoint *other = client_make(&pair.devices, small);
	address *of_service = client_connect_to(other, "breaks", pair.service), *from = NULL;
	send_text(pair.client, "two", pair.of_service);
	send_text(pair.client, "three", pair.of_service);
	char bytes[64];
	size_t len = sizeof(bytes);
	GIVES(DOCA_ERROR_CONNECTION_RESET, receive(pair.service, bytes, &len, &from));
	CHECK(from == pair.of_client && len == sizeof(bytes));
	expect_nothing(pair.service);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "x", 2, 0, pair.of_client));
	send_until_reset(pair.client, pair.of_service);
	send_text(other, "others stay", of_service);
	expect_text(pair.service, "others stay");
	expect_nothing(pair.service);
	OK(doca_comm_channel_ep_destroy(other));
	pair_close(&pair);
	return 0;
}

static void failures_can_be_fatal(void **state)
{
	(void)state;
	with_faults("break_send=3:IO_FAILED", the_third_send_breaks);
	with_faults("break_recv=2:IO_FAILED", the_second_receive_breaks);
}

static int the_second_receive_loses(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_meet(&pair, "loses", small, small);
	send_text(pair.client, "two", pair.of_service);
	send_text(pair.client, "three", pair.of_service);
	char bytes[64];
	size_t len = sizeof(bytes);
	address *from;
	GIVES(DOCA_ERROR_IO_FAILED, receive(pair.service, bytes, &len, &from));
	expect_text(pair.service, "three");
	expect_nothing(pair.service);
	pair_close(&pair);
	return 0;
}

static void a_receive_can_lose_its_message(void **state)
{
	(void)state;
	with_faults("lose_recv=2:IO_FAILED", the_second_receive_loses);
}

static void expect_handshake_to_fail(endpoint *service)
{
	char byte;
	size_t len = 1;
	address *from = NULL;
	GIVES(DOCA_ERROR_INITIALIZATION, receive(service, &byte, &len, &from));
	CHECK(len == 1 && from == NULL);
}

static int a_client_is_refused(void *unused)
{
	(void)unused;
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "refuse", small), *client = client_make(&devices, small);
	address *peer;
	OK(doca_comm_channel_ep_connect(client, "refuse", &peer));
	expect_handshake_to_fail(service);
	expect_nothing(service);
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
	OK(doca_comm_channel_ep_disconnect(client, peer));
	peer = client_connect_to(client, "refuse", service);
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
	return 0;
}

static void clients_are_refused(void **state)
{
	(void)state;
	with_faults("refuse=1", a_client_is_refused);
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int a_client_waits_to_be_let_in(void *unused)
{
	(void)unused;
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "delay", small), *client = client_make(&devices, small);
	int64_t begun = now_ms();
	client_connect_to(client, "delay", service);
	CHECK(now_ms() - begun >= 100);
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
	return 0;
}

static void clients_wait_to_be_let_in(void **state)
{
	(void)state;
	with_faults("accept_delay=100", a_client_waits_to_be_let_in);
}

/* A message on its way is not there; who is armed sleeps until it is. */
static int messages_travel(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, "travel", small, small);
	int fd = recv_handle(pair.service);
	for (int i = 0; i < 3; i++) {
		int64_t begun = now_ms();
		send_text(pair.client, "slow", pair.of_service);
		expect_nothing(pair.service);
		OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
		CHECK(!is_readable(fd));
		sleep_on(fd);
		char bytes[64];
		size_t len = sizeof(bytes);
		address *from;
		OK(receive(pair.service, bytes, &len, &from));
		/* Both times are rounded down. */
		CHECK(now_ms() - begun >= 199);
	}
	pair_close(&pair);
	return 0;
}

/* What travels counts as in flight, and fills the send queue; who is armed for room sleeps until the first is there. */
static int what_travels_is_in_flight(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, "flight", small, small);
	int fd = send_handle(pair.client);
	int64_t begun = now_ms();
	for (uint64_t i = 1; i <= 16; i++) {
		send_text(pair.client, "slow", pair.of_service);
		CHECK(in_flight_to(pair.of_service) == i);
	}
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	OK(doca_comm_channel_ep_event_handle_arm_send(pair.client));
	CHECK(!is_readable(fd));
	sleep_on(fd);
	CHECK(now_ms() - begun >= 199);
	send_text(pair.client, "next", pair.of_service);
	UNTIL(in_flight_to(pair.of_service) == 1, usleep(1000));
	for (int i = 0; i < 16; i++)
		expect_text(pair.service, "slow");
	expect_nothing(pair.service);
	/* Armed before a message goes out, which is in flight only as it travels. */
	UNTIL(in_flight_to(pair.of_service) == 0, usleep(1000));
	OK(doca_comm_channel_ep_event_handle_arm_send(pair.client));
	begun = now_ms();
	send_text(pair.client, "last", pair.of_service);
	CHECK(!is_readable(fd));
	sleep_on(fd);
	CHECK(now_ms() - begun >= 199);
	/* A disconnect waits for what travels. */
	begun = now_ms();
	send_text(pair.client, "goodbye", pair.of_service);
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	CHECK(now_ms() - begun >= 199);
	expect_text(pair.service, "next");
	expect_text(pair.service, "last");
	expect_text(pair.service, "goodbye");
	pair_close(&pair);
	return 0;
}

static void a_slow_device_delays_messages(void **state)
{
	(void)state;
	with_faults("latency=200000", messages_travel);
	with_faults("latency=200000", what_travels_is_in_flight);
}

static int what_travels_too_long_is_given_up(void *unused)
{
	(void)unused;
	log_keep();
	struct pair pair;
	pair_open(&pair, "long", small, small);
	for (int i = 0; i < 3; i++)
		send_text(pair.client, "slow", pair.of_service);
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	CHECK(log_count("\"long\": 3 messages in flight are given up") == 1);
	usleep(3000000);
	expect_nothing(pair.service);
	pair_close(&pair);
	return 0;
}

static void a_disconnect_gives_up_what_travels_too_long(void **state)
{
	(void)state;
	with_faults("latency=3000000", what_travels_too_long_is_given_up);
}

/* A send that finds no room takes nothing of the line, however often it is tried. */
static int everything_goes_out_in_time(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_open(&pair, "line", small, small);
	static const char bytes[300];
	for (int sent = 0, received = 0; received < 100;) {
		if (sent < 100)
			sent += doca_comm_channel_ep_sendto(pair.client, bytes, sizeof(bytes), 0, pair.of_service) ==
				DOCA_SUCCESS;
		char got[300];
		size_t len = sizeof(got);
		address *from;
		received += receive(pair.service, got, &len, &from) == DOCA_SUCCESS;
	}
	pair_close(&pair);
	return 0;
}

static void a_narrow_line_carries_everything(void **state)
{
	(void)state;
	with_faults("bandwidth=1", everything_goes_out_in_time);
}

static int a_client_is_dropped(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_meet(&pair, "drop", small, small); /* the first send */
	int fd = service_handle(pair.service);
	OK(doca_comm_channel_ep_update_service_state_info(pair.service));
	send_text(pair.client, "before", pair.of_service);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.client, "x", 2, 0, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(pair.of_service));
	CHECK(is_readable(fd));
	expect_text(pair.service, "before");
	send_until_reset(pair.service, pair.of_client);
	OK(doca_comm_channel_ep_update_service_state_info(pair.service));
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	pair.of_service = client_connect_to(pair.client, "drop", pair.service);
	send_text(pair.client, "new", pair.of_service);
	expect_text(pair.service, "new");
	pair_close(&pair);
	return 0;
}

static int a_service_is_dropped(void *unused)
{
	(void)unused;
	struct pair pair;
	pair_meet(&pair, "drop", small, small);
	endpoint *other = client_make(&pair.devices, small);
	address *of_service = client_connect_to(other, "drop", pair.service);
	int fd = service_handle(pair.service);
	OK(doca_comm_channel_ep_update_service_state_info(pair.service));
	CHECK(!is_readable(fd));
	send_text(pair.client, "lost", pair.of_service);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "x", 2, 0, pair.of_client));
	CHECK(is_readable(fd));
	for (int i = 0; i < 2; i++)
		GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_update_service_state_info(pair.service));
	/* All of its clients have lost it. */
	send_until_reset(pair.client, pair.of_service);
	send_until_reset(other, of_service);
	char bytes[64];
	size_t len = sizeof(bytes);
	address *from;
	GIVES(DOCA_ERROR_CONNECTION_RESET, receive(pair.service, bytes, &len, &from));
	CHECK(from == pair.of_client);
	expect_nothing(pair.service);
	OK(doca_comm_channel_ep_destroy(other));
	pair_close(&pair);
	return 0;
}

static void connections_drop(void **state)
{
	(void)state;
	/* Counted over both ends, which are in one process. */
	with_faults("drop=3", a_client_is_dropped);
	with_faults("drop=3", a_service_is_dropped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(again_refuses_so_many_sends),
		cmocka_unit_test(single_calls_fail),
		cmocka_unit_test(failures_can_be_fatal),
		cmocka_unit_test(a_receive_can_lose_its_message),
		cmocka_unit_test(clients_are_refused),
		cmocka_unit_test(clients_wait_to_be_let_in),
		cmocka_unit_test(a_slow_device_delays_messages),
		cmocka_unit_test(a_disconnect_gives_up_what_travels_too_long),
		cmocka_unit_test(a_narrow_line_carries_everything),
		cmocka_unit_test(connections_drop),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
