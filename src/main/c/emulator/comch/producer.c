#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "ctx.h"
#include "dev.h"
#include "doca_comch_producer.h"
#include "endpoint.h"
#include "faults.h"
#include "memory.h"
#include "readings.h"
#include "sdk_log.h"
#include "task_pool.h"

/* A caller that spins on AGAIN without any progress gets a look at the peer's life once in so many tries. */
#define TRIES_PER_LOOK 1024u

/* Data go through the pipeline in parts, so that both sides work at the same time. */
#define PIPE_PART_BYTES (128u << 10)

/* From this size on the consumer fetches every other payload, so that both sides copy at the same time. Handing over costs
 * more than that saves for smaller ones. */
#define FETCH_LEAST_BYTES (128u << 10)
/* One call to the consumer's doca_pe_progress does it, and must not take for ever. */
#define FETCH_MOST_BYTES (8u << 20)
/* A consumer that does not come for it in time may be waiting for something else: the producer writes it then. */
#define FETCH_PATIENCE_MS 2

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
};

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	uint8_t imm[EMU_BOUND_IMM_DATA_LEN];
	/* While the pipeline carries the payload, or the consumer fetches it. */
	struct doca_comch_producer_task_send *next_piped;
	uint32_t slot, capacity; /* of the consumer */
	uint64_t entry;		 /* of the directory at submit */
	uint64_t index;
	const uint8_t *source;
	uint64_t len, piped;
};

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct doca_comch_connection *connection;
	struct doca_comch_producer *next; /* of the connection's */
	uint32_t id;
	uint64_t max_len; /* of what is sent */
	doca_comch_producer_task_send_completion_cb_t completed_cb;
	doca_comch_producer_task_send_completion_cb_t failed_cb;
	uint32_t num_tasks;

	/* While not IDLE. */
	struct task_pool pool;
	struct task_fifo done;
	struct consumer_view *views; /* by consumer id % SHM_CONSUMER_SLOTS */
	struct doca_comch_producer_task_send *piped_first, *piped_last;
	struct doca_comch_producer_task_send *offered; /* to its consumer; one at a time, the others are written */
	int64_t offered_until_ms;
	uint32_t refusals; /* AGAINs, for TRIES_PER_LOOK */
	bool direct_write; /* process_vm_writev works */
};

static struct doca_comch_producer *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

/* ---- the peer's consumers ---- */

static uint64_t directory_entry(const struct doca_comch_producer *producer, uint32_t slot)
{
	/* Pairs with the release store in the consumer's announce. */
	return atomic_load_explicit(&producer->connection->peer->directory[slot], memory_order_acquire);
}

/* Fills a view from a running consumer's region, whose header the peer could have written anything into. */
static doca_error_t open_view(const struct doca_comch_producer *producer, uint32_t slot, uint64_t entry,
			      struct consumer_view *view)
{
	struct doca_comch_connection *connection = producer->connection;
	struct shm_region *region = shm_map_region(connection->map, shm_other(connection->side), slot);
	if (region == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct consumer_view opened = {.entry = entry,
				       .slot = slot,
				       /* Pair with the release stores in the consumer's open_region. */
				       .capacity = atomic_load_explicit(&region->capacity, memory_order_acquire),
				       .eager_bytes = atomic_load_explicit(&region->eager_bytes, memory_order_acquire),
				       .max_imm_len = atomic_load_explicit(&region->max_imm_len, memory_order_acquire),
				       .can_fetch = atomic_load_explicit(&region->can_fetch, memory_order_acquire) == 1,
				       .base = atomic_load_explicit(&region->base, memory_order_acquire),
				       .region = region,
				       .posts = shm_region_posts(region),
				       .slots = shm_region_slots(region)};
	if (directory_entry(producer, slot) != entry)
		return READING_CONSUMER_NOT_RUNNING; /* stopped or restarted meanwhile: the header may be a mixture */
	if (opened.capacity == 0 || opened.capacity > SHM_MAX_POSTS || (opened.capacity & (opened.capacity - 1)) != 0 ||
	    opened.eager_bytes != shm_eager_bytes(opened.capacity) || opened.max_imm_len > EMU_BOUND_IMM_DATA_LEN) {
		EMU_LOG_ERROR("a peer broke the protocol: impossible consumer");
		return READING_CONSUMER_UNKNOWN;
	}
	if (opened.max_imm_len > emu_limits()->max_imm_data_len)
		opened.max_imm_len = emu_limits()->max_imm_data_len;
	*view = opened;
	return DOCA_SUCCESS;
}

static doca_error_t look_up_consumer(struct doca_comch_producer *producer, uint32_t id, struct consumer_view *view)
{
	doca_error_t result = READING_CONSUMER_UNKNOWN;
	for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++) {
		uint64_t entry = directory_entry(producer, slot);
		if (shm_entry_id(entry) != id)
			continue;
		switch (shm_entry_state(entry)) {
		case SHM_CONSUMER_RUNNING:
			return open_view(producer, slot, entry, view);
		case SHM_CONSUMER_CREATED:
			return READING_CONSUMER_NOT_RUNNING;
		case SHM_CONSUMER_EXPIRED:
			result = READING_CONSUMER_EXPIRED;
			break;
		case SHM_CONSUMER_NONE:
		default:
			break;
		}
	}
	return result;
}

