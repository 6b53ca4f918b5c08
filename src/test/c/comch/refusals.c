/* Every refused connection has its reason, on the side that knows it and on the other.
 *
 * A server of this program takes one client. Clients and servers of another version speak the protocol themselves. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

#define PCI "0000:b1:00.0"
#define NAME "refusals"

static struct devices devices;
static struct end server, client;

/* ---- the time ---- */

static _Atomic int64_t seconds_ahead;

/* In the place of the C library's, also for the libraries. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	now->tv_sec += seconds_ahead;
	return result;
}

static int log_up(void **state)
{
	/* Before the first look at the devices. */
	setenv("DOCA_EMU_LIMITS", "max_clients=1", 1);
	log_keep();
	return fabric_up(state);
}

static int ends_up(void **state)
{
	(void)state;
	OK(doca_emu_set_faults(NULL));
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	OK(doca_ctx_start(server.ctx));
	client_make(&client, &devices, NAME, NULL);
	log_forget();
	return 0;
}

static void stop(struct end *end)
{
	if (state_of(end->ctx) != IDLE)
		(void)doca_ctx_stop(end->ctx);
	UNTIL(state_of(end->ctx) == IDLE, end->pe, server.pe);
}

static int ends_down(void **state)
{
	(void)state;
	stop(&client);
	end_destroy(&client);
	stop(&server);
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

/* The client's attempt fails, and this thread is told why, at the latest in the callback that tells of it. */
static bool heard_in_callback;

static void listen_for_reason(struct end *end, enum doca_ctx_states next)
{
	(void)end;
	heard_in_callback = next == IDLE && strlen(doca_emu_last_error()) > 0;
}

static void expect_refusal(const char *reason, bool for_good)
{
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	assert_int_equal(doca_emu_refused_for_good(), 0);
	UNTIL(state_of(client.ctx) != DOCA_CTX_STATE_STARTING, client.pe, server.pe);
	assert_int_equal(state_of(client.ctx), IDLE);
	const char *told = doca_emu_last_error();
	if (strstr(told, reason) == NULL) {
		fprintf(stderr, "\"%s\" does not contain \"%s\"\n", told, reason);
		abort();
	}
	assert_int_equal(doca_emu_refused_for_good(), for_good);
}

/* ---- a server that refuses ---- */

static void a_full_server_says_so(void **state)
{
	(void)state;
	struct end first;
	client_make(&first, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(first.ctx));
	UNTIL(state_of(first.ctx) == RUNNING, first.pe, server.pe);
	expect_refusal(
		"client is refused by server \"refusals\" on 0000:b1:00.0: "
		"the server has as many clients as it takes",
		false);
	expect_logged("server \"refusals\" refused a client: the server has as many clients as it takes");
	stop(&first);
	end_destroy(&first);
}

static void a_fault_on_demand_is_named(void **state)
{
	(void)state;
	OK(doca_emu_set_faults("refuse=1"));
	expect_refusal("a fault on demand", false);
	expect_logged("refused a client: a fault on demand");
}

static void the_reason_is_there_in_the_callback(void **state)
{
	(void)state;
	OK(doca_emu_set_faults("refuse=1"));
	client.on_state = listen_for_reason;
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == IDLE, client.pe, server.pe);
	assert_true(heard_in_callback);
}

static void a_refusal_is_no_failure_of_the_servers_calls(void **state)
{
	(void)state;
	struct wire_message garbage;
	wire_init(&garbage, WIRE_ACCEPT);
	int socket;
	OK(fabric_connect(NULL, PCI, NAME, &socket));
	OK(wire_send(socket, &garbage, -1));
	(void)doca_emu_last_error();
	UNTIL(times_logged("refused a client: client and server do not understand each other's handshake") == 1,
	      server.pe);
	assert_string_equal(doca_emu_last_error(), "");
	close(socket);
}

static void hello_init(struct wire_message *hello)
{
	wire_init(hello, WIRE_HELLO);
	hello->max_msg_size = 4080;
	hello->recv_queue_size = 64;
	hello->ring_bytes = UINT64_C(512) << 10;
	strcpy(hello->name, NAME);
}

/* Sends a greeting, as long as that of some other version, and takes the answer. */
static void be_answered(const struct wire_message *hello, size_t len, struct wire_message *answer)
{
	int socket, fd;
	OK(fabric_connect(NULL, PCI, NAME, &socket));
	CHECK(send(socket, hello, len, MSG_NOSIGNAL) == (ssize_t)len);
	doca_error_t result;
	UNTIL((result = wire_receive(socket, answer, &fd)) != DOCA_ERROR_AGAIN, server.pe);
	OK(result);
	CHECK(answer->kind == WIRE_REJECT && fd < 0);
	close(socket);
}

