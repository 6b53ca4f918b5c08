/* A peer that breaks the protocol: raw clients and servers that write what they like. The emulator's own files for the
 * handshake and the shared memory are part of this program, so that it can speak before it lies. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fabric.h"
#include "base/shm_map.h"
#include "base/wire.h"
#include "doca_emu.h"
#include "harness.h"
#include "logged.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

#define PCI "0000:b1:00.0"
#define NAME "hostile"

#define QUEUE 64
#define MESSAGE_BYTES 4080
#define RING_BYTES (UINT64_C(512) << 10)

/* ---- the time ---- */

static bool time_flies;

/* In the place of the C library's, also for the libraries. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static _Atomic int64_t seconds_ahead;
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	now->tv_sec += time_flies ? ++seconds_ahead : seconds_ahead;
	return result;
}

/* ---- the raw client ---- */

struct raw {
	int socket;
	struct shm_map *map;
	struct shm_doorbell_map *bells;
	uint32_t index;
	struct shm_half *own, *peer;
	uint8_t *to_server;
	uint64_t to_server_bytes;
};

static void hello_init(struct wire_message *hello)
{
	wire_init(hello, WIRE_HELLO);
	hello->max_msg_size = MESSAGE_BYTES;
	hello->recv_queue_size = QUEUE;
	hello->ring_bytes = RING_BYTES;
	strcpy(hello->name, NAME);
}

static void raw_accepted(struct raw *raw)
{
	struct wire_message answer;
	int bells;
	OK(wire_receive(raw->socket, &answer, &bells));
	CHECK(answer.kind == WIRE_ACCEPT && bells >= 0);
	OK(shm_doorbells_attach(bells, &raw->bells));
	raw->index = answer.connection_index;
	raw->to_server_bytes = answer.ring_bytes;
	OK(shm_map_ring(raw->map, SHM_SERVER, answer.ring_bytes));
	OK(shm_map_ring(raw->map, SHM_CLIENT, RING_BYTES));
	raw->to_server = raw->map->rings[SHM_SERVER];
	raw->own = &shm_map_control(raw->map)->half[SHM_CLIENT];
	raw->peer = &shm_map_control(raw->map)->half[SHM_SERVER];
}

/* The raw client does not prove that it is the process that its socket says. */
static bool without_proof;

static void raw_knock(struct raw *raw)
{
	struct wire_message hello;
	hello_init(&hello);
	if (without_proof)
		hello.cookie[0] ^= 1;
	*raw = (struct raw){.socket = -1};
	OK(shm_create(&raw->map));
	OK(fabric_connect(NULL, PCI, NAME, &raw->socket));
	OK(wire_send(raw->socket, &hello, raw->map->base.fd));
}

static void raw_connect(struct raw *raw, struct end *server)
{
	raw_knock(raw);
	server->connection = NULL;
	UNTIL(server->connection != NULL, server->pe);
	raw_accepted(raw);
}

static void raw_ring(struct raw *raw)
{
	shm_doorbell_set(shm_doorbells_of(raw->bells), raw->index);
}

static void raw_close(struct raw *raw)
{
	close(raw->socket);
	shm_doorbells_release(raw->bells);
	shm_release(raw->map);
}

/* ---- the server under attack ---- */

static struct devices devices;
static struct end server;
static struct memory memory;

/* Guards stand around the buffer that a consumer posts. */
#define BUF_OFFSET 4096
#define BUF_BYTES 5000

static int log_up(void **state)
{
	log_keep();
	return fabric_up(state);
}

static int server_up(void **state)
{
	(void)state;
	log_forget();
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	OK(doca_ctx_start(server.ctx));
	memory_open(&memory, 16384, 64, devices.dpu, RW);
	memset(memory.bytes, 0xab, memory.size);
	return 0;
}

static int server_down(void **state)
{
	(void)state;
	/* Whatever happened, an honest client is served. */
	struct end client;
	client_make(&client, &devices, NAME, NULL);
	(void)doca_ctx_start(client.ctx);
	server.connection = NULL;
	UNTIL(state_of(client.ctx) == RUNNING && server.connection != NULL, client.pe, server.pe);
	record_clear(&server.record);
	send_text(&client, client.connection, "honest");
	UNTIL(count_of(&server.record, MESSAGE) == 1, client.pe, server.pe);
	(void)doca_ctx_stop(client.ctx);
	UNTIL(state_of(client.ctx) == IDLE && count_of(&server.record, DISCONNECTED) == 1, client.pe, server.pe);
	end_destroy(&client);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	for (size_t i = 0; i < memory.size; i++)
		if (i < BUF_OFFSET || i >= BUF_OFFSET + BUF_BYTES)
			CHECK(memory.bytes[i] == 0xab);
	memory_close(&memory);
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

/* By the check that says so. */
static void expect_thrown_out(struct raw *raw, const char *check)
{
	char line[128];
	snprintf(line, sizeof(line), "a peer broke the protocol (%s): connection ended", check);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1 || count_of(&server.record, MESSAGE) > 0, server.pe);
	assert_int_equal(nth(&server.record, DISCONNECTED, 0)->a, 0);
	expect_logged(line);
	log_forget();
	raw_close(raw);
	record_clear(&server.record);
}

/* ---- handshake ---- */

/* Sends `bytes` and `num_fds` descriptors; the server must answer with a refusal or hang up, and report nothing. */
static void knock_with(const void *bytes, size_t len, const int *fds, size_t num_fds)
{
	int socket;
	OK(fabric_connect(NULL, PCI, NAME, &socket));
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (num_fds > 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
		struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(num_fds * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, num_fds * sizeof(int));
	}
	CHECK(sendmsg(socket, &header, MSG_NOSIGNAL) == (ssize_t)len);
	int64_t deadline = harness_deadline();
	for (;;) {
		struct wire_message answer;
		int fd;
		doca_error_t result = wire_receive(socket, &answer, &fd);
		CHECK(fd < 0);
		if (result == DOCA_ERROR_NOT_CONNECTED || (result == DOCA_SUCCESS && answer.kind == WIRE_REJECT))
			break;
		CHECK(result == DOCA_ERROR_AGAIN);
		harness_in_time(deadline, __FILE__, __LINE__, "the server refuses");
		drive(server.pe);
	}
	close(socket);
	settle(server.pe, NULL);
	assert_int_equal(server.record.num, 1); /* RUNNING */
}

static int descriptors(void)
{
	int open_ones = 0;
	for (int fd = 0; fd < 1024; fd++)
		open_ones += fcntl(fd, F_GETFD) >= 0;
	return open_ones;
}

static void a_garbage_greeting_is_refused(void **state)
{
	(void)state;
	int before = descriptors();
	struct shm_map *map;
	OK(shm_create(&map));
	int fds[8];
	for (size_t i = 0; i < 8; i++)
		fds[i] = map->base.fd;
	uint8_t noise[1000];
	fill(noise, sizeof(noise), 1);
	static const size_t lens[] = {1,
				      16,
				      sizeof(struct wire_message) - 1,
				      sizeof(struct wire_message),
				      sizeof(struct wire_message) + 1,
				      sizeof(noise)};
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		knock_with(noise, lens[i], NULL, 0);
		knock_with(noise, lens[i], fds, 1);
	}
	struct wire_message good, bad;
	hello_init(&good);
	bad = good;
	bad.magic++;
	knock_with(&bad, sizeof(bad), fds, 1);
	bad = good;
	bad.version++;
	knock_with(&bad, sizeof(bad), fds, 1);
	log_forget();
	/* What it says beyond its first words is not looked at. */
	knock_with(&bad, offsetof(struct wire_message, kind), fds, 1);
	UNTIL(times_logged("client and server do not understand each other's handshake") == 1, server.pe);
	bad = good;
	struct {
		struct wire_message message;
		char more;
	} longer = {.message = good};
	knock_with(&longer, sizeof(good) + 1, fds, 1);
	knock_with(&good, sizeof(good) - 1, fds, 1);
	bad.kind = WIRE_ACCEPT;
	knock_with(&bad, sizeof(bad), fds, 1);
	bad = good;
	strcpy(bad.name, "another");
	knock_with(&bad, sizeof(bad), fds, 1);
	bad = good;
	memset(bad.name, 'x', sizeof(bad.name));
	knock_with(&bad, sizeof(bad), fds, 1);
	bad = good;
	bad.max_msg_size = 0;
	knock_with(&bad, sizeof(bad), fds, 1);
	bad = good;
	bad.recv_queue_size = 0;
	knock_with(&bad, sizeof(bad), fds, 1);
	static const uint64_t rings[] = {
		0,         1, 4095, 4096, SHM_PAGE, SHM_PAGE + 1, RING_BYTES + 1, UINT64_C(1) << 27, UINT64_C(1) << 63,
		UINT64_MAX};
	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
		bad = good;
		bad.recv_queue_size = UINT32_MAX;
		bad.ring_bytes = rings[i];
		knock_with(&bad, sizeof(bad), fds, 1);
		if (rings[i] != SHM_PAGE) {
			bad.recv_queue_size = 100;
			knock_with(&bad, sizeof(bad), fds, 1);
		}
	}
	/* No memory, or more descriptors than anybody asked for. */
	knock_with(&good, sizeof(good), NULL, 0);
	knock_with(&good, sizeof(good), fds, 8);
	shm_release(map);
	assert_int_equal(descriptors(), before);
}

