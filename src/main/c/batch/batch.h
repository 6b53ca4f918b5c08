/* Batches: many completions, received messages and submits to one call.
 *
 * Each call from Java into C, or back, has its price. Here callbacks write completions into a ring in memory that Java
 * reads, and tasks to submit come from a queue in memory that Java writes, so that one call serves many messages.
 *
 * All structures are made by Java (io.github.comch4j.internal.transport.Batch), which takes their layout from this
 * header by scripts/jextract.sh; zero is their first state. This library allocates nothing, has no threads and links to
 * no DOCA: it is given DOCA's functions. What belongs to one engine belongs to the thread that owns it.
 */
#ifndef COMCH4J_BATCH_H
#define COMCH4J_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_buf.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_pe.h"

struct doca_dma_task_memcpy; /* of doca_dma.h, which an SDK may lack */

#define BATCH_API __attribute__((visibility("default")))

/* Changes when the meaning of a function or field does; that of a layout changes comch4j_batch_layout by itself. */
#define BATCH_VERSION 17u

/* DOCA's functions, found by Java, in doca_cc (DOCA 2.5 and 2.6) under other names and with types of the same form.
 * Both of submit_ex and flush_tasks may be NULL: old releases lack them. So may all three of send_set_imm, receive_imm
 * and receive_imm_len, which doca_cc lacks: there is no immediate data then. So may receive_producer, which 2.5 lacks:
 * each producer is 0 then. */
struct batch_functions {
	uint64_t layout; /* as Java knows it, see layout.h; the first field in every version */
	uint8_t (*progress)(struct doca_pe *pe);
	doca_error_t (*submit)(struct doca_task *task);
	doca_error_t (*status)(const struct doca_task *task);
	doca_error_t (*set_data)(struct doca_buf *buf, void *data, size_t len);
	doca_error_t (*reset_data_len)(struct doca_buf *buf);
	doca_error_t (*get_data_len)(const struct doca_buf *buf, size_t *len);
	void (*send_set_buf)(struct doca_comch_producer_task_send *task, const struct doca_buf *buf);
	void (*send_set_consumer)(struct doca_comch_producer_task_send *task, uint32_t consumer);
	void (*send_set_imm)(struct doca_comch_producer_task_send *task, uint8_t *imm, uint32_t imm_len);
	void (*receive_set_buf)(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf);
	uint32_t (*receive_producer)(const struct doca_comch_consumer_task_post_recv *task);
	const uint8_t *(*receive_imm)(const struct doca_comch_consumer_task_post_recv *task);
	uint32_t (*receive_imm_len)(const struct doca_comch_consumer_task_post_recv *task);
	/* one doorbell for many tasks */
	doca_error_t (*submit_ex)(struct doca_task *task, uint32_t flags);
	void (*flush_tasks)(struct doca_ctx *ctx);
};

/* Those of libdoca_dma, which is loaded when a program makes its first context of DMA. */
struct batch_copy_functions {
	uint64_t layout; /* as in batch_functions */
	void (*set_src)(struct doca_dma_task_memcpy *task, const struct doca_buf *src);
	void (*set_dst)(struct doca_dma_task_memcpy *task, struct doca_buf *dst);
};

/* An event: a task ended, or DOCA refused a queued one, or a context changed its state, or a message arrived. */
struct batch_entry {
	/* Of the data segment of the buffer received into; of a change of state, see BATCH_STATE; of a message, the
	 * user data of its connection. */
	uint64_t data_len;
	/* Address of received immediate data, valid until the task is submitted again; or of a message. Of a receive
	 * without: how many of the following entries belong to its row, see comch4j_batch_poll_rows. */
	uint64_t imm;
	uint64_t origin; /* the producer's id, and in the upper half how long immediate data or the message are */
	/* The slot's number, or BATCH_STATE, or BATCH_MESSAGE; above BATCH_CONTEXT_SHIFT the context's index, 16 bits,
	 * and above BATCH_STATUS_SHIFT a doca_error_t. Java reads each word as a whole, right after it has been
	 * written: in parts it would have to come from the cache. */
	uint64_t what;
};

#define BATCH_CONTEXT_SHIFT 32
#define BATCH_STATUS_SHIFT 48

/* In `what`, of an entry for a change of state: `data_len` is the state before, plus that after in the upper half. */
#define BATCH_STATE UINT32_MAX

/* In `what`, of an entry for a message of the control path; its `context` says nothing. */
#define BATCH_MESSAGE (UINT32_MAX - 1)

