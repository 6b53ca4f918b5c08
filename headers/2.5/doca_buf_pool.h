/*
 * The buffer pool: buffers of one size whose memory is laid out once, side by side in the range of
 * one doca_mmap. Against an inventory, a buffer costs no choice of memory when it is taken.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_buf_pool;
struct doca_mmap;

/*
 * Makes a pool of `num_elements` buffers of `element_size` bytes. The map must have its range, and
 * outlives the pool's use. INVALID_VALUE also for a number or a size of 0; NO_MEMORY.
 */
DOCA_STABLE doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
    const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);

/* Stops and ends the pool. IN_USE while buffers are out. */
DOCA_STABLE doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/*
 * Lays the buffers out and allows taking them. BAD_STATE unless the map is started, INITIALIZATION
 * when its range is too small for them.
 */
DOCA_STABLE doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/* Forbids taking buffers and allows changing properties. IN_USE while buffers are out. */
DOCA_STABLE doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/*
 * Takes a buffer with no data yet, with one reference; doca_buf_dec_refcount returns it. BAD_STATE
 * unless started, EMPTY when all buffers are out.
 */
DOCA_STABLE doca_error_t doca_buf_pool_buf_alloc(
    struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/* Sets the pool's user data; 0 at first. BAD_STATE while started. */
DOCA_STABLE doca_error_t doca_buf_pool_set_user_data(
    struct doca_buf_pool *buf_pool, union doca_data user_data);

/*
 * Sets what the address of each buffer is a multiple of: a power of two; 1 at first. BAD_STATE
 * while started.
 */
DOCA_STABLE doca_error_t doca_buf_pool_set_element_alignment(
    struct doca_buf_pool *buf_pool, size_t element_alignment);

/* Size of the pool. */
DOCA_STABLE doca_error_t doca_buf_pool_get_num_elements(
    const struct doca_buf_pool *buf_pool, uint32_t *num_of_elements);

/* Buffers that can be taken now. */
DOCA_STABLE doca_error_t doca_buf_pool_get_num_free_elements(
    const struct doca_buf_pool *buf_pool, uint32_t *num_of_free_elements);

/* Reads the user data back. */
DOCA_STABLE doca_error_t doca_buf_pool_get_user_data(
    const struct doca_buf_pool *buf_pool, union doca_data *user_data);

/* Reads the alignment back. */
DOCA_STABLE doca_error_t doca_buf_pool_get_element_alignment(
    const struct doca_buf_pool *buf_pool, size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */
