/*
 * Buffer arrays: a memory map cut into elements of one size, for programs on the DPA.
 *
 * Create, set the target and the parameters, start, get the handle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;
struct doca_dpa;
struct doca_gpu;
struct doca_gpu_buf_arr;
struct doca_mmap;

/* What programs on the DPA call an array. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/* Makes an array of so many elements. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/* Chooses a GPU. NOT_SUPPORTED here. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_set_target_gpu(
    struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler);

/* Chooses the DPA. BAD_STATE once started. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_set_target_dpa(
    struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler);

/*
 * Sets the map, the size of an element, and where in the map the first begins. BAD_STATE once
 * started.
 */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_set_params(
    struct doca_buf_arr *buf_arr, struct doca_mmap *mmap, size_t elem_size, uint64_t start_offset);

/* Makes the elements. BAD_STATE when target or parameters are missing, NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/* Undoes start. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/* Ends an array. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/* Its name on a GPU. NOT_SUPPORTED here. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_get_gpu_handle(
    const struct doca_buf_arr *buf_arr, struct doca_gpu_buf_arr **gpu_buf_arr);

/* Its name on the DPA. BAD_STATE unless started. */
DOCA_EXPERIMENTAL doca_error_t doca_buf_arr_get_dpa_handle(
    const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
