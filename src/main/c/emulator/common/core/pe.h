/* Progress engine: a round-robin list of contexts. */
#ifndef EMU_PE_H
#define EMU_PE_H

#include "core/ctx.h"

/* Removes a context; safe while doca_pe_progress is on the stack of the same thread. */
void emu_pe_remove(struct doca_pe *pe, struct doca_ctx *ctx);

/* Makes the handle of an engine readable if it is armed: the program itself has just given it something to do. The
 * engine's thread. */
EMU_PRIVATE_API void emu_pe_wake(struct doca_pe *pe);

/* For tests: the longest sleep of all engines. What fails to wake one in time then never does. */
EMU_PRIVATE_API void emu_pe_set_longest_sleep(uint64_t nanoseconds);

/* Around a callback that runs outside doca_pe_progress (a start or stop runs some): progress inside it does
 * nothing, so that nobody frees what the caller still needs. The engine outlives the callback. */
bool emu_pe_enter_callback(struct doca_pe *pe);
void emu_pe_leave_callback(struct doca_pe *pe, bool outer);

#endif
