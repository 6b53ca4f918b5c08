/* Decisions where no public source settles how Comm Channel behaves, as common/readings.h has them for the rest. */
#ifndef EMU_CHANNEL_READINGS_H
#define EMU_CHANNEL_READINGS_H

#include <stdint.h>

#include "doca_error.h"

/* Sizes of an endpoint when nothing was set; less than these minima is raised (seen in 2.5.0108). */
#define READING_ENDPOINT_MSG_SIZE 1500u
#define READING_ENDPOINT_QUEUE 128u
#define READING_ENDPOINT_MIN_MSG_SIZE 256u
#define READING_ENDPOINT_MIN_QUEUE 16u

/* A service of that name and function exists already; a client finds none. */
#define READING_SERVICE_NAME_TAKEN DOCA_ERROR_CONNECTION_ABORTED
#define READING_NO_SUCH_SERVICE DOCA_ERROR_CONNECTION_ABORTED

/* An empty message or one that is too long; a receive into less room than the message takes, which stays. */
#define READING_ENDPOINT_BAD_LENGTH DOCA_ERROR_INVALID_VALUE

/* Sending while the handshake is under way. */
#define READING_SEND_BEFORE_CONNECTED DOCA_ERROR_AGAIN

/* Sending before the client has seen that its connection is complete, where the machine is strict. */
#define READING_SEND_UNASKED DOCA_ERROR_NOT_CONNECTED

/* Sending to, or receiving from, a peer whose handshake has failed. */
#define READING_PEER_ABORTED DOCA_ERROR_NOT_CONNECTED

/* recvfrom of a service, once for each handshake that has failed or was refused, when there is no message. */
#define READING_HANDSHAKE_FAILED DOCA_ERROR_INITIALIZATION

/* How long disconnect and destroy wait for messages in flight. */
#define READING_DISCONNECT_GRACE_MS 1000

/* How often a client that waits for its service looks whether it has come, nanoseconds. */
#define READING_SERVICE_LOOK_NS UINT64_C(1000000)

/* How long a client that has connected may take to introduce itself. */
#define READING_HELLO_PATIENCE_MS 5000

#endif
