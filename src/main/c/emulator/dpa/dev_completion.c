/* Calls of DPA programs: completions. */
#include "completion.h"
#include "doca_dpa_dev.h"

/* When the elements that this thread has read lately were added: an element's number has no room for that. */
#define TIMES 64u
static _Thread_local struct {
	uint64_t element, time;
} times[TIMES];

int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
				doca_dpa_dev_completion_element_t *comp_element)
{
	struct doca_dpa_completion *completion = emu_dpa_enter(EMU_DPA_COMPLETION, dpa_comp_handle, __func__);
	if (completion == NULL)
		return 0;
	uint64_t time;
	bool any = comp_element != NULL && completion_get(completion, comp_element, &time);
	emu_dpa_leave();
	if (any) {
		times[*comp_element % TIMES].element = *comp_element;
		times[*comp_element % TIMES].time = time;
	}
	return any;
}

doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t comp_element)
{
	return (doca_dpa_dev_completion_type_t)(comp_element >> ELEMENT_TYPE_SHIFT);
}

uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element)
{
	return (uint32_t)(comp_element >> ELEMENT_USER_DATA_SHIFT) & ELEMENT_USER_DATA_MASK;
}

uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element)
{
	(void)comp_element;
	return 0;
}

uint32_t doca_dpa_dev_completion_element_get_wqe_counter(doca_dpa_dev_completion_element_t comp_element)
{
	return (uint32_t)comp_element;
}

uint64_t doca_dpa_dev_completion_element_get_timestamp(doca_dpa_dev_completion_element_t comp_element)
{
	return times[comp_element % TIMES].element == comp_element ? times[comp_element % TIMES].time : 0;
}

void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp)
{
	struct doca_dpa_completion *completion = emu_dpa_enter(EMU_DPA_COMPLETION, dpa_comp_handle, __func__);
	if (completion == NULL)
		return;
	if (!completion_ack(completion, num_comp))
		emu_dpa_fail(emu_dpa_run()->dpa, "%s: more elements than were read", __func__);
	emu_dpa_leave();
}

void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle)
{
	struct doca_dpa_completion *completion = emu_dpa_enter(EMU_DPA_COMPLETION, dpa_comp_handle, __func__);
	if (completion == NULL)
		return;
	completion_arm(completion);
	emu_dpa_leave();
}
