/*
 * A stand-in for the compiler's header of that name: what DPA programs use of it, for the emulated
 * device, where a kernel runs on a core of the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DPAINTRIN_H_
#define DPAINTRIN_H_

#include <stdint.h>

#define __DPA_HEAP 1
#define __DPA_MEMORY 2
#define __DPA_MMIO 4
#define __DPA_SYSTEM 7

#define __DPA_R 1
#define __DPA_W 2
#define __DPA_RW 3

/* What was done to such memory before is seen before what is done after it. */
#define __dpa_thread_fence(memory, before, after) \
    ((void)(memory), (void)(before), (void)(after), __atomic_thread_fence(__ATOMIC_SEQ_CST))

/* The compiler moves no access to memory across it; the processor may. */
#define __dpa_compiler_barrier() __asm__ volatile("" ::: "memory")

/* Caches of the host are coherent. */
#define __dpa_thread_memory_writeback() __asm__ volatile("" ::: "memory")
#define __dpa_thread_window_writeback() __asm__ volatile("" ::: "memory")
#define __dpa_thread_window_read_inv() __asm__ volatile("" ::: "memory")
#define __dpa_thread_l1_flush() __asm__ volatile("" ::: "memory")

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds of a clock that only goes forward; of libdoca_dpa. */
uint64_t doca_emu_dpa_time(void);

#ifdef __cplusplus
}
#endif

static inline uint64_t __dpa_thread_time(void)
{
    return doca_emu_dpa_time();
}

/* Cycles since some time; the same clock here. */
static inline uint64_t __dpa_thread_cycles(void)
{
    return __dpa_thread_time();
}

#endif /* DPAINTRIN_H_ */