static inline doca_error_t find_view(struct doca_comch_producer *producer, uint32_t id, struct consumer_view **found)
{
	struct consumer_view *view = &producer->views[id % SHM_CONSUMER_SLOTS];
	*found = view;
	if (EMU_LIKELY(shm_entry_id(view->entry) == id && directory_entry(producer, view->slot) == view->entry && id != 0))
		return DOCA_SUCCESS;
	return id == 0 ? READING_CONSUMER_UNKNOWN : look_up_consumer(producer, id, view);
}

/* ---- sending ---- */

static doca_error_t no_buffer_posted(struct doca_comch_producer *producer)
{
	const struct doca_comch_connection *connection = producer->connection;
	if (atomic_load_explicit(&connection->lost, memory_order_acquire))
		return DOCA_ERROR_NOT_CONNECTED;
	if (++producer->refusals % TRIES_PER_LOOK == 0 && connection_peer_vanished(connection))
		return DOCA_ERROR_NOT_CONNECTED;
	return DOCA_ERROR_AGAIN;
}

static void publish(struct shm_slot *slot, uint64_t index)
{
	/* Pairs with the acquire load in the consumer's complete_oldest. */
	atomic_store_explicit(&slot->ready, index + 1, memory_order_release);
}

/* Claims the next posted buffer that takes `len` bytes. */
static inline doca_error_t claim(struct doca_comch_producer *producer, struct consumer_view *view, uint64_t len,
				 uint64_t *claimed)
{
	struct shm_region *region = view->region;
	uint64_t index = atomic_load_explicit(&region->claimed, memory_order_acquire);
	for (;;) {
		if (EMU_UNLIKELY((index & SHM_CLAIM_CLOSED) != 0))
			return READING_CONSUMER_EXPIRED;
		if (EMU_UNLIKELY(index - view->base >= SHM_INCARNATION))
			return READING_CONSUMER_NOT_RUNNING; /* restarted since the look at the directory */
		if (index >= view->posted) {
			/* Pairs with the release store in the consumer's submit. */
			uint64_t posted = atomic_load_explicit(&region->posted, memory_order_acquire);
			if (posted <= index)
				return no_buffer_posted(producer);
			if (EMU_UNLIKELY(posted - index > view->capacity)) {
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
		    len > atomic_load_explicit(&post->room, memory_order_relaxed))
			return READING_SEND_TOO_LONG;
		if (!atomic_compare_exchange_weak_explicit(&region->claimed, &index, index + 1, memory_order_seq_cst,
							   memory_order_acquire))
			continue;
		if (EMU_LIKELY(len < atomic_load(&region->fits_below) || atomic_load(&post->room) != SHM_ROOM_REVOKED)) {
			*claimed = index;
			return DOCA_SUCCESS;
		}
		struct shm_slot *slot = &view->slots[index & (view->capacity - 1)];
		slot->payload = SHM_PAYLOAD_SKIPPED;
		publish(slot, index);
		index++;
	}
}

/* The bytes of a task's data segment; false when the window has left its buffer. */
static inline bool data_segment(const struct doca_buf *buf, const uint8_t **source, uint64_t *len)
{
	*source = NULL;
	*len = 0;
	if (buf == NULL)
		return true;
	if (EMU_UNLIKELY(buf->next != NULL || buf->data < buf->head || buf->data > buf->head + buf->len ||
			 buf->data_len > (size_t)(buf->head + buf->len - buf->data)))
		return false;
	*source = buf->data;
	*len = buf->data_len;
	return true;
}

static void enqueue_piped(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task)
{
	task->next_piped = NULL;
	if (producer->piped_first == NULL)
		producer->piped_first = task;
	else
		producer->piped_last->next_piped = task;
	producer->piped_last = task;
}

/* Copies a small payload in words. The sender has often written part of it just now, with stores narrower than the
 * registers that memcpy would load: such a load waits until those stores, and all stores before them, have left for
 * the cache, which takes as long as a line needs from the other core. */
static inline void copy_words(uint8_t *dest, const uint8_t *source, uint64_t len)
{
	uint64_t word;
	uint64_t done = 0;
	for (; len - done >= sizeof(word); done += sizeof(word)) {
		memcpy(&word, source + done, sizeof(word));
		__asm__("" : "+r"(word)); /* keeps the compiler from joining words */
		memcpy(dest + done, &word, sizeof(word));
	}
	for (; done < len; done++)
		dest[done] = source[done];
}

static struct shm_region *region_of(const struct doca_comch_producer *producer,
				    const struct doca_comch_producer_task_send *task)
{
	return shm_map_region(producer->connection->map, shm_other(producer->connection->side), task->slot);
}

static struct shm_offer *offer_of(const struct doca_comch_producer *producer,
				  const struct doca_comch_producer_task_send *task)
{
	return &shm_region_offers(region_of(producer, task))[task->index & (task->capacity - 1)];
}

static void make_offer(const struct consumer_view *view, uint64_t index, const uint8_t *source)
{
	struct shm_offer *offer = &shm_region_offers(view->region)[index & (view->capacity - 1)];
	offer->addr = (uint64_t)(uintptr_t)source;
	/* The consumer sees it once the slot is published. */
	atomic_store_explicit(&offer->state, shm_offer_mark(index, SHM_OFFER_OPEN), memory_order_relaxed);
}

static void settle_offer(struct doca_comch_producer *producer, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = producer->offered;
	producer->offered = NULL;
	task_fifo_end(&producer->done, &task->base, status);
}

/* Takes back what was offered, unless the consumer has all of it. One that is still copying finds out at the end. */
static void withdraw_offer(struct doca_comch_producer *producer, doca_error_t status)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	struct shm_offer *offer = offer_of(producer, task);
	bool withdrawn = shm_offer_move(offer, task->index, SHM_OFFER_OPEN, SHM_OFFER_WITHDRAWN) ||
			 shm_offer_move(offer, task->index, SHM_OFFER_TAKEN, SHM_OFFER_WITHDRAWN);
	bool fetched = !withdrawn && shm_offer_state(offer, task->index) == SHM_OFFER_FETCHED;
	settle_offer(producer, fetched ? DOCA_SUCCESS : status);
}

