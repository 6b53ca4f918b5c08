/* Exporting a memory map to a process at the other end of the emulated PCIe bus. */
#ifndef EMU_MMAP_EXPORT_H
#define EMU_MMAP_EXPORT_H

#include "memory/mmap_internal.h"

struct doca_mmap *emu_mmap_new(void);
void emu_mmap_free(struct doca_mmap *mmap);

/* With the map's lock held. */
doca_error_t emu_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Gives it the number of a new start. */
void emu_mmap_register(struct doca_mmap *mmap);

/* Frees the descriptors and makes the maps that this process imported from them useless. */
void emu_mmap_drop_exports(struct doca_mmap *mmap);

#endif
