/* inventory.c */
#include "buf_fixture.h"
#include "doca_buf_pool.h"

static void life_functions_refuse_null_and_an_empty_pool(void **state)
{
	(void)state;
	struct doca_buf_inventory *none = NULL;
	expect_invalid(doca_buf_inventory_create(4, NULL));
	expect_invalid(doca_buf_inventory_create(0, &none));
	assert_null(none);
	expect_invalid(doca_buf_inventory_destroy(NULL));
	expect_invalid(doca_buf_inventory_start(NULL));
	expect_invalid(doca_buf_inventory_stop(NULL));
}

static void a_pool_beyond_all_memory_is_refused(void **state)
{
	(void)state;
	struct doca_buf_inventory *none = NULL;
	expect_invalid(doca_buf_inventory_create(SIZE_MAX, &none));
	expect_invalid(doca_buf_inventory_create((size_t)UINT32_MAX + 1, &none));
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_create(UINT32_MAX, &none));
	assert_null(none);
}

static void counters_follow_what_is_taken_and_returned(void **state)
{
	(void)state;
	uint32_t elements = 0;
	expect_success(doca_buf_inventory_get_num_elements(inventory, &elements));
	assert_int_equal(ELEMENTS, elements);
	assert_int_equal(ELEMENTS, num_free());
	struct doca_buf *first = take(0, 1);
	struct doca_buf *second = take(0, 1);
	assert_int_equal(ELEMENTS - 2, num_free());
	assert_int_equal(2, num_bufs());
	put(first);
	put(second);
	assert_int_equal(ELEMENTS, num_free());
	assert_int_equal(0, num_bufs());
	expect_success(doca_buf_inventory_get_num_elements(inventory, &elements));
	assert_int_equal(ELEMENTS, elements);
}

static void getters_and_setters_refuse_null(void **state)
{
	(void)state;
	uint32_t number;
	union doca_data data = {0};
	expect_invalid(doca_buf_inventory_get_num_elements(NULL, &number));
	expect_invalid(doca_buf_inventory_get_num_elements(inventory, NULL));
	expect_invalid(doca_buf_inventory_get_num_free_elements(NULL, &number));
	expect_invalid(doca_buf_inventory_get_num_free_elements(inventory, NULL));
	expect_invalid(doca_buf_inventory_get_user_data(NULL, &data));
	expect_invalid(doca_buf_inventory_get_user_data(inventory, NULL));
	expect_invalid(doca_buf_inventory_set_user_data(NULL, data));
}

static void user_data_is_set_while_stopped(void **state)
{
	(void)state;
	union doca_data data = {.u64 = 1};
	expect_success(doca_buf_inventory_get_user_data(inventory, &data));
	assert_int_equal(0, data.u64);
	data.u64 = 5;
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_set_user_data(inventory, data));
	expect_success(doca_buf_inventory_stop(inventory));
	data.u64 = 6;
	expect_success(doca_buf_inventory_set_user_data(inventory, data));
	data.u64 = 0;
	expect_success(doca_buf_inventory_get_user_data(inventory, &data));
	assert_int_equal(6, data.u64);
}

static void a_buf_has_the_window_that_was_asked_for_and_one_reference(void **state)
{
	(void)state;
	struct doca_buf *buf;
	expect_success(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory + 10, 100, memory + 20, 30, &buf));
	assert_window(buf, 10, 100, 20, 30);
	assert_int_equal(1, refcount(buf));
	put(buf);
}

static void by_addr_has_no_data_and_by_data_is_all_data(void **state)
{
	(void)state;
	struct doca_buf *buf;
	expect_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + 10, 100, &buf));
	assert_window(buf, 10, 100, 10, 0);
	put(buf);
	expect_success(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + 10, 100, &buf));
	assert_window(buf, 10, 100, 10, 100);
	put(buf);
}

