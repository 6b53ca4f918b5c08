/* Many small records in one message: the format of RecordWriter and RecordReader (docs/records.md), for C programs.
 *
 * A message begins with its number (32 bits) and that of its writer (32 bits), both little-endian. Then comes a row of
 * records. Each begins at a multiple of 8 bytes: its length (32 bits), its type (32 bits), both little-endian, its
 * bytes, and padding up to a multiple of 8.
 *
 * This header and records.c use the C library only: take both into any program. Nothing here allocates, or keeps a
 * pointer beyond the reader or writer that was given it. One thread at a time uses a reader or writer. */
#ifndef COMCH4J_RECORDS_H
#define COMCH4J_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At the beginning of each message. */
#define COMCH4J_RECORD_NUMBER 8u
/* Before each record. */
#define COMCH4J_RECORD_HEADER 8u
/* The longest record, in bytes: Java's lengths are positive. */
#define COMCH4J_RECORD_MAX ((uint32_t)INT32_MAX - 15u)

/* What a record takes up in a message, with its header and padding. */
static inline size_t comch4j_record_size(uint32_t len)
{
	return (COMCH4J_RECORD_HEADER + (size_t)len + 7) & ~(size_t)7;
}

/* The messages of one writer to one consumer, in their order: the writer has one of these, and so has the reader.
 *
 * A writer begins with a number of its own and 0. No other writer whose messages the same reader gets has the same one:
 * a random number will do. A reader begins with zeros, and has one for each producer, whose id DOCA tells. */
struct comch4j_record_stream {
	uint32_t writer;
	uint32_t next; /* the number of the next message */
};

