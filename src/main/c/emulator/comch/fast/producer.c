/* Sending: submit and completion, and the producer's context. Longer than other files, because the whole path of a
 * small payload is here for the compiler to inline. */
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/dense_traffic.h"
#include "base/faults.h"
#include "base/prefetch.h"
#include "connection/faulty_send.h"
#include "fast/producer.h"
#include "fast/thread_sends.h"
#include "log/sdk_log.h"
#include "readings.h"
#include "topology/dev.h"

/* From this size on the consumer fetches every other payload, so that producer and consumer copy at the same time. For
 * smaller ones an offer costs more than that saves. */
#define FETCH_LEAST_BYTES (128u << 10)
/* One call of doca_pe_progress fetches all of it, and should end soon. */
#define FETCH_MOST_BYTES (8u << 20)
/* So much of the place of the next payload is prefetched. */
#define PREFETCHED_BYTES 512u

_Thread_local bool thread_sends;

static struct doca_comch_producer *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

/* ---- sending ---- */

/* The error of a send to a consumer that does not exist; sets the reason. */
static __attribute__((cold)) doca_error_t no_such_consumer(doca_error_t error)
{
	if (error == DOCA_ERROR_INVALID_VALUE)
		emu_log_reason("the peer has no such consumer, or not any more");
	return error;
}

doca_error_t producer_refuses(const char *what, uint64_t len, uint64_t limit, const char *who)
{
	emu_log_reason("%llu bytes of %s, where %s %llu", (unsigned long long)len, what, who,
		       (unsigned long long)limit);
	return READING_SEND_TOO_LONG;
}

static doca_error_t no_buffer_posted(struct doca_comch_producer *producer)
{
	const struct doca_comch_connection *connection = producer->connection;
	if (atomic_load_explicit(&connection->lost, memory_order_acquire))
		return DOCA_ERROR_NOT_CONNECTED;
	return producer_waits_in_vain(producer) ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_AGAIN;
}

static void publish(const struct doca_comch_producer *producer, const struct consumer_view *view, struct shm_slot *slot,
		    uint64_t index)
{
	/* Pairs with the acquire load in the consumer's complete_oldest. */
	atomic_store_explicit(&slot->ready, index + 1, memory_order_release);
	thread_sends = true;
	connection_wake_peer(producer->connection, &view->region->asleep);
}

/* Whether a claimed buffer has been taken back by its owner. */
static bool taken_back(const struct consumer_view *view, uint64_t index)
{
	return atomic_load(&view->posts[index & (view->capacity - 1)].room) == SHM_ROOM_REVOKED;
}

/* Passes over a claimed buffer. */
static void skip(const struct doca_comch_producer *producer, const struct consumer_view *view, uint64_t index)
{
	struct shm_slot *slot = &view->slots[index & view->slot_mask];
	slot->payload = SHM_PAYLOAD_SKIPPED;
	publish(producer, view, slot, index);
}

/* Claims the next posted buffer that takes `len` bytes. */
static EMU_ALWAYS_INLINE doca_error_t claim(struct doca_comch_producer *producer, struct consumer_view *view,
					    uint64_t len, uint64_t *claimed)
{
	struct shm_region *region = view->region;
	uint64_t index = atomic_load_explicit(&region->claimed, memory_order_acquire);
	for (;;) {
		if (EMU_UNLIKELY((index & SHM_CLAIM_CLOSED) != 0))
			return no_such_consumer(READING_CONSUMER_EXPIRED);
		if (EMU_UNLIKELY(/* guard: claim-incarnation */ index - view->base >= SHM_INCARNATION))
			return READING_CONSUMER_NOT_RUNNING; /* restarted since the look at the directory */
		if (index >= view->posted) {
			/* Pairs with the release store in the consumer's submit. */
			uint64_t posted = atomic_load_explicit(&region->posted, memory_order_acquire);
			if (posted <= index)
				return no_buffer_posted(producer);
			if (EMU_UNLIKELY(/* guard: claim-capacity */ posted - index > view->capacity)) {
				/* Other producers have gone on meanwhile, or the peer breaks the protocol. */
				uint64_t now = atomic_load_explicit(&region->claimed, memory_order_acquire);
				if (now == index)
					return DOCA_ERROR_IO_FAILED;
				index = now;
				continue;
			}
			view->posted = posted;
		}
		struct shm_post *post = &view->posts[index & (view->capacity - 1)];
		/* A buffer that was taken back has the largest of all rooms. */
		if (EMU_UNLIKELY(len >= atomic_load_explicit(&region->fits_below, memory_order_relaxed)) &&
		    /* guard: claim-room */ len > atomic_load_explicit(&post->room, memory_order_relaxed))
			return producer_refuses("data", len, atomic_load_explicit(&post->room, memory_order_relaxed),
						"the consumer's next posted buffer has room for");
		if (!atomic_compare_exchange_weak_explicit(&region->claimed, &index, index + 1, memory_order_seq_cst,
							   memory_order_acquire))
			continue;
		if (EMU_LIKELY(len < atomic_load(&region->fits_below) || !taken_back(view, index))) {
			*claimed = index;
			return DOCA_SUCCESS;
		}
		skip(producer, view, index++);
	}
}

