/* The inside of libdoca_argp. A parser has scopes: the program, then the commands that were given, each inside the one
 * before. What differs between releases is in a struct of its own, argp_release.c. */
#ifndef EMU_ARGP_H
#define EMU_ARGP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_argp.h"

struct doca_argp_param {
	char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool mandatory, cli_only, multiple, singular, inherited, hidden;
	bool owned;     /* by the parser, or by a command */
	unsigned times; /* that it stands on the command line */
	struct doca_argp_param *next;
};

/* A command; the program itself has one, without a name. */
struct doca_argp_cmd {
	char *name, *description;
	doca_argp_cmd_cb_t callback;
	bool hidden, owned;
	struct doca_argp_param *params; /* in the order of their registration, and so are */
	struct doca_argp_cmd *cmds;
	struct doca_argp_cmd *parent;
	struct doca_argp_cmd *next;
};

/* What a program was given for DPDK, or strings that callbacks were shown: until the parser ends. */
struct argp_kept {
	struct argp_kept *next;
	void *memory;
};

struct argp_parser {
	bool begun, started;
	char *program_name; /* NULL: that of the program's file */
	void *config;
	struct doca_argp_param *general; /* flags that every program has */
	struct doca_argp_cmd program;
	struct doca_argp_param *refused; /* whose registration failed */
	struct doca_argp_cmd *refused_cmds;
	doca_argp_param_cb_t version_callback;
	doca_argp_validation_cb_t validation_callback;
	doca_argp_dpdk_cb_t dpdk_callback;
	doca_argp_dev_open_cb_t dev_open_callback;
	void *dev_open_context;
	doca_argp_logger_cb_t logger_callback;
	bool lenient; /* keys of files that no flag has */
	bool grpc;
	char *grpc_address;
	const struct doca_argp_cmd *scope; /* the innermost command that was given */
	struct argp_kept *kept;
};

extern struct argp_parser argp_parser;

struct argp_release {
	/* Refuses calls before doca_argp_init, and those after doca_argp_start that come too late for it. */
	bool strict;
	bool needs_name; /* of the program */
	bool json_alone; /* no other flag stands beside -j */
	enum doca_argp_type last_type;
	/* Values of kinds that the release has in addition; NULL: none. */
	doca_error_t (*from_text)(const struct doca_argp_param *param, const char *text);
	/* A value of a file that is no string, number or boolean; NULL: there is no such kind. */
	enum doca_argp_type json_object_type; /* DOCA_ARGP_TYPE_UNKNOWN: there is none */
};

extern const struct argp_release argp_release;

/* BAD_STATE where the release cares and the parser has not begun. */
doca_error_t argp_check_begun(void);
/* The same, and where it has been started. */
doca_error_t argp_check_registering(void);

/* Takes over memory from malloc. NO_MEMORY: and has freed it. */
doca_error_t argp_keep(void *memory);

/* ---- message.c ---- */

/* To the user, and to the log of the SDK. */
void argp_tell(enum doca_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- param.c, cmd.c ---- */

/* Replaces a string of a flag or command by a copy. */
void argp_set_text(char **text, const char *value);
/* Puts a flag into the list of a scope, or, if it is not in order, among the refused ones. */
doca_error_t argp_param_add(struct doca_argp_cmd *scope, struct doca_argp_param *param);
void argp_params_free(struct doca_argp_param *first);
void argp_cmds_free(struct doca_argp_cmd *first);

/* How messages call a flag. */
const char *argp_param_name(const struct doca_argp_param *param);
bool argp_param_is(const struct doca_argp_param *param, const char *word);
struct doca_argp_param *argp_param_find(struct doca_argp_param *first, const char *word);

/* ---- general.c ---- */

doca_error_t argp_general_make(void);
extern const char argp_help[], argp_version[], argp_json[]; /* long names */

/* ---- usage.c ---- */

/* Of a command; of the program's own, the whole program. */
void argp_usage(const struct doca_argp_cmd *scope);

/* ---- value.c ---- */

/* Reads the text of a command line and calls back. */
doca_error_t argp_value_from_text(const struct doca_argp_param *param, const char *text);
bool argp_value_has_text(const struct doca_argp_param *param);

/* ---- device_flags.c, since 3.1 ---- */

doca_error_t argp_device_from_text(const struct doca_argp_param *param, const char *text);

/* ---- dpdk.c ---- */

/* Splits a command line at "--": hands what stands before to DPDK's callback, and leaves the rest. */
struct argp_line {
	int count;
	char **words; /* without the name of the program */
};

bool argp_dpdk_split(int argc, char **argv, struct argp_line *dpdk, struct argp_line *own);
/* `end` closes the array, unless it is NULL. */
doca_error_t argp_dpdk_call(char *program, const struct argp_line *words, char *end);

/* ---- json.c; json_none.c where the library for it was not there to build with ---- */

struct argp_json;

/* IO_FAILED: cannot be read, or is no JSON. The user has been told. */
doca_error_t argp_json_open(const char *path, struct argp_json **json);
void argp_json_close(struct argp_json *json);
/* Whether all keys are those of flags, of these commands or, without any, of the general ones: NOT_SUPPORTED. */
doca_error_t argp_json_check(const struct argp_json *json, const struct doca_argp_cmd *scope);
/* Calls back for a flag's value, if the file has one. */
doca_error_t argp_json_give(const struct argp_json *json, bool general, const struct doca_argp_param *param,
			    bool *given);
/* What the file has for DPDK. */
doca_error_t argp_json_dpdk(const struct argp_json *json, char *program);

#endif
