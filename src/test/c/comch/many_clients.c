/* As many clients as one server takes, from several processes at once.
 *
 * The server needs two descriptors for each; where the limit cannot be raised the test is skipped. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

enum { PROCESSES = 4, CLIENTS = 512, EACH = CLIENTS / PROCESSES, ROUNDS = 3, DESCRIPTORS = 1200 };

static struct end clients[EACH];

static bool all(bool (*holds)(const struct end *end, size_t number), size_t number)
{
	for (size_t i = 0; i < EACH; i++)
		if (!holds(&clients[i], number))
			return false;
	return true;
}

static bool runs(const struct end *end, size_t number)
{
	(void)number;
	return state_of(end->ctx) == RUNNING;
}

static bool has_received(const struct end *end, size_t number)
{
	return count_of(&end->record, MESSAGE) == number;
}

static bool is_idle(const struct end *end, size_t number)
{
	(void)number;
	return state_of(end->ctx) == IDLE;
}

/* A process with its share of the clients: each sends its own bytes, gets them back, and leaves when told. */
static int clients_of_one_process(void *argument)
{
	(void)argument;
	struct devices devices;
	devices_open_host(&devices);
	struct doca_pe *pe;
	OK(doca_pe_create(&pe));
	for (size_t i = 0; i < EACH; i++) {
		client_make(&clients[i], &devices, "many", pe);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[i].ctx));
	}
	UNTIL(all(runs, 0), pe);
	for (size_t round = 1; round <= ROUNDS; round++) {
		for (uint32_t i = 0; i < EACH; i++)
			send_bytes(&clients[i], clients[i].connection, &i, sizeof(i));
		UNTIL(all(has_received, round), pe);
		for (uint32_t i = 0; i < EACH; i++)
			CHECK(memcmp(nth(&clients[i].record, MESSAGE, round - 1)->bytes, &i, sizeof(i)) == 0);
	}
	/* The server disconnects everybody once all are there, so all are there at the same time. */
	UNTIL(all(is_idle, 0), pe);
	for (size_t i = 0; i < EACH; i++)
		end_destroy(&clients[i]);
	OK(doca_pe_destroy(pe));
	devices_close(&devices);
	return 0;
}

static void answer(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	struct doca_comch_task_send *task;
	OK(alloc_send(end, connection, bytes, len, &task));
	OK(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void one_server_takes_512_clients_from_several_processes(void **state)
{
	(void)state;
	struct rlimit limit;
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	if (limit.rlim_max < DESCRIPTORS)
		skip();
	limit.rlim_cur = limit.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);

	/* Forked before this process uses the library; they wait for the server. */
	setenv("DOCA_EMU_CONNECT_WAIT", "60000", 1);
	int children[PROCESSES];
	for (int i = 0; i < PROCESSES; i++)
		children[i] = child_start(clients_of_one_process, NULL);
	unsetenv("DOCA_EMU_CONNECT_WAIT");
	struct devices devices;
	devices_open_dpu(&devices);
	struct end server;
	server_make(&server, &devices, "many", NULL);
	server.on_message = answer;
	OK(doca_ctx_start(server.ctx));
	UNTIL(count_of(&server.record, MESSAGE) == CLIENTS * ROUNDS && inflight(server.ctx) == 0, server.pe);
	assert_int_equal(count_of(&server.record, CONNECTED), CLIENTS);
	assert_int_equal(count_of(&server.record, DISCONNECTED), 0);

	/* There is no place for one more. */
	struct devices host;
	devices_open_host(&host);
	struct end late;
	client_make(&late, &host, "many", NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(late.ctx));
	UNTIL(state_of(late.ctx) == IDLE, late.pe, server.pe);
	assert_string_equal(states_of(&late.record), "SI");
	end_destroy(&late);
	devices_close(&host);

	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	for (int i = 0; i < PROCESSES; i++)
		assert_int_equal(child_wait(children[i]), 0);
	end_destroy(&server);
	devices_close(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_server_takes_512_clients_from_several_processes),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
