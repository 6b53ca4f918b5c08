#include "fast.h"
#include "batched.h"

#include <string.h>

#include <doca_types.h>

#define PAGE 4096u

static void memory_open(struct memory *memory, const struct device *device, const struct options *options)
{
	/* Whole cache lines for each buffer, whole pages for large ones. */
	uint64_t unit = options->size >= PAGE ? PAGE : 64;
	memory->stride = (options->size + unit - 1) / unit * unit;
	size_t len = (memory->stride * options->depth + PAGE - 1) / PAGE * PAGE;
	memory->bytes = payload_memory(len);
	MUST(doca_mmap_create(&memory->mmap));
	MUST(doca_mmap_set_memrange(memory->mmap, memory->bytes, len));
	MUST(doca_mmap_set_permissions(memory->mmap,
				       DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	MUST(doca_mmap_add_dev(memory->mmap, device->dev));
	MUST(doca_mmap_start(memory->mmap));
	MUST(doca_buf_inventory_create(options->depth, &memory->inventory));
	MUST(doca_buf_inventory_start(memory->inventory));
}

static void memory_close(struct memory *memory)
{
	MUST(doca_buf_inventory_destroy(memory->inventory));
	MUST(doca_mmap_destroy(memory->mmap));
	free(memory->bytes);
}

void payload_fill(uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 8; i < size; i++)
		bytes[i] = (uint8_t)(i * 31 + (i >> 8) + 7);
}

bool payload_intact(const uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 8; i < size; i++)
		if (bytes[i] != (uint8_t)(i * 31 + (i >> 8) + 7))
			return false;
	return true;
}

uint64_t messages_to_check(const struct options *options)
{
	return 4 * (uint64_t)options->depth;
}

/* ---- sender ---- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct sender *sender = ctx_data.ptr;
	(void)task;
	sender->free[sender->num_free++] = (uint32_t)task_data.u64;
}

/* Long messages may complete in another order than they were sent in. */
static void on_sent_in_turn(struct doca_comch_producer_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	struct sender *sender = ctx_data.ptr;
	(void)task;
	sender->free[sender->last] = (uint32_t)task_data.u64;
	sender->last = sender->last + 1 == sender->depth ? 0 : sender->last + 1;
	sender->num_free++;
}

static void on_send_failed(struct doca_comch_producer_task_send *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct doca_task *base = doca_comch_producer_task_send_as_task(task);
	(void)task_data;
	(void)ctx_data;
	fail("a fast-path send failed: %s", doca_error_get_name(doca_task_get_status(base)));
}

void sender_open(struct sender *sender, struct endpoint *endpoint, const struct device *device,
		 const struct options *options, struct doca_pe *pe)
{
	uint32_t depth = options->depth;
	WAIT_FOR(endpoint->remote_consumer != 0);
	memory_open(&sender->memory, device, options);
	sender->depth = depth;
	sender->pe = pe != NULL ? pe : loop_new_pe();
	MUST(doca_comch_producer_create(endpoint->connection, &sender->producer));
	sender->ctx = doca_comch_producer_as_ctx(sender->producer);
	MUST(doca_pe_connect_ctx(sender->pe, sender->ctx));
	struct batched *batched = sender->batched;
	void *own = batched != NULL ? (void *)&batched->context : sender;
	MUST(doca_ctx_set_user_data(sender->ctx, (union doca_data){.ptr = own}));
	MUST(doca_comch_producer_task_send_set_conf(sender->producer,
						    batched != NULL   ? comch4j_batch_freed
						    : sender->in_turn ? on_sent_in_turn
								      : on_sent,
						    on_send_failed, depth));
	MUST(doca_ctx_start(sender->ctx));
	WAIT_FOR(ctx_state(sender->ctx) == DOCA_CTX_STATE_RUNNING);
	sender->tasks = must_have(calloc(depth, sizeof(sender->tasks[0])));
	sender->bufs = must_have(calloc(depth, sizeof(sender->bufs[0])));
	sender->free = must_have(calloc(depth, sizeof(sender->free[0])));
	for (uint32_t i = 0; i < depth; i++) {
		uint8_t *bytes = sender->memory.bytes + i * sender->memory.stride;
		struct doca_comch_producer_task_send *task;
		payload_fill(bytes, options->size);
		MUST(doca_buf_inventory_buf_get_by_data(sender->memory.inventory, sender->memory.mmap, bytes,
							options->size, &sender->bufs[i]));
		MUST(doca_comch_producer_task_send_alloc_init(sender->producer, sender->bufs[i], NULL, 0,
							      endpoint->remote_consumer, &task));
		sender->tasks[i] = doca_comch_producer_task_send_as_task(task);
		doca_task_set_user_data(sender->tasks[i], (union doca_data){.u64 = i});
		sender->free[sender->num_free++] = i;
	}
	if (batched != NULL)
		batched_begin(batched, sender->pe, sender->ctx, sender->tasks, sender->bufs, depth);
}

