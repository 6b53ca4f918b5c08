/* Event channels: what makes them readable, within a process. processes.c has the rest. */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "harness.h"

static const struct sizes defaults = {0};
static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

static void arm_recv(endpoint *ep)
{
	OK(doca_comm_channel_ep_event_handle_arm_recv(ep));
}

static void arm_send(endpoint *ep)
{
	OK(doca_comm_channel_ep_event_handle_arm_send(ep));
}

static void channels_belong_to_active_endpoints(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *client = client_make(&d, defaults);
	doca_event_channel_t send = -1, recv = -1;
	GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_get_event_channel(client, &send, &recv));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_event_channel(client, NULL, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_event_channel(NULL, &send, &recv));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_send(client));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_recv(client));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_send(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_recv(NULL));
	endpoint *service = service_make(&d, "active", defaults);
	OK(doca_comm_channel_ep_get_event_channel(service, &send, &recv));
	CHECK(send >= 0 && recv >= 0 && send != recv);
	CHECK(send_handle(service) == send && recv_handle(service) == recv);
	address *peer;
	OK(doca_comm_channel_ep_connect(client, "active", &peer));
	int before = recv_handle(client);
	OK(doca_comm_channel_ep_disconnect(client, peer));
	GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_get_event_channel(client, &send, &recv));
	OK(doca_comm_channel_ep_connect(client, "active", &peer));
	CHECK(recv_handle(client) == before);
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

static void a_message_makes_the_receive_channel_readable(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "message", defaults, defaults);
	int fd = recv_handle(pair.service);
	arm_recv(pair.service);
	CHECK(!is_readable(fd));
	send_text(pair.client, "a", pair.of_service);
	/* It stays so until the next arm, and is so again while there is a message. */
	CHECK(is_readable(fd) && is_readable(fd));
	arm_recv(pair.service);
	CHECK(is_readable(fd));
	expect_text(pair.service, "a");
	CHECK(is_readable(fd));
	arm_recv(pair.service);
	CHECK(!is_readable(fd));
	send_text(pair.client, "b", pair.of_service);
	CHECK(is_readable(fd));
	expect_text(pair.service, "b");
	arm_recv(pair.service);
	CHECK(!is_readable(fd));
	pair_close(&pair);
}

static void an_unarmed_channel_stays_unreadable(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "unarmed", small, small);
	int fd = recv_handle(pair.service);
	for (int i = 0; i < 10; i++) {
		send_text(pair.client, "a", pair.of_service);
		CHECK(!is_readable(fd));
	}
	arm_recv(pair.service);
	CHECK(is_readable(fd));
	pair_close(&pair);
}

/* From before the handshake on. */
static void who_has_never_armed_is_never_woken(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *service = service_make(&d, "never", small), *client = client_make(&d, small);
	const int of_service[] = {recv_handle(service), send_handle(service)};
	address *peer;
	OK(doca_comm_channel_ep_connect(client, "never", &peer));
	const int of_client[] = {recv_handle(client), send_handle(client)};
	CHECK(!is_readable(of_service[0]));
	expect_nothing(service);
	OK(doca_comm_channel_peer_addr_update_info(peer));
	send_text(client, "first", peer);
	CHECK(!is_readable(of_service[0]));
	address *of_peer = expect_text(service, "first");
	send_text(service, "answer", of_peer);
	expect_text(client, "answer");
	/* A second one, which says something and goes, and has something to receive. */
	endpoint *other = client_make(&d, small);
	address *second = client_connect_to(other, "never", service);
	send_text(other, "second", second);
	send_text(service, "lost", expect_text(service, "second"));
	send_text(other, "left", second);
	OK(doca_comm_channel_ep_destroy(other));
	for (int i = 0; i < 2; i++)
		CHECK(!is_readable(of_service[i]) && !is_readable(of_client[i]));
	/* What there is is there once it arms. */
	arm_recv(service);
	CHECK(is_readable(of_service[0]));
	expect_text(service, "left");
	arm_recv(service);
	CHECK(!is_readable(of_service[0]));
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

static void nothing_but_something_to_receive_makes_the_receive_channel_readable(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "nothing", small, small);
	int of_service = recv_handle(pair.service), of_client = recv_handle(pair.client);
	arm_recv(pair.service);
	arm_recv(pair.client);
	/* It looks after its names meanwhile. */
	usleep(1300000);
	CHECK(!is_readable(of_service) && !is_readable(of_client));
	OK(doca_comm_channel_ep_disconnect(pair.service, pair.of_client));
	CHECK(!is_readable(of_client));
	endpoint *other = client_make(&pair.devices, small);
	address *peer = client_connect_to(other, "nothing", pair.service);
	arm_recv(pair.service);
	CHECK(!is_readable(of_service));
	OK(doca_comm_channel_ep_disconnect(other, peer));
	CHECK(!is_readable(of_service));
	OK(doca_comm_channel_ep_destroy(pair.service));
	CHECK(!is_readable(of_client));
	arm_recv(pair.client);
	CHECK(!is_readable(of_client));
	OK(doca_comm_channel_ep_destroy(other));
	OK(doca_comm_channel_ep_destroy(pair.client));
	devices_close(&pair.devices);
}

