/* Children of a process that has a service, a client, or both: they keep nothing of it alive, cannot use what it has,
 * and do it no harm. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static const struct sizes defaults = {0};

/* A service that forks when a client has spoken; its child sleeps. */
static int serve_and_fork(void *told)
{
	struct devices devices;
	devices_open(&devices);
	endpoint *service = service_make(&devices, "prefork", defaults);
	(void)expect_text(service, "fork");
	pid_t child = fork();
	if (child == 0) {
		for (;;)
			pause();
	}
	CHECK(write(*(int *)told, &child, sizeof(child)) == sizeof(child));
	for (;;)
		pause();
}

static void a_child_keeps_neither_name_nor_connection_of_a_service_that_was_killed(void **state)
{
	(void)state;
	int pipes[2];
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	bool reaps = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; /* not in qemu-user */
	pid_t killed = child_start(serve_and_fork, &pipes[1]);
	struct devices devices;
	devices_open(&devices);
	endpoint *client = client_make(&devices, defaults);
	address *peer = NULL;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;
	UNTIL(result == DOCA_SUCCESS, result = doca_comm_channel_ep_connect(client, "prefork", &peer));
	UNTIL(result == DOCA_SUCCESS && doca_comm_channel_peer_addr_update_info(peer) == DOCA_SUCCESS, usleep(500));
	send_text(client, "fork", peer);
	pid_t child;
	assert_int_equal(read(pipes[0], &child, sizeof(child)), sizeof(child));
	child_kill(killed);
	UNTIL(result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN,
	      result = doca_comm_channel_ep_sendto(client, "more", 4, 0, peer));
	OK(doca_comm_channel_ep_destroy(client));
	endpoint *next = service_make(&devices, "prefork", defaults);
	assert_int_equal(kill(child, 0), 0); /* it lives, and has nothing of it */
	assert_int_equal(kill(child, SIGKILL), 0);
	if (reaps)
		assert_int_equal(waitpid(child, NULL, 0), child);
	OK(doca_comm_channel_ep_destroy(next));
	devices_close(&devices);
	close(pipes[0]);
	close(pipes[1]);
}

/* All that a child can do with what it has inherited, and then with what it makes. */
static int use_and_begin_anew(void *argument)
{
	struct pair *pair = argument;
	char bytes[64];
	size_t len = sizeof(bytes);
	address *from;
	CHECK(doca_comm_channel_ep_sendto(pair->client, "child", 5, 0, pair->of_service) != DOCA_SUCCESS);
	CHECK(doca_comm_channel_ep_sendto(pair->service, "child", 5, 0, pair->of_client) != DOCA_SUCCESS);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_recvfrom(pair->service, bytes, &len, 0, &from));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comm_channel_ep_event_handle_arm_recv(pair->service));
	(void)doca_comm_channel_ep_disconnect(pair->client, pair->of_service);
	CHECK(doca_comm_channel_ep_destroy(pair->service) != DOCA_SUCCESS);
	struct pair own;
	pair_meet(&own, "of the child", defaults, defaults);
	send_text(own.client, "hello", own.of_service);
	(void)expect_text(own.service, "hello");
	pair_close(&own);
	return 0;
}

static void a_child_cannot_use_what_it_inherits_and_does_no_harm(void **state)
{
	(void)state;
	struct pair pair;
	pair_meet(&pair, "parent", defaults, defaults);
	send_text(pair.client, "under way", pair.of_service);
	fflush(NULL);
	child_finish(child_start(use_and_begin_anew, &pair));
	(void)expect_text(pair.service, "under way");
	send_text(pair.service, "back", pair.of_client);
	(void)expect_text(pair.client, "back");
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_keeps_neither_name_nor_connection_of_a_service_that_was_killed),
		cmocka_unit_test(a_child_cannot_use_what_it_inherits_and_does_no_harm),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
