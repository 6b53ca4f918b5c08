/* Messages per second, from a client to its server. The receiver measures, then tells the sender to stop. */
#include <string.h>

#include "batched.h"
#include "fast.h"
#include "window.h"

/* ---- fast path ---- */

/* Producers of one thread, on one engine. */
struct senders {
	struct sender each[MAX_PRODUCERS];
	uint32_t num;
	uint32_t next; /* whose turn it is */
};

/* Of a sender or receiver; NULL in other works. */
static struct batched *side_batched(const struct options *options)
{
	return is_batched(options) ? batched_new(options->depth) : NULL;
}

static void senders_open(struct senders *senders, struct endpoint *client, const struct device *device,
			 const struct options *options)
{
	senders->num = options->producers;
	for (uint32_t i = 0; i < senders->num; i++) {
		struct sender *sender = &senders->each[i];
		sender->in_turn = is_in_turn(options);
		sender->batched = side_batched(options);
		sender->index = i;
		sender_open(sender, client, device, options, i == 0 ? NULL : senders->each[0].pe);
	}
}

/* A burst of one of them; true when anything was sent. */
static inline bool senders_turn(struct senders *senders)
{
	struct sender *sender = &senders->each[senders->next];
	senders->next = senders->next + 1 == senders->num ? 0 : senders->next + 1;
	return sender->batched != NULL ? batched_sender_turn(sender) : sender_turn(sender);
}

static inline uint32_t take_arrivals(struct receiver *receiver)
{
	return receiver->batched != NULL ? batched_receiver_turn(receiver) : receiver_turn(receiver);
}

static uint64_t senders_sent(const struct senders *senders)
{
	uint64_t sent = 0;
	for (uint32_t i = 0; i < senders->num; i++)
		sent += senders->each[i].sent;
	return sent;
}

/* What waits for the peer to post is submitted. */
static void senders_settle(struct senders *senders)
{
	for (uint32_t i = 0; i < senders->num; i++)
		if (senders->each[i].batched != NULL)
			batched_sender_settle(&senders->each[i]);
}

static void senders_report(const struct senders *senders, const struct options *options)
{
	uint64_t again = 0;
	for (uint32_t i = 0; i < senders->num; i++)
		again += senders->each[i].again;
	report_sender(options, options->work, senders_sent(senders), again);
}

static void senders_close(struct senders *senders)
{
	for (uint32_t i = 0; i < senders->num; i++)
		sender_close(&senders->each[i]);
}

static void fast_server(const struct options *options)
{
	struct device device;
	struct endpoint server = {0};
	struct receiver receiver = {.batched = side_batched(options)};
	struct window window;
	device_open_dpu(&device, options);
	server_open(&server, &device, options->name, 8);
	WAIT_FOR(server.connection != NULL);
	receiver_open(&receiver, &server, &device, options, NULL);
	WAIT_FOR(take_arrivals(&receiver) > 0);
	window_open(&window, options);
	uint32_t in_vain = 0;
	for (uint64_t turn = 1;; turn++) {
		spin(&in_vain, take_arrivals(&receiver) > 0);
		if (turn % TURNS_PER_LOOK == 0 && window_look(&window, receiver.received, receiver.empty))
			break;
	}
	endpoint_signal(&server, SIGNAL_STOP);
	/* the sender waits until all is sent */
	WAIT_FOR((take_arrivals(&receiver), server.signal == SIGNAL_DONE));
	report_window(options, options->work, &window, receiver.checked);
	receiver_close(&receiver);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&device);
}

static void fast_client(const struct options *options)
{
	struct device device;
	struct endpoint client = {0};
	struct senders senders = {0};
	device_open_host(&device, options);
	client_open(&client, &device, options->name, 8, NULL);
	senders_open(&senders, &client, &device, options);
	uint32_t in_vain = 0;
	for (uint64_t turn = 1; client.signal != SIGNAL_STOP; turn++) {
		spin(&in_vain, senders_turn(&senders));
		if (turn % TURNS_PER_LOOK == 0)
			doca_pe_progress(client.pe);
	}
	senders_report(&senders, options);
	senders_close(&senders);
	endpoint_signal(&client, SIGNAL_DONE);
	WAIT_FOR(client.remote_consumer == 0);
	endpoint_close(&client);
	device_close(&device);
}

static void fast_alone(const struct options *options)
{
	struct device dpu, host;
	struct endpoint server = {0}, client = {0};
	struct receiver receiver = {.batched = side_batched(options)};
	struct senders senders = {0};
	struct window window;
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, 8);
	client_open(&client, &host, options->name, 8, NULL);
	WAIT_FOR(server.connection != NULL);
	receiver_open(&receiver, &server, &dpu, options, NULL);
	senders_open(&senders, &client, &host, options);
	window_open(&window, options);
	for (uint64_t turn = 1;; turn++) {
		senders_turn(&senders);
		take_arrivals(&receiver);
		if (turn % TURNS_PER_LOOK == 0 && window_look(&window, receiver.received, receiver.empty))
			break;
	}
	report_window(options, options->work, &window, receiver.checked);
	senders_report(&senders, options);
	WAIT_FOR((take_arrivals(&receiver), senders_settle(&senders), receiver.received == senders_sent(&senders)));
	senders_close(&senders);
	receiver_close(&receiver);
	endpoint_close(&client);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
}

