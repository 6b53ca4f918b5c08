/* Which devices have a DPA. */
#include <stdatomic.h>
#include <string.h>

#include "core/dpa.h"
#include "topology/dev_internal.h"

bool emu_devinfo_has_dpa(const struct doca_devinfo *info)
{
	return info->function->type == DOCA_PCI_FUNC_TYPE_PF && emu_devinfo_can(info, EMU_CAN_DPA);
}

bool emu_devinfo_reaches_dpa(const struct doca_devinfo *info)
{
	const struct emu_topology *topology = info->function->machine;
	if (!emu_devinfo_can(info, EMU_CAN_DPA))
		return false;
	for (size_t i = 0; i < topology->count; i++) {
		const struct doca_devinfo other = {.function = &topology->functions[i]};
		if (other.function->dpu == info->function->dpu &&
		    strcmp(other.function->card, info->function->card) == 0 && emu_devinfo_has_dpa(&other))
			return true;
	}
	return false;
}

bool emu_dev_reaches_dpa(const struct doca_dev *dev)
{
	return emu_dev_can(dev, EMU_CAN_DPA);
}

bool emu_dev_card_reads_exports(const struct doca_dev *dev)
{
	const struct emu_topology *topology = dev->info.function->machine;
	for (size_t i = 0; i < topology->count; i++) {
		const struct emu_function *function = &topology->functions[i];
		if (function->dpu != dev->info.function->dpu && strcmp(function->card, dev->info.function->card) == 0 &&
		    (~function->lacks & (EMU_CAN_DPA | EMU_CAN_DMA)) != 0)
			return true;
	}
	return false;
}

bool emu_dev_same_card(const struct doca_dev *one, const struct doca_dev *other)
{
	const struct emu_function *a = one->info.function;
	const struct emu_function *b = other->info.function;
	return a->machine == b->machine && a->dpu == b->dpu && strcmp(a->card, b->card) == 0;
}

static atomic_bool seen_in_named;

void emu_dpa_note(struct doca_devinfo *const *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (emu_devinfo_has_dpa(devices[i]))
			atomic_store(&seen_in_named, true);
}

bool emu_dpa_anywhere(void)
{
	if (atomic_load(&seen_in_named))
		return true;
	const struct emu_topology *topology = emu_topology();
	struct emu_sides sides;
	if (topology == NULL || !emu_topology_sides(&sides))
		return false;
	for (size_t i = 0; i < topology->count; i++) {
		const struct doca_devinfo info = {.function = &topology->functions[i]};
		if (emu_topology_is_visible(info.function, &sides) && emu_devinfo_has_dpa(&info))
			return true;
	}
	return false;
}
