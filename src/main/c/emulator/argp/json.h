/* What the sources that need json-c share. */
#ifndef EMU_ARGP_JSON_H
#define EMU_ARGP_JSON_H

#include <json-c/json.h>

#include "argp.h"

/* The object that a file has under a key; NULL: none. */
struct json_object *argp_json_section(const struct argp_json *json, const char *name);
/* Whether a section is an object; tells the user if it is not. */
bool argp_json_is_object(struct json_object *section, const char *name);
/* Copies a string until the parser ends; NULL: no memory. */
char *argp_json_text(struct json_object *value);

#define ARGP_DPDK_SECTION "doca_dpdk_flags"

#endif
