/*
 * The DOCA release that these headers describe, and the one that a program runs with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include "doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR 2
#define DOCA_VERSION_MINOR 6
#define DOCA_VERSION_PATCH 58
#define DOCA_VERSION_STRING "2.6.0058"

/*
 * Releases as numbers that can be compared. They are of type size_t, so the preprocessor cannot
 * compare them: in an #if, use the three parts above.
 */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) \
    ((size_t)(((major) << 24) | ((minor) << 16) | (patch)))
#define DOCA_VERSION_EXACT \
    DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* The same with the patch in thousands: what the two comparisons below go by. */
#define DOCA_VERSION_CALC(major, minor, patch) \
    ((size_t)(((major) << 24) | ((minor) << 16) | ((patch) * 1000)))
#define DOCA_VERSION_OFFICIAL \
    DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* Whether a release is the one that these headers describe; whether it is that one or an older. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
    (DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
    (DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

/* The version compiled against. Has no symbol in the library. */
static inline const char *doca_version(void)
{
    return DOCA_VERSION_STRING;
}

/* The version of the library that is loaded. A static string. */
DOCA_EXPERIMENTAL const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
