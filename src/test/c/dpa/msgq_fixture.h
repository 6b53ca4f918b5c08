/* What the tests of MsgQ share: two queues between the CPU and the DPA, with a producer and a consumer each, as
 * public programs make them. */
#ifndef TEST_MSGQ_FIXTURE_H
#define TEST_MSGQ_FIXTURE_H

#include <string.h>

#include "doca_comch_msgq.h"
#include "fixture.h"
#include "msgq_ends.h"

extern struct doca_dpa_app *msgq_program;
doca_dpa_func_t post_receives, echo, echo_one_each_run, echo_polling, collect, send_number, hold_back, hold_back_each,
	copy_and_send, next_sent, read_all, read_one, give_back, msgq_misuse;

#define FLUSH 1u
#define OPTIMIZE_REPORTS 2u

struct link {
	struct dpa base;
	struct doca_dpa *dpa;
	struct doca_pe *pe;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	/* On the DPA. */
	struct doca_dpa_thread *thread;
	struct doca_comch_consumer_completion *received;
	struct doca_dpa_completion *sent;
	struct doca_comch_consumer *dpa_consumer;
	struct doca_comch_producer *dpa_producer;
	struct ends *ends; /* in memory of the DPA */
	/* On the CPU. */
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	uint32_t credits;
	uint64_t posted, num_received, num_sent, num_failed;
	void (*on_receive)(struct link *link, struct doca_comch_consumer_task_post_recv *task);
	bool repost;                                      /* each receive is posted again at once */
	struct doca_comch_producer_task_send *free_sends; /* by their user data */
};

static inline struct doca_ctx *consumer_ctx(struct doca_comch_consumer *consumer)
{
	return doca_comch_consumer_as_ctx(consumer);
}

static inline struct doca_ctx *producer_ctx(struct doca_comch_producer *producer)
{
	return doca_comch_producer_as_ctx(producer);
}

static inline void link_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				 union doca_data ctx_data)
{
	(void)task_data;
	struct link *link = ctx_data.ptr;
	link->num_received++;
	if (link->on_receive != NULL)
		link->on_receive(link, task);
	if (link->repost)
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	else
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static inline void link_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				union doca_data ctx_data)
{
	(void)task_data;
	struct link *link = ctx_data.ptr;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	CHECK(doca_task_get_status(base) == DOCA_ERROR_IO_FAILED);
	link->num_failed++;
	doca_task_free(base);
}

static inline void link_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			     union doca_data ctx_data)
{
	(void)task_data;
	struct link *link = ctx_data.ptr;
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	OK(doca_task_get_status(base));
	link->num_sent++;
	doca_task_free(base);
}

static inline struct doca_comch_consumer *cpu_consumer_make(struct doca_comch_msgq *msgq, struct doca_pe *pe,
							    uint32_t num, uint32_t imm_len, void *user)
{
	struct doca_comch_consumer *consumer;
	union doca_data data = {.ptr = user};
	OK(doca_comch_msgq_consumer_create(msgq, &consumer));
	OK(doca_comch_consumer_set_imm_data_len(consumer, imm_len));
	OK(doca_pe_connect_ctx(pe, consumer_ctx(consumer)));
	OK(doca_ctx_set_user_data(consumer_ctx(consumer), data));
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer, link_received, link_flushed, num));
	OK(doca_ctx_start(consumer_ctx(consumer)));
	return consumer;
}

static inline struct doca_comch_producer *cpu_producer_make(struct doca_comch_msgq *msgq, struct doca_pe *pe,
							    uint32_t num, void *user)
{
	struct doca_comch_producer *producer;
	union doca_data data = {.ptr = user};
	OK(doca_comch_msgq_producer_create(msgq, &producer));
	OK(doca_pe_connect_ctx(pe, producer_ctx(producer)));
	OK(doca_ctx_set_user_data(producer_ctx(producer), data));
	OK(doca_comch_producer_task_send_set_conf(producer, link_sent, link_sent, num));
	OK(doca_ctx_start(producer_ctx(producer)));
	return producer;
}

