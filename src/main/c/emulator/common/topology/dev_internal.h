/* Devices and representors inside libdoca_common. */
#ifndef EMU_DEV_INTERNAL_H
#define EMU_DEV_INTERNAL_H

#include "topology/dev.h"
#include "topology/topology.h"

struct doca_devinfo {
	const struct emu_function *function;
};

/* One per function, however often it is opened. It lives while it is open or held. */
struct doca_dev {
	struct doca_devinfo info;
	uint32_t opens;
	uint32_t users; /* context objects and representors: the last close waits for them */
	uint32_t holds; /* memory maps and representor lists: they keep the memory only */
	struct doca_dev *next;
};

/* Keeps the memory of a device, not the device open. Thread safe. */
void emu_dev_hold(struct doca_dev *dev);
void emu_dev_release(struct doca_dev *dev);

bool emu_dev_is_open(struct doca_dev *dev);

/* The size of every output buffer is checked against the size that DOCA names for it. */
doca_error_t emu_copy_text(const char *text, char *out, uint32_t size, uint32_t needed);

#endif
