/* A thread that looks after the names of a service whose program sleeps until there is something to receive
 * (fabric_keep_names): whoever removes names wakes nobody, and the program is not to be woken where nothing has come.
 */
#ifndef EMU_CHANNEL_KEEPER_H
#define EMU_CHANNEL_KEEPER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct doca_comm_channel_ep_t;

/* With the endpoint's lock. */
struct keeper {
	pthread_t thread;
	pid_t process; /* whose thread that is, as it does not come along into children; 0: there is none */
	pthread_cond_t end;
	bool ends;
};

/* Begins, unless it has. With the endpoint's lock. Without a thread, which the log says, the service looks when it
 * receives. */
void keeper_start(struct doca_comm_channel_ep_t *service);

/* Before the service's names are withdrawn. Without the lock. */
void keeper_stop(struct doca_comm_channel_ep_t *service);

#endif
