/* The PCIe functions of the emulated machine: what exists, not who has opened it. */
#ifndef EMU_TOPOLOGY_H
#define EMU_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_dev.h"

struct emu_function {
	const char *pci; /* dddd:bb:dd.f */
	bool dpu;        /* seen on the DPU's side; else on the host's */
	enum doca_pci_func_type type;
	uint16_t vhca_id;
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	const char *ibdev;
	const char *iface;
	/* Of a host function: how its representor looks on the DPU. */
	const char *rep_vuid;
	const char *rep_iface;
};

struct emu_functions {
	const struct emu_function *first;
	size_t count;
};

struct emu_functions emu_topology(void);

/* Which side this process sees (DOCA_EMU_SIDE = host, dpu or both); false for any other value. */
bool emu_topology_sides(bool *host, bool *dpu);

/* Compares addresses, long or short form (domain 0000), in either case; false when `text` is no PCI address. */
bool emu_pci_equal(const char *pci, const char *text, uint8_t *is_equal);

#endif
