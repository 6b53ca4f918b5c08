/* Hash tables: from keys of 32 bits to values of 64. */
#ifndef EMU_DPA_HASH_TABLE_H
#define EMU_DPA_HASH_TABLE_H

#include "device.h"

struct doca_dpa_hash_table;

/* Inside a device call. False: it is full. */
bool hash_table_add(struct doca_dpa_hash_table *table, uint32_t key, uint64_t value);
void hash_table_remove(struct doca_dpa_hash_table *table, uint32_t key);
bool hash_table_find(struct doca_dpa_hash_table *table, uint32_t key, uint64_t *value);

#endif
