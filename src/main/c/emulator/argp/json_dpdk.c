/* The part of a file of -j that is DPDK's: "devices" (objects with "device", "id", and perhaps "sft" and "hws"),
 * "core-list", and "flags" as a command line has them. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct arguments {
	struct argp_line line;
	bool no_memory;
};

/* Takes over the text. */
static void add(struct arguments *arguments, char *text)
{
	struct argp_line *line = &arguments->line;
	char **grown = realloc((void *)line->words, ((size_t)line->count + 1) * sizeof(char *));
	if (grown != NULL)
		line->words = grown;
	if (grown == NULL || text == NULL)
		arguments->no_memory = true;
	else
		grown[line->count++] = text;
}

static const char *string_of(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static bool is_true(struct json_object *object, const char *key)
{
	return json_object_get_boolean(json_object_object_get(object, key));
}

static bool add_device(struct arguments *arguments, struct json_object *device)
{
	const char *kind = string_of(device, "device"), *id = string_of(device, "id");
	if (kind == NULL || id == NULL)
		return false;
	static char option[] = "-a";
	char text[512];
	snprintf(text, sizeof(text), "%s%s%s%s%s", strcmp(kind, "sf") == 0 ? "auxiliary:mlx5_core.sf." : "", id,
		 strcmp(kind, "regex") == 0 ? ",class=regex" : "", is_true(device, "sft") ? ",sft_en=1" : "",
		 is_true(device, "hws") ? ",dv_flow_en=2" : "");
	char *copy = strdup(text);
	if (copy != NULL && argp_keep(copy) != DOCA_SUCCESS)
		copy = NULL;
	add(arguments, option);
	add(arguments, copy);
	return true;
}

static bool add_devices(struct arguments *arguments, struct json_object *devices)
{
	if (!json_object_is_type(devices, json_type_array))
		return false;
	bool good = true;
	for (size_t i = 0; i < json_object_array_length(devices) && good; i++)
		good = add_device(arguments, json_object_array_get_idx(devices, i));
	return good;
}

static bool add_cores(struct arguments *arguments, struct json_object *cores)
{
	static char option[] = "-l";
	if (!json_object_is_type(cores, json_type_string))
		return false;
	add(arguments, option);
	add(arguments, argp_json_text(cores));
	return true;
}

static bool add_flags(struct arguments *arguments, struct json_object *flags)
{
	if (!json_object_is_type(flags, json_type_string))
		return false;
	char *rest, *text = argp_json_text(flags);
	if (text == NULL)
		arguments->no_memory = true;
	else
		for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
			add(arguments, word);
	return true;
}

/* Names and functions of the keys, in the order in which DPDK sees them. */
static const struct {
	const char *key;
	bool (*add)(struct arguments *arguments, struct json_object *value);
} keys[] = {{"devices", add_devices}, {"core-list", add_cores}, {"flags", add_flags}};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static doca_error_t check(struct json_object *section)
{
	json_object_object_foreach(section, key, value)
	{
		(void)value;
		size_t i = 0;
		while (i < KEYS && strcmp(keys[i].key, key) != 0)
			i++;
		if (i == KEYS && !argp_parser.lenient) {
			argp_tell(DOCA_LOG_LEVEL_ERROR, "There is no flag \"%s\" of DPDK, which the JSON file has",
				  key);
			return DOCA_ERROR_NOT_SUPPORTED;
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t read_section(struct json_object *section, struct arguments *arguments)
{
	doca_error_t result = check(section);
	for (size_t i = 0; i < KEYS && result == DOCA_SUCCESS; i++) {
		struct json_object *value;
		if (json_object_object_get_ex(section, keys[i].key, &value) && !keys[i].add(arguments, value)) {
			argp_tell(DOCA_LOG_LEVEL_ERROR, "\"%s\" of \"%s\" is not what DPDK takes", keys[i].key,
				  ARGP_DPDK_SECTION);
			result = DOCA_ERROR_INVALID_VALUE;
		}
	}
	return result == DOCA_SUCCESS && arguments->no_memory ? DOCA_ERROR_NO_MEMORY : result;
}

doca_error_t argp_json_dpdk(const struct argp_json *json, char *program)
{
	static char end[] = "--";
	struct arguments arguments = {0};
	struct json_object *section = argp_json_section(json, ARGP_DPDK_SECTION);
	doca_error_t result = DOCA_SUCCESS;
	if (section != NULL)
		result = argp_json_is_object(section, ARGP_DPDK_SECTION) ? read_section(section, &arguments)
									 : DOCA_ERROR_INVALID_VALUE;
	if (result == DOCA_SUCCESS)
		result = argp_dpdk_call(program, &arguments.line, end);
	free((void *)arguments.line.words);
	return result;
}
