/* More than one of each, ends on the CPU only, and credits that are not given back. */
#include <pthread.h>

#include "msgq_fixture.h"

enum { PRODUCERS = 4, CONSUMERS = 8, EACH = 2000 };

struct many {
	struct dpa base;
	struct doca_comch_msgq *queue;
	struct doca_dpa_thread *thread;
	struct doca_comch_consumer_completion *completion;
	struct doca_comch_consumer *consumers[CONSUMERS];
	struct ends *ends;
};

struct sender {
	struct many *many;
	struct doca_pe *pe;
	struct doca_comch_producer *producer;
	pthread_t thread;
	struct link counts;
};

static void many_open(struct many *many, uint32_t credits)
{
	dpa_open(&many->base);
	struct doca_dpa *dpa = many->base.dpa;
	many->queue = msgq_make(many->base.dev, dpa, NULL, CONSUMERS, PRODUCERS);
	many->ends = dpa_zeros(dpa, sizeof(*many->ends));
	many->thread = thread_make(dpa, collect, many->ends);
	many->completion = completion_make(many->thread, CONSUMERS, 4, 16);
	OK(doca_comch_consumer_completion_get_dpa_handle(many->completion, &many->ends->completion));
	for (uint32_t i = 0; i < CONSUMERS; i++) {
		many->consumers[i] = dpa_consumer_make(many->queue, dpa, many->completion, credits, 16);
		OK(doca_comch_consumer_get_dpa_handle(many->consumers[i], &many->ends->consumers[i]));
		OK(doca_dpa_rpc(dpa, post_receives, NULL, many->ends->consumers[i], credits));
	}
}

static void many_close(struct many *many)
{
	for (uint32_t i = 0; i < CONSUMERS; i++) {
		OK(doca_ctx_stop(consumer_ctx(many->consumers[i])));
		OK(doca_comch_consumer_destroy(many->consumers[i]));
	}
	OK(doca_comch_consumer_completion_destroy(many->completion));
	thread_end(many->thread);
	OK(doca_comch_msgq_stop(many->queue));
	OK(doca_comch_msgq_destroy(many->queue));
	dpa_release(many->base.dpa, many->ends);
	dpa_close(&many->base);
}

static void *send_all(void *argument)
{
	struct sender *sender = argument;
	struct doca_comch_producer_task_send *task;
	int64_t deadline = harness_deadline();
	for (uint32_t i = 0; i < EACH;) {
		uint8_t imm[16] = {(uint8_t)(i % CONSUMERS)};
		doca_error_t result = doca_comch_producer_task_send_alloc_init(sender->producer, NULL, imm, sizeof(imm),
									       i % CONSUMERS + 1, &task);
		if (result == DOCA_SUCCESS) {
			result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
			if (result == DOCA_SUCCESS) {
				i++;
				continue;
			}
			CHECK(result == DOCA_ERROR_AGAIN);
			doca_task_free(doca_comch_producer_task_send_as_task(task));
			sched_yield();
		}
		(void)drive(sender->pe);
		harness_in_time(deadline, __FILE__, __LINE__, "room");
	}
	UNTIL(sender->counts.num_sent == EACH, sender->pe);
	return NULL;
}

static void several_threads_send_to_several_consumers(void **state)
{
	(void)state;
	struct many many;
	struct sender senders[PRODUCERS];
	many_open(&many, 4);
	OK(doca_dpa_thread_run(many.thread));
	memset(senders, 0, sizeof(senders));
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		senders[i].many = &many;
		OK(doca_pe_create(&senders[i].pe));
		senders[i].producer = cpu_producer_make(many.queue, senders[i].pe, 8, &senders[i].counts);
	}
	for (uint32_t i = 0; i < PRODUCERS; i++)
		CHECK(pthread_create(&senders[i].thread, NULL, send_all, &senders[i]) == 0);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		CHECK(pthread_join(senders[i].thread, NULL) == 0);
	AWAIT(__atomic_load_n(&many.ends->received, __ATOMIC_SEQ_CST) == (uint64_t)PRODUCERS * EACH);
	HEALTHY(many.base.dpa);
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		assert_int_equal(many.ends->from[i + 1], EACH);
		ctx_stop(producer_ctx(senders[i].producer), senders[i].pe);
		OK(doca_comch_producer_destroy(senders[i].producer));
		OK(doca_pe_destroy(senders[i].pe));
	}
	many_close(&many);
}