static void memory_that_could_vanish_is_refused(void **state)
{
	(void)state;
	int before = descriptors();
	struct wire_message hello;
	hello_init(&hello);
	static const struct {
		uint64_t bytes;
		unsigned seals;
	} kinds[] = {
		{SHM_TOTAL_BYTES, 0},
		{SHM_TOTAL_BYTES, F_SEAL_SHRINK},
		{SHM_TOTAL_BYTES, F_SEAL_GROW},
		{SHM_TOTAL_BYTES, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE},
		{SHM_TOTAL_BYTES - 1, F_SEAL_SHRINK | F_SEAL_GROW},
		{SHM_TOTAL_BYTES + 4096, F_SEAL_SHRINK | F_SEAL_GROW},
		{0, F_SEAL_SHRINK | F_SEAL_GROW},
		{4096, F_SEAL_SHRINK | F_SEAL_GROW},
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int fd = memfd_create("bad", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		CHECK(fd >= 0 && ftruncate(fd, (off_t)kinds[i].bytes) == 0);
		CHECK(fcntl(fd, F_ADD_SEALS, (int)kinds[i].seals) == 0);
		knock_with(&hello, sizeof(hello), &fd, 1);
		close(fd);
	}
	/* Pages that may not be there at the first touch, and a file that cannot be sealed; where they can be had. */
	int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB),
	    plain = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (huge >= 0 && ftruncate(huge, (off_t)SHM_TOTAL_BYTES) == 0 &&
	    fcntl(huge, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
		knock_with(&hello, sizeof(hello), &huge, 1);
	if (plain >= 0 && ftruncate(plain, (off_t)SHM_TOTAL_BYTES) == 0)
		knock_with(&hello, sizeof(hello), &plain, 1);
	close(huge);
	close(plain);
	int pipes[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), folder = open("/", O_RDONLY | O_CLOEXEC);
	CHECK(pipe(pipes) == 0 && file >= 0 && folder >= 0);
	knock_with(&hello, sizeof(hello), &pipes[1], 1);
	knock_with(&hello, sizeof(hello), &file, 1);
	knock_with(&hello, sizeof(hello), &folder, 1);
	close(pipes[0]);
	close(pipes[1]);
	close(file);
	close(folder);
	assert_int_equal(descriptors(), before);
}

static void clients_that_say_nothing_do_not_keep_others_waiting(void **state)
{
	(void)state;
	int sockets[30];
	int before = descriptors();
	for (size_t i = 0; i < 30; i++)
		OK(fabric_connect(NULL, PCI, NAME, &sockets[i]));
	struct raw raw;
	raw_connect(&raw, &server);
	for (size_t i = 0; i < 30; i++)
		close(sockets[i]);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	settle(server.pe, NULL);
	assert_int_equal(descriptors(), before);
}

static void talking_after_the_handshake_ends_the_connection(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	CHECK(send(raw.socket, "more", 4, MSG_NOSIGNAL) == 4);
	expect_thrown_out(&raw, "unexpected packet");
}

static void the_same_memory_twice_harms_nobody_else(void **state)
{
	(void)state;
	struct raw first, second;
	int before = descriptors();
	raw_connect(&first, &server);
	struct doca_comch_connection *one = server.connection;
	struct wire_message hello;
	hello_init(&hello);
	/* The parts of the memory are where they have been. */
	struct wire_message otherwise = hello, answer;
	int fd;
	doca_error_t result;
	otherwise.ring_bytes = 2 * RING_BYTES;
	OK(fabric_connect(NULL, PCI, NAME, &second.socket));
	OK(wire_send(second.socket, &otherwise, first.map->base.fd));
	UNTIL((result = wire_receive(second.socket, &answer, &fd)) != DOCA_ERROR_AGAIN, server.pe);
	CHECK(result == DOCA_SUCCESS && answer.kind == WIRE_REJECT);
	close(second.socket);
	second = (struct raw){.map = first.map};
	OK(fabric_connect(NULL, PCI, NAME, &second.socket));
	OK(wire_send(second.socket, &hello, first.map->base.fd));
	settle(server.pe, NULL);
	for (int i = 0; i < 100; i++) {
		struct doca_comch_task_send *task;
		struct doca_comch_connection *to = i % 2 == 0 ? one : server.connection;
		if (alloc_send(&server, to, "mixed", 5, &task) == DOCA_SUCCESS &&
		    doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
			doca_task_free(doca_comch_task_send_as_task(task));
		drive(server.pe);
	}
	close(second.socket);
	raw_close(&first);
	UNTIL(count_of(&server.record, DISCONNECTED) == count_of(&server.record, CONNECTED), server.pe);
	assert_int_equal(descriptors(), before);
}

static uint64_t an_hour_later(void)
{
	struct timespec now;
	CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (uint64_t)(now.tv_sec + 3600) * 1000000000;
}

static void put_record(struct raw *raw, uint64_t offset, uint32_t len)
{
	*(struct shm_record *)(raw->to_server + offset) = (struct shm_record){.len = len};
}

/* ---- wake-ups ---- */

/* Sleeps on the server's engine until it is woken, and progresses it while there is something to do. */
static void server_sleeps_once(void)
{
	harness_sleep(server.pe);
	while (drive(server.pe))
		;
}

static void honest_client(struct end *client)
{
	client_make(client, &devices, NAME, NULL);
	(void)doca_ctx_start(client->ctx);
	UNTIL(state_of(client->ctx) == RUNNING, client->pe, server.pe);
}

static void honest_client_ends(struct end *client)
{
	(void)doca_ctx_stop(client->ctx);
	UNTIL(state_of(client->ctx) == IDLE, client->pe, server.pe);
	end_destroy(client);
}

/* A client that rings without end, and takes back everybody's doorbells, does not keep the server from hearing others.
 */
static void wake_ups_without_end_do_not_drown_others(void **state)
{
	(void)state;
	struct raw raw;
	struct end client;
	raw_connect(&raw, &server);
	honest_client(&client);
	harness_sleep_for_ever();
	unsigned rings = 0;
	for (size_t i = 1; i <= 50; i++) {
		while (send(raw.socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
			rings++;
		send_text(&client, client.connection, "honest");
		for (uint32_t word = 0; word < SHM_DOORBELL_WORDS; word++)
			atomic_store(&shm_doorbells_of(raw.bells)->words[word], 0);
		while (count_of(&server.record, MESSAGE) < i)
			server_sleeps_once();
	}
	/* The flood is over when it ends, and the server sleeps. */
	CHECK(rings > 100);
	struct pollfd handle = {.fd = handle_of(server.pe), .events = POLLIN};
	int64_t deadline = harness_deadline();
	for (OK(doca_pe_request_notification(server.pe)); poll(&handle, 1, 0) > 0;
	     OK(doca_pe_request_notification(server.pe))) {
		OK(doca_pe_clear_notification(server.pe, 0));
		while (drive(server.pe))
			;
		harness_in_time(deadline, __FILE__, __LINE__, "the server sleeps");
	}
	/* In its sleep it hears an honest client, whose doorbell is taken back, too. */
	send_text(&client, client.connection, "honest");
	for (uint32_t word = 0; word < SHM_DOORBELL_WORDS; word++)
		atomic_store(&shm_doorbells_of(raw.bells)->words[word], 0);
	CHECK(poll(&handle, 1, 30000) == 1);
	OK(doca_pe_clear_notification(server.pe, 0));
	while (count_of(&server.record, MESSAGE) < 51)
		if (!drive(server.pe))
			server_sleeps_once();
	honest_client_ends(&client);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 2, server.pe);
}

/* A client that always says that it sleeps, and reads no wake-up, is not waited for. */
static void a_sleeper_that_never_wakes_up_holds_nobody_up(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	for (int i = 0; i < 5000; i++) {
		atomic_store(&raw.own->asleep_for_events, 1);
		atomic_store(&raw.own->asleep_for_room, 1);
		atomic_store(&raw.own->asleep_for_transfers, 1);
		send_text(&server, server.connection, "wake up");
		UNTIL(inflight(server.ctx) == 0, server.pe);
		/* It takes the message. */
		atomic_store(&raw.own->ring_head, atomic_load(&raw.peer->ring_tail));
		atomic_store(&raw.own->ring_head_msgs, (uint64_t)i + 1);
	}
	struct end client;
	honest_client(&client);
	send_text(&client, client.connection, "honest");
	UNTIL(count_of(&server.record, MESSAGE) == 1, client.pe, server.pe);
	honest_client_ends(&client);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 2, server.pe);
}

/* One that never sends a wake-up is heard late, and when it lets the server's word look as if nobody slept, too. */
static void who_sends_no_wake_up_is_heard_all_the_same(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	OK(doca_pe_request_notification(server.pe));
	atomic_store(&raw.peer->asleep_for_events, 0);
	put_record(&raw, 0, 5);
	atomic_store(&raw.own->ring_tail, 32);
	raw_ring(&raw);
	struct pollfd handle = {.fd = handle_of(server.pe), .events = POLLIN};
	CHECK(poll(&handle, 1, 30000) == 1);
	OK(doca_pe_clear_notification(server.pe, 0));
	UNTIL(count_of(&server.record, MESSAGE) == 1, server.pe);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

/* ---- message rings ---- */

static void an_impossible_ring_tail_ends_the_connection(void **state)
{
	(void)state;
	static const uint64_t tails[] = {1, 15, 17, RING_BYTES + 16, UINT64_C(1) << 40, UINT64_MAX, UINT64_MAX - 15};
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		struct raw raw;
		raw_connect(&raw, &server);
		CHECK(raw.to_server_bytes == RING_BYTES);
		put_record(&raw, 0, 1);
		atomic_store(&raw.own->ring_tail, tails[i]);
		raw_ring(&raw);
		expect_thrown_out(&raw, "ring tail");
	}
}

/* Has messages received so that the next one begins `left` bytes before the end of the ring; returns where. */
static uint64_t send_until_the_end(struct raw *raw, uint64_t left)
{
	const uint64_t step = 4096, end = raw->to_server_bytes - left;
	uint64_t tail = 0;
	size_t messages = 0;
	record_clear(&server.record);
	while (tail < end) {
		uint64_t bytes = end - tail < 2 * step ? end - tail : step;
		/* What is left is sent as two messages where one would be too long. */
		if (bytes > step)
			bytes = bytes / 2 / SHM_RECORD_ALIGN * SHM_RECORD_ALIGN;
		put_record(raw, tail, (uint32_t)(bytes - sizeof(struct shm_record)));
		tail += bytes;
		messages++;
	}
	atomic_store(&raw->own->ring_tail, tail);
	raw_ring(raw);
	UNTIL(count_of(&server.record, MESSAGE) == messages, server.pe);
	record_clear(&server.record);
	return tail;
}

static void an_impossible_record_ends_the_connection(void **state)
{
	(void)state;
	static const struct {
		uint64_t left; /* of the ring, or all of it */
		uint32_t len;
		uint64_t available;
		const char *check;
	} records[] = {
		{0, 0, 32, "message length"},                   /* empty */
		{0, MESSAGE_BYTES + 1, 8192, "message length"}, /* longer than agreed */
		{0, UINT32_MAX - 1, 8192, "message length"},
		{0, UINT32_MAX - 30, 8192, "message length"}, /* overflows when rounded up */
		{0, 100, 32, "message without its end"},      /* longer than what is there */
		{0, 17, 32, "message without its end"},
		{48, MESSAGE_BYTES, 48, "message without its end"},
		{0, SHM_RECORD_WRAP, RING_BYTES, "filler"}, /* at the start of a lap */
		{48, SHM_RECORD_WRAP, 32, "filler"},        /* longer than what is there */
		{48, 33, 64, "message over the end of the ring"},
		{16, 1, 32, "message over the end of the ring"},
		{48, MESSAGE_BYTES, 8192, "message over the end of the ring"},
	};
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		struct raw raw;
		raw_connect(&raw, &server);
		uint64_t at = records[i].left == 0 ? 0 : send_until_the_end(&raw, records[i].left);
		put_record(&raw, at, records[i].len);
		atomic_store(&raw.own->ring_tail, at + records[i].available);
		raw_ring(&raw);
		expect_thrown_out(&raw, records[i].check);
	}
}

static void a_ring_begins_with_a_record(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	put_record(&raw, 0, 5);
	atomic_store(&raw.own->ring_start, 8);
	atomic_store(&raw.own->ring_tail, 32);
	raw_ring(&raw);
	settle(server.pe, NULL);
	assert_int_equal(count_of(&server.record, MESSAGE), 1);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

/* A message that says that it will be there next year is there now. */
static void a_message_does_not_travel_for_ever(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	for (uint64_t i = 0; i < 2; i++) {
		put_record(&raw, 32 * i, 5);
		((struct shm_record *)(raw.to_server + 32 * i))->arrival = i == 0 ? UINT64_MAX : an_hour_later();
	}
	atomic_store(&raw.own->ring_tail, 64);
	raw_ring(&raw);
	settle(server.pe, NULL);
	assert_int_equal(count_of(&server.record, MESSAGE), 2);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

static void an_impossible_ring_head_ends_the_connection(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct raw raw;
		raw_connect(&raw, &server);
		send_text(&server, server.connection, "one");
		atomic_store(&raw.own->ring_head, i == 0 ? 4096 : i == 1 ? UINT64_MAX : 0);
		atomic_store(&raw.own->ring_head_msgs, i == 2 ? 2 : i == 3 ? UINT64_MAX : 1);
		struct doca_comch_task_send *task;
		OK(alloc_send(&server, server.connection, "two", 3, &task));
		doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));
		assert_int_equal(result, DOCA_ERROR_NOT_CONNECTED);
		doca_task_free(doca_comch_task_send_as_task(task));
		expect_thrown_out(&raw, "ring head");
	}
}

/* It has said that it has taken all messages, and then that it has not. */
static void a_ring_head_that_goes_back_ends_the_connection(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	uint8_t long_message[MESSAGE_BYTES] = {0};
	uint64_t sent = 0;
	struct doca_comch_task_send *task;
	while (atomic_load(&raw.peer->ring_tail) <= RING_BYTES) {
		send_bytes(&server, server.connection, long_message, MESSAGE_BYTES);
		UNTIL(inflight(server.ctx) == 0, server.pe);
		atomic_store(&raw.own->ring_head, atomic_load(&raw.peer->ring_tail));
		atomic_store(&raw.own->ring_head_msgs, ++sent);
		if (sent % 8 == 0) /* so that the ring is not empty, and goes on where it is */
			atomic_store(&raw.own->ring_head, atomic_load(&raw.peer->ring_tail) - 4096);
	}
	atomic_store(&raw.own->ring_head, 0);
	OK(alloc_send(&server, server.connection, "one more", 8, &task));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	expect_thrown_out(&raw, "ring head");
}

/* ---- consumer directories ---- */

static void announce(struct raw *raw, uint32_t slot, uint64_t entry, uint64_t after)
{
	uint64_t announced = atomic_load(&raw->own->announced);
	struct shm_announcement *next = &raw->own->announcements[announced % SHM_ANNOUNCEMENTS];
	atomic_store(&raw->own->directory[slot], entry);
	atomic_store(&next->entry, entry);
	atomic_store(&next->after, after);
	atomic_store(&raw->own->announced, announced + 1);
	raw_ring(raw);
}

static void a_garbage_directory_is_survived(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	srand(1);
	for (int i = 0; i < 2000; i++) {
		uint64_t entry =
			(uint64_t)(unsigned)rand() << 32 | (uint64_t)(unsigned)rand() << 8 | (unsigned)rand() % 6u;
		uint32_t slot = (uint32_t)rand() % SHM_CONSUMER_SLOTS;
		announce(&raw, slot, entry, 0);
		drive(server.pe);
		/* This side's consumers come and go nevertheless. */
		if (i % 50 == 0) {
			struct consumer consumer;
			consumer_make(&consumer, server.connection, memory.mmap, 4, NULL);
			consumer_start(&consumer, server.pe);
			consumer_stop(&consumer);
			consumer_destroy(&consumer);
		}
	}
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

/* Such announcements are told at the end, and do not put it off. */
static void announcements_behind_messages_that_never_come_end_with_the_connection(void **state)
{
	(void)state;
	for (int orderly = 0; orderly < 2; orderly++) {
		struct raw raw;
		raw_connect(&raw, &server);
		record_clear(&server.record);
		for (uint32_t slot = 0; slot < 4; slot++) {
			announce(&raw, slot, shm_entry(slot + 1, 1, SHM_CONSUMER_RUNNING), UINT64_MAX - slot);
		}
		settle(server.pe, NULL);
		assert_int_equal(count_of(&server.record, CONSUMER_NEW), 0);
		/* This side's own business goes on. */
		struct consumer consumer;
		consumer_make(&consumer, server.connection, memory.mmap, 4, NULL);
		consumer_start(&consumer, server.pe);
		consumer_stop(&consumer);
		consumer_destroy(&consumer);
		if (orderly) {
			atomic_store(&raw.own->closed, 1);
			raw_ring(&raw);
			UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
		}
		raw_close(&raw);
		UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
		assert_int_equal(count_of(&server.record, CONSUMER_NEW), 4);
		assert_int_equal(nth(&server.record, CONSUMER_NEW, 0)->a, 1);
		assert_int_equal(nth(&server.record, CONSUMER_NEW, 3)->a, 4);
	}
}

/* A peer that announces more than it has been told of would have its events told for ever. */
static void more_announcements_than_there_are_places_end_the_connection(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct raw raw;
		raw_connect(&raw, &server);
		atomic_store(&raw.own->announced, i == 0 ? SHM_ANNOUNCEMENTS + 1 : UINT64_MAX);
		raw_ring(&raw);
		expect_thrown_out(&raw, "announcements of consumers");
	}
}

/* What the peer says of what it has told is believed as far as it can be true. */
static void a_start_waits_where_the_peer_has_told_too_much(void **state)
{
	(void)state;
	struct raw raw;
	struct consumer consumer;
	raw_connect(&raw, &server);
	atomic_store(&raw.own->told, 1);
	consumer_make(&consumer, server.connection, memory.mmap, 4, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	settle(server.pe, consumer.pe);
	assert_int_equal(state_of(consumer.ctx), DOCA_CTX_STATE_STARTING);
	atomic_store(&raw.own->told, 0);
	UNTIL(state_of(consumer.ctx) == DOCA_CTX_STATE_RUNNING, server.pe, consumer.pe);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

/* Puts a consumer of the raw client into the directory. */
static struct shm_region *fake_consumer(struct raw *raw, uint32_t capacity, uint32_t eager, uint32_t imm)
{
	struct shm_region *region = shm_map_region(raw->map, SHM_CLIENT, 0);
	CHECK(region != NULL);
	region->capacity = capacity;
	region->eager_bytes = eager;
	region->max_imm_len = imm;
	announce(raw, 0, shm_entry(1, 1, SHM_CONSUMER_RUNNING), 0);
	return region;
}

static void an_impossible_consumer_cannot_be_sent_to(void **state)
{
	(void)state;
	static const struct {
		uint32_t capacity, eager_more, imm; /* how much more eager bytes than for such a capacity */
	} headers[] = {
		{0, 0, 32}, {3, 0, 32},          {16384, 0, 32},    {UINT32_MAX, 0, 32}, {1u << 31, 0, 32},
		{4, 1, 32}, {4, UINT32_MAX, 32}, {4, 1u << 31, 32}, {4, 0, 33},          {4, 0, UINT32_MAX},
	};
	struct doca_buf *buf = memory_buf(&memory, BUF_OFFSET, BUF_BYTES, 100);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct raw raw;
		raw_connect(&raw, &server);
		struct shm_region *region =
			fake_consumer(&raw, headers[i].capacity,
				      shm_eager_bytes(headers[i].capacity) + headers[i].eager_more, headers[i].imm);
		atomic_store(&region->posted, 1);
		log_forget();
		struct producer producer;
		producer_make(&producer, server.connection, 4, server.pe);
		producer_start(&producer);
		GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&producer, 1, buf, NULL, 0, NULL));
		expect_logged("a peer broke the protocol: impossible consumer");
		producer_stop(&producer);
		producer_destroy(&producer);
		raw_close(&raw);
		UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
		record_clear(&server.record);
	}
	buf_release(buf);
}

