/* Sync events between the CPU and the DPA. */
#include <stdlib.h>

#include "core/dpa.h"
#include "core/forks.h"
#include "readings.h"
#include "sync_event/sync_event_internal.h"

/* ---- life ---- */

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_sync_event *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_init(&created->lock, NULL);
	pthread_cond_init(&created->changed, NULL);
	emu_ctx_init(&created->ctx, &emu_sync_event_ctx_ops);
	*event = created;
	return DOCA_SUCCESS;
}

static void drop_handles(struct doca_sync_event *event)
{
	for (struct location *l = event->locations; l != NULL; l = l->next) {
		emu_dpa_unpublish(l->handle);
		l->handle = 0;
	}
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&event->lock);
	bool used = atomic_load(&event->users) > 0;
	pthread_mutex_unlock(&event->lock);
	if (used || event->ctx.state != DOCA_CTX_STATE_IDLE)
		return READING_SYNC_EVENT_USED;
	emu_ctx_fini(&event->ctx);
	drop_handles(event);
	while (event->locations != NULL) {
		struct location *next = event->locations->next;
		free(event->locations);
		event->locations = next;
	}
	pthread_cond_destroy(&event->changed);
	pthread_mutex_destroy(&event->lock);
	free(event);
	return DOCA_SUCCESS;
}

static struct location *location_of(const struct doca_sync_event *event, const struct doca_dpa *dpa)
{
	struct location *location = event->locations;
	while (location != NULL && location->dpa != dpa)
		location = location->next;
	return location;
}

static void note(struct doca_sync_event *event, bool publishes)
{
	event->published |= publishes;
	event->subscribed |= !publishes;
}

static doca_error_t add_cpu(struct doca_sync_event *event, const struct doca_dev *dev, bool publishes)
{
	if (event == NULL || dev == NULL || event->started)
		return DOCA_ERROR_INVALID_VALUE;
	note(event, publishes);
	return DOCA_SUCCESS;
}

static doca_error_t add_dpa(struct doca_sync_event *event, struct doca_dpa *dpa, bool publishes)
{
	if (event == NULL || dpa == NULL || event->started)
		return DOCA_ERROR_INVALID_VALUE;
	struct location *location = location_of(event, dpa);
	if (location == NULL) {
		location = calloc(1, sizeof(*location));
		if (location == NULL)
			return DOCA_ERROR_NO_MEMORY;
		*location = (struct location){.dpa = dpa, .next = event->locations};
		event->locations = location;
	}
	note(event, publishes);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event, struct doca_dev *dev)
{
	return add_cpu(event, dev, true);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event, struct doca_dev *dev)
{
	return add_cpu(event, dev, false);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event, struct doca_dpa *dpa)
{
	return add_dpa(event, dpa, true);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event, struct doca_dpa *dpa)
{
	return add_dpa(event, dpa, false);
}

doca_error_t emu_sync_event_start(struct doca_sync_event *event)
{
	if (event->started || !event->published || !event->subscribed)
		return DOCA_ERROR_INVALID_VALUE;
	event->started = true;
	return DOCA_SUCCESS;
}

