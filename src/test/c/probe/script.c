#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* A file of calls has cases and blocks, each of a heading and the lines up to the next:
 *
 *   case NAME         run in a process of its own
 *   block NAME        run by a line "with NAME"; a block with the name of a struct makes the object of this name
 *
 * and lines:
 *
 *   FUNCTION ARGUMENT…                without doca_; prints a line
 *   - FUNCTION ARGUMENT…              the same, silently: preparation
 *   into VARIABLE FUNCTION ARGUMENT…  silently; keeps what the function returns
 *   with BLOCK                        a block, silently
 *   sweep FROM TO FUNCTION ARGUMENT…  one call for each number, which is the argument ?
 *   repeat TIMES FUNCTION ARGUMENT…   until one fails
 *   and the words of extras.c
 *
 * Arguments: numbers, NULL, "text", x*120 (120 times x), VARIABLE, VARIABLE+NUMBER, &VARIABLE (an output), @VARIABLE
 * (an input that is an output too), and mem, fake, stderr and the callbacks any, freed, changed, flushed, counted,
 * taken. */

enum { MAX_LINES = 2000 };

static char *lines[MAX_LINES];
static int lines_count;

void script_read(const char *path)
{
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		perror(path);
		exit(2);
	}
	size_t capacity = 0;
	while (lines_count < MAX_LINES) {
		char **line = &lines[lines_count];
		capacity = 0;
		if (getline(line, &capacity, file) <= 0)
			break;
		(*line)[strcspn(*line, "\n")] = '\0';
		size_t blank = strspn(*line, " \t");
		if ((*line)[blank] != '\0' && (*line)[blank] != '#')
			lines_count++;
	}
	fclose(file);
}

static const char *heading(const char *line, const char *kind)
{
	size_t length = strlen(kind);
	return strncmp(line, kind, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static int find_block(const char *name)
{
	for (int i = 0; i < lines_count; i++) {
		const char *block = heading(lines[i], "block");
		if (block != NULL && strcmp(block, name) == 0)
			return i;
	}
	return -1;
}

bool script_has_block(const char *name)
{
	return find_block(name) >= 0;
}

static int tokens_of(char *line, char **tokens)
{
	int count = 0;
	for (char *c = line; *c != '\0' && count < MAX_TOKENS;) {
		c += strspn(c, " \t");
		if (*c == '\0')
			break;
		tokens[count++] = c;
		c += *c == '"' ? 1 + strcspn(c + 1, "\"") : strcspn(c, " \t");
		if (*c != '\0')
			*c++ = '\0';
	}
	return count;
}

static void run_lines(int after, bool quiet);

static void run_line(const char *line, bool quiet)
{
	char *copy = strdup(line); /* texts in it live as long as the process of the case */
	char *tokens[MAX_TOKENS];
	int count = tokens_of(copy, tokens);
	char **words = tokens;
	if (strcmp(words[0], "-") == 0) {
		quiet = true;
		words++;
		count--;
	}
	if (strcmp(words[0], "with") == 0)
		script_run_block(words[1]);
	else if (strcmp(words[0], "into") == 0)
		calls_into(words[1], words[2], words + 3, count - 3);
	else if (strcmp(words[0], "sweep") == 0)
		calls_sweep(strtol(words[1], NULL, 0), strtol(words[2], NULL, 0), words[3], words + 4, count - 4);
	else if (strcmp(words[0], "repeat") == 0)
		calls_repeat(strtol(words[1], NULL, 0), words[2], words + 3, count - 3);
	else if (!extras_run(words, count))
		calls_run(words[0], words + 1, count - 1, quiet);
}

static void run_lines(int after, bool quiet)
{
	for (int i = after + 1; i < lines_count && !heading(lines[i], "case") && !heading(lines[i], "block"); i++)
		run_line(lines[i], quiet);
}

void script_run_block(const char *name)
{
	int block = find_block(name);
	if (block < 0)
		abort();
	run_lines(block, true);
}

static void run_case(void *index)
{
	run_lines(*(int *)index, false);
}

void script_run_cases(void)
{
	for (int i = 0; i < lines_count; i++) {
		const char *name = heading(lines[i], "case");
		if (name != NULL)
			lines_process("setup", name, run_case, &i);
	}
}
