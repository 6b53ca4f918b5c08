/* A process that stands still (SIGSTOP) in the middle of full traffic and goes on later: nothing is lost, doubled or
 * out of order on either path, and the counters agree to the last message.
 *
 * The program starts itself again for both sides: child SERVER|CLIENT traffic. COMCH4J_TEST_STOP_MS sets how long a
 * stop takes. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

#define DEFAULT_STOP_MS 1000
#define QUICK_STOPS 40

#define DEPTH 16
#define PLACE (1u << 20) /* of one payload */
#define MESSAGE_BYTES 4080

/* So much of both kinds must have come before a side stops by itself. */
#define WARM_UP 200

/* ---- one side: messages, sends and receives for as long as the parent wants ---- */

/* What the last messages of each side say. */
enum kind { NUMBERED, TOTALS, FAREWELL };

struct totals {
	uint64_t kind, messages, message_bytes, sends, send_bytes;
};

struct side {
	struct devices devices;
	struct end end;
	struct memory in, out;
	struct consumer consumer;
	struct producer producer;
	struct doca_buf *posted[DEPTH], *places[DEPTH];
	size_t free_places[DEPTH], num_free;
	struct totals sent, received, told;
	bool farewell;
	int peers_consumers; /* 1: it is there */
};

static volatile sig_atomic_t enough;

static void on_enough(int signal)
{
	(void)signal;
	enough = 1;
}

/* Words that tell the number and, on the fast path, the place of each: what is torn or stale does not fit. */
static void paint(uint8_t *bytes, size_t len, uint64_t number)
{
	for (uint64_t at = 0; at < len; at += 8) {
		uint64_t word = number * UINT64_C(0x9e3779b97f4a7c15) + at;
		memcpy(bytes + at, &word, 8);
	}
}

static bool painted(const uint8_t *bytes, size_t len, uint64_t number)
{
	for (uint64_t at = 0; at < len; at += 8) {
		uint64_t word = number * UINT64_C(0x9e3779b97f4a7c15) + at;
		if (memcmp(bytes + at, &word, 8) != 0)
			return false;
	}
	return true;
}

static size_t message_len(uint64_t number)
{
	return sizeof(struct totals) + number * 37 % 500 * 8;
}

static size_t payload_len(uint64_t number)
{
	/* All ways of a payload: slot, packed area, eager area, direct write or pipeline, fetched by the consumer. */
	static const size_t lens[] = {8, 64, 300000, 200, 1000, 3000, 9000, 40000, 16, 150000, 8, 48, 600000};
	return lens[number % (sizeof(lens) / sizeof(lens[0]))];
}

static void on_message(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	(void)connection;
	struct side *side = end->own;
	struct totals said;
	CHECK(len >= sizeof(said));
	memcpy(&said, bytes, sizeof(said));
	side->received.messages++;
	side->received.message_bytes += len;
	switch (said.kind) {
	case NUMBERED:
		CHECK(side->told.kind == NUMBERED);
		CHECK(said.messages == side->received.messages);
		CHECK(len == message_len(said.messages));
		CHECK(painted(bytes + sizeof(said), len - sizeof(said), said.messages));
		break;
	case TOTALS:
		CHECK(side->told.kind == NUMBERED && len == sizeof(said));
		CHECK(said.messages + 1 == side->received.messages);
		CHECK(said.message_bytes + len == side->received.message_bytes);
		side->told = said;
		break;
	default:
		CHECK(side->told.kind == TOTALS && said.kind == FAREWELL && !side->farewell);
		side->farewell = true;
		break;
	}
}

