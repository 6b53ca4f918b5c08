#include "doca_error.h"

#include <stddef.h>

#include "core/release.h"

struct text {
	const char *name;
	const char *descr;
};

#define TEXT(code, text) [code] = {#code, text}

static const struct text texts[] = {
	TEXT(DOCA_SUCCESS, "Success"),
	TEXT(DOCA_ERROR_UNKNOWN, "Unknown error"),
	TEXT(DOCA_ERROR_NOT_PERMITTED, "Operation not permitted"),
	TEXT(DOCA_ERROR_IN_USE, "Resource still in use"),
	TEXT(DOCA_ERROR_NOT_SUPPORTED, "Not supported"),
	TEXT(DOCA_ERROR_AGAIN, "Not possible now, try again"),
	TEXT(DOCA_ERROR_INVALID_VALUE, "Invalid argument"),
	TEXT(DOCA_ERROR_NO_MEMORY, "Out of memory or other resources"),
	TEXT(DOCA_ERROR_INITIALIZATION, "Initialization failed"),
	TEXT(DOCA_ERROR_TIME_OUT, "Timed out"),
	TEXT(DOCA_ERROR_SHUTDOWN, "Shut down"),
	TEXT(DOCA_ERROR_CONNECTION_RESET, "Connection reset by the peer"),
	TEXT(DOCA_ERROR_CONNECTION_ABORTED, "Connection attempt failed"),
	TEXT(DOCA_ERROR_CONNECTION_INPROGRESS, "Connection being established"),
	TEXT(DOCA_ERROR_NOT_CONNECTED, "Not connected"),
	TEXT(DOCA_ERROR_NO_LOCK, "Lock not available"),
	TEXT(DOCA_ERROR_NOT_FOUND, "Not found"),
	TEXT(DOCA_ERROR_IO_FAILED, "Input or output failed"),
	TEXT(DOCA_ERROR_BAD_STATE, "Object in the wrong state"),
	TEXT(DOCA_ERROR_UNSUPPORTED_VERSION, "Version not supported"),
	TEXT(DOCA_ERROR_OPERATING_SYSTEM, "Operating system call failed"),
	TEXT(DOCA_ERROR_DRIVER, "Driver call failed"),
	TEXT(DOCA_ERROR_UNEXPECTED, "Unexpected condition"),
	TEXT(DOCA_ERROR_ALREADY_EXIST, "Exists already"),
	TEXT(DOCA_ERROR_FULL, "No room left"),
	TEXT(DOCA_ERROR_EMPTY, "Nothing left"),
	TEXT(DOCA_ERROR_IN_PROGRESS, "Started, not finished yet"),
	TEXT(DOCA_ERROR_TOO_BIG, "Too large"),
	TEXT(DOCA_ERROR_AUTHENTICATION, "Authentication failed"),
	TEXT(DOCA_ERROR_BAD_CONFIG, "Bad configuration"),
	TEXT(DOCA_ERROR_SKIPPED, "Left out"),
};

static const struct text unknown = {"(not a DOCA error code)", "(not a DOCA error code)"};

static const struct text *text_of(doca_error_t error)
{
	unsigned int index = (unsigned int)error;
	return index <= (unsigned int)emu_release.last_error ? &texts[index] : &unknown;
}

const char *doca_error_get_name(doca_error_t error)
{
	return text_of(error)->name;
}

const char *doca_error_get_descr(doca_error_t error)
{
	return text_of(error)->descr;
}
