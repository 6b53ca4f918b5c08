/* Dense traffic: messages or payloads that are sent back to back. A sender may use more shared memory for them than
 * they need, so that a cache line has left the receiver's own caches when the sender comes back to it. */
#ifndef EMU_DENSE_TRAFFIC_H
#define EMU_DENSE_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

/* Traffic is dense if so many bytes take no longer than so many milliseconds. */
#define DENSE_TRAFFIC_BYTES (UINT64_C(64) << 10)
#define DENSE_TRAFFIC_MS 8

/* For a sender that asks after every DENSE_TRAFFIC_BYTES: whether they took no longer than DENSE_TRAFFIC_MS. `since` is
 * the time of the question before (now_ms), and becomes that of this one. */
bool traffic_is_dense(int64_t *since);

#endif
