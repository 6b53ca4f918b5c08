/* One end of an echo between host and DPU, the twin of the Java programs EchoServer and EchoClient (package
 * io.github.comch4j.containers), whose comments say what the two ends have agreed on.
 *
 *   echo server NAME CLIENTS      on the DPU: ends when so many clients have come and gone
 *   echo client NAME ROUNDS       on the host: sends on both paths and checks what comes back
 *
 * It uses DOCA's API and nothing of the emulator's, and is built against an installed SDK folder. */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include "end.h"

#define WINDOW 4u
#define MAX_PAYLOAD ((2u << 20) + 16u)
#define MAX_MESSAGE 4080u
#define SEND_TASKS 64u
#define MAX_CLIENTS 16u

static const uint32_t payload_sizes[] = {1, 64, 92, 93, 4096, 16384, 16385, 100000, 1u << 20, MAX_PAYLOAD};
static const uint32_t message_sizes[] = {1, 15, 16, 17, 100, 1000, 4080};
#define NUM_OF(array) (sizeof(array) / sizeof((array)[0]))

static uint8_t byte_at(uint32_t number, uint32_t index)
{
	return (uint8_t)(number + index + (index >> 8));
}

static void fill(uint8_t *bytes, uint32_t len, uint32_t number)
{
	for (uint32_t i = 0; i < len; i++)
		bytes[i] = byte_at(number, i);
}

static void check_bytes(const uint8_t *bytes, uint32_t len, uint32_t number)
{
	for (uint32_t i = 0; i < len; i++)
		expect("a byte", byte_at(number, i), bytes[i]);
}

/* ---- both ends ---- */

/* What one end of a connection has for the fast path. */
struct fast_path {
	struct doca_comch_connection *connection;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	uint8_t *memory; /* 2 * WINDOW payloads: received ones, then own ones */
	struct doca_comch_consumer_task_post_recv *receives[WINDOW];
	bool send_busy[WINDOW];
	uint32_t remote; /* the peer's consumer; 0: none yet */
	bool gone;
	bool used;
	/* The server's: payloads to send back, in order. */
	struct doca_comch_consumer_task_post_recv *answers[WINDOW];
	uint32_t num_answers;
};

static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct fast_path paths[MAX_CLIENTS];
static uint32_t messages_back, payloads_back, clients_gone, clients_lost;
static bool stopping;

static void message_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void message_not_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));
	message_sent(task, task_data, ctx_data);
	if (!stopping && server == NULL)
		check(status, "sending a message");
}

/* False while there is no room. */
static bool send_message(struct doca_comch_connection *connection, const void *bytes, uint32_t len)
{
	struct doca_comch_task_send *send;
	doca_error_t result = server != NULL
				      ? doca_comch_server_task_send_alloc_init(server, connection, bytes, len, &send)
				      : doca_comch_client_task_send_alloc_init(client, connection, bytes, len, &send);
	if (result == DOCA_ERROR_NO_MEMORY)
		return false;
	check(result, "allocating a message");
	result = doca_task_submit(doca_comch_task_send_as_task(send));
	if (result == DOCA_SUCCESS)
		return true;
	doca_task_free(doca_comch_task_send_as_task(send));
	if (result != DOCA_ERROR_AGAIN)
		check(result, "submitting a message");
	return false;
}

/* ---- the fast path ---- */

static void submit_receive(struct doca_comch_consumer_task_post_recv *receive)
{
	OK(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(receive)));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receive)));
}

static uint32_t number_of(const struct doca_comch_consumer_task_post_recv *receive)
{
	uint32_t number;
	expect("the immediate data's size", sizeof(number),
	       doca_comch_consumer_task_post_recv_get_imm_data_len(receive));
	memcpy(&number, doca_comch_consumer_task_post_recv_get_imm_data(receive), sizeof(number));
	return number;
}

/* On the host: an echo has come. */
static void check_echo(struct doca_comch_consumer_task_post_recv *receive)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(receive);
	void *data;
	size_t len;
	OK(doca_buf_get_data(buf, &data));
	OK(doca_buf_get_data_len(buf, &len));
	expect("a payload's number", payloads_back, number_of(receive));
	expect("a payload's size", payload_sizes[payloads_back % NUM_OF(payload_sizes)], len);
	check_bytes(data, (uint32_t)len, payloads_back++);
	submit_receive(receive);
}

