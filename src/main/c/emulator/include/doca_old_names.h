/* Names that DOCA Core had in releases 1.5 to 2.2, for programs of the endpoint API that still use them, made of those
 * that 2.5 has. It comes with the SDK folder of 2.5; a program needs no change:
 *
 *   cc -include doca_old_names.h app.c $(pkg-config --cflags --libs doca-comm-channel)
 *
 * It has what can be told in 2.5's words. What cannot is not here, so that a program which uses it does not compile:
 * work queues and events (doca_workq, doca_event), jobs, and the objects made with attributes. */
#ifndef DOCA_OLD_NAMES_H
#define DOCA_OLD_NAMES_H

#include <stdint.h>
#include <stdlib.h>

#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"

/* ---- errors ---- */

#define doca_get_error_string(error) doca_error_get_descr(error)
#define doca_get_error_name(error) doca_error_get_name(error)

/* ---- lists ---- */

#define doca_devinfo_list_create(list, count) doca_devinfo_create_list(list, count)
#define doca_devinfo_list_destroy(list) doca_devinfo_destroy_list(list)
#define doca_devinfo_rep_list_create(dev, filter, list, count) doca_devinfo_rep_create_list(dev, filter, list, count)
#define doca_devinfo_rep_list_destroy(list) doca_devinfo_rep_destroy_list(list)

#define doca_dev_rep_filter doca_devinfo_rep_filter
#define DOCA_DEV_REP_FILTER_ALL DOCA_DEVINFO_REP_FILTER_ALL
#define DOCA_DEV_REP_FILTER_NET DOCA_DEVINFO_REP_FILTER_NET
#define DOCA_DEV_REP_FILTER_EMULATED DOCA_DEVINFO_REP_FILTER_EMULATED

#define doca_devinfo_rep_get_is_list_all_supported doca_devinfo_rep_cap_is_filter_all_supported
#define doca_devinfo_rep_get_is_list_net_supported doca_devinfo_rep_cap_is_filter_net_supported
#define doca_devinfo_rep_get_is_list_emulated_supported doca_devinfo_rep_cap_is_filter_emulated_supported

/* ---- PCI addresses ---- */

#define doca_devinfo_get_is_pci_addr_equal doca_devinfo_is_equal_pci_addr
#define doca_devinfo_rep_get_is_pci_addr_equal doca_devinfo_rep_is_equal_pci_addr

#define DOCA_PCI_FUNC_PF DOCA_PCI_FUNC_TYPE_PF
#define DOCA_PCI_FUNC_VF DOCA_PCI_FUNC_TYPE_VF
#define DOCA_PCI_FUNC_SF DOCA_PCI_FUNC_TYPE_SF

#define PCI_BUS_MAX_VALUE 256
#define PCI_DEVICE_MAX_VALUE 32
#define PCI_FUNCTION_MAX_VALUE 8

/* A PCI address without its domain. */
struct doca_pci_bdf {
	union {
		uint16_t raw;
		struct {
			uint16_t bus : 8;
			uint16_t device : 5;
			uint16_t function : 3;
		};
	};
};

/* "dddd:bb:dd.f" */
static inline struct doca_pci_bdf doca_old_names_bdf(const char *address)
{
	struct doca_pci_bdf bdf;
	bdf.raw = 0;
	bdf.bus = (uint16_t)(strtoul(address + 5, NULL, 16) & 0xff);
	bdf.device = (uint16_t)(strtoul(address + 8, NULL, 16) & 0x1f);
	bdf.function = (uint16_t)(strtoul(address + 11, NULL, 16) & 0x7);
	return bdf;
}

static inline doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo, struct doca_pci_bdf *bdf)
{
	char address[DOCA_DEVINFO_PCI_ADDR_SIZE];
	doca_error_t result = bdf == NULL ? DOCA_ERROR_INVALID_VALUE : doca_devinfo_get_pci_addr_str(devinfo, address);
	if (result == DOCA_SUCCESS)
		*bdf = doca_old_names_bdf(address);
	return result;
}

static inline doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
							 struct doca_pci_bdf *bdf)
{
	char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	doca_error_t result =
		bdf == NULL ? DOCA_ERROR_INVALID_VALUE : doca_devinfo_rep_get_pci_addr_str(devinfo_rep, address);
	if (result == DOCA_SUCCESS)
		*bdf = doca_old_names_bdf(address);
	return result;
}

#endif
