/* messages.c, on a DOCA that records what it is told and does what the test says. */
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "entries.h"
#include "layout.h"
#include "messages.h"

struct doca_comch_server {
	int allocations;
};

struct doca_comch_client {
	int allocations;
};

struct doca_comch_connection {
	union doca_data user_data;
};

struct doca_task {
	union doca_data user_data;
	const void *msg;
	size_t len;
	const struct doca_comch_connection *peer;
	int submits;
	int frees;
};

static struct doca_comch_server server;
static struct doca_comch_client client;
static struct doca_comch_connection connection;
static struct doca_task the_task;
static struct messages_endpoint of_server, of_client;
static struct messages_connection of_connection;
static doca_error_t allocation, submission;

/* What has been reported to Java. */
static int told;
static union doca_data told_data;
static uint64_t told_number;
static const void *told_pointer;

static doca_error_t alloc(struct doca_comch_connection *peer, const void *msg, size_t len,
			  struct doca_comch_task_send **task)
{
	if (allocation != DOCA_SUCCESS)
		return allocation;
	the_task = (struct doca_task){.peer = peer, .msg = msg, .len = len};
	*task = (struct doca_comch_task_send *)&the_task;
	return DOCA_SUCCESS;
}

static doca_error_t server_alloc(struct doca_comch_server *of, struct doca_comch_connection *peer, const void *msg,
				 uint32_t len, struct doca_comch_task_send **task)
{
	of->allocations++;
	return alloc(peer, msg, len, task);
}

static doca_error_t client_alloc(struct doca_comch_client *of, struct doca_comch_connection *peer, const void *msg,
				 uint32_t len, struct doca_comch_task_send **task)
{
	of->allocations++;
	return alloc(peer, msg, len, task);
}

static doca_error_t server_alloc_wide(struct doca_comch_server *of, struct doca_comch_connection *peer, const void *msg,
				      size_t len, struct doca_comch_task_send **task)
{
	of->allocations += 10;
	return alloc(peer, msg, len, task);
}

static doca_error_t client_alloc_wide(struct doca_comch_client *of, struct doca_comch_connection *peer, const void *msg,
				      size_t len, struct doca_comch_task_send **task)
{
	of->allocations += 10;
	return alloc(peer, msg, len, task);
}

static struct doca_task *as_task(struct doca_comch_task_send *task)
{
	return (struct doca_task *)task;
}

static void set_user_data(struct doca_task *task, union doca_data user_data)
{
	task->user_data = user_data;
}

static doca_error_t submit(struct doca_task *task)
{
	task->submits++;
	return submission;
}

static void free_task(struct doca_task *task)
{
	task->frees++;
}

static union doca_data connection_data(const struct doca_comch_connection *of)
{
	return of->user_data;
}

static void state_changed(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states before,
			  enum doca_ctx_states after)
{
	told++;
	told_data = user_data;
	told_pointer = ctx;
	told_number = (uint32_t)before * 10 + (uint32_t)after;
}

static void not_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	told++;
	told_data = ctx_data;
	told_pointer = task;
	told_number = (uint32_t)task_data.u64;
}

static void received(uint8_t *bytes, uint64_t len, struct doca_comch_connection *from, union doca_data data)
{
	assert_ptr_equal(&connection, from);
	told++;
	told_data = data;
	told_pointer = bytes;
	told_number = len;
}

static struct messages_functions complete = {
	.server_alloc = server_alloc,
	.client_alloc = client_alloc,
	.as_task = as_task,
	.set_user_data = set_user_data,
	.submit = submit,
	.free_task = free_task,
	.connection_data = connection_data,
	.state_changed = state_changed,
	.not_sent = not_sent,
	.received = received,
};

/* What Java finds in doca_cc. */
static struct messages_functions wide(void)
{
	struct messages_functions functions = complete;
	functions.server_alloc = NULL;
	functions.client_alloc = NULL;
	functions.server_alloc_wide = server_alloc_wide;
	functions.client_alloc_wide = client_alloc_wide;
	return functions;
}

