/* The flags that every program has. */
#include "argp.h"

#define LEVELS "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>"

const char argp_help[] = "help";
const char argp_version[] = "version";
const char argp_json[] = "json";

static doca_error_t set_level(void *param, doca_error_t (*set)(uint32_t), const char *whose)
{
	const int *level = param;
	doca_error_t result = *level < 0 ? DOCA_ERROR_INVALID_VALUE : set((uint32_t)*level);
	if (result != DOCA_SUCCESS)
		argp_tell(DOCA_LOG_LEVEL_ERROR, "%d is no level of the %s's log", *level, whose);
	return result;
}

static doca_error_t set_log_level(void *param, void *config)
{
	(void)config;
	return set_level(param, doca_log_level_set_global_lower_limit, "program");
}

static doca_error_t set_sdk_log_level(void *param, void *config)
{
	(void)config;
	return set_level(param, doca_log_level_set_global_sdk_limit, "SDK");
}

/* Of flags that doca_argp_start looks for itself. */
static doca_error_t nothing(void *param, void *config)
{
	(void)param;
	(void)config;
	return DOCA_SUCCESS;
}

static doca_error_t add(struct doca_argp_param ***last, const struct doca_argp_param *like)
{
	struct doca_argp_param *param;
	doca_error_t result = doca_argp_param_create(&param);
	if (result != DOCA_SUCCESS)
		return result;
	*param = (struct doca_argp_param){
		.callback = like->callback, .type = like->type, .cli_only = like->cli_only, .owned = true};
	argp_set_text(&param->short_name, like->short_name);
	argp_set_text(&param->long_name, like->long_name);
	argp_set_text(&param->arguments, like->arguments);
	argp_set_text(&param->description, like->description);
	**last = param;
	*last = &param->next;
	return param->long_name == NULL || param->description == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

doca_error_t argp_general_make(void)
{
	static const struct doca_argp_param all[] = {
		{.short_name = (char *)"h",
		 .long_name = (char *)argp_help,
		 .description = (char *)"Print this text",
		 .type = DOCA_ARGP_TYPE_BOOLEAN,
		 .cli_only = true,
		 .callback = nothing},
		{.short_name = (char *)"v",
		 .long_name = (char *)argp_version,
		 .description = (char *)"Print the version",
		 .type = DOCA_ARGP_TYPE_BOOLEAN,
		 .cli_only = true,
		 .callback = nothing},
		{.short_name = (char *)"l",
		 .long_name = (char *)"log-level",
		 .description = (char *)"Level of the program's log " LEVELS,
		 .type = DOCA_ARGP_TYPE_INT,
		 .callback = set_log_level},
		{.long_name = (char *)"sdk-log-level",
		 .description = (char *)"Level of the SDK's log " LEVELS,
		 .type = DOCA_ARGP_TYPE_INT,
		 .callback = set_sdk_log_level},
		{.short_name = (char *)"j",
		 .long_name = (char *)argp_json,
		 .arguments = (char *)"<path>",
		 .description = (char *)"Take flags from a JSON file",
		 .type = DOCA_ARGP_TYPE_STRING,
		 .cli_only = true,
		 .callback = nothing},
	};
	struct doca_argp_param **last = &argp_parser.general;
	doca_error_t result = DOCA_SUCCESS;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && result == DOCA_SUCCESS; i++)
		result = add(&last, &all[i]);
	return result;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
	if (log_level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = (int)doca_log_level_get_global_lower_limit();
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
	if (log_level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = (int)doca_log_level_get_global_sdk_limit();
	return DOCA_SUCCESS;
}