static inline uint64_t comch4j_record_word(uint32_t low, uint32_t high)
{
	uint64_t word = low | (uint64_t)high << 32;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* What another process may write to is read once. */
static inline uint64_t comch4j_record_read_word(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
	__asm__("" : "+r"(word)); /* keeps the compiler from reading it again */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* ---- writing ---- */

/* A message that is being written. */
struct comch4j_record_writer {
	uint8_t *bytes;
	size_t capacity;
	size_t len;       /* of its number and the records in it */
	uint32_t claimed; /* length and type of the record that is claimed */
	uint32_t type;
	bool is_claimed;
};

/* Begins an empty message in memory of so many bytes, of which its number takes eight. */
static inline void comch4j_records_write(struct comch4j_record_writer *writer, void *bytes, size_t capacity)
{
	writer->bytes = (uint8_t *)bytes;
	writer->capacity = capacity;
	writer->len = COMCH4J_RECORD_NUMBER;
	writer->is_claimed = false;
}

/* Whether no record is in it. */
static inline bool comch4j_records_are_none(const struct comch4j_record_writer *writer)
{
	return writer->len <= COMCH4J_RECORD_NUMBER;
}

/* The message is complete and has the stream's next number: to be called once for each message that is sent, in the
 * order in which they are. Returns how many bytes to send; 0 if no record is in it, which takes no number. */
static inline size_t comch4j_records_end(struct comch4j_record_writer *writer, struct comch4j_record_stream *stream)
{
	if (comch4j_records_are_none(writer))
		return 0;
	uint64_t number = comch4j_record_word(stream->next++, stream->writer);
	memcpy(writer->bytes, &number, sizeof(number));
	return writer->len;
}

/* Room for a record of at most `len` bytes, at a multiple of 8 from the message's begin; NULL if it does not fit into
 * what is left, or another one is claimed: then nothing has changed. */
static inline void *comch4j_record_claim(struct comch4j_record_writer *writer, uint32_t len, uint32_t type)
{
	if (writer->is_claimed || /* guard: record-claim-most */ len > COMCH4J_RECORD_MAX ||
	    /* guard: record-number-room */ writer->capacity < writer->len ||
	    /* guard: record-claim-room */ comch4j_record_size(len) > writer->capacity - writer->len)
		return NULL;
	writer->claimed = len;
	writer->type = type;
	writer->is_claimed = true;
	return writer->bytes + writer->len + COMCH4J_RECORD_HEADER;
}

/* The claimed record is complete, with so many bytes. False, and nothing has changed, if none or less is claimed. */
static inline bool comch4j_record_commit(struct comch4j_record_writer *writer, uint32_t len)
{
	if (!writer->is_claimed || /* guard: record-commit */ len > writer->claimed)
		return false;
	uint64_t header = comch4j_record_word(len, writer->type);
	memcpy(writer->bytes + writer->len, &header, sizeof(header));
	writer->len += comch4j_record_size(len);
	writer->is_claimed = false;
	return true;
}

/* Gives the claimed room back. */
static inline void comch4j_record_abort(struct comch4j_record_writer *writer)
{
	writer->is_claimed = false;
}

/* Claims, copies and commits. False, and nothing has changed, where the claim would be NULL. */
bool comch4j_record_append(struct comch4j_record_writer *writer, const void *bytes, uint32_t len, uint32_t type);

/* ---- reading ---- */

/* A message that is being read. The peer may be able to write into it meanwhile: each header is read once, and no
 * record reaches beyond the message. */
struct comch4j_record_reader {
	const uint8_t *bytes;
	size_t len;
	size_t at;       /* where the next record begins */
	uint32_t number; /* of the message, and of its writer */
	uint32_t writer;
	bool is_short; /* the last record lacks some of its padding, or the message its number */
};

struct comch4j_record {
	const uint8_t *bytes;
	uint32_t len;
	uint32_t type;
};

/* Begins to read a message. */
static inline void comch4j_records_read(struct comch4j_record_reader *reader, const void *bytes, size_t len)
{
	reader->bytes = (const uint8_t *)bytes;
	reader->len = len;
	reader->is_short = /* guard: record-number */ len < COMCH4J_RECORD_NUMBER;
	uint64_t number = reader->is_short ? 0 : comch4j_record_read_word(reader->bytes);
	reader->number = (uint32_t)number;
	reader->writer = (uint32_t)(number >> 32);
	reader->at = reader->is_short ? len : COMCH4J_RECORD_NUMBER;
}

/* How many messages of its writer are missing before this one: usually 0. To be called once for each message that
 * arrives, in the order in which they do; not of one that has no number. A writer that `stream` does not know begins.
 */
static inline uint32_t comch4j_records_missing(const struct comch4j_record_reader *reader,
					       struct comch4j_record_stream *stream)
{
	uint32_t due = reader->writer == stream->writer ? stream->next : 0;
	stream->writer = reader->writer;
	stream->next = reader->number + 1;
	return reader->number - due;
}

/* The next record; false at the end of the message, and where there is no whole record: see comch4j_records_are_whole.
 */
static inline bool comch4j_record_next(struct comch4j_record_reader *reader, struct comch4j_record *record)
{
	size_t left = reader->len - reader->at;
	if (/* guard: record-header */ left < COMCH4J_RECORD_HEADER)
		return false;
	uint64_t header = comch4j_record_read_word(reader->bytes + reader->at);
	uint32_t len = (uint32_t)header;
	if (/* guard: record-most */ len > COMCH4J_RECORD_MAX ||
	    /* guard: record-length */ len > left - COMCH4J_RECORD_HEADER)
		return false;
	record->bytes = reader->bytes + reader->at + COMCH4J_RECORD_HEADER;
	record->len = len;
	record->type = (uint32_t)(header >> 32);
	size_t size = comch4j_record_size(len);
	reader->is_short = size > left;
	reader->at += reader->is_short ? left : size;
	return true;
}

/* After comch4j_record_next was false: whether the message was a number and a row of whole records. */
static inline bool comch4j_records_are_whole(const struct comch4j_record_reader *reader)
{
	return /* guard: records-whole=1 */ reader->at == reader->len &&
	       /* guard: records-padding=1 */ !reader->is_short;
}

/* Calls `take` for each record of a message, first to last, until it returns false. Returns whether all were taken and
 * the message is made of whole records; those before the place where it is not have been taken. It does not look at the
 * number. */
bool comch4j_records_for_each(const void *bytes, size_t len, bool (*take)(const struct comch4j_record *, void *),
			      void *own);

#ifdef __cplusplus
}
#endif

#endif
