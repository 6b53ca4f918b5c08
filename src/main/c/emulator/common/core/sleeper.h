/* Sleeping until there is something to do: one descriptor, readable from the moment that something wakes it until it is
 * disarmed, for poll and epoll with others.
 *
 *   handle    an epoll instance, which the program polls. It has `sources` in it, which count only while it is armed
 *   sources   an epoll instance: the alarm, the timer, and the descriptors that are watched
 *
 * An engine has one; whatever else is to wake its program by a descriptor of its own can have one, too.
 *
 * Threads: it belongs to one thread at a time; only emu_sleeper_wake may be called by others.
 *
 * No wake-up is lost between the last look and the sleep: who sleeps arms, has a barrier pass through all threads that
 * could wake him (emu_barrier), and then looks once more. A thread that changes something looks afterwards whether
 * somebody is asleep, and needs no barrier of its own. */
#ifndef EMU_SLEEPER_H
#define EMU_SLEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_error.h"
#include "export.h"

struct emu_sleeper;

/* A watched descriptor is readable, or its other end has been closed: called when the sleeper is disarmed. It stays
 * readable until somebody reads it. False: do not watch it any more, also where others have asked for it. */
typedef bool (*emu_ready_cb)(void *argument, struct emu_sleeper *sleeper);

struct emu_watch {
	int fd;
	unsigned users;
	bool silent; /* not watched any more */
	emu_ready_cb ready;
	void *argument;
};

struct emu_sleeper {
	int handle;
	/* -1 until it is first armed: a program that only polls has none of them. */
	int sources, alarm, timer;
	uint64_t fires; /* when the timer does, on the monotonic clock, or did last; 0: it has not been set */
	bool open;      /* `sources` count */
	_Atomic uint32_t armed;
	struct emu_watch *watches;
	size_t num_watches, capacity;
};

#define EMU_NEVER UINT64_MAX

/* OPERATING_SYSTEM when there are no descriptors, here and in emu_sleeper_arm. */
doca_error_t emu_sleeper_init(struct emu_sleeper *sleeper);
void emu_sleeper_fini(struct emu_sleeper *sleeper);

/* From here on emu_sleeper_wake has an effect. Look then whether there is something to do, and call emu_sleeper_open.
 */
doca_error_t emu_sleeper_arm(struct emu_sleeper *sleeper);

/* The handle becomes readable when it is woken, when a watched descriptor is readable, and after so many nanoseconds
 * at the latest, but not before half of them have passed; with 0 at once. */
doca_error_t emu_sleeper_open(struct emu_sleeper *sleeper, uint64_t nanoseconds);

/* The handle is not readable any more; calls back for the watched descriptors that are. */
doca_error_t emu_sleeper_disarm(struct emu_sleeper *sleeper);

/* Makes the handle readable, if it is armed. Any thread, after it has written (with release) what there is to do. */
EMU_PRIVATE_API void emu_sleeper_wake(struct emu_sleeper *sleeper);

/* Watches a descriptor. Several may ask for the same one; the first's callback and argument hold. False: it cannot be
 * watched. Each that asked must take it back before the descriptor is closed. */
EMU_PRIVATE_API bool emu_sleeper_watch(struct emu_sleeper *sleeper, int fd, emu_ready_cb ready, void *argument);
EMU_PRIVATE_API void emu_sleeper_unwatch(struct emu_sleeper *sleeper, int fd);

/* Lets barriers of other processes pass through this process's threads; false where the kernel does not. */
EMU_PRIVATE_API bool emu_barrier_join(void);

/* A full memory barrier in each running thread of all processes that have joined, this one's included; false where
 * there is none. */
EMU_PRIVATE_API bool emu_barrier(void);

#endif