static void a_client_wakes_for_its_service(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "wakes", defaults, defaults);
	int fd = recv_handle(pair.client);
	for (int i = 0; i < 100; i++) {
		arm_recv(pair.client);
		CHECK(!is_readable(fd));
		send_text(pair.service, "a", pair.of_client);
		CHECK(is_readable(fd));
		expect_text(pair.client, "a");
	}
	pair_close(&pair);
}

static void a_handshake_is_something_to_receive(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *service = service_make(&d, "handshake", defaults), *client = client_make(&d, defaults);
	int fd = recv_handle(service);
	arm_recv(service);
	CHECK(!is_readable(fd));
	address *peer;
	OK(doca_comm_channel_ep_connect(client, "handshake", &peer));
	CHECK(is_readable(fd));
	arm_recv(service);
	CHECK(is_readable(fd));
	/* The answer wakes the client, whatever it waits for. */
	int client_recv = recv_handle(client), client_send = send_handle(client);
	arm_recv(client);
	arm_send(client);
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(client, "", 1, 0, peer));
	CHECK(!is_readable(client_recv) && !is_readable(client_send));
	expect_nothing(service);
	arm_recv(service);
	CHECK(!is_readable(fd));
	CHECK(is_readable(client_recv) && is_readable(client_send));
	OK(doca_comm_channel_peer_addr_update_info(peer));
	arm_recv(client);
	arm_send(client);
	CHECK(!is_readable(client_recv) && !is_readable(client_send));
	/* Who came after the arm wakes it, too. */
	send_text(client, "a", peer);
	CHECK(is_readable(fd));
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

static void fill(endpoint *from, address *to)
{
	while (doca_comm_channel_ep_sendto(from, "x", 1, 0, to) == DOCA_SUCCESS)
		;
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(from, "x", 1, 0, to));
}

static void take(endpoint *at, int num)
{
	for (int i = 0; i < num; i++) {
		char byte;
		size_t len = 1;
		address *from;
		OK(receive(at, &byte, &len, &from));
	}
}

static void room_makes_the_send_channel_readable(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "room", small, small);
	int fd = send_handle(pair.client), recv = recv_handle(pair.client);
	arm_recv(pair.client);
	fill(pair.client, pair.of_service);
	arm_send(pair.client);
	CHECK(!is_readable(fd));
	take(pair.service, 1);
	CHECK(is_readable(fd) && !is_readable(recv));
	OK(doca_comm_channel_ep_sendto(pair.client, "x", 1, 0, pair.of_service));
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(pair.client, "x", 1, 0, pair.of_service));
	arm_send(pair.client);
	CHECK(!is_readable(fd));
	/* Room that came before the arm, and nobody has looked. */
	take(pair.service, 1);
	arm_send(pair.client);
	CHECK(is_readable(fd));
	/* A message for the client is no reason to send. */
	take(pair.service, 31);
	CHECK(in_flight_to(pair.of_service) == 0);
	arm_send(pair.client);
	send_text(pair.service, "a", pair.of_client);
	CHECK(!is_readable(fd) && is_readable(recv));
	pair_close(&pair);
}

