/* Symbol visibility. Everything is hidden unless it is part of DOCA's ABI or of the private
 * interface (emu_*) between libdoca_common and libdoca_comch; common.map and comch.map list both. */
#ifndef EMU_EXPORT_H
#define EMU_EXPORT_H

#define EMU_PRIVATE_API __attribute__((visibility("default")))

/* For what each message calls from two places: the compiler would make one function of it. */
#define EMU_ALWAYS_INLINE inline __attribute__((always_inline))

#define EMU_LIKELY(x) __builtin_expect(!!(x), 1)
#define EMU_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
