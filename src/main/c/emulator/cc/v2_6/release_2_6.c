#include "cc/observed.h"

const struct emu_release emu_release = {
	.version = "2.6.0058-emulated",
	.last_error = DOCA_ERROR_TOO_BIG,
	.short_pci_names_any_domain = true,
	OBSERVED_2_5,
};
