/* A producer that is held up in the middle of writing, while the consumer's side ends the connection, stops or takes
 * the buffer back; and a consumer that is held up in the middle of fetching, while the producer's side stops. The
 * producer is held by a page of its payload that cannot be read until it may go on, or in the system call that writes
 * into another process; the consumer in the one that reads from there. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "doca_emu.h"
#include "harness.h"
#include "logged.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

#define NAME "late writers"
#define SEED 5
#define ROOM (UINT32_C(1) << 20)
/* Written into another process in one call, without an offer. */
#define DIRECT_BYTES 100000u
/* Several parts in the pipeline, which holds all of them. */
#define PIPED_BYTES 500000u

/* Where the writer is held; shared by all processes of a test. */
static struct gate {
	atomic_bool armed, held, open;
	atomic_bool sent, leave;
	_Atomic int status; /* of the send */
} * gate;

static void await(atomic_bool *flag)
{
	int64_t deadline = harness_deadline();
	while (!atomic_load(flag)) {
		harness_in_time(deadline, __FILE__, __LINE__, "the other one is so far");
		usleep(100);
	}
}

static void pass_gate(void)
{
	if (!atomic_exchange(&gate->armed, false))
		return;
	atomic_store(&gate->held, true);
	await(&gate->open);
}

static int gate_up(void **state)
{
	(void)state;
	gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(gate != MAP_FAILED);
	return 0;
}

static int gate_down(void **state)
{
	(void)state;
	OK(doca_emu_set_faults(NULL));
	CHECK(munmap(gate, sizeof(*gate)) == 0);
	return 0;
}

/* Called by the library in place of the C library's. */
ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *peers,
			  unsigned long num_peers, unsigned long flags)
{
	if (gate != NULL)
		pass_gate();
	return syscall(SYS_process_vm_writev, pid, local, num_local, peers, num_peers, flags);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local, const struct iovec *peers,
			 unsigned long num_peers, unsigned long flags)
{
	if (gate != NULL)
		pass_gate();
	return syscall(SYS_process_vm_readv, pid, local, num_local, peers, num_peers, flags);
}

/* ---- a page that holds whoever reads it ---- */

static uint8_t *held_page;
static size_t page_bytes;
static struct sigaction before;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	const uint8_t *at = info->si_addr;
	if (held_page == NULL || at < held_page || at >= held_page + page_bytes) {
		(void)sigaction(signal, &before, NULL); /* a crash after all */
		return;
	}
	pass_gate();
	(void)mprotect(held_page, page_bytes, PROT_READ | PROT_WRITE);
}

static void hold_page_at(uint8_t *bytes)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	held_page = (uint8_t *)(((uintptr_t)bytes + page_bytes - 1) / page_bytes * page_bytes);
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	CHECK(sigaction(SIGSEGV, &action, &before) == 0);
	atomic_store(&gate->armed, true);
	CHECK(mprotect(held_page, page_bytes, PROT_NONE) == 0);
}

static void release_page(void)
{
	CHECK(mprotect(held_page, page_bytes, PROT_READ | PROT_WRITE) == 0);
	held_page = NULL;
	CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
}

/* ---- both sides in one process: the producer has a thread of its own ---- */

struct within {
	struct pair pair;
	struct memory in, out;
	struct consumer consumer;
	struct producer producer;
	struct doca_buf *room, *payload;
	struct doca_comch_consumer_task_post_recv *receive;
	pthread_t thread;
};

static void *sends(void *argument)
{
	struct within *within = argument;
	OK(try_send(&within->producer, within->consumer.id, within->payload, NULL, 0, NULL));
	return NULL;
}

static void break_connection(struct end *end)
{
	struct doca_comch_task_send *task;
	OK(doca_emu_set_faults("drop=1"));
	OK(alloc_send(end, end->connection, "x", 1, &task));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
}

/* The producer has claimed the posted buffer and copies into it, and the connection has been lost. */
static void within_open(struct within *within)
{
	struct pair *pair = &within->pair;
	pair_open(pair, TWO_ENGINES);
	memory_open(&within->in, ROOM, 1, pair->devices.dpu, RW);
	memory_open(&within->out, ROOM, 1, pair->devices.host, RW);
	fill(within->out.bytes, ROOM, SEED);
	consumer_make(&within->consumer, pair->server.connection, within->in.mmap, 1, NULL);
	consumer_start(&within->consumer, pair->server.pe);
	producer_make(&within->producer, pair->client.connection, 1, NULL);
	producer_start(&within->producer);
	within->room = memory_buf(&within->in, 0, ROOM, 0);
	within->payload = memory_buf(&within->out, 0, ROOM, ROOM);
	within->receive = post(&within->consumer, within->room);
	hold_page_at(within->out.bytes + ROOM / 2);
	CHECK(pthread_create(&within->thread, NULL, sends, within) == 0);
	await(&gate->held);
	break_connection(&pair->client);
	UNTIL(count_of(&pair->server.record, DISCONNECTED) == 1, pair->server.pe, pair->client.pe);
}

