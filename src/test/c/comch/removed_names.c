/* The fabric folder, or a file in it, is removed while a server runs: by a cleaner of temporary folders, or at the
 * logout of its user. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doca_emu.h"
#include "harness.h"
#include "logged.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

#define NAME "removed"

static struct devices devices;
static struct end server;

static int log_up(void **state)
{
	log_keep();
	return fabric_up(state);
}

static int server_up(void **state)
{
	(void)state;
	devices_open(&devices);
	server_make(&server, &devices, NAME, NULL);
	OK(doca_ctx_start(server.ctx));
	log_forget();
	return 0;
}

static void stop(struct end *end)
{
	if (state_of(end->ctx) != IDLE)
		(void)doca_ctx_stop(end->ctx);
	UNTIL(state_of(end->ctx) == IDLE, end->pe, server.pe);
	end_destroy(end);
}

static size_t remove_files(const char *suffix)
{
	size_t removed = 0;
	DIR *folder = opendir(getenv("DOCA_EMU_DIR"));
	CHECK(folder != NULL);
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
		const char *found = strstr(entry->d_name, suffix);
		if (found != NULL && strlen(found) == strlen(suffix) && entry->d_name[0] != '.') {
			CHECK(unlinkat(dirfd(folder), entry->d_name, 0) == 0);
			removed++;
		}
	}
	closedir(folder);
	return removed;
}

static void remove_folder(void)
{
	assert_int_equal(remove_files(".sock"), 1);
	assert_int_equal(remove_files(".lock"), 1);
	assert_int_equal(rmdir(getenv("DOCA_EMU_DIR")), 0);
}

static int server_down(void **state)
{
	(void)state;
	if (server.ctx != NULL)
		stop(&server);
	devices_close(&devices);
	/* It has taken its names with it. */
	assert_int_equal(remove_files(".sock") + remove_files(".lock"), 0);
	return 0;
}

