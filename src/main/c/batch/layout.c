#include "layout.h"

#include "messages.h"

/* A part of the agreement: a field, a structure, or a constant. */
struct part {
	const char *name;
	uint32_t value; /* offset; of a constant, its value */
	uint32_t size;
};

#define STRUCTURE(type)                                                                                                \
	{                                                                                                              \
#type, 0, sizeof(struct type)                                                                          \
	}
#define FIELD(type, field)                                                                                             \
	{                                                                                                              \
#type "." #field, offsetof(struct type, field), sizeof(((struct type *)NULL)->field)                   \
	}
#define CONSTANT(name)                                                                                                 \
	{                                                                                                              \
#name, (uint32_t)(name), 0                                                                             \
	}

/* NOLINTBEGIN(bugprone-sizeof-expression): of fields, many of which are pointers */
static const struct part parts[] = {
	STRUCTURE(batch_functions),
	FIELD(batch_functions, layout),
	FIELD(batch_functions, progress),
	FIELD(batch_functions, submit),
	FIELD(batch_functions, status),
	FIELD(batch_functions, set_data),
	FIELD(batch_functions, reset_data_len),
	FIELD(batch_functions, get_data_len),
	FIELD(batch_functions, send_set_buf),
	FIELD(batch_functions, send_set_consumer),
	FIELD(batch_functions, send_set_imm),
	FIELD(batch_functions, receive_set_buf),
	FIELD(batch_functions, receive_producer),
	FIELD(batch_functions, receive_imm),
	FIELD(batch_functions, receive_imm_len),
	FIELD(batch_functions, submit_ex),
	FIELD(batch_functions, flush_tasks),
	STRUCTURE(batch_copy_functions),
	FIELD(batch_copy_functions, layout),
	FIELD(batch_copy_functions, set_src),
	FIELD(batch_copy_functions, set_dst),
	STRUCTURE(batch_entry),
	FIELD(batch_entry, data_len),
	FIELD(batch_entry, imm),
	FIELD(batch_entry, origin),
	FIELD(batch_entry, what),
	STRUCTURE(batch_engine),
	FIELD(batch_engine, pe),
	FIELD(batch_engine, ring),
	FIELD(batch_engine, rows),
	FIELD(batch_engine, row),
	FIELD(batch_engine, tail),
	FIELD(batch_engine, messages),
	FIELD(batch_engine, long_messages),
	FIELD(batch_engine, ring_mask),
	FIELD(batch_engine, queued),
	FIELD(batch_engine, others),
	FIELD(batch_engine, stop),
	FIELD(batch_engine, contexts),
	FIELD(batch_engine, freed),
	FIELD(batch_engine, inbox),
	FIELD(batch_engine, long_inbox),
	STRUCTURE(batch_context),
	FIELD(batch_context, engine),
	FIELD(batch_context, next),
	FIELD(batch_context, ctx),
	FIELD(batch_context, slots),
	FIELD(batch_context, data),
	FIELD(batch_context, sources),
	FIELD(batch_context, queue),
	FIELD(batch_context, queue_mask),
	FIELD(batch_context, queue_head),
	FIELD(batch_context, queue_tail),
	FIELD(batch_context, index),
	FIELD(batch_context, kind),
	FIELD(batch_context, flushing),
	FIELD(batch_context, stalls),
	FIELD(batch_context, freed),
	FIELD(batch_context, freed_head),
	FIELD(batch_context, freed_tail),
	FIELD(batch_context, freed_row),
	FIELD(batch_context, next_freed),
	STRUCTURE(batch_slot),
	FIELD(batch_slot, task),
	FIELD(batch_slot, buf),
	FIELD(batch_slot, changes),
	FIELD(batch_slot, consumer),
	FIELD(batch_slot, typed),
	STRUCTURE(batch_data),
	FIELD(batch_data, data),
	FIELD(batch_data, data_len),
	FIELD(batch_data, imm),
	FIELD(batch_data, imm_len),
	FIELD(batch_data, reserved),
	STRUCTURE(batch_source),
	FIELD(batch_source, buf),
	FIELD(batch_source, data),
	FIELD(batch_source, data_len),
	FIELD(batch_source, reserved),
	STRUCTURE(messages_functions),
	FIELD(messages_functions, layout),
	FIELD(messages_functions, server_alloc),
	FIELD(messages_functions, client_alloc),
	FIELD(messages_functions, server_alloc_wide),
	FIELD(messages_functions, client_alloc_wide),
	FIELD(messages_functions, as_task),
	FIELD(messages_functions, set_user_data),
	FIELD(messages_functions, submit),
	FIELD(messages_functions, free_task),
	FIELD(messages_functions, connection_data),
	FIELD(messages_functions, state_changed),
	FIELD(messages_functions, not_sent),
	FIELD(messages_functions, received),
	STRUCTURE(messages_endpoint),
	FIELD(messages_endpoint, server),
	FIELD(messages_endpoint, client),
	FIELD(messages_endpoint, user_data),
	FIELD(messages_endpoint, ended),
	STRUCTURE(messages_connection),
	FIELD(messages_connection, user_data),
	FIELD(messages_connection, ended),
	CONSTANT(BATCH_VERSION),
	CONSTANT(BATCH_CONTEXT_SHIFT),
	CONSTANT(BATCH_STATUS_SHIFT),
	CONSTANT(BATCH_STATE),
	CONSTANT(BATCH_STATES),
	CONSTANT(BATCH_MESSAGE),
	CONSTANT(BATCH_MESSAGES),
	CONSTANT(BATCH_MESSAGE_LEN),
	CONSTANT(BATCH_LONG_MESSAGES),
	CONSTANT(BATCH_LONG_LEN),
	CONSTANT(BATCH_QUEUED),
	CONSTANT(BATCH_ALONE),
	CONSTANT(BATCH_EMPTY),
	CONSTANT(BATCH_BUF),
	CONSTANT(BATCH_CONSUMER),
	CONSTANT(BATCH_DATA),
	CONSTANT(BATCH_IMM),
	CONSTANT(BATCH_SRC),
	CONSTANT(BATCH_SRC_DATA),
	CONSTANT(BATCH_SENDS),
	CONSTANT(BATCH_RECEIVES),
	CONSTANT(BATCH_COPIES),
	CONSTANT(MESSAGES_SUBMIT),
};
/* NOLINTEND(bugprone-sizeof-expression) */

/* FNV-1a, 64 bits. */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)
/* Any odd number with many bits. */
#define MIXER UINT64_C(0x9e3779b97f4a7c15)

static uint64_t hash_of(const struct part *part)
{
	uint64_t hash = FNV_BASIS;
	for (const char *at = part->name; *at != '\0'; at++)
		hash = (hash ^ (uint8_t)*at) * FNV_PRIME;
	hash = (hash ^ part->value) * FNV_PRIME;
	hash = (hash ^ part->size) * FNV_PRIME;
	/* Spreads each bit over all others: otherwise two offsets that are swapped cancel out in the sum. */
	hash = (hash ^ hash >> 32) * MIXER;
	hash = (hash ^ hash >> 32) * MIXER;
	return hash ^ hash >> 32;
}

uint64_t comch4j_batch_layout(void)
{
	uint64_t sum = 0; /* a sum does not depend on the order of the parts */
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += hash_of(&parts[i]);
	return sum;
}
