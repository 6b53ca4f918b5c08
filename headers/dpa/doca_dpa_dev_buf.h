/*
 * Buffers and memory on the DPA, and asynchronous copies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DPA_DEV_BUF_H_
#define DOCA_DPA_DEV_BUF_H_

#include "doca_dpa_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t doca_dpa_dev_mmap_t;
typedef uint64_t doca_dpa_dev_buf_t;
typedef uint64_t doca_dpa_dev_buf_arr_t;

struct doca_dpa_dev_buf {
    uintptr_t addr;
    uint64_t len;
    doca_dpa_dev_mmap_t mmap;
    unsigned char reserved[12];
} __attribute__((packed));

struct doca_dpa_dev_buf_arr {
    struct doca_dpa_dev_buf *bufs;
    unsigned char reserved[20];
} __attribute__((packed, aligned(64)));

/* ---- elements of buffer arrays ---- */

/* The element of this number. */
static inline doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(
    doca_dpa_dev_buf_arr_t buf_arr, const uint64_t buf_idx)
{
    const struct doca_dpa_dev_buf_arr *array = (const struct doca_dpa_dev_buf_arr *)(uintptr_t)buf_arr;
    return (doca_dpa_dev_buf_t)(uintptr_t)(array->bufs + buf_idx);
}

static inline void doca_dpa_dev_buf_set_addr(doca_dpa_dev_buf_t buf, uintptr_t addr)
{
    ((struct doca_dpa_dev_buf *)(uintptr_t)buf)->addr = addr;
}

static inline void doca_dpa_dev_buf_set_len(doca_dpa_dev_buf_t buf, size_t len)
{
    ((struct doca_dpa_dev_buf *)(uintptr_t)buf)->len = len;
}

static inline void doca_dpa_dev_buf_set_mmap(doca_dpa_dev_buf_t buf, doca_dpa_dev_mmap_t mmap)
{
    ((struct doca_dpa_dev_buf *)(uintptr_t)buf)->mmap = mmap;
}

static inline uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf)
{
    return ((const struct doca_dpa_dev_buf *)(uintptr_t)buf)->addr;
}

static inline uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf)
{
    return ((const struct doca_dpa_dev_buf *)(uintptr_t)buf)->len;
}

static inline doca_dpa_dev_mmap_t doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf)
{
    return ((const struct doca_dpa_dev_buf *)(uintptr_t)buf)->mmap;
}

/* ---- memory of maps ---- */

/* Where the program finds the memory of a buffer. */
DOCA_EXPERIMENTAL doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf);

/* Where the program finds an address of a map. */
DOCA_EXPERIMENTAL doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(
    doca_dpa_dev_mmap_t mmap_handle, uint64_t addr);

/* ---- asynchronous copies ---- */

/* Copies the source buffer to the other one. */
DOCA_EXPERIMENTAL void doca_dpa_dev_post_buf_memcpy(
    doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_buf_t dst_buf_handle,
    doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);

/* Copies from one map to another. */
DOCA_EXPERIMENTAL void doca_dpa_dev_post_memcpy(
    doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_mmap_t dst_mmap_handle,
    uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
    uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_BUF_H_ */
