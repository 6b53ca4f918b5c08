/* Lists of buffers to send: their data come together in the posted buffer, whichever way they take.
 *
 * The program starts itself again as the receiver: child RECEIVER NUMBER-OF-TASKS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define RUNNING DOCA_CTX_STATE_RUNNING
#define RO DOCA_ACCESS_FLAG_PCI_READ_ONLY
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

#define LIST_LIMIT 64u
#define LARGEST (9u << 20)
/* Around each data segment: no two of them are neighbours. */
#define HEADROOM 5u
#define TAILROOM 8u
#define SPACE (LARGEST + LIST_LIMIT * (HEADROOM + TAILROOM))

static const size_t sizes[] = {
	0, 1, 2, 89, 90, 96, 97, 1000, 4096, 4097, 16384, 16385, 200000, (1u << 20) + 1, 5u << 20, LARGEST};
static const uint32_t lengths[] = {2, 3, LIST_LIMIT};

#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define NUM_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))
#define NUM_CASES (NUM_SIZES * NUM_LENGTHS)

/* Two messages are under way at a time, each with a half of the memory. */
_Static_assert(NUM_CASES % 2 == 0, "messages come in pairs");

static size_t size_of(size_t number)
{
	return sizes[number / NUM_LENGTHS];
}

/* ---- sending ---- */

/* Uneven parts, some of them empty; the last one takes the rest. */
static size_t part_of(size_t rest, uint32_t place, uint32_t num)
{
	size_t share = rest / (num - place);
	if (place == num - 1)
		return rest;
	return place % 5 == 3 ? 0 : place % 3 == 1 ? share / 2 : share;
}

/* The first part lies last in memory. The parts come from two memory maps in turn. */
static struct doca_buf *list_of(struct memory *memories, size_t half, const uint8_t *bytes, size_t size, uint32_t num)
{
	struct doca_buf *head = NULL;
	size_t at = (half + 1) * SPACE;
	for (uint32_t place = 0; place < num; place++) {
		struct memory *memory = &memories[place % 2];
		size_t part = part_of(size, place, num);
		at -= HEADROOM + part + TAILROOM;
		memcpy(memory->bytes + at + HEADROOM, bytes, part);
		struct doca_buf *buf = memory_buf(memory, at, HEADROOM + part + TAILROOM, 0);
		OK(doca_buf_set_data(buf, memory->bytes + at + HEADROOM, part));
		if (head == NULL)
			head = buf;
		else
			OK(doca_buf_chain_list(head, buf));
		bytes += part;
		size -= part;
	}
	return head;
}

/* A send leaves the buffers as they were. */
static void check_list(struct doca_buf *head, size_t size, uint32_t num)
{
	uint32_t len;
	uint16_t references;
	size_t total = 0;
	OK(doca_buf_get_list_len(head, &len));
	OK(doca_buf_get_refcount(head, &references));
	CHECK(len == num && references == 1);
	for (struct doca_buf *buf = head; buf != NULL; OK(doca_buf_get_next_in_list(buf, &buf)))
		total += buf_data_len(buf);
	CHECK(total == size);
}

static struct doca_buf *submit_case(struct producer *producer, struct memory *memories, uint32_t to, size_t number)
{
	static uint8_t bytes[LARGEST];
	uint8_t imm[7] = "imm dat";
	struct doca_buf *head;
	fill(bytes, size_of(number), number);
	head = list_of(memories, number % 2, bytes, size_of(number), lengths[number % NUM_LENGTHS]);
	doca_error_t result;
	UNTIL((result = try_send(producer, to, head, number % 2 == 0 ? NULL : imm, number % 2 == 0 ? 0 : 7, NULL)) !=
		      DOCA_ERROR_AGAIN,
	      producer->pe);
	OK(result);
	return head;
}

