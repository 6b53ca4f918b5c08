#include "memory/mmap_internal.h"

#include <fcntl.h>
#include <stdlib.h>

#include "core/release.h"
#include "memory/mmap_dpa.h"
#include "memory/mmap_export.h"
#include "memory/mmap_reach.h"
#include "readings.h"
#include "topology/dev_internal.h"

#define KNOWN_PERMISSIONS                                                                                              \
	((uint32_t)(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |     \
		    DOCA_ACCESS_FLAG_RDMA_ATOMIC | DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE |  \
		    DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING))
/* What the other side changes, the local device must be able to change. */
#define NEED_LOCAL_WRITE ((uint32_t)(DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC))
#define BOTH_PCI ((uint32_t)(DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE))

struct doca_mmap *emu_mmap_new(void)
{
	struct doca_mmap *mmap = calloc(1, sizeof(*mmap));
	if (mmap == NULL)
		return NULL;
	if (pthread_mutex_init(&mmap->lock, NULL) != 0) {
		free(mmap);
		return NULL;
	}
	mmap->max_devs = READING_MMAP_MAX_DEVICES;
	mmap->permissions = READING_MMAP_PERMISSIONS;
	return mmap;
}

void emu_mmap_free(struct doca_mmap *mmap)
{
	for (uint32_t i = 0; i < mmap->num_devs; i++)
		emu_dev_release(mmap->devs[i]);
	emu_reach_close(mmap->reach);
	pthread_mutex_destroy(&mmap->lock);
	free(mmap->devs);
	free(mmap);
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_mmap *created = emu_mmap_new();
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*mmap = created;
	return DOCA_SUCCESS;
}

/* Bufs or a consumer still need the memory. */
static bool in_use(const struct doca_mmap *mmap)
{
	return (!mmap->thread_safe && mmap->num_bufs > 0) || atomic_load(&mmap->users) > 0;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (in_use(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	emu_mmap_drop_exports(mmap);
	emu_mmap_drop_dpa_handles(mmap);
	/* The memory itself may be gone already: it is not touched here. */
	if (mmap->free_cb_armed)
		mmap->free_cb(mmap->addr, mmap->len, mmap->opaque);
	emu_mmap_free(mmap);
	return DOCA_SUCCESS;
}

void emu_mmap_register(struct doca_mmap *mmap)
{
	static _Atomic uint32_t last;
	do
		mmap->registration = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
	while (mmap->registration == 0);
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mmap->lock);
	if (mmap->exported || mmap->from_export) {
		result = DOCA_ERROR_NOT_PERMITTED;
	} else if (mmap->addr == NULL) {
		result = emu_release.map_start_without_range;
	} else {
		if (/* guard: map-registered-once=1 */ !atomic_load(&mmap->started))
			emu_mmap_register(mmap);
		mmap->ever_started = true;
		mmap->free_cb_armed = mmap->free_cb != NULL;
		atomic_store(&mmap->started, true);
	}
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mmap->lock);
	if (mmap->from_export) {
		result = READING_MMAP_STOP_FROM_EXPORT;
	} else if (in_use(mmap) && !(emu_release.map_stops_with_bufs && atomic_load(&mmap->users) == 0)) {
		result = DOCA_ERROR_NOT_PERMITTED;
	} else {
		atomic_store(&mmap->started, false);
		emu_mmap_drop_exports(mmap);
		emu_mmap_drop_dpa_handles(mmap);
	}
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

/* The state in which a property may be set; `other` is the code for any other state. */
static doca_error_t check_configurable(const struct doca_mmap *mmap, doca_error_t other)
{
	return atomic_load(&mmap->started) || mmap->exported || mmap->from_export ? other : DOCA_SUCCESS;
}

static doca_error_t set_range(struct doca_mmap *mmap, void *addr, size_t len)
{
	if (mmap == NULL || addr == NULL || len == 0)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	doca_error_t result = check_configurable(mmap, DOCA_ERROR_BAD_STATE);
	if (result == DOCA_SUCCESS && mmap->addr != NULL)
		result = DOCA_ERROR_NOT_PERMITTED;
	if (result == DOCA_SUCCESS && len > UINTPTR_MAX - (uintptr_t)addr)
		result = DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS) {
		mmap->addr = addr;
		mmap->len = len;
	}
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
	return set_range(mmap, addr, len);
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr, size_t dmabuf_offset,
					   size_t len)
{
	/* The emulated device reaches the memory through its mapping, so the buffer's own handle is only checked. */
	if (fcntl(dmabuf_fd, F_GETFD) < 0 || dmabuf_offset > SIZE_MAX - len)
		return DOCA_ERROR_INVALID_VALUE;
	return set_range(mmap, addr, len);
}

/* With the lock held: where the device is, or num_devs. */
static uint32_t index_of(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	uint32_t i = 0;
	while (i < mmap->num_devs && mmap->devs[i] != dev)
		i++;
	return i;
}