static void counters_of_a_consumer_that_cannot_be_give_no_buffer(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	struct shm_region *region = fake_consumer(&raw, 4, shm_eager_bytes(4), 32);
	for (uint32_t i = 0; i < 4; i++)
		shm_region_posts(region)[i].room = BUF_BYTES;
	struct producer producer;
	producer_make(&producer, server.connection, 4, server.pe);
	producer_start(&producer);
	/* One for each way to send. */
	struct doca_buf *bufs[] = {memory_buf(&memory, BUF_OFFSET, BUF_BYTES, 10),
				   memory_buf(&memory, BUF_OFFSET, BUF_BYTES, 1000)};
	for (int i = 0; i < 2; i++) {
		/* More buffers than it can post. */
		atomic_store(&region->claimed, 0);
		atomic_store(&region->posted, 5);
		GIVES(DOCA_ERROR_IO_FAILED, try_send(&producer, 1, bufs[i], NULL, 0, NULL));
		/* Of another start. */
		atomic_store(&region->claimed, SHM_INCARNATION);
		atomic_store(&region->posted, SHM_INCARNATION + 1);
		GIVES(DOCA_ERROR_AGAIN, try_send(&producer, 1, bufs[i], NULL, 0, NULL));
	}
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(bufs[0]);
	buf_release(bufs[1]);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

/* What is sent to a client without proof goes through what both share, and not to the addresses that it names. */
static void expect_no_direct_writes_within_the_process(void)
{
	struct raw raw;
	raw_connect(&raw, &server);
	struct shm_region *region = fake_consumer(&raw, 4, shm_eager_bytes(4), 32);
	static uint8_t place[BUF_BYTES];
	shm_region_posts(region)[0].addr = (uint64_t)(uintptr_t)place;
	shm_region_posts(region)[0].room = sizeof(place);
	atomic_store(&region->posted, 1);
	struct producer producer;
	producer_make(&producer, server.connection, 4, server.pe);
	producer_start(&producer);
	struct doca_buf *buf = memory_buf(&memory, BUF_OFFSET, BUF_BYTES, BUF_BYTES);
	put(&producer, 1, buf);
	assert_int_equal(shm_region_slots(region)[0].payload, SHM_PAYLOAD_EAGER);
	assert_int_equal(place[0], 0);
	UNTIL(count_of(&producer.record, SENT) == 1, server.pe);
	free_sent(&producer.record);
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	record_clear(&server.record);
}

static void payloads_are_written_to_no_process_that_has_not_proved_itself(void **state)
{
	(void)state;
	without_proof = true;
	expect_no_direct_writes_within_the_process();
	without_proof = false;
	server.connection = NULL;
	int child = program_start("without proof", "");
	UNTIL(server.connection != NULL, server.pe);
	struct memory big;
	memory_open(&big, 1u << 20, 1, devices.dpu, RW);
	struct producer producer;
	producer_make(&producer, server.connection, 1, server.pe);
	producer_start(&producer);
	struct doca_buf *buf = memory_buf(&big, 0, 1u << 20, 1u << 20);
	int64_t deadline = harness_deadline();
	while (try_send(&producer, 1, buf, NULL, 0, NULL) != DOCA_SUCCESS) {
		drive(server.pe);
		harness_in_time(deadline, __FILE__, __LINE__, "the other process has a consumer");
	}
	assert_int_equal(child_wait(child), 0);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1 && inflight(producer.ctx) == 0, server.pe);
	free_sent(&producer.record);
	UNTIL(state_of(producer.ctx) == IDLE, server.pe);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&big);
}

