/* Clocks of the emulated card: it has the machine's. */
#include "doca_clock.h"

#include "core/dpa.h"
#include "topology/dev.h"

struct doca_clock {
	bool has_dpa;
};

doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo)
{
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_devinfo_reaches_dpa(devinfo) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock)
{
	if (dev == NULL || clock == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_clock *created = malloc(sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->has_dpa = emu_devinfo_reaches_dpa(doca_dev_as_devinfo(dev));
	*clock = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_clock_destroy(struct doca_clock *clock)
{
	if (clock == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(clock);
	return DOCA_SUCCESS;
}

static uint64_t cycles(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t counter;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
	return counter;
#else
#error which counter the processor has
#endif
}

static bool is_of_the_card(uint64_t type)
{
	return type == DOCA_CLOCK_NIC_FREE_RUNNING || type == DOCA_CLOCK_NIC_REAL_TIME ||
	       type == DOCA_CLOCK_NIC_DPA_TIMER;
}

static bool is_known(const struct doca_clock *clock, uint64_t type)
{
	if (type == DOCA_CLOCK_NIC_DPA_TIMER)
		return clock->has_dpa;
	return is_of_the_card(type) || type == DOCA_CLOCK_HOST_COUNTER_CYCLES || type == DOCA_CLOCK_HOST_REAL_TIME ||
	       type == DOCA_CLOCK_HOST_MONOTONIC || type == DOCA_CLOCK_HOST_MONOTONIC_RAW;
}

/* The DPA's timer is the one that kernels read (dpa/dev_program.c). */
static void read_clock(uint64_t type, union doca_clock_timespec_t *now)
{
	if (type == DOCA_CLOCK_HOST_COUNTER_CYCLES) {
		now->counter = cycles();
		return;
	}
	clockid_t id = type == DOCA_CLOCK_NIC_REAL_TIME || type == DOCA_CLOCK_HOST_REAL_TIME ? CLOCK_REALTIME
		       : type == DOCA_CLOCK_NIC_FREE_RUNNING || type == DOCA_CLOCK_HOST_MONOTONIC_RAW
			       ? CLOCK_MONOTONIC_RAW
			       : CLOCK_MONOTONIC;
	(void)clock_gettime(id, &now->ts);
}

doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
				      union doca_clock_timespec_t *clock_ts)
{
	if (clock == NULL || clock_ts == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_known(clock, clock_type))
		return DOCA_ERROR_NOT_SUPPORTED;
	read_clock(clock_type, clock_ts);
	return DOCA_SUCCESS;
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* The margin is the time that both reads took. */
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock, uint64_t primary_clock_type,
					   uint64_t nic_clock_type, union doca_clock_timespec_t *primary_clock_ts,
					   union doca_clock_timespec_t *nic_clock_ts, uint64_t *error_margin_nsecs)
{
	if (clock == NULL || primary_clock_ts == NULL || nic_clock_ts == NULL || error_margin_nsecs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_known(clock, primary_clock_type) || !is_known(clock, nic_clock_type) || !is_of_the_card(nic_clock_type))
		return DOCA_ERROR_NOT_SUPPORTED;
	union doca_clock_timespec_t before, after;
	read_clock(DOCA_CLOCK_HOST_MONOTONIC_RAW, &before);
	read_clock(primary_clock_type, primary_clock_ts);
	read_clock(nic_clock_type, nic_clock_ts);
	read_clock(DOCA_CLOCK_HOST_MONOTONIC_RAW, &after);
	*error_margin_nsecs = nanoseconds(&after.ts) - nanoseconds(&before.ts);
	return DOCA_SUCCESS;
}
