/* Comm Channel of DOCA 1.2. Both sides are processes: connecting waits for the service, and there are two libraries of
 * this name, so that nothing of the other tests' harness is here. */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "doca_comm_channel.h"

typedef struct doca_comm_channel_ep_t endpoint;
typedef struct doca_comm_channel_addr_t address;

#define BAD DOCA_ERROR_INVALID_VALUE
#define CHECK(condition) ((condition) ? (void)0 : fail_here(__LINE__, #condition))
#define GIVES(error, call) expect_here(__LINE__, #call, (call), (error))
#define OK(call) GIVES(DOCA_SUCCESS, call)

static _Noreturn void fail_here(int line, const char *what)
{
	fprintf(stderr, "v1_2.c:%d: %s does not hold (process %d)\n", line, what, (int)getpid());
	abort();
}

static void expect_here(int line, const char *call, doca_error_t got, doca_error_t wanted)
{
	if (got == wanted)
		return;
	fprintf(stderr, "v1_2.c:%d: %s gives %d instead of %d\n", line, call, (int)got, (int)wanted);
	abort();
}

/* ---- scenes of two processes ---- */

/* What the processes of a scene tell each other. */
static _Atomic int *step;

static void tell(int reached)
{
	atomic_store(step, reached);
}

static void await(int wanted)
{
	for (int waited = 0; atomic_load(step) < wanted; waited++) {
		CHECK(waited < 60000);
		usleep(1000);
	}
}

