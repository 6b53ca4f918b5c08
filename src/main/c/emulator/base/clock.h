/* The monotonic clock. */
#ifndef EMU_CLOCK_H
#define EMU_CLOCK_H

#include <stdint.h>
#include <time.h>

int64_t now_ms(void);
uint64_t now_ns(void);

/* A number that changes every few milliseconds: the time of the kernel's last tick. It costs less than the exact
 * time. */
static inline int64_t clock_tick(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