static void a_client_of_another_version_is_told_both(void **state)
{
	(void)state;
	struct wire_message hello, answer;
	hello_init(&hello);
	hello.version = 7;
	for (int longer = 0; longer < 2; longer++) {
		log_forget();
		/* Of the other version nothing is known but the first words. */
		struct {
			struct wire_message hello;
			char more[64];
		} other = {.hello = hello};
		be_answered(&other.hello, longer ? sizeof(other) : offsetof(struct wire_message, ring_bytes), &answer);
		assert_int_equal(answer.connection_index, WIRE_REFUSED_PROTOCOL);
		assert_int_equal(answer.version, SHM_LAYOUT_VERSION);
		char both[64];
		snprintf(both, sizeof(both), "version %u here and in version 7 at the other end", SHM_LAYOUT_VERSION);
		UNTIL(times_logged(both) == 1, server.pe);
	}
}

/* The words that all versions share stand where they always stood. */
static void what_other_versions_read_stays_in_its_place(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct wire_message, magic), 0);
	assert_int_equal(offsetof(struct wire_message, version), 4);
	assert_int_equal(offsetof(struct wire_message, kind), 8);
	assert_int_equal(offsetof(struct wire_message, connection_index), 20);
	assert_int_equal(WIRE_HELLO, 1);
	assert_int_equal(WIRE_REJECT, 3);
	const int refusals[] = {WIRE_REFUSED,           WIRE_REFUSED_USER,        WIRE_REFUSED_FULL,
				WIRE_REFUSED_PROTOCOL,  WIRE_REFUSED_DESCRIPTORS, WIRE_REFUSED_MEMORY,
				WIRE_REFUSED_ON_DEMAND, WIRE_REFUSED_LATE};
	for (int i = 0; i < 8; i++)
		assert_int_equal(refusals[i], i);
}

/* ---- servers of another kind ---- */

/* The client connects to a listener of this test, which answers it with `answer` (NULL: not at all) and hangs up. */
static void expect_refusal_by(const struct wire_message *answer, const char *reason, bool for_good)
{
	struct fabric_listener listener;
	stop(&server);
	OK(fabric_listen(NULL, PCI, NAME, &listener));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	int socket = -1;
	UNTIL((socket = accept4(listener.socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0, client.pe);
	if (answer != NULL)
		OK(wire_send(socket, answer, -1));
	close(socket); /* with the client's greeting unread */
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	const char *told = doca_emu_last_error();
	if (strstr(told, reason) == NULL) {
		fprintf(stderr, "\"%s\" does not contain \"%s\"\n", told, reason);
		abort();
	}
	assert_int_equal(doca_emu_refused_for_good(), for_good);
	fabric_unlisten(&listener);
}

static void a_server_of_another_version_is_named_by_the_client(void **state)
{
	(void)state;
	struct wire_message answer;
	wire_init(&answer, WIRE_REJECT);
	answer.version = 77;
	char both[64];
	snprintf(both, sizeof(both), "version %u here and in version 77 at the other end", SHM_LAYOUT_VERSION);
	expect_refusal_by(&answer, both, true);
	expect_logged(both);
	answer.kind = WIRE_ACCEPT;
	expect_refusal_by(&answer, both, true);
}

static void a_server_that_says_nothing_may_be_an_older_build(void **state)
{
	(void)state;
	expect_refusal_by(NULL, "has ended in the middle of it, or is an older build", false);
}

static void a_reason_of_a_later_build_is_none(void **state)
{
	(void)state;
	struct wire_message answer;
	wire_init(&answer, WIRE_REJECT);
	answer.connection_index = 1000;
	expect_refusal_by(&answer, "the server refuses, and gives no reason", false);
	answer.connection_index = WIRE_REFUSED_USER;
	expect_refusal_by(&answer, "different users", true);
}

static void a_client_without_a_server_is_told_where_it_has_looked(void **state)
{
	(void)state;
	stop(&server);
	char told[256];
	snprintf(told, sizeof(told),
		 "client finds no server \"refusals\" on 0000:b1:00.0: none runs in the fabric folder %s",
		 getenv("DOCA_EMU_DIR"));
	expect_refusal(told, false);
	OK(doca_ctx_start(server.ctx));
}

static void ends_of_different_message_sizes_are_told_of_both(void **state)
{
	(void)state;
	/* The ends are equal. */
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == RUNNING, client.pe, server.pe);
	assert_int_equal(times_logged("maximum message size"), 0);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
	UNTIL(state_of(client.ctx) == IDLE, client.pe, server.pe);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	/* And differ. */
	OK(doca_comch_client_set_max_msg_size(client.client, 2000));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == RUNNING, client.pe, server.pe);
	expect_logged("\"refusals\": the maximum message size is 2000 here and 4080 at the other end");
	expect_logged("\"refusals\": the maximum message size is 4080 here and 2000 at the other end");
	assert_string_equal(doca_emu_last_error(), ""); /* it is no failure */
}

