/* Messages: order, sizes, queues that are full, counters, and what remains of a peer that has gone. */
#include <string.h>
#include <unistd.h>

#include "harness.h"

static const struct sizes defaults = {0};
static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

static void a_message_arrives_whole_and_once(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "whole", defaults, defaults);
	send_text(pair.client, "Message from the client", pair.of_service);
	address *from = expect_text(pair.service, "Message from the client");
	expect_nothing(pair.service);
	send_text(pair.service, "Message from the service", from);
	CHECK(expect_text(pair.client, "Message from the service") == pair.of_service);
	expect_nothing(pair.client);
	pair_close(&pair);
}

static void the_caller_may_reuse_its_memory_at_once(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "copied", defaults, defaults);
	char text[] = "first";
	send_text(pair.client, text, pair.of_service);
	memcpy(text, "other", sizeof(text));
	expect_text(pair.service, "first");
	pair_close(&pair);
}

static void every_length_passes(void **state)
{
	(void)state;
	struct pair pair;
	const struct sizes longest = {.message = 4080};
	pair_open(&pair, "lengths", longest, longest);
	static uint8_t sent[4080], got[4080];
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (uint8_t)(i * 31 + 7);
	for (size_t len = 1; len <= sizeof(sent); len++) {
		OK(doca_comm_channel_ep_sendto(pair.client, sent, len, 0, pair.of_service));
		size_t room = sizeof(got);
		address *from;
		OK(receive(pair.service, got, &room, &from));
		CHECK(room == len && memcmp(sent, got, len) == 0);
	}
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(pair.client, sent, 4081, 0, pair.of_service));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(pair.client, sent, 0, 0, pair.of_service));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(pair.client, sent, SIZE_MAX, 0, pair.of_service));
	pair_close(&pair);
}

static void the_smaller_message_size_counts(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "smaller", (struct sizes){.message = 1000}, (struct sizes){.message = 2000});
	static const uint8_t bytes[2000];
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(pair.client, bytes, 1001, 0, pair.of_service));
	OK(doca_comm_channel_ep_sendto(pair.client, bytes, 1000, 0, pair.of_service));
	OK(doca_comm_channel_ep_sendto(pair.service, bytes, 1000, 0, pair.of_client));
	pair_close(&pair);
}

static void too_little_room_keeps_the_message(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "room", defaults, defaults);
	send_text(pair.client, "twelve bytes", pair.of_service);
	char bytes[64];
	for (size_t room = 0; room < 13; room++) {
		size_t len = room;
		address *from = NULL;
		GIVES(DOCA_ERROR_INVALID_VALUE, receive(pair.service, bytes, &len, &from));
		CHECK(len == 13);
	}
	expect_text(pair.service, "twelve bytes");
	pair_close(&pair);
}

/* Sends numbers until there is no room. */
static uint32_t send_all(endpoint *from, address *to, uint32_t next)
{
	while (doca_comm_channel_ep_sendto(from, &next, sizeof(next), 0, to) == DOCA_SUCCESS)
		next++;
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(from, &next, sizeof(next), 0, to));
	return next;
}

static void expect_numbers(endpoint *at, uint32_t from, uint32_t to)
{
	for (uint32_t expected = from; expected < to; expected++) {
		uint32_t number;
		size_t len = sizeof(number);
		address *peer;
		OK(receive(at, &number, &len, &peer));
		CHECK(len == sizeof(number) && number == expected);
	}
}

static void a_queue_that_is_full_gives_again_and_loses_nothing(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "full", (struct sizes){.recv = 32}, (struct sizes){.send = 16});
	/* The receive queue of the service, and the send queue of the client. */
	uint32_t end = send_all(pair.client, pair.of_service, 0);
	CHECK(end == 48);
	CHECK(in_flight_to(pair.of_service) == 16);
	for (uint32_t taken = 1; taken <= 16; taken++) {
		expect_numbers(pair.service, taken - 1, taken);
		CHECK(in_flight_to(pair.of_service) == 16 - taken);
	}
	end = send_all(pair.client, pair.of_service, end);
	CHECK(end == 64 && in_flight_to(pair.of_service) == 16);
	expect_numbers(pair.service, 16, end);
	CHECK(in_flight_to(pair.of_service) == 0);
	expect_nothing(pair.service);
	pair_close(&pair);
}

static void both_directions_can_be_full(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "both", small, small);
	uint32_t down = 0, up = 0;
	for (int round = 0; round < 100; round++) {
		uint32_t down_from = down, up_from = up;
		down = send_all(pair.service, pair.of_client, down);
		up = send_all(pair.client, pair.of_service, up);
		CHECK(down - down_from == 32 && up - up_from == 32);
		expect_numbers(pair.client, down_from, down);
		expect_numbers(pair.service, up_from, up);
	}
	pair_close(&pair);
}

