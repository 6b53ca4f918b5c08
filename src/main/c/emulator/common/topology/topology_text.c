#include "topology/topology_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log/sdk_log.h"

/* What cannot be seen, or is no ASCII, as \xNN: an address with such a character looks right. */
static void make_visible(const char *text, char *out, size_t size)
{
	size_t have = 0;
	for (; *text != '\0' && have + sizeof("\\x00") <= size; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte >= ' ' && byte <= '~')
			out[have++] = (char)byte;
		else
			have += (size_t)snprintf(out + have, size - have, "\\x%02x", byte);
	}
	out[have] = '\0';
}

void text_complain(struct parser *parser, const char *format, ...)
{
	char told[256], what[4 * sizeof(told)];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(told, sizeof(told), format, arguments);
	va_end(arguments);
	make_visible(told, what, sizeof(what));
	if (parser->line > 0)
		EMU_LOG_ERROR("%s, line %u: %s; no device is visible", parser->origin, parser->line, what);
	else
		EMU_LOG_ERROR("%s: %s; no device is visible", parser->origin, what);
	parser->bad = true;
}

bool span_is(struct span span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.start, text, span.len) == 0;
}

struct span span_cut(struct span *rest, char stop)
{
	size_t at = 0;
	if (stop == ' ')
		while (rest->len > 0 && isspace((unsigned char)rest->start[0])) {
			rest->start++;
			rest->len--;
		}
	while (at < rest->len && (stop == ' ' ? !isspace((unsigned char)rest->start[at]) : rest->start[at] != stop))
		at++;
	struct span part = {rest->start, at};
	size_t gone = at < rest->len ? at + 1 : at;
	rest->start += gone;
	rest->len -= gone;
	return part;
}

bool span_copy_name(struct span value, char *out, size_t size)
{
	if (/* guard: topology-name-none */ value.len == 0 || /* guard: topology-name-length */ value.len >= size)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (/* guard: topology-name-characters */ !isgraph((unsigned char)value.start[i]))
			return false;
	memset(out, 0, size);
	memcpy(out, value.start, value.len);
	return true;
}

bool span_number(struct span value, uint64_t largest, uint64_t *out)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (!isdigit((unsigned char)value.start[i]))
			return false;
		sum = sum * 10 + (uint64_t)(value.start[i] - '0');
		if (/* guard: topology-number */ sum > largest)
			return false;
	}
	*out = sum;
	return value.len > 0;
}
