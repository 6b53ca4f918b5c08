/* Every call of the emulator for memory, descriptors, files and sockets fails once, at each place where it can,
 * while a server and a client live through a whole life; then descriptors run out, and the fabric folder vanishes,
 * is read-only or full. Each time: a documented error or an attempt that fails, nothing lost, and the next try
 * succeeds. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"
#include "life.h"
#include "support.h"

static char folder[64];
static struct machine machine;

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- what must not be lost ---- */

static unsigned open_descriptors(void)
{
	struct pollfd all[256];
	unsigned open = 0;
	for (int fd = 0; fd < 256; fd++)
		all[fd] = (struct pollfd){.fd = fd};
	(void)poll(all, 256, 0);
	for (int fd = 0; fd < 256; fd++)
		open += (all[fd].revents & POLLNVAL) == 0;
	return open;
}

static unsigned files_in(const char *path)
{
	unsigned files = 0;
	DIR *entries = opendir(path);
	if (entries == NULL)
		return 0;
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		files += entry->d_name[0] != '.';
	closedir(entries);
	return files;
}

struct belongings {
	unsigned descriptors;
	long allocations, mappings;
};

static struct belongings belongings(void)
{
	return (struct belongings){open_descriptors(), inject_live_allocations(), inject_live_mappings()};
}

static void nothing_lost(const struct belongings *before)
{
	struct belongings now = belongings();
	REQUIRE(now.descriptors == before->descriptors);
	REQUIRE(now.allocations == before->allocations);
	REQUIRE(now.mappings == before->mappings);
}

/* ---- lives ---- */

/* Both ends in this process; false when one failed. */
static bool live_together(void)
{
	struct life server, client;
	life_begin(&server, &machine, true, "together");
	life_begin(&client, &machine, false, "together");
	enum outcome outcomes[2] = {LIFE_GOES_ON, LIFE_GOES_ON};
	/* The server is there first. */
	outcomes[0] = life_step(&server);
	/* Enough for a whole life, and soon over for one that waits for a peer that has failed. */
	for (int step = 0; step < 6000; step++) {
		if (outcomes[0] == LIFE_GOES_ON)
			outcomes[0] = life_step(&server);
		if (outcomes[1] == LIFE_GOES_ON)
			outcomes[1] = life_step(&client);
		if (outcomes[0] != LIFE_GOES_ON && outcomes[1] != LIFE_GOES_ON)
			break;
		if (outcomes[0] == LIFE_FAILED && server.pe != NULL)
			(void)doca_pe_progress(server.pe);
	}
	bool complete = outcomes[0] == LIFE_COMPLETE && outcomes[1] == LIFE_COMPLETE;
	life_end(&client, &server);
	life_end(&server, NULL);
	return complete;
}

/* One end, in good time or not at all. */
static bool live_alone(bool is_server, const char *name, int64_t patience_ms)
{
	struct life life;
	life_begin(&life, &machine, is_server, name);
	int64_t deadline = now_ms() + patience_ms;
	enum outcome outcome = LIFE_GOES_ON;
	for (unsigned step = 0; outcome == LIFE_GOES_ON && now_ms() < deadline; step++) {
		outcome = life_step(&life);
		if (step % 64 == 0)
			sched_yield();
	}
	life_end(&life, NULL);
	return outcome == LIFE_COMPLETE;
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
	{CALL_SOCKET, EMFILE, "socket: EMFILE"},
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
	{CALL_SENDMSG, EAGAIN, "sendmsg: EAGAIN"},
	{CALL_RECVMSG, ECONNRESET, "recvmsg: ECONNRESET"},
	{CALL_RECVMSG, EINTR, "recvmsg: EINTR"},
	{CALL_OPEN, EMFILE, "open and openat: EMFILE"},
	{CALL_MKDIR, ENOSPC, "mkdir: ENOSPC"},
	{CALL_FLOCK, ENOLCK, "flock: ENOLCK"},
	{CALL_FSTAT, EIO, "fstat: EIO"},
	{CALL_TIMERFD, EMFILE, "timerfd_create: EMFILE"},
	{CALL_EVENTFD, EMFILE, "eventfd: EMFILE"},
};

