/* A client that speaks the emulator's protocol itself and keeps to none of its rules: it loses its own connection, and
 * harms nobody else's. fuzz/fuzz_channel.c tries more. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fabric.h"
#include "base/wire.h"
#include "channel/channel_memory.h"
#include "harness.h"

#define PLACE "0000:b1:00.0.ep" /* as endpoint_place makes it */

static const struct sizes small = {.message = 300, .send = 16, .recv = 16};

static _Atomic int64_t seconds_ahead;

/* In the place of the C library's, also for the libraries. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	now->tv_sec += seconds_ahead;
	return result;
}

static int descriptors(void)
{
	int open_ones = 0;
	for (int fd = 0; fd < 1024; fd++)
		open_ones += fcntl(fd, F_GETFD) >= 0;
	return open_ones;
}

struct raw {
	int socket, bells;
	uint8_t *shared;
	struct channel_half *own, *other;
	uint64_t tail;
};

static int sealed(void)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK(fd >= 0 && ftruncate(fd, (off_t)CHANNEL_FILE_BYTES) == 0);
	CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	return fd;
}

static void hello_init(struct wire_message *hello, const char *name)
{
	wire_init(hello, WIRE_HELLO);
	hello->max_msg_size = 300;
	hello->send_queue_size = hello->recv_queue_size = 16;
	strcpy(hello->name, name);
}

/* Comes as a client, and is let in. */
static void raw_open(struct raw *raw, const char *name, endpoint *service)
{
	int memory = sealed();
	*raw = (struct raw){.bells = -1};
	raw->shared = mmap(NULL, CHANNEL_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
	CHECK(raw->shared != MAP_FAILED);
	struct channel_control *control = (struct channel_control *)raw->shared;
	raw->own = &control->half[SHM_CLIENT];
	raw->other = &control->half[SHM_SERVER];
	OK(fabric_connect(NULL, PLACE, name, &raw->socket));
	struct wire_message hello, answer;
	hello_init(&hello, name);
	OK(wire_send(raw->socket, &hello, memory));
	close(memory);
	expect_nothing(service);
	OK(wire_receive(raw->socket, &answer, &raw->bells));
	CHECK(answer.kind == WIRE_ACCEPT && raw->bells >= 0);
}

static void raw_close(struct raw *raw)
{
	close(raw->socket);
	if (raw->bells >= 0)
		close(raw->bells);
	CHECK(munmap(raw->shared, CHANNEL_FILE_BYTES) == 0);
}

/* A message by the rules, but with any time of arrival and any length. */
static void raw_send(struct raw *raw, uint32_t len, uint64_t arrival)
{
	uint8_t *ring = raw->shared + CHANNEL_RING_OFFSET(SHM_SERVER);
	uint64_t size = channel_ring_bytes(32, 300), offset = raw->tail % size;
	if (size - offset < channel_record_bytes(100)) {
		*(struct shm_record *)(ring + offset) = (struct shm_record){.len = SHM_RECORD_WRAP};
		raw->tail += size - offset;
		offset = 0;
	}
	*(struct shm_record *)(ring + offset) = (struct shm_record){.len = len, .arrival = arrival};
	raw->tail += channel_record_bytes(100);
	atomic_fetch_add(&raw->own->sent, 1);
	atomic_store(&raw->own->tail, raw->tail);
}

static void expect_reset(endpoint *service)
{
	char bytes[300];
	size_t len = sizeof(bytes);
	address *from = NULL;
	GIVES(DOCA_ERROR_CONNECTION_RESET, receive(service, bytes, &len, &from));
	CHECK(from != NULL);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(service, "x", 1, 0, from));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(from));
	expect_nothing(service);
	OK(doca_comm_channel_ep_disconnect(service, from));
}

/* What a hostile client writes. */
static void garbage_length(struct raw *raw)
{
	raw_send(raw, 301, 0);
	raw->tail += 512; /* all of it is there */
	atomic_store(&raw->own->tail, raw->tail);
}

static void garbage_cut(struct raw *raw)
{
	raw_send(raw, 200, 0); /* it takes more than raw_send says */
}

static void garbage_empty(struct raw *raw)
{
	raw_send(raw, 0, 0);
}

static void garbage_filler(struct raw *raw)
{
	raw_send(raw, SHM_RECORD_WRAP, 0);
}

static void garbage_tail(struct raw *raw)
{
	raw_send(raw, 100, 0);
	atomic_store(&raw->own->tail, channel_ring_bytes(32, 300) + 16);
}

static void garbage_tail_before_head(struct raw *raw)
{
	atomic_store(&raw->own->tail, UINT64_MAX - 15);
}

