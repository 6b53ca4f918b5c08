#ifndef EMU_CPU_H
#define EMU_CPU_H

/* Between two looks at memory that the peer is about to write. */
static inline void cpu_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
