/* Producers of a MsgQ on the DPA: what kernels send. */
#ifndef EMU_MSGQ_DPA_PRODUCER_H
#define EMU_MSGQ_DPA_PRODUCER_H

#include "msgq/msgq.h"

/* A copy, if it has a length, and then a message. */
struct operation {
	uint32_t consumer_id;
	uint32_t flags;
	uint32_t dst_map, src_map;
	uint64_t dst, src, length;
	bool copies;
	uint32_t imm_len;
	const uint8_t *imm;
};

/* Inside a device call. */
void dpa_producer_post(struct doca_comch_producer *producer, const struct operation *operation, const char *call);
bool dpa_producer_has_room(struct doca_comch_producer *producer, uint32_t consumer_id);

#endif