static void the_range_must_lie_in_the_map(void **state)
{
	(void)state;
	struct doca_buf *buf = NULL;
	put(take(0, MEMORY));
	put(take(MEMORY, 0));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, MEMORY + 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + MEMORY, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + MEMORY + 1, 0, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory - 1, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, SIZE_MAX, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + 1, SIZE_MAX, &buf));
	assert_null(buf);
	assert_int_equal(ELEMENTS, num_free());
}

static void the_data_must_lie_in_the_buf(void **state)
{
	(void)state;
	struct doca_buf *buf = NULL;
	uint8_t *addr = memory + 100;
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, 10, addr - 1, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, 10, addr, 11, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, 10, addr + 10, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, 10, addr + 1, SIZE_MAX, &buf));
	assert_null(buf);
	expect_success(doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, 10, addr + 10, 0, &buf));
	put(buf);
}

static void get_refuses_null(void **state)
{
	(void)state;
	struct doca_buf *buf;
	expect_invalid(doca_buf_inventory_buf_get_by_args(NULL, mmap, memory, 1, memory, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, NULL, memory, 1, memory, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, NULL, 1, memory, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory, 1, NULL, 1, &buf));
	expect_invalid(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory, 1, memory, 1, NULL));
}

static void a_buf_is_moved_without_being_given_back(void **state)
{
	(void)state;
	struct doca_buf *buf = take(10, 100);
	expect_success(doca_buf_inventory_buf_reuse_by_data(buf, memory + 200, 50));
	assert_window(buf, 200, 50, 200, 50);
	expect_success(doca_buf_inventory_buf_reuse_by_addr(buf, memory, MEMORY));
	assert_window(buf, 0, MEMORY, 0, 0);
	assert_int_equal(1, refcount(buf));
	assert_int_equal(ELEMENTS - 1, num_free());
	assert_int_equal(1, num_bufs());
	put(buf);
}

static void a_buf_is_moved_within_its_map_only(void **state)
{
	(void)state;
	struct doca_buf *buf = take(10, 100);
	expect_invalid(doca_buf_inventory_buf_reuse_by_data(NULL, memory, 1));
	expect_invalid(doca_buf_inventory_buf_reuse_by_data(buf, NULL, 1));
	expect_invalid(doca_buf_inventory_buf_reuse_by_addr(NULL, memory, 1));
	expect_invalid(doca_buf_inventory_buf_reuse_by_addr(buf, NULL, 1));
	expect_invalid(doca_buf_inventory_buf_reuse_by_addr(buf, memory, MEMORY + 1));
	expect_invalid(doca_buf_inventory_buf_reuse_by_addr(buf, memory - 1, 1));
	expect_invalid(doca_buf_inventory_buf_reuse_by_data(buf, memory + 1, SIZE_MAX));
	assert_window(buf, 10, 100, 10, 0);
	put(buf);
}

static void the_buf_of_a_pool_is_not_moved(void **state)
{
	(void)state;
	struct doca_buf_pool *pool;
	struct doca_buf *buf;
	expect_success(doca_buf_pool_create(2, 100, mmap, &pool));
	expect_success(doca_buf_pool_start(pool));
	expect_success(doca_buf_pool_buf_alloc(pool, &buf));
	expect_invalid(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 500, 10));
	put(buf);
	expect_success(doca_buf_pool_destroy(pool));
}

static void a_buf_that_others_hold_is_not_moved(void **state)
{
	(void)state;
	struct doca_buf *buf = take(10, 100);
	expect_success(doca_buf_inc_refcount(buf, NULL));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1));
	put(buf);
	struct doca_buf *second = take(200, 100);
	expect_success(doca_buf_chain_list(buf, second));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_reuse_by_addr(buf, memory, 1));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_reuse_by_addr(second, memory, 1));
	put(buf);
}