/* The side is what the process sees of the machine. */
static pid_t start(int (*body)(void), const char *side)
{
	pid_t child = fork();
	CHECK(child >= 0);
	if (child > 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(100);
	setenv("DOCA_EMU_SIDE", side, 1);
	exit(body());
}

static void finish(pid_t child)
{
	int status = 0;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void play(int (*service)(void), int (*client)(void))
{
	tell(0);
	pid_t dpu = start(service, "dpu"), host = start(client, "host");
	finish(host);
	finish(dpu);
}

static endpoint *make(uint32_t flags, uint32_t maxmsgs, uint32_t msgsize)
{
	struct doca_comm_channel_init_attr attr = {.cookie = 5, .flags = flags, .maxmsgs = maxmsgs, .msgsize = msgsize};
	endpoint *ep = NULL;
	OK(doca_comm_channel_ep_create(&attr, &ep));
	CHECK(ep != NULL);
	return ep;
}

static address *connect_to(endpoint *client, const char *name)
{
	address *peer = NULL;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;
	/* The service may not listen yet. */
	for (int tries = 0; result == DOCA_ERROR_CONNECTION_ABORTED && tries < 60000; tries++) {
		result = doca_comm_channel_ep_connect(client, name, &peer);
		if (result != DOCA_SUCCESS)
			usleep(1000);
	}
	OK(result);
	return peer;
}

static void send_text(endpoint *ep, const char *text, address *peer)
{
	OK(doca_comm_channel_ep_sendto(ep, text, strlen(text) + 1, 0, peer));
}

static address *expect_text(endpoint *ep, const char *text)
{
	char bytes[4080];
	size_t len = sizeof(bytes);
	address *from = NULL;
	OK(doca_comm_channel_ep_recvfrom(ep, bytes, &len, 0, &from));
	CHECK(len == strlen(text) + 1 && strcmp(bytes, text) == 0);
	return from;
}

/* ---- the guide's pair ---- */

static int guides_service(void)
{
	endpoint *ep = make(0, 10, 1024);
	OK(doca_comm_channel_ep_listen(ep, "guide"));
	for (int i = 0; i < 3; i++) {
		address *from = expect_text(ep, "question");
		send_text(ep, "answer", from);
		/* The function's next client is refused until then. */
		OK(doca_comm_channel_ep_disconnect(ep, from));
	}
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int guides_client(void)
{
	for (int i = 0; i < 3; i++) {
		endpoint *ep = make(0, 10, 1024);
		address *peer = connect_to(ep, "guide");
		send_text(ep, "question", peer);
		CHECK(expect_text(ep, "answer") == peer);
		OK(doca_comm_channel_ep_disconnect(ep, peer));
		OK(doca_comm_channel_ep_destroy(ep));
	}
	return 0;
}

static void the_guides_pair_talks(void **state)
{
	(void)state;
	play(guides_service, guides_client);
}

static int service_that_comes_late(void)
{
	await(1);
	usleep(20000);
	endpoint *ep = make(0, 10, 1024);
	OK(doca_comm_channel_ep_listen(ep, "late"));
	send_text(ep, "answer", expect_text(ep, "question"));
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int client_that_waits_for_its_service(void)
{
	endpoint *ep = make(0, 10, 1024);
	address *peer;
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "late", &peer));
	setenv("DOCA_EMU_CONNECT_WAIT", "5", 1);
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "late", &peer));
	setenv("DOCA_EMU_CONNECT_WAIT", "60000", 1);
	tell(1);
	OK(doca_comm_channel_ep_connect(ep, "late", &peer));
	send_text(ep, "question", peer);
	CHECK(expect_text(ep, "answer") == peer);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void a_client_can_be_told_to_wait_for_its_service(void **state)
{
	(void)state;
	play(service_that_comes_late, client_that_waits_for_its_service);
}

/* ---- names that are removed ---- */

static int service_that_waits(void)
{
	endpoint *ep = make(0, 10, 1024);
	OK(doca_comm_channel_ep_listen(ep, "removed"));
	tell(1);
	(void)expect_text(ep, "found");
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int client_that_removes_the_folder(void)
{
	await(1);
	usleep(20000);
	const char *fabric = getenv("DOCA_EMU_DIR");
	DIR *folder = opendir(fabric);
	CHECK(folder != NULL);
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		if (entry->d_name[0] != '.')
			CHECK(unlinkat(dirfd(folder), entry->d_name, 0) == 0);
	closedir(folder);
	CHECK(rmdir(fabric) == 0);
	endpoint *ep = make(0, 10, 1024);
	send_text(ep, "found", connect_to(ep, "removed"));
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void a_service_that_waits_looks_after_its_names(void **state)
{
	(void)state;
	play(service_that_waits, client_that_removes_the_folder);
}

/* ---- calls that wait ---- */

enum { MANY = 20000 };

static int slow_service(void)
{
	endpoint *ep = make(0, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "waits"));
	address *from = NULL;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t number;
		size_t len = sizeof(number);
		OK(doca_comm_channel_ep_recvfrom(ep, &number, &len, 0, &from));
		CHECK(number == i);
		if (i % 1000 == 0)
			usleep(2000);
	}
	send_text(ep, "done", from);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int fast_client(void)
{
	endpoint *ep = make(0, 16, 256);
	address *peer = connect_to(ep, "waits");
	for (uint32_t i = 0; i < MANY; i++)
		OK(doca_comm_channel_ep_sendto(ep, &i, sizeof(i), 0, peer));
	expect_text(ep, "done");
	struct rusage used;
	CHECK(getrusage(RUSAGE_SELF, &used) == 0);
	/* It has slept, and not spun. */
	CHECK(used.ru_nvcsw > 10);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void sends_wait_for_room_and_receives_for_messages(void **state)
{
	(void)state;
	play(slow_service, fast_client);
}

static int service_that_does_not_wait(void)
{
	endpoint *ep = make(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "dontwait"));
	char byte;
	size_t len = 1;
	address *from = NULL;
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	CHECK(len == 1 && from == NULL);
	tell(1);
	doca_error_t result = DOCA_ERROR_AGAIN;
	while (result == DOCA_ERROR_AGAIN) {
		len = 1;
		result = doca_comm_channel_ep_recvfrom(ep, &byte, &len, DOCA_CC_MSG_FLAG_DONTWAIT, &from);
	}
	OK(result);
	int sent = 0;
	while ((result = doca_comm_channel_ep_sendto(ep, "x", 1, 0, from)) == DOCA_SUCCESS)
		sent++;
	CHECK(result == DOCA_ERROR_AGAIN && sent == 32);
	tell(2);
	await(3);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int client_that_does_not_wait(void)
{
	await(1);
	endpoint *ep = make(0, 16, 256);
	address *peer = connect_to(ep, "dontwait"), *from;
	char byte;
	size_t len = 1;
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &byte, &len, DOCA_CC_MSG_FLAG_DONTWAIT, &from));
	int sent = 0;
	OK(doca_comm_channel_ep_sendto(ep, "x", 1, 0, peer));
	await(2);
	while (doca_comm_channel_ep_sendto(ep, "x", 1, DOCA_CC_MSG_FLAG_DONTWAIT, peer) == DOCA_SUCCESS)
		sent++;
	CHECK(sent == 32);
	tell(3);
	/* The service's destroy waits for all of it to be sent. */
	for (int i = 0; i < 32; i++) {
		len = 1;
		usleep(1000);
		OK(doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	}
	/* It is unaware of the end, until it sends. */
	len = 1;
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &byte, &len, DOCA_CC_MSG_FLAG_DONTWAIT, &from));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_sendto(ep, "x", 1, 0, peer));
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	CHECK(from == peer && len == 1);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void calls_that_are_told_not_to_wait_do_not(void **state)
{
	(void)state;
	play(service_that_does_not_wait, client_that_does_not_wait);
}

