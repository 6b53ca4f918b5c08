/* The fabric folder: what the program has named, $DOCA_EMU_DIR, or a folder per user below /dev/shm.
 *
 * It is made with mode 0700, and used only when it belongs to the user and nobody else can write to it. With
 * DOCA_EMU_SHARE=group it is made with mode 2770, and used when it is open to a group that this process is in: then
 * the processes of all the group's users make up one machine, and trust each other. */
#ifndef EMU_FOLDER_H
#define EMU_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "doca_error.h"
#include "export.h"

#define EMU_FOLDER_PATH_BYTES 4096

enum emu_folder_source { EMU_FOLDER_DEFAULT, EMU_FOLDER_CHOSEN, EMU_FOLDER_TOO_LONG };

/* Where the folder is: `named`, or what the environment says if that is NULL. */
EMU_PRIVATE_API enum emu_folder_source emu_folder_path(const char *named, char path[EMU_FOLDER_PATH_BYTES]);

enum emu_folder_missing { EMU_FOLDER_MAKE, EMU_FOLDER_REPORT };

/* A descriptor of the folder. NOT_FOUND: there is none and it is not to be made; OPERATING_SYSTEM (or NO_MEMORY, for
 * want of descriptors): it cannot be made, opened or trusted, which the log has said. */
EMU_PRIVATE_API doca_error_t emu_folder_open(const char *named, enum emu_folder_missing missing, int *dir);

/* Whether the environment asks for a folder that a group shares. */
EMU_PRIVATE_API bool emu_folder_is_shared(void);

/* The group of an opened folder that is shared; (gid_t)-1 where it is not. */
EMU_PRIVATE_API gid_t emu_folder_group(int dir);

#endif
