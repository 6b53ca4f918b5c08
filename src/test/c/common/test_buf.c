/* buf.c */
#include "buf_fixture.h"

static void the_data_window_moves_and_the_buf_stays(void **state)
{
	(void)state;
	struct doca_buf *buf = take(10, 100);
	expect_success(doca_buf_set_data(buf, memory + 30, 40));
	assert_window(buf, 10, 100, 30, 40);
	expect_success(doca_buf_set_data_len(buf, 50));
	assert_window(buf, 10, 100, 30, 50);
	expect_success(doca_buf_reset_data_len(buf));
	assert_window(buf, 10, 100, 30, 0);
	put(buf);
}

static void the_data_window_is_not_checked(void **state)
{
	(void)state;
	struct doca_buf *buf = take(10, 100);
	expect_success(doca_buf_set_data(buf, memory, SIZE_MAX));
	assert_window(buf, 10, 100, 0, SIZE_MAX);
	expect_success(doca_buf_set_data_len(buf, 1000));
	assert_window(buf, 10, 100, 0, 1000);
	put(buf);
}

static void references_are_counted_and_the_count_before_is_told(void **state)
{
	(void)state;
	struct doca_buf *buf = take(0, 1);
	uint16_t before = 0;
	expect_success(doca_buf_inc_refcount(buf, &before));
	assert_int_equal(1, before);
	expect_success(doca_buf_inc_refcount(buf, NULL));
	assert_int_equal(3, refcount(buf));
	expect_success(doca_buf_dec_refcount(buf, &before));
	assert_int_equal(3, before);
	expect_success(doca_buf_dec_refcount(buf, NULL));
	assert_int_equal(ELEMENTS - 1, num_free());
	expect_success(doca_buf_dec_refcount(buf, &before));
	assert_int_equal(1, before);
	assert_int_equal(ELEMENTS, num_free());
	assert_int_equal(0, num_bufs());
}

static void a_returned_buf_has_no_references_to_take_or_drop(void **state)
{
	(void)state;
	struct doca_buf *buf = take(0, 1);
	uint16_t before = 7;
	put(buf);
	assert_int_equal(0, refcount(buf));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(buf, &before));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inc_refcount(buf, &before));
	assert_int_equal(7, before);
	assert_int_equal(ELEMENTS, num_free());
}

static void no_more_than_65535_references_fit(void **state)
{
	(void)state;
	struct doca_buf *buf = take(0, 1);
	uint16_t before = 0;
	for (uint32_t i = 1; i < UINT16_MAX; i++)
		expect_success(doca_buf_inc_refcount(buf, NULL));
	expect(DOCA_ERROR_TOO_BIG, doca_buf_inc_refcount(buf, &before));
	assert_int_equal(0, before);
	assert_int_equal(UINT16_MAX, refcount(buf));
	for (uint32_t i = 0; i < UINT16_MAX; i++)
		put(buf);
	assert_int_equal(ELEMENTS, num_free());
}

static void counting_refuses_null(void **state)
{
	(void)state;
	expect_invalid(doca_buf_inc_refcount(NULL, NULL));
	expect_invalid(doca_buf_dec_refcount(NULL, NULL));
}

static void assert_place(struct doca_buf *buf, int first, int last, int listed)
{
	uint8_t flag = 7;
	expect_success(doca_buf_is_first_in_list(buf, &flag));
	assert_int_equal(first, flag);
	expect_success(doca_buf_is_last_in_list(buf, &flag));
	assert_int_equal(last, flag);
	expect_success(doca_buf_is_in_list(buf, &flag));
	assert_int_equal(listed, flag);
}

static uint32_t list_len(const struct doca_buf *head)
{
	uint32_t len = 0;
	expect_success(doca_buf_get_list_len(head, &len));
	return len;
}

static struct doca_buf *last_of(struct doca_buf *buf)
{
	struct doca_buf *last = NULL;
	expect_success(doca_buf_get_last_in_list(buf, &last));
	return last;
}

static void a_single_buf_is_first_and_last_and_in_no_list(void **state)
{
	(void)state;
	struct doca_buf *buf = take(0, 1);
	assert_place(buf, 1, 1, 0);
	assert_int_equal(1, list_len(buf));
	assert_ptr_equal(buf, last_of(buf));
	assert_null(next_of(buf));
	put(buf);
}

static void chaining_appends_the_second_list(void **state)
{
	(void)state;
	struct doca_buf *a = take(0, 1);
	struct doca_buf *b = take(1, 1);
	struct doca_buf *c = take(2, 1);
	expect_success(doca_buf_chain_list(b, c));
	expect_success(doca_buf_chain_list(a, b));
	assert_int_equal(3, list_len(a));
	assert_ptr_equal(b, next_of(a));
	assert_ptr_equal(c, next_of(b));
	assert_null(next_of(c));
	assert_ptr_equal(c, last_of(a));
	assert_ptr_equal(c, last_of(b));
	assert_place(a, 1, 0, 1);
	assert_place(b, 0, 0, 1);
	assert_place(c, 0, 1, 1);
	put(a);
}