static void garbage_tail_within_record(struct raw *raw)
{
	raw_send(raw, 100, 0);
	atomic_store(&raw->own->tail, raw->tail + 8);
}

static void what_a_client_writes_breaks_its_own_connection_only(void **state)
{
	(void)state;
	void (*const garbage[])(struct raw *) = {garbage_length,
						 garbage_cut,
						 garbage_empty,
						 garbage_filler,
						 garbage_tail,
						 garbage_tail_before_head,
						 garbage_tail_within_record};
	struct pair pair;
	pair_meet(&pair, "garbage", small, small);
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct raw raw;
		raw_open(&raw, "garbage", pair.service);
		garbage[i](&raw);
		expect_reset(pair.service);
		send_text(pair.client, "still here", pair.of_service);
		CHECK(expect_text(pair.service, "still here") == pair.of_client);
		raw_close(&raw);
	}
	pair_close(&pair);
}

/* What is written near the end of the ring, where an old message stands at the begin of it. */
static void what_does_not_end_with_the_ring_breaks_the_connection(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "end", small, small);
	for (int is_filler = 0; is_filler < 2; is_filler++) {
		struct raw raw;
		raw_open(&raw, "end", pair.service);
		uint64_t size = channel_ring_bytes(32, 300);
		uint8_t *ring = raw.shared + CHANNEL_RING_OFFSET(SHM_SERVER);
		while (raw.tail + channel_record_bytes(100) < size) {
			char bytes[300];
			size_t len = sizeof(bytes);
			address *from;
			raw_send(&raw, 100, 0);
			OK(receive(pair.service, bytes, &len, &from));
		}
		*(struct shm_record *)(ring + raw.tail) = (struct shm_record){.len = is_filler ? SHM_RECORD_WRAP : 300};
		raw.tail += is_filler ? sizeof(struct shm_record) : channel_record_bytes(300);
		atomic_store(&raw.own->tail, raw.tail);
		expect_reset(pair.service);
		raw_close(&raw);
	}
	pair_close(&pair);
}

static void a_head_that_cannot_be_breaks_the_connection(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "head", small, small);
	for (int i = 0; i < 3; i++) {
		struct raw raw;
		raw_open(&raw, "head", pair.service);
		raw_send(&raw, 5, 0);
		char bytes[300];
		size_t len = sizeof(bytes);
		address *from;
		OK(receive(pair.service, bytes, &len, &from));
		atomic_store(i == 0 ? &raw.own->taken : &raw.own->head, i == 2 ? UINT64_MAX : 16);
		GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "x", 1, 0, from));
		OK(doca_comm_channel_ep_disconnect(pair.service, from));
		raw_close(&raw);
	}
	pair_close(&pair);
}

/* It has said that it has taken all messages, and then that it has not. */
static void a_head_that_goes_back_breaks_the_connection(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "back", small, small);
	struct raw raw;
	raw_open(&raw, "back", pair.service);
	char bytes[300] = "";
	size_t len = sizeof(bytes);
	address *from;
	raw_send(&raw, 5, 0);
	OK(receive(pair.service, bytes, &len, &from));
	uint64_t sent = 0;
	do {
		OK(doca_comm_channel_ep_sendto(pair.service, bytes, sizeof(bytes), 0, from));
		/* A little stays in the ring, so that it goes on where it is. */
		atomic_store(&raw.own->head, atomic_load(&raw.other->tail) - channel_record_bytes(300));
		atomic_store(&raw.own->taken, sent++);
	} while (atomic_load(&raw.other->tail) <= channel_ring_bytes(32, 300));
	atomic_store(&raw.own->head, 0);
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(pair.service, "x", 1, 0, from));
	OK(doca_comm_channel_ep_disconnect(pair.service, from));
	raw_close(&raw);
	pair_close(&pair);
}

static void a_client_that_rings_unasked_is_broken(void **state)
{
	(void)state;
	for (int kind = 0; kind < 5; kind++) {
		bool second = kind % 2 == 0, longer = kind >= 2;
		size_t len = kind == 4 ? 0 : longer ? 2 : 1;
		struct pair pair;
		pair_meet(&pair, "rings", small, small);
		int fd = recv_handle(pair.service), send_fd = send_handle(pair.service);
		struct raw raw;
		raw_open(&raw, "rings", pair.service);
		/* Three, where one may come; or one that is none. */
		for (int i = 0; i < (longer ? 1 : 3); i++)
			CHECK(send(second ? raw.bells : raw.socket, "xy", len, MSG_DONTWAIT) == (ssize_t)len);
		/* The descriptor comes to rest all the same. */
		for (int i = 0; i < 5; i++) {
			OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
			OK(doca_comm_channel_ep_event_handle_arm_send(pair.service));
		}
		CHECK(is_readable(fd) && !is_readable(send_fd));
		expect_reset(pair.service);
		OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
		CHECK(!is_readable(fd));
		send_text(pair.client, "still here", pair.of_service);
		CHECK(is_readable(fd));
		expect_text(pair.service, "still here");
		raw_close(&raw);
		pair_close(&pair);
	}
}

