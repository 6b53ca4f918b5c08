/* In place of json.c where json-c was not there to build with. */
#include "argp.h"

doca_error_t argp_json_open(const char *path, struct argp_json **json)
{
	(void)json;
	argp_tell(DOCA_LOG_LEVEL_ERROR, "\"%s\": this library was built without json-c, and takes no JSON files", path);
	return DOCA_ERROR_NOT_SUPPORTED;
}

void argp_json_close(struct argp_json *json)
{
	(void)json;
}

doca_error_t argp_json_check(const struct argp_json *json, const struct doca_argp_cmd *scope)
{
	(void)json;
	(void)scope;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t argp_json_give(const struct argp_json *json, bool general, const struct doca_argp_param *param,
			    bool *given)
{
	(void)json;
	(void)general;
	(void)param;
	*given = false;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t argp_json_dpdk(const struct argp_json *json, char *program)
{
	(void)json;
	(void)program;
	return DOCA_ERROR_NOT_SUPPORTED;
}