static int set_up(void **state)
{
	(void)state;
	complete.layout = comch4j_batch_layout();
	assert_int_equal(1, comch4j_messages_init(&complete));
	server.allocations = client.allocations = 0;
	of_server = (struct messages_endpoint){.server = &server, .user_data.u64 = 71};
	of_client = (struct messages_endpoint){.client = &client, .user_data.u64 = 72};
	of_connection = (struct messages_connection){.user_data.u64 = 9};
	the_task = (struct doca_task){0};
	connection.user_data.u64 = 5;
	allocation = submission = DOCA_SUCCESS;
	told = 0;
	return 0;
}

/* Whether a table lacks what it needs as soon as one of its functions is missing. */
static void assert_wants_all_of(struct messages_functions given)
{
	assert_int_equal(1, comch4j_messages_init(&given));
	for (size_t at = offsetof(struct messages_functions, server_alloc); at < sizeof(given); at += sizeof(void *)) {
		struct messages_functions functions = given;
		void (*function)(void);
		memcpy(&function, (char *)&functions + at, sizeof(function));
		if (function == NULL)
			continue;
		memset((char *)&functions + at, 0, sizeof(function));
		assert_int_equal(0, comch4j_messages_init(&functions));
	}
}

static void init_wants_its_layout_and_every_function(void **state)
{
	(void)state;
	struct messages_functions functions = complete;
	functions.layout--;
	assert_int_equal(0, comch4j_messages_init(&functions));
	assert_wants_all_of(complete);
	assert_wants_all_of(wide());
	functions = complete;
	functions.client_alloc = NULL;
	functions.client_alloc_wide = client_alloc_wide; /* one of each kind */
	assert_int_equal(0, comch4j_messages_init(&functions));
}

static void a_message_is_sent_by_its_endpoint(void **state)
{
	(void)state;
	static const char bytes[] = "bytes";
	assert_int_equal(DOCA_SUCCESS, comch4j_messages_send(&of_server, &connection, bytes, 3, &of_connection));
	assert_int_equal(1, server.allocations);
	assert_int_equal(0, client.allocations);
	assert_ptr_equal(&connection, the_task.peer);
	assert_ptr_equal(bytes, the_task.msg);
	assert_int_equal(3, the_task.len);
	assert_ptr_equal(&of_connection, the_task.user_data.ptr);
	assert_int_equal(1, the_task.submits);
	assert_int_equal(0, the_task.frees);
	assert_int_equal(DOCA_SUCCESS, comch4j_messages_send(&of_client, &connection, bytes, 3, &of_connection));
	assert_int_equal(1, server.allocations);
	assert_int_equal(1, client.allocations);
}

static void a_message_is_sent_with_a_wide_length(void **state)
{
	(void)state;
	struct messages_functions functions = wide();
	assert_int_equal(1, comch4j_messages_init(&functions));
	static const char bytes[] = "bytes";
	assert_int_equal(DOCA_SUCCESS,
			 comch4j_messages_send_wide(&of_server, &connection, bytes, UINT32_MAX, &of_connection));
	assert_int_equal(10, server.allocations);
	assert_int_equal(UINT32_MAX, the_task.len); /* and nothing in the upper half */
	assert_ptr_equal(&of_connection, the_task.user_data.ptr);
	assert_int_equal(1, the_task.submits);
	submission = DOCA_ERROR_AGAIN;
	assert_int_equal(DOCA_ERROR_AGAIN | MESSAGES_SUBMIT,
			 comch4j_messages_send_wide(&of_client, &connection, bytes, 3, &of_connection));
	assert_int_equal(10, client.allocations);
	assert_int_equal(1, the_task.frees);
	allocation = DOCA_ERROR_NO_MEMORY;
	assert_int_equal(DOCA_ERROR_NO_MEMORY,
			 comch4j_messages_send_wide(&of_client, &connection, bytes, 3, &of_connection));
}

