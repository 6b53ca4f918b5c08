/* Producers: the sending end of the fast path.
 *
 * Threads: a producer belongs to the one that drives its engine. */
#ifndef EMU_PRODUCER_H
#define EMU_PRODUCER_H

#include <sys/uio.h>

#include "base/shm_map.h"
#include "base/task_pool.h"
#include "connection/connection.h"
#include "core/ctx.h"
#include "doca_comch_producer.h"
#include "memory/memory.h"
#include "topology/limits.h"

/* One of the peer's consumers as this producer knows it. */
struct consumer_view {
	uint64_t entry; /* the directory entry it was made from; 0: none */
	uint32_t slot;
	uint32_t capacity;
	uint32_t eager_bytes;
	uint32_t max_imm_len;
	bool can_fetch;
	uint64_t base;
	/* The consumer's `posted` when last looked at. */
	uint64_t posted;
	struct shm_region *region;
	struct shm_post *posts;
	struct shm_slot *slots;
	uint64_t slot_mask;
	uint64_t packed_limit; /* the longest payload for the packed area */
	/* Of payloads that the packed area could take: whether they are dense traffic, and how many bytes there were
	 * since that was decided, at `dense_since` (now_ms). */
	bool dense;
	uint64_t dense_bytes;
	int64_t dense_since;
};

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	union {
		struct {
			uint8_t imm[EMU_BOUND_IMM_DATA_LEN];
			/* While the pipeline carries the payload, or the consumer fetches it. */
			struct doca_comch_producer_task_send *next_piped;
			uint32_t slot, capacity; /* of the consumer */
			uint64_t entry;          /* of the directory at submit */
			uint64_t index;
			const uint8_t *source; /* NULL: of a list, by producer_list_of */
			uint64_t len, piped;
			uint64_t sum;     /* of a strict machine: of the payload at submit */
			uint64_t arrival; /* of one that travels; then next_piped is the next of those */
		};
		uint8_t any_imm[EMU_BOUND_MSGQ_IMM_LEN]; /* a MsgQ sends nothing else */
	};
};

struct msgq_producer;

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct doca_comch_connection *connection;
	struct doca_comch_producer *next; /* of the connection's; its lock */
	uint32_t id;
	uint32_t place;     /* among the connection's producers */
	uint64_t max_len;   /* of what is sent */
	uint32_t map_seen;  /* registration of a map whose buffers may be sent; 0: none yet */
	uint32_t imm_bound; /* of the immediate data of a send */
	uint32_t max_tasks;
	doca_comch_producer_task_send_completion_cb_t completed_cb;
	doca_comch_producer_task_send_completion_cb_t failed_cb;
	uint32_t num_tasks;

	/* While not IDLE. */
	struct task_pool pool;
	struct task_fifo done;
	struct consumer_view *views; /* by consumer id % SHM_CONSUMER_SLOTS */
	struct doca_comch_producer_task_send *piped_first, *piped_last;
	/* What has been sent and has not arrived yet, on a slowed device. */
	struct doca_comch_producer_task_send *travelling_first, *travelling_last;
	struct doca_comch_producer_task_send *offered; /* to its consumer; one at a time, the others are written */
	int64_t offered_until_ms;
	uint64_t ticket;   /* of the offer */
	uint32_t waits;    /* for producer_waits_in_vain */
	bool direct_write; /* process_vm_writev works */
	bool broken;       /* a send has failed for good: the context stops by itself */
	bool strict;       /* its device's machine: it looks whether a payload has been changed */
	struct connection_sleeper sleeper;

	uint32_t max_list;   /* buffers in what is sent; more than one have their data segments in `lists` */
	struct iovec *lists; /* max_list of each task; NULL where that is 1. While not IDLE */

	struct msgq_producer *msgq; /* NULL: of a connection */
	/* Leaves what it was made from. */
	void (*release)(struct doca_comch_producer *producer);
};

static inline uint64_t directory_entry(const struct doca_comch_producer *producer, uint32_t slot)
{
	/* Pairs with the release store in announce. */
	return atomic_load_explicit(&producer->connection->peer->directory[slot], memory_order_acquire);
}

#define PRODUCER_WAITS_PER_LOOK 1024u

