/* buf_pool.c */
#include "buf_fixture.h"
#include "doca_buf_pool.h"

#define PIECE 100
#define PIECES 4

static struct doca_buf_pool *pool;

#define pool_test(test) cmocka_unit_test_setup_teardown(test, pool_setup, pool_teardown)

/* As buf_setup, and a pool that is not started yet. */
static int pool_setup(void **state)
{
	buf_setup(state);
	expect_success(doca_buf_pool_create(PIECES, PIECE, mmap, &pool));
	return 0;
}

/* The pool goes first, as programs do it; fails when a test has kept a buf. */
static int pool_teardown(void **state)
{
	expect_success(doca_buf_pool_destroy(pool));
	return buf_teardown(state);
}

static uint32_t pool_free(void)
{
	uint32_t number = UINT32_MAX;
	expect_success(doca_buf_pool_get_num_free_elements(pool, &number));
	return number;
}

static struct doca_buf *alloc(void)
{
	struct doca_buf *buf = NULL;
	expect_success(doca_buf_pool_buf_alloc(pool, &buf));
	assert_non_null(buf);
	return buf;
}

static uint8_t *head_of(const struct doca_buf *buf)
{
	void *head = NULL;
	expect_success(doca_buf_get_head(buf, &head));
	return head;
}

static void creating_needs_a_number_a_size_and_a_map(void **state)
{
	(void)state;
	struct doca_buf_pool *none = NULL;
	expect_invalid(doca_buf_pool_create(0, PIECE, mmap, &none));
	expect_invalid(doca_buf_pool_create(PIECES, 0, mmap, &none));
	expect_invalid(doca_buf_pool_create(PIECES, PIECE, NULL, &none));
	expect_invalid(doca_buf_pool_create(PIECES, PIECE, mmap, NULL));
	assert_null(none);
}

static void only_the_start_needs_a_started_map(void **state)
{
	(void)state;
	struct doca_mmap *map;
	struct doca_buf_pool *other = NULL;
	struct doca_buf *buf;
	expect_success(doca_mmap_create(&map));
	expect_success(doca_buf_pool_create(1, 1, map, &other));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_start(other));
	expect_success(doca_mmap_set_memrange(map, memory, 1));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_start(other));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(other, &buf));
	expect_success(doca_mmap_start(map));
	expect_success(doca_buf_pool_start(other));
	expect_success(doca_buf_pool_buf_alloc(other, &buf));
	put(buf);
	expect_success(doca_buf_pool_destroy(other));
	expect_success(doca_mmap_destroy(map));
}

static void more_elements_than_fit_in_all_memory_are_refused(void **state)
{
	(void)state;
	struct doca_buf_pool *none = NULL;
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_pool_create(SIZE_MAX, 1, mmap, &none));
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_pool_create(UINT32_MAX, 1, mmap, &none));
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_pool_create((size_t)UINT32_MAX + 2, 1, mmap, &none));
	expect(DOCA_ERROR_NO_MEMORY, doca_buf_pool_create(((size_t)1 << 28) + 1, 1, mmap, &none));
	assert_null(none);
}

static void every_function_refuses_null(void **state)
{
	(void)state;
	uint32_t number;
	size_t size;
	union doca_data data = {0};
	struct doca_buf *buf;
	expect_invalid(doca_buf_pool_destroy(NULL));
	expect_invalid(doca_buf_pool_start(NULL));
	expect_invalid(doca_buf_pool_stop(NULL));
	expect_invalid(doca_buf_pool_buf_alloc(NULL, &buf));
	expect_invalid(doca_buf_pool_buf_alloc(pool, NULL));
	expect_invalid(doca_buf_pool_set_user_data(NULL, data));
	expect_invalid(doca_buf_pool_set_element_alignment(NULL, 8));
	expect_invalid(doca_buf_pool_get_num_elements(NULL, &number));
	expect_invalid(doca_buf_pool_get_num_elements(pool, NULL));
	expect_invalid(doca_buf_pool_get_num_free_elements(NULL, &number));
	expect_invalid(doca_buf_pool_get_num_free_elements(pool, NULL));
	expect_invalid(doca_buf_pool_get_user_data(NULL, &data));
	expect_invalid(doca_buf_pool_get_user_data(pool, NULL));
	expect_invalid(doca_buf_pool_get_element_alignment(NULL, &size));
	expect_invalid(doca_buf_pool_get_element_alignment(pool, NULL));
}