doca_error_t emu_sync_event_stop(struct doca_sync_event *event)
{
	pthread_mutex_lock(&event->lock);
	doca_error_t result = !event->started                  ? DOCA_ERROR_INVALID_VALUE
			      : atomic_load(&event->users) > 0 ? READING_SYNC_EVENT_USED
							       : DOCA_SUCCESS;
	if (result == DOCA_SUCCESS)
		event->started = false;
	pthread_mutex_unlock(&event->lock);
	if (result == DOCA_SUCCESS)
		drop_handles(event);
	return result;
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
	return event == NULL ? DOCA_ERROR_INVALID_VALUE : emu_sync_event_start(event);
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
	/* Whoever started it as a context stops that. */
	if (event == NULL || event->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_sync_event_stop(event);
}

doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_devinfo_reaches_dpa(devinfo) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
	if (event == NULL || dpa == NULL || dpa_dev_se_handle == NULL || !event->started)
		return DOCA_ERROR_INVALID_VALUE;
	struct location *location = location_of(event, dpa);
	if (location == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (location->handle == 0)
		location->handle = emu_dpa_publish(EMU_DPA_SYNC_EVENT, event, dpa);
	if (location->handle == 0)
		return DOCA_ERROR_NO_MEMORY;
	*dpa_dev_se_handle = location->handle;
	return DOCA_SUCCESS;
}

/* ---- values ---- */

/* Of the lists of watches, and taken after an event's lock: a watch is taken back without touching an event that may
 * have ended. */
static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(watches_lock)

/* With that lock held. */
static void unlink_watch(struct emu_sync_watch **link)
{
	struct emu_sync_watch *watch = *link;
	struct doca_sync_event *event = watch->event;
	*link = watch->next;
	watch->event = NULL;
	atomic_fetch_sub(&event->users, 1);
}

/* With the event's lock held: the watches that the value has reached, taken out of the event. */
static struct emu_sync_watch *take_reached(struct doca_sync_event *event)
{
	struct emu_sync_watch *reached = NULL;
	pthread_mutex_lock(&watches_lock);
	struct emu_sync_watch **link = &event->watches;
	while (*link != NULL) {
		struct emu_sync_watch *watch = *link;
		if (!sync_relation_holds(event->value, watch->relation, watch->value)) {
			link = &watch->next;
			continue;
		}
		unlink_watch(link);
		watch->next = reached;
		reached = watch;
	}
	pthread_mutex_unlock(&watches_lock);
	return reached;
}

/* Ends with the event's lock given back: the event may be gone then. */
static uint64_t change_locked(struct doca_sync_event *event, enum emu_sync_change change, uint64_t value)
{
	uint64_t before = event->value;
	event->value = change == EMU_SYNC_SET ? value : before + value;
	struct emu_sync_watch *reached = take_reached(event);
	pthread_cond_broadcast(&event->changed);
	if (event->sleeper != NULL)
		emu_sleeper_wake(event->sleeper);
	pthread_mutex_unlock(&event->lock);
	while (reached != NULL) {
		struct emu_sync_watch *next = reached->next;
		reached->fire(reached);
		reached = next;
	}
	return before;
}

uint64_t emu_sync_event_change(struct doca_sync_event *event, enum emu_sync_change change, uint64_t value)
{
	pthread_mutex_lock(&event->lock);
	return change_locked(event, change, value);
}

void emu_sync_event_use(struct doca_sync_event *event)
{
	atomic_fetch_add(&event->users, 1);
}

void emu_sync_event_change_and_unuse(struct doca_sync_event *event, enum emu_sync_change change, uint64_t value)
{
	pthread_mutex_lock(&event->lock);
	atomic_fetch_sub(&event->users, 1);
	(void)change_locked(event, change, value);
}

bool emu_sync_event_watch(struct doca_sync_event *event, struct emu_sync_watch *watch)
{
	pthread_mutex_lock(&event->lock);
	bool waits = !sync_relation_holds(event->value, watch->relation, watch->value);
	if (waits) {
		pthread_mutex_lock(&watches_lock);
		watch->event = event;
		watch->next = event->watches;
		event->watches = watch;
		atomic_fetch_add(&event->users, 1);
		pthread_mutex_unlock(&watches_lock);
	}
	pthread_mutex_unlock(&event->lock);
	return waits;
}

bool emu_sync_event_unwatch(struct emu_sync_watch *watch)
{
	pthread_mutex_lock(&watches_lock);
	struct doca_sync_event *event = watch->event;
	if (event != NULL) {
		struct emu_sync_watch **link = &event->watches;
		while (*link != watch)
			link = &(*link)->next;
		unlink_watch(link);
	}
	pthread_mutex_unlock(&watches_lock);
	return event != NULL;
}

uint64_t emu_sync_event_value(struct doca_sync_event *event)
{
	pthread_mutex_lock(&event->lock);
	uint64_t value = event->value;
	pthread_mutex_unlock(&event->lock);
	return value;
}

bool emu_sync_event_is_for(const struct doca_sync_event *event, const struct doca_dpa *dpa)
{
	return event->started && location_of(event, dpa) != NULL;
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
	if (event == NULL || value == NULL || !event->started)
		return DOCA_ERROR_INVALID_VALUE;
	*value = emu_sync_event_value(event);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value, uint64_t *fetched)
{
	if (event == NULL || fetched == NULL || !event->started)
		return DOCA_ERROR_INVALID_VALUE;
	*fetched = emu_sync_event_change(event, EMU_SYNC_ADD, value);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
	if (event == NULL || !event->started)
		return DOCA_ERROR_INVALID_VALUE;
	(void)emu_sync_event_change(event, EMU_SYNC_SET, value);
	return DOCA_SUCCESS;
}

/* Both forms sleep: an emulated device has no processor to spare. */
static doca_error_t await(struct doca_sync_event *event, enum emu_sync_relation relation, uint64_t value, uint64_t mask)
{
	if (event == NULL || !event->started)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&event->lock);
	while (!sync_relation_holds(event->value & mask, relation, value))
		pthread_cond_wait(&event->changed, &event->lock);
	pthread_mutex_unlock(&event->lock);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return await(event, EMU_SYNC_GREATER, value, mask);
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return await(event, EMU_SYNC_GREATER, value, mask);
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return await(event, EMU_SYNC_EQUAL, value, mask);
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return await(event, EMU_SYNC_EQUAL, value, mask);
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return await(event, EMU_SYNC_UNEQUAL, value, mask);
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	return await(event, EMU_SYNC_UNEQUAL, value, mask);
}
