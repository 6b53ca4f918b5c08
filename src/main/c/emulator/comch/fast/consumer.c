/* Receiving: posted buffers, their completion, and the consumer's context. Longer than other files, because the
 * whole path of a small payload is here for the compiler to inline. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/copy.h"
#include "base/faults.h"
#include "base/prefetch.h"
#include "core/cpu.h"
#include "fast/consumer.h"
#include "fast/thread_sends.h"
#include "log/sdk_log.h"
#include "memory/memory.h"
#include "readings.h"

/* After so many messages in a row the consumer waits before it looks again: looking at a slot takes its cache line away
 * from the producer that writes to it, and many messages at once cost little more than one. Not after fewer, and not
 * where this thread has sent something: the next message may be the answer, or the producer is of this thread, too. It
 * waits for some pauses, but for few where few buffers are posted: the producer is to find some all the time. */
#define BURST 4
#define MOST_PAUSES 64u
#define POSTS_PER_PAUSE 4u

/* Payloads in the packed area: how many messages ahead the consumer asks for cache lines, for how much of a payload
 * (the processor finds the rest by itself), and after how many messages it looks where the producers are. */
#define FETCH_AHEAD 4
#define FETCH_AHEAD_BYTES 1024u
#define LOOK_EACH 32

static struct doca_comch_consumer *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_consumer *)ctx;
}

/* ---- start and stop ---- */

static void free_resources(struct doca_comch_consumer *consumer)
{
	task_pool_fini(&consumer->pool);
	free(consumer->tasks);
	consumer->tasks = NULL;
	consumer->region = NULL;
	consumer_forget_faults(consumer);
}

static doca_error_t open_region(struct doca_comch_consumer *consumer)
{
	struct doca_comch_connection *connection = consumer->connection;
	struct shm_region *region = shm_map_region(connection->map, connection->side, consumer->own.slot);
	if (region == NULL)
		return DOCA_ERROR_INITIALIZATION;
	uint32_t capacity = round_up_pow2(consumer->num_tasks);
	uint64_t base = connection->slot_base[consumer->own.slot];
	/* Pair with the acquire loads in the producer's open_view. */
	atomic_store_explicit(&region->capacity, capacity, memory_order_release);
	atomic_store_explicit(&region->eager_bytes, shm_eager_bytes(capacity), memory_order_release);
	atomic_store_explicit(&region->max_imm_len, consumer->imm_data_len, memory_order_release);
	atomic_store_explicit(&region->can_fetch, connection->reach == WIRE_REACH_PROCESS, memory_order_release);
	atomic_store_explicit(&region->base, base, memory_order_release);
	consumer->least_room = UINT64_MAX;
	atomic_store_explicit(&region->fits_below, UINT64_MAX, memory_order_release);
	atomic_store_explicit(&region->posted, base, memory_order_relaxed);
	atomic_store_explicit(&region->claimed, base, memory_order_relaxed);
	atomic_store_explicit(&region->pipe_turn, 0, memory_order_relaxed);
	atomic_store_explicit(&region->closed_at, 0, memory_order_relaxed);
	shm_awake(&region->asleep);
	consumer->region = region;
	consumer->posts = shm_region_posts(region);
	consumer->slots = shm_region_slots(region);
	consumer->mask = capacity - 1;
	consumer->slot_mask = shm_slot_mask(capacity);
	consumer->pauses = capacity < MOST_PAUSES * POSTS_PER_PAUSE ? capacity / POSTS_PER_PAUSE : MOST_PAUSES;
	consumer->posted = consumer->completed = base;
	consumer->fetch_until = 0;
	consumer->holds_back = false;
	consumer->barren = false;
	return DOCA_SUCCESS;
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	struct doca_comch_connection *connection = consumer->connection;
	if (consumer->num_tasks == 0)
		return READING_START_UNCONFIGURED;
	if (!connection->can_consume)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (atomic_load(&connection->lost))
		return DOCA_ERROR_NOT_CONNECTED;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): it is an array of pointers */
	consumer->tasks = calloc(round_up_pow2(consumer->num_tasks), sizeof(consumer->tasks[0]));
	doca_error_t result =
		consumer->tasks == NULL
			? DOCA_ERROR_INITIALIZATION
			: task_pool_init(&consumer->pool, ctx, consumer->num_tasks,
					 sizeof(struct doca_comch_consumer_task_post_recv) + EMU_BOUND_IMM_DATA_LEN);
	if (result == DOCA_SUCCESS)
		result = open_region(consumer);
	if (result != DOCA_SUCCESS) {
		/* guard: release-failed-consumer */ free_resources(consumer);
		return DOCA_ERROR_INITIALIZATION;
	}
	consumer->own.generation++;
	atomic_fetch_add_explicit(&connection->active_children, 1, memory_order_acq_rel);
	own_consumer_ask_for_registration(connection, &consumer->own);
	return DOCA_ERROR_IN_PROGRESS;
}

