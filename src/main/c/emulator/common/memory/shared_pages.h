/* Memory of this process that other processes of the machine can map: for kernels on the DPA, which reach exported
 * memory by pointers (docs/dpa.md).
 *
 * A program exports memory that it has already, and private memory cannot be mapped by others. So its pages are moved
 * into a file without a name (memfd), under the addresses that they have. The program notices nothing; another process
 * opens the file by way of /proc, as long as this one lives.
 *
 * Threads: any. */
#ifndef EMU_SHARED_PAGES_H
#define EMU_SHARED_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EMU_SHARED_MAGIC UINT64_C(0x50454741535f4544)
#define EMU_SHARED_NAME "doca-emu-memory"
#define EMU_SHARED_MAX_RUNS 32u

/* Pages that lie at `first` in this process, and are all that is in a file. */
struct emu_shared_run {
	uint64_t first, bytes;
	int32_t file; /* descriptor of this process */
	uint32_t reserved;
};

/* What the file of an export has in it: it tells an importer where the pages are, and when the export has ended. */
struct emu_shared_record {
	uint64_t magic;
	uint64_t cookie, export_id; /* as in the descriptor that names the file */
	uint32_t num_runs;
	_Atomic uint32_t ended;
	struct emu_shared_run runs[EMU_SHARED_MAX_RUNS];
};

/* Of one exported map. */
struct emu_shared_pages;

/* Moves the pages of the memory, those that can be moved. Pages on which the memory ends, and which others have things
 * on, are moved while the process has one thread only: nobody can be kept from writing meanwhile. What is shared
 * already stays where it is. NULL: no memory for the structure. */
struct emu_shared_pages *emu_share_pages(const void *memory, size_t len, uint64_t cookie, uint64_t export_id);

/* The descriptor of the file with the record; -1: no file was to be had. */
int emu_shared_file(const struct emu_shared_pages *shared);

/* Ends the export. Pages that no other export has go back, if the memory is still there. NULL is allowed. */
void emu_unshare_pages(struct emu_shared_pages *shared);

#endif
