/* The life of the parser, and what programs register with it besides flags and commands. */
#include <stdlib.h>
#include <string.h>

#include "argp.h"

struct argp_parser argp_parser;

doca_error_t argp_check_begun(void)
{
	return argp_release.strict && !argp_parser.begun ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t argp_check_registering(void)
{
	return argp_release.strict && (!argp_parser.begun || argp_parser.started) ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t argp_keep(void *memory)
{
	struct argp_kept *kept = malloc(sizeof(*kept));
	if (kept == NULL) {
		free(memory);
		return DOCA_ERROR_NO_MEMORY;
	}
	*kept = (struct argp_kept){.next = argp_parser.kept, .memory = memory};
	argp_parser.kept = kept;
	return DOCA_SUCCESS;
}

static void end(void)
{
	while (argp_parser.kept != NULL) {
		struct argp_kept *kept = argp_parser.kept;
		argp_parser.kept = kept->next;
		free(kept->memory);
		free(kept);
	}
	argp_params_free(argp_parser.general);
	argp_params_free(argp_parser.program.params);
	argp_cmds_free(argp_parser.program.cmds);
	argp_params_free(argp_parser.refused);
	argp_cmds_free(argp_parser.refused_cmds);
	free(argp_parser.grpc_address);
	free(argp_parser.program_name);
	argp_parser = (struct argp_parser){0};
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
	if (argp_release.needs_name && program_name == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (argp_release.strict && argp_parser.begun)
		return DOCA_ERROR_BAD_STATE;
	end();
	argp_set_text(&argp_parser.program_name, program_name);
	if (program_name != NULL && argp_parser.program_name == NULL)
		return DOCA_ERROR_NO_MEMORY;
	argp_parser.config = program_config;
	argp_parser.begun = true;
	doca_error_t result = argp_general_make();
	if (result != DOCA_SUCCESS)
		end();
	return result;
}

doca_error_t doca_argp_destroy(void)
{
	doca_error_t result = argp_check_begun();
	if (result == DOCA_SUCCESS)
		end();
	return result;
}

void doca_argp_usage(void)
{
	argp_usage(argp_parser.scope != NULL ? argp_parser.scope : &argp_parser.program);
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
	return argp_param_add(&argp_parser.program, input_param);
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = argp_check_begun();
	if (result == DOCA_SUCCESS)
		argp_parser.version_callback = callback;
	return result;
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = argp_check_begun();
	if (result == DOCA_SUCCESS)
		argp_parser.validation_callback = callback;
	return result;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	if (argp_parser.begun)
		argp_parser.dpdk_callback = callback;
}
