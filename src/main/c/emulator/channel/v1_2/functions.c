#include "channel/v1_2/functions.h"

#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"

doca_error_t functions_load(void)
{
	struct emu_sides sides;
	return emu_topology_sides(&sides) ? emu_topology_load() : DOCA_ERROR_NOT_FOUND;
}

static bool usable(const struct emu_function *function, bool dpu)
{
	struct emu_sides sides;
	return function->dpu == dpu && (function->lacks & EMU_CAN_COMCH) == 0 && emu_topology_sides(&sides) &&
	       emu_topology_is_visible(function, &sides);
}

static bool dpu_is_usable(const struct emu_topology *all, const char *pci)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->functions[i].pci, pci) == 0)
			return usable(&all->functions[i], true);
	return false;
}

doca_error_t functions_of_dpus(struct endpoint_listener **listeners, uint32_t *num)
{
	const struct emu_topology *all = emu_topology();
	struct endpoint_listener *found = calloc((all->count + 1) * ENDPOINT_FAMILIES, sizeof(*found));
	if (found == NULL)
		return DOCA_ERROR_NO_MEMORY;
	uint32_t functions = 0;
	for (size_t i = 0; i < all->count; i++)
		if (!all->functions[i].dpu && dpu_is_usable(all, all->functions[i].dpu_pci))
			endpoint_place_listeners(found, functions++, all->functions[i].pci);
	if (functions == 0) {
		free(found);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	*num = functions * ENDPOINT_FAMILIES;
	*listeners = found;
	return DOCA_SUCCESS;
}

const char *functions_first_of_host(void)
{
	const struct emu_topology *all = emu_topology();
	for (size_t i = 0; i < all->count; i++)
		if (usable(&all->functions[i], false))
			return all->functions[i].pci;
	return NULL;
}
