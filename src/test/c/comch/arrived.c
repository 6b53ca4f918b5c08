/* What has arrived has been sent: sends whose payload the peer has received complete with SUCCESS, whatever has become
 * of the peer when the sender comes to look; and sends whose payload nobody has received fail.
 *
 * The sender is this process. The receiver is this program started again: child SERVER|CLIENT ROLE. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE
#define MIB (UINT64_C(1) << 20)

/* The ways of a payload: a slot, the packed area, the eager area, a direct write, the consumer's fetch, a direct
 * write of one too large to be fetched. Each is sent twice by a producer of its own; of two that could be fetched the
 * second is written by the producer. Without direct writes long ones go through the pipeline, where the
 * last would be nothing new. */
static const size_t lens[] = {64, 2000, 10000, 64u << 10, 1u << 20, (8u << 20) + 1};

#define WAYS (sizeof(lens) / sizeof(lens[0]))
#define PAYLOADS (2 * WAYS)
#define LARGEST ((8u << 20) + 1)
/* More than 32, so that there is a packed area. */
#define RECEIVES 40

static bool direct_writes(void)
{
	const char *wanted = getenv("DOCA_EMU_DIRECT_WRITE");
	return wanted == NULL || strcmp(wanted, "0") != 0;
}

static size_t ways(void)
{
	return direct_writes() ? WAYS : WAYS - 1;
}

struct side {
	struct devices devices;
	struct doca_dev *dev;
	struct end end;
};

static void side_open(struct side *side, bool server)
{
	if (server) {
		devices_open_dpu(&side->devices);
		side->dev = side->devices.dpu;
		server_make(&side->end, &side->devices, "arrived", NULL);
		OK(doca_ctx_start(side->end.ctx));
	} else {
		devices_open_host(&side->devices);
		side->dev = side->devices.host;
		client_make(&side->end, &side->devices, "arrived", NULL);
	}
}

/* A client tries until the server is there. */
static void side_connect(struct side *side)
{
	int64_t deadline = harness_deadline();
	while (side->end.connection == NULL) {
		harness_in_time(deadline, __FILE__, __LINE__, "connected");
		if (side->end.client != NULL && state_of(side->end.ctx) == IDLE) {
			usleep(500);
			(void)doca_ctx_start(side->end.ctx);
		}
		drive(side->end.pe);
	}
}

static void side_close(struct side *side)
{
	if (state_of(side->end.ctx) == RUNNING)
		(void)doca_ctx_stop(side->end.ctx);
	UNTIL(state_of(side->end.ctx) == IDLE, side->end.pe);
	end_destroy(&side->end);
	devices_close(&side->devices);
}

/* The connection has ended by itself: this side's server has been told, its client stops. */
static bool parted(const struct side *side)
{
	return side->end.server != NULL ? count_of(&side->end.record, DISCONNECTED) == 1
					: state_of(side->end.ctx) != RUNNING;
}

/* A receiver that has left, or looks for nothing more, waits for the sender to end. */
static void await_the_end(struct side *side)
{
	UNTIL(parted(side), side->end.pe);
	_exit(0);
}

/* ---- the receiver ---- */

struct receiver {
	struct side side;
	struct memory memory;
	struct consumer consumer;
	struct doca_buf *bufs[PAYLOADS];
	const char *how; /* it leaves */
	size_t received;
};

static void receiver_open(struct receiver *receiver, bool server, uint32_t receives, size_t bufs)
{
	side_open(&receiver->side, server);
	side_connect(&receiver->side);
	memory_open(&receiver->memory, bufs * LARGEST, PAYLOADS, receiver->side.dev, RW);
	consumer_make(&receiver->consumer, receiver->side.end.connection, receiver->memory.mmap, receives, NULL);
	receiver->consumer.own = receiver;
	consumer_start(&receiver->consumer, receiver->side.end.pe);
	for (size_t i = 0; i < bufs; i++) {
		receiver->bufs[i] = memory_buf(&receiver->memory, i * LARGEST, LARGEST, 0);
		post(&receiver->consumer, receiver->bufs[i]);
	}
	send_text(&receiver->side.end, receiver->side.end.connection, "posted");
}