static void within_close(struct within *within)
{
	struct pair *pair = &within->pair;
	CHECK(pthread_join(within->thread, NULL) == 0);
	release_page();
	free_received(&within->consumer.record);
	UNTIL(state_of(within->consumer.ctx) == IDLE, within->consumer.pe);
	UNTIL(count_of(&within->producer.record, SENT) == 1, within->producer.pe);
	free_sent(&within->producer.record);
	UNTIL(state_of(within->producer.ctx) == IDLE, within->producer.pe, pair->client.pe);
	consumer_destroy(&within->consumer);
	producer_destroy(&within->producer);
	buf_release(within->room);
	buf_release(within->payload);
	memory_close(&within->in);
	memory_close(&within->out);
	pair_stop(pair);
}

static void a_lost_connection_does_not_give_back_what_a_thread_writes_to(void **state)
{
	(void)state;
	struct within within;
	within_open(&within);
	settle(within.consumer.pe, within.pair.server.pe);
	CHECK(state_of(within.consumer.ctx) == DOCA_CTX_STATE_STOPPING);
	CHECK(count_of(&within.consumer.record, RECEIVE_FAILED) == 0);
	atomic_store(&gate->open, true);
	UNTIL(count_of(&within.consumer.record, RECEIVED) == 1, within.consumer.pe);
	CHECK(filled(within.in.bytes, ROOM, SEED));
	within_close(&within);
}

/* How often this thread has looked at the clock, as it does while it waits for a writer. */
static _Thread_local bool takes_back;
static _Atomic unsigned looks;

/* In the place of the C library's, also for the libraries. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (takes_back)
		atomic_fetch_add(&looks, 1);
	return (int)syscall(SYS_clock_gettime, clock, now);
}

/* Opens the gate once the other thread waits. */
static void *opens_the_gate(void *argument)
{
	(void)argument;
	int64_t deadline = harness_deadline();
	while (atomic_load(&looks) < 3) {
		harness_in_time(deadline, __FILE__, __LINE__, "the receive is being taken back");
		usleep(100);
	}
	atomic_store(&gate->open, true);
	return NULL;
}

static void a_receive_is_taken_back_from_a_thread_that_writes_to_it(void **state)
{
	(void)state;
	struct within within;
	pthread_t opener;
	within_open(&within);
	CHECK(pthread_create(&opener, NULL, opens_the_gate, NULL) == 0);
	takes_back = true;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(within.receive));
	takes_back = false;
	CHECK(atomic_load(&gate->open) && filled(within.in.bytes, ROOM, SEED));
	CHECK(pthread_join(opener, NULL) == 0);
	within_close(&within);
}

/* ---- the producer in another process ---- */

struct between {
	struct devices devices;
	struct end end;
	struct memory in;
	struct consumer consumer;
	struct doca_buf *room;
	int child;
};

/* How the other process's payload travels and where its producer is held. */
enum way { WRITTEN, PIPED_FIRST_PART, PIPED_LAST_PART };

