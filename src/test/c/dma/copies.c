/* Copies within one process: bytes, lists, limits, permissions, order, and the ends of tasks and contexts. */
#include "fixture.h"

#define LARGEST ((size_t)2 << 20)

static void bytes_are_copied(void **state)
{
	(void)state;
	static const size_t lengths[] = {1, 63, 64, 65, 4096, 65537, LARGEST - 1, LARGEST};
	for (int dpu = 0; dpu < 2; dpu++) {
		struct copier copier;
		copier_open(&copier, dpu, 4);
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			size_t len = lengths[i];
			memset(copier.to.bytes, 0xee, len + 100);
			struct doca_buf *src = source(&copier, 3, len), *dst = destination(&copier, 1, len + 10);
			assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
			assert_memory_equal(copier.to.bytes + 1, copier.from.bytes + 3, len);
			assert_int_equal(copier.to.bytes[0], 0xee);
			assert_int_equal(copier.to.bytes[1 + len], 0xee);
			assert_int_equal(data_len_of(dst), len);
			assert_int_equal(data_len_of(src), len);
			give_back(src);
			give_back(dst);
		}
		copier_close(&copier);
		assert_string_equal(copier.states, "RPI");
	}
}

static void data_go_behind_those_that_are_there(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, false, 4);
	struct doca_buf *src = source(&copier, 0, 100), *dst;
	memset(copier.to.bytes, 0xee, 1000);
	OK(doca_buf_inventory_buf_get_by_args(copier.inventory, copier.to.map, copier.to.bytes, 1000,
					      copier.to.bytes + 50, 30, &dst));
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	assert_int_equal(data_len_of(dst), 230);
	assert_memory_equal(copier.to.bytes + 80, copier.from.bytes, 100);
	assert_memory_equal(copier.to.bytes + 180, copier.from.bytes, 100);
	assert_int_equal(copier.to.bytes[79], 0xee);
	assert_int_equal(copier.to.bytes[280], 0xee);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static struct doca_buf *list_of(struct copier *copier, bool sources, const size_t *lengths, size_t num)
{
	struct doca_buf *head = NULL;
	for (size_t i = 0; i < num; i++) {
		struct doca_buf *buf =
			sources ? source(copier, i * 1000, lengths[i]) : destination(copier, i * 1000, lengths[i]);
		if (head == NULL)
			head = buf;
		else
			OK(doca_buf_chain_list(head, buf));
	}
	return head;
}

static void lists_are_copied_from_and_to(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, true, 4);
	static const size_t from[] = {100, 0, 7, 250, 43}, to[] = {1, 0, 199, 150, 80};
	struct doca_buf *src = list_of(&copier, true, from, 5), *dst = list_of(&copier, false, to, 5);
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	uint8_t all_from[400], all_to[400];
	size_t sent = 0, got = 0;
	const struct doca_buf *each = dst;
	static const size_t filled[] = {1, 0, 199, 150, 50};
	for (int i = 0; i < 5; i++) {
		memcpy(all_from + sent, copier.from.bytes + i * 1000, from[i]);
		sent += from[i];
		memcpy(all_to + got, copier.to.bytes + i * 1000, filled[i]);
		got += filled[i];
		assert_int_equal(data_len_of(each), filled[i]);
		struct doca_buf *next = NULL;
		OK(doca_buf_get_next_in_list((struct doca_buf *)each, &next));
		each = next;
	}
	assert_int_equal(sent, got);
	assert_memory_equal(all_from, all_to, sent);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void what_does_not_fit_is_refused_by_the_submit(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, true, 4);
	struct doca_buf *small = destination(&copier, 0, 99), *src = source(&copier, 0, 100),
			*large = source(&copier, 0, LARGEST + 1), *vast = destination(&copier, 0, LARGEST + 1);
	struct doca_dma_task_memcpy *task = task_of(&copier, src, small, 0);
	struct doca_task *base = doca_dma_task_memcpy_as_task(task);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	doca_dma_task_memcpy_set_src(task, large);
	doca_dma_task_memcpy_set_dst(task, vast);
	assert_ptr_equal(doca_dma_task_memcpy_get_src(task), large);
	assert_ptr_equal(doca_dma_task_memcpy_get_dst(task), vast);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	doca_dma_task_memcpy_set_src(task, NULL);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	doca_dma_task_memcpy_set_src(task, src);
	doca_dma_task_memcpy_set_dst(task, NULL);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));

	/* Of a map without the context's device. */
	struct area other;
	area_open(&other, copier.devices.host, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *foreign = buf_of(&copier, other.map, other.bytes, 100, 100);
	doca_dma_task_memcpy_set_dst(task, vast);
	doca_dma_task_memcpy_set_src(task, foreign);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	OK(doca_buf_reset_data_len(foreign));
	doca_dma_task_memcpy_set_src(task, src);
	doca_dma_task_memcpy_set_dst(task, foreign);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	give_back(foreign);
	area_close(&other);

	/* Lists of 64 are the longest. */
	size_t lengths[65];
	for (int i = 0; i < 65; i++)
		lengths[i] = 2;
	struct doca_buf *longest = list_of(&copier, true, lengths, 64), *longer = list_of(&copier, true, lengths, 65),
			*too_long = list_of(&copier, false, lengths, 65);
	doca_dma_task_memcpy_set_src(task, longer);
	doca_dma_task_memcpy_set_dst(task, vast);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	doca_dma_task_memcpy_set_src(task, longest);
	doca_dma_task_memcpy_set_dst(task, too_long);
	GIVES(DOCA_ERROR_INVALID_VALUE, doca_task_submit(base));
	doca_dma_task_memcpy_set_dst(task, vast);
	OK(doca_task_submit(base));
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(base)); /* in flight */
	UNTIL(copier.num_ended == 1, copier.pe);
	assert_int_equal(copier.completed, 1);
	assert_int_equal(data_len_of(vast), 128);
	struct doca_buf *all[] = {small, src, large, vast, longest, longer, too_long};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		give_back(all[i]);
	copier_close(&copier);
}

