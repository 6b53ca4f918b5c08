/* The fabric folder: $DOCA_EMU_DIR, or a folder per user below /dev/shm.
 *
 * It is made with mode 0700, and used only when it belongs to the user and nobody else can write to it. */
#ifndef EMU_FOLDER_H
#define EMU_FOLDER_H

#include <stdbool.h>

#include "doca_error.h"
#include "export.h"

enum emu_folder_missing { EMU_FOLDER_MAKE, EMU_FOLDER_REPORT };

/* A descriptor of the folder. NOT_FOUND: there is none and it is not to be made; OPERATING_SYSTEM (or NO_MEMORY, for want
 * of descriptors): it cannot be made, opened or trusted, which the log has told. */
EMU_PRIVATE_API doca_error_t emu_folder_open(enum emu_folder_missing missing, int *dir);

#endif