static void leave_at_the_last(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			      doca_error_t status)
{
	struct receiver *receiver = consumer->own;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	size_t number = receiver->received++, len = buf_data_len(buf);
	void *data;
	OK(doca_buf_get_data(buf, &data));
	CHECK(status == DOCA_SUCCESS && len == lens[number / 2] && filled(data, len, number));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	if (receiver->received < 2 * ways())
		return;
	if (strcmp(receiver->how, "exits") == 0)
		_exit(0);
	if (strcmp(receiver->how, "is killed") == 0)
		raise(SIGKILL);
}

/* Receives all, and leaves in one of the ways. */
static void receive_and_leave(bool server, const char *how)
{
	struct receiver receiver = {.how = how};
	struct end *end = &receiver.side.end;
	receiver_open(&receiver, server, RECEIVES, 2 * ways());
	receiver.consumer.on_received = leave_at_the_last;
	UNTIL(count_of(&end->record, MESSAGE) == 1 && inflight(end->ctx) == 0, end->pe);
	UNTIL(receiver.received == 2 * ways(), receiver.consumer.pe);
	consumer_stop(&receiver.consumer);
	if (strcmp(how, "stops") != 0)
		consumer_destroy(&receiver.consumer);
	if (strcmp(how, "leaves") == 0) {
		side_close(&receiver.side);
		return;
	}
	send_text(end, end->connection, "gone");
	await_the_end(&receiver.side);
}

static void again(struct receiver *receiver, const char *text)
{
	const struct record *record = &receiver->consumer.record;
	struct doca_comch_consumer_task_post_recv *task = nth(record, RECEIVED, count_of(record, RECEIVED) - 1)->object;
	OK(doca_buf_reset_data_len(receiver->bufs[0]));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	send_text(&receiver->side.end, receiver->side.end.connection, text);
}

/* With one buffer only: every payload takes the same place. */
static void receive_with_one_buffer(bool server, size_t payloads)
{
	struct receiver receiver = {0};
	receiver_open(&receiver, server, 1, 1);
	for (size_t i = 0; i < payloads; i++) {
		UNTIL(count_of(&receiver.consumer.record, RECEIVED) == i + 1, receiver.consumer.pe);
		CHECK(buf_data_len(receiver.bufs[0]) == MIB && filled(receiver.memory.bytes, MIB, i));
		again(&receiver, "received");
	}
	await_the_end(&receiver.side);
}

/* Stops after the first payload and starts again for the second. */
static void receive_and_restart(bool server)
{
	struct receiver receiver = {0};
	struct end *end = &receiver.side.end;
	receiver_open(&receiver, server, 1, 1);
	for (size_t i = 0; i < 2; i++) {
		UNTIL(count_of(&receiver.consumer.record, RECEIVED) == 1, receiver.consumer.pe);
		CHECK(buf_data_len(receiver.bufs[0]) == MIB && filled(receiver.memory.bytes, MIB, i));
		free_received(&receiver.consumer.record);
		record_clear(&receiver.consumer.record);
		consumer_stop(&receiver.consumer);
		consumer_start(&receiver.consumer, end->pe);
		OK(doca_buf_reset_data_len(receiver.bufs[0]));
		post(&receiver.consumer, receiver.bufs[0]);
		send_text(end, end->connection, "again");
	}
	await_the_end(&receiver.side);
}

/* Stops in the middle of a payload. */
static void receive_half(bool server)
{
	struct receiver receiver = {0};
	struct end *end = &receiver.side.end;
	receiver_open(&receiver, server, 1, 1);
	UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe, receiver.consumer.pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(receiver.consumer.ctx));
	UNTIL(count_of(&receiver.consumer.record, RECEIVE_FAILED) == 1, receiver.consumer.pe);
	free_received(&receiver.consumer.record);
	UNTIL(state_of(receiver.consumer.ctx) == IDLE, receiver.consumer.pe);
	consumer_destroy(&receiver.consumer);
	send_text(end, end->connection, "gone");
	await_the_end(&receiver.side);
}

/* ---- the sender ---- */

struct sender {
	struct side side;
	int child;
	struct memory memory;
	struct doca_buf *bufs[PAYLOADS];
	struct producer producers[WAYS];
};

static void sender_open(struct sender *sender, bool server, const char *role)
{
	*sender = (struct sender){0};
	side_open(&sender->side, server);
	sender->child = program_start(server ? "CLIENT" : "SERVER", role);
	side_connect(&sender->side);
	struct end *end = &sender->side.end;
	UNTIL(count_of(&end->record, CONSUMER_NEW) == 1 && count_of(&end->record, MESSAGE) == 1, end->pe);
	memory_open(&sender->memory, PAYLOADS * (size_t)LARGEST, PAYLOADS, sender->side.dev, RW);
}