static void payload_received(struct doca_comch_consumer_task_post_recv *receive, union doca_data task_data,
			     union doca_data ctx_data)
{
	(void)task_data;
	struct fast_path *path = ctx_data.ptr;
	if (client != NULL) {
		check_echo(receive);
		return;
	}
	payloads_back++;
	path->answers[path->num_answers++] = receive;
}

static void receive_ended(struct doca_comch_consumer_task_post_recv *receive, union doca_data task_data,
			  union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	/* Flushed, because this or the connection ends. */
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(receive);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(receive));
	OK(doca_buf_dec_refcount(buf, NULL));
}

static void payload_sent(struct doca_comch_producer_task_send *send, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct fast_path *path = ctx_data.ptr;
	struct doca_buf *buf = (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(send);
	doca_task_free(doca_comch_producer_task_send_as_task(send));
	if (client != NULL) {
		OK(doca_buf_dec_refcount(buf, NULL));
		path->send_busy[task_data.u64] = false;
		return;
	}
	/* The echo has gone: room for the next payload. The buffer is the receive task's. */
	struct doca_comch_consumer_task_post_recv *receive = task_data.ptr;
	if (!path->gone && state_of(doca_comch_consumer_as_ctx(path->consumer)) == DOCA_CTX_STATE_RUNNING)
		submit_receive(receive);
	else
		receive_ended(receive, task_data, ctx_data);
}

/* Makes memory, a producer, and a consumer that begins to start. */
static void open_path(struct fast_path *path, struct doca_comch_connection *connection)
{
	*path = (struct fast_path){.connection = connection, .used = true};
	size_t bytes = 2u * WINDOW * MAX_PAYLOAD;
	path->memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (path->memory == NULL)
		give_up("no memory");
	OK(doca_mmap_create(&path->mmap));
	OK(doca_mmap_set_memrange(path->mmap, path->memory, bytes));
	OK(doca_mmap_set_permissions(path->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(path->mmap, dev));
	OK(doca_mmap_start(path->mmap));
	OK(doca_buf_inventory_create(2 * WINDOW, &path->inventory));
	OK(doca_buf_inventory_start(path->inventory));

	OK(doca_comch_producer_create(connection, &path->producer));
	OK(doca_comch_producer_task_send_set_conf(path->producer, payload_sent, payload_sent, WINDOW));
	struct doca_ctx *ctx = doca_comch_producer_as_ctx(path->producer);
	OK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = path}));
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_ctx_start(ctx));

	OK(doca_comch_consumer_create(connection, path->mmap, &path->consumer));
	OK(doca_comch_consumer_task_post_recv_set_conf(path->consumer, payload_received, receive_ended, WINDOW));
	ctx = doca_comch_consumer_as_ctx(path->consumer);
	OK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = path}));
	OK(doca_pe_connect_ctx(pe, ctx));
	doca_error_t result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		check(result, "starting a consumer");
}

/* Once the consumer runs. */
static void post_receives(struct fast_path *path)
{
	if (path->receives[0] != NULL || path->gone ||
	    state_of(doca_comch_consumer_as_ctx(path->consumer)) != DOCA_CTX_STATE_RUNNING)
		return;
	for (uint32_t i = 0; i < WINDOW; i++) {
		struct doca_buf *buf;
		OK(doca_buf_inventory_buf_get_by_addr(path->inventory, path->mmap,
						      path->memory + (size_t)i * MAX_PAYLOAD, MAX_PAYLOAD, &buf));
		OK(doca_comch_consumer_task_post_recv_alloc_init(path->consumer, buf, &path->receives[i]));
		submit_receive(path->receives[i]);
	}
}

static void close_path(struct fast_path *path)
{
	path->gone = true;
	/* Received, and not sent back in time. */
	for (uint32_t i = 0; i < path->num_answers; i++)
		receive_ended(path->answers[i], (union doca_data){0}, (union doca_data){0});
	stop(doca_comch_producer_as_ctx(path->producer));
	OK(doca_comch_producer_destroy(path->producer));
	stop(doca_comch_consumer_as_ctx(path->consumer));
	OK(doca_comch_consumer_destroy(path->consumer));
	OK(doca_buf_inventory_destroy(path->inventory));
	OK(doca_mmap_destroy(path->mmap));
	free(path->memory);
	*path = (struct fast_path){0};
}

/* False while there is no room. */
static bool send_payload(struct fast_path *path, struct doca_buf *buf, uint32_t number, union doca_data data)
{
	struct doca_comch_producer_task_send *send;
	doca_error_t result = doca_comch_producer_task_send_alloc_init(path->producer, buf, (uint8_t *)&number,
								       sizeof(number), path->remote, &send);
	if (result == DOCA_ERROR_NO_MEMORY)
		return false;
	if (result == DOCA_ERROR_BAD_STATE && server != NULL)
		return false; /* the client has gone; that is noticed elsewhere */
	check(result, "allocating a payload");
	doca_task_set_user_data(doca_comch_producer_task_send_as_task(send), data);
	result = doca_task_submit(doca_comch_producer_task_send_as_task(send));
	if (result == DOCA_SUCCESS)
		return true;
	doca_task_free(doca_comch_producer_task_send_as_task(send));
	if (result != DOCA_ERROR_AGAIN && server == NULL)
		check(result, "submitting a payload");
	return false;
}

/* ---- the DPU ---- */

static struct fast_path *path_of(struct doca_comch_connection *connection)
{
	return doca_comch_connection_get_user_data(connection).ptr;
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	if (!successful)
		return;
	for (uint32_t i = 0; i < MAX_CLIENTS; i++) {
		if (paths[i].used)
			continue;
		open_path(&paths[i], connection);
		OK(doca_comch_connection_set_user_data(connection, (union doca_data){.ptr = &paths[i]}));
		return;
	}
	give_up("too many clients");
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	clients_lost += !successful;
	path_of(connection)->gone = true;
}

static void message_to_echo(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			    struct doca_comch_connection *connection)
{
	(void)event;
	if (!send_message(connection, bytes, len))
		give_up("no room for an echo");
	messages_back++;
}

static void consumer_is_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			    uint32_t id)
{
	(void)event;
	(server != NULL ? path_of(connection) : &paths[0])->remote = id;
}

static void consumer_is_gone(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event;
	(void)id;
	(server != NULL ? path_of(connection) : &paths[0])->remote = 0;
}

static void answer(struct fast_path *path)
{
	while (path->num_answers > 0 && path->remote != 0) {
		struct doca_comch_consumer_task_post_recv *receive = path->answers[0];
		if (!send_payload(path, doca_comch_consumer_task_post_recv_get_buf(receive), number_of(receive),
				  (union doca_data){.ptr = receive}))
			return;
		path->num_answers--;
		memmove(path->answers, path->answers + 1, path->num_answers * sizeof(path->answers[0]));
	}
}

static void serve(const char *name, uint32_t clients)
{
	open_device(DPU_PCI);
	open_representor(HOST_PCI, DOCA_DEVINFO_REP_FILTER_NET);
	OK(doca_comch_server_create(dev, rep, name, &server));
	struct doca_ctx *ctx = doca_comch_server_as_ctx(server);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_comch_server_set_max_msg_size(server, MAX_MESSAGE));
	OK(doca_comch_server_task_send_set_conf(server, message_sent, message_not_sent, SEND_TASKS));
	OK(doca_comch_server_event_msg_recv_register(server, message_to_echo));
	OK(doca_comch_server_event_connection_status_changed_register(server, connected, disconnected));
	OK(doca_comch_server_event_consumer_register(server, consumer_is_new, consumer_is_gone));
	OK(doca_ctx_start(ctx));
	printf("READY\n");
	while (clients_gone < clients) {
		(void)doca_pe_progress(pe);
		for (uint32_t i = 0; i < MAX_CLIENTS; i++) {
			if (!paths[i].used)
				continue;
			if (paths[i].gone) {
				close_path(&paths[i]);
				clients_gone++;
				continue;
			}
			post_receives(&paths[i]);
			answer(&paths[i]);
		}
	}
	stop(ctx);
	OK(doca_comch_server_destroy(server));
	OK(doca_dev_rep_close(rep));
	printf("DONE clients=%u lost=%u messages=%u payloads=%u\n", clients_gone, clients_lost, messages_back,
	       payloads_back);
}

