/* Children of a process that has a server, a client, or both: they keep nothing of it alive, cannot use what it has,
 * and do it no harm. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

/* A server with a client in another process, which forks when it is told to; its child sleeps. */
static int serve_and_fork(void *told)
{
	struct devices devices;
	struct end server;
	devices_open_dpu(&devices);
	server_make(&server, &devices, "prefork", NULL);
	OK(doca_ctx_start(server.ctx));
	UNTIL(count_of(&server.record, MESSAGE) == 1, server.pe);
	pid_t child = fork();
	if (child == 0) {
		for (;;)
			pause();
	}
	CHECK(write(*(int *)told, &child, sizeof(child)) == sizeof(child));
	for (;;)
		drive(server.pe);
}

static void a_child_keeps_neither_name_nor_connection_of_a_server_that_was_killed(void **state)
{
	(void)state;
	int pipes[2];
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	bool reaps = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; /* not in qemu-user */
	int server = child_start(serve_and_fork, &pipes[1]);
	struct devices devices;
	struct end client, next;
	devices_open(&devices);
	client_make(&client, &devices, "prefork", NULL);
	int64_t deadline = harness_deadline();
	while (client.connection == NULL) {
		harness_in_time(deadline, __FILE__, __LINE__, "connected");
		if (state_of(client.ctx) == IDLE) {
			usleep(500);
			(void)doca_ctx_start(client.ctx);
		}
		drive(client.pe);
	}
	send_text(&client, client.connection, "fork");
	UNTIL(inflight(client.ctx) == 0, client.pe);
	pid_t child;
	assert_int_equal(read(pipes[0], &child, sizeof(child)), sizeof(child));
	child_kill(server);
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	server_make(&next, &devices, "prefork", NULL);
	OK(doca_ctx_start(next.ctx));
	assert_int_equal(kill(child, 0), 0); /* it lives, and has nothing of it */
	assert_int_equal(kill(child, SIGKILL), 0);
	if (reaps)
		assert_int_equal(waitpid(child, NULL, 0), child);
	(void)doca_ctx_stop(next.ctx);
	UNTIL(state_of(next.ctx) == IDLE, next.pe);
	end_destroy(&client);
	end_destroy(&next);
	devices_close(&devices);
	close(pipes[0]);
	close(pipes[1]);
}

static int in_child(void (*body)(void *), void *argument)
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		alarm(60);
		body(argument);
		_exit(0);
	}
	return child_wait(child);
}

/* All that a child can do with what it has inherited. */
static void use_what_is_inherited(void *argument)
{
	struct pair *pair = argument;
	struct end *const ends[] = {&pair->server, &pair->client};
	for (int i = 0; i < 2; i++) {
		struct end *end = ends[i];
		size_t happened = end->record.num;
		CHECK(doca_pe_progress(end->pe) == 0);
		CHECK(end->record.num == happened);
		struct doca_comch_task_send *task;
		OK(alloc_send(end, end->connection, "child", 5, &task));
		GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(doca_comch_task_send_as_task(task)));
		GIVES(DOCA_ERROR_BAD_STATE, doca_task_try_submit(doca_comch_task_send_as_task(task)));
		doca_task_free(doca_comch_task_send_as_task(task));
		GIVES(DOCA_ERROR_BAD_STATE, doca_ctx_start(end->ctx));
		(void)doca_pe_request_notification(end->pe);
		(void)doca_pe_clear_notification(end->pe, 0);
		CHECK(doca_pe_progress(end->pe) == 0);
	}
	(void)doca_comch_server_disconnect(pair->server.server, pair->server.connection);
	for (int i = 0; i < 2; i++) {
		GIVES(DOCA_ERROR_BAD_STATE, doca_ctx_stop(ends[i]->ctx));
		CHECK(state_of(ends[i]->ctx) == RUNNING);
	}
	CHECK(doca_comch_server_destroy(pair->server.server) != DOCA_SUCCESS);
}

static void talk(struct pair *pair)
{
	record_clear(&pair->server.record);
	record_clear(&pair->client.record);
	send_text(&pair->server, pair->server.connection, "to the client");
	send_text(&pair->client, pair->client.connection, "to the server");
	UNTIL(count_of(&pair->server.record, MESSAGE) == 1 && count_of(&pair->client.record, MESSAGE) == 1,
	      pair->server.pe, pair->client.pe);
	assert_true(is_text(nth(&pair->server.record, MESSAGE, 0), "to the server"));
	assert_true(is_text(nth(&pair->client.record, MESSAGE, 0), "to the client"));
}

