/*
 * Error codes.
 *
 * Conventions of all headers: comments name errors without the DOCA_ERROR_ prefix. A function that
 * returns doca_error_t answers INVALID_VALUE for a NULL argument unless its comment says otherwise,
 * and writes its out-parameters only on success.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include "doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

enum doca_error {
    DOCA_SUCCESS = 0,
    DOCA_ERROR_UNKNOWN = 1,
    DOCA_ERROR_NOT_PERMITTED = 2,          /* not now, or not for this caller */
    DOCA_ERROR_IN_USE = 3,                 /* something still depends on the object */
    DOCA_ERROR_NOT_SUPPORTED = 4,          /* this device or library cannot do it */
    DOCA_ERROR_AGAIN = 5,                  /* no room now; the same call may succeed later */
    DOCA_ERROR_INVALID_VALUE = 6,
    DOCA_ERROR_NO_MEMORY = 7,              /* no memory, or a fixed pool is exhausted */
    DOCA_ERROR_INITIALIZATION = 8,
    DOCA_ERROR_TIME_OUT = 9,
    DOCA_ERROR_SHUTDOWN = 10,
    DOCA_ERROR_CONNECTION_RESET = 11,
    DOCA_ERROR_CONNECTION_ABORTED = 12,
    DOCA_ERROR_CONNECTION_INPROGRESS = 13,
    DOCA_ERROR_NOT_CONNECTED = 14,
    DOCA_ERROR_NO_LOCK = 15,
    DOCA_ERROR_NOT_FOUND = 16,
    DOCA_ERROR_IO_FAILED = 17,
    DOCA_ERROR_BAD_STATE = 18,             /* the object's state forbids the call */
    DOCA_ERROR_UNSUPPORTED_VERSION = 19,
    DOCA_ERROR_OPERATING_SYSTEM = 20,      /* a system call failed */
    DOCA_ERROR_DRIVER = 21,                /* the driver or the device failed */
    DOCA_ERROR_UNEXPECTED = 22,
    DOCA_ERROR_ALREADY_EXIST = 23,
    DOCA_ERROR_FULL = 24,
    DOCA_ERROR_EMPTY = 25,
    DOCA_ERROR_IN_PROGRESS = 26,           /* accepted; the outcome comes through progress */
    DOCA_ERROR_TOO_BIG = 27
};

typedef enum doca_error doca_error_t;

/*
 * A short English phrase for people. A static string, never NULL, also for numbers outside the
 * enum.
 */
DOCA_STABLE const char *doca_get_error_string(doca_error_t error);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
