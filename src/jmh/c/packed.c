/* Records per second, many in a message: the twin of RecordWriter and RecordReader over slots, as the Java program's
 * work of that name has them. */
#include <doca_buf.h>

#include "comch4j_records.h"
#include "fast.h"
#include "window.h"

#define SLOT 8192u
#define SLOTS 64u
/* How long a message may wait for more records while others are in flight. */
#define MAX_DELAY_NS 20000
#define MESSAGES_PER_TURN 8u
#define COMPLETIONS_PER_TURN 256u
/* Some more than two messages have room for: while nothing is in flight, a turn sends what there is. */
#define RECORDS_PER_TURN 256u

/* ---- sending ---- */

struct packer {
	struct sender sender;
	struct comch4j_record_writer writer; /* of the open message */
	struct comch4j_record_stream stream;
	bool is_open;
	uint32_t open;         /* its slot */
	bool waits;            /* a turn has left it open */
	int64_t waits_since;   /* when the first of those turns was */
	uint32_t queue[SLOTS]; /* slots whose messages are complete and not submitted, used as a ring */
	uint32_t head, tail;
	uint32_t lens[SLOTS]; /* by slot: of its buffer's data segment */
	uint64_t records;
	uint64_t to_fill; /* records whose pattern the receiver checks */
};

/* Submits what waits, as far as there are posted buffers. */
static void flush(struct packer *packer)
{
	struct sender *sender = &packer->sender;
	while (packer->head != packer->tail) {
		uint32_t slot = packer->queue[packer->head % SLOTS];
		doca_error_t result = doca_task_submit(sender->tasks[slot]);
		if (result == DOCA_ERROR_AGAIN) {
			sender->again++;
			return;
		}
		if (__builtin_expect(result != DOCA_SUCCESS, 0))
			fail("doca_task_submit: %s", doca_error_get_name(result));
		packer->head++;
		sender->sent++;
	}
}

static void close_message(struct packer *packer)
{
	struct sender *sender = &packer->sender;
	uint32_t slot = packer->open, len = (uint32_t)comch4j_records_end(&packer->writer, &packer->stream);
	if (packer->lens[slot] != len) {
		MUST(doca_buf_set_data(sender->bufs[slot], packer->writer.bytes, len));
		packer->lens[slot] = len;
	}
	packer->queue[packer->tail++ % SLOTS] = slot;
	packer->is_open = false;
}

static bool open_message(struct packer *packer)
{
	struct sender *sender = &packer->sender;
	if (packer->is_open)
		close_message(packer);
	if (sender->num_free == 0) {
		sender->again++;
		return false;
	}
	packer->open = sender->free[--sender->num_free];
	comch4j_records_write(&packer->writer, sender->memory.bytes + packer->open * sender->memory.stride, SLOT);
	packer->is_open = true;
	packer->waits = false;
	return true;
}

static inline bool offer(struct packer *packer, uint32_t size)
{
	uint8_t *room = packer->is_open ? comch4j_record_claim(&packer->writer, size, 1) : NULL;
	if (__builtin_expect(room == NULL, 0)) {
		if (!open_message(packer))
			return false;
		room = comch4j_record_claim(&packer->writer, size, 1);
	}
	if (__builtin_expect(packer->to_fill > 0, 0)) {
		packer->to_fill--;
		payload_fill(room, size);
	}
	*(uint64_t *)(void *)room = packer->records++;
	return comch4j_record_commit(&packer->writer, size);
}

/* Neither completed nor open. */
static uint32_t in_flight(const struct packer *packer)
{
	return packer->sender.depth - packer->sender.num_free - packer->is_open;
}

/* Whether the open message has waited as long as it may. */
static bool has_waited(struct packer *packer)
{
	int64_t now = now_ns();
	if (!packer->waits) {
		packer->waits = true;
		packer->waits_since = now;
	}
	return now - packer->waits_since >= MAX_DELAY_NS;
}

/* A burst of records, then the open message if it is time, then what completes; true when anything was written. */
static inline bool packer_turn(struct packer *packer, uint32_t size)
{
	uint64_t before = packer->records;
	for (uint32_t num = 0; num < RECORDS_PER_TURN && offer(packer, size); num++)
		;
	if (packer->is_open && !comch4j_records_are_none(&packer->writer) &&
	    (in_flight(packer) == 0 || has_waited(packer)))
		close_message(packer);
	flush(packer);
	for (uint32_t num = 0; num < COMPLETIONS_PER_TURN && doca_pe_progress(packer->sender.pe); num++)
		;
	return packer->records != before;
}

static struct options of_slots(const struct options *options)
{
	struct options slots = *options;
	if (COMCH4J_RECORD_NUMBER + comch4j_record_size((uint32_t)options->size) > SLOT)
		fail("a record of %llu bytes does not fit into a message", (unsigned long long)options->size);
	slots.size = SLOT;
	slots.depth = SLOTS;
	return slots;
}

