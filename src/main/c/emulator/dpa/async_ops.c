#include "async_ops.h"

#include "doca_dpa.h"

doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size, uint64_t user_data,
				       struct doca_dpa_async_ops **async_ops)
{
	if (dpa == NULL || queue_size == 0 || queue_size > READING_DPA_MAX_QUEUE ||
	    user_data >> DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA != 0 || async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa_async_ops *created = dpa_adopt(dpa, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dpa = dpa;
	created->user_data = user_data;
	created->size = 1;
	while (created->size < queue_size)
		created->size *= 2;
	async_ops_init_held(created);
	*async_ops = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops, unsigned int *queue_size)
{
	if (async_ops == NULL || queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*queue_size = async_ops->size;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops, uint64_t *user_data)
{
	if (async_ops == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = async_ops->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops, struct doca_dpa_completion *dpa_comp)
{
	if (async_ops == NULL || dpa_comp == NULL || emu_dpa_completion_of(dpa_comp)->dpa != async_ops->dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	async_ops->completion = dpa_comp;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops)
{
	if (async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle != 0 || !dpa_started(async_ops->dpa) || async_ops->completion == NULL ||
	    !atomic_load(&emu_dpa_completion_of(async_ops->completion)->started))
		return DOCA_ERROR_BAD_STATE;
	async_ops->handle = emu_dpa_publish(EMU_DPA_ASYNC_OPS, async_ops, async_ops->dpa);
	if (async_ops->handle == 0)
		return DOCA_ERROR_DRIVER;
	atomic_store(&async_ops->unacked, 0);
	atomic_fetch_add(&emu_dpa_completion_of(async_ops->completion)->users, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops)
{
	if (async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	emu_dpa_unpublish(async_ops->handle);
	async_ops->handle = 0;
	async_ops_drop_held(async_ops);
	struct emu_dpa_completion *completion = emu_dpa_completion_of(async_ops->completion);
	completion->forget(async_ops->completion, &async_ops->unacked);
	atomic_fetch_sub(&completion->users, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops)
{
	if (async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle != 0)
		(void)doca_dpa_async_ops_stop(async_ops);
	async_ops_fini_held(async_ops);
	dpa_disown(async_ops->dpa, async_ops);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops, doca_dpa_dev_async_ops_t *handle)
{
	if (async_ops == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle == 0)
		return READING_DPA_NOT_STARTED;
	*handle = async_ops->handle;
	return DOCA_SUCCESS;
}
