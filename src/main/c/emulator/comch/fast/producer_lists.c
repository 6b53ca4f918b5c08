/* Lists of buffers to send: what each submit notes of them, and how their data come together. */
#include <stdlib.h>
#include <string.h>

#include "fast/producer.h"
#include "log/sdk_log.h"
#include "readings.h"

doca_error_t producer_lists_init(struct doca_comch_producer *producer)
{
	if (producer->max_list == 1)
		return DOCA_SUCCESS;
	producer->lists = calloc((size_t)producer->num_tasks * producer->max_list, sizeof(producer->lists[0]));
	return producer->lists == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

void producer_lists_fini(struct doca_comch_producer *producer)
{
	free(producer->lists);
	producer->lists = NULL;
}

struct iovec *producer_list_of(const struct doca_comch_producer *producer,
			       const struct doca_comch_producer_task_send *task)
{
	size_t number = (size_t)((const uint8_t *)task - producer->pool.memory) / producer->pool.stride;
	return producer->lists + number * producer->max_list;
}

static doca_error_t too_many(const struct doca_comch_producer *producer, const struct doca_buf *head)
{
	uint64_t num = 0;
	for (; head != NULL; head = head->next)
		num++;
	emu_log_reason("a list of %llu buffers, where the device sends at most %u", (unsigned long long)num,
		       producer->max_list);
	return READING_LIST_TOO_LONG;
}

doca_error_t producer_collect_list(struct doca_comch_producer *producer,
				   const struct doca_comch_producer_task_send *task, uint64_t *len)
{
	if (task->buf->refcount == 0)
		return DOCA_ERROR_INVALID_VALUE; /* its link leads through the inventory */
	if (producer->max_list == 1)
		return too_many(producer, task->buf);
	struct iovec *list = producer_list_of(producer, task);
	uint64_t total = 0;
	uint32_t num = 0;
	for (const struct doca_buf *buf = task->buf; buf != NULL; buf = buf->next) {
		const uint8_t *data;
		uint64_t bytes;
		if (num == producer->max_list)
			return too_many(producer, task->buf);
		if (!data_segment(buf, &data, &bytes))
			return DOCA_ERROR_INVALID_VALUE;
		if (bytes > producer->max_len - total)
			return producer_refuses("data", total + bytes, producer->max_len, "the device sends at most");
		list[num++] = (struct iovec){.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
		total += bytes;
	}
	*len = total;
	return DOCA_SUCCESS;
}

void producer_gather(uint8_t *dest, const struct iovec *list, uint64_t from, uint64_t len)
{
	for (; len > 0; list++) {
		if (from >= list->iov_len) {
			from -= list->iov_len;
			continue;
		}
		uint64_t part = list->iov_len - from < len ? list->iov_len - from : len;
		memcpy(dest, (const uint8_t *)list->iov_base + from, part);
		dest += part;
		len -= part;
		from = 0;
	}
}
