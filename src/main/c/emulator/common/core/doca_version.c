#include "doca_version.h"

#include "core/release.h"

const char *doca_version_runtime(void)
{
	return emu_release.version;
}
