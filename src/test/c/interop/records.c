/* One end of records between host and DPU, with comch4j_records.h; the other one is Java (RecordsInteropIT).
 *
 *   records send NAME COUNT       on the host: packs so many records into messages and sends them
 *   records receive NAME COUNT    on the DPU: takes messages apart, until so many records have come and the client left
 *
 * Record i has i * 31 % 401 bytes, the type i - 1500, and in byte k the value i + k. It uses DOCA's API and nothing of
 * the emulator's, and is built against an installed SDK folder. */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "comch4j_records.h"
#include "end.h"

#define SLOT 512u
#define SLOTS 4u

static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_comch_connection *connection;
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;
static uint8_t memory[SLOTS * SLOT] __attribute__((aligned(4096)));
static uint32_t remote; /* the peer's consumer; 0: none */
static bool gone;       /* the connection has ended */

static uint32_t len_of(uint32_t number)
{
	return number * 31 % 401;
}

static void open_memory(void)
{
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_create(SLOTS, &inventory));
	OK(doca_buf_inventory_start(inventory));
}

static void close_memory(void)
{
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}

static void message_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			     struct doca_comch_connection *from)
{
	(void)event, (void)bytes, (void)len, (void)from;
	give_up("a message that nobody has agreed on");
}

static void message_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void consumer_is_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *of, uint32_t id)
{
	(void)event, (void)of;
	remote = id;
}

static void consumer_is_gone(struct doca_comch_event_consumer *event, struct doca_comch_connection *of, uint32_t id)
{
	(void)event, (void)of, (void)id;
	remote = 0;
}

/* ---- sending ---- */

static struct doca_comch_producer *producer;
static struct doca_task *sends[SLOTS];
static struct doca_buf *send_bufs[SLOTS];
static uint32_t messages_sent, messages_completed;
static struct comch4j_record_stream outgoing = {.writer = 0xc0ffee};

static void sent(struct doca_comch_producer_task_send *send, union doca_data task_data, union doca_data ctx_data)
{
	(void)send, (void)task_data, (void)ctx_data;
	messages_completed++;
}

static void not_sent(struct doca_comch_producer_task_send *send, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	check(doca_task_get_status(doca_comch_producer_task_send_as_task(send)), "sending a message");
	give_up("a send that failed has no error");
}

static void open_producer(void)
{
	OK(doca_comch_producer_create(connection, &producer));
	OK(doca_comch_producer_task_send_set_conf(producer, sent, not_sent, SLOTS));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(producer);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_ctx_start(ctx));
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct doca_comch_producer_task_send *send;
		OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + (size_t)i * SLOT, SLOT, &send_bufs[i]));
		OK(doca_comch_producer_task_send_alloc_init(producer, send_bufs[i], NULL, 0, remote, &send));
		sends[i] = doca_comch_producer_task_send_as_task(send);
	}
}

static void send_records(struct comch4j_record_writer *writer)
{
	uint32_t slot = messages_sent % SLOTS;
	size_t len = comch4j_records_end(writer, &outgoing);
	OK(doca_buf_set_data(send_bufs[slot], writer->bytes, len));
	doca_error_t result;
	UNTIL((result = doca_task_submit(sends[slot])) != DOCA_ERROR_AGAIN);
	check(result, "submitting a message");
	messages_sent++;
}

/* The next slot, once its last message has gone. */
static void begin_message(struct comch4j_record_writer *writer)
{
	UNTIL(messages_sent - messages_completed < SLOTS);
	comch4j_records_write(writer, memory + (size_t)(messages_sent % SLOTS) * SLOT, SLOT);
}

static void send_all(uint32_t count)
{
	struct comch4j_record_writer writer;
	begin_message(&writer);
	for (uint32_t number = 0; number < count; number++) {
		uint32_t len = len_of(number);
		uint8_t *room = comch4j_record_claim(&writer, len, number - 1500);
		if (room == NULL) {
			send_records(&writer);
			begin_message(&writer);
			room = comch4j_record_claim(&writer, len, number - 1500);
		}
		for (uint32_t k = 0; k < len; k++)
			room[k] = (uint8_t)(number + k);
		if (!comch4j_record_commit(&writer, len))
			give_up("a record cannot be committed");
	}
	if (!comch4j_records_are_none(&writer))
		send_records(&writer);
	UNTIL(messages_completed == messages_sent);
}

static void close_producer(void)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		doca_task_free(sends[i]);
		OK(doca_buf_dec_refcount(send_bufs[i], NULL));
	}
	stop(doca_comch_producer_as_ctx(producer));
	OK(doca_comch_producer_destroy(producer));
}

