/* A started map over some memory and a started inventory, made anew for every test. */
#ifndef TEST_BUF_FIXTURE_H
#define TEST_BUF_FIXTURE_H

#include "memory/memory.h"
#include "support.h"

#define MEMORY 1000
#define ELEMENTS 8

static uint8_t storage[MEMORY + 2];
static uint8_t *const memory = storage + 1; /* odd, and with memory on both sides that is not in the map */
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;

#define buf_test(test) cmocka_unit_test_setup_teardown(test, buf_setup, buf_teardown)

static inline int buf_setup(void **state)
{
	(void)state;
	expect_success(doca_mmap_create(&mmap));
	expect_success(doca_mmap_set_memrange(mmap, memory, MEMORY));
	expect_success(doca_mmap_start(mmap));
	expect_success(doca_buf_inventory_create(ELEMENTS, &inventory));
	expect_success(doca_buf_inventory_start(inventory));
	return 0;
}

/* Both fail when a test has kept a buf. */
static inline int buf_teardown(void **state)
{
	(void)state;
	expect_success(doca_mmap_destroy(mmap));
	expect_success(doca_buf_inventory_destroy(inventory));
	return 0;
}

static inline struct doca_buf *take(size_t offset, size_t len)
{
	struct doca_buf *buf;
	expect_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + offset, len, &buf));
	return buf;
}

static inline void put(struct doca_buf *buf)
{
	expect_success(doca_buf_dec_refcount(buf, NULL));
}

static inline uint16_t refcount(const struct doca_buf *buf)
{
	uint16_t count = UINT16_MAX;
	expect_success(doca_buf_get_refcount(buf, &count));
	return count;
}

static inline uint32_t num_free(void)
{
	uint32_t number = UINT32_MAX;
	expect_success(doca_buf_inventory_get_num_free_elements(inventory, &number));
	return number;
}

static inline uint32_t num_bufs(void)
{
	uint32_t number = UINT32_MAX;
	expect_success(doca_mmap_get_num_bufs(mmap, &number));
	return number;
}

static inline struct doca_buf *next_of(struct doca_buf *buf)
{
	struct doca_buf *next;
	expect_success(doca_buf_get_next_in_list(buf, &next));
	return next;
}

/* A list whose n-th buf is the n-th byte of the memory. */
static inline struct doca_buf *list_of(size_t len)
{
	struct doca_buf *head = take(0, 1);
	for (size_t i = 1; i < len; i++)
		expect_success(doca_buf_chain_list(head, take(i, 1)));
	return head;
}

/* Offsets from the start of the memory. */
static inline void assert_window(const struct doca_buf *buf, size_t head, size_t len, size_t data, size_t data_len)
{
	void *pointer = NULL;
	size_t size = SIZE_MAX;
	expect_success(doca_buf_get_head(buf, &pointer));
	assert_ptr_equal(memory + head, pointer);
	expect_success(doca_buf_get_len(buf, &size));
	assert_int_equal(len, size);
	expect_success(doca_buf_get_data(buf, &pointer));
	assert_ptr_equal(memory + data, pointer);
	expect_success(doca_buf_get_data_len(buf, &size));
	assert_int_equal(data_len, size);
}

#endif