static void the_last_reference_of_the_head_returns_the_whole_list(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(5);
	expect_success(doca_buf_inc_refcount(head, NULL));
	put(head);
	assert_int_equal(ELEMENTS - 5, num_free());
	put(head);
	assert_int_equal(ELEMENTS, num_free());
	assert_int_equal(0, num_bufs());
	/* Every one of them can be taken as a single buf again. */
	struct doca_buf *bufs[ELEMENTS];
	for (int i = 0; i < ELEMENTS; i++) {
		bufs[i] = take(0, 1);
		assert_place(bufs[i], 1, 1, 0);
	}
	for (int i = 0; i < ELEMENTS; i++)
		put(bufs[i]);
}

static void inside_a_list_nothing_is_counted(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(2);
	struct doca_buf *inner = next_of(head);
	uint32_t len = 7;
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inc_refcount(inner, NULL));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_dec_refcount(inner, NULL));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_get_list_len(inner, &len));
	assert_int_equal(7, len);
	assert_int_equal(1, refcount(inner));
	put(head);
}

static void a_list_with_other_references_cannot_be_appended(void **state)
{
	(void)state;
	struct doca_buf *a = take(0, 1);
	struct doca_buf *b = take(1, 1);
	expect_success(doca_buf_inc_refcount(b, NULL));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(a, b));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(a, a, b));
	expect_success(doca_buf_inc_refcount(a, NULL));
	expect_success(doca_buf_chain_list(b, take(2, 1)));
	put(a);
	put(a);
	put(b);
	put(b);
}

static void only_heads_are_chained(void **state)
{
	(void)state;
	struct doca_buf *list = list_of(2);
	struct doca_buf *single = take(5, 1);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(next_of(list), single));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(single, next_of(list)));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(next_of(list), next_of(list), single));
	struct doca_buf *other = take(6, 1);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(list, single, other));
	put(other);
	expect_invalid(doca_buf_chain_list(list, list));
	expect_invalid(doca_buf_chain_list(NULL, single));
	expect_invalid(doca_buf_chain_list(list, NULL));
	put(list);
	put(single);
}

static void a_returned_buf_cannot_be_chained(void **state)
{
	(void)state;
	struct doca_buf *a = take(0, 1);
	struct doca_buf *b = take(1, 1);
	put(b);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(a, b));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(b, a));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(b, b, a));
	put(a);
}

static void a_known_tail_is_used(void **state)
{
	(void)state;
	struct doca_buf *a = take(0, 1);
	struct doca_buf *b = take(1, 1);
	struct doca_buf *c = take(2, 1);
	expect_success(doca_buf_chain_list_tail(a, a, b));
	expect_success(doca_buf_chain_list_tail(a, b, c));
	assert_int_equal(3, list_len(a));
	assert_ptr_equal(c, last_of(a));
	struct doca_buf *d = take(3, 1);
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(a, b, d));
	expect_invalid(doca_buf_chain_list_tail(NULL, c, d));
	expect_invalid(doca_buf_chain_list_tail(a, NULL, d));
	expect_invalid(doca_buf_chain_list_tail(a, c, NULL));
	expect_invalid(doca_buf_chain_list_tail(a, c, a));
	expect_invalid(doca_buf_chain_list_tail(a, c, c));
	put(d);
	put(a);
}

static void unchaining_splits_before_the_second_list(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(4);
	struct doca_buf *second = next_of(next_of(head));
	expect_success(doca_buf_unchain_list(head, second));
	assert_int_equal(2, list_len(head));
	assert_int_equal(2, list_len(second));
	assert_int_equal(1, refcount(second));
	assert_place(second, 1, 0, 1);
	put(head);
	assert_int_equal(ELEMENTS - 2, num_free());
	put(second);
}

static void unchaining_what_is_not_in_the_list_is_refused(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(3);
	struct doca_buf *single = take(5, 1);
	expect_invalid(doca_buf_unchain_list(head, single));
	expect_invalid(doca_buf_unchain_list(head, head));
	expect_invalid(doca_buf_unchain_list(next_of(head), next_of(next_of(head))));
	expect_invalid(doca_buf_unchain_list(NULL, head));
	expect_invalid(doca_buf_unchain_list(head, NULL));
	assert_int_equal(3, list_len(head));
	put(head);
	put(single);
}

static void list_getters_refuse_null(void **state)
{
	(void)state;
	struct doca_buf *buf = take(0, 1);
	struct doca_buf *last;
	uint32_t len;
	expect_invalid(doca_buf_get_last_in_list(NULL, &last));
	expect_invalid(doca_buf_get_last_in_list(buf, NULL));
	expect_invalid(doca_buf_get_list_len(NULL, &len));
	expect_invalid(doca_buf_get_list_len(buf, NULL));
	put(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		buf_test(the_data_window_moves_and_the_buf_stays),
		buf_test(the_data_window_is_not_checked),
		buf_test(references_are_counted_and_the_count_before_is_told),
		buf_test(a_returned_buf_has_no_references_to_take_or_drop),
		buf_test(no_more_than_65535_references_fit),
		buf_test(counting_refuses_null),
		buf_test(a_single_buf_is_first_and_last_and_in_no_list),
		buf_test(chaining_appends_the_second_list),
		buf_test(the_last_reference_of_the_head_returns_the_whole_list),
		buf_test(inside_a_list_nothing_is_counted),
		buf_test(a_list_with_other_references_cannot_be_appended),
		buf_test(only_heads_are_chained),
		buf_test(a_returned_buf_cannot_be_chained),
		buf_test(a_known_tail_is_used),
		buf_test(unchaining_splits_before_the_second_list),
		buf_test(unchaining_what_is_not_in_the_list_is_refused),
		buf_test(list_getters_refuse_null),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