static void a_consumer_that_lies_about_the_pipeline_fails_the_send(void **state)
{
	(void)state;
	without_proof = true;
	struct memory big;
	memory_open(&big, 1u << 20, 1, devices.dpu, RW);
	struct doca_buf *buf = memory_buf(&big, 0, 1u << 20, 1u << 20);
	struct raw raw;
	raw_connect(&raw, &server);
	without_proof = false;
	struct shm_region *region = fake_consumer(&raw, 4, shm_eager_bytes(4), 32);
	for (uint32_t i = 0; i < 2; i++)
		shm_region_posts(region)[i].room = 1u << 20;
	atomic_store(&region->posted, 2);
	struct producer producer;
	producer_make(&producer, server.connection, 1, server.pe);
	producer_start(&producer);
	for (uint64_t index = 0; index < 2; index++) {
		put(&producer, 1, buf);
		assert_int_equal(shm_region_slots(region)[index].payload, SHM_PAYLOAD_PIPE);
		/* More than was written; and first a little, then less than was written ever since. */
		atomic_store(&region->pipe_produced, shm_pipe_mark(index, 0));
		atomic_store(&region->pipe_turn, index + 1);
		atomic_store(&region->pipe_consumed, shm_pipe_mark(index, index == 0 ? 2u << 20 : 100));
		if (index == 1) {
			drive(server.pe);
			atomic_store(&region->pipe_consumed, shm_pipe_mark(index, 1u << 20));
		}
		UNTIL(count_of(&producer.record, SEND_FAILED) + count_of(&producer.record, SENT) == 1, server.pe);
		assert_int_equal(nth(&producer.record, SEND_FAILED, 0)->a, DOCA_ERROR_IO_FAILED);
		free_sent(&producer.record);
		record_clear(&producer.record);
	}
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&big);
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
}