/* Writes the payload after all. */
static void keep_offer(struct doca_comch_producer *producer)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	struct shm_region *region = region_of(producer, task);
	struct shm_offer *offer = offer_of(producer, task);
	uint64_t dest = shm_region_posts(region)[task->index & (task->capacity - 1)].addr;
	if (!shm_offer_move(offer, task->index, SHM_OFFER_OPEN, SHM_OFFER_KEPT))
		return;
	bool placed = connection_write_peer(producer->connection, dest, task->source, task->len);
	(void)shm_offer_move(offer, task->index, SHM_OFFER_KEPT, placed ? SHM_OFFER_PLACED : SHM_OFFER_WITHDRAWN);
	settle_offer(producer, placed ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
}

/* With which error a task ends whose consumer has gone in the middle of it; SUCCESS: it is there. */
static doca_error_t consumer_gone(const struct doca_comch_producer *producer,
				  const struct doca_comch_producer_task_send *task)
{
	if (atomic_load_explicit(&producer->connection->lost, memory_order_acquire))
		return READING_FLUSHED_TASK;
	return directory_entry(producer, task->slot) == task->entry ? DOCA_SUCCESS : READING_CONSUMER_GONE;
}

/* Looks what has become of the offer; true when its task has ended. */
static bool end_offer(struct doca_comch_producer *producer)
{
	const struct doca_comch_producer_task_send *task = producer->offered;
	enum shm_offer_state state = shm_offer_state(offer_of(producer, task), task->index);
	doca_error_t gone = consumer_gone(producer, task);
	if (state != SHM_OFFER_FETCHED && gone != DOCA_SUCCESS) {
		withdraw_offer(producer, gone);
		return true;
	}
	switch (state) {
	case SHM_OFFER_OPEN:
		if (now_ms() > producer->offered_until_ms)
			keep_offer(producer);
		break;
	case SHM_OFFER_TAKEN:
		break; /* the consumer copies */
	case SHM_OFFER_FETCHED:
		settle_offer(producer, DOCA_SUCCESS);
		break;
	case SHM_OFFER_KEPT:
	case SHM_OFFER_PLACED:
	case SHM_OFFER_WITHDRAWN:
	case SHM_OFFER_FOREIGN:
	default:
		settle_offer(producer, DOCA_ERROR_IO_FAILED);
		break;
	}
	return producer->offered == NULL;
}