static void copies_end_in_the_order_of_their_submits(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, false, 16);
	struct doca_buf *src[16], *dst[16];
	struct doca_dma_task_memcpy *none;
	for (unsigned i = 0; i < 16; i++) {
		src[i] = source(&copier, i * 5000, i % 2 ? 5000 : 1);
		dst[i] = destination(&copier, i * 5000, 5000);
		submit(&copier, src[i], dst[i], i);
	}
	GIVES(DOCA_ERROR_NO_MEMORY,
	      doca_dma_task_memcpy_alloc_init(copier.dma, src[0], dst[0], (union doca_data){.u64 = 0}, &none));
	size_t in_flight;
	OK(doca_ctx_get_num_inflight_tasks(copier.ctx, &in_flight));
	assert_int_equal(in_flight, 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(drive(copier.pe), 1); /* one each */
	assert_int_equal(copier.completed, 16);
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(copier.ended[i], i);
		assert_int_equal(data_len_of(dst[i]), data_len_of(src[i]));
		give_back(src[i]);
		give_back(dst[i]);
	}
	copier_close(&copier);
}

static void a_task_can_be_used_again(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, false, 1);
	copier.keeps_tasks = true;
	struct doca_buf *src = source(&copier, 0, 10), *dst = destination(&copier, 0, 100);
	struct doca_task *task = submit(&copier, src, dst, 5);
	for (unsigned i = 1; i <= 5; i++) {
		UNTIL(copier.num_ended == i, copier.pe);
		if (i < 5)
			OK(doca_task_submit(task));
	}
	assert_int_equal(copier.completed, 5);
	assert_int_equal(data_len_of(dst), 50);
	doca_task_free(task);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void a_map_that_may_not_be_written_is_not(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, false, 4);
	struct doca_buf *src = source(&copier, 0, 100), *good = destination(&copier, 0, 100),
			*dst = buf_of(&copier, copier.from.map, copier.from.bytes + 1000, 100, 0);
	uint8_t before = copier.from.bytes[1000];
	submit(&copier, src, dst, 1);
	submit(&copier, src, good, 2);
	UNTIL(strcmp(copier.states, "RPI") == 0, copier.pe); /* as after any error of the device */
	assert_int_equal(copier.num_ended, 2);
	assert_int_equal(copier.status[0], DOCA_ERROR_IO_FAILED);
	assert_int_equal(copier.status[1], DOCA_ERROR_IO_FAILED); /* flushed */
	assert_int_equal(copier.from.bytes[1000], before);
	assert_int_equal(data_len_of(dst), 0);
	assert_int_equal(data_len_of(good), 0);
	/* And it can start again. */
	OK(doca_ctx_start(copier.ctx));
	assert_int_equal(copied(&copier, src, good), DOCA_SUCCESS);
	give_back(src);
	give_back(dst);
	give_back(good);
	copier_close(&copier);
}

static void expect_failed(struct copier *copier, struct doca_buf *src, struct doca_buf *dst)
{
	unsigned before = copier->num_ended;
	submit(copier, src, dst, 1);
	UNTIL(copier->states[strlen(copier->states) - 1] == 'I', copier->pe);
	assert_int_equal(copier->num_ended, before + 1);
	assert_int_equal(copier->status[before], DOCA_ERROR_IO_FAILED);
	assert_int_equal(data_len_of(dst), 0);
	give_back(src);
	give_back(dst);
	OK(doca_ctx_start(copier->ctx));
}

