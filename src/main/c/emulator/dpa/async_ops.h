/* Queues of asynchronous operations. Each is carried out when it is posted. */
#ifndef EMU_DPA_ASYNC_OPS_H
#define EMU_DPA_ASYNC_OPS_H

#include "device.h"

struct doca_dpa_async_ops {
	struct doca_dpa *dpa;
	uint32_t size; /* a power of two */
	uint64_t user_data;
	struct doca_dpa_completion *completion;
	uint64_t handle;          /* 0: not started */
	_Atomic uint32_t unacked; /* operations whose completion has not been acknowledged */
};

#endif