static void send_side(const char *name, uint32_t count)
{
	open_device(HOST_PCI);
	open_memory();
	OK(doca_comch_client_create(dev, name, &client));
	struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_comch_client_task_send_set_conf(client, message_sent, message_sent, 1));
	OK(doca_comch_client_event_msg_recv_register(client, message_received));
	OK(doca_comch_client_event_consumer_register(client, consumer_is_new, consumer_is_gone));
	doca_error_t result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		check(result, "starting the client");
	UNTIL(state_of(ctx) == DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_client_get_connection(client, &connection));
	UNTIL(remote != 0);
	open_producer();
	send_all(count);
	close_producer();
	stop(ctx);
	OK(doca_comch_client_destroy(client));
	close_memory();
	printf("DONE records=%u messages=%u\n", count, messages_sent);
}

/* ---- receiving ---- */

static struct doca_comch_consumer *consumer;
static uint32_t records_received, messages_received;
static struct comch4j_record_stream incoming;

static bool take(const struct comch4j_record *record, void *own)
{
	(void)own;
	uint32_t number = records_received++;
	expect("a record's type", number - 1500, record->type);
	expect("a record's length", len_of(number), record->len);
	for (uint32_t k = 0; k < record->len; k++)
		expect("a byte", (uint8_t)(number + k), record->bytes[k]);
	return true;
}

static void end_receive(struct doca_comch_consumer_task_post_recv *receive)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(receive);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(receive));
	OK(doca_buf_dec_refcount(buf, NULL));
}

static void received(struct doca_comch_consumer_task_post_recv *receive, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(receive);
	void *data;
	size_t len;
	OK(doca_buf_get_data(buf, &data));
	OK(doca_buf_get_data_len(buf, &len));
	messages_received++;
	struct comch4j_record_reader reader;
	comch4j_records_read(&reader, data, len);
	expect("messages that are missing", 0, comch4j_records_missing(&reader, &incoming));
	if (!comch4j_records_for_each(data, len, take, NULL))
		give_up("a message that is not made of whole records");
	OK(doca_buf_reset_data_len(buf));
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receive)) != DOCA_SUCCESS)
		end_receive(receive); /* the consumer stops */
}

static void not_received(struct doca_comch_consumer_task_post_recv *receive, union doca_data task_data,
			 union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	end_receive(receive);
}

static void connected(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *made,
		      uint8_t successful)
{
	(void)event;
	if (successful)
		connection = made;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event, struct doca_comch_connection *ended,
			 uint8_t successful)
{
	(void)event, (void)successful;
	gone = ended == connection;
}

static void open_consumer(void)
{
	OK(doca_comch_consumer_create(connection, mmap, &consumer));
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer, received, not_received, SLOTS));
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(consumer);
	OK(doca_pe_connect_ctx(pe, ctx));
	doca_error_t result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		check(result, "starting the consumer");
	UNTIL(state_of(ctx) == DOCA_CTX_STATE_RUNNING);
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct doca_comch_consumer_task_post_recv *receive;
		struct doca_buf *buf;
		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + (size_t)i * SLOT, SLOT, &buf));
		OK(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &receive));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receive)));
	}
}

static void receive_side(const char *name, uint32_t count)
{
	open_device(DPU_PCI);
	open_representor(HOST_PCI, DOCA_DEVINFO_REP_FILTER_NET);
	open_memory();
	OK(doca_comch_server_create(dev, rep, name, &server));
	struct doca_ctx *ctx = doca_comch_server_as_ctx(server);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_comch_server_task_send_set_conf(server, message_sent, message_sent, 1));
	OK(doca_comch_server_event_msg_recv_register(server, message_received));
	OK(doca_comch_server_event_connection_status_changed_register(server, connected, disconnected));
	OK(doca_comch_server_event_consumer_register(server, consumer_is_new, consumer_is_gone));
	OK(doca_ctx_start(ctx));
	printf("READY\n");
	UNTIL(connection != NULL);
	open_consumer();
	UNTIL(records_received == count);
	UNTIL(gone);
	stop(doca_comch_consumer_as_ctx(consumer));
	OK(doca_comch_consumer_destroy(consumer));
	stop(ctx);
	OK(doca_comch_server_destroy(server));
	OK(doca_dev_rep_close(rep));
	close_memory();
	expect("the number of records", count, records_received);
	printf("DONE records=%u messages=%u\n", records_received, messages_received);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		give_up("usage: records send NAME COUNT, or records receive NAME COUNT");
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	OK(doca_pe_create(&pe));
	uint32_t count = (uint32_t)strtoul(argv[3], NULL, 10);
	if (strcmp(argv[1], "send") == 0)
		send_side(argv[2], count);
	else
		receive_side(argv[2], count);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
	return 0;
}