static void nothing_is_taken_from_a_stopped_inventory_or_map(void **state)
{
	(void)state;
	struct doca_buf *buf = take(0, 10);
	struct doca_buf *other = NULL;
	expect_success(doca_buf_inventory_stop(inventory));
	expect_success(doca_buf_inventory_stop(inventory));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 10, &other));
	assert_window(buf, 0, 10, 0, 0);
	put(buf);
	expect_success(doca_buf_inventory_start(inventory));
	expect_success(doca_buf_inventory_start(inventory));
	expect_success(doca_mmap_stop(mmap));
	expect_invalid(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 10, &other));
	expect_success(doca_mmap_start(mmap));
	put(take(0, 10));
	assert_null(other);
}

static void an_exhausted_inventory_answers_no_memory_until_a_buf_returns(void **state)
{
	(void)state;
	struct doca_buf *bufs[ELEMENTS];
	struct doca_buf *more = NULL;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < ELEMENTS; i++) {
			bufs[i] = take(0, 1);
			for (int j = 0; j < i; j++)
				assert_ptr_not_equal(bufs[j], bufs[i]);
		}
		expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 1, &more));
		assert_null(more);
		put(bufs[3]);
		bufs[3] = take(0, 1);
		for (int i = 0; i < ELEMENTS; i++)
			put(bufs[i]);
	}
}

static void destroy_is_refused_while_bufs_are_out(void **state)
{
	(void)state;
	struct doca_buf_inventory *other;
	struct doca_buf *buf;
	expect_success(doca_buf_inventory_create(2, &other));
	expect_success(doca_buf_inventory_start(other));
	expect_success(doca_buf_inventory_buf_get_by_addr(other, mmap, memory, 1, &buf));
	expect(DOCA_ERROR_IN_USE, doca_buf_inventory_destroy(other));
	put(buf);
	expect_success(doca_buf_inventory_destroy(other));
}

static void expanding_adds_elements(void **state)
{
	(void)state;
	struct doca_buf *bufs[ELEMENTS + 3];
	struct doca_buf *more;
	uint32_t elements = 0;
	bufs[0] = take(0, 1);
	expect_success(doca_buf_inventory_expand(inventory, 3));
	expect_success(doca_buf_inventory_get_num_elements(inventory, &elements));
	assert_int_equal(ELEMENTS + 3, elements);
	assert_int_equal(ELEMENTS + 2, num_free());
	for (int i = 1; i < ELEMENTS + 3; i++)
		bufs[i] = take(0, 1);
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 1, &more));
	for (int i = 0; i < ELEMENTS + 3; i++)
		put(bufs[i]);
}

static void expanding_needs_a_started_inventory_and_a_number(void **state)
{
	(void)state;
	expect_invalid(doca_buf_inventory_expand(NULL, 1));
	expect_invalid(doca_buf_inventory_expand(inventory, 0));
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_expand(inventory, UINT32_MAX));
	expect_success(doca_buf_inventory_stop(inventory));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_expand(inventory, 1));
	assert_int_equal(ELEMENTS, num_free());
}

static void a_duplicate_has_the_same_windows_on_the_same_memory(void **state)
{
	(void)state;
	struct doca_buf *buf;
	struct doca_buf *copy;
	expect_success(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory + 10, 100, memory + 20, 30, &buf));
	expect_success(doca_buf_inc_refcount(buf, NULL));
	expect_success(doca_buf_inventory_buf_dup(inventory, buf, &copy));
	assert_ptr_not_equal(buf, copy);
	assert_window(copy, 10, 100, 20, 30);
	assert_int_equal(1, refcount(copy));
	assert_int_equal(2, num_bufs());
	put(copy);
	put(buf);
	put(buf);
}

static void a_list_is_duplicated_element_by_element(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(3);
	struct doca_buf *copy;
	uint32_t len = 0;
	expect_success(doca_buf_inventory_buf_dup(inventory, head, &copy));
	expect_success(doca_buf_get_list_len(copy, &len));
	assert_int_equal(3, len);
	size_t at = 0;
	for (struct doca_buf *buf = copy; buf != NULL; buf = next_of(buf), at++) {
		uint8_t first = 7;
		assert_window(buf, at, 1, at, 0);
		expect_success(doca_buf_is_first_in_list(buf, &first));
		assert_int_equal(buf == copy, first);
	}
	assert_int_equal(3, at);
	put(copy);
	put(head);
	assert_int_equal(ELEMENTS, num_free());
}

