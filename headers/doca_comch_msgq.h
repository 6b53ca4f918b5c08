/*
 * Comch MsgQ: producers and consumers between the CPU and the DPA of a device, without connection.
 *
 * A queue carries one direction. Its producers and consumers are those of the fast path.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_consumer;
struct doca_comch_msgq;
struct doca_comch_producer;
struct doca_dev;
struct doca_dpa;

/* Makes a queue on a device. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_create(
    struct doca_dev *dev, struct doca_comch_msgq **msgq);

/* Ends a stopped queue. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/* Puts the consumers on the DPA. Before start. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_set_dpa_consumer(
    struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/* Puts the producers on the DPA. Before start. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_set_dpa_producer(
    struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/* Sets how many consumers may be made. Before start. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_set_max_num_consumers(
    struct doca_comch_msgq *msgq, uint32_t max_num_consumers);

/* Sets how many producers may be made. Before start. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_set_max_num_producers(
    struct doca_comch_msgq *msgq, uint32_t max_num_producers);

/* Freezes the configuration and allows making producers and consumers. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/* Undoes start; its producers and consumers must be gone. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/* Makes a consumer on a started queue. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_consumer_create(
    struct doca_comch_msgq *msgq, struct doca_comch_consumer **consumer);

/* Makes a producer on a started queue. */
DOCA_EXPERIMENTAL doca_error_t doca_comch_msgq_producer_create(
    struct doca_comch_msgq *msgq, struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */
