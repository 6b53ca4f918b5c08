/* The world of the emulator under the fuzzer: time, randomness, process ids and writes into other processes come from
 * the input, so that one input always does the same. world_calls.h puts these in the place of the system's. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void world_reset(void);

/* Monotonic time, and how much passes with each look at it. */
void world_pass_ms(uint64_t milliseconds);

/* The peer is in another process, whose memory can be written to. */
void world_peer_is_remote(bool reachable);
/* What the next writes to it answer: bytes at most, or a failure. */
void world_remote_write(size_t most, bool fails);

/* Mappings of the emulator that are still there. Each has inaccessible pages around it. */
size_t world_mappings(void);

#endif
