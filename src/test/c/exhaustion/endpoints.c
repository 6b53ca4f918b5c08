/* Every call of an endpoint for memory, descriptors, files and sockets fails once, at each place where it can, while a
 * service and a client live through a whole life. Each time: a documented error, nothing lost, and the next try
 * succeeds. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doca_comm_channel.h"
#include "doca_dev.h"
#include "inject.h"
#include "support.h"

#define REQUIRE(condition) ((condition) ? (void)0 : violated(__LINE__, #condition))
#define OK(call) REQUIRE((call) == DOCA_SUCCESS)

static _Noreturn void violated(int line, const char *what)
{
	fprintf(stderr, "endpoints.c:%d: %s does not hold\n", line, what);
	abort();
}

static char folder[64];
static struct doca_dev *dpu, *host;
static struct doca_dev_rep *rep;

/* ---- what must not be lost ---- */

struct belongings {
	unsigned descriptors;
	long allocations, mappings;
};

static struct belongings belongings(void)
{
	struct pollfd all[256];
	unsigned open = 0;
	for (int fd = 0; fd < 256; fd++)
		all[fd] = (struct pollfd){.fd = fd};
	(void)poll(all, 256, 0);
	for (int fd = 0; fd < 256; fd++)
		open += (all[fd].revents & POLLNVAL) == 0;
	return (struct belongings){open, inject_live_allocations(), inject_live_mappings()};
}

static void nothing_lost(const struct belongings *before)
{
	struct belongings now = belongings();
	REQUIRE(now.descriptors == before->descriptors);
	REQUIRE(now.allocations == before->allocations);
	REQUIRE(now.mappings == before->mappings);
}

static unsigned files_in_folder(void)
{
	unsigned files = 0;
	DIR *entries = opendir(folder);
	REQUIRE(entries != NULL);
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		files += entry->d_name[0] != '.';
	closedir(entries);
	return files;
}

/* ---- a life ---- */

struct life {
	struct doca_comm_channel_ep_t *service, *client;
	struct doca_comm_channel_addr_t *of_service, *of_client;
};

/* Whether it succeeded; if not, the error must be one of three. */
static bool succeeds(doca_error_t result, doca_error_t one, doca_error_t two, doca_error_t three)
{
	REQUIRE(result == DOCA_SUCCESS || result == one || result == two || result == three);
	return result == DOCA_SUCCESS;
}

static bool open_events(struct doca_comm_channel_ep_t *ep)
{
	doca_event_channel_t send, recv;
	return succeeds(doca_comm_channel_ep_get_event_channel(ep, &send, &recv), DOCA_ERROR_NOT_FOUND,
			DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NOT_FOUND);
}

static bool make(struct doca_comm_channel_ep_t **ep, struct doca_dev *dev)
{
	if (!succeeds(doca_comm_channel_ep_create(ep), DOCA_ERROR_NO_MEMORY, DOCA_ERROR_NO_MEMORY,
		      DOCA_ERROR_INITIALIZATION))
		return false;
	OK(doca_comm_channel_ep_set_device(*ep, dev));
	return true;
}

static bool meet(struct life *life)
{
	if (!make(&life->service, dpu) || !make(&life->client, host))
		return false;
	OK(doca_comm_channel_ep_set_device_rep(life->service, rep));
	if (!succeeds(doca_comm_channel_ep_listen(life->service, "life"), DOCA_ERROR_NO_MEMORY,
		      DOCA_ERROR_INITIALIZATION, DOCA_ERROR_CONNECTION_ABORTED) ||
	    !open_events(life->service))
		return false;
	if (!succeeds(doca_comm_channel_ep_update_service_state_info(life->service), DOCA_ERROR_DRIVER,
		      DOCA_ERROR_DRIVER, DOCA_ERROR_DRIVER))
		return false;
	return succeeds(doca_comm_channel_ep_connect(life->client, "life", &life->of_service), DOCA_ERROR_NO_MEMORY,
			DOCA_ERROR_INITIALIZATION, DOCA_ERROR_CONNECTION_ABORTED) &&
	       open_events(life->client);
}

static doca_error_t receive(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t **from)
{
	char byte;
	size_t len = 1;
	return doca_comm_channel_ep_recvfrom(ep, &byte, &len, DOCA_CC_MSG_FLAG_NONE, from);
}

static bool shake_hands(struct life *life)
{
	doca_error_t result = DOCA_ERROR_CONNECTION_INPROGRESS;
	for (int tries = 0; result == DOCA_ERROR_CONNECTION_INPROGRESS && tries < 10; tries++) {
		doca_error_t received = receive(life->service, &life->of_client);
		REQUIRE(received == DOCA_ERROR_AGAIN || received == DOCA_ERROR_INITIALIZATION);
		result = doca_comm_channel_peer_addr_update_info(life->of_service);
	}
	return succeeds(result, DOCA_ERROR_CONNECTION_ABORTED, DOCA_ERROR_CONNECTION_ABORTED,
			DOCA_ERROR_CONNECTION_INPROGRESS);
}

