/* Contexts and tasks: the state machine and the calls that every kind of context shares.
 *
 * A concrete context (server, client, producer, consumer) embeds struct doca_ctx as its first member and
 * supplies an emu_ctx_ops table. Threads: a context belongs to the thread that drives its progress engine. */
#ifndef EMU_CTX_H
#define EMU_CTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sleeper.h"
#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_pe.h"
#include "export.h"

struct doca_dev;
struct doca_dpa;

struct emu_ctx_ops {
	/* Begins a start from IDLE. SUCCESS: RUNNING at once; IN_PROGRESS: STARTING; else nothing happened. */
	doca_error_t (*start)(struct doca_ctx *ctx);
	/* Asks for a stop; any error refuses it. The state is still the old one. */
	doca_error_t (*stop)(struct doca_ctx *ctx);
	/* In STOPPING, right after the stop: true when IDLE can be reached within the call. May be NULL: never. */
	bool (*stopped_at_once)(struct doca_ctx *ctx);
	/* Does at most one thing that the user can see; true when something happened. */
	bool (*progress)(struct doca_ctx *ctx);
	/* In how many nanoseconds progress will find something to do: 0, when it does now; EMU_NEVER, when something
	 * has to happen first that wakes the engine. Asked before the engine sleeps; may do work that calls nobody
	 * back. */
	uint64_t (*due_in)(struct doca_ctx *ctx);
	/* The engine is about to sleep: from now on, whatever gives the context something to do wakes it. False when
	 * that cannot be relied upon. May be NULL: only `due_in` wakes it. */
	bool (*arm)(struct doca_ctx *ctx, struct emu_sleeper *sleeper);
	/* The engine is awake. May be NULL. */
	void (*disarm)(struct doca_ctx *ctx);
	/* Without DOCA_TASK_SUBMIT_FLAG_FLUSH the task may wait for `flush`, the stop, or a progress that finds nothing
	 * [Q35]. */
	doca_error_t (*submit)(struct doca_task *task, uint32_t flags);
	/* RUNNING: nothing that was submitted waits any more. NULL: nothing ever does. */
	void (*flush)(struct doca_ctx *ctx);
	/* The checks that doca_task_try_submit adds. May be NULL. */
	doca_error_t (*validate)(const struct doca_task *task);
	/* Takes back a task that is not in flight, or cancels one that is. */
	void (*free_task)(struct doca_task *task);
	/* Puts the data path of an IDLE context on a dpa, unless it answers an error. NULL: it can be on none. */
	doca_error_t (*take_dpa)(struct doca_ctx *ctx, struct doca_dpa *dpa);
};

struct doca_ctx {
	const struct emu_ctx_ops *ops;
	struct doca_pe *pe;
	enum doca_ctx_states state;
	bool armed;  /* its engine may be asleep: what gives it something to do from this process wakes it */
	bool on_dpa; /* its data path: then it needs no engine */
	doca_ctx_state_changed_callback_t state_changed;
	union doca_data user_data;
	/* Submitted, callback not yet begun. */
	size_t num_inflight;
	/* Taken from the pool and not freed; a context with any cannot become IDLE. */
	size_t num_tasks_out;
};

enum emu_task_state {
	EMU_TASK_FREE = 0,
	EMU_TASK_OWNED,     /* by the user */
	EMU_TASK_INFLIGHT,  /* by the library */
	EMU_TASK_CANCELLED, /* freed by the user while in flight: finishes without a callback */
};

struct doca_task {
	struct doca_ctx *ctx;
	union doca_data user_data;
	doca_error_t status;
	uint8_t state; /* enum emu_task_state */
	struct doca_task *next_free;
};

static inline void task_sent_off(struct doca_task *task)
{
	task->state = EMU_TASK_INFLIGHT;
	task->ctx->num_inflight++;
}

/* Ends a task's flight with `status`. False when the user freed it meanwhile: it must get no callback, and goes
 * back to its pool instead. */
static inline bool task_landed(struct doca_task *task, doca_error_t status)
{
	bool wanted = task->state != EMU_TASK_CANCELLED;
	task->ctx->num_inflight--;
	task->status = status;
	task->state = EMU_TASK_OWNED;
	return wanted;
}

/* Prepares the embedded part of a new context object. */
EMU_PRIVATE_API void emu_ctx_init(struct doca_ctx *ctx, const struct emu_ctx_ops *ops);

/* Takes the context out of its engine. Call just before its memory is freed. */
EMU_PRIVATE_API void emu_ctx_fini(struct doca_ctx *ctx);

/* Moves to `next` and calls the program's callback for it; the context may have been destroyed on return if next is
 * IDLE. */
EMU_PRIVATE_API void emu_ctx_enter(struct doca_ctx *ctx, enum doca_ctx_states next);

/* Nothing in flight and every task given back. */
static inline bool emu_ctx_drained(const struct doca_ctx *ctx)
{
	return ctx->num_inflight == 0 && ctx->num_tasks_out == 0;
}

#endif
