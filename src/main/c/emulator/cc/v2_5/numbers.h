/* Sizes, lengths and pools: size_t and binary logarithms in DOCA 2.5, 32 bits in Comch. */
#ifndef EMU_CC_NUMBERS_H
#define EMU_CC_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "doca_error.h"

/* A size or length as Comch has it. One of more than 32 bits becomes the largest there is, which is above every limit
 * of the device and refused like any other that is too large. */
static inline uint32_t cc_narrow(size_t size)
{
	return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* The tasks of a pool that is given by its binary logarithm; 0 is a pool of one. */
static inline uint32_t cc_pool_size(size_t log_num_tasks)
{
	return log_num_tasks < 32 ? UINT32_C(1) << log_num_tasks : UINT32_MAX;
}

/* Servers and clients of 2.5 have no more send tasks than 2^13, whatever the device could have: observed. */
#define CC_MAX_LOG_SEND_TASKS 13

/* Their pool. */
static inline uint32_t cc_send_pool_size(size_t log_num_tasks)
{
	return log_num_tasks <= CC_MAX_LOG_SEND_TASKS ? cc_pool_size(log_num_tasks) : UINT32_MAX;
}

/* What a function that asks Comch for a number answers: it is written on success only. By address, because the call
 * that gives `result` fills it in. */
static inline doca_error_t cc_widen(doca_error_t result, const uint32_t *value, size_t *out)
{
	if (out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS)
		*out = *value;
	return result;
}

#endif
