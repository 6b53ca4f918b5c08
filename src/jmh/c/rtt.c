/* Ping-pong: the client sends and waits for the answer, one message at a time. Each round trip begins when the one
 * before has ended. */
#include <string.h>

#include "fast.h"
#include "rounds.h"

#define TURNS_PER_LOOK 1024u

/* ---- fast path: both sides have a producer and a consumer on one engine ---- */

struct table {
	struct sender sender;
	struct receiver receiver;
	struct doca_pe *pe;
	uint32_t owed; /* answers that found no posted buffer */
};

static void answer(struct receiver *receiver)
{
	struct table *table = receiver->own;
	if (!sender_send(&table->sender))
		table->owed++;
}

static void table_open(struct table *table, struct endpoint *endpoint, const struct device *device,
		       const struct options *options, bool answers)
{
	table->pe = loop_new_pe();
	table->sender.in_turn = is_in_turn(options);
	table->receiver.own = table;
	table->receiver.on_received = answers ? answer : NULL;
	receiver_open(&table->receiver, endpoint, device, options, table->pe);
	sender_open(&table->sender, endpoint, device, options, table->pe);
}

static bool serve(struct table *table)
{
	bool moved = doca_pe_progress(table->pe);
	while (table->owed > 0 && sender_send(&table->sender))
		table->owed--;
	return moved;
}

static void ping(struct table *table, struct table *other)
{
	uint64_t before = table->receiver.received;
	while (!sender_send(&table->sender)) {
		doca_pe_progress(table->pe);
		if (other != NULL)
			serve(other);
	}
	uint32_t in_vain = 0;
	while (table->receiver.received == before) {
		spin(&in_vain, doca_pe_progress(table->pe));
		if (other != NULL)
			serve(other);
	}
}

static void fast_server(const struct options *options)
{
	struct device device;
	struct endpoint server = {0};
	struct table table = {0};
	device_open_dpu(&device, options);
	server_open(&server, &device, options->name, 8);
	WAIT_FOR(server.connection != NULL);
	table_open(&table, &server, &device, options, true);
	uint32_t in_vain = 0;
	for (uint64_t turn = 1; server.signal != SIGNAL_DONE; turn++) {
		spin(&in_vain, serve(&table));
		if (turn % TURNS_PER_LOOK == 0)
			doca_pe_progress(server.pe);
	}
	sender_close(&table.sender);
	receiver_close(&table.receiver);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&device);
}

static void fast_client(const struct options *options)
{
	struct device device;
	struct endpoint client = {0};
	struct table table = {0};
	device_open_host(&device, options);
	client_open(&client, &device, options->name, 8, NULL);
	table_open(&table, &client, &device, options, false);
	struct rounds *rounds = rounds_open(options);
	do
		ping(&table, NULL);
	while (rounds_record(rounds));
	rounds_report(options, options->work, rounds);
	endpoint_signal(&client, SIGNAL_DONE);
	WAIT_FOR(client.remote_consumer == 0);
	sender_close(&table.sender);
	receiver_close(&table.receiver);
	endpoint_close(&client);
	device_close(&device);
}

static void fast_alone(const struct options *options)
{
	struct device dpu, host;
	struct endpoint server = {0}, client = {0};
	struct table near = {0}, far = {0};
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, 8);
	client_open(&client, &host, options->name, 8, NULL);
	WAIT_FOR(server.connection != NULL);
	far.pe = loop_new_pe();
	far.sender.in_turn = is_in_turn(options);
	far.receiver.own = &far;
	far.receiver.on_received = answer;
	receiver_open(&far.receiver, &server, &dpu, options, far.pe);
	table_open(&near, &client, &host, options, false);
	sender_open(&far.sender, &server, &dpu, options, far.pe);
	struct rounds *rounds = rounds_open(options);
	do
		ping(&near, &far);
	while (rounds_record(rounds));
	rounds_report(options, options->work, rounds);
	sender_close(&far.sender);
	sender_close(&near.sender);
	receiver_close(&far.receiver);
	receiver_close(&near.receiver);
	endpoint_close(&client);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
}

/* ---- control path ---- */

static uint64_t answers_received(const struct endpoint *endpoint)
{
	return *(const uint64_t *)endpoint->own;
}

static void take_answer(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len)
{
	uint64_t number;
	memcpy(&number, bytes, sizeof(number));
	if (number != answers_received(endpoint) || (number == 0 && !payload_intact(bytes, len)))
		fail("answer %llu: wrong data", (unsigned long long)number);
	++*(uint64_t *)endpoint->own;
}

static void send_back(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len)
{
	if (endpoint_send(endpoint, bytes, len) != DOCA_SUCCESS)
		fail("no room for an answer");
}

static void ping_message(struct endpoint *client, const struct endpoint *server, uint8_t *message, uint32_t size)
{
	uint64_t before = answers_received(client);
	memcpy(message, &before, sizeof(before));
	while (endpoint_send(client, message, size) != DOCA_SUCCESS)
		doca_pe_progress(client->pe);
	uint32_t in_vain = 0;
	while (answers_received(client) == before) {
		spin(&in_vain, doca_pe_progress(client->pe));
		if (server != NULL)
			doca_pe_progress(server->pe);
	}
}

static void control_rounds(const struct options *options, struct endpoint *client, const struct endpoint *server)
{
	uint8_t *message = must_have(calloc(1, options->size + 8));
	payload_fill(message, options->size);
	struct rounds *rounds = rounds_open(options);
	do
		ping_message(client, server, message, (uint32_t)options->size);
	while (rounds_record(rounds));
	rounds_report(options, "control-rtt", rounds);
	free(message);
}

static void control_server(const struct options *options)
{
	struct device device;
	struct endpoint server = {.on_message = send_back};
	device_open_dpu(&device, options);
	server_open(&server, &device, options->name, 64);
	uint32_t in_vain = 0;
	while (server.signal != SIGNAL_DONE)
		spin(&in_vain, doca_pe_progress(server.pe));
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&device);
}

static void control_client(const struct options *options)
{
	struct device device;
	uint64_t answers = 0;
	struct endpoint client = {.on_message = take_answer, .own = &answers};
	device_open_host(&device, options);
	client_open(&client, &device, options->name, 64, NULL);
	control_rounds(options, &client, NULL);
	endpoint_signal(&client, SIGNAL_DONE);
	WAIT_FOR(client.completed == client.sent);
	endpoint_close(&client);
	device_close(&device);
}

static void control_alone(const struct options *options)
{
	struct device dpu, host;
	uint64_t answers = 0;
	struct endpoint server = {.on_message = send_back}, client = {.on_message = take_answer, .own = &answers};
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, 64);
	client_open(&client, &host, options->name, 64, NULL);
	control_rounds(options, &client, &server);
	WAIT_FOR(client.completed == client.sent && server.completed == server.sent);
	endpoint_close(&client);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
}

void work_rtt(const struct options *options, bool fast)
{
	if (options->form == FORM_ONE)
		(fast ? fast_alone : control_alone)(options);
	else if (fast)
		run_sides(options, fast_server, fast_client);
	else
		run_sides(options, control_server, control_client);
}
