/* The handshake over the Unix socket. After it the socket carries nothing but wake-ups, packets of one byte; when the
 * peer dies, it ends. */
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "doca_error.h"
#include "topology/limits.h"

#define WIRE_NAME_BYTES 128
#define WIRE_COOKIE_BYTES 16

_Static_assert(EMU_BOUND_NAME_LEN <= WIRE_NAME_BYTES, "every name fits");

enum wire_kind {
	WIRE_HELLO = 1, /* client to server, with the connection's memory */
	WIRE_ACCEPT, /* server to client, with the server's doorbells; a service's, with a socket for more wake-ups */
	WIRE_REJECT,
};

/* Why a server rejects a client. A number keeps its meaning: builds of other versions read it. */
enum wire_refusal {
	WIRE_REFUSED = 0,
	WIRE_REFUSED_USER,
	WIRE_REFUSED_FULL,
	WIRE_REFUSED_PROTOCOL, /* its version is another one, or it is not understood */
	WIRE_REFUSED_DESCRIPTORS,
	WIRE_REFUSED_MEMORY,
	WIRE_REFUSED_ON_DEMAND,
	WIRE_REFUSED_LATE,
	WIRE_NUM_REFUSALS
};

/* Room for a reason with numbers in it. The caller's, and not of each thread: a thread has little memory for the
 * variables of libraries that are loaded late, and copies of this one in one process share it. */
struct wire_text {
	char text[160];
};

/* The reason, as the end of a sentence; `other_version`: that of the other end's message. It may be in
 * `room`. */
const char *wire_refusal_text(uint32_t refusal, uint32_t other_version, struct wire_text *room);

/* Whether it is refused however often and late it tries. */
bool wire_refusal_is_final(uint32_t refusal);

struct wire_message {
	/* The words as far as connection_index are the same in all versions, so that a REJECT, and who is refused by it
	 * or must be, can tell both versions. */
	uint32_t magic;
	uint32_t version;
	uint32_t kind;
	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	uint32_t connection_index; /* ACCEPT: the client's doorbell, if it has one; REJECT: enum wire_refusal */
	union {
		uint64_t ring_bytes;      /* of the ring towards the sender of this message */
		uint64_t endpoint_number; /* of Comm Channel: which endpoint of its process this is */
	};
	uint64_t cookie_address;  /* where `cookie` stands in the sender's memory */
	uint32_t barriers;        /* 1: the barriers of others pass through the sender's threads (sleeper.h) */
	uint32_t send_queue_size; /* of an endpoint of Comm Channel; 0 */
	uint8_t cookie[WIRE_COOKIE_BYTES];
	char name[WIRE_NAME_BYTES]; /* HELLO: the server's */
};

/* Fills in what every message of this process has in common. */
void wire_init(struct wire_message *message, enum wire_kind kind);

/* Sends a message with a descriptor (-1: none) on a non-blocking socket. */
doca_error_t wire_send(int socket, const struct wire_message *message, int fd);

/* Receives one message and at most one descriptor (-1: none came). AGAIN: nothing there yet; NOT_CONNECTED: the
 * peer has gone; NOT_SUPPORTED: a message of another version, of which only the first words count; NO_MEMORY: its
 * descriptor cannot be received for want of descriptors; INVALID_VALUE: no message of this kind. */
doca_error_t wire_receive(int socket, struct wire_message *message, int *fd);

/* Tells a client that it is refused, and closes the socket. */
void wire_reject(int socket, enum wire_refusal refusal);

enum wire_reach {
	WIRE_REACH_NONE,    /* the peer's memory cannot be written: the pipeline carries large payloads */
	WIRE_REACH_SELF,    /* the peer is this very process */
	WIRE_REACH_PROCESS, /* process_vm_writev works */
};

/* Whether the peer runs as the same user, or is in `group`, unless that is (gid_t)-1. */
bool wire_peer_is_trusted(int socket, gid_t group);

/* How the peer's memory can be reached, established by a trial. `pid`: its process id, untouched if it has none
 * here. */
enum wire_reach wire_reach_of(int socket, const struct wire_message *from_peer, pid_t *pid);

#endif
