/* Machines that the program names: one process in several, which do not know of each other. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doca_emu.h"
#include "harness.h"
#include "logged.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define DPU_PCI "0000:03:00.0"
#define HOST_PCI "0000:b1:00.0"

/* Two folders in that of the test, the first with a topology. */
static char first[128], second[128];

static int folders_up(void **state)
{
	log_keep();
	(void)fabric_up(state);
	snprintf(first, sizeof(first), "%s/first", getenv("DOCA_EMU_DIR"));
	snprintf(second, sizeof(second), "%s/second", getenv("DOCA_EMU_DIR"));
	CHECK(mkdir(first, 0700) == 0 && mkdir(second, 0700) == 0);
	char path[160];
	snprintf(path, sizeof(path), "%s/topology", first);
	FILE *file = fopen(path, "w");
	CHECK(file != NULL && fputs("limit max_msg_size 100\nlimit max_tasks 7\n", file) >= 0 && fclose(file) == 0);
	/* Both are the environment's machine's. */
	setenv("DOCA_EMU_LIMITS", "max_msg_size=200", 1);
	setenv("DOCA_EMU_SIDE", "host", 1);
	return 0;
}

static void empty(const char *folder)
{
	DIR *entries = opendir(folder);
	CHECK(entries != NULL);
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		if (entry->d_name[0] != '.')
			CHECK(unlinkat(dirfd(entries), entry->d_name, 0) == 0);
	closedir(entries);
	CHECK(rmdir(folder) == 0);
}

static int folders_down(void **state)
{
	empty(first);
	empty(second);
	return fabric_down(state);
}

static uint32_t count(const char *folder, const char *side)
{
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_emu_devinfo_create_list(folder, side, &list, &num));
	CHECK(list[num] == NULL);
	OK(doca_devinfo_destroy_list(list));
	return num;
}

static struct doca_dev *open_in(const char *folder, const char *pci)
{
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_emu_devinfo_create_list(folder, "both", &list, &num));
	return open_listed(list, num, pci);
}

static struct devices both_sides_of(const char *folder)
{
	struct devices d = {.dpu = open_in(folder, DPU_PCI), .host = open_in(folder, HOST_PCI)};
	struct doca_devinfo_rep **reps;
	uint32_t num;
	OK(doca_devinfo_rep_create_list(d.dpu, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num));
	OK(doca_dev_rep_open(reps[0], &d.rep));
	OK(doca_devinfo_rep_destroy_list(reps));
	return d;
}

static void close_both(const struct devices *d)
{
	OK(doca_dev_rep_close(d->rep));
	OK(doca_dev_close(d->dpu));
	OK(doca_dev_close(d->host));
}

static uint32_t max_msg_size(const struct doca_dev *dev)
{
	uint32_t size;
	OK(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(dev), &size));
	return size;
}

static void stop(struct end *end, struct doca_pe *other)
{
	if (state_of(end->ctx) != IDLE)
		(void)doca_ctx_stop(end->ctx);
	UNTIL(state_of(end->ctx) == IDLE, end->pe, other);
}

static void servers_of_one_name_have_their_own_clients(void **state)
{
	(void)state;
	const char *folders[] = {first, second};
	const char *texts[] = {"to the first", "to the second"};
	struct devices d[2];
	struct end servers[2], clients[2];
	for (int i = 0; i < 2; i++) {
		d[i] = both_sides_of(folders[i]);
		server_make(&servers[i], &d[i], "twin", NULL);
		OK(doca_ctx_start(servers[i].ctx));
		client_make(&clients[i], &d[i], "twin", NULL);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[i].ctx));
	}
	for (int i = 0; i < 2; i++) {
		UNTIL(servers[i].connection != NULL && clients[i].connection != NULL, servers[i].pe, clients[i].pe);
		send_text(&clients[i], clients[i].connection, texts[i]);
		UNTIL(count_of(&servers[i].record, MESSAGE) == 1, servers[i].pe, clients[i].pe);
		CHECK(is_text(nth(&servers[i].record, MESSAGE, 0), texts[i]));
		CHECK(count_of(&servers[i].record, CONNECTED) == 1);
	}
	for (int i = 0; i < 2; i++) {
		stop(&clients[i], servers[i].pe);
		stop(&servers[i], servers[i].pe);
		end_destroy(&clients[i]);
		end_destroy(&servers[i]);
		close_both(&d[i]);
	}
}

