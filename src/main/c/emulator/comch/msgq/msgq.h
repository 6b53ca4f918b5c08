/* MsgQ: queues between the CPU and the DPA of a device, within a process. */
#ifndef EMU_MSGQ_MSGQ_H
#define EMU_MSGQ_MSGQ_H

#include <pthread.h>

#include "core/dpa.h"
#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"
#include "fast/consumer.h"
#include "fast/producer.h"
#include "msgq/queue.h"
#include "readings.h"

struct doca_comch_msgq {
	struct doca_dev *dev;
	struct doca_dpa *consumer_dpa, *producer_dpa; /* NULL: on the CPU */
	uint32_t max_consumers, max_producers;
	bool started;
	pthread_mutex_t lock; /* of the places */
	uint32_t num_consumers, num_producers;
	/* While started; a consumer's or producer's place is its id - 1. */
	struct msgq_queue *queues;
	bool *producers;
};

/* Whether a consumer or producer with this context can be configured for the DPA; `is_of_msgq`: and not one of a
 * connection, which is on the CPU. */
static inline doca_error_t msgq_configurable(const struct doca_ctx *ctx, bool is_of_msgq)
{
	if (!is_of_msgq)
		return DOCA_ERROR_NOT_SUPPORTED;
	return ctx->state == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

/* The queue of a consumer; NULL: the id is none. */
static inline struct msgq_queue *msgq_find(const struct doca_comch_msgq *msgq, uint32_t consumer_id)
{
	return consumer_id == 0 || consumer_id > msgq->max_consumers ? NULL : &msgq->queues[consumer_id - 1];
}

/* Whether a child's data path is where its MsgQ has it: on `wanted`, or on the CPU (NULL). */
static inline doca_error_t msgq_check_side(const struct doca_dpa *dpa, const struct doca_dpa *wanted)
{
	if (dpa == wanted)
		return DOCA_SUCCESS;
	return dpa == NULL ? READING_DPA_PART_MISSING : READING_DPA_WRONG_SIDE;
}

struct msgq_consumer {
	struct doca_comch_msgq *msgq;
	struct msgq_queue *queue;
	struct emu_sleeper *sleeper; /* of the engine while it is armed; the queue's lock */
	/* On the DPA. */
	struct doca_dpa *dpa; /* NULL: on the CPU */
	uint32_t max_recv;
	struct doca_comch_consumer_completion *completion;
	uint64_t handle;
};

struct msgq_producer {
	struct doca_comch_msgq *msgq;
	uint32_t id;
	/* On the DPA. */
	struct doca_dpa *dpa; /* NULL: on the CPU */
	uint32_t max_send;
	struct doca_dpa_completion *completion;
	uint64_t handle;
	struct emu_spin lock;     /* of what follows; two threads that use it at once break the rules */
	_Atomic uint32_t unacked; /* operations whose completion has not been acknowledged */
	struct held_operation *held;
	uint32_t num_held;
};

extern const struct emu_ctx_ops msgq_consumer_ops;
extern const struct emu_ctx_ops msgq_producer_ops;

/* ---- dpa_consumer.c, dpa_producer.c: contexts whose data path is on the DPA ---- */

doca_error_t msgq_dpa_consumer_start(struct doca_comch_consumer *consumer);
void msgq_dpa_consumer_stop(struct doca_comch_consumer *consumer);
doca_error_t msgq_dpa_producer_start(struct doca_comch_producer *producer);
void msgq_dpa_producer_stop(struct doca_comch_producer *producer);

#endif