static void garbage_counters_of_a_consumer_are_survived(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	struct shm_region *region = fake_consumer(&raw, 4, shm_eager_bytes(4), 32);
	struct shm_post *posts = shm_region_posts(region);
	struct producer producer;
	producer_make(&producer, server.connection, 64, server.pe);
	producer_start(&producer);
	struct doca_buf *small = memory_buf(&memory, BUF_OFFSET, BUF_BYTES, 10),
			*large = memory_buf(&memory, BUF_OFFSET, BUF_BYTES, BUF_BYTES);
	struct memory big;
	memory_open(&big, 1u << 20, 1, devices.dpu, RW);
	struct doca_buf *huge = memory_buf(&big, 0, 1u << 20, 1u << 20);
	srand(2);
	static const uint64_t values[] = {
		0,         1, 3, 4, 5, 100, UINT64_C(1) << 32, SHM_INCARNATION, SHM_CLAIM_CLOSED, SHM_CLAIM_CLOSED - 1,
		UINT64_MAX};
	for (int i = 0; i < 5000; i++) {
		uint64_t value = values[(size_t)rand() % 11];
		switch (rand() % 8) {
		case 0:
			atomic_store(&region->posted, value);
			break;
		case 1:
			atomic_store(&region->claimed, value);
			break;
		case 2:
			atomic_store(&posts[rand() % 4].room, rand() % 2 ? UINT64_MAX - 1 : value);
			break;
		case 3:
			posts[rand() % 4].addr = value;
			break;
		case 4:
			atomic_store(&region->pipe_turn, value);
			break;
		case 5:
			atomic_store(&region->pipe_consumed, value << 40 | value);
			break;
		case 6:
			atomic_store(&region->pipe_produced, value << 40 | value);
			break;
		default:
			region->base = value;
			break;
		}
		if (rand() % 4 == 0)
			announce(&raw, 0, shm_entry(1, (uint32_t)i, SHM_CONSUMER_RUNNING), 0);
		struct doca_comch_producer_task_send *task;
		struct doca_buf *buf = i % 3 == 0 ? small : i % 3 == 1 ? large : huge;
		(void)try_send(&producer, 1, buf, NULL, 0, &task);
		drive(server.pe);
		free_sent(&producer.record);
		record_clear(&producer.record);
	}
	/* The client leaves; whatever hung in the pipeline fails. */
	raw_close(&raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1 && inflight(producer.ctx) == 0, server.pe);
	free_sent(&producer.record);
	UNTIL(state_of(producer.ctx) == IDLE, server.pe);
	producer_destroy(&producer);
	buf_release(small);
	buf_release(large);
	buf_release(huge);
	memory_close(&big);
}

/* ---- filled slots ---- */

/* A consumer of the server with one posted buffer, as the raw client sees it. */
struct target {
	struct raw raw;
	struct consumer consumer;
	struct doca_buf *buf;
	struct doca_comch_consumer_task_post_recv *task;
	struct shm_region *region;
	struct shm_slot *slot;
};

static void target_open_with(struct target *target, size_t room)
{
	raw_connect(&target->raw, &server);
	consumer_make(&target->consumer, server.connection, memory.mmap, 4, server.pe);
	consumer_start(&target->consumer, server.pe);
	target->buf = memory_buf(&memory, BUF_OFFSET, room, 0);
	target->task = post(&target->consumer, target->buf);
	target->region = shm_map_region(target->raw.map, SHM_SERVER, 0);
	target->slot = shm_region_slots(target->region);
}

static void target_open(struct target *target)
{
	target_open_with(target, BUF_BYTES);
}

/* What the raw client says of the posted buffer, as if it had filled it. */
static void target_fill(struct target *target, const struct shm_slot *slot)
{
	uint64_t ready = atomic_load(&target->region->posted);
	memcpy((uint8_t *)target->slot + sizeof(ready), (const uint8_t *)slot + sizeof(ready),
	       sizeof(*slot) - sizeof(ready));
	atomic_store(&target->region->claimed, ready);
	atomic_store(&target->slot->ready, ready);
}

static bool has_ended(const struct target *target)
{
	return count_of(&target->consumer.record, RECEIVE_FAILED) + count_of(&target->consumer.record, RECEIVED) == 1;
}

static void target_close(struct target *target)
{
	raw_close(&target->raw);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1 && inflight(target->consumer.ctx) == 0, server.pe);
	record_clear(&server.record);
	free_received(&target->consumer.record);
	UNTIL(state_of(target->consumer.ctx) == IDLE, server.pe);
	consumer_destroy(&target->consumer);
	buf_release(target->buf);
}

