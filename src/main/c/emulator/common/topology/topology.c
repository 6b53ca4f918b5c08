#include "topology/topology.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/folder.h"
#include "core/forks.h"
#include "log/sdk_log.h"

#define FILE_IN_FOLDER "topology"
#define MAX_FILE_BYTES (1u << 20)

/* Never freed once it is set: devices point into it. */
static _Atomic(const struct emu_topology *) current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(lock)

static doca_error_t refuse(const char *what, const char *path)
{
	EMU_LOG_ERROR("cannot %s the topology %s: errno %d; no device is visible", what, path, errno);
	return errno == ENOMEM || errno == EMFILE || errno == ENFILE ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_NOT_FOUND;
}

/* The whole of an open file; takes `fd` over. */
static doca_error_t read_file(int fd, const char *path, char **text, size_t *len)
{
	struct stat status;
	doca_error_t result = DOCA_SUCCESS;
	char *bytes = NULL;
	size_t have = 0;
	if (fstat(fd, &status) != 0) {
		result = refuse("read", path);
	} else if (/* guard: topology-file-kind */ !S_ISREG(status.st_mode) ||
		   /* guard: topology-file-size */ status.st_size > (off_t)MAX_FILE_BYTES) {
		EMU_LOG_ERROR("the topology %s is no file of at most %u bytes; no device is visible", path,
			      MAX_FILE_BYTES);
		result = DOCA_ERROR_NOT_FOUND;
	} else if ((bytes = malloc((size_t)status.st_size + 1)) == NULL) {
		result = DOCA_ERROR_NO_MEMORY;
	}
	while (result == DOCA_SUCCESS && have < (size_t)status.st_size) {
		ssize_t part = read(fd, bytes + have, (size_t)status.st_size - have);
		if (part == 0)
			break;
		if (part > 0)
			have += (size_t)part;
		else if (errno != EINTR)
			result = refuse("read", path);
	}
	close(fd);
	if (result != DOCA_SUCCESS) {
		free(bytes);
		return result;
	}
	*text = bytes;
	*len = have;
	return DOCA_SUCCESS;
}

