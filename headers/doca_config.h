/*
 * What the machine that programs are built for is, for the other headers.
 *
 * DOCA_COMPAT_HELPERS  doca_compat.h brings what only programs of a CPU have; not on the DPA
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include "doca_build_config.h"

#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