/* Announces the end to the peer, and lets no producer claim any more. Out of line: progress is to stay small. */
static __attribute__((noinline)) void close_to_producers(struct doca_comch_consumer *consumer)
{
	atomic_store(&consumer->region->closed_at, now_ns());
	own_consumer_end(consumer->connection, &consumer->own);
	uint64_t claimed = atomic_fetch_or(&consumer->region->claimed, SHM_CLAIM_CLOSED) & ~SHM_CLAIM_CLOSED;
	/* The peer writes this counter: it is used only where it makes sense. */
	consumer->claimed = /* guard: claims-plausible=1 */ claimed <= consumer->posted ? claimed : consumer->completed;
	consumer->claim_deadline_ms = now_ms() + READING_CLAIM_PATIENCE_MS;
}

/* Whether a producer that has claimed a buffer but has not filled it is not waited for any more: because its process
 * has ended, or for the time that has passed, as it stands still or breaks the protocol. The end of the connection
 * is no reason: the producer's thread may be copying into the buffer all the same. */
static bool writer_given_up(const struct doca_comch_consumer *consumer, int64_t deadline_ms)
{
	struct doca_comch_connection *connection = consumer->connection;
	if (atomic_load_explicit(&connection->writers_given_up, memory_order_relaxed) ||
	    /* guard: dead-writer */ !connection_peer_lives(connection))
		return true;
	if (/* guard: writer-patience=1 */ now_ms() < deadline_ms)
		return false;
	EMU_LOG_ERROR("a peer claimed a posted buffer and does not fill it: connection ended");
	atomic_store_explicit(&connection->writers_given_up, true, memory_order_relaxed);
	connection_cut(connection);
	return true;
}

static doca_error_t consumer_stop(struct doca_ctx *ctx)
{
	close_to_producers(of_ctx(ctx));
	return DOCA_SUCCESS;
}

static void become_idle(struct doca_comch_consumer *consumer)
{
	struct doca_comch_connection *connection = consumer->connection;
	connection_leave_sleepers(connection, &consumer->sleeper);
	connection->slot_base[consumer->own.slot] =
		(connection->slot_base[consumer->own.slot] + SHM_INCARNATION) & (SHM_CLAIM_CLOSED - 1);
	free_resources(consumer);
	atomic_fetch_sub_explicit(&connection->active_children, 1, memory_order_acq_rel);
	emu_ctx_enter(&consumer->ctx, DOCA_CTX_STATE_IDLE);
}

/* ---- completions ---- */

/* Ends the flight of the oldest posted buffer's task. */
static EMU_ALWAYS_INLINE void finish(struct doca_comch_consumer *consumer,
				     struct doca_comch_consumer_task_post_recv *task, doca_error_t status)
{
	consumer->completed++;
	if (!task_landed(&task->base, status))
		task_pool_give(&consumer->pool, &task->base);
	else
		(status == DOCA_SUCCESS ? consumer->completed_cb : consumer->failed_cb)(task, task->base.user_data,
											consumer->ctx.user_data);
}

