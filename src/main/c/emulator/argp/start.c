/* doca_argp_start: reads the whole command line, then calls back, flag by flag in the order of their registration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argp.h"
#include "doca_version.h"

/* A flag that was given. */
struct hit {
	struct doca_argp_param *param;
	const char *text; /* NULL: nothing stands behind it */
};

struct start {
	char *program;
	struct argp_line dpdk, own;
	bool has_dpdk;
	bool from_file; /* the file of -j stands for the whole command line, DPDK's part included */
	struct hit *hits;
	size_t count;
	const struct doca_argp_cmd *scope;
	struct argp_json *json;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* What a word means behind the commands down to `scope`. */
static struct doca_argp_param *find_param(const struct doca_argp_cmd *scope, const char *word)
{
	struct doca_argp_param *param = argp_param_find(argp_parser.general, word);
	if (param == NULL)
		param = argp_param_find(scope->params, word);
	for (const struct doca_argp_cmd *outer = scope->parent; param == NULL && outer != NULL; outer = outer->parent) {
		param = argp_param_find(outer->params, word);
		if (param != NULL && !param->inherited)
			param = NULL;
	}
	return param;
}

static const struct doca_argp_cmd *find_cmd(const struct doca_argp_cmd *scope, const char *word)
{
	const struct doca_argp_cmd *cmd = scope->cmds;
	while (cmd != NULL && strcmp(cmd->name, word) != 0)
		cmd = cmd->next;
	return cmd;
}

/* The innermost command among the first words, whatever else they are. */
static const struct doca_argp_cmd *scope_of(const struct argp_line *own, int count)
{
	const struct doca_argp_cmd *scope = &argp_parser.program;
	for (int i = 0; i < count; i++) {
		const struct doca_argp_param *param = find_param(scope, own->words[i]);
		const struct doca_argp_cmd *cmd = param == NULL ? find_cmd(scope, own->words[i]) : NULL;
		if (cmd != NULL)
			scope = cmd;
		else if (param != NULL && argp_value_has_text(param))
			i++;
	}
	return scope;
}

static int place_of(const struct argp_line *own, const char *long_name)
{
	for (int i = 0; i < own->count; i++) {
		const struct doca_argp_param *param = argp_param_find(argp_parser.general, own->words[i]);
		if (param != NULL && strcmp(param->long_name, long_name) == 0)
			return i;
	}
	return -1;
}

static _Noreturn void end_program(void)
{
	(void)doca_argp_destroy();
	exit(EXIT_SUCCESS);
}

/* -h and -v, wherever they stand. */
static void answer_questions(const struct start *start)
{
	int help = place_of(&start->own, argp_help);
	if (help >= 0) {
		argp_usage(scope_of(&start->own, help));
		end_program();
	}
	if (place_of(&start->own, argp_version) < 0)
		return;
	if (argp_parser.version_callback != NULL)
		(void)argp_parser.version_callback(NULL, argp_parser.config);
	else
		printf("DOCA Version: %s\n", doca_version_runtime());
	end_program();
}

/* `place` is that of the flag's name. */
static doca_error_t add_hit(struct start *start, struct doca_argp_param *param, int place)
{
	const char *text = "";
	if (argp_value_has_text(param))
		text = place + 1 < start->own.count ? start->own.words[place + 1] : NULL;
	struct hit *grown = realloc(start->hits, (start->count + 1) * sizeof(*grown));
	if (grown == NULL)
		return DOCA_ERROR_NO_MEMORY;
	start->hits = grown;
	grown[start->count++] = (struct hit){.param = param, .text = text};
	return DOCA_SUCCESS;
}

static doca_error_t read_words(struct start *start)
{
	for (int i = 0; i < start->own.count; i++) {
		const char *word = start->own.words[i];
		struct doca_argp_param *param = find_param(start->scope, word);
		const struct doca_argp_cmd *cmd = param == NULL ? find_cmd(start->scope, word) : NULL;
		if (cmd != NULL) {
			start->scope = cmd;
			continue;
		}
		if (param == NULL) {
			argp_tell(DOCA_LOG_LEVEL_ERROR, "There is no flag%s \"%s\"",
				  start->scope->cmds != NULL ? " or command" : "", word);
			return DOCA_ERROR_NOT_SUPPORTED;
		}
		if (param->times++ > 0 && !param->multiple) {
			argp_tell(DOCA_LOG_LEVEL_ERROR, "The flag \"%s\" may stand once", word);
			return DOCA_ERROR_INVALID_VALUE;
		}
		doca_error_t result = add_hit(start, param, i);
		if (argp_value_has_text(param) && ++i < start->own.count && result == DOCA_SUCCESS) {
			/* A value that is the name of a flag is that flag as well: so the libraries of 2.5.0108. */
			param = find_param(start->scope, start->own.words[i]);
			if (param != NULL)
				result = add_hit(start, param, i);
		}
		if (result != DOCA_SUCCESS)
			return result;
	}
	return DOCA_SUCCESS;
}

/* A flag that stands alone: then no other is missing either. */
static doca_error_t check_singular(const struct start *start, bool *alone)
{
	*alone = false;
	for (size_t i = 0; i < start->count; i++)
		if (start->hits[i].param->singular) {
			*alone = true;
			if (start->count > 1) {
				argp_tell(DOCA_LOG_LEVEL_ERROR, "The flag \"%s\" stands alone or not at all",
					  argp_param_name(start->hits[i].param));
				return DOCA_ERROR_INVALID_VALUE;
			}
		}
	return DOCA_SUCCESS;
}

static doca_error_t refuse_json(void)
{
	argp_tell(DOCA_LOG_LEVEL_ERROR,
		  argp_release.json_alone ? "-j stands alone, with a file" : "-j stands without a file");
	return DOCA_ERROR_INVALID_VALUE;
}

/* -j. */
static doca_error_t open_json(struct start *start)
{
	for (size_t i = 0; i < start->count; i++) {
		const struct hit *hit = &start->hits[i];
		if (hit->param->long_name == NULL || strcmp(hit->param->long_name, argp_json) != 0)
			continue;
		if (hit->text == NULL || (argp_release.json_alone && (start->count > 1 || start->dpdk.count > 0)))
			return refuse_json();
		return argp_json_open(hit->text, &start->json);
	}
	return DOCA_SUCCESS;
}

/* Calls back for one flag: for each time that it stands on the command line, else for the file. */
static doca_error_t give(const struct start *start, const struct doca_argp_param *param, bool general, bool alone)
{
	bool given = false;
	for (size_t i = 0; i < start->count; i++) {
		const struct hit *hit = &start->hits[i];
		if (hit->param != param)
			continue;
		given = true;
		if (hit->text == NULL) {
			argp_tell(DOCA_LOG_LEVEL_ERROR, "A value is missing behind the flag \"%s\"",
				  argp_param_name(param));
			return DOCA_ERROR_INVALID_VALUE;
		}
		doca_error_t result = argp_value_from_text(param, hit->text);
		if (result != DOCA_SUCCESS)
			return result;
	}
	if (!given && start->json != NULL) {
		doca_error_t result = argp_json_give(start->json, general, param, &given);
		if (result != DOCA_SUCCESS)
			return result;
	}
	if (!given && param->mandatory && !alone) {
		argp_tell(DOCA_LOG_LEVEL_ERROR, "The flag \"%s\" is missing", argp_param_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t give_all(const struct start *start, const struct doca_argp_param *first, bool general, bool alone)
{
	doca_error_t result = DOCA_SUCCESS;
	for (const struct doca_argp_param *param = first; param != NULL && result == DOCA_SUCCESS; param = param->next)
		result = give(start, param, general, alone);
	return result;
}

/* A command, and those around it first. */
static doca_error_t give_scope(const struct start *start, const struct doca_argp_cmd *scope, bool alone)
{
	doca_error_t result = DOCA_SUCCESS;
	if (scope->parent != NULL)
		result = give_scope(start, scope->parent, alone);
	if (result == DOCA_SUCCESS && scope->callback != NULL)
		result = scope->callback(argp_parser.config);
	return result == DOCA_SUCCESS ? give_all(start, scope->params, false, alone) : result;
}

static doca_error_t parse(struct start *start)
{
	bool alone = false;
	doca_error_t result = DOCA_SUCCESS;
	if (argp_release.json_alone && place_of(&start->own, argp_json) == 0 && start->own.count != 2)
		return refuse_json();
	if (start->has_dpdk && !start->from_file)
		result = argp_dpdk_call(start->program, &start->dpdk, NULL);
	if (result == DOCA_SUCCESS)
		result = read_words(start);
	argp_parser.scope = start->scope;
	if (result == DOCA_SUCCESS)
		result = check_singular(start, &alone);
	if (result == DOCA_SUCCESS)
		result = open_json(start);
	if (result == DOCA_SUCCESS && start->from_file)
		result = argp_json_dpdk(start->json, start->program);
	if (result == DOCA_SUCCESS && start->json != NULL)
		result = argp_json_check(start->json, NULL);
	if (result == DOCA_SUCCESS)
		result = give_all(start, argp_parser.general, true, alone);
	if (result == DOCA_SUCCESS && start->json != NULL)
		result = argp_json_check(start->json, start->scope);
	if (result == DOCA_SUCCESS)
		result = give_scope(start, start->scope, alone);
	if (result == DOCA_SUCCESS && argp_parser.validation_callback != NULL)
		result = argp_parser.validation_callback(argp_parser.config);
	return result;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	static char name[] = "", *nothing[] = {name, NULL};
	doca_error_t result = argp_check_registering();
	if (result != DOCA_SUCCESS)
		return result;
	if (argc < 1 || argv == NULL || argv[0] == NULL) {
		if (argp_release.strict || (argc > 1 && argv == NULL))
			return DOCA_ERROR_INVALID_VALUE;
		argc = 1;
		argv = nothing;
	}
	argp_parser.started = true;
	if (argp_parser.program_name == NULL)
		argp_set_text(&argp_parser.program_name, base_name(argv[0]));
	struct start start = {.program = argv[0], .scope = &argp_parser.program};
	start.has_dpdk = argp_dpdk_split(argc, argv, &start.dpdk, &start.own);
	if (start.has_dpdk && place_of(&start.dpdk, argp_json) == 0) {
		start.from_file = true;
		start.own = (struct argp_line){.count = argc - 1, .words = argv + 1};
		start.dpdk = (struct argp_line){0};
	}
	if (!argp_release.json_alone || place_of(&start.own, argp_json) != 0)
		answer_questions(&start);
	result = parse(&start);
	if (result != DOCA_SUCCESS)
		doca_argp_usage();
	free(start.hits);
	argp_json_close(start.json);
	return result;
}