static void sender_start(struct sender *sender, size_t way)
{
	producer_make(&sender->producers[way], sender->side.end.connection, 2, NULL);
	producer_start(&sender->producers[way]);
}

static void sender_put(struct sender *sender, size_t way, size_t number, size_t len)
{
	fill(sender->memory.bytes + number * LARGEST, len, number);
	sender->bufs[number] = memory_buf(&sender->memory, number * LARGEST, len, len);
	put(&sender->producers[way], 1, sender->bufs[number]);
}

/* Its sends have ended, `sent` of them well. */
static void sender_ends(struct sender *sender, size_t way, size_t sent, size_t failed)
{
	struct producer *producer = &sender->producers[way];
	UNTIL(inflight(producer->ctx) == 0, producer->pe);
	if (count_of(&producer->record, SENT) != sent || count_of(&producer->record, SEND_FAILED) != failed)
		print_error("way %zu: %zu sent, %zu failed\n", way, count_of(&producer->record, SENT),
			    count_of(&producer->record, SEND_FAILED));
	assert_int_equal(count_of(&producer->record, SENT), sent);
	assert_int_equal(count_of(&producer->record, SEND_FAILED), failed);
	free_sent(&producer->record);
	if (state_of(producer->ctx) == RUNNING)
		(void)doca_ctx_stop(producer->ctx);
	UNTIL(state_of(producer->ctx) == IDLE, producer->pe);
	producer_destroy(producer);
}

static void sender_close(struct sender *sender)
{
	UNTIL(parted(&sender->side), sender->side.end.pe);
	for (size_t i = 0; i < PAYLOADS; i++)
		if (sender->bufs[i] != NULL)
			buf_release(sender->bufs[i]);
	memory_close(&sender->memory);
	side_close(&sender->side);
}

static void push_through_the_pipeline(struct sender *sender)
{
	for (size_t way = 0; way < ways(); way++)
		UNTIL(inflight(sender->producers[way].ctx) == 0, sender->producers[way].pe);
}

/* The receiver has all, and has left or is about to; only then does this side look what has become of its sends. */
static void send_to_one_that_leaves(bool server, const char *how, bool lives, int code)
{
	struct sender sender;
	sender_open(&sender, server, how);
	struct end *end = &sender.side.end;
	for (size_t way = 0; way < ways(); way++) {
		sender_start(&sender, way);
		sender_put(&sender, way, 2 * way, lens[way]);
		sender_put(&sender, way, 2 * way + 1, lens[way]);
	}
	send_text(end, end->connection, "last words");
	if (!direct_writes())
		push_through_the_pipeline(&sender);
	if (lives)
		UNTIL(count_of(&end->record, MESSAGE) == 2, end->pe);
	else
		assert_int_equal(child_wait(sender.child), code);
	for (size_t way = 0; way < ways(); way++)
		sender_ends(&sender, way, 2, 0);
	UNTIL(inflight(end->ctx) == 0, end->pe);
	assert_int_equal(count_of(&end->record, SENT), 1);
	assert_int_equal(count_of(&end->record, SEND_FAILED), 0);
	if (server && strcmp(how, "is killed") == 0) {
		UNTIL(parted(&sender.side), end->pe);
		assert_int_equal(nth(&end->record, DISCONNECTED, 0)->a, 0);
	}
	if (lives)
		child_kill(sender.child);
	sender_close(&sender);
}

static const struct leaving {
	const char *how;
	bool lives;
	int code; /* that its process ends with */
} leavings[] = {
	{"stops", true, 0},
	{"destroys", true, 0},
	{"leaves", false, 0},
	{"exits", false, 0},
	{"is killed", false, 1000 + SIGKILL},
};

#define LEAVINGS (sizeof(leavings) / sizeof(leavings[0]))

static void send_to_all_that_leave(void)
{
	for (size_t i = 0; i < LEAVINGS; i++) {
		send_to_one_that_leaves(true, leavings[i].how, leavings[i].lives, leavings[i].code);
		send_to_one_that_leaves(false, leavings[i].how, leavings[i].lives, leavings[i].code);
	}
}

/* ---- tests ---- */

/* qemu-user does not read or write other processes: everything goes through the pipeline there. */
static bool emulated(void)
{
	return getenv("COMCH4J_TEST_LAUNCHER") != NULL;
}

