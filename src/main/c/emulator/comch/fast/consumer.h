/* Consumers: the receiving end of the fast path. */
#ifndef EMU_CONSUMER_H
#define EMU_CONSUMER_H

#include "doca_comch_consumer.h"

/* Announces a starting consumer to the peer; the connection's lock is held. */
void consumer_register(struct doca_comch_consumer *consumer);

/* The next of its connection's consumers; the connection's lock is held. */
struct doca_comch_consumer *consumer_next(const struct doca_comch_consumer *consumer);

#endif