static _Noreturn int service_that_is_killed(void)
{
	endpoint *ep = make(0, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "killed"));
	expect_text(ep, "hello");
	tell((int)getpid());
	for (;;)
		pause();
}

static int client_that_waits_for_it(void)
{
	endpoint *ep = make(0, 16, 256);
	address *peer = connect_to(ep, "killed"), *from;
	send_text(ep, "hello", peer);
	await(1);
	pid_t killer = fork();
	CHECK(killer >= 0);
	if (killer == 0) {
		usleep(20000);
		_exit(kill(atomic_load(step), SIGKILL));
	}
	doca_error_t result = DOCA_SUCCESS;
	while (result == DOCA_SUCCESS) /* until the queues are full, and then until its death */
		result = doca_comm_channel_ep_sendto(ep, "x", 1, 0, peer);
	CHECK(result == DOCA_ERROR_CONNECTION_RESET);
	char byte;
	size_t len = 1;
	GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	finish(killer);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int client_that_sleeps_until_its_death(void)
{
	endpoint *ep = make(0, 16, 256);
	address *peer = connect_to(ep, "killed"), *from = NULL;
	send_text(ep, "hello", peer);
	await(1);
	pid_t killer = fork();
	CHECK(killer >= 0);
	if (killer == 0) {
		usleep(100000);
		_exit(kill(atomic_load(step), SIGKILL));
	}
	char byte;
	size_t len = 1;
	for (int i = 0; i < 2; i++)
		GIVES(DOCA_ERROR_CONNECTION_RESET, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	CHECK(from == peer && len == 1);
	finish(killer);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void the_peers_death_ends_a_wait(void **state)
{
	(void)state;
	int (*const clients[])(void) = {client_that_waits_for_it, client_that_sleeps_until_its_death};
	for (int i = 0; i < 2; i++) {
		tell(0);
		pid_t dpu = start(service_that_is_killed, "dpu"), host = start(clients[i], "host");
		finish(host);
		int status = 0;
		CHECK(waitpid(dpu, &status, 0) == dpu && WIFSIGNALED(status));
	}
}

/* ---- a disconnect, of which the other side is unaware ---- */

static int service_that_disconnects(void)
{
	endpoint *ep = make(0, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "unaware"));
	address *from = expect_text(ep, "hello");
	await(1);
	usleep(100000);
	OK(doca_comm_channel_ep_disconnect(ep, from));
	tell(2);
	await(3);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static _Atomic bool has_returned;

static void *receives_for_ever(void *ep)
{
	char byte;
	size_t len = 1;
	address *from;
	(void)doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from);
	atomic_store(&has_returned, true);
	return NULL;
}

static int client_that_is_unaware(void)
{
	/* Still there when the process ends, as is the thread that uses it. */
	static endpoint *ep;
	ep = make(0, 16, 256);
	send_text(ep, "hello", connect_to(ep, "unaware"));
	pthread_t waits;
	CHECK(pthread_create(&waits, NULL, receives_for_ever, ep) == 0);
	tell(1);
	await(2);
	usleep(300000);
	CHECK(!atomic_load(&has_returned));
	tell(3);
	return 0;
}

static void a_disconnect_does_not_end_a_wait(void **state)
{
	(void)state;
	play(service_that_disconnects, client_that_is_unaware);
}

/* ---- messages that nobody receives ---- */

static int service_that_receives_nothing(void)
{
	endpoint *ep = make(DOCA_CC_INIT_FLAG_NONBLOCK, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "nothing"));
	char byte;
	size_t len = 1;
	address *from = NULL;
	/* It lets the client in. */
	while (atomic_load(step) < 1)
		GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	tell(2);
	await(3);
	/* What had a place in its receive queue is there. */
	for (int i = 0; i < 16; i++) {
		len = 1;
		OK(doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	}
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &from));
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int client_that_gives_up(void)
{
	endpoint *ep = make(0, 16, 256);
	address *peer = connect_to(ep, "nothing");
	tell(1);
	await(2);
	for (int i = 0; i < 32; i++)
		OK(doca_comm_channel_ep_sendto(ep, "x", 1, DOCA_CC_MSG_FLAG_DONTWAIT, peer));
	GIVES(DOCA_ERROR_AGAIN, doca_comm_channel_ep_sendto(ep, "x", 1, DOCA_CC_MSG_FLAG_DONTWAIT, peer));
	OK(doca_comm_channel_ep_destroy(ep));
	tell(3);
	return 0;
}

static void a_destroy_does_not_wait_for_ever(void **state)
{
	(void)state;
	play(service_that_receives_nothing, client_that_gives_up);
}

/* ---- devices ---- */

static int service_of_all(void)
{
	endpoint *ep = make(0, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "all"));
	address *from = NULL, *none = NULL;
	for (int i = 0; i < 2; i++) {
		from = expect_text(ep, "first of a function");
		send_text(ep, "hello", from);
	}
	/* A second client of a function, which is refused: the receive fails. The first one has gone then, and still
	 * counts. */
	char bytes[64];
	size_t len = sizeof(bytes);
	for (int i = 0; i < 3; i++)
		GIVES(DOCA_ERROR_UNKNOWN, doca_comm_channel_ep_recvfrom(ep, bytes, &len, 0, &none));
	CHECK(len == sizeof(bytes) && none == NULL);
	OK(doca_comm_channel_ep_disconnect(ep, from));
	doca_error_t result = DOCA_ERROR_UNKNOWN;
	while (result == DOCA_ERROR_UNKNOWN)
		result = doca_comm_channel_ep_recvfrom(ep, bytes, &len, 0, &from);
	OK(result);
	CHECK(strcmp(bytes, "next of a function") == 0);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

/* A client of the host function that is the first in its topology. */
static int client_of(const char *topology)
{
	setenv("DOCA_EMU_TOPOLOGY", topology, 1);
	endpoint *ep = make(0, 16, 256);
	send_text(ep, "first of a function", connect_to(ep, "all"));
	expect_text(ep, "hello");
	address *peer;
	if (strstr(topology, "one") == NULL) {
		OK(doca_comm_channel_ep_destroy(ep));
		return 0;
	}
	/* Another service could be reached by another endpoint, this one cannot. */
	endpoint *second = make(0, 16, 256);
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(second, "all", &peer));
	OK(doca_comm_channel_ep_destroy(ep));
	peer = connect_to(second, "all");
	send_text(second, "next of a function", peer);
	OK(doca_comm_channel_ep_destroy(second));
	return 0;
}

