#include "topology/dev_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/dpa.h"
#include "core/forks.h"
#include "core/release.h"
#include "doca_emu.h"
#include "log/sdk_log.h"
#include "readings.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(lock)
/* Every device that is open or held. */
static struct doca_dev *devices;

static doca_error_t list(const struct emu_topology *all, const struct emu_sides *sides, struct doca_devinfo ***dev_list,
			 uint32_t *nb_devs)
{
	/* One allocation: the pointers that the user sees, NULL, then what they point to. */
	struct doca_devinfo **made =
		malloc((all->count + 1) * sizeof(struct doca_devinfo *) + all->count * sizeof(struct doca_devinfo));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct doca_devinfo *infos = (struct doca_devinfo *)(made + all->count + 1);
	uint32_t count = 0;
	for (size_t i = 0; i < all->count; i++) {
		if (!emu_topology_is_visible(&all->functions[i], sides))
			continue;
		infos[count].function = &all->functions[i];
		made[count] = &infos[count];
		count++;
	}
	made[count] = NULL;
	*dev_list = made;
	*nb_devs = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	if (dev_list == NULL || nb_devs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_log_forget();
	struct emu_sides sides;
	if (!emu_topology_sides(&sides)) {
		EMU_LOG_ERROR("DOCA_EMU_SIDE is \"%s\": host, dpu, dpu:PCI and both are allowed; no device is visible",
			      getenv("DOCA_EMU_SIDE"));
		return DOCA_ERROR_NOT_FOUND;
	}
	doca_error_t result = emu_topology_load();
	if (result != DOCA_SUCCESS)
		return result;
	return list(emu_topology(), &sides, dev_list, nb_devs);
}

doca_error_t doca_emu_devinfo_create_list(const char *folder, const char *side, struct doca_devinfo ***dev_list,
					  uint32_t *nb_devs)
{
	if (folder == NULL || folder[0] != '/' || dev_list == NULL || nb_devs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_log_forget();
	struct emu_sides sides;
	if (!emu_sides_parse(side, &sides)) {
		EMU_LOG_ERROR("the side is \"%s\": host, dpu, dpu:PCI and both are allowed; no device is visible",
			      side);
		return DOCA_ERROR_NOT_FOUND;
	}
	const struct emu_topology *all;
	doca_error_t result = emu_topology_of(folder, &all);
	if (result == DOCA_SUCCESS)
		result = list(all, &sides, dev_list, nb_devs);
	if (result == DOCA_SUCCESS)
		emu_dpa_note(*dev_list, *nb_devs);
	return result;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	if (dev_list == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(dev_list);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	if (devinfo == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	struct doca_dev *found = devices;
	while (found != NULL && found->info.function != devinfo->function)
		found = found->next;
	if (found == NULL) {
		found = calloc(1, sizeof(*found));
		if (found == NULL) {
			result = DOCA_ERROR_NO_MEMORY;
		} else {
			found->info = *devinfo;
			found->next = devices;
			devices = found;
		}
	}
	if (found != NULL) {
		found->opens++;
		*dev = found;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* With the lock held. */
static void free_if_unused(struct doca_dev *dev)
{
	if (dev->opens > 0 || dev->holds > 0)
		return;
	struct doca_dev **link = &devices;
	while (*link != dev)
		link = &(*link)->next;
	*link = dev->next;
	free(dev);
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	if (dev == NULL)
		return READING_CLOSE_NULL;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	if (dev->opens == 0) {
		/* Still held by a memory map, but closed as often as opened. */
		result = DOCA_ERROR_INVALID_VALUE;
	} else if (dev->opens == 1 && dev->users > 0) {
		result = READING_CLOSE_IN_USE;
	} else {
		dev->opens--;
		free_if_unused(dev);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

void emu_dev_use(struct doca_dev *dev)
{
	pthread_mutex_lock(&lock);
	dev->users++;
	pthread_mutex_unlock(&lock);
}

void emu_dev_unuse(struct doca_dev *dev)
{
	pthread_mutex_lock(&lock);
	dev->users--;
	pthread_mutex_unlock(&lock);
}

void emu_dev_hold(struct doca_dev *dev)
{
	pthread_mutex_lock(&lock);
	dev->holds++;
	pthread_mutex_unlock(&lock);
}

void emu_dev_release(struct doca_dev *dev)
{
	pthread_mutex_lock(&lock);
	dev->holds--;
	free_if_unused(dev);
	pthread_mutex_unlock(&lock);
}

bool emu_dev_is_open(struct doca_dev *dev)
{
	pthread_mutex_lock(&lock);
	bool open = dev->opens > 0;
	pthread_mutex_unlock(&lock);
	return open;
}

bool emu_devinfo_is_dpu(const struct doca_devinfo *info)
{
	return info->function->dpu;
}

bool emu_dev_is_dpu(const struct doca_dev *dev)
{
	return dev->info.function->dpu;
}

bool emu_devinfo_can(const struct doca_devinfo *info, enum emu_capability capability)
{
	return (info->function->lacks & capability) == 0;
}

bool emu_dev_can(const struct doca_dev *dev, enum emu_capability capability)
{
	return emu_devinfo_can(&dev->info, capability);
}

const char *emu_dev_pci(const struct doca_dev *dev)
{
	return dev->info.function->pci;
}

const char *emu_dev_folder(const struct doca_dev *dev)
{
	return dev->info.function->machine->folder;
}

const struct emu_limits *emu_devinfo_limits(const struct doca_devinfo *info)
{
	return info == NULL ? emu_limits() : &info->function->machine->limits;
}

bool emu_dev_strict(const struct doca_dev *dev)
{
	return dev == NULL ? emu_strict() : dev->info.function->machine->strict;
}

const struct emu_limits *emu_dev_limits(const struct doca_dev *dev)
{
	return emu_devinfo_limits(dev == NULL ? NULL : &dev->info);
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
	/* The ABI hands out a mutable view of a constant device. */
	return dev == NULL ? NULL : (struct doca_devinfo *)(uintptr_t)&dev->info;
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	return dev == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t emu_copy_text(const char *text, char *out, uint32_t size, uint32_t needed)
{
	if (out == NULL || size < needed)
		return DOCA_ERROR_INVALID_VALUE;
	strncpy(out, text, size); /* and zeros up to its end */
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_copy_text(devinfo->function->pci, pci_addr_str, DOCA_DEVINFO_PCI_ADDR_SIZE,
			     DOCA_DEVINFO_PCI_ADDR_SIZE);
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo, const char *pci_addr_str,
					    uint8_t *is_equal)
{
	if (devinfo == NULL || pci_addr_str == NULL || is_equal == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_pci_equal(devinfo->function->pci, pci_addr_str, emu_release.short_pci_names_any_domain, is_equal)
		       ? DOCA_SUCCESS
		       : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr, uint32_t size)
{
	if (devinfo == NULL || ipv4_addr == NULL || size < DOCA_DEVINFO_IPV4_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	/* No network is behind the emulated ports, so nobody has assigned an address. */
	return DOCA_ERROR_NOT_FOUND;
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr, uint32_t size)
{
	if (devinfo == NULL || ipv6_addr == NULL || size < DOCA_DEVINFO_IPV6_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	/* The link-local address that follows from the MAC address (modified EUI-64). */
	const uint8_t *mac = devinfo->function->mac;
	const uint8_t address[DOCA_DEVINFO_IPV6_ADDR_SIZE] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, (uint8_t)(mac[0] ^ 2), mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5],
	};
	memcpy(ipv6_addr, address, sizeof(address));
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr, uint32_t size)
{
	if (devinfo == NULL || mac_addr == NULL || size < DOCA_DEVINFO_MAC_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(mac_addr, devinfo->function->mac, DOCA_DEVINFO_MAC_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name, uint32_t size)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_copy_text(devinfo->function->iface, iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name, uint32_t size)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_copy_text(devinfo->function->ibdev, ibdev_name, size, DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
	/* The emulated ports are Ethernet. */
	return devinfo == NULL || lid == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
	if (devinfo == NULL || vhca_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo->function->vhca_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type)
{
	if (devinfo == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = devinfo->function->type;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	if (devinfo == NULL || sf_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (devinfo->function->type != DOCA_PCI_FUNC_TYPE_SF)
		return READING_SF_INDEX_OF_OTHERS;
	*sf_index = devinfo->function->sf_index;
	return DOCA_SUCCESS;
}

static doca_error_t report(const struct doca_devinfo *devinfo, uint8_t *answer, bool supported)
{
	if (devinfo == NULL || answer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*answer = supported;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *is_hotplug_manager)
{
	return report(devinfo, is_hotplug_manager, false);
}

doca_error_t doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
								   uint8_t *is_notification_moderation_supported)
{
	return report(devinfo, is_notification_moderation_supported, false);
}

doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
								       uint8_t *is_accelerate_resource_reclaim)
{
	return report(devinfo, is_accelerate_resource_reclaim, false);
}
