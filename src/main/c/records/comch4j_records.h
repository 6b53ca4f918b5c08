/* Many small records in one message: the format of RecordWriter and RecordReader (docs/records.md), for C programs.
 *
 * A message is a row of records. Each begins at a multiple of 8 bytes: its length (32 bits), its type (32 bits), both
 * little-endian, its bytes, and padding up to a multiple of 8.
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

/* Before each record. */
#define COMCH4J_RECORD_HEADER 8u
/* The longest record, in bytes: Java's lengths are positive. */
#define COMCH4J_RECORD_MAX ((uint32_t)INT32_MAX - 15u)

/* What a record takes up in a message, with its header and padding. */
static inline size_t comch4j_record_size(uint32_t len)
{
	return (COMCH4J_RECORD_HEADER + (size_t)len + 7) & ~(size_t)7;
}

/* ---- writing ---- */

/* A message that is being written. */
struct comch4j_record_writer {
	uint8_t *bytes;
	size_t capacity;
	size_t len;       /* of the records in it: what is to be sent */
	uint32_t claimed; /* length and type of the record that is claimed */
	uint32_t type;
	bool is_claimed;
};

/* Begins an empty message in memory of so many bytes. */
static inline void comch4j_records_write(struct comch4j_record_writer *writer, void *bytes, size_t capacity)
{
	writer->bytes = (uint8_t *)bytes;
	writer->capacity = capacity;
	writer->len = 0;
	writer->is_claimed = false;
}

/* Room for a record of at most `len` bytes, at a multiple of 8 from the message's begin; NULL if it does not fit into
 * what is left, or another one is claimed: then nothing has changed. */
static inline void *comch4j_record_claim(struct comch4j_record_writer *writer, uint32_t len, uint32_t type)
{
	if (writer->is_claimed || /* guard: record-claim-most */ len > COMCH4J_RECORD_MAX ||
	    /* guard: record-claim-room */ comch4j_record_size(len) > writer->capacity - writer->len)
		return NULL;
	writer->claimed = len;
	writer->type = type;
	writer->is_claimed = true;
	return writer->bytes + writer->len + COMCH4J_RECORD_HEADER;
}

static inline uint64_t comch4j_record_header(uint32_t len, uint32_t type)
{
	uint64_t header = len | (uint64_t)type << 32;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	header = __builtin_bswap64(header);
#endif
	return header;
}

/* The claimed record is complete, with so many bytes. False, and nothing has changed, if none or less is claimed. */
static inline bool comch4j_record_commit(struct comch4j_record_writer *writer, uint32_t len)
{
	if (!writer->is_claimed || /* guard: record-commit */ len > writer->claimed)
		return false;
	uint64_t header = comch4j_record_header(len, writer->type);
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
	size_t at;     /* where the next record begins */
	bool is_short; /* the last record lacks some of its padding */
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
	reader->at = 0;
	reader->is_short = false;
}

/* The next record; false at the end of the message, and where there is no whole record: see comch4j_records_are_whole.
 */
static inline bool comch4j_record_next(struct comch4j_record_reader *reader, struct comch4j_record *record)
{
	size_t left = reader->len - reader->at;
	if (/* guard: record-header */ left < COMCH4J_RECORD_HEADER)
		return false;
	uint64_t header;
	memcpy(&header, reader->bytes + reader->at, sizeof(header));
	__asm__("" : "+r"(header)); /* keeps the compiler from reading it again */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	header = __builtin_bswap64(header);
#endif
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

/* After comch4j_record_next was false: whether the message was a row of whole records. */
static inline bool comch4j_records_are_whole(const struct comch4j_record_reader *reader)
{
	return /* guard: records-whole=1 */ reader->at == reader->len &&
	       /* guard: records-padding=1 */ !reader->is_short;
}

/* Calls `take` for each record of a message, first to last, until it returns false. Returns whether all were taken and
 * the message is made of whole records; those before the place where it is not have been taken. */
bool comch4j_records_for_each(const void *bytes, size_t len, bool (*take)(const struct comch4j_record *, void *),
			      void *own);

#ifdef __cplusplus
}
#endif

#endif