static int sends_from_another_process(void *argument)
{
	enum way way = *(enum way *)argument;
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	uint32_t len = way == WRITTEN ? DIRECT_BYTES : PIPED_BYTES;
	if (way != WRITTEN)
		setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	struct devices devices;
	struct end end;
	struct memory out;
	struct producer producer;
	devices_open_host(&devices);
	client_make(&end, &devices, NAME, NULL);
	int64_t deadline = harness_deadline();
	while (count_of(&end.record, CONSUMER_NEW) == 0) {
		harness_in_time(deadline, __FILE__, __LINE__, "the server has a consumer");
		if (state_of(end.ctx) == IDLE) {
			usleep(500);
			(void)doca_ctx_start(end.ctx);
		}
		drive(end.pe);
	}
	memory_open(&out, ROOM, 1, devices.host, RW);
	fill(out.bytes, len, SEED);
	producer_make(&producer, end.connection, 1, NULL);
	producer_start(&producer);
	struct doca_buf *payload = memory_buf(&out, 0, len, len);
	if (way == WRITTEN)
		atomic_store(&gate->armed, true);
	else
		hold_page_at(way == PIPED_FIRST_PART ? out.bytes : out.bytes + len - 2 * (size_t)sysconf(_SC_PAGESIZE));
	uint32_t id = (uint32_t)nth(&end.record, CONSUMER_NEW, 0)->a;
	doca_error_t result;
	while ((result = try_send(&producer, id, payload, NULL, 0, NULL)) == DOCA_ERROR_AGAIN)
		harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
	OK(result);
	UNTIL(count_of(&producer.record, SENT) + count_of(&producer.record, SEND_FAILED) == 1, producer.pe);
	atomic_store(&gate->status, count_of(&producer.record, SENT) == 1 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	atomic_store(&gate->sent, true);
	await(&gate->leave);
	return 0;
}

/* The other process's producer is held; `way` lives as long as that starts. */
static void between_open(struct between *between, enum way way)
{
	between->child = child_start(sends_from_another_process, &way);
	devices_open_dpu(&between->devices);
	server_make(&between->end, &between->devices, NAME, NULL);
	OK(doca_ctx_start(between->end.ctx));
	UNTIL(between->end.connection != NULL, between->end.pe);
	memory_open(&between->in, ROOM, 1, between->devices.dpu, RW);
	consumer_make(&between->consumer, between->end.connection, between->in.mmap, 1, NULL);
	consumer_start(&between->consumer, between->end.pe);
	between->room = memory_buf(&between->in, 0, ROOM, 0);
	post(&between->consumer, between->room);
	UNTIL(atomic_load(&gate->held), between->consumer.pe, between->end.pe);
}

static void between_close(struct between *between)
{
	free_received(&between->consumer.record);
	UNTIL(state_of(between->consumer.ctx) == IDLE, between->consumer.pe);
	consumer_destroy(&between->consumer);
	buf_release(between->room);
	memory_close(&between->in);
	(void)doca_ctx_stop(between->end.ctx);
	UNTIL(state_of(between->end.ctx) == IDLE, between->end.pe);
	end_destroy(&between->end);
	devices_close(&between->devices);
}

static void let_go(struct between *between)
{
	atomic_store(&gate->leave, true);
	CHECK(child_wait(between->child) == 0);
}

/* qemu-user does not write into other processes. */
static void needs_direct_writes(void)
{
	if (getenv("COMCH4J_TEST_LAUNCHER") != NULL)
		skip();
}

static void a_lost_connection_does_not_give_back_what_a_process_writes_to(void **state)
{
	(void)state;
	needs_direct_writes();
	struct between between;
	between_open(&between, WRITTEN);
	break_connection(&between.end);
	UNTIL(count_of(&between.end.record, DISCONNECTED) == 1, between.end.pe);
	settle(between.consumer.pe, NULL);
	CHECK(state_of(between.consumer.ctx) == DOCA_CTX_STATE_STOPPING);
	CHECK(count_of(&between.consumer.record, RECEIVE_FAILED) == 0);
	atomic_store(&gate->open, true);
	UNTIL(count_of(&between.consumer.record, RECEIVED) == 1, between.consumer.pe);
	CHECK(filled(between.in.bytes, DIRECT_BYTES, SEED));
	let_go(&between);
	between_close(&between);
}

static void a_process_that_has_ended_writes_no_more(void **state)
{
	(void)state;
	needs_direct_writes();
	struct between between;
	between_open(&between, WRITTEN);
	break_connection(&between.end);
	UNTIL(count_of(&between.end.record, DISCONNECTED) == 1, between.end.pe);
	log_forget();
	child_kill(between.child);
	UNTIL(count_of(&between.consumer.record, RECEIVE_FAILED) == 1, between.consumer.pe);
	/* Not because it has waited for long enough. */
	assert_int_equal(times_logged("does not fill it"), 0);
	between_close(&between);
}

/* ---- the consumer in another process, which fetches the payload ---- */

#define FETCHED_BYTES (UINT32_C(256) << 10)

static int fetches_in_another_process(void *unused)
{
	(void)unused;
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	setenv("DOCA_EMU_CONNECT_WAIT", "30000", 1);
	struct devices devices;
	struct end end;
	struct memory in;
	struct consumer consumer;
	devices_open_host(&devices);
	client_make(&end, &devices, NAME, NULL);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
	UNTIL(state_of(end.ctx) == RUNNING, end.pe);
	memory_open(&in, ROOM, 1, devices.host, RW);
	consumer_make(&consumer, end.connection, in.mmap, 1, NULL);
	consumer_start(&consumer, end.pe);
	post(&consumer, memory_buf(&in, 0, ROOM, 0));
	atomic_store(&gate->armed, true);
	UNTIL(atomic_load(&gate->open), consumer.pe); /* it is held in one of these looks */
	settle(consumer.pe, NULL);
	CHECK(count_of(&consumer.record, RECEIVED) + count_of(&consumer.record, RECEIVE_FAILED) == 0);
	atomic_store(&gate->status, inflight(consumer.ctx) == 1 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	atomic_store(&gate->sent, true);
	await(&gate->leave);
	return 0;
}

static void a_send_that_is_flushed_while_it_is_fetched_leaves_its_buffer_posted(void **state)
{
	(void)state;
	needs_direct_writes();
	int child = child_start(fetches_in_another_process, NULL);
	struct devices devices;
	struct end end;
	struct memory out;
	struct producer producer;
	devices_open_dpu(&devices);
	server_make(&end, &devices, NAME, NULL);
	OK(doca_ctx_start(end.ctx));
	UNTIL(count_of(&end.record, CONSUMER_NEW) == 1, end.pe);
	memory_open(&out, ROOM, 1, devices.dpu, RW);
	fill(out.bytes, FETCHED_BYTES, SEED);
	producer_make(&producer, end.connection, 1, NULL);
	producer_start(&producer);
	struct doca_buf *payload = memory_buf(&out, 0, FETCHED_BYTES, FETCHED_BYTES);
	int64_t deadline = harness_deadline();
	doca_error_t result;
	while ((result = try_send(&producer, (uint32_t)nth(&end.record, CONSUMER_NEW, 0)->a, payload, NULL, 0, NULL)) ==
	       DOCA_ERROR_AGAIN)
		harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
	OK(result);
	await(&gate->held); /* in the middle of the fetch: the offer is taken */
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(producer.ctx));
	UNTIL(count_of(&producer.record, SEND_FAILED) == 1, producer.pe);
	free_sent(&producer.record);
	UNTIL(state_of(producer.ctx) == IDLE, producer.pe);
	atomic_store(&gate->open, true);
	await(&gate->sent);
	CHECK(atomic_load(&gate->status) == DOCA_SUCCESS);
	atomic_store(&gate->leave, true);
	CHECK(child_wait(child) == 0);
	UNTIL(count_of(&end.record, DISCONNECTED) == 1, end.pe);
	producer_destroy(&producer);
	buf_release(payload);
	memory_close(&out);
	(void)doca_ctx_stop(end.ctx);
	UNTIL(state_of(end.ctx) == IDLE, end.pe);
	end_destroy(&end);
	devices_close(&devices);
}

static void a_send_whose_last_part_comes_too_late_has_failed(void **state)
{
	(void)state;
	struct between between;
	between_open(&between, PIPED_LAST_PART);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(between.consumer.ctx));
	UNTIL(count_of(&between.consumer.record, RECEIVE_FAILED) == 1, between.consumer.pe);
	atomic_store(&gate->open, true);
	await(&gate->sent);
	CHECK(atomic_load(&gate->status) != DOCA_SUCCESS);
	let_go(&between);
	between_close(&between);
}

