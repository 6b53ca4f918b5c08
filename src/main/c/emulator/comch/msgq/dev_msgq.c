/* Calls of DPA programs: MsgQ. */
#include "doca_dpa_dev_comch_msgq.h"

#include "msgq/dpa_producer.h"
#include "msgq/msgq_completion.h"

/* ---- receiving ---- */

void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg)
{
	struct doca_comch_consumer *found = emu_dpa_enter(EMU_DPA_CONSUMER, consumer, __func__);
	if (found == NULL)
		return;
	uint32_t posted = msgq_queue_post(found->msgq->queue, num_msg);
	if (EMU_UNLIKELY(/* guard: consumer-receives */ posted < num_msg))
		emu_dpa_fail(found->msgq->dpa, "%s: %u receives more than the consumer's queue has places", __func__,
			     num_msg - posted);
	emu_dpa_leave();
}

/* An element's number: where the completion's handle stands, the end of that handle's generation, and which of the
 * completion's elements it is. */
static uint64_t element_of(uint64_t handle, uint64_t number)
{
	uint64_t index = handle & 0xffff, generation = handle >> EMU_DPA_INDEX_BITS & 0xffff;
	return index << 48 | generation << 32 | (uint32_t)number;
}

/* The completion and the entry that an element names; to be used inside the call. NULL, and noted as the dpa's error:
 * none that was read and not acknowledged. */
static const struct completion_entry *entry_of(uint64_t element, const char *call)
{
	struct doca_comch_consumer_completion *completion =
		emu_dpa_at(EMU_DPA_CONSUMER_COMPLETION, (uint16_t)(element >> 48));
	const struct completion_entry *entry = NULL;
	if (completion != NULL &&
	    /* guard: element-generation=1 */ element_of(completion->handle, element) == element) {
		emu_spin_lock(&completion->lock);
		uint32_t age = (uint32_t)element - (uint32_t)completion->acked;
		if (/* guard: element-read=1 */ age < completion->read - completion->acked)
			entry = completion_entry(completion, completion->acked + age);
		emu_spin_unlock(&completion->lock);
	}
	if (entry == NULL)
		emu_dpa_fail(emu_dpa_run()->dpa, "%s: no element that was read and not acknowledged", call);
	return entry;
}

int doca_dpa_dev_comch_consumer_get_completion(doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
					       doca_dpa_dev_comch_consumer_completion_element_t *comp_element)
{
	struct doca_comch_consumer_completion *completion =
		emu_dpa_enter(EMU_DPA_CONSUMER_COMPLETION, consumer_comp_handle, __func__);
	if (completion == NULL)
		return 0;
	uint64_t number;
	bool any = comp_element != NULL && completion_read(completion, &number);
	if (any)
		*comp_element = element_of(consumer_comp_handle, number);
	emu_dpa_leave();
	return any;
}

const uint8_t *
doca_dpa_dev_comch_consumer_get_completion_imm(doca_dpa_dev_comch_consumer_completion_element_t comp_element,
					       uint32_t *imm_length)
{
	if (!emu_dpa_begin(__func__))
		return NULL;
	const struct completion_entry *entry = entry_of(comp_element, __func__);
	if (imm_length != NULL)
		*imm_length = entry == NULL ? 0 : entry->imm_len;
	emu_dpa_leave();
	return entry == NULL ? NULL : entry->imm;
}

uint32_t
doca_dpa_dev_comch_consumer_get_completion_producer_id(doca_dpa_dev_comch_consumer_completion_element_t comp_element)
{
	if (!emu_dpa_begin(__func__))
		return 0;
	const struct completion_entry *entry = entry_of(comp_element, __func__);
	uint32_t id = entry == NULL ? 0 : entry->producer_id;
	emu_dpa_leave();
	return id;
}

void doca_dpa_dev_comch_consumer_completion_ack(doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
						uint64_t num_comp)
{
	struct doca_comch_consumer_completion *completion =
		emu_dpa_enter(EMU_DPA_CONSUMER_COMPLETION, consumer_comp_handle, __func__);
	if (completion == NULL)
		return;
	if (!completion_acknowledge(completion, num_comp))
		emu_dpa_fail(emu_dpa_run()->dpa, "%s: more elements than were read", __func__);
	emu_dpa_leave();
}

void doca_dpa_dev_comch_consumer_completion_request_notification(
	doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle)
{
	struct doca_comch_consumer_completion *completion =
		emu_dpa_enter(EMU_DPA_CONSUMER_COMPLETION, consumer_comp_handle, __func__);
	if (completion == NULL)
		return;
	completion_arm(completion);
	emu_dpa_leave();
}

/* ---- sending ---- */

int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id)
{
	struct doca_comch_producer *found = emu_dpa_enter(EMU_DPA_PRODUCER, producer, __func__);
	if (found == NULL)
		return 1;
	bool room = dpa_producer_has_room(found, consumer_id);
	emu_dpa_leave();
	return !room;
}

void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id,
						    const uint8_t *imm, uint32_t imm_length, uint32_t flags)
{
	struct doca_comch_producer *found = emu_dpa_enter(EMU_DPA_PRODUCER, producer, __func__);
	if (found == NULL)
		return;
	const struct operation operation = {
		.consumer_id = consumer_id, .flags = flags, .imm = imm, .imm_len = imm_length};
	dpa_producer_post(found, &operation, __func__);
	emu_dpa_leave();
}

void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id,
					  doca_dpa_dev_mmap_t dst_mmap, uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
					  uint64_t src_addr, size_t length, const uint8_t *imm, uint32_t imm_length,
					  uint32_t flags)
{
	struct doca_comch_producer *found = emu_dpa_enter(EMU_DPA_PRODUCER, producer, __func__);
	if (found == NULL)
		return;
	const struct operation operation = {.consumer_id = consumer_id,
					    .flags = flags,
					    .dst_map = dst_mmap,
					    .src_map = src_mmap,
					    .dst = dst_addr,
					    .src = src_addr,
					    .length = length,
					    .copies = true,
					    .imm = imm,
					    .imm_len = imm_length};
	dpa_producer_post(found, &operation, __func__);
	emu_dpa_leave();
}
