#include "memory/mmap_export.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/dpa.h"
#include "core/forks.h"
#include "memory/mmap_reach.h"
#include "memory/shared_pages.h"
#include "readings.h"
#include "topology/dev_internal.h"

#define MAGIC UINT64_C(0x50414d4d554d4544) /* "DEMUMMAP" */
#define VERSION 3u
#define PCI_PERMISSIONS ((uint32_t)(DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE))

/* What travels to the importer, by whatever channel the program likes. Both ends are on one machine, so the
 * bytes are in its order; nothing in them is trusted. */
struct descriptor {
	uint64_t magic;
	uint32_t version;
	uint32_t permissions;
	uint64_t pid_namespace;
	int64_t pid;
	uint64_t cookie; /* of the exporting process */
	uint64_t export_id;
	uint64_t addr;
	uint64_t len;
	int32_t file;      /* with what kernels need to reach the memory; negative: none */
	uint32_t from_dpu; /* the side of the exporting device: 1, or 0 for the host */
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE + 3];
	uint64_t checksum; /* of all bytes before it */
};

_Static_assert(sizeof(struct descriptor) == 96, "no padding: every byte is sent");

struct emu_export {
	const struct doca_dev *dev;
	struct emu_export *next;
	struct descriptor descriptor;
};

/* Maps that are exported by this process or imported from it. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(shared_lock)
static struct doca_mmap *shared;
static uint64_t last_export_id;
static uint64_t process_cookie;
static pid_t cookie_pid;

static uint64_t checksum(const struct descriptor *descriptor)
{
	/* FNV-1a: against accidents; a hostile descriptor is met by the checks at its use. */
	const unsigned char *bytes = (const unsigned char *)descriptor;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < offsetof(struct descriptor, checksum); i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t pid_namespace(void)
{
	struct stat status;
	return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* With shared_lock held. */
static uint64_t cookie(void)
{
	/* A fork is another process. */
	if (cookie_pid != getpid()) {
		if (getrandom(&process_cookie, sizeof(process_cookie), 0) != (ssize_t)sizeof(process_cookie)) {
			struct timespec now;
			clock_gettime(CLOCK_REALTIME, &now);
			process_cookie = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
		}
		cookie_pid = getpid();
	}
	return process_cookie;
}

static void join_shared(struct doca_mmap *mmap, uint64_t id)
{
	mmap->export_id = id;
	mmap->next_shared = shared;
	shared = mmap;
}

static void leave_shared(struct doca_mmap *mmap)
{
	struct doca_mmap **link = &shared;
	while (*link != NULL && *link != mmap)
		link = &(*link)->next_shared;
	if (*link != NULL)
		*link = mmap->next_shared;
	mmap->export_id = 0;
}

void emu_mmap_drop_exports(struct doca_mmap *mmap)
{
	pthread_mutex_lock(&shared_lock);
	if (mmap->export_id != 0) {
		if (!mmap->from_export)
			for (struct doca_mmap *m = shared; m != NULL; m = m->next_shared)
				if (m->from_export && m->export_id == mmap->export_id)
					atomic_store(&m->started, false);
		leave_shared(mmap);
	}
	pthread_mutex_unlock(&shared_lock);
	emu_unshare_pages(mmap->pages);
	mmap->pages = NULL;
	while (mmap->exports != NULL) {
		struct emu_export *next = mmap->exports->next;
		free(mmap->exports);
		mmap->exports = next;
	}
}

static bool can_export(const struct doca_devinfo *info)
{
	return emu_devinfo_can(info, emu_devinfo_is_dpu(info) ? EMU_CAN_EXPORT_TO_HOST : EMU_CAN_EXPORT);
}

static bool can_import(const struct doca_devinfo *info)
{
	return emu_devinfo_can(info, emu_devinfo_is_dpu(info) ? EMU_CAN_EXPORT : EMU_CAN_EXPORT_TO_HOST);
}

/* With the map's lock held. */
static struct emu_export *find_or_make(struct doca_mmap *mmap, const struct doca_dev *dev)
{
	for (struct emu_export *e = mmap->exports; e != NULL; e = e->next)
		if (e->dev == dev)
			return e;
	struct emu_export *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	pthread_mutex_lock(&shared_lock);
	if (mmap->export_id == 0)
		join_shared(mmap, ++last_export_id);
	uint64_t own = cookie();
	pthread_mutex_unlock(&shared_lock);
	if (mmap->pages == NULL && emu_dev_card_reads_exports(dev)) {
		mmap->pages = emu_share_pages(mmap->addr, mmap->len, own, mmap->export_id);
		if (mmap->pages == NULL) {
			free(made);
			return NULL;
		}
	}
	made->descriptor = (struct descriptor){
		.magic = MAGIC,
		.version = VERSION,
		.permissions = mmap->permissions,
		.pid_namespace = pid_namespace(),
		.pid = getpid(),
		.cookie = own,
		.export_id = mmap->export_id,
		.addr = (uint64_t)(uintptr_t)mmap->addr,
		.len = mmap->len,
		.file = mmap->pages == NULL ? -1 : emu_shared_file(mmap->pages),
		.from_dpu = emu_dev_is_dpu(dev),
	};
	snprintf(made->descriptor.pci, sizeof(made->descriptor.pci), "%s", emu_dev_pci(dev));
	made->descriptor.checksum = checksum(&made->descriptor);
	made->dev = dev;
	made->next = mmap->exports;
	mmap->exports = made;
	return made;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev, const void **export_desc,
				  size_t *export_desc_len)
{
	if (mmap == NULL || dev == NULL || export_desc == NULL || export_desc_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&mmap->lock);
	if (mmap->from_export || !atomic_load(&mmap->started)) {
		result = DOCA_ERROR_NOT_PERMITTED;
	} else if (!emu_mmap_has_dev(mmap, dev)) {
		result = DOCA_ERROR_NOT_FOUND;
	} else if (!can_export(doca_dev_as_devinfo(dev))) {
		result = DOCA_ERROR_NOT_SUPPORTED;
	} else if ((mmap->permissions & PCI_PERMISSIONS) == 0) {
		result = DOCA_ERROR_NOT_PERMITTED;
	} else {
		const struct emu_export *found = find_or_make(mmap, dev);
		if (found == NULL) {
			result = DOCA_ERROR_NO_MEMORY;
		} else {
			mmap->exported = true;
			*export_desc = &found->descriptor;
			*export_desc_len = sizeof(found->descriptor);
		}
	}
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev, const void **export_desc,
				   size_t *export_desc_len)
{
	if (mmap == NULL || dev == NULL || export_desc == NULL || export_desc_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	/* No emulated device can do RDMA. */
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;
	pthread_mutex_lock(&mmap->lock);
	if (!atomic_load(&mmap->started))
		result = DOCA_ERROR_NOT_PERMITTED;
	else if (!emu_mmap_has_dev(mmap, dev))
		result = DOCA_ERROR_NOT_FOUND;
	pthread_mutex_unlock(&mmap->lock);
	return result;
}

static bool is_well_formed(const struct descriptor *d)
{
	return /* guard: export-magic=1 */ d->magic == MAGIC && /* guard: export-version=1 */ d->version == VERSION &&
	       /* guard: export-checksum=1 */ d->checksum == checksum(d) &&
	       /* guard: export-process-least=1 */ d->pid > 0 &&
	       /* guard: export-process-most=1 */ d->pid <= INT32_MAX && /* guard: export-address=1 */ d->addr != 0 &&
	       /* guard: export-empty=1 */ d->len != 0 && d->len <= SIZE_MAX &&
	       /* guard: export-end=1 */ d->addr <= UINTPTR_MAX - d->len;
}

/* The exporting function is one of this device's card, on the other side of the bus. */
static bool is_across_this_bus(const struct descriptor *d, const struct doca_dev *dev)
{
	const struct emu_function *own = dev->info.function;
	if (/* guard: export-side */ d->from_dpu != !own->dpu)
		return false;
	for (size_t i = 0; i < own->machine->count; i++) {
		const struct emu_function *function = &own->machine->functions[i];
		if (function->dpu != own->dpu && strncmp(function->pci, d->pci, sizeof(d->pci)) == 0)
			return /* guard: export-card=1 */ strcmp(function->card, own->card) == 0;
	}
	return false;
}

/* The exporting process is known to be gone. Without a common view of processes nothing is known. */
static bool exporter_is_gone(const struct descriptor *d)
{
	return d->pid_namespace != 0 && d->pid_namespace == pid_namespace() && kill((pid_t)d->pid, 0) != 0 &&
	       errno == ESRCH;
}

/* Connects an imported map to its exporter, if that is this process; false when the export has ended. */
static bool link_to_exporter(struct doca_mmap *mmap, const struct descriptor *d)
{
	bool alive = true;
	pthread_mutex_lock(&shared_lock);
	if (d->cookie == cookie()) {
		const struct doca_mmap *m = shared;
		while (m != NULL && (m->from_export || m->export_id != d->export_id))
			m = m->next_shared;
		alive = /* guard: export-ended=1 */ m != NULL;
		if (alive)
			join_shared(mmap, d->export_id);
	}
	pthread_mutex_unlock(&shared_lock);
	return alive;
}

/* What DMA and kernels need of a map that another process has exported. */
static struct emu_reach *reach_for(const struct descriptor *d, const struct doca_dev *dev)
{
	if ((!emu_dev_reaches_dpa(dev) && !emu_dev_can(dev, EMU_CAN_DMA)) || d->file < 0 || d->pid_namespace == 0 ||
	    d->pid_namespace != pid_namespace())
		return NULL;
	const struct emu_exported exported = {.pid = (pid_t)d->pid,
					      .file = d->file,
					      .cookie = d->cookie,
					      .export_id = d->export_id,
					      .addr = d->addr,
					      .len = d->len};
	return emu_reach_open(&exported);
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap)
{
	if (export_desc == NULL || dev == NULL || mmap == NULL ||
	    /* guard: export-length */ export_desc_len != sizeof(struct descriptor))
		return DOCA_ERROR_INVALID_VALUE;
	if (!can_import(doca_dev_as_devinfo(dev)))
		return DOCA_ERROR_NOT_SUPPORTED;
	struct descriptor d;
	memcpy(&d, export_desc, sizeof(d));
	if (!is_well_formed(&d) || !is_across_this_bus(&d, dev))
		return DOCA_ERROR_INVALID_VALUE;
	if (/* guard: export-permissions */ (d.permissions & PCI_PERMISSIONS) == 0)
		return DOCA_ERROR_NOT_PERMITTED;
	if (/* guard: export-process-gone */ exporter_is_gone(&d))
		return READING_MMAP_EXPORTER_GONE;
	struct doca_mmap *made = emu_mmap_new();
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	doca_error_t result = emu_mmap_add_dev(made, dev);
	if (result == DOCA_SUCCESS) {
		made->addr = (uint8_t *)(uintptr_t)d.addr;
		made->len = (size_t)d.len;
		made->permissions = d.permissions;
		made->owner = d.pid;
		made->from_export = true;
		if (user_data != NULL)
			made->user_data = *user_data;
		emu_mmap_register(made);
		atomic_store(&made->started, true);
		if (!link_to_exporter(made, &d))
			result = READING_MMAP_EXPORTER_GONE;
		else if (made->export_id == 0)
			made->reach = reach_for(&d, dev);
	}
	if (result != DOCA_SUCCESS) {
		emu_mmap_free(made);
		return result;
	}
	*mmap = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo, uint8_t *mmap_export)
{
	if (devinfo == NULL || mmap_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*mmap_export = can_export(devinfo);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo, uint8_t *from_export)
{
	if (devinfo == NULL || from_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = can_import(devinfo);
	return DOCA_SUCCESS;
}
