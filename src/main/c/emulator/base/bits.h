#ifndef EMU_BITS_H
#define EMU_BITS_H

#include <stdint.h>

/* The power of two that is at least `num`. */
static inline uint32_t round_up_pow2(uint32_t num)
{
	uint32_t power = 1;
	while (power < num)
		power *= 2;
	return power;
}

#endif
