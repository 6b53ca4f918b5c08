/* The fuzzer as the peer that writes a message of records, and as a program that writes one: what is read lies within
 * the message, and what was written is read. */
#include <stdio.h>
#include <stdlib.h>

#include "comch4j_records.h"
#include "input.h"

#define REQUIRE(condition) ((condition) ? (void)0 : violated(__LINE__, #condition))

static _Noreturn void violated(int line, const char *what)
{
	fprintf(stderr, "fuzz_records.c:%d: %s does not hold\n", line, what);
	abort();
}

static volatile uint8_t sum;

struct seen {
	const uint8_t *begin, *end, *last;
};

static bool look(const struct comch4j_record *record, void *own)
{
	struct seen *seen = own;
	REQUIRE(record->bytes >= seen->last + COMCH4J_RECORD_HEADER &&
		record->len <= (size_t)(seen->end - record->bytes));
	REQUIRE((record->bytes - seen->begin) % 8 == 0);
	for (uint32_t i = 0; i < record->len; i++)
		sum = (uint8_t)(sum + record->bytes[i]);
	seen->last = record->bytes + record->len;
	return true;
}

/* The input is the message, in memory of exactly its size. */
static void read_message(const uint8_t *data, size_t size)
{
	uint8_t *message = malloc(size);
	REQUIRE(message != NULL || size == 0);
	if (size > 0)
		memcpy(message, data, size);
	struct seen seen = {.begin = message, .end = message + size, .last = message};
	bool whole = comch4j_records_for_each(message, size, look, &seen);
	REQUIRE(!whole || (size >= COMCH4J_RECORD_NUMBER && size % 8 == 0));
	free(message);
}

/* The input says what is written. */
static void write_message(struct input in)
{
	size_t capacity = input_u8(&in) * 4u;
	uint8_t *message = malloc(capacity);
	REQUIRE(message != NULL || capacity == 0);
	uint32_t lens[256], types[256], num = 0;
	struct comch4j_record_writer writer;
	struct comch4j_record_stream stream = {.writer = (uint32_t)capacity}, kept = {0};
	comch4j_records_write(&writer, message, capacity);
	while (in.left > 0) {
		uint8_t how = input_u8(&in);
		uint32_t len = how < 0xf0 ? how % 64u : input_u32(&in), type = input_u32(&in);
		size_t before = writer.len;
		uint8_t *room = comch4j_record_claim(&writer, len, type);
		REQUIRE(writer.len == before);
		REQUIRE((room != NULL) == (len <= COMCH4J_RECORD_MAX && before + comch4j_record_size(len) <= capacity));
		if (room == NULL)
			continue;
		REQUIRE(comch4j_record_claim(&writer, 0, type) == NULL);
		memset(room, (int)num, len);
		uint32_t used = how & 1u ? len : len / 2;
		REQUIRE(!comch4j_record_commit(&writer, len + 1));
		if (how % 16 == 3) {
			comch4j_record_abort(&writer);
			continue;
		}
		REQUIRE(comch4j_record_commit(&writer, used));
		REQUIRE(writer.len == before + comch4j_record_size(used) && writer.len <= capacity);
		lens[num] = used;
		types[num++] = type;
	}
	struct comch4j_record_reader reader;
	struct comch4j_record record;
	size_t len = comch4j_records_end(&writer, &stream);
	REQUIRE((len == 0) == (num == 0) && stream.next == (num > 0));
	if (len == 0) {
		free(message);
		return;
	}
	comch4j_records_read(&reader, message, len);
	REQUIRE(comch4j_records_missing(&reader, &kept) == 0);
	for (uint32_t i = 0; i < num; i++) {
		REQUIRE(comch4j_record_next(&reader, &record));
		REQUIRE(record.len == lens[i] && record.type == types[i]);
		for (uint32_t k = 0; k < record.len; k++)
			REQUIRE(record.bytes[k] == (uint8_t)i);
	}
	REQUIRE(!comch4j_record_next(&reader, &record) && comch4j_records_are_whole(&reader));
	free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_message(data, size);
	write_message((struct input){data, size});
	return 0;
}
