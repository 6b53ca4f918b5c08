/* Groups of threads, which know their ranks. */
#include <stdlib.h>

#include "doca_dpa.h"
#include "thread.h"

struct doca_dpa_tg {
	struct doca_dpa *dpa;
	bool started;
	uint32_t num;
	struct doca_dpa_thread **threads;
};

doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads, struct doca_dpa_tg **tg)
{
	if (dpa == NULL || num_threads == 0 || num_threads > READING_DPA_MAX_THREADS_PER_KERNEL || tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	struct doca_dpa_thread **threads = calloc(num_threads, sizeof(struct doca_dpa_thread *));
	struct doca_dpa_tg *created = threads == NULL ? NULL : dpa_adopt(dpa, sizeof(*created));
	if (created == NULL) {
		free(threads);
		return DOCA_ERROR_NO_MEMORY;
	}
	*created = (struct doca_dpa_tg){.dpa = dpa, .num = num_threads, .threads = threads};
	*tg = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg)
{
	if (tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!tg->started)
		return DOCA_ERROR_BAD_STATE;
	for (uint32_t rank = 0; rank < tg->num; rank++) {
		tg->threads[rank]->group = NULL;
		tg->threads[rank]->rank = 0;
		tg->threads[rank]->group_size = 1;
	}
	tg->started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg)
{
	if (tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (tg->started)
		(void)doca_dpa_thread_group_stop(tg);
	free(tg->threads);
	dpa_disown(tg->dpa, tg);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg, unsigned int *num_threads)
{
	if (tg == NULL || num_threads == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_threads = tg->num;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg, struct doca_dpa_thread *thread, unsigned int rank)
{
	if (tg == NULL || thread == NULL || /* guard: group-rank */ rank >= tg->num || thread->base.dpa != tg->dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (tg->started)
		return DOCA_ERROR_BAD_STATE;
	tg->threads[rank] = thread;
	return DOCA_SUCCESS;
}

/* Every rank has a thread, and none of them has two ranks or runs. */
static bool complete(const struct doca_dpa_tg *tg)
{
	for (uint32_t rank = 0; rank < tg->num; rank++) {
		const struct doca_dpa_thread *thread = tg->threads[rank];
		if (thread == NULL || thread->group != NULL || thread->run)
			return false;
		for (uint32_t other = 0; other < rank; other++)
			if (tg->threads[other] == thread)
				return false;
	}
	return true;
}

doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg)
{
	if (tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (tg->started || !dpa_started(tg->dpa) || !complete(tg))
		return DOCA_ERROR_BAD_STATE;
	for (uint32_t rank = 0; rank < tg->num; rank++) {
		tg->threads[rank]->group = tg;
		tg->threads[rank]->rank = rank;
		tg->threads[rank]->group_size = tg->num;
	}
	tg->started = true;
	return DOCA_SUCCESS;
}
