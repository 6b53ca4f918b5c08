#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "probe.h"

enum {
	MAX_VARIABLES = 64,
	/* Around the memory of maps there is memory too: pointers that are a little outside of it fault nowhere. */
	MEMORY = 2 << 20,
	MARGIN = 64 << 10,
	FAKE = 64 << 10
};

static struct variable variables[MAX_VARIABLES];
static int variables_count;
static char *memory;
static char fake[FAKE];

static void define(const char *name, word value)
{
	values_variable(name)->value = value;
}

void values_reset(void)
{
	variables_count = 0;
	if (memory == NULL) {
		char *area = mmap((void *)0x600000000000, MEMORY + 2 * MARGIN, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (area == MAP_FAILED)
			abort();
		memory = area + MARGIN;
	}
	define("mem", (word)memory);
	define("fake", (word)fake);
	define("stderr", (word)stderr);
	callbacks_define();
}

struct variable *values_variable(const char *name)
{
	for (int i = 0; i < variables_count; i++)
		if (strcmp(variables[i].name, name) == 0)
			return &variables[i];
	if (variables_count == MAX_VARIABLES)
		abort();
	struct variable *variable = &variables[variables_count++];
	snprintf(variable->name, sizeof variable->name, "%s", name);
	variable->value = VALUES_UNTOUCHED;
	return variable;
}

/* x*120: 120 times the character x. */
static char *repeated(const char *token)
{
	size_t length = strtoul(token + 2, NULL, 0);
	char *text = malloc(length + 1);
	memset(text, token[0], length);
	text[length] = '\0';
	return text;
}

word values_read(const char *token, struct variable **output)
{
	*output = NULL;
	if (strcmp(token, "NULL") == 0)
		return 0;
	if (token[0] == '"')
		return (word)(token + 1);
	if (token[0] == '&' || token[0] == '@') { /* @: what is in it is an input too */
		*output = values_variable(token + 1);
		if (token[0] == '&')
			(*output)->value = VALUES_UNTOUCHED;
		return (word) & (*output)->value;
	}
	if (token[0] != '\0' && token[1] == '*')
		return (word)repeated(token);
	char *end;
	word number = token[0] == '-' ? (word)strtoll(token, &end, 0) : strtoull(token, &end, 0);
	if (*end == '\0')
		return number;
	char name[sizeof variables[0].name];
	size_t length = strcspn(token, "+-");
	snprintf(name, sizeof name, "%.*s", (int)length, token);
	return values_variable(name)->value + (word)strtoll(token + length, NULL, 0);
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	return length >= strlen(suffix) && strcmp(text + length - strlen(suffix), suffix) == 0;
}

bool values_is_pointer(const char *type)
{
	return has_suffix(type, "*") || has_suffix(type, "_cb_t") || has_suffix(type, "_callback_t") ||
	       has_suffix(type, "callback") || has_suffix(type, "_handler");
}

static size_t size_of(const char *type)
{
	static const struct {
		const char *type;
		size_t size;
	} sizes[] = {{"uint8_t", 1}, {"char", 1},     {"uint16_t", 2},
		     {"size_t", 8},  {"uint64_t", 8}, {"union doca_data", 8}};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		if (strcmp(type, sizes[i].type) == 0)
			return sizes[i].size;
	return values_is_pointer(type) ? sizeof(void *) : sizeof(int);
}

static word truncated(word value, size_t size)
{
	return size == sizeof value ? value : value & (((word)1 << 8 * size) - 1);
}

/* The latest variable with this value. */
static const struct variable *same_as(word value, size_t size, const struct variable *own)
{
	for (const struct variable *v = variables + variables_count; v-- > variables;)
		if (v != own && truncated(v->value, size) == truncated(value, size))
			return v;
	return NULL;
}

static void print_pointer(word value, const struct variable *own)
{
	int64_t offset = (int64_t)(value - (word)memory);
	if (value == 0) {
		printf("NULL");
		return;
	}
	if (offset >= -MARGIN && offset < MEMORY + MARGIN) {
		printf(offset == 0 ? "mem" : "mem%+" PRId64, offset);
		return;
	}
	const struct variable *same = same_as(value, sizeof value, own);
	printf("%s", same != NULL ? same->name : "set");
}

void values_print(const char *type, word value, const struct variable *own)
{
	size_t size = size_of(type);
	if (strcmp(type, "doca_notification_handle_t") == 0 || strcmp(type, "doca_event_channel_t") == 0)
		printf("%s", (int)value >= 0 ? "descriptor" : "negative");
	else if (strcmp(type, "const char *") == 0) {
		/* Texts are their owner's; names of errors and numbers of releases are facts. */
		const char *text = (const char *)value;
		printf("%s", text == NULL ? "NULL" : strncmp(text, "DOCA_", 5) == 0 ? text : "text");
	} else if (values_is_pointer(type))
		print_pointer(value, own);
	else if (strcmp(type, "int") == 0)
		printf("%d", (int)value);
	else
		printf("%" PRId64, (int64_t)truncated(value, size));
}

void values_print_output(const char *type, const struct variable *variable)
{
	char pointee[80];
	const char *begin = strncmp(type, "const ", 6) == 0 && !has_suffix(type, "**") ? type + 6 : type;
	snprintf(pointee, sizeof pointee, "%.*s", (int)strlen(begin) - 1, begin);
	size_t length = strlen(pointee);
	while (length > 0 && pointee[length - 1] == ' ')
		pointee[--length] = '\0';
	printf("%s=", variable->name);
	if (strcmp(pointee, "int") == 0 && (int)variable->value >= 0) {
		/* An id: which one is the library's business, whether it is another is not. */
		const struct variable *same = same_as(variable->value, sizeof(int), variable);
		printf("%s", same != NULL ? same->name : "set");
	} else if (truncated(variable->value, size_of(pointee)) == truncated(VALUES_UNTOUCHED, size_of(pointee)))
		printf("untouched");
	else
		values_print(pointee, variable->value, variable);
}
