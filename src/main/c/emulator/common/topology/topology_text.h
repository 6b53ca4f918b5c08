/* Pieces of the text of a topology, and the limits in it. */
#ifndef EMU_TOPOLOGY_TEXT_H
#define EMU_TOPOLOGY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/limits.h"

struct span {
	const char *start;
	size_t len;
};

struct parser {
	const char *origin;
	unsigned line; /* 0: not lines */
	bool bad;
};

/* Reports what is wrong with the text; there is no topology then. */
__attribute__((format(printf, 2, 3))) void text_complain(struct parser *parser, const char *format, ...);

/* For "%.*s". */
#define SPAN(s) (int)((s).len < 64 ? (s).len : 64), (s).start

bool span_is(struct span span, const char *text);

/* Takes the part of `rest` before the first `stop` or its end; stop ' ' is any white space, and takes all of it. */
struct span span_cut(struct span *rest, char stop);

/* A word of fewer than `size` visible characters; false: it is none. */
bool span_copy_name(struct span value, char *out, size_t size);

/* A decimal number of at most `largest`; false: it is none. */
bool span_number(struct span value, uint64_t largest, uint64_t *out);

/* ---- topology_limits.c ---- */

/* Sets the limit of that name, or complains. */
void limits_set(struct parser *parser, struct span name, struct span value, struct emu_limits *limits);

/* Complains of limits that do not go together. */
void limits_check(struct parser *parser, const struct emu_limits *limits);

#endif
