/* Control messages: they travel in the message rings of the connection (base/shm_messages.h). The control thread. */
#ifndef EMU_CONTROL_MESSAGES_H
#define EMU_CONTROL_MESSAGES_H

#include "connection/connection.h"

/* Bytes of the ring for messages towards an endpoint with this queue and message size. */
uint64_t messages_ring_bytes(uint32_t queue_size, uint32_t max_msg_size);

/* Puts a message into the peer's receive queue. AGAIN: no room; NOT_CONNECTED: the peer broke the protocol. */
doca_error_t messages_send(struct doca_comch_connection *connection, const void *message, uint32_t len);

/* How far the peer has filled the receive queue. Whoever looks at the peer's consumers after this sees all changes that
 * go before these messages. */
uint64_t messages_tail(const struct doca_comch_connection *connection);

/* Takes the next message before `tail` out of the receive queue into `message` (max_msg_size bytes). AGAIN: none. */
doca_error_t messages_receive(struct doca_comch_connection *connection, uint64_t tail, uint8_t *message, uint32_t *len);

#endif
