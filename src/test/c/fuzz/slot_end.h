/* Slot producers and slot consumers of this end, as the Java library has them: buffers and tasks that are prepared
 * once, with the batch library between them and DOCA. What DOCA tells by way of the batch library is what Java takes
 * for granted: slots that are in flight, lengths within the slot, immediate data within the device's limit. */
#ifndef FUZZ_SLOT_END_H
#define FUZZ_SLOT_END_H

#include <stdbool.h>

#include "doca_comch.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"
#include "input.h"

struct slot_end;

/* Once. */
void slot_ends_init(void);

/* For each input: there are none, on a new engine. */
void slot_ends_begin(struct doca_pe *pe);

/* Creates and starts a producer or consumer; NULL if the device refuses to make it. */
struct slot_end *slot_end_open(struct doca_comch_connection *connection, bool receives);

struct doca_ctx *slot_end_ctx(struct slot_end *end);

/* Posts all slots, or fills one and commits it, as the input says. */
void slot_end_use(struct slot_end *end, struct input *in);

/* One round of progress of the engine; then everything that the batch library has collected is taken. */
void slot_ends_progress(void);

/* Before its context is stopped: what is queued ends, and idle tasks are freed. */
void slot_end_leave(struct slot_end *end);

/* Destroys it; its context is idle. */
void slot_end_close(struct slot_end *end);

/* Nothing has been written beside the slots, and no buffer is out. */
void slot_ends_check(void);

#endif