static void nothing_is_taken_unless_the_pool_is_started(void **state)
{
	(void)state;
	struct doca_buf *buf = NULL;
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf));
	expect_success(doca_buf_pool_start(pool));
	put(alloc());
	expect_success(doca_buf_pool_stop(pool));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf));
	assert_null(buf);
	assert_int_equal(PIECES, pool_free());
}

static void starting_and_stopping_twice_changes_nothing(void **state)
{
	(void)state;
	expect_success(doca_buf_pool_stop(pool));
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *first = alloc();
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *second = alloc();
	assert_ptr_not_equal(first, second);
	assert_ptr_not_equal(head_of(first), head_of(second));
	put(first);
	put(second);
	expect_success(doca_buf_pool_stop(pool));
	expect_success(doca_buf_pool_stop(pool));
}

static void a_buf_is_one_piece_without_data_and_with_one_reference(void **state)
{
	(void)state;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
	assert_window(buf, 0, PIECE, 0, 0);
	assert_int_equal(1, refcount(buf));
	put(buf);
}

static void the_pieces_lie_side_by_side_in_the_map(void **state)
{
	(void)state;
	struct doca_buf *bufs[PIECES];
	bool seen[PIECES] = {false};
	expect_success(doca_buf_pool_start(pool));
	for (int i = 0; i < PIECES; i++) {
		bufs[i] = alloc();
		size_t offset = (size_t)(head_of(bufs[i]) - memory);
		assert_int_equal(0, offset % PIECE);
		assert_true(offset < PIECES * PIECE);
		assert_false(seen[offset / PIECE]);
		seen[offset / PIECE] = true;
		assert_window(bufs[i], offset, PIECE, offset, 0);
	}
	for (int i = 0; i < PIECES; i++)
		put(bufs[i]);
}

static void counters_follow_what_is_taken_and_returned(void **state)
{
	(void)state;
	uint32_t elements = 0;
	assert_int_equal(PIECES, pool_free());
	expect_success(doca_buf_pool_start(pool));
	assert_int_equal(PIECES, pool_free());
	assert_int_equal(0, num_bufs());
	struct doca_buf *first = alloc();
	struct doca_buf *second = alloc();
	assert_int_equal(PIECES - 2, pool_free());
	assert_int_equal(2, num_bufs());
	put(first);
	assert_int_equal(PIECES - 1, pool_free());
	put(second);
	assert_int_equal(PIECES, pool_free());
	assert_int_equal(0, num_bufs());
	expect_success(doca_buf_pool_get_num_elements(pool, &elements));
	assert_int_equal(PIECES, elements);
	/* The inventory beside it has nothing to do with it. */
	assert_int_equal(ELEMENTS, num_free());
}

static void an_exhausted_pool_answers_empty_until_a_buf_returns(void **state)
{
	(void)state;
	struct doca_buf *bufs[PIECES];
	struct doca_buf *more = NULL;
	expect_success(doca_buf_pool_start(pool));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < PIECES; i++) {
			bufs[i] = alloc();
			for (int j = 0; j < i; j++)
				assert_ptr_not_equal(head_of(bufs[j]), head_of(bufs[i]));
		}
		expect(DOCA_ERROR_EMPTY, doca_buf_pool_buf_alloc(pool, &more));
		assert_null(more);
		uint8_t *piece = head_of(bufs[2]);
		put(bufs[2]);
		bufs[2] = alloc();
		assert_ptr_equal(piece, head_of(bufs[2]));
		for (int i = 0; i < PIECES; i++)
			put(bufs[i]);
	}
}

