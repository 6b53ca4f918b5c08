#include "argp.h"

const struct argp_release argp_release = {
	.strict = true,
	.needs_name = false,
	.json_alone = false,
	.last_type = DOCA_ARGP_TYPE_DOUBLE,
	.from_text = argp_device_from_text,
	.json_object_type = DOCA_ARGP_TYPE_UNKNOWN,
};
