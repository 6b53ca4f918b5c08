/* The limits of a topology, and those of the environment. */
#include <string.h>

#include "topology/topology.h"
#include "topology/topology_text.h"

const struct emu_limits emu_limits_default = {
	.max_name_len = 120,
	.max_msg_size = 4080,
	.max_recv_queue_size = 8192,
	.max_send_tasks = EMU_BOUND_SEND_TASKS,
	.max_clients = 512,
	.max_consumers = 64,
	.max_producers = 64,
	.max_tasks = 8192,
	.max_buf_size = 1u << 30,
	.max_buf_list_len = 1,
	.max_imm_data_len = 32,
};

void limits_set(struct parser *parser, struct span name, struct span value, struct emu_limits *limits)
{
	const struct {
		const char *name;
		uint32_t *limit;
		uint32_t least, most;
	} known[] = {
		{"max_name_len", &limits->max_name_len, 2, EMU_BOUND_NAME_LEN},
		{"max_msg_size", &limits->max_msg_size, 1, EMU_BOUND_MSG_SIZE},
		{"max_recv_queue_size", &limits->max_recv_queue_size, 1, EMU_BOUND_RECV_QUEUE_SIZE},
		{"max_send_tasks", &limits->max_send_tasks, 1, EMU_BOUND_SEND_TASKS},
		{"max_clients", &limits->max_clients, 1, EMU_BOUND_CLIENTS},
		{"max_consumers", &limits->max_consumers, 1, EMU_BOUND_CONSUMERS},
		{"max_producers", &limits->max_producers, 1, EMU_BOUND_PRODUCERS},
		{"max_tasks", &limits->max_tasks, 1, EMU_BOUND_TASKS},
		{"max_buf_size", &limits->max_buf_size, 1, EMU_BOUND_BUF_SIZE},
		{"max_buf_list_len", &limits->max_buf_list_len, 1, EMU_BOUND_BUF_LIST_LEN},
		{"max_imm_data_len", &limits->max_imm_data_len, 0, EMU_BOUND_IMM_DATA_LEN},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint64_t wanted;
		if (!span_is(name, known[i].name))
			continue;
		if (/* guard: limit-most */ !span_number(value, known[i].most, &wanted) ||
		    /* guard: limit-least */ wanted < known[i].least)
			text_complain(parser, "%s must be a number from %u to %u, not \"%.*s\"", known[i].name,
				      known[i].least, known[i].most, SPAN(value));
		else
			*known[i].limit = (uint32_t)wanted;
		return;
	}
	text_complain(parser, "there is no limit \"%.*s\"", SPAN(name));
}

/* A receive queue full of the largest messages must fit into a connection's ring. */
void limits_check(struct parser *parser, const struct emu_limits *limits)
{
	uint64_t record = 16 + ((uint64_t)limits->max_msg_size + 15) / 16 * 16;
	uint64_t bytes = ((uint64_t)limits->max_recv_queue_size + 1) * record;
	if (/* guard: limits-together */ bytes > EMU_BOUND_QUEUE_BYTES)
		text_complain(parser,
			      "max_recv_queue_size %u of max_msg_size %u is more than a queue can hold, lower one "
			      "of them",
			      limits->max_recv_queue_size, limits->max_msg_size);
}

doca_error_t emu_limits_parse(const char *text, const char *origin, struct emu_limits *limits)
{
	struct parser parser = {.origin = origin};
	struct span rest = {text, strlen(text)};
	while (rest.len > 0 && !parser.bad) {
		struct span item = span_cut(&rest, ',');
		struct span name = span_cut(&item, '=');
		limits_set(&parser, name, item, limits);
	}
	if (!parser.bad)
		limits_check(&parser, limits);
	return parser.bad ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}