static inline struct doca_comch_consumer *dpa_consumer_make(struct doca_comch_msgq *msgq, struct doca_dpa *dpa,
							    struct doca_comch_consumer_completion *completion,
							    uint32_t num, uint32_t imm_len)
{
	struct doca_comch_consumer *consumer;
	OK(doca_comch_msgq_consumer_create(msgq, &consumer));
	OK(doca_comch_consumer_set_imm_data_len(consumer, imm_len));
	OK(doca_ctx_set_datapath_on_dpa(consumer_ctx(consumer), dpa));
	OK(doca_comch_consumer_set_dev_max_num_recv(consumer, num));
	OK(doca_comch_consumer_set_completion(consumer, completion, 0));
	OK(doca_ctx_start(consumer_ctx(consumer)));
	return consumer;
}

static inline struct doca_comch_producer *dpa_producer_make(struct doca_comch_msgq *msgq, struct doca_dpa *dpa,
							    struct doca_dpa_completion *completion, uint32_t num)
{
	struct doca_comch_producer *producer;
	OK(doca_comch_msgq_producer_create(msgq, &producer));
	OK(doca_ctx_set_datapath_on_dpa(producer_ctx(producer), dpa));
	OK(doca_comch_producer_set_dev_max_num_send(producer, num));
	OK(doca_comch_producer_dpa_completion_attach(producer, completion));
	OK(doca_ctx_start(producer_ctx(producer)));
	return producer;
}

static inline struct doca_comch_msgq *msgq_make(struct doca_dev *dev, struct doca_dpa *consumer,
						struct doca_dpa *producer, uint32_t consumers, uint32_t producers)
{
	struct doca_comch_msgq *msgq;
	OK(doca_comch_msgq_create(dev, &msgq));
	if (consumer != NULL)
		OK(doca_comch_msgq_set_dpa_consumer(msgq, consumer));
	if (producer != NULL)
		OK(doca_comch_msgq_set_dpa_producer(msgq, producer));
	OK(doca_comch_msgq_set_max_num_consumers(msgq, consumers));
	OK(doca_comch_msgq_set_max_num_producers(msgq, producers));
	OK(doca_comch_msgq_start(msgq));
	return msgq;
}

static inline struct doca_comch_consumer_completion *completion_make(struct doca_dpa_thread *thread, uint32_t consumers,
								     uint32_t recv, uint32_t imm_len)
{
	struct doca_comch_consumer_completion *completion;
	OK(doca_comch_consumer_completion_create(&completion));
	OK(doca_comch_consumer_completion_set_max_num_consumers(completion, consumers));
	OK(doca_comch_consumer_completion_set_max_num_recv(completion, recv));
	OK(doca_comch_consumer_completion_set_imm_data_len(completion, imm_len));
	if (thread != NULL)
		OK(doca_comch_consumer_completion_set_dpa_thread(completion, thread));
	OK(doca_comch_consumer_completion_start(completion));
	return completion;
}

static inline void link_post(struct link *link, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++) {
		struct doca_comch_consumer_task_post_recv *task;
		OK(doca_comch_consumer_task_post_recv_alloc_init(link->consumer, NULL, &task));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
		link->posted++;
	}
}

/* Everything is made; the thread runs `kernel` and receives are posted on both sides. */
static inline void link_open_on(struct link *link, bool dpu, doca_dpa_func_t *kernel, uint32_t credits,
				uint32_t imm_len)
{
	memset(link, 0, sizeof(*link));
	dpa_open_on(&link->base, dpu);
	OK(doca_dpa_stop(link->base.dpa));
	OK(doca_dpa_set_app(link->base.dpa, msgq_program));
	OK(doca_dpa_start(link->base.dpa));
	struct doca_dpa *dpa = link->dpa = link->base.dpa;
	struct doca_dev *dev = link->base.dev;
	link->credits = credits;
	OK(doca_pe_create(&link->pe));
	link->to_dpa = msgq_make(dev, dpa, NULL, 1, 1);
	link->from_dpa = msgq_make(dev, NULL, dpa, 1, 1);
	link->ends = dpa_zeros(dpa, sizeof(*link->ends));
	link->thread = thread_make(dpa, kernel, link->ends);
	link->received = completion_make(link->thread, 1, credits, imm_len);
	OK(doca_dpa_completion_create(dpa, credits, &link->sent));
	OK(doca_dpa_completion_start(link->sent));
	link->dpa_consumer = dpa_consumer_make(link->to_dpa, dpa, link->received, credits, imm_len);
	link->dpa_producer = dpa_producer_make(link->from_dpa, dpa, link->sent, credits);
	link->producer = cpu_producer_make(link->to_dpa, link->pe, credits, link);
	link->consumer = cpu_consumer_make(link->from_dpa, link->pe, credits, imm_len, link);
	struct ends *ends = link->ends;
	OK(doca_comch_consumer_completion_get_dpa_handle(link->received, &ends->completion));
	OK(doca_comch_consumer_get_dpa_handle(link->dpa_consumer, &ends->consumer));
	OK(doca_comch_producer_get_dpa_handle(link->dpa_producer, &ends->producer));
	OK(doca_dpa_completion_get_dpa_handle(link->sent, &ends->producer_completion));
	ends->flags = FLUSH | OPTIMIZE_REPORTS;
	link_post(link, credits);
	OK(doca_dpa_rpc(dpa, post_receives, NULL, ends->consumer, credits));
}

