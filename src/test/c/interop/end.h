/* What the C ends of the interoperability tests have in common: an engine, a device, waiting, and giving up. */
#ifndef INTEROP_END_H
#define INTEROP_END_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#define DPU_PCI "0000:03:00.0"
#define HOST_PCI "0000:b1:00.0"
#define PATIENCE_S 60

static struct doca_pe *pe;
static struct doca_dev *dev;
static struct doca_dev_rep *rep;

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

static void check_is(doca_error_t wanted, doca_error_t result, const char *call)
{
	if (result == wanted)
		return;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, call, doca_error_get_descr(result));
	exit(1);
}
#define GIVES(wanted, call) check_is((wanted), (call), #call)
#define OK(call) GIVES(DOCA_SUCCESS, call)

static inline void check(doca_error_t result, const char *call)
{
	check_is(DOCA_SUCCESS, result, call);
}

static inline void expect(const char *what, uint64_t wanted, uint64_t got)
{
	if (wanted == got)
		return;
	fprintf(stderr, "%s: %s is %" PRIu64 ", not %" PRIu64 "\n", program_invocation_short_name, what, got, wanted);
	exit(1);
}

static inline int64_t now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec;
}

#define UNTIL(condition)                                                                                               \
	for (int64_t until = now_s() + PATIENCE_S; !(condition);) {                                                    \
		(void)doca_pe_progress(pe);                                                                            \
		if (now_s() > until)                                                                                   \
			give_up("gave up waiting for " #condition);                                                    \
	}

static inline enum doca_ctx_states state_of(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	OK(doca_ctx_get_state(ctx, &state));
	return state;
}

static void open_device(const char *pci)
{
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && dev == NULL; i++) {
		uint8_t equal = 0;
		OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			OK(doca_dev_open(list[i], &dev));
	}
	OK(doca_devinfo_destroy_list(list));
	if (dev == NULL)
		give_up("no such device");
}

static void open_representor(const char *pci, enum doca_devinfo_rep_filter filter)
{
	struct doca_devinfo_rep **list;
	uint32_t num;
	OK(doca_devinfo_rep_create_list(dev, filter, &list, &num));
	for (uint32_t i = 0; i < num && rep == NULL; i++) {
		uint8_t equal = 0;
		OK(doca_devinfo_rep_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			OK(doca_dev_rep_open(list[i], &rep));
	}
	OK(doca_devinfo_rep_destroy_list(list));
	if (rep == NULL)
		give_up("no such representor");
}

static inline void stop(struct doca_ctx *ctx)
{
	if (state_of(ctx) == DOCA_CTX_STATE_RUNNING || state_of(ctx) == DOCA_CTX_STATE_STARTING) {
		doca_error_t result = doca_ctx_stop(ctx);
		if (result != DOCA_ERROR_IN_PROGRESS)
			check(result, "stopping");
	}
	UNTIL(state_of(ctx) == DOCA_CTX_STATE_IDLE);
}

#endif
