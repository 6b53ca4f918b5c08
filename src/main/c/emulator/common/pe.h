/* Progress engine: a round-robin list of contexts. */
#ifndef EMU_PE_H
#define EMU_PE_H

#include "ctx.h"

/* Removes a context; safe while doca_pe_progress is on the stack of the same thread. */
void emu_pe_remove(struct doca_pe *pe, struct doca_ctx *ctx);

/* Around a callback that runs outside doca_pe_progress (a start or stop runs some): progress inside it does
 * nothing, so that nobody frees what the caller still needs. The engine outlives the callback. */
bool emu_pe_enter_callback(struct doca_pe *pe);
void emu_pe_leave_callback(struct doca_pe *pe, bool outer);

#endif
