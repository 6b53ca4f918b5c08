/* Sync events as the DPA uses them.
 *
 * Threads: any; each event has a lock of its own. */
#ifndef EMU_SYNC_EVENT_H
#define EMU_SYNC_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "doca_sync_event.h"
#include "export.h"

enum emu_sync_change { EMU_SYNC_SET, EMU_SYNC_ADD };
enum emu_sync_relation { EMU_SYNC_GREATER, EMU_SYNC_EQUAL, EMU_SYNC_UNEQUAL };

/* Whether the event is started, and the dpa among those that change it or wait for it: then it may do both. */
EMU_PRIVATE_API bool emu_sync_event_is_for(const struct doca_sync_event *event, const struct doca_dpa *dpa);

EMU_PRIVATE_API uint64_t emu_sync_event_value(struct doca_sync_event *event);
/* Returns what it was. */
EMU_PRIVATE_API uint64_t emu_sync_event_change(struct doca_sync_event *event, enum emu_sync_change change,
					       uint64_t value);

/* Keeps the event from being stopped until the change that it is kept for. */
EMU_PRIVATE_API void emu_sync_event_use(struct doca_sync_event *event);
EMU_PRIVATE_API void emu_sync_event_change_and_unuse(struct doca_sync_event *event, enum emu_sync_change change,
						     uint64_t value);

/* Who waits for a value that stands in a relation to another. The watch lives until it is called or taken back, and the
 * event is in use until then. */
struct emu_sync_watch {
	enum emu_sync_relation relation;
	uint64_t value;
	/* Called once, by the thread that changes the event, without the event's lock. */
	void (*fire)(struct emu_sync_watch *watch);
	struct doca_sync_event *event; /* NULL: of none any more */
	struct emu_sync_watch *next;
};

/* False: there is nothing to wait for, and the watch is not called. */
EMU_PRIVATE_API bool emu_sync_event_watch(struct doca_sync_event *event, struct emu_sync_watch *watch);
/* Takes the watch back. False: it has been called, or is about to be. */
EMU_PRIVATE_API bool emu_sync_event_unwatch(struct emu_sync_watch *watch);

#endif