static void what_is_refused_says_where_and_leaves_no_task(void **state)
{
	(void)state;
	allocation = DOCA_ERROR_NO_MEMORY;
	assert_int_equal(DOCA_ERROR_NO_MEMORY, comch4j_messages_send(&of_client, &connection, "", 1, &of_connection));
	assert_int_equal(0, the_task.submits + the_task.frees);
	allocation = DOCA_SUCCESS;
	submission = DOCA_ERROR_AGAIN;
	assert_int_equal(DOCA_ERROR_AGAIN | MESSAGES_SUBMIT,
			 comch4j_messages_send(&of_client, &connection, "", 1, &of_connection));
	assert_int_equal(1, the_task.submits);
	assert_int_equal(1, the_task.frees);
	assert_int_equal(0, of_client.ended); /* it never began */
}

static void what_went_out_is_freed_and_counted(void **state)
{
	(void)state;
	for (int i = 1; i <= 3; i++) {
		comch4j_messages_sent((void *)&the_task, (union doca_data){.ptr = &of_connection},
				      (union doca_data){.ptr = &of_server});
		assert_int_equal(i, the_task.frees);
		assert_int_equal(i, of_connection.ended);
		assert_int_equal(i, of_server.ended);
	}
	assert_int_equal(0, told);
}

static void what_did_not_go_out_is_counted_and_told_with_the_task(void **state)
{
	(void)state;
	comch4j_messages_not_sent((void *)&the_task, (union doca_data){.ptr = &of_connection},
				  (union doca_data){.ptr = &of_server});
	assert_int_equal(0, the_task.frees); /* Java asks for its status first */
	assert_int_equal(1, of_server.ended);
	assert_int_equal(1, of_connection.ended);
	assert_int_equal(1, told);
	assert_ptr_equal(&the_task, told_pointer);
	assert_int_equal(9, told_number);
	assert_int_equal(71, told_data.u64);
}

static void a_number_beside_the_address_is_left_out(void **state)
{
	(void)state;
	union doca_data numbered = {.ptr = &of_connection};
	numbered.u64 |= UINT64_MAX << MESSAGES_NUMBER;
	comch4j_messages_sent((void *)&the_task, numbered, (union doca_data){.ptr = &of_server});
	comch4j_messages_not_sent((void *)&the_task, numbered, (union doca_data){.ptr = &of_server});
	assert_int_equal(2, of_connection.ended);
	assert_int_equal(9, told_number);
}

static void what_arrives_is_told_with_its_connection(void **state)
{
	(void)state;
	uint8_t bytes[4];
	comch4j_messages_received(NULL, bytes, 4, &connection);
	assert_int_equal(1, told);
	assert_ptr_equal(bytes, told_pointer);
	assert_int_equal(4, told_number);
	assert_int_equal(5, told_data.u64);
	comch4j_messages_received_wide(NULL, bytes, (size_t)1 << 32, &connection);
	assert_int_equal(2, told);
	assert_int_equal(UINT64_C(1) << 32, told_number); /* whole: Java refuses it */
	assert_int_equal(5, told_data.u64);
}

/* ---- with an engine that progresses ---- */

#define PLACES 64u

static struct batch_entry ring[PLACES];
static uint8_t inbox[BATCH_MESSAGES * BATCH_MESSAGE_LEN];
static uint8_t long_inbox[BATCH_LONG_MESSAGES * BATCH_LONG_LEN];
static struct batch_engine engine = {.ring = ring, .ring_mask = PLACES - 1};
static const uint8_t *arriving;
static size_t arriving_len;
static int arrivals;

/* A message in each round. */
static uint8_t progress(struct doca_pe *pe)
{
	(void)pe;
	if (arrivals == 0)
		return 0;
	arrivals--;
	comch4j_messages_received_wide(NULL, (uint8_t *)(uintptr_t)arriving, arriving_len, &connection);
	return 1;
}

