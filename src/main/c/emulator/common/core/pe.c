#include "core/pe.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/sleeper.h"
#include "readings.h"

struct doca_pe {
	struct doca_ctx **ctxs;
	size_t num_ctxs;
	size_t capacity;
	/* Where the next round starts, so that a busy context cannot starve the others. */
	size_t next;
	/* A callback of one of the contexts is running, or progress is about to call one. */
	bool busy;
	struct emu_sleeper sleeper;
	bool contexts_armed;
	struct doca_pe *next_pe; /* of this process */
};

/* ---- forks ----
 *
 * In a child the contexts that it has inherited do nothing: their connections are its parent's. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_pe *pes;

static doca_error_t refuse_ctx(struct doca_ctx *ctx)
{
	(void)ctx;
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t refuse_submit(struct doca_task *task, uint32_t flags)
{
	(void)task;
	(void)flags;
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t refuse_task(const struct doca_task *task)
{
	(void)task;
	return DOCA_ERROR_BAD_STATE;
}

static bool do_nothing(struct doca_ctx *ctx)
{
	(void)ctx;
	return false;
}

static uint64_t never_due(struct doca_ctx *ctx)
{
	(void)ctx;
	return EMU_NEVER;
}

static void keep_task(struct doca_task *task)
{
	(void)task;
}

static const struct emu_ctx_ops inherited = {
	.start = refuse_ctx,
	.stop = refuse_ctx,
	.progress = do_nothing,
	.due_in = never_due,
	.submit = refuse_submit,
	.validate = refuse_task,
	.free_task = keep_task,
};

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
	for (const struct doca_pe *pe = pes; pe != NULL; pe = pe->next_pe)
		for (size_t i = 0; i < pe->num_ctxs; i++)
			pe->ctxs[i]->ops = &inherited;
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void enlist(struct doca_pe *pe)
{
	pthread_mutex_lock(&lock);
	pe->next_pe = pes;
	pes = pe;
	pthread_mutex_unlock(&lock);
}

static void strike_off(const struct doca_pe *pe)
{
	pthread_mutex_lock(&lock);
	struct doca_pe **link = &pes;
	while (*link != pe)
		link = &(*link)->next_pe;
	*link = pe->next_pe;
	pthread_mutex_unlock(&lock);
}

/* ---- engines ---- */

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_pe *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (emu_sleeper_init(&created->sleeper) != DOCA_SUCCESS) {
		/* guard: release-engine */ free(created);
		return DOCA_ERROR_NO_MEMORY;
	}
	enlist(created);
	*pe = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->num_ctxs > 0 || pe->busy)
		return DOCA_ERROR_IN_USE;
	strike_off(pe);
	emu_sleeper_fini(&pe->sleeper);
	free(pe->ctxs);
	free(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (pe == NULL || ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->pe != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (pe->num_ctxs == pe->capacity) {
		size_t capacity = pe->capacity == 0 ? 8 : 2 * pe->capacity;
		struct doca_ctx **grown = realloc(pe->ctxs, capacity * sizeof(struct doca_ctx *));
		if (grown == NULL)
			return DOCA_ERROR_NO_MEMORY;
		pe->ctxs = grown;
		pe->capacity = capacity;
	}
	pe->ctxs[pe->num_ctxs++] = ctx;
	ctx->pe = pe;
	return DOCA_SUCCESS;
}

void emu_pe_remove(struct doca_pe *pe, struct doca_ctx *ctx)
{
	for (size_t i = 0; i < pe->num_ctxs; i++) {
		if (pe->ctxs[i] != ctx)
			continue;
		for (size_t j = i + 1; j < pe->num_ctxs; j++)
			pe->ctxs[j - 1] = pe->ctxs[j];
		pe->num_ctxs--;
		if (pe->next > i)
			pe->next--;
		return;
	}
}

bool emu_pe_enter_callback(struct doca_pe *pe)
{
	bool outer = pe->busy;
	pe->busy = true;
	return outer;
}

void emu_pe_leave_callback(struct doca_pe *pe, bool outer)
{
	pe->busy = outer;
}

/* The context whose turn it is, of at least one. The turn passes on before its callback, which may add or remove
 * contexts. */
static inline struct doca_ctx *next_ctx(struct doca_pe *pe)
{
	size_t i = pe->next;
	if (EMU_UNLIKELY(i >= pe->num_ctxs))
		i = 0;
	pe->next = i + 1;
	return pe->ctxs[i];
}

/* Out of line: most often the first context has something to do. */
static __attribute__((noinline)) uint8_t progress_others(struct doca_pe *pe)
{
	for (size_t left = pe->num_ctxs; left > 1; left--) {
		struct doca_ctx *ctx = next_ctx(pe);
		if (ctx->ops->progress(ctx))
			return 1;
	}
	return 0;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	/* Forbidden inside a callback of the same engine; it must not recurse [Q16]. */
	if (EMU_UNLIKELY(pe->busy || pe->num_ctxs == 0))
		return 0;
	pe->busy = true;
	struct doca_ctx *ctx = next_ctx(pe);
	uint8_t worked = ctx->ops->progress(ctx) || progress_others(pe);
	pe->busy = false;
	return worked;
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
	if (pe == NULL || num_inflight_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	size_t sum = 0;
	for (size_t i = 0; i < pe->num_ctxs; i++)
		sum += pe->ctxs[i]->num_inflight;
	*num_inflight_tasks = sum;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe, doca_notification_handle_t *handle)
{
	if (pe == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*handle = pe->sleeper.handle;
	return DOCA_SUCCESS;
}

/* In how many nanoseconds there is something to do. */
static uint64_t due_in(const struct doca_pe *pe)
{
	uint64_t earliest = EMU_NEVER;
	for (size_t i = 0; i < pe->num_ctxs && earliest > 0; i++) {
		uint64_t due = pe->ctxs[i]->ops->due_in(pe->ctxs[i]);
		earliest = due < earliest ? due : earliest;
	}
	return earliest;
}

static bool arm_contexts(struct doca_pe *pe)
{
	bool reliable = true;
	pe->contexts_armed = true;
	for (size_t i = 0; i < pe->num_ctxs; i++) {
		struct doca_ctx *ctx = pe->ctxs[i];
		ctx->armed = true;
		if (ctx->ops->arm != NULL && !ctx->ops->arm(ctx, &pe->sleeper))
			reliable = false;
	}
	return reliable;
}

static doca_error_t disarm(struct doca_pe *pe)
{
	for (size_t i = 0; pe->contexts_armed && i < pe->num_ctxs; i++) {
		struct doca_ctx *ctx = pe->ctxs[i];
		if (ctx->armed && ctx->ops->disarm != NULL)
			ctx->ops->disarm(ctx);
		ctx->armed = false;
	}
	pe->contexts_armed = false;
	return emu_sleeper_disarm(&pe->sleeper);
}

/* A sleeper whose wake-up got lost, say for want of memory in the kernel, or through a peer that does not send them. */
static _Atomic uint64_t longest_sleep = READING_LONGEST_SLEEP_NS;

void emu_pe_set_longest_sleep(uint64_t nanoseconds)
{
	atomic_store(&longest_sleep, nanoseconds);
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = disarm(pe);
	if (result == DOCA_SUCCESS)
		result = emu_sleeper_arm(&pe->sleeper);
	if (result != DOCA_SUCCESS)
		return result;
	uint64_t due = due_in(pe);
	if (due > 0) {
		bool reliable = arm_contexts(pe);
		reliable = /* guard: sleep-barrier=1 */ emu_barrier() && reliable;
		due = due_in(pe);
		uint64_t longest = reliable ? atomic_load(&longest_sleep) : READING_NOTIFY_POLL_NS;
		due = due < longest ? due : longest;
	}
	return emu_sleeper_open(&pe->sleeper, due);
}

void emu_pe_wake(struct doca_pe *pe)
{
	emu_sleeper_wake(&pe->sleeper);
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
	(void)handle; /* not used on Linux */
	return pe == NULL ? DOCA_ERROR_INVALID_VALUE : disarm(pe);
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode mode)
{
	if (pe == NULL || (mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE && mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL))
		return DOCA_ERROR_INVALID_VALUE;
	/* Both modes look at every context here, which either mode allows. */
	return DOCA_SUCCESS;
}
