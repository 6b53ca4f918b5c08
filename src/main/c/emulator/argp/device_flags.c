/* Flags whose values are devices and representors: pci/ADDRESS[,ARGUMENTS] and pci/ADDRESS,NAME[,ARGUMENTS], where the
 * name of a representor is that of its network interface, or what stands there behind the last "_" (pf0vf0). */
#include <stdlib.h>
#include <string.h>

#include "argp.h"

/* A copy of the words that an identifier has between its commas. */
struct identifier {
	char *address, *rep, *arguments;
};

/* Cuts the first word off. */
static char *next_word(char **rest)
{
	char *word = *rest;
	if (word != NULL) {
		*rest = strchr(word, ',');
		if (*rest != NULL)
			*(*rest)++ = '\0';
	}
	return word;
}

static doca_error_t not_found(const struct doca_argp_param *param, const char *text)
{
	argp_tell(DOCA_LOG_LEVEL_ERROR, "There is no %s \"%s\"",
		  param->type == DOCA_ARGP_TYPE_DEVICE ? "device" : "representor", text);
	return DOCA_ERROR_NOT_FOUND;
}

static doca_error_t open_device(struct doca_devinfo *info, struct doca_dev **dev)
{
	if (argp_parser.dev_open_callback != NULL)
		return argp_parser.dev_open_callback(info, argp_parser.dev_open_context, dev);
	return doca_dev_open(info, dev);
}

/* NOT_FOUND: no device has the address. */
static doca_error_t find_device(const char *address, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t count;
	doca_error_t result = doca_devinfo_create_list(&list, &count);
	if (result != DOCA_SUCCESS)
		return result;
	result = DOCA_ERROR_NOT_FOUND;
	for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++) {
		uint8_t equal = 0;
		if (doca_devinfo_is_equal_pci_addr(list[i], address, &equal) == DOCA_SUCCESS && equal != 0)
			result = open_device(list[i], dev);
	}
	(void)doca_devinfo_destroy_list(list);
	return result;
}

static bool has_name(const struct doca_devinfo_rep *info, const char *name)
{
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	if (doca_devinfo_rep_get_iface_name(info, iface, sizeof(iface)) != DOCA_SUCCESS)
		return false;
	const char *last = strrchr(iface, '_');
	return strcmp(iface, name) == 0 || (last != NULL && strcmp(last + 1, name) == 0);
}

static doca_error_t find_rep(struct doca_dev *dev, const char *name, struct doca_dev_rep **rep)
{
	struct doca_devinfo_rep **list;
	uint32_t count;
	doca_error_t result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count);
	if (result != DOCA_SUCCESS)
		return DOCA_ERROR_NOT_FOUND;
	result = DOCA_ERROR_NOT_FOUND;
	for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++)
		if (has_name(list[i], name))
			result = doca_dev_rep_open(list[i], rep);
	(void)doca_devinfo_rep_destroy_list(list);
	return result;
}

static doca_error_t give_rep(const struct doca_argp_param *param, const char *text, const struct identifier *words)
{
	struct doca_argp_device_rep_ctx value = {.dev_ctx.devargs = words->arguments};
	if (words->rep == NULL)
		return not_found(param, text);
	doca_error_t result = find_device(words->address, &value.dev_ctx.dev);
	if (result == DOCA_SUCCESS) {
		result = find_rep(value.dev_ctx.dev, words->rep, &value.dev_rep);
		if (result != DOCA_SUCCESS)
			(void)doca_dev_close(value.dev_ctx.dev);
	}
	if (result == DOCA_ERROR_NOT_FOUND)
		return not_found(param, text);
	return result == DOCA_SUCCESS ? param->callback(&value, argp_parser.config) : result;
}

static doca_error_t give_device(const struct doca_argp_param *param, const char *text, const struct identifier *words)
{
	struct doca_argp_device_ctx value = {.devargs = words->arguments};
	doca_error_t result = find_device(words->address, &value.dev);
	if (result == DOCA_ERROR_NOT_FOUND)
		return not_found(param, text);
	return result == DOCA_SUCCESS ? param->callback(&value, argp_parser.config) : result;
}

doca_error_t argp_device_from_text(const struct doca_argp_param *param, const char *text)
{
	static const char bus[] = "pci/";
	if (strncmp(text, bus, sizeof(bus) - 1) != 0)
		return not_found(param, text);
	/* Programs keep the arguments beyond the callback, DOCA's own among them. */
	char *copy = strdup(text + sizeof(bus) - 1);
	if (copy == NULL || argp_keep(copy) != DOCA_SUCCESS)
		return DOCA_ERROR_NO_MEMORY;
	char *rest = copy;
	struct identifier words = {.address = next_word(&rest)};
	if (param->type == DOCA_ARGP_TYPE_DEVICE) {
		words.arguments = rest;
		return give_device(param, text, &words);
	}
	words.rep = next_word(&rest);
	words.arguments = rest;
	return give_rep(param, text, &words);
}
