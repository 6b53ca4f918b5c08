/* Sleeping on engines' descriptors in two processes: what the peer does wakes, and nobody pays for it while nobody
 * sleeps. No engine wakes up by itself here: a wake-up that is lost is a hang.
 *
 * The program starts itself again as the peer: child CLIENT|SERVER ROLE. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

/* ---- the wake-ups that this process sends ---- */

static _Atomic unsigned wakeups_sent;

/* In the place of the C library's, also for the libraries. */
ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	wakeups_sent++;
	return sendto(fd, bytes, len, flags, NULL, 0);
}

/* ---- one side ---- */

struct side {
	struct devices devices;
	struct doca_dev *dev;
	struct end end;
};

static void side_open(struct side *side, bool server)
{
	harness_sleep_for_ever();
	if (server) {
		devices_open_dpu(&side->devices);
		side->dev = side->devices.dpu;
		server_make(&side->end, &side->devices, "asleep", NULL);
		OK(doca_ctx_start(side->end.ctx));
		SLEEP_UNTIL(side->end.connection != NULL, side->end.pe);
	} else {
		setenv("DOCA_EMU_CONNECT_WAIT", "30000", 1);
		devices_open_host(&side->devices);
		side->dev = side->devices.host;
		client_make(&side->end, &side->devices, "asleep", NULL);
		(void)doca_ctx_start(side->end.ctx);
		SLEEP_UNTIL(side->end.connection != NULL, side->end.pe);
	}
}

/* The client goes first; the server hears of it in its sleep. It may have heard of it before, in the middle of the
 * script, and the script may have cleared the record since. */
static void side_close(struct side *side)
{
	if (side->end.server != NULL)
		SLEEP_UNTIL(side->end.connection == NULL, side->end.pe);
	if (state_of(side->end.ctx) != IDLE)
		(void)doca_ctx_stop(side->end.ctx);
	SLEEP_UNTIL(state_of(side->end.ctx) == IDLE, side->end.pe);
	end_destroy(&side->end);
	devices_close(&side->devices);
}

/* A little more each time, so that the other side is caught at every step of falling asleep. */
static void dawdle(unsigned round)
{
	for (volatile unsigned pause = 0; pause < round % 97 * 30; pause++)
		;
}

/* ---- messages ---- */

#define ROUNDS 6000

static void ping_pong(struct side *side)
{
	struct end *end = &side->end;
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (end->server != NULL)
			SLEEP_UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
		record_clear(&end->record);
		dawdle(round);
		send_text(end, end->connection, "your turn");
		if (end->client != NULL)
			SLEEP_UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	}
}

/* The queue of the other side holds a few only: its sender sleeps until there is room. */
static void flood(struct side *side)
{
	struct end *end = &side->end;
	size_t all = 3000, sent = 0, received = 0;
	while (sent < all || received < all || inflight(end->ctx) > 0) {
		struct doca_comch_task_send *task;
		if (sent < all && alloc_send(end, end->connection, &sent, sizeof(sent), &task) == DOCA_SUCCESS) {
			OK(doca_task_submit(doca_comch_task_send_as_task(task)));
			sent++;
		} else if (!drive(end->pe)) {
			harness_sleep(end->pe);
		}
		received += count_of(&end->record, MESSAGE);
		record_clear(&end->record);
	}
}

/* ---- payloads ---- */

/* A consumer and a producer of each side, each in turn, on an engine of their own. */
struct fast {
	struct consumer consumer;
	struct producer producer;
	struct memory in, out;
	struct doca_buf *to, *from;
	uint32_t peer;
};

static void fast_open(struct fast *fast, struct side *side, struct doca_pe *pe, size_t size)
{
	struct end *end = &side->end;
	memory_open(&fast->in, size, 1, side->dev, RW);
	memory_open(&fast->out, size, 1, side->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	consumer_make(&fast->consumer, end->connection, fast->in.mmap, 1, pe);
	producer_make(&fast->producer, end->connection, 1, pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast->consumer.ctx));
	producer_start(&fast->producer);
	UNTIL(state_of(fast->consumer.ctx) == RUNNING, end->pe, pe);
	fast->to = memory_buf(&fast->in, 0, size, 0);
	fast->from = memory_buf(&fast->out, 0, size, size);
	post(&fast->consumer, fast->to);
	send_text(end, end->connection, "posted");
	SLEEP_UNTIL(count_of(&end->record, CONSUMER_NEW) == 1 && count_of(&end->record, MESSAGE) == 1, end->pe);
	fast->peer = (uint32_t)nth(&end->record, CONSUMER_NEW, 0)->a;
	record_clear(&end->record);
}