static doca_error_t try_message(struct end *client)
{
	struct doca_comch_task_send *task;
	OK(alloc_send(client, client->connection, "x", 1, &task));
	doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

static void faults_are_those_of_one_machine(void **state)
{
	(void)state;
	const char *folders[] = {first, second};
	struct devices d[2];
	struct end servers[2], clients[2];
	for (int i = 0; i < 2; i++) {
		d[i] = both_sides_of(folders[i]);
		server_make(&servers[i], &d[i], "faulty", NULL);
		client_make(&clients[i], &d[i], "faulty", NULL);
		OK(doca_ctx_start(servers[i].ctx));
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(clients[i].ctx));
		UNTIL(servers[i].connection != NULL && clients[i].connection != NULL, servers[i].pe, clients[i].pe);
	}
	OK(doca_emu_set_faults_of(first, "again=1000"));
	OK(doca_emu_set_faults_of(second, "again=1"));
	OK(doca_emu_set_faults("again=1000"));
	CHECK(try_message(&clients[0]) == DOCA_ERROR_AGAIN);
	CHECK(try_message(&clients[1]) == DOCA_ERROR_AGAIN);
	CHECK(try_message(&clients[1]) == DOCA_SUCCESS);
	/* One is taken back, which changes nothing in the other. */
	OK(doca_emu_set_faults_of(second, "again=1"));
	OK(doca_emu_set_faults_of(first, NULL));
	CHECK(try_message(&clients[0]) == DOCA_SUCCESS);
	CHECK(try_message(&clients[1]) == DOCA_ERROR_AGAIN);
	OK(doca_emu_set_faults(""));
	OK(doca_emu_set_faults_of(second, "again=5"));
	OK(doca_emu_set_faults_of(second, ""));
	CHECK(try_message(&clients[1]) == DOCA_SUCCESS);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_set_faults_of(second, "nonsense"));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_set_faults_of(NULL, "again=1"));
	for (int i = 0; i < 2; i++) {
		UNTIL(inflight(clients[i].ctx) == 0, clients[i].pe, servers[i].pe);
		stop(&clients[i], servers[i].pe);
		stop(&servers[i], servers[i].pe);
		end_destroy(&clients[i]);
		end_destroy(&servers[i]);
		close_both(&d[i]);
	}
}

static void a_server_of_another_folder_is_not_there(void **state)
{
	(void)state;
	struct devices here = both_sides_of(first), there = both_sides_of(second);
	struct end server, client;
	server_make(&server, &there, "elsewhere", NULL);
	OK(doca_ctx_start(server.ctx));
	client_make(&client, &here, "elsewhere", NULL);
	log_forget();
	(void)doca_ctx_start(client.ctx);
	UNTIL(state_of(client.ctx) == IDLE, client.pe, server.pe);
	CHECK(client.connection == NULL && count_of(&server.record, CONNECTED) == 0);
	char sentence[200];
	snprintf(sentence, sizeof(sentence), "none runs in the fabric folder %s", first);
	expect_logged(sentence);
	stop(&server, server.pe);
	end_destroy(&client);
	end_destroy(&server);
	close_both(&here);
	close_both(&there);
}

static void each_machine_has_its_own_devices_and_limits(void **state)
{
	(void)state;
	struct doca_dev *one = open_in(first, HOST_PCI), *other = open_in(second, HOST_PCI);
	struct doca_dev *again = open_in(first, HOST_PCI);
	CHECK(one != other && one == again);
	CHECK(max_msg_size(one) == 100 && max_msg_size(other) == 4080);
	struct end client;
	struct devices d = {.host = one};
	client_create(&client, &d, "limits");
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(client.client, 101));
	OK(doca_comch_client_set_max_msg_size(client.client, 100));
	end_destroy(&client);
	OK(doca_dev_close(again));
	OK(doca_dev_close(one));
	OK(doca_dev_close(other));
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task, (void)task_data, (void)ctx_data;
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task, (void)task_data, (void)ctx_data;
}

