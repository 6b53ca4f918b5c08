/* Endpoints and peers as the program holds them. One that has ended answers late calls: the latest of them keep their
 * memory for that. */
#ifndef EMU_CHANNEL_HANDLE_H
#define EMU_CHANNEL_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum handle_kind { HANDLE_ENDED = 0, HANDLE_ENDPOINT = 0x43434550, HANDLE_PEER = 0x43435045 };

/* The first member of both. */
struct handle {
	_Atomic uint32_t kind;
	struct handle *next;
	struct handle *next_living, *previous_living;
};

static inline bool handle_is(const struct handle *handle, enum handle_kind kind)
{
	return handle != NULL && atomic_load_explicit(&handle->kind, memory_order_relaxed) == (uint32_t)kind;
}

/* Begins one, which has ended in a child of this process: what it stands for is not the child's. Any thread. */
void handle_begin(struct handle *handle, enum handle_kind kind);

/* Ends a handle, and frees it later, when many others have ended. Any thread. */
void handle_bury(struct handle *handle);

#endif
