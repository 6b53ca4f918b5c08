/* Two processes: wake-ups that are not lost, and the death of either side at each step. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

static const struct sizes defaults = {0};
static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

/* What a service does that sleeps on its descriptors only. */
static void sleep_to_receive(endpoint *ep, void *bytes, size_t *len, address **from)
{
	size_t room = *len;
	while (receive(ep, bytes, len, from) != DOCA_SUCCESS) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(ep));
		sleep_on(recv_handle(ep));
		*len = room;
	}
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

static endpoint *sleep_to_connect(const struct devices *devices, const char *name, struct sizes sizes, address **peer)
{
	endpoint *client = client_make(devices, sizes);
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;
	UNTIL(result == DOCA_SUCCESS, result = doca_comm_channel_ep_connect(client, name, peer));
	while ((result = doca_comm_channel_peer_addr_update_info(*peer)) == DOCA_ERROR_CONNECTION_INPROGRESS) {
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		sleep_on(recv_handle(client));
	}
	OK(result);
	return client;
}

static long rounds(void)
{
	return effort("COMCH4J_TEST_MESSAGES", 20000);
}

static int echoes(void *name)
{
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, name, defaults);
	uint32_t number = 0;
	while (number + 1 < (uint32_t)rounds()) {
		size_t len = sizeof(number);
		address *from;
		sleep_to_receive(service, &number, &len, &from);
		sleep_to_send(service, &number, sizeof(number), from);
	}
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
	return 0;
}

/* Each message waits for the one before it: both sides sleep all the time. */
static void an_echo_loses_no_wakeup(void **state)
{
	(void)state;
	pid_t child = child_start(echoes, (void *)(uintptr_t) "echo");
	struct devices devices;
	devices_open(&devices);
	address *peer, *from;
	endpoint *client = sleep_to_connect(&devices, "echo", defaults, &peer);
	for (uint32_t i = 0; i < rounds(); i++) {
		uint32_t number = 0;
		size_t len = sizeof(number);
		sleep_to_send(client, &i, sizeof(i), peer);
		sleep_to_receive(client, &number, &len, &from);
		CHECK(number == i && len == sizeof(number) && from == peer);
	}
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
	child_finish(child);
}

static int floods(void *name)
{
	struct devices devices;
	devices_open(&devices);
	address *peer;
	endpoint *client = sleep_to_connect(&devices, name, small, &peer);
	for (uint32_t i = 0; i < rounds(); i++)
		sleep_to_send(client, &i, sizeof(i), peer);
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
	return 0;
}

/* Small queues: the sender sleeps for room, and the receiver for messages. */
static void a_flood_loses_no_wakeup(void **state)
{
	(void)state;
	pid_t child = child_start(floods, (void *)(uintptr_t) "flood");
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "flood", small);
	for (uint32_t i = 0; i < rounds(); i++) {
		uint32_t number = 0;
		size_t len = sizeof(number);
		address *from;
		sleep_to_receive(service, &number, &len, &from);
		CHECK(number == i);
	}
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
	child_finish(child);
}

/* ---- one thread sends and one receives, with a lock between them and arming outside it ---- */

struct shared_endpoint {
	endpoint *ep;
	address *peer;
	pthread_mutex_t lock;
	uint32_t num;
};

static doca_error_t locked_receive(struct shared_endpoint *shared, uint32_t *number, address **from)
{
	size_t len = sizeof(*number);
	pthread_mutex_lock(&shared->lock);
	doca_error_t result = receive(shared->ep, number, &len, from);
	pthread_mutex_unlock(&shared->lock);
	return result;
}

static void receive_all(struct shared_endpoint *shared)
{
	int fd = recv_handle(shared->ep);
	for (uint32_t expected = 0; expected < shared->num;) {
		uint32_t number;
		address *from;
		doca_error_t result = locked_receive(shared, &number, &from);
		if (result == DOCA_SUCCESS) {
			CHECK(number == expected++);
		} else {
			CHECK(result == DOCA_ERROR_AGAIN);
			/* As programs do it: no other try between the two. */
			OK(doca_comm_channel_ep_event_handle_arm_recv(shared->ep));
			sleep_on(fd);
		}
	}
}

static void *receives_all(void *argument)
{
	receive_all(argument);
	return NULL;
}

static void *sends_all(void *argument)
{
	struct shared_endpoint *shared = argument;
	int fd = send_handle(shared->ep);
	for (uint32_t next = 0; next < shared->num;) {
		pthread_mutex_lock(&shared->lock);
		doca_error_t result = doca_comm_channel_ep_sendto(shared->ep, &next, sizeof(next), 0, shared->peer);
		pthread_mutex_unlock(&shared->lock);
		if (result == DOCA_SUCCESS) {
			next++;
		} else {
			CHECK(result == DOCA_ERROR_AGAIN);
			OK(doca_comm_channel_ep_event_handle_arm_send(shared->ep));
			sleep_on(fd);
		}
	}
	return NULL;
}

