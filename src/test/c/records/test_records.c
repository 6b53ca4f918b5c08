/* The format of records, as docs/records.md says and Java's RecordWriter and RecordReader do. */
#include <stdlib.h>
#include <sys/mman.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "comch4j_records.h"

static struct comch4j_record_writer writer;
static struct comch4j_record_reader reader;
static struct comch4j_record record;
static struct comch4j_record_stream stream;
static uint64_t words[64];
static uint8_t *const bytes = (uint8_t *)words;

static int set_up(void **state)
{
	(void)state;
	memset(words, 0xee, sizeof(words));
	stream = (struct comch4j_record_stream){.writer = 0x0a0b0c0d, .next = 0x00010203};
	comch4j_records_write(&writer, bytes, sizeof(words));
	return 0;
}

static void a_message_has_the_documented_bytes(void **state)
{
	(void)state;
	/* clang-format off */
	static const uint8_t expected[] = {
		3, 2, 1, 0, 0x0d, 0x0c, 0x0b, 0x0a,
		3, 0, 0, 0, 4, 3, 2, 1, 'a', 'b', 'c', 0xee, 0xee, 0xee, 0xee, 0xee,
		0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
		8, 0, 0, 0, 7, 0, 0, 0, '1', '2', '3', '4', '5', '6', '7', '8',
	};
	/* clang-format on */
	assert_true(comch4j_record_append(&writer, "abc", 3, 0x01020304));
	assert_true(comch4j_record_append(&writer, NULL, 0, UINT32_MAX));
	assert_true(comch4j_record_append(&writer, "12345678", 8, 7));
	assert_int_equal(sizeof(expected), comch4j_records_end(&writer, &stream));
	assert_memory_equal(expected, bytes, sizeof(expected));
	assert_int_equal(0x00010204, stream.next);
}

static void what_was_written_is_read(void **state)
{
	(void)state;
	for (uint32_t len = 0; len <= 20; len++) {
		uint8_t *room = comch4j_record_claim(&writer, len, 100 + len);
		assert_non_null(room);
		assert_int_equal(0, (room - bytes) % 8);
		memset(room, (int)len, len);
		assert_true(comch4j_record_commit(&writer, len));
	}
	comch4j_records_read(&reader, bytes, writer.len);
	for (uint32_t len = 0; len <= 20; len++) {
		assert_true(comch4j_record_next(&reader, &record));
		assert_int_equal(len, record.len);
		assert_int_equal(100 + len, record.type);
		for (uint32_t i = 0; i < len; i++)
			assert_int_equal(len, record.bytes[i]);
	}
	assert_false(comch4j_record_next(&reader, &record));
	assert_true(comch4j_records_are_whole(&reader));
}

static void what_does_not_fit_is_refused_and_changes_nothing(void **state)
{
	(void)state;
	comch4j_records_write(&writer, bytes, 38); /* 32 of them are of use */
	assert_null(comch4j_record_claim(&writer, 17, 1));
	assert_null(comch4j_record_claim(&writer, UINT32_MAX, 1));
	assert_null(comch4j_record_claim(&writer, COMCH4J_RECORD_MAX, 1));
	assert_null(comch4j_record_claim(&writer, COMCH4J_RECORD_MAX + 1, 1));
	assert_int_equal(8, writer.len);
	assert_non_null(comch4j_record_claim(&writer, 16, 1));
	assert_true(comch4j_record_commit(&writer, 16));
	assert_int_equal(32, writer.len);
	assert_null(comch4j_record_claim(&writer, 0, 1));
	assert_false(comch4j_record_append(&writer, "x", 1, 1));
	assert_int_equal(32, writer.len);
	for (size_t i = 32; i < sizeof(words); i++)
		assert_int_equal(0xee, bytes[i]);
	comch4j_records_write(&writer, bytes, 32);
	assert_non_null(comch4j_record_claim(&writer, 16, 1)); /* just enough */
	for (size_t capacity = 0; capacity < 16; capacity++) {
		comch4j_records_write(&writer, bytes, capacity);
		assert_null(comch4j_record_claim(&writer, 0, 1));
		assert_int_equal(0, comch4j_records_end(&writer, &stream));
	}
}

