#include "core/ctx.h"

#include "core/pe.h"
#include "log/sdk_log.h"
#include "readings.h"

void emu_ctx_init(struct doca_ctx *ctx, const struct emu_ctx_ops *ops)
{
	*ctx = (struct doca_ctx){.ops = ops, .state = DOCA_CTX_STATE_IDLE};
}

void emu_ctx_fini(struct doca_ctx *ctx)
{
	if (ctx->pe != NULL)
		emu_pe_remove(ctx->pe, ctx);
	ctx->pe = NULL;
}

void emu_ctx_enter(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;
	ctx->state = next;
	if (ctx->state_changed == NULL)
		return;
	struct doca_pe *pe = ctx->pe;
	if (pe == NULL) {
		ctx->state_changed(ctx->user_data, ctx, prev, next);
		return;
	}
	bool outer = emu_pe_enter_callback(pe);
	ctx->state_changed(ctx->user_data, ctx, prev, next);
	/* The callback may have destroyed a context that has become IDLE: nothing may look at it any more. */
	emu_pe_leave_callback(pe, outer);
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return READING_START_WHEN_NOT_IDLE;
	if (ctx->pe == NULL && !ctx->on_dpa)
		return DOCA_ERROR_NOT_CONNECTED;
	emu_log_forget();
	if (ctx->pe != NULL)
		emu_pe_wake(ctx->pe);
	doca_error_t result = ctx->ops->start(ctx);
	if (result == DOCA_SUCCESS)
		emu_ctx_enter(ctx, DOCA_CTX_STATE_RUNNING);
	else if (result == DOCA_ERROR_IN_PROGRESS)
		emu_ctx_enter(ctx, DOCA_CTX_STATE_STARTING);
	return result;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return ctx->pe == NULL && !ctx->on_dpa ? DOCA_ERROR_NOT_CONNECTED : READING_STOP_WHEN_IDLE;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return READING_STOP_WHEN_STOPPING;
	if (ctx->pe != NULL)
		emu_pe_wake(ctx->pe);
	doca_error_t result = ctx->ops->stop(ctx);
	if (result != DOCA_SUCCESS)
		return result;
	emu_ctx_enter(ctx, DOCA_CTX_STATE_STOPPING);
	if (ctx->ops->stopped_at_once == NULL || !ctx->ops->stopped_at_once(ctx))
		return DOCA_ERROR_IN_PROGRESS;
	emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
	if (ctx == NULL || num_inflight_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_inflight_tasks = ctx->num_inflight;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
	if (ctx == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb)
{
	if (ctx == NULL || cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ctx->state_changed = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
	if (ctx == NULL || state == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*state = ctx->state;
	return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	if (ctx != NULL && ctx->ops->flush != NULL && ctx->state == DOCA_CTX_STATE_RUNNING)
		ctx->ops->flush(ctx);
}

/* The emulated machine has no GPU. */
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
	if (ctx == NULL || gpu_dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx->state == DOCA_CTX_STATE_IDLE ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
	if (ctx == NULL || dpa_dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	doca_error_t result = ctx->ops->take_dpa == NULL ? DOCA_ERROR_NOT_SUPPORTED : ctx->ops->take_dpa(ctx, dpa_dev);
	if (result == DOCA_SUCCESS)
		ctx->on_dpa = true;
	return result;
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
	if (ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	/* One vector exists (doca_ctx_cap_get_num_completion_vectors): 0. */
	return comp_vector == 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo, uint32_t *num_comp_vectors)
{
	if (devinfo == NULL || num_comp_vectors == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_comp_vectors = 1;
	return DOCA_SUCCESS;
}