/* Messages that wait in the ring at once, and how long one is at most, bytes: the place of each in the inbox. Those of
 * the second kind lie in the long inbox, of a size that leaves room for their sources in a first cache. Others go to
 * Java in a call of their own. */
#define BATCH_MESSAGES 32
#define BATCH_MESSAGE_LEN 512
#define BATCH_LONG_MESSAGES 8
#define BATCH_LONG_LEN 4096

/* In what comch4j_batch_poll returns; of a number of rounds it is not set. */
#define BATCH_ALONE UINT32_C(0x80000000)

/* Changes of state of a context from start to idle: the places that the ring has for those of each context. */
#define BATCH_STATES 4

/* Java lets so many tasks gather in a queue, if it does not submit them before; a power of two. */
#define BATCH_QUEUED 64

struct batch_engine {
	struct doca_pe *pe;
	/* Has a place for every slot of the engine's contexts, for BATCH_STATES changes of state of each, and for
	 * the messages of each inbox that there is: it cannot overflow. */
	struct batch_entry *ring;
	struct batch_context *rows; /* the consumer whose messages make rows now; NULL: none */
	/* The first entry of the row to which the ring's last one belongs; NULL: none. Java ends the row in an upcall,
	 * where it takes what is there. */
	struct batch_entry *row;
	/* Only C writes these three, but for resets by Java of an empty ring. */
	uint32_t tail;          /* where the next entry goes */
	uint16_t messages;      /* in the inbox since the last reset */
	uint16_t long_messages; /* in the long inbox since then */
	uint32_t ring_mask;
	uint32_t queued; /* set by Java when it puts something into a queue; cleared when all are empty */
	uint32_t others; /* rounds of the last batch_progress that appended no entry: upcalls, and freed slots */
	uint32_t stop;   /* set by Java in a callback: batch_progress is to return */
	struct batch_context *contexts;
	struct batch_context *freed; /* C puts those in that have something in `freed`; Java empties it */
	uint8_t *inbox;      /* BATCH_MESSAGES * BATCH_MESSAGE_LEN bytes; NULL: the engine has no server or client */
	uint8_t *long_inbox; /* BATCH_LONG_MESSAGES * BATCH_LONG_LEN bytes; NULL: no long message has come yet */
};

/* What the tasks of a context do. */
enum batch_kind {
	BATCH_SENDS,
	BATCH_RECEIVES,
	BATCH_COPIES,
};

/* A producer or consumer, or a context of DMA. Its address is the context's user data. */
struct batch_context {
	struct batch_engine *engine;
	struct batch_context *next;
	struct doca_ctx *ctx;
	struct batch_slot *slots;
	struct batch_data *data;      /* by slot */
	struct batch_source *sources; /* by slot, of copies */
	/* Rows (BATCH_ROW_SHIFT) of slots to be submitted, perhaps with BATCH_EMPTY. With a place for each slot: a row
	 * takes as many as it has slots, and is in the first of them. */
	uint64_t *queue;
	uint32_t queue_mask;
	uint32_t queue_head; /* only C writes it */
	uint32_t queue_tail; /* only Java writes it */
	uint16_t index;      /* Java's number of the context */
	uint8_t kind;        /* enum batch_kind */
	uint8_t flushing;
	uint64_t stalls; /* submits out of the queue that DOCA answered with AGAIN */
	/* Rows of slots whose sends have succeeded, of a producer that need not know more; as the queue. */
	uint64_t *freed;
	uint32_t freed_head;              /* only Java writes it */
	uint32_t freed_tail;              /* only C writes this and the next one */
	uint32_t freed_row;               /* where the last row is, if there is any */
	struct batch_context *next_freed; /* of the engine, while there is anything in `freed` */
};

/* A row: slots that follow each other, as the number of the first one, and from this bit on how many they are. */
#define BATCH_ROW_SHIFT 32

/* Or-ed to a slot number in a queue: the buffer is submitted with an empty data segment, where its data were. */
#define BATCH_EMPTY UINT32_C(0x80000000)

enum batch_change {
	BATCH_BUF = 1,       /* the task has another buffer than `buf` */
	BATCH_CONSUMER = 2,  /* the task has another consumer than `consumer` */
	BATCH_DATA = 4,      /* the data segment of `buf` is not where batch_data says */
	BATCH_IMM = 8,       /* the task has other immediate data than batch_data says */
	BATCH_SRC = 16,      /* the copy has another source than batch_source says */
	BATCH_SRC_DATA = 32, /* the data segment of its source is not where batch_source says */
};

