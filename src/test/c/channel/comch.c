/* Endpoints that meet a program of Comch of 3.0 (comch_peer.c), in two processes: a service its client, a client its
 * server. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define MAX_MESSAGE 4080u

static const struct sizes largest = {.message = MAX_MESSAGE};
static const struct sizes small = {.message = MAX_MESSAGE, .send = 16, .recv = 16};

/* ---- the program ---- */

struct program {
	pid_t process;
	FILE *says;
	int orders;
};

static void program_start(struct program *program, const char *role, const char *name, const char *queue)
{
	int orders[2], says[2];
	CHECK(pipe2(orders, O_CLOEXEC) == 0 && pipe2(says, O_CLOEXEC) == 0);
	program->process = fork();
	CHECK(program->process >= 0);
	if (program->process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("DOCA_EMU_SIDE", strcmp(role, "server") == 0 ? "dpu" : "host", 1);
		if (dup2(orders[0], STDIN_FILENO) >= 0 && dup2(says[1], STDOUT_FILENO) >= 0)
			execl(COMCH_PEER, COMCH_PEER, role, name, queue, NULL);
		_exit(127);
	}
	CHECK(close(orders[0]) == 0 && close(says[1]) == 0);
	program->orders = orders[1];
	program->says = fdopen(says[0], "r");
	CHECK(program->says != NULL);
}

static void program_order(const struct program *program, const char *order)
{
	CHECK(dprintf(program->orders, "%s\n", order) == (int)strlen(order) + 1);
}

static void program_says(const struct program *program, const char *expected)
{
	char line[256];
	CHECK(fgets(line, sizeof(line), program->says) != NULL);
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, expected) != 0) {
		fprintf(stderr, "\"%s\" instead of \"%s\"\n", line, expected);
		CHECK(false);
	}
}

static void program_close(struct program *program)
{
	CHECK(fclose(program->says) == 0 && close(program->orders) == 0);
}

static void program_finish(struct program *program)
{
	program_says(program, "finished");
	child_finish(program->process);
	program_close(program);
}

/* Its context stops, whoever wants that. */
static void program_ends(struct program *program)
{
	program_says(program, "stopping");
	program_says(program, "idle");
	program_finish(program);
}

static void program_stop(struct program *program)
{
	program_order(program, "stop");
	program_ends(program);
}

static void program_kill(struct program *program)
{
	child_kill(program->process);
	program_close(program);
}

/* ---- the endpoint ---- */

static void sleep_to_receive(endpoint *ep, void *bytes, size_t *len, address **from)
{
	size_t room = *len;
	doca_error_t result;
	while ((result = receive(ep, bytes, len, from)) == DOCA_ERROR_AGAIN) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(ep));
		sleep_on(recv_handle(ep));
		*len = room;
	}
	OK(result);
}

static void sleep_to_send(endpoint *ep, const void *bytes, size_t len, address *to)
{
	doca_error_t result;
	while ((result = doca_comm_channel_ep_sendto(ep, bytes, len, 0, to)) == DOCA_ERROR_AGAIN) {
		OK(doca_comm_channel_ep_event_handle_arm_send(ep));
		sleep_on(send_handle(ep));
	}
	OK(result);
}

static void fill(uint8_t *bytes, size_t len, size_t number)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(number + i + (i >> 8));
}

static void expect_echo(endpoint *ep, address *peer, size_t len, size_t number)
{
	uint8_t wanted[MAX_MESSAGE], got[MAX_MESSAGE];
	size_t room = sizeof(got);
	address *from = NULL;
	sleep_to_receive(ep, got, &room, &from);
	fill(wanted, len, number);
	CHECK(from == peer && room == len && memcmp(got, wanted, len) == 0);
}

static void talk(endpoint *ep, address *peer, size_t messages)
{
	static const size_t sizes[] = {64, 256, 1024, MAX_MESSAGE};
	for (size_t size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++)
		for (size_t i = 0; i < messages; i++) {
			uint8_t bytes[MAX_MESSAGE];
			fill(bytes, sizes[size], i);
			sleep_to_send(ep, bytes, sizes[size], peer);
			expect_echo(ep, peer, sizes[size], i);
		}
}

static size_t messages(void)
{
	return (size_t)effort("COMCH4J_TEST_MESSAGES", 1000);
}

/* A client of Comch connects to the service, and speaks first. */
static address *service_meets(endpoint *service, struct program *client, const char *name)
{
	uint8_t bytes[MAX_MESSAGE];
	size_t len = sizeof(bytes);
	address *from = NULL;
	program_start(client, "client", name, "64");
	program_order(client, "send 64");
	sleep_to_receive(service, bytes, &len, &from);
	CHECK(len == 64 && bytes[0] == 1 && bytes[63] == 1);
	program_says(client, "starting");
	program_says(client, "running");
	program_says(client, "sent");
	return from;
}

