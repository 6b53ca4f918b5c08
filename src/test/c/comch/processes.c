/* Server and client in two processes, and what happens when one of them is killed.
 *
 * The program starts itself again as the peer: child SERVER|CLIENT ROLE. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

/* One side, whichever it is. */
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
		server_make(&side->end, &side->devices, "two processes", NULL);
		OK(doca_ctx_start(side->end.ctx));
	} else {
		devices_open_host(&side->devices);
		side->dev = side->devices.host;
		client_make(&side->end, &side->devices, "two processes", NULL);
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
	if (state_of(side->end.ctx) != IDLE) {
		(void)doca_ctx_stop(side->end.ctx);
		UNTIL(state_of(side->end.ctx) == IDLE, side->end.pe);
	}
	end_destroy(&side->end);
	devices_close(&side->devices);
}

/* A server waits for the goodbye, a client says it. */
static void side_part(struct side *side)
{
	if (side->end.server != NULL) {
		UNTIL(count_of(&side->end.record, DISCONNECTED) == 1, side->end.pe);
		CHECK(nth(&side->end.record, DISCONNECTED, 0)->a == 1);
	}
	side_close(side);
}

/* ---- orderly work: both sides run the same script, the client begins ---- */

static void exchange_messages(struct side *side)
{
	struct end *end = &side->end;
	uint8_t bytes[4080];
	size_t number = 0;
	for (uint32_t len = 1; len <= 4080; len += 13, number++) {
		if (end->server != NULL) {
			UNTIL(count_of(&end->record, MESSAGE) == number + 1, end->pe);
			const struct happened *got = nth(&end->record, MESSAGE, number);
			CHECK(got->a == len && filled(got->bytes, len, len));
		}
		fill(bytes, len, len);
		send_bytes(end, end->connection, bytes, len);
		if (end->client != NULL)
			UNTIL(count_of(&end->record, MESSAGE) == number + 1, end->pe);
	}
	/* A burst, more than the queue and the pool hold. */
	size_t sent = 0;
	while (sent < 500) {
		struct doca_comch_task_send *task;
		if (alloc_send(end, end->connection, &sent, sizeof(sent), &task) == DOCA_SUCCESS) {
			OK(doca_task_submit(doca_comch_task_send_as_task(task)));
			sent++;
		} else {
			drive(end->pe);
		}
	}
	UNTIL(count_of(&end->record, MESSAGE) == number + 500 && inflight(end->ctx) == 0, end->pe);
	for (size_t i = 0; i < 500; i++)
		CHECK(memcmp(nth(&end->record, MESSAGE, number + i)->bytes, &i, sizeof(i)) == 0);
}

static const size_t sizes[] = {0, 1, 63, 64, 104, 105, 4096, 4097, 16384, 16385, 1u << 20, 5u << 20, 3};

#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define LARGEST (5u << 20)

static void send_size(struct producer *producer, struct memory *memory, uint32_t to, size_t size, size_t seed)
{
	fill(memory->bytes, size, seed);
	struct doca_buf *buf = memory_buf(memory, 0, size == 0 ? 1 : size, size);
	uint8_t imm[7] = "imm dat";
	struct doca_comch_producer_task_send *task;
	OK(try_send(producer, to, buf, seed % 2 == 0 ? NULL : imm, seed % 2 == 0 ? 0 : 7, &task));
	UNTIL(count_of(&producer->record, SENT) == 1, producer->pe);
	free_sent(&producer->record);
	record_clear(&producer->record);
	buf_release(buf);
}