/* Counts a payload; whether those that the packed area could take are dense traffic. */
static EMU_ALWAYS_INLINE bool is_dense(struct consumer_view *view, uint64_t len)
{
	view->dense_bytes += len;
	if (EMU_UNLIKELY(view->dense_bytes >= DENSE_TRAFFIC_BYTES)) {
		view->dense = traffic_is_dense(&view->dense_since);
		view->dense_bytes = 0;
	}
	return view->dense;
}

/* A payload from one place, or from those of a list. */
static EMU_ALWAYS_INLINE void copy(uint8_t *dest, const uint8_t *source, const struct iovec *list, uint64_t len)
{
	if (list != NULL)
		producer_gather(dest, list, 0, len);
	else
		/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a payload without source is inline */
		memcpy(dest, source, len);
}

static EMU_ALWAYS_INLINE bool write_peer(const struct doca_comch_connection *connection, uint64_t dest,
					 const uint8_t *source, const struct iovec *list, uint64_t len)
{
	return list != NULL ? connection_gather_to_peer(connection, dest, list, len)
			    : connection_write_peer(connection, dest, source, len);
}

/* Brings the payload into a claimed slot or its buffer, and returns the way taken. */
static EMU_ALWAYS_INLINE enum shm_payload place(struct doca_comch_producer *producer, struct consumer_view *view,
						uint64_t index, struct shm_slot *slot, const uint8_t *source,
						const struct iovec *list, uint64_t len, uint32_t imm_len)
{
	const struct doca_comch_connection *connection = producer->connection;
	uint64_t at = index & (view->capacity - 1);
	if (len + imm_len <= SHM_INLINE_BYTES) {
		if (list != NULL)
			producer_gather(slot->bytes + imm_len, list, 0, len);
		else
			copy_words(slot->bytes + imm_len, source, len);
		return SHM_PAYLOAD_INLINE;
	}
	if (len <= view->packed_limit && is_dense(view, len)) {
		copy(shm_region_packed(view->region, index, (uint32_t)len), source, list, len);
		/* the next payload is likely to be as long */
		prefetch_for_writes(shm_region_packed(view->region, index + 1, (uint32_t)len), 0, PREFETCHED_BYTES,
				    len);
		return SHM_PAYLOAD_PACKED;
	}
	if (connection->reach == WIRE_REACH_SELF) {
		if (len > 0)
			copy((uint8_t *)(uintptr_t)view->posts[at].addr, source, list, len);
		return SHM_PAYLOAD_PLACED;
	}
	if (len <= view->eager_bytes) {
		copy(shm_region_eager(view->region) + at * view->eager_bytes, source, list, len);
		return SHM_PAYLOAD_EAGER;
	}
	if (producer->direct_write) {
		/* An offer is of one place. */
		if (list == NULL && len >= FETCH_LEAST_BYTES && len <= FETCH_MOST_BYTES && view->can_fetch &&
		    (producer->offered == NULL || producer_end_offer(producer)))
			return SHM_PAYLOAD_FETCH;
		if (write_peer(connection, view->posts[at].addr, source, list, len))
			return SHM_PAYLOAD_PLACED;
		EMU_LOG_WARNING("direct write of %llu bytes failed; using the pipeline from now on",
				(unsigned long long)len);
		producer->direct_write = false;
	}
	return SHM_PAYLOAD_PIPE;
}

/* Whether a send finds no posted buffer. A stopped consumer has its own answer, which `claim` gives. */
static bool no_buffer_at_hand(const struct consumer_view *view)
{
	uint64_t claimed = atomic_load_explicit(&view->region->claimed, memory_order_acquire);
	return (claimed & SHM_CLAIM_CLOSED) == 0 &&
	       atomic_load_explicit(&view->region->posted, memory_order_acquire) <= claimed;
}

/* Whether faults on demand let this send go on; otherwise `result` is submit's answer. They count sends that find a
 * posted buffer: a send that found none is over, also when one is posted right after the look. */
