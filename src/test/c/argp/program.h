/* A program with flags of each kind, run in a process of its own with a command line; what it printed. */
#ifndef ARGP_PROGRAM_H
#define ARGP_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doca_argp.h"

struct outcome {
	char out[16384], err[8192];
	int status; /* of exit(); negative: a signal */
};

/* Runs `body` in a child process, which then ends with 0. */
void run(struct outcome *outcome, void (*body)(const void *), const void *argument);

/* What the program is to have besides the flags that it has always. */
enum {
	MUST = 1,        /* -x, --must is mandatory */
	VALIDATE = 2,    /* a validation callback */
	INVALID = 4,     /* which fails: TOO_BIG */
	VERSION = 8,     /* a version callback */
	DPDK = 16,       /* is a program of DPDK */
	FAIL_STRING = 32 /* the callback of -s fails: NOT_FOUND */
};

/* More of it, before doca_argp_start; or NULL. */
typedef void (*more_t)(void);

/* Parses a line, whose words are apart by single spaces and which may begin with "--"; prints a line per callback and
 * "-> RESULT". */
void parse(struct outcome *outcome, unsigned with, more_t more, const char *line);

/* The same, and what it must print: on standard output, with "USAGE" where it says how it is used, and somewhere on
 * standard error; NULL: there nothing. */
void check_line(unsigned with, more_t more, const char *line, const char *out, const char *err);

/* Makes a flag and registers it with a command, or with the program. */
struct flag {
	const char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	void (*set[3])(struct doca_argp_param *);
};
struct doca_argp_param *make_flag(const struct flag *flag);
void add_flag(const struct flag *flag);

/* Callbacks that print "NAME VALUE". */
doca_error_t on_string(void *param, void *config);
doca_error_t on_number(void *param, void *config);
doca_error_t on_other(void *param, void *config);

#define OK(call) assert_int_equal(call, DOCA_SUCCESS)

#endif
