/* What a consumer receives of a connection that breaks is the beginning of what was sent, whatever way the payloads
 * take; and what a producer gives up on a sound one costs the consumer no buffer. Two processes: the sender's, which is
 * killed, stops its producer, or breaks the connection, and this one. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "doca_emu.h"
#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

#define NAME "prefixes"
#define ROOMS 8u
#define ROOM_BYTES (UINT32_C(512) << 10)
#define IN_FLIGHT 6u

/* Offered, through the pipe, directly, eager, in the slot. */
static const uint32_t lengths[] = {256 << 10, 40, 100000, 300000, 3000, 64};

/* How far both are; shared by the processes. */
static struct stage {
	atomic_int reached;
} * stage;

static int stage_up(void **state)
{
	(void)state;
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(stage != MAP_FAILED);
	return 0;
}

static int stage_down(void **state)
{
	(void)state;
	unsetenv("DOCA_EMU_DIRECT_WRITE");
	CHECK(munmap(stage, sizeof(*stage)) == 0);
	return 0;
}

static void await_stage(int wanted)
{
	int64_t deadline = harness_deadline();
	while (atomic_load(&stage->reached) < wanted) {
		harness_in_time(deadline, __FILE__, __LINE__, "the other one is so far");
		usleep(50);
	}
}

/* ---- the sender ---- */

struct sender {
	struct devices devices;
	struct end end;
	struct memory out;
	struct producer producer;
	struct doca_buf *bufs[IN_FLIGHT];
	uint32_t to;
};

static void sender_open(struct sender *sender)
{
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	*sender = (struct sender){0};
	devices_open_host(&sender->devices);
	client_make(&sender->end, &sender->devices, NAME, NULL);
	int64_t deadline = harness_deadline();
	while (count_of(&sender->end.record, CONSUMER_NEW) == 0) {
		harness_in_time(deadline, __FILE__, __LINE__, "the server has a consumer");
		if (state_of(sender->end.ctx) == IDLE) {
			usleep(500);
			(void)doca_ctx_start(sender->end.ctx);
		}
		drive(sender->end.pe);
	}
	sender->to = (uint32_t)nth(&sender->end.record, CONSUMER_NEW, 0)->a;
	memory_open(&sender->out, (size_t)IN_FLIGHT * ROOM_BYTES, 64, sender->devices.host, RW);
	producer_make(&sender->producer, sender->end.connection, IN_FLIGHT, NULL);
	producer_start(&sender->producer);
}

/* Submits payload `number` of so many bytes, all of which say so; false: there is no buffer for it. */
static bool submit(struct sender *sender, uint32_t number, uint32_t len)
{
	size_t place = number % IN_FLIGHT * ROOM_BYTES;
	uint32_t *words = (uint32_t *)(sender->out.bytes + place);
	for (uint32_t i = 0; i < (len + 3) / 4; i++)
		words[i] = number;
	struct doca_buf **buf = &sender->bufs[number % IN_FLIGHT];
	if (*buf != NULL)
		buf_release(*buf);
	*buf = memory_buf(&sender->out, place, len, len);
	doca_error_t result = try_send(&sender->producer, sender->to, *buf, NULL, 0, NULL);
	if (result != DOCA_ERROR_AGAIN)
		OK(result);
	return result == DOCA_SUCCESS;
}

/* Until it is killed. */
static int sends_for_ever(void *unused)
{
	(void)unused;
	struct sender sender;
	sender_open(&sender);
	uint32_t submitted = 0, ended = 0;
	while (atomic_load(&stage->reached) == 0) {
		if (submitted - ended < IN_FLIGHT &&
		    submit(&sender, submitted, lengths[submitted % (sizeof(lengths) / sizeof(lengths[0]))]))
			submitted++;
		drive(sender.producer.pe);
		/* The oldest end first, but for an offered one: none of the places behind it is used again before. */
		if (count_of(&sender.producer.record, SENT) == IN_FLIGHT) {
			ended += IN_FLIGHT;
			free_sent(&sender.producer.record);
			record_clear(&sender.producer.record);
		}
	}
	return 1;
}

