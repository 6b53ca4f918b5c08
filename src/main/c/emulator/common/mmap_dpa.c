/* Memory maps as programs on the DPA see them: their handles, and maps of the DPA's own memory. */
#include <stdlib.h>
#include <string.h>

#include "dpa.h"
#include "mmap_dpa.h"
#include "mmap_export.h"
#include "mmap_reach.h"
#include "readings.h"

struct emu_dpa_map {
	const struct doca_dev *dev;
	uint32_t handle;
	struct emu_dpa_map *next;
};

/* An imported map's memory is this process's own if this process has exported it. */
static bool is_own(const struct doca_mmap *mmap)
{
	return emu_mmap_is_local(mmap) || mmap->export_id != 0;
}

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
		 (!is_own(mmap) && /* guard: map-handle-out-of-reach */ mmap->reach == NULL))
		result = DOCA_ERROR_NOT_SUPPORTED;
	else if (!is_own(mmap) && /* guard: map-handle-exporter */ !emu_reach_alive(mmap->reach))
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

struct place {
	uint8_t *here;                /* NULL: only in the process that has exported them */
	const struct emu_reach *away; /* NULL: of this process */
	uint64_t addr;
};

/* False, and the dpa's error: the map has no such bytes, or they may not be written. */
static bool find_bytes(uint32_t handle, uint64_t addr, uint64_t len, bool write, const char *call, struct place *place)
{
	struct doca_mmap *mmap = emu_dpa_find(EMU_DPA_MMAP, handle, call);
	if (mmap == NULL)
		return false;
	struct doca_dpa *dpa = emu_dpa_run()->dpa;
	const struct emu_reach *away = is_own(mmap) ? NULL : mmap->reach;
	const uint32_t writable = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	/* A map's handles end when it stops: that it is usable is looked at a second time here. */
	if (!emu_mmap_usable(mmap) || (away != NULL && /* guard: map-exporter-alive */ !emu_reach_alive(away)))
		emu_dpa_fail(dpa, "%s: a map that is not started, or whose exporter has ended", call);
	else if (/* guard: map-bytes */ !emu_mmap_contains(mmap, (const uint8_t *)(uintptr_t)addr, len) ||
		 (mmap->dpa != NULL && /* guard: map-bytes-owned */ !emu_dpa_of(mmap->dpa)->owns(mmap->dpa, addr, len)))
		emu_dpa_fail(dpa, "%s: %llu bytes at %#llx are not within the map", call, (unsigned long long)len,
			     (unsigned long long)addr);
	else if (write && mmap->dpa == NULL && /* guard: map-writable */ (mmap->permissions & writable) == 0)
		emu_dpa_fail(dpa, "%s: the map's permissions do not let it be written", call);
	else {
		uint8_t *here = away == NULL ? (uint8_t *)(uintptr_t)addr : emu_reach_here(away, addr, len);
		*place = (struct place){.here = here, .away = away, .addr = addr};
		return true;
	}
	return false;
}

void *emu_dpa_map_pointer(uint32_t handle, uint64_t addr, const char *call)
{
	struct place place;
	if (!find_bytes(handle, addr, 1, false, call, &place))
		return NULL;
	if (place.here == NULL)
		emu_dpa_fail(emu_dpa_run()->dpa,
			     "%s: the exporter's memory at %#llx cannot be mapped here: it is no ordinary private "
			     "memory, or shares a page with other things of a process that had several threads",
			     call, (unsigned long long)addr);
	return place.here;
}

/* Between two pieces of memory neither of which is here. */
static bool copy_away(const struct place *to, const struct place *from, uint64_t len)
{
	uint8_t part[4096];
	for (uint64_t done = 0; done < len;) {
		uint64_t size = len - done < sizeof(part) ? len - done : sizeof(part);
		if (!emu_reach_read(from->away, part, from->addr + done, size) ||
		    !emu_reach_write(to->away, part, to->addr + done, size))
			return false;
		done += size;
	}
	return true;
}

bool emu_dpa_map_copy(uint32_t dst_map, uint64_t dst, uint32_t src_map, uint64_t src, uint64_t len, const char *call)
{
	struct place to, from;
	if (!find_bytes(src_map, src, len, false, call, &from) || !find_bytes(dst_map, dst, len, true, call, &to))
		return false;
	bool done = true;
	if (from.here != NULL && to.here != NULL) {
		if (len > 0)
			memmove(to.here, from.here, len);
	} else if (to.here != NULL) {
		done = emu_reach_read(from.away, to.here, from.addr, len);
	} else if (from.here != NULL) {
		done = emu_reach_write(to.away, from.here, to.addr, len);
	} else {
		done = copy_away(&to, &from, len);
	}
	if (!done)
		emu_dpa_fail(emu_dpa_run()->dpa, "%s: the exporter's memory cannot be copied", call);
	return done;
}
