#include "base/shm_region.h"

uint32_t shm_eager_bytes(uint32_t capacity)
{
	uint32_t bytes = capacity <= 512 ? 16384 : capacity <= 2048 ? 8192 : 4096;
	_Static_assert(512 * UINT64_C(16384) <= SHM_EAGER_MAX_BYTES, "eager areas fit");
	_Static_assert(2048 * UINT64_C(8192) <= SHM_EAGER_MAX_BYTES, "eager areas fit");
	_Static_assert(SHM_MAX_POSTS * UINT64_C(4096) <= SHM_EAGER_MAX_BYTES, "eager areas fit");
	return bytes;
}
