/* Queues of asynchronous operations. Each is carried out when it is posted, unless one before it waits for an event:
 * then in its turn, by an execution unit. */
#ifndef EMU_DPA_ASYNC_OPS_H
#define EMU_DPA_ASYNC_OPS_H

#include "device.h"
#include "sync_event/sync_event.h"

struct async_op {
	const char *call; /* what the program has called */
	bool waits;       /* for an event; else it copies */
	bool reports;
	union {
		struct {
			uint32_t dst_map, src_map;
			uint64_t dst, src, len;
		} copy;
		struct {
			uint64_t event; /* a handle */
			enum emu_sync_relation relation;
			uint64_t value;
		} wait;
	};
};

/* What becomes of the first operation that is held. */
enum async_ops_state {
	ASYNC_OPS_AT_REST, /* there is none */
	ASYNC_OPS_WATCHING,
	ASYNC_OPS_WORKING, /* its event has come: an execution unit goes on */
};

struct doca_dpa_async_ops {
	struct doca_dpa *dpa;
	uint32_t size; /* a power of two */
	uint64_t user_data;
	struct doca_dpa_completion *completion;
	uint64_t handle;          /* 0: not started */
	_Atomic uint32_t unacked; /* operations whose completion has not been acknowledged */

	_Atomic uint32_t num_held;
	pthread_mutex_t lock; /* of what follows, and of what changes the number */
	pthread_cond_t at_rest;
	enum async_ops_state state;
	struct async_op *held; /* a ring of `size`; NULL until something waits for the first time */
	uint32_t first;
	struct emu_sync_watch watch;
	struct eu_job job;
};

/* Carries the operation out, or holds it until its turn. A queue without room is the dpa's error. Inside a device call.
 */
void async_ops_post(struct doca_dpa_async_ops *ops, const struct async_op *op);

/* Of the part that holds operations. */
void async_ops_init_held(struct doca_dpa_async_ops *ops);
void async_ops_fini_held(struct doca_dpa_async_ops *ops);
/* When nothing more is posted: no operation waits any more. Not inside a device call. */
void async_ops_drop_held(struct doca_dpa_async_ops *ops);

#endif
