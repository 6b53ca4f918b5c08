/* A server that cannot start says what it lacks, and not that its name is taken. Each in a process of its own. */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doca_emu.h"
#include "harness.h"
#include "logged.h"

#define NAME "starting"
#define CANNOT_MOUNT 77

static void limit_descriptors(rlim_t number)
{
	struct rlimit limit;
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = number;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* Leaves a socket without a lock in the folder, of a server that is no more. */
static int leaves_a_socket(void *argument)
{
	(void)argument;
	struct devices devices;
	struct end server;
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	OK(doca_ctx_start(server.ctx));
	DIR *folder = opendir(getenv("DOCA_EMU_DIR"));
	CHECK(folder != NULL);
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		if (strstr(entry->d_name, ".lock") != NULL)
			CHECK(unlinkat(dirfd(folder), entry->d_name, 0) == 0);
	_exit(0);
}

static int starts_without_descriptors(void *argument)
{
	(void)argument;
	struct devices devices;
	struct end server;
	log_keep();
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	int lowest = dup(0);
	close(lowest);
	unsigned refused = 0;
	for (rlim_t spare = 0;; spare++) {
		log_forget();
		limit_descriptors((rlim_t)lowest + spare);
		doca_error_t result = doca_ctx_start(server.ctx);
		if (result == DOCA_SUCCESS)
			break;
		GIVES(DOCA_ERROR_INITIALIZATION, result);
		expect_logged("Too many open files (this process has no descriptors left: raise RLIMIT_NOFILE");
		CHECK(times_logged("already") == 0);
		refused++;
		CHECK(refused < 64);
	}
	CHECK(refused >= 4);
	limit_descriptors(256);
	OK(doca_ctx_stop(server.ctx));
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

static void without_descriptors(void **state)
{
	(void)state;
	assert_int_equal(child_wait(child_start(leaves_a_socket, NULL)), 0);
	assert_int_equal(child_wait(child_start(starts_without_descriptors, NULL)), 0);
}

/* `options`: those of a small file system. */
static int starts_in_a_full_folder(void *options)
{
	struct devices devices;
	struct end server;
	const char *folder = getenv("DOCA_EMU_DIR");
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", folder, "tmpfs", 0, options) != 0)
		return CANNOT_MOUNT;
	log_keep();
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(server.ctx));
	expect_logged("No space left on device (it is full: make room there)");
	CHECK(times_logged(folder) > 0);
	CHECK(mount("none", folder, NULL, MS_REMOUNT, "nr_inodes=10,mode=0700") == 0);
	OK(doca_ctx_start(server.ctx));
	OK(doca_ctx_stop(server.ctx));
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

static void in_a_full_folder(void **state)
{
	(void)state;
	const char *without_lock = "nr_inodes=1,mode=0700", *without_socket = "nr_inodes=2,mode=0700";
	int result = child_wait(child_start(starts_in_a_full_folder, (void *)(uintptr_t)without_lock));
	if (result == CANNOT_MOUNT)
		skip();
	assert_int_equal(result, 0);
	assert_int_equal(child_wait(child_start(starts_in_a_full_folder, (void *)(uintptr_t)without_socket)), 0);
}

static int waits_for_a_name(void *argument)
{
	(void)argument;
	struct devices devices;
	struct end server, successor;
	log_keep();
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	server_make(&successor, &devices, NAME, NULL);
	OK(doca_ctx_start(server.ctx));
	for (int i = 0; i < 20; i++) {
		GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(successor.ctx));
		CHECK(strstr(doca_emu_last_error(), "there is a server \"" NAME "\"") != NULL);
	}
	/* Once in five seconds, which a slow machine may need. */
	CHECK(times_logged("there is a server") < 20 && times_logged("there is a server") > 0);
	OK(doca_ctx_stop(server.ctx));
	OK(doca_ctx_start(successor.ctx));
	OK(doca_ctx_stop(successor.ctx));
	end_destroy(&server);
	end_destroy(&successor);
	devices_close(&devices);
	return 0;
}

static void a_name_that_is_waited_for_is_not_told_each_time(void **state)
{
	(void)state;
	assert_int_equal(child_wait(child_start(waits_for_a_name, NULL)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_descriptors), cmocka_unit_test(in_a_full_folder),
					   cmocka_unit_test(a_name_that_is_waited_for_is_not_told_each_time)};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
