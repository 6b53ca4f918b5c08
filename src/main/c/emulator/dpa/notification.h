#ifndef EMU_DPA_NOTIFICATION_H
#define EMU_DPA_NOTIFICATION_H

#include "device.h"

struct doca_dpa_notification_completion {
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	uint64_t handle; /* 0: not started */
};

#endif
