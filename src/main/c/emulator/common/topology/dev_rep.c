#include "topology/dev_internal.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/forks.h"
#include "core/release.h"
#include "readings.h"

struct doca_devinfo_rep {
	const struct emu_function *function; /* of the host, which the representor stands for */
	struct doca_dev *dev;
};

/* One per host function, however often it is opened. */
struct doca_dev_rep {
	struct doca_devinfo_rep info;
	uint32_t opens;
	uint32_t users;
	struct doca_dev_rep *next;
};

struct rep_list {
	struct doca_dev *dev;
	struct doca_devinfo_rep *pointers[]; /* what the user sees, then NULL, then what they point to */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(lock)
static struct doca_dev_rep *reps;

/* Every host function is a network function; none is hot-plugged or emulated by the DPU (virtio, NVMe). */
#define SUPPORTED_FILTERS DOCA_DEVINFO_REP_FILTER_NET
#define KNOWN_FILTERS (DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED)

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	if (dev == NULL || dev_list_rep == NULL || nb_devs_rep == NULL || (filter & ~KNOWN_FILTERS) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dev_is_dpu(dev) || (filter & ~SUPPORTED_FILTERS) != 0)
		return DOCA_ERROR_NOT_SUPPORTED;
	const struct emu_topology *all = dev->info.function->machine;
	struct rep_list *list = malloc(sizeof(*list) + (all->count + 1) * sizeof(struct doca_devinfo_rep *) +
				       all->count * sizeof(struct doca_devinfo_rep));
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_devinfo_rep *infos = (struct doca_devinfo_rep *)(list->pointers + all->count + 1);
	uint32_t count = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct emu_function *function = &all->functions[i];
		if (function->dpu || strcmp(function->dpu_pci, emu_dev_pci(dev)) != 0)
			continue;
		infos[count] = (struct doca_devinfo_rep){.function = function, .dev = dev};
		list->pointers[count] = &infos[count];
		count++;
	}
	list->pointers[count] = NULL;
	list->dev = dev;
	emu_dev_hold(dev);
	*dev_list_rep = list->pointers;
	*nb_devs_rep = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	if (dev_list_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct rep_list *list = (struct rep_list *)((char *)dev_list_rep - offsetof(struct rep_list, pointers));
	emu_dev_release(list->dev);
	free(list);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
	if (devinfo == NULL || dev_rep == NULL || !emu_dev_is_open(devinfo->dev))
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	struct doca_dev_rep *found = reps;
	while (found != NULL && found->info.function != devinfo->function)
		found = found->next;
	if (found == NULL) {
		found = calloc(1, sizeof(*found));
		if (found == NULL) {
			result = DOCA_ERROR_NO_MEMORY;
		} else {
			found->info = *devinfo;
			found->next = reps;
			reps = found;
			emu_dev_use(devinfo->dev);
		}
	}
	if (found != NULL) {
		found->opens++;
		*dev_rep = found;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
	if (dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	if (dev->opens == 1 && dev->users > 0) {
		result = READING_CLOSE_IN_USE;
	} else if (--dev->opens == 0) {
		struct doca_dev_rep **link = &reps;
		while (*link != dev)
			link = &(*link)->next;
		*link = dev->next;
		emu_dev_unuse(dev->info.dev);
		free(dev);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

void emu_rep_use(struct doca_dev_rep *rep)
{
	pthread_mutex_lock(&lock);
	rep->users++;
	pthread_mutex_unlock(&lock);
}

void emu_rep_unuse(struct doca_dev_rep *rep)
{
	pthread_mutex_lock(&lock);
	rep->users--;
	pthread_mutex_unlock(&lock);
}

const char *emu_rep_pci(const struct doca_dev_rep *rep)
{
	return rep->info.function->pci;
}

struct doca_dev *emu_rep_dev(const struct doca_dev_rep *rep)
{
	return rep->info.dev;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
	return dev_rep == NULL ? NULL : &dev_rep->info;
}

static doca_error_t report_filter(const struct doca_devinfo *devinfo, uint8_t *answer, bool supported)
{
	if (devinfo == NULL || answer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	/* A device without representors answers 0 rather than failing the query. */
	*answer = supported && emu_devinfo_is_dpu(devinfo);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_all_supported)
{
	return report_filter(devinfo, filter_all_supported, true);
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_net_supported)
{
	return report_filter(devinfo, filter_net_supported, true);
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *filter_emulated_supported)
{
	return report_filter(devinfo, filter_emulated_supported, false);
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_copy_text(devinfo_rep->function->rep_vuid, rep_vuid, size, DOCA_DEVINFO_REP_VUID_SIZE);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_copy_text(devinfo_rep->function->pci, pci_addr_str, DOCA_DEVINFO_REP_PCI_ADDR_SIZE,
			     DOCA_DEVINFO_REP_PCI_ADDR_SIZE);
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str,
						uint8_t *is_equal)
{
	if (devinfo_rep == NULL || pci_addr_str == NULL || is_equal == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_pci_equal(devinfo_rep->function->pci, pci_addr_str, emu_release.short_pci_names_any_domain, is_equal)
		       ? DOCA_SUCCESS
		       : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
						enum doca_pci_func_type *pci_func_type)
{
	if (devinfo_rep == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = devinfo_rep->function->type;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep, uint8_t *is_hotplug)
{
	if (devinfo_rep == NULL || is_hotplug == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*is_hotplug = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep, char *iface_name,
					     uint32_t size)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_copy_text(devinfo_rep->function->rep_iface, iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep, uint16_t *vhca_id)
{
	if (devinfo_rep == NULL || vhca_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo_rep->function->vhca_id;
	return DOCA_SUCCESS;
}