/* Brings the payload into a claimed slot or its buffer and tells how. */
static inline enum shm_payload place(struct doca_comch_producer *producer, const struct consumer_view *view,
				     uint64_t index, struct shm_slot *slot, const uint8_t *source, uint64_t len,
				     uint32_t imm_len)
{
	const struct doca_comch_connection *connection = producer->connection;
	uint64_t at = index & (view->capacity - 1);
	if (len + imm_len <= SHM_INLINE_BYTES) {
		copy_words(slot->bytes + imm_len, source, len);
		return SHM_PAYLOAD_INLINE;
	}
	if (connection->reach == WIRE_REACH_SELF) {
		if (len > 0)
			memcpy((void *)(uintptr_t)view->posts[at].addr, source, len);
		return SHM_PAYLOAD_PLACED;
	}
	if (len <= view->eager_bytes) {
		memcpy(shm_region_eager(view->region) + at * view->eager_bytes, source, len);
		return SHM_PAYLOAD_EAGER;
	}
	if (producer->direct_write) {
		if (len >= FETCH_LEAST_BYTES && len <= FETCH_MOST_BYTES && view->can_fetch &&
		    (producer->offered == NULL || end_offer(producer)))
			return SHM_PAYLOAD_FETCH;
		if (connection_write_peer(connection, view->posts[at].addr, source, len))
			return SHM_PAYLOAD_PLACED;
		EMU_LOG_WARNING("direct write of %llu bytes failed; using the pipeline from now on",
				(unsigned long long)len);
		producer->direct_write = false;
	}
	return SHM_PAYLOAD_PIPE;
}

/* Whether a buffer is posted: attempts that would give AGAIN anyway do not count for faults. */
static bool buffer_at_hand(const struct consumer_view *view)
{
	uint64_t claimed = atomic_load_explicit(&view->region->claimed, memory_order_acquire);
	return atomic_load_explicit(&view->region->posted, memory_order_acquire) > claimed;
}

/* Whether a send goes on under the faults asked for; if not, `result` is submit's answer. */
static bool suffer_faults(struct doca_comch_producer *producer, struct doca_task *task, doca_error_t *result)
{
	doca_error_t error;
	switch (fault_of_send(&error)) {
	case SEND_AGAIN:
		*result = DOCA_ERROR_AGAIN;
		return false;
	case SEND_FAILS:
		task_sent_off(task);
		task_fifo_end(&producer->done, task, error);
		*result = DOCA_SUCCESS;
		return false;
	case SEND_DROPS_CONNECTION:
		connection_cut(producer->connection);
		*result = DOCA_ERROR_NOT_CONNECTED;
		return false;
	case SEND_GOES_ON:
	default:
		return true;
	}
}

