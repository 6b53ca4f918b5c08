/* What the emulated hardware can do, and how far a topology may move it.
 *
 * The bounds follow from the layout of the shared memory and of the handshake; libdoca_comch asserts that they do. */
#ifndef EMU_LIMITS_H
#define EMU_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "export.h"

/* Capability functions report these, and the libraries enforce them. */
struct emu_limits {
	uint32_t max_name_len;        /* server name, bytes, with NUL */
	uint32_t max_msg_size;        /* control message, bytes */
	uint32_t max_recv_queue_size; /* messages */
	uint32_t max_send_tasks;
	uint32_t max_clients;      /* per server */
	uint32_t max_consumers;    /* per side of a connection */
	uint32_t max_producers;    /* per side of a connection */
	uint32_t max_tasks;        /* per producer or consumer */
	uint32_t max_buf_size;     /* bytes */
	uint32_t max_buf_list_len; /* of a producer */
	uint32_t max_imm_data_len; /* bytes */
};

#define EMU_BOUND_NAME_LEN 128u
#define EMU_BOUND_MSG_SIZE (1u << 20)
#define EMU_BOUND_RECV_QUEUE_SIZE 65536u
#define EMU_BOUND_SEND_TASKS 65536u
#define EMU_BOUND_CLIENTS 512u
#define EMU_BOUND_CONSUMERS 128u
#define EMU_BOUND_PRODUCERS 1024u
#define EMU_BOUND_TASKS 8192u
#define EMU_BOUND_BUF_SIZE UINT32_MAX
#define EMU_BOUND_BUF_LIST_LEN 64u
#define EMU_BOUND_IMM_DATA_LEN 32u
#define EMU_BOUND_MSGQ_IMM_LEN 96u /* of a MsgQ, which has no shared memory; no topology moves it */

/* Messages and queue together: (queue + 1) * (message rounded up to 16 + 16) bytes. */
#define EMU_BOUND_QUEUE_BYTES (UINT64_C(64) << 20)

/* Of the environment's machine; the default ones before its devices were listed. What knows its device asks for that
 * one's (dev.h). Any thread. */
EMU_PRIVATE_API const struct emu_limits *emu_limits(void);

/* Whether the environment's machine is strict: where a guide allows two readings, it takes the one that is harder for a
 * program (docs/emulator.md). What knows its device asks for that one's. Any thread. */
EMU_PRIVATE_API bool emu_strict(void);

#endif
