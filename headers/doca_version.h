/*
 * The DOCA release that these headers describe, and the one that a program runs with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include "doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 0
#define DOCA_VERSION_PATCH 58
#define DOCA_VERSION_STRING "3.0.0058"

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