static endpoint *client_meets(const struct devices *devices, struct program *server, const char *name,
			      struct sizes sizes, address **peer)
{
	program_start(server, "server", name, "64");
	program_says(server, "running");
	endpoint *client = client_make(devices, sizes);
	OK(doca_comm_channel_ep_connect(client, name, peer));
	doca_error_t result;
	while ((result = doca_comm_channel_peer_addr_update_info(*peer)) == DOCA_ERROR_CONNECTION_INPROGRESS) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		sleep_on(recv_handle(client));
	}
	OK(result);
	program_says(server, "connected");
	return client;
}

/* ---- messages, and the end of a connection ---- */

/* What a service sees of a client of Comch that has disconnected or died. */
static void expect_gone(endpoint *service, address *peer)
{
	address **list;
	uint32_t num;
	OK(doca_comm_channel_ep_get_peer_addr_list(service, &list, &num));
	CHECK(num == 1 && list[0] == peer);
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(service, "x", 1, 0, peer));
	OK(doca_comm_channel_ep_disconnect(service, peer));
	expect_nothing(service);
}

static void sleep_until_one_goes(endpoint *service)
{
	sleep_on(service_handle(service));
	OK(doca_comm_channel_ep_update_service_state_info(service));
}

static void a_service_talks_to_a_client_of_comch(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "older", largest);
	for (int round = 0; round < 10; round++) {
		struct program client;
		address *peer = service_meets(service, &client, "older");
		talk(service, peer, messages());
		struct counts counts;
		OK(counts_of(peer, &counts));
		CHECK(counts.send_messages == 4 * messages() && counts.recv_messages == 4 * messages() + 1);
		bool by_client = round % 2 == 0;
		OK(doca_comm_channel_ep_update_service_state_info(service));
		if (by_client)
			program_order(&client, "stop");
		else
			OK(doca_comm_channel_ep_disconnect(service, peer));
		program_ends(&client);
		if (by_client) {
			sleep_until_one_goes(service);
			expect_gone(service, peer);
		}
	}
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

static void a_client_talks_to_a_server_of_comch(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	for (int round = 0; round < 10; round++) {
		struct program server;
		address *peer;
		endpoint *client = client_meets(&devices, &server, "newer", largest, &peer);
		talk(client, peer, messages());
		if (round % 2 == 0) {
			OK(doca_comm_channel_ep_disconnect(client, peer));
			program_says(&server, "disconnected");
		} else {
			program_order(&server, "send 100");
			program_says(&server, "sent");
			program_order(&server, "disconnect");
			program_says(&server, "disconnected it");
			/* What it had sent is there. */
			doca_error_t result = DOCA_SUCCESS;
			UNTIL(result != DOCA_SUCCESS, result = doca_comm_channel_ep_sendto(client, "x", 1, 0, peer));
			GIVES(DOCA_ERROR_CONNECTION_RESET, result);
			uint8_t bytes[MAX_MESSAGE];
			size_t len = sizeof(bytes);
			address *from = NULL;
			GIVES(DOCA_ERROR_CONNECTION_RESET, receive(client, bytes, &len, &from));
		}
		program_stop(&server);
		OK(doca_comm_channel_ep_destroy(client));
	}
	devices_close(&devices);
}

/* What a peer has sent before its end is received. */
static void leftovers_of_a_client_that_disconnects_are_received(void **state)
{
	(void)state;
	struct devices devices;
	struct program client;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "leftovers", largest);
	address *peer = service_meets(service, &client, "leftovers"), *from = NULL;
	for (int i = 0; i < 3; i++) {
		program_order(&client, "send 100");
		program_says(&client, "sent");
	}
	program_stop(&client);
	for (int i = 0; i < 3; i++) {
		uint8_t bytes[MAX_MESSAGE];
		size_t len = sizeof(bytes);
		OK(receive(service, bytes, &len, &from));
		CHECK(len == 100 && from == peer);
	}
	expect_nothing(service);
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

/* ---- deaths ---- */

static void a_service_outlives_a_client_of_comch_that_is_killed(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "outlives", largest);
	for (int round = 0; round < 10; round++) {
		struct program client;
		address *peer = service_meets(service, &client, "outlives"), *from = NULL;
		program_order(&client, "send 100");
		program_says(&client, "sent");
		OK(doca_comm_channel_ep_update_service_state_info(service));
		program_kill(&client);
		sleep_on(service_handle(service));
		uint8_t bytes[MAX_MESSAGE];
		size_t len = sizeof(bytes);
		OK(receive(service, bytes, &len, &from));
		CHECK(len == 100 && from == peer);
		expect_nothing(service);
		OK(doca_comm_channel_ep_update_service_state_info(service));
		expect_gone(service, peer);
		/* Of an end nothing wakes who waits for messages, after the next arm. */
		OK(doca_comm_channel_ep_event_handle_arm_recv(service));
		CHECK(!is_readable(recv_handle(service)));
	}
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

