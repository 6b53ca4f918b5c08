/* The kernel of round trips over MsgQ: polls, and sends each message back. */
#include "doca_dpa_dev.h"
#include "doca_dpa_dev_comch_msgq.h"

#include <stdint.h>

struct ends {
	uint64_t completion, consumer, producer, stop;
};

__dpa_rpc__ uint64_t make_room(doca_dpa_dev_comch_consumer_t consumer, uint32_t num)
{
	doca_dpa_dev_comch_consumer_ack(consumer, num);
	return 0;
}

__dpa_global__ void echo(uint64_t argument)
{
	const struct ends *ends = (const struct ends *)argument;
	doca_dpa_dev_comch_consumer_completion_element_t element;
	while (__atomic_load_n(&ends->stop, __ATOMIC_RELAXED) == 0) {
		if (!doca_dpa_dev_comch_consumer_get_completion(ends->completion, &element))
			continue;
		uint32_t len;
		const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);
		while (doca_dpa_dev_comch_producer_is_consumer_empty(ends->producer, 1) &&
		       __atomic_load_n(&ends->stop, __ATOMIC_RELAXED) == 0)
			;
		doca_dpa_dev_comch_producer_post_send_imm_only(ends->producer, 1, imm, len,
							       DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH |
								       DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
		doca_dpa_dev_comch_consumer_ack(ends->consumer, 1);
		doca_dpa_dev_comch_consumer_completion_ack(ends->completion, 1);
	}
	doca_dpa_dev_thread_finish();
}