static void on_received(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task, doca_error_t status)
{
	struct side *side = consumer->own;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	if (status != DOCA_SUCCESS) {
		CHECK(side->farewell); /* flushed by this side's own stop */
		doca_task_free(base);
		return;
	}
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	void *data;
	OK(doca_buf_get_data(buf, &data));
	uint64_t number = side->received.sends++;
	size_t len = payload_len(number);
	CHECK(buf_data_len(buf) == len && painted(data, len, number));
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == (number % 2 == 0 ? 0 : sizeof(number)));
	if (number % 2 != 0)
		CHECK(memcmp(doca_comch_consumer_task_post_recv_get_imm_data(task), &number, sizeof(number)) == 0);
	side->received.send_bytes += len;
	OK(doca_buf_reset_data_len(buf));
	OK(doca_task_submit(base));
}

static void on_sent(struct producer *producer, struct doca_comch_producer_task_send *task, doca_error_t status)
{
	struct side *side = producer->own;
	CHECK(status == DOCA_SUCCESS);
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);
	size_t place = 0;
	while (side->places[place] != buf)
		place++;
	side->free_places[side->num_free++] = place;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void on_consumer(struct end *end, struct doca_comch_connection *connection, uint32_t id, bool is_new)
{
	(void)connection, (void)id;
	struct side *side = end->own;
	side->peers_consumers += is_new ? 1 : -1;
}

