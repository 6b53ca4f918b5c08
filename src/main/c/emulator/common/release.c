#include "release.h"

#include "doca_version.h"

const struct emu_release emu_release = {
	/* The release whose ABI this is, and that no hardware is behind it. */
	.version = DOCA_VERSION_STRING "-emulated",
	.last_error = DOCA_ERROR_SKIPPED,
	.short_pci_names_any_domain = false,
};
