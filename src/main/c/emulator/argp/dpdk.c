/* The part of a command line that is DPDK's. */
#include <stdlib.h>
#include <string.h>

#include "argp.h"

bool argp_dpdk_split(int argc, char **argv, struct argp_line *dpdk, struct argp_line *own)
{
	*dpdk = (struct argp_line){0};
	*own = (struct argp_line){.count = argc > 1 ? argc - 1 : 0, .words = argv + 1};
	if (argp_parser.dpdk_callback == NULL)
		return false;
	*dpdk = *own;
	*own = (struct argp_line){0};
	for (int i = 0; i < dpdk->count; i++)
		if (strcmp(dpdk->words[i], "--") == 0) {
			*own = (struct argp_line){.count = dpdk->count - i - 1, .words = dpdk->words + i + 1};
			dpdk->count = i;
		}
	return true;
}

doca_error_t argp_dpdk_call(char *program, const struct argp_line *words, char *end)
{
	/* Until the parser ends: rte_eal_init() keeps pointers into it. */
	size_t count = (size_t)words->count;
	char **arguments = calloc(count + 3, sizeof(char *));
	if (arguments == NULL || argp_keep((void *)arguments) != DOCA_SUCCESS)
		return DOCA_ERROR_NO_MEMORY;
	arguments[0] = program;
	for (size_t i = 0; i < count; i++)
		arguments[i + 1] = words->words[i];
	arguments[count + 1] = end;
	return argp_parser.dpdk_callback((int)count + (end == NULL ? 1 : 2), arguments);
}
