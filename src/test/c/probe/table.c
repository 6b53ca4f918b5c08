#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

enum { MAX_FUNCTIONS = 600, FIELDS = 6 };

static struct function functions[MAX_FUNCTIONS];
static int functions_count;

/* "const struct doca_pe *pe" into type and name. */
static struct parameter parameter_of(char *text)
{
	size_t end = strlen(text);
	size_t name = end;
	while (name > 0 && text[name - 1] != ' ' && text[name - 1] != '*')
		name--;
	char *copy = strdup(text + name);
	while (name > 0 && text[name - 1] == ' ')
		name--;
	text[name] = '\0';
	return (struct parameter){.type = text, .name = copy};
}

static void add_parameters(struct function *function, char *text)
{
	if (strcmp(text, "void") == 0)
		return;
	for (char *next; text != NULL; text = next) {
		next = strchr(text, ',');
		if (next != NULL) {
			*next = '\0';
			next += 1 + strspn(next + 1, " ");
		}
		if (strcmp(text, "...") == 0)
			function->variadic = true;
		else if (function->count < MAX_PARAMETERS)
			function->parameters[function->count++] = parameter_of(text);
	}
}

void table_read(const char *path)
{
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		perror(path);
		exit(2);
	}
	char *line = NULL;
	size_t capacity = 0;
	while (getline(&line, &capacity, file) > 0 && functions_count < MAX_FUNCTIONS) {
		line[strcspn(line, "\n")] = '\0';
		char *fields[FIELDS] = {NULL};
		char *rest = line;
		for (int i = 0; i < FIELDS && rest != NULL; i++)
			fields[i] = strsep(&rest, "\t");
		if (strcmp(fields[0], "function") != 0 || fields[FIELDS - 1] == NULL ||
		    strcmp(fields[3], "inline") == 0)
			continue;
		struct function *function = &functions[functions_count++];
		function->name = fields[2];
		function->returns = fields[4];
		add_parameters(function, fields[5]);
		line = NULL; /* the function keeps it */
		capacity = 0;
	}
	free(line);
	fclose(file);
}

const struct function *table_next(const struct function *after)
{
	const struct function *next = after == NULL ? functions : after + 1;
	return next < functions + functions_count ? next : NULL;
}

const struct function *table_find(const char *name)
{
	for (const struct function *f = NULL; (f = table_next(f)) != NULL;)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
