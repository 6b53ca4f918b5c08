#include "channel/keeper.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "channel/channel_endpoint.h"
#include "log/sdk_log.h"

static void *look_after_names(void *argument)
{
	struct doca_comm_channel_ep_t *service = argument;
	pthread_mutex_lock(&service->lock);
	while (!service->keeper.ends) {
		struct timespec until;
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += FABRIC_LOOK_AT_NAMES_MS / 1000;
		(void)pthread_cond_timedwait(&service->keeper.end, &service->lock, &until);
		if (!service->keeper.ends)
			service_keep_names(service, now_ns());
	}
	pthread_mutex_unlock(&service->lock);
	return NULL;
}

static bool make_condition(pthread_cond_t *condition)
{
	pthread_condattr_t monotonic;
	if (pthread_condattr_init(&monotonic) != 0)
		return false;
	bool made = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
		    pthread_cond_init(condition, &monotonic) == 0;
	(void)pthread_condattr_destroy(&monotonic);
	return made;
}

/* Signals are for the program's threads. */
static bool make_thread(struct doca_comm_channel_ep_t *service)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	bool made = pthread_create(&service->keeper.thread, NULL, look_after_names, service) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return made;
}

void keeper_start(struct doca_comm_channel_ep_t *service)
{
	struct keeper *keeper = &service->keeper;
	if (keeper->process != 0)
		return;
	keeper->ends = false;
	if (!make_condition(&keeper->end))
		return;
	if (make_thread(service)) {
		keeper->process = getpid();
		return;
	}
	(void)pthread_cond_destroy(&keeper->end);
	EMU_LOG_EVENT("service \"%s\" has no thread that looks after its names: it does when it receives",
		      service->name);
}

void keeper_stop(struct doca_comm_channel_ep_t *service)
{
	struct keeper *keeper = &service->keeper;
	if (keeper->process == getpid()) {
		pthread_mutex_lock(&service->lock);
		keeper->ends = true;
		(void)pthread_cond_signal(&keeper->end);
		pthread_mutex_unlock(&service->lock);
		(void)pthread_join(keeper->thread, NULL);
		(void)pthread_cond_destroy(&keeper->end);
	}
	keeper->process = 0;
}
