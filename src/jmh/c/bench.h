/* Options, and the works that `bench` can do. The Java programs in src/jmh/java do the same works with the same
 * options and report in the same form. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_error.h>

enum form {
	FORM_ONE,       /* both sides in one thread */
	FORM_THREADS,   /* a thread for each side */
	FORM_PROCESSES, /* a process for each side, the client's forked by the server's */
	FORM_SERVER,    /* this side alone: the other one is started by hand, perhaps on the other machine */
	FORM_CLIENT,
};

#define MAX_PRODUCERS 8u

struct options {
	const char *work;
	enum form form;
	uint64_t size;  /* of a message, bytes, at least 8 */
	uint32_t depth; /* tasks, and posted buffers */
	double warmup;  /* seconds that are not counted */
	double seconds; /* seconds that are */
	uint32_t connections;
	uint32_t producers;   /* that send in turn, at most MAX_PRODUCERS */
	const char *name;     /* of the server */
	const char *dpu;      /* PCI addresses: the DPU's device, */
	const char *function; /* its representor's or the host's function */
	const char *kernel;   /* the library of the kernel for the DPA, or NULL */
	int64_t since;        /* when the client's process was started, monotonic ns */
};

const char *form_name(enum form form);

/* Ends the program with a message unless a call of DOCA succeeded, or goes on in progress. */
void must_at(doca_error_t result, const char *call, const char *file, int line);
#define MUST(call) must_at((call), #call, __FILE__, __LINE__)

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *must_have(void *memory);

/* Memory for payloads, zeroed, from whole pages, and from large ones if it is large. For free. */
void *payload_memory(size_t len);

int64_t now_ns(void);

/* Works. Each runs to its end in the form asked for and prints its lines. */
void work_throughput(const struct options *options, bool fast);
void work_packed(const struct options *options);
void work_rtt(const struct options *options, bool fast);
void work_msgq_rtt(const struct options *options); /* only where the SDK has doca_dpa: BENCH_DPA */
void work_dma(const struct options *options);      /* only where the SDK has doca_dma: BENCH_DMA */
void work_ops(const struct options *options);
void work_idle(const struct options *options);
void work_setup(const struct options *options);
void work_first(const struct options *options, char **argv);
void work_memcpy(const struct options *options);
void work_cores(const struct options *options);
void work_lines_rtt(const struct options *options);
void work_least_rtt(const struct options *options);

/* Runs the server's side and the client's side as the form says. */
void run_sides(const struct options *options, void (*server)(const struct options *),
	       void (*client)(const struct options *));

/* As run_sides, of a work whose sides are threads of one process. */
void run_threads(const struct options *options, void (*server)(const struct options *),
		 void (*client)(const struct options *));

#endif
