/* The probe: calls the functions of DOCA in a folder of libraries, each case in a process of its own, and prints what
 * they answer, so that two such folders can be compared (behaviour.py). It knows no prototype: they are read from a
 * table of DOCA's ABI (src/test/abi), and the cases from files of calls. */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An argument or a result: DOCA has only integers, pointers and a union of both. */
typedef uint64_t word;

enum { MAX_PARAMETERS = 8, MAX_TOKENS = 16 };

struct parameter {
	const char *type;
	const char *name;
};

struct function {
	const char *name;
	const char *returns;
	struct parameter parameters[MAX_PARAMETERS];
	int count;
	bool variadic;
};

/* table.c: the functions of a table of DOCA's ABI, in its order. */
void table_read(const char *path);
const struct function *table_next(const struct function *after);
const struct function *table_find(const char *name);

/* library.c: the libraries of a folder. */
void library_open(const char *folder);
/* NULL where no library has the function. */
void *library_symbol(const char *name);

/* values.c: the variables of a case, and how values are read and printed. */
struct variable {
	char name[40];
	word value;
};

#define VALUES_UNTOUCHED 0xa5a5a5a5a5a5a5a5u

void values_reset(void);
struct variable *values_variable(const char *name);
/* Reads an argument. *output is the variable whose address it is, or NULL. */
word values_read(const char *token, struct variable **output);
bool values_is_pointer(const char *type);
/* Prints into the open line. `own` is the variable that the value is of, or NULL. */
void values_print(const char *type, word value, const struct variable *own);
/* What a function wrote through a pointer of `type` to a variable. */
void values_print_output(const char *type, const struct variable *variable);

/* callbacks.c: what is handed to DOCA as a callback; what the callbacks were told goes into the outputs. */
void callbacks_define(void);
void callbacks_print(void);
void callbacks_forget(void);

/* calls.c: one call. */
word calls_raw(void *symbol, const word *arguments, bool variadic);
void calls_run(const char *name, char **arguments, int count, bool quiet);
/* Silently; keeps what the function returns. */
void calls_into(const char *variable, const char *name, char **arguments, int count);
void calls_sweep(long from, long to, const char *name, char **arguments, int count);
void calls_repeat(long times, const char *name, char **arguments, int count);
void calls_print_result(const struct function *function, word result);

/* lines.c: the lines of the output, and the processes of the cases. */
/* `function` is named where the process ends between two lines. */
void lines_process(const char *function, const char *name, void (*run)(void *), void *argument);
/* Ends the process of a case that needs a device. */
_Noreturn void lines_without_device(void);
void lines_open(const char *function);
void lines_close(void);

/* script.c: files of calls. */
void script_read(const char *path);
bool script_has_block(const char *name);
void script_run_block(const char *name);
void script_run_cases(void);

/* extras.c: words of the files of calls that are not one function of DOCA. */
bool extras_run(char **tokens, int count);

/* nulls.c: each function with NULL for each of its pointers in turn. */
void nulls_run(void);

#endif
