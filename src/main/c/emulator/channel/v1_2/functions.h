/* Which functions of the machine an endpoint of DOCA 1.2 uses, which is not told its device. */
#ifndef EMU_CHANNEL_FUNCTIONS_H
#define EMU_CHANNEL_FUNCTIONS_H

#include <stdint.h>

#include "channel/channel_endpoint.h"
#include "doca_error.h"

/* Reads the topology, unless it has been read. */
doca_error_t functions_load(void);

/* The listeners of the host functions that the DPUs which this process sees have representors for. NOT_PERMITTED: it
 * sees none. */
doca_error_t functions_of_dpus(struct endpoint_listener **listeners, uint32_t *num);

/* The first function of the host that this process sees; NULL: it sees none. */
const char *functions_first_of_host(void);

#endif
