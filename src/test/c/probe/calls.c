#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

typedef word any_function(word, word, word, word, word, word, word, word);
typedef word any_variadic_function(word, word, word, word, word, word, ...);

/* What the calling conventions of x86-64 and AArch64 have in common: integers, pointers and small unions, however they
 * are declared, are passed in the same registers, one each. */
word calls_raw(void *symbol, const word *a, bool variadic)
{
	if (variadic)
		return ((any_variadic_function *)symbol)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	return ((any_function *)symbol)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

/* The files of calls name functions as DOCA 2.5 does, without doca_. */
static const struct function *find(const char *name)
{
	char full[100];
	snprintf(full, sizeof full, "doca_%s", name);
	const struct function *function = table_find(full);
	if (function == NULL && strncmp(name, "cc_", 3) == 0) {
		snprintf(full, sizeof full, "doca_comch_%s", name + 3);
		function = table_find(full);
	}
	return function;
}

struct call {
	const struct function *function;
	void *symbol;
	word arguments[MAX_PARAMETERS];
	struct variable *outputs[MAX_PARAMETERS];
	const char *obstacle; /* why it cannot be made in this release */
};

static struct call prepare(const char *name, char **tokens, int count)
{
	struct call call = {.function = find(name)};
	call.symbol = call.function == NULL ? NULL : library_symbol(call.function->name);
	if (call.symbol == NULL)
		call.obstacle = "absent";
	else if (count > MAX_PARAMETERS ||
		 (call.function->variadic ? count < call.function->count : count != call.function->count))
		call.obstacle = "other parameters";
	else
		for (int i = 0; i < count; i++)
			call.arguments[i] = values_read(tokens[i], &call.outputs[i]);
	return call;
}

static word make(struct call *call)
{
	return calls_raw(call->symbol, call->arguments, call->function->variadic);
}

void calls_print_result(const struct function *function, word result)
{
	if (strcmp(function->returns, "void") == 0) {
		printf("-");
	} else if (strcmp(function->returns, "doca_error_t") == 0) {
		word argument[MAX_PARAMETERS] = {(uint32_t)result};
		const char *name = (const char *)calls_raw(library_symbol("doca_error_get_name"), argument, false);
		static const char *const prefixes[] = {"DOCA_ERROR_", "DOCA_"};
		for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
			if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
				printf("%s", name + strlen(prefixes[i]));
				return;
			}
		printf("unknown error");
	} else {
		values_print(function->returns, result, NULL);
	}
}

static void open_line(const char *name, const struct call *call)
{
	char full[100];
	snprintf(full, sizeof full, "doca_%s", name);
	lines_open(call->function != NULL ? call->function->name : full);
}

void calls_run(const char *name, char **tokens, int count, bool quiet)
{
	struct call call = prepare(name, tokens, count);
	if (quiet) {
		if (call.obstacle == NULL)
			make(&call);
		callbacks_forget();
		return;
	}
	open_line(name, &call);
	if (call.obstacle != NULL) {
		printf("%s\t", call.obstacle);
	} else {
		word result = make(&call);
		calls_print_result(call.function, result);
		printf("\t");
		for (int i = 0, printed = 0; i < call.function->count; i++)
			if (call.outputs[i] != NULL) {
				printf(printed++ > 0 ? " " : "");
				values_print_output(call.function->parameters[i].type, call.outputs[i]);
			}
		callbacks_print();
	}
	lines_close();
}

void calls_into(const char *variable, const char *name, char **tokens, int count)
{
	struct call call = prepare(name, tokens, count);
	values_variable(variable)->value = call.obstacle == NULL ? make(&call) : VALUES_UNTOUCHED;
}

void calls_sweep(long from, long to, const char *name, char **tokens, int count)
{
	struct variable *swept = values_variable("?");
	struct call call = prepare(name, tokens, count);
	open_line(name, &call);
	printf("%s\t", call.obstacle != NULL ? call.obstacle : "each");
	word last = 0;
	for (long value = from; value <= to && call.obstacle == NULL; value++) {
		swept->value = (word)value;
		call = prepare(name, tokens, count);
		word result = (uint32_t)make(&call);
		if (value == from || result != last) {
			printf(value == from ? "%ld:" : " %ld:", value);
			calls_print_result(call.function, result);
		}
		last = result;
	}
	lines_close();
}

void calls_repeat(long times, const char *name, char **tokens, int count)
{
	struct variable *counter = values_variable("?");
	struct call call = prepare(name, tokens, count);
	open_line(name, &call);
	long done = 0;
	word result = 0;
	for (; done < times && result == 0 && call.obstacle == NULL; done += result == 0) {
		counter->value = (word)done;
		call = prepare(name, tokens, count);
		result = (uint32_t)make(&call);
	}
	if (call.obstacle != NULL)
		printf("%s\t", call.obstacle);
	else {
		calls_print_result(call.function, result);
		printf("\t%ld times", done);
	}
	lines_close();
}
