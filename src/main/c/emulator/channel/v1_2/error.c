/* What DOCA 1.2 has of doca_error.h. */
#include "doca_error.h"

/* Not declared by the headers of later releases. */
DOCA_STABLE const char *doca_get_error_string(doca_error_t error);

const char *doca_get_error_string(doca_error_t error)
{
	return doca_error_get_descr(error);
}