static void a_stopping_consumer_takes_what_has_all_been_sent(void **state)
{
	(void)state;
	struct between between;
	between_open(&between, PIPED_FIRST_PART);
	atomic_store(&gate->open, true);
	await(&gate->sent);
	CHECK(atomic_load(&gate->status) == DOCA_SUCCESS);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(between.consumer.ctx));
	UNTIL(count_of(&between.consumer.record, RECEIVED) == 1, between.consumer.pe);
	CHECK(filled(between.in.bytes, PIPED_BYTES, SEED));
	let_go(&between);
	between_close(&between);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_lost_connection_does_not_give_back_what_a_process_writes_to, gate_up,
						gate_down),
		cmocka_unit_test_setup_teardown(a_process_that_has_ended_writes_no_more, gate_up, gate_down),
		cmocka_unit_test_setup_teardown(a_send_that_is_flushed_while_it_is_fetched_leaves_its_buffer_posted,
						gate_up, gate_down),
		cmocka_unit_test_setup_teardown(a_send_whose_last_part_comes_too_late_has_failed, gate_up, gate_down),
		cmocka_unit_test_setup_teardown(a_stopping_consumer_takes_what_has_all_been_sent, gate_up, gate_down),
		cmocka_unit_test_setup_teardown(a_lost_connection_does_not_give_back_what_a_thread_writes_to, gate_up,
						gate_down),
		cmocka_unit_test_setup_teardown(a_receive_is_taken_back_from_a_thread_that_writes_to_it, gate_up,
						gate_down),
	};
	log_keep();
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
