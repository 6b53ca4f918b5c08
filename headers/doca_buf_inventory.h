/*
 * The inventory: a fixed pool of buffer descriptors. The memory comes from a doca_mmap.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_buf_inventory;
struct doca_mmap;

/* Makes a pool of `num_elements` descriptors. NO_MEMORY. */
DOCA_STABLE doca_error_t doca_buf_inventory_create(
    size_t num_elements, struct doca_buf_inventory **inventory);

/* Stops and ends the pool. IN_USE while buffers are out. */
DOCA_STABLE doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/* Allows taking buffers. */
DOCA_STABLE doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/* Forbids taking buffers; those that are out stay valid. */
DOCA_STABLE doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/*
 * Takes a buffer with the given head, length and data window, with one reference. INVALID_VALUE
 * when the range is not in the map, NO_MEMORY when the pool is empty.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_args(
    struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr, size_t len,
    void *data, size_t data_len, struct doca_buf **buf);

/* Takes a buffer with no data yet. Has no symbol in the library. */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
    struct doca_mmap *mmap, void *addr, size_t len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/* Takes a buffer that is all data. Has no symbol in the library. */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
    struct doca_mmap *mmap, void *data, size_t data_len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

/*
 * Takes a buffer, or a list, with the same windows on the same memory. BAD_STATE (not started),
 * NOT_PERMITTED when the source is inside a list, NO_MEMORY.
 */
DOCA_STABLE doca_error_t doca_buf_inventory_buf_dup(
    struct doca_buf_inventory *inventory, const struct doca_buf *src_buf,
    struct doca_buf **dst_buf);

/*
 * Since DOCA 3.2. Moves a buffer to another place of its map without giving it back: with no data
 * yet, or all data. INVALID_VALUE when the range is not in the map.
 */
DOCA_EXPERIMENTAL doca_error_t doca_buf_inventory_buf_reuse_by_addr(
    struct doca_buf *buf, void *addr, size_t len);
DOCA_EXPERIMENTAL doca_error_t doca_buf_inventory_buf_reuse_by_data(
    struct doca_buf *buf, void *data, size_t data_len);

/* Adds descriptors. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_inventory_expand(
    struct doca_buf_inventory *inventory, uint32_t num_elements);

/* Size of the pool. */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_elements(
    const struct doca_buf_inventory *inventory, uint32_t *num_of_elements);

/* Descriptors that can be taken now. */
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_free_elements(
    const struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements);

/* Sets the inventory's user data. BAD_STATE in the wrong state. */
DOCA_STABLE doca_error_t doca_buf_inventory_set_user_data(
    struct doca_buf_inventory *inventory, union doca_data user_data);

/* Reads it back. */
DOCA_STABLE doca_error_t doca_buf_inventory_get_user_data(
    const struct doca_buf_inventory *inventory, union doca_data *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
