/* Memory maps as programs on the DPA see them: their handles, and maps of the DPA's own memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/dpa.h"
#include "memory/mmap_copy.h"
#include "memory/mmap_dpa.h"
#include "memory/mmap_export.h"
#include "memory/mmap_reach.h"
#include "readings.h"

struct emu_dpa_map {
	const struct doca_dev *dev;
	uint32_t handle;
	struct emu_dpa_map *next;
};

/* With the map's lock held. */
static doca_error_t handle_for(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *handle)
{
	struct emu_dpa_map *map = mmap->dpa_maps;
	while (map != NULL && map->dev != dev)
		map = map->next;
	if (map == NULL) {
		map = malloc(sizeof(*map));
		if (map == NULL)
			return DOCA_ERROR_NO_MEMORY;
		*map = (struct emu_dpa_map){.dev = dev, .next = mmap->dpa_maps};
		map->handle = (uint32_t)emu_dpa_publish(EMU_DPA_MMAP, mmap, dev);
		if (map->handle == 0) {
			free(map);
			return DOCA_ERROR_NO_MEMORY;
		}
		mmap->dpa_maps = map;
	}
	*handle = map->handle;
	return DOCA_SUCCESS;
}

void emu_mmap_drop_dpa_handles(struct doca_mmap *mmap)
{
	while (mmap->dpa_maps != NULL) {
		struct emu_dpa_map *map = mmap->dpa_maps;
		mmap->dpa_maps = map->next;
		emu_dpa_unpublish(map->handle);
		free(map);
	}
	if (mmap->zeros != NULL)
		munmap(mmap->zeros, mmap->len);
	mmap->zeros = NULL;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
	if (mmap == NULL || dev == NULL || dpa_mmap_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result;
	pthread_mutex_lock(&mmap->lock);
	if (!atomic_load(&mmap->started))
		result = DOCA_ERROR_NOT_PERMITTED;
	else if (/* guard: map-handle-device */ !emu_mmap_has_dev(mmap, dev))
		result = DOCA_ERROR_NOT_FOUND;
	else if (!emu_dev_reaches_dpa(dev) ||
		 (!emu_mmap_is_own(mmap) && /* guard: map-handle-out-of-reach */ mmap->reach == NULL))
		result = DOCA_ERROR_NOT_SUPPORTED;
	else if (!emu_mmap_is_own(mmap) && /* guard: map-handle-exporter */ !emu_reach_alive(mmap->reach))
		result = READING_MMAP_EXPORTER_GONE;
	else
		result = handle_for(mmap, dev, dpa_mmap_handle);
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa, uint64_t dpa_addr, size_t len)
{
	if (mmap == NULL || dpa == NULL || len == 0 || /* guard: map-memrange-end */ len > UINT64_MAX - dpa_addr)
		return DOCA_ERROR_INVALID_VALUE;
	struct emu_dpa *base = emu_dpa_of(dpa);
	if (!atomic_load(&base->started))
		return READING_DPA_NOT_STARTED;
	if (/* guard: map-memrange-owned */ !base->owns(dpa, dpa_addr, len))
		return READING_DPA_OUT_OF_RANGE;
	doca_error_t result = doca_mmap_set_memrange(mmap, (void *)(uintptr_t)dpa_addr, len);
	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&mmap->lock);
	mmap->dpa = dpa;
	/* The memory is the device's own: the program adds no device. */
	result = emu_mmap_add_dev(mmap, base->dev);
	pthread_mutex_unlock(&mmap->lock);
	return result == DOCA_ERROR_ALREADY_EXIST ? DOCA_SUCCESS : result;
}

/* ---- bytes of a map, for the EU's dpa ---- */

static uint8_t *zeros_of(struct doca_mmap *map)
{
	uint8_t *zeros = atomic_load(&map->zeros), *none = NULL;
	if (zeros != NULL)
		return zeros;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	zeros = mmap(NULL, map->len, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (zeros == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&map->zeros, &none, zeros))
		return zeros;
	munmap(zeros, map->len);
	return none;
}

/* What is left of exported memory when the exporter has ended: its last content, or zeros. A kernel that asks too late
 * gets a pointer all the same, as the process would not outlive its use of none. It is valid as long as the map. */
static void *remains_of(struct doca_mmap *mmap, uint64_t addr)
{
	if (!mmap->from_export || !emu_mmap_contains(mmap, (const uint8_t *)(uintptr_t)addr, 1))
		return NULL;
	uint8_t *last = mmap->reach == NULL ? NULL : emu_reach_here(mmap->reach, addr, 1);
	if (last != NULL)
		return last;
	uint8_t *zeros = zeros_of(mmap);
	return zeros == NULL ? NULL : zeros + (addr - (uint64_t)(uintptr_t)mmap->addr);
}

/* False, and the dpa's error: the map has no such bytes, or they may not be written; `place` then has what is left of
 * those of an exporter that has ended. */
static bool find_bytes(uint32_t handle, uint64_t addr, uint64_t len, bool write, const char *call,
		       struct emu_place *place)
{
	struct doca_mmap *mmap = emu_dpa_find(EMU_DPA_MMAP, handle, call);
	*place = (struct emu_place){.here = NULL};
	if (mmap == NULL)
		return false;
	struct doca_dpa *dpa = emu_dpa_run()->dpa;
	const uint32_t writable = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	/* A map's handles end when it stops: that it is usable is looked at a second time here. */
	if (!emu_mmap_is_within_reach(mmap)) {
		emu_dpa_fail(dpa, "%s: a map that is not started, or whose exporter has ended", call);
		place->here = remains_of(mmap, addr);
	} else if (/* guard: map-bytes */ !emu_mmap_contains(mmap, (const uint8_t *)(uintptr_t)addr, len) ||
		   (mmap->dpa != NULL &&
		    /* guard: map-bytes-owned */ !emu_dpa_of(mmap->dpa)->owns(mmap->dpa, addr, len)))
		emu_dpa_fail(dpa, "%s: %llu bytes at %#llx are not within the map", call, (unsigned long long)len,
			     (unsigned long long)addr);
	else if (write && mmap->dpa == NULL && /* guard: map-writable */ (mmap->permissions & writable) == 0)
		emu_dpa_fail(dpa, "%s: the map's permissions do not let it be written", call);
	else {
		*place = emu_mmap_place(mmap, addr, len);
		return true;
	}
	return false;
}

void *emu_dpa_map_pointer(uint32_t handle, uint64_t addr, const char *call)
{
	struct emu_place place;
	if (!find_bytes(handle, addr, 1, false, call, &place))
		return place.here;
	if (place.here == NULL)
		emu_dpa_fail(emu_dpa_run()->dpa,
			     "%s: the exporter's memory at %#llx cannot be mapped here: it is no ordinary private "
			     "memory, or shares a page with other things of a process that had several threads",
			     call, (unsigned long long)addr);
	return place.here;
}

bool emu_dpa_map_copy(uint32_t dst_map, uint64_t dst, uint32_t src_map, uint64_t src, uint64_t len, const char *call)
{
	struct emu_place to, from;
	if (!find_bytes(src_map, src, len, false, call, &from) || !find_bytes(dst_map, dst, len, true, call, &to))
		return false;
	bool done = emu_mmap_copy_bytes(&to, &from, len);
	if (!done)
		emu_dpa_fail(emu_dpa_run()->dpa, "%s: the exporter's memory cannot be copied", call);
	return done;
}
