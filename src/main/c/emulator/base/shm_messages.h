/* The message rings: control messages towards each side, as records of variable length. The sender writes the records,
 * the receiver nothing; how far both are stands in their halves (shm_control.h). */
#ifndef EMU_SHM_MESSAGES_H
#define EMU_SHM_MESSAGES_H

#include <stdint.h>

#include "base/dense_traffic.h"
#include "topology/limits.h"

#define SHM_RING_MAX_BYTES (UINT64_C(64) << 20)

#define SHM_RECORD_ALIGN UINT64_C(16)
#define SHM_RECORD_WRAP UINT32_MAX /* `len` of the filler between the last message and the end of the ring */

/* A sender that has written so many bytes and finds the ring empty begins again at its first byte: traffic whose
 * receiver keeps up stays in few pages. With long messages in dense traffic it begins again later, up to the second
 * number: when it comes back to a cache line, that has left the receiver's own caches, and need not be taken from
 * there. */
#define SHM_RING_RESTART_BYTES DENSE_TRAFFIC_BYTES
#define SHM_RING_RESTART_MAX_BYTES (UINT64_C(2) << 20)
#define SHM_RING_LONG_MESSAGE 512u

/* Every so many bytes a sender looks whether it is time to give pages of the ring back. */
#define SHM_RING_TRIM_BYTES (UINT64_C(256) << 10)
#define SHM_RING_TRIM_MS 2000

struct shm_record { /* the sender; the message follows */
	uint32_t len;
	uint32_t reserved;
	uint64_t arrival; /* monotonic ns before which the message has not arrived (faults.h); 0: it has */
};

_Static_assert(sizeof(struct shm_record) == SHM_RECORD_ALIGN, "messages start 16-byte aligned");
_Static_assert(EMU_BOUND_QUEUE_BYTES <= SHM_RING_MAX_BYTES, "the largest queue fits a ring");

#endif
