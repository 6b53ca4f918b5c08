/* The fabric folder (folder.h): where servers of one emulated machine are found.
 *
 * A server holds FILE.lock (flock) while it runs and listens on FILE.sock;
 * FILE is made of the host function's PCI address and a hash of the name, so that no name can leave the folder. */
#ifndef EMU_FABRIC_H
#define EMU_FABRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/wire.h"
#include "doca_error.h"

#define FABRIC_FILE_BYTES 64

/* What the log has not told yet of the clients that were refused for one reason, or cannot be taken. */
struct fabric_untold {
	int64_t from_ms; /* not before */
	uint32_t clients;
	uint32_t version; /* of the last of them */
};

struct fabric_listener {
	const char *folder; /* as fabric_listen has it */
	gid_t group;        /* whose users may connect; (gid_t)-1: this user's processes only */
	int dir;
	int lock;
	int socket;
	int spare; /* given up for a moment to refuse a client when there is no other descriptor; -1: none */
	char file[FABRIC_FILE_BYTES];
	ino_t socket_ino;         /* of FILE.sock */
	int64_t look_at_names_ms; /* when it is next looked whether the names are still there */
	bool lost;                /* they are gone, and could not be made again, which the log has said */
	struct fabric_untold untold[WIRE_NUM_REFUSALS]; /* by the reason; WIRE_REFUSED: clients that wait */
};

/* In the folder of that name (NULL: the environment's), which stays. ALREADY_EXIST: a live server has that function and
 * name. */
doca_error_t fabric_listen(const char *folder, const char *pci, const char *name, struct fabric_listener *listener);

#define FABRIC_LOOK_AT_NAMES_MS 1000

/* Looks whether the folder and the names in it are still there, once in a second: cleaners of temporary folders remove
 * what looks old, and systemd what a user has left at logout. What is gone is made again, unless another server has
 * taken its place; the log says so. True: `socket` is another one. */
bool fabric_keep_names(struct fabric_listener *listener, const char *name, int64_t now_ms);

/* Stops listening and removes the files. */
void fabric_unlisten(struct fabric_listener *listener);

/* A client's non-blocking socket; -1: none waits, or those that wait have been refused for want of descriptors, or go
 * on waiting, which the log says. */
int fabric_accept(struct fabric_listener *listener, const char *name);

#define FABRIC_TELL_AGAIN_MS 5000

/* Tells the client, whose version is `version`, and closes the socket. The log tells the first of a reason at once, and
 * how many others there were after some seconds (fabric_keep_names). */
void fabric_refuse(struct fabric_listener *listener, const char *name, int socket, enum wire_refusal refusal,
		   uint32_t version);

/* A connected, non-blocking socket. NOT_FOUND: no such server; AGAIN: it is busy, try later; NOT_PERMITTED: it
 * belongs to another user. But for the first two, the log has said why. */
doca_error_t fabric_connect(const char *folder, const char *pci, const char *name, int *socket);

/* Whether there is a socket of such a server, which may be a dead one's. */
bool fabric_has(const char *folder, const char *pci, const char *name);

/* Logs why a client has found no such server; `client` and `server` is what they are called. */
void fabric_explain_absence(const char *client, const char *server, const char *folder, const char *pci,
			    const char *name);

#endif