static void fast_receive(struct fast *fast, size_t size, unsigned round)
{
	SLEEP_UNTIL(count_of(&fast->consumer.record, RECEIVED) == 1, fast->consumer.pe);
	CHECK(buf_data_len(fast->to) == size);
	CHECK(filled(fast->in.bytes, size, round));
	struct doca_comch_consumer_task_post_recv *task = nth(&fast->consumer.record, RECEIVED, 0)->object;
	record_clear(&fast->consumer.record);
	OK(doca_buf_reset_data_len(fast->to));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void fast_send(struct fast *fast, size_t size, unsigned round)
{
	fill(fast->out.bytes, size, round);
	dawdle(round);
	put(&fast->producer, fast->peer, fast->from);
	SLEEP_UNTIL(count_of(&fast->producer.record, SENT) == 1, fast->producer.pe);
	free_sent(&fast->producer.record);
	record_clear(&fast->producer.record);
}

static void fast_exchange(struct fast *fast, bool begins, size_t size, unsigned rounds)
{
	for (unsigned round = 0; round < rounds; round++) {
		if (!begins)
			fast_receive(fast, size, round);
		fast_send(fast, size, round);
		if (begins)
			fast_receive(fast, size, round);
	}
}

static void fast_close(struct fast *fast, struct side *side)
{
	struct end *end = &side->end;
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fast->consumer.ctx));
	SLEEP_UNTIL(count_of(&fast->consumer.record, RECEIVE_FAILED) == 1, fast->consumer.pe);
	free_received(&fast->consumer.record);
	SLEEP_UNTIL(state_of(fast->consumer.ctx) == IDLE, fast->consumer.pe);
	SLEEP_UNTIL(count_of(&end->record, CONSUMER_EXPIRED) == 1, end->pe);
	producer_stop(&fast->producer);
	consumer_destroy(&fast->consumer);
	producer_destroy(&fast->producer);
	buf_release(fast->to);
	buf_release(fast->from);
	memory_close(&fast->in);
	memory_close(&fast->out);
}

static void payloads(struct side *side, size_t size, unsigned rounds)
{
	struct fast fast;
	fast_open(&fast, side, side->end.pe, size);
	fast_exchange(&fast, side->end.client != NULL, size, rounds);
	fast_close(&fast, side);
}

static void small_payloads(struct side *side)
{
	payloads(side, 64, ROUNDS);
}

/* Longer than the pipeline, and long enough to be fetched. */
static void large_payloads(struct side *side)
{
	payloads(side, 2u << 20, 30);
}

/* The control path sleeps in one thread, the fast path in another. */
struct worker {
	struct fast fast;
	bool begins;
	struct doca_pe *pe;
	atomic_bool done;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	fast_exchange(&worker->fast, worker->begins, 64, ROUNDS);
	atomic_store(&worker->done, true);
	return NULL;
}

static void payloads_in_another_thread(struct side *side)
{
	struct end *end = &side->end;
	struct worker worker = {.begins = end->client != NULL};
	pthread_t thread;
	OK(doca_pe_create(&worker.pe));
	fast_open(&worker.fast, side, worker.pe, 64);
	CHECK(pthread_create(&thread, NULL, work, &worker) == 0);
	/* Messages meanwhile, so that both sleep on the one socket. */
	for (unsigned round = 0; round < ROUNDS / 4; round++) {
		if (end->server != NULL)
			SLEEP_UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
		record_clear(&end->record);
		dawdle(round * 7);
		send_text(end, end->connection, "your turn");
		if (end->client != NULL)
			SLEEP_UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	}
	CHECK(pthread_join(thread, NULL) == 0);
	record_clear(&end->record);
	fast_close(&worker.fast, side);
	OK(doca_pe_destroy(worker.pe));
}

/* ---- the two processes ---- */

static const struct script {
	const char *name;
	void (*run)(struct side *side);
} scripts[] = {
	{"ping pong", ping_pong},
	{"flood", flood},
	{"small", small_payloads},
	{"large", large_payloads},
	{"threads", payloads_in_another_thread},
};

static void run_script(bool server, const char *name)
{
	struct side side;
	side_open(&side, server);
	const struct script *script = scripts;
	while (strcmp(script->name, name) != 0)
		script++;
	script->run(&side);
	side_close(&side);
}

static void run_both_ways(const char *name)
{
	for (int server = 0; server < 2; server++) {
		int child = program_start(server ? "CLIENT" : "SERVER", name);
		run_script(server, name);
		assert_int_equal(child_wait(child), 0);
	}
}

static void messages_wake_the_peer(void **state)
{
	(void)state;
	run_both_ways("ping pong");
}

static void room_in_the_queue_wakes_the_sender(void **state)
{
	(void)state;
	run_both_ways("flood");
}

static void payloads_wake_the_peer(void **state)
{
	(void)state;
	run_both_ways("small");
}

