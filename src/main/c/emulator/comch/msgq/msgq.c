/* The life of a MsgQ, and its children. */
#include "msgq/msgq.h"

#include <stdlib.h>

#include "readings.h"
#include "topology/dev.h"
#include "topology/limits.h"

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
	if (dev == NULL || msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dev_reaches_dpa(dev))
		return DOCA_ERROR_NOT_SUPPORTED;
	struct doca_comch_msgq *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dev = dev;
	created->max_consumers = created->max_producers = READING_MSGQ_DEFAULT_CHILDREN;
	pthread_mutex_init(&created->lock, NULL);
	emu_dev_use(dev);
	*msgq = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->started)
		return DOCA_ERROR_IN_USE;
	emu_dev_unuse(msgq->dev);
	pthread_mutex_destroy(&msgq->lock);
	free(msgq);
	return DOCA_SUCCESS;
}

static doca_error_t set_dpa(const struct doca_comch_msgq *msgq, struct doca_dpa *dpa, struct doca_dpa **side)
{
	if (msgq->started)
		return DOCA_ERROR_BAD_STATE;
	if (emu_dpa_of(dpa)->dev != msgq->dev)
		return DOCA_ERROR_INVALID_VALUE;
	*side = dpa;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return msgq == NULL || dpa == NULL ? DOCA_ERROR_INVALID_VALUE : set_dpa(msgq, dpa, &msgq->consumer_dpa);
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return msgq == NULL || dpa == NULL ? DOCA_ERROR_INVALID_VALUE : set_dpa(msgq, dpa, &msgq->producer_dpa);
}

static doca_error_t set_max(const struct doca_comch_msgq *msgq, uint32_t num, uint32_t bound, uint32_t *max)
{
	if (msgq->started)
		return DOCA_ERROR_BAD_STATE;
	if (num == 0 || num > bound)
		return DOCA_ERROR_INVALID_VALUE;
	*max = num;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq, uint32_t max_num_consumers)
{
	return msgq == NULL ? DOCA_ERROR_INVALID_VALUE
			    : set_max(msgq, max_num_consumers, EMU_BOUND_CONSUMERS, &msgq->max_consumers);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq, uint32_t max_num_producers)
{
	return msgq == NULL ? DOCA_ERROR_INVALID_VALUE
			    : set_max(msgq, max_num_producers, EMU_BOUND_PRODUCERS, &msgq->max_producers);
}

static bool is_started(struct doca_dpa *dpa)
{
	return dpa == NULL || atomic_load(&emu_dpa_of(dpa)->started);
}

/* One of the two at most is on a DPA. */
static struct doca_dpa *dpa_of(const struct doca_comch_msgq *msgq)
{
	return msgq->consumer_dpa != NULL ? msgq->consumer_dpa : msgq->producer_dpa;
}

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->started)
		return DOCA_ERROR_BAD_STATE;
	if (msgq->consumer_dpa != NULL && msgq->producer_dpa != NULL)
		return READING_MSGQ_WITHOUT_CPU;
	if (!is_started(dpa_of(msgq)))
		return READING_DPA_NOT_STARTED;
	/* Queues begin at cache lines. */
	msgq->queues = aligned_alloc(64, msgq->max_consumers * sizeof(msgq->queues[0]));
	msgq->producers = calloc(msgq->max_producers, sizeof(msgq->producers[0]));
	if (msgq->queues == NULL || msgq->producers == NULL) {
		free(msgq->queues);
		free(msgq->producers);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (uint32_t i = 0; i < msgq->max_consumers; i++)
		msgq->queues[i] = (struct msgq_queue){.state = MSGQ_QUEUE_FREE};
	if (dpa_of(msgq) != NULL)
		atomic_fetch_add(&emu_dpa_of(dpa_of(msgq))->users, 1);
	msgq->started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!msgq->started)
		return DOCA_ERROR_BAD_STATE;
	pthread_mutex_lock(&msgq->lock);
	bool used = msgq->num_consumers > 0 || msgq->num_producers > 0;
	pthread_mutex_unlock(&msgq->lock);
	if (used)
		return READING_STOP_WITH_CHILDREN;
	msgq->started = false;
	free(msgq->queues);
	free(msgq->producers);
	if (dpa_of(msgq) != NULL)
		atomic_fetch_sub(&emu_dpa_of(dpa_of(msgq))->users, 1);
	return DOCA_SUCCESS;
}

/* ---- consumers ---- */

