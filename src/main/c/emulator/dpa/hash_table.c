#include "hash_table.h"

#include <stdlib.h>

#include "core/spin.h"
#include "doca_dpa.h"

#define MAX_ENTRIES (1u << 24)
#define NONE UINT32_MAX

struct entry {
	uint64_t value;
	uint32_t key;
	uint32_t next; /* in its bucket, or among the free ones */
};

struct doca_dpa_hash_table {
	struct doca_dpa *dpa;
	uint64_t handle;
	struct emu_spin lock;
	uint32_t num;
	uint32_t free;
	struct entry *entries;
	uint32_t *buckets; /* as many as entries */
};

static uint32_t *bucket_of(struct doca_dpa_hash_table *table, uint32_t key)
{
	return &table->buckets[(uint32_t)(key * 2654435769u) % table->num];
}

/* The link to the entry of a key, or to the end of its bucket. */
static uint32_t *link_to(struct doca_dpa_hash_table *table, uint32_t key)
{
	uint32_t *link = bucket_of(table, key);
	while (*link != NONE && table->entries[*link].key != key)
		link = &table->entries[*link].next;
	return link;
}

bool hash_table_add(struct doca_dpa_hash_table *table, uint32_t key, uint64_t value)
{
	emu_spin_lock(&table->lock);
	uint32_t *link = link_to(table, key);
	if (*link == NONE && /* guard: table-full=1 */ table->free != NONE) {
		uint32_t index = table->free;
		table->free = table->entries[index].next;
		table->entries[index] = (struct entry){.key = key, .next = NONE};
		*link = index;
	}
	bool fits = *link != NONE;
	if (fits)
		table->entries[*link].value = value;
	emu_spin_unlock(&table->lock);
	return fits;
}

void hash_table_remove(struct doca_dpa_hash_table *table, uint32_t key)
{
	emu_spin_lock(&table->lock);
	uint32_t *link = link_to(table, key);
	uint32_t index = *link;
	if (index != NONE) {
		*link = table->entries[index].next;
		table->entries[index].next = table->free;
		table->free = index;
	}
	emu_spin_unlock(&table->lock);
}

bool hash_table_find(struct doca_dpa_hash_table *table, uint32_t key, uint64_t *value)
{
	emu_spin_lock(&table->lock);
	uint32_t index = *link_to(table, key);
	if (index != NONE)
		*value = table->entries[index].value;
	emu_spin_unlock(&table->lock);
	return index != NONE;
}

doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries, struct doca_dpa_hash_table **ht)
{
	if (dpa == NULL || num_entries == 0 || /* guard: table-entries */ num_entries > MAX_ENTRIES || ht == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	struct doca_dpa_hash_table *created = dpa_adopt(dpa, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dpa = dpa;
	created->num = num_entries;
	created->entries = calloc(num_entries, sizeof(created->entries[0]));
	created->buckets = calloc(num_entries, sizeof(created->buckets[0]));
	if (created->entries == NULL || created->buckets == NULL) {
		(void)doca_dpa_hash_table_destroy(created);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (uint32_t i = 0; i < num_entries; i++) {
		created->buckets[i] = NONE;
		created->entries[i].next = i + 1 == num_entries ? NONE : i + 1;
	}
	created->handle = emu_dpa_publish(EMU_DPA_HASH_TABLE, created, dpa);
	if (created->handle == 0) {
		(void)doca_dpa_hash_table_destroy(created);
		return DOCA_ERROR_NO_MEMORY;
	}
	*ht = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht)
{
	if (ht == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_dpa_unpublish(ht->handle);
	free(ht->entries);
	free(ht->buckets);
	dpa_disown(ht->dpa, ht);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht, doca_dpa_dev_hash_table_t *ht_handle)
{
	if (ht == NULL || ht_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*ht_handle = ht->handle;
	return DOCA_SUCCESS;
}
