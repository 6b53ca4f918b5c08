#include "base/task_pool.h"

#include <stdlib.h>

#include "base/bits.h"

doca_error_t task_pool_init(struct task_pool *pool, struct doca_ctx *ctx, uint32_t num, size_t size)
{
	/* Whole cache lines, so that tasks do not share one with their neighbours. */
	size_t stride = (size + 63) / 64 * 64;
	uint8_t *memory = aligned_alloc(64, stride * num);
	if (memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*pool = (struct task_pool){
		.ctx = ctx, .memory = memory, .unused = memory, .end = memory + stride * num, .stride = stride};
	return DOCA_SUCCESS;
}

void task_pool_fini(struct task_pool *pool)
{
	free(pool->memory);
	*pool = (struct task_pool){0};
}

doca_error_t task_fifo_init(struct task_fifo *fifo, uint32_t num)
{
	uint32_t capacity = round_up_pow2(num);
	struct doca_task **slots = calloc(capacity, sizeof(struct doca_task *));
	if (slots == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*fifo = (struct task_fifo){.slots = slots, .mask = capacity - 1};
	return DOCA_SUCCESS;
}

void task_fifo_fini(struct task_fifo *fifo)
{
	free(fifo->slots);
	*fifo = (struct task_fifo){0};
}