/* ---- control path ---- */

struct inbox {
	uint64_t size, received, to_check, checked;
};

static void take_message(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len)
{
	struct inbox *inbox = endpoint->own;
	uint64_t number;
	memcpy(&number, bytes, sizeof(number));
	if (__builtin_expect(len != inbox->size || number != inbox->received, 0))
		fail("message %llu: number %llu, %u bytes", (unsigned long long)inbox->received,
		     (unsigned long long)number, len);
	if (__builtin_expect(inbox->to_check > 0, 0)) {
		if (!payload_intact(bytes, len))
			fail("message %llu: wrong data", (unsigned long long)number);
		inbox->to_check--;
		inbox->checked++;
	}
	inbox->received++;
}

static inline bool send_next(struct endpoint *client, uint8_t *message, uint32_t size)
{
	*(uint64_t *)(void *)message = client->sent;
	return endpoint_send(client, message, size) == DOCA_SUCCESS;
}

static inline bool client_turn(struct endpoint *client, uint8_t *message, uint32_t size)
{
	uint64_t before = client->sent;
	while (client->sent - before < BURST && send_next(client, message, size))
		;
	while (doca_pe_progress(client->pe))
		;
	return client->sent != before;
}

static inline uint32_t server_turn(const struct endpoint *server, uint64_t *empty)
{
	uint32_t num = 0;
	while (num < 256 && doca_pe_progress(server->pe))
		num++;
	*empty += num == 0;
	return num;
}

static uint8_t *new_message(const struct options *options)
{
	uint8_t *message = must_have(calloc(1, options->size + 64));
	payload_fill(message, options->size);
	return message;
}

static void control_server(const struct options *options)
{
	struct device device;
	struct inbox inbox = {.size = options->size, .to_check = messages_to_check(options)};
	struct endpoint server = {.on_message = take_message, .own = &inbox};
	struct window window;
	uint64_t empty = 0;
	device_open_dpu(&device, options);
	server_open(&server, &device, options->name, options->depth);
	WAIT_FOR(inbox.received > 0);
	window_open(&window, options);
	uint32_t in_vain = 0;
	for (uint64_t turn = 1;; turn++) {
		spin(&in_vain, server_turn(&server, &empty) > 0);
		if (turn % TURNS_PER_LOOK == 0 && window_look(&window, inbox.received, empty))
			break;
	}
	endpoint_signal(&server, SIGNAL_STOP);
	WAIT_FOR(server.signal == SIGNAL_DONE);
	report_window(options, "control", &window, inbox.checked);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&device);
}

static void control_client(const struct options *options)
{
	struct device device;
	struct endpoint client = {0};
	uint8_t *message = new_message(options);
	device_open_host(&device, options);
	client_open(&client, &device, options->name, options->depth, NULL);
	uint32_t in_vain = 0;
	while (client.signal != SIGNAL_STOP)
		spin(&in_vain, client_turn(&client, message, (uint32_t)options->size));
	report_sender(options, "control", client.sent, client.again);
	WAIT_FOR(client.completed == client.sent);
	endpoint_signal(&client, SIGNAL_DONE);
	WAIT_FOR(client.completed == client.sent);
	endpoint_close(&client);
	device_close(&device);
	free(message);
}

static void control_alone(const struct options *options)
{
	struct device dpu, host;
	struct inbox inbox = {.size = options->size, .to_check = messages_to_check(options)};
	struct endpoint server = {.on_message = take_message, .own = &inbox}, client = {0};
	uint8_t *message = new_message(options);
	struct window window;
	uint64_t empty = 0;
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, options->depth);
	client_open(&client, &host, options->name, options->depth, NULL);
	window_open(&window, options);
	for (uint64_t turn = 1;; turn++) {
		client_turn(&client, message, (uint32_t)options->size);
		server_turn(&server, &empty);
		if (turn % TURNS_PER_LOOK == 0 && window_look(&window, inbox.received, empty))
			break;
	}
	report_window(options, "control", &window, inbox.checked);
	report_sender(options, "control", client.sent, client.again);
	WAIT_FOR(client.completed == client.sent);
	endpoint_close(&client);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
	free(message);
}

void work_throughput(const struct options *options, bool fast)
{
	if (is_batched(options))
		batched_init();
	if (options->form == FORM_ONE)
		(fast ? fast_alone : control_alone)(options);
	else if (fast)
		run_sides(options, fast_server, fast_client);
	else
		run_sides(options, control_server, control_client);
}

/* ---- memcpy ---- */

void work_memcpy(const struct options *options)
{
	struct window window;
	size_t len = options->size * options->depth;
	uint8_t *from = payload_memory(len);
	uint8_t *to = payload_memory(len);
	uint64_t copies = 0, odd = 0;
	memset(from, 1, len);
	memset(to, 2, len);
	window_open(&window, options);
	do {
		for (uint32_t i = 0; i < options->depth; i++, copies++) {
			from[i * options->size] = (uint8_t)copies;
			memcpy(to + i * options->size, from + i * options->size, options->size);
			odd += to[i * options->size + options->size - 1] != 1;
		}
	} while (!window_look(&window, copies, odd));
	if (odd != 0)
		fail("memcpy is broken");
	report_window(options, "memcpy", &window, copies);
	free(from);
	free(to);
}
