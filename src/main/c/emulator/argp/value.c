/* Values of flags, from the words of a command line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "argp.h"

bool argp_value_has_text(const struct doca_argp_param *param)
{
	return param->type != DOCA_ARGP_TYPE_BOOLEAN;
}

static doca_error_t integer(const struct doca_argp_param *param, const char *text)
{
	char *end;
	errno = 0;
	long read = strtol(text, &end, 0);
	if (end == text || *end != '\0') {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "\"%s\" of \"%s\" is no integer", text, argp_param_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (errno == ERANGE || read < INT32_MIN || read > INT32_MAX) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "%s of \"%s\" is too %s for an integer", text, argp_param_name(param),
			  read < 0 ? "small" : "large");
		return DOCA_ERROR_INVALID_VALUE;
	}
	int value = (int)read;
	return param->callback(&value, argp_parser.config);
}

static doca_error_t floating(const struct doca_argp_param *param, const char *text)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(value)) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "\"%s\" of \"%s\" is no number", text, argp_param_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	return param->callback(&value, argp_parser.config);
}

doca_error_t argp_value_from_text(const struct doca_argp_param *param, const char *text)
{
	bool given = true;
	if (param->type == argp_release.json_object_type) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "\"%s\" is for JSON files only", argp_param_name(param));
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	switch (param->type) {
	case DOCA_ARGP_TYPE_STRING:
		return param->callback((void *)text, argp_parser.config);
	case DOCA_ARGP_TYPE_INT:
		return integer(param, text);
	case DOCA_ARGP_TYPE_BOOLEAN:
		return param->callback(&given, argp_parser.config);
	case DOCA_ARGP_TYPE_DOUBLE:
		return floating(param, text);
	default: /* which no release registers without having them */
		return argp_release.from_text(param, text);
	}
}