static doca_error_t producer_submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = of_ctx(base->ctx);
	const uint8_t *source;
	uint64_t len;
	if (EMU_UNLIKELY(!data_segment(task->buf, &source, &len) || len > producer->max_len))
		return DOCA_ERROR_INVALID_VALUE;
	if (EMU_UNLIKELY(task->buf != NULL && task->buf->remote))
		return READING_SEND_FROM_IMPORTED; /* its address means something in another process only */
	if (EMU_UNLIKELY(atomic_load_explicit(&producer->connection->lost, memory_order_relaxed)))
		return DOCA_ERROR_NOT_CONNECTED;
	struct consumer_view *view;
	doca_error_t result = find_view(producer, task->consumer_id, &view);
	if (EMU_UNLIKELY(result != DOCA_SUCCESS))
		return result == READING_CONSUMER_NOT_RUNNING ? no_buffer_posted(producer) : result;
	uint32_t imm_len = task->imm_len;
	if (EMU_UNLIKELY(imm_len > view->max_imm_len))
		return READING_SEND_TOO_LONG;
	if (faults_any() && buffer_at_hand(view) && !suffer_faults(producer, base, &result))
		return result;
	uint64_t index;
	result = claim(producer, view, len, &index);
	if (result != DOCA_SUCCESS)
		return result;

	struct shm_slot *slot = &view->slots[index & (view->capacity - 1)];
	enum shm_payload payload = place(producer, view, index, slot, source, len, imm_len);
	slot->len = (uint32_t)len;
	slot->producer_id = producer->id;
	slot->imm_len = (uint8_t)imm_len;
	slot->payload = (uint8_t)payload;
	slot->arrival = faults_any() ? fault_arrival(len) : 0;
	if (imm_len > 0)
		memcpy(slot->bytes, task->imm, imm_len);
	if (EMU_UNLIKELY(payload == SHM_PAYLOAD_FETCH))
		make_offer(view, index, source);
	publish(slot, index);
	task_sent_off(base);
	if (EMU_UNLIKELY(payload == SHM_PAYLOAD_PIPE || payload == SHM_PAYLOAD_FETCH)) {
		task->slot = view->slot;
		task->capacity = view->capacity;
		task->entry = view->entry;
		task->index = index;
		task->source = source;
		task->len = len;
		task->piped = 0;
		if (payload == SHM_PAYLOAD_PIPE) {
			enqueue_piped(producer, task);
		} else {
			producer->offered = task;
			producer->offered_until_ms = now_ms() + FETCH_PATIENCE_MS;
		}
		return DOCA_SUCCESS;
	}
	task_fifo_end(&producer->done, base, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

/* ---- the pipeline ---- */

/* Ends the oldest piped task's stay in the pipeline. */
static void leave_pipe(struct doca_comch_producer *producer, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = producer->piped_first;
	producer->piped_first = task->next_piped;
	task_fifo_end(&producer->done, &task->base, status);
}

/* The consumer looks at the slot again before each part. The pipeline's counters are not touched: they may be about
 * another producer's message. */
static void abort_pipe(struct doca_comch_producer *producer, doca_error_t status)
{
	struct doca_comch_producer_task_send *task = producer->piped_first;
	if (directory_entry(producer, task->slot) == task->entry) {
		struct shm_region *region = region_of(producer, task);
		struct shm_slot *slot = &shm_region_slots(region)[task->index & (task->capacity - 1)];
		*(volatile uint8_t *)&slot->payload = SHM_PAYLOAD_FAILED;
	}
	leave_pipe(producer, status);
}

/* Puts the next part of the oldest piped message; true when something moved. */
static bool push_through_pipe(struct doca_comch_producer *producer)
{
	struct doca_comch_producer_task_send *task = producer->piped_first;
	doca_error_t gone = consumer_gone(producer, task);
	if (gone != DOCA_SUCCESS) {
		leave_pipe(producer, gone);
		return true;
	}
	if (task->base.state == EMU_TASK_CANCELLED) {
		abort_pipe(producer, READING_FLUSHED_TASK); /* its memory may be gone, and half a message is none */
		return true;
	}
	struct shm_region *region = region_of(producer, task);
	/* Pairs with the release store in the consumer's take_from_pipe. */
	if (atomic_load_explicit(&region->pipe_turn, memory_order_acquire) != task->index + 1)
		return false;
	uint64_t mark = atomic_load_explicit(&region->pipe_consumed, memory_order_acquire);
	uint64_t consumed = shm_pipe_bytes(mark, task->index);
	if (consumed > task->piped || task->piped - consumed > SHM_PIPE_BYTES) {
		leave_pipe(producer, DOCA_ERROR_IO_FAILED);
		return true;
	}
	uint64_t offset = task->piped % SHM_PIPE_BYTES;
	uint64_t part = task->len - task->piped;
	if (part > SHM_PIPE_BYTES - (task->piped - consumed))
		part = SHM_PIPE_BYTES - (task->piped - consumed);
	if (part > SHM_PIPE_BYTES - offset)
		part = SHM_PIPE_BYTES - offset;
	if (part > PIPE_PART_BYTES)
		part = PIPE_PART_BYTES;
	if (part == 0)
		return false;
	memcpy(shm_region_pipe(region) + offset, task->source + task->piped, part);
	task->piped += part;
	atomic_store_explicit(&region->pipe_produced, shm_pipe_mark(task->index, task->piped), memory_order_release);
	if (task->piped == task->len)
		leave_pipe(producer, DOCA_SUCCESS);
	return true;
}

/* ---- context ---- */

static bool report_send(struct doca_comch_producer *producer)
{
	struct doca_task *base = task_fifo_pop(&producer->done);
	if (base == NULL)
		return false;
	doca_error_t status = base->status;
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
	if (producer->views == NULL || task_fifo_init(&producer->done, producer->num_tasks) != DOCA_SUCCESS ||
	    task_pool_init(&producer->pool, ctx, producer->num_tasks, sizeof(struct doca_comch_producer_task_send)) !=
		    DOCA_SUCCESS) {
		free_resources(producer);
		return DOCA_ERROR_INITIALIZATION;
	}
	producer->direct_write = producer->connection->reach == WIRE_REACH_PROCESS;
	atomic_fetch_add_explicit(&producer->connection->active_children, 1, memory_order_acq_rel);
	return DOCA_SUCCESS;
}

static void flush_payloads(struct doca_comch_producer *producer)
{
	if (producer->offered != NULL)
		withdraw_offer(producer, READING_FLUSHED_TASK);
	while (producer->piped_first != NULL)
		abort_pipe(producer, READING_FLUSHED_TASK);
}

static doca_error_t producer_stop(struct doca_ctx *ctx)
{
	flush_payloads(of_ctx(ctx));
	return DOCA_SUCCESS;
}

static void leave_stopping(struct doca_comch_producer *producer)
{
	free_resources(producer);
	atomic_fetch_sub_explicit(&producer->connection->active_children, 1, memory_order_acq_rel);
}

static bool producer_stopped_at_once(struct doca_ctx *ctx)
{
	if (!emu_ctx_drained(ctx))
		return false;
	leave_stopping(of_ctx(ctx));
	return true;
}

static bool producer_progress(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of_ctx(ctx);
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_IDLE))
		return false;
	if (EMU_UNLIKELY(producer->offered != NULL))
		(void)end_offer(producer);
	bool moved = producer->piped_first != NULL && push_through_pipe(producer);
	if (report_send(producer))
		return true;
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_STOPPING)) {
		if (!emu_ctx_drained(ctx))
			return false;
		leave_stopping(producer);
		emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
		return true;
	}
	if (EMU_UNLIKELY(atomic_load_explicit(&producer->connection->lost, memory_order_relaxed))) {
		flush_payloads(producer);
		emu_ctx_enter(ctx, DOCA_CTX_STATE_STOPPING);
		return true;
	}
	return moved;
}