static char topologies[2][64];

static int client_of_one(void)
{
	await(2);
	return client_of(topologies[0]);
}

static int client_of_two(void)
{
	int result = client_of(topologies[1]);
	tell(2);
	return result;
}

static void write_topology(char *path, const char *name, const char *text)
{
	snprintf(path, 64, "%s/%s", getenv("DOCA_EMU_DIR"), name);
	FILE *file = fopen(path, "w");
	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void a_service_listens_on_all_devices_for_one_client_of_each_function(void **state)
{
	(void)state;
	write_topology(topologies[0], "one", "dpu 0000:03:00.0\nhost 0000:b1:00.0 pf\nhost 0000:b1:00.2 vf\n");
	write_topology(topologies[1], "two", "dpu 0000:03:00.0\nhost 0000:b1:00.2 pf\nhost 0000:b1:00.0 pf\n");
	tell(0);
	pid_t children[] = {start(service_of_all, "dpu"), start(client_of_one, "host"), start(client_of_two, "host")};
	for (int i = 2; i >= 0; i--)
		finish(children[i]);
	for (int i = 0; i < 2; i++)
		CHECK(remove(topologies[i]) == 0);
}

/* ---- refusals ---- */

static int calls_on_the_dpu(void)
{
	address *peer;
	endpoint *ep = make(0, 16, 256), *second = make(0, 16, 256);
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_connect(ep, "x", &peer));
	OK(doca_comm_channel_ep_listen(ep, "x"));
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(ep, "x"));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_listen(second, "x"));
	OK(doca_comm_channel_ep_destroy(ep));
	OK(doca_comm_channel_ep_listen(second, "x"));
	OK(doca_comm_channel_ep_destroy(second));
	return 0;
}

