/* Memory maps and the DPA, inside libdoca_common. */
#ifndef EMU_MMAP_DPA_H
#define EMU_MMAP_DPA_H

#include "memory/mmap_internal.h"

/* Takes back the map's names on the DPA, and what stood in for lost memory: on return no kernel copies to or from its
 * memory. */
void emu_mmap_drop_dpa_handles(struct doca_mmap *mmap);

#endif