static bool producer_pending(struct doca_ctx *ctx)
{
	const struct doca_comch_producer *producer = of_ctx(ctx);
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return ctx->state != DOCA_CTX_STATE_IDLE;
	return !task_fifo_empty(&producer->done) || producer->piped_first != NULL || producer->offered != NULL ||
	       atomic_load_explicit(&producer->connection->lost, memory_order_acquire);
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
		withdraw_offer(producer, READING_FLUSHED_TASK); /* its memory may be gone at once */
}

static const struct emu_ctx_ops producer_ops = {
	.start = producer_start,
	.stop = producer_stop,
	.stopped_at_once = producer_stopped_at_once,
	.progress = producer_progress,
	.pending = producer_pending,
	.submit = producer_submit,
	.free_task = producer_free_task,
};

static bool id_taken(const struct doca_comch_connection *connection, uint32_t id)
{
	const struct doca_comch_producer *producer = connection->producers;
	while (producer != NULL && producer->id != id)
		producer = producer->next;
	return producer != NULL;
}

/* Gives it an id that no other one has. */
static void enlist(struct doca_comch_producer *producer)
{
	struct doca_comch_connection *connection = producer->connection;
	pthread_mutex_lock(&connection->lock);
	do {
		producer->id = connection->next_producer_id++;
		if (connection->next_producer_id == READING_ID_LIMIT)
			connection->next_producer_id = READING_FIRST_ID;
	} while (id_taken(connection, producer->id));
	producer->next = connection->producers;
	connection->producers = producer;
	pthread_mutex_unlock(&connection->lock);
}

