/* The peer's consumers: which of their starts and ends is reported to the program next. The control thread. */
#ifndef EMU_PEER_CONSUMERS_H
#define EMU_PEER_CONSUMERS_H

#include "connection/connection.h"

enum consumer_event {
	CONSUMER_EVENT_NONE, /* messages come first, if anything */
	CONSUMER_EVENT_NEW,
	CONSUMER_EVENT_EXPIRED,
	CONSUMER_EVENT_LATER, /* the peer is changing something right now, and rings when it has */
};

/* The next change of the peer's consumers that has not been reported to the program, if it comes before the next
 * message: changes keep their order, also among the messages. */
enum consumer_event peer_consumers_next_event(struct doca_comch_connection *connection, uint32_t *id);

#endif
