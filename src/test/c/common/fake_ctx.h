/* A kind of context whose every answer a test decides: what the engine, the states and the tasks are tested with. */
#ifndef TEST_FAKE_CTX_H
#define TEST_FAKE_CTX_H

#include <stdlib.h>
#include <string.h>

#include "core/ctx.h"
#include "support.h"

#define MAX_TRANSITIONS 16

struct fake {
	struct doca_ctx ctx; /* first, as in every kind */
	/* Answers. */
	doca_error_t start_result;
	doca_error_t stop_result;
	doca_error_t submit_result;
	doca_error_t validate_result;
	bool stops_at_once;
	bool is_pending;
	bool is_unreliable;
	void (*on_arm)(struct fake *fake);
	struct emu_sleeper *armed_by; /* NULL: it is not armed */
	/* How many progress calls find work, and what they do then. */
	int work;
	void (*on_work)(struct fake *fake);
	/* What was asked. */
	int progress_calls;
	int submits;
	uint32_t last_flags;
	int frees;
	int validations;
	/* What the state callback saw. */
	int num_transitions;
	enum doca_ctx_states from[MAX_TRANSITIONS];
	enum doca_ctx_states to[MAX_TRANSITIONS];
	uint64_t seen_user_data;
	void (*on_state)(struct fake *fake, enum doca_ctx_states next);
};

static inline doca_error_t fake_start(struct doca_ctx *ctx)
{
	return ((struct fake *)ctx)->start_result;
}

static inline doca_error_t fake_stop(struct doca_ctx *ctx)
{
	return ((struct fake *)ctx)->stop_result;
}

static inline bool fake_stopped_at_once(struct doca_ctx *ctx)
{
	return ((struct fake *)ctx)->stops_at_once;
}

static inline bool fake_progress(struct doca_ctx *ctx)
{
	struct fake *fake = (struct fake *)ctx;
	fake->progress_calls++;
	if (fake->work == 0)
		return false;
	fake->work--;
	if (fake->on_work != NULL)
		fake->on_work(fake);
	return true;
}

static inline uint64_t fake_due_in(struct doca_ctx *ctx)
{
	return ((struct fake *)ctx)->is_pending ? 0 : EMU_NEVER;
}

static inline bool fake_arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	struct fake *fake = (struct fake *)ctx;
	fake->armed_by = sleeper;
	if (fake->on_arm != NULL)
		fake->on_arm(fake);
	return !fake->is_unreliable;
}

static inline void fake_disarm(struct doca_ctx *ctx)
{
	((struct fake *)ctx)->armed_by = NULL;
}

static inline doca_error_t fake_submit(struct doca_task *task, uint32_t flags)
{
	struct fake *fake = (struct fake *)task->ctx;
	if (fake->submit_result != DOCA_SUCCESS)
		return fake->submit_result;
	fake->submits++;
	fake->last_flags = flags;
	fake->ctx.num_inflight++;
	task->state = EMU_TASK_INFLIGHT;
	return DOCA_SUCCESS;
}

static inline doca_error_t fake_validate(const struct doca_task *task)
{
	struct fake *fake = (struct fake *)task->ctx;
	fake->validations++;
	return fake->validate_result;
}

static inline void fake_free_task(struct doca_task *task)
{
	struct fake *fake = (struct fake *)task->ctx;
	fake->frees++;
	if (task->state == EMU_TASK_INFLIGHT) {
		task->state = EMU_TASK_CANCELLED;
		return;
	}
	task->state = EMU_TASK_FREE;
}

static const struct emu_ctx_ops fake_ops = {
	.start = fake_start,
	.stop = fake_stop,
	.stopped_at_once = fake_stopped_at_once,
	.progress = fake_progress,
	.due_in = fake_due_in,
	.arm = fake_arm,
	.disarm = fake_disarm,
	.submit = fake_submit,
	.validate = fake_validate,
	.free_task = fake_free_task,
};

/* What every context must have, and nothing more. */
static const struct emu_ctx_ops bare_ops = {
	.start = fake_start,
	.stop = fake_stop,
	.progress = fake_progress,
	.due_in = fake_due_in,
	.submit = fake_submit,
	.free_task = fake_free_task,
};

static inline void fake_on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
				 enum doca_ctx_states next)
{
	struct fake *fake = (struct fake *)ctx;
	enum doca_ctx_states now;
	expect_success(doca_ctx_get_state(ctx, &now));
	assert_int_equal(next, now);
	assert_true(fake->num_transitions < MAX_TRANSITIONS);
	fake->from[fake->num_transitions] = prev;
	fake->to[fake->num_transitions++] = next;
	fake->seen_user_data = user_data.u64;
	if (fake->on_state != NULL)
		fake->on_state(fake, next);
}

static inline struct fake *fake_new(const struct emu_ctx_ops *ops)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	assert_non_null(fake);
	emu_ctx_init(&fake->ctx, ops);
	fake->stops_at_once = true;
	expect_success(doca_ctx_set_state_changed_cb(&fake->ctx, fake_on_state));
	return fake;
}

static inline void fake_destroy(struct fake *fake)
{
	emu_ctx_fini(&fake->ctx);
	free(fake);
}

static inline void assert_state(const struct fake *fake, enum doca_ctx_states expected)
{
	enum doca_ctx_states state;
	expect_success(doca_ctx_get_state(&fake->ctx, &state));
	assert_int_equal(expected, state);
}

#endif