static void delist(struct doca_comch_producer *producer)
{
	pthread_mutex_lock(&producer->connection->lock);
	struct doca_comch_producer **link = &producer->connection->producers;
	while (*link != producer)
		link = &(*link)->next;
	*link = producer->next;
	pthread_mutex_unlock(&producer->connection->lock);
}

/* ---- public ---- */

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	if (comch_connection == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = connection_adopt(comch_connection, &comch_connection->num_producers,
					       emu_limits()->max_producers);
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_comch_producer *created = calloc(1, sizeof(*created));
	if (created == NULL) {
		connection_disown(comch_connection, &comch_connection->num_producers);
		return DOCA_ERROR_NO_MEMORY;
	}
	emu_ctx_init(&created->ctx, &producer_ops);
	created->connection = comch_connection;
	created->max_len = emu_limits()->max_buf_size;
	enlist(created);
	*producer = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	if (producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	emu_ctx_fini(&producer->ctx);
	delist(producer);
	connection_disown(producer->connection, &producer->connection->num_producers);
	free(producer);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
	return producer == NULL ? NULL : &producer->ctx;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
	if (producer == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*id = producer->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_task_send_set_conf(struct doca_comch_producer *producer,
						    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
						    doca_comch_producer_task_send_completion_cb_t task_error_cb,
						    uint32_t num_send_tasks)
{
	if (producer == NULL || task_completion_cb == NULL || task_error_cb == NULL || num_send_tasks == 0 ||
	    num_send_tasks > emu_limits()->max_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	producer->completed_cb = task_completion_cb;
	producer->failed_cb = task_error_cb;
	producer->num_tasks = num_send_tasks;
	return DOCA_SUCCESS;
}

/* Copies immediate data; too long ones are kept as such, so that submit refuses them. */
static void set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm, uint32_t len)
{
	task->imm_len = imm == NULL ? 0 : len;
	if (task->imm_len > 0 && task->imm_len <= EMU_BOUND_IMM_DATA_LEN)
		memcpy(task->imm, imm, task->imm_len);
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer, const struct doca_buf *buf,
						      uint8_t *imm_data, uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	if (producer == NULL || task == NULL || (imm_data == NULL && imm_data_len > 0) ||
	    imm_data_len > emu_limits()->max_imm_data_len || (buf == NULL && imm_data_len == 0))
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->ctx.state != DOCA_CTX_STATE_RUNNING)
		return READING_TASK_WHEN_NOT_RUNNING;
	struct doca_task *taken = task_pool_take(&producer->pool);
	if (taken == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_comch_producer_task_send *send = (struct doca_comch_producer_task_send *)taken;
	send->buf = buf;
	send->consumer_id = consumer_id;
	set_imm(send, imm_data, imm_data_len);
	*task = send;
	return DOCA_SUCCESS;
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}

const struct doca_buf *doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	return task->buf;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task, const struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
	return task->consumer_id;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id)
{
	task->consumer_id = consumer_id;
}

uint8_t *doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
	return task->imm_len == 0 ? NULL : (uint8_t *)(uintptr_t)task->imm;
}

uint32_t doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return task->imm_len;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task, uint8_t *imm_data,
						uint32_t imm_data_len)
{
	set_imm(task, imm_data, imm_data_len);
}
