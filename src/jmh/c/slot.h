/* A message of two cache lines in shared memory, of lines.c and least.c: what they take compares. */
#ifndef BENCH_SLOT_H
#define BENCH_SLOT_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "lines.h"

struct slot {
	alignas(128) _Atomic uint64_t number; /* of the message, from 1; the writer sets it last */
	uint8_t header[24];                   /* length, producer and the like: written and not read */
	uint8_t payload[LINES_PAYLOAD];
};

static inline void slot_fill(struct slot *slot, const uint8_t *payload)
{
	memcpy(slot->payload, payload, LINES_PAYLOAD);
	memset(slot->header, (int)LINES_PAYLOAD, sizeof(slot->header));
}

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
