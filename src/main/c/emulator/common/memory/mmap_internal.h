/* Memory maps inside libdoca_common. */
#ifndef EMU_MMAP_INTERNAL_H
#define EMU_MMAP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "doca_types.h"
#include "memory/memory.h"

struct doca_dev;
struct doca_dpa;
struct emu_dpa_map;

/* A descriptor that was handed out for one device; it lives until the stop. */
struct emu_export;

struct doca_mmap {
	/* What taking and returning a buffer reads. Only `started` changes while bufs exist. */
	uint8_t *addr; /* NULL: no range yet */
	size_t len;
	_Atomic bool started;
	bool thread_safe;      /* then bufs are not counted */
	uint32_t num_bufs;     /* not atomic: without thread safety one thread at a time uses the map */
	uint32_t registration; /* a new number at each start of any map, never 0; see doca_buf */

	bool ever_started;
	bool exported;
	bool from_export;
	bool free_cb_armed; /* started since the callback was set */
	uint32_t permissions;
	_Atomic uint32_t users;
	pthread_mutex_t lock; /* everything but the first group */
	union doca_data user_data;
	doca_mmap_memrange_free_cb_t *free_cb;
	void *opaque;
	struct doca_dev **devs;
	uint32_t num_devs;
	uint32_t max_devs;
	struct emu_export *exports;
	/* Links an exported map with the maps that this process imported from it. */
	uint64_t export_id;
	int64_t owner; /* process of an imported map */
	struct doca_mmap *next_shared;
	struct emu_shared_pages *pages; /* of an exported map, for kernels of other processes */
	struct emu_reach *reach;  /* of a map that another process has exported; NULL: nothing of it is within reach */
	_Atomic(uint8_t *) zeros; /* for kernels, when the exporter has ended; NULL: not asked for */
	/* Its names on the DPA, and the dpa whose memory it maps (NULL: the host's). */
	struct emu_dpa_map *dpa_maps;
	struct doca_dpa *dpa;
};

static inline bool emu_mmap_usable(const struct doca_mmap *mmap)
{
	return atomic_load_explicit(&mmap->started, memory_order_relaxed);
}

static inline bool emu_mmap_contains(const struct doca_mmap *mmap, const uint8_t *addr, size_t len)
{
	return emu_contains(mmap->addr, mmap->len, addr, len);
}

static inline void emu_mmap_count_buf(struct doca_mmap *mmap)
{
	if (!mmap->thread_safe)
		mmap->num_bufs++;
}

static inline void emu_mmap_uncount_buf(struct doca_mmap *mmap)
{
	if (!mmap->thread_safe)
		mmap->num_bufs--;
}

#endif
