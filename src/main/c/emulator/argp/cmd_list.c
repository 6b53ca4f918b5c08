#include <stdlib.h>

#include "argp.h"

/* Commands inside commands: as deep as their program made them. */
void argp_cmds_free(struct doca_argp_cmd *first)
{
	while (first != NULL) {
		struct doca_argp_cmd *cmd = first;
		first = cmd->next;
		argp_params_free(cmd->params);
		argp_cmds_free(cmd->cmds);
		free(cmd->name);
		free(cmd->description);
		free(cmd);
	}
}
