/* What programs register with the parser since DOCA 3.1, and the kinds of flags that are new there. */
#include "argp.h"

doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx)
{
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = argp_check_begun();
	if (result == DOCA_SUCCESS) {
		argp_parser.dev_open_callback = callback;
		argp_parser.dev_open_context = usr_ctx;
	}
	return result;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = argp_check_begun();
	if (result != DOCA_SUCCESS)
		return result;
	if (argp_parser.logger_callback != NULL)
		return DOCA_ERROR_ALREADY_EXIST;
	argp_parser.logger_callback = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
	if (!argp_parser.begun || argp_parser.logger_callback == NULL)
		return DOCA_ERROR_BAD_STATE;
	argp_parser.logger_callback = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
	doca_error_t result = argp_check_registering();
	if (result == DOCA_SUCCESS)
		argp_parser.lenient = true;
	return result;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
	if (param != NULL)
		param->singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	if (param != NULL)
		param->inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	if (param != NULL)
		param->hidden = true;
}
