/* Copies by DMA from one map of the DPU's process to another, `depth` of them in flight, in one thread. What is larger
 * than the device copies at once goes in pieces, which are in flight together. */
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include "endpoint.h"
#include "loop.h"
#include "report.h"
#include "window.h"

#define LARGEST_PIECE (UINT64_C(2) << 20)
#define LARGEST_POOL (UINT64_C(64) << 20)

struct piece {
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	uint8_t *from, *to;
	uint8_t stamp;
};

struct copier {
	struct doca_dma *dma;
	struct piece *pieces;
	uint32_t *free; /* a stack */
	uint32_t num, num_free;
	uint64_t copied, checked;
};

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	struct copier *copier = ctx_data.ptr;
	const struct piece *piece = &copier->pieces[task_data.u64];
	if (piece->to[0] != piece->stamp)
		fail("a copy brought something else");
	copier->copied++;
	copier->checked++;
	copier->free[copier->num_free++] = (uint32_t)task_data.u64;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	fail("a copy failed: %s", doca_error_get_name(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
}

static struct doca_mmap *map_of(struct doca_dev *dev, uint8_t *memory, size_t len)
{
	struct doca_mmap *map;
	MUST(doca_mmap_create(&map));
	MUST(doca_mmap_set_memrange(map, memory, len));
	MUST(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	MUST(doca_mmap_add_dev(map, dev));
	MUST(doca_mmap_start(map));
	return map;
}

static void submit_all(struct copier *copier)
{
	for (uint32_t left = copier->num_free; left > 0; left--) {
		struct piece *piece = &copier->pieces[copier->free[left - 1]];
		piece->from[0] = ++piece->stamp;
		MUST(doca_buf_reset_data_len(piece->dst));
		MUST(doca_task_submit_ex(doca_dma_task_memcpy_as_task(piece->task),
					 left == 1 ? DOCA_TASK_SUBMIT_FLAG_FLUSH : 0));
	}
	copier->num_free = 0;
}

void work_dma(const struct options *options)
{
	uint64_t len = options->size < LARGEST_PIECE ? options->size : LARGEST_PIECE;
	uint32_t per_copy = (uint32_t)((options->size + len - 1) / len);
	struct copier copier = {.num = options->depth * per_copy};
	size_t whole = (size_t)(len * copier.num);
	size_t pool = whole < LARGEST_POOL ? whole : LARGEST_POOL;
	uint8_t *from = payload_memory(pool), *to = payload_memory(pool);
	struct device device;
	device_open_dpu(&device, options);
	struct doca_mmap *source = map_of(device.dev, from, pool), *target = map_of(device.dev, to, pool);
	struct doca_buf_inventory *inventory;
	MUST(doca_buf_inventory_create(2 * copier.num, &inventory));
	MUST(doca_buf_inventory_start(inventory));
	struct doca_pe *pe = loop_new_pe();
	MUST(doca_dma_create(device.dev, &copier.dma));
	struct doca_ctx *ctx = doca_dma_as_ctx(copier.dma);
	MUST(doca_dma_task_memcpy_set_conf(copier.dma, copied, failed, copier.num));
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &copier}));
	MUST(doca_pe_connect_ctx(pe, ctx));
	MUST(doca_ctx_start(ctx));
	copier.pieces = must_have(calloc(copier.num, sizeof(*copier.pieces)));
	copier.free = must_have(calloc(copier.num, sizeof(*copier.free)));
	for (uint32_t i = 0; i < copier.num; i++) {
		struct piece *piece = &copier.pieces[i];
		piece->from = from + i * len % pool;
		piece->to = to + i * len % pool;
		MUST(doca_buf_inventory_buf_get_by_data(inventory, source, piece->from, len, &piece->src));
		MUST(doca_buf_inventory_buf_get_by_addr(inventory, target, piece->to, len, &piece->dst));
		MUST(doca_dma_task_memcpy_alloc_init(copier.dma, piece->src, piece->dst, (union doca_data){.u64 = i},
						     &piece->task));
		copier.free[copier.num_free++] = i;
	}
	struct window window;
	window_open(&window, options);
	uint64_t mask = len > 65536 ? 0 : TURNS_PER_LOOK - 1;
	for (uint64_t turn = 1;; turn++) {
		submit_all(&copier);
		while (doca_pe_progress(pe))
			;
		if ((turn & mask) == 0 && window_look(&window, copier.copied / per_copy, 0))
			break;
	}
	report_window(options, "dma", &window, copier.checked);
	for (uint32_t i = 0; i < copier.num; i++) {
		doca_task_free(doca_dma_task_memcpy_as_task(copier.pieces[i].task));
		MUST(doca_buf_dec_refcount(copier.pieces[i].src, NULL));
		MUST(doca_buf_dec_refcount(copier.pieces[i].dst, NULL));
	}
	MUST(doca_ctx_stop(ctx));
	WAIT_FOR(ctx_state(ctx) == DOCA_CTX_STATE_IDLE);
	MUST(doca_dma_destroy(copier.dma));
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(source));
	MUST(doca_mmap_destroy(target));
	device_close(&device);
	free(copier.pieces);
	free(copier.free);
	free(from);
	free(to);
}
