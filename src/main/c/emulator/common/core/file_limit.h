/* What the system has too little of. The limit of the size of files (RLIMIT_FSIZE, "ulimit -f") counts for files in
 * memory, too: the kernel ends a program that goes beyond it, by SIGXFSZ. */
#ifndef EMU_FILE_LIMIT_H
#define EMU_FILE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "export.h"

/* Whether a file may have so many bytes. If not, the log says what for, and errno is EFBIG. */
EMU_PRIVATE_API bool emu_file_may_have(uint64_t bytes, const char *what);

/* What to do about a call that has failed with it, in brackets after the text of the error; "" where that says all. */
EMU_PRIVATE_API const char *emu_file_remedy(int error);

#endif
