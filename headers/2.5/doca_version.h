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

#define DOCA_VER_MAJOR 2
#define DOCA_VER_MINOR 5
#define DOCA_VER_PATCH 108
#define DOCA_VER_STRING "2.5.0108"

/* The version compiled against. Has no symbol in the library. */
static inline const char *doca_version(void)
{
    return DOCA_VER_STRING;
}

/* The version of the library that is loaded. A static string. */
DOCA_EXPERIMENTAL const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