void consumer_finish_oldest(struct doca_comch_consumer *consumer, doca_error_t status)
{
	finish(consumer, consumer->tasks[consumer->completed & consumer->mask], status);
}

/* Asks for the first cache lines of the payload some messages ahead, as if it were of this one's length. Only where the
 * producers are well ahead of it: otherwise they would lose lines that they are writing to. */
static EMU_ALWAYS_INLINE void fetch_ahead(struct doca_comch_consumer *consumer, uint32_t len)
{
	uint64_t index = consumer->completed + FETCH_AHEAD;
	if (consumer->completed % LOOK_EACH == 0) {
		uint64_t last = index + LOOK_EACH;
		const struct shm_slot *slot = &consumer->slots[last & consumer->slot_mask];
		bool filled = atomic_load_explicit(&slot->ready, memory_order_relaxed) == last + 1;
		consumer->fetch_until = filled ? last : 0;
	}
	if (index < consumer->fetch_until)
		prefetch_for_reads(shm_region_packed(consumer->region, index, len),
				   len < FETCH_AHEAD_BYTES ? len : FETCH_AHEAD_BYTES);
}

/* Lets the producers know of all posted buffers. The counter's cache line has to come back from them each time. */
static EMU_ALWAYS_INLINE void announce_posts(const struct doca_comch_consumer *consumer)
{
	/* Pairs with the acquire load in the producer's claim. */
	atomic_store_explicit(&consumer->region->posted, consumer->posted, memory_order_release);
}

static void consumer_flush(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	consumer->holds_back = false;
	announce_posts(consumer);
}

/* ---- what producers have filled; each of these is true when there was progress ---- */

static __attribute__((noinline)) bool notice_loss(struct doca_comch_consumer *consumer)
{
	close_to_producers(consumer);
	emu_ctx_enter(&consumer->ctx, DOCA_CTX_STATE_STOPPING);
	return true;
}

/* When nothing else is to be done. */
static EMU_ALWAYS_INLINE bool look_for_loss(struct doca_comch_consumer *consumer)
{
	return EMU_UNLIKELY(atomic_load_explicit(&consumer->connection->lost, memory_order_relaxed)) &&
	       notice_loss(consumer);
}

static __attribute__((noinline)) bool suffer_faults(struct doca_comch_consumer *consumer)
{
	return consumer->troubles.fatal ? notice_loss(consumer) : consumer_suffer_faults(consumer);
}

static EMU_ALWAYS_INLINE bool nothing_came(struct doca_comch_consumer *consumer, const struct shm_slot *slot)
{
	if (consumer->burst < BURST || thread_has_sent())
		/* A lone message of 64 bytes ends in the slot's second cache line, which is on its way then. */
		__builtin_prefetch((const uint8_t *)slot + SHM_CACHE_LINE);
	else
		for (uint32_t i = 0; i < consumer->pauses; i++)
			cpu_pause();
	consumer->burst = 0;
	if (consumer->holds_back)
		consumer_flush(&consumer->ctx);
	return (faults_any() && suffer_faults(consumer)) || look_for_loss(consumer);
}

/* Any payload. Out of line, as it is rare, or takes long itself. */
static __attribute__((noinline)) bool deliver_any(struct doca_comch_consumer *consumer, const struct shm_slot *slot,
						  struct doca_comch_consumer_task_post_recv *task)
{
	if (/* guard: slot-posted-any */ consumer->completed == consumer->posted ||
	    fault_still_travelling(slot->arrival))
		return look_for_loss(consumer); /* only a peer that breaks the protocol fills what was not posted */
	if (faults_any())
		return suffer_faults(consumer) || look_for_loss(consumer);
	doca_error_t status;
	uint64_t piped = task->piped;
	switch (consumer_deliver(consumer, slot, task, &status)) {
	case DELIVERY_ENDED:
		finish(consumer, task, status);
		return true;
	case DELIVERY_OF_NOTHING:
		consumer_post_oldest_again(consumer);
		return true;
	case DELIVERY_GOES_ON:
	default:
		/* Without new bytes there is no progress: the sender may have died half-way. */
		return task->piped != piped || look_for_loss(consumer);
	}
}