static void a_copy_of_nothing_fails(void **state)
{
	(void)state;
	static const size_t nothing[] = {0, 0, 0};
	struct copier copier;
	copier_open(&copier, true, 4);
	struct doca_buf *emptied = source(&copier, 0, 100);
	OK(doca_buf_reset_data_len(emptied));
	expect_failed(&copier, emptied, destination(&copier, 0, 100));
	assert_string_equal(copier.states, "RPIR");
	expect_failed(&copier, list_of(&copier, true, nothing, 3), destination(&copier, 0, 100));
	expect_failed(&copier, source(&copier, 0, 0), destination(&copier, 0, 0));
	copier_close(&copier);
}

static void a_stop_flushes_what_is_in_flight(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, true, 4);
	copier.keeps_tasks = true;
	struct doca_buf *src = source(&copier, 0, 100), *dst = destination(&copier, 0, 1000);
	struct doca_task *first = submit(&copier, src, dst, 1), *second = submit(&copier, src, dst, 2);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(copier.ctx));
	GIVES(DOCA_ERROR_IN_USE, doca_dma_destroy(copier.dma));
	UNTIL(copier.num_ended == 2, copier.pe);
	settle(copier.pe, NULL);
	assert_string_equal(copier.states, "RP"); /* tasks are out */
	assert_int_equal(copier.completed, 0);
	GIVES(DOCA_ERROR_BAD_STATE, doca_task_submit(first));
	doca_task_free(first);
	doca_task_free(second);
	UNTIL(strcmp(copier.states, "RPI") == 0, copier.pe);
	assert_int_equal(data_len_of(dst), 0);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void a_task_that_is_freed_in_flight_copies_nothing(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, false, 2);
	struct doca_buf *src = source(&copier, 0, 100), *dst = destination(&copier, 0, 1000);
	copier.to.bytes[0] = 0xee;
	doca_task_free(submit(&copier, src, dst, 1));
	give_back(src); /* its buffers are nobody's */
	give_back(dst);
	settle(copier.pe, NULL);
	assert_int_equal(copier.num_ended, 0);
	assert_int_equal(copier.to.bytes[0], 0xee);
	src = source(&copier, 0, 100);
	dst = destination(&copier, 0, 1000);
	submit(&copier, src, dst, 2);
	submit(&copier, src, dst, 3); /* both tasks are there again */
	UNTIL(copier.completed == 2, copier.pe);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void a_copy_wakes_who_sleeps(void **state)
{
	(void)state;
	struct copier copier;
	copier_open(&copier, false, 2);
	struct doca_buf *src = source(&copier, 0, 100), *dst = destination(&copier, 0, 1000);
	(void)handle_of(copier.pe);
	while (drive(copier.pe))
		;
	OK(doca_pe_request_notification(copier.pe));
	submit(&copier, src, dst, 1);
	SLEEP_UNTIL(copier.completed == 1, copier.pe);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

static void a_source_may_overlap_its_destination(void **state)
{
	(void)state;
	struct copier copier;
	uint8_t expected[100];
	copier_open(&copier, false, 2);
	for (int i = 0; i < 100; i++)
		copier.to.bytes[i] = expected[i] = (uint8_t)i;
	struct doca_buf *src = buf_of(&copier, copier.to.map, copier.to.bytes, 100, 100),
			*dst = destination(&copier, 10, 100);
	assert_int_equal(copied(&copier, src, dst), DOCA_SUCCESS);
	assert_memory_equal(copier.to.bytes + 10, expected, 100);
	give_back(src);
	give_back(dst);
	copier_close(&copier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_copied),
		cmocka_unit_test(data_go_behind_those_that_are_there),
		cmocka_unit_test(lists_are_copied_from_and_to),
		cmocka_unit_test(what_does_not_fit_is_refused_by_the_submit),
		cmocka_unit_test(copies_end_in_the_order_of_their_submits),
		cmocka_unit_test(a_task_can_be_used_again),
		cmocka_unit_test(a_map_that_may_not_be_written_is_not),
		cmocka_unit_test(a_copy_of_nothing_fails),
		cmocka_unit_test(a_stop_flushes_what_is_in_flight),
		cmocka_unit_test(a_task_that_is_freed_in_flight_copies_nothing),
		cmocka_unit_test(a_copy_wakes_who_sleeps),
		cmocka_unit_test(a_source_may_overlap_its_destination),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