static void exchange(endpoint *ep, address *peer)
{
	struct shared_endpoint shared = {
		.ep = ep, .peer = peer, .lock = PTHREAD_MUTEX_INITIALIZER, .num = (uint32_t)rounds()};
	pthread_t threads[2];
	CHECK(pthread_create(&threads[0], NULL, receives_all, &shared) == 0);
	CHECK(pthread_create(&threads[1], NULL, sends_all, &shared) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

static int exchanges_as_client(void *name)
{
	struct devices devices;
	devices_open(&devices);
	address *peer;
	endpoint *client = sleep_to_connect(&devices, name, small, &peer);
	send_text(client, "hello", peer);
	exchange(client, peer);
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
	return 0;
}

static void two_threads_share_an_endpoint_and_arm_outside_their_lock(void **state)
{
	(void)state;
	pid_t child = child_start(exchanges_as_client, (void *)(uintptr_t) "exchange");
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "exchange", small);
	exchange(service, expect_text(service, "hello"));
	child_finish(child);
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

/* ---- death ---- */

enum step { CREATED, ASKED, LET_IN, SPOKEN, FULL, ARMED, NUM_STEPS };

/* What a child tells its parent. */
struct progress {
	_Atomic enum step reached;
};

struct life {
	const char *name;
	enum step last;
	struct progress *progress;
};

static void reached(const struct life *life, enum step step)
{
	if (step != life->last)
		return;
	atomic_store(&life->progress->reached, step);
	for (;;)
		pause();
}

static int lives_as_client(void *argument)
{
	const struct life *life = argument;
	struct devices devices;
	devices_open(&devices);
	endpoint *client = client_make(&devices, small);
	reached(life, CREATED);
	address *peer;
	OK(doca_comm_channel_ep_connect(client, life->name, &peer));
	reached(life, ASKED);
	doca_error_t result = DOCA_ERROR_CONNECTION_INPROGRESS;
	UNTIL(result == DOCA_SUCCESS, result = doca_comm_channel_peer_addr_update_info(peer));
	reached(life, LET_IN);
	send_text(client, "last words", peer);
	reached(life, SPOKEN);
	while (doca_comm_channel_ep_sendto(client, "x", 1, 0, peer) == DOCA_SUCCESS)
		;
	reached(life, FULL);
	OK(doca_comm_channel_ep_event_handle_arm_send(client));
	OK(doca_comm_channel_ep_event_handle_arm_recv(client));
	reached(life, ARMED);
	return 1;
}

static struct progress *progress_make(void)
{
	struct progress *progress =
		mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(progress != MAP_FAILED);
	atomic_store(&progress->reached, NUM_STEPS);
	return progress;
}

/* A receive lets clients in; what one of them has sent at once does not fit, and stays. */
static void only_let_in(endpoint *service)
{
	char byte;
	size_t len = sizeof(byte);
	address *from;
	doca_error_t result = receive(service, &byte, &len, &from);
	CHECK(result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_INVALID_VALUE);
}

/* Receives until `from` is all that there is; what it was. */
static unsigned receive_rest(endpoint *ep, address **from)
{
	char bytes[64];
	size_t len = sizeof(bytes);
	unsigned num = 0;
	doca_error_t result;
	while ((result = receive(ep, bytes, &len, from)) == DOCA_SUCCESS || result == DOCA_ERROR_INITIALIZATION) {
		if (result == DOCA_SUCCESS)
			CHECK(num++ > 0 ? len == 1 : strcmp(bytes, "last words") == 0);
		len = sizeof(bytes);
	}
	CHECK(result == DOCA_ERROR_AGAIN);
	return num;
}

static void a_client_may_be_killed_at_each_step(void **state)
{
	(void)state;
	struct progress *progress = progress_make();
	for (enum step last = CREATED; last < NUM_STEPS; last++) {
		struct life life = {.name = "client-dies", .last = last, .progress = progress};
		atomic_store(&progress->reached, NUM_STEPS);
		struct devices devices;
		devices_open(&devices);
		endpoint *service = service_make(&devices, life.name, small);
		int fd = service_handle(service), recv = recv_handle(service);
		OK(doca_comm_channel_ep_update_service_state_info(service));
		pid_t child = child_start(lives_as_client, &life);
		/* Accepts only, so that the client finds its queue full. */
		UNTIL(atomic_load(&progress->reached) == last, {
			address **list;
			uint32_t num;
			OK(doca_comm_channel_ep_update_service_state_info(service));
			OK(doca_comm_channel_ep_get_peer_addr_list(service, &list, &num));
			if (num == 0 && last > ASKED)
				only_let_in(service);
		});
		OK(doca_comm_channel_ep_update_service_state_info(service));
		CHECK(!is_readable(fd));
		child_kill(child);
		/* A service that has let it in is told, one that sleeps wakes if there is something to receive, and
		 * what it has sent is there. */
		if (last >= LET_IN)
			sleep_on(fd);
		if (last >= ASKED && last != LET_IN) {
			OK(doca_comm_channel_ep_event_handle_arm_recv(service));
			sleep_on(recv);
		}
		address *from = NULL;
		unsigned num = receive_rest(service, &from);
		CHECK(num == (last < SPOKEN ? 0 : last == SPOKEN ? 1 : 32));
		address **list;
		uint32_t peers;
		OK(doca_comm_channel_ep_update_service_state_info(service));
		OK(doca_comm_channel_ep_get_peer_addr_list(service, &list, &peers));
		CHECK(peers == (last >= LET_IN));
		if (peers > 0) {
			CHECK(from == NULL || from == list[0]);
			GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(list[0]));
			GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(service, "x", 1, 0, list[0]));
			OK(doca_comm_channel_ep_disconnect(service, list[0]));
		}
		/* The service goes on. */
		endpoint *next = client_make(&devices, small);
		address *peer = client_connect_to(next, life.name, service);
		send_text(next, "next", peer);
		expect_text(service, "next");
		OK(doca_comm_channel_ep_destroy(next));
		OK(doca_comm_channel_ep_destroy(service));
		devices_close(&devices);
	}
	CHECK(munmap(progress, sizeof(*progress)) == 0);
}