static bool talk(struct life *life)
{
	OK(doca_comm_channel_ep_sendto(life->client, "x", 1, DOCA_CC_MSG_FLAG_NONE, life->of_service));
	if (!succeeds(doca_comm_channel_ep_event_handle_arm_recv(life->service), DOCA_ERROR_NOT_FOUND,
		      DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NOT_FOUND))
		return false;
	OK(receive(life->service, &life->of_client));
	OK(doca_comm_channel_ep_sendto(life->service, "y", 1, DOCA_CC_MSG_FLAG_NONE, life->of_client));
	if (!succeeds(doca_comm_channel_ep_event_handle_arm_send(life->service), DOCA_ERROR_NOT_FOUND,
		      DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NOT_FOUND))
		return false;
	struct doca_comm_channel_addr_t *from;
	OK(receive(life->client, &from));
	if (!succeeds(doca_comm_channel_ep_update_service_state_info(life->service), DOCA_ERROR_DRIVER,
		      DOCA_ERROR_DRIVER, DOCA_ERROR_DRIVER))
		return false;
	OK(doca_comm_channel_ep_disconnect(life->client, life->of_service));
	return true;
}

static bool live(void)
{
	struct life life = {0};
	bool complete = meet(&life) && shake_hands(&life) && talk(&life);
	/* The client first: the service does not wait for it. */
	if (life.client != NULL)
		OK(doca_comm_channel_ep_destroy(life.client));
	if (life.service != NULL)
		OK(doca_comm_channel_ep_destroy(life.service));
	return complete;
}

/* ---- each call fails once ---- */

static const struct failure {
	enum call call;
	int error;
	const char *name;
} failures[] = {
	{CALL_ALLOC, ENOMEM, "malloc and its kin: ENOMEM"},
	{CALL_MMAP, ENOMEM, "mmap: ENOMEM"},
	{CALL_MEMFD_CREATE, EMFILE, "memfd_create: EMFILE"},
	{CALL_FTRUNCATE, ENOSPC, "ftruncate: ENOSPC"},
	{CALL_FCNTL, EPERM, "fcntl: EPERM"},
	{CALL_SOCKET, EMFILE, "socket and socketpair: EMFILE"},
	{CALL_BIND, ENOSPC, "bind: ENOSPC"},
	{CALL_LISTEN, EADDRINUSE, "listen: EADDRINUSE"},
	{CALL_CONNECT, ECONNREFUSED, "connect: ECONNREFUSED"},
	{CALL_CONNECT, EAGAIN, "connect: EAGAIN"},
	{CALL_ACCEPT, EMFILE, "accept4: EMFILE"},
	{CALL_ACCEPT, ECONNABORTED, "accept4: ECONNABORTED"},
	{CALL_GETSOCKOPT, ENOBUFS, "getsockopt: ENOBUFS"},
	{CALL_EPOLL_CREATE, EMFILE, "epoll_create1: EMFILE"},
	{CALL_EPOLL_CTL, ENOSPC, "epoll_ctl: ENOSPC"},
	{CALL_SENDMSG, ENOBUFS, "sendmsg: ENOBUFS"},
	{CALL_SENDMSG, EPIPE, "sendmsg: EPIPE"},
	{CALL_RECVMSG, ECONNRESET, "recvmsg: ECONNRESET"},
	{CALL_RECVMSG, EINTR, "recvmsg: EINTR"},
	{CALL_OPEN, EMFILE, "open and openat: EMFILE"},
	{CALL_FLOCK, ENOLCK, "flock: ENOLCK"},
	{CALL_FSTAT, EIO, "fstat: EIO"},
	{CALL_EVENTFD, EMFILE, "eventfd: EMFILE"},
};

static void each_call_fails_once(void **state)
{
	(void)state;
	unsigned total = 0;
	/* What has ended is kept for late calls, the latest thousand: from here on their number stays. */
	for (int i = 0; i < 1100; i++) {
		struct doca_comm_channel_ep_t *ep;
		OK(doca_comm_channel_ep_create(&ep));
		OK(doca_comm_channel_ep_destroy(ep));
	}
	REQUIRE(live());
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		unsigned survived = 0, place = 1;
		for (;; place++) {
			struct belongings before = belongings();
			inject(failures[i].call, place, failures[i].error);
			bool complete = live();
			bool struck = inject_end();
			nothing_lost(&before);
			REQUIRE(struck || complete);
			if (!struck)
				break;
			survived += complete;
			if (!live()) {
				fprintf(stderr, "%s at place %u: the next try fails as well\n", failures[i].name,
					place);
				abort();
			}
			nothing_lost(&before);
			/* The next service removes what one has left behind that could not. */
			REQUIRE(files_in_folder() == 0);
		}
		print_message("%-30s %3u places, life goes on at %u\n", failures[i].name, place - 1, survived);
		total += place - 1;
	}
	assert_in_range(total, 50, 1000);
}

static int open_all(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/dev/shm/doca-emu-exhausted.XXXXXX");
	if (mkdtemp(folder) == NULL || setenv("DOCA_EMU_DIR", folder, 1) != 0)
		return -1;
	struct doca_devinfo **list;
	struct doca_devinfo_rep **reps;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	OK(doca_dev_open(list[0], &dpu));
	OK(doca_dev_open(list[1], &host));
	OK(doca_devinfo_destroy_list(list));
	OK(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num));
	OK(doca_dev_rep_open(reps[0], &rep));
	OK(doca_devinfo_rep_destroy_list(reps));
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	OK(doca_dev_rep_close(rep));
	OK(doca_dev_close(dpu));
	OK(doca_dev_close(host));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_fails_once)};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
