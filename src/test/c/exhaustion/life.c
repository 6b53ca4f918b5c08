#include "life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "doca_emu.h"

_Noreturn void life_violated(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s does not hold (process %d)\n", file, line, what, (int)getpid());
	abort();
}

#define OK(call) REQUIRE((call) == DOCA_SUCCESS)

/* ---- devices ---- */

void machine_open(struct machine *machine)
{
	struct doca_devinfo **list;
	struct doca_devinfo_rep **reps;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	OK(doca_dev_open(list[0], &machine->dpu));
	OK(doca_dev_open(list[1], &machine->host));
	OK(doca_devinfo_destroy_list(list));
	OK(doca_devinfo_rep_create_list(machine->dpu, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num));
	OK(doca_dev_rep_open(reps[0], &machine->rep));
	OK(doca_devinfo_rep_destroy_list(reps));
}

void machine_close(struct machine *machine)
{
	OK(doca_dev_rep_close(machine->rep));
	OK(doca_dev_close(machine->dpu));
	OK(doca_dev_close(machine->host));
}

/* ---- callbacks ---- */

enum {
	PREPARE,
	CONNECT,
	GREET,
	HEAR,
	MAKE,
	WAIT_RUNNING,
	POST,
	PUT,
	WAIT_DATA,
	LEAVE,
	WAIT_LEAVE,
	STOP_CHILDREN,
	PART
};

static struct life *life_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data data;
	OK(doca_ctx_get_user_data(server != NULL
					  ? doca_comch_server_as_ctx(server)
					  : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)),
				  &data));
	return data.ptr;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event;
	REQUIRE(len == 2 && memcmp(bytes, "hi", 2) == 0);
	life_of(connection)->messages++;
}

static void on_message_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	/* One client is enough; a second comes when the first has failed on the way. */
	struct life *life = life_of(connection);
	if (successful && life->connection == NULL && !life->disconnected)
		life->connection = connection;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event, (void)successful;
	struct life *life = life_of(connection);
	if (life->connection != connection)
		return;
	life->connection = NULL;
	/* A client that fails before anything has begun is as if it had not come. */
	life->disconnected = life->phase > CONNECT;
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	struct life *life = life_of(connection);
	if (life->connection == NULL || life->connection == connection)
		life->peer_consumer = id;
}

static void on_consumer_gone(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event, (void)connection, (void)id;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	(void)ctx, (void)prev;
	struct life *life = user_data.ptr;
	if (life->client != NULL && next == DOCA_CTX_STATE_RUNNING)
		OK(doca_comch_client_get_connection(life->client, &life->connection));
	if (next == DOCA_CTX_STATE_IDLE)
		life->connection = NULL;
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	struct life *life = ctx_data.ptr;
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	life->sent = doca_task_get_status(base) == DOCA_SUCCESS;
	life->send = NULL;
	doca_task_free(base);
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	struct life *life = ctx_data.ptr;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	life->received = doca_task_get_status(base) == DOCA_SUCCESS;
	if (life->received)
		REQUIRE(memcmp(life->bytes, life->bytes + LIFE_BYTES, LIFE_BYTES) == 0);
	doca_task_free(base);
}

/* ---- steps ---- */

static enum outcome failed(struct life *life, const char *call, doca_error_t result, doca_error_t documented)
{
	if (result != documented) {
		fprintf(stderr, "%s gives %s\n", call, doca_error_get_name(result));
		REQUIRE(0 && "the error is a documented one");
	}
	life->failed_at = call;
	return LIFE_FAILED;
}

/* Goes on, or leaves the function with a failure that must be `documented`. */
#define TRY(documented, call)                                                                                          \
	do {                                                                                                           \
		doca_error_t try_result = (call);                                                                      \
		if (try_result != DOCA_SUCCESS)                                                                        \
			return failed(life, #call, try_result, documented);                                            \
	} while (0)

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	OK(doca_ctx_get_state(ctx, &state));
	return state;
}

