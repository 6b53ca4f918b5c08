#include "doca_version.h"

const char *doca_version_runtime(void)
{
	/* The release whose ABI this is, and that no hardware is behind it. */
	return DOCA_VERSION_STRING "-emulated";
}