/* ---- the host ---- */

static void message_came_back(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			      struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	expect("a message's size", message_sizes[messages_back % NUM_OF(message_sizes)], len);
	check_bytes(bytes, len, messages_back++);
}

static void send_round(struct fast_path *path, uint32_t *messages, uint32_t *payloads, uint64_t *bytes)
{
	uint8_t message[MAX_MESSAGE];
	for (size_t i = 0; i < NUM_OF(message_sizes); i++) {
		fill(message, message_sizes[i], *messages);
		UNTIL(send_message(path->connection, message, message_sizes[i]));
		++*messages;
	}
	for (size_t i = 0; i < NUM_OF(payload_sizes); i++) {
		uint32_t slot = *payloads % WINDOW;
		UNTIL(*payloads - payloads_back < WINDOW && !path->send_busy[slot]);
		uint8_t *payload = path->memory + (size_t)(WINDOW + slot) * MAX_PAYLOAD;
		fill(payload, payload_sizes[i], *payloads);
		struct doca_buf *buf;
		OK(doca_buf_inventory_buf_get_by_data(path->inventory, path->mmap, payload, payload_sizes[i], &buf));
		path->send_busy[slot] = true;
		UNTIL(send_payload(path, buf, *payloads, (union doca_data){.u64 = slot}));
		++*payloads;
		*bytes += payload_sizes[i];
	}
	UNTIL(messages_back == *messages && payloads_back == *payloads);
}

static void use(const char *name, uint32_t rounds)
{
	open_device(HOST_PCI);
	OK(doca_comch_client_create(dev, name, &client));
	struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_comch_client_set_max_msg_size(client, MAX_MESSAGE));
	OK(doca_comch_client_task_send_set_conf(client, message_sent, message_not_sent, SEND_TASKS));
	OK(doca_comch_client_event_msg_recv_register(client, message_came_back));
	OK(doca_comch_client_event_consumer_register(client, consumer_is_new, consumer_is_gone));
	doca_error_t result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		check(result, "starting the client");
	UNTIL(state_of(ctx) != DOCA_CTX_STATE_STARTING);
	if (state_of(ctx) != DOCA_CTX_STATE_RUNNING)
		give_up("the server does not accept this client");
	struct doca_comch_connection *connection;
	OK(doca_comch_client_get_connection(client, &connection));
	struct fast_path *path = &paths[0];
	uint32_t remote = path->remote; /* the event may have come already */
	open_path(path, connection);
	path->remote = remote;
	printf("READY\n");
	UNTIL(state_of(doca_comch_consumer_as_ctx(path->consumer)) == DOCA_CTX_STATE_RUNNING);
	post_receives(path);
	UNTIL(path->remote != 0);
	uint32_t messages = 0, payloads = 0;
	uint64_t bytes = 0;
	for (uint32_t round = 0; round < rounds; round++)
		send_round(path, &messages, &payloads, &bytes);
	UNTIL(!path->send_busy[0] && !path->send_busy[1] && !path->send_busy[2] && !path->send_busy[3]);
	stopping = true;
	close_path(path);
	stop(ctx);
	OK(doca_comch_client_destroy(client));
	printf("DONE messages=%u payloads=%u bytes=%" PRIu64 "\n", messages_back, payloads_back, bytes);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		give_up("usage: echo server NAME CLIENTS, or echo client NAME ROUNDS");
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	struct doca_log_backend *log;
	OK(doca_log_backend_create_with_file_sdk(stderr, &log));
	OK(doca_log_backend_set_sdk_level(log, DOCA_LOG_LEVEL_DEBUG));
	OK(doca_pe_create(&pe));
	uint32_t count = (uint32_t)strtoul(argv[3], NULL, 10);
	if (strcmp(argv[1], "server") == 0)
		serve(argv[2], count);
	else
		use(argv[2], count);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
	return 0;
}
