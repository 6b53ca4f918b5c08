#include "base/settings.h"

#include "base/faults.h"
#include "log/sdk_log.h"

/* A day. */
#define LONGEST_WAIT_MS 86400000

static const char *value_of(const char *variable)
{
	const char *value = getenv(variable);
	return value == NULL || value[0] == '\0' ? NULL : value;
}

doca_error_t settings_connect_wait(int64_t *milliseconds)
{
	static const char variable[] = "DOCA_EMU_CONNECT_WAIT";
	const char *value = value_of(variable);
	int64_t parsed = 0;
	for (const char *digit = value; digit != NULL && *digit != '\0'; digit++) {
		if (*digit < '0' || *digit > '9' || parsed > LONGEST_WAIT_MS) {
			parsed = -1;
			break;
		}
		parsed = 10 * parsed + (*digit - '0');
	}
	if (parsed < 0 || parsed > LONGEST_WAIT_MS) {
		EMU_LOG_ERROR("%s is \"%s\": a number of milliseconds is allowed, 0 to %d", variable, value,
			      LONGEST_WAIT_MS);
		return DOCA_ERROR_INITIALIZATION;
	}
	*milliseconds = parsed;
	return DOCA_SUCCESS;
}

static doca_error_t check_direct_write(void)
{
	static const char variable[] = "DOCA_EMU_DIRECT_WRITE";
	const char *value = value_of(variable);
	if (value == NULL || strcmp(value, "0") == 0 || strcmp(value, "1") == 0)
		return DOCA_SUCCESS;
	EMU_LOG_ERROR("%s is \"%s\": 0 and 1 are allowed", variable, value);
	return DOCA_ERROR_INITIALIZATION;
}

doca_error_t settings_check(void)
{
	int64_t wait;
	doca_error_t result = faults_init();
	if (result == DOCA_SUCCESS)
		result = check_direct_write();
	return result == DOCA_SUCCESS ? settings_connect_wait(&wait) : result;
}