/* As many as a server lets wait; then others are served again. */
static void clients_that_say_nothing_are_told_that_they_were_too_late(void **state)
{
	(void)state;
	enum { SILENT = 64 };
	int sockets[SILENT], fd;
	for (int i = 0; i < SILENT; i++)
		OK(fabric_connect(NULL, PCI, NAME, &sockets[i]));
	struct wire_message answer;
	settle(server.pe, NULL);
	for (int i = 0; i < SILENT; i++)
		GIVES(DOCA_ERROR_AGAIN, wire_receive(sockets[i], &answer, &fd));
	assert_int_equal(times_logged("refused a client"), 0);
	seconds_ahead += 6;
	settle(server.pe, NULL);
	for (int i = 0; i < SILENT; i++) {
		OK(wire_receive(sockets[i], &answer, &fd));
		assert_int_equal(answer.connection_index, WIRE_REFUSED_LATE);
		close(sockets[i]);
	}
	expect_logged("the client has connected, but not introduced itself in time");
	seconds_ahead += 6;
	settle(server.pe, NULL);
	expect_logged("refused 63 more: the client has connected, but not introduced itself in time");
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == RUNNING, client.pe, server.pe);
}

static void a_server_that_stops_hangs_up_on_who_has_said_nothing(void **state)
{
	(void)state;
	int socket, fd;
	OK(fabric_connect(NULL, PCI, NAME, &socket));
	settle(server.pe, NULL);
	struct wire_message answer;
	GIVES(DOCA_ERROR_AGAIN, wire_receive(socket, &answer, &fd));
	stop(&server);
	GIVES(DOCA_ERROR_NOT_CONNECTED, wire_receive(socket, &answer, &fd));
	close(socket);
}

/* ---- ends that take nothing ---- */

/* One end sends more than the other one's queue holds, and stops; the other one does not progress for long. */
static void expect_patience(struct end *stopping, struct end *still)
{
	for (int i = 0; i < 64 + 8; i++) {
		send_text(stopping, stopping->connection, "more than you take");
		if (i % 32 == 0)
			settle(stopping->pe, NULL); /* its tasks are 64 */
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(stopping->ctx));
	settle(stopping->pe, NULL);
	assert_int_equal(state_of(stopping->ctx), DOCA_CTX_STATE_STOPPING);
	seconds_ahead += 4;
	settle(stopping->pe, NULL);
	assert_int_equal(state_of(stopping->ctx), DOCA_CTX_STATE_STOPPING);
	UNTIL(state_of(stopping->ctx) == IDLE && count_of(&still->record, MESSAGE) == 64 + 8, stopping->pe, still->pe);
	assert_int_equal(count_of(&stopping->record, SEND_FAILED), 0);
	assert_int_equal(count_of(&stopping->record, SENT), 64 + 8);
}

/* One that takes nothing for longer gets what it has room for, and no good end. */
static void a_stop_does_not_wait_for_ever(void **state)
{
	(void)state;
	record_clear(&server.record);
	record_clear(&client.record);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == RUNNING && server.connection != NULL, client.pe, server.pe);
	for (int i = 0; i < 64 + 8; i++) {
		send_text(&client, client.connection, "more than you take");
		if (i % 32 == 0)
			settle(client.pe, NULL);
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
	settle(client.pe, NULL);
	seconds_ahead += 6;
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	assert_int_equal(count_of(&client.record, SEND_FAILED), 8);
	UNTIL(server.connection == NULL, server.pe);
	assert_int_equal(count_of(&server.record, MESSAGE), 64);
}

static void a_stop_waits_for_who_takes_nothing_and_lives(void **state)
{
	(void)state;
	for (int of_server = 0; of_server < 2; of_server++) {
		record_clear(&server.record);
		record_clear(&client.record);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		UNTIL(state_of(client.ctx) == RUNNING && server.connection != NULL, client.pe, server.pe);
		if (of_server)
			expect_patience(&server, &client);
		else
			expect_patience(&client, &server);
		UNTIL(count_of(&server.record, DISCONNECTED) == 1 || of_server, client.pe, server.pe);
	}
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
}

