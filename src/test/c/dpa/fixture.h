/* What the tests of the DPA share: a started dpa with the program of program.c. */
#ifndef TEST_DPA_FIXTURE_H
#define TEST_DPA_FIXTURE_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "doca_dpa.h"
#include "harness.h"

extern struct doca_dpa_app *test_program;
doca_dpa_func_t sum, say, load, exchange, use_table, copy, count_copies, copy_after, count_completed, copy_elements,
	run_for_ever, misuse, use_completion_of, meet, answer, count_runs, return_at_once, end_by_returning, fail,
	poll_for_ever, notify;

struct dpa {
	struct devices devices;
	struct doca_dev *dev; /* the host's physical function, or the DPU's device */
	struct doca_dpa *dpa;
};

static inline void dpa_open_on(struct dpa *dpa, bool dpu)
{
	devices_open(&dpa->devices);
	dpa->dev = dpu ? dpa->devices.dpu : dpa->devices.host;
	OK(doca_dpa_create(dpa->dev, &dpa->dpa));
	OK(doca_dpa_set_app(dpa->dpa, test_program));
	OK(doca_dpa_start(dpa->dpa));
}

static inline void dpa_open(struct dpa *dpa)
{
	dpa_open_on(dpa, false);
}

static inline void dpa_close(struct dpa *dpa)
{
	OK(doca_dpa_stop(dpa->dpa));
	OK(doca_dpa_destroy(dpa->dpa));
	devices_close(&dpa->devices);
}

/* Runs `body` in a process of its own, since a topology holds for the life of a process. It begins with topology_write;
 * nothing of DOCA may have been called here before. Returns what the body does. */
static inline int run_with_topology(int (*body)(void *argument))
{
	char path[] = "/tmp/topology-XXXXXX";
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
	setenv("DOCA_EMU_TOPOLOGY", path, 1);
	int result = child_wait(child_start(body, NULL));
	unsetenv("DOCA_EMU_TOPOLOGY");
	unlink(path);
	return result;
}

static inline void topology_write(const char *lines)
{
	FILE *file = fopen(getenv("DOCA_EMU_TOPOLOGY"), "w");
	CHECK(file != NULL);
	fputs(lines, file);
	fclose(file);
}

/* Types of elements, as in doca_dpa_dev.h. */
#define SEND 0
#define SEND_ERR 13

#define HEALTHY(which) OK(doca_dpa_peek_at_last_error(which))
#define FAILED(which) GIVES(DOCA_ERROR_BAD_STATE, doca_dpa_peek_at_last_error(which))

/* Waits until a condition holds that kernels bring about. */
#define AWAIT(condition)                                                                                               \
	do {                                                                                                           \
		int64_t await_deadline = harness_deadline();                                                           \
		while (!(condition)) {                                                                                 \
			harness_in_time(await_deadline, __FILE__, __LINE__, #condition);                               \
			sched_yield();                                                                                 \
		}                                                                                                      \
	} while (0)

/* As in program.c; memory of the DPA is the process's own here, so that a test may look at it. */
struct shared {
	uint64_t runs;
	uint64_t limit;
	uint64_t next;
	uint64_t storage, rank, size;
};

static inline void *dpa_zeros(struct doca_dpa *dpa, size_t size)
{
	doca_dpa_dev_uintptr_t memory;
	OK(doca_dpa_mem_alloc(dpa, size, &memory));
	OK(doca_dpa_memset(dpa, memory, 0, size));
	return (void *)memory;
}

static inline void dpa_release(struct doca_dpa *dpa, void *memory)
{
	OK(doca_dpa_mem_free(dpa, (doca_dpa_dev_uintptr_t)memory));
}

static inline struct doca_dpa_thread *thread_make(struct doca_dpa *dpa, doca_dpa_func_t *func, const void *argument)
{
	struct doca_dpa_thread *thread;
	OK(doca_dpa_thread_create(dpa, &thread));
	OK(doca_dpa_thread_set_func_arg(thread, func, (uint64_t)argument));
	OK(doca_dpa_thread_start(thread));
	return thread;
}

static inline void thread_end(struct doca_dpa_thread *thread)
{
	OK(doca_dpa_thread_stop(thread));
	OK(doca_dpa_thread_destroy(thread));
}

static inline uint64_t handle_of_map(struct doca_mmap *map, struct doca_dev *dev)
{
	doca_dpa_dev_mmap_t handle;
	OK(doca_mmap_dev_get_dpa_handle(map, dev, &handle));
	return handle;
}

#endif