static __attribute__((noinline)) bool suffer_faults(struct doca_comch_producer *producer,
						    const struct consumer_view *view, struct doca_task *task,
						    doca_error_t *result)
{
	if (no_buffer_at_hand(view)) {
		*result = no_buffer_posted(producer);
		return false;
	}
	return device_lets_send(producer->connection->dev, producer->connection, task, &producer->done,
				&producer->broken, result);
}

/* Whether the device may read by way of the buffer's map. */
static __attribute__((noinline)) doca_error_t look_at_map(struct doca_comch_producer *producer,
							  const struct doca_buf *buf)
{
	if (buf->remote)
		return READING_SEND_FROM_IMPORTED; /* its address is one of another process */
	if (!connection_takes_map(producer->connection, buf->mmap))
		return READING_MAP_OF_OTHER_DEVICES;
	/* A strict machine has no short way. */
	producer->map_seen = producer->strict ? 0 : buf->registration;
	return DOCA_SUCCESS;
}

static EMU_ALWAYS_INLINE void describe(const struct doca_comch_producer *producer, struct shm_slot *slot, uint64_t len,
				       uint32_t imm_len, enum shm_payload payload, uint64_t arrival)
{
	slot->len = (uint32_t)len;
	slot->producer_id = producer->id;
	slot->imm_len = (uint8_t)imm_len;
	slot->payload = (uint8_t)payload;
	slot->arrival = arrival;
}

/* What is sent within the submit has ended with it, but for its callback. */
static EMU_ALWAYS_INLINE void sent(struct doca_comch_producer *producer, struct doca_task *task)
{
	task_sent_off(task);
	task_fifo_end(&producer->done, task, DOCA_SUCCESS);
}

/* Sends what lies at `source`, or in the places of a list; the task's buffers have been looked at. */
static EMU_ALWAYS_INLINE doca_error_t send_payload(struct doca_comch_producer *producer,
						   struct doca_comch_producer_task_send *task, const uint8_t *source,
						   const struct iovec *list, uint64_t len)
{
	struct doca_task *base = &task->base;
	doca_error_t result;
	if (EMU_UNLIKELY(atomic_load_explicit(&producer->connection->severed, memory_order_relaxed)))
		return DOCA_ERROR_NOT_CONNECTED;
	struct consumer_view *view;
	result = producer_find_view(producer, task->consumer_id, &view);
	if (EMU_UNLIKELY(result != DOCA_SUCCESS))
		return result == READING_CONSUMER_NOT_RUNNING ? no_buffer_posted(producer) : no_such_consumer(result);
	uint32_t imm_len = task->imm_len;
	if (EMU_UNLIKELY(/* guard: send-immediate-length */ imm_len > view->max_imm_len))
		return producer_refuses("immediate data", imm_len, view->max_imm_len, "the consumer takes at most");
	if (faults_any() && !suffer_faults(producer, view, base, &result))
		return result;
	uint64_t index = 0;
	result = claim(producer, view, len, &index);
	if (result != DOCA_SUCCESS)
		return result;

	if (EMU_UNLIKELY(producer->strict))
		producer_note_payload(producer, task, source, len);
	struct shm_slot *slot = &view->slots[index & view->slot_mask];
	enum shm_payload payload = place(producer, view, index, slot, source, list, len, imm_len);
	uint64_t arrival = faults_any() ? fault_arrival(emu_dev_folder(producer->connection->dev), len) : 0;
	describe(producer, slot, len, imm_len, payload, arrival);
	if (imm_len > 0)
		memcpy(slot->bytes, task->imm, imm_len);
	if (payload == SHM_PAYLOAD_PIPE || payload == SHM_PAYLOAD_FETCH) {
		task->index = index;
		task->source = source;
		task->len = len;
		producer_begin_transfer(producer, task, view, payload);
		task_sent_off(base);
	} else if (EMU_UNLIKELY(arrival != 0)) {
		producer_let_travel(producer, task, view, arrival);
		task_sent_off(base);
	} else {
		sent(producer, base);
	}
	publish(producer, view, slot, index);
	return DOCA_SUCCESS;
}

/* Out of line: a single buffer's path is to stay small. */
static __attribute__((noinline)) doca_error_t submit_list(struct doca_comch_producer *producer,
							  struct doca_comch_producer_task_send *task)
{
	uint64_t len;
	doca_error_t result = producer_collect_list(producer, task, &len);
	for (const struct doca_buf *buf = task->buf; result == DOCA_SUCCESS && buf != NULL; buf = buf->next)
		if (buf->registration != producer->map_seen)
			result = look_at_map(producer, buf);
	return result == DOCA_SUCCESS ? send_payload(producer, task, NULL, producer_list_of(producer, task), len)
				      : result;
}