/* A task and what it is to be submitted with. Its number is the task's user data. */
struct batch_slot {
	struct doca_task *task;
	struct doca_buf *buf; /* of a copy, its destination; NULL: immediate data alone, to send or to receive */
	uint32_t changes;     /* enum batch_change */
	uint32_t consumer;
	void *typed; /* the same task, as what it does */
};

/* Where a slot's data segment is to be, and what immediate data its task is to have, if that has changed; not in
 * batch_slot, so that what each submit reads is close together. */
struct batch_data {
	void *data;
	uint64_t data_len;
	uint8_t *imm; /* stays as it is until the task is submitted: DOCA copies it then */
	uint32_t imm_len;
	uint32_t reserved;
};

/* The source of a slot's copy, and where its data segment is to be. */
struct batch_source {
	struct doca_buf *buf;
	void *data;
	uint64_t data_len;
	uint64_t reserved;
};

/* Takes over DOCA's functions; before anything else, once. Returns 0 when Java knows another layout than this library,
 * or a function is missing. */
BATCH_API uint32_t comch4j_batch_init(const struct batch_functions *functions);

/* The same before the first context of DMA is made. */
BATCH_API uint32_t comch4j_batch_init_copies(const struct batch_copy_functions *functions);

/* Submits one task now, behind those of its context that are queued. AGAIN also when those have no room. */
BATCH_API int32_t comch4j_batch_submit(struct batch_context *context, uint32_t number);

/* Submits a context's queue in order, until it is empty or DOCA answers AGAIN. What is refused for another reason
 * becomes an entry. Returns how many are still queued. */
BATCH_API uint32_t comch4j_batch_flush(struct batch_context *context);

/* Turns a context's queue into entries with this status. */
BATCH_API void comch4j_batch_cancel(struct batch_context *context, int32_t status);

/* Flushes every context's queue, then makes progress until nothing is ready or `limit` rounds have done something.
 * While none has, it looks up to `spins` times more. Other callbacks may run in it. Returns the number of rounds. */
BATCH_API uint32_t comch4j_batch_progress(struct batch_engine *engine, uint32_t limit, uint32_t spins);

/* As comch4j_batch_progress, of the consumer's engine, whose ring has to be empty. If all that came is one message for
 * this consumer, returns its slot, or-ed with BATCH_ALONE: Java need not look at the rest then. It is in the ring as
 * well. */
BATCH_API uint32_t comch4j_batch_poll(struct batch_context *consumer, uint32_t limit, uint32_t spins);

/* As comch4j_batch_poll. Messages of the consumer that arrive one after the other into slots that follow each other,
 * from one producer, of one length and without immediate data, are a row: its first entry says how many more there are,
 * and of the others only `what` is written. */
BATCH_API uint32_t comch4j_batch_poll_rows(struct batch_context *consumer, uint32_t limit, uint32_t spins);

/* Appends a copy of a message, of the engine that progresses in this thread. Returns false if that cannot be: it is too
 * long, too many wait, or no engine with an inbox progresses. For messages.c. */
bool batch_append_message(const uint8_t *bytes, uint64_t len, union doca_data connection_data);

/* Completion callbacks, for the set_conf functions. */
BATCH_API void comch4j_batch_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
				  union doca_data ctx_data);
/* As comch4j_batch_sent, into `freed` instead of the ring. */
BATCH_API void comch4j_batch_freed(struct doca_comch_producer_task_send *task, union doca_data task_data,
				   union doca_data ctx_data);
BATCH_API void comch4j_batch_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
				      union doca_data ctx_data);
BATCH_API void comch4j_batch_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				      union doca_data ctx_data);
/* As comch4j_batch_received, of a consumer that takes no immediate data: DOCA is not asked for them. */
BATCH_API void comch4j_batch_received_data(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
					   union doca_data ctx_data);
BATCH_API void comch4j_batch_not_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
					  union doca_data ctx_data);
BATCH_API void comch4j_batch_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
				    union doca_data ctx_data);
BATCH_API void comch4j_batch_not_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
					union doca_data ctx_data);
/* The callback for changes of state. */
BATCH_API void comch4j_batch_state(union doca_data ctx_data, struct doca_ctx *ctx, enum doca_ctx_states before,
				   enum doca_ctx_states after);

#endif
