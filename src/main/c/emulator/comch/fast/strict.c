/* What a strict machine does besides: it notices programs that touch memory which is the device's. */
#include <string.h>

#include "fast/consumer.h"
#include "fast/producer.h"
#include "log/sdk_log.h"
#include "memory/memory.h"
#include "readings.h"

/* So that a change shows, not more. */
static uint64_t sum_on(uint64_t sum, const uint8_t *bytes, uint64_t len)
{
	uint64_t word;
	for (; len >= sizeof(word); len -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
	}
	for (; len > 0; len--)
		sum = (sum ^ *bytes++) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t sum_of(const struct doca_comch_producer *producer, const struct doca_comch_producer_task_send *task)
{
	if (task->source != NULL)
		return sum_on(0, task->source, task->len);
	uint64_t sum = 0, left = task->len;
	if (left == 0)
		return sum;
	for (const struct iovec *part = producer_list_of(producer, task); left > 0; left -= part++->iov_len)
		sum = sum_on(sum, part->iov_base, part->iov_len);
	return sum;
}

void producer_note_payload(struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
			   const uint8_t *source, uint64_t len)
{
	task->source = source;
	task->len = len;
	task->sum = sum_of(producer, task);
}

doca_error_t producer_look_at_payload(struct doca_comch_producer *producer,
				      const struct doca_comch_producer_task_send *task)
{
	/* What was taken back may have been freed. */
	if (task->base.status != DOCA_SUCCESS || task->base.state == EMU_TASK_CANCELLED ||
	    sum_of(producer, task) == task->sum)
		return task->base.status;
	EMU_LOG_ERROR(
		"the %llu bytes of a send were changed between its submit and its end, which a device may send "
		"in part: the producer stops, and its connection is over",
		(unsigned long long)task->len);
	producer->broken = true;
	connection_fail(producer->connection);
	return READING_PAYLOAD_CHANGED;
}

void consumer_poison(const struct doca_buf *buf)
{
	if (!emu_contains(buf->head, buf->len, buf->data, buf->data_len))
		return;
	uint8_t *dest = buf->data + buf->data_len;
	size_t room = buf->len - (size_t)(dest - buf->head);
	memset(dest, READING_POISON, room < READING_POISONED_ROOM ? room : READING_POISONED_ROOM);
}