static void duplicating_into_a_full_inventory_takes_nothing(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(ELEMENTS / 2 + 1);
	struct doca_buf *copy = NULL;
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(inventory, head, &copy));
	assert_null(copy);
	assert_int_equal(ELEMENTS / 2 - 1, num_free());
	put(head);
}

static void duplicating_checks_its_source(void **state)
{
	(void)state;
	struct doca_buf *head = list_of(2);
	struct doca_buf *copy = NULL;
	expect_invalid(doca_buf_inventory_buf_dup(NULL, head, &copy));
	expect_invalid(doca_buf_inventory_buf_dup(inventory, NULL, &copy));
	expect_invalid(doca_buf_inventory_buf_dup(inventory, head, NULL));
	expect(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_dup(inventory, next_of(head), &copy));
	expect_success(doca_buf_inventory_stop(inventory));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(inventory, head, &copy));
	struct doca_buf_inventory *other;
	expect_success(doca_buf_inventory_create(8, &other));
	expect_success(doca_buf_inventory_start(other));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, head, &copy));
	expect_success(doca_buf_inventory_start(inventory));
	put(head);
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, head, &copy));
	assert_null(copy);
	expect_success(doca_buf_inventory_destroy(other));
}

static void a_buf_of_a_stopped_map_is_not_duplicated(void **state)
{
	(void)state;
	struct doca_mmap *safe;
	struct doca_buf *buf;
	struct doca_buf *copy = NULL;
	expect_success(doca_mmap_create(&safe));
	expect_success(doca_mmap_set_memrange(safe, memory, MEMORY));
	/* Without it the map could not be stopped. */
	expect_success(doca_mmap_enable_thread_safety(safe));
	expect_success(doca_mmap_start(safe));
	expect_success(doca_buf_inventory_buf_get_by_addr(inventory, safe, memory, 1, &buf));
	expect_success(doca_mmap_stop(safe));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(inventory, buf, &copy));
	assert_null(copy);
	put(buf);
	expect_success(doca_mmap_destroy(safe));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		buf_test(life_functions_refuse_null_and_an_empty_pool),
		buf_test(a_pool_beyond_all_memory_is_refused),
		buf_test(counters_follow_what_is_taken_and_returned),
		buf_test(getters_and_setters_refuse_null),
		buf_test(user_data_is_set_while_stopped),
		buf_test(a_buf_has_the_window_that_was_asked_for_and_one_reference),
		buf_test(by_addr_has_no_data_and_by_data_is_all_data),
		buf_test(the_range_must_lie_in_the_map),
		buf_test(the_data_must_lie_in_the_buf),
		buf_test(get_refuses_null),
		buf_test(a_buf_is_moved_without_being_given_back),
		buf_test(a_buf_is_moved_within_its_map_only),
		buf_test(the_buf_of_a_pool_is_not_moved),
		buf_test(a_buf_that_others_hold_is_not_moved),
		buf_test(nothing_is_taken_from_a_stopped_inventory_or_map),
		buf_test(an_exhausted_inventory_answers_no_memory_until_a_buf_returns),
		buf_test(destroy_is_refused_while_bufs_are_out),
		buf_test(expanding_adds_elements),
		buf_test(expanding_needs_a_started_inventory_and_a_number),
		buf_test(a_duplicate_has_the_same_windows_on_the_same_memory),
		buf_test(a_list_is_duplicated_element_by_element),
		buf_test(duplicating_into_a_full_inventory_takes_nothing),
		buf_test(duplicating_checks_its_source),
		buf_test(a_buf_of_a_stopped_map_is_not_duplicated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
