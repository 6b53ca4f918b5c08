/* What the tests of DMA share: a context on a device, what its callbacks were told, and memory to copy. */
#ifndef TEST_DMA_FIXTURE_H
#define TEST_DMA_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doca_dma.h"
#include "harness.h"

#define MEMORY ((size_t)8 << 20)
#define ELEMENTS 256

/* One area of memory, with an inventory. */
struct area {
	uint8_t *bytes;
	struct doca_mmap *map;
};

struct copier {
	struct devices devices;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	struct area from, to;
	/* What callbacks were told. */
	uint64_t ended[64];      /* user data of the tasks, in order */
	doca_error_t status[64]; /* and how they ended */
	unsigned num_ended, completed;
	char states[16]; /* R, P (STOPPING), I */
	bool keeps_tasks;
};

static inline void area_open(struct area *area, struct doca_dev *dev, uint32_t permissions)
{
	area->bytes = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(area->bytes != MAP_FAILED);
	OK(doca_mmap_create(&area->map));
	OK(doca_mmap_set_memrange(area->map, area->bytes, MEMORY));
	OK(doca_mmap_set_permissions(area->map, permissions));
	OK(doca_mmap_add_dev(area->map, dev));
	OK(doca_mmap_start(area->map));
}

static inline void area_close(struct area *area)
{
	OK(doca_mmap_destroy(area->map));
	munmap(area->bytes, MEMORY);
}

static inline void told(struct copier *copier, struct doca_dma_task_memcpy *task, union doca_data user_data)
{
	struct doca_task *base = doca_dma_task_memcpy_as_task(task);
	CHECK(copier->num_ended < 64);
	copier->ended[copier->num_ended] = user_data.u64;
	copier->status[copier->num_ended++] = doca_task_get_status(base);
	if (!copier->keeps_tasks)
		doca_task_free(base);
}

static inline void on_completed(struct doca_dma_task_memcpy *task, union doca_data user_data, union doca_data data)
{
	struct copier *copier = data.ptr;
	CHECK(doca_task_get_status(doca_dma_task_memcpy_as_task(task)) == DOCA_SUCCESS);
	copier->completed++;
	told(copier, task, user_data);
}

static inline void on_failed(struct doca_dma_task_memcpy *task, union doca_data user_data, union doca_data data)
{
	CHECK(doca_task_get_status(doca_dma_task_memcpy_as_task(task)) != DOCA_SUCCESS);
	told(data.ptr, task, user_data);
}

static inline void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states before,
			    enum doca_ctx_states next)
{
	(void)ctx;
	(void)before;
	struct copier *copier = data.ptr;
	size_t len = strlen(copier->states);
	CHECK(len + 1 < sizeof(copier->states));
	copier->states[len] = "ISRP"[next];
}

/* On the DPU's device, or the host's; the context runs. */
static inline void copier_open(struct copier *copier, bool dpu, uint32_t tasks)
{
	*copier = (struct copier){0};
	devices_open(&copier->devices);
	copier->dev = dpu ? copier->devices.dpu : copier->devices.host;
	OK(doca_pe_create(&copier->pe));
	OK(doca_dma_create(copier->dev, &copier->dma));
	copier->ctx = doca_dma_as_ctx(copier->dma);
	OK(doca_ctx_set_user_data(copier->ctx, (union doca_data){.ptr = copier}));
	OK(doca_ctx_set_state_changed_cb(copier->ctx, on_state));
	OK(doca_pe_connect_ctx(copier->pe, copier->ctx));
	OK(doca_dma_task_memcpy_set_conf(copier->dma, on_completed, on_failed, tasks));
	OK(doca_ctx_start(copier->ctx));
	OK(doca_buf_inventory_create(ELEMENTS, &copier->inventory));
	OK(doca_buf_inventory_start(copier->inventory));
	area_open(&copier->from, copier->dev, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	area_open(&copier->to, copier->dev, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (size_t i = 0; i < MEMORY; i++)
		copier->from.bytes[i] = (uint8_t)(i * 7 + i / 251);
}

static inline void copier_close(struct copier *copier)
{
	doca_error_t result = doca_ctx_stop(copier->ctx);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	UNTIL(copier->states[strlen(copier->states) - 1] == 'I', copier->pe);
	OK(doca_dma_destroy(copier->dma));
	OK(doca_pe_destroy(copier->pe));
	area_close(&copier->from);
	area_close(&copier->to);
	OK(doca_buf_inventory_destroy(copier->inventory));
	devices_close(&copier->devices);
}

/* A buffer whose data are all of it; with `data` 0, one to write to. */
static inline struct doca_buf *buf_of(struct copier *copier, struct doca_mmap *map, void *bytes, size_t len,
				      size_t data)
{
	struct doca_buf *buf;
	OK(doca_buf_inventory_buf_get_by_args(copier->inventory, map, bytes, len, bytes, data, &buf));
	return buf;
}

static inline struct doca_buf *source(struct copier *copier, size_t at, size_t len)
{
	return buf_of(copier, copier->from.map, copier->from.bytes + at, len, len);
}

static inline struct doca_buf *destination(struct copier *copier, size_t at, size_t len)
{
	return buf_of(copier, copier->to.map, copier->to.bytes + at, len, 0);
}

static inline void give_back(struct doca_buf *buf)
{
	OK(doca_buf_dec_refcount(buf, NULL));
}

static inline struct doca_dma_task_memcpy *task_of(struct copier *copier, struct doca_buf *src, struct doca_buf *dst,
						   uint64_t number)
{
	struct doca_dma_task_memcpy *task;
	OK(doca_dma_task_memcpy_alloc_init(copier->dma, src, dst, (union doca_data){.u64 = number}, &task));
	return task;
}

static inline struct doca_task *submit(struct copier *copier, struct doca_buf *src, struct doca_buf *dst,
				       uint64_t number)
{
	struct doca_task *task = doca_dma_task_memcpy_as_task(task_of(copier, src, dst, number));
	OK(doca_task_submit(task));
	return task;
}

/* One copy, to its end. */
static inline doca_error_t copied(struct copier *copier, struct doca_buf *src, struct doca_buf *dst)
{
	unsigned before = copier->num_ended;
	submit(copier, src, dst, 0);
	UNTIL(copier->num_ended == before + 1, copier->pe);
	return copier->status[before];
}

static inline size_t data_len_of(const struct doca_buf *buf)
{
	size_t len;
	OK(doca_buf_get_data_len(buf, &len));
	return len;
}

#endif
