/* Libraries that keep faults on demand, each for itself (base/faults.h): who sets faults sets them in all that
 * the process has. Any thread. */
#ifndef EMU_FAULT_KEEPERS_H
#define EMU_FAULT_KEEPERS_H

#include "doca_error.h"
#include "export.h"

struct emu_fault_keeper {
	/* As doca_emu_set_faults_of; a folder of NULL is the environment's machine. */
	doca_error_t (*set)(const char *folder, const char *spec);
	struct emu_fault_keeper *next;
};

/* While the library is loaded. */
EMU_PRIVATE_API void emu_fault_keeper_join(struct emu_fault_keeper *keeper);
EMU_PRIVATE_API void emu_fault_keeper_leave(struct emu_fault_keeper *keeper);

/* What the first of them that refuses answers, or SUCCESS. */
EMU_PRIVATE_API doca_error_t emu_fault_keepers_set(const char *folder, const char *spec);

#endif
