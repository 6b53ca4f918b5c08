/* What of libdoca_common depends on the release whose ABI it has, beyond the set of functions. Each release's library
 * has a definition of its own: release.c here, release_2_5.c and release_2_6.c in cc. */
#ifndef EMU_RELEASE_H
#define EMU_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "doca_error.h"
#include "export.h"

struct emu_release {
	const char *version;
	doca_error_t last_error;         /* greater codes have no name */
	bool short_pci_names_any_domain; /* a short PCI address names a device of any domain, not of 0000 only */

	/* Of a server or client when nothing was set, unless the device's limit is less [Q30]. */
	uint32_t default_max_msg_size;
	uint32_t default_recv_queue_size;

	bool cuts_names;    /* of servers and clients: a long one is cut, an empty one is refused by the start */
	bool destroys_null; /* destroying or closing NULL is a success */

	doca_error_t start_unconfigured;      /* a server or client without a mandatory part */
	doca_error_t map_start_without_range; /* a memory map */
	doca_error_t map_started_devices;     /* adding a device to a started map, or removing one */
	bool map_restart_max_devices;         /* a stopped map takes another number of devices */
	bool map_stops_with_bufs;

	uint8_t first_in_list; /* what doca_buf_is_first_in_list writes for the first */
	bool list_len_of_any;  /* of each element, not of the first only */
};

extern EMU_PRIVATE_API const struct emu_release emu_release;

static inline doca_error_t release_destroy_null(void)
{
	return emu_release.destroys_null ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

#endif
