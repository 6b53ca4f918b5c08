/* Sleeping on an engine's descriptor instead of polling: as an extra of the emulator, Comch contexts wake it up. */
#include <poll.h>
#include <string.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING

/* Sleeps until one of the engines has something to do, then progresses both until they have nothing. */
static void sleep_and_work(struct doca_pe *first, struct doca_pe *second)
{
	OK(doca_pe_request_notification(first));
	OK(doca_pe_request_notification(second));
	struct pollfd handles[2] = {{.fd = handle_of(first), .events = POLLIN},
				    {.fd = handle_of(second), .events = POLLIN}};
	CHECK(poll(handles, 2, 30000) > 0);
	OK(doca_pe_clear_notification(first, 0));
	OK(doca_pe_clear_notification(second, 0));
	CHECK(poll(handles, 2, 0) == 0);
	while (drive(first))
		;
	while (drive(second))
		;
}

#define BOTH_SLEEP_UNTIL(condition, first, second)                                                                     \
	do {                                                                                                           \
		int64_t deadline = harness_deadline();                                                                 \
		while (!(condition)) {                                                                                 \
			harness_in_time(deadline, __FILE__, __LINE__, #condition);                                     \
			sleep_and_work(first, second);                                                                 \
		}                                                                                                      \
	} while (0)

static void a_sleeping_program_gets_everything_done(void **state)
{
	(void)state;
	harness_sleep_for_ever();
	struct pair pair;
	pair_make(&pair, TWO_ENGINES);
	struct doca_pe *s = pair.server.pe, *c = pair.client.pe;
	OK(doca_ctx_start(pair.server.ctx));
	(void)doca_ctx_start(pair.client.ctx);
	BOTH_SLEEP_UNTIL(pair.client.connection != NULL && pair.server.connection != NULL, s, c);
	send_text(&pair.client, pair.client.connection, "there");
	BOTH_SLEEP_UNTIL(count_of(&pair.server.record, MESSAGE) == 1 && count_of(&pair.client.record, SENT) == 1, s, c);
	send_text(&pair.server, pair.server.connection, "and back");
	BOTH_SLEEP_UNTIL(count_of(&pair.client.record, MESSAGE) == 1 && count_of(&pair.server.record, SENT) == 1, s, c);

	struct memory in, out;
	memory_open(&in, 4096, 2, pair.devices.dpu, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_open(&out, 4096, 2, pair.devices.host, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct consumer consumer;
	struct producer producer;
	consumer_make(&consumer, pair.server.connection, in.mmap, 4, s);
	producer_make(&producer, pair.client.connection, 4, c);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer.ctx));
	producer_start(&producer);
	BOTH_SLEEP_UNTIL(state_of(consumer.ctx) == RUNNING && count_of(&pair.client.record, CONSUMER_NEW) == 1, s, c);
	struct doca_buf *to = memory_buf(&in, 0, 100, 0), *from = memory_buf(&out, 0, 100, 100);
	post(&consumer, to);
	put(&producer, consumer.id, from);
	BOTH_SLEEP_UNTIL(count_of(&consumer.record, RECEIVED) == 1 && count_of(&producer.record, SENT) == 1, s, c);
	free_received(&consumer.record);
	free_sent(&producer.record);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer.ctx));
	BOTH_SLEEP_UNTIL(state_of(consumer.ctx) == IDLE && count_of(&pair.client.record, CONSUMER_EXPIRED) == 1, s, c);
	producer_stop(&producer);
	consumer_destroy(&consumer);
	producer_destroy(&producer);
	buf_release(to);
	buf_release(from);
	(void)doca_ctx_stop(pair.client.ctx);
	BOTH_SLEEP_UNTIL(state_of(pair.client.ctx) == IDLE && count_of(&pair.server.record, DISCONNECTED) == 1, s, c);
	memory_close(&in);
	memory_close(&out);
	pair_stop(&pair);
}

static void only_an_armed_engine_signals(void **state)
{
	(void)state;
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	send_text(&pair.client, pair.client.connection, "wake up");
	struct pollfd handle = {.fd = handle_of(pair.server.pe), .events = POLLIN};
	assert_int_equal(handle_of(pair.server.pe), handle.fd);
	assert_int_equal(poll(&handle, 1, 20), 0);
	/* Something is pending when it is armed; readable until it is cleared. */
	OK(doca_pe_request_notification(pair.server.pe));
	assert_int_equal(poll(&handle, 1, 30000), 1);
	assert_int_equal(poll(&handle, 1, 0), 1);
	OK(doca_pe_clear_notification(pair.server.pe, handle.fd));
	assert_int_equal(poll(&handle, 1, 20), 0);
	UNTIL(count_of(&pair.server.record, MESSAGE) == 1, pair.server.pe);
	pair_close(&pair);
}

/* Nobody would wake it for what it has itself to report. */
static void nobody_sleeps_while_a_completion_is_due(void **state)
{
	(void)state;
	harness_sleep_for_ever();
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end *senders[] = {&pair.server, &pair.client};
	for (int i = 0; i < 2; i++) {
		struct end *sender = senders[i];
		settle(pair.server.pe, pair.client.pe);
		assert_false(is_kept_awake(sender->pe));
		OK(doca_pe_clear_notification(sender->pe, 0));
		send_text(sender, sender->connection, "sent");
		assert_true(is_kept_awake(sender->pe));
		OK(doca_pe_clear_notification(sender->pe, 0));
		UNTIL(count_of(&sender->record, SENT) == 1, pair.server.pe, pair.client.pe);
	}
	pair_close(&pair);
}

/* The receiver sends nothing that would wake the sender for another reason. */
static void room_alone_wakes_a_sender_that_waits_for_it(void **state)
{
	(void)state;
	harness_sleep_for_ever();
	struct pair pair;
	pair_open(&pair, TWO_ENGINES);
	struct end *ends[] = {&pair.server, &pair.client};
	for (int i = 0; i < 2; i++) {
		struct end *sender = ends[i], *receiver = ends[1 - i];
		struct doca_comch_task_send *task;
		settle(pair.server.pe, pair.client.pe);
		record_clear(&receiver->record);
		/* Until all of its tasks wait. */
		do {
			while (alloc_send(sender, sender->connection, "room?", 5, &task) == DOCA_SUCCESS)
				OK(doca_task_submit(doca_comch_task_send_as_task(task)));
		} while (drive(sender->pe));
		assert_false(is_kept_awake(sender->pe));
		UNTIL(count_of(&receiver->record, MESSAGE) == 1, receiver->pe);
		struct pollfd handle = {.fd = handle_of(sender->pe), .events = POLLIN};
		assert_int_equal(poll(&handle, 1, 0), 1);
		OK(doca_pe_clear_notification(sender->pe, 0));
		UNTIL(inflight(sender->ctx) == 0, sender->pe, receiver->pe);
	}
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleeping_program_gets_everything_done),
		cmocka_unit_test(only_an_armed_engine_signals),
		cmocka_unit_test(nobody_sleeps_while_a_completion_is_due),
		cmocka_unit_test(room_alone_wakes_a_sender_that_waits_for_it),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