/* ---- the receiver ---- */

struct receiver {
	struct devices devices;
	struct end end;
	struct memory in;
	struct consumer consumer;
	int child;
	uint32_t next;          /* expected */
	unsigned holes, failed; /* the latter while it ran */
};

static void received(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task, doca_error_t status)
{
	struct receiver *receiver = consumer->own;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	bool runs = state_of(consumer->ctx) == RUNNING;
	if (status != DOCA_SUCCESS) {
		receiver->failed += runs;
	} else {
		void *bytes;
		OK(doca_buf_get_data(buf, &bytes));
		size_t len = buf_data_len(buf);
		uint32_t number = *(uint32_t *)bytes;
		receiver->holes += number != receiver->next;
		receiver->next = number + 1;
		for (size_t i = 0; i < len / 4; i++)
			CHECK(((uint32_t *)bytes)[i] == number);
		OK(doca_buf_reset_data_len(buf));
	}
	if (!runs || doca_task_submit(base) != DOCA_SUCCESS) {
		doca_task_free(base);
		buf_release(buf);
	}
}

static void receiver_open(struct receiver *receiver, int (*sends)(void *), bool direct)
{
	*receiver = (struct receiver){0};
	atomic_store(&stage->reached, 0);
	if (direct)
		unsetenv("DOCA_EMU_DIRECT_WRITE");
	else
		setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	receiver->child = child_start(sends, NULL);
	devices_open_dpu(&receiver->devices);
	server_make(&receiver->end, &receiver->devices, NAME, NULL);
	OK(doca_ctx_start(receiver->end.ctx));
	UNTIL(receiver->end.connection != NULL, receiver->end.pe);
	memory_open(&receiver->in, (size_t)ROOMS * ROOM_BYTES, ROOMS, receiver->devices.dpu, RW);
	consumer_make(&receiver->consumer, receiver->end.connection, receiver->in.mmap, ROOMS, NULL);
	receiver->consumer.own = receiver;
	receiver->consumer.on_received = received;
	consumer_start(&receiver->consumer, receiver->end.pe);
}

static void post_rooms(struct receiver *receiver, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		post(&receiver->consumer, memory_buf(&receiver->in, (size_t)i * ROOM_BYTES, ROOM_BYTES, 0));
}

static void receiver_close(struct receiver *receiver)
{
	UNTIL(state_of(receiver->consumer.ctx) == IDLE, receiver->consumer.pe, receiver->end.pe);
	consumer_destroy(&receiver->consumer);
	memory_close(&receiver->in);
	(void)doca_ctx_stop(receiver->end.ctx);
	UNTIL(state_of(receiver->end.ctx) == IDLE, receiver->end.pe);
	end_destroy(&receiver->end);
	devices_close(&receiver->devices);
}

/* qemu-user does not write into other processes. */
static bool emulated(void)
{
	return getenv("COMCH4J_TEST_LAUNCHER") != NULL;
}

static void a_killed_sender_leaves_no_hole(void **state)
{
	(void)state;
	unsigned holes = 0, failed = 0;
	for (unsigned kill = 0; kill < 60; kill++) {
		struct receiver receiver;
		receiver_open(&receiver, sends_for_ever, kill % 3 != 2 && !emulated());
		post_rooms(&receiver, ROOMS);
		UNTIL(receiver.next > 20 + kill * 3, receiver.consumer.pe, receiver.end.pe);
		/* Not in the callbacks of a payload, but while one is under way. */
		usleep(kill % 7 * 100);
		child_kill(receiver.child);
		receiver_close(&receiver);
		holes += receiver.holes;
		failed += receiver.failed;
	}
	assert_int_equal(holes, 0);
	assert_int_equal(failed, 0);
}