static void impossible_slots_fail_the_receive(void **state)
{
	(void)state;
	static const struct shm_slot slots[] = {
		{.len = BUF_BYTES + 1, .payload = SHM_PAYLOAD_PLACED},
		{.len = UINT32_MAX, .payload = SHM_PAYLOAD_PLACED},
		{.len = 105, .payload = SHM_PAYLOAD_INLINE},
		{.len = 100, .imm_len = 32, .payload = SHM_PAYLOAD_INLINE},
		{.len = UINT32_MAX, .payload = SHM_PAYLOAD_INLINE},
		{.len = 1, .imm_len = 33, .payload = SHM_PAYLOAD_INLINE},
		{.len = 1, .imm_len = 255, .payload = SHM_PAYLOAD_PLACED},
		{.len = UINT32_MAX, .payload = SHM_PAYLOAD_EAGER},
		{.len = UINT32_MAX, .payload = SHM_PAYLOAD_PIPE},
		{.len = SHM_PACKED_PAYLOAD_MAX + 1, .payload = SHM_PAYLOAD_PACKED},
		{.len = 1, .payload = SHM_PAYLOAD_SKIPPED},
		{.len = 1, .payload = SHM_PAYLOAD_PACKED + 1},
		{.len = 1, .payload = 255},
	};
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		struct target target;
		target_open(&target);
		target_fill(&target, &slots[i]);
		UNTIL(has_ended(&target), server.pe);
		assert_int_equal(nth(&target.consumer.record, RECEIVE_FAILED, 0)->a, DOCA_ERROR_IO_FAILED);
		assert_int_equal(buf_data_len(target.buf), 0);
		target_close(&target);
	}
}

/* Each kind of payload that the peer can write, one byte longer than the posted buffer. What is outside of it is looked
 * at here, and not only by server_down, as it is in the buffer of other tests. */
static void a_small_buffer_takes_no_more_than_its_room(void **state)
{
	(void)state;
	static const size_t rooms[] = {1, 8, 40, 95, 96, 200, 2000, 4095};
	static const enum shm_payload payloads[] = {SHM_PAYLOAD_PLACED, SHM_PAYLOAD_INLINE, SHM_PAYLOAD_EAGER,
						    SHM_PAYLOAD_PIPE,   SHM_PAYLOAD_FETCH,  SHM_PAYLOAD_PACKED};
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		for (size_t j = 0; j < sizeof(payloads) / sizeof(payloads[0]); j++) {
			struct target target;
			target_open_with(&target, rooms[i]);
			log_forget();
			target_fill(&target,
				    &(struct shm_slot){.len = (uint32_t)rooms[i] + 1, .payload = (uint8_t)payloads[j]});
			UNTIL(has_ended(&target), server.pe);
			assert_int_equal(nth(&target.consumer.record, RECEIVE_FAILED, 0)->a, DOCA_ERROR_IO_FAILED);
			expect_logged("a peer broke the protocol: more data than the posted buffer takes");
			assert_int_equal(buf_data_len(target.buf), 0);
			for (size_t k = 0; k < BUF_BYTES; k++)
				assert_int_equal(memory.bytes[BUF_OFFSET + k], 0xab);
			target_close(&target);
		}
	}
}

/* As where a fault on demand discards what comes. */
static void a_discarded_payload_is_not_written_past_the_buffer(void **state)
{
	(void)state;
	struct target target;
	target_open_with(&target, 40);
	OK(doca_emu_set_faults("lose_recv=1:IO_FAILED"));
	target_fill(&target, &(struct shm_slot){.len = 4000, .payload = SHM_PAYLOAD_PIPE});
	uint64_t index = atomic_load(&target.region->posted) - 1;
	settle(server.pe, NULL);
	atomic_store(&target.region->pipe_produced, shm_pipe_mark(index, 4000));
	UNTIL(count_of(&target.consumer.record, RECEIVE_FAILED) == 1, server.pe);
	OK(doca_emu_set_faults(NULL));
	for (size_t k = 0; k < BUF_BYTES; k++)
		assert_int_equal(memory.bytes[BUF_OFFSET + k], 0xab);
	target_close(&target);
}

static void a_payload_does_not_travel_for_ever(void **state)
{
	(void)state;
	struct target target;
	target_open(&target);
	target_fill(&target, &(struct shm_slot){.len = 1, .payload = SHM_PAYLOAD_INLINE, .arrival = UINT64_MAX});
	settle(server.pe, NULL);
	assert_int_equal(count_of(&target.consumer.record, RECEIVED), 1);
	target_close(&target);
}

/* Longer than their areas, and not than the posted buffer. */
static void large_payloads_stay_within_their_areas(void **state)
{
	(void)state;
	const struct shm_slot slots[] = {
		{.len = shm_eager_bytes(4) + 1, .payload = SHM_PAYLOAD_EAGER},
		{.len = 3 * SHM_PIPE_BYTES, .payload = SHM_PAYLOAD_PIPE},
	};
	struct memory big;
	memory_open(&big, 3 * SHM_PIPE_BYTES, 1, devices.dpu, RW);
	for (size_t i = 0; i < 2; i++) {
		struct target target;
		raw_connect(&target.raw, &server);
		consumer_make(&target.consumer, server.connection, big.mmap, 4, server.pe);
		consumer_start(&target.consumer, server.pe);
		target.buf = memory_buf(&big, 0, big.size, 0);
		target.task = post(&target.consumer, target.buf);
		target.region = shm_map_region(target.raw.map, SHM_SERVER, 0);
		target.slot = shm_region_slots(target.region);
		uint64_t index = atomic_load(&target.region->posted) - 1;
		target_fill(&target, &slots[i]);
		settle(server.pe, NULL);
		atomic_store(&target.region->pipe_produced, shm_pipe_mark(index, 2 * SHM_PIPE_BYTES));
		settle(server.pe, NULL);
		assert_int_equal(nth(&target.consumer.record, RECEIVE_FAILED, 0)->a, DOCA_ERROR_IO_FAILED);
		target_close(&target);
	}
	memory_close(&big);
}

/* The counter of a place that does not exist is not written to when its payload counts as fetched. */
static void an_offer_of_a_producer_that_cannot_be_is_survived(void **state)
{
	(void)state;
	static const uint32_t places[] = {SHM_PRODUCER_PLACES, UINT32_MAX};
	for (size_t i = 0; i < 2; i++) {
		struct target target;
		target_open(&target);
		uint64_t index = atomic_load(&target.region->posted) - 1;
		struct shm_offer *offer = shm_region_offers(target.region);
		offer->place = places[i];
		offer->ticket = 1;
		atomic_store(&offer->state, shm_offer_mark(index, SHM_OFFER_OPEN));
		struct shm_half before = *target.raw.peer;
		_Atomic uint64_t *behind = target.raw.peer->fetched + SHM_PRODUCER_PLACES;
		uint64_t number = atomic_load(behind);
		target_fill(&target, &(struct shm_slot){.len = 1, .payload = SHM_PAYLOAD_FETCH});
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(target.task));
		assert_int_equal(shm_offer_state(offer, index), SHM_OFFER_FETCHED);
		assert_memory_equal(&before, target.raw.peer, sizeof(before));
		assert_int_equal(atomic_load(behind), number);
		target_close(&target);
	}
}

static void slots_that_nobody_posted_are_ignored(void **state)
{
	(void)state;
	static const enum shm_payload payloads[] = {SHM_PAYLOAD_INLINE, SHM_PAYLOAD_EAGER};
	struct target target;
	for (int way = 0; way < 2; way++) {
		target_open(&target);
		/* The first is posted and filled, the next one only filled. */
		uint64_t posted = atomic_load(&target.region->posted);
		for (uint64_t i = 0; i < 2; i++) {
			target.slot[i].payload = (uint8_t)payloads[way];
			target.slot[i].imm_len = way == 0 ? 0 : 1;
			target.slot[i].len = 3;
			atomic_store(&target.slot[i].ready, posted + i);
		}
		atomic_store(&target.region->claimed, posted + 100);
		settle(server.pe, NULL);
		assert_int_equal(count_of(&target.consumer.record, RECEIVED), 1);
		assert_int_equal(buf_data_len(target.buf), 3);
		free_received(&target.consumer.record);
		record_clear(&target.consumer.record);
		if (way == 0)
			target_close(&target);
	}
	/* A stop believes no impossible counter. */
	post(&target.consumer, target.buf);
	atomic_store(&target.slot[1].ready, 0);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(target.consumer.ctx));
	UNTIL(count_of(&target.consumer.record, RECEIVE_FAILED) == 1, server.pe);
	target_close(&target);
}

static void a_consumer_that_is_starting_ends_with_a_broken_connection(void **state)
{
	(void)state;
	struct raw raw;
	raw_connect(&raw, &server);
	struct consumer consumer;
	consumer_make(&consumer, server.connection, memory.mmap, 4, NULL);
	/* The server notices the fraud when it sends, before it has registered the consumer. */
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	atomic_store(&raw.own->ring_head, 4096);
	struct doca_comch_task_send *task;
	OK(alloc_send(&server, server.connection, "x", 1, &task));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	expect_thrown_out(&raw, "ring head");
	UNTIL(state_of(consumer.ctx) == IDLE, consumer.pe);
	assert_string_equal(states_of(&consumer.record), "SI");
	consumer_destroy(&consumer);
}

static void a_claim_that_is_never_filled_does_not_hang_a_free(void **state)
{
	(void)state;
	struct target target;
	target_open(&target);
	atomic_store(&target.region->claimed, atomic_load(&target.region->posted));
	time_flies = true;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(target.task));
	time_flies = false;
	expect_logged("a peer claimed a posted buffer and does not fill it: connection ended");
	target_close(&target);
}

/* Its memory may have been freed, and its callback's data. */
static void a_receive_that_was_taken_back_is_not_written_to(void **state)
{
	(void)state;
	static const enum shm_payload payloads[] = {SHM_PAYLOAD_INLINE, SHM_PAYLOAD_PACKED, SHM_PAYLOAD_EAGER,
						    SHM_PAYLOAD_PIPE};
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		/* With immediate data small payloads take the long way. */
		for (uint8_t imm_len = 0; imm_len < 2; imm_len++) {
			struct target target;
			target_open(&target);
			doca_task_free(doca_comch_consumer_task_post_recv_as_task(target.task));
			uint64_t index = atomic_load(&target.region->posted) - 1;
			target_fill(&target,
				    &(struct shm_slot){.len = 40, .payload = (uint8_t)payloads[i], .imm_len = imm_len});
			settle(server.pe, NULL);
			atomic_store(&target.region->pipe_produced, shm_pipe_mark(index, 40));
			UNTIL(inflight(target.consumer.ctx) == 0, server.pe);
			settle(server.pe, NULL);
			assert_int_equal(target.consumer.record.num, 2); /* STARTING, RUNNING */
			assert_int_equal(buf_data_len(target.buf), 0);
			for (size_t k = 0; k < BUF_BYTES; k++)
				assert_int_equal(memory.bytes[BUF_OFFSET + k], 0xab);
			target_close(&target);
		}
	}
}

static void a_pipeline_that_lies_fails_the_receive(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct target target;
		target_open(&target);
		uint64_t index = atomic_load(&target.region->posted) - 1;
		target.slot->len = BUF_BYTES;
		target.slot->payload = SHM_PAYLOAD_PIPE;
		atomic_store(&target.region->claimed, index + 1);
		atomic_store(&target.slot->ready, index + 1);
		settle(server.pe, NULL);
		atomic_store(&target.region->pipe_produced, shm_pipe_mark(index, 500));
		settle(server.pe, NULL);
		assert_int_equal(inflight(target.consumer.ctx), 1);
		/* More than it said, backwards, or a length that has grown meanwhile. */
		if (i == 2)
			target.slot->len = UINT32_MAX;
		atomic_store(&target.region->pipe_produced, shm_pipe_mark(index, i == 0   ? BUF_BYTES + 1
										 : i == 1 ? 499
											  : 1u << 20));
		settle(server.pe, NULL);
		assert_int_equal(count_of(&target.consumer.record, RECEIVE_FAILED), 1);
		assert_int_equal(buf_data_len(target.buf), 0);
		target_close(&target);
	}
}

/* ---- everything at random, from another process ---- */

/* The control part ends most connections soon; the consumers' regions alone are survived for longer. */
static void write_at_random(struct raw *raw, bool regions_only)
{
	uint8_t *control = (uint8_t *)shm_map_control(raw->map);
	uint8_t *places[] = {control, raw->to_server, (uint8_t *)shm_map_region(raw->map, SHM_SERVER, 0),
			     (uint8_t *)shm_map_region(raw->map, SHM_CLIENT, 0)};
	size_t bytes[] = {sizeof(struct shm_control), 65536, SHM_REGION_SLOTS + 1024, SHM_REGION_SLOTS + 1024};
	int which = regions_only ? 2 + rand() % 2 : rand() % 4;
	/* Mostly where the counters are, mostly small values. */
	size_t offset = (size_t)rand() % (rand() % 4 == 0 ? bytes[which] : 512) / 8 * 8;
	if (which >= 2 && rand() % 2 == 0)
		offset = SHM_REGION_SLOTS + (size_t)rand() % 1024 / 8 * 8;
	uint64_t value =
		rand() % 3 == 0 ? (uint64_t)(unsigned)rand() << 33 | (unsigned)rand() : (uint64_t)(rand() % 64);
	uint64_t *word = (uint64_t *)(places[which] + offset);
	*word = rand() % 3 == 0 ? *word + 1 : rand() % 3 == 0 ? *word ^ (UINT64_C(1) << (rand() % 64)) : value;
}

/* From another process than the server's. */
static void raw_join(struct raw *raw)
{
	raw_knock(raw);
	int64_t deadline = harness_deadline();
	struct pollfd answered = {.fd = raw->socket, .events = POLLIN};
	while (poll(&answered, 1, 100) <= 0)
		harness_in_time(deadline, __FILE__, __LINE__, "accepted");
	raw_accepted(raw);
}

/* A consumer, to which the server shall send one payload. */
static int expect_no_direct_write(void)
{
	static uint8_t place[1u << 20];
	struct raw raw;
	without_proof = true;
	raw_join(&raw);
	struct shm_region *region = shm_map_region(raw.map, SHM_CLIENT, 0);
	CHECK(region != NULL);
	region->can_fetch = 1;
	shm_region_posts(region)[0].addr = (uint64_t)(uintptr_t)place;
	shm_region_posts(region)[0].room = sizeof(place);
	atomic_store(&region->posted, 1);
	fake_consumer(&raw, 4, shm_eager_bytes(4), 32);
	const struct shm_slot *slot = shm_region_slots(region);
	int64_t deadline = harness_deadline();
	while (atomic_load(&slot->ready) != 1) {
		harness_in_time(deadline, __FILE__, __LINE__, "a payload comes");
		usleep(100);
	}
	CHECK(slot->payload == SHM_PAYLOAD_PIPE && place[0] == 0);
	raw_close(&raw);
	return 0;
}

static int fuzz(unsigned seed)
{
	srand(seed);
	struct raw raw;
	raw_join(&raw);
	struct wire_message answer;
	/* A plausible consumer first, so that more is reached. */
	struct shm_region *region = fake_consumer(&raw, 4, shm_eager_bytes(4), 32);
	/* As large as anything that is sent: whoever lies about its buffers has them overrun. */
	static uint8_t place[1u << 20];
	for (uint32_t i = 0; i < 4; i++) {
		shm_region_posts(region)[i].addr = (uint64_t)(uintptr_t)place;
		shm_region_posts(region)[i].room = 4096;
	}
	atomic_store(&region->posted, 4);
	for (int i = 0; i < 2000; i++) {
		for (int writes = rand() % 8; writes > 0; writes--)
			write_at_random(&raw, seed % 2 == 0);
		raw_ring(&raw);
		if (i % 100 == 0)
			atomic_store(&raw.own->ring_tail, atomic_load(&raw.own->ring_tail) / 16 * 16);
		if (recv(raw.socket, &answer, 1, MSG_DONTWAIT | MSG_PEEK) == 0)
			break;
		if (i % 16 == 0)
			usleep(10);
	}
	raw_close(&raw);
	return 0;
}

static void repost(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task, doca_error_t status)
{
	(void)consumer, (void)status;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	OK(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)));
	if (doca_task_submit(base) != DOCA_SUCCESS)
		doca_task_free(base);
}

