/*
 * Devices of this machine and, on the DPU, the representors of the host's PCIe functions.
 *
 * Usual steps: create a list, choose an entry, open it, destroy the list. An opened device outlives
 * the list that it was found in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;         /* an opened device */
struct doca_devinfo;     /* a device that could be opened */
struct doca_dev_rep;     /* an opened representor */
struct doca_devinfo_rep; /* a representor that could be opened */

/* Room that the getters below need, in bytes, with the closing NUL for text. */
#define DOCA_DEVINFO_VUID_SIZE 128
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64
#define DOCA_DEVINFO_PCI_ADDR_SIZE 13 /* dddd:bb:dd.f */
#define DOCA_DEVINFO_PCI_BDF_SIZE 8   /* bb:dd.f */
#define DOCA_DEVINFO_REP_VUID_SIZE DOCA_DEVINFO_VUID_SIZE
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE DOCA_DEVINFO_PCI_ADDR_SIZE
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE DOCA_DEVINFO_PCI_BDF_SIZE

/* Which representors to list. */
enum doca_devinfo_rep_filter {
    DOCA_DEVINFO_REP_FILTER_ALL = 0,
    DOCA_DEVINFO_REP_FILTER_NET = 1 << 1,
    DOCA_DEVINFO_REP_FILTER_EMULATED = 1 << 2
};

/* ---- devices ---- */

/* Lists the local devices. NO_MEMORY; NOT_FOUND when they cannot be enumerated. */
DOCA_STABLE doca_error_t doca_devinfo_create_list(
    struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/*
 * Ends a list and its entries, not the devices opened from it. IN_USE when one of them is broken.
 */
DOCA_STABLE doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/*
 * Opens a device; opening it again gives the same pointer, and each open needs its close.
 * NO_MEMORY, NOT_CONNECTED (cannot be opened), INITIALIZATION (too many open), NOT_SUPPORTED (wrong
 * kind of device).
 */
DOCA_STABLE doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/* Takes back one open. IN_USE when the last one goes while objects on the device are left. */
DOCA_STABLE doca_error_t doca_dev_close(struct doca_dev *dev);

/* Lets the device get freed resources back sooner. AGAIN, DRIVER, NOT_SUPPORTED. */
DOCA_EXPERIMENTAL doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/* The description of an opened device; lives as long as the device. NULL for NULL. */
DOCA_STABLE struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/* ---- representors (DPU only) ---- */

/*
 * Lists the host functions behind a DPU device; `filter` is enum doca_devinfo_rep_filter.
 * NOT_SUPPORTED without representors, as on the host; NO_MEMORY, DRIVER.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_create_list(
    struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
    uint32_t *nb_devs_rep);

/* Ends a list and its entries; the device must still be open. IN_USE when it is broken. */
DOCA_STABLE doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/* Opens a representor. NO_MEMORY. */
DOCA_STABLE doca_error_t doca_dev_rep_open(
    struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/* Closes a representor. IN_USE while a server serves it. */
DOCA_STABLE doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/* The description of an opened representor; lives as long as that one. NULL for NULL. */
DOCA_STABLE struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/* ---- what a device is ---- */

/* Writes the long PCI address, DOCA_DEVINFO_PCI_ADDR_SIZE bytes. OPERATING_SYSTEM. */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_addr_str(
    const struct doca_devinfo *devinfo, char *pci_addr_str);

/* Compares with a long or a short PCI address (domain 0000); writes 1 or 0. OPERATING_SYSTEM. */
DOCA_STABLE doca_error_t doca_devinfo_is_equal_pci_addr(
    const struct doca_devinfo *devinfo, const char *pci_addr_str, uint8_t *is_equal);

/*
 * IPv4 address of the interface; `size` is the room. NOT_FOUND when it has none, OPERATING_SYSTEM.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv4_addr(
    const struct doca_devinfo *devinfo, uint8_t *ipv4_addr, uint32_t size);

/* IPv6 address of the interface; `size` is the room. OPERATING_SYSTEM. */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv6_addr(
    const struct doca_devinfo *devinfo, uint8_t *ipv6_addr, uint32_t size);

/* MAC address; `size` is the room. NOT_SUPPORTED when the port is not Ethernet. */
DOCA_STABLE doca_error_t doca_devinfo_get_mac_addr(
    const struct doca_devinfo *devinfo, uint8_t *mac_addr, uint32_t size);

/* Name of the network interface; `size` is the room. OPERATING_SYSTEM. */
DOCA_STABLE doca_error_t doca_devinfo_get_iface_name(
    const struct doca_devinfo *devinfo, char *iface_name, uint32_t size);

/* Name of the RDMA device, such as mlx5_0; `size` is the room. */
DOCA_STABLE doca_error_t doca_devinfo_get_ibdev_name(
    const struct doca_devinfo *devinfo, char *ibdev_name, uint32_t size);

/* InfiniBand local identifier. NOT_SUPPORTED when the port is not InfiniBand, DRIVER. */
DOCA_STABLE doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/* Rate of the port in bits per second. DRIVER. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_get_active_rate(
    const struct doca_devinfo *devinfo, uint64_t *active_rate);

/* Identifier of the function inside the adapter. DRIVER. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_get_vhca_id(
    const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/* ---- what a device is: since DOCA 3.1 ---- */

/* The kind of the function. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_get_pci_func_type(
    const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type);

/* Number of the SF's auxiliary device in this machine. An error when it is no SF. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_get_sf_index(
    const struct doca_devinfo *devinfo, uint32_t *sf_index);

/* ---- what a device can do (1 or 0) ---- */

/* Whether it can plug and unplug emulated devices. DRIVER. */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager);

/* Whether it can moderate notifications. DRIVER. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/* Whether doca_dev_accelerate_resource_reclaim can work. DRIVER. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim);

/* Whether DOCA_DEVINFO_REP_FILTER_ALL can list anything. DRIVER, NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(
    const struct doca_devinfo *devinfo, uint8_t *filter_all_supported);

/* The same for DOCA_DEVINFO_REP_FILTER_NET. */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(
    const struct doca_devinfo *devinfo, uint8_t *filter_net_supported);

/* The same for DOCA_DEVINFO_REP_FILTER_EMULATED. */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(
    const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported);

/* ---- what a representor is ---- */

/* Vendor's unique identifier of the host function; `size` is the room. */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_vuid(
    const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size);

/* PCI address of the function as the host sees it. NO_MEMORY, UNEXPECTED. */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_pci_addr_str(
    const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str);

/* Compares that address as doca_devinfo_is_equal_pci_addr does. NO_MEMORY, UNEXPECTED. */
DOCA_STABLE doca_error_t doca_devinfo_rep_is_equal_pci_addr(
    const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str, uint8_t *is_equal);

/* Physical, virtual or scalable function. */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_pci_func_type(
    const struct doca_devinfo_rep *devinfo_rep, enum doca_pci_func_type *pci_func_type);

/* 1 when the function was plugged in by the DPU, else 0. */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_hotplug(
    const struct doca_devinfo_rep *devinfo_rep, uint8_t *is_hotplug);

/* Name of the representor's network interface; `size` is the room. OPERATING_SYSTEM. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_rep_get_iface_name(
    const struct doca_devinfo_rep *devinfo_rep, char *iface_name, uint32_t size);

/* Identifier of the function inside the adapter. */
DOCA_EXPERIMENTAL doca_error_t doca_devinfo_rep_get_vhca_id(
    const struct doca_devinfo_rep *devinfo_rep, uint16_t *vhca_id);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
