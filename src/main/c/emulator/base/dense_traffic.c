#include "base/dense_traffic.h"

#include "base/clock.h"

bool traffic_is_dense(int64_t *since)
{
	int64_t before = *since;
	*since = now_ms();
	return *since - before <= DENSE_TRAFFIC_MS;
}
