/* A client and a server that speak Comch's protocol with an endpoint, and keep to none of its rules (hostile.c). */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fabric.h"
#include "base/shm_map.h"
#include "base/wire.h"
#include "channel/channel_memory.h"
#include "harness.h"

#define PLACE "0000:b1:00.0" /* of Comch's servers */
#define RING_BYTES SHM_PAGE

static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

static int descriptors(void)
{
	int open_ones = 0;
	for (int fd = 0; fd < 1024; fd++)
		open_ones += fcntl(fd, F_GETFD) >= 0;
	return open_ones;
}

static int sealed(uint64_t bytes)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
	CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	return fd;
}

static void message_init(struct wire_message *message, enum wire_kind kind, const char *name)
{
	wire_init(message, kind);
	message->max_msg_size = 300;
	message->recv_queue_size = 16;
	message->ring_bytes = RING_BYTES;
	strcpy(message->name, name);
}

struct raw {
	int socket;
	struct shm_control *control;
	uint8_t *ring; /* towards the service */
};

/* Comes as a client of Comch, and is let in. */
static void raw_open(struct raw *raw, const char *name, endpoint *service)
{
	int memory = sealed(SHM_TOTAL_BYTES), doorbells = -1;
	raw->control = mmap(NULL, SHM_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	raw->ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, SHM_RING_OFFSET(SHM_SERVER));
	CHECK(raw->control != MAP_FAILED && raw->ring != MAP_FAILED);
	OK(fabric_connect(NULL, PLACE, name, &raw->socket));
	struct wire_message hello, answer;
	message_init(&hello, WIRE_HELLO, name);
	OK(wire_send(raw->socket, &hello, memory));
	close(memory);
	expect_nothing(service);
	OK(wire_receive(raw->socket, &answer, &doorbells));
	CHECK(answer.kind == WIRE_ACCEPT && doorbells >= 0 && answer.ring_bytes == RING_BYTES);
	close(doorbells);
}

static void raw_close(struct raw *raw)
{
	close(raw->socket);
	CHECK(munmap(raw->control, SHM_CONTROL_BYTES) == 0 && munmap(raw->ring, RING_BYTES) == 0);
}

static void expect_reset(endpoint *service)
{
	char bytes[300];
	size_t len = sizeof(bytes);
	address *from = NULL;
	GIVES(DOCA_ERROR_CONNECTION_RESET, receive(service, bytes, &len, &from));
	OK(doca_comm_channel_ep_disconnect(service, from));
	expect_nothing(service);
}

static void what_a_client_of_comch_writes_breaks_its_own_connection_only(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "garbage", small, small);
	for (int i = 0; i < 2; i++) {
		struct raw raw;
		raw_open(&raw, "garbage", pair.service);
		*(struct shm_record *)raw.ring = (struct shm_record){.len = i == 0 ? 301 : 0};
		atomic_store(&raw.control->half[SHM_CLIENT].ring_tail, 512);
		expect_reset(pair.service);
		send_text(pair.client, "still here", pair.of_service);
		CHECK(expect_text(pair.service, "still here") == pair.of_client);
		raw_close(&raw);
	}
	pair_close(&pair);
}

/* Wake-ups of both kinds come over one socket: as many as words were cleared, and no more. */
static void a_client_of_comch_that_rings_unasked_is_broken(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct pair pair;
		pair_meet(&pair, "rings", small, small);
		struct raw raw;
		raw_open(&raw, "rings", pair.service);
		int fd = recv_handle(pair.service), send_fd = send_handle(pair.service);
		OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
		OK(doca_comm_channel_ep_event_handle_arm_send(pair.service));
		CHECK(!is_readable(fd) && !is_readable(send_fd));
		size_t len = kind == 0 ? 1 : kind == 1 ? 2 : 0;
		if (kind == 1)
			CHECK(atomic_exchange(&raw.control->half[SHM_SERVER].asleep_for_events, 0) == 1);
		CHECK(send(raw.socket, "xy", len, MSG_DONTWAIT) == (ssize_t)len);
		for (int i = 0; i < 3; i++) {
			OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
			OK(doca_comm_channel_ep_event_handle_arm_send(pair.service));
		}
		if (kind < 2)
			expect_reset(pair.service); /* an empty packet is the end of a socket */
		OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
		CHECK(!is_readable(fd));
		send_text(pair.client, "still here", pair.of_service);
		CHECK(is_readable(fd));
		expect_text(pair.service, "still here");
		raw_close(&raw);
		pair_close(&pair);
	}
}