static void packer_open(struct packer *packer, struct endpoint *endpoint, const struct device *device,
			const struct options *options)
{
	struct options slots = of_slots(options);
	sender_open(&packer->sender, endpoint, device, &slots, NULL);
	packer->to_fill = messages_to_check(options);
	for (uint32_t slot = 0; slot < SLOTS; slot++)
		packer->lens[slot] = SLOT;
}

/* All records are with the peer. */
static bool is_empty(struct packer *packer)
{
	if (packer->is_open)
		close_message(packer);
	flush(packer);
	return in_flight(packer) == 0;
}

static void packer_close(struct packer *packer)
{
	WAIT_FOR(is_empty(packer));
	sender_close(&packer->sender);
}

/* ---- receiving ---- */

static struct comch4j_record_stream arrivals;

static void take_message(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct receiver *receiver = ctx_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct comch4j_record_reader reader;
	struct comch4j_record record;
	size_t len = 0;
	doca_buf_get_data_len(buf, &len);
	comch4j_records_read(&reader, task_data.ptr, len);
	if (__builtin_expect(comch4j_records_missing(&reader, &arrivals) != 0, 0))
		fail("messages are missing");
	while (comch4j_record_next(&reader, &record)) {
		receiver_check(receiver, record.bytes, record.len);
		receiver->received++;
	}
	if (__builtin_expect(!comch4j_records_are_whole(&reader), 0))
		fail("a message of %zu bytes is not made of whole records", len);
	receiver_post_again(task, buf);
}

static void unpacker_open(struct receiver *receiver, struct endpoint *endpoint, const struct device *device,
			  const struct options *options)
{
	struct options slots = of_slots(options);
	receiver->completed = take_message;
	receiver_open(receiver, endpoint, device, &slots, NULL);
	receiver->size = options->size;
	receiver->to_check = messages_to_check(options);
}

static inline uint32_t unpacker_turn(struct receiver *receiver)
{
	uint32_t num = 0;
	while (num < MESSAGES_PER_TURN && doca_pe_progress(receiver->pe))
		num++;
	receiver->empty += num == 0;
	return num;
}

/* ---- the work ---- */

static void packed_server(const struct options *options)
{
	struct device device;
	struct endpoint server = {0};
	struct receiver receiver = {0};
	struct window window;
	device_open_dpu(&device, options);
	server_open(&server, &device, options->name, 8);
	WAIT_FOR(server.connection != NULL);
	unpacker_open(&receiver, &server, &device, options);
	WAIT_FOR(receiver.received > 0);
	window_open(&window, options);
	uint32_t in_vain = 0;
	for (uint64_t turn = 1;; turn++) {
		spin(&in_vain, unpacker_turn(&receiver) > 0);
		if (turn % TURNS_PER_LOOK == 0 && window_look(&window, receiver.received, receiver.empty))
			break;
	}
	endpoint_signal(&server, SIGNAL_STOP);
	WAIT_FOR(server.signal == SIGNAL_DONE);
	report_window(options, options->work, &window, receiver.checked);
	receiver_close(&receiver);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&device);
}

static void packed_client(const struct options *options)
{
	struct device device;
	struct endpoint client = {0};
	struct packer packer = {0};
	device_open_host(&device, options);
	client_open(&client, &device, options->name, 8, NULL);
	packer_open(&packer, &client, &device, options);
	uint32_t in_vain = 0;
	for (uint64_t turn = 1; client.signal != SIGNAL_STOP; turn++) {
		spin(&in_vain, packer_turn(&packer, (uint32_t)options->size));
		if (turn % TURNS_PER_LOOK == 0)
			doca_pe_progress(client.pe);
	}
	report_sender(options, options->work, packer.records, packer.sender.again);
	packer_close(&packer);
	endpoint_signal(&client, SIGNAL_DONE);
	WAIT_FOR(client.remote_consumer == 0);
	endpoint_close(&client);
	device_close(&device);
}

static void packed_alone(const struct options *options)
{
	struct device dpu, host;
	struct endpoint server = {0}, client = {0};
	struct receiver receiver = {0};
	struct packer packer = {0};
	struct window window;
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, 8);
	client_open(&client, &host, options->name, 8, NULL);
	WAIT_FOR(server.connection != NULL);
	unpacker_open(&receiver, &server, &dpu, options);
	packer_open(&packer, &client, &host, options);
	window_open(&window, options);
	for (uint64_t turn = 1;; turn++) {
		packer_turn(&packer, (uint32_t)options->size);
		unpacker_turn(&receiver);
		if (turn % TURNS_PER_LOOK == 0 && window_look(&window, receiver.received, receiver.empty))
			break;
	}
	report_window(options, options->work, &window, receiver.checked);
	report_sender(options, options->work, packer.records, packer.sender.again);
	packer_close(&packer);
	WAIT_FOR(receiver.received == packer.records);
	receiver_close(&receiver);
	endpoint_close(&client);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
}

void work_packed(const struct options *options)
{
	if (options->form == FORM_ONE)
		packed_alone(options);
	else
		run_sides(options, packed_server, packed_client);
}
