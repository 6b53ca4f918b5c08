/* Faults on demand (doca_emu.h), looked up at the places where they occur.
 *
 * Threads: any. Without faults each look-up costs one load of a flag that never changes; a process that listens for
 * them (told_faults.h) takes the slower ways at all times, and so does one in which a fault still has consequences. */
#ifndef EMU_FAULTS_H
#define EMU_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "doca_error.h"
#include "export.h"

extern atomic_bool faults_active;

static inline bool faults_any(void)
{
	return EMU_UNLIKELY(atomic_load_explicit(&faults_active, memory_order_relaxed));
}

/* Reads DOCA_EMU_FAULTS, once. INITIALIZATION: it is malformed, which the log says each time. */
doca_error_t faults_init(void);

/* In all of these, `folder` is the fabric folder of the device (dev.h): each machine has faults of its own. */
bool fault_refuses_client(const char *folder);
uint64_t fault_accept_delay_ms(const char *folder);

enum send_fault {
	SEND_GOES_ON,
	SEND_AGAIN,
	SEND_FAILS,  /* it alone */
	SEND_BREAKS, /* it and all behind it, its context, and the connection */
	SEND_DROPS_CONNECTION,
};

/* What happens to a send that is being submitted. What does not go on has `error`: AGAIN, the one that is asked for, or
 * NOT_CONNECTED. */
enum send_fault fault_of_send(const char *folder, doca_error_t *error);

enum receive_fault {
	RECEIVE_GOES_ON,
	RECEIVE_FAILS,  /* its buffer: what was sent to it is received all the same */
	RECEIVE_LOSES,  /* and what was sent to it is lost */
	RECEIVE_BREAKS, /* it and all behind it, its context, and the connection */
};

/* What happens to a receive that a message or payload has reached. What does not go on fails with `error`. */
enum receive_fault fault_of_receive(const char *folder, doca_error_t *error);

/* Something that a fault has done is not over: faults_any() stays true until as many ends as beginnings were told. */
void fault_has_consequences(bool begin);

/* The same for a copy of DMA that is about to be made. */
doca_error_t fault_of_copy(const char *folder);

/* When something of `bytes` that is sent now arrives, on the monotonic clock in ns; 0: at once. */
uint64_t fault_arrival(const char *folder, uint64_t bytes);

/* For how many nanoseconds something with that arrival time still travels; 0: it has arrived. */
uint64_t fault_travel_left(uint64_t arrival);

/* Whether something with that arrival time has not arrived yet. */
static inline bool fault_still_travelling(uint64_t arrival)
{
	return EMU_UNLIKELY(arrival != 0) && fault_travel_left(arrival) > 0;
}

#endif
