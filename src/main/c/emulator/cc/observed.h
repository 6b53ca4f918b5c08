/* How the libraries of DOCA 2.5.0108 were seen to answer, where DOCA 3.0 documents something else or nothing. Those of
 * 2.6 have no documents that contradict it. src/test/abi/behaviour-2.5.0108.tsv has the observations. */
#ifndef EMU_CC_OBSERVED_H
#define EMU_CC_OBSERVED_H

#include "core/release.h"

/* clang-format off */
#define OBSERVED_2_5                                                                                                   \
	.default_max_msg_size = 2048,                                                                                  \
	.default_recv_queue_size = 128,                                                                                \
	.cuts_names = true,                                                                                            \
	.destroys_null = true,                                                                                         \
	.start_unconfigured = DOCA_ERROR_BAD_STATE,                                                                    \
	.map_start_without_range = DOCA_ERROR_BAD_STATE,                                                               \
	.map_started_devices = DOCA_ERROR_BAD_STATE,                                                                   \
	.map_restart_max_devices = true,                                                                               \
	.map_stops_with_bufs = true,                                                                                   \
	.first_in_list = 2,                                                                                            \
	.list_len_of_any = true
/* clang-format on */

#endif
