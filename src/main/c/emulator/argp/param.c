/* Flags: making them, describing them, and taking them into the parser. */
#include <stdlib.h>
#include <string.h>

#include "argp.h"
#include "log/sdk_log.h"

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
	if (param == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = argp_check_begun();
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_argp_param *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*param = made;
	return DOCA_SUCCESS;
}

void argp_params_free(struct doca_argp_param *first)
{
	while (first != NULL) {
		struct doca_argp_param *param = first;
		first = param->next;
		free(param->short_name);
		free(param->long_name);
		free(param->arguments);
		free(param->description);
		free(param);
	}
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
	if (param == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (param->owned)
		return DOCA_ERROR_BAD_STATE;
	argp_params_free(param);
	return DOCA_SUCCESS;
}

void argp_set_text(char **text, const char *value)
{
	char *copy = value == NULL ? NULL : strdup(value);
	free(*text);
	*text = copy;
}

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
	if (param != NULL)
		argp_set_text(&param->short_name, name);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
	if (param != NULL)
		argp_set_text(&param->long_name, name);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
	if (param != NULL)
		argp_set_text(&param->arguments, arguments);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
	if (param != NULL)
		argp_set_text(&param->description, description);
}

void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
	if (param != NULL)
		param->callback = callback;
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	if (param != NULL)
		param->type = type;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	if (param != NULL)
		param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	if (param != NULL)
		param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	if (param != NULL)
		param->multiple = true;
}

const char *argp_param_name(const struct doca_argp_param *param)
{
	return param->long_name != NULL ? param->long_name : param->short_name;
}

bool argp_param_is(const struct doca_argp_param *param, const char *word)
{
	if (word[0] != '-')
		return false;
	if (word[1] == '-' && param->long_name != NULL && strcmp(word + 2, param->long_name) == 0)
		return true;
	return param->short_name != NULL && strcmp(word + 1, param->short_name) == 0;
}

struct doca_argp_param *argp_param_find(struct doca_argp_param *first, const char *word)
{
	while (first != NULL && !argp_param_is(first, word))
		first = first->next;
	return first;
}

static bool same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Whether one of these flags could be meant by a name of `param`. */
static bool clashes(const struct doca_argp_param *first, const struct doca_argp_param *param)
{
	for (const struct doca_argp_param *other = first; other != NULL; other = other->next)
		if (same(other->short_name, param->short_name) || same(other->short_name, param->long_name) ||
		    same(other->long_name, param->short_name) || same(other->long_name, param->long_name))
			return true;
	return false;
}

static const char *missing_part(const struct doca_argp_param *param)
{
	if (param->short_name == NULL && param->long_name == NULL)
		return "name";
	if (param->description == NULL)
		return "description";
	if (param->callback == NULL)
		return "callback";
	return param->type == DOCA_ARGP_TYPE_UNKNOWN ? "type" : NULL;
}

static doca_error_t check(const struct doca_argp_cmd *scope, const struct doca_argp_param *param)
{
	const char *missing = missing_part(param);
	if (missing != NULL) {
		EMU_LOG_ERROR("A flag was registered without its %s", missing);
		return DOCA_ERROR_INITIALIZATION;
	}
	if (param->type < 0 || param->type > argp_release.last_type) {
		EMU_LOG_ERROR("The flag \"%s\" is of no known type", argp_param_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (clashes(argp_parser.general, param) || clashes(scope->params, param)) {
		EMU_LOG_ERROR("A name of the flag \"%s\" is in use", argp_param_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	return argp_check_registering();
}

doca_error_t argp_param_add(struct doca_argp_cmd *scope, struct doca_argp_param *param)
{
	if (param == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (param->owned)
		return DOCA_ERROR_BAD_STATE;
	doca_error_t result = check(scope, param);
	param->owned = true;
	if (param->long_name == NULL)
		param->cli_only = true;
	struct doca_argp_param **last = result == DOCA_SUCCESS ? &scope->params : &argp_parser.refused;
	while (*last != NULL)
		last = &(*last)->next;
	*last = param;
	return result;
}
