#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

static word ask(const char *name, word a, word b, word c, word d)
{
	void *symbol = library_symbol(name);
	const word arguments[MAX_PARAMETERS] = {a, b, c, d};
	return symbol == NULL ? 1 : (uint32_t)calls_raw(symbol, arguments, false);
}

static bool can(const char *what, word device)
{
	char older[80], newer[80];
	snprintf(older, sizeof older, "doca_cc_cap_%s_is_supported", what);
	snprintf(newer, sizeof newer, "doca_comch_cap_%s_is_supported", what);
	return ask(library_symbol(older) != NULL ? older : newer, device, 0, 0, 0) == 0;
}

/* devices: the variables info and dev of a device for clients, sdev for servers, and rep of a representor. Where DOCA
 * has none the case ends; with PROBE_STAND_IN in the environment, which says that a preloaded library answers what
 * devices can do, they are made up. */
static void devices(void)
{
	word fake = values_variable("fake")->value;
	word info = fake + 0x1000, client = fake + 0x2000, server = fake + 0x3000, rep = fake + 0x4000;
	bool client_found = false, server_found = false;
	void **list = NULL;
	uint32_t count = 0;
	if (ask("doca_devinfo_create_list", (word)&list, (word)&count, 0, 0) != 0)
		count = 0;
	if (count == 0 && getenv("PROBE_STAND_IN") == NULL)
		lines_without_device();
	for (uint32_t i = 0; i < count; i++) {
		if (!client_found && can("client", (word)list[i])) {
			info = (word)list[i];
			client_found = ask("doca_dev_open", info, (word)&client, 0, 0) == 0;
		}
		if (!server_found && can("server", (word)list[i])) {
			void **reps = NULL;
			uint32_t some = 0;
			server_found = ask("doca_dev_open", (word)list[i], (word)&server, 0, 0) == 0;
			if (ask("doca_devinfo_rep_create_list", server, 0, (word)&reps, (word)&some) == 0 && some > 0)
				ask("doca_dev_rep_open", (word)reps[0], (word)&rep, 0, 0);
		}
	}
	values_variable("info")->value = info;
	values_variable("dev")->value = client;
	values_variable("sdev")->value = server;
	values_variable("rep")->value = rep;
}

/* descriptor VARIABLE: its flags. */
static void descriptor(const char *name)
{
	int fd = (int)values_variable(name)->value;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	lines_open("descriptor");
	int flags = fcntl(fd, F_GETFD);
	if (flags < 0)
		printf("closed\t");
	else
		printf("open\tclose-on-exec=%d nonblocking=%d readable=%d", (flags & FD_CLOEXEC) != 0,
		       (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0, poll(&poll_fd, 1, 0));
	lines_close();
}

/* buf VARIABLE: all that the getters tell of a buffer. */
static void buf(const char *name)
{
	static const struct {
		const char *getter, *label, *type;
	} getters[] = {{"doca_buf_get_head", "head", "void **"},
		       {"doca_buf_get_len", "len", "size_t *"},
		       {"doca_buf_get_data", "data", "void **"},
		       {"doca_buf_get_data_len", "data_len", "size_t *"},
		       {"doca_buf_get_refcount", "references", "uint16_t *"},
		       {"doca_buf_is_in_list", "in", "uint8_t *"},
		       {"doca_buf_is_first_in_list", "first", "uint8_t *"},
		       {"doca_buf_is_last_in_list", "last", "uint8_t *"},
		       {"doca_buf_get_list_len", "list", "uint32_t *"}};
	word object = values_variable(name)->value;
	lines_open("buf");
	printf("%s\t", name);
	fflush(stdout);
	for (size_t i = 0; i < sizeof getters / sizeof getters[0]; i++) {
		struct variable out = {.value = VALUES_UNTOUCHED};
		snprintf(out.name, sizeof out.name, "%s", getters[i].label);
		word result = ask(getters[i].getter, object, (word)&out.value, 0, 0);
		printf(i > 0 ? " " : "");
		if (result == 0)
			values_print_output(getters[i].type, &out);
		else
			printf("%s!%d", out.name, (int)result);
	}
	lines_close();
}

bool extras_run(char **tokens, int count)
{
	if (strcmp(tokens[0], "devices") == 0)
		devices();
	else if (count == 2 && strcmp(tokens[0], "descriptor") == 0)
		descriptor(tokens[1]);
	else if (count == 2 && strcmp(tokens[0], "buf") == 0)
		buf(tokens[1]);
	else if (count == 3 && strcmp(tokens[0], "let") == 0) {
		struct variable *output;
		values_variable(tokens[1])->value = values_read(tokens[2], &output);
	} else
		return false;
	return true;
}
