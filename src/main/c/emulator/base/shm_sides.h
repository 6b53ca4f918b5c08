/* The memory that the two processes of a connection share.
 *
 * One memfd per connection, made and sealed by the client. It is sparse: the offsets (shm_map.h) leave room for the
 * largest configuration, pages exist once touched, and each part is mapped when it is first needed.
 *
 *   0            struct shm_control   shm_control.h    one half per side: positions in the message rings, goodbye, and
 *                                     shm_directory.h  the directory of the side's consumers
 *   RING(s)      struct shm_record …  shm_messages.h   the message ring towards side s
 *   REGION(s,k)  struct shm_region …  shm_region.h     consumer slot k of side s: posted buffers, completions, payloads
 *
 * A server's doorbells (shm_doorbells.h) are a memory of their own, which all its clients share.
 *
 * There are no pointers in it, only offsets and free-running counters. Each header says which side writes each word.
 * Whatever the peer has written is checked before it is used; a violation ends the connection. */
#ifndef EMU_SHM_SIDES_H
#define EMU_SHM_SIDES_H

/* Also the version of the handshake. */
#define SHM_LAYOUT_VERSION 10u
#define SHM_CACHE_LINE 64

/* Parts are mapped one by one, and kernels for aarch64 may have pages of 64 KiB. */
#define SHM_PAGE 65536u
#define SHM_ROUND_PAGE(n) (((n) + SHM_PAGE - 1) / SHM_PAGE * SHM_PAGE)

/* What the peer may write meanwhile, by one load: what is checked is what is used. */
#define read_once(word) (*(const volatile __typeof__(word) *)&(word))

enum shm_side { SHM_CLIENT = 0, SHM_SERVER = 1, SHM_SIDES = 2 };

static inline enum shm_side shm_other(enum shm_side side)
{
	return side == SHM_CLIENT ? SHM_SERVER : SHM_CLIENT;
}

#endif
