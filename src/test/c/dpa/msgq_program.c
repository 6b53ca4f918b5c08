/* The program on the DPA of the tests of MsgQ. */
#include "doca_dpa_dev.h"
#include "doca_dpa_dev_comch_msgq.h"

#include <dpaintrin.h>
#include <stdint.h>

#include "msgq_ends.h"

__dpa_rpc__ uint64_t post_receives(doca_dpa_dev_comch_consumer_t consumer, uint32_t num)
{
	doca_dpa_dev_comch_consumer_ack(consumer, num);
	return 0;
}

static int echo_one(struct ends *ends)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t len;
	if (!doca_dpa_dev_comch_consumer_get_completion(ends->completion, &element))
		return 0;
	const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);
	uint32_t id = doca_dpa_dev_comch_consumer_get_completion_producer_id(element);
	ends->from[id % 8]++;
	ends->received++; /* before the answer, after which the host may look */
	if (ends->producer != 0) {
		while (doca_dpa_dev_comch_producer_is_consumer_empty(ends->producer, 1))
			ends->empty++;
		if (ends->dst_map != 0)
			doca_dpa_dev_comch_producer_dma_copy(ends->producer, 1, (doca_dpa_dev_mmap_t)ends->dst_map,
							     ends->dst, (doca_dpa_dev_mmap_t)ends->src_map, ends->src,
							     ends->length, imm, len, (uint32_t)ends->flags);
		else
			doca_dpa_dev_comch_producer_post_send_imm_only(ends->producer, 1, imm, len,
								       (uint32_t)ends->flags);
	}
	doca_dpa_dev_comch_consumer_ack(ends->consumer, 1);
	doca_dpa_dev_comch_consumer_completion_ack(ends->completion, 1);
	return 1;
}

/* The pattern of a kernel that sleeps while there is nothing to do. */
__dpa_global__ void echo(uint64_t argument)
{
	struct ends *ends = (struct ends *)argument;
	while (echo_one(ends))
		;
	doca_dpa_dev_comch_consumer_completion_request_notification(ends->completion);
	doca_dpa_dev_thread_reschedule();
}

/* Reads one message in each run, and asks before it has read all: each further one must start another run. */
__dpa_global__ void echo_one_each_run(uint64_t argument)
{
	struct ends *ends = (struct ends *)argument;
	(void)echo_one(ends);
	doca_dpa_dev_comch_consumer_completion_request_notification(ends->completion);
	doca_dpa_dev_thread_reschedule();
}

/* The pattern of a kernel that polls until it is told to end, and looks at what it has sent. */
__dpa_global__ void echo_polling(uint64_t argument)
{
	struct ends *ends = (struct ends *)argument;
	doca_dpa_dev_completion_element_t sent;
	while (__atomic_load_n(&ends->stop, __ATOMIC_RELAXED) == 0) {
		(void)echo_one(ends);
		while (doca_dpa_dev_get_completion(ends->producer_completion, &sent)) {
			if (doca_dpa_dev_get_completion_type(sent) != DOCA_DPA_DEV_COMP_SEND)
				ends->wrong++;
			doca_dpa_dev_completion_ack(ends->producer_completion, 1);
		}
		__dpa_thread_fence(__DPA_MEMORY, __DPA_RW, __DPA_RW);
	}
	doca_dpa_dev_thread_finish();
}

/* Gives room back to the consumer that the message was for, whose number it begins with. */
__dpa_global__ void collect(uint64_t argument)
{
	struct ends *ends = (struct ends *)argument;
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t len;
	while (doca_dpa_dev_comch_consumer_get_completion(ends->completion, &element)) {
		const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);
		uint32_t id = doca_dpa_dev_comch_consumer_get_completion_producer_id(element);
		ends->from[id % 8]++;
		doca_dpa_dev_comch_consumer_ack(ends->consumers[imm[0] % 8], 1);
		doca_dpa_dev_comch_consumer_completion_ack(ends->completion, 1);
		__atomic_add_fetch(&ends->received, 1, __ATOMIC_SEQ_CST);
	}
	doca_dpa_dev_comch_consumer_completion_request_notification(ends->completion);
	doca_dpa_dev_thread_reschedule();
}

