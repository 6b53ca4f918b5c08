#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doca_ctx.h"
#include "probe.h"

static char notes[4096];

/* Numbers vary with time and process, and so does the escape of colours with the terminal. */
static void note(const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	size_t length = strlen(notes);
	snprintf(notes + length, sizeof notes - length, "%s%s", length > 0 ? "; " : "", text);
}

static void any(void)
{
}

static void freed(void *address, size_t length, void *cookie)
{
	word start = values_variable("mem")->value;
	note("freed mem%+ld, %zu bytes, cookie %ld", (long)((word)address - start), length, (long)cookie);
}

static void changed(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states from,
		    enum doca_ctx_states to)
{
	(void)data;
	(void)ctx;
	note("state %d to %d", from, to);
}

static void flushed(char *text)
{
	char plain[300];
	size_t used = 0;
	for (; *text != '\0' && used + 1 < sizeof plain; text++) {
		char c = *text >= '0' && *text <= '9' ? '#' : *text == '\n' ? '|' : *text == 27 ? '^' : *text;
		if (c != '#' || used == 0 || plain[used - 1] != '#')
			plain[used++] = c;
	}
	plain[used] = '\0';
	note("flushed [%s]", plain);
}

/* For the lines of the libraries themselves, whose texts are their owner's. */
static void counted(char *text)
{
	int lines = 0;
	for (; *text != '\0'; text++)
		lines += *text == '\n';
	note("flushed %s", lines > 0 ? "lines" : "no line");
}

/* Of the parser of command lines: nothing is wrong. */
static int taken(void)
{
	note("taken");
	return 0;
}

void callbacks_define(void)
{
	values_variable("any")->value = (word)any;
	values_variable("freed")->value = (word)freed;
	values_variable("changed")->value = (word)changed;
	values_variable("flushed")->value = (word)flushed;
	values_variable("counted")->value = (word)counted;
	values_variable("taken")->value = (word)taken;
}

void callbacks_forget(void)
{
	notes[0] = '\0';
}

void callbacks_print(void)
{
	if (notes[0] != '\0')
		printf(" {%s}", notes);
	callbacks_forget();
}