static int calls_on_the_host(void)
{
	address *peer;
	endpoint *ep = make(0, 16, 256);
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_listen(ep, "x"));
	GIVES(DOCA_ERROR_CONNECTION_ABORTED, doca_comm_channel_ep_connect(ep, "nobody", &peer));
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int calls_with_nothing(void)
{
	struct doca_comm_channel_init_attr attr = {.maxmsgs = 8191, .msgsize = 4080};
	endpoint *ep = NULL;
	GIVES(BAD, doca_comm_channel_ep_create(NULL, &ep));
	GIVES(BAD, doca_comm_channel_ep_create(&attr, NULL));
	attr.maxmsgs = 8192;
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_create(&attr, &ep));
	attr.maxmsgs = 8191;
	attr.msgsize = 4081;
	GIVES(DOCA_ERROR_NOT_PERMITTED, doca_comm_channel_ep_create(&attr, &ep));
	attr.msgsize = 0;
	attr.flags = 2;
	GIVES(BAD, doca_comm_channel_ep_create(&attr, &ep));
	attr.flags = DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK;
	OK(doca_comm_channel_ep_create(&attr, &ep));
	char name[121], byte;
	memset(name, 'n', 120);
	name[120] = '\0';
	size_t len = 1;
	address *peer;
	uint64_t number;
	GIVES(BAD, doca_comm_channel_ep_listen(NULL, "x"));
	GIVES(BAD, doca_comm_channel_ep_listen(ep, NULL));
	GIVES(BAD, doca_comm_channel_ep_listen(ep, ""));
	GIVES(BAD, doca_comm_channel_ep_listen(ep, name));
	GIVES(BAD, doca_comm_channel_ep_connect(NULL, "x", &peer));
	GIVES(BAD, doca_comm_channel_ep_connect(ep, NULL, &peer));
	GIVES(BAD, doca_comm_channel_ep_connect(ep, "x", NULL));
	GIVES(BAD, doca_comm_channel_ep_connect(ep, name, &peer));
	GIVES(BAD, doca_comm_channel_ep_sendto(NULL, "x", 1, 0, NULL));
	GIVES(BAD, doca_comm_channel_ep_sendto(ep, NULL, 1, 0, NULL));
	GIVES(BAD, doca_comm_channel_ep_sendto(ep, "x", 1, 2, NULL));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(ep, "x", 1, 0, NULL));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, &peer));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(NULL, &byte, &len, 0, &peer));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(ep, NULL, &len, 0, &peer));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(ep, &byte, NULL, 0, &peer));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 0, NULL));
	GIVES(BAD, doca_comm_channel_ep_recvfrom(ep, &byte, &len, 2, &peer));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(ep, NULL));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_disconnect(NULL, NULL));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_destroy(NULL));
	GIVES(BAD, doca_comm_channel_peer_addr_user_data_set(NULL, 1));
	GIVES(BAD, doca_comm_channel_peer_addr_user_data_get(NULL, &number));
	GIVES(BAD, doca_comm_channel_peer_addr_set_user_data(NULL, 1));
	GIVES(BAD, doca_comm_channel_peer_addr_get_user_data(NULL, &number));
	OK(doca_comm_channel_ep_destroy(ep));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void calls_refuse_what_they_cannot_do(void **state)
{
	(void)state;
	finish(start(calls_on_the_dpu, "dpu"));
	finish(start(calls_on_the_host, "host"));
	finish(start(calls_with_nothing, "both"));
}

