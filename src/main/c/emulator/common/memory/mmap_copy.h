/* Bytes of memory maps, wherever they are: in this process, or in the one that has exported them. For DMA and the DPA.
 */
#ifndef EMU_MMAP_COPY_H
#define EMU_MMAP_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"

struct doca_mmap;
struct emu_reach;

struct emu_place {
	uint8_t *here;                /* NULL: only in the process that has exported them */
	const struct emu_reach *away; /* NULL: of this process */
	uint64_t addr;
};

/* An imported map's memory is this process's own if this process has exported it. */
bool emu_mmap_is_own(const struct doca_mmap *mmap);

/* Whether the map is started, and, if it is imported, its exporter lives and this process can get at it. */
EMU_PRIVATE_API bool emu_mmap_is_within_reach(const struct doca_mmap *mmap);

/* Of bytes that lie in a map within reach. */
EMU_PRIVATE_API struct emu_place emu_mmap_place(const struct doca_mmap *mmap, uint64_t addr, uint64_t len);

/* The places may overlap. False: an exporter does not let this process in, or has ended; some bytes may be copied. */
EMU_PRIVATE_API bool emu_mmap_copy_bytes(const struct emu_place *to, const struct emu_place *from, uint64_t len);

#endif
