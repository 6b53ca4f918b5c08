/* The peer's consumers: which of their starts and ends is reported to the program next. The control thread. */
#ifndef EMU_PEER_CONSUMERS_H
#define EMU_PEER_CONSUMERS_H

#include "connection/connection.h"

enum consumer_event {
	CONSUMER_EVENT_NONE, /* messages come first, if anything */
	CONSUMER_EVENT_NEW,
	CONSUMER_EVENT_EXPIRED,
};

/* The next start or end of one of the peer's consumers, if it comes before the next message: each is told once, in
 * order, also among the messages. A peer that breaks the protocol breaks the connection. */
enum consumer_event peer_consumers_next_event(struct doca_comch_connection *connection, uint32_t *id);

/* Whether the program has been told all that the peer has announced so far. */
bool peer_consumers_all_told(const struct doca_comch_connection *connection);

/* How many of the peer's consumers run. */
uint32_t peer_consumers_running(const struct doca_comch_connection *connection);

#endif
