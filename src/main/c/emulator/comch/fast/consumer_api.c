/* The public calls on consumers and their tasks. Capabilities: caps.c. */
#include <stdlib.h>

#include "core/release.h"
#include "fast/consumer.h"
#include "memory/memory.h"
#include "readings.h"
#include "topology/dev.h"

static void leave_connection(struct doca_comch_consumer *consumer)
{
	own_consumer_delist(consumer->connection, &consumer->own);
	emu_mmap_unuse(consumer->mmap);
	connection_disown(consumer->connection, &consumer->connection->num_consumers);
}

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection, struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	if (comch_connection == NULL || buf_mmap == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_mmap_is_started(buf_mmap) || (emu_mmap_permissions(buf_mmap) & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0)
		return READING_CONSUMER_MAP_UNFIT;
	void *range;
	size_t range_len;
	if (!emu_mmap_is_local(buf_mmap) || doca_mmap_get_memrange(buf_mmap, &range, &range_len) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (!connection_takes_map(comch_connection, buf_mmap))
		return READING_MAP_OF_OTHER_DEVICES;
	doca_error_t result = connection_adopt(comch_connection, &comch_connection->num_consumers,
					       emu_dev_limits(comch_connection->dev)->max_consumers);
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_comch_consumer *created = calloc(1, sizeof(*created));
	if (created != NULL) {
		emu_ctx_init(&created->ctx, &consumer_ops);
		created->connection = comch_connection;
		created->own.ctx = &created->ctx;
		created->mmap = buf_mmap;
		created->range = range;
		created->range_len = range_len;
		created->imm_bound = created->imm_data_len = emu_dev_limits(comch_connection->dev)->max_imm_data_len;
		created->strict = emu_dev_strict(comch_connection->dev);
		created->release = leave_connection;
		created->max_tasks = emu_dev_limits(comch_connection->dev)->max_tasks;
		created->max_room = emu_dev_limits(comch_connection->dev)->max_buf_size;
	}
	if (created == NULL || own_consumer_enlist(comch_connection, &created->own) != DOCA_SUCCESS) {
		free(created);
		connection_disown(comch_connection, &comch_connection->num_consumers);
		return DOCA_ERROR_NO_MEMORY;
	}
	emu_mmap_use(buf_mmap);
	*consumer = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
	if (consumer == NULL)
		return release_destroy_null();
	if (consumer->ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	emu_ctx_fini(&consumer->ctx);
	consumer->release(consumer);
	free(consumer);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
	return consumer == NULL ? NULL : &consumer->ctx;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
	if (consumer == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*id = consumer->own.id;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer, uint32_t *imm_data_len)
{
	if (consumer == NULL || imm_data_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer->imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer, uint32_t imm_data_len)
{
	if (consumer == NULL || imm_data_len > consumer->imm_bound)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	consumer->imm_data_len = imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer, doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
	if (consumer == NULL || task_completion_cb == NULL || task_error_cb == NULL || num_post_recv_tasks == 0 ||
	    num_post_recv_tasks > consumer->max_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	consumer->completed_cb = task_completion_cb;
	consumer->failed_cb = task_error_cb;
	consumer->num_tasks = num_post_recv_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer, struct doca_buf *buf,
							   struct doca_comch_consumer_task_post_recv **task)
{
	if (consumer == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->ctx.state != DOCA_CTX_STATE_RUNNING)
		return READING_TASK_WHEN_NOT_RUNNING;
	struct doca_task *taken = task_pool_take(&consumer->pool);
	if (taken == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*task = (struct doca_comch_consumer_task_post_recv *)taken;
	(*task)->buf = buf;
	(*task)->producer_id = 0;
	(*task)->imm_len = 0;
	return DOCA_SUCCESS;
}

struct doca_task *doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? NULL : &task->base;
}

struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->buf;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->producer_id;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_len == 0 ? NULL : task->imm;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_len;
}
