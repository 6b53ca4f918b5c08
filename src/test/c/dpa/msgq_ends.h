/* What a test of MsgQ and its program on the DPA (msgq_program.c) tell each other, in memory of the DPA. */
#ifndef TEST_MSGQ_ENDS_H
#define TEST_MSGQ_ENDS_H

#include <stdint.h>

struct ends {
	uint64_t completion, consumer, producer, producer_completion;
	uint64_t received, empty, wrong, flags;
	uint64_t dst_map, dst, src_map, src, length;
	uint64_t stop, limit;
	uint64_t consumers[8];
	uint64_t from[8]; /* messages of each producer */
};

#endif
