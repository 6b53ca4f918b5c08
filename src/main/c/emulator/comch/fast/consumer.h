/* Consumers: the receiving end of the fast path.
 *
 * Threads: a consumer belongs to the one that drives its engine; the control thread announces it to the peer. */
#ifndef EMU_CONSUMER_H
#define EMU_CONSUMER_H

#include "base/shm_map.h"
#include "base/task_pool.h"
#include "connection/connection.h"
#include "connection/own_consumers.h"
#include "core/ctx.h"
#include "doca_comch_consumer.h"
#include "topology/limits.h"

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;
	/* Where the next bytes go and how many fit, taken from `buf` at submit. */
	uint8_t *dest;
	uint64_t room;
	/* Place in the order of posted buffers, while in flight. */
	uint64_t index;
	/* Bytes taken from the pipeline so far; of any payload, once it has been delivered in the long way. */
	uint64_t piped;
	uint32_t producer_id;
	uint32_t imm_len;
	uint8_t imm[]; /* as many as the consumer takes */
};

/* A payload whose buffer has failed on demand: it waits for the next one. */
struct held_payload {
	struct held_payload *next;
	uint64_t len;
	uint32_t producer_id;
	uint32_t imm_len;
	uint8_t bytes[]; /* immediate data, then the payload */
};

struct consumer_troubles {
	struct held_payload *first, **end; /* before what producers send next */
	bool fatal;                        /* a receive has failed for good: the context stops next */
	bool told;                         /* fault_has_consequences */
};

struct msgq_consumer;

struct doca_comch_consumer {
	struct doca_ctx ctx;
	struct doca_comch_connection *connection;
	uint8_t *range;
	size_t range_len;
	uint64_t max_room; /* of a posted buffer */
	uint32_t map_seen; /* registration of a map all of whose buffers may be posted; 0: none yet */
	uint32_t imm_data_len;
	doca_comch_consumer_task_post_recv_completion_cb_t completed_cb;
	doca_comch_consumer_task_post_recv_completion_cb_t failed_cb;
	uint32_t num_tasks;
	struct own_consumer own;
	struct connection_sleeper sleeper;

	/* While not IDLE. */
	struct shm_region *region;
	struct shm_post *posts;
	struct shm_slot *slots;
	uint64_t mask, slot_mask;
	uint64_t least_room; /* of the buffers posted since the start; 0 once one was taken back */
	uint64_t posted;
	uint64_t completed;
	uint64_t fetch_until; /* messages below it were filled at the last look */
	uint32_t burst;       /* messages since a look found none */
	uint32_t pauses;      /* after a burst */
	bool holds_back;      /* producers may not know of all posted buffers */
	/* What faults on demand have left behind. */
	struct consumer_troubles troubles;
	/* Nothing is delivered any more. */
	bool barren;
	/* In STOPPING: where the claims of producers end, and how long they are waited for. */
	uint64_t claimed;
	int64_t claim_deadline_ms;
	struct doca_comch_consumer_task_post_recv **tasks; /* by index & mask */
	struct task_pool pool;

	/* From create to destroy; here to leave the fields of each message close together. */
	struct doca_mmap *mmap;
	uint32_t imm_bound; /* of imm_data_len */
	uint32_t max_tasks;
	bool strict;                /* its device's machine: what is posted is overwritten */
	struct msgq_consumer *msgq; /* NULL: of a connection */
	/* Leaves what it was made from. */
	void (*release)(struct doca_comch_consumer *consumer);
};

static inline struct shm_offer *offer_of(const struct doca_comch_consumer *consumer, uint64_t index)
{
	return &shm_region_offers(consumer->region)[index & consumer->mask];
}

extern const struct emu_ctx_ops consumer_ops;

/* strict.c: overwrites the room of a buffer that is posted. */
void consumer_poison(const struct doca_buf *buf);

/* ---- what a producer has filled ---- */

enum delivery {
	DELIVERY_GOES_ON,    /* the payload has not arrived, or its sender has died, and the connection will end */
	DELIVERY_ENDED,      /* with `status` */
	DELIVERY_OF_NOTHING, /* the sender has given it up: nothing has been sent to the buffer, which is free again */
};

/* Brings a filled slot's payload to its buffer. */
enum delivery consumer_deliver(struct doca_comch_consumer *consumer, const struct shm_slot *slot,
			       struct doca_comch_consumer_task_post_recv *task, doca_error_t *status);

/* Posts the oldest posted buffer once more, behind the others: nothing has been sent to it. */
void consumer_post_oldest_again(struct doca_comch_consumer *consumer);

/* Ends the flight of the oldest posted buffer's task. */
void consumer_finish_oldest(struct doca_comch_consumer *consumer, doca_error_t status);

/* ---- faults on demand ---- */

/* RUNNING, in place of the usual way: completes the oldest posted buffer, or fails it as asked. False: nothing has
 * happened. */
bool consumer_suffer_faults(struct doca_comch_consumer *consumer);

/* Whether consumer_suffer_faults has something to do although no producer has done anything. */
bool consumer_faults_are_due(const struct doca_comch_consumer *consumer);

/* The oldest posted buffer has been filled, or none will fill it: what waited for a buffer comes before that. */
void consumer_pass_on(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
		      doca_error_t *status);

/* Forgets all of it. */
void consumer_forget_faults(struct doca_comch_consumer *consumer);

/* ---- payloads that the oldest posted buffer waits for ---- */

/* Takes the next part of a message that comes through the pipeline. */
enum delivery consumer_take_from_pipe(struct doca_comch_consumer *consumer,
				      struct doca_comch_consumer_task_post_recv *task, uint64_t len,
				      doca_error_t *status);

/* Marks the offer of message `index` as fetched: its sender need not keep the payload any more. False when it is not in
 * the state `from`. */
bool consumer_end_offer(struct doca_comch_consumer *consumer, uint64_t index, enum shm_offer_state from);

/* Fetches a payload, or sees that the producer has written it. */
enum delivery consumer_fetch(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			     uint64_t len);

#endif
