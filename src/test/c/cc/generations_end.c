/* One end of a connection between two releases, for generations.c. The same source for all: compiled for Comch, and
 * with over_cc.h for doca_cc.
 *
 *   PROGRAM server|client 2.5|2.6|comch server|client      which end it is, what the peer is, who ends the connection
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define LARGEST (3u << 20)

#ifdef TEST_OVER_CC_H
#define IS_COMCH false
#else
#define IS_COMCH true
#endif

static bool is_server, peer_is_comch;
static size_t heard; /* the messages that the script has come past; more may have arrived */

static struct doca_dev *open_end(struct end *end, struct devices *devices)
{
	if (is_server) {
		devices_open_dpu(devices);
		server_make(end, devices, "generations", NULL);
		OK(doca_ctx_start(end->ctx));
	} else {
		devices_open_host(devices);
		client_make(end, devices, "generations", NULL);
	}
	int64_t deadline = harness_deadline();
	while (end->connection == NULL) {
		harness_in_time(deadline, __FILE__, __LINE__, "connected");
		if (!is_server && state_of(end->ctx) == IDLE) {
			usleep(500);
			(void)doca_ctx_start(end->ctx);
		}
		drive(end->pe);
	}
	return is_server ? devices->dpu : devices->host;
}

static void exchange_messages(struct end *end)
{
	uint8_t bytes[4080];
	for (uint32_t len = 1; len <= 4080; len += 97, heard++) {
		for (int step = 0; step < 2; step++) {
			if ((step == 0) != is_server) {
				fill(bytes, len, len);
				send_bytes(end, end->connection, bytes, len);
				continue;
			}
			UNTIL(count_of(&end->record, MESSAGE) > heard, end->pe);
			const struct happened *got = nth(&end->record, MESSAGE, heard);
			CHECK(got->a == len && filled(got->bytes, len, len));
		}
	}
	UNTIL(inflight(end->ctx) == 0, end->pe);
}

/* Both ends have come here. */
static void meet(struct end *end)
{
	send_text(end, end->connection, "here");
	UNTIL(count_of(&end->record, MESSAGE) > heard && inflight(end->ctx) == 0, end->pe);
	CHECK(is_text(nth(&end->record, MESSAGE, heard), "here"));
	heard++;
}

struct fast_path {
	struct memory in, out;
	struct consumer consumer;
	struct producer producer;
	struct doca_buf *target;
	uint32_t to; /* the peer's consumer */
};

static void send_size(struct fast_path *path, size_t size, size_t seed)
{
	fill(path->out.bytes, size, seed);
	struct doca_buf *buf = memory_buf(&path->out, 0, LARGEST, size);
#if IS_COMCH
	uint8_t imm[4] = "imm";
	uint32_t imm_len = seed % 2 == 0 ? 0 : sizeof(imm);
	if (imm_len > 0 && !peer_is_comch) {
		/* The peer's generation has none. */
		GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&path->producer, path->to, buf, imm, imm_len, NULL));
		imm_len = 0;
	}
	OK(try_send(&path->producer, path->to, buf, imm_len == 0 ? NULL : imm, imm_len, NULL));
#else
	(void)put(&path->producer, path->to, buf);
#endif
	UNTIL(count_of(&path->producer.record, SENT) == 1, path->producer.pe);
	free_sent(&path->producer.record);
	record_clear(&path->producer.record);
	buf_release(buf);
}

static void receive_size(struct fast_path *path, size_t size, size_t seed)
{
	UNTIL(count_of(&path->consumer.record, RECEIVED) == 1, path->consumer.pe);
	struct doca_comch_consumer_task_post_recv *task = nth(&path->consumer.record, RECEIVED, 0)->object;
	CHECK(buf_data_len(path->target) == size);
	CHECK(filled(path->in.bytes, size, seed));
#if IS_COMCH
	uint32_t imm_len = peer_is_comch && seed % 2 != 0 ? 4 : 0;
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == imm_len);
#endif
#ifndef TEST_OVER_CC_2_5_H
	CHECK(doca_comch_consumer_task_post_recv_get_producer_id(task) != 0);
#endif
	record_clear(&path->consumer.record);
	OK(doca_buf_reset_data_len(path->target));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

/* The peer has had so many consumers before. */
static void exchange_data(struct end *end, struct doca_dev *dev, size_t consumers)
{
	static const size_t sizes[] = {0, 1, 92, 96, 97, 4096, 4097, 16385, 200000, LARGEST, 5};
	struct fast_path path;
	memory_open(&path.in, LARGEST, 1, dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_open(&path.out, LARGEST, 1, dev, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	consumer_make(&path.consumer, end->connection, path.in.mmap, 2, end->pe);
	producer_make(&path.producer, end->connection, 2, end->pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(path.consumer.ctx));
	producer_start(&path.producer);
	UNTIL(state_of(path.consumer.ctx) == RUNNING, end->pe);
	path.target = memory_buf(&path.in, 0, LARGEST, 0);
	(void)post(&path.consumer, path.target);
	meet(end);
	UNTIL(count_of(&end->record, CONSUMER_NEW) > consumers, end->pe);
	path.to = (uint32_t)nth(&end->record, CONSUMER_NEW, consumers)->a;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (is_server)
			receive_size(&path, sizes[i], i);
		send_size(&path, sizes[i], i);
		if (!is_server)
			receive_size(&path, sizes[i], i);
	}
	meet(end);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(path.consumer.ctx));
	UNTIL(count_of(&path.consumer.record, RECEIVE_FAILED) == 1, end->pe);
	free_received(&path.consumer.record);
	UNTIL(state_of(path.consumer.ctx) == IDLE && count_of(&end->record, CONSUMER_EXPIRED) > consumers, end->pe);
	CHECK(nth(&end->record, CONSUMER_EXPIRED, consumers)->a == path.to);
	producer_stop(&path.producer);
	consumer_destroy(&path.consumer);
	producer_destroy(&path.producer);
	buf_release(path.target);
	memory_close(&path.in);
	memory_close(&path.out);
}

/* One end stops; a client's context stops by itself when its server has gone. */
static void part(struct end *end, struct devices *devices, bool ends_it)
{
	meet(end);
	if (!ends_it && is_server) {
		UNTIL(count_of(&end->record, DISCONNECTED) == 1, end->pe);
		CHECK(nth(&end->record, DISCONNECTED, 0)->a == 1);
	}
	if (!ends_it && !is_server)
		UNTIL(state_of(end->ctx) == IDLE, end->pe);
	if (state_of(end->ctx) != IDLE) {
		(void)doca_ctx_stop(end->ctx);
		UNTIL(state_of(end->ctx) == IDLE, end->pe);
	}
	end_destroy(end);
	devices_close(devices);
}

int main(int argc, char **argv)
{
	CHECK(argc == 4);
	is_server = strcmp(argv[1], "server") == 0;
	peer_is_comch = strcmp(argv[2], "comch") == 0;
	struct devices devices;
	struct end end;
	struct doca_dev *dev = open_end(&end, &devices);
	meet(&end);
	exchange_messages(&end);
	for (size_t consumers = 0; consumers < 2; consumers++)
		exchange_data(&end, dev, consumers);
	part(&end, &devices, strcmp(argv[1], argv[3]) == 0);
	return 0;
}