/* ---- a server without descriptors ---- */

#define FEW 64

/* Uses up all descriptors, refuses two clients, has the next one wait, then gives some back and serves it. */
#define NO_DESCRIPTOR "server \"poor\" refused a client: the server's process has no file descriptor left"
#define ONE_MORE "server \"poor\" refused 1 more: the server's process has no file descriptor left"
#define WAITING "server \"poor\" cannot take clients, which wait: Too many open files"

static int serve_without_descriptors(void *argument)
{
	const int *told = argument;
	devices_open(&devices);
	server_make(&server, &devices, "poor", NULL);
	OK(doca_ctx_start(server.ctx));
	const struct rlimit few = {.rlim_cur = FEW, .rlim_max = FEW};
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	int used[FEW], num = 0;
	while (num < FEW && (used[num] = open("/dev/null", O_RDONLY)) >= 0)
		num++;
	CHECK(num >= 8 && write(told[1], "", 1) == 1);
	log_forget();
	UNTIL(times_logged(NO_DESCRIPTOR) >= 1, server.pe);
	/* One short of what a client needs: its socket can be received, and its memory cannot. */
	close(used[--num]);
	CHECK(write(told[1], "", 1) == 1);
	UNTIL(times_logged(ONE_MORE) == 1, server.pe);
	assert_int_equal(times_logged("refused"), 2);
	/* Not even one to be refused with. */
	const struct rlimit none = {.rlim_cur = 0, .rlim_max = FEW};
	CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0 && write(told[1], "", 1) == 1);
	UNTIL(times_logged(WAITING) == 1, server.pe);
	for (int i = 0; i < 10000; i++)
		(void)doca_pe_progress(server.pe);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	expect_logged(WAITING);
	assert_int_equal(times_logged("refused"), 2);
	while (num > 0)
		close(used[--num]);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

static void a_server_without_descriptors_says_so(void **state)
{
	(void)state;
	int told[2];
	CHECK(pipe(told) == 0);
	int child = child_start(serve_without_descriptors, told);
	devices_open(&devices);
	client_make(&client, &devices, "poor", NULL);
	for (int i = 0; i < 2; i++) {
		char byte;
		CHECK(read(told[0], &byte, 1) == 1);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		UNTIL(state_of(client.ctx) != DOCA_CTX_STATE_STARTING, client.pe);
		assert_int_equal(state_of(client.ctx), IDLE);
		assert_non_null(strstr(doca_emu_last_error(), "no file descriptor left"));
		assert_int_equal(doca_emu_refused_for_good(), 0);
	}
	char byte;
	CHECK(read(told[0], &byte, 1) == 1);
	/* Refused until there are some. */
	do {
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
		UNTIL(state_of(client.ctx) != DOCA_CTX_STATE_STARTING, client.pe);
	} while (state_of(client.ctx) == IDLE);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(client.ctx));
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	end_destroy(&client);
	devices_close(&devices);
	close(told[0]);
	close(told[1]);
	assert_int_equal(child_wait(child), 0);
}

#define REFUSED(test) cmocka_unit_test_setup_teardown(test, ends_up, ends_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_without_descriptors_says_so),
		cmocka_unit_test(what_other_versions_read_stays_in_its_place),
		REFUSED(a_full_server_says_so),
		REFUSED(a_fault_on_demand_is_named),
		REFUSED(the_reason_is_there_in_the_callback),
		REFUSED(a_refusal_is_no_failure_of_the_servers_calls),
		REFUSED(a_client_of_another_version_is_told_both),
		REFUSED(a_server_of_another_version_is_named_by_the_client),
		REFUSED(a_server_that_says_nothing_may_be_an_older_build),
		REFUSED(a_reason_of_a_later_build_is_none),
		REFUSED(a_client_without_a_server_is_told_where_it_has_looked),
		REFUSED(ends_of_different_message_sizes_are_told_of_both),
		REFUSED(a_stop_waits_for_who_takes_nothing_and_lives),
		REFUSED(a_stop_does_not_wait_for_ever),
		REFUSED(a_server_that_stops_hangs_up_on_who_has_said_nothing),
		REFUSED(clients_that_say_nothing_are_told_that_they_were_too_late),
	};
	return cmocka_run_group_tests(tests, log_up, fabric_down);
}