static void arming_an_idle_endpoint_does_not_fire(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "idle", small, small);
	int fd = send_handle(pair.service);
	for (int i = 0; i < 3; i++) {
		arm_send(pair.service);
		CHECK(!is_readable(fd));
	}
	/* A send that ends at once is one that has ended since. */
	send_text(pair.service, "a", pair.of_client);
	CHECK(is_readable(fd));
	arm_send(pair.service);
	arm_send(pair.service);
	CHECK(!is_readable(fd));
	/* The message leaves the receive queue: it has not been in flight before. */
	expect_text(pair.client, "a");
	CHECK(!is_readable(fd));
	pair_close(&pair);
}

static void the_end_of_the_receiver_wakes_who_waits_for_room(void **state)
{
	(void)state;
	for (int before = 0; before < 2; before++) {
		struct pair pair;
		pair_meet(&pair, "end", small, small);
		int fd = send_handle(pair.client);
		fill(pair.client, pair.of_service);
		if (before == 0)
			arm_send(pair.client);
		OK(doca_comm_channel_ep_destroy(pair.service));
		if (before == 1)
			arm_send(pair.client);
		CHECK(is_readable(fd));
		GIVES(DOCA_ERROR_CONNECTION_RESET,
		      doca_comm_channel_ep_sendto(pair.client, "x", 1, 0, pair.of_service));
		/* Once is enough. */
		arm_send(pair.client);
		arm_send(pair.client);
		CHECK(!is_readable(fd));
		OK(doca_comm_channel_ep_destroy(pair.client));
		devices_close(&pair.devices);
	}
}

static void a_broken_peer_is_something_to_receive(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "broken", defaults, defaults);
	int fd = recv_handle(pair.service);
	send_text(pair.client, "lost", pair.of_service);
	OK(doca_comm_channel_ep_destroy(pair.client));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "x", 1, 0, pair.of_client));
	arm_recv(pair.service);
	CHECK(is_readable(fd));
	char byte;
	size_t len = 1;
	address *from;
	GIVES(DOCA_ERROR_CONNECTION_RESET, receive(pair.service, &byte, &len, &from));
	arm_recv(pair.service);
	arm_recv(pair.service);
	CHECK(!is_readable(fd));
	OK(doca_comm_channel_ep_destroy(pair.service));
	devices_close(&pair.devices);
}

static void channels_nest_in_the_programs_own_epoll(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "nest", defaults, defaults);
	int outer = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN}, got;
	CHECK(epoll_ctl(outer, EPOLL_CTL_ADD, recv_handle(pair.service), &event) == 0);
	for (int i = 0; i < 100; i++) {
		arm_recv(pair.service);
		CHECK(epoll_wait(outer, &got, 1, 0) == 0);
		send_text(pair.client, "a", pair.of_service);
		CHECK(epoll_wait(outer, &got, 1, -1) == 1);
		expect_text(pair.service, "a");
	}
	close(outer);
	pair_close(&pair);
}

/* ---- the state of a service ---- */

static uint32_t listed(endpoint *service, address ***list)
{
	uint32_t num = 77;
	OK(doca_comm_channel_ep_update_service_state_info(service));
	OK(doca_comm_channel_ep_get_peer_addr_list(service, list, &num));
	return num;
}

static uint32_t pending(endpoint *service)
{
	uint32_t num = 77;
	OK(doca_comm_channel_ep_get_pending_connections(service, &num));
	return num;
}

