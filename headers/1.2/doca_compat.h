/*
 * Compiler support for the other headers: how mature a function is, and what it looks like outside.
 *
 * DOCA_STABLE        keeps its meaning from release to release
 * DOCA_EXPERIMENTAL  may change; using one warns unless DOCA_ALLOW_EXPERIMENTAL_API is defined
 * DOCA_DEPRECATED    on its way out; using one warns unless DOCA_ALLOW_DEPRECATED_API is defined
 * DOCA_USED          stays in the object file even when nothing there seems to use it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#if defined(__GNUC__) || defined(__clang__)
#define DOCA_PUBLIC_SYMBOL __attribute__((visibility("default")))
#define DOCA_WARN_ON_USE(text) __attribute__((deprecated(text)))
#define DOCA_USED __attribute__((used))
#define DOCA_PRINTF_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define DOCA_PUBLIC_SYMBOL
#define DOCA_WARN_ON_USE(text)
#define DOCA_USED
#define DOCA_PRINTF_FORMAT(text, first)
#endif

#define DOCA_STABLE DOCA_PUBLIC_SYMBOL

#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL DOCA_PUBLIC_SYMBOL
#else
#define DOCA_EXPERIMENTAL \
    DOCA_PUBLIC_SYMBOL DOCA_WARN_ON_USE("experimental, see DOCA_ALLOW_EXPERIMENTAL_API")
#endif

#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED DOCA_PUBLIC_SYMBOL
#else
#define DOCA_DEPRECATED \
    DOCA_PUBLIC_SYMBOL DOCA_WARN_ON_USE("deprecated, see DOCA_ALLOW_DEPRECATED_API")
#endif

#endif /* DOCA_COMPAT_H_ */