/* ---- both ends on the CPU ---- */

struct local {
	struct devices devices;
	struct doca_comch_msgq *queue;
	struct doca_pe *pe;
	struct link counts;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
};

static uint64_t last_number;

static void keep_number(struct link *link, struct doca_comch_consumer_task_post_recv *task)
{
	(void)link;
	memcpy(&last_number, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(last_number));
}

static void local_open(struct local *local, uint32_t num)
{
	memset(local, 0, sizeof(*local));
	devices_open(&local->devices);
	OK(doca_pe_create(&local->pe));
	local->queue = msgq_make(local->devices.host, NULL, NULL, 1, 1);
	local->counts.on_receive = keep_number;
	local->consumer = cpu_consumer_make(local->queue, local->pe, num, 96, &local->counts);
	local->producer = cpu_producer_make(local->queue, local->pe, num, &local->counts);
}

static doca_error_t local_send(struct local *local, uint64_t number)
{
	struct link link = {.producer = local->producer};
	return link_send(&link, &number, sizeof(number));
}

static struct doca_task *local_post(struct local *local)
{
	struct doca_comch_consumer_task_post_recv *task;
	OK(doca_comch_consumer_task_post_recv_alloc_init(local->consumer, NULL, &task));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	return doca_comch_consumer_task_post_recv_as_task(task);
}

static void local_close(struct local *local)
{
	ctx_stop(consumer_ctx(local->consumer), local->pe);
	ctx_stop(producer_ctx(local->producer), local->pe);
	OK(doca_comch_consumer_destroy(local->consumer));
	OK(doca_comch_producer_destroy(local->producer));
	OK(doca_comch_msgq_stop(local->queue));
	OK(doca_comch_msgq_destroy(local->queue));
	OK(doca_pe_destroy(local->pe));
	devices_close(&local->devices);
}

static void a_queue_can_be_on_the_cpu_only(void **state)
{
	(void)state;
	struct local local;
	local_open(&local, 4);
	GIVES(DOCA_ERROR_AGAIN, local_send(&local, 1));
	for (uint64_t i = 1; i <= 100; i++) {
		(void)local_post(&local);
		OK(local_send(&local, i));
		UNTIL(local.counts.num_received == i, local.pe);
		assert_int_equal(last_number, i);
	}
	UNTIL(local.counts.num_sent == 100, local.pe);
	local_close(&local);
}

static void what_was_taken_back_receives_nothing(void **state)
{
	(void)state;
	struct local local;
	local_open(&local, 4);
	struct doca_task *tasks[4];
	for (int i = 0; i < 4; i++)
		tasks[i] = local_post(&local);
	doca_task_free(tasks[0]);
	doca_task_free(tasks[2]);
	OK(local_send(&local, 1));
	OK(local_send(&local, 2));
	UNTIL(local.counts.num_sent == 2, local.pe);
	UNTIL(local.counts.num_received == 2, local.pe);
	assert_int_equal(last_number, 2);
	GIVES(DOCA_ERROR_AGAIN, local_send(&local, 3));
	/* All four places are free again. */
	for (int i = 0; i < 4; i++)
		tasks[i] = local_post(&local);
	for (int i = 0; i < 4; i++)
		doca_task_free(tasks[i]);
	GIVES(DOCA_ERROR_AGAIN, local_send(&local, 4));
	settle(local.pe, NULL);
	(void)local_post(&local);
	OK(local_send(&local, 5));
	UNTIL(local.counts.num_received == 3, local.pe);
	assert_int_equal(last_number, 5);
	UNTIL(local.counts.num_sent == 3, local.pe);
	tasks[0] = local_post(&local);
	doca_task_free(tasks[0]);
	local_close(&local); /* a stop with a task that was taken back */
	assert_int_equal(local.counts.num_failed, 0);
}

