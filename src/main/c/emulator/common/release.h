/* What of libdoca_common depends on the release whose ABI it has, beyond the set of functions. Each release's library
 * has a definition of its own: release.c here and in cc/v2_5 and cc/v2_6. */
#ifndef EMU_RELEASE_H
#define EMU_RELEASE_H

#include <stdbool.h>

#include "doca_error.h"

struct emu_release {
	const char *version;
	doca_error_t last_error;         /* greater codes have no name */
	bool short_pci_names_any_domain; /* a short PCI address names a device of any domain, not of 0000 only */
};

extern const struct emu_release emu_release;

#endif
