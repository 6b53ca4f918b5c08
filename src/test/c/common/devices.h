/* Opening the devices of the default topology. */
#ifndef TEST_DEVICES_H
#define TEST_DEVICES_H

#include "doca_dev.h"
#include "support.h"

#define DPU_PCI "0000:03:00.0"
#define HOST_PF "0000:b1:00.0"
#define HOST_VF "0000:b1:00.2"

static inline struct doca_dev *open_device(const char *pci)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;
	expect_success(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count; i++) {
		uint8_t equal;
		expect_success(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			expect_success(doca_dev_open(list[i], &dev));
	}
	expect_success(doca_devinfo_destroy_list(list));
	assert_non_null(dev);
	return dev;
}

#endif
