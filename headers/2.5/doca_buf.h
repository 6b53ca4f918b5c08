/*
 * The buffer: a window on the memory of a doca_mmap.
 *
 *   head            data            data + data_len      head + len
 *    |-- headroom --|------ data ------|---- tailroom ----|
 *
 * While a task that uses a buffer is in flight, the buffer and its memory belong to the library.
 * Functions marked "unchecked" always answer SUCCESS and do not look at their arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/* ---- references ---- */

/* Adds a reference; `refcount` gets the count before. NOT_PERMITTED inside a list, TOO_BIG. */
DOCA_STABLE doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/*
 * Drops a reference; `refcount` may be NULL and gets the count before. The last one returns the
 * buffer, or the list that it heads, to its inventory. NOT_PERMITTED inside a list, BAD_STATE when
 * already 0.
 */
DOCA_STABLE doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/* The count. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/* ---- window ---- */

/* Start of the buffer. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/* Bytes of the buffer from its head on. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/* Start of the data. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/* Bytes of data. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/* Moves the data window; it must stay inside the buffer. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/* Makes the data empty and leaves their start where it is. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/* ---- lists ---- */

/* The next buffer, NULL at the end. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_get_next_in_list(
    struct doca_buf *buf, struct doca_buf **next_buf);

/* The last buffer; a single one is its own last. */
DOCA_STABLE doca_error_t doca_buf_get_last_in_list(
    struct doca_buf *buf, struct doca_buf **last_buf);

/* 1 or 0. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/* 1 or 0. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/* 1 when chained with others, else 0. Unchecked. */
DOCA_STABLE doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/* Number of buffers, 1 for a single one. NOT_PERMITTED unless `buf` is a head. */
DOCA_STABLE doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/*
 * Appends list2 to list1, both given by their heads. NOT_PERMITTED when list2 has other references.
 */
DOCA_STABLE doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/*
 * Splits a list before list2, which becomes a head with one reference. INVALID_VALUE unless it is
 * in list1.
 */
DOCA_STABLE doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