/* The end of a delivery that needs no more than this. */
static EMU_ALWAYS_INLINE bool delivered(struct doca_comch_consumer *consumer, const struct shm_slot *slot,
					struct doca_comch_consumer_task_post_recv *task, uint32_t len)
{
	task->producer_id = read_once(slot->producer_id);
	task->buf->data_len += len;
	consumer->completed++;
	(void)task_landed(&task->base, DOCA_SUCCESS); /* which has not been cancelled */
	consumer->completed_cb(task, task->base.user_data, consumer->ctx.user_data);
	return true;
}

/* A payload of at most `room` bytes in the packed area, without immediate data. A function of its own, so that the one
 * for payloads in the slot needs none of its registers. */
static __attribute__((noinline)) bool deliver_packed(struct doca_comch_consumer *consumer, const struct shm_slot *slot,
						     struct doca_comch_consumer_task_post_recv *task, uint32_t len)
{
	if (EMU_UNLIKELY(/* guard: slot-packed-length */ len > SHM_PACKED_PAYLOAD_MAX))
		return deliver_any(consumer, slot, task);
	if (len > 0)
		copy_block(task->dest, shm_region_packed(consumer->region, consumer->completed, len), len);
	fetch_ahead(consumer, len);
	return delivered(consumer, slot, task, len);
}

/* Completes the oldest posted buffer if a producer has filled it. Small payloads, which are the usual case, have a
 * short way. */
static EMU_ALWAYS_INLINE bool complete_oldest(struct doca_comch_consumer *consumer)
{
	uint64_t index = consumer->completed;
	const struct shm_slot *slot = &consumer->slots[index & consumer->slot_mask];
	/* Pairs with the release store in the producer's publish. */
	if (atomic_load_explicit(&slot->ready, memory_order_acquire) != index + 1)
		return nothing_came(consumer, slot);
	consumer->burst++;
	struct doca_comch_consumer_task_post_recv *task = consumer->tasks[index & consumer->mask];
	uint32_t len = read_once(slot->len);
	uint8_t payload = read_once(slot->payload);
	if (EMU_UNLIKELY(/* guard: slot-posted */ index == consumer->posted || slot->arrival != 0 || faults_any() ||
			 read_once(slot->imm_len) != 0 || /* guard: slot-room */ len > task->room ||
			 task->buf == NULL || /* guard: slot-taken-back */ task->base.state == EMU_TASK_CANCELLED))
		return deliver_any(consumer, slot, task);
	if (payload == SHM_PAYLOAD_PACKED)
		return deliver_packed(consumer, slot, task, len);
	if (EMU_UNLIKELY(payload != SHM_PAYLOAD_INLINE || /* guard: slot-inline-length */ len > SHM_INLINE_BYTES))
		return deliver_any(consumer, slot, task);
	copy_words(task->dest, slot->bytes, len);
	return delivered(consumer, slot, task, len);
}

/* Whether the producer that claimed place `index` writes no more to the slot and to the posted buffer. */
static bool written_out(const struct doca_comch_consumer *consumer, uint64_t index)
{
	const struct shm_slot *slot = &consumer->slots[index & consumer->slot_mask];
	if (atomic_load_explicit(&slot->ready, memory_order_acquire) != index + 1)
		return false;
	return read_once(slot->payload) != SHM_PAYLOAD_FETCH ||
	       shm_offer_state(offer_of(consumer, index), index) != SHM_OFFER_KEPT;
}

