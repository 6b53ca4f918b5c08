#include "channel/handle.h"

#include <pthread.h>
#include <stdlib.h>

/* Handles that have ended and are kept. */
#define KEPT 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *oldest, *newest;
static unsigned num_kept;
static struct handle *living;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
	for (struct handle *handle = living; handle != NULL; handle = handle->next_living)
		atomic_store(&handle->kind, HANDLE_ENDED);
	living = NULL;
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void handle_begin(struct handle *handle, enum handle_kind kind)
{
	atomic_store(&handle->kind, kind);
	pthread_mutex_lock(&lock);
	handle->previous_living = NULL;
	handle->next_living = living;
	if (living != NULL)
		living->previous_living = handle;
	living = handle;
	pthread_mutex_unlock(&lock);
}

static void leave_the_living(const struct handle *handle)
{
	if (handle->next_living != NULL)
		handle->next_living->previous_living = handle->previous_living;
	if (handle->previous_living != NULL)
		handle->previous_living->next_living = handle->next_living;
	else
		living = handle->next_living;
}

void handle_bury(struct handle *handle)
{
	struct handle *freed = NULL;
	handle->next = NULL;
	atomic_store(&handle->kind, HANDLE_ENDED);
	pthread_mutex_lock(&lock);
	leave_the_living(handle);
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
