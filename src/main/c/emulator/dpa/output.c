/* Logs and traces of programs on the DPA. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "doca_dpa.h"

static FILE *file_of(const struct dpa_output *output)
{
	return output->file == NULL ? stdout : output->file;
}

static const char *name_of(uint32_t level)
{
	switch (level) {
	case DOCA_DPA_DEV_LOG_LEVEL_ERROR:
		return "ERR";
	case DOCA_DPA_DEV_LOG_LEVEL_WARNING:
		return "WRN";
	case DOCA_DPA_DEV_LOG_LEVEL_INFO:
		return "INF";
	case DOCA_DPA_DEV_LOG_LEVEL_DEBUG:
	default:
		return "DBG";
	}
}

void dpa_write_log(struct doca_dpa *dpa, uint32_t level, const char *text)
{
	struct doca_dpa *root = dpa_root(dpa);
	if (level > root->log_level || level <= DOCA_DPA_DEV_LOG_LEVEL_DISABLE)
		return;
	size_t len = strlen(text);
	pthread_mutex_lock(&root->lock);
	FILE *file = file_of(&root->log);
	(void)fprintf(file, "[DPA][%s] %s%s", name_of(level), text, len > 0 && text[len - 1] == '\n' ? "" : "\n");
	(void)fflush(file);
	pthread_mutex_unlock(&root->lock);
}

void dpa_write_trace(struct doca_dpa *dpa, const uint64_t numbers[5])
{
	struct doca_dpa *root = dpa_root(dpa);
	pthread_mutex_lock(&root->lock);
	(void)fprintf(file_of(&root->trace), "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		      numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
	pthread_mutex_unlock(&root->lock);
}

void dpa_flush_trace(struct doca_dpa *dpa)
{
	struct doca_dpa *root = dpa_root(dpa);
	pthread_mutex_lock(&root->lock);
	(void)fflush(file_of(&root->trace));
	pthread_mutex_unlock(&root->lock);
}

static void close_output(struct dpa_output *output)
{
	if (output->file != NULL)
		(void)fclose(output->file);
	free(output->path);
	*output = (struct dpa_output){0};
}

void dpa_close_outputs(struct doca_dpa *dpa)
{
	close_output(&dpa->log);
	close_output(&dpa->trace);
}

static doca_error_t set_path(struct doca_dpa *dpa, struct dpa_output *output, const char *path)
{
	if (dpa_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	char *copy = strdup(path);
	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	FILE *file = fopen(path, "we");
	if (file == NULL) {
		/* guard: release-refused-path */ free(copy);
		return errno == ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM;
	}
	close_output(output);
	*output = (struct dpa_output){.path = copy, .file = file};
	return DOCA_SUCCESS;
}

static doca_error_t get_path(const struct dpa_output *output, char *path, uint32_t *len)
{
	const char *text = output->path == NULL ? "stdout" : output->path;
	size_t needed = strlen(text) + 1;
	if (/* guard: output-path-length */ *len < needed)
		return DOCA_ERROR_NO_MEMORY;
	memcpy(path, text, needed);
	*len = (uint32_t)needed;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
	return dpa == NULL || file_path == NULL ? DOCA_ERROR_INVALID_VALUE : set_path(dpa, &dpa->log, file_path);
}

doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *file_path_len)
{
	if (dpa == NULL || file_path == NULL || file_path_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return get_path(&dpa_root(dpa)->log, file_path, file_path_len);
}

doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
	return dpa == NULL || file_path == NULL ? DOCA_ERROR_INVALID_VALUE : set_path(dpa, &dpa->trace, file_path);
}

doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *file_path_len)
{
	if (dpa == NULL || file_path == NULL || file_path_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return get_path(&dpa_root(dpa)->trace, file_path, file_path_len);
}

static bool is_level(uint32_t level)
{
	return level == DOCA_DPA_DEV_LOG_LEVEL_DISABLE || level == DOCA_DPA_DEV_LOG_LEVEL_ERROR ||
	       level == DOCA_DPA_DEV_LOG_LEVEL_WARNING || level == DOCA_DPA_DEV_LOG_LEVEL_INFO ||
	       level == DOCA_DPA_DEV_LOG_LEVEL_DEBUG;
}

doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level)
{
	if (dpa == NULL || /* guard: log-level */ !is_level((uint32_t)log_level))
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_root(dpa) != dpa)
		return DOCA_ERROR_NOT_PERMITTED;
	if (dpa_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	dpa->log_level = (uint32_t)log_level;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level)
{
	if (dpa == NULL || log_level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = (doca_dpa_dev_log_level_t)dpa_root(dpa)->log_level;
	return DOCA_SUCCESS;
}
