/* One end of the conversations of "comch sample", a counterpart in C of the programs in Java:
 *
 *   sample ctrl-server|ctrl-client|data-server|data-client TEXT
 *
 * As DOCA's samples do, it has an engine for each context, drives the producer's alone while it sends, and stops a
 * server while the last message is on its way. It uses DOCA's API and nothing of the emulator's, and is built against
 * an installed SDK folder, of either generation (generation.h). */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include "end.h"
#include "generation.h"

#define START "start_data_path_test"
#define STOP "stop_data_path_test"
#define MAX_MESSAGE 4080u
#define RECEIVE_QUEUE 10u
#define BUFFER_BYTES (1u << 20)

static struct CALL(server) * server;
static struct CALL(client) * client;
static struct CALL(connection) * peer;
static struct doca_ctx *ctx;
static char message[MAX_MESSAGE + 1]; /* the newest */
static uint32_t messages, messages_taken, messages_sent;
static uint32_t peers_consumer;
static bool text_received, text_sent;

/* Drives one or two engines. */
#define UNTIL_EITHER(condition, engine, other)                                                                         \
	do {                                                                                                           \
		int64_t until_deadline = now_s() + PATIENCE_S;                                                         \
		while (!(condition)) {                                                                                 \
			if (now_s() > until_deadline)                                                                  \
				give_up("in vain: " #condition);                                                       \
			(void)doca_pe_progress(engine);                                                                \
			if ((other) != NULL)                                                                           \
				(void)doca_pe_progress(other);                                                         \
		}                                                                                                      \
	} while (0)

static struct doca_ctx *connect_engine(struct doca_ctx *context, struct doca_pe **engine)
{
	OK(doca_pe_create(engine));
	OK(doca_pe_connect_ctx(*engine, context));
	return context;
}

/* ---- the control path ---- */

static void message_sent(struct MESSAGE_TASK() * task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(MESSAGE_TASK(_as_task)(task));
	messages_sent++;
}

static void message_not_sent(struct MESSAGE_TASK() * task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	give_up("a message was not sent");
}

static void message_received(struct CALL(event_msg_recv) * event, uint8_t *bytes, message_size len,
			     struct CALL(connection) * connection)
{
	(void)event;
	if (len > MAX_MESSAGE)
		give_up("a message is too long");
	memcpy(message, bytes, len);
	message[len] = '\0';
	printf("Message received: '%s'\n", message);
	peer = connection;
	messages++;
}

static void ignore_connection(struct CALL(event_connection_status_changed) * event,
			      struct CALL(connection) * connection, has_succeeded successful)
{
	(void)event;
	(void)connection;
	(void)successful;
}

static void consumer_is_new(struct CALL(event_consumer) * event, struct CALL(connection) * connection, uint32_t id)
{
	(void)event;
	(void)connection;
	printf("new consumer %u\n", id);
	peers_consumer = id;
}

static void consumer_is_gone(struct CALL(event_consumer) * event, struct CALL(connection) * connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

static void say(const char *text)
{
	struct MESSAGE_TASK() * task;
	if (server != NULL)
		OK(END_TASK(server, alloc_init)(server, peer, text, (uint32_t)strlen(text), &task));
	else
		OK(END_TASK(client, alloc_init)(client, peer, text, (uint32_t)strlen(text), &task));
	OK(doca_task_submit(MESSAGE_TASK(_as_task)(task)));
}

static void hear(const char *wanted)
{
	UNTIL_EITHER(messages > messages_taken, pe, (struct doca_pe *)NULL);
	messages_taken++;
	if (wanted != NULL && strcmp(message, wanted) != 0)
		give_up("the peer speaks out of turn");
}

static void serve(const char *name, bool data_path)
{
	open_device(DPU_PCI);
	open_representor(HOST_PCI, DOCA_DEVINFO_REP_FILTER_ALL);
	OK(CALL(server_create)(dev, rep, name, &server));
	ctx = connect_engine(CALL(server_as_ctx)(server), &pe);
	OK(CALL(server_set_max_msg_size)(server, MAX_MESSAGE));
	OK(CALL(server_set_recv_queue_size)(server, RECEIVE_QUEUE));
	OK(END_TASK(server, set_conf)(server, message_sent, message_not_sent, POOL(10)));
	OK(CALL(server_event_msg_recv_register)(server, message_received));
	OK(SERVER_EVENT_CONNECTION(server, ignore_connection, ignore_connection));
	if (data_path)
		OK(CALL(server_event_consumer_register)(server, consumer_is_new, consumer_is_gone));
	OK(doca_ctx_start(ctx));
	printf("READY\n");
}

static void use(const char *name, bool data_path)
{
	open_device(HOST_PCI);
	OK(CALL(client_create)(dev, name, &client));
	ctx = connect_engine(CALL(client_as_ctx)(client), &pe);
	OK(CALL(client_set_max_msg_size)(client, MAX_MESSAGE));
	OK(CALL(client_set_recv_queue_size)(client, RECEIVE_QUEUE));
	OK(END_TASK(client, set_conf)(client, message_sent, message_not_sent, POOL(10)));
	OK(CALL(client_event_msg_recv_register)(client, message_received));
	if (data_path)
		OK(CALL(client_event_consumer_register)(client, consumer_is_new, consumer_is_gone));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	UNTIL_EITHER(state_of(ctx) != DOCA_CTX_STATE_STARTING, pe, (struct doca_pe *)NULL);
	if (state_of(ctx) != DOCA_CTX_STATE_RUNNING)
		give_up("no server accepts");
	OK(CALL(client_get_connection)(client, &peer));
}

/* A client's context stops by itself when the server has gone. */
static void stop_end(void)
{
	if (state_of(ctx) == DOCA_CTX_STATE_RUNNING) {
		doca_error_t result = doca_ctx_stop(ctx);
		if (result != DOCA_SUCCESS)
			check_is(DOCA_ERROR_IN_PROGRESS, result, "doca_ctx_stop");
	}
	UNTIL_EITHER(state_of(ctx) == DOCA_CTX_STATE_IDLE, pe, (struct doca_pe *)NULL);
	if (server != NULL) {
		OK(CALL(server_destroy)(server));
		OK(doca_dev_rep_close(rep));
	} else {
		OK(CALL(client_destroy)(client));
	}
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

/* ---- the fast path ---- */

struct memory {
	char *bytes;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
};

static void map(struct memory *memory, size_t size)
{
	memory->bytes = calloc(1, size);
	if (memory->bytes == NULL)
		give_up("no memory");
	OK(doca_mmap_create(&memory->mmap));
	OK(doca_mmap_set_permissions(memory->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_set_memrange(memory->mmap, memory->bytes, size));
	OK(doca_mmap_add_dev(memory->mmap, dev));
	OK(doca_mmap_start(memory->mmap));
	OK(doca_buf_inventory_create(1, &memory->inventory));
	OK(doca_buf_inventory_start(memory->inventory));
}

static void unmap(struct memory *memory)
{
	OK(doca_buf_dec_refcount(memory->buf, NULL));
	OK(doca_buf_inventory_destroy(memory->inventory));
	OK(doca_mmap_destroy(memory->mmap));
	free(memory->bytes);
}

static void text_arrived(struct RECEIVE_TASK() * task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	void *data;
	size_t len;
	struct doca_buf *buf = RECEIVE_TASK(_get_buf)(task);
	OK(doca_buf_get_data(buf, &data));
	OK(doca_buf_get_data_len(buf, &len));
	printf("Message received: '%.*s'\n", (int)len, (char *)data);
	doca_task_free(RECEIVE_TASK(_as_task)(task));
	text_received = true;
}

static void no_text_arrived(struct RECEIVE_TASK() * task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	give_up("a receive has failed");
}

static void receive_text(void)
{
	struct doca_pe *engine;
	struct CALL(consumer) * consumer;
	struct RECEIVE_TASK() * task;
	struct memory memory;
	map(&memory, BUFFER_BYTES);
	OK(CALL(consumer_create)(peer, memory.mmap, &consumer));
	OK(RECEIVE_TASK(_set_conf)(consumer, text_arrived, no_text_arrived, POOL(1)));
	struct doca_ctx *context = connect_engine(CALL(consumer_as_ctx)(consumer), &engine);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(context));
	UNTIL_EITHER(state_of(context) == DOCA_CTX_STATE_RUNNING, engine, pe);
	OK(doca_buf_inventory_buf_get_by_addr(memory.inventory, memory.mmap, memory.bytes, BUFFER_BYTES, &memory.buf));
	OK(RECEIVE_TASK(_alloc_init)(consumer, memory.buf, &task));
	OK(doca_task_submit(RECEIVE_TASK(_as_task)(task)));
	UNTIL_EITHER(text_received, engine, pe);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(context));
	UNTIL_EITHER(state_of(context) == DOCA_CTX_STATE_IDLE, engine, pe);
	OK(CALL(consumer_destroy)(consumer));
	OK(doca_pe_destroy(engine));
	unmap(&memory);
}

static void text_went(struct PAYLOAD_TASK() * task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(PAYLOAD_TASK(_as_task)(task));
	text_sent = true;
}

static void text_did_not_go(struct PAYLOAD_TASK() * task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	give_up("a send has failed");
}

static void send_text(const char *text)
{
	struct doca_pe *engine;
	struct CALL(producer) * producer;
	struct PAYLOAD_TASK() * task;
	struct memory memory;
	size_t len = strlen(text);
	UNTIL_EITHER(peers_consumer != 0, pe, (struct doca_pe *)NULL);
	map(&memory, len);
	memcpy(memory.bytes, text, len);
	OK(CALL(producer_create)(peer, &producer));
	OK(PAYLOAD_TASK(_set_conf)(producer, text_went, text_did_not_go, POOL(1)));
	struct doca_ctx *context = connect_engine(CALL(producer_as_ctx)(producer), &engine);
	OK(doca_ctx_start(context));
	OK(doca_buf_inventory_buf_get_by_data(memory.inventory, memory.mmap, memory.bytes, len, &memory.buf));
	OK(payload_alloc(producer, memory.buf, peers_consumer, &task));
	doca_error_t result;
	time_t deadline = now_s() + PATIENCE_S;
	while ((result = doca_task_submit(PAYLOAD_TASK(_as_task)(task))) == DOCA_ERROR_AGAIN)
		if (now_s() > deadline)
			give_up("no receive was posted");
	OK(result);
	UNTIL_EITHER(text_sent, engine, (struct doca_pe *)NULL);
	if (doca_ctx_stop(context) == DOCA_ERROR_IN_PROGRESS)
		UNTIL_EITHER(state_of(context) == DOCA_CTX_STATE_IDLE, engine, (struct doca_pe *)NULL);
	OK(CALL(producer_destroy)(producer));
	OK(doca_pe_destroy(engine));
	unmap(&memory);
}

/* ---- the conversations ---- */

static void ctrl_server(const char *text)
{
	hear(NULL);
	say(text);
	UNTIL_EITHER(messages_sent == 1, pe, (struct doca_pe *)NULL);
}

static void ctrl_client(const char *text)
{
	say(text);
	hear(NULL);
}

static void data_server(const char *text)
{
	hear(START);
	say(START);
	receive_text();
	send_text(text);
	hear(STOP);
	say(STOP);
}

static void data_client(const char *text)
{
	say(START);
	hear(START);
	send_text(text);
	receive_text();
	say(STOP);
	hear(STOP);
}

int main(int argc, char **argv)
{
	if (argc != 3 || strlen(argv[2]) < 1)
		give_up("usage: sample ctrl-server|ctrl-client|data-server|data-client TEXT");
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	bool data_path = strncmp(argv[1], "data", 4) == 0;
	const char *name =
		data_path ? SERVER_PREFIX "data_path_sample_server" : SERVER_PREFIX "ctrl_path_sample_server";
	if (strcmp(argv[1] + 4, "-server") == 0) {
		serve(name, data_path);
		(data_path ? data_server : ctrl_server)(argv[2]);
	} else {
		use(name, data_path);
		(data_path ? data_client : ctrl_client)(argv[2]);
	}
	stop_end();
	return 0;
}