static void random_writes_are_survived(void **state)
{
	(void)state;
	struct memory big;
	memory_open(&big, 1u << 20, 2, devices.dpu, RW);
	for (unsigned seed = 1; seed <= 25; seed++) {
		char text[16];
		snprintf(text, sizeof(text), "%u", seed);
		record_clear(&server.record);
		server.connection = NULL;
		int child = program_start("fuzz", text);
		UNTIL(server.connection != NULL, server.pe);
		struct consumer consumer;
		struct producer producer;
		consumer_make(&consumer, server.connection, memory.mmap, 4, server.pe);
		consumer.on_received = repost;
		producer_make(&producer, server.connection, 8, server.pe);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
		producer_start(&producer);
		struct doca_buf *in = memory_buf(&memory, BUF_OFFSET, BUF_BYTES, 0),
				*out[2] = {memory_buf(&big, 0, 4096, 100), memory_buf(&big, 0, 1u << 20, 1u << 20)};
		int64_t deadline = harness_deadline();
		for (int step = 0; count_of(&server.record, DISCONNECTED) == 0; step++) {
			struct doca_comch_consumer_task_post_recv *task;
			if (state_of(consumer.ctx) == RUNNING && consumer.record.num < 3)
				(void)try_post(&consumer, in, &task);
			(void)try_send(&producer, 1, out[step % 2], NULL, 0, NULL);
			struct doca_comch_task_send *send;
			if (server.connection != NULL && step % 8 == 0 &&
			    alloc_send(&server, server.connection, "text", 4, &send) == DOCA_SUCCESS &&
			    doca_task_submit(doca_comch_task_send_as_task(send)) != DOCA_SUCCESS)
				doca_task_free(doca_comch_task_send_as_task(send));
			drive(server.pe);
			free_sent(&producer.record);
			record_clear(&producer.record);
			harness_in_time(deadline, __FILE__, __LINE__, "the connection ends");
		}
		UNTIL(inflight(consumer.ctx) == 0 && inflight(producer.ctx) == 0, server.pe);
		free_sent(&producer.record);
		UNTIL(state_of(consumer.ctx) == IDLE && state_of(producer.ctx) == IDLE, server.pe);
		consumer_destroy(&consumer);
		producer_destroy(&producer);
		buf_release(in);
		buf_release(out[0]);
		buf_release(out[1]);
		assert_int_equal(child_wait(child), 0);
	}
	memory_close(&big);
}

/* ---- a server that lies to a client ---- */

static void a_client_survives_a_false_server(void **state)
{
	(void)state;
	struct fabric_listener listener;
	OK(fabric_listen(NULL, PCI, "false server", &listener));
	struct end client;
	client_make(&client, &devices, "false server", NULL);
	struct shm_doorbell_map *bells;
	OK(shm_doorbells_create(&bells));
	struct shm_map *memory_of_wrong_size;
	OK(shm_create(&memory_of_wrong_size));
	int before = descriptors();
	for (int lie = 0; lie < 12; lie++) {
		record_clear(&client.record);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		int socket = -1;
		UNTIL((socket = accept4(listener.socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0, client.pe);
		struct wire_message hello, answer;
		int fd;
		UNTIL(wire_receive(socket, &hello, &fd) == DOCA_SUCCESS, client.pe);
		assert_true(fd >= 0);
		close(fd);
		wire_init(&answer, WIRE_ACCEPT);
		answer.max_msg_size = MESSAGE_BYTES;
		answer.recv_queue_size = QUEUE;
		answer.ring_bytes = RING_BYTES;
		int sent_fd = bells->base.fd;
		switch (lie) {
		case 0:
			answer.kind = WIRE_REJECT;
			break;
		case 1:
			answer.kind = WIRE_HELLO;
			break;
		case 2:
			answer.kind = 77;
			break;
		case 3:
			answer.magic = 0;
			break;
		case 4:
			sent_fd = -1;
			break;
		case 5:
			sent_fd = memory_of_wrong_size->base.fd;
			break;
		case 6:
			answer.connection_index = SHM_DOORBELLS;
			break;
		case 7:
			answer.connection_index = UINT32_MAX;
			break;
		case 8:
			answer.ring_bytes = 1;
			break;
		case 9:
			answer.ring_bytes = UINT64_MAX;
			break;
		case 10:
			answer.max_msg_size = 0;
			break;
		default:
			answer.recv_queue_size = 0;
			break;
		}
		OK(wire_send(socket, &answer, sent_fd));
		UNTIL(state_of(client.ctx) != DOCA_CTX_STATE_STARTING, client.pe);
		assert_string_equal(states_of(&client.record), "SI");
		close(socket);
		assert_int_equal(descriptors(), before);
	}
	/* One that tells the truth and then hangs up. */
	record_clear(&client.record);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	int socket = -1;
	UNTIL((socket = accept4(listener.socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0, client.pe);
	struct wire_message answer;
	wire_init(&answer, WIRE_ACCEPT);
	answer.max_msg_size = MESSAGE_BYTES;
	answer.recv_queue_size = QUEUE;
	answer.ring_bytes = RING_BYTES;
	OK(wire_send(socket, &answer, bells->base.fd));
	UNTIL(state_of(client.ctx) == RUNNING, client.pe);
	close(socket);
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	assert_string_equal(states_of(&client.record), "SRPI");
	end_destroy(&client);
	shm_doorbells_release(bells);
	shm_release(memory_of_wrong_size);
	fabric_unlisten(&listener);
}

#define ATTACK(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(int argc, char **argv)
{
	if (argc == 3)
		return strcmp(argv[1], "fuzz") == 0 ? fuzz((unsigned)atoi(argv[2])) : expect_no_direct_write();
	const struct CMUnitTest tests[] = {
		ATTACK(a_garbage_greeting_is_refused),
		ATTACK(memory_that_could_vanish_is_refused),
		ATTACK(clients_that_say_nothing_do_not_keep_others_waiting),
		ATTACK(talking_after_the_handshake_ends_the_connection),
		ATTACK(the_same_memory_twice_harms_nobody_else),
		ATTACK(who_sends_no_wake_up_is_heard_all_the_same),
		ATTACK(wake_ups_without_end_do_not_drown_others),
		ATTACK(a_sleeper_that_never_wakes_up_holds_nobody_up),
		ATTACK(an_impossible_ring_tail_ends_the_connection),
		ATTACK(an_impossible_record_ends_the_connection),
		ATTACK(a_ring_begins_with_a_record),
		ATTACK(a_message_does_not_travel_for_ever),
		ATTACK(an_impossible_ring_head_ends_the_connection),
		ATTACK(a_ring_head_that_goes_back_ends_the_connection),
		ATTACK(a_garbage_directory_is_survived),
		ATTACK(announcements_behind_messages_that_never_come_end_with_the_connection),
		ATTACK(more_announcements_than_there_are_places_end_the_connection),
		ATTACK(a_start_waits_where_the_peer_has_told_too_much),
		ATTACK(an_impossible_consumer_cannot_be_sent_to),
		ATTACK(counters_of_a_consumer_that_cannot_be_give_no_buffer),
		ATTACK(payloads_are_written_to_no_process_that_has_not_proved_itself),
		ATTACK(a_consumer_that_lies_about_the_pipeline_fails_the_send),
		ATTACK(garbage_counters_of_a_consumer_are_survived),
		ATTACK(impossible_slots_fail_the_receive),
		ATTACK(a_small_buffer_takes_no_more_than_its_room),
		ATTACK(a_discarded_payload_is_not_written_past_the_buffer),
		ATTACK(a_payload_does_not_travel_for_ever),
		ATTACK(large_payloads_stay_within_their_areas),
		ATTACK(an_offer_of_a_producer_that_cannot_be_is_survived),
		ATTACK(slots_that_nobody_posted_are_ignored),
		ATTACK(a_consumer_that_is_starting_ends_with_a_broken_connection),
		ATTACK(a_claim_that_is_never_filled_does_not_hang_a_free),
		ATTACK(a_receive_that_was_taken_back_is_not_written_to),
		ATTACK(a_pipeline_that_lies_fails_the_receive),
		ATTACK(random_writes_are_survived),
		ATTACK(a_client_survives_a_false_server),
	};
	return cmocka_run_group_tests(tests, log_up, fabric_down);
}