/* While an end waits it looks at its socket again and again: all the same place. */
static bool enough(enum call call, unsigned place)
{
	return call == CALL_RECVMSG && place > 12;
}

#define NUM_FAILURES (sizeof(failures) / sizeof(failures[0]))

static void fail_everywhere(bool (*live)(void), unsigned *total)
{
	for (size_t i = 0; i < NUM_FAILURES; i++) {
		unsigned place = 1, survived = 0;
		for (;; place++) {
			struct belongings before = belongings();
			inject(failures[i].call, place, failures[i].error);
			bool complete = live();
			bool struck = inject_end();
			nothing_lost(&before);
			REQUIRE(struck || complete);
			if (!struck || enough(failures[i].call, place))
				break;
			survived += complete;
			if (!live()) {
				fprintf(stderr, "%s at place %u: the next try fails as well\n", failures[i].name,
					place);
				abort();
			}
			nothing_lost(&before);
			REQUIRE(files_in(folder) == 0);
		}
		print_message("%-28s %3u places, life goes on at %u\n", failures[i].name, place - 1, survived);
		*total += place - 1;
	}
}

static void each_call_fails_once_in_one_process(void **state)
{
	(void)state;
	unsigned total = 0;
	REQUIRE(live_together());
	fail_everywhere(live_together, &total);
	assert_in_range(total, 50, 1000);
}

/* The other end lives in a process of its own, again and again until it is told to stop. */
static int peer_in_a_process(bool is_server, int *stop)
{
	int ends[2];
	REQUIRE(pipe(ends) == 0);
	fflush(NULL);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid > 0) {
		close(ends[0]);
		*stop = ends[1];
		return pid;
	}
	signal(SIGABRT, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	close(ends[1]);
	struct pollfd watched = {.fd = ends[0], .events = POLLIN};
	unsigned lives = 0;
	while (poll(&watched, 1, 0) == 0)
		lives += live_alone(is_server, "apart", 300);
	_exit(lives > 0 ? 0 : 1);
}