static void a_buf_returns_with_its_last_reference_only(void **state)
{
	(void)state;
	uint16_t before = 0;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
	expect_success(doca_buf_inc_refcount(buf, &before));
	assert_int_equal(1, before);
	expect_success(doca_buf_dec_refcount(buf, &before));
	assert_int_equal(2, before);
	assert_int_equal(PIECES - 1, pool_free());
	expect_success(doca_buf_dec_refcount(buf, &before));
	assert_int_equal(1, before);
	assert_int_equal(PIECES, pool_free());
	expect(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(buf, NULL));
	assert_int_equal(PIECES, pool_free());
}

static void a_returned_buf_comes_back_without_data(void **state)
{
	(void)state;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
	expect_success(doca_buf_set_data(buf, memory + 7, 50));
	put(buf);
	assert_ptr_equal(buf, alloc());
	assert_window(buf, 0, PIECE, 0, 0);
	assert_int_equal(1, refcount(buf));
	put(buf);
}

static void neither_stop_nor_destroy_while_bufs_are_out(void **state)
{
	(void)state;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
	expect(DOCA_ERROR_IN_USE, doca_buf_pool_stop(pool));
	expect(DOCA_ERROR_IN_USE, doca_buf_pool_destroy(pool));
	/* Refused as a whole: it still gives buffers. */
	put(alloc());
	put(buf);
	expect_success(doca_buf_pool_stop(pool));
}

static void the_map_stays_while_bufs_are_out(void **state)
{
	(void)state;
	struct doca_buf *none = NULL;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
#ifndef OLDER_CORE /* where the map stops */
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
#endif
	expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	put(buf);
	expect_success(doca_mmap_stop(mmap));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &none));
	assert_null(none);
	expect_success(doca_mmap_start(mmap));
	put(alloc());
}

static void a_pool_may_outlive_its_map(void **state)
{
	(void)state;
	struct doca_mmap *map;
	struct doca_buf_pool *other;
	struct doca_buf *buf;
	expect_success(doca_mmap_create(&map));
	expect_success(doca_mmap_set_memrange(map, memory, MEMORY));
	expect_success(doca_mmap_start(map));
	expect_success(doca_buf_pool_create(1, 1, map, &other));
	expect_success(doca_buf_pool_start(other));
	expect_success(doca_buf_pool_buf_alloc(other, &buf));
	put(buf);
	expect_success(doca_mmap_destroy(map));
	expect_success(doca_buf_pool_stop(other));
	expect_success(doca_buf_pool_destroy(other));
}

static void start_with(doca_error_t expected, size_t elements, size_t size, size_t alignment)
{
	struct doca_buf_pool *other;
	expect_success(doca_buf_pool_create(elements, size, mmap, &other));
	expect_success(doca_buf_pool_set_element_alignment(other, alignment));
	expect(expected, doca_buf_pool_start(other));
	expect_success(doca_buf_pool_destroy(other));
}

static void all_elements_must_fit_in_the_map(void **state)
{
	(void)state;
	start_with(DOCA_SUCCESS, 1, MEMORY, 1);
	start_with(DOCA_SUCCESS, MEMORY, 1, 1);
	start_with(DOCA_SUCCESS, 10, MEMORY / 10, 1);
	start_with(DOCA_ERROR_INITIALIZATION, 1, MEMORY + 1, 1);
	start_with(DOCA_ERROR_INITIALIZATION, MEMORY + 1, 1, 1);
	start_with(DOCA_ERROR_INITIALIZATION, 10, MEMORY / 10 + 1, 1);
	start_with(DOCA_ERROR_INITIALIZATION, 1, SIZE_MAX, 1);
	start_with(DOCA_ERROR_INITIALIZATION, 2, SIZE_MAX / 2 + 1, 1);
	start_with(DOCA_ERROR_INITIALIZATION, 2, SIZE_MAX, 1);
}

