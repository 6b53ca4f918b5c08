#include "core/sleeper.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/forks.h"

#define NANOSECONDS UINT64_C(1000000000)

/* Descriptors that are looked at when it is disarmed; what else is readable wakes it again. */
#define READY_AT_ONCE 32

doca_error_t emu_sleeper_init(struct emu_sleeper *sleeper)
{
	*sleeper = (struct emu_sleeper){.sources = -1, .alarm = -1, .timer = -1};
	sleeper->handle = emu_fork_keep(epoll_create1(EPOLL_CLOEXEC));
	return sleeper->handle >= 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

static void close_sources(struct emu_sleeper *sleeper)
{
	int *const fds[] = {&sleeper->sources, &sleeper->alarm, &sleeper->timer};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		emu_fork_forget(*fds[i]);
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void emu_sleeper_fini(struct emu_sleeper *sleeper)
{
	emu_fork_forget(sleeper->handle);
	close(sleeper->handle);
	close_sources(sleeper);
	free(sleeper->watches);
}

static bool add(int epoll, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data = {.fd = fd}};
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool open_sources(struct emu_sleeper *sleeper)
{
	sleeper->sources = emu_fork_keep(epoll_create1(EPOLL_CLOEXEC));
	sleeper->alarm = emu_fork_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	sleeper->timer = emu_fork_keep(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
	if (sleeper->sources >= 0 && sleeper->alarm >= 0 && sleeper->timer >= 0 &&
	    add(sleeper->sources, sleeper->alarm, EPOLLIN) && add(sleeper->sources, sleeper->timer, EPOLLIN) &&
	    add(sleeper->handle, sleeper->sources, 0))
		return true;
	/* guard: release-sleeper */ close_sources(sleeper);
	return false;
}

doca_error_t emu_sleeper_arm(struct emu_sleeper *sleeper)
{
	if (sleeper->sources < 0 && !open_sources(sleeper))
		return DOCA_ERROR_OPERATING_SYSTEM;
	/* Acquire: what a thread wrote that did not find it armed is visible from here on. Release: it is seen as
	 * armed with all that it has become before. */
	(void)atomic_exchange_explicit(&sleeper->armed, 1, memory_order_acq_rel);
	return DOCA_SUCCESS;
}

static bool count_sources(struct emu_sleeper *sleeper, bool open)
{
	struct epoll_event event = {.events = open ? EPOLLIN : 0, .data = {.fd = sleeper->sources}};
	sleeper->open = open;
	return epoll_ctl(sleeper->handle, EPOLL_CTL_MOD, sleeper->sources, &event) == 0;
}

static void sound(const struct emu_sleeper *sleeper)
{
	uint64_t one = 1;
	/* It can only fail when the alarm has sounded 2^64 times and nobody has looked. */
	if (write(sleeper->alarm, &one, sizeof(one)) < 0)
		return;
}

/* A program that is woken long before the timer would fire, again and again, seldom has to set it. */
static bool set_timer(struct emu_sleeper *sleeper, uint64_t nanoseconds)
{
	struct timespec clock;
	clock_gettime(CLOCK_MONOTONIC, &clock);
	uint64_t now = (uint64_t)clock.tv_sec * NANOSECONDS + (uint64_t)clock.tv_nsec;
	uint64_t latest = now + nanoseconds;
	if (sleeper->fires >= latest - nanoseconds / 2 && sleeper->fires <= latest)
		return true;
	/* Also forgets that it has expired before. */
	struct itimerspec when = {
		.it_value = {.tv_sec = (time_t)(latest / NANOSECONDS), .tv_nsec = (long)(latest % NANOSECONDS)}};
	if (timerfd_settime(sleeper->timer, TFD_TIMER_ABSTIME, &when, NULL) != 0)
		return false;
	sleeper->fires = latest;
	return true;
}

doca_error_t emu_sleeper_open(struct emu_sleeper *sleeper, uint64_t nanoseconds)
{
	if (nanoseconds == 0)
		sound(sleeper);
	else if (!set_timer(sleeper, nanoseconds))
		return DOCA_ERROR_OPERATING_SYSTEM;
	return count_sources(sleeper, true) ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

static struct emu_watch *find(const struct emu_sleeper *sleeper, int fd)
{
	for (size_t i = 0; i < sleeper->num_watches; i++)
		if (sleeper->watches[i].fd == fd)
			return &sleeper->watches[i];
	return NULL;
}

static void silence(struct emu_sleeper *sleeper, struct emu_watch *watch)
{
	if (!watch->silent)
		(void)epoll_ctl(sleeper->sources, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->silent = true;
}

doca_error_t emu_sleeper_disarm(struct emu_sleeper *sleeper)
{
	if (!sleeper->open)
		return DOCA_SUCCESS;
	bool closed = count_sources(sleeper, false);
	atomic_store_explicit(&sleeper->armed, 0, memory_order_relaxed);
	struct epoll_event ready[READY_AT_ONCE];
	int num = epoll_wait(sleeper->sources, ready, READY_AT_ONCE, 0);
	for (int i = 0; i < num; i++) {
		uint64_t count;
		if (ready[i].data.fd == sleeper->alarm && read(sleeper->alarm, &count, sizeof(count)) < 0)
			continue;
		struct emu_watch *watch = find(sleeper, ready[i].data.fd);
		if (watch != NULL && !watch->ready(watch->argument, sleeper))
			silence(sleeper, watch);
	}
	return closed ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

void emu_sleeper_wake(struct emu_sleeper *sleeper)
{
	/* An exchange also where nobody is asleep: whoever arms after it sees what this thread has written. */
	if (atomic_exchange_explicit(&sleeper->armed, 0, memory_order_acq_rel) != 0)
		sound(sleeper);
}

bool emu_sleeper_watch(struct emu_sleeper *sleeper, int fd, emu_ready_cb ready, void *argument)
{
	struct emu_watch *watch = find(sleeper, fd);
	if (watch != NULL) {
		watch->users++;
		return true;
	}
	if (sleeper->num_watches == sleeper->capacity) {
		size_t capacity = sleeper->capacity == 0 ? 4 : 2 * sleeper->capacity;
		struct emu_watch *grown = realloc(sleeper->watches, capacity * sizeof(struct emu_watch));
		if (grown == NULL)
			return false;
		sleeper->watches = grown;
		sleeper->capacity = capacity;
	}
	if (!add(sleeper->sources, fd, EPOLLIN | EPOLLRDHUP))
		return false;
	sleeper->watches[sleeper->num_watches++] =
		(struct emu_watch){.fd = fd, .users = 1, .ready = ready, .argument = argument};
	return true;
}

void emu_sleeper_unwatch(struct emu_sleeper *sleeper, int fd)
{
	struct emu_watch *watch = find(sleeper, fd);
	if (watch == NULL || --watch->users > 0)
		return;
	silence(sleeper, watch);
	*watch = sleeper->watches[--sleeper->num_watches];
}

static bool membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool emu_barrier_join(void)
{
	return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

bool emu_barrier(void)
{
	return membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
