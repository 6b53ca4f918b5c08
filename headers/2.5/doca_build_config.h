/*
 * What this SDK is for. One for the DPU defines DOCA_ARCH_DPU, one for the host DOCA_ARCH_HOST.
 *
 * This one is for the host, unless scripts/install-emulator.sh --dpu has made it one for the DPU. A
 * program that is compiled with DOCA_ARCH_DPU defined is one for the DPU, too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#ifndef DOCA_ARCH_DPU
#define DOCA_ARCH_HOST
#endif

#ifdef __aarch64__
#define DOCA_ARCH_ARM
#else
#define DOCA_ARCH_X86
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