static void a_client_outlives_a_server_of_comch_that_is_killed(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	for (int round = 0; round < 10; round++) {
		struct program server;
		address *peer, *from = NULL;
		endpoint *client = client_meets(&devices, &server, "killed", largest, &peer);
		program_order(&server, "send 100");
		program_says(&server, "sent");
		program_kill(&server);
		uint8_t bytes[MAX_MESSAGE];
		size_t len = sizeof(bytes);
		OK(receive(client, bytes, &len, &from));
		CHECK(len == 100 && from == peer);
		expect_nothing(client);
		/* Nothing wakes who waits for messages, after the next arm; who waits for room is. */
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		CHECK(!is_readable(recv_handle(client)));
		doca_error_t result = DOCA_SUCCESS;
		UNTIL(result != DOCA_SUCCESS, result = doca_comm_channel_ep_sendto(client, "x", 1, 0, peer));
		GIVES(DOCA_ERROR_CONNECTION_RESET, result);
		OK(doca_comm_channel_ep_disconnect(client, peer));
		GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(client, "killed", &peer));
		OK(doca_comm_channel_ep_destroy(client));
	}
	devices_close(&devices);
}

static int serves_until_it_is_killed(void *name)
{
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, name, largest);
	while (getppid() != 1) {
		uint8_t bytes[MAX_MESSAGE];
		size_t len = sizeof(bytes);
		address *from;
		sleep_to_receive(service, bytes, &len, &from);
		sleep_to_send(service, bytes, len, from);
	}
	return 1;
}

static int connects_until_it_is_killed(void *name)
{
	struct devices devices;
	devices_open(&devices);
	endpoint *client = client_make(&devices, largest);
	address *peer = client_connect_to(client, name, NULL);
	send_text(client, "hello", peer);
	(void)expect_text(client, "hello");
	pause();
	return 1;
}

static void a_client_of_comch_hears_that_its_service_was_killed(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		struct program client;
		pid_t service = child_start(serves_until_it_is_killed, (void *)(uintptr_t) "dies");
		for (bool found = false; !found;) {
			char line[64];
			program_start(&client, "client", "dies", "64");
			program_says(&client, "starting");
			CHECK(fgets(line, sizeof(line), client.says) != NULL);
			found = strcmp(line, "running\n") == 0;
			if (!found)
				program_finish(&client); /* it does not listen yet */
		}
		child_kill(service);
		program_ends(&client);
	}
}

static void a_server_of_comch_hears_that_its_client_was_killed(void **state)
{
	(void)state;
	struct program server;
	program_start(&server, "server", "bereaved", "64");
	program_says(&server, "running");
	for (int round = 0; round < 10; round++) {
		pid_t client = child_start(connects_until_it_is_killed, (void *)(uintptr_t) "bereaved");
		program_says(&server, "connected");
		child_kill(client);
		program_says(&server, "disconnected by its death");
	}
	program_stop(&server);
}

/* ---- queues ---- */

/* Sends without receiving until nothing more fits anywhere, and while the peer is stopped. */
static void full_queues_lose_nothing(void **state)
{
	(void)state;
	struct devices devices;
	struct program server;
	address *peer;
	devices_open(&devices);
	endpoint *client = client_meets(&devices, &server, "full", small, &peer);
	size_t sent = 0, received = 0;
	uint8_t bytes[MAX_MESSAGE];
	CHECK(kill(server.process, SIGSTOP) == 0);
	doca_error_t result = DOCA_SUCCESS;
	while (result == DOCA_SUCCESS) {
		fill(bytes, MAX_MESSAGE, sent);
		result = doca_comm_channel_ep_sendto(client, bytes, MAX_MESSAGE, 0, peer);
		sent += result == DOCA_SUCCESS;
	}
	GIVES(DOCA_ERROR_AGAIN, result);
	/* The server's receive queue. */
	CHECK(sent == 64 && in_flight_to(peer) == 16);
	OK(doca_comm_channel_ep_event_handle_arm_send(client));
	CHECK(!is_readable(send_handle(client)));
	CHECK(kill(server.process, SIGCONT) == 0);
	for (; sent < 64 + 16 + 64; sent++) {
		fill(bytes, MAX_MESSAGE, sent);
		sleep_to_send(client, bytes, MAX_MESSAGE, peer);
	}
	for (; received < sent; received++)
		expect_echo(client, peer, MAX_MESSAGE, received);
	expect_nothing(client);
	CHECK(in_flight_to(peer) == 0);
	OK(doca_comm_channel_ep_destroy(client));
	program_says(&server, "disconnected");
	program_stop(&server);
	devices_close(&devices);
}

