#include "memory/mmap_copy.h"

#include <string.h>

#include "memory/mmap_internal.h"
#include "memory/mmap_reach.h"

bool emu_mmap_is_own(const struct doca_mmap *mmap)
{
	return emu_mmap_is_local(mmap) || mmap->export_id != 0;
}

bool emu_mmap_is_within_reach(const struct doca_mmap *mmap)
{
	return emu_mmap_usable(mmap) &&
	       (emu_mmap_is_own(mmap) ||
		(mmap->reach != NULL && /* guard: map-exporter-alive=1 */ emu_reach_alive(mmap->reach)));
}

struct emu_place emu_mmap_place(const struct doca_mmap *mmap, uint64_t addr, uint64_t len)
{
	const struct emu_reach *away = emu_mmap_is_own(mmap) ? NULL : mmap->reach;
	return (struct emu_place){.here = away == NULL ? (uint8_t *)(uintptr_t)addr : emu_reach_here(away, addr, len),
				  .away = away,
				  .addr = addr};
}

/* Between two pieces of memory neither of which is here. */
static bool copy_away(const struct emu_place *to, const struct emu_place *from, uint64_t len)
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

bool emu_mmap_copy_bytes(const struct emu_place *to, const struct emu_place *from, uint64_t len)
{
	if (from->here != NULL && to->here != NULL) {
		if (len > 0)
			memmove(to->here, from->here, len);
		return true;
	}
	if (to->here != NULL)
		return emu_reach_read(from->away, to->here, from->addr, len);
	if (from->here != NULL)
		return emu_reach_write(to->away, from->here, to->addr, len);
	return copy_away(to, from, len);
}
