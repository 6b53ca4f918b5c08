/* What a producer has filled: brought to the posted buffer, or refused, where the peer breaks the protocol. The short
 * way of most payloads is in consumer.c. */
#include <string.h>

#include "base/copy.h"
#include "fast/consumer.h"
#include "log/sdk_log.h"
#include "memory/memory.h"

/* Copies a payload that lies in its slot or in the packed area. False: the peer breaks the protocol. */
static bool copy_near(const struct doca_comch_consumer *consumer, const struct shm_slot *slot,
		      const struct doca_comch_consumer_task_post_recv *task, uint8_t payload, uint32_t imm_len,
		      uint32_t len)
{
	if (payload == SHM_PAYLOAD_INLINE) {
		if (EMU_UNLIKELY(/* guard: delivery-inline-length */ len > SHM_INLINE_BYTES - imm_len))
			return false;
		copy_words(task->dest, slot->bytes + imm_len, len);
		return true;
	}
	if (EMU_UNLIKELY(/* guard: delivery-packed-length */ len > SHM_PACKED_PAYLOAD_MAX))
		return false;
	if (len > 0)
		copy_block(task->dest, shm_region_packed(consumer->region, consumer->completed, len), len);
	return true;
}

/* Where the connection is over, nothing that lies behind is to be received: then the place keeps its place. */
static enum delivery give_up(const struct doca_comch_consumer *consumer,
			     const struct doca_comch_consumer_task_post_recv *task)
{
	if (task->base.state == EMU_TASK_CANCELLED)
		return DELIVERY_ENDED;
	return connection_seems_over(consumer->connection) ? DELIVERY_GOES_ON : DELIVERY_OF_NOTHING;
}

enum delivery consumer_deliver(struct doca_comch_consumer *consumer, const struct shm_slot *slot,
			       struct doca_comch_consumer_task_post_recv *task, doca_error_t *status)
{
	enum delivery delivery = DELIVERY_ENDED;
	uint32_t len = read_once(slot->len);
	uint8_t imm_len = read_once(slot->imm_len);
	uint8_t payload = read_once(slot->payload);
	bool wanted = /* guard: delivery-taken-back=1 */ task->base.state != EMU_TASK_CANCELLED;
	*status = DOCA_ERROR_IO_FAILED;
	if (payload == SHM_PAYLOAD_FAILED)
		return give_up(consumer, task);
	if (payload == SHM_PAYLOAD_SKIPPED)
		return DELIVERY_ENDED; /* of a buffer that was taken back; else the peer breaks the protocol */
	if (/* guard: delivery-room */ len > task->room ||
	    /* guard: delivery-immediate-length */ imm_len > consumer->imm_data_len) {
		EMU_LOG_ERROR("a peer broke the protocol: more data than the posted buffer takes");
		return DELIVERY_ENDED;
	}
	*status = DOCA_SUCCESS;
	switch ((enum shm_payload)payload) {
	case SHM_PAYLOAD_PLACED:
		break;
	case SHM_PAYLOAD_INLINE:
	case SHM_PAYLOAD_PACKED:
		if (wanted && !copy_near(consumer, slot, task, payload, imm_len, len))
			*status = DOCA_ERROR_IO_FAILED;
		break;
	case SHM_PAYLOAD_EAGER: {
		uint32_t eager_bytes = shm_eager_bytes((uint32_t)consumer->mask + 1);
		const uint8_t *eager =
			shm_region_eager(consumer->region) + (consumer->completed & consumer->mask) * eager_bytes;
		if (/* guard: delivery-eager-length */ len > eager_bytes)
			*status = DOCA_ERROR_IO_FAILED;
		else if (wanted && len > 0)
			memcpy(task->dest, eager, len);
		break;
	}
	case SHM_PAYLOAD_PIPE:
		delivery = consumer_take_from_pipe(consumer, task, len, status);
		break;
	case SHM_PAYLOAD_FETCH:
		delivery = consumer_fetch(consumer, task, len);
		if (delivery == DELIVERY_OF_NOTHING)
			delivery = give_up(consumer, task);
		break;
	case SHM_PAYLOAD_SKIPPED:
	case SHM_PAYLOAD_FAILED:
	default:
		*status = DOCA_ERROR_IO_FAILED;
		break;
	}
	if (delivery != DELIVERY_ENDED || *status != DOCA_SUCCESS || !wanted)
		return delivery;
	task->producer_id = read_once(slot->producer_id);
	task->imm_len = imm_len;
	task->piped = len;
	if (imm_len > 0)
		memcpy(task->imm, slot->bytes, imm_len);
	if (task->buf != NULL)
		task->buf->data_len += len;
	return DELIVERY_ENDED;
}
