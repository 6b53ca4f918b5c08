/* The dpa itself, inside libdoca_dpa. Named so because dpa.h is what the libraries share. */
#ifndef EMU_DPA_DEVICE_H
#define EMU_DPA_DEVICE_H

#include <pthread.h>
#include <stdio.h>

#include "core/dpa.h"
#include "eu.h"
#include "readings.h"

/* Where logs or traces go. */
struct dpa_output {
	char *path; /* NULL: stdout */
	FILE *file;
};

struct allocation {
	uint64_t addr, size;
	struct allocation *next;
};

struct doca_dpa {
	struct emu_dpa base;
	uint64_t handle;
	struct doca_dpa_app *app;
	_Atomic uint32_t children; /* objects of the dpa: it can neither stop nor be destroyed */
	struct eu_pool *pool;      /* the root's, while started */
	/* Of the root: */
	uint32_t log_level;
	pthread_mutex_t lock; /* of the outputs and of the memory */
	struct dpa_output log, trace;
	struct allocation *allocations;
	uint64_t allocated;
};

static inline bool dpa_started(const struct doca_dpa *dpa)
{
	return atomic_load(&dpa->base.started);
}

static inline struct doca_dpa *dpa_root(const struct doca_dpa *dpa)
{
	return dpa->base.root;
}

/* A new object of the dpa, `size` bytes of zeros; NULL: no memory. */
void *dpa_adopt(struct doca_dpa *dpa, size_t size);
void dpa_disown(struct doca_dpa *dpa, void *object);

/* ---- outputs ---- */

/* What programs on the DPA write. */
void dpa_write_log(struct doca_dpa *dpa, uint32_t level, const char *text);
void dpa_write_trace(struct doca_dpa *dpa, const uint64_t numbers[5]);
void dpa_flush_trace(struct doca_dpa *dpa);
void dpa_close_outputs(struct doca_dpa *dpa);

/* ---- memory ---- */

bool dpa_owns(struct doca_dpa *dpa, uint64_t addr, uint64_t len);
void dpa_free_all(struct doca_dpa *dpa);

#endif
