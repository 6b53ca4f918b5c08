/* The PCIe functions of the emulated machine: what exists, not who has opened it. docs/emulator.md describes the
 * text that it is read from. */
#ifndef EMU_TOPOLOGY_H
#define EMU_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_dev.h"
#include "doca_error.h"
#include "topology/dev.h"
#include "topology/limits.h"

#define EMU_MAX_FUNCTIONS 1024u

struct emu_topology;

struct emu_function {
	const struct emu_topology *machine;   /* that it is part of */
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE]; /* dddd:bb:dd.f */
	bool dpu;                             /* seen on the DPU's side; else on the host's */
	enum doca_pci_func_type type;
	unsigned lacks; /* enum emu_capability */
	uint16_t vhca_id;
	uint32_t sf_index; /* of a SF, among those of its machine */
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	/* The DPU device that stands for the card: functions of one card share its DPA. */
	char card[DOCA_DEVINFO_PCI_ADDR_SIZE];
	/* Of a host function: the DPU that it belongs to, and how its representor looks there. */
	char dpu_pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	char rep_iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
};

struct emu_topology {
	struct emu_limits limits;
	bool strict;               /* the harder reading of each that a guide leaves open */
	char *folder;              /* of the fabric; NULL: the one that the environment names */
	struct emu_topology *next; /* of those that were named */
	size_t count;
	struct emu_function functions[];
};

/* Reads the topology unless it has been read: it holds for the rest of the process. NOT_FOUND: it cannot be used,
 * as the log says, and the next call tries again; NO_MEMORY. Any thread. */
doca_error_t emu_topology_load(void);

/* What has been loaded; NULL before that. */
const struct emu_topology *emu_topology(void);

/* The same of a fabric folder that the program names: what there is in it is read once, and the environment's topology
 * and limits are not. */
doca_error_t emu_topology_of(const char *folder, const struct emu_topology **topology);

/* Which side this process sees (DOCA_EMU_SIDE = host, dpu, dpu:PCI or both); false for any other value. */
struct emu_sides {
	bool host, dpu;
	const char *only_dpu; /* and what shares its DPA; NULL: all of them */
};

bool emu_topology_sides(struct emu_sides *sides);
/* The same for a side that the program names; NULL: both. */
bool emu_sides_parse(const char *side, struct emu_sides *sides);
bool emu_topology_is_visible(const struct emu_function *function, const struct emu_sides *sides);

/* Compares addresses, long or short form (domain 0000, or any), in either case; false when `text` is no PCI address. */
bool emu_pci_equal(const char *pci, const char *text, bool any_domain, uint8_t *is_equal);

/* ---- topology_parse.c ---- */

/* The machine that there is when nobody describes one, in the words of a topology file. */
extern const char emu_topology_default_text[];

/* Reads a topology from `len` bytes of text; `origin` names them in log records. INVALID_VALUE: malformed. */
doca_error_t emu_topology_parse(const char *text, size_t len, const char *origin, struct emu_topology **topology);

/* ---- topology_limits.c ---- */

/* Applies "NAME=VALUE,…" to limits, and checks them all. */
doca_error_t emu_limits_parse(const char *text, const char *origin, struct emu_limits *limits);

/* The default limits. */
extern const struct emu_limits emu_limits_default;

#endif
