/* Notification completions: by which one thread of the DPA wakes another. */
#include "notification.h"
#include "doca_dpa.h"

doca_error_t doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
						     struct doca_dpa_notification_completion **notify_comp)
{
	if (dpa == NULL || dpa_thread == NULL || notify_comp == NULL || emu_dpa_thread_of(dpa_thread)->dpa != dpa)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa_notification_completion *created = dpa_adopt(dpa, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dpa = dpa;
	created->thread = dpa_thread;
	*notify_comp = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
							 struct doca_dpa_thread **dpa_thread)
{
	if (notify_comp == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = notify_comp->thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp)
{
	if (notify_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct emu_dpa_thread *thread = emu_dpa_thread_of(notify_comp->thread);
	if (notify_comp->handle != 0 || !dpa_started(notify_comp->dpa) || !atomic_load(&thread->started))
		return DOCA_ERROR_BAD_STATE;
	notify_comp->handle = emu_dpa_publish(EMU_DPA_NOTIFICATION, notify_comp, notify_comp->dpa);
	if (notify_comp->handle == 0)
		return DOCA_ERROR_DRIVER;
	atomic_fetch_add(&thread->users, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp)
{
	if (notify_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	emu_dpa_unpublish(notify_comp->handle);
	notify_comp->handle = 0;
	atomic_fetch_sub(&emu_dpa_thread_of(notify_comp->thread)->users, 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp)
{
	if (notify_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->handle != 0)
		(void)doca_dpa_notification_completion_stop(notify_comp);
	dpa_disown(notify_comp->dpa, notify_comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_get_dpa_handle(struct doca_dpa_notification_completion *notify_comp,
							     doca_dpa_dev_notification_completion_t *handle)
{
	if (notify_comp == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->handle == 0)
		return READING_DPA_NOT_STARTED;
	*handle = notify_comp->handle;
	return DOCA_SUCCESS;
}