static bool all_sent(struct sender *sender)
{
	return sender->batched != NULL ? batched_sender_settle(sender) : sender->num_free == sender->depth;
}

void sender_close(struct sender *sender)
{
	WAIT_FOR(all_sent(sender));
	for (uint32_t i = 0; i < sender->depth; i++)
		doca_task_free(sender->tasks[i]);
	MUST(doca_ctx_stop(sender->ctx));
	WAIT_FOR(ctx_state(sender->ctx) == DOCA_CTX_STATE_IDLE);
	MUST(doca_comch_producer_destroy(sender->producer));
	for (uint32_t i = 0; i < sender->depth; i++)
		MUST(doca_buf_dec_refcount(sender->bufs[i], NULL));
	memory_close(&sender->memory);
	batched_free(sender->batched);
	free(sender->tasks);
	free(sender->bufs);
	free(sender->free);
}

/* ---- receiver ---- */

static void release(struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	MUST(doca_buf_dec_refcount(buf, NULL));
}

void receiver_post_again(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
	doca_buf_reset_data_len(buf);
	doca_error_t result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (__builtin_expect(result != DOCA_SUCCESS, 0)) {
		if (result != DOCA_ERROR_BAD_STATE) /* which says that the consumer stops */
			fail("posting again: %s", doca_error_get_name(result));
		release(task);
	}
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct receiver *receiver = ctx_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	size_t len = 0;
	doca_buf_get_data_len(buf, &len);
	receiver_check(receiver, task_data.ptr, len);
	receiver->received++;
	if (receiver->on_received != NULL)
		receiver->on_received(receiver);
	receiver_post_again(task, buf);
}

/* Posted buffers come back when the consumer stops. */
static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	release(task);
}

void receiver_open(struct receiver *receiver, struct endpoint *endpoint, const struct device *device,
		   const struct options *options, struct doca_pe *pe)
{
	memory_open(&receiver->memory, device, options);
	receiver->depth = options->depth;
	receiver->size = options->size;
	receiver->to_check = messages_to_check(options);
	receiver->several = options->producers > 1;
	receiver->pe = pe != NULL ? pe : loop_new_pe();
	MUST(doca_comch_consumer_create(endpoint->connection, receiver->memory.mmap, &receiver->consumer));
	receiver->ctx = doca_comch_consumer_as_ctx(receiver->consumer);
	MUST(doca_pe_connect_ctx(receiver->pe, receiver->ctx));
	MUST(doca_comch_consumer_set_imm_data_len(receiver->consumer, 0));
	struct batched *batched = receiver->batched;
	void *own = batched != NULL ? (void *)&batched->context : receiver;
	MUST(doca_ctx_set_user_data(receiver->ctx, (union doca_data){.ptr = own}));
	MUST(doca_comch_consumer_task_post_recv_set_conf(receiver->consumer,
							 batched != NULL               ? comch4j_batch_received_data
							 : receiver->completed != NULL ? receiver->completed
										       : on_received,
							 on_flushed, receiver->depth));
	MUST(doca_ctx_start(receiver->ctx));
	WAIT_FOR(ctx_state(receiver->ctx) == DOCA_CTX_STATE_RUNNING);
	receiver->tasks = must_have(calloc(receiver->depth, sizeof(receiver->tasks[0])));
	receiver->bufs = must_have(calloc(receiver->depth, sizeof(receiver->bufs[0])));
	for (uint32_t i = 0; i < receiver->depth; i++) {
		uint8_t *bytes = receiver->memory.bytes + i * receiver->memory.stride;
		struct doca_comch_consumer_task_post_recv *task;
		MUST(doca_buf_inventory_buf_get_by_addr(receiver->memory.inventory, receiver->memory.mmap, bytes,
							options->size, &receiver->bufs[i]));
		MUST(doca_comch_consumer_task_post_recv_alloc_init(receiver->consumer, receiver->bufs[i], &task));
		struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
		receiver->tasks[i] = base;
		doca_task_set_user_data(base, batched != NULL ? (union doca_data){.u64 = i}
							      : (union doca_data){.ptr = bytes});
	}
	if (batched != NULL)
		batched_begin(batched, receiver->pe, receiver->ctx, receiver->tasks, receiver->bufs, receiver->depth);
	for (uint32_t i = 0; i < receiver->depth; i++)
		MUST(doca_task_submit(receiver->tasks[i]));
}

void receiver_close(struct receiver *receiver)
{
	if (receiver->batched != NULL)
		comch4j_batch_flush(&receiver->batched->context); /* what is posted is flushed, and freed then */
	MUST(doca_ctx_stop(receiver->ctx));
	WAIT_FOR(ctx_state(receiver->ctx) == DOCA_CTX_STATE_IDLE);
	MUST(doca_comch_consumer_destroy(receiver->consumer));
	memory_close(&receiver->memory);
	batched_free(receiver->batched);
	free(receiver->tasks);
	free(receiver->bufs);
}