void life_begin(struct life *life, const struct machine *machine, bool is_server, const char *name)
{
	*life = (struct life){.is_server = is_server,
			      .dev = is_server ? machine->dpu : machine->host,
			      .bytes = malloc(2 * LIFE_BYTES)};
	REQUIRE(life->bytes != NULL);
	for (size_t i = 0; i < LIFE_BYTES; i++)
		life->bytes[i] = (uint8_t)(i * 7);
	memset(life->bytes + LIFE_BYTES, 0, LIFE_BYTES);
	doca_error_t result = is_server ? doca_comch_server_create(machine->dpu, machine->rep, name, &life->server)
					: doca_comch_client_create(machine->host, name, &life->client);
	REQUIRE(result == DOCA_SUCCESS || result == DOCA_ERROR_NO_MEMORY);
}

static enum outcome prepare(struct life *life)
{
	if (life->server == NULL && life->client == NULL)
		return LIFE_FAILED;
	if (life->is_server) {
		life->ctx = doca_comch_server_as_ctx(life->server);
		OK(doca_comch_server_task_send_set_conf(life->server, on_message_sent, on_message_sent, 4));
		OK(doca_comch_server_event_msg_recv_register(life->server, on_message));
		OK(doca_comch_server_event_connection_status_changed_register(life->server, on_connect, on_disconnect));
		OK(doca_comch_server_event_consumer_register(life->server, on_consumer, on_consumer_gone));
	} else {
		life->ctx = doca_comch_client_as_ctx(life->client);
		OK(doca_comch_client_task_send_set_conf(life->client, on_message_sent, on_message_sent, 4));
		OK(doca_comch_client_event_msg_recv_register(life->client, on_message));
		OK(doca_comch_client_event_consumer_register(life->client, on_consumer, on_consumer_gone));
	}
	OK(doca_ctx_set_user_data(life->ctx, (union doca_data){.ptr = life}));
	OK(doca_ctx_set_state_changed_cb(life->ctx, on_state));
	TRY(DOCA_ERROR_NO_MEMORY, doca_pe_create(&life->pe));
	TRY(DOCA_ERROR_NO_MEMORY, doca_pe_connect_ctx(life->pe, life->ctx));
	TRY(DOCA_ERROR_NO_MEMORY, doca_mmap_create(&life->map));
	OK(doca_mmap_set_memrange(life->map, life->bytes, 2 * LIFE_BYTES));
	OK(doca_mmap_set_permissions(life->map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TRY(DOCA_ERROR_NO_MEMORY, doca_mmap_add_dev(life->map, life->dev));
	TRY(DOCA_ERROR_NO_MEMORY, doca_mmap_start(life->map));
	TRY(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_create(2, &life->inventory));
	OK(doca_buf_inventory_start(life->inventory));
	OK(doca_buf_inventory_buf_get_by_args(life->inventory, life->map, life->bytes, LIFE_BYTES, life->bytes,
					      LIFE_BYTES, &life->from));
	OK(doca_buf_inventory_buf_get_by_args(life->inventory, life->map, life->bytes + LIFE_BYTES, LIFE_BYTES,
					      life->bytes + LIFE_BYTES, 0, &life->to));
	doca_error_t result = doca_ctx_start(life->ctx);
	if (result != (life->is_server ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS)) {
		/* The code does not say what is missing. */
		REQUIRE(doca_emu_last_error()[0] != '\0');
		return failed(life, "doca_ctx_start", result, DOCA_ERROR_INITIALIZATION);
	}
	return LIFE_GOES_ON;
}

static enum outcome say_hi(struct life *life)
{
	struct doca_comch_task_send *task;
	doca_error_t result =
		life->is_server
			? doca_comch_server_task_send_alloc_init(life->server, life->connection, "hi", 2, &task)
			: doca_comch_client_task_send_alloc_init(life->client, life->connection, "hi", 2, &task);
	if (result != DOCA_SUCCESS)
		return failed(life, "task_send_alloc_init", result, DOCA_ERROR_BAD_STATE);
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		return LIFE_GOES_ON;
	doca_task_free(doca_comch_task_send_as_task(task));
	return failed(life, "submit of a message", result, DOCA_ERROR_NOT_CONNECTED);
}

static enum outcome make_children(struct life *life)
{
	TRY(DOCA_ERROR_NO_MEMORY, doca_comch_producer_create(life->connection, &life->producer));
	struct doca_ctx *producer = doca_comch_producer_as_ctx(life->producer);
	OK(doca_comch_producer_task_send_set_conf(life->producer, on_sent, on_sent, 1));
	OK(doca_ctx_set_user_data(producer, (union doca_data){.ptr = life}));
	TRY(DOCA_ERROR_NO_MEMORY, doca_pe_connect_ctx(life->pe, producer));
	TRY(DOCA_ERROR_INITIALIZATION, doca_ctx_start(producer));
	TRY(DOCA_ERROR_NO_MEMORY, doca_comch_consumer_create(life->connection, life->map, &life->consumer));
	struct doca_ctx *consumer = doca_comch_consumer_as_ctx(life->consumer);
	OK(doca_comch_consumer_task_post_recv_set_conf(life->consumer, on_received, on_received, 1));
	OK(doca_ctx_set_user_data(consumer, (union doca_data){.ptr = life}));
	TRY(DOCA_ERROR_NO_MEMORY, doca_pe_connect_ctx(life->pe, consumer));
	doca_error_t result = doca_ctx_start(consumer);
	return result == DOCA_ERROR_IN_PROGRESS
		       ? LIFE_GOES_ON
		       : failed(life, "start of a consumer", result, DOCA_ERROR_INITIALIZATION);
}

static enum outcome post(struct life *life)
{
	struct doca_comch_consumer_task_post_recv *task;
	TRY(DOCA_ERROR_BAD_STATE, doca_comch_consumer_task_post_recv_alloc_init(life->consumer, life->to, &task));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	return LIFE_GOES_ON;
}

/* Whether the data are under way; a refusal that passes is no failure. */
static enum outcome put(struct life *life, bool *under_way)
{
	struct doca_task *base;
	*under_way = false;
	if (life->send == NULL)
		TRY(DOCA_ERROR_BAD_STATE, doca_comch_producer_task_send_alloc_init(life->producer, life->from, NULL, 0,
										   life->peer_consumer, &life->send));
	base = doca_comch_producer_task_send_as_task(life->send);
	doca_error_t result = doca_task_submit(base);
	if (result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_NO_MEMORY)
		return LIFE_GOES_ON;
	*under_way = result == DOCA_SUCCESS;
	if (result == DOCA_SUCCESS)
		return LIFE_GOES_ON;
	/* The peer has given up. */
	REQUIRE(result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_INVALID_VALUE ||
		result == DOCA_ERROR_BAD_STATE);
	return LIFE_FAILED;
}

static bool stopped(struct doca_ctx *ctx)
{
	if (state_of(ctx) == DOCA_CTX_STATE_IDLE)
		return true;
	if (state_of(ctx) != DOCA_CTX_STATE_STOPPING)
		(void)doca_ctx_stop(ctx);
	return state_of(ctx) == DOCA_CTX_STATE_IDLE;
}

static bool children_stopped(struct life *life)
{
	bool all = true;
	if (life->send != NULL && life->producer != NULL) {
		doca_task_free(doca_comch_producer_task_send_as_task(life->send));
		life->send = NULL;
	}
	if (life->producer != NULL) {
		if (stopped(doca_comch_producer_as_ctx(life->producer))) {
			OK(doca_comch_producer_destroy(life->producer));
			life->producer = NULL;
		} else {
			all = false;
		}
	}
	if (life->consumer != NULL) {
		if (stopped(doca_comch_consumer_as_ctx(life->consumer))) {
			OK(doca_comch_consumer_destroy(life->consumer));
			life->consumer = NULL;
		} else {
			all = false;
		}
	}
	return all;
}

static bool connection_gone(const struct life *life)
{
	return life->connection == NULL || (!life->is_server && state_of(life->ctx) != DOCA_CTX_STATE_RUNNING);
}

static enum outcome next(struct life *life, enum outcome outcome)
{
	if (outcome == LIFE_GOES_ON)
		life->phase++;
	return outcome;
}

static enum outcome next_if(struct life *life, bool done)
{
	if (done)
		life->phase++;
	return LIFE_GOES_ON;
}

/* Arms the engine and clears it again, once in each phase. */
static enum outcome nap(struct life *life)
{
	if (life->pe == NULL || life->slept_in == life->phase)
		return LIFE_GOES_ON;
	life->slept_in = life->phase;
	TRY(DOCA_ERROR_OPERATING_SYSTEM, doca_pe_request_notification(life->pe));
	TRY(DOCA_ERROR_OPERATING_SYSTEM, doca_pe_clear_notification(life->pe, 0));
	return LIFE_GOES_ON;
}

enum outcome life_step(struct life *life)
{
	if (nap(life) != LIFE_GOES_ON)
		return LIFE_FAILED;
	bool done;
	enum outcome outcome;
	if (life->phase > CONNECT && life->phase < PART && connection_gone(life))
		return LIFE_FAILED;
	switch (life->phase) {
	case PREPARE:
		return next(life, prepare(life));
	case CONNECT:
		(void)doca_pe_progress(life->pe);
		if (!life->is_server && state_of(life->ctx) == DOCA_CTX_STATE_IDLE)
			return LIFE_FAILED;
		return next_if(life, life->connection != NULL);
	case GREET:
	case LEAVE:
		return next(life, say_hi(life));
	case MAKE:
		return next(life, make_children(life));
	case POST:
		return next(life, post(life));
	case PUT:
		outcome = put(life, &done);
		(void)doca_pe_progress(life->pe);
		return outcome == LIFE_GOES_ON ? next_if(life, done) : outcome;
	default:
		break;
	}
	(void)doca_pe_progress(life->pe);
	switch (life->phase) {
	case HEAR:
		return next_if(life, life->messages > 0);
	case WAIT_RUNNING:
		return next_if(life, life->peer_consumer != 0 && state_of(doca_comch_consumer_as_ctx(life->consumer)) ==
									 DOCA_CTX_STATE_RUNNING);
	case WAIT_DATA:
		return next_if(life, life->sent && life->received);
	case WAIT_LEAVE:
		return next_if(life, life->messages > 1);
	case STOP_CHILDREN:
		return next_if(life, children_stopped(life));
	default:
		/* The client goes first. */
		return (life->is_server ? life->disconnected : stopped(life->ctx)) ? LIFE_COMPLETE : LIFE_GOES_ON;
	}
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void life_end(struct life *life, struct life *peer)
{
	int64_t deadline = now_ms() + 20000;
	bool idle = false;
	while (!idle) {
		REQUIRE(now_ms() < deadline);
		idle = children_stopped(life) && (life->ctx == NULL || stopped(life->ctx));
		if (!idle && life->pe != NULL)
			(void)doca_pe_progress(life->pe);
		if (!idle && peer != NULL && peer->pe != NULL)
			(void)doca_pe_progress(peer->pe);
	}
	if (life->server != NULL)
		OK(doca_comch_server_destroy(life->server));
	if (life->client != NULL)
		OK(doca_comch_client_destroy(life->client));
	if (life->pe != NULL)
		OK(doca_pe_destroy(life->pe));
	if (life->from != NULL)
		OK(doca_buf_dec_refcount(life->from, NULL));
	if (life->to != NULL)
		OK(doca_buf_dec_refcount(life->to, NULL));
	if (life->map != NULL)
		OK(doca_mmap_destroy(life->map));
	if (life->inventory != NULL)
		OK(doca_buf_inventory_destroy(life->inventory));
	free(life->bytes);
	*life = (struct life){.is_server = life->is_server};
}
