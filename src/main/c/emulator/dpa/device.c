/* The life of a dpa, and what it says of itself. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "doca_dpa.h"
#include "doca_emu_dpa.h"
#include "log/sdk_log.h"
#include "topology/dev.h"

void *dpa_adopt(struct doca_dpa *dpa, size_t size)
{
	void *object = calloc(1, size);
	if (object != NULL)
		atomic_fetch_add(&dpa->children, 1);
	return object;
}

void dpa_disown(struct doca_dpa *dpa, void *object)
{
	free(object);
	atomic_fetch_sub(&dpa->children, 1);
}

static bool is_extended(const struct doca_dpa *dpa)
{
	return dpa->base.root != dpa;
}

doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_devinfo_reaches_dpa(devinfo) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

static struct doca_dpa *make(struct doca_dev *dev)
{
	struct doca_dpa *dpa = calloc(1, sizeof(*dpa));
	if (dpa == NULL)
		return NULL;
	dpa->base.dev = dev;
	dpa->base.root = dpa;
	dpa->base.owns = dpa_owns;
	dpa->log_level = DOCA_DPA_DEV_LOG_LEVEL_INFO;
	pthread_mutex_init(&dpa->lock, NULL);
	emu_dev_use(dev);
	return dpa;
}

static void unmake(struct doca_dpa *dpa)
{
	emu_dpa_unpublish(dpa->handle);
	emu_dev_unuse(dpa->base.dev);
	pthread_mutex_destroy(&dpa->lock);
	free(dpa);
}

doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa)
{
	if (dev == NULL || dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_devinfo_has_dpa(doca_dev_as_devinfo(dev)))
		return DOCA_ERROR_NOT_SUPPORTED;
	struct doca_dpa *created = make(dev);
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*dpa = created;
	return DOCA_SUCCESS;
}

static bool used(const struct doca_dpa *dpa)
{
	return atomic_load(&dpa->children) > 0 || atomic_load(&dpa->base.users) > 0;
}

doca_error_t doca_dpa_start(struct doca_dpa *dpa)
{
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	struct eu_pool *pool = eu_pool_create();
	uint64_t handle = pool == NULL ? 0 : emu_dpa_publish(EMU_DPA_DEVICE, dpa, NULL);
	if (handle == 0) {
		if (pool != NULL)
			(void)eu_pool_destroy(pool, 0);
		return DOCA_ERROR_NO_MEMORY;
	}
	dpa->pool = pool;
	dpa->handle = handle;
	atomic_store(&dpa->base.started, true);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_stop(struct doca_dpa *dpa)
{
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa) || is_extended(dpa))
		return DOCA_ERROR_BAD_STATE;
	if (/* guard: dpa-in-use */ used(dpa))
		return DOCA_ERROR_IN_USE;
	if (/* guard: dpa-stop-patience */ !eu_pool_destroy(dpa->pool, READING_DPA_STOP_PATIENCE_MS)) {
		emu_dpa_fail(dpa, "a kernel does not end");
		return READING_DPA_STOP_RUNNING;
	}
	dpa->pool = NULL;
	atomic_store(&dpa->base.started, false);
	emu_dpa_unpublish(dpa->handle);
	dpa->handle = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_destroy(struct doca_dpa *dpa)
{
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (/* guard: dpa-destroyed-in-use */ used(dpa))
		return DOCA_ERROR_IN_USE;
	if (is_extended(dpa)) {
		atomic_fetch_sub(&dpa->base.root->children, 1);
	} else {
		/* Public programs do not stop it. */
		doca_error_t result = dpa_started(dpa) ? doca_dpa_stop(dpa) : DOCA_SUCCESS;
		if (result != DOCA_SUCCESS)
			return result;
		dpa_free_all(dpa);
		dpa_close_outputs(dpa);
	}
	unmake(dpa);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev, struct doca_dpa **extended_dpa)
{
	if (dpa == NULL || other_dev == NULL || extended_dpa == NULL || is_extended(dpa))
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	if (!emu_dev_reaches_dpa(other_dev) || /* guard: dpa-card */ !emu_dev_same_card(dpa->base.dev, other_dev))
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa *created = make(other_dev);
	uint64_t handle = created == NULL ? 0 : emu_dpa_publish(EMU_DPA_DEVICE, created, NULL);
	if (handle == 0) {
		if (created != NULL)
			unmake(created);
		return DOCA_ERROR_NO_MEMORY;
	}
	created->base.root = dpa;
	created->handle = handle;
	created->app = dpa->app;
	created->pool = dpa->pool;
	atomic_store(&created->base.started, true);
	atomic_fetch_add(&dpa->children, 1);
	*extended_dpa = created;
	return DOCA_SUCCESS;
}

/* ---- the application ---- */

doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app)
{
	if (dpa == NULL || app == NULL || is_extended(dpa))
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	if (/* guard: app-magic */ app->magic != DOCA_EMU_DPA_MAGIC) {
		emu_log_reason("an application for a real DPA, or none: scripts/dpacc makes those of the emulated one");
		return DOCA_ERROR_INVALID_VALUE;
	}
	dpa->app = app;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app)
{
	if (dpa == NULL || app == NULL || is_extended(dpa))
		return DOCA_ERROR_INVALID_VALUE;
	*app = dpa->app;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *app_name, uint32_t *app_name_len)
{
	if (app == NULL || app_name == NULL || app_name_len == NULL || app->magic != DOCA_EMU_DPA_MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	size_t needed = strlen(app->name) + 1;
	if (/* guard: app-name-length */ *app_name_len < needed)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(app_name, app->name, needed);
	*app_name_len = (uint32_t)needed;
	return DOCA_SUCCESS;
}

/* ---- what it says of itself ---- */

doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value)
{
	if (dpa == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*value = READING_DPA_MAX_THREADS_PER_KERNEL;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa, unsigned long long *value)
{
	if (dpa == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*value = READING_DPA_MAX_RUN_S;
	return DOCA_SUCCESS;
}

static doca_error_t tell(const struct doca_dpa *dpa, unsigned int *out, unsigned int value)
{
	if (dpa == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*out = value;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores)
{
	return tell(dpa, num_cores, READING_DPA_CORES);
}

doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core)
{
	return tell(dpa, eus_per_core, READING_DPA_EUS_PER_CORE);
}

doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa, unsigned int *total_num_eus)
{
	return tell(dpa, total_num_eus, READING_DPA_EUS);
}

doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle)
{
	if (dpa == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	*handle = dpa->handle;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id)
{
	if (dpa == NULL || uar_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_started(dpa))
		return READING_DPA_NOT_STARTED;
	*uar_id = (uint32_t)dpa->handle; /* there are no doorbells: a number of its own is all that it can be */
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa)
{
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa *root = dpa->base.root;
	if (root->pool != NULL && eu_pool_longest_run_ms(root->pool) > INT64_C(1000) * READING_DPA_MAX_RUN_S)
		emu_dpa_fail(root, "a kernel has been running for more than %u s", READING_DPA_MAX_RUN_S);
	return atomic_load(&dpa->base.failed) || atomic_load(&root->base.failed) ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}
