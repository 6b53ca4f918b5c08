/* Completions: queues of elements that say what has ended, and wake a thread. */
#ifndef EMU_DPA_COMPLETION_H
#define EMU_DPA_COMPLETION_H

#include "core/spin.h"
#include "device.h"

/* What an element says is in its number: type, user data (24 bits), and how many were before it in its completion. None
 * of what completes here has immediate data. */
#define ELEMENT_TYPE_SHIFT 56
#define ELEMENT_USER_DATA_SHIFT 32
#define ELEMENT_USER_DATA_MASK 0xffffffu

struct completion_element {
	uint64_t value;
	uint64_t time;
	_Atomic uint32_t *unacked;
};

struct doca_dpa_completion {
	struct emu_dpa_completion base;
	uint32_t size; /* a power of two */
	uint64_t handle;
	struct doca_dpa_thread *thread;
	struct emu_spin lock; /* of what follows */
	struct completion_element *elements;
	uint64_t pushed, read, acked;
	bool armed;
};

/* Inside a device call. */
bool completion_get(struct doca_dpa_completion *completion, uint64_t *element, uint64_t *time);
/* False: not so many have been read. */
bool completion_ack(struct doca_dpa_completion *completion, uint64_t num);
void completion_arm(struct doca_dpa_completion *completion);

#endif