static void alignment_takes_its_room_in_the_map(void **state)
{
	(void)state;
	/* The map's address leaves that much in front of the first multiple of 64. */
	size_t front = (size_t)(-(uintptr_t)memory & 63);
	start_with(DOCA_SUCCESS, 1, MEMORY - front, 64);
	start_with(DOCA_ERROR_INITIALIZATION, 1, MEMORY - front + 1, 64);
	/* 8 strides of 64, and one byte behind them. */
	start_with(DOCA_SUCCESS, (MEMORY - front - 1) / 64 + 1, 1, 64);
	start_with(DOCA_ERROR_INITIALIZATION, (MEMORY - front - 1) / 64 + 2, 1, 64);
	start_with(DOCA_ERROR_INITIALIZATION, 1, 1, (size_t)1 << 63);
	start_with(DOCA_ERROR_INITIALIZATION, 1, SIZE_MAX, 2);
	start_with(DOCA_ERROR_INITIALIZATION, 1, SIZE_MAX - 2, 64);
}

static void a_refused_start_leaves_the_pool_stopped(void **state)
{
	(void)state;
	struct doca_buf *buf = NULL;
	expect_success(doca_buf_pool_set_element_alignment(pool, 4096));
	expect(DOCA_ERROR_INITIALIZATION, doca_buf_pool_start(pool));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf));
	assert_null(buf);
	expect_success(doca_buf_pool_set_element_alignment(pool, 1));
	expect_success(doca_buf_pool_start(pool));
	put(alloc());
}

static void every_address_is_a_multiple_of_the_alignment(void **state)
{
	(void)state;
	struct doca_buf *bufs[PIECES];
	expect_success(doca_buf_pool_set_element_alignment(pool, 64));
	expect_success(doca_buf_pool_start(pool));
	for (int i = 0; i < PIECES; i++) {
		bufs[i] = alloc();
		uint8_t *head = head_of(bufs[i]);
		assert_int_equal(0, (uintptr_t)head % 64);
		assert_true(head >= memory && head + PIECE <= memory + MEMORY);
		for (int j = 0; j < i; j++)
			assert_true(head >= head_of(bufs[j]) + PIECE || head + PIECE <= head_of(bufs[j]));
	}
	for (int i = 0; i < PIECES; i++)
		put(bufs[i]);
}

static void a_new_alignment_moves_pieces_that_were_used_before(void **state)
{
	(void)state;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
	assert_ptr_equal(memory, head_of(buf)); /* an odd address */
	put(buf);
	expect_success(doca_buf_pool_stop(pool));
	expect_success(doca_buf_pool_set_element_alignment(pool, 2));
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *bufs[PIECES];
	for (int i = 0; i < PIECES; i++) {
		bufs[i] = alloc();
		assert_int_equal(0, (uintptr_t)head_of(bufs[i]) % 2);
	}
	for (int i = 0; i < PIECES; i++)
		put(bufs[i]);
}

static void alignment_is_a_power_of_two(void **state)
{
	(void)state;
	size_t alignment = 0;
	expect_success(doca_buf_pool_get_element_alignment(pool, &alignment));
	assert_int_equal(1, alignment);
	expect_invalid(doca_buf_pool_set_element_alignment(pool, 0));
	expect_invalid(doca_buf_pool_set_element_alignment(pool, 3));
	expect_invalid(doca_buf_pool_set_element_alignment(pool, SIZE_MAX));
	expect_success(doca_buf_pool_set_element_alignment(pool, 16));
	expect_success(doca_buf_pool_get_element_alignment(pool, &alignment));
	assert_int_equal(16, alignment);
}

