/* What the files of sync events share: the event itself (sync_event.c), and the event as a context
 * (sync_event_tasks.c). */
#ifndef EMU_SYNC_EVENT_INTERNAL_H
#define EMU_SYNC_EVENT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/ctx.h"
#include "sync_event/sync_event.h"

struct location {
	struct doca_dpa *dpa;
	uint64_t handle;
	struct location *next;
};

enum sync_task_kind { SYNC_GET, SYNC_NOTIFY_SET, SYNC_NOTIFY_ADD, SYNC_WAIT_EQ, SYNC_WAIT_NEQ, SYNC_TASK_KINDS };

struct sync_task;

/* What the program wants of one kind of tasks. */
struct sync_task_conf {
	void (*call)(const struct sync_task_conf *conf, struct sync_task *task, bool success);
	void (*completed)(void), (*failed)(void); /* of the kind's own type */
	uint32_t num, out;
};

struct sync_task {
	struct doca_task base;
	enum sync_task_kind kind;
	uint64_t operand; /* what it sets, adds or waits for */
	uint64_t mask;
	uint64_t *result;
	struct sync_task *next; /* in flight */
};

struct doca_sync_event {
	struct doca_ctx ctx; /* IDLE, too, when the event was started as none */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t value;
	bool started;
	/* Where it was said to be changed and awaited: a hint for the place of the value, which is always here. */
	bool published, subscribed;
	struct location *locations; /* DPAs: those that it has handles for */
	_Atomic uint32_t users;
	struct emu_sync_watch *watches;
	struct emu_sleeper *sleeper; /* of the engine that is asleep; with the lock held */
	/* Of the context's thread: */
	struct sync_task_conf tasks[SYNC_TASK_KINDS];
	struct sync_task *in_flight; /* the oldest first */
};

extern const struct emu_ctx_ops emu_sync_event_ctx_ops;

doca_error_t emu_sync_event_start(struct doca_sync_event *event);
doca_error_t emu_sync_event_stop(struct doca_sync_event *event);

static inline bool sync_relation_holds(uint64_t value, enum emu_sync_relation relation, uint64_t wanted)
{
	switch (relation) {
	case EMU_SYNC_GREATER:
		return value > wanted;
	case EMU_SYNC_EQUAL:
		return value == wanted;
	case EMU_SYNC_UNEQUAL:
	default:
		return value != wanted;
	}
}

#endif
