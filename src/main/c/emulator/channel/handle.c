#include "channel/handle.h"

#include <pthread.h>
#include <stdlib.h>

/* Handles that have ended and are kept. */
#define KEPT 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *oldest, *newest;
static unsigned num_kept;

void handle_bury(struct handle *handle)
{
	struct handle *freed = NULL;
	handle->next = NULL;
	atomic_store(&handle->kind, HANDLE_ENDED);
	pthread_mutex_lock(&lock);
	if (newest == NULL)
		oldest = handle;
	else
		newest->next = handle;
	newest = handle;
	if (/* guard: channel-tombstones */ num_kept == KEPT) {
		freed = oldest;
		oldest = freed->next;
	} else {
		num_kept++;
	}
	pthread_mutex_unlock(&lock);
	free(freed);
}
