/* One service and as many clients as it takes, in several processes: the order of all messages, and nothing lost. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "harness.h"

enum { PROCESSES = 8, PER_PROCESS = 64, CLIENTS = PROCESSES * PER_PROCESS };
/* Two for each connection, and for each client its process's. */
#define DESCRIPTORS 1300

static const struct sizes small = {.message = 256, .send = 16, .recv = 16};

static long messages_of_each(void)
{
	return effort("COMCH4J_TEST_MESSAGES", 20000) / 1000;
}

/* What all processes share. A number is drawn before and after each send: what was sent before another one was begun
 * has a smaller number after it than the other one before. */
struct shared {
	_Atomic uint64_t next;
	_Atomic uint64_t after[]; /* of each message of each client */
};

static struct shared *shared;

struct message {
	uint64_t before;
	uint32_t client, count;
};

static size_t place_of(const struct message *message)
{
	return message->client * (size_t)messages_of_each() + message->count;
}

static int runs_clients(void *argument)
{
	uint32_t first = *(const uint32_t *)argument;
	struct devices devices;
	devices_open(&devices);
	endpoint *clients[PER_PROCESS];
	address *peers[PER_PROCESS];
	for (int i = 0; i < PER_PROCESS; i++) {
		clients[i] = client_make(&devices, small);
		peers[i] = client_connect_to(clients[i], "many", NULL);
	}
	uint32_t counts[PER_PROCESS] = {0};
	for (long left = PER_PROCESS * messages_of_each(); left > 0; sched_yield()) {
		for (uint32_t i = 0; i < PER_PROCESS; i++) {
			if (counts[i] == messages_of_each())
				continue;
			struct message message = {.client = first + i, .count = counts[i]};
			message.before = atomic_fetch_add(&shared->next, 1);
			doca_error_t result =
				doca_comm_channel_ep_sendto(clients[i], &message, sizeof(message), 0, peers[i]);
			CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
			if (result == DOCA_SUCCESS) {
				atomic_store(&shared->after[place_of(&message)], atomic_fetch_add(&shared->next, 1));
				counts[i]++;
				left--;
			}
			CHECK(in_flight_to(peers[i]) <= small.send);
		}
	}
	for (int i = 0; i < PER_PROCESS; i++) {
		/* A disconnect waits for a second only, in which a slow service does not receive all. */
		UNTIL(in_flight_to(peers[i]) == 0, sched_yield());
		OK(doca_comm_channel_ep_destroy(clients[i]));
	}
	devices_close(&devices);
	return 0;
}

static void messages_of_512_clients_arrive_once_and_in_the_order_of_their_sends(void **state)
{
	(void)state;
	struct rlimit limit;
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	if (limit.rlim_max < DESCRIPTORS)
		skip();
	limit.rlim_cur = limit.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	size_t total = CLIENTS * (size_t)messages_of_each();
	size_t bytes = sizeof(*shared) + total * sizeof(shared->after[0]);
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	struct message *order = calloc(total, sizeof(*order));
	CHECK(order != NULL);
	pid_t children[PROCESSES];
	uint32_t firsts[PROCESSES];
	for (uint32_t i = 0; i < PROCESSES; i++) {
		firsts[i] = i * PER_PROCESS;
		children[i] = child_start(runs_clients, &firsts[i]);
	}
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "many", small);
	uint32_t counts[CLIENTS] = {0};
	address *peers[CLIENTS] = {NULL};
	for (size_t received = 0; received < total;) {
		struct message message;
		size_t len = sizeof(message);
		address *from;
		doca_error_t result = receive(service, &message, &len, &from);
		if (result == DOCA_ERROR_AGAIN) {
			OK(doca_comm_channel_ep_event_handle_arm_recv(service));
			sleep_on(recv_handle(service));
			continue;
		}
		OK(result);
		CHECK(len == sizeof(message) && message.client < CLIENTS);
		CHECK(message.count == counts[message.client]++);
		CHECK(peers[message.client] == NULL || peers[message.client] == from);
		peers[message.client] = from;
		order[received++] = message;
	}
	expect_nothing(service);
	for (int i = 0; i < PROCESSES; i++)
		child_finish(children[i]);
	uint64_t latest = 0;
	for (size_t i = 0; i < total; i++) {
		CHECK(atomic_load(&shared->after[place_of(&order[i])]) >= latest);
		latest = order[i].before > latest ? order[i].before : latest;
	}
	free(order);
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
	CHECK(munmap(shared, bytes) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_512_clients_arrive_once_and_in_the_order_of_their_sends),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