/* Its messages always claim to be the oldest, and it never runs out of them. */
static void a_client_that_lies_about_the_time_keeps_nobody_out(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "lies", small, small);
	struct raw raw;
	raw_open(&raw, "lies", pair.service);
	for (int i = 0; i < 20; i++)
		raw_send(&raw, 100, 1);
	send_text(pair.client, "when is it my turn?", pair.of_service);
	int received = 0;
	for (;;) {
		char bytes[300];
		size_t len = sizeof(bytes);
		address *from;
		OK(receive(pair.service, bytes, &len, &from));
		if (from == pair.of_client)
			break;
		raw_send(&raw, 100, 1);
		/* One more than both clients may have sent before it. */
		CHECK(++received <= 65);
	}
	CHECK(received > 20);
	raw_close(&raw);
	pair_close(&pair);
}

static void a_message_from_the_far_future_is_there(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "future", small, small);
	struct raw raw;
	raw_open(&raw, "future", pair.service);
	raw_send(&raw, 100, UINT64_MAX);
	int fd = recv_handle(pair.service);
	OK(doca_comm_channel_ep_event_handle_arm_recv(pair.service));
	CHECK(is_readable(fd));
	char bytes[300];
	size_t len = sizeof(bytes);
	address *from;
	OK(receive(pair.service, bytes, &len, &from));
	raw_close(&raw);
	pair_close(&pair);
}

static void a_ring_begins_with_a_record(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "begin", small, small);
	struct raw raw;
	raw_open(&raw, "begin", pair.service);
	atomic_store(&raw.own->start, 8);
	raw_send(&raw, 100, 0);
	char bytes[300];
	size_t len = sizeof(bytes);
	address *from;
	OK(receive(pair.service, bytes, &len, &from));
	raw_close(&raw);
	pair_close(&pair);
}

static void introductions_that_are_none_fail(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "stranger", small, small);
	int before = descriptors();
	for (int i = 0; i < 10; i++) {
		int socket, memory = i == 0 ? -1 : i == 1 ? open("/dev/zero", O_RDWR | O_CLOEXEC) : sealed();
		OK(fabric_connect(NULL, PLACE, "stranger", &socket));
		struct wire_message hello, answer;
		hello_init(&hello, i == 2 ? "other" : "stranger");
		if (i == 3)
			hello.kind = WIRE_ACCEPT;
		if (i == 4)
			hello.max_msg_size = 65536;
		if (i == 5)
			hello.send_queue_size = 8193;
		if (i == 6)
			hello.recv_queue_size = 0;
		if (i == 7)
			hello.max_msg_size = 0;
		if (i == 8)
			hello.recv_queue_size = 8193;
		if (i == 9)
			hello.send_queue_size = 0;
		OK(wire_send(socket, &hello, memory));
		char bytes[300];
		size_t len = sizeof(bytes);
		address *from;
		/* The service learns that there was somebody, and the stranger that it is not welcome. */
		GIVES(DOCA_ERROR_INITIALIZATION, receive(pair.service, bytes, &len, &from));
		expect_nothing(pair.service);
		int fd = -1;
		doca_error_t result = wire_receive(socket, &answer, &fd);
		CHECK(fd < 0 && (result == DOCA_ERROR_NOT_CONNECTED || answer.kind == WIRE_REJECT));
		close(socket);
		if (memory >= 0)
			close(memory);
		CHECK(descriptors() == before);
	}
	send_text(pair.client, "still here", pair.of_service);
	expect_text(pair.service, "still here");
	pair_close(&pair);
}

/* The sizes next to those that are refused. */
static void introductions_at_the_limits_are_welcome(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "large", small, small);
	for (int i = 0; i < 3; i++) {
		int socket, bells = -1, memory = sealed();
		struct wire_message hello, answer;
		hello_init(&hello, "large");
		if (i == 0)
			hello.max_msg_size = CHANNEL_MAX_MSG_SIZE;
		if (i == 1)
			hello.send_queue_size = CHANNEL_MAX_QUEUE;
		if (i == 2)
			hello.recv_queue_size = CHANNEL_MAX_QUEUE;
		OK(fabric_connect(NULL, PLACE, "large", &socket));
		OK(wire_send(socket, &hello, memory));
		expect_nothing(pair.service);
		OK(wire_receive(socket, &answer, &bells));
		CHECK(answer.kind == WIRE_ACCEPT && bells >= 0);
		close(socket);
		close(bells);
		close(memory);
	}
	pair_close(&pair);
}