static int lives_as_service(void *argument)
{
	const struct life *life = argument;
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, life->name, small);
	reached(life, CREATED);
	reached(life, ASKED);
	address **list;
	uint32_t num = 0;
	UNTIL(num == 1, {
		expect_nothing(service);
		OK(doca_comm_channel_ep_update_service_state_info(service));
		OK(doca_comm_channel_ep_get_peer_addr_list(service, &list, &num));
	});
	reached(life, LET_IN);
	send_text(service, "last words", list[0]);
	reached(life, SPOKEN);
	while (doca_comm_channel_ep_sendto(service, "x", 1, 0, list[0]) == DOCA_SUCCESS)
		;
	reached(life, FULL);
	OK(doca_comm_channel_ep_event_handle_arm_send(service));
	OK(doca_comm_channel_ep_event_handle_arm_recv(service));
	reached(life, ARMED);
	return 1;
}

static void a_service_may_be_killed_at_each_step(void **state)
{
	(void)state;
	struct progress *progress = progress_make();
	for (enum step last = CREATED; last < NUM_STEPS; last++) {
		struct life life = {.name = "service-dies", .last = last, .progress = progress};
		atomic_store(&progress->reached, NUM_STEPS);
		struct devices devices;
		devices_open(&devices);
		pid_t child = child_start(lives_as_service, &life);
		endpoint *client = client_make(&devices, small);
		address *peer = NULL;
		doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;
		UNTIL(result == DOCA_SUCCESS, result = doca_comm_channel_ep_connect(client, life.name, &peer));
		int recv = recv_handle(client), send = send_handle(client);
		UNTIL(atomic_load(&progress->reached) == last, (void)doca_comm_channel_peer_addr_update_info(peer));
		result = doca_comm_channel_peer_addr_update_info(peer);
		CHECK(result == (last < LET_IN ? DOCA_ERROR_CONNECTION_INPROGRESS : DOCA_SUCCESS));
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		OK(doca_comm_channel_ep_event_handle_arm_send(client));
		child_kill(child);
		/* A client that connects wakes up, whatever it waits for, and later for what there is. */
		if (last != LET_IN)
			sleep_on(recv);
		sleep_on(send);
		if (last < LET_IN) {
			GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
		} else {
			address *from = NULL;
			CHECK(receive_rest(client, &from) == (last < SPOKEN ? 0 : last == SPOKEN ? 1 : 32));
			OK(doca_comm_channel_peer_addr_update_info(peer));
			GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(client, "x", 1, 0, peer));
			GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
		}
		/* Its name is free, and the client can go to the next one. */
		OK(doca_comm_channel_ep_disconnect(client, peer));
		GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(client, life.name, &peer));
		endpoint *next = service_make(&devices, life.name, small);
		peer = client_connect_to(client, life.name, next);
		send_text(client, "next", peer);
		expect_text(next, "next");
		OK(doca_comm_channel_ep_destroy(client));
		OK(doca_comm_channel_ep_destroy(next));
		devices_close(&devices);
	}
	CHECK(munmap(progress, sizeof(*progress)) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_echo_loses_no_wakeup),
		cmocka_unit_test(a_flood_loses_no_wakeup),
		cmocka_unit_test(two_threads_share_an_endpoint_and_arm_outside_their_lock),
		cmocka_unit_test(a_client_may_be_killed_at_each_step),
		cmocka_unit_test(a_service_may_be_killed_at_each_step),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
