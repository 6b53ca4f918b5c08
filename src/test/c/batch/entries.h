/* An entry of the ring in parts, as Java takes it apart. */
#ifndef COMCH4J_TEST_ENTRIES_H
#define COMCH4J_TEST_ENTRIES_H

#include "batch.h"

static inline uint32_t entry_slot(const struct batch_entry *entry)
{
	return (uint32_t)entry->what;
}

static inline uint32_t entry_context(const struct batch_entry *entry)
{
	return (uint16_t)(entry->what >> BATCH_CONTEXT_SHIFT);
}

static inline doca_error_t entry_status(const struct batch_entry *entry)
{
	return (doca_error_t)(entry->what >> BATCH_STATUS_SHIFT);
}

static inline uint32_t entry_producer(const struct batch_entry *entry)
{
	return (uint32_t)entry->origin;
}

/* Of immediate data, or of a message. */
static inline uint32_t entry_len(const struct batch_entry *entry)
{
	return (uint32_t)(entry->origin >> 32);
}

#endif
