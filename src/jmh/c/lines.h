/* The least that a ping-pong of 64 bytes can take: messages of two cache lines, a header and the payload, in shared
 * memory, and nothing else. A library of its own, so that Java can make the same two calls.
 *
 * Threads: one sends to and one receives from each side. */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define LINES_API __attribute__((visibility("default")))
#define LINES_PAYLOAD 64u

/* Writes the message with that number, 1 and more, for the other side: 0 or 1 is who sends. `payload` has LINES_PAYLOAD
 * bytes. */
LINES_API void lines_send(uint32_t side, uint64_t number, const uint8_t *payload);

/* Copies the message with that number from the other side to `payload`, if it comes within `looks` looks. */
LINES_API bool lines_receive(uint32_t side, uint64_t number, uint8_t *payload, uint32_t looks);

#endif
