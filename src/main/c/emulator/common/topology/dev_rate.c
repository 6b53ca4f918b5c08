/* A file of its own: DOCA 2.6 has the function with another type, cc/v2_6/dev_rate_2_6.c. */
#include "doca_dev.h"
#include "readings.h"

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
	if (devinfo == NULL || active_rate == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*active_rate = READING_ACTIVE_RATE;
	return DOCA_SUCCESS;
}
