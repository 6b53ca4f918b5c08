/* Memory maps, inventories and buffers: the structures that the data path reads directly. */
#ifndef EMU_MEMORY_H
#define EMU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_mmap.h"
#include "export.h"

/* One cache line: taking, using and returning a buf touches no other memory of its own. */
struct doca_buf {
	uint8_t *head;
	size_t len;
	uint8_t *data;
	size_t data_len;
	struct doca_mmap *mmap;
	struct doca_buf *next;                /* in a list; among the free ones of the inventory */
	struct doca_buf_inventory *inventory; /* or that of its pool */
	uint16_t refcount;                    /* 0: free. Not atomic: a buf belongs to one thread at a time */
	bool inner;                           /* in a list, and not its head */
	bool remote;                          /* of an imported map: nothing here to dereference */
	/* Of the map at its last start. Who has looked at the map knows its devices and permissions by this number:
	 * no other map has it, not even one that takes its place in memory. */
	uint32_t registration;
};

/* Whether `len` bytes from `addr` on lie in the `size` bytes from `start` on. An address below wraps to a large offset.
 */
static EMU_ALWAYS_INLINE bool emu_contains(const uint8_t *start, size_t size, const uint8_t *addr, size_t len)
{
	size_t offset = (size_t)((uintptr_t)addr - (uintptr_t)start);
	return offset <= size && len <= size - offset;
}

/* A consumer holds on to its memory map, so that it cannot be destroyed under it. Thread safe. */
EMU_PRIVATE_API void emu_mmap_use(struct doca_mmap *mmap);
EMU_PRIVATE_API void emu_mmap_unuse(struct doca_mmap *mmap);

EMU_PRIVATE_API bool emu_mmap_is_started(const struct doca_mmap *mmap);
/* The memory is this process's own (not imported), so that the library may dereference it. */
EMU_PRIVATE_API bool emu_mmap_is_local(const struct doca_mmap *mmap);
/* The process whose memory an imported map describes; 0 for a local one. Unchecked: it came in a descriptor. */
EMU_PRIVATE_API int64_t emu_mmap_owner(const struct doca_mmap *mmap);
EMU_PRIVATE_API uint32_t emu_mmap_permissions(const struct doca_mmap *mmap);
/* Whether the device was added to the map. Without a lock: a started map keeps its devices. */
EMU_PRIVATE_API bool emu_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev);

#endif