static int service_of_user_data(void)
{
	endpoint *ep = make(0, 16, 256);
	OK(doca_comm_channel_ep_listen(ep, "data"));
	address *from = expect_text(ep, "hello");
	uint64_t number = 7;
	OK(doca_comm_channel_peer_addr_user_data_get(from, &number));
	CHECK(number == 0);
	OK(doca_comm_channel_peer_addr_user_data_set(from, 11));
	OK(doca_comm_channel_peer_addr_get_user_data(from, &number));
	CHECK(number == 11);
	OK(doca_comm_channel_peer_addr_set_user_data(from, 12));
	OK(doca_comm_channel_peer_addr_user_data_get(from, &number));
	CHECK(number == 12);
	GIVES(BAD, doca_comm_channel_peer_addr_user_data_get(from, NULL));
	static const char longest[256];
	GIVES(BAD, doca_comm_channel_ep_sendto(ep, longest, 257, 0, from));
	GIVES(BAD, doca_comm_channel_ep_sendto(ep, longest, 0, 0, from));
	OK(doca_comm_channel_ep_sendto(ep, longest, 256, 0, from));
	OK(doca_comm_channel_ep_disconnect(ep, from));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_comm_channel_ep_sendto(ep, longest, 1, 0, from));
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static int client_of_user_data(void)
{
	endpoint *ep = make(0, 16, 100);
	send_text(ep, "hello", connect_to(ep, "data"));
	char bytes[256];
	size_t len = sizeof(bytes);
	address *from;
	OK(doca_comm_channel_ep_recvfrom(ep, bytes, &len, 0, &from));
	CHECK(len == 256);
	OK(doca_comm_channel_ep_destroy(ep));
	return 0;
}

static void peers_keep_a_number_under_two_names(void **state)
{
	(void)state;
	play(service_of_user_data, client_of_user_data);
}

static char fabric[64];

static int up(void **state)
{
	(void)state;
	step = mmap(NULL, sizeof(*step), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(fabric, sizeof(fabric), "/dev/shm/doca-emu-v1_2.XXXXXX");
	return step != MAP_FAILED && mkdtemp(fabric) != NULL && setenv("DOCA_EMU_DIR", fabric, 1) == 0 ? 0 : -1;
}

/* The files of the service that was killed are removed by the next one. */
static int down(void **state)
{
	(void)state;
	finish(start(calls_on_the_dpu, "dpu"));
	return munmap((void *)(uintptr_t)step, sizeof(*step)) == 0 ? rmdir(fabric) : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_guides_pair_talks),
		cmocka_unit_test(a_client_can_be_told_to_wait_for_its_service),
		cmocka_unit_test(a_service_that_waits_looks_after_its_names),
		cmocka_unit_test(sends_wait_for_room_and_receives_for_messages),
		cmocka_unit_test(calls_that_are_told_not_to_wait_do_not),
		cmocka_unit_test(the_peers_death_ends_a_wait),
		cmocka_unit_test(a_disconnect_does_not_end_a_wait),
		cmocka_unit_test(a_destroy_does_not_wait_for_ever),
		cmocka_unit_test(a_service_listens_on_all_devices_for_one_client_of_each_function),
		cmocka_unit_test(calls_refuse_what_they_cannot_do),
		cmocka_unit_test(peers_keep_a_number_under_two_names),
	};
	return cmocka_run_group_tests(tests, up, down);
}
