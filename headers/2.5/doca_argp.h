/*
 * Arg Parser: the command line of a program.
 *
 * A program calls doca_argp_init, describes its flags (doca_argp_param_create, its setters,
 * doca_argp_register_param) and calls doca_argp_start, which calls back for each flag that it meets.
 * There is one parser in a process, for one thread at a time. -h, -v, -l, --sdk-log-level and -j come
 * with it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include "doca_compat.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A flag. */
struct doca_argp_param;

/* Told the value of a flag, see doca_argp_type, and what was given to doca_argp_init. */
typedef doca_error_t (*doca_argp_param_cb_t)(void *param, void *config);

/* Told the arguments that are DPDK's. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/* Asked, after all flags, whether what they say goes together. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);

/* The kinds of values. They belong to the parser and are good during the callback only. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,
    DOCA_ARGP_TYPE_STRING = 1,  /* const char * */
    DOCA_ARGP_TYPE_INT = 2,     /* int * */
    DOCA_ARGP_TYPE_BOOLEAN = 3, /* bool *; the flag has no argument */
    DOCA_ARGP_TYPE_JSON_OBJ = 4 /* in files of the parser only */
};

/* ---- the parser ---- */

/* Begins. `config` is for the callbacks. BAD_STATE: it has begun; INVALID_VALUE; NO_MEMORY. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_init(const char *program_name, void *program_config);

/*
 * Parses, and calls back. INVALID_VALUE: an argument or a flag is missing or wrong; IO_FAILED: the
 * file of -j. -h and -v end the program.
 */
DOCA_EXPERIMENTAL doca_error_t doca_argp_start(int argc, char **argv);

/* Ends the parser and the flags registered with it. BAD_STATE: it has not begun. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_destroy(void);

/* Prints what -h does, and ends the program. */
DOCA_EXPERIMENTAL void doca_argp_usage(void);

/* Adds a flag, which belongs to the parser from then on. INITIALIZATION: a mandatory part is not set. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/* Called for -v, instead of printing the version of DOCA. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/* Called at the end of doca_argp_start, with what was given to doca_argp_init. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_validation_callback(
    doca_argp_validation_cb_t callback);

/* What stands before "--" is for DPDK and goes to the callback. After doca_argp_init. */
DOCA_EXPERIMENTAL void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/* The program runs behind gRPC and has the flag for its address. After doca_argp_init. */
DOCA_EXPERIMENTAL void doca_argp_set_grpc_program(void);

/* Reads the address that was given. It belongs to the parser. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_grpc_addr(const char **address);

/* Reads the level of -l, and without one that of the program's records. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_log_level(int *log_level);

/* Reads the level of --sdk-log-level, and without one that of the SDK's records. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/* ---- flags ---- */

/* Makes a flag. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/* Ends a flag that is not registered. BAD_STATE: it is. */
DOCA_EXPERIMENTAL doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/* Sets the name behind "-". A flag has this or the long name, or both; strings stay the program's. */
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

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
