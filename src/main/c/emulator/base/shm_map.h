/* Mappings of the shared memory: where its parts lie in the file, and where in this process. */
#ifndef EMU_SHM_MAP_H
#define EMU_SHM_MAP_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/shm_control.h"
#include "base/shm_doorbells.h"
#include "base/shm_file.h"
#include "base/shm_messages.h"
#include "base/shm_region.h"
#include "base/shm_sides.h"
#include "doca_error.h"

/* ---- offsets in a connection's memory ---- */

/* The message ring towards `side`. */
#define SHM_RING_OFFSET(side) ((UINT64_C(16) << 20) + (uint64_t)(side)*SHM_RING_MAX_BYTES)
/* The region of a consumer slot of `side`. */
#define SHM_REGION_OFFSET(side, slot)                                                                                  \
	(SHM_RING_OFFSET(SHM_SIDES) + ((uint64_t)(side)*SHM_CONSUMER_SLOTS + (slot)) * SHM_REGION_BYTES)
#define SHM_TOTAL_BYTES SHM_REGION_OFFSET(SHM_SIDES, 0)

_Static_assert(SHM_CONTROL_BYTES <= SHM_RING_OFFSET(SHM_CLIENT), "the control part lies before the rings");
_Static_assert(SHM_LAYOUT_VERSION == 10 && SHM_REGION_OFFSET(0, 0) == 150994944 && SHM_REGION_BYTES == 49741824 &&
		       SHM_TOTAL_BYTES == 12884901888 && offsetof(struct shm_region, base) == 16 &&
		       offsetof(struct shm_region, posted) == 64 && offsetof(struct shm_region, claimed) == 128,
	       "FabricView.java and Doctor.java: offsets and sizes");

/* ---- mappings ---- */

/* One connection's memory as this process sees it. */
struct shm_map {
	struct shm_mapping base;
	uint8_t *rings[SHM_SIDES];
	uint64_t ring_bytes[SHM_SIDES];
	_Atomic(struct shm_region *) regions[SHM_SIDES][SHM_CONSUMER_SLOTS];
};

static inline struct shm_control *shm_map_control(const struct shm_map *map)
{
	return map->base.start;
}

/* A new, sealed memory; on success the caller holds one reference. */
doca_error_t shm_create(struct shm_map **map);

/* Maps memory received from a peer, after checking size and seals. Takes `fd` over. */
doca_error_t shm_attach(int fd, struct shm_map **map);

void shm_release(struct shm_map *map);

/* Maps the message ring towards `side`; `bytes` is a power of two and at most SHM_RING_MAX_BYTES. */
doca_error_t shm_map_ring(struct shm_map *map, enum shm_side side, uint64_t bytes);

/* Gives back pages of the message ring towards `side`, which holds nothing in the `bytes` from `from` on, modulo its
 * size. For its sender, who alone knows that. */
void shm_drop_ring_pages(struct shm_map *map, enum shm_side side, uint64_t from, uint64_t bytes);

/* The region of a consumer slot, mapped at first use; NULL when out of memory. */
struct shm_region *shm_map_region(struct shm_map *map, enum shm_side side, uint32_t slot);

/* Gives back the pages of a region's arrays; its header stays. */
void shm_drop_region_pages(struct shm_map *map, enum shm_side side, uint32_t slot);

/* Writes down whose connection it is, for who looks from outside; `name`: the server's. */
void shm_write_label(struct shm_control *control, enum shm_side side, const char *pci, const char *name);

/* ---- doorbells ---- */

struct shm_doorbell_map {
	struct shm_mapping base;
};

static inline struct shm_doorbells *shm_doorbells_of(const struct shm_doorbell_map *map)
{
	return map->base.start;
}

doca_error_t shm_doorbells_create(struct shm_doorbell_map **map);
doca_error_t shm_doorbells_attach(int fd, struct shm_doorbell_map **map);
void shm_doorbells_ref(struct shm_doorbell_map *map);
void shm_doorbells_release(struct shm_doorbell_map *map);

#endif
