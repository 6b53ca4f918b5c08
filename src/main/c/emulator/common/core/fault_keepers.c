#include "core/fault_keepers.h"

#include <pthread.h>
#include <stddef.h>

#include "core/forks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(lock)
static struct emu_fault_keeper *keepers;

void emu_fault_keeper_join(struct emu_fault_keeper *keeper)
{
	pthread_mutex_lock(&lock);
	keeper->next = keepers;
	keepers = keeper;
	pthread_mutex_unlock(&lock);
}

void emu_fault_keeper_leave(struct emu_fault_keeper *keeper)
{
	pthread_mutex_lock(&lock);
	for (struct emu_fault_keeper **place = &keepers; *place != NULL; place = &(*place)->next)
		if (*place == keeper) {
			*place = (*place)->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

doca_error_t emu_fault_keepers_set(const char *folder, const char *spec)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	for (struct emu_fault_keeper *keeper = keepers; keeper != NULL && result == DOCA_SUCCESS; keeper = keeper->next)
		result = keeper->set(folder, spec);
	pthread_mutex_unlock(&lock);
	return result;
}
