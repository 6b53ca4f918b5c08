/* The public calls on producers and their tasks. Capabilities: caps.c. */
#include <stdlib.h>
#include <string.h>

#include "core/release.h"
#include "fast/producer.h"
#include "readings.h"
#include "topology/dev.h"

static bool id_taken(const struct doca_comch_connection *connection, uint32_t id)
{
	const struct doca_comch_producer *producer = connection->producers;
	while (producer != NULL && producer->id != id)
		producer = producer->next;
	return producer != NULL;
}

/* There are as many places as a connection may have producers. */
static uint32_t free_place(const struct doca_comch_connection *connection)
{
	bool taken[SHM_PRODUCER_PLACES] = {false};
	for (const struct doca_comch_producer *p = connection->producers; p != NULL; p = p->next)
		taken[p->place] = true;
	uint32_t place = 0;
	while (place < SHM_PRODUCER_PLACES - 1 && taken[place])
		place++;
	return place;
}

/* Gives it an id and a place that no other one has. */
static void enlist(struct doca_comch_producer *producer)
{
	struct doca_comch_connection *connection = producer->connection;
	pthread_mutex_lock(&connection->lock);
	producer->place = free_place(connection);
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

static void leave_connection(struct doca_comch_producer *producer)
{
	delist(producer);
	connection_disown(producer->connection, &producer->connection->num_producers);
}

/* ---- producers ---- */

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	if (comch_connection == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = connection_adopt(comch_connection, &comch_connection->num_producers,
					       emu_dev_limits(comch_connection->dev)->max_producers);
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_comch_producer *created = calloc(1, sizeof(*created));
	if (created == NULL) {
		connection_disown(comch_connection, &comch_connection->num_producers);
		return DOCA_ERROR_NO_MEMORY;
	}
	emu_ctx_init(&created->ctx, &producer_ops);
	created->connection = comch_connection;
	created->max_tasks = emu_dev_limits(comch_connection->dev)->max_tasks;
	created->max_len = emu_dev_limits(comch_connection->dev)->max_buf_size;
	created->max_list = emu_dev_limits(comch_connection->dev)->max_buf_list_len;
	created->imm_bound = emu_dev_limits(comch_connection->dev)->max_imm_data_len;
	created->strict = emu_dev_strict(comch_connection->dev);
	created->release = leave_connection;
	enlist(created);
	*producer = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	if (producer == NULL)
		return release_destroy_null();
	if (producer->ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_DESTROY_NOT_IDLE;
	emu_ctx_fini(&producer->ctx);
	producer->release(producer);
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
	    num_send_tasks > producer->max_tasks)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	producer->completed_cb = task_completion_cb;
	producer->failed_cb = task_error_cb;
	producer->num_tasks = num_send_tasks;
	return DOCA_SUCCESS;
}

/* ---- tasks ---- */

/* Copies immediate data; too long ones are kept as such, so that submit refuses them. */
static void set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm, uint32_t len)
{
	task->imm_len = imm == NULL ? 0 : len;
	const struct doca_comch_producer *producer = (const struct doca_comch_producer *)task->base.ctx;
	if (task->imm_len > 0 && task->imm_len <= producer->imm_bound)
		memcpy(task->any_imm, imm, task->imm_len);
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer, const struct doca_buf *buf,
						      uint8_t *imm_data, uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	if (producer == NULL || task == NULL || (imm_data == NULL && imm_data_len > 0) ||
	    imm_data_len > producer->imm_bound || (buf == NULL && imm_data_len == 0) ||
	    (buf != NULL && producer->msgq != NULL))
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
