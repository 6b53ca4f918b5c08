/* Messages to a program of this generation, of servers and clients alike. */
#ifndef EMU_CC_MESSAGES_H
#define EMU_CC_MESSAGES_H

#include "cc/cc.h"
#include "control/endpoint.h"

/* Registers the program's function: Comch is given one of its own type, which calls it. */
doca_error_t cc_msg_recv_register(struct comch_endpoint *endpoint, doca_cc_event_msg_recv_cb_t received);

#endif
