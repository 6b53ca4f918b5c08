/* The emulated DPA beyond DOCA's own functions: applications that no DPACC has made, and kernels that cannot be left by
 * a jump, or that fail by themselves.
 *
 * scripts/dpacc, which takes DPACC's place, makes what is here where it is needed. */
#ifndef DOCA_EMU_DPA_H
#define DOCA_EMU_DPA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_EMU_DPA_MAGIC UINT64_C(0x6170702d61706464)

/* What a host program gives to doca_dpa_set_app. */
struct doca_dpa_app {
	uint64_t magic; /* DOCA_EMU_DPA_MAGIC */
	const char *name;
};

/* Defines an application of this name: `struct doca_dpa_app *NAME`. NOLINTBEGIN(bugprone-macro-parentheses): a name */
#define DOCA_EMU_DPA_APP(NAME)                                                                                         \
	static struct doca_dpa_app NAME##_of_the_emulated_dpa = {DOCA_EMU_DPA_MAGIC, #NAME};                           \
	struct doca_dpa_app *NAME = &NAME##_of_the_emulated_dpa
/* NOLINTEND(bugprone-macro-parentheses) */

/* In a thread's kernel: the kernel will return, and its return means what doca_dpa_dev_thread_reschedule (0: _finish)
 * does. For kernels in languages whose frames no jump may leave. */
__attribute__((visibility("default"))) void doca_emu_dpa_end_on_return(int reschedule);

/* In any kernel: it has failed, and the text says of what. It is the dpa's last error, as misuse by the kernel would
 * be. NULL says nothing of the cause. For kernels in languages with exceptions. */
__attribute__((visibility("default"))) void doca_emu_dpa_fail(const char *what);

/* Nanoseconds of a clock that only goes forward. Any thread. */
__attribute__((visibility("default"))) uint64_t doca_emu_dpa_time(void);

#ifdef __cplusplus
}
#endif

#endif