/* Messages of all lengths in a ring that is never empty, so that it is written from end to end. */
static void a_ring_that_never_runs_empty_keeps_everything(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "laps", small, small);
	uint8_t bytes[300];
	uint32_t sent = 0, received = 0;
	while (received < 20000) {
		size_t len = 1 + sent * 7 % sizeof(bytes);
		memset(bytes, (int)sent, len);
		if (doca_comm_channel_ep_sendto(pair.client, bytes, len, 0, pair.of_service) == DOCA_SUCCESS) {
			sent++;
			continue;
		}
		for (int i = 0; i < 20; i++, received++) {
			address *from;
			len = sizeof(bytes);
			OK(receive(pair.service, bytes, &len, &from));
			CHECK(len == 1 + received * 7 % sizeof(bytes));
			for (size_t at = 0; at < len; at++)
				CHECK(bytes[at] == (uint8_t)received);
		}
	}
	pair_close(&pair);
}

static void messages_of_all_clients_arrive_in_the_order_of_their_sends(void **state)
{
	(void)state;
	enum { CLIENTS = 7, MESSAGES = 2000 };
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "order", defaults), *clients[CLIENTS];
	address *peers[CLIENTS], *seen[CLIENTS] = {NULL};
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = client_make(&devices, defaults);
		peers[i] = client_connect_to(clients[i], "order", service);
	}
	uint32_t received = 0, random = 1;
	uint8_t senders[MESSAGES];
	for (uint32_t sent = 0; sent < MESSAGES; sent++) {
		random = random * 1664525 + 1013904223;
		senders[sent] = (uint8_t)(random >> 24) % CLIENTS;
		OK(doca_comm_channel_ep_sendto(clients[senders[sent]], &sent, sizeof(sent), 0, peers[senders[sent]]));
		for (uint32_t batch = (random >> 16) % 3; received <= sent && batch > 0; batch--, received++) {
			uint32_t number;
			size_t len = sizeof(number);
			address *from;
			OK(receive(service, &number, &len, &from));
			CHECK(number == received);
			CHECK(seen[senders[number]] == NULL || seen[senders[number]] == from);
			seen[senders[number]] = from;
		}
	}
	expect_numbers(service, received, MESSAGES);
	for (int i = 0; i < CLIENTS; i++)
		OK(doca_comm_channel_ep_destroy(clients[i]));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

static void counters_are_those_of_the_latest_snapshot(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "counters", defaults, defaults);
	uint64_t value = 7;
	OK(doca_comm_channel_peer_addr_get_send_messages(pair.of_service, &value));
	CHECK(value == 0);
	send_text(pair.client, "12345", pair.of_service);
	OK(doca_comm_channel_peer_addr_get_send_messages(pair.of_service, &value));
	CHECK(value == 0);
	struct counts counts;
	OK(counts_of(pair.of_service, &counts));
	CHECK(counts.send_messages == 1 && counts.send_bytes == 6 && counts.in_flight == 0);
	address *of_client = expect_text(pair.service, "12345");
	send_text(pair.service, "1", of_client);
	send_text(pair.service, "12", of_client);
	expect_text(pair.client, "1");
	expect_text(pair.client, "12");
	OK(counts_of(pair.of_service, &counts));
	CHECK(counts.recv_messages == 2 && counts.recv_bytes == 5 && counts.send_messages == 1);
	OK(counts_of(of_client, &counts));
	CHECK(counts.recv_messages == 1 && counts.recv_bytes == 6 && counts.send_bytes == 5);
	pair_close(&pair);
}

static void peers_keep_a_number_of_the_program(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "number", defaults, defaults);
	uint64_t number = 7;
	OK(doca_comm_channel_peer_addr_get_user_data(pair.of_client, &number));
	CHECK(number == 0);
	OK(doca_comm_channel_peer_addr_set_user_data(pair.of_client, UINT64_MAX));
	OK(doca_comm_channel_peer_addr_get_user_data(pair.of_client, &number));
	CHECK(number == UINT64_MAX);
	OK(doca_comm_channel_peer_addr_get_user_data(pair.of_service, &number));
	CHECK(number == 0);
	/* Also of a peer that is broken. */
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "", 1, 0, pair.of_client));
	OK(doca_comm_channel_peer_addr_get_user_data(pair.of_client, &number));
	CHECK(number == UINT64_MAX);
	pair_close(&pair);
}

/* ---- one side goes ---- */

static void what_was_sent_before_a_disconnect_stays_readable(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "leftovers", defaults, defaults);
	send_text(pair.service, "one", pair.of_client);
	send_text(pair.service, "two", pair.of_client);
	OK(doca_comm_channel_ep_destroy(pair.service));
	expect_text(pair.client, "one");
	expect_text(pair.client, "two");
	for (int i = 0; i < 10; i++)
		expect_nothing(pair.client);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.client, "", 1, 0, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.client, "", 1, 0, pair.of_service));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(pair.of_service));
	expect_nothing(pair.client);
	OK(doca_comm_channel_ep_destroy(pair.client));
	devices_close(&pair.devices);
}