static void producers_and_consumers_have_the_limits_of_their_machine(void **state)
{
	(void)state;
	struct devices d = both_sides_of(first);
	struct end server, client;
	struct memory memory;
	struct producer producer;
	struct consumer consumer;
	server_make(&server, &d, "tasks", NULL);
	client_make(&client, &d, "tasks", NULL);
	OK(doca_ctx_start(server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(server.connection != NULL && client.connection != NULL, server.pe, client.pe);
	memory_open(&memory, 4096, 8, d.host, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	producer_make(&producer, client.connection, 7, client.pe);
	consumer_make(&consumer, client.connection, memory.mmap, 7, client.pe);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_task_send_set_conf(producer.producer, sent, sent, 8));
	GIVES(DOCA_ERROR_INVALID_VALUE,
	      doca_comch_consumer_task_post_recv_set_conf(consumer.consumer, received, received, 8));
	producer_destroy(&producer);
	consumer_destroy(&consumer);
	memory_close(&memory);
	stop(&client, server.pe);
	stop(&server, server.pe);
	end_destroy(&client);
	end_destroy(&server);
	close_both(&d);
}

static void the_side_is_the_callers(void **state)
{
	(void)state;
	CHECK(count(first, NULL) == 4 && count(first, "both") == 4);
	CHECK(count(first, "host") == 3 && count(first, "dpu") == 1);
	CHECK(count(second, "dpu:0000:03:00.0") == 1);
	/* The environment's machine is as it was. */
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	CHECK(num == 3);
	struct doca_dev *dev;
	OK(doca_dev_open(list[0], &dev));
	CHECK(max_msg_size(dev) == 200);
	OK(doca_dev_close(dev));
	OK(doca_devinfo_destroy_list(list));
}

static void what_is_no_machine_is_refused(void **state)
{
	(void)state;
	struct doca_devinfo **list = NULL;
	uint32_t num = 0;
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_devinfo_create_list(NULL, "host", &list, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_devinfo_create_list("", "host", &list, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_devinfo_create_list("relative", "host", &list, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_devinfo_create_list(first, "host", NULL, &num));
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_emu_devinfo_create_list(first, "host", &list, NULL));
	log_forget();
	GIVES(DOCA_ERROR_NOT_FOUND, doca_emu_devinfo_create_list(first, "moon", &list, &num));
	expect_logged("the side is \"moon\"");
	char long_name[5000];
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[0] = '/';
	long_name[sizeof(long_name) - 1] = '\0';
	log_forget();
	GIVES(DOCA_ERROR_NOT_FOUND, doca_emu_devinfo_create_list(long_name, "host", &list, &num));
	expect_logged("the name of the fabric folder is too long");
	CHECK(list == NULL && num == 0);
}

static void a_topology_that_cannot_be_used_is_read_again(void **state)
{
	(void)state;
	char folder[128], path[160];
	snprintf(folder, sizeof(folder), "%s/third", getenv("DOCA_EMU_DIR"));
	snprintf(path, sizeof(path), "%s/topology", folder);
	CHECK(mkdir(folder, 0700) == 0);
	FILE *file = fopen(path, "w");
	CHECK(file != NULL && fputs("nonsense", file) >= 0 && fclose(file) == 0);
	struct doca_devinfo **list;
	uint32_t num;
	GIVES(DOCA_ERROR_NOT_FOUND, doca_emu_devinfo_create_list(folder, NULL, &list, &num));
	CHECK(unlink(path) == 0);
	CHECK(count(folder, NULL) == 4);
	empty(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_of_one_name_have_their_own_clients),
		cmocka_unit_test(faults_are_those_of_one_machine),
		cmocka_unit_test(a_server_of_another_folder_is_not_there),
		cmocka_unit_test(each_machine_has_its_own_devices_and_limits),
		cmocka_unit_test(producers_and_consumers_have_the_limits_of_their_machine),
		cmocka_unit_test(the_side_is_the_callers),
		cmocka_unit_test(what_is_no_machine_is_refused),
		cmocka_unit_test(a_topology_that_cannot_be_used_is_read_again),
	};
	return cmocka_run_group_tests(tests, folders_up, folders_down);
}
