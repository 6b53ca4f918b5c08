/* The peer's consumers as a producer knows them. */
#include "base/clock.h"
#include "fast/producer.h"
#include "log/sdk_log.h"
#include "readings.h"
#include "topology/dev.h"

/* Fills a view from a running consumer's region, whose header the peer could have written anything into. */
static doca_error_t open_view(const struct doca_comch_producer *producer, uint32_t slot, uint64_t entry,
			      struct consumer_view *view)
{
	struct doca_comch_connection *connection = producer->connection;
	struct shm_region *region = shm_map_region(connection->map, shm_other(connection->side), slot);
	if (region == NULL)
		return DOCA_ERROR_NO_MEMORY;
	struct consumer_view opened = {.entry = entry,
				       .slot = slot,
				       /* Pair with the release stores in the consumer's open_region. */
				       .capacity = atomic_load_explicit(&region->capacity, memory_order_acquire),
				       .eager_bytes = atomic_load_explicit(&region->eager_bytes, memory_order_acquire),
				       .max_imm_len = atomic_load_explicit(&region->max_imm_len, memory_order_acquire),
				       .can_fetch = atomic_load_explicit(&region->can_fetch, memory_order_acquire) == 1,
				       .base = atomic_load_explicit(&region->base, memory_order_acquire),
				       .region = region,
				       .posts = shm_region_posts(region),
				       .slots = shm_region_slots(region)};
	if (directory_entry(producer, slot) != entry)
		return READING_CONSUMER_NOT_RUNNING; /* stopped or restarted meanwhile: the header may be a mixture */
	if (/* guard: consumer-capacity-least */ opened.capacity == 0 ||
	    /* guard: consumer-capacity-most */ opened.capacity > SHM_MAX_POSTS ||
	    /* guard: consumer-capacity-power */ (opened.capacity & (opened.capacity - 1)) != 0 ||
	    /* guard: consumer-eager-bytes */ opened.eager_bytes != shm_eager_bytes(opened.capacity) ||
	    /* guard: consumer-immediate-length */ opened.max_imm_len > EMU_BOUND_IMM_DATA_LEN) {
		EMU_LOG_ERROR("a peer broke the protocol: impossible consumer");
		return READING_CONSUMER_UNKNOWN;
	}
	opened.slot_mask = shm_slot_mask(opened.capacity);
	opened.packed_limit = shm_packed_limit(opened.capacity);
	opened.dense = true; /* until it is measured */
	opened.dense_since = now_ms();
	if (opened.max_imm_len > emu_dev_limits(producer->connection->dev)->max_imm_data_len)
		opened.max_imm_len = emu_dev_limits(producer->connection->dev)->max_imm_data_len;
	*view = opened;
	return DOCA_SUCCESS;
}

static doca_error_t look_up_consumer(struct doca_comch_producer *producer, uint32_t id, struct consumer_view *view)
{
	doca_error_t result = READING_CONSUMER_UNKNOWN;
	for (uint32_t slot = 0; slot < SHM_CONSUMER_SLOTS; slot++) {
		uint64_t entry = directory_entry(producer, slot);
		if (shm_entry_id(entry) != id)
			continue;
		switch (shm_entry_state(entry)) {
		case SHM_CONSUMER_RUNNING:
			return open_view(producer, slot, entry, view);
		case SHM_CONSUMER_CREATED:
			return READING_CONSUMER_NOT_RUNNING;
		case SHM_CONSUMER_EXPIRED:
			result = READING_CONSUMER_EXPIRED;
			break;
		case SHM_CONSUMER_NONE:
		default:
			break;
		}
	}
	return result;
}

doca_error_t producer_find_view(struct doca_comch_producer *producer, uint32_t id, struct consumer_view **found)
{
	*found = producer_known_view(producer, id);
	if (*found != NULL)
		return DOCA_SUCCESS;
	*found = &producer->views[id % SHM_CONSUMER_SLOTS];
	return id == 0 ? READING_CONSUMER_UNKNOWN : look_up_consumer(producer, id, *found);
}
