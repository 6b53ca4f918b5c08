/* Fixed pools of tasks, and queues of those that wait for their completion callback.
 *
 * Both belong to one context and so to one thread; nothing here allocates after the context has started. */
#ifndef EMU_TASK_POOL_H
#define EMU_TASK_POOL_H

#include "core/ctx.h"

struct task_pool {
	struct doca_ctx *ctx;
	uint8_t *memory;
	uint8_t *unused; /* from here on nothing has been taken yet: a context that starts touches no task */
	uint8_t *end;
	size_t stride;
	struct doca_task *free;
};

/* A pool of `num` tasks of `size` bytes, each beginning with struct doca_task. */
doca_error_t task_pool_init(struct task_pool *pool, struct doca_ctx *ctx, uint32_t num, size_t size);
void task_pool_fini(struct task_pool *pool);

/* NULL when all tasks are out. */
static inline struct doca_task *task_pool_take(struct task_pool *pool)
{
	struct doca_task *task = pool->free;
	if (task != NULL) {
		pool->free = task->next_free;
	} else if (pool->unused != pool->end) {
		task = (struct doca_task *)pool->unused;
		pool->unused += pool->stride;
		*task = (struct doca_task){.ctx = pool->ctx};
	} else {
		return NULL;
	}
	task->state = EMU_TASK_OWNED;
	task->status = DOCA_SUCCESS;
	task->user_data.u64 = 0;
	task->ctx->num_tasks_out++;
	return task;
}

static inline void task_pool_give(struct task_pool *pool, struct doca_task *task)
{
	task->state = EMU_TASK_FREE;
	task->next_free = pool->free;
	pool->free = task;
	task->ctx->num_tasks_out--;
}

/* A queue with room for every task of a pool. */
struct task_fifo {
	struct doca_task **slots;
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
};

doca_error_t task_fifo_init(struct task_fifo *fifo, uint32_t num);
void task_fifo_fini(struct task_fifo *fifo);

static inline bool task_fifo_empty(const struct task_fifo *fifo)
{
	return fifo->head == fifo->tail;
}

static inline void task_fifo_push(struct task_fifo *fifo, struct doca_task *task)
{
	fifo->slots[fifo->tail++ & fifo->mask] = task;
}

/* Queues a task that has ended with `status`. */
static inline void task_fifo_end(struct task_fifo *fifo, struct doca_task *task, doca_error_t status)
{
	task->status = status;
	task_fifo_push(fifo, task);
}

static inline struct doca_task *task_fifo_pop(struct task_fifo *fifo)
{
	return task_fifo_empty(fifo) ? NULL : fifo->slots[fifo->head++ & fifo->mask];
}

#endif