static void properties_are_frozen_while_the_pool_is_started(void **state)
{
	(void)state;
	union doca_data data = {.u64 = 1};
	size_t alignment = 0;
	expect_success(doca_buf_pool_get_user_data(pool, &data));
	assert_int_equal(0, data.u64);
	data.u64 = 5;
	expect_success(doca_buf_pool_set_user_data(pool, data));
	expect_success(doca_buf_pool_start(pool));
	data.u64 = 6;
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_user_data(pool, data));
	expect(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_element_alignment(pool, 2));
	expect_success(doca_buf_pool_get_user_data(pool, &data));
	assert_int_equal(5, data.u64);
	expect_success(doca_buf_pool_get_element_alignment(pool, &alignment));
	assert_int_equal(1, alignment);
	expect_success(doca_buf_pool_stop(pool));
	data.u64 = 6;
	expect_success(doca_buf_pool_set_user_data(pool, data));
	expect_success(doca_buf_pool_get_user_data(pool, &data));
	assert_int_equal(6, data.u64);
}

static void bufs_of_pool_and_inventory_mix_in_a_list(void **state)
{
	(void)state;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *head = alloc();
	expect_success(doca_buf_chain_list(head, take(500, 10)));
	expect_success(doca_buf_chain_list(head, alloc()));
	assert_int_equal(PIECES - 2, pool_free());
	assert_int_equal(ELEMENTS - 1, num_free());
	put(head);
	assert_int_equal(PIECES, pool_free());
	assert_int_equal(ELEMENTS, num_free());
	assert_int_equal(0, num_bufs());
	put(alloc());
}

static void a_buf_of_a_pool_is_duplicated_into_an_inventory(void **state)
{
	(void)state;
	struct doca_buf *copy;
	expect_success(doca_buf_pool_start(pool));
	struct doca_buf *buf = alloc();
	expect_success(doca_buf_set_data(buf, memory + 3, 4));
	expect_success(doca_buf_inventory_buf_dup(inventory, buf, &copy));
	assert_window(copy, 0, PIECE, 3, 4);
	assert_int_equal(ELEMENTS - 1, num_free());
	put(buf);
	assert_int_equal(PIECES, pool_free());
	put(copy);
	assert_int_equal(ELEMENTS, num_free());
	assert_int_equal(PIECES, pool_free());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		pool_test(creating_needs_a_number_a_size_and_a_map),
		pool_test(only_the_start_needs_a_started_map),
		pool_test(more_elements_than_fit_in_all_memory_are_refused),
		pool_test(every_function_refuses_null),
		pool_test(nothing_is_taken_unless_the_pool_is_started),
		pool_test(starting_and_stopping_twice_changes_nothing),
		pool_test(a_buf_is_one_piece_without_data_and_with_one_reference),
		pool_test(the_pieces_lie_side_by_side_in_the_map),
		pool_test(counters_follow_what_is_taken_and_returned),
		pool_test(an_exhausted_pool_answers_empty_until_a_buf_returns),
		pool_test(a_buf_returns_with_its_last_reference_only),
		pool_test(a_returned_buf_comes_back_without_data),
		pool_test(neither_stop_nor_destroy_while_bufs_are_out),
		pool_test(the_map_stays_while_bufs_are_out),
		pool_test(a_pool_may_outlive_its_map),
		pool_test(all_elements_must_fit_in_the_map),
		pool_test(alignment_takes_its_room_in_the_map),
		pool_test(a_refused_start_leaves_the_pool_stopped),
		pool_test(every_address_is_a_multiple_of_the_alignment),
		pool_test(a_new_alignment_moves_pieces_that_were_used_before),
		pool_test(alignment_is_a_power_of_two),
		pool_test(properties_are_frozen_while_the_pool_is_started),
		pool_test(bufs_of_pool_and_inventory_mix_in_a_list),
		pool_test(a_buf_of_a_pool_is_duplicated_into_an_inventory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