doca_error_t emu_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	if (index_of(mmap, dev) < mmap->num_devs)
		return DOCA_ERROR_ALREADY_EXIST;
	if (mmap->num_devs == mmap->max_devs)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_dev **grown = realloc(mmap->devs, (mmap->num_devs + 1) * sizeof(struct doca_dev *));
	if (grown == NULL)
		return DOCA_ERROR_NO_MEMORY;
	mmap->devs = grown;
	mmap->devs[mmap->num_devs++] = dev;
	emu_dev_hold(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	if (mmap == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	doca_error_t result = check_configurable(mmap, emu_release.map_started_devices);
	if (result == DOCA_SUCCESS)
		result = emu_mmap_add_dev(mmap, dev);
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	if (mmap == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	doca_error_t result = check_configurable(mmap, emu_release.map_started_devices);
	if (result == DOCA_SUCCESS) {
		uint32_t i = index_of(mmap, dev);
		if (i == mmap->num_devs) {
			result = DOCA_ERROR_NOT_FOUND;
		} else {
			mmap->devs[i] = mmap->devs[--mmap->num_devs];
			emu_dev_release(dev);
		}
	}
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

bool emu_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	return index_of(mmap, dev) < mmap->num_devs;
}

doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *mkey)
{
	if (mmap == NULL || dev == NULL || mkey == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mmap->lock);
	uint32_t index = index_of(mmap, dev);
	if (!atomic_load(&mmap->started))
		result = DOCA_ERROR_NOT_PERMITTED;
	else if (index >= mmap->num_devs)
		result = DOCA_ERROR_NOT_FOUND;
	else /* nothing here takes it: no more than a number that is another for each start and device */
		*mkey = mmap->registration << 8 | (index & 0xff);
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mmap->lock);
	if (mmap->from_export ||
	    (emu_release.map_restart_max_devices ? atomic_load(&mmap->started) : mmap->ever_started))
		result = DOCA_ERROR_NOT_PERMITTED;
	else if (max_num_devices == 0 || max_num_devices < mmap->num_devs)
		result = DOCA_ERROR_INVALID_VALUE;
	else
		mmap->max_devs = max_num_devices;
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

static bool are_permissions(uint32_t mask)
{
	return (mask & ~KNOWN_PERMISSIONS) == 0 && (mask & BOTH_PCI) != BOTH_PCI &&
	       ((mask & NEED_LOCAL_WRITE) == 0 || (mask & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0);
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	doca_error_t result = check_configurable(mmap, DOCA_ERROR_BAD_STATE);
	if (result == DOCA_SUCCESS && !are_permissions(access_mask))
		result = DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS)
		mmap->permissions = access_mask;
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
	if (mmap == NULL || free_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	doca_error_t result = check_configurable(mmap, DOCA_ERROR_BAD_STATE);
	if (result == DOCA_SUCCESS) {
		mmap->free_cb = free_cb;
		mmap->opaque = opaque;
		mmap->free_cb_armed = false;
	}
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&mmap->lock);
	doca_error_t result = check_configurable(mmap, DOCA_ERROR_BAD_STATE);
	if (result == DOCA_SUCCESS)
		mmap->user_data = user_data;
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mmap->lock);
	/* An imported map is born started, so that state cannot count against it. */
	if (!mmap->thread_safe &&
	    (mmap->num_bufs > 0 || (!mmap->from_export && (atomic_load(&mmap->started) || mmap->exported))))
		result = DOCA_ERROR_NOT_PERMITTED;
	else
		mmap->thread_safe = true;
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

/* Getters read what is fixed while other threads may use the map; a constant object has no lock to take. */

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
	if (mmap == NULL || addr == NULL || len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->addr == NULL)
		return DOCA_ERROR_BAD_STATE;
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
	if (mmap == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
	if (mmap == NULL || max_num_devices == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_devices = mmap->max_devs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
	if (mmap == NULL || num_bufs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_bufs = mmap->num_bufs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
	if (mmap == NULL || exported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*exported = mmap->exported;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
	if (mmap == NULL || from_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = mmap->from_export;
	return DOCA_SUCCESS;
}

void emu_mmap_use(struct doca_mmap *mmap)
{
	atomic_fetch_add(&mmap->users, 1);
}

void emu_mmap_unuse(struct doca_mmap *mmap)
{
	atomic_fetch_sub(&mmap->users, 1);
}

bool emu_mmap_is_started(const struct doca_mmap *mmap)
{
	return emu_mmap_usable(mmap);
}

bool emu_mmap_is_local(const struct doca_mmap *mmap)
{
	return !mmap->from_export;
}

int64_t emu_mmap_owner(const struct doca_mmap *mmap)
{
	return mmap->owner;
}

uint32_t emu_mmap_permissions(const struct doca_mmap *mmap)
{
	return mmap->permissions;
}