/* To be asked each time that the peer's consumer keeps the producer waiting, in a submit that answers AGAIN or in
 * the middle of a transfer. Looks now and then whether the peer's process still lives: the caller may drive no
 * engine, or this one only, and the end of the connection is noticed by the control path's. */
static inline bool producer_waits_in_vain(struct doca_comch_producer *producer)
{
	return ++producer->waits % PRODUCER_WAITS_PER_LOOK == 0 && connection_peer_vanished(producer->connection);
}

extern const struct emu_ctx_ops producer_ops;

/* ---- the peer's consumers ---- */

/* The consumer as it is known, if it is still the same; NULL otherwise. */
static EMU_ALWAYS_INLINE struct consumer_view *producer_known_view(const struct doca_comch_producer *producer,
								   uint32_t id)
{
	struct consumer_view *view = &producer->views[id % SHM_CONSUMER_SLOTS];
	bool known = shm_entry_id(view->entry) == id && directory_entry(producer, view->slot) == view->entry && id != 0;
	return EMU_LIKELY(known) ? view : NULL;
}

/* The consumer, looked up where it is not known. */
doca_error_t producer_find_view(struct doca_comch_producer *producer, uint32_t id, struct consumer_view **found);

/* ---- lists of buffers ---- */

/* Room for the lists of all tasks, where the device takes any. */
doca_error_t producer_lists_init(struct doca_comch_producer *producer);
void producer_lists_fini(struct doca_comch_producer *producer);

/* The data segments of a task's buffers as they were at submit, where they are more than one. */
struct iovec *producer_list_of(const struct doca_comch_producer *producer,
			       const struct doca_comch_producer_task_send *task) __attribute__((returns_nonnull));

/* Notes the data segments of a task's buffers, and how many bytes they are. */
doca_error_t producer_collect_list(struct doca_comch_producer *producer,
				   const struct doca_comch_producer_task_send *task, uint64_t *len);

/* Copies `len` bytes of a list from byte `from` on; it has as many. */
void producer_gather(uint8_t *dest, const struct iovec *list, uint64_t from, uint64_t len);

/* The bytes of a buffer's data segment; false when the window has left its buffer. */
static inline bool data_segment(const struct doca_buf *buf, const uint8_t **source, uint64_t *len)
{
	if (EMU_UNLIKELY(!emu_contains(buf->head, buf->len, buf->data, buf->data_len)))
		return false;
	*source = buf->data;
	*len = buf->data_len;
	return true;
}

/* The error of a send that is too long; the reason names what is too long, and the limit. */
doca_error_t producer_refuses(const char *what, uint64_t len, uint64_t limit, const char *who) __attribute__((cold));

/* ---- strict.c: payloads of a strict machine stay as they are until the send has ended ---- */

void producer_note_payload(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
			   const uint8_t *source, uint64_t len);

/* The status of a send that ends; one whose payload has been changed fails for good. */
doca_error_t producer_look_at_payload(struct doca_comch_producer *producer,
				      const struct doca_comch_producer_task_send *task);

/* ---- payloads that are not sent within the submit: the pipeline carries them, or the consumer fetches them ---- */

/* Takes a task over whose place is claimed and not yet published; it knows its index, source and length. */
void producer_begin_transfer(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
			     const struct consumer_view *view, enum shm_payload payload);

/* Puts the next part of the oldest piped message; there is one. True when bytes were written or its task has ended. */
bool producer_push_through_pipe(struct doca_comch_producer *producer);

/* Looks at the state of the offer; there is one. True when its task has ended. */
bool producer_end_offer(struct doca_comch_producer *producer);

/* Takes the offer back, unless the consumer has copied all of it. A consumer that is still copying notices at the
 * end. */
void producer_withdraw_offer(struct doca_comch_producer *producer, doca_error_t status);

/* In how many nanoseconds one of them will have something to do (emu_ctx_ops). */
uint64_t producer_transfers_due_in(const struct doca_comch_producer *producer);

/* A payload that has been sent, and arrives later. */
void producer_let_travel(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
			 const struct consumer_view *view, uint64_t arrival);

/* Ends the tasks of what has arrived, or never will. There are some. */
void producer_end_travels(struct doca_comch_producer *producer);

/* Ends all offers and transfers through the pipeline. */
void producer_flush_transfers(struct doca_comch_producer *producer);

#endif