static void what_has_arrived_is_received_in_spite_of_a_stop(void **state)
{
	(void)state;
	struct local local;
	local_open(&local, 4);
	for (int i = 0; i < 4; i++)
		(void)local_post(&local);
	OK(local_send(&local, 1));
	OK(local_send(&local, 2));
	ctx_stop(consumer_ctx(local.consumer), local.pe);
	assert_int_equal(local.counts.num_received, 2);
	assert_int_equal(local.counts.num_failed, 2);
	GIVES(DOCA_ERROR_INVALID_VALUE, local_send(&local, 3));
	UNTIL(local.counts.num_sent == 2, local.pe);
	OK(doca_ctx_start(consumer_ctx(local.consumer)));
	local_close(&local);
}

/* ---- sleeping ---- */

static void a_message_from_the_dpa_wakes_an_engine(void **state)
{
	(void)state;
	struct link link;
	uint8_t imm[8] = {0};
	harness_sleep_for_ever();
	link_open(&link, echo, 4, 8);
	OK(doca_dpa_thread_run(link.thread));
	for (uint64_t i = 1; i <= 500; i++) {
		int64_t deadline = harness_deadline();
		while (link_send(&link, imm, 8) != DOCA_SUCCESS) {
			(void)drive(link.pe);
			harness_in_time(deadline, __FILE__, __LINE__, "a credit");
		}
		link_post(&link, (uint32_t)(link.num_received + 4 - link.posted)); /* four are posted */
		SLEEP_UNTIL(link.num_received == i, link.pe);
	}
	link_close(&link);
}

/* ---- room that is not given back ---- */

static void a_full_completion_loses_nothing(void **state)
{
	(void)state;
	struct many many;
	struct doca_pe *pe;
	struct link counts = {0};
	uint64_t num;
	many_open(&many, 4);
	struct doca_dpa *dpa = many.base.dpa;
	OK(doca_pe_create(&pe));
	counts.producer = cpu_producer_make(many.queue, pe, 32, &counts);
	uint8_t imm[16] = {0};
	for (uint32_t id = 1; id <= 3; id++) {
		for (int i = 0; i < 4; i++) {
			struct doca_comch_producer_task_send *task;
			OK(doca_comch_producer_task_send_alloc_init(counts.producer, NULL, imm, 16, id, &task));
			OK(doca_task_submit(doca_comch_producer_task_send_as_task(task)));
		}
	}
	/* Twelve messages, and a completion for four. */
	for (int round = 0; round < 3; round++) {
		OK(doca_dpa_rpc(dpa, read_all, &num, many.ends->completion));
		assert_int_equal(num, 4);
		OK(doca_dpa_rpc(dpa, read_all, &num, many.ends->completion));
		assert_int_equal(num, 0);
		OK(doca_dpa_rpc(dpa, give_back, NULL, many.ends->completion, UINT64_C(4)));
	}
	OK(doca_dpa_rpc(dpa, read_all, &num, many.ends->completion));
	assert_int_equal(num, 0);
	HEALTHY(dpa);
	OK(doca_dpa_rpc(dpa, give_back, NULL, many.ends->completion, UINT64_C(1)));
	FAILED(dpa);
	UNTIL(counts.num_sent == 12, pe);
	ctx_stop(producer_ctx(counts.producer), pe);
	OK(doca_comch_producer_destroy(counts.producer));
	OK(doca_pe_destroy(pe));
	many_close(&many);
}

