#include "lines.h"

#include <stdatomic.h>
#include <string.h>

#include "slot.h"

#define SLOTS 16384u /* as the emulated device has: no line is used again while the peer's core still has it */

static struct slot slots[2][SLOTS]; /* by who sends */

void lines_send(uint32_t side, uint64_t number, const uint8_t *payload)
{
	struct slot *slot = &slots[side & 1][number % SLOTS];
	slot_fill(slot, payload);
	/* The exchange waits until all of it has left the core, which it does sooner so than after a plain store. */
	(void)atomic_exchange_explicit(&slot->number, number, memory_order_seq_cst);
}

bool lines_receive(uint32_t side, uint64_t number, uint8_t *payload, uint32_t looks)
{
	const struct slot *slot = &slots[~side & 1][number % SLOTS];
	while (atomic_load_explicit(&slot->number, memory_order_acquire) != number) {
		if (looks-- == 0)
			return false;
		__builtin_prefetch(slot->payload + LINES_PAYLOAD - 1); /* the second line is on its way then */
		pause_between_looks();
	}
	memcpy(payload, slot->payload, LINES_PAYLOAD);
	return true;
}
