/*
 * The memory map: one range of memory that devices may reach.
 *
 * Create, configure, start, use through buffers, destroy. A map made from an export is started from
 * the beginning, and its addresses are those of the exporter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_mmap;

/* Names a map in programs on the DPA. */
typedef uint32_t doca_dpa_dev_mmap_t;

/* Told by doca_mmap_destroy that the range is no longer used. */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);

/* ---- life ---- */

/* Makes a map without range and device. NO_MEMORY. */
DOCA_STABLE doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/*
 * Stops and ends a map. NOT_PERMITTED while buffers point into it. Never safe beside other calls.
 */
DOCA_STABLE doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/* Registers the range with all devices; freezes the configuration. NO_MEMORY, NOT_PERMITTED. */
DOCA_STABLE doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/*
 * Undoes start: export descriptors end, and what was made from them becomes useless. NOT_PERMITTED
 * while buffers point into it.
 */
DOCA_STABLE doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/* ---- configuration, before start ---- */

/* Sets the range, once in a map's life. BAD_STATE when started, NOT_PERMITTED when it has one. */
DOCA_STABLE doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/* The same for memory behind a dma-buf; also NOT_SUPPORTED. */
DOCA_STABLE doca_error_t doca_mmap_set_dmabuf_memrange(
    struct doca_mmap *mmap, int dmabuf_fd, void *addr, size_t dmabuf_offset, size_t len);

/* The same for memory of the DPA. */
DOCA_EXPERIMENTAL doca_error_t doca_mmap_set_dpa_memrange(
    struct doca_mmap *mmap, struct doca_dpa *dpa, uint64_t dpa_addr, size_t len);

/*
 * Lets a device use the map. ALREADY_EXIST, NOT_PERMITTED when started, NO_MEMORY (too many),
 * NOT_SUPPORTED.
 */
DOCA_STABLE doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Takes that back. NOT_FOUND, NOT_PERMITTED when started. */
DOCA_STABLE doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Limits the devices of the map. NOT_PERMITTED after the first start. */
DOCA_STABLE doca_error_t doca_mmap_set_max_num_devices(
    struct doca_mmap *mmap, uint32_t max_num_devices);

/* What devices may do; or-ed enum doca_access_flag. BAD_STATE when started. */
DOCA_STABLE doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/*
 * Function that destroy calls with `opaque`, if the map was ever started. BAD_STATE when started.
 */
DOCA_STABLE doca_error_t doca_mmap_set_free_cb(
    struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque);

/* Sets the map's user data. BAD_STATE when started. */
DOCA_STABLE doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/*
 * Allows use from several threads at a time; buffers are not counted any more, so destroy no longer
 * refuses because of them. NOT_PERMITTED when started or with buffers.
 */
DOCA_EXPERIMENTAL doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/* ---- sharing with another process or device ---- */

/*
 * Describes a started map for the other end of the PCIe bus. The bytes belong to the map until
 * stop. NOT_FOUND (not its device), NOT_PERMITTED (state, permissions), NOT_SUPPORTED, NO_MEMORY,
 * DRIVER.
 */
DOCA_STABLE doca_error_t doca_mmap_export_pci(
    struct doca_mmap *mmap, const struct doca_dev *dev, const void **export_desc,
    size_t *export_desc_len);

/* The same for RDMA. */
DOCA_STABLE doca_error_t doca_mmap_export_rdma(
    struct doca_mmap *mmap, const struct doca_dev *dev, const void **export_desc,
    size_t *export_desc_len);

/*
 * Makes a started map of remote memory; `user_data` may be NULL. INVALID_VALUE also for a malformed
 * descriptor, NO_MEMORY, NOT_SUPPORTED, NOT_PERMITTED, DRIVER.
 */
DOCA_STABLE doca_error_t doca_mmap_create_from_export(
    const union doca_data *user_data, const void *export_desc, size_t export_desc_len,
    struct doca_dev *dev, struct doca_mmap **mmap);

/* The name of a started map on the DPA. NOT_FOUND (not its device), NOT_PERMITTED. */
DOCA_EXPERIMENTAL doca_error_t doca_mmap_dev_get_dpa_handle(
    struct doca_mmap *mmap, const struct doca_dev *dev, doca_dpa_dev_mmap_t *dpa_mmap_handle);

/*
 * Since DOCA 3.2. The key of a started map on a device, in the order of this machine's bytes, for
 * queues that a program writes itself. NOT_FOUND (not its device), NOT_PERMITTED.
 */
DOCA_EXPERIMENTAL doca_error_t doca_mmap_get_mkey(
    struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *mkey);

/* ---- questions ---- */

/* The range. BAD_STATE when none was set. */
DOCA_STABLE doca_error_t doca_mmap_get_memrange(
    const struct doca_mmap *mmap, void **addr, size_t *len);

/* The user data. */
DOCA_STABLE doca_error_t doca_mmap_get_user_data(
    const struct doca_mmap *mmap, union doca_data *user_data);

/* The limit of devices. */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_devices(
    const struct doca_mmap *mmap, uint32_t *max_num_devices);

/* How many buffers point into the map. */
DOCA_STABLE doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/* 1 when the map has been exported, else 0. */
DOCA_STABLE doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/* 1 when the map was made from an export, else 0. */
DOCA_STABLE doca_error_t doca_mmap_get_from_export(
    const struct doca_mmap *mmap, uint8_t *from_export);

/* 1 when doca_mmap_export_pci can work with the device, else 0. DRIVER. */
DOCA_STABLE doca_error_t doca_mmap_cap_is_export_pci_supported(
    const struct doca_devinfo *devinfo, uint8_t *mmap_export);

/* The same for doca_mmap_create_from_export. */
DOCA_STABLE doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(
    const struct doca_devinfo *devinfo, uint8_t *from_export);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
