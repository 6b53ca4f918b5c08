/* Memory that another process has exported, as kernels on the DPA of this one reach it.
 *
 * Pages that the exporter shares (shared_pages.h) are mapped here, and stay readable when the exporter is gone. Other
 * memory of it is copied by the kernel of the operating system, as far as that lets one process into the other.
 * Whatever the exporter says is checked: nothing that it does can make this process fault.
 *
 * Threads: any, once it is made. */
#ifndef EMU_MMAP_REACH_H
#define EMU_MMAP_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct emu_reach;

/* An export of another process, as its descriptor has it; unchecked. */
struct emu_exported {
	pid_t pid;
	int file; /* with the record; negative: none */
	uint64_t cookie, export_id;
	uint64_t addr, len;
};

/* NULL: this process cannot get at the exporter, or that has ended; the reason is in the log. */
struct emu_reach *emu_reach_open(const struct emu_exported *exported);
/* NULL is allowed. */
void emu_reach_close(struct emu_reach *reach);

/* Whether the exporter has not ended, nor its export. */
bool emu_reach_alive(const struct emu_reach *reach);

/* Where bytes of the exporter are in this process; NULL: they are not. */
uint8_t *emu_reach_here(const struct emu_reach *reach, uint64_t addr, uint64_t len);

/* Copies bytes that are not here; false: that is not possible. */
bool emu_reach_read(const struct emu_reach *reach, void *here, uint64_t addr, uint64_t len);
bool emu_reach_write(const struct emu_reach *reach, const void *here, uint64_t addr, uint64_t len);

#endif
