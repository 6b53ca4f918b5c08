/* Calls of DPA programs: sync events. */
#include "doca_dpa_dev_sync_event.h"

#include <sched.h>

#include "async_ops.h"

void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value)
{
	struct doca_sync_event *event = emu_dpa_enter(EMU_DPA_SYNC_EVENT, dpa_dev_se_handle, __func__);
	if (event == NULL)
		return;
	if (value != NULL)
		*value = emu_sync_event_value(event);
	emu_dpa_leave();
}

static void change(doca_dpa_dev_sync_event_t handle, enum emu_sync_change kind, uint64_t value, const char *call)
{
	struct doca_sync_event *event = emu_dpa_enter(EMU_DPA_SYNC_EVENT, handle, call);
	if (event == NULL)
		return;
	(void)emu_sync_event_change(event, kind, value);
	emu_dpa_leave();
}

void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	change(dpa_dev_se_handle, EMU_SYNC_ADD, value, __func__);
}

void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	change(dpa_dev_se_handle, EMU_SYNC_SET, value, __func__);
}

void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value, uint64_t mask)
{
	/* A call for each look, so that the event can end meanwhile. */
	for (;;) {
		struct doca_sync_event *event = emu_dpa_enter(EMU_DPA_SYNC_EVENT, dpa_dev_se_handle, __func__);
		if (event == NULL)
			return;
		bool greater = (emu_sync_event_value(event) & mask) > value;
		emu_dpa_leave();
		if (greater)
			return;
		sched_yield();
	}
}

static void post_wait(doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_sync_event_t event,
		      enum emu_sync_relation relation, uint64_t value, const char *call)
{
	struct doca_dpa_async_ops *ops = emu_dpa_enter(EMU_DPA_ASYNC_OPS, async_ops_handle, call);
	if (ops == NULL)
		return;
	struct async_op op = {.call = call,
			      .waits = true,
			      .reports = true,
			      .wait = {.event = event, .relation = relation, .value = value}};
	/* As much as the hardware compares. */
	if (relation == EMU_SYNC_GREATER && /* guard: wait-value */ value > 254)
		emu_dpa_fail(ops->dpa, "%s: a value above 254", call);
	else if (emu_dpa_find(EMU_DPA_SYNC_EVENT, event, call) != NULL)
		async_ops_post(ops, &op);
	emu_dpa_leave();
}

void doca_dpa_dev_sync_event_post_wait_gt(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	post_wait(async_ops_handle, wait_se_handle, EMU_SYNC_GREATER, value, __func__);
}

void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	post_wait(async_ops_handle, wait_se_handle, EMU_SYNC_UNEQUAL, value, __func__);
}
