/* Devices and representors of the emulated fabric, as one process sees them. */
#ifndef EMU_DEV_H
#define EMU_DEV_H

#include <stdbool.h>
#include <stdint.h>

#include "doca_dev.h"
#include "doca_error.h"
#include "export.h"

/* What the emulated hardware can do; capability functions report these and the libraries enforce them. */
struct emu_limits {
	uint32_t max_name_len;        /* server name, bytes, with NUL */
	uint32_t max_msg_size;        /* control message, bytes */
	uint32_t max_recv_queue_size; /* messages */
	uint32_t max_send_tasks;
	uint32_t max_clients;         /* per server */
	uint32_t max_consumers;       /* per side of a connection */
	uint32_t max_producers;       /* per side of a connection */
	uint32_t max_tasks;           /* per producer or consumer */
	uint32_t max_buf_size;        /* bytes */
	uint32_t max_buf_list_len;
	uint32_t max_imm_data_len;    /* bytes */
};

EMU_PRIVATE_API const struct emu_limits *emu_limits(void);

/* Which half of the machine a device belongs to. */
EMU_PRIVATE_API bool emu_devinfo_is_dpu(const struct doca_devinfo *info);
EMU_PRIVATE_API bool emu_dev_is_dpu(const struct doca_dev *dev);

/* "dddd:bb:dd.f" of the device; of the host function for a representor. */
EMU_PRIVATE_API const char *emu_dev_pci(const struct doca_dev *dev);
EMU_PRIVATE_API const char *emu_rep_pci(const struct doca_dev_rep *rep);
EMU_PRIVATE_API struct doca_dev *emu_rep_dev(const struct doca_dev_rep *rep);

/* Users of an open device or representor: while there are any, its last close is refused. Thread safe. */
EMU_PRIVATE_API void emu_dev_use(struct doca_dev *dev);
EMU_PRIVATE_API void emu_dev_unuse(struct doca_dev *dev);
EMU_PRIVATE_API void emu_rep_use(struct doca_dev_rep *rep);
EMU_PRIVATE_API void emu_rep_unuse(struct doca_dev_rep *rep);

#endif
