#include "core/file_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#include "log/sdk_log.h"

bool emu_file_may_have(uint64_t bytes, const char *what)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes)
		return true;
	EMU_LOG_ERROR("%s has %" PRIu64 " bytes, of which few are used, and files may have %" PRIu64
		      " here: raise RLIMIT_FSIZE (ulimit -f unlimited)",
		      what, bytes, (uint64_t)limit.rlim_cur);
	errno = EFBIG;
	return false;
}

const char *emu_file_remedy(int error)
{
	if (error == EMFILE)
		return " (this process has no descriptors left: raise RLIMIT_NOFILE, as by ulimit -n)";
	return error == ENOSPC || error == EDQUOT ? " (it is full: make room there)" : "";
}