static void send_pair(struct producer *producer, struct memory *memories, uint32_t to, size_t number)
{
	struct doca_buf *heads[2];
	for (size_t i = 0; i < 2; i++)
		heads[i] = submit_case(producer, memories, to, number + i);
	UNTIL(count_of(&producer->record, SENT) == 2, producer->pe);
	free_sent(&producer->record);
	record_clear(&producer->record);
	for (size_t i = 0; i < 2; i++) {
		check_list(heads[i], size_of(number + i), lengths[(number + i) % NUM_LENGTHS]);
		buf_release(heads[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		uint32_t free_elements, elements;
		OK(doca_buf_inventory_get_num_free_elements(memories[i].inventory, &free_elements));
		OK(doca_buf_inventory_get_num_elements(memories[i].inventory, &elements));
		CHECK(free_elements == elements);
	}
}

struct sender {
	struct memory memories[2];
	struct producer producer;
};

static void sender_open(struct sender *sender, struct doca_comch_connection *connection, struct doca_dev *dev,
			struct doca_pe *pe)
{
	for (size_t i = 0; i < 2; i++)
		memory_open(&sender->memories[i], 2 * SPACE, 2 * LIST_LIMIT, dev, RO);
	producer_make(&sender->producer, connection, 2, pe);
	producer_start(&sender->producer);
}

static void sender_close(struct sender *sender)
{
	producer_stop(&sender->producer);
	producer_destroy(&sender->producer);
	for (size_t i = 0; i < 2; i++)
		memory_close(&sender->memories[i]);
}

/* ---- receiving ---- */

struct receiver {
	struct memory memory;
	struct consumer consumer;
	struct doca_buf *bufs[2];
};

static void receiver_open(struct receiver *receiver, struct doca_comch_connection *connection, uint32_t tasks,
			  struct doca_dev *dev, struct doca_pe *pe, struct doca_pe *control)
{
	memory_open(&receiver->memory, 2 * (size_t)LARGEST, 2, dev, RW);
	consumer_make(&receiver->consumer, connection, receiver->memory.mmap, tasks, pe);
	consumer_start(&receiver->consumer, control);
	for (size_t i = 0; i < 2; i++) {
		receiver->bufs[i] = memory_buf(&receiver->memory, i * LARGEST, LARGEST, 0);
		post(&receiver->consumer, receiver->bufs[i]);
	}
}

static void receive_pair(struct receiver *receiver, size_t number)
{
	struct record *record = &receiver->consumer.record;
	UNTIL(count_of(record, RECEIVED) == 2, receiver->consumer.pe);
	struct doca_comch_consumer_task_post_recv *tasks[2];
	for (size_t i = 0; i < 2; i++) {
		tasks[i] = nth(record, RECEIVED, i)->object;
		CHECK(doca_comch_consumer_task_post_recv_get_buf(tasks[i]) == receiver->bufs[i]);
		CHECK(buf_data_len(receiver->bufs[i]) == size_of(number + i));
		CHECK(filled(receiver->memory.bytes + i * LARGEST, size_of(number + i), number + i));
		CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(tasks[i]) == (i == 0 ? 0 : 7));
		if (i == 1)
			CHECK(memcmp(doca_comch_consumer_task_post_recv_get_imm_data(tasks[i]), "imm dat", 7) == 0);
		OK(doca_buf_reset_data_len(receiver->bufs[i]));
	}
	record_clear(record);
	for (size_t i = 0; i < 2; i++)
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(tasks[i])));
}

static void receiver_close(struct receiver *receiver)
{
	(void)doca_ctx_stop(receiver->consumer.ctx);
	UNTIL(inflight(receiver->consumer.ctx) == 0, receiver->consumer.pe);
	free_received(&receiver->consumer.record);
	UNTIL(state_of(receiver->consumer.ctx) == DOCA_CTX_STATE_IDLE, receiver->consumer.pe);
	consumer_destroy(&receiver->consumer);
	for (size_t i = 0; i < 2; i++)
		buf_release(receiver->bufs[i]);
	memory_close(&receiver->memory);
}

/* ---- in one process ---- */

static void in_one_process(uint32_t tasks)
{
	struct pair pair;
	struct sender sender;
	struct receiver receiver;
	pair_open(&pair, TWO_ENGINES);
	sender_open(&sender, pair.client.connection, pair.devices.host, NULL);
	receiver_open(&receiver, pair.server.connection, tasks, pair.devices.dpu, NULL, pair.server.pe);
	for (size_t number = 0; number < NUM_CASES; number += 2) {
		send_pair(&sender.producer, sender.memories, receiver.consumer.id, number);
		receive_pair(&receiver, number);
	}
	sender_close(&sender);
	receiver_close(&receiver);
	pair_close(&pair);
}

static void lists_within_one_process(void **state)
{
	(void)state;
	in_one_process(2);
	in_one_process(100);
}

/* ---- between two ---- */

static int receive_in_a_child(const char *tasks)
{
	struct devices devices;
	struct end server;
	struct receiver receiver;
	devices_open_dpu(&devices);
	server_make(&server, &devices, "lists", NULL);
	OK(doca_ctx_start(server.ctx));
	UNTIL(server.connection != NULL, server.pe);
	receiver_open(&receiver, server.connection, (uint32_t)atoi(tasks), devices.dpu, server.pe, NULL);
	for (size_t number = 0; number < NUM_CASES; number += 2)
		receive_pair(&receiver, number);
	receiver_close(&receiver);
	UNTIL(count_of(&server.record, DISCONNECTED) == 1, server.pe);
	OK(doca_ctx_stop(server.ctx));
	end_destroy(&server);
	devices_close(&devices);
	return 0;
}

