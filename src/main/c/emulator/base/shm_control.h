/* The first part of a connection's memory. Each side writes its own half and reads the peer's. */
#ifndef EMU_SHM_CONTROL_H
#define EMU_SHM_CONTROL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/asleep.h"
#include "base/shm_directory.h"
#include "base/shm_sides.h"
#include "topology/limits.h"

/* Places of one side's producers, for the tickets that the peer reports to each of them. */
#define SHM_PRODUCER_PLACES 1024u

/* One half. "The side" is the one that writes it; the thread that does so is the control thread unless it says
 * otherwise. */
struct shm_half {
	/* Message ring towards the peer: bytes written. Release store; pairs with the acquire load in messages_tail. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t ring_tail;
	/* The count of bytes at which that ring's first byte stands. Changes only while the ring is empty; the peer
	 * sees it with ring_tail. */
	_Atomic uint64_t ring_start;
	/* A server's, for its client: counts whatever the peer should look at (messages, changes of the directory, the
	 * goodbye), after it has been written. A client sets its doorbell (shm_doorbells.h) instead. Any thread. */
	_Atomic uint64_t bell;
	/* Message ring towards the side: bytes and messages taken out. Release stores; pair with the acquire loads in
	 * messages_send. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t ring_head;
	_Atomic uint64_t ring_head_msgs;
	/* Goodbye: 1 once the side writes nothing more to the message ring. */
	alignas(SHM_CACHE_LINE) _Atomic uint32_t closed;
	/* How many announcements there have been. Release store; pairs with the acquire load in
	 * peer_consumers_next_event. Any thread, with the connection's lock. */
	_Atomic uint64_t announced;
	/* What the side's sleeping engines are to be woken for (asleep.h): an event of the control path; room for
	 * messages that wait; the course of payloads that are not sent within a submit. */
	shm_asleep asleep_for_events;
	shm_asleep asleep_for_room;
	shm_asleep asleep_for_transfers;
	/* The side's consumers. Any thread, with the connection's lock. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t directory[SHM_CONSUMER_SLOTS];
	struct shm_announcement announcements[SHM_ANNOUNCEMENTS];
	/* How many of the peer's announcements the side has told its program. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t told;
	/* For each of the peer's producers: the latest ticket whose payload a consumer of the side has fetched. The
	 * thread of that consumer. */
	alignas(SHM_CACHE_LINE) _Atomic uint64_t fetched[SHM_PRODUCER_PLACES];
};

/* What a connection is, for who looks at the machine from outside (comch top, comch list). Each side writes its own,
 * and neither reads any. */
#define SHM_LABEL_NAME_BYTES 128

struct shm_label {
	alignas(SHM_CACHE_LINE) _Atomic uint32_t version; /* SHM_LAYOUT_VERSION, once the rest stands */
	_Atomic uint32_t producers;                       /* the side's. Any thread, with the connection's lock. */
	uint32_t pid;                                     /* as the side's process has it */
	uint32_t reserved;
	char pci[16];                    /* the side's device */
	char name[SHM_LABEL_NAME_BYTES]; /* the server's */
};

struct shm_control {
	struct shm_half half[SHM_SIDES];
	struct shm_label label[SHM_SIDES];
};

/* FabricView.java reads at these places. */
_Static_assert(sizeof(struct shm_half) == 17664 && offsetof(struct shm_half, ring_head) == 64 &&
		       offsetof(struct shm_half, ring_head_msgs) == 72 && offsetof(struct shm_half, closed) == 128 &&
		       offsetof(struct shm_half, directory) == 192,
	       "FabricView.java: a half");
_Static_assert(sizeof(struct shm_label) == 192 && offsetof(struct shm_label, pci) == 16 &&
		       offsetof(struct shm_label, name) == 32,
	       "FabricView.java: a label");

#define SHM_CONTROL_BYTES SHM_ROUND_PAGE(sizeof(struct shm_control))

_Static_assert(EMU_BOUND_PRODUCERS <= SHM_PRODUCER_PLACES, "every producer has a place");

#endif