/* The file that describes the machine in `folder`. SUCCESS with fd -1: there is none. */
static doca_error_t open_file(const char *folder, int *fd, const char **path)
{
	const char *chosen = folder == NULL ? getenv("DOCA_EMU_TOPOLOGY") : NULL;
	bool elsewhere = chosen != NULL && chosen[0] != '\0';
	*path = elsewhere ? chosen : FILE_IN_FOLDER " in the fabric folder";
	*fd = -1;
	/* A folder that cannot be used is refused here, wherever the file is: nothing could be connected later. */
	int dir = -1;
	doca_error_t result = emu_folder_open(folder, EMU_FOLDER_REPORT, &dir);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_FOUND)
		return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_NOT_FOUND;
	if (elsewhere)
		*fd = open(chosen, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	else if (dir >= 0)
		*fd = openat(dir, FILE_IN_FOLDER, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool absent = !elsewhere && (dir < 0 || errno == ENOENT);
	result = *fd < 0 && !absent ? refuse("open", *path) : DOCA_SUCCESS;
	if (dir >= 0)
		close(dir);
	return result;
}

/* What DOCA_EMU_STRICT says, for any machine; nothing where it is not set. False: it is malformed. */
static bool apply_strict(bool *strict)
{
	const char *value = getenv("DOCA_EMU_STRICT");
	if (value == NULL || value[0] == '\0')
		return true;
	*strict = strcmp(value, "1") == 0;
	if (*strict || strcmp(value, "0") == 0)
		return true;
	EMU_LOG_ERROR("DOCA_EMU_STRICT is \"%s\": 0 and 1 are allowed; no device is visible", value);
	return false;
}

static doca_error_t make(const char *folder, struct emu_topology **topology)
{
	int fd;
	const char *path;
	doca_error_t result = open_file(folder, &fd, &path);
	if (result != DOCA_SUCCESS)
		return result;
	struct emu_topology *made = NULL;
	if (fd < 0) {
		result = emu_topology_parse(emu_topology_default_text, strlen(emu_topology_default_text), "default",
					    &made);
	} else {
		char *text;
		size_t len;
		result = read_file(fd, path, &text, &len);
		if (result != DOCA_SUCCESS)
			return result;
		result = emu_topology_parse(text, len, path, &made);
		/* guard: release-topology-text */ free(text);
	}
	const char *limits = folder == NULL ? getenv("DOCA_EMU_LIMITS") : NULL;
	if (result == DOCA_SUCCESS && limits != NULL)
		result = emu_limits_parse(limits, "DOCA_EMU_LIMITS", &made->limits);
	if (result == DOCA_SUCCESS && !apply_strict(&made->strict))
		result = DOCA_ERROR_INVALID_VALUE;
	if (result != DOCA_SUCCESS) {
		/* guard: release-refused-topology */ free(made);
		return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_NOT_FOUND;
	}
	*topology = made;
	return DOCA_SUCCESS;
}

doca_error_t emu_topology_load(void)
{
	if (atomic_load_explicit(&current, memory_order_acquire) != NULL)
		return DOCA_SUCCESS;
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	if (atomic_load_explicit(&current, memory_order_relaxed) == NULL) {
		struct emu_topology *made;
		result = make(NULL, &made);
		if (result == DOCA_SUCCESS)
			/* Pairs with the acquire loads of those who look. */
			atomic_store_explicit(&current, made, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* Those of folders that the program has named: they stay, as devices point into them. With the lock held. */
static struct emu_topology *named;

doca_error_t emu_topology_of(const char *folder, const struct emu_topology **topology)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_mutex_lock(&lock);
	struct emu_topology *found = named;
	while (found != NULL && strcmp(found->folder, folder) != 0)
		found = found->next;
	if (found == NULL) {
		result = make(folder, &found);
		if (result == DOCA_SUCCESS && (found->folder = strdup(folder)) == NULL) {
			free(found);
			result = DOCA_ERROR_NO_MEMORY;
		}
		if (result == DOCA_SUCCESS) {
			found->next = named;
			named = found;
		}
	}
	pthread_mutex_unlock(&lock);
	if (result == DOCA_SUCCESS)
		*topology = found;
	return result;
}

const struct emu_topology *emu_topology(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

const struct emu_limits *emu_limits(void)
{
	const struct emu_topology *topology = emu_topology();
	return topology == NULL ? &emu_limits_default : &topology->limits;
}

bool emu_strict(void)
{
	const struct emu_topology *topology = emu_topology();
	return topology != NULL && topology->strict;
}

bool emu_topology_sides(struct emu_sides *sides)
{
	return emu_sides_parse(getenv("DOCA_EMU_SIDE"), sides);
}

bool emu_sides_parse(const char *side, struct emu_sides *sides)
{
	static const char one_dpu[] = "dpu:";
	bool both = side == NULL || *side == '\0' || strcmp(side, "both") == 0;
	*sides = (struct emu_sides){.host = both || strcmp(side, "host") == 0, .dpu = both || strcmp(side, "dpu") == 0};
	uint8_t ignored;
	if (!both && strncmp(side, one_dpu, sizeof(one_dpu) - 1) == 0) {
		sides->only_dpu = side + sizeof(one_dpu) - 1;
		sides->dpu = emu_pci_equal("", sides->only_dpu, false, &ignored);
	}
	return sides->host || sides->dpu;
}

bool emu_topology_is_visible(const struct emu_function *function, const struct emu_sides *sides)
{
	if (!function->dpu)
		return sides->host;
	uint8_t chosen = 1;
	if (sides->only_dpu != NULL && emu_pci_equal(function->pci, sides->only_dpu, false, &chosen) && !chosen)
		(void)emu_pci_equal(function->card, sides->only_dpu, false, &chosen);
	return sides->dpu && chosen;
}

bool emu_pci_equal(const char *pci, const char *text, bool any_domain, uint8_t *is_equal)
{
	/* x: a hexadecimal digit; anything else: itself. */
	static const char long_form[] = "xxxx:xx:xx.x";
	static const size_t domain_len = sizeof("xxxx:") - 1;
	static const size_t long_len = sizeof(long_form) - 1;
	/* The caller's string need not be terminated within reach of strlen when it is no address at all. */
	size_t len = strnlen(text, long_len + 1);
	const char *form = long_form;
	if (len == long_len - domain_len)
		form += domain_len;
	else if (len != long_len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	bool same_domain = any_domain || form == long_form || strncmp(pci, "0000:", domain_len) == 0;
	*is_equal = same_domain && strcasecmp(pci + (form - long_form), text) == 0;
	return true;
}
