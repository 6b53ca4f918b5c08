/*
 * Clocks of the card and of its host, and two of them read together.
 *
 * New since 3.2. The emulated card's clocks are those of the machine that it is emulated on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_CLOCK_H_
#define DOCA_CLOCK_H_

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_clock;
struct doca_dev;
struct doca_devinfo;

/* Of the card. */
#define DOCA_CLOCK_NIC_FREE_RUNNING 0x1
#define DOCA_CLOCK_NIC_REAL_TIME 0x2
#define DOCA_CLOCK_NIC_DPA_TIMER 0x100

/* Of the machine: the processor's counter, which is a number, and the clocks of clock_gettime. */
#define DOCA_CLOCK_HOST_COUNTER_CYCLES 0x10000
#define DOCA_CLOCK_HOST_REAL_TIME 0x20000
#define DOCA_CLOCK_HOST_MONOTONIC 0x40000
#define DOCA_CLOCK_HOST_MONOTONIC_RAW 0x80000

/* What was read. */
union doca_clock_timespec_t {
    struct timespec ts;
    uint64_t counter; /* of DOCA_CLOCK_HOST_COUNTER_CYCLES */
};

/* Whether the device has the clock. NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_clock_cap_nic_free_running_is_supported(
    const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL doca_error_t doca_clock_cap_nic_real_time_is_supported(
    const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(
    const struct doca_devinfo *devinfo);

/* Opens the clocks of a device. NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_clock_create(const struct doca_dev *dev,
                                                 struct doca_clock **clock);

/* Ends it. */
DOCA_EXPERIMENTAL doca_error_t doca_clock_destroy(struct doca_clock *clock);

/* Reads one clock, a DOCA_CLOCK_…. NOT_SUPPORTED: the device has it not. */
DOCA_EXPERIMENTAL doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock,
                                                        uint64_t clock_type,
                                                        union doca_clock_timespec_t *clock_ts);

/* Reads any clock and one of the card together, at most so many nanoseconds apart. */
DOCA_EXPERIMENTAL doca_error_t doca_clock_get_crosstimestamp(
    const struct doca_clock *clock, uint64_t primary_clock_type, uint64_t nic_clock_type,
    union doca_clock_timespec_t *primary_clock_ts, union doca_clock_timespec_t *nic_clock_ts,
    uint64_t *error_margin_nsecs);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CLOCK_H_ */