static void only_services_have_a_state(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, "stateless", defaults, defaults);
	doca_event_channel_t handle;
	address **list;
	uint32_t num;
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_service_event_channel(pair.client, &handle));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_update_service_state_info(pair.client));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_peer_addr_list(pair.client, &list, &num));
	GIVES(DOCA_ERROR_NOT_SUPPORTED, doca_comm_channel_ep_get_pending_connections(pair.client, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_service_event_channel(NULL, &handle));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_service_event_channel(pair.service, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_update_service_state_info(NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_peer_addr_list(NULL, &list, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_peer_addr_list(pair.service, NULL, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_peer_addr_list(pair.service, &list, NULL));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_pending_connections(NULL, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_get_pending_connections(pair.service, NULL));
	endpoint *idle;
	OK(doca_comm_channel_ep_create(&idle));
	OK(doca_comm_channel_ep_set_device(idle, pair.devices.dpu));
	GIVES(DOCA_ERROR_BAD_STATE, doca_comm_channel_ep_get_service_event_channel(idle, &handle));
	OK(doca_comm_channel_ep_destroy(idle));
	/* Before the first snapshot there is nobody. */
	OK(doca_comm_channel_ep_get_peer_addr_list(pair.service, &list, &num));
	CHECK(num == 0 && pending(pair.service) == 0);
	pair_close(&pair);
}

static void a_service_sees_who_comes_and_goes(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *service = service_make(&d, "state", defaults), *clients[2];
	address *peers[2], **list;
	int fd = service_handle(service);
	CHECK(listed(service, &list) == 0 && pending(service) == 0 && !is_readable(fd));
	for (int i = 0; i < 2; i++)
		clients[i] = client_make(&d, defaults);
	/* A client that waits. */
	OK(doca_comm_channel_ep_connect(clients[0], "state", &peers[0]));
	CHECK(is_readable(fd));
	CHECK(listed(service, &list) == 0 && pending(service) == 1);
	CHECK(!is_readable(fd));
	/* Still something to receive, although the service's state has been read. */
	int recv = recv_handle(service);
	arm_recv(service);
	CHECK(is_readable(recv));
	expect_nothing(service);
	CHECK(listed(service, &list) == 1 && pending(service) == 0);
	/* A service that knows its peers may speak first. */
	OK(doca_comm_channel_peer_addr_update_info(peers[0]));
	address *first = list[0];
	send_text(service, "hello", first);
	expect_text(clients[0], "hello");
	peers[1] = client_connect_to(clients[1], "state", service);
	CHECK(is_readable(fd));
	CHECK(listed(service, &list) == 2 && list[0] == first);
	address *second = list[1];
	CHECK(!is_readable(fd));
	/* One that goes: what it has sent is there, and it can be told from others. */
	send_text(clients[0], "bye", peers[0]);
	OK(doca_comm_channel_ep_disconnect(clients[0], peers[0]));
	CHECK(is_readable(fd));
	CHECK(listed(service, &list) == 2 && !is_readable(fd));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(first));
	OK(doca_comm_channel_peer_addr_update_info(second));
	CHECK(expect_text(service, "bye") == first);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(service, "x", 1, 0, first));
	OK(doca_comm_channel_ep_disconnect(service, first));
	CHECK(listed(service, &list) == 1 && list[0] == second && !is_readable(fd));
	OK(doca_comm_channel_ep_destroy(clients[1]));
	CHECK(is_readable(fd));
	OK(doca_comm_channel_ep_destroy(clients[0]));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

static void a_client_that_gives_up_fails_one_receive(void **state)
{
	(void)state;
	struct devices d;
	devices_open(&d);
	endpoint *service = service_make(&d, "gives-up", defaults), *client = client_make(&d, defaults);
	int fd = recv_handle(service);
	for (int i = 0; i < 3; i++) {
		address *peer, *from;
		OK(doca_comm_channel_ep_connect(client, "gives-up", &peer));
		GIVES(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comm_channel_peer_addr_update_info(peer));
		OK(doca_comm_channel_ep_disconnect(client, peer));
		arm_recv(service);
		CHECK(is_readable(fd));
		char byte;
		size_t len = 1;
		GIVES(DOCA_ERROR_INITIALIZATION, receive(service, &byte, &len, &from));
		expect_nothing(service);
		arm_recv(service);
		CHECK(!is_readable(fd));
	}
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

/* ---- a second thread that arms ---- */

struct armer {
	endpoint *ep;
	atomic_bool stop;
};

static void *arms_without_end(void *argument)
{
	struct armer *armer = argument;
	while (!atomic_load(&armer->stop)) {
		arm_recv(armer->ep);
		arm_send(armer->ep);
		(void)is_readable(recv_handle(armer->ep));
	}
	return NULL;
}

static void another_thread_may_arm_at_any_time(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "armer", small, small);
	struct armer armers[2] = {{.ep = pair.service}, {.ep = pair.client}};
	pthread_t threads[2];
	for (int i = 0; i < 2; i++) {
		(void)recv_handle(armers[i].ep);
		CHECK(pthread_create(&threads[i], NULL, arms_without_end, &armers[i]) == 0);
	}
	long rounds = effort("COMCH4J_TEST_MESSAGES", 20000);
	for (uint32_t sent = 0, received = 0; received < rounds;) {
		if (sent < rounds)
			sent += doca_comm_channel_ep_sendto(pair.client, &sent, sizeof(sent), 0, pair.of_service) ==
				DOCA_SUCCESS;
		uint32_t number;
		size_t len = sizeof(number);
		address *from;
		if (receive(pair.service, &number, &len, &from) == DOCA_SUCCESS)
			CHECK(number == received++);
		/* Clients come and go meanwhile. */
		if (received % 1000 == 999) {
			endpoint *guest = client_make(&pair.devices, small);
			OK(doca_comm_channel_ep_connect(guest, "armer", &from));
			doca_error_t result = receive(pair.service, &number, &len, &from);
			CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
			      result == DOCA_ERROR_INITIALIZATION);
			if (result == DOCA_SUCCESS)
				CHECK(number == received++);
			OK(doca_comm_channel_ep_destroy(guest));
		}
	}
	for (int i = 0; i < 2; i++) {
		atomic_store(&armers[i].stop, true);
		CHECK(pthread_join(threads[i], NULL) == 0);
	}
	pair_close(&pair);
}

static void remove_files(const char *suffix)
{
	DIR *folder = opendir(getenv("DOCA_EMU_DIR"));
	CHECK(folder != NULL);
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		if (strstr(entry->d_name, suffix) != NULL)
			CHECK(unlinkat(dirfd(folder), entry->d_name, 0) == 0);
	closedir(folder);
}

/* As a cleaner of temporary folders does. */
static void remove_sockets(void)
{
	remove_files(".sock");
}

/* As at the user's last logout. */
static void remove_folder(void)
{
	remove_files(".sock");
	remove_files(".lock");
	CHECK(rmdir(getenv("DOCA_EMU_DIR")) == 0);
}

static void expect_names_again(void (*remove)(void), bool sleeps)
{
	struct devices d;
	devices_open(&d);
	endpoint *service = service_make(&d, "removed", defaults), *client = client_make(&d, defaults);
	int recv = recv_handle(service);
	expect_nothing(service);
	arm_recv(service);
	remove();
	/* It looks when it receives, and while it sleeps. */
	address *peer = NULL;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;
	UNTIL(result != DOCA_ERROR_CONNECTION_ABORTED, {
		if (!sleeps)
			expect_nothing(service);
		result = doca_comm_channel_ep_connect(client, "removed", &peer);
	});
	OK(result);
	/* And its event channel hears the new socket. */
	sleep_on(recv);
	result = DOCA_ERROR_CONNECTION_INPROGRESS;
	UNTIL(result != DOCA_ERROR_CONNECTION_INPROGRESS, {
		expect_nothing(service);
		result = doca_comm_channel_peer_addr_update_info(peer);
	});
	OK(result);
	send_text(client, "found", peer);
	expect_text(service, "found");
	OK(doca_comm_channel_ep_destroy(client));
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&d);
}

