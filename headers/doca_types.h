/*
 * Types shared by all parts of DOCA.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>


#ifdef __cplusplus
extern "C" {
#endif

/* What a program can wait on; a file descriptor on Linux. */
typedef int doca_event_handle_t;
typedef doca_event_handle_t doca_notification_handle_t;

/* The value of a handle that is none. */
#define doca_event_invalid_handle (-1)

/* Integers in network byte order. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/* Bytes in a GID. */
#define DOCA_GID_BYTE_LENGTH 16

/*
 * One word that belongs to the program. Passed and returned by value; the libraries never look
 * inside.
 */
union doca_data {
    void *ptr;
    uint64_t u64;
};

/* A piece of memory that may be continued by another one. */
struct doca_gather_list {
    void *addr;
    uint64_t len;
    struct doca_gather_list *next;
};

/*
 * What devices may do with the memory of an mmap. Values are or-ed; PCI_READ_ONLY and
 * PCI_READ_WRITE exclude each other.
 */
enum doca_access_flag {
    DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1 << 0,
    DOCA_ACCESS_FLAG_RDMA_READ = 1 << 1,
    DOCA_ACCESS_FLAG_RDMA_WRITE = 1 << 2,
    DOCA_ACCESS_FLAG_RDMA_ATOMIC = 1 << 3,
    DOCA_ACCESS_FLAG_PCI_READ_ONLY = 1 << 4,
    DOCA_ACCESS_FLAG_PCI_READ_WRITE = 1 << 5,
    DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 1 << 6
};

/* Kind of a PCIe function. */
enum doca_pci_func_type {
    DOCA_PCI_FUNC_TYPE_PF = 0, /* physical */
    DOCA_PCI_FUNC_TYPE_VF = 1, /* virtual */
    DOCA_PCI_FUNC_TYPE_SF = 2  /* scalable (sub-function) */
};

/* Where GPU memory lives, and who else can reach it. */
enum doca_gpu_mem_type {
    DOCA_GPU_MEM_TYPE_GPU = 0,
    DOCA_GPU_MEM_TYPE_GPU_CPU = 1,
    DOCA_GPU_MEM_TYPE_CPU_GPU = 2
};

/* Who implements waiting for a send time. */
enum doca_eth_wait_on_time_type {
    DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,
    DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1,
    DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2
};

/* Sizes of a transfer unit. */
enum doca_mtu_size {
    DOCA_MTU_SIZE_256_BYTES = 0,
    DOCA_MTU_SIZE_512_BYTES = 1,
    DOCA_MTU_SIZE_1K_BYTES = 2,
    DOCA_MTU_SIZE_2K_BYTES = 3,
    DOCA_MTU_SIZE_4K_BYTES = 4,
    DOCA_MTU_SIZE_RAW_ETHERNET = 5
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