static doca_error_t no_submit(struct doca_task *task)
{
	(void)task;
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t no_status(const struct doca_task *task)
{
	(void)task;
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t no_data(struct doca_buf *buf, void *data, size_t len)
{
	(void)buf, (void)data, (void)len;
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t no_reset(struct doca_buf *buf)
{
	(void)buf;
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t no_len(const struct doca_buf *buf, size_t *len)
{
	(void)buf, (void)len;
	return DOCA_ERROR_BAD_STATE;
}

static void no_send_buf(struct doca_comch_producer_task_send *task, const struct doca_buf *buf)
{
	(void)task, (void)buf;
}

static void no_consumer(struct doca_comch_producer_task_send *task, uint32_t consumer)
{
	(void)task, (void)consumer;
}

static void no_receive_buf(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
	(void)task, (void)buf;
}

/* Progresses until nothing arrives. */
static uint32_t arrive(int messages, size_t len)
{
	static const uint8_t bytes[BATCH_LONG_LEN + 1] = "bytes";
	const struct batch_functions functions = {
		.layout = comch4j_batch_layout(),
		.progress = progress,
		.submit = no_submit,
		.status = no_status,
		.set_data = no_data,
		.reset_data_len = no_reset,
		.get_data_len = no_len,
		.send_set_buf = no_send_buf,
		.send_set_consumer = no_consumer,
		.receive_set_buf = no_receive_buf,
	};
	assert_int_equal(1, comch4j_batch_init(&functions));
	engine.tail = 0;
	engine.messages = engine.long_messages = 0;
	memset(ring, 0, sizeof(ring));
	memset(inbox, 0, sizeof(inbox));
	memset(long_inbox, 0, sizeof(long_inbox));
	arriving = bytes;
	arriving_len = len;
	arrivals = messages;
	return comch4j_batch_progress(&engine, (uint32_t)messages + 1, 0);
}

static void what_is_short_becomes_an_entry(void **state)
{
	(void)state;
	engine.inbox = inbox;
	assert_int_equal(2, arrive(2, BATCH_MESSAGE_LEN));
	assert_int_equal(0, told);
	assert_int_equal(0, engine.others);
	assert_int_equal(2, engine.tail);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(BATCH_MESSAGE, entry_slot(&ring[i]));
		assert_int_equal(5, ring[i].data_len);
		assert_int_equal(BATCH_MESSAGE_LEN, entry_len(&ring[i]));
		assert_int_equal((uintptr_t)inbox + i * (uintptr_t)BATCH_MESSAGE_LEN, ring[i].imm);
		assert_memory_equal("bytes", inbox + (size_t)i * BATCH_MESSAGE_LEN, 6);
	}
}

static void what_is_long_or_too_much_is_told(void **state)
{
	(void)state;
	engine.inbox = inbox;
	engine.long_inbox = NULL;
	assert_int_equal(1, arrive(1, BATCH_MESSAGE_LEN + 1));
	assert_int_equal(1, told);
	assert_int_equal(BATCH_MESSAGE_LEN + 1, told_number);
	assert_int_equal(0, engine.tail);
	assert_int_equal(1, engine.others);
	assert_int_equal(BATCH_MESSAGES + 3, arrive(BATCH_MESSAGES + 3, 0));
	assert_int_equal(1 + 3, told);
	assert_int_equal(BATCH_MESSAGES, engine.tail);
	connection.user_data.u64 = 0; /* Java does not know it yet */
	arrive(1, 1);
	assert_int_equal(1 + 3 + 1, told);
}

static void what_is_long_becomes_an_entry_where_it_has_an_inbox(void **state)
{
	(void)state;
	engine.inbox = inbox;
	engine.long_inbox = long_inbox;
	assert_int_equal(BATCH_LONG_MESSAGES + 3, arrive(BATCH_LONG_MESSAGES + 3, BATCH_LONG_LEN));
	assert_int_equal(3, told);
	assert_int_equal(3, engine.others);
	assert_int_equal(BATCH_LONG_MESSAGES, engine.tail);
	for (uint32_t i = 0; i < BATCH_LONG_MESSAGES; i++) {
		assert_int_equal(BATCH_MESSAGE, entry_slot(&ring[i]));
		assert_int_equal(BATCH_LONG_LEN, entry_len(&ring[i]));
		assert_int_equal((uintptr_t)long_inbox + i * (uintptr_t)BATCH_LONG_LEN, ring[i].imm);
		assert_memory_equal("bytes", long_inbox + (size_t)i * BATCH_LONG_LEN, 6);
	}
	assert_int_equal(1, arrive(1, BATCH_MESSAGE_LEN + 1));
	assert_int_equal((uintptr_t)long_inbox, ring[0].imm);
	assert_int_equal(1, arrive(1, BATCH_MESSAGE_LEN));
	assert_int_equal((uintptr_t)inbox, ring[0].imm);
	assert_int_equal(3, told);
	assert_int_equal(1, arrive(1, BATCH_LONG_LEN + 1));
	assert_int_equal(3 + 1, told);
}

static void a_message_is_not_one_of_the_consumer_that_is_polled(void **state)
{
	(void)state;
	struct batch_context consumer = {.engine = &engine};
	engine.inbox = inbox;
	assert_int_equal(1, arrive(1, 1));
	engine.tail = 0;
	arrivals = 1;
	assert_int_equal(1, comch4j_batch_poll(&consumer, 5, 0));
	assert_int_equal(1, engine.tail);
	assert_int_equal(BATCH_MESSAGE, entry_slot(&ring[0]));
}

static void without_an_inbox_or_a_progress_all_is_told(void **state)
{
	(void)state;
	engine.inbox = NULL;
	assert_int_equal(1, arrive(1, 1));
	assert_int_equal(1, told);
	engine.inbox = inbox;
	assert_int_equal(1, arrive(1, 1));
	assert_int_equal(1, told);
	uint8_t byte = 0;
	comch4j_messages_received(NULL, &byte, 1, &connection);
	assert_int_equal(2, told);
}

static void changes_of_state_are_told_with_the_other_sides_data(void **state)
{
	(void)state;
	comch4j_messages_state((union doca_data){.ptr = &of_client}, (struct doca_ctx *)&client,
			       DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING);
	assert_int_equal(1, told);
	assert_ptr_equal(&client, told_pointer);
	assert_int_equal(DOCA_CTX_STATE_STARTING * 10 + DOCA_CTX_STATE_RUNNING, told_number);
	assert_int_equal(72, told_data.u64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(init_wants_its_layout_and_every_function, set_up),
		cmocka_unit_test_setup(a_message_is_sent_by_its_endpoint, set_up),
		cmocka_unit_test_setup(a_message_is_sent_with_a_wide_length, set_up),
		cmocka_unit_test_setup(what_is_refused_says_where_and_leaves_no_task, set_up),
		cmocka_unit_test_setup(what_went_out_is_freed_and_counted, set_up),
		cmocka_unit_test_setup(what_did_not_go_out_is_counted_and_told_with_the_task, set_up),
		cmocka_unit_test_setup(a_number_beside_the_address_is_left_out, set_up),
		cmocka_unit_test_setup(what_arrives_is_told_with_its_connection, set_up),
		cmocka_unit_test_setup(what_is_short_becomes_an_entry, set_up),
		cmocka_unit_test_setup(what_is_long_or_too_much_is_told, set_up),
		cmocka_unit_test_setup(what_is_long_becomes_an_entry_where_it_has_an_inbox, set_up),
		cmocka_unit_test_setup(a_message_is_not_one_of_the_consumer_that_is_polled, set_up),
		cmocka_unit_test_setup(without_an_inbox_or_a_progress_all_is_told, set_up),
		cmocka_unit_test_setup(changes_of_state_are_told_with_the_other_sides_data, set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
