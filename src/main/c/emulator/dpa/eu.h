/* Execution units: the threads of this process on which kernels run.
 *
 * There are as many as a BlueField-3 has for programs, and each is started when it is first needed: a kernel that waits
 * for another one, or never ends, does not keep the other from running. Signals are blocked on them. */
#ifndef EMU_DPA_EU_H
#define EMU_DPA_EU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/dpa.h"

struct eu;
struct eu_pool;

#define EU_ANY (-1)

/* A piece of work. It belongs to the pool until `work` is called. */
struct eu_job {
	void (*work)(struct eu_job *job, struct emu_dpa_run *run);
	int eu; /* which execution unit, or EU_ANY */
	struct eu_job *next;
};

/* NULL: no memory. */
struct eu_pool *eu_pool_create(void);

/* False, and nothing has happened: the system starts no more threads, and none is there for this job. Any thread. */
bool eu_pool_submit(struct eu_pool *pool, struct eu_job *job);

/* Ends all threads and the pool. False, and nothing has happened: a job did not end within so many milliseconds. */
bool eu_pool_destroy(struct eu_pool *pool, int64_t patience_ms);

/* Since when the longest-running call or launch has been running, milliseconds; 0: there is none. */
int64_t eu_pool_longest_run_ms(struct eu_pool *pool);

/* A function of the DPA program, and its arguments. */
#define KERNEL_ARGUMENTS 16
struct kernel {
	void (*function)(void);
	uint64_t arguments[KERNEL_ARGUMENTS];
};

/* Runs a kernel on the calling execution unit, whose `run` says what it is. How it has ended, and what it returned. */
enum emu_dpa_end kernel_run(const struct kernel *kernel, struct emu_dpa_run *run, uint64_t *returned);

#endif
