/* Copies of payloads that travel in a slot. */
#ifndef EMU_COPY_H
#define EMU_COPY_H

#include <stdint.h>
#include <string.h>

#include "export.h"

/* NOLINTBEGIN(clang-analyzer-core.NonNullParamChecker, clang-analyzer-core.NullDereference): what has no source has no
 * bytes */

static EMU_ALWAYS_INLINE void copy_word(uint8_t *dest, const uint8_t *source)
{
	uint64_t word;
	memcpy(&word, source, sizeof(word));
	__asm__("" : "+r"(word)); /* keeps the compiler from joining words */
	memcpy(dest, &word, sizeof(word));
}

/* Copies a small payload in words. The sender has often written part of it just now, with stores narrower than the
 * registers that memcpy would load: such a load waits until those stores, and all stores before them, have left for
 * the cache, which takes as long as a cache line needs from the other core. For the receiver of a lone payload a call
 * of memcpy takes longer than the copy. */
static EMU_ALWAYS_INLINE void copy_words(uint8_t *dest, const uint8_t *source, uint64_t len)
{
	uint64_t done = 0;
	for (; len - done >= 4 * sizeof(uint64_t); done += 4 * sizeof(uint64_t))
		for (uint64_t word = 0; word < 4; word++)
			copy_word(dest + done + word * sizeof(uint64_t), source + done + word * sizeof(uint64_t));
	for (; len - done >= sizeof(uint64_t); done += sizeof(uint64_t))
		copy_word(dest + done, source + done);
	for (; done < len; done++)
		dest[done] = source[done];
}

/* NOLINTEND(clang-analyzer-core.NonNullParamChecker, clang-analyzer-core.NullDereference) */

#endif
