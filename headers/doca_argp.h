/*
 * Arg Parser: the command line of a program.
 *
 * A program calls doca_argp_init, describes its flags (doca_argp_param_create, its setters,
 * doca_argp_register_param) and calls doca_argp_start, which calls back for each flag that it meets.
 * Flags can belong to commands: words that say what the program is to do, and that can have commands
 * of their own. There is one parser in a process, for one thread at a time. -h, -v, -l,
 * --sdk-log-level and -j come with it.
 *
 * Kinds of devices and doubles are those of DOCA 3.1 and newer, commands of 3.2 and newer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include "doca_compat.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_log.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A flag, a command. */
struct doca_argp_param;
struct doca_argp_cmd;

/* Told the value of a flag, see doca_argp_type, and what was given to doca_argp_init. */
typedef doca_error_t (*doca_argp_param_cb_t)(void *param, void *config);

/* Told what was given to doca_argp_init when a command was given. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *config);

/* Told the arguments that are DPDK's. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/* Asked, after all flags, whether what they say goes together. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);

/* Opens a device for a flag, in place of doca_dev_open. */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(
    struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev);

/* Told what the user did wrong, in place of standard error. */
typedef doca_error_t (*doca_argp_logger_cb_t)(
    enum doca_log_level level, const char *format, va_list args);

/* The kinds of values. They belong to the parser and are good during the callback only. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,
    DOCA_ARGP_TYPE_STRING = 1,     /* const char * */
    DOCA_ARGP_TYPE_INT = 2,        /* int * */
    DOCA_ARGP_TYPE_BOOLEAN = 3,    /* bool *; the flag has no argument */
    DOCA_ARGP_TYPE_DEVICE = 4,     /* struct doca_argp_device_ctx * */
    DOCA_ARGP_TYPE_DEVICE_REP = 5, /* struct doca_argp_device_rep_ctx * */
    DOCA_ARGP_TYPE_DOUBLE = 6      /* double * */
};

/* A device that was opened for a flag, and is the program's to close. */
struct doca_argp_device_ctx {
    struct doca_dev *dev;
    const char *devargs; /* what stood behind its name; NULL: nothing */
};

/* The same of a representor, with the device that has it. */
struct doca_argp_device_rep_ctx {
    struct doca_argp_device_ctx dev_ctx;
    struct doca_dev_rep *dev_rep;
};

/* ---- the parser ---- */

/*
 * Begins. Without a name the program has that of its file; `config` is for the callbacks. BAD_STATE:
 * it has begun; NO_MEMORY.
 */
DOCA_EXPERIMENTAL doca_error_t doca_argp_init(const char *program_name, void *program_config);

/*
 * Parses, and calls back; once. BAD_STATE; INVALID_VALUE: an argument or a flag is missing or wrong;
 * NOT_SUPPORTED: no such flag; IO_FAILED: the file of -j; or what a callback answered. -h and -v end
 * the program.
 */
DOCA_EXPERIMENTAL doca_error_t doca_argp_start(int argc, char **argv);

/* Ends the parser, the flags and the commands that it has. BAD_STATE: it has not begun. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_destroy(void);

/* Prints what -h does. */
DOCA_EXPERIMENTAL void doca_argp_usage(void);

/*
 * Adds a flag, which belongs to the parser from then on, also where this fails. BAD_STATE: it has
 * been added; INITIALIZATION: a mandatory part is not set; INVALID_VALUE: the name is in use.
 */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/* The same for a command. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/* Called for -v, instead of printing the version of DOCA. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/* Called at the end of doca_argp_start, with what was given to doca_argp_init. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_validation_callback(
    doca_argp_validation_cb_t callback);

/* Called for each device of a flag. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_dev_open_callback(
    doca_argp_dev_open_cb_t callback, void *usr_ctx);

/* Called for each message to the user. ALREADY_EXIST: there is one. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/* Undoes this. BAD_STATE: there is none. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_disable_logger_callback(void);

/* Lets files of -j have keys that no flag has. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_disable_pedantic_config_parsing(void);

/* What stands before "--" is for DPDK and goes to the callback. After doca_argp_init. */
DOCA_EXPERIMENTAL void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/* Reads the level of -l, and without one that of the program's records. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_log_level(int *log_level);

/* Reads the level of --sdk-log-level, and without one that of the SDK's records. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/* ---- flags ---- */

/* Makes a flag. BAD_STATE: the parser has not begun; NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/* Ends a flag that the parser does not have. BAD_STATE: it has. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/* Sets the name behind "-". A flag has this or the long name, or both. */
DOCA_EXPERIMENTAL void doca_argp_param_set_short_name(
    struct doca_argp_param *param, const char *name);

/* Sets the name behind "--", which is the key in a file of -j, too. */
DOCA_EXPERIMENTAL void doca_argp_param_set_long_name(
    struct doca_argp_param *param, const char *name);

/* Sets how -h calls the argument. */
DOCA_EXPERIMENTAL void doca_argp_param_set_arguments(
    struct doca_argp_param *param, const char *arguments);

/* Sets what -h says about the flag. Mandatory. */
DOCA_EXPERIMENTAL void doca_argp_param_set_description(
    struct doca_argp_param *param, const char *description);

/* Sets whom to call. Mandatory. */
DOCA_EXPERIMENTAL void doca_argp_param_set_callback(
    struct doca_argp_param *param, doca_argp_param_cb_t callback);

/* Sets the kind of the argument. Mandatory. */
DOCA_EXPERIMENTAL void doca_argp_param_set_type(
    struct doca_argp_param *param, enum doca_argp_type type);

/* doca_argp_start fails without this flag. */
DOCA_EXPERIMENTAL void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/* The flag has no key in a file of -j. */
DOCA_EXPERIMENTAL void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/* The flag may stand several times, and in a file it has an array. */
DOCA_EXPERIMENTAL void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/* The flag stands alone or not at all. */
DOCA_EXPERIMENTAL void doca_argp_param_set_singular(struct doca_argp_param *param);

/* The flag may stand behind the commands inside its own, too. */
DOCA_EXPERIMENTAL void doca_argp_param_set_inherited(struct doca_argp_param *param);

/* -h says nothing about the flag. */
DOCA_EXPERIMENTAL void doca_argp_param_set_hidden(struct doca_argp_param *param);

/* ---- commands ---- */

/* Makes a command. BAD_STATE: the parser has not begun; NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/* Ends a command that the parser does not have, and what was added to it. BAD_STATE: it has. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/* Sets the word. Mandatory. */
DOCA_EXPERIMENTAL void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/* Sets what -h says about the command. Mandatory. */
DOCA_EXPERIMENTAL void doca_argp_cmd_set_description(
    struct doca_argp_cmd *cmd, const char *description);

/* Sets whom to call. */
DOCA_EXPERIMENTAL void doca_argp_cmd_set_callback(
    struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/* -h says nothing about the command. */
DOCA_EXPERIMENTAL void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/* Adds a flag to a command that the parser does not have yet; as doca_argp_register_param. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_cmd_register_param(
    struct doca_argp_cmd *cmd, struct doca_argp_param *input_param);

/* Adds a command to a command that the parser does not have yet; as doca_argp_register_cmd. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_cmd_register_cmd(
    struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
