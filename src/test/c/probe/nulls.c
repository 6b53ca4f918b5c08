#include <stdio.h>
#include <string.h>

#include "probe.h"

struct null_case {
	const struct function *function;
	int parameter; /* which is NULL; -1: all pointers */
};

/* The name of the block that makes what a parameter points to, or false if there is none. */
static bool maker_of(const char *type, char *name, size_t size)
{
	const char *begin = strstr(type, "struct doca_");
	const char *star = strchr(type, '*');
	if (begin == NULL || star == NULL || star[1] != '\0')
		return false;
	begin += strlen("struct ");
	size_t length = strcspn(begin, " ");
	if (strncmp(begin, "doca_comch_", 11) == 0)
		snprintf(name, size, "doca_cc_%.*s", (int)length - 11, begin + 11);
	else
		snprintf(name, size, "%.*s", (int)length, begin);
	return script_has_block(name);
}

/* A value that is in order, NULL where there is none without a card. */
static word valid(const char *type)
{
	char name[40];
	if (maker_of(type, name, sizeof name)) {
		if (values_variable(name)->value == VALUES_UNTOUCHED)
			script_run_block(name);
		word made = values_variable(name)->value;
		return made == VALUES_UNTOUCHED ? 0 : made;
	}
	if (strcmp(type, "const char *") == 0)
		return (word) "x";
	if (strcmp(type, "FILE *") == 0)
		return values_variable("stderr")->value;
	if (strcmp(type, "size_t") == 0)
		return 512;
	if (!values_is_pointer(type))
		return 1;
	if (strchr(type, '*') == NULL)
		return values_variable("any")->value;
	return strstr(type, "struct ") != NULL && strstr(type, "**") == NULL ? 0 : values_variable("mem")->value;
}

static void run(void *argument)
{
	const struct null_case *c = argument;
	const struct function *function = c->function;
	void *symbol = library_symbol(function->name);
	word arguments[MAX_PARAMETERS] = {0};
	for (int i = 0; i < function->count; i++) {
		bool null = c->parameter == i || (c->parameter < 0 && values_is_pointer(function->parameters[i].type));
		arguments[i] = null ? 0 : valid(function->parameters[i].type);
	}
	lines_open(function->name);
	if (symbol == NULL)
		printf("absent\t");
	else {
		calls_print_result(function, calls_raw(symbol, arguments, function->variadic));
		printf("\t");
	}
	lines_close();
}

static void run_case(const struct function *function, int parameter, const char *name)
{
	char full[80];
	snprintf(full, sizeof full, "null:%s", name);
	lines_process(function->name, full, run, &(struct null_case){function, parameter});
}

void nulls_run(void)
{
	for (const struct function *f = NULL; (f = table_next(f)) != NULL;) {
		int pointers = 0;
		for (int i = 0; i < f->count; i++)
			if (values_is_pointer(f->parameters[i].type)) {
				run_case(f, i, f->parameters[i].name);
				pointers++;
			}
		if (pointers > 1)
			run_case(f, -1, "all");
	}
}
