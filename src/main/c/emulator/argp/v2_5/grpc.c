/* The address of a program behind gRPC, a flag of DOCA 2.5 and 2.6. */
#include <stdlib.h>
#include <string.h>

#include "argp.h"

DOCA_EXPERIMENTAL void doca_argp_set_grpc_program(void);
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_grpc_addr(const char **address);

static doca_error_t set_address(void *param, void *config)
{
	(void)config;
	argp_set_text(&argp_parser.grpc_address, param);
	return argp_parser.grpc_address == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

void doca_argp_set_grpc_program(void)
{
	if (!argp_parser.begun || argp_parser.grpc)
		return;
	struct doca_argp_param *param;
	if (doca_argp_param_create(&param) != DOCA_SUCCESS)
		return;
	doca_argp_param_set_short_name(param, "g");
	doca_argp_param_set_long_name(param, "grpc-address");
	doca_argp_param_set_arguments(param, "ip_address[:port]");
	doca_argp_param_set_description(param, "Address of the gRPC server");
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
	doca_argp_param_set_callback(param, set_address);
	doca_argp_param_set_mandatory(param);
	param->owned = true;
	struct doca_argp_param **last = &argp_parser.general;
	while (*last != NULL)
		last = &(*last)->next;
	*last = param;
	argp_parser.grpc = true;
}

doca_error_t doca_argp_get_grpc_addr(const char **address)
{
	if (address == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*address = argp_parser.grpc_address == NULL ? "" : argp_parser.grpc_address;
	return DOCA_SUCCESS;
}
