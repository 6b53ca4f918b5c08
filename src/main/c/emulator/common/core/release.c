#include "core/release.h"

#include "doca_version.h"
#include "readings.h"

const struct emu_release emu_release = {
	/* The release whose ABI this is, and that no hardware is behind it. */
	.version = DOCA_VERSION_STRING "-emulated",
	.last_error = DOCA_ERROR_SKIPPED,
	.short_pci_names_any_domain = false,
	.default_max_msg_size = READING_DEFAULT_MAX_MSG_SIZE,
	.default_recv_queue_size = READING_DEFAULT_RECV_QUEUE_SIZE,
	.start_unconfigured = READING_START_UNCONFIGURED,
	.map_start_without_range = READING_MMAP_START_WITHOUT_RANGE,
	.map_started_devices = DOCA_ERROR_NOT_PERMITTED,
	.first_in_list = 1,
};
