/* Threads of the DPA: kernels that run once for each notification. */
#ifndef EMU_DPA_THREAD_H
#define EMU_DPA_THREAD_H

#include "device.h"

struct doca_dpa_eu_affinity {
	struct doca_dpa *dpa;
	int eu; /* EU_ANY: none named */
};

struct doca_dpa_tg;

struct doca_dpa_thread {
	struct emu_dpa_thread base;
	struct eu_job job;
	struct kernel kernel;
	uint64_t local_storage;
	const struct doca_dpa_eu_affinity *affinity;
	uint32_t id, rank, group_size;
	struct doca_dpa_tg *group; /* a started one */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t at_rest;
	bool run;     /* notifications start it */
	bool pending; /* one has come that has not started it */
	bool busy;    /* waits for an execution unit, or has one */
	bool finished;
};

#endif
