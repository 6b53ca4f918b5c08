/* libdoca_argp of DOCA 2.5 and 2.6, as that of 2.5.0108 was seen to answer. */
#include "argp.h"

#define JSON_OBJECT ((enum doca_argp_type)4) /* DOCA_ARGP_TYPE_JSON_OBJ, of these releases only */

const struct argp_release argp_release = {
	.strict = false,
	.needs_name = true,
	.json_alone = true,
	.last_type = JSON_OBJECT,
	.from_text = NULL,
	.json_object_type = JSON_OBJECT,
};