static void messages_without_flush_go_out_at_the_end(void **state)
{
	(void)state;
	struct link link;
	uint64_t num;
	link_open(&link, echo, 8, 8);
	/* Eight receives are posted: it may send as many, and counts those that it holds back. */
	OK(doca_dpa_rpc(link.dpa, hold_back, &num, link.ends->producer, 100));
	assert_int_equal(num, 8);
	UNTIL(link.num_received == 8, link.pe);
	HEALTHY(link.dpa);
	link_close(&link);
}

/* By a producer with fewer places than there are receives. */
static void as_many_are_held_back_as_there_are_places(void **state)
{
	(void)state;
	struct link link;
	uint64_t num, producer;
	link_open(&link, echo, 8, 96);
	OK(doca_ctx_stop(producer_ctx(link.dpa_producer)));
	OK(doca_comch_producer_destroy(link.dpa_producer));
	link.dpa_producer = dpa_producer_make(link.from_dpa, link.dpa, link.sent, 4);
	OK(doca_comch_producer_get_dpa_handle(link.dpa_producer, &producer));
	OK(doca_dpa_rpc(link.dpa, hold_back, &num, producer, 100));
	assert_int_equal(num, 8);
	UNTIL(link.num_received == 8, link.pe);
	link_post(&link, 1);
	/* The longest immediate data there are. */
	OK(doca_dpa_rpc(link.dpa, send_number, &num, producer, 1, UINT64_C(1), 96, OPTIMIZE_REPORTS));
	UNTIL(link.num_received == 9, link.pe);
	HEALTHY(link.dpa);
	link_close(&link);
}

/* By more producers than a run remembers. */
static void many_producers_hold_back(void **state)
{
	(void)state;
	enum { HOLDING = 9 };
	struct dpa base;
	struct doca_pe *pe;
	struct doca_dpa_completion *sent;
	struct doca_comch_producer *producers[HOLDING];
	struct link counts = {0};
	dpa_open(&base);
	OK(doca_pe_create(&pe));
	struct doca_comch_msgq *queue = msgq_make(base.dev, NULL, base.dpa, 1, HOLDING);
	counts.consumer = cpu_consumer_make(queue, pe, 16, 8, &counts);
	OK(doca_dpa_completion_create(base.dpa, 16, &sent));
	OK(doca_dpa_completion_start(sent));
	uint64_t *handles = dpa_zeros(base.dpa, sizeof(*handles) * HOLDING);
	for (int i = 0; i < HOLDING; i++) {
		producers[i] = dpa_producer_make(queue, base.dpa, sent, 2);
		OK(doca_comch_producer_get_dpa_handle(producers[i], &handles[i]));
	}
	link_post(&counts, 16);
	OK(doca_dpa_rpc(base.dpa, hold_back_each, NULL, handles, HOLDING));
	UNTIL(counts.num_received == HOLDING, pe);
	HEALTHY(base.dpa);
	for (int i = 0; i < HOLDING; i++) {
		OK(doca_ctx_stop(producer_ctx(producers[i])));
		OK(doca_comch_producer_destroy(producers[i]));
	}
	ctx_stop(consumer_ctx(counts.consumer), pe);
	OK(doca_comch_consumer_destroy(counts.consumer));
	OK(doca_dpa_completion_destroy(sent));
	OK(doca_comch_msgq_stop(queue));
	OK(doca_comch_msgq_destroy(queue));
	dpa_release(base.dpa, handles);
	OK(doca_pe_destroy(pe));
	dpa_close(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_threads_send_to_several_consumers),
		cmocka_unit_test(a_queue_can_be_on_the_cpu_only),
		cmocka_unit_test(what_was_taken_back_receives_nothing),
		cmocka_unit_test(what_has_arrived_is_received_in_spite_of_a_stop),
		cmocka_unit_test(a_full_completion_loses_nothing),
		cmocka_unit_test(messages_without_flush_go_out_at_the_end),
		cmocka_unit_test(as_many_are_held_back_as_there_are_places),
		cmocka_unit_test(many_producers_hold_back),
		cmocka_unit_test(a_message_from_the_dpa_wakes_an_engine),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