static void one_record_is_claimed_at_a_time(void **state)
{
	(void)state;
	assert_false(comch4j_record_commit(&writer, 0));
	void *room = comch4j_record_claim(&writer, 10, 1);
	assert_non_null(room);
	assert_null(comch4j_record_claim(&writer, 1, 1));
	assert_false(comch4j_record_append(&writer, "x", 1, 1));
	assert_false(comch4j_record_commit(&writer, 11));
	comch4j_record_abort(&writer);
	assert_false(comch4j_record_commit(&writer, 0));
	assert_int_equal(8, writer.len);
	assert_ptr_equal(room, comch4j_record_claim(&writer, 40, 2));
	memcpy(room, "short", 5);
	assert_true(comch4j_record_commit(&writer, 5)); /* turned out shorter */
	assert_int_equal(24, writer.len);
	comch4j_records_read(&reader, bytes, writer.len);
	assert_true(comch4j_record_next(&reader, &record));
	assert_int_equal(5, record.len);
	assert_int_equal(2, record.type);
}

static bool count(const struct comch4j_record *taken, void *own)
{
	(void)taken;
	++*(int *)own;
	return true;
}

/* As RecordReader does. A copy of exactly its length, so that a sanitizer sees what is read beyond it. */
static bool is_whole(int records_expected, size_t number, const char *rows, size_t len)
{
	uint8_t *copy = malloc(number + len);
	assert_non_null(copy);
	memset(copy, 0x7f, number);
	memcpy(copy + number, rows, len);
	int records = 0;
	bool whole = comch4j_records_for_each(copy, number + len, count, &records);
	assert_int_equal(records_expected, records);
	free(copy);
	return whole;
}

static void expect_corrupt(int records_before, const char *rows, size_t len)
{
	assert_false(is_whole(records_before, 8, rows, len));
}

