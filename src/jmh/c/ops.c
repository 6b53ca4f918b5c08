/* What single operations cost: one thread has both sides and does `depth` of the same kind at a time, between two looks
 * at the clock. */
#include <string.h>

#include "fast.h"
#include "report.h"

enum op {
	SUBMIT,
	SEND_COMPLETION,
	RECEIVE_AND_POST,
	PROGRESS_EMPTY,
	MESSAGE_SEND,
	MESSAGE_COMPLETION,
	MESSAGE_RECEIVE,
	OPS
};

static const char *const op_names[OPS] = {
	[SUBMIT] = "submit",
	[SEND_COMPLETION] = "send-completion",
	[RECEIVE_AND_POST] = "receive-and-post",
	[PROGRESS_EMPTY] = "progress-empty",
	[MESSAGE_SEND] = "message-send",
	[MESSAGE_COMPLETION] = "message-completion",
	[MESSAGE_RECEIVE] = "message-receive",
};

struct costs {
	int64_t ns[OPS];
	uint64_t num[OPS];
};

static void spend(struct costs *costs, enum op op, int64_t *since, uint64_t num)
{
	int64_t now = now_ns();
	costs->ns[op] += now - *since;
	costs->num[op] += num;
	*since = now;
}

static void count_message(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len)
{
	uint64_t number;
	memcpy(&number, bytes, sizeof(number));
	if (number != *(uint64_t *)endpoint->own || len < sizeof(number))
		fail("wrong message");
	++*(uint64_t *)endpoint->own;
}

static void fast_round(struct sender *sender, struct receiver *receiver, struct costs *costs)
{
	uint64_t before = receiver->received;
	uint32_t num = 0, i;
	int64_t since = now_ns();
	while (sender_submit(sender, DOCA_TASK_SUBMIT_FLAG_FLUSH))
		num++;
	spend(costs, SUBMIT, &since, num);
	for (i = 0; i < num; i++)
		doca_pe_progress(sender->pe);
	spend(costs, SEND_COMPLETION, &since, num);
	for (i = 0; i < num; i++)
		doca_pe_progress(receiver->pe);
	spend(costs, RECEIVE_AND_POST, &since, num);
	for (i = 0; i < num; i++)
		doca_pe_progress(receiver->pe);
	spend(costs, PROGRESS_EMPTY, &since, num);
	if (receiver->received != before + num || sender->num_free != sender->depth)
		fail("a round of %u sends brought %llu", num, (unsigned long long)(receiver->received - before));
}

static void message_round(struct endpoint *client, struct endpoint *server, uint8_t *message,
			  const struct options *options, struct costs *costs)
{
	uint64_t before = *(uint64_t *)server->own;
	uint32_t num = 0, i;
	int64_t since = now_ns();
	while (num < options->depth) {
		*(uint64_t *)(void *)message = client->sent;
		if (endpoint_send(client, message, (uint32_t)options->size) != DOCA_SUCCESS)
			break;
		num++;
	}
	spend(costs, MESSAGE_SEND, &since, num);
	for (i = 0; i < num; i++)
		doca_pe_progress(client->pe);
	spend(costs, MESSAGE_COMPLETION, &since, num);
	for (i = 0; i < num; i++)
		doca_pe_progress(server->pe);
	spend(costs, MESSAGE_RECEIVE, &since, num);
	if (*(uint64_t *)server->own != before + num || client->completed != client->sent)
		fail("a round of %u messages brought %llu", num,
		     (unsigned long long)(*(uint64_t *)server->own - before));
}

void work_ops(const struct options *options)
{
	struct device dpu, host;
	uint64_t received = 0;
	struct endpoint server = {.on_message = count_message, .own = &received}, client = {0};
	struct receiver receiver = {0};
	struct sender sender = {0};
	uint8_t *message = must_have(calloc(1, options->size + 64));
	device_open_dpu(&dpu, options);
	device_open_host(&host, options);
	server_open(&server, &dpu, options->name, options->depth);
	client_open(&client, &host, options->name, options->depth, NULL);
	WAIT_FOR(server.connection != NULL);
	receiver_open(&receiver, &server, &dpu, options, NULL);
	sender_open(&sender, &client, &host, options, NULL);
	int64_t warm = now_ns() + (int64_t)(options->warmup * 1e9);
	int64_t end = warm + (int64_t)(options->seconds * 1e9);
	struct costs costs = {0};
	bool counting = false;
	for (int64_t now = now_ns(); now < end; now = now_ns()) {
		if (!counting && now >= warm) {
			counting = true;
			costs = (struct costs){0};
		}
		fast_round(&sender, &receiver, &costs);
		message_round(&client, &server, message, options, &costs);
	}
	for (enum op op = 0; op < OPS; op++) {
		report_begin(options, "ops");
		report_text("op", op_names[op]);
		report_value((double)costs.ns[op] / (double)costs.num[op], "ns/op");
		report_count("operations", costs.num[op]);
		report_end();
	}
	sender_close(&sender);
	receiver_close(&receiver);
	endpoint_close(&client);
	WAIT_FOR(server.connection == NULL);
	endpoint_close(&server);
	device_close(&dpu);
	device_close(&host);
	free(message);
}