static bool progress_starting(struct doca_comch_consumer *consumer)
{
	if (atomic_load_explicit(&consumer->own.registration, memory_order_acquire) == REGISTERED) {
		if (!own_consumer_has_its_turn(consumer->connection, &consumer->own))
			return false;
		emu_ctx_enter(&consumer->ctx, DOCA_CTX_STATE_RUNNING);
		return true;
	}
	if (!atomic_load_explicit(&consumer->connection->lost, memory_order_acquire))
		return false;
	close_to_producers(consumer);
	become_idle(consumer);
	return true;
}

static bool progress_stopping(struct doca_comch_consumer *consumer)
{
	if (consumer->completed < consumer->claimed) {
		/* A buffer that a producer writes to completes first; one in the pipeline need not. */
		struct shm_slot *slot = &consumer->slots[consumer->completed & consumer->slot_mask];
		struct doca_comch_consumer_task_post_recv *task = consumer->tasks[consumer->completed & consumer->mask];
		if (!written_out(consumer, consumer->completed)) {
			if (!writer_given_up(consumer, consumer->claim_deadline_ms))
				return false;
			consumer->barren = true;
		}
		doca_error_t status = READING_FLUSHED_TASK;
		/* What had not arrived when it stopped is not received, and all that is behind it later still. */
		if (read_once(slot->arrival) > atomic_load_explicit(&consumer->region->closed_at, memory_order_relaxed))
			consumer->barren = true;
		if (!consumer->barren) {
			enum delivery delivery = consumer_deliver(consumer, slot, task, &status);
			if (delivery == DELIVERY_GOES_ON && !written_out(consumer, consumer->completed))
				return false; /* the producer has just begun to write it */
			/* Where a connection has broken, what lies behind something that is missing is not received. */
			bool missing = delivery != DELIVERY_ENDED ||
				       (status != DOCA_SUCCESS && task->base.state != EMU_TASK_CANCELLED);
			consumer->barren = missing && connection_seems_over(consumer->connection);
			if (delivery != DELIVERY_ENDED)
				status = READING_FLUSHED_TASK;
			consumer_pass_on(consumer, task, &status);
		}
		consumer_finish_oldest(consumer, status);
		return true;
	}
	if (consumer->completed < consumer->posted) {
		doca_error_t status = READING_FLUSHED_TASK;
		consumer_pass_on(consumer, consumer->tasks[consumer->completed & consumer->mask], &status);
		consumer_finish_oldest(consumer, status);
		return true;
	}
	if (!emu_ctx_drained(&consumer->ctx))
		return false;
	become_idle(consumer);
	return true;
}

static bool consumer_progress(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (EMU_LIKELY(ctx->state == DOCA_CTX_STATE_RUNNING))
		return complete_oldest(consumer);
	if (ctx->state == DOCA_CTX_STATE_STARTING)
		return progress_starting(consumer);
	return ctx->state == DOCA_CTX_STATE_STOPPING && progress_stopping(consumer);
}

/* In how many nanoseconds the oldest posted buffer, which a producer has filled, can complete. */
static uint64_t oldest_due_in(struct doca_comch_consumer *consumer, const struct shm_slot *slot)
{
	uint64_t index = consumer->completed;
	uint64_t travelling = fault_travel_left(read_once(slot->arrival));
	if (travelling > 0)
		return travelling;
	const struct shm_region *region = consumer->region;
	switch (read_once(slot->payload)) {
	case SHM_PAYLOAD_PIPE: {
		/* New bytes of it wake the program. */
		uint64_t produced = atomic_load_explicit(&region->pipe_produced, memory_order_acquire);
		bool waits = atomic_load_explicit(&region->pipe_turn, memory_order_relaxed) == index + 1 &&
			     shm_pipe_bytes(produced, index) == consumer->tasks[index & consumer->mask]->piped;
		return waits ? EMU_NEVER : 0;
	}
	case SHM_PAYLOAD_FETCH:
		return shm_offer_state(offer_of(consumer, index), index) == SHM_OFFER_KEPT ? EMU_NEVER : 0;
	default:
		return 0;
	}
}

