#include "doca_dev.h" /* that of DOCA 2.6 */
#include "readings.h"

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, double *active_rate)
{
	if (devinfo == NULL || active_rate == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*active_rate = (double)READING_ACTIVE_RATE / 1e9;
	return DOCA_SUCCESS;
}