static void client_connects_to(struct end *client, struct end *other)
{
	client_make(client, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	UNTIL(state_of(client->ctx) != DOCA_CTX_STATE_STARTING, client->pe, other->pe);
	assert_int_equal(state_of(client->ctx), RUNNING);
	UNTIL(other->connection != NULL, other->pe);
}

/* After `remove`: the server is found again, tells it once, and what it has goes on. */
static void survives(void (*remove)(void), const char *what)
{
	struct end before, after;
	client_connects_to(&before, &server);
	struct doca_comch_connection *connection = server.connection;
	remove();
	char told[128];
	snprintf(told, sizeof(told), "%s of server \"removed\" had been removed from outside: made again", what);
	UNTIL(times_logged(told) == 1, server.pe);
	server.connection = NULL;
	client_connects_to(&after, &server);
	assert_int_equal(times_logged("removed from outside"), 1);
	send_text(&server, connection, "still here");
	UNTIL(count_of(&before.record, MESSAGE) == 1, before.pe, server.pe);
	/* A second server of the name is refused as ever. */
	struct end second;
	server_make(&second, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(second.ctx));
	assert_non_null(strstr(doca_emu_last_error(), "there is a server \"removed\" on 0000:b1:00.0 already"));
	end_destroy(&second);
	stop(&before);
	stop(&after);
}

static void remove_socket(void)
{
	assert_int_equal(remove_files(".sock"), 1);
}

static void remove_lock(void)
{
	assert_int_equal(remove_files(".lock"), 1);
}

static void remove_both(void)
{
	remove_socket();
	remove_lock();
}

static void a_socket_that_is_removed_is_made_again(void **state)
{
	(void)state;
	survives(remove_socket, "the socket file");
}

static void a_lock_that_is_removed_is_made_again(void **state)
{
	(void)state;
	survives(remove_lock, "the lock file");
}

static void both_files_are_made_again(void **state)
{
	(void)state;
	survives(remove_both, "the socket file");
}

static void a_folder_that_is_removed_is_made_again(void **state)
{
	(void)state;
	survives(remove_folder, "the fabric folder");
}

/* Before the first server has noticed anything. */
static void expect_second_is_refused(const char *why)
{
	struct end second;
	server_make(&second, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(second.ctx));
	const char *told = doca_emu_last_error();
	if (strstr(told, why) == NULL) {
		fprintf(stderr, "\"%s\" does not contain \"%s\"\n", told, why);
		abort();
	}
	end_destroy(&second);
}

static void a_second_server_does_not_start_beside_one_that_has_lost_a_file(void **state)
{
	(void)state;
	settle(server.pe, NULL);
	remove_lock();
	expect_second_is_refused("there is a server \"removed\" on 0000:b1:00.0 already");
	UNTIL(times_logged("the lock file of server \"removed\"") == 1, server.pe);
	remove_socket();
	expect_second_is_refused(
		"already, which cannot be connected to: its socket was removed from the fabric folder");
	struct end client;
	client_make(&client, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(client.ctx));
	UNTIL(state_of(client.ctx) == IDLE, client.pe);
	assert_non_null(strstr(doca_emu_last_error(), "client finds no socket of server \"removed\""));
	assert_int_equal(doca_emu_refused_for_good(), 0);
	end_destroy(&client);
}

static int die_without_a_lock(void *unused)
{
	(void)unused;
	devices_open(&devices);
	server_make(&server, &devices, "dead", NULL);
	OK(doca_ctx_start(server.ctx));
	remove_lock();
	_exit(7); /* its socket file stays */
}

static void the_socket_of_a_dead_server_is_in_nobodys_way(void **state)
{
	(void)state;
	assert_int_equal(child_wait(child_start(die_without_a_lock, NULL)), 7);
	devices_open(&devices);
	server_make(&server, &devices, "dead", NULL);
	OK(doca_ctx_start(server.ctx));
	server_down(state);
}

static void who_has_lost_its_name_to_another_says_so_and_leaves_it_alone(void **state)
{
	(void)state;
	struct end heir, client;
	server_make(&heir, &devices, NAME, NULL);
	remove_folder();
	OK(doca_ctx_start(heir.ctx));
	UNTIL(times_logged("another server has taken its name: clients find that one, and not this") == 1, server.pe);
	assert_int_equal(times_logged("made again"), 0);
	stop(&server);
	assert_int_equal(times_logged("another server has taken its name"), 1);
	client_connects_to(&client, &heir);
	(void)doca_ctx_stop(client.ctx);
	UNTIL(state_of(client.ctx) == IDLE, client.pe, heir.pe);
	end_destroy(&client);
	(void)doca_ctx_stop(heir.ctx);
	UNTIL(state_of(heir.ctx) == IDLE, heir.pe);
	end_destroy(&heir);
}

/* The folder is the same, and the other server's files have the names of this one's. */
static void the_files_of_who_has_taken_the_name_are_left_alone(void **state)
{
	(void)state;
	struct end heir;
	server_make(&heir, &devices, NAME, NULL);
	remove_both();
	OK(doca_ctx_start(heir.ctx));
	stop(&server);
	assert_int_equal(remove_files(".sock"), 1);
	assert_int_equal(remove_files(".lock"), 1);
	(void)doca_ctx_stop(heir.ctx);
	UNTIL(state_of(heir.ctx) == IDLE, heir.pe);
	end_destroy(&heir);
}

static void a_server_that_cannot_be_registered_is_told_why(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	char folder[128];
	snprintf(folder, sizeof(folder), "%s", getenv("DOCA_EMU_DIR"));
	devices_open(&devices);
	/* A folder of root's in which nobody can make a file, and one that cannot be made. */
	const char *const folders[] = {"/proc/sys", "/proc/sys/none"};
	const char *const reasons[] = {"cannot register server \"removed\" in the fabric folder /proc/sys: ",
				       "cannot make the fabric folder /proc/sys/none as user 0: "};
	for (int i = 0; i < 2; i++) {
		struct end barred;
		server_make(&barred, &devices, NAME, NULL);
		setenv("DOCA_EMU_DIR", folders[i], 1);
		GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(barred.ctx));
		const char *told = doca_emu_last_error();
		assert_non_null(strstr(told, reasons[i]));
		assert_null(strstr(told, "already"));
		end_destroy(&barred);
		setenv("DOCA_EMU_DIR", folder, 1);
	}
	devices_close(&devices);
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, server_up, server_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_socket_of_a_dead_server_is_in_nobodys_way),
		cmocka_unit_test(a_server_that_cannot_be_registered_is_told_why),
		SERVED(a_socket_that_is_removed_is_made_again),
		SERVED(a_lock_that_is_removed_is_made_again),
		SERVED(both_files_are_made_again),
		SERVED(a_folder_that_is_removed_is_made_again),
		SERVED(a_second_server_does_not_start_beside_one_that_has_lost_a_file),
		SERVED(the_files_of_who_has_taken_the_name_are_left_alone),
		SERVED(who_has_lost_its_name_to_another_says_so_and_leaves_it_alone),
	};
	return cmocka_run_group_tests(tests, log_up, fabric_down);
}