static uint64_t consumer_due_in(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	struct doca_comch_connection *connection = consumer->connection;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return EMU_NEVER;
	if (ctx->state == DOCA_CTX_STATE_STOPPING) {
		bool waits = consumer->completed < consumer->claimed  ? !written_out(consumer, consumer->completed)
			     : consumer->completed < consumer->posted ? false
								      : !emu_ctx_drained(ctx);
		return waits ? READING_NOTIFY_POLL_NS : 0;
	}
	if (atomic_load_explicit(&connection->lost, memory_order_acquire))
		return 0;
	if (ctx->state == DOCA_CTX_STATE_STARTING) {
		bool turn = atomic_load_explicit(&consumer->own.registration, memory_order_acquire) == REGISTERED &&
			    own_consumer_has_its_turn(connection, &consumer->own);
		return turn ? 0 : READING_NOTIFY_POLL_NS;
	}
	if (faults_any() && consumer_faults_are_due(consumer))
		return 0;
	const struct shm_slot *slot = &consumer->slots[consumer->completed & consumer->slot_mask];
	if (atomic_load_explicit(&slot->ready, memory_order_acquire) != consumer->completed + 1 ||
	    consumer->completed == consumer->posted)
		return EMU_NEVER;
	return oldest_due_in(consumer, slot);
}

static bool consumer_arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return true;
	consumer_flush(ctx);
	shm_fall_asleep(&consumer->region->asleep);
	return connection_join_sleepers(consumer->connection, &consumer->sleeper, sleeper);
}

static void consumer_disarm(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of_ctx(ctx);
	if (consumer->region != NULL)
		shm_awake(&consumer->region->asleep);
}

/* ---- tasks ---- */

static bool in_range(const struct doca_comch_consumer *consumer, const uint8_t *start, size_t len)
{
	return emu_contains(consumer->range, consumer->range_len, start, len);
}

/* Whether the device may write to the buffer by way of the buffer's own map, which need not be the consumer's. A map
 * all of whose buffers it may write to is looked at once. */
static bool may_write(struct doca_comch_consumer *consumer, const struct doca_buf *buf)
{
	if (buf->remote || (emu_mmap_permissions(buf->mmap) & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0 ||
	    !connection_takes_map(consumer->connection, buf->mmap) || !in_range(consumer, buf->head, buf->len))
		return false;
	void *range;
	size_t len;
	/* A strict machine has no short way. */
	if (!consumer->strict && doca_mmap_get_memrange(buf->mmap, &range, &len) == DOCA_SUCCESS &&
	    in_range(consumer, range, len))
		consumer->map_seen = buf->registration;
	return true;
}

/* Behind all posted buffers; there is a place. */
static EMU_ALWAYS_INLINE void put_last(struct doca_comch_consumer *consumer,
				       struct doca_comch_consumer_task_post_recv *task)
{
	uint64_t index = consumer->posted;
	task->index = index;
	consumer->tasks[index & consumer->mask] = task;
	struct shm_post *posted = &consumer->posts[index & consumer->mask];
	posted->addr = (uint64_t)(uintptr_t)task->dest;
	atomic_store_explicit(&posted->room, task->room, memory_order_relaxed);
	consumer->posted = index + 1;
}

/* Posts the task, whose buffer's map has been looked at. */
static EMU_ALWAYS_INLINE doca_error_t post(struct doca_comch_consumer *consumer,
					   struct doca_comch_consumer_task_post_recv *task, uint32_t flags)
{
	const struct doca_buf *buf = task->buf;
	uint8_t *dest = NULL; /* without a buffer: immediate data only */
	uint64_t room = 0;
	if (EMU_LIKELY(buf != NULL)) {
		if (EMU_UNLIKELY(buf->next != NULL || !emu_contains(buf->head, buf->len, buf->data, buf->data_len)))
			return DOCA_ERROR_INVALID_VALUE;
		dest = buf->data + buf->data_len;
		room = buf->len - (size_t)(dest - buf->head);
		if (EMU_UNLIKELY(room > consumer->max_room))
			return DOCA_ERROR_INVALID_VALUE;
	}
	/* As many places as tasks, but a cancelled task's place stays taken until its turn. */
	if (EMU_UNLIKELY(consumer->posted - consumer->completed > consumer->mask))
		return DOCA_ERROR_AGAIN;
	task->dest = dest;
	task->room = room;
	task->producer_id = 0;
	task->imm_len = 0;
	if (EMU_UNLIKELY(room < consumer->least_room)) {
		consumer->least_room = room;
		/* A producer sees it before it sees the buffer, which is announced later, with release. */
		atomic_store_explicit(&consumer->region->fits_below, room + 1, memory_order_relaxed);
	}
	task_sent_off(&task->base);
	put_last(consumer, task);
	if ((flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) != 0)
		announce_posts(consumer);
	else
		consumer->holds_back = true; /* until a flush, or a look in vain [Q35] */
	return DOCA_SUCCESS;
}

void consumer_post_oldest_again(struct doca_comch_consumer *consumer)
{
	struct doca_comch_consumer_task_post_recv *task = consumer->tasks[consumer->completed++ & consumer->mask];
	put_last(consumer, task);
	announce_posts(consumer);
}

static __attribute__((noinline)) doca_error_t
post_of_new_map(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task, uint32_t flags)
{
	if (!may_write(consumer, task->buf))
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->strict)
		consumer_poison(task->buf);
	return post(consumer, task, flags);
}