static void open_side(struct side *side, bool server)
{
	*side = (struct side){0};
	struct end *end = &side->end;
	if (server) {
		devices_open_dpu(&side->devices);
		server_make(end, &side->devices, "standstill", NULL);
		OK(doca_ctx_start(end->ctx));
	} else {
		devices_open_host(&side->devices);
		client_make(end, &side->devices, "standstill", NULL);
	}
	end->own = side;
	end->on_message = on_message;
	end->on_consumer = on_consumer;
	int64_t deadline = harness_deadline();
	while (end->connection == NULL) {
		harness_in_time(deadline, __FILE__, __LINE__, "connected");
		if (end->client != NULL && state_of(end->ctx) == IDLE) {
			usleep(500);
			(void)doca_ctx_start(end->ctx);
		}
		drive(end->pe);
	}
	struct doca_dev *dev = server ? side->devices.dpu : side->devices.host;
	memory_open(&side->in, DEPTH * PLACE, DEPTH, dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_open(&side->out, DEPTH * PLACE, DEPTH, dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	consumer_make(&side->consumer, end->connection, side->in.mmap, DEPTH, end->pe);
	producer_make(&side->producer, end->connection, DEPTH, end->pe);
	side->consumer.own = side->producer.own = side;
	side->consumer.on_received = on_received;
	side->producer.on_sent = on_sent;
	consumer_start(&side->consumer, NULL);
	producer_start(&side->producer);
	for (size_t i = 0; i < DEPTH; i++) {
		side->posted[i] = memory_buf(&side->in, i * PLACE, PLACE, 0);
		side->places[i] = memory_buf(&side->out, i * PLACE, PLACE, 0);
		side->free_places[side->num_free++] = i;
		post(&side->consumer, side->posted[i]);
	}
	UNTIL(side->peers_consumers == 1, end->pe);
}

/* What the records have noted is counted already. */
static void forget(struct side *side)
{
	if (side->end.record.num + side->consumer.record.num + side->producer.record.num < 1000)
		return;
	record_clear(&side->end.record);
	record_clear(&side->consumer.record);
	record_clear(&side->producer.record);
}

static bool try_message(struct side *side, const void *bytes, size_t len)
{
	struct doca_comch_task_send *task;
	doca_error_t result = alloc_send(&side->end, side->end.connection, bytes, (uint32_t)len, &task);
	if (result == DOCA_ERROR_NO_MEMORY)
		return false; /* all tasks are in flight */
	OK(result);
	OK(doca_task_submit(doca_comch_task_send_as_task(task)));
	side->sent.messages++;
	side->sent.message_bytes += len;
	return true;
}

static void try_numbered(struct side *side)
{
	uint64_t number = side->sent.messages + 1;
	uint8_t bytes[MESSAGE_BYTES];
	struct totals header = {.kind = NUMBERED, .messages = number};
	size_t len = message_len(number);
	CHECK(len <= sizeof(bytes));
	memcpy(bytes, &header, sizeof(header));
	paint(bytes + sizeof(header), len - sizeof(header), number);
	(void)try_message(side, bytes, len);
}

static void try_payload(struct side *side)
{
	if (side->num_free == 0)
		return;
	size_t place = side->free_places[side->num_free - 1];
	uint64_t number = side->sent.sends;
	size_t len = payload_len(number);
	/* Overwrites what the last send from here had: it has completed, so nobody reads that any more. */
	paint(side->out.bytes + place * PLACE, len, number);
	OK(doca_buf_set_data_len(side->places[place], len));
	bool with_imm = number % 2 != 0;
	doca_error_t result = try_send(&side->producer, 1, side->places[place], with_imm ? &number : NULL,
				       with_imm ? sizeof(number) : 0, NULL);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
	if (result == DOCA_ERROR_AGAIN)
		return;
	side->num_free--;
	side->sent.sends++;
	side->sent.send_bytes += len;
}

static uint64_t counter(const struct side *side, enum doca_comch_counter which)
{
	uint64_t value;
	OK(doca_comch_connection_get_counter(side->end.connection, which, &value));
	return value;
}

static void counters_agree(const struct side *side)
{
	OK(doca_comch_connection_update_info(side->end.connection));
	CHECK(counter(side, DOCA_COMCH_COUNTER_SENT_MESSAGES) == side->sent.messages);
	CHECK(counter(side, DOCA_COMCH_COUNTER_SENT_BYTES) == side->sent.message_bytes);
	CHECK(counter(side, DOCA_COMCH_COUNTER_RECV_MESSAGES) == side->received.messages);
	CHECK(counter(side, DOCA_COMCH_COUNTER_RECV_BYTES) == side->received.message_bytes);
}

/* Client and server send each other how much they have sent, compare it with what has arrived, and part. */
static void compare_totals(struct side *side)
{
	struct end *end = &side->end;
	UNTIL(inflight(end->ctx) == 0 && inflight(side->producer.ctx) == 0, end->pe);
	side->sent.kind = TOTALS;
	struct totals totals = side->sent;
	UNTIL(try_message(side, &totals, sizeof(totals)), end->pe);
	UNTIL(side->told.kind == TOTALS && side->received.sends >= side->told.sends, end->pe);
	settle(end->pe, NULL);
	CHECK(side->received.sends == side->told.sends);
	CHECK(side->received.send_bytes == side->told.send_bytes);
	totals.kind = FAREWELL;
	UNTIL(try_message(side, &totals, sizeof(totals)), end->pe);
	UNTIL(side->farewell && inflight(end->ctx) == 0, end->pe);
	settle(end->pe, NULL);
	CHECK(side->received.messages == side->told.messages + 2); /* and these two */
	counters_agree(side);
	printf("%s: %" PRIu64 " messages, %" PRIu64 " sends\n", end->server != NULL ? "server" : "client",
	       side->sent.messages, side->sent.sends);
}

static void close_side(struct side *side)
{
	struct end *end = &side->end;
	/* The producer first: once the server's consumer has gone, the client may leave at any moment. */
	producer_stop(&side->producer);
	consumer_stop(&side->consumer);
	consumer_destroy(&side->consumer);
	producer_destroy(&side->producer);
	for (size_t i = 0; i < DEPTH; i++) {
		buf_release(side->posted[i]);
		buf_release(side->places[i]);
	}
	memory_close(&side->in);
	memory_close(&side->out);
	/* The server leaves last, so that the client is the one that says goodbye. */
	UNTIL(side->peers_consumers == 0 || end->connection == NULL, end->pe);
	UNTIL(end->server == NULL || end->connection == NULL, end->pe);
	(void)doca_ctx_stop(end->ctx);
	UNTIL(state_of(end->ctx) == IDLE, end->pe);
	end_destroy(end);
	devices_close(&side->devices);
}

static int child_main(bool server)
{
	CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0); /* also where it stands still */
	signal(SIGUSR1, on_enough);
	struct side side;
	open_side(&side, server);
	bool stopped = false;
	while (!enough) {
		CHECK(side.end.connection != NULL && state_of(side.consumer.ctx) == RUNNING &&
		      state_of(side.producer.ctx) == RUNNING);
		try_numbered(&side);
		try_payload(&side);
		try_payload(&side);
		for (int i = 0; i < 4; i++)
			drive(side.end.pe);
		forget(&side);
		if (!stopped && side.received.messages >= WARM_UP && side.received.sends >= WARM_UP) {
			stopped = true;
			CHECK(raise(SIGSTOP) == 0); /* tells the parent that there is traffic */
		}
	}
	compare_totals(&side);
	close_side(&side);
	return 0;
}

/* ---- the parent: stops both sides in turn ---- */

static void sleep_ms(long ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	while (nanosleep(&left, &left) != 0)
		;
}

static long stop_ms(void)
{
	const char *chosen = getenv("COMCH4J_TEST_STOP_MS");
	return chosen != NULL ? atol(chosen) : DEFAULT_STOP_MS;
}

/* Waits until one of them stands still; `pid` -1: any. */
static int await_standstill(int pid)
{
	int status;
	int64_t deadline = harness_deadline();
	pid_t changed;
	while ((changed = waitpid(pid, &status, WUNTRACED | WNOHANG)) == 0) {
		harness_in_time(deadline, __FILE__, __LINE__, "it stands still");
		sleep_ms(1);
	}
	CHECK(changed > 0 && WIFSTOPPED(status));
	return changed;
}

static void halt(int pid)
{
	CHECK(kill(pid, SIGSTOP) == 0);
	(void)await_standstill(pid);
}

static void go_on(int pid)
{
	CHECK(kill(pid, SIGCONT) == 0);
}

static void run_while_stopping(void)
{
	int server = program_start("SERVER", "traffic"), client = program_start("CLIENT", "traffic");
	int sides[2] = {server, client};
	unsigned seed = 7;
	/* Each stops itself first, in whatever order. */
	for (int i = 0; i < 2; i++) {
		int stopped = await_standstill(-1);
		sleep_ms(stop_ms());
		go_on(stopped);
	}
	/* Then at any time. */
	for (int i = 0; i < 2; i++) {
		sleep_ms(rand_r(&seed) % 50);
		halt(sides[i]);
		sleep_ms(stop_ms());
		go_on(sides[i]);
	}
	/* Both together, one after the other. */
	sleep_ms(rand_r(&seed) % 50);
	halt(server);
	sleep_ms(stop_ms() / 2);
	halt(client);
	sleep_ms(stop_ms() / 2);
	go_on(server);
	sleep_ms(stop_ms() / 2);
	go_on(client);
	/* Often, so that it meets many a moment; longer than a payload that is on offer waits for its consumer. */
	for (int i = 0; i < QUICK_STOPS; i++) {
		int side = sides[rand_r(&seed) % 2];
		sleep_ms(rand_r(&seed) % 10);
		halt(side);
		sleep_ms(rand_r(&seed) % 10);
		go_on(side);
	}
	sleep_ms(100);
	for (int i = 0; i < 2; i++)
		CHECK(kill(sides[i], SIGUSR1) == 0);
	/* Both have ended before anything is said of either: the next test waits for children of its own. */
	int ends[2] = {child_wait(server), child_wait(client)};
	assert_int_equal(ends[0], 0);
	assert_int_equal(ends[1], 0);
}

static void nothing_is_lost_by_direct_writes(void **state)
{
	(void)state;
	unsetenv("DOCA_EMU_DIRECT_WRITE");
	run_while_stopping();
}

static void nothing_is_lost_through_the_pipeline(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	run_while_stopping();
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return child_main(strcmp(argv[1], "SERVER") == 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_by_direct_writes),
		cmocka_unit_test(nothing_is_lost_through_the_pipeline),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