static void large_payloads_wake_both_sides(void **state)
{
	(void)state;
	run_both_ways("large");
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	run_both_ways("large");
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void engines_of_several_threads_sleep_on_one_connection(void **state)
{
	(void)state;
	run_both_ways("threads");
}

/* ---- a server that is not there ---- */

static void the_end_of_the_wait_for_a_server_wakes(void **state)
{
	(void)state;
	harness_sleep_for_ever();
	setenv("DOCA_EMU_CONNECT_WAIT", "200", 1);
	struct devices devices;
	devices_open_host(&devices);
	struct end end;
	client_make(&end, &devices, "nobody", NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
	SLEEP_UNTIL(state_of(end.ctx) == IDLE, end.pe);
	end_destroy(&end);
	devices_close(&devices);
	unsetenv("DOCA_EMU_CONNECT_WAIT");
}

/* ---- the end of the peer ---- */

/* The process that is told to die, once so many threads of this one have armed their engines, and sleep. */
static pid_t dying;
static _Atomic int awake;
static _Thread_local bool has_slept;

static void let_die_in_sleep(pid_t child, int threads)
{
	has_slept = false;
	awake = threads;
	dying = child;
}

/* In the place of the C library's, also for the libraries, which do not wait in it. */
int poll(struct pollfd *fds, nfds_t num, int timeout)
{
	if (dying > 0 && timeout > 0 && !has_slept) {
		has_slept = true;
		if (--awake == 0)
			kill(dying, SIGUSR1);
	}
	struct timespec most = {.tv_sec = timeout / 1000, .tv_nsec = (long)(timeout % 1000) * 1000000};
	return ppoll(fds, num, timeout < 0 ? NULL : &most, NULL);
}

static void the_death_of_a_client_wakes(void **state)
{
	(void)state;
	int child = program_start("CLIENT", "dies");
	struct side side;
	side_open(&side, true);
	let_die_in_sleep(child, 1);
	SLEEP_UNTIL(count_of(&side.end.record, DISCONNECTED) == 1, side.end.pe);
	assert_int_equal(nth(&side.end.record, DISCONNECTED, 0)->a, 0);
	assert_int_equal(child_wait(child), 1000 + SIGKILL);
	dying = 0;
	side_close(&side);
}

static void the_death_of_a_server_wakes(void **state)
{
	(void)state;
	int child = program_start("SERVER", "dies");
	struct side side;
	side_open(&side, false);
	let_die_in_sleep(child, 1);
	SLEEP_UNTIL(state_of(side.end.ctx) == IDLE, side.end.pe);
	assert_int_equal(child_wait(child), 1000 + SIGKILL);
	dying = 0;
	side_close(&side);
}

static void die(bool server)
{
	struct side side;
	sigset_t told;
	sigemptyset(&told);
	sigaddset(&told, SIGUSR1);
	CHECK(sigprocmask(SIG_BLOCK, &told, NULL) == 0);
	side_open(&side, server);
	CHECK(sigwaitinfo(&told, NULL) == SIGUSR1);
	raise(SIGKILL);
}

/* A consumer on an engine of its own hears of it from the control path. */
static void *mourn(void *argument)
{
	struct consumer *consumer = argument;
	SLEEP_UNTIL(state_of(consumer->ctx) == IDLE, consumer->pe);
	return NULL;
}

static void the_death_wakes_other_engines_too(void **state)
{
	(void)state;
	int child = program_start("CLIENT", "dies");
	struct side side;
	side_open(&side, true);
	struct memory memory;
	memory_open(&memory, 4096, 1, side.dev, RW);
	struct consumer consumer;
	consumer_make(&consumer, side.end.connection, memory.mmap, 1, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	pthread_t thread;
	let_die_in_sleep(child, 2);
	CHECK(pthread_create(&thread, NULL, mourn, &consumer) == 0);
	SLEEP_UNTIL(count_of(&side.end.record, DISCONNECTED) == 1, side.end.pe);
	CHECK(pthread_join(thread, NULL) == 0);
	assert_int_equal(child_wait(child), 1000 + SIGKILL);
	dying = 0;
	consumer_destroy(&consumer);
	memory_close(&memory);
	side_close(&side);
}

/* ---- the price ---- */

#define MANY 20000

static void drive_both(struct pair *pair)
{
	drive(pair->server.pe);
	drive(pair->client.pe);
}

/* Counted where both processes are this one. */
static void nobody_is_woken_who_does_not_sleep(void **state)
{
	(void)state;
	harness_sleep_for_ever();
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct memory in, out;
	memory_open(&in, 4096, 1, pair.devices.dpu, RW);
	memory_open(&out, 4096, 1, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct consumer consumer;
	struct producer producer;
	consumer_make(&consumer, pair.server.connection, in.mmap, 1, pair.server.pe);
	producer_make(&producer, pair.client.connection, 1, pair.client.pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	producer_start(&producer);
	UNTIL(state_of(consumer.ctx) == RUNNING && count_of(&pair.client.record, CONSUMER_NEW) == 1, pair.server.pe,
	      pair.client.pe);
	struct doca_buf *to = memory_buf(&in, 0, 64, 0), *from = memory_buf(&out, 0, 64, 64);
	post(&consumer, to);
	/* It has slept before, and been woken. */
	OK(doca_pe_request_notification(pair.server.pe));
	wakeups_sent = 0;
	send_text(&pair.client, pair.client.connection, "wake up");
	assert_int_equal(wakeups_sent, 1);
	send_text(&pair.client, pair.client.connection, "once is enough");
	assert_int_equal(wakeups_sent, 1);
	put(&producer, consumer.id, from);
	assert_int_equal(wakeups_sent, 2);
	OK(doca_pe_clear_notification(pair.server.pe, 0));
	UNTIL(count_of(&pair.server.record, MESSAGE) == 2 && count_of(&consumer.record, RECEIVED) == 1 &&
		      count_of(&producer.record, SENT) == 1 && inflight(pair.client.ctx) == 0,
	      pair.server.pe, pair.client.pe);
	/* Armed and cleared without an event. */
	OK(doca_pe_request_notification(pair.server.pe));
	OK(doca_pe_clear_notification(pair.server.pe, 0));
	wakeups_sent = 0;
	struct doca_comch_consumer_task_post_recv *receive = nth(&consumer.record, RECEIVED, 0)->object;
	struct doca_comch_producer_task_send *sent = nth(&producer.record, SENT, 0)->object;
	for (int i = 0; i < MANY; i++) {
		OK(doca_buf_reset_data_len(to));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receive)));
		OK(doca_task_submit(doca_comch_producer_task_send_as_task(sent)));
		send_text(&pair.client, pair.client.connection, "awake");
		send_text(&pair.server, pair.server.connection, "me too");
		record_clear(&consumer.record);
		record_clear(&producer.record);
		while (count_of(&consumer.record, RECEIVED) == 0 || count_of(&producer.record, SENT) == 0)
			drive_both(&pair);
		while (count_of(&pair.server.record, MESSAGE) == 0 || count_of(&pair.client.record, MESSAGE) == 0)
			drive_both(&pair);
		UNTIL(inflight(pair.client.ctx) + inflight(pair.server.ctx) == 0, pair.server.pe, pair.client.pe);
		record_clear(&pair.server.record);
		record_clear(&pair.client.record);
	}
	assert_int_equal(wakeups_sent, 0);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(receive));
	doca_task_free(doca_comch_producer_task_send_as_task(sent));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
	UNTIL(state_of(consumer.ctx) == IDLE, pair.server.pe, pair.client.pe);
	producer_stop(&producer);
	consumer_destroy(&consumer);
	producer_destroy(&producer);
	buf_release(to);
	buf_release(from);
	memory_close(&in);
	memory_close(&out);
	pair_close(&pair);
}

/* What the program itself submits while it is armed, for another of its descriptors, completes in its sleep. */
static void a_submit_while_armed_completes_in_the_sleep(void **state)
{
	(void)state;
	harness_sleep_for_ever();
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	for (int round = 0; round < 100; round++) {
		OK(doca_pe_request_notification(pair.client.pe));
		send_text(&pair.client, pair.client.connection, "armed before");
		struct pollfd handle = {.fd = handle_of(pair.client.pe), .events = POLLIN};
		assert_int_equal(poll(&handle, 1, 30000), 1);
		OK(doca_pe_clear_notification(pair.client.pe, 0));
		UNTIL(inflight(pair.client.ctx) == 0, pair.client.pe);
		UNTIL(count_of(&pair.server.record, MESSAGE) == (size_t)round + 1, pair.server.pe);
	}
	pair_close(&pair);
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		bool server = strcmp(argv[1], "SERVER") == 0;
		if (strcmp(argv[2], "dies") == 0)
			die(server);
		else
			run_script(server, argv[2]);
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_wake_the_peer),
		cmocka_unit_test(room_in_the_queue_wakes_the_sender),
		cmocka_unit_test(payloads_wake_the_peer),
		cmocka_unit_test(large_payloads_wake_both_sides),
		cmocka_unit_test(engines_of_several_threads_sleep_on_one_connection),
		cmocka_unit_test(the_end_of_the_wait_for_a_server_wakes),
		cmocka_unit_test(the_death_of_a_client_wakes),
		cmocka_unit_test(the_death_of_a_server_wakes),
		cmocka_unit_test(the_death_wakes_other_engines_too),
		cmocka_unit_test(nobody_is_woken_who_does_not_sleep),
		cmocka_unit_test(a_submit_while_armed_completes_in_the_sleep),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