static __attribute__((noinline)) doca_error_t submit_any(struct doca_comch_producer *producer,
							 struct doca_comch_producer_task_send *task)
{
	const struct doca_buf *buf = task->buf;
	const uint8_t *source = NULL;
	uint64_t len = 0;
	if (EMU_LIKELY(buf != NULL)) {
		if (EMU_UNLIKELY(buf->next != NULL))
			return submit_list(producer, task);
		if (EMU_UNLIKELY(!data_segment(buf, &source, &len)))
			return DOCA_ERROR_INVALID_VALUE;
		if (EMU_UNLIKELY(len > producer->max_len))
			return producer_refuses("data", len, producer->max_len, "the device sends at most");
		doca_error_t result;
		if (EMU_UNLIKELY(buf->registration != producer->map_seen) &&
		    (result = look_at_map(producer, buf)) != DOCA_SUCCESS)
			return result;
	} else if (task->imm_len == 0) {
		return DOCA_ERROR_INVALID_VALUE; /* nothing to send, as in alloc_init */
	}
	return send_payload(producer, task, source, NULL, len);
}

/* ---- the short way of small payloads: without immediate data, of one buffer, to a consumer that is known ---- */

static EMU_ALWAYS_INLINE doca_error_t fill_slot(struct doca_comch_producer *producer, struct doca_task *task,
						const struct consumer_view *view, uint64_t index, const uint8_t *source,
						uint64_t len)
{
	struct shm_slot *slot = &view->slots[index & view->slot_mask];
	copy_words(slot->bytes, source, len);
	describe(producer, slot, len, 0, SHM_PAYLOAD_INLINE, 0);
	sent(producer, task);
	publish(producer, view, slot, index);
	return DOCA_SUCCESS;
}

/* With the buffer claimed, of a consumer that has taken buffers back. */
static __attribute__((noinline)) doca_error_t fill_slot_if_posted(struct doca_comch_producer *producer,
								  struct doca_comch_producer_task_send *task,
								  const struct consumer_view *view, uint64_t index)
{
	if (!taken_back(view, index))
		return fill_slot(producer, &task->base, view, index, task->buf->data, task->buf->data_len);
	skip(producer, view, index);
	return submit_any(producer, task);
}

/* What is not as usual takes the long way, from its start. This function calls nothing otherwise, so that it can do
 * with few registers. */
static doca_error_t producer_submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = of_ctx(base->ctx);
	const struct doca_buf *buf = task->buf;
	if (buf == NULL || buf->data_len > SHM_INLINE_BYTES)
		return submit_any(producer, task);
	const uint8_t *source;
	uint64_t len;
	if (EMU_UNLIKELY(buf->next != NULL || buf->registration != producer->map_seen || task->imm_len != 0 ||
			 !data_segment(buf, &source, &len) || len > producer->max_len || faults_any() ||
			 atomic_load_explicit(&producer->connection->severed, memory_order_relaxed)))
		return submit_any(producer, task);
	const struct consumer_view *view = producer_known_view(producer, task->consumer_id);
	if (EMU_UNLIKELY(view == NULL))
		return submit_any(producer, task);
	struct shm_region *region = view->region;
	uint64_t index = atomic_load_explicit(&region->claimed, memory_order_acquire);
	/* The first comparison finds SHM_CLAIM_CLOSED, too. */
	if (EMU_UNLIKELY(index - view->base >= SHM_INCARNATION || index >= view->posted ||
			 len >= atomic_load_explicit(&region->fits_below, memory_order_relaxed) ||
			 !atomic_compare_exchange_weak_explicit(&region->claimed, &index, index + 1,
								memory_order_seq_cst, memory_order_acquire)))
		return submit_any(producer, task);
	if (EMU_UNLIKELY(len >= atomic_load(&region->fits_below)))
		return fill_slot_if_posted(producer, task, view, index);
	return fill_slot(producer, base, view, index, source, len);
}

/* ---- context ---- */

static bool report_send(struct doca_comch_producer *producer)
{
	struct doca_task *base = task_fifo_pop(&producer->done);
	if (base == NULL)
		return false;
	doca_error_t status = base->status;
	if (EMU_UNLIKELY(producer->strict))
		status = producer_look_at_payload(producer, (struct doca_comch_producer_task_send *)base);
	if (EMU_UNLIKELY(!task_landed(base, status)))
		task_pool_give(&producer->pool, base);
	else
		(status == DOCA_SUCCESS ? producer->completed_cb : producer->failed_cb)(
			(struct doca_comch_producer_task_send *)base, base->user_data, producer->ctx.user_data);
	return true;
}

