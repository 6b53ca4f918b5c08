/*
 * DMA: copies between memory maps, of this process or imported.
 *
 * A context of its own: configure, connect to an engine, start; then tasks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dma;
struct doca_dma_task_memcpy; /* one copy */
struct doca_task;

/* Told how a copy has ended: doca_task_get_status. The user data of the task and of the context. */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(
    struct doca_dma_task_memcpy *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* Makes a context on a device. NOT_SUPPORTED: it has no DMA; NO_MEMORY. */
DOCA_STABLE doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/* Ends an idle context. IN_USE: it is not. */
DOCA_STABLE doca_error_t doca_dma_destroy(struct doca_dma *dma);

/* The same object as a context; NULL for NULL. */
DOCA_STABLE struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/* ---- what a device can ---- */

/* SUCCESS or NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/* Most buffers of a list, on either side. */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/* Most bytes of one copy. */
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(
    const struct doca_devinfo *devinfo, uint64_t *buf_size);

/* Most tasks of a context. */
DOCA_STABLE doca_error_t doca_dma_cap_get_max_num_tasks(
    struct doca_dma *dma, uint32_t *max_num_tasks);

/* ---- tasks ---- */

/* Sets how many tasks there are, and whom to tell of their ends. Mandatory, and before start. */
DOCA_STABLE doca_error_t doca_dma_task_memcpy_set_conf(
    struct doca_dma *dma, doca_dma_task_memcpy_completion_cb_t task_completion_cb,
    doca_dma_task_memcpy_completion_cb_t task_error_cb, uint32_t num_memcpy_tasks);

/*
 * Takes a task: the data of `src` go behind those of `dst`, whose length grows; both can be lists.
 * BAD_STATE: the context does not run; NO_MEMORY: all tasks are out.
 */
DOCA_STABLE doca_error_t doca_dma_task_memcpy_alloc_init(
    struct doca_dma *dma, const struct doca_buf *src, struct doca_buf *dst,
    union doca_data user_data, struct doca_dma_task_memcpy **task);

/* The same object as a task; NULL for NULL. */
DOCA_STABLE struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/* Change and read what is copied; not while the task is in flight. */
DOCA_STABLE void doca_dma_task_memcpy_set_src(
    struct doca_dma_task_memcpy *task, const struct doca_buf *src);
DOCA_STABLE const struct doca_buf *doca_dma_task_memcpy_get_src(
    const struct doca_dma_task_memcpy *task);
DOCA_STABLE void doca_dma_task_memcpy_set_dst(
    struct doca_dma_task_memcpy *task, struct doca_buf *dst);
DOCA_STABLE struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */
