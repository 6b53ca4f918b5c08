/* Where the size of files is limited, there is an error with a line that names the limit, and not the end of the
 * program by SIGXFSZ. Each in a process of its own. */
#include <stdlib.h>
#include <sys/resource.h>

#include "harness.h"
#include "logged.h"

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	limit.rlim_cur = bytes;
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static int connects(void *argument)
{
	(void)argument;
	struct devices devices;
	struct end client;
	log_keep();
	devices_open(&devices);
	client_make(&client, &devices, "limited", NULL);
	limit_files(1u << 30);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(client.ctx));
	expect_logged("files may have 1073741824 here: raise RLIMIT_FSIZE (ulimit -f unlimited)");
	limit_files(RLIM_INFINITY);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == DOCA_CTX_STATE_IDLE, client.pe);
	end_destroy(&client);
	devices_close(&devices);
	return 0;
}

static int serves(void *argument)
{
	(void)argument;
	struct devices devices;
	struct end server;
	log_keep();
	devices_open(&devices);
	server_make(&server, &devices, "limited", NULL);
	limit_files(0);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(server.ctx));
	CHECK(times_logged("raise RLIMIT_FSIZE") > 0);
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

/* Only kernels of other processes miss it. */
static int exports(void *argument)
{
	(void)argument;
	struct devices devices;
	struct memory memory;
	log_keep();
	devices_open(&devices);
	memory_open(&memory, 1 << 20, 1, devices.host, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	limit_files(4096);
	const void *description;
	size_t size;
	OK(doca_mmap_export_pci(memory.mmap, devices.host, &description, &size));
	CHECK(times_logged("raise RLIMIT_FSIZE") > 0);
	memory_close(&memory);
	devices_close(&devices);
	return 0;
}

static void a_limit_of_files_is_an_error(void **state)
{
	(void)state;
	int (*const bodies[])(void *) = {connects, serves, exports};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		assert_int_equal(child_wait(child_start(bodies[i], NULL)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_limit_of_files_is_an_error)};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
