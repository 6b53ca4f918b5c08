/* Completions of consumers on the DPA: where a kernel finds the messages of all of them.
 *
 * A message stays in its consumer's queue until a kernel takes it, and none is lost when the completion is full. */
#ifndef EMU_MSGQ_COMPLETION_H
#define EMU_MSGQ_COMPLETION_H

#include "msgq/msgq.h"

struct completion_entry {
	uint32_t producer_id;
	uint32_t imm_len;
	uint8_t imm[];
};

struct doca_comch_consumer_completion {
	struct doca_dpa_thread *thread;
	uint32_t max_consumers, max_recv; /* powers of two */
	uint32_t imm_len;
	_Atomic bool started;
	uint64_t handle;
	_Atomic bool armed; /* the next message starts the thread */

	struct emu_spin lock; /* of what follows, while started */
	struct msgq_queue **queues;
	uint32_t num_queues;
	uint32_t next; /* which queue is looked at first */
	uint8_t *entries;
	size_t stride;
	uint64_t read, acked; /* entries */
};

static inline struct completion_entry *completion_entry(const struct doca_comch_consumer_completion *completion,
							uint64_t number)
{
	return (struct completion_entry *)(completion->entries +
					   (number & (completion->max_recv - 1)) * completion->stride);
}

/* The dpa of its thread; NULL without one. */
struct doca_dpa *completion_dpa(const struct doca_comch_consumer_completion *completion);

/* NO_MEMORY: there are as many already as it takes. */
doca_error_t completion_attach(struct doca_comch_consumer_completion *completion, struct msgq_queue *queue);
void completion_detach(struct doca_comch_consumer_completion *completion, const struct msgq_queue *queue);

/* A message has arrived. With the lock of its queue held. */
void completion_notify(void *completion);

/* ---- inside a device call ---- */

/* Takes the oldest message of one of the queues; its number among all elements. */
bool completion_read(struct doca_comch_consumer_completion *completion, uint64_t *number);
/* False: not so many have been read. */
bool completion_acknowledge(struct doca_comch_consumer_completion *completion, uint64_t num);
void completion_arm(struct doca_comch_consumer_completion *completion);

#endif