/* Whether the other end is closed. */
static bool has_hung_up(int socket)
{
	char byte;
	ssize_t got = recv(socket, &byte, sizeof(byte), MSG_DONTWAIT);
	return got == 0 || (got < 0 && errno == ECONNRESET);
}

static void a_service_that_ends_hangs_up_on_who_has_said_nothing(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "ends", small, small);
	int socket;
	OK(fabric_connect(NULL, PLACE, "ends", &socket));
	expect_nothing(pair.service);
	CHECK(!has_hung_up(socket));
	pair_close(&pair);
	CHECK(has_hung_up(socket));
	close(socket);
}

/* It introduces itself, and does not wait for the answer. */
static void who_has_gone_before_the_answer_is_no_peer(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "gone", small, small);
	int before = descriptors();
	for (int i = 0; i < 3; i++) {
		int socket, memory = sealed();
		struct wire_message hello;
		hello_init(&hello, "gone");
		OK(fabric_connect(NULL, PLACE, "gone", &socket));
		OK(wire_send(socket, &hello, memory));
		close(memory);
		close(socket);
		char bytes[300];
		size_t len = sizeof(bytes);
		address *from;
		GIVES(DOCA_ERROR_INITIALIZATION, receive(pair.service, bytes, &len, &from));
		expect_nothing(pair.service);
		CHECK(descriptors() == before);
	}
	address **peers;
	uint32_t num;
	OK(doca_comm_channel_ep_update_service_state_info(pair.service));
	OK(doca_comm_channel_ep_get_peer_addr_list(pair.service, &peers, &num));
	CHECK(num == 1);
	pair_close(&pair);
}

static void who_says_nothing_is_not_waited_for(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "silent", small, small);
	int socket, fd;
	OK(fabric_connect(NULL, PLACE, "silent", &socket));
	expect_nothing(pair.service);
	struct wire_message answer;
	GIVES(DOCA_ERROR_AGAIN, wire_receive(socket, &answer, &fd));
	seconds_ahead += 6;
	char bytes[300];
	size_t len = sizeof(bytes);
	address *from;
	GIVES(DOCA_ERROR_INITIALIZATION, receive(pair.service, bytes, &len, &from));
	OK(wire_receive(socket, &answer, &fd));
	CHECK(answer.kind == WIRE_REJECT && answer.connection_index == WIRE_REFUSED_LATE);
	close(socket);
	pair_close(&pair);
}

/* More than a service keeps waiting; the others wait with the kernel. */
static void a_crowd_that_says_nothing_is_kept_at_bay(void **state)
{
	(void)state;
	enum { CROWD = 520 };
	struct rlimit before, more;
	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	more = before;
	more.rlim_cur = 3 * CROWD;
	if (setrlimit(RLIMIT_NOFILE, &more) != 0)
		skip();
	struct pair pair;
	pair_meet(&pair, "crowd", small, small);
	int sockets[CROWD];
	for (int i = 0; i < CROWD; i++) {
		OK(fabric_connect(NULL, PLACE, "crowd", &sockets[i]));
		expect_nothing(pair.service);
	}
	send_text(pair.client, "still here", pair.of_service);
	expect_text(pair.service, "still here");
	for (int i = 0; i < CROWD; i++)
		close(sockets[i]);
	pair_close(&pair);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
}

/* ---- another user ---- */

#define MALLORY 61003

/* Introduces itself as a client does. */
static int mallory_is_refused(void *path)
{
	CHECK(setgroups(0, NULL) == 0 && setresgid(MALLORY, MALLORY, MALLORY) == 0 &&
	      setresuid(MALLORY, MALLORY, MALLORY) == 0);
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	snprintf(where.sun_path, sizeof(where.sun_path), "%.107s", (const char *)path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), memory = sealed(), none;
	CHECK(connect(fd, (const struct sockaddr *)&where, sizeof(where)) == 0);
	struct wire_message hello, answer;
	hello_init(&hello, "users");
	OK(wire_send(fd, &hello, memory));
	struct pollfd answered = {.fd = fd, .events = POLLIN};
	CHECK(poll(&answered, 1, 30000) == 1);
	OK(wire_receive(fd, &answer, &none));
	CHECK(answer.kind == WIRE_REJECT && answer.connection_index == WIRE_REFUSED_USER && none < 0);
	return 0;
}

