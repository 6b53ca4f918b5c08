/* Devices and representors of the emulated fabric, as one process sees them. */
#ifndef EMU_DEV_H
#define EMU_DEV_H

#include <stdbool.h>
#include <stdint.h>

#include "doca_dev.h"
#include "doca_error.h"
#include "export.h"
#include "topology/limits.h"

/* Which half of the machine a device belongs to. */
EMU_PRIVATE_API bool emu_devinfo_is_dpu(const struct doca_devinfo *info);
EMU_PRIVATE_API bool emu_dev_is_dpu(const struct doca_dev *dev);

/* What a topology can take from a function. */
enum emu_capability {
	EMU_CAN_COMCH = 1, /* clients on the host, servers on the DPU */
	EMU_CAN_PRODUCE = 2,
	EMU_CAN_CONSUME = 4,
	EMU_CAN_EXPORT = 8, /* memory maps, from the host to the DPU */
	EMU_CAN_DPA = 16,   /* programs on the DPA; see dpa.h */
	EMU_CAN_DMA = 32,
	EMU_CAN_EXPORT_TO_HOST = 64, /* memory maps, from the DPU to the host */
};

EMU_PRIVATE_API bool emu_devinfo_can(const struct doca_devinfo *info, enum emu_capability capability);
EMU_PRIVATE_API bool emu_dev_can(const struct doca_dev *dev, enum emu_capability capability);

/* "dddd:bb:dd.f" of the device; of the host function for a representor. */
EMU_PRIVATE_API const char *emu_dev_pci(const struct doca_dev *dev);
EMU_PRIVATE_API const char *emu_rep_pci(const struct doca_dev_rep *rep);
EMU_PRIVATE_API struct doca_dev *emu_rep_dev(const struct doca_dev_rep *rep);

/* Of the machine that the device is part of: its fabric folder, NULL for the environment's, its limits, and whether it
 * is strict; NULL has those of the environment's machine. */
EMU_PRIVATE_API const char *emu_dev_folder(const struct doca_dev *dev);
EMU_PRIVATE_API const struct emu_limits *emu_devinfo_limits(const struct doca_devinfo *info);
EMU_PRIVATE_API const struct emu_limits *emu_dev_limits(const struct doca_dev *dev);
EMU_PRIVATE_API bool emu_dev_strict(const struct doca_dev *dev);

/* Users of an open device or representor: while there are any, its last close is refused. Thread safe. */
EMU_PRIVATE_API void emu_dev_use(struct doca_dev *dev);
EMU_PRIVATE_API void emu_dev_unuse(struct doca_dev *dev);
EMU_PRIVATE_API void emu_rep_use(struct doca_dev_rep *rep);
EMU_PRIVATE_API void emu_rep_unuse(struct doca_dev_rep *rep);

#endif
