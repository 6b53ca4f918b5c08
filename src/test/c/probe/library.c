#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "probe.h"

/* In the order in which they need each other; each release has some of them. */
static const char *const names[] = {"doca_common", "doca_argp",  "doca_dma",
				    "doca_cc",     "doca_comch", "doca_comm_channel"};

enum { LIBRARIES = sizeof names / sizeof names[0] };

static void *handles[LIBRARIES];

void library_open(const char *folder)
{
	for (int i = 0; i < LIBRARIES; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/lib%s.so.2", folder, names[i]);
		handles[i] = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	}
	if (handles[0] == NULL) {
		fprintf(stderr, "%s: %s\n", folder, dlerror());
		exit(2);
	}
}

void *library_symbol(const char *name)
{
	for (int i = 0; i < LIBRARIES; i++) {
		void *symbol = handles[i] == NULL ? NULL : dlsym(handles[i], name);
		if (symbol != NULL)
			return symbol;
	}
	return NULL;
}
