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

static EMU_ALWAYS_INLINE void copy_byte(uint8_t *dest, const uint8_t *source)
{
	uint8_t byte = *source;
	__asm__("" : "+r"(byte)); /* nor bytes: they are few */
	*dest = byte;
}

/* Copies a small payload in words. The sender has often written part of it just now, with stores narrower than the
 * registers that memcpy would load: such a load waits until those stores, and all stores before them, have left for
 * the cache, which takes as long as a cache line needs from the other core. For the receiver of a lone payload a call
 * of memcpy takes longer than the copy. */
static EMU_ALWAYS_INLINE void copy_words(uint8_t *dest, const uint8_t *source, uint64_t len)
{
	for (; len >= 8 * sizeof(uint64_t); len -= 8 * sizeof(uint64_t)) {
		for (int word = 0; word < 8; word++, dest += sizeof(uint64_t), source += sizeof(uint64_t))
			copy_word(dest, source);
	}
	for (; len >= sizeof(uint64_t); len -= sizeof(uint64_t), dest += sizeof(uint64_t), source += sizeof(uint64_t))
		copy_word(dest, source);
	for (; len > 0; len--)
		copy_byte(dest++, source++);
}

/* memcpy by a call: where the compiler knows a bound for the length, it may take a string instruction instead, which
 * begins slowly. */
static EMU_ALWAYS_INLINE void copy_block(uint8_t *dest, const uint8_t *source, uint64_t len)
{
	__asm__("" : "+r"(len));
	memcpy(dest, source, len);
}

/* NOLINTEND(clang-analyzer-core.NonNullParamChecker, clang-analyzer-core.NullDereference) */

#endif