static doca_error_t consumer_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_consumer_task_post_recv *task = (struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = of_ctx(base->ctx);
	if (EMU_UNLIKELY(task->buf != NULL && task->buf->registration != consumer->map_seen))
		return post_of_new_map(consumer, task, flags);
	return post(consumer, task, flags);
}

static void await_writer(const struct doca_comch_consumer *consumer, uint64_t index, int64_t deadline_ms)
{
	while (!written_out(consumer, index) && !writer_given_up(consumer, deadline_ms))
		;
}

/* Takes a posted buffer back, so that its memory is not written any more [Q18]. */
static void cancel(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task)
{
	struct shm_post *post = &consumer->posts[task->index & consumer->mask];
	/* Either the producer sees this when it looks at `room` after its claim, or the consumer sees the claim
	 * below. An exchange, because qemu-user lets a store and a load that follows it change places. */
	(void)atomic_exchange(&post->room, SHM_ROOM_REVOKED);
	consumer->least_room = 0; /* no room is less */
	(void)atomic_exchange(&consumer->region->fits_below, 0);
	uint64_t claimed = atomic_load(&consumer->region->claimed) & ~SHM_CLAIM_CLOSED;
	if (claimed > task->index && claimed <= consumer->posted) {
		/* A producer is copying into it right now. One that does not end is stopped or hostile. */
		int64_t deadline_ms = now_ms() + READING_CLAIM_PATIENCE_MS;
		await_writer(consumer, task->index, deadline_ms);
		/* An offered payload counts as fetched, unless the producer has just begun to write it. */
		if (!consumer_end_offer(consumer, task->index, SHM_OFFER_OPEN))
			await_writer(consumer, task->index, deadline_ms);
	}
	task->base.state = EMU_TASK_CANCELLED;
}

static void consumer_free_task(struct doca_task *task)
{
	struct doca_comch_consumer *consumer = of_ctx(task->ctx);
	if (task->state == EMU_TASK_INFLIGHT)
		cancel(consumer, (struct doca_comch_consumer_task_post_recv *)task);
	else
		task_pool_give(&consumer->pool, task);
}

const struct emu_ctx_ops consumer_ops = {
	.start = consumer_start,
	.stop = consumer_stop,
	.progress = consumer_progress,
	.due_in = consumer_due_in,
	.arm = consumer_arm,
	.disarm = consumer_disarm,
	.submit = consumer_submit,
	.flush = consumer_flush,
	.free_task = consumer_free_task,
};