/* AGAIN, or SUCCESS. */
static inline void link_open(struct link *link, doca_dpa_func_t *kernel, uint32_t credits, uint32_t imm_len)
{
	link_open_on(link, false, kernel, credits, imm_len);
}

static inline doca_error_t link_send(struct link *link, const void *imm, uint32_t len)
{
	struct doca_comch_producer_task_send *task;
	doca_error_t result = doca_comch_producer_task_send_alloc_init(link->producer, NULL, (uint8_t *)(uintptr_t)imm,
								       len, 1, &task);
	if (result == DOCA_ERROR_NO_MEMORY)
		return DOCA_ERROR_AGAIN; /* all tasks are on their way */
	OK(result);
	result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	return result;
}

static inline void ctx_stop(struct doca_ctx *ctx, struct doca_pe *pe)
{
	doca_error_t result = doca_ctx_stop(ctx);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	UNTIL(state_of(ctx) == DOCA_CTX_STATE_IDLE, pe);
}

static inline void link_destroy_children(struct link *link)
{
	OK(doca_comch_producer_destroy(link->dpa_producer));
	OK(doca_comch_consumer_destroy(link->consumer));
	OK(doca_comch_producer_destroy(link->producer));
	OK(doca_comch_consumer_destroy(link->dpa_consumer));
	OK(doca_comch_msgq_stop(link->to_dpa));
	OK(doca_comch_msgq_destroy(link->to_dpa));
	OK(doca_comch_msgq_stop(link->from_dpa));
	OK(doca_comch_msgq_destroy(link->from_dpa));
}

static inline void link_finish(struct link *link)
{
	dpa_release(link->dpa, link->ends);
	OK(doca_pe_destroy(link->pe));
	dpa_close(&link->base);
}

/* The CPU's ends first, then the DPA's, queues, completions and thread. */
static inline void link_close(struct link *link)
{
	ctx_stop(consumer_ctx(link->consumer), link->pe);
	ctx_stop(producer_ctx(link->producer), link->pe);
	OK(doca_ctx_stop(consumer_ctx(link->dpa_consumer)));
	OK(doca_ctx_stop(producer_ctx(link->dpa_producer)));
	link_destroy_children(link);
	OK(doca_comch_consumer_completion_stop(link->received));
	OK(doca_comch_consumer_completion_destroy(link->received));
	OK(doca_dpa_completion_stop(link->sent));
	OK(doca_dpa_completion_destroy(link->sent));
	thread_end(link->thread);
	link_finish(link);
}

/* The DPA's ends first, with completions and thread, then the CPU's. */
static inline void link_close_dpa_first(struct link *link)
{
	OK(doca_ctx_stop(consumer_ctx(link->dpa_consumer)));
	OK(doca_ctx_stop(producer_ctx(link->dpa_producer)));
	OK(doca_comch_consumer_completion_stop(link->received));
	OK(doca_dpa_completion_stop(link->sent));
	OK(doca_dpa_thread_stop(link->thread));
	ctx_stop(producer_ctx(link->producer), link->pe);
	ctx_stop(consumer_ctx(link->consumer), link->pe);
	OK(doca_dpa_thread_destroy(link->thread));
	OK(doca_comch_consumer_completion_destroy(link->received));
	OK(doca_dpa_completion_destroy(link->sent));
	link_destroy_children(link);
	link_finish(link);
}

#endif
