#ifndef BENCH_LOOK_H
#define BENCH_LOOK_H

/* Looks one after the other would keep a cache line away from the core that writes it. */
static inline void pause_between_looks(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#endif
}

#endif