static void free_resources(struct doca_comch_producer *producer)
{
	task_pool_fini(&producer->pool);
	task_fifo_fini(&producer->done);
	producer_lists_fini(producer);
	free(producer->views);
	producer->views = NULL;
}

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of_ctx(ctx);
	if (producer->num_tasks == 0)
		return READING_START_UNCONFIGURED;
	if (!producer->connection->can_produce)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (atomic_load(&producer->connection->lost))
		return DOCA_ERROR_NOT_CONNECTED;
	producer->views = calloc(SHM_CONSUMER_SLOTS, sizeof(producer->views[0]));
	if (producer->views == NULL || producer_lists_init(producer) != DOCA_SUCCESS ||
	    task_fifo_init(&producer->done, producer->num_tasks) != DOCA_SUCCESS ||
	    task_pool_init(&producer->pool, ctx, producer->num_tasks, sizeof(struct doca_comch_producer_task_send)) !=
		    DOCA_SUCCESS) {
		/* guard: release-failed-producer */ free_resources(producer);
		return DOCA_ERROR_INITIALIZATION;
	}
	producer->direct_write = producer->connection->reach == WIRE_REACH_PROCESS;
	producer->broken = false;
	atomic_fetch_add_explicit(&producer->connection->active_children, 1, memory_order_acq_rel);
	return DOCA_SUCCESS;
}

static doca_error_t producer_stop(struct doca_ctx *ctx)
{
	producer_flush_transfers(of_ctx(ctx));
	return DOCA_SUCCESS;
}

static void leave_stopping(struct doca_comch_producer *producer)
{
	connection_leave_sleepers(producer->connection, &producer->sleeper);
	free_resources(producer);
	atomic_fetch_sub_explicit(&producer->connection->active_children, 1, memory_order_acq_rel);
}

static bool producer_stopped_at_once(struct doca_ctx *ctx)
{
	if (of_ctx(ctx)->strict || !emu_ctx_drained(ctx))
		return false;
	leave_stopping(of_ctx(ctx));
	return true;
}

static bool producer_progress(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of_ctx(ctx);
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_IDLE))
		return false;
	if (EMU_UNLIKELY(producer->travelling_first != NULL))
		producer_end_travels(producer);
	if (EMU_UNLIKELY(producer->offered != NULL))
		(void)producer_end_offer(producer);
	bool moved = EMU_UNLIKELY(producer->piped_first != NULL) && producer_push_through_pipe(producer);
	if (report_send(producer))
		return true;
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_STOPPING)) {
		if (!emu_ctx_drained(ctx))
			return false;
		leave_stopping(producer);
		emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
		return true;
	}
	if (EMU_UNLIKELY(producer->broken || atomic_load_explicit(&producer->connection->lost, memory_order_relaxed))) {
		producer_flush_transfers(producer);
		emu_ctx_enter(ctx, DOCA_CTX_STATE_STOPPING);
		return true;
	}
	return moved;
}

static uint64_t producer_due_in(struct doca_ctx *ctx)
{
	const struct doca_comch_producer *producer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return EMU_NEVER;
	if (!task_fifo_empty(&producer->done))
		return 0;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return emu_ctx_drained(ctx) ? 0 : READING_NOTIFY_POLL_NS;
	if (producer->broken || atomic_load_explicit(&producer->connection->lost, memory_order_acquire))
		return 0;
	return producer_transfers_due_in(producer);
}

static bool producer_arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	struct doca_comch_producer *producer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return true;
	/* Nobody takes it back: other engines may sleep for the same reason. The peer does. */
	if (producer->piped_first != NULL || producer->offered != NULL || producer->travelling_first != NULL)
		shm_fall_asleep(&producer->connection->own->asleep_for_transfers);
	return connection_join_sleepers(producer->connection, &producer->sleeper, sleeper);
}

static void producer_free_task(struct doca_task *task)
{
	struct doca_comch_producer *producer = of_ctx(task->ctx);
	if (task->state != EMU_TASK_INFLIGHT) {
		task_pool_give(&producer->pool, task);
		return;
	}
	task->state = EMU_TASK_CANCELLED;
	if (producer->offered != NULL && &producer->offered->base == task)
		producer_withdraw_offer(producer, READING_FLUSHED_TASK); /* its memory may be gone at once */
}

const struct emu_ctx_ops producer_ops = {
	.start = producer_start,
	.stop = producer_stop,
	.stopped_at_once = producer_stopped_at_once,
	.progress = producer_progress,
	.due_in = producer_due_in,
	.arm = producer_arm,
	.submit = producer_submit,
	.free_task = producer_free_task,
};