static void to_a_child(const char *tasks)
{
	struct devices devices;
	struct end client;
	struct sender sender;
	int child = program_start("RECEIVER", tasks);
	devices_open_host(&devices);
	client_make(&client, &devices, "lists", NULL);
	int64_t deadline = harness_deadline();
	while (client.connection == NULL) {
		harness_in_time(deadline, __FILE__, __LINE__, "connected");
		if (state_of(client.ctx) == DOCA_CTX_STATE_IDLE) {
			usleep(500);
			(void)doca_ctx_start(client.ctx);
		}
		drive(client.pe);
	}
	sender_open(&sender, client.connection, devices.host, client.pe);
	UNTIL(count_of(&client.record, CONSUMER_NEW) == 1, client.pe);
	uint32_t to = (uint32_t)nth(&client.record, CONSUMER_NEW, 0)->a;
	for (size_t number = 0; number < NUM_CASES; number += 2)
		send_pair(&sender.producer, sender.memories, to, number);
	UNTIL(count_of(&client.record, CONSUMER_EXPIRED) == 1, client.pe);
	sender_close(&sender);
	(void)doca_ctx_stop(client.ctx);
	UNTIL(state_of(client.ctx) == DOCA_CTX_STATE_IDLE, client.pe);
	end_destroy(&client);
	devices_close(&devices);
	assert_int_equal(child_wait(child), 0);
}

static void lists_by_direct_writes(void **state)
{
	(void)state;
	to_a_child("2");
	to_a_child("100");
}

static void lists_through_the_pipeline(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	to_a_child("2");
	to_a_child("100");
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

/* ---- refusals ---- */

static void every_buffer_of_a_list_is_looked_at(void **state)
{
	(void)state;
	struct pair pair;
	struct memory from, foreign;
	struct sender sender;
	struct receiver receiver;
	pair_open(&pair, TWO_ENGINES);
	sender_open(&sender, pair.client.connection, pair.devices.host, NULL);
	receiver_open(&receiver, pair.server.connection, 2, pair.devices.dpu, NULL, pair.server.pe);
	memory_open(&from, 4096, 4, pair.devices.host, RO);
	memory_open(&foreign, 4096, 4, pair.devices.host2, RO);
	/* The map of the second one lacks the device. */
	struct doca_buf *head = memory_buf(&from, 0, 100, 100), *second = memory_buf(&foreign, 0, 100, 100);
	OK(doca_buf_chain_list(head, second));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&sender.producer, receiver.consumer.id, head, NULL, 0, NULL));
	buf_release(head);
	/* The data segment of the second one has left its buffer. */
	head = memory_buf(&from, 0, 100, 100);
	second = memory_buf(&from, 100, 100, 100);
	OK(doca_buf_chain_list(head, second));
	OK(doca_buf_set_data(second, from.bytes + 150, 51));
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&sender.producer, receiver.consumer.id, head, NULL, 0, NULL));
	/* Within it again, the same list is sent; none of the refused ones has taken a posted buffer. */
	OK(doca_buf_set_data(second, from.bytes + 150, 50));
	fill(from.bytes, 100, 1);
	fill(from.bytes + 150, 50, 2);
	put(&sender.producer, receiver.consumer.id, head);
	UNTIL(count_of(&receiver.consumer.record, RECEIVED) == 1 && count_of(&sender.producer.record, SENT) == 1,
	      receiver.consumer.pe, sender.producer.pe);
	assert_int_equal(buf_data_len(receiver.bufs[0]), 150);
	assert_true(filled(receiver.memory.bytes, 100, 1) && filled(receiver.memory.bytes + 100, 50, 2));
	free_sent(&sender.producer.record);
	/* In the inventory the second one comes before the first, which does not make a list of them. */
	buf_release(head);
	GIVES(DOCA_ERROR_INVALID_VALUE, try_send(&sender.producer, receiver.consumer.id, second, NULL, 0, NULL));
	sender_close(&sender);
	receiver_close(&receiver);
	memory_close(&from);
	memory_close(&foreign);
	pair_close(&pair);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return receive_in_a_child(argv[2]);
	setenv("DOCA_EMU_LIMITS", "max_buf_list_len=64", 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_within_one_process),
		cmocka_unit_test(lists_by_direct_writes),
		cmocka_unit_test(lists_through_the_pipeline),
		cmocka_unit_test(every_buffer_of_a_list_is_looked_at),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