static void what_a_leaving_receiver_has_got_has_been_sent(void **state)
{
	(void)state;
	if (emulated())
		skip();
	send_to_all_that_leave();
}

static void what_a_leaving_receiver_has_got_through_the_pipeline_has_been_sent(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	send_to_all_that_leave();
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

/* Another producer's payload takes the place of one whose producer has not looked yet. */
static void what_has_been_fetched_was_sent_though_another_payload_followed(void **state)
{
	(void)state;
	if (emulated())
		skip();
	for (int server = 0; server < 2; server++) {
		struct sender sender;
		sender_open(&sender, server, "two");
		struct end *end = &sender.side.end;
		for (size_t i = 0; i < 2; i++) {
			sender_start(&sender, i);
			sender_put(&sender, i, i, MIB);
			UNTIL(count_of(&end->record, MESSAGE) == i + 2, end->pe);
		}
		sender_ends(&sender, 1, 1, 0);
		sender_ends(&sender, 0, 1, 0);
		child_kill(sender.child);
		sender_close(&sender);
	}
}

/* The receiver's process dies before it takes the second payload; a successor of the first one's producer sends it. */
static void send_to_one_that_dies(bool server)
{
	struct sender sender;
	sender_open(&sender, server, "one");
	struct end *end = &sender.side.end;
	for (size_t i = 0; i < 2; i++) {
		sender_start(&sender, i);
		sender_put(&sender, i, i, MIB);
		/* The receiver does not look for the second payload. */
		if (i > 0)
			break;
		UNTIL(count_of(&end->record, MESSAGE) == 2, end->pe);
		sender_ends(&sender, 0, 1, 0);
	}
	child_kill(sender.child);
	UNTIL(parted(&sender.side), end->pe);
	sender_ends(&sender, 1, 0, 1);
	sender_close(&sender);
}

static void what_a_dead_receiver_has_not_got_has_failed(void **state)
{
	(void)state;
	if (emulated())
		skip();
	send_to_one_that_dies(true);
	send_to_one_that_dies(false);
}

/* What comes through the pipeline is not mistaken for what came through it before the consumer's restart. */
static void a_restarted_receiver_gets_the_next_payload_through_the_pipeline(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	for (int server = 0; server < 2; server++) {
		struct sender sender;
		sender_open(&sender, server, "restart");
		struct end *end = &sender.side.end;
		sender_start(&sender, 0);
		for (size_t i = 0; i < 2; i++) {
			sender_put(&sender, 0, i, MIB);
			UNTIL(count_of(&end->record, MESSAGE) == i + 2, end->pe, sender.producers[0].pe);
		}
		sender_ends(&sender, 0, 2, 0);
		child_kill(sender.child);
		sender_close(&sender);
	}
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void half_of_a_payload_in_the_pipeline_has_failed(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	for (int server = 0; server < 2; server++) {
		struct sender sender;
		sender_open(&sender, server, "half");
		struct end *end = &sender.side.end;
		sender_start(&sender, 0);
		sender_put(&sender, 0, 0, LARGEST);
		int64_t deadline = harness_deadline();
		for (size_t parts = 0; parts < 3; parts += drive(sender.producers[0].pe))
			harness_in_time(deadline, __FILE__, __LINE__, "three parts are in the pipeline");
		send_text(end, end->connection, "half of it");
		UNTIL(count_of(&end->record, MESSAGE) == 2, end->pe);
		sender_ends(&sender, 0, 0, 1);
		child_kill(sender.child);
		sender_close(&sender);
	}
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

/* Within one process: `receiving` leaves with all it has got, then `sending` looks. */
static void send_within_the_process(struct pair *pair, struct end *sending, struct end *receiving)
{
	struct memory in, out;
	struct consumer consumer;
	struct producer producer;
	struct doca_buf *ins[WAYS], *outs[WAYS];
	memory_open(&in, WAYS * (size_t)LARGEST, WAYS, pair->devices.dpu, RW);
	memory_open(&out, LARGEST, WAYS, pair->devices.dpu, RW);
	memory_share(&in, pair->devices.host);
	memory_share(&out, pair->devices.host);
	consumer_make(&consumer, receiving->connection, in.mmap, RECEIVES, NULL);
	producer_make(&producer, sending->connection, WAYS, NULL);
	consumer_start(&consumer, receiving->pe);
	producer_start(&producer);
	UNTIL(count_of(&sending->record, CONSUMER_NEW) == 1, sending->pe, receiving->pe);
	fill(out.bytes, LARGEST, 1);
	for (size_t way = 0; way < WAYS; way++) {
		ins[way] = memory_buf(&in, way * LARGEST, LARGEST, 0);
		outs[way] = memory_buf(&out, 0, lens[way], lens[way]);
		post(&consumer, ins[way]);
		put(&producer, consumer.id, outs[way]);
	}
	send_text(sending, sending->connection, "last words");
	UNTIL(count_of(&receiving->record, MESSAGE) == 1, receiving->pe);
	UNTIL(count_of(&consumer.record, RECEIVED) == WAYS, consumer.pe);
	for (size_t way = 0; way < WAYS; way++)
		CHECK(buf_data_len(ins[way]) == lens[way] && filled(in.bytes + way * LARGEST, lens[way], 1));
	free_received(&consumer.record);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	(void)doca_ctx_stop(receiving->ctx);
	UNTIL(state_of(receiving->ctx) == IDLE, receiving->pe);
	UNTIL(inflight(producer.ctx) == 0, producer.pe);
	assert_int_equal(count_of(&producer.record, SENT), WAYS);
	UNTIL(inflight(sending->ctx) == 0, sending->pe);
	assert_int_equal(count_of(&sending->record, SENT), 1);
	free_sent(&producer.record);
	UNTIL(state_of(producer.ctx) == IDLE, sending->pe, producer.pe);
	producer_destroy(&producer);
	for (size_t way = 0; way < WAYS; way++) {
		buf_release(ins[way]);
		buf_release(outs[way]);
	}
	memory_close(&in);
	memory_close(&out);
	pair_stop(pair);
}

static void what_arrives_within_the_process_has_been_sent(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	send_within_the_process(&pair, &pair.server, &pair.client);
	pair_open(&pair, TWO_ENGINES);
	send_within_the_process(&pair, &pair.client, &pair.server);
}

enum { QUEUE = 4, MESSAGES = 10 };

/* The receiver takes what its queue holds, and leaves; the sender looks then. */
static void fill_a_queue(struct pair *pair, struct end *sending, struct end *receiving)
{
	for (int i = 0; i < MESSAGES; i++)
		send_text(sending, sending->connection, "many");
	UNTIL(count_of(&receiving->record, MESSAGE) == QUEUE, receiving->pe);
	(void)doca_ctx_stop(receiving->ctx);
	UNTIL(state_of(receiving->ctx) == IDLE, receiving->pe);
	UNTIL(inflight(sending->ctx) == 0, sending->pe);
	assert_int_equal(count_of(&sending->record, SENT), QUEUE);
	assert_int_equal(count_of(&sending->record, SEND_FAILED), MESSAGES - QUEUE);
	pair_stop(pair);
}

static void messages_that_have_been_taken_were_sent_and_others_failed(void **state)
{
	(void)state;
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_client_set_recv_queue_size(pair.client.client, QUEUE));
	pair_connect(&pair);
	fill_a_queue(&pair, &pair.server, &pair.client);
	pair_make(&pair, TWO_ENGINES);
	OK(doca_comch_server_set_recv_queue_size(pair.server.server, QUEUE));
	pair_connect(&pair);
	fill_a_queue(&pair, &pair.client, &pair.server);
}

static int child_main(bool server, const char *role)
{
	if (strcmp(role, "two") == 0)
		receive_with_one_buffer(server, 2);
	else if (strcmp(role, "one") == 0)
		receive_with_one_buffer(server, 1);
	else if (strcmp(role, "restart") == 0)
		receive_and_restart(server);
	else if (strcmp(role, "half") == 0)
		receive_half(server);
	else
		receive_and_leave(server, role);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return child_main(strcmp(argv[1], "SERVER") == 0, argv[2]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_leaving_receiver_has_got_has_been_sent),
		cmocka_unit_test(what_a_leaving_receiver_has_got_through_the_pipeline_has_been_sent),
		cmocka_unit_test(what_has_been_fetched_was_sent_though_another_payload_followed),
		cmocka_unit_test(what_a_dead_receiver_has_not_got_has_failed),
		cmocka_unit_test(what_arrives_within_the_process_has_been_sent),
		cmocka_unit_test(messages_that_have_been_taken_were_sent_and_others_failed),
		cmocka_unit_test(a_restarted_receiver_gets_the_next_payload_through_the_pipeline),
		cmocka_unit_test(half_of_a_payload_in_the_pipeline_has_failed),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