static void end_peer(int pid, int stop)
{
	int status;
	close(stop);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A peer can be between two lives just now. */
static bool live_apart(bool is_server)
{
	return live_alone(is_server, "apart", 2000);
}

static void fail_apart(bool is_server)
{
	int stop;
	unsigned total = 0;
	int pid = peer_in_a_process(!is_server, &stop);
	for (size_t i = 0; i < NUM_FAILURES; i++)
		for (unsigned place = 1;; place++) {
			struct belongings before = belongings();
			inject(failures[i].call, place, failures[i].error);
			(void)live_apart(is_server);
			bool struck = inject_end();
			nothing_lost(&before);
			if (!struck || enough(failures[i].call, place))
				break;
			total++;
			int64_t deadline = now_ms() + 20000;
			while (!live_apart(is_server))
				REQUIRE(now_ms() < deadline);
			nothing_lost(&before);
		}
	end_peer(pid, stop);
	print_message("%s: %u places\n", is_server ? "server" : "client", total);
	assert_in_range(total, 20, 1000);
	REQUIRE(files_in(folder) == 0);
}

static void each_call_fails_once_in_a_server(void **state)
{
	(void)state;
	fail_apart(true);
}

static void each_call_fails_once_in_a_client(void **state)
{
	(void)state;
	fail_apart(false);
}

static void each_call_fails_once_with_the_pipeline(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	fail_apart(false);
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

/* A server keeps some of them for late calls: not all. */
static void connections_that_have_ended_do_not_pile_up(void **state)
{
	(void)state;
	struct life server;
	long kept = 0;
	life_begin(&server, &machine, true, "many");
	REQUIRE(life_step(&server) == LIFE_GOES_ON);
	for (int i = 0; i < 200; i++) {
		struct life client;
		int64_t deadline = now_ms() + 20000;
		life_begin(&client, &machine, false, "many");
		while (client.connection == NULL) {
			REQUIRE(life_step(&client) == LIFE_GOES_ON && now_ms() < deadline);
			(void)doca_pe_progress(server.pe);
		}
		life_end(&client, &server);
		while (doca_pe_progress(server.pe) == 1)
			;
		if (i == 99)
			kept = inject_live_allocations();
	}
	REQUIRE(inject_live_allocations() < kept + 10);
	life_end(&server, NULL);
}

/* ---- descriptors run out ---- */

static void set_limit(rlim_t descriptors)
{
	struct rlimit limit;
	REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = descriptors;
	REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void descriptors_run_out(void **state)
{
	(void)state;
	struct belongings before = belongings();
	struct rlimit normal;
	REQUIRE(getrlimit(RLIMIT_NOFILE, &normal) == 0);
	unsigned failed = 0;
	for (rlim_t spare = 0;; spare++) {
		int lowest = dup(0);
		close(lowest);
		set_limit((rlim_t)lowest + spare);
		bool complete = live_together();
		set_limit(normal.rlim_cur);
		nothing_lost(&before);
		REQUIRE(files_in(folder) == 0);
		REQUIRE(live_together());
		nothing_lost(&before);
		if (complete)
			break;
		failed++;
		REQUIRE(spare < 64);
	}
	assert_in_range(failed, 8, 40);
}

/* ---- the fabric folder ---- */

static void remove_folder(const char *path)
{
	DIR *entries = opendir(path);
	if (entries == NULL)
		return;
	for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
		(void)unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
	(void)rmdir(path);
}

static void the_folder_vanishes(void **state)
{
	(void)state;
	struct belongings before = belongings();
	struct life server, client, late, other;
	life_begin(&server, &machine, true, "vanishing");
	life_begin(&client, &machine, false, "vanishing");
	REQUIRE(life_step(&server) == LIFE_GOES_ON);
	/* Connected: what they have stays. */
	while (client.connection == NULL || server.connection == NULL) {
		REQUIRE(life_step(&client) == LIFE_GOES_ON);
		REQUIRE(life_step(&server) == LIFE_GOES_ON);
	}
	remove_folder(folder);
	REQUIRE(access(folder, F_OK) != 0);
	/* Too late for the old server. */
	life_begin(&late, &machine, false, "vanishing");
	enum outcome outcome = LIFE_GOES_ON;
	while (outcome == LIFE_GOES_ON) {
		outcome = life_step(&late);
		(void)doca_pe_progress(server.pe);
	}
	REQUIRE(outcome == LIFE_FAILED && late.failed_at == NULL);
	life_end(&late, &server);
	/* A new server makes it anew. */
	life_begin(&other, &machine, true, "vanishing");
	REQUIRE(life_step(&other) == LIFE_GOES_ON);
	life_end(&other, NULL);
	/* The connection is as good as ever. */
	enum outcome outcomes[2] = {LIFE_GOES_ON, LIFE_GOES_ON};
	while (outcomes[0] == LIFE_GOES_ON || outcomes[1] == LIFE_GOES_ON) {
		if (outcomes[0] == LIFE_GOES_ON)
			outcomes[0] = life_step(&server);
		if (outcomes[1] == LIFE_GOES_ON)
			outcomes[1] = life_step(&client);
	}
	REQUIRE(outcomes[0] == LIFE_COMPLETE && outcomes[1] == LIFE_COMPLETE);
	life_end(&client, &server);
	life_end(&server, NULL);
	REQUIRE(live_together());
	nothing_lost(&before);
	REQUIRE(files_in(folder) == 0);
}

static bool start_fails(void)
{
	struct life server;
	life_begin(&server, &machine, true, "folder");
	enum outcome outcome = life_step(&server);
	bool refused = outcome == LIFE_FAILED && server.failed_at != NULL;
	life_end(&server, NULL);
	return refused;
}

static void a_folder_that_is_no_folder(void **state)
{
	(void)state;
	struct belongings before = belongings();
	remove_folder(folder);
	int file = open(folder, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	REQUIRE(file >= 0 && close(file) == 0);
	REQUIRE(start_fails());
	REQUIRE(!live_together());
	nothing_lost(&before);
	REQUIRE(unlink(folder) == 0);
	/* Its own folder cannot be made either. */
	char deep[80];
	snprintf(deep, sizeof(deep), "%s/a/b", folder);
	setenv("DOCA_EMU_DIR", deep, 1);
	REQUIRE(start_fails());
	setenv("DOCA_EMU_DIR", folder, 1);
	nothing_lost(&before);
	REQUIRE(live_together());
	nothing_lost(&before);
}

/* In a child process with mounts of its own. Exit codes: 0 good, 2 not possible here. */
static int folder_on_a_small_file_system(void)
{
	char options[64];
	REQUIRE(mkdir(folder, 0700) == 0 || errno == EEXIST);
	snprintf(options, sizeof(options), "mode=0700,size=64k,nr_inodes=8");
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", folder, "tmpfs", 0, options) != 0)
		return 2;
	REQUIRE(live_together());
	struct belongings before = belongings();
	/* Full: fewer files than a server needs. */
	int files[8];
	int made = 0;
	char path[80];
	for (; made < 8; made++) {
		snprintf(path, sizeof(path), "%s/filler%d", folder, made);
		files[made] = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (files[made] < 0)
			break;
		close(files[made]);
	}
	REQUIRE(made > 2);
	for (int spare = 0; spare < 2; spare++) {
		REQUIRE(start_fails());
		REQUIRE(!live_together());
		nothing_lost(&before);
		REQUIRE(files_in(folder) == (unsigned)(made - spare));
		snprintf(path, sizeof(path), "%s/filler%d", folder, spare);
		REQUIRE(unlink(path) == 0);
	}
	REQUIRE(live_together());
	/* Read-only. */
	REQUIRE(mount("none", folder, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
	REQUIRE(start_fails());
	REQUIRE(!live_together());
	nothing_lost(&before);
	REQUIRE(mount("none", folder, NULL, MS_REMOUNT, options) == 0);
	REQUIRE(live_together());
	nothing_lost(&before);
	REQUIRE(umount(folder) == 0);
	return 0;
}

static void the_folder_is_full_or_read_only(void **state)
{
	(void)state;
	fflush(NULL);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		_exit(folder_on_a_small_file_system());
	}
	int status;
	REQUIRE(waitpid(pid, &status, 0) == pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		skip(); /* no right to mount */
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int open_all(void **state)
{
	(void)state;
	strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/doca-emu-XXXXXX" : "/tmp/doca-emu-XXXXXX");
	REQUIRE(mkdtemp(folder) != NULL);
	setenv("DOCA_EMU_DIR", folder, 1);
	/* Processes do not wait for each other otherwise. */
	setenv("DOCA_EMU_CONNECT_WAIT", "500", 1);
	machine_open(&machine);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	machine_close(&machine);
	remove_folder(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_fails_once_in_one_process),
		cmocka_unit_test(each_call_fails_once_in_a_server),
		cmocka_unit_test(each_call_fails_once_in_a_client),
		cmocka_unit_test(each_call_fails_once_with_the_pipeline),
		cmocka_unit_test(connections_that_have_ended_do_not_pile_up),
		cmocka_unit_test(descriptors_run_out),
		cmocka_unit_test(the_folder_vanishes),
		cmocka_unit_test(a_folder_that_is_no_folder),
		cmocka_unit_test(the_folder_is_full_or_read_only),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