/* Waits for either: the wake-ups of both kinds come over one socket. */
static void who_waits_for_room_and_messages_at_once_loses_no_wakeup(void **state)
{
	(void)state;
	struct devices devices;
	struct program server;
	address *peer, *from;
	devices_open(&devices);
	endpoint *client = client_meets(&devices, &server, "both", small, &peer);
	size_t all = 20 * messages(), sent = 0, received = 0;
	while (received < all) {
		uint8_t bytes[MAX_MESSAGE], wanted[MAX_MESSAGE];
		size_t len = sizeof(bytes), done = sent + received;
		fill(bytes, 1024, sent);
		if (sent < all && doca_comm_channel_ep_sendto(client, bytes, 1024, 0, peer) == DOCA_SUCCESS)
			sent++;
		if (receive(client, bytes, &len, &from) == DOCA_SUCCESS) {
			fill(wanted, 1024, received++);
			CHECK(len == 1024 && memcmp(bytes, wanted, len) == 0);
		}
		if (sent + received != done)
			continue;
		OK(doca_comm_channel_ep_event_handle_arm_send(client));
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		struct pollfd watched[] = {{.fd = recv_handle(client), .events = POLLIN},
					   {.fd = send_handle(client), .events = POLLIN}};
		CHECK(poll(watched, 2, 60000) > 0);
	}
	program_kill(&server);
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
}

/* ---- names, and waiting for them ---- */

static void services_and_servers_share_their_names(void **state)
{
	(void)state;
	struct devices devices;
	struct program first, second;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "name", largest);
	program_start(&second, "server", "name", "64");
	program_says(&second, "DOCA_ERROR_INITIALIZATION");
	program_finish(&second);
	OK(doca_comm_channel_ep_destroy(service));

	program_start(&first, "server", "name", "64");
	program_says(&first, "running");
	OK(doca_comm_channel_ep_create(&service));
	OK(doca_comm_channel_ep_set_device(service, devices.dpu));
	OK(doca_comm_channel_ep_set_device_rep(service, devices.rep));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_listen(service, "name"));
	program_stop(&first);
	OK(doca_comm_channel_ep_listen(service, "name"));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

static void a_client_waits_for_a_server_of_comch(void **state)
{
	(void)state;
	struct devices devices;
	struct program server;
	address *peer;
	CHECK(setenv("DOCA_EMU_CONNECT_WAIT", "60000", 1) == 0);
	devices_open(&devices);
	endpoint *client = client_make(&devices, largest);
	OK(doca_comm_channel_ep_connect(client, "late", &peer));
	GIVES(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comm_channel_peer_addr_update_info(peer));
	program_start(&server, "server", "late", "64");
	doca_error_t result;
	while ((result = doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		sleep_on(recv_handle(client));
	}
	OK(result);
	CHECK(unsetenv("DOCA_EMU_CONNECT_WAIT") == 0);
	talk(client, peer, 10);
	OK(doca_comm_channel_ep_destroy(client));
	program_kill(&server);
	devices_close(&devices);
}

/* The smaller of both sizes holds. */
static void sizes_are_agreed_on(void **state)
{
	(void)state;
	struct devices devices;
	struct program server;
	address *peer;
	devices_open(&devices);
	endpoint *client = client_meets(&devices, &server, "sizes", (struct sizes){.message = 300}, &peer);
	uint8_t bytes[MAX_MESSAGE];
	fill(bytes, 300, 0);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_sendto(client, bytes, 301, 0, peer));
	sleep_to_send(client, bytes, 300, peer);
	expect_echo(client, peer, 300, 0);
	OK(doca_comm_channel_ep_destroy(client));
	program_kill(&server);
	devices_close(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_talks_to_a_client_of_comch),
		cmocka_unit_test(a_client_talks_to_a_server_of_comch),
		cmocka_unit_test(leftovers_of_a_client_that_disconnects_are_received),
		cmocka_unit_test(a_service_outlives_a_client_of_comch_that_is_killed),
		cmocka_unit_test(a_client_outlives_a_server_of_comch_that_is_killed),
		cmocka_unit_test(a_client_of_comch_hears_that_its_service_was_killed),
		cmocka_unit_test(a_server_of_comch_hears_that_its_client_was_killed),
		cmocka_unit_test(full_queues_lose_nothing),
		cmocka_unit_test(who_waits_for_room_and_messages_at_once_loses_no_wakeup),
		cmocka_unit_test(services_and_servers_share_their_names),
		cmocka_unit_test(a_client_waits_for_a_server_of_comch),
		cmocka_unit_test(sizes_are_agreed_on),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