static void what_is_not_a_row_of_records_is_refused(void **state)
{
	(void)state;
	expect_corrupt(0, "\1", 1);
	expect_corrupt(0, "\0\0\0\0\0\0\0", 7);
	expect_corrupt(0, "\1\0\0\0\0\0\0\0", 8);           /* longer than the message */
	expect_corrupt(0, "\xff\xff\xff\xff\0\0\0\0\0", 9); /* negative */
	expect_corrupt(0, "\xff\xff\xff\x7f\0\0\0\0\0", 9); /* the largest */
	expect_corrupt(1, "\1\0\0\0\0\0\0\0x", 9);          /* without its padding */
	expect_corrupt(1, "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
	expect_corrupt(1, "\0\0\0\0\0\0\0\0\1\2\3", 11);
	for (size_t number = 0; number < 8; number++)
		assert_false(is_whole(0, number, "", 0)); /* a message without its number is none */
	assert_true(is_whole(0, 8, "", 0));
	assert_true(is_whole(1, 8, "\0\0\0\0\0\0\0", 8)); /* an empty one at the end */
}

/* Of a message that bears that number. */
static uint32_t missing(uint32_t own, uint32_t number, struct comch4j_record_stream *kept)
{
	stream = (struct comch4j_record_stream){.writer = own, .next = number};
	comch4j_records_write(&writer, bytes, sizeof(words));
	assert_true(comch4j_record_append(&writer, "r", 1, 1));
	comch4j_records_read(&reader, bytes, comch4j_records_end(&writer, &stream));
	return comch4j_records_missing(&reader, kept);
}

static void what_is_missing_is_told(void **state)
{
	(void)state;
	struct comch4j_record_stream kept = {0};
	assert_int_equal(0, missing(7, 0, &kept));
	assert_int_equal(0, missing(7, 1, &kept));
	assert_int_equal(1, missing(7, 3, &kept));
	assert_int_equal(0, missing(7, 4, &kept));
	assert_int_equal(10, missing(7, 15, &kept));
	assert_int_equal(0, missing(8, 0, &kept)); /* another writer */
	assert_int_equal(2, missing(9, 2, &kept));
	kept.next = UINT32_MAX;
	assert_int_equal(0, missing(9, UINT32_MAX, &kept));
	assert_int_equal(0, missing(9, 0, &kept)); /* numbers begin anew */
	kept = (struct comch4j_record_stream){0};
	assert_int_equal(1, missing(0, 1, &kept));
}

static void a_message_without_records_takes_no_number(void **state)
{
	(void)state;
	assert_int_equal(0, comch4j_records_end(&writer, &stream));
	assert_non_null(comch4j_record_claim(&writer, 8, 1));
	comch4j_record_abort(&writer);
	assert_int_equal(0, comch4j_records_end(&writer, &stream));
	assert_int_equal(0x00010203, stream.next);
}

/* Of a message that is long enough for more. */
static void the_longest_record_is_that_of_java(void **state)
{
	(void)state;
	const size_t len = (size_t)3 << 30;
	uint32_t *message = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(message != MAP_FAILED);
	message[2] = COMCH4J_RECORD_MAX + 1;
	comch4j_records_read(&reader, message, len);
	assert_false(comch4j_record_next(&reader, &record));
	message[2] = COMCH4J_RECORD_MAX;
	assert_true(comch4j_record_next(&reader, &record));
	assert_int_equal(COMCH4J_RECORD_MAX, record.len);
	comch4j_records_write(&writer, message, len);
	assert_null(comch4j_record_claim(&writer, COMCH4J_RECORD_MAX + 1, 1));
	assert_non_null(comch4j_record_claim(&writer, COMCH4J_RECORD_MAX, 1));
	assert_int_equal(0, munmap(message, len));
}

static bool stop_at_second(const struct comch4j_record *taken, void *own)
{
	(void)taken;
	return ++*(int *)own < 2;
}

static void taking_can_be_ended(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(comch4j_record_append(&writer, "r", 1, (uint32_t)i));
	int taken = 0;
	assert_false(comch4j_records_for_each(bytes, writer.len, stop_at_second, &taken));
	assert_int_equal(2, taken);
	taken = 0;
	assert_true(comch4j_records_for_each(bytes, writer.len, count, &taken));
	assert_int_equal(4, taken);
}

static void a_message_may_begin_anywhere(void **state)
{
	(void)state;
	for (size_t offset = 0; offset < 8; offset++) {
		comch4j_records_write(&writer, bytes + offset, 64);
		assert_true(comch4j_record_append(&writer, "one", 3, 1));
		assert_true(comch4j_record_append(&writer, "two", 3, 2));
		int taken = 0;
		assert_true(comch4j_records_for_each(bytes + offset, writer.len, count, &taken));
		assert_int_equal(2, taken);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_message_has_the_documented_bytes, set_up),
		cmocka_unit_test_setup(what_was_written_is_read, set_up),
		cmocka_unit_test_setup(what_does_not_fit_is_refused_and_changes_nothing, set_up),
		cmocka_unit_test_setup(one_record_is_claimed_at_a_time, set_up),
		cmocka_unit_test_setup(what_is_not_a_row_of_records_is_refused, set_up),
		cmocka_unit_test_setup(what_is_missing_is_told, set_up),
		cmocka_unit_test_setup(a_message_without_records_takes_no_number, set_up),
		cmocka_unit_test_setup(the_longest_record_is_that_of_java, set_up),
		cmocka_unit_test_setup(taking_can_be_ended, set_up),
		cmocka_unit_test_setup(a_message_may_begin_anywhere, set_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
