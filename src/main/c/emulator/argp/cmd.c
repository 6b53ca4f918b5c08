/* Commands, since DOCA 3.2. */
#include <stdlib.h>
#include <string.h>

#include "argp.h"
#include "log/sdk_log.h"

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
	if (cmd == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_error_t result = argp_check_begun();
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_argp_cmd *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*cmd = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
	if (cmd == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (cmd->owned)
		return DOCA_ERROR_BAD_STATE;
	argp_cmds_free(cmd);
	return DOCA_SUCCESS;
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
	if (cmd != NULL)
		argp_set_text(&cmd->name, name);
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
	if (cmd != NULL)
		argp_set_text(&cmd->description, description);
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
	if (cmd != NULL)
		cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
	if (cmd != NULL)
		cmd->hidden = true;
}

static doca_error_t check(const struct doca_argp_cmd *scope, const struct doca_argp_cmd *cmd)
{
	const char *missing = cmd->name == NULL ? "name" : cmd->description == NULL ? "description" : NULL;
	if (missing != NULL) {
		EMU_LOG_ERROR("A command was registered without its %s", missing);
		return DOCA_ERROR_INITIALIZATION;
	}
	for (const struct doca_argp_cmd *other = scope->cmds; other != NULL; other = other->next)
		if (strcmp(other->name, cmd->name) == 0) {
			EMU_LOG_ERROR("There is a command \"%s\"", cmd->name);
			return DOCA_ERROR_INVALID_VALUE;
		}
	return argp_check_registering();
}

static doca_error_t add(struct doca_argp_cmd *scope, struct doca_argp_cmd *cmd)
{
	if (cmd == NULL || cmd == scope)
		return DOCA_ERROR_INVALID_VALUE;
	if (cmd->owned)
		return DOCA_ERROR_BAD_STATE;
	doca_error_t result = check(scope, cmd);
	cmd->owned = true;
	struct doca_argp_cmd **last = &argp_parser.refused_cmds;
	if (result == DOCA_SUCCESS) {
		cmd->parent = scope;
		last = &scope->cmds;
	}
	while (*last != NULL)
		last = &(*last)->next;
	*last = cmd;
	return result;
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
	return add(&argp_parser.program, input_cmd);
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd, struct doca_argp_param *input_param)
{
	if (cmd == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return cmd->owned ? DOCA_ERROR_BAD_STATE : argp_param_add(cmd, input_param);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
	if (cmd == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return cmd->owned ? DOCA_ERROR_BAD_STATE : add(cmd, input_cmd);
}
