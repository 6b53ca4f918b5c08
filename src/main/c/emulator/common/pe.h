/* Progress engine: a round-robin list of contexts. */
#ifndef EMU_PE_H
#define EMU_PE_H

#include "ctx.h"

/* Removes a context; safe while doca_pe_progress is on the stack of the same thread. */
void emu_pe_remove(struct doca_pe *pe, struct doca_ctx *ctx);

#endif
