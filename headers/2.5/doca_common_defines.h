/*
 * Hints for the compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

/* Conditions that nearly always, or hardly ever, hold. */
#if defined(__GNUC__) || defined(__clang__)
#define doca_likely(condition) __builtin_expect(!!(condition), 1)
#define doca_unlikely(condition) __builtin_expect(!!(condition), 0)
#else
#define doca_likely(condition) (condition)
#define doca_unlikely(condition) (condition)
#endif

#endif /* DOCA_COMMON_DEFINES_H_ */
