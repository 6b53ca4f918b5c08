/*
 * What the machine that programs are built for is, for the other headers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include "doca_build_config.h"

#endif /* DOCA_CONFIG_H_ */
