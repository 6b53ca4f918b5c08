/* Cache lines that are going to be used come from the other core while the program goes on. Of lines to be written,
 * otherwise the next instruction that orders memory, such as the claim of a posted buffer, or what a JVM does after
 * each call into C, waits for them. */
#ifndef EMU_PREFETCH_H
#define EMU_PREFETCH_H

#include <stdint.h>

#include "base/shm_sides.h"
#include "export.h"

/* A compiler that is to serve every x86-64 processor would ask for a line that the other core may keep. */
#if defined(__x86_64__)
#define EMU_PREFETCH_WRITE(place) __asm__ volatile("prefetchw %0" : : "m"(*(place)))
#else
#define EMU_PREFETCH_WRITE(place) __builtin_prefetch((place), 1)
#endif

/* Those of `bytes` bytes from `from` on, in an area of `size` bytes. A core has only so many lines on their way. */
static EMU_ALWAYS_INLINE void prefetch_for_writes(const uint8_t *area, uint64_t from, uint64_t bytes, uint64_t size)
{
	uint64_t end = size - from < bytes ? size : from + bytes;
	for (uint64_t line = from; line < end; line += SHM_CACHE_LINE)
		EMU_PREFETCH_WRITE(area + line);
}

/* Those of `bytes` bytes that are going to be read. */
static EMU_ALWAYS_INLINE void prefetch_for_reads(const uint8_t *place, uint64_t bytes)
{
	for (uint64_t line = 0; line < bytes; line += SHM_CACHE_LINE)
		__builtin_prefetch(place + line);
}

#endif