/* Which of both event channels reads it first does not matter. */
static void a_wakeup_of_a_client_of_comch_finds_its_event_channel(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "finds", small);
	struct raw raw;
	raw_open(&raw, "finds", service);
	int fd = recv_handle(service), send_fd = send_handle(service);
	for (int round = 0; round < 100; round++) {
		bool for_send = round % 2 == 0;
		OK(doca_comm_channel_ep_event_handle_arm_recv(service));
		OK(doca_comm_channel_ep_event_handle_arm_send(service));
		CHECK(!is_readable(fd) && !is_readable(send_fd));
		struct shm_half *half = &raw.control->half[SHM_SERVER];
		CHECK(atomic_exchange(for_send ? &half->asleep_for_room : &half->asleep_for_events, 0) == 1);
		CHECK(send(raw.socket, "x", 1, MSG_DONTWAIT) == 1);
		/* Of the other kind. */
		OK(for_send ? doca_comm_channel_ep_event_handle_arm_recv(service)
			    : doca_comm_channel_ep_event_handle_arm_send(service));
		CHECK(is_readable(for_send ? send_fd : fd) && !is_readable(for_send ? fd : send_fd));
	}
	expect_nothing(service);
	raw_close(&raw);
	OK(doca_comm_channel_ep_destroy(service));
	devices_close(&devices);
}

static void introductions_of_comch_that_are_none_fail(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "stranger", small, small);
	int before = -1; /* once the service has doorbells */
	for (int i = 0; i < 6; i++) {
		int socket, fd = -1, memory = sealed(i == 1 ? CHANNEL_FILE_BYTES : SHM_TOTAL_BYTES);
		OK(fabric_connect(NULL, PLACE, "stranger", &socket));
		struct wire_message hello, answer;
		message_init(&hello, WIRE_HELLO, "stranger");
		if (i == 0)
			hello.ring_bytes = SHM_RING_MAX_BYTES;
		if (i == 2)
			hello.ring_bytes = 2 * SHM_RING_MAX_BYTES;
		if (i == 3)
			hello.ring_bytes = 3 * SHM_PAGE;
		if (i == 4)
			hello.max_msg_size = 0;
		if (i == 5)
			hello.recv_queue_size = 0;
		OK(wire_send(socket, &hello, memory));
		char bytes[300];
		size_t len = sizeof(bytes);
		address *from;
		GIVES(i == 0 ? DOCA_ERROR_AGAIN : DOCA_ERROR_INITIALIZATION, receive(pair.service, bytes, &len, &from));
		expect_nothing(pair.service);
		doca_error_t result = wire_receive(socket, &answer, &fd);
		CHECK(i == 0 ? fd >= 0 : fd < 0 && (result == DOCA_ERROR_NOT_CONNECTED || answer.kind == WIRE_REJECT));
		if (fd >= 0)
			close(fd);
		close(socket);
		close(memory);
		CHECK(before < 0 || descriptors() == before);
		before = descriptors();
	}
	send_text(pair.client, "still here", pair.of_service);
	expect_text(pair.service, "still here");
	pair_close(&pair);
}

static void answers_of_comch_that_are_none_abort_the_connect(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	struct fabric_listener listener;
	OK(fabric_listen(NULL, PLACE, "impostor", &listener));
	endpoint *client = client_make(&devices, small);
	int before = descriptors();
	for (int i = 0; i < 6; i++) {
		address *peer;
		OK(doca_comm_channel_ep_connect(client, "impostor", &peer));
		int other_end = accept4(listener.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), memory = -1;
		struct wire_message hello, answer;
		OK(wire_receive(other_end, &hello, &memory));
		int doorbells = sealed(i == 4 ? 2 * SHM_PAGE : SHM_PAGE);
		message_init(&answer, i == 1 ? WIRE_HELLO : WIRE_ACCEPT, "");
		answer.connection_index = i == 2 ? SHM_DOORBELLS : SHM_DOORBELLS - 1;
		if (i == 5)
			answer.ring_bytes = 3 * SHM_PAGE;
		OK(wire_send(other_end, &answer, i == 3 ? -1 : doorbells));
		GIVES(i == 0 ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED,
		      doca_comm_channel_peer_addr_update_info(peer));
		OK(doca_comm_channel_ep_disconnect(client, peer));
		close(doorbells);
		close(memory);
		close(other_end);
		CHECK(descriptors() == before);
	}
	fabric_unlisten(&listener);
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_client_of_comch_writes_breaks_its_own_connection_only),
		cmocka_unit_test(a_client_of_comch_that_rings_unasked_is_broken),
		cmocka_unit_test(a_wakeup_of_a_client_of_comch_finds_its_event_channel),
		cmocka_unit_test(introductions_of_comch_that_are_none_fail),
		cmocka_unit_test(answers_of_comch_that_are_none_abort_the_connect),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