/* Large payloads whose producer stops before any of them has been taken, and a small one of its next start. */
static int gives_up(void *unused)
{
	(void)unused;
	struct sender sender;
	sender_open(&sender);
	await_stage(1);
	for (uint32_t number = 100; number < 102; number++)
		CHECK(submit(&sender, number, ROOM_BYTES));
	(void)doca_ctx_stop(sender.producer.ctx);
	UNTIL(count_of(&sender.producer.record, SENT) + count_of(&sender.producer.record, SEND_FAILED) == 2,
	      sender.producer.pe);
	/* With direct writes the second one has been written. */
	CHECK(count_of(&sender.producer.record, SENT) < 2);
	free_sent(&sender.producer.record);
	UNTIL(state_of(sender.producer.ctx) == IDLE, sender.producer.pe);
	record_clear(&sender.producer.record);
	producer_start(&sender.producer);
	CHECK(submit(&sender, 7, 64));
	UNTIL(count_of(&sender.producer.record, SENT) == 1, sender.producer.pe);
	atomic_store(&stage->reached, 2);
	await_stage(3);
	for (uint32_t number = 8; number < 8 + 2 * ROOMS;) {
		free_sent(&sender.producer.record);
		record_clear(&sender.producer.record);
		number += submit(&sender, number, 3000);
		UNTIL(inflight(sender.producer.ctx) == 0, sender.producer.pe);
	}
	await_stage(4);
	return 0;
}

static void what_a_producer_gives_up_costs_no_buffer(void **state)
{
	(void)state;
	for (int direct = emulated() ? 0 : 1; direct >= 0; direct--) {
		struct receiver receiver;
		receiver_open(&receiver, gives_up, direct);
		post_rooms(&receiver, 4);
		atomic_store(&stage->reached, 1);
		await_stage(2);
		UNTIL(receiver.next == 8, receiver.consumer.pe, receiver.end.pe);
		atomic_store(&stage->reached, 3);
		UNTIL(receiver.next == 8 + 2 * ROOMS, receiver.consumer.pe, receiver.end.pe);
		assert_int_equal(receiver.failed, 0);
		assert_int_equal(inflight(receiver.consumer.ctx), 4);
		atomic_store(&stage->reached, 4);
		CHECK(child_wait(receiver.child) == 0);
		receiver_close(&receiver);
	}
}

/* A large payload that nobody has taken, a small one behind it, and then the connection breaks. */
static int breaks(void *unused)
{
	(void)unused;
	struct sender sender;
	sender_open(&sender);
	await_stage(1);
	CHECK(submit(&sender, 0, 64));
	CHECK(submit(&sender, 1, ROOM_BYTES));
	CHECK(submit(&sender, 2, 64));
	OK(doca_emu_set_faults("break_send=1:IO_FAILED"));
	CHECK(submit(&sender, 3, 64));
	UNTIL(count_of(&sender.producer.record, SENT) + count_of(&sender.producer.record, SEND_FAILED) == 4,
	      sender.producer.pe);
	atomic_store(&stage->reached, 2);
	await_stage(3);
	return 0;
}

static void nothing_behind_what_a_broken_connection_lacks_is_received(void **state)
{
	(void)state;
	for (int direct = emulated() ? 0 : 1; direct >= 0; direct--) {
		struct receiver receiver;
		receiver_open(&receiver, breaks, direct);
		post_rooms(&receiver, ROOMS);
		atomic_store(&stage->reached, 1);
		await_stage(2);
		UNTIL(state_of(receiver.consumer.ctx) == DOCA_CTX_STATE_STOPPING, receiver.consumer.pe,
		      receiver.end.pe);
		UNTIL(inflight(receiver.consumer.ctx) == 0, receiver.consumer.pe);
		assert_int_equal(receiver.next, 1);
		assert_int_equal(receiver.failed, 0);
		atomic_store(&stage->reached, 3);
		CHECK(child_wait(receiver.child) == 0);
		receiver_close(&receiver);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_killed_sender_leaves_no_hole, stage_up, stage_down),
		cmocka_unit_test_setup_teardown(what_a_producer_gives_up_costs_no_buffer, stage_up, stage_down),
		cmocka_unit_test_setup_teardown(nothing_behind_what_a_broken_connection_lacks_is_received, stage_up,
						stage_down),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
