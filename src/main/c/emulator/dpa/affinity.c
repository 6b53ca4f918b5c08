/* Affinities: which execution unit a thread runs on. */
#include <stdlib.h>

#include "doca_dpa.h"
#include "thread.h"

doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa, struct doca_dpa_eu_affinity **affinity)
{
	if (dpa == NULL || affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa_eu_affinity *created = malloc(sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*created = (struct doca_dpa_eu_affinity){.dpa = dpa, .eu = EU_ANY};
	*affinity = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity)
{
	if (affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(affinity);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id)
{
	if (affinity == NULL || /* guard: affinity-unit */ eu_id >= READING_DPA_EUS)
		return DOCA_ERROR_INVALID_VALUE;
	affinity->eu = (int)eu_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity)
{
	if (affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	affinity->eu = EU_ANY;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id)
{
	if (affinity == NULL || eu_id == NULL || affinity->eu == EU_ANY)
		return DOCA_ERROR_INVALID_VALUE;
	*eu_id = (unsigned int)affinity->eu;
	return DOCA_SUCCESS;
}
