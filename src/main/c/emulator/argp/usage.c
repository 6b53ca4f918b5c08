/* What -h prints. */
#include <stdio.h>

#include "argp.h"

/* The column in which descriptions begin. */
#define COLUMN 36
#define COLUMN_WITH_GRPC 42

static void print_description(int written, const char *description)
{
	int column = argp_parser.grpc ? COLUMN_WITH_GRPC : COLUMN;
	printf("%*s%s\n", written < column ? column - written : 1, "", description);
}

static bool any(const struct doca_argp_param *first)
{
	while (first != NULL && first->hidden)
		first = first->next;
	return first != NULL;
}

static bool any_cmd(const struct doca_argp_cmd *first)
{
	while (first != NULL && first->hidden)
		first = first->next;
	return first != NULL;
}

static void print_params(const char *title, const struct doca_argp_param *first)
{
	if (!any(first))
		return;
	printf("\n%s:\n", title);
	for (const struct doca_argp_param *param = first; param != NULL; param = param->next) {
		if (param->hidden)
			continue;
		int written = printf("  ");
		if (param->short_name != NULL)
			written += printf("-%s%s", param->short_name, param->long_name != NULL ? ", " : "");
		if (param->long_name != NULL)
			written += printf("--%s", param->long_name);
		if (param->arguments != NULL)
			written += printf(" %s", param->arguments);
		print_description(written, param->description);
	}
}

static void print_cmds(const struct doca_argp_cmd *first)
{
	if (!any_cmd(first))
		return;
	printf("\nCommands:\n");
	for (const struct doca_argp_cmd *cmd = first; cmd != NULL; cmd = cmd->next)
		if (!cmd->hidden)
			print_description(printf("  %s", cmd->name), cmd->description);
}

/* The commands from the program down to one. */
static void print_path(const struct doca_argp_cmd *scope)
{
	if (scope->parent != NULL) {
		print_path(scope->parent);
		printf(" %s", scope->name);
	}
}

void argp_usage(const struct doca_argp_cmd *scope)
{
	bool program = scope->parent == NULL;
	printf("\n\nUsage: %s", argp_parser.program_name == NULL ? "" : argp_parser.program_name);
	if (argp_parser.dpdk_callback != NULL)
		printf(" [DPDK Flags] --");
	print_path(scope);
	if (argp_parser.general != NULL)
		printf(" [DOCA Flags]");
	if (any(scope->params))
		printf(" [%s Flags]", program ? "Program" : "Command");
	if (any_cmd(scope->cmds))
		printf(" [Command]");
	printf("\n");
	print_params("DOCA Flags", argp_parser.general);
	print_params(program ? "Program Flags" : "Command Flags", scope->params);
	print_cmds(scope->cmds);
	printf("\n\n");
}