static void a_service_whose_names_are_removed_makes_them_again(void **state)
{
	(void)state;
	expect_names_again(remove_sockets, false);
	expect_names_again(remove_folder, false);
}

static void a_service_that_sleeps_looks_after_its_names(void **state)
{
	(void)state;
	expect_names_again(remove_sockets, true);
	expect_names_again(remove_folder, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels_belong_to_active_endpoints),
		cmocka_unit_test(a_message_makes_the_receive_channel_readable),
		cmocka_unit_test(an_unarmed_channel_stays_unreadable),
		cmocka_unit_test(who_has_never_armed_is_never_woken),
		cmocka_unit_test(nothing_but_something_to_receive_makes_the_receive_channel_readable),
		cmocka_unit_test(a_client_wakes_for_its_service),
		cmocka_unit_test(a_handshake_is_something_to_receive),
		cmocka_unit_test(room_makes_the_send_channel_readable),
		cmocka_unit_test(arming_an_idle_endpoint_does_not_fire),
		cmocka_unit_test(the_end_of_the_receiver_wakes_who_waits_for_room),
		cmocka_unit_test(a_broken_peer_is_something_to_receive),
		cmocka_unit_test(channels_nest_in_the_programs_own_epoll),
		cmocka_unit_test(only_services_have_a_state),
		cmocka_unit_test(a_service_sees_who_comes_and_goes),
		cmocka_unit_test(a_client_that_gives_up_fails_one_receive),
		cmocka_unit_test(another_thread_may_arm_at_any_time),
		cmocka_unit_test(a_service_whose_names_are_removed_makes_them_again),
		cmocka_unit_test(a_service_that_sleeps_looks_after_its_names),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