static void leave_as_consumer(struct doca_comch_consumer *consumer)
{
	struct doca_comch_msgq *msgq = consumer->msgq->msgq;
	msgq_queue_set_state(consumer->msgq->queue, MSGQ_QUEUE_FREE);
	pthread_mutex_lock(&msgq->lock);
	msgq->num_consumers--;
	pthread_mutex_unlock(&msgq->lock);
	free(consumer->msgq);
}

/* The first queue without a consumer, which is taken; NULL: there is none. */
static struct msgq_queue *take_queue(struct doca_comch_msgq *msgq)
{
	struct msgq_queue *found = NULL;
	pthread_mutex_lock(&msgq->lock);
	for (uint32_t i = 0; i < msgq->max_consumers && found == NULL; i++)
		if (msgq_queue_get_state(&msgq->queues[i]) == MSGQ_QUEUE_FREE)
			found = &msgq->queues[i];
	if (found != NULL) {
		msgq_queue_set_state(found, MSGQ_QUEUE_CREATED);
		msgq->num_consumers++;
	}
	pthread_mutex_unlock(&msgq->lock);
	return found;
}

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq, struct doca_comch_consumer **consumer)
{
	if (msgq == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!msgq->started)
		return DOCA_ERROR_BAD_STATE;
	struct msgq_queue *queue = take_queue(msgq);
	if (queue == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_comch_consumer *created = calloc(1, sizeof(*created));
	struct msgq_consumer *end = calloc(1, sizeof(*end));
	if (created == NULL || end == NULL) {
		free(created);
		free(end);
		msgq_queue_set_state(queue, MSGQ_QUEUE_FREE);
		pthread_mutex_lock(&msgq->lock);
		msgq->num_consumers--;
		pthread_mutex_unlock(&msgq->lock);
		return DOCA_ERROR_NO_MEMORY;
	}
	emu_ctx_init(&created->ctx, &msgq_consumer_ops);
	*end = (struct msgq_consumer){.msgq = msgq, .queue = queue};
	created->msgq = end;
	created->own.ctx = &created->ctx;
	created->own.id = (uint32_t)(queue - msgq->queues) + 1;
	created->imm_data_len = emu_dev_limits(msgq->dev)->max_imm_data_len;
	created->imm_bound = EMU_BOUND_MSGQ_IMM_LEN;
	created->max_tasks = emu_dev_limits(msgq->dev)->max_tasks;
	created->release = leave_as_consumer;
	*consumer = created;
	return DOCA_SUCCESS;
}

/* ---- producers ---- */

static void give_place(struct doca_comch_msgq *msgq, uint32_t id)
{
	pthread_mutex_lock(&msgq->lock);
	msgq->producers[id - 1] = false;
	msgq->num_producers--;
	pthread_mutex_unlock(&msgq->lock);
}

static void leave_as_producer(struct doca_comch_producer *producer)
{
	give_place(producer->msgq->msgq, producer->id);
	free(producer->msgq);
}

/* The id of a place that was free; 0: none is. */
static uint32_t take_place(struct doca_comch_msgq *msgq)
{
	uint32_t id = 0;
	pthread_mutex_lock(&msgq->lock);
	for (uint32_t i = 0; i < msgq->max_producers && id == 0; i++)
		if (!msgq->producers[i])
			id = i + 1;
	if (id != 0) {
		msgq->producers[id - 1] = true;
		msgq->num_producers++;
	}
	pthread_mutex_unlock(&msgq->lock);
	return id;
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq, struct doca_comch_producer **producer)
{
	if (msgq == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!msgq->started)
		return DOCA_ERROR_BAD_STATE;
	uint32_t id = take_place(msgq);
	if (id == 0)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_comch_producer *created = calloc(1, sizeof(*created));
	struct msgq_producer *end = calloc(1, sizeof(*end));
	if (created == NULL || end == NULL) {
		free(created);
		free(end);
		give_place(msgq, id);
		return DOCA_ERROR_NO_MEMORY;
	}
	emu_ctx_init(&created->ctx, &msgq_producer_ops);
	*end = (struct msgq_producer){.msgq = msgq, .id = id};
	created->msgq = end;
	created->id = id;
	created->max_list = 1;
	created->imm_bound = EMU_BOUND_MSGQ_IMM_LEN;
	created->max_tasks = emu_dev_limits(msgq->dev)->max_tasks;
	created->release = leave_as_producer;
	*producer = created;
	return DOCA_SUCCESS;
}
