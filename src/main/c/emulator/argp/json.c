/* Files of -j: flags by their long names, in the order of their registration, not of the file. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GENERAL_SECTION "doca_general_flags"
#define PROGRAM_SECTION "doca_program_flags"
#define MAX_FILE (16u << 20)

struct argp_json {
	struct json_object *root;
};

/* NULL: it cannot be read, or is too long. */
static char *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rbe");
	if (file == NULL)
		return NULL;
	char *text = malloc(MAX_FILE);
	*len = text == NULL ? 0 : fread(text, 1, MAX_FILE, file);
	if (text != NULL && (ferror(file) || *len == MAX_FILE)) {
		free(text);
		text = NULL;
	}
	(void)fclose(file);
	return text;
}

doca_error_t argp_json_open(const char *path, struct argp_json **json)
{
	size_t len;
	char *text = read_file(path, &len);
	if (text == NULL) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "The JSON file \"%s\" cannot be read", path);
		return DOCA_ERROR_IO_FAILED;
	}
	/* It takes comments, too, and a comma behind the last of a list. */
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root = tokener == NULL ? NULL : json_tokener_parse_ex(tokener, text, (int)len);
	json_tokener_free(tokener);
	free(text);
	if (!json_object_is_type(root, json_type_object)) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "The file \"%s\" is no JSON, or no object of it", path);
		json_object_put(root);
		return DOCA_ERROR_IO_FAILED;
	}
	*json = malloc(sizeof(**json));
	if (*json == NULL) {
		json_object_put(root);
		return DOCA_ERROR_NO_MEMORY;
	}
	(*json)->root = root;
	return DOCA_SUCCESS;
}

void argp_json_close(struct argp_json *json)
{
	if (json != NULL)
		json_object_put(json->root);
	free(json);
}

struct json_object *argp_json_section(const struct argp_json *json, const char *name)
{
	return json_object_object_get(json->root, name);
}

bool argp_json_is_object(struct json_object *section, const char *name)
{
	if (json_object_is_type(section, json_type_object))
		return true;
	argp_tell(DOCA_LOG_LEVEL_ERROR, "\"%s\" of the JSON file is no object", name);
	return false;
}

char *argp_json_text(struct json_object *value)
{
	char *text = strdup(json_object_get_string(value));
	return text == NULL || argp_keep(text) != DOCA_SUCCESS ? NULL : text;
}

static const struct doca_argp_param *find(const struct doca_argp_param *first, const char *key)
{
	while (first != NULL && (first->long_name == NULL || strcmp(first->long_name, key) != 0))
		first = first->next;
	return first;
}

/* The flag that a key is of, in a part of the file: that of these commands or, without any, that of the general ones.
 */
static const struct doca_argp_param *flag_of(const struct doca_argp_cmd *scope, const char *key)
{
	if (scope == NULL)
		return find(argp_parser.general, key);
	const struct doca_argp_param *param = NULL;
	for (; scope != NULL && param == NULL; scope = scope->parent)
		param = find(scope->params, key);
	return param;
}

doca_error_t argp_json_check(const struct argp_json *json, const struct doca_argp_cmd *scope)
{
	const char *name = scope == NULL ? GENERAL_SECTION : PROGRAM_SECTION;
	struct json_object *section = argp_json_section(json, name);
	if (section == NULL)
		return DOCA_SUCCESS;
	if (!argp_json_is_object(section, name))
		return DOCA_ERROR_INVALID_VALUE;
	json_object_object_foreach(section, key, value)
	{
		(void)value;
		const struct doca_argp_param *param = flag_of(scope, key);
		if (param == NULL && !argp_parser.lenient) {
			argp_tell(DOCA_LOG_LEVEL_ERROR, "There is no flag \"%s\", which the JSON file has", key);
			return DOCA_ERROR_NOT_SUPPORTED;
		}
		if (param != NULL && param->cli_only)
			argp_tell(DOCA_LOG_LEVEL_WARNING,
				  "The flag \"%s\" is for command lines only, not for a JSON file", key);
	}
	return DOCA_SUCCESS;
}

static bool fits(const struct doca_argp_param *param, struct json_object *value)
{
	if (param->type == argp_release.json_object_type)
		return value != NULL;
	switch (param->type) {
	case DOCA_ARGP_TYPE_INT:
		return json_object_is_type(value, json_type_int);
	case DOCA_ARGP_TYPE_BOOLEAN:
		return json_object_is_type(value, json_type_boolean);
	case DOCA_ARGP_TYPE_DOUBLE:
		return json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int);
	default: /* texts, devices among them */
		return json_object_is_type(value, json_type_string);
	}
}

/* What is no text. A boolean that is false is as if it were not there. */
static doca_error_t call_back(const struct doca_argp_param *param, struct json_object *value)
{
	if (param->type == argp_release.json_object_type)
		return param->callback(value, argp_parser.config);
	if (param->type == DOCA_ARGP_TYPE_INT) {
		int number = json_object_get_int(value); /* the nearest that an int has */
		return param->callback(&number, argp_parser.config);
	}
	if (param->type == DOCA_ARGP_TYPE_BOOLEAN)
		return json_object_get_boolean(value) ? argp_value_from_text(param, "") : DOCA_SUCCESS;
	double number = json_object_get_double(value);
	return param->callback(&number, argp_parser.config);
}

static doca_error_t give(const struct doca_argp_param *param, struct json_object *value)
{
	if (!fits(param, value)) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "The JSON file has a value of another type for the flag \"%s\"",
			  param->long_name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (param->type == argp_release.json_object_type || !json_object_is_type(value, json_type_string))
		return call_back(param, value);
	const char *text = argp_json_text(value);
	return text == NULL ? DOCA_ERROR_NO_MEMORY : argp_value_from_text(param, text);
}

doca_error_t argp_json_give(const struct argp_json *json, bool general, const struct doca_argp_param *param,
			    bool *given)
{
	struct json_object *section = argp_json_section(json, general ? GENERAL_SECTION : PROGRAM_SECTION);
	struct json_object *value;
	if (param->cli_only || !json_object_object_get_ex(section, param->long_name, &value))
		return DOCA_SUCCESS;
	*given = true;
	if (!param->multiple)
		return give(param, value);
	if (!json_object_is_type(value, json_type_array)) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "The JSON file has no array for the flag \"%s\"", param->long_name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	doca_error_t result = DOCA_SUCCESS;
	for (size_t i = 0; i < json_object_array_length(value) && result == DOCA_SUCCESS; i++)
		result = give(param, json_object_array_get_idx(value, i));
	return result;
}
