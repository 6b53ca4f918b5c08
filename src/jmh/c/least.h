/* The least that a message can take with DOCA's calls: posted buffers, a task to receive and one to send, submit,
 * progress, and a callback for each completion, as a program sees them, around the two cache lines of lines.h. What a
 * device does besides is missing: states, checks, lists of contexts, flow control, errors. A library, as DOCA is one.
 *
 * Threads: one for each side; open both first. */
#ifndef BENCH_LEAST_H
#define BENCH_LEAST_H

#include <stddef.h>
#include <stdint.h>

#include "lines.h"

struct least_buf;
struct least_task;
struct least_side;

typedef void (*least_callback)(struct least_task *task, void *task_data, void *own);

/* Tasks to receive of each side, and as many to send. */
#define LEAST_DEPTH 32u

/* Side 0 or 1. Each of its tasks has a buffer of LINES_PAYLOAD bytes, which is also the task's data. */
LINES_API struct least_side *least_open(uint32_t side, least_callback received, least_callback sent, void *own);

LINES_API struct least_task *least_receive_task(struct least_side *side, uint32_t i);
LINES_API struct least_task *least_send_task(struct least_side *side, uint32_t i);

/* Posts a buffer, or sends one; the other side must have posted one for it. */
LINES_API void least_submit(struct least_task *task);

/* Completes one task: calls its callback, and returns 1. 0: there was nothing to complete. */
LINES_API uint8_t least_progress(struct least_side *side);

LINES_API struct least_buf *least_task_buf(const struct least_task *task);
LINES_API void *least_buf_data(const struct least_buf *buf);
LINES_API size_t least_buf_len(const struct least_buf *buf);
LINES_API void least_buf_reset(struct least_buf *buf);

#endif
