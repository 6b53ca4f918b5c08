/* Messages to the DPA and back. COMCH4J_TEST_MESSAGES in the environment: how many of 24 bytes; where the kernel sleeps
 * now and then a tenth of them, and a hundredth with copies. */
#include <stdlib.h>
#include <time.h>

#include "msgq_fixture.h"

static uint64_t messages(uint64_t usual, uint64_t part)
{
	const char *number = getenv("COMCH4J_TEST_MESSAGES");
	return number == NULL ? usual : strtoull(number, NULL, 10) / part;
}

static uint32_t imm_len;

static void expect_next(struct link *link, struct doca_comch_consumer_task_post_recv *task)
{
	uint64_t number;
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == imm_len);
	CHECK(doca_comch_consumer_task_post_recv_get_producer_id(task) == 1);
	CHECK(doca_comch_consumer_task_post_recv_get_buf(task) == NULL);
	memcpy(&number, imm, sizeof(number));
	CHECK(number == link->num_received - 1);
	CHECK(filled(imm + sizeof(number), imm_len - sizeof(number), number));
}

/* `pause`: now and then nothing is sent until all has come back, so that the kernel sleeps. */
static void run(struct link *link, uint64_t num, uint32_t window, bool pause)
{
	uint64_t sent = 0;
	uint8_t imm[96];
	unsigned int seed = 1;
	uint64_t until = num;
	link->on_receive = expect_next;
	link->repost = true;
	int64_t deadline = harness_deadline();
	while (link->num_received < num) {
		if (pause && sent == link->num_received)
			until = sent + 1 + (uint64_t)rand_r(&seed) % 4;
		while (sent < num && sent < until && sent - link->num_received < window) {
			memcpy(imm, &sent, sizeof(sent));
			fill(imm + sizeof(sent), imm_len - sizeof(sent), sent);
			if (link_send(link, imm, imm_len) != DOCA_SUCCESS)
				break;
			sent++;
			deadline = harness_deadline();
		}
		if (!drive(link->pe)) {
			harness_in_time(deadline, __FILE__, __LINE__, "an answer");
			sched_yield();
		}
	}
	UNTIL(link->num_sent == num, link->pe);
	HEALTHY(link->dpa);
	assert_int_equal(link->ends->received, num);
	assert_int_equal(link->ends->from[1], num);
	assert_int_equal(link->num_failed, 0);
}

static void measure(struct link *link, uint64_t num, uint32_t window, bool pause, const char *what)
{
	struct timespec from, to;
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	run(link, num, window, pause);
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	print_message("%s: %llu messages, %.0f ns each\n", what, (unsigned long long)num, seconds * 1e9 / (double)num);
}

static void a_thousand_credits_and_24_bytes(void **state)
{
	(void)state;
	struct link link;
	imm_len = 24;
	link_open(&link, echo, 1024, imm_len);
	OK(doca_dpa_thread_run(link.thread));
	measure(&link, messages(100000, 1), 1024, false, "a window of 1,024");
	link_close(&link);
	assert_int_equal(link.num_failed, 1024); /* what was posted in the end */
}

static void one_at_a_time(void **state)
{
	(void)state;
	struct link link;
	imm_len = 24;
	link_open(&link, echo, 1024, imm_len);
	OK(doca_dpa_thread_run(link.thread));
	measure(&link, messages(2000, 10), 1, false, "a window of 1");
	link_close_dpa_first(&link);
}

static void no_wake_up_is_lost(void **state)
{
	(void)state;
	struct link link;
	imm_len = 16;
	link_open(&link, echo, 4, imm_len);
	OK(doca_dpa_thread_run(link.thread));
	measure(&link, messages(20000, 10), 4, true, "bursts of 1 to 4");
	link_close(&link);
}

static void what_was_not_read_starts_another_run(void **state)
{
	(void)state;
	struct link link;
	imm_len = 96;
	link_open(&link, echo_one_each_run, 64, imm_len);
	OK(doca_dpa_thread_run(link.thread));
	measure(&link, messages(20000, 10), 64, true, "a run for each message");
	link_close_dpa_first(&link);
}

static void a_kernel_polls_and_copies(void **state)
{
	(void)state;
	struct link link;
	struct memory memory;
	imm_len = 52;
	link_open(&link, echo_polling, 512, imm_len);
	memory_open(&memory, 2 * 8192, 1, link.base.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	fill(memory.bytes, 8192, 3);
	struct ends *ends = link.ends;
	ends->dst_map = ends->src_map = handle_of_map(memory.mmap, link.base.dev);
	ends->src = (uint64_t)memory.bytes;
	ends->dst = ends->src + 8192;
	ends->length = 8192;
	ends->flags = FLUSH;
	OK(doca_dpa_thread_run(link.thread)); /* it starts with the first message */
	measure(&link, messages(20000, 100), 512, false, "polling, with copies of 8 KiB");
	assert_true(filled(memory.bytes + 8192, 8192, 3));
	__atomic_store_n(&ends->stop, 1, __ATOMIC_RELAXED);
	link_close(&link);
	memory_close(&memory);
}

static void messages_that_wait_start_a_thread_that_is_let_run(void **state)
{
	(void)state;
	struct link link;
	imm_len = 24;
	uint8_t imm[24] = {0};
	link_open(&link, echo, 8, imm_len);
	fill(imm + 8, 16, 0);
	OK(link_send(&link, imm, 24));
	link.on_receive = expect_next;
	OK(doca_dpa_thread_run(link.thread));
	UNTIL(link.num_received == 1, link.pe);
	link_close(&link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_that_wait_start_a_thread_that_is_let_run),
		cmocka_unit_test(a_thousand_credits_and_24_bytes),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(no_wake_up_is_lost),
		cmocka_unit_test(what_was_not_read_starts_another_run),
		cmocka_unit_test(a_kernel_polls_and_copies),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