/* Answers with a number as immediate data. */
__dpa_rpc__ uint64_t send_number(doca_dpa_dev_comch_producer_t producer, uint32_t consumer_id, uint64_t number,
				 uint32_t len, uint32_t flags)
{
	uint8_t imm[128] = {0};
	int empty = doca_dpa_dev_comch_producer_is_consumer_empty(producer, consumer_id);
	__builtin_memcpy(imm, &number, sizeof(number));
	doca_dpa_dev_comch_producer_post_send_imm_only(producer, consumer_id, imm, len, flags);
	return (uint64_t)empty;
}

/* Sends without FLUSH as long as there is room; how many. */
__dpa_rpc__ uint64_t hold_back(doca_dpa_dev_comch_producer_t producer, uint32_t most)
{
	uint64_t sent = 0;
	for (; sent < most && !doca_dpa_dev_comch_producer_is_consumer_empty(producer, 1); sent++)
		doca_dpa_dev_comch_producer_post_send_imm_only(producer, 1, (const uint8_t *)&sent, sizeof(sent),
							       DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	return sent;
}

/* One message from each of several producers, all held back until the end. */
__dpa_rpc__ uint64_t hold_back_each(const doca_dpa_dev_comch_producer_t *producers, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		doca_dpa_dev_comch_producer_post_send_imm_only(producers[i], 1, (const uint8_t *)&i, sizeof(i),
							       DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	return 0;
}

__dpa_rpc__ uint64_t copy_and_send(doca_dpa_dev_comch_producer_t producer, doca_dpa_dev_mmap_t dst_map, uint64_t dst,
				   doca_dpa_dev_mmap_t src_map, uint64_t src, uint64_t length)
{
	uint64_t imm = length;
	doca_dpa_dev_comch_producer_dma_copy(producer, 1, dst_map, dst, src_map, src, length, (const uint8_t *)&imm,
					     sizeof(imm), DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}

/* The type of the next element that says what was sent; -1 for none. */
__dpa_rpc__ uint64_t next_sent(doca_dpa_dev_completion_t completion)
{
	doca_dpa_dev_completion_element_t element;
	if (!doca_dpa_dev_get_completion(completion, &element))
		return UINT64_MAX;
	doca_dpa_dev_completion_ack(completion, 1);
	return doca_dpa_dev_get_completion_type(element);
}

/* Reads without giving anything back; how many there were. */
__dpa_rpc__ uint64_t read_all(doca_dpa_dev_comch_consumer_completion_t completion)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint64_t num = 0;
	while (doca_dpa_dev_comch_consumer_get_completion(completion, &element))
		num++;
	return num;
}

/* An element that is not given back; 0: there is none. */
__dpa_rpc__ uint64_t read_one(doca_dpa_dev_comch_consumer_completion_t completion)
{
	doca_dpa_dev_comch_consumer_completion_element_t element = 0;
	(void)doca_dpa_dev_comch_consumer_get_completion(completion, &element);
	return element;
}

__dpa_rpc__ uint64_t give_back(doca_dpa_dev_comch_consumer_completion_t completion, uint64_t num)
{
	doca_dpa_dev_comch_consumer_completion_ack(completion, num);
	return 0;
}

/* Calls with a handle, or an element, that may be wrong. */
__dpa_rpc__ uint64_t msgq_misuse(uint64_t which, uint64_t handle)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint8_t imm[8] = {0};
	uint32_t len = 0;
	switch (which) {
	case 0:
		doca_dpa_dev_comch_consumer_ack(handle, 1);
		return 0;
	case 1:
		return (uint64_t)doca_dpa_dev_comch_consumer_get_completion(handle, &element);
	case 2:
		return doca_dpa_dev_comch_consumer_get_completion_imm(handle, &len) != 0 || len != 0;
	case 3:
		return doca_dpa_dev_comch_consumer_get_completion_producer_id(handle);
	case 4:
		doca_dpa_dev_comch_consumer_completion_ack(handle, 1);
		return 0;
	case 5:
		doca_dpa_dev_comch_consumer_completion_request_notification(handle);
		return 0;
	case 6:
		return !doca_dpa_dev_comch_producer_is_consumer_empty(handle, 1);
	case 7:
		doca_dpa_dev_comch_producer_post_send_imm_only(handle, 1, imm, sizeof(imm), 1);
		return 0;
	default:
		doca_dpa_dev_comch_producer_dma_copy(handle, 1, 1, 1, 1, 1, 1, imm, sizeof(imm), 1);
		return 0;
	}
}