/* Whatever the folder and the socket allow. */
static void a_service_has_no_peer_of_another_user(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	struct pair pair;
	pair_open(&pair, "users", small, small);
	char path[400] = "";
	const char *folder = getenv("DOCA_EMU_DIR");
	DIR *entries = opendir(folder);
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		if (strstr(entry->d_name, ".sock") != NULL)
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
	closedir(entries);
	CHECK(chmod(folder, 0755) == 0 && chmod(path, 0666) == 0);
	pid_t child = child_start(mallory_is_refused, path);
	char bytes[300];
	size_t len;
	address *from;
	doca_error_t result = DOCA_ERROR_AGAIN;
	UNTIL(result != DOCA_ERROR_AGAIN, {
		len = sizeof(bytes);
		result = receive(pair.service, bytes, &len, &from);
	});
	CHECK(result == DOCA_ERROR_INITIALIZATION);
	child_finish(child);
	pair_close(&pair);
}

/* ---- a service that is none ---- */

static void answers_that_are_none_abort_the_connect(void **state)
{
	(void)state;
	struct devices devices;
	devices_open(&devices);
	struct fabric_listener listener;
	OK(fabric_listen(NULL, PLACE, "impostor", &listener));
	endpoint *client = client_make(&devices, small);
	int before = -1; /* once the client has its event channel */
	for (int i = 0; i < 7; i++) {
		address *peer;
		OK(doca_comm_channel_ep_connect(client, "impostor", &peer));
		int recv = recv_handle(client);
		OK(doca_comm_channel_ep_event_handle_arm_recv(client));
		CHECK(!is_readable(recv));
		int other_end = accept4(listener.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), memory = -1;
		struct wire_message hello, answer;
		OK(wire_receive(other_end, &hello, &memory));
		wire_init(&answer, i == 0 ? WIRE_HELLO : WIRE_ACCEPT);
		answer.max_msg_size = i == 1 ? 0 : 300;
		answer.send_queue_size = answer.recv_queue_size = 16;
		/* No descriptor, one that cannot be watched, that would hang up or is of the network, or a message of
		 * another length. */
		int fds[2] = {-1, -1};
		if (i == 6)
			fds[0] = socket(AF_INET, SOCK_DGRAM, 0);
		else
			CHECK(socketpair(AF_UNIX, i == 5 ? SOCK_SEQPACKET : SOCK_DGRAM, 0, fds) == 0);
		if (i == 4)
			CHECK(send(other_end, "", 1, MSG_NOSIGNAL) == 1);
		else
			OK(wire_send(other_end, &answer, i == 2 ? -1 : i == 3 ? memory : fds[0]));
		CHECK(is_readable(recv));
		GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_peer_addr_update_info(peer));
		CHECK(has_hung_up(other_end));
		OK(doca_comm_channel_ep_disconnect(client, peer));
		close(fds[0]);
		if (fds[1] >= 0)
			close(fds[1]);
		close(memory);
		close(other_end);
		CHECK(before < 0 || descriptors() == before);
		before = descriptors();
	}
	fabric_unlisten(&listener);
	OK(doca_comm_channel_ep_destroy(client));
	devices_close(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_client_writes_breaks_its_own_connection_only),
		cmocka_unit_test(what_does_not_end_with_the_ring_breaks_the_connection),
		cmocka_unit_test(a_head_that_cannot_be_breaks_the_connection),
		cmocka_unit_test(a_head_that_goes_back_breaks_the_connection),
		cmocka_unit_test(a_client_that_rings_unasked_is_broken),
		cmocka_unit_test(a_client_that_lies_about_the_time_keeps_nobody_out),
		cmocka_unit_test(a_message_from_the_far_future_is_there),
		cmocka_unit_test(a_ring_begins_with_a_record),
		cmocka_unit_test(introductions_that_are_none_fail),
		cmocka_unit_test(introductions_at_the_limits_are_welcome),
		cmocka_unit_test(who_says_nothing_is_not_waited_for),
		cmocka_unit_test(a_service_that_ends_hangs_up_on_who_has_said_nothing),
		cmocka_unit_test(who_has_gone_before_the_answer_is_no_peer),
		cmocka_unit_test(a_crowd_that_says_nothing_is_kept_at_bay),
		cmocka_unit_test(a_service_has_no_peer_of_another_user),
		cmocka_unit_test(answers_that_are_none_abort_the_connect),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