static void messages_of_a_broken_peer_give_one_reset(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "reset", defaults, defaults);
	endpoint *other = client_make(&pair.devices, defaults);
	address *of_service = client_connect_to(other, "reset", pair.service);
	send_text(pair.client, "lost", pair.of_service);
	send_text(pair.client, "lost as well", pair.of_service);
	OK(doca_comm_channel_ep_destroy(pair.client));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "", 1, 0, pair.of_client));
	send_text(other, "received", of_service);
	char bytes[64];
	size_t len = sizeof(bytes);
	address *from = NULL;
	GIVES(DOCA_ERROR_CONNECTION_RESET, receive(pair.service, bytes, &len, &from));
	CHECK(from == pair.of_client && len == sizeof(bytes));
	CHECK(expect_text(pair.service, "received") != pair.of_client);
	expect_nothing(pair.service);
	OK(doca_comm_channel_ep_disconnect(pair.service, pair.of_client));
	OK(doca_comm_channel_ep_destroy(other));
	OK(doca_comm_channel_ep_destroy(pair.service));
	devices_close(&pair.devices);
}

static void a_client_can_connect_again(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "again", defaults, defaults);
	address *before = pair.of_client;
	for (int i = 0; i < 20; i++) {
		send_text(pair.client, "goodbye", pair.of_service);
		OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
		OK(doca_comm_channel_ep_set_send_queue_size(pair.client, 64));
		OK(doca_comm_channel_ep_connect(pair.client, "again", &pair.of_service));
		/* What was sent before it comes first, from the peer that there was. */
		CHECK(expect_text(pair.service, "goodbye") == before);
		expect_nothing(pair.service);
		OK(doca_comm_channel_peer_addr_update_info(pair.of_service));
		send_text(pair.client, "hello", pair.of_service);
		pair.of_client = expect_text(pair.service, "hello");
		CHECK(pair.of_client != before);
		GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "", 1, 0, before));
		OK(doca_comm_channel_ep_disconnect(pair.service, before));
		before = pair.of_client;
	}
	pair_close(&pair);
}

static void a_disconnect_waits_for_messages_in_flight(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "flight", small, small);
	uint32_t end = send_all(pair.client, pair.of_service, 0);
	CHECK(end == 32 && in_flight_to(pair.of_service) == 16);
	/* Nobody receives: what had a place in the receive queue stays, the rest is given up. */
	OK(doca_comm_channel_ep_disconnect(pair.client, pair.of_service));
	expect_numbers(pair.service, 0, 16);
	expect_nothing(pair.service);
	pair_close(&pair);
}

static int receives_slowly(void *name)
{
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, name, small);
	uint32_t number = 0;
	for (uint32_t expected = 0; expected < 32;) {
		size_t len = sizeof(number);
		address *from;
		doca_error_t result = receive(service, &number, &len, &from);
		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
		if (result == DOCA_SUCCESS)
			CHECK(number == expected++);
		usleep(1000);
	}
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
	return 0;
}

static void a_disconnect_lets_a_slow_receiver_have_everything(void **state)
{
	(void)state;
	pid_t child = child_start(receives_slowly, (void *)(uintptr_t) "slow");
	struct devices devices;
	devices_open(&devices);
	endpoint *client = client_make(&devices, small);
	address *peer = client_connect_to(client, "slow", NULL);
	for (uint32_t number = 0; number < 32;)
		number += doca_comm_channel_ep_sendto(client, &number, sizeof(number), 0, peer) == DOCA_SUCCESS;
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
	child_finish(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_arrives_whole_and_once),
		cmocka_unit_test(the_caller_may_reuse_its_memory_at_once),
		cmocka_unit_test(every_length_passes),
		cmocka_unit_test(the_smaller_message_size_counts),
		cmocka_unit_test(too_little_room_keeps_the_message),
		cmocka_unit_test(a_queue_that_is_full_gives_again_and_loses_nothing),
		cmocka_unit_test(both_directions_can_be_full),
		cmocka_unit_test(a_ring_that_never_runs_empty_keeps_everything),
		cmocka_unit_test(messages_of_all_clients_arrive_in_the_order_of_their_sends),
		cmocka_unit_test(counters_are_those_of_the_latest_snapshot),
		cmocka_unit_test(peers_keep_a_number_of_the_program),
		cmocka_unit_test(what_was_sent_before_a_disconnect_stays_readable),
		cmocka_unit_test(messages_of_a_broken_peer_give_one_reset),
		cmocka_unit_test(a_client_can_connect_again),
		cmocka_unit_test(a_disconnect_waits_for_messages_in_flight),
		cmocka_unit_test(a_disconnect_lets_a_slow_receiver_have_everything),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