static void receive_size(struct consumer *consumer, struct doca_buf *buf, struct memory *memory, size_t size,
			 size_t seed)
{
	UNTIL(count_of(&consumer->record, RECEIVED) == 1, consumer->pe);
	struct doca_comch_consumer_task_post_recv *task = nth(&consumer->record, RECEIVED, 0)->object;
	CHECK(buf_data_len(buf) == size);
	CHECK(filled(memory->bytes, size, seed));
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == (seed % 2 == 0 ? 0 : 7));
	if (seed % 2 != 0)
		CHECK(memcmp(doca_comch_consumer_task_post_recv_get_imm_data(task), "imm dat", 7) == 0);
	record_clear(&consumer->record);
	OK(doca_buf_reset_data_len(buf));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void exchange_data(struct side *side, uint32_t receives)
{
	struct end *end = &side->end;
	struct memory in, out;
	memory_open(&in, LARGEST, 1, side->dev, RW);
	memory_open(&out, LARGEST, 1, side->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct consumer consumer;
	struct producer producer;
	consumer_make(&consumer, end->connection, in.mmap, receives, end->pe);
	producer_make(&producer, end->connection, 1, end->pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	producer_start(&producer);
	UNTIL(state_of(consumer.ctx) == RUNNING, end->pe);
	struct doca_buf *buf = memory_buf(&in, 0, LARGEST, 0);
	post(&consumer, buf);
	send_text(end, end->connection, "posted");
	UNTIL(count_of(&end->record, CONSUMER_NEW) == 1 && count_of(&end->record, MESSAGE) == 1, end->pe);
	uint32_t to = (uint32_t)nth(&end->record, CONSUMER_NEW, 0)->a;
	for (size_t i = 0; i < NUM_SIZES; i++) {
		if (end->server != NULL)
			receive_size(&consumer, buf, &in, sizes[i], i);
		send_size(&producer, &out, to, sizes[i], i);
		if (end->client != NULL)
			receive_size(&consumer, buf, &in, sizes[i], i);
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
	UNTIL(count_of(&consumer.record, RECEIVE_FAILED) == 1, end->pe);
	free_received(&consumer.record);
	UNTIL(state_of(consumer.ctx) == IDLE && count_of(&end->record, CONSUMER_EXPIRED) == 1, end->pe);
	producer_stop(&producer);
	consumer_destroy(&consumer);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&in);
	memory_close(&out);
}

static void exchange_data_with_few_receives(struct side *side)
{
	exchange_data(side, 1);
}

static void exchange_data_with_many_receives(struct side *side)
{
	exchange_data(side, 100);
}

enum { DEPTH = 8, PRODUCERS = 2, STREAM = 60 };

/* Sizes of a stream of mixed messages; each begins with its number. */
static size_t stream_size(uint32_t number)
{
	static const size_t some[] = {64, 300000, 8, 40000, 2000, 1100000, 20};
	return some[number % 7];
}

/* Two producers of the client, several messages under way at a time, to one consumer of the server. */
static void stream_from_client(struct side *side)
{
	struct end *end = &side->end;
	struct memory out[PRODUCERS];
	struct producer producers[PRODUCERS];
	for (uint32_t p = 0; p < PRODUCERS; p++) {
		memory_open(&out[p], 4u << 20, DEPTH, side->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
		producer_make(&producers[p], end->connection, 2, end->pe);
		producer_start(&producers[p]);
	}
	UNTIL(count_of(&end->record, CONSUMER_NEW) == 1, end->pe);
	uint32_t next[PRODUCERS] = {0};
	struct doca_buf *bufs[PRODUCERS][2] = {{0}};
	while (next[0] < STREAM || next[1] < STREAM) {
		for (uint32_t p = 0; p < PRODUCERS; p++) {
			if (next[p] == STREAM || (next[p] % 2 == 0 && inflight(producers[p].ctx) > 0))
				continue; /* two at a time */
			uint32_t place = next[p] % 2;
			size_t size = stream_size(next[p]);
			if (place == 0) {
				free_sent(&producers[p].record);
				record_clear(&producers[p].record);
			}
			if (bufs[p][place] != NULL)
				buf_release(bufs[p][place]);
			uint8_t *bytes = out[p].bytes + place * (2u << 20);
			fill(bytes, size, next[p]);
			memcpy(bytes, &next[p], 4);
			bufs[p][place] = memory_buf(&out[p], place * (2u << 20), size, size);
			doca_error_t result = try_send(&producers[p], 1, bufs[p][place], NULL, 0, NULL);
			CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
			if (result == DOCA_SUCCESS)
				next[p]++;
		}
		drive(end->pe);
	}
	for (uint32_t p = 0; p < PRODUCERS; p++) {
		UNTIL(inflight(producers[p].ctx) == 0, end->pe);
		CHECK(count_of(&producers[p].record, SEND_FAILED) == 0);
		free_sent(&producers[p].record);
		producer_stop(&producers[p]);
		producer_destroy(&producers[p]);
		buf_release(bufs[p][0]);
		buf_release(bufs[p][1]);
		memory_close(&out[p]);
	}
	UNTIL(count_of(&end->record, CONSUMER_EXPIRED) == 1, end->pe);
}

static void stream_to_server(struct side *side)
{
	struct end *end = &side->end;
	struct memory in;
	memory_open(&in, DEPTH * (2u << 20), DEPTH, side->dev, RW);
	struct consumer consumer;
	consumer_make(&consumer, end->connection, in.mmap, DEPTH, end->pe);
	consumer_start(&consumer, NULL);
	struct doca_buf *bufs[DEPTH];
	for (size_t i = 0; i < DEPTH; i++) {
		bufs[i] = memory_buf(&in, i * (2u << 20), 2u << 20, 0);
		post(&consumer, bufs[i]);
	}
	uint32_t next[PRODUCERS + 1] = {0};
	for (size_t total = 0; total < PRODUCERS * STREAM; total++) {
		UNTIL(count_of(&consumer.record, RECEIVED) > 0, end->pe);
		struct doca_comch_consumer_task_post_recv *task = nth(&consumer.record, RECEIVED, 0)->object;
		record_clear(&consumer.record);
		uint32_t producer = doca_comch_consumer_task_post_recv_get_producer_id(task), number;
		CHECK(producer >= 1 && producer <= PRODUCERS);
		struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
		void *data;
		OK(doca_buf_get_data(buf, &data));
		memcpy(&number, data, 4);
		CHECK(number == next[producer]++);
		CHECK(buf_data_len(buf) == stream_size(number));
		uint8_t start[4];
		fill(start, 4, number);
		memcpy(data, start, 4);
		CHECK(filled(data, stream_size(number), number));
		OK(doca_buf_reset_data_len(buf));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
	UNTIL(inflight(consumer.ctx) == 0, end->pe);
	free_received(&consumer.record);
	UNTIL(state_of(consumer.ctx) == IDLE, end->pe);
	consumer_destroy(&consumer);
	for (size_t i = 0; i < DEPTH; i++)
		buf_release(bufs[i]);
	memory_close(&in);
}

static void stream(struct side *side)
{
	if (side->end.server != NULL)
		stream_to_server(side);
	else
		stream_from_client(side);
}

/* Producer 1 stops while its message and one of producer 2 are in the pipeline. */
static void stop_in_the_pipeline(struct side *side)
{
	struct end *end = &side->end;
	enum { SIZE = 3u << 20 };
	struct memory memory;
	memory_open(&memory, 2 * SIZE, 2, side->dev, RW);
	struct doca_buf *bufs[2];
	for (size_t i = 0; i < 2; i++)
		bufs[i] = memory_buf(&memory, i * SIZE, SIZE, end->server != NULL ? 0 : SIZE);
	if (end->server != NULL) {
		struct consumer consumer;
		consumer_make(&consumer, end->connection, memory.mmap, 2, end->pe);
		consumer_start(&consumer, NULL);
		post(&consumer, bufs[0]);
		post(&consumer, bufs[1]);
		UNTIL(count_of(&consumer.record, RECEIVED) == 1, end->pe);
		CHECK(filled(memory.bytes, SIZE, 1));
		settle(end->pe, NULL);
		/* The other buffer is posted still, or again. */
		CHECK(count_of(&consumer.record, RECEIVE_FAILED) == 0 && inflight(consumer.ctx) == 1);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
		UNTIL(count_of(&consumer.record, RECEIVE_FAILED) == 1, end->pe);
		free_received(&consumer.record);
		UNTIL(state_of(consumer.ctx) == IDLE, end->pe);
		consumer_destroy(&consumer);
	} else {
		fill(memory.bytes, SIZE, 1);
		struct producer first, second;
		producer_make(&first, end->connection, 1, NULL);
		producer_make(&second, end->connection, 1, NULL);
		producer_start(&first);
		producer_start(&second);
		UNTIL(count_of(&end->record, CONSUMER_NEW) == 1, end->pe);
		int64_t deadline = harness_deadline();
		for (size_t i = 0; i < 2; i++)
			while (try_send(i == 0 ? &first : &second, 1, bufs[i], NULL, 0, NULL) != DOCA_SUCCESS)
				harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
		/* The first message is under way, the second one waits behind it. */
		for (size_t moved = 0; moved < 3;)
			moved += drive(first.pe);
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(second.ctx));
		UNTIL(count_of(&second.record, SEND_FAILED) == 1, second.pe);
		UNTIL(count_of(&first.record, SENT) == 1, first.pe);
		free_sent(&first.record);
		free_sent(&second.record);
		UNTIL(state_of(second.ctx) == IDLE, second.pe);
		producer_stop(&first);
		producer_destroy(&first);
		producer_destroy(&second);
		UNTIL(count_of(&end->record, CONSUMER_EXPIRED) == 1, end->pe);
	}
	buf_release(bufs[0]);
	buf_release(bufs[1]);
	memory_close(&memory);
}

/* The client frees a send while it is in the pipeline. */
static void cancel_in_the_pipeline(struct side *side)
{
	struct end *end = &side->end;
	enum { SIZE = 3u << 20 };
	struct memory memory;
	memory_open(&memory, SIZE, 1, side->dev, RW);
	struct doca_buf *buf = memory_buf(&memory, 0, SIZE, end->server != NULL ? 0 : SIZE);
	if (end->server != NULL) {
		struct consumer consumer;
		consumer_make(&consumer, end->connection, memory.mmap, 1, end->pe);
		consumer_start(&consumer, NULL);
		post(&consumer, buf);
		/* Half a message is none, and its buffer takes the next one. */
		UNTIL(count_of(&consumer.record, RECEIVED) == 1, end->pe);
		CHECK(count_of(&consumer.record, RECEIVE_FAILED) == 0);
		CHECK(buf_data_len(buf) == SIZE && filled(memory.bytes, SIZE, 2));
		free_received(&consumer.record);
		consumer_stop(&consumer);
		consumer_destroy(&consumer);
	} else {
		fill(memory.bytes, SIZE, 2);
		struct producer producer;
		producer_make(&producer, end->connection, 1, NULL);
		producer_start(&producer);
		UNTIL(count_of(&end->record, CONSUMER_NEW) == 1, end->pe);
		for (int round = 0; round < 2; round++) {
			struct doca_comch_producer_task_send *task;
			int64_t deadline = harness_deadline();
			while (try_send(&producer, 1, buf, NULL, 0, &task) != DOCA_SUCCESS)
				harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
			for (size_t moved = 0; moved < 3;)
				moved += drive(producer.pe);
			if (round == 0)
				doca_task_free(doca_comch_producer_task_send_as_task(task));
			UNTIL(inflight(producer.ctx) == 0, producer.pe);
		}
		CHECK(count_of(&producer.record, SENT) == 1 && count_of(&producer.record, SEND_FAILED) == 0);
		free_sent(&producer.record);
		producer_stop(&producer);
		producer_destroy(&producer);
		UNTIL(count_of(&end->record, CONSUMER_EXPIRED) == 1, end->pe);
	}
	buf_release(buf);
	memory_close(&memory);
}

/* Payloads that the consumer is to fetch, and that either side takes back first. */

enum { OFFER = 1u << 20 };

static void say_and_hear(struct end *end, const char *text, size_t heard)
{
	send_text(end, end->connection, text);
	UNTIL(count_of(&end->record, MESSAGE) == heard, end->pe);
}

static void offer_from_client(struct side *side)
{
	struct end *end = &side->end;
	struct memory memory;
	struct producer producer;
	struct doca_comch_producer_task_send *task;
	memory_open(&memory, OFFER, 1, side->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_buf *buf = memory_buf(&memory, 0, OFFER, OFFER);
	producer_make(&producer, end->connection, 1, NULL);
	producer_start(&producer);
	UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	/* Freed at once: the memory is the caller's again, and nothing arrives. */
	fill(memory.bytes, OFFER, 1);
	OK(try_send(&producer, 1, buf, NULL, 0, &task));
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	memset(memory.bytes, 0xee, OFFER);
	UNTIL(inflight(producer.ctx) == 0, producer.pe);
	say_and_hear(end, "freed", 2);
	/* The receiver does not want this one any more, which is none of the sender's business. */
	fill(memory.bytes, OFFER, 2);
	put(&producer, 1, buf);
	say_and_hear(end, "offered", 3);
	UNTIL(count_of(&producer.record, SENT) == 1, producer.pe);
	free_sent(&producer.record);
	record_clear(&producer.record);
	say_and_hear(end, "sent", 4);
	/* The consumer stops: both processes agree on what has become of the last one. */
	fill(memory.bytes, OFFER, 3);
	put(&producer, 1, buf);
	say_and_hear(end, "offered", 5);
	UNTIL(count_of(&producer.record, SENT) + count_of(&producer.record, SEND_FAILED) == 1, producer.pe);
	bool sent = count_of(&producer.record, SENT) == 1;
	free_sent(&producer.record);
	send_text(end, end->connection, sent ? "sent" : "failed");
	producer_stop(&producer);
	producer_destroy(&producer);
	UNTIL(count_of(&end->record, CONSUMER_EXPIRED) == 1 && inflight(end->ctx) == 0, end->pe);
	buf_release(buf);
	memory_close(&memory);
}

static void take_offers(struct side *side)
{
	struct end *end = &side->end;
	struct memory memory;
	struct consumer consumer;
	memory_open(&memory, OFFER, 1, side->dev, RW);
	struct doca_buf *buf = memory_buf(&memory, 0, OFFER, 0);
	consumer_make(&consumer, end->connection, memory.mmap, 3, NULL);
	consumer_start(&consumer, end->pe);
	struct doca_task *receive = doca_comch_consumer_task_post_recv_as_task(post(&consumer, buf));
	say_and_hear(end, "posted", 1);
	record_clear(&consumer.record);
	settle(consumer.pe, NULL);
	/* What was not sent has used up no buffer. */
	CHECK(consumer.record.num == 0 && inflight(consumer.ctx) == 1 && buf_data_len(buf) == 0);
	say_and_hear(end, "again", 2);
	doca_task_free(receive);
	memset(memory.bytes, 0xdd, OFFER);
	say_and_hear(end, "freed", 3);
	for (size_t i = 0; i < OFFER; i++)
		CHECK(memory.bytes[i] == 0xdd);
	UNTIL(inflight(consumer.ctx) == 0, consumer.pe);
	CHECK(consumer.record.num == 0 && buf_data_len(buf) == 0);
	post(&consumer, buf);
	say_and_hear(end, "again", 4);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
	UNTIL(inflight(consumer.ctx) == 0, consumer.pe);
	bool received = count_of(&consumer.record, RECEIVED) == 1;
	CHECK(!received || (buf_data_len(buf) == OFFER && filled(memory.bytes, OFFER, 3)));
	free_received(&consumer.record);
	UNTIL(state_of(consumer.ctx) == IDLE, consumer.pe);
	say_and_hear(end, "stopped", 5);
	CHECK(received == is_text(nth(&end->record, MESSAGE, 4), "sent"));
	consumer_destroy(&consumer);
	buf_release(buf);
	memory_close(&memory);
}

static void take_offers_back(struct side *side)
{
	(side->end.server != NULL ? take_offers : offer_from_client)(side);
}

/* The payload is there, and so the send is a success, whatever becomes of the consumer afterwards. */
static void offer_and_look_late(struct end *end, struct doca_dev *dev)
{
	struct memory memory;
	struct producer producer;
	memory_open(&memory, OFFER, 1, dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_buf *buf = memory_buf(&memory, 0, OFFER, OFFER);
	producer_make(&producer, end->connection, 1, NULL);
	producer_start(&producer);
	UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	fill(memory.bytes, OFFER, 1);
	put(&producer, 1, buf);
	say_and_hear(end, "offered", 2);
	UNTIL(count_of(&producer.record, SENT) + count_of(&producer.record, SEND_FAILED) == 1, producer.pe);
	CHECK(count_of(&producer.record, SENT) == 1);
	free_sent(&producer.record);
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&memory);
}

static void fetch_and_go(struct end *end, struct doca_dev *dev)
{
	struct memory memory;
	struct consumer consumer;
	memory_open(&memory, OFFER, 1, dev, RW);
	struct doca_buf *buf = memory_buf(&memory, 0, OFFER, 0);
	consumer_make(&consumer, end->connection, memory.mmap, 1, NULL);
	consumer_start(&consumer, end->pe);
	post(&consumer, buf);
	say_and_hear(end, "posted", 1);
	UNTIL(count_of(&consumer.record, RECEIVED) == 1, consumer.pe);
	CHECK(buf_data_len(buf) == OFFER && filled(memory.bytes, OFFER, 1));
	free_received(&consumer.record);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	send_text(end, end->connection, "gone");
	UNTIL(inflight(end->ctx) == 0, end->pe);
	buf_release(buf);
	memory_close(&memory);
}

static void look_late(struct side *side)
{
	(side->end.server != NULL ? fetch_and_go : offer_and_look_late)(&side->end, side->dev);
}

/* ---- the conversation of the vendor's data path samples: an engine for each context, spins without progress ---- */

#define START_TEXT "start_data_path_test"
#define STOP_TEXT "stop_data_path_test"

static void sample_receive(struct side *side, const char *text)
{
	struct end *end = &side->end;
	struct memory memory;
	memory_open(&memory, 1u << 20, 1, side->dev, RW);
	struct consumer consumer;
	consumer_make(&consumer, end->connection, memory.mmap, 2, NULL);
	CHECK(consumer.id != 0 && consumer.id != 0xffff);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	UNTIL(state_of(consumer.ctx) == RUNNING, consumer.pe, end->pe);
	struct doca_buf *buf = memory_buf(&memory, 0, 1u << 20, 0);
	post(&consumer, buf);
	UNTIL(count_of(&consumer.record, RECEIVED) == 1, consumer.pe, end->pe);
	CHECK(buf_data_len(buf) == strlen(text) && memcmp(memory.bytes, text, strlen(text)) == 0);
	free_received(&consumer.record);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
	UNTIL(state_of(consumer.ctx) == IDLE, consumer.pe, end->pe);
	consumer_destroy(&consumer);
	buf_release(buf);
	memory_close(&memory);
}

static void sample_send(struct side *side, const char *text)
{
	struct end *end = &side->end;
	UNTIL(count_of(&end->record, CONSUMER_NEW) == 1, end->pe);
	struct memory memory;
	memory_open(&memory, 4096, 1, side->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct producer producer;
	producer_make(&producer, end->connection, 2, NULL);
	producer_start(&producer);
	struct doca_buf *buf = memory_buf(&memory, 0, strlen(text), 0);
	struct doca_comch_producer_task_send *task;
	OK(doca_comch_producer_task_send_alloc_init(producer.producer, buf, NULL, 0,
						    (uint32_t)nth(&end->record, CONSUMER_NEW, 0)->a, &task));
	memcpy(memory.bytes, text, strlen(text));
	OK(doca_buf_set_data_len(buf, strlen(text)));
	int64_t deadline = harness_deadline();
	doca_error_t result;
	while ((result = doca_task_submit(doca_comch_producer_task_send_as_task(task))) == DOCA_ERROR_AGAIN)
		harness_in_time(deadline, __FILE__, __LINE__, "a buffer is posted");
	CHECK(result == DOCA_SUCCESS);
	UNTIL(count_of(&producer.record, SENT) == 1, producer.pe);
	free_sent(&producer.record);
	producer_stop(&producer);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&memory);
}

static void sample_stop(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	if (end->server != NULL)
		send_bytes(end, connection, bytes, len);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
}

static void talk_like_the_samples(struct side *side)
{
	struct end *end = &side->end;
	if (end->client != NULL)
		send_text(end, end->connection, START_TEXT);
	UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	CHECK(is_text(nth(&end->record, MESSAGE, 0), START_TEXT));
	if (end->server != NULL) {
		send_text(end, end->connection, START_TEXT);
		sample_receive(side, "Message from the client");
		end->on_message = sample_stop;
		sample_send(side, "Message from the server");
	} else {
		end->on_message = sample_stop;
		sample_send(side, "Message from the client");
		sample_receive(side, "Message from the server");
		send_text(end, end->connection, STOP_TEXT);
	}
	UNTIL(state_of(end->ctx) == IDLE, end->pe);
	CHECK(is_text(nth(&end->record, MESSAGE, 1), STOP_TEXT));
	CHECK(count_of(&end->record, SEND_FAILED) == 0 && count_of(&end->record, DISCONNECTED) == 0);
}

static const struct script {
	const char *name;
	void (*run)(struct side *side);
	bool parts; /* ends the connection itself */
} scripts[] = {
	{"messages", exchange_messages, false},
	{"data, many receives", exchange_data_with_many_receives, false},
	{"data", exchange_data_with_few_receives, false},
	{"stream", stream, false},
	{"stop", stop_in_the_pipeline, false},
	{"cancel", cancel_in_the_pipeline, false},
	{"offers", take_offers_back, false},
	{"late", look_late, false},
	{"samples", talk_like_the_samples, true},
};

static void run_script(bool server, const char *name)
{
	struct side side;
	side_open(&side, server);
	side_connect(&side);
	const struct script *script = scripts;
	while (strcmp(script->name, name) != 0)
		script++;
	script->run(&side);
	if (script->parts)
		side_close(&side);
	else
		side_part(&side);
}

/* This process is the server and a child the client, then the other way round. */
static void run_both_ways(const char *name)
{
	for (int server = 0; server < 2; server++) {
		int child = program_start(server ? "CLIENT" : "SERVER", name);
		run_script(server, name);
		assert_int_equal(child_wait(child), 0);
	}
}

static void control_messages_between_processes(void **state)
{
	(void)state;
	run_both_ways("messages");
}

static void the_conversation_of_the_vendors_samples(void **state)
{
	(void)state;
	run_both_ways("samples");
}

static void data_of_every_kind_of_size_by_direct_writes(void **state)
{
	(void)state;
	run_both_ways("data");
	run_both_ways("data, many receives");
}

static void data_of_every_kind_of_size_through_the_pipeline(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	run_both_ways("data");
	run_both_ways("data, many receives");
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void two_streams_by_direct_writes_keep_their_order(void **state)
{
	(void)state;
	run_both_ways("stream");
}

static void two_streams_through_the_pipeline_keep_their_order(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	run_both_ways("stream");
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void a_stop_in_the_pipeline_leaves_other_messages_alone(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	run_both_ways("stop");
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void a_send_that_is_freed_in_the_pipeline_does_not_arrive(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	run_both_ways("cancel");
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void a_payload_to_be_fetched_can_be_taken_back_by_either_side(void **state)
{
	(void)state;
	if (getenv("COMCH4J_TEST_LAUNCHER") != NULL)
		skip(); /* qemu-user does not read or write other processes, and the pipeline needs both sides */
	run_both_ways("offers");
}

static void a_payload_was_sent_although_its_consumer_has_gone_since(void **state)
{
	(void)state;
	if (getenv("COMCH4J_TEST_LAUNCHER") != NULL)
		skip(); /* as above */
	run_both_ways("late");
}

/* ---- a peer that sleeps ---- */

/* Of each buffer that it posts: more than the pipeline holds. */
enum { SLEEPY_ROOM = 2u << 20 };

static void sends_complete_while_the_other_process_is_stopped(void **state)
{
	(void)state;
	if (getenv("COMCH4J_TEST_LAUNCHER") != NULL)
		skip(); /* qemu-user does not write into other processes, and the pipeline needs both sides awake */
	static const size_t lens[] = {64, 10000, 1u << 20};
	struct side side;
	side_open(&side, true);
	int child = program_start("CLIENT", "sleepy");
	side_connect(&side);
	struct end *end = &side.end;
	UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	struct memory memory;
	memory_open(&memory, 2u << 20, 3, side.dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct producer producer;
	producer_make(&producer, end->connection, 3, end->pe);
	producer_start(&producer);
	CHECK(kill(child, SIGSTOP) == 0);
	fill(memory.bytes, 1u << 20, 5);
	struct doca_buf *bufs[3];
	for (size_t i = 0; i < 3; i++) {
		bufs[i] = memory_buf(&memory, 0, lens[i], lens[i]);
		put(&producer, 1, bufs[i]);
	}
	send_text(end, end->connection, "good night");
	UNTIL(count_of(&producer.record, SENT) == 3 && count_of(&end->record, SENT) == 1, end->pe);
	/* A sleeper is not dead. */
	settle(end->pe, NULL);
	assert_int_equal(count_of(&end->record, DISCONNECTED), 0);
	CHECK(kill(child, SIGCONT) == 0);
	free_sent(&producer.record);
	producer_stop(&producer);
	producer_destroy(&producer);
	UNTIL(count_of(&end->record, DISCONNECTED) == 1, end->pe);
	assert_int_equal(child_wait(child), 0);
	for (size_t i = 0; i < 3; i++)
		buf_release(bufs[i]);
	memory_close(&memory);
	side_close(&side);
}

static void be_sleepy(struct side *side)
{
	static const size_t lens[] = {64, 10000, 1u << 20};
	struct end *end = &side->end;
	struct memory memory;
	memory_open(&memory, 3 * SLEEPY_ROOM, 3, side->dev, RW);
	struct consumer consumer;
	consumer_make(&consumer, end->connection, memory.mmap, 4, end->pe);
	consumer_start(&consumer, NULL);
	struct doca_buf *bufs[3];
	for (size_t i = 0; i < 3; i++) {
		bufs[i] = memory_buf(&memory, i * SLEEPY_ROOM, SLEEPY_ROOM, 0);
		post(&consumer, bufs[i]);
	}
	send_text(end, end->connection, "posted");
	UNTIL(count_of(&consumer.record, RECEIVED) == 3 && count_of(&end->record, MESSAGE) == 1, end->pe);
	for (size_t i = 0; i < 3; i++)
		CHECK(buf_data_len(bufs[i]) == lens[i] && filled(memory.bytes + i * SLEEPY_ROOM, lens[i], 5));
	free_received(&consumer.record);
	consumer_stop(&consumer);
	consumer_destroy(&consumer);
	for (size_t i = 0; i < 3; i++)
		buf_release(bufs[i]);
	memory_close(&memory);
}

/* ---- deaths ---- */

/* A consumer, a producer and messages, all busy for as long as the connection lasts. */
struct noise {
	struct memory in, out;
	struct consumer consumer;
	struct producer producer;
	struct doca_buf *in_bufs[DEPTH], *out_bufs[3];
	uint32_t step;
};

static void hear(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task, doca_error_t status)
{
	(void)consumer;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	OK(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)));
	if (status != DOCA_SUCCESS || doca_task_submit(base) != DOCA_SUCCESS)
		doca_task_free(base);
}

static void said(struct producer *producer, struct doca_comch_producer_task_send *task, doca_error_t status)
{
	(void)producer, (void)status;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void noise_open(struct noise *noise, struct side *side)
{
	static const size_t lens[] = {64, 5000, 200000};
	struct end *end = &side->end;
	*noise = (struct noise){0};
	memory_open(&noise->in, DEPTH << 18, DEPTH, side->dev, RW);
	memory_open(&noise->out, 1u << 18, 3, side->dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	consumer_make(&noise->consumer, end->connection, noise->in.mmap, DEPTH, end->pe);
	producer_make(&noise->producer, end->connection, DEPTH, end->pe);
	noise->consumer.on_received = hear;
	noise->producer.on_sent = said;
	OK(doca_ctx_start(noise->producer.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(noise->consumer.ctx));
	for (size_t i = 0; i < DEPTH; i++)
		noise->in_bufs[i] = memory_buf(&noise->in, i << 18, 1u << 18, 0);
	for (size_t i = 0; i < 3; i++)
		noise->out_bufs[i] = memory_buf(&noise->out, 0, lens[i], lens[i]);
}

static void noise_step(struct noise *noise, struct side *side)
{
	struct end *end = &side->end;
	uint32_t step = noise->step++;
	struct doca_comch_consumer_task_post_recv *receive;
	if (state_of(noise->consumer.ctx) == RUNNING && step < DEPTH)
		(void)try_post(&noise->consumer, noise->in_bufs[step], &receive);
	if (state_of(noise->producer.ctx) == RUNNING)
		(void)try_send(&noise->producer, 1, noise->out_bufs[step % 3], NULL, 0, NULL);
	struct doca_comch_task_send *task;
	if (end->connection != NULL && step % 4 == 0 &&
	    alloc_send(end, end->connection, "noise", 5, &task) == DOCA_SUCCESS &&
	    doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	drive(end->pe);
}

/* After the connection's end: both stop by themselves. */
static void noise_close(struct noise *noise, struct side *side)
{
	UNTIL(state_of(noise->consumer.ctx) == IDLE && state_of(noise->producer.ctx) == IDLE, side->end.pe);
	consumer_destroy(&noise->consumer);
	producer_destroy(&noise->producer);
	for (size_t i = 0; i < DEPTH; i++)
		buf_release(noise->in_bufs[i]);
	for (size_t i = 0; i < 3; i++)
		buf_release(noise->out_bufs[i]);
	memory_close(&noise->in);
	memory_close(&noise->out);
}

/* The child's part: noise until it is killed. */
static void be_noisy(struct side *side)
{
	struct noise noise;
	noise_open(&noise, side);
	for (;;)
		noise_step(&noise, side);
}

static void a_killed_client_is_reported_and_its_children_stop(void **state)
{
	(void)state;
	struct side side;
	struct noise noise;
	side_open(&side, true);
	int child = program_start("CLIENT", "noisy");
	side_connect(&side);
	noise_open(&noise, &side);
	while (count_of(&noise.consumer.record, RECEIVED) < 20)
		noise_step(&noise, &side);
	child_kill(child);
	UNTIL(count_of(&side.end.record, DISCONNECTED) == 1, side.end.pe);
	assert_int_equal(nth(&side.end.record, DISCONNECTED, 0)->a, 0);
	noise_close(&noise, &side);
	assert_string_equal(states_of(&side.end.record), "R");
	/* The server goes on with the next client. */
	child = program_start("CLIENT", "messages");
	record_clear(&side.end.record);
	side_connect(&side);
	exchange_messages(&side);
	side_part(&side);
	assert_int_equal(child_wait(child), 0);
}

static void a_killed_server_ends_the_client(void **state)
{
	(void)state;
	struct side side;
	struct noise noise;
	side_open(&side, false);
	int child = program_start("SERVER", "noisy");
	side_connect(&side);
	record_clear(&side.end.record);
	noise_open(&noise, &side);
	while (count_of(&noise.consumer.record, RECEIVED) < 20)
		noise_step(&noise, &side);
	child_kill(child);
	/* Messages beyond the dead server's queue, which nobody takes any more, fail. */
	for (int i = 0; i < 200 && side.end.connection != NULL; i++)
		noise_step(&noise, &side);
	UNTIL(state_of(side.end.ctx) == IDLE, side.end.pe);
	assert_string_equal(states_of(&side.end.record), "PI");
	assert_int_equal(inflight(side.end.ctx), 0);
	noise_close(&noise, &side);
	/* A new server of the same name takes over from the dead one. */
	child = program_start("SERVER", "messages");
	record_clear(&side.end.record);
	side_connect(&side);
	exchange_messages(&side);
	side_part(&side);
	assert_int_equal(child_wait(child), 0);
}

static void a_spin_on_submit_ends_when_the_peer_is_killed(void **state)
{
	(void)state;
	struct side side;
	side_open(&side, false);
	int child = program_start("SERVER", "noisy");
	side_connect(&side);
	struct end *end = &side.end;
	UNTIL(count_of(&end->record, CONSUMER_NEW) == 1, end->pe);
	struct producer producer;
	producer_make(&producer, end->connection, 64, end->pe);
	producer_start(&producer);
	child_kill(child);
	/* Whatever buffers the dead had posted are used up, then there is nobody to wait for. No progress is needed. */
	static const uint8_t imm[4] = {0};
	doca_error_t result;
	int64_t deadline = harness_deadline();
	while ((result = try_send(&producer, 1, NULL, imm, 4, NULL)) != DOCA_ERROR_NOT_CONNECTED) {
		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
		harness_in_time(deadline, __FILE__, __LINE__, "the death is noticed");
	}
	UNTIL(inflight(producer.ctx) == 0, end->pe);
	free_sent(&producer.record);
	UNTIL(state_of(end->ctx) == IDLE && state_of(producer.ctx) == IDLE, end->pe);
	producer_destroy(&producer);
	side_close(&side);
}

static void kill_a_receiver(bool in_the_middle)
{
	struct side side;
	side_open(&side, true);
	int child = program_start("CLIENT", "sleepy");
	side_connect(&side);
	struct end *end = &side.end;
	UNTIL(count_of(&end->record, MESSAGE) == 1, end->pe);
	struct memory memory;
	memory_open(&memory, SLEEPY_ROOM, 1, side.dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct producer producer;
	producer_make(&producer, end->connection, 3, NULL);
	producer_start(&producer);
	/* What the pipeline holds as a whole would have been sent as soon as the client turns to it. */
	struct doca_buf *buf = memory_buf(&memory, 0, SLEEPY_ROOM, SLEEPY_ROOM);
	put(&producer, 1, buf);
	put(&producer, 1, buf);
	int64_t deadline = harness_deadline();
	while (in_the_middle && !drive(producer.pe))
		harness_in_time(deadline, __FILE__, __LINE__, "a part is in the pipeline");
	child_kill(child);
	UNTIL(count_of(&producer.record, SEND_FAILED) == 2, producer.pe);
	assert_int_equal(count_of(&producer.record, SENT), 0);
	free_sent(&producer.record);
	producer_stop(&producer);
	UNTIL(count_of(&end->record, DISCONNECTED) == 1, end->pe);
	producer_destroy(&producer);
	buf_release(buf);
	memory_close(&memory);
	side_close(&side);
}

/* On a device the transfer itself fails: its own engine is enough to hear of it. */
static void a_send_in_the_pipeline_fails_when_the_peer_is_killed(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	kill_a_receiver(false);
	kill_a_receiver(true);
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void tasks_of_a_client_fail_when_its_server_is_killed(void **state)
{
	(void)state;
	struct side side;
	side_open(&side, false);
	int child = program_start("SERVER", "frozen");
	side_connect(&side);
	struct end *end = &side.end;
	struct memory memory;
	memory_open(&memory, 4096, 1, side.dev, RW);
	struct consumer consumer;
	consumer_make(&consumer, end->connection, memory.mmap, 1, end->pe);
	consumer_start(&consumer, NULL);
	struct doca_buf *buf = memory_buf(&memory, 0, 64, 0);
	post(&consumer, buf);
	for (int i = 0; i < 64; i++)
		send_text(end, end->connection, "too late");
	settle(end->pe, NULL);
	assert_int_equal(count_of(&end->record, SENT), 5);
	child_kill(child);
	UNTIL(count_of(&consumer.record, RECEIVE_FAILED) == 1, end->pe);
	free_received(&consumer.record);
	UNTIL(state_of(end->ctx) == IDLE && state_of(consumer.ctx) == IDLE, end->pe);
	assert_int_equal(count_of(&end->record, SENT), 5);
	assert_int_equal(count_of(&end->record, SEND_FAILED), 59);
	assert_int_equal(nth(&end->record, SEND_FAILED, 0)->a, DOCA_ERROR_IO_FAILED);
	consumer_destroy(&consumer);
	buf_release(buf);
	memory_close(&memory);
	side_close(&side);
}

/* A server with a queue of 5 that accepts and then does nothing. */
static void be_frozen(void)
{
	struct side side;
	devices_open_dpu(&side.devices);
	server_make(&side.end, &side.devices, "two processes", NULL);
	OK(doca_comch_server_set_recv_queue_size(side.end.server, 5));
	OK(doca_ctx_start(side.end.ctx));
	side_connect(&side);
	pause();
}

/* ---- random deaths, and what they leave behind ---- */

static size_t open_descriptors(void)
{
	size_t count = 0;
	DIR *folder = opendir("/proc/self/fd");
	CHECK(folder != NULL);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

static size_t shared_mappings(void)
{
	size_t count = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps) != NULL)
		count += strstr(line, "memfd:doca-emu") != NULL;
	fclose(maps);
	return count;
}

/* An engine has a few descriptors more from its first sleep on. */
static void has_slept(struct doca_pe *pe)
{
	OK(doca_pe_request_notification(pe));
	OK(doca_pe_clear_notification(pe, 0));
}

static void kill_clients(size_t rounds)
{
	struct side side;
	side_open(&side, true);
	has_slept(side.end.pe);
	size_t descriptors = open_descriptors(), mappings = shared_mappings();
	for (size_t round = 0; round < rounds; round++) {
		int child = program_start("CLIENT", "noisy");
		int steps = rand() % 2000;
		struct noise noise;
		bool noisy = false;
		for (int step = 0; step < steps; step++) {
			if (!noisy && side.end.connection != NULL) {
				noise_open(&noise, &side);
				noisy = true;
			}
			if (noisy) {
				noise_step(&noise, &side);
			} else if (!drive(side.end.pe)) {
				usleep(20);
			}
		}
		child_kill(child);
		settle(side.end.pe, NULL);
		if (noisy)
			noise_close(&noise, &side);
		size_t successful = 0;
		for (size_t i = 0; i < side.end.record.num; i++)
			successful += side.end.record.list[i].what == CONNECTED && side.end.record.list[i].a == 1;
		UNTIL(count_of(&side.end.record, DISCONNECTED) == successful, side.end.pe);
		assert_int_equal(inflight(side.end.ctx), 0);
		assert_int_equal(open_descriptors(), descriptors);
		assert_int_equal(shared_mappings(), mappings);
		record_clear(&side.end.record);
	}
	side_close(&side);
}

static void kill_servers(size_t rounds)
{
	struct side side;
	side_open(&side, false);
	has_slept(side.end.pe);
	size_t descriptors = open_descriptors(), mappings = shared_mappings();
	for (size_t round = 0; round < rounds; round++) {
		int child = program_start("SERVER", "noisy");
		int steps = rand() % 2000;
		struct noise noise;
		bool noisy = false;
		for (int step = 0; step < steps; step++) {
			if (!noisy && side.end.connection != NULL) {
				noise_open(&noise, &side);
				noisy = true;
			}
			if (noisy) {
				noise_step(&noise, &side);
			} else {
				if (state_of(side.end.ctx) == IDLE)
					(void)doca_ctx_start(side.end.ctx);
				if (!drive(side.end.pe))
					usleep(20);
			}
		}
		child_kill(child);
		UNTIL(state_of(side.end.ctx) == IDLE, side.end.pe);
		if (noisy)
			noise_close(&noise, &side);
		assert_int_equal(inflight(side.end.ctx), 0);
		assert_int_equal(open_descriptors(), descriptors);
		assert_int_equal(shared_mappings(), mappings);
		record_clear(&side.end.record);
	}
	side_close(&side);
}

static void fifty_random_deaths_leave_nothing_behind(void **state)
{
	(void)state;
	srand(20);
	kill_clients(15);
	kill_servers(15);
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	kill_clients(10);
	kill_servers(10);
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

/* ---- the fabric folder ---- */

static size_t files_in(const char *path)
{
	size_t count = 0;
	DIR *folder = opendir(path);
	CHECK(folder != NULL);
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

static void what_a_killed_server_leaves_behind_is_swept(void **state)
{
	(void)state;
	const char *fabric = getenv("DOCA_EMU_DIR");
	struct side client, server;
	/* Other tests' leftovers. */
	side_open(&server, true);
	side_close(&server);
	size_t before = files_in(fabric);
	int child = program_start("SERVER", "frozen");
	int64_t deadline = harness_deadline();
	while (files_in(fabric) < before + 2) {
		harness_in_time(deadline, __FILE__, __LINE__, "the server has started");
		usleep(1000);
	}
	child_kill(child);
	assert_int_equal(files_in(fabric), before + 2);
	/* A client finds no server. */
	side_open(&client, false);
	(void)doca_ctx_start(client.end.ctx);
	UNTIL(state_of(client.end.ctx) == IDLE, client.end.pe);
	side_close(&client);
	/* A server of another name sweeps, one of the same name starts. */
	devices_open_dpu(&server.devices);
	server_make(&server.end, &server.devices, "other", NULL);
	OK(doca_ctx_start(server.end.ctx));
	assert_int_equal(files_in(fabric), before + 2);
	side_close(&server);
	assert_int_equal(files_in(fabric), before);
	side_open(&server, true);
	side_close(&server);
	assert_int_equal(files_in(fabric), before);
}

static void the_folder_must_be_private(void **state)
{
	(void)state;
	char fabric[100], path[120];
	snprintf(fabric, sizeof(fabric), "%s", getenv("DOCA_EMU_DIR"));
	snprintf(path, sizeof(path), "%s-2", fabric);
	setenv("DOCA_EMU_DIR", path, 1);
	mode_t mask = umask(0);
	struct devices devices;
	devices_open(&devices);
	struct end server, client;
	server_make(&server, &devices, "private", NULL);
	client_make(&client, &devices, "private", NULL);
	static const mode_t refused[] = {0777, 0770, 0702, 01777};
	for (size_t i = 0; i < 4; i++) {
		CHECK(mkdir(path, 0700) == 0 && chmod(path, refused[i]) == 0);
		GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(server.ctx));
		(void)doca_ctx_start(client.ctx);
		UNTIL(state_of(client.ctx) == IDLE, client.pe);
		CHECK(rmdir(path) == 0);
	}
	/* A file in its place. */
	int file = open(path, O_CREAT | O_WRONLY, 0600);
	CHECK(file >= 0 && close(file) == 0);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(server.ctx));
	CHECK(unlink(path) == 0);
	/* A missing folder is made, for this user only. */
	OK(doca_ctx_start(server.ctx));
	struct stat status;
	CHECK(stat(path, &status) == 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	OK(doca_ctx_stop(server.ctx));
	CHECK(rmdir(path) == 0);
	/* No folder can be made. */
	snprintf(path, sizeof(path), "%s/missing/folder", fabric);
	setenv("DOCA_EMU_DIR", path, 1);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(server.ctx));
	umask(mask);
	setenv("DOCA_EMU_DIR", fabric, 1);
	end_destroy(&server);
	end_destroy(&client);
	devices_close(&devices);
}

static int child_main(bool server, const char *role)
{
	struct side side;
	if (strcmp(role, "frozen") == 0) {
		be_frozen();
		return 1;
	}
	if (strcmp(role, "noisy") != 0 && strcmp(role, "sleepy") != 0) {
		run_script(server, role);
		return 0;
	}
	side_open(&side, server);
	side_connect(&side);
	if (strcmp(role, "noisy") == 0)
		be_noisy(&side);
	else
		be_sleepy(&side);
	side_part(&side);
	return 0;
}

/* A process that is stopped in the middle of starting a server holds up the others, but not for ever. */
static void a_server_does_not_wait_for_ever_for_one_that_is_starting(void **state)
{
	(void)state;
	int fabric = open(getenv("DOCA_EMU_DIR"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fabric >= 0);
	assert_int_equal(flock(fabric, LOCK_EX), 0);
	struct devices devices;
	struct end server;
	devices_open_dpu(&devices);
	server_make(&server, &devices, "two processes", NULL);
	GIVES(DOCA_ERROR_INITIALIZATION, doca_ctx_start(server.ctx));
	assert_int_equal(state_of(server.ctx), IDLE);
	close(fabric);
	OK(doca_ctx_start(server.ctx));
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&devices);
}

static int held_folder = -1; /* let go of by whoever waits for it */

/* In the place of the C library's, also for the libraries. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (held_folder >= 0)
		close(held_folder);
	held_folder = -1;
	return (int)syscall(SYS_nanosleep, time, left);
}

static void a_server_waits_for_one_that_is_starting(void **state)
{
	(void)state;
	held_folder = open(getenv("DOCA_EMU_DIR"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(held_folder >= 0);
	assert_int_equal(flock(held_folder, LOCK_EX), 0);
	struct devices devices;
	struct end server;
	devices_open_dpu(&devices);
	server_make(&server, &devices, "two processes", NULL);
	OK(doca_ctx_start(server.ctx));
	assert_int_equal(held_folder, -1);
	(void)doca_ctx_stop(server.ctx);
	UNTIL(state_of(server.ctx) == IDLE, server.pe);
	end_destroy(&server);
	devices_close(&devices);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return child_main(strcmp(argv[1], "SERVER") == 0, argv[2]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_messages_between_processes),
		cmocka_unit_test(the_conversation_of_the_vendors_samples),
		cmocka_unit_test(data_of_every_kind_of_size_by_direct_writes),
		cmocka_unit_test(data_of_every_kind_of_size_through_the_pipeline),
		cmocka_unit_test(two_streams_by_direct_writes_keep_their_order),
		cmocka_unit_test(two_streams_through_the_pipeline_keep_their_order),
		cmocka_unit_test(a_stop_in_the_pipeline_leaves_other_messages_alone),
		cmocka_unit_test(a_send_that_is_freed_in_the_pipeline_does_not_arrive),
		cmocka_unit_test(a_payload_to_be_fetched_can_be_taken_back_by_either_side),
		cmocka_unit_test(a_payload_was_sent_although_its_consumer_has_gone_since),
		cmocka_unit_test(sends_complete_while_the_other_process_is_stopped),
		cmocka_unit_test(a_killed_client_is_reported_and_its_children_stop),
		cmocka_unit_test(a_killed_server_ends_the_client),
		cmocka_unit_test(a_spin_on_submit_ends_when_the_peer_is_killed),
		cmocka_unit_test(a_send_in_the_pipeline_fails_when_the_peer_is_killed),
		cmocka_unit_test(tasks_of_a_client_fail_when_its_server_is_killed),
		cmocka_unit_test(fifty_random_deaths_leave_nothing_behind),
		cmocka_unit_test(what_a_killed_server_leaves_behind_is_swept),
		cmocka_unit_test(a_server_does_not_wait_for_ever_for_one_that_is_starting),
		cmocka_unit_test(a_server_waits_for_one_that_is_starting),
		cmocka_unit_test(the_folder_must_be_private),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