static void a_child_cannot_use_what_it_inherits_and_does_no_harm(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	OK(doca_pe_request_notification(pair.server.pe));
	OK(doca_pe_clear_notification(pair.server.pe, 0));
	assert_int_equal(in_child(use_what_is_inherited, &pair), 0);
	settle(pair.server.pe, pair.client.pe);
	assert_int_equal(count_of(&pair.server.record, DISCONNECTED), 0);
	talk(&pair);
	SLEEP_UNTIL(inflight(pair.server.ctx) == 0, pair.server.pe);
	pair_close(&pair);
}

/* The messages of a queue that the parent has not looked at must still be there. */
static void a_message_under_way_outlasts_a_child(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	send_text(&pair.client, pair.client.connection, "under way");
	assert_int_equal(in_child(use_what_is_inherited, &pair), 0);
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1, pair.server.pe, pair.client.pe);
	assert_true(is_text(nth(&pair.server.record, MESSAGE, 0), "under way"));
	pair_close(&pair);
}

static void begin_anew(void *argument)
{
	(void)argument;
	struct pair own;
	memset(&own, 0, sizeof(own));
	devices_open(&own.devices);
	server_make(&own.server, &own.devices, "of the child", NULL);
	client_make(&own.client, &own.devices, "of the child", NULL);
	OK(doca_ctx_start(own.server.ctx));
	(void)doca_ctx_start(own.client.ctx);
	UNTIL(own.server.connection != NULL && own.client.connection != NULL, own.server.pe, own.client.pe);
	talk(&own);
	pair_stop(&own);
}

static void a_child_can_begin_anew(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	assert_int_equal(in_child(begin_anew, NULL), 0);
	talk(&pair);
	pair_close(&pair);
}

/* How many descriptors a program has that this one executes. */
static int descriptors_of_a_program(void)
{
	char text[16] = "";
	FILE *list = popen("ls /proc/self/fd | wc -l", "re");
	assert_non_null(list);
	assert_non_null(fgets(text, sizeof(text), list));
	assert_int_equal(pclose(list), 0);
	return atoi(text);
}

static void assert_closed_by_exec(const bool *before)
{
	DIR *entries = opendir("/proc/self/fd");
	assert_non_null(entries);
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
		int fd = atoi(entry->d_name);
		if (entry->d_name[0] != '.' && fd < 1024 && !before[fd] && (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0)
			fail_msg("a program that is executed would have descriptor %d", fd);
	}
	closedir(entries);
}

/* With all that has descriptors. */
static void a_program_that_is_executed_has_no_descriptor(void **state)
{
	(void)state;
	bool before[1024];
	for (int fd = 0; fd < 1024; fd++)
		before[fd] = fcntl(fd, F_GETFD) >= 0;
	int wanted = descriptors_of_a_program();
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory memory;
	memory_open(&memory, 1 << 16, 4, pair.devices.host, RW);
	struct consumer consumer;
	struct producer producer;
	memory_share(&memory, pair.devices.dpu);
	consumer_make(&consumer, pair.client.connection, memory.mmap, 4, pair.client.pe);
	producer_make(&producer, pair.server.connection, 4, pair.server.pe);
	consumer_start(&consumer, pair.client.pe);
	producer_start(&producer);
	const void *description;
	size_t size;
	OK(doca_mmap_export_pci(memory.mmap, pair.devices.host, &description, &size));
	OK(doca_pe_request_notification(pair.client.pe));
	assert_closed_by_exec(before);
	assert_int_equal(descriptors_of_a_program(), wanted);
	OK(doca_pe_clear_notification(pair.client.pe, 0));
	consumer_stop(&consumer);
	producer_stop(&producer);
	consumer_destroy(&consumer);
	producer_destroy(&producer);
	memory_close(&memory);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_keeps_neither_name_nor_connection_of_a_server_that_was_killed),
		cmocka_unit_test(a_child_cannot_use_what_it_inherits_and_does_no_harm),
		cmocka_unit_test(a_message_under_way_outlasts_a_child),
		cmocka_unit_test(a_child_can_begin_anew),
		cmocka_unit_test(a_program_that_is_executed_has_no_descriptor),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
