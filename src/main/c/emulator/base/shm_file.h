/* Shared files (memfd) of a fixed size, made here or received from a peer, and their mappings in this process. */
#ifndef EMU_SHM_FILE_H
#define EMU_SHM_FILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "doca_error.h"

/* A shared file of a fixed size and its first part. When both ends of a connection live in this process they
 * share one mapping. */
struct shm_mapping {
	int fd;
	dev_t dev;
	ino_t ino;
	unsigned refs;
	void *start;
	size_t start_bytes;
	pthread_mutex_t lock; /* of the parts that are mapped later */
	struct shm_mapping *next;
};

/* A new file whose size no holder of the descriptor can change. */
doca_error_t shm_file_create(const char *name, uint64_t bytes, int *fd);

/* Finds or makes the mapping of a file, after checking its size and seals. `object_bytes` is the size of the structure
 * around the mapping. Takes `fd` over. */
doca_error_t shm_file_acquire(int fd, uint64_t file_bytes, size_t start_bytes, size_t object_bytes,
			      struct shm_mapping **mapping);
void shm_file_ref(struct shm_mapping *mapping);

/* Takes a reference away; true when it was the last: the caller unmaps what it has mapped of the file, and disposes of
 * the mapping. */
bool shm_file_let_go(struct shm_mapping *mapping);
void shm_file_dispose(struct shm_mapping *mapping);

/* Maps a part of the file into `part`, once: a later call must ask for as many bytes. */
doca_error_t shm_file_map_part(struct shm_mapping *mapping, uint8_t **part, uint64_t *part_bytes, uint64_t offset,
			       uint64_t bytes);

/* Maps a part of a file; NULL when out of memory. */
void *shm_file_map(int fd, uint64_t offset, uint64_t bytes);
void shm_file_unmap(void *start);

#endif
