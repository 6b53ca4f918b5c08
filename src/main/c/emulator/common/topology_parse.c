/* The text of a topology: one thing per line,
 *
 *   dpu PCI [OPTION=VALUE ...]
 *   host PCI pf|vf|sf [OPTION=VALUE ...]
 *   limit NAME VALUE
 *
 * with comments from # to the end of the line. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sdk_log.h"
#include "topology.h"

const char emu_topology_default_text[] = "dpu 0000:03:00.0\n"
					 "host 0000:b1:00.0 pf\n"
					 "host 0000:b1:00.2 vf\n"
					 "host 0000:b1:00.3 vf\n";

const struct emu_limits emu_limits_default = {
	.max_name_len = 120,
	.max_msg_size = 4080,
	.max_recv_queue_size = 8192,
	.max_send_tasks = 8192,
	.max_clients = 512,
	.max_consumers = 64,
	.max_producers = 64,
	.max_tasks = 8192,
	.max_buf_size = 1u << 30,
	.max_buf_list_len = 1,
	.max_imm_data_len = 32,
};

struct span {
	const char *start;
	size_t len;
};

struct parser {
	const char *origin;
	unsigned line; /* 0: not lines */
	bool bad;
};

__attribute__((format(printf, 2, 3))) static void complain(struct parser *parser, const char *format, ...)
{
	char what[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (parser->line > 0)
		EMU_LOG_ERROR("%s, line %u: %s; no device is visible", parser->origin, parser->line, what);
	else
		EMU_LOG_ERROR("%s: %s; no device is visible", parser->origin, what);
	parser->bad = true;
}

/* For "%.*s". */
#define SPAN(s) (int)((s).len < 64 ? (s).len : 64), (s).start

static bool span_is(struct span span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.start, text, span.len) == 0;
}

/* Takes the part of `rest` before the first `stop` or its end; stop ' ' is any white space, and takes all of it. */
static struct span cut(struct span *rest, char stop)
{
	size_t at = 0;
	if (stop == ' ')
		while (rest->len > 0 && isspace((unsigned char)rest->start[0])) {
			rest->start++;
			rest->len--;
		}
	while (at < rest->len && (stop == ' ' ? !isspace((unsigned char)rest->start[at]) : rest->start[at] != stop))
		at++;
	struct span part = {rest->start, at};
	size_t gone = at < rest->len ? at + 1 : at;
	rest->start += gone;
	rest->len -= gone;
	return part;
}

static bool copy_name(struct span value, char *out, size_t size)
{
	if (value.len == 0 || value.len >= size)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (!isgraph((unsigned char)value.start[i]))
			return false;
	memset(out, 0, size);
	memcpy(out, value.start, value.len);
	return true;
}

/* Addresses are kept in the long form and in lower case. */
static bool copy_pci(struct span value, char out[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	char text[DOCA_DEVINFO_PCI_ADDR_SIZE + 1];
	uint8_t ignored;
	if (!copy_name(value, text, sizeof(text)) || !emu_pci_equal("", text, &ignored))
		return false;
	static const char domain[] = "0000:";
	memcpy(out, domain, sizeof(domain));
	memcpy(out + (DOCA_DEVINFO_PCI_ADDR_SIZE - 1 - value.len), text, value.len + 1);
	for (char *c = out; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	return true;
}

static bool number(struct span value, uint64_t largest, uint64_t *out)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (!isdigit((unsigned char)value.start[i]))
			return false;
		sum = sum * 10 + (uint64_t)(value.start[i] - '0');
		if (sum > largest)
			return false;
	}
	*out = sum;
	return value.len > 0;
}

/* ---- limits ---- */

static void set_limit(struct parser *parser, struct span name, struct span value, struct emu_limits *limits)
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
		if (!number(value, known[i].most, &wanted) || wanted < known[i].least)
			complain(parser, "%s must be a number from %u to %u, not \"%.*s\"", known[i].name, known[i].least,
				 known[i].most, SPAN(value));
		else
			*known[i].limit = (uint32_t)wanted;
		return;
	}
	complain(parser, "there is no limit \"%.*s\"", SPAN(name));
}

/* A receive queue full of the largest messages must fit into a connection's ring. */
static void check_limits(struct parser *parser, const struct emu_limits *limits)
{
	uint64_t record = 16 + ((uint64_t)limits->max_msg_size + 15) / 16 * 16;
	uint64_t bytes = ((uint64_t)limits->max_recv_queue_size + 1) * record;
	if (bytes > EMU_BOUND_QUEUE_BYTES)
		complain(parser, "max_recv_queue_size %u of max_msg_size %u is more than a queue can hold, lower one of them",
			 limits->max_recv_queue_size, limits->max_msg_size);
}

doca_error_t emu_limits_parse(const char *text, const char *origin, struct emu_limits *limits)
{
	struct parser parser = {.origin = origin};
	struct span rest = {text, strlen(text)};
	while (rest.len > 0 && !parser.bad) {
		struct span item = cut(&rest, ',');
		struct span name = cut(&item, '=');
		set_limit(&parser, name, item, limits);
	}
	if (!parser.bad)
		check_limits(&parser, limits);
	return parser.bad ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

/* ---- functions ---- */

static bool parse_mac(struct span value, uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE])
{
	if (value.len != 3 * DOCA_DEVINFO_MAC_ADDR_SIZE - 1)
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (i % 3 == 2 ? value.start[i] != ':' : !isxdigit((unsigned char)value.start[i]))
			return false;
	for (size_t i = 0; i < DOCA_DEVINFO_MAC_ADDR_SIZE; i++) {
		const char digits[] = {value.start[3 * i], value.start[3 * i + 1], '\0'};
		mac[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return true;
}

static bool parse_without(struct span value, unsigned *lacks)
{
	static const struct {
		const char *name;
		enum emu_capability capability;
	} known[] = {
		{"comch", EMU_CAN_COMCH},
		{"producer", EMU_CAN_PRODUCE},
		{"consumer", EMU_CAN_CONSUME},
		{"export", EMU_CAN_EXPORT},
	};
	do {
		struct span name = cut(&value, ',');
		size_t i = 0;
		while (i < sizeof(known) / sizeof(known[0]) && !span_is(name, known[i].name))
			i++;
		if (i == sizeof(known) / sizeof(known[0]))
			return false;
		*lacks |= known[i].capability;
	} while (value.len > 0);
	return true;
}

static bool set_option(struct emu_function *f, struct span name, struct span value)
{
	uint64_t id;
	if (span_is(name, "ibdev"))
		return copy_name(value, f->ibdev, sizeof(f->ibdev));
	if (span_is(name, "iface"))
		return copy_name(value, f->iface, sizeof(f->iface));
	if (span_is(name, "mac"))
		return parse_mac(value, f->mac);
	if (span_is(name, "without"))
		return parse_without(value, &f->lacks);
	if (span_is(name, "vhca")) {
		if (!number(value, UINT16_MAX, &id))
			return false;
		f->vhca_id = (uint16_t)id;
		return true;
	}
	if (f->dpu)
		return false;
	if (span_is(name, "dpu"))
		return copy_pci(value, f->dpu_pci);
	if (span_is(name, "vuid"))
		return copy_name(value, f->rep_vuid, sizeof(f->rep_vuid));
	if (span_is(name, "rep_iface"))
		return copy_name(value, f->rep_iface, sizeof(f->rep_iface));
	return false;
}

static const struct emu_function *find(const struct emu_topology *topology, const char *pci)
{
	for (size_t i = 0; i < topology->count; i++)
		if (strcmp(topology->functions[i].pci, pci) == 0)
			return &topology->functions[i];
	return NULL;
}

/* Where a new function stands among those before it. */
struct place {
	const struct emu_function *last_dpu;
	const struct emu_function *pf; /* the last PF of the same DPU */
	unsigned dpus, pfs;	       /* before this one */
	unsigned siblings;	       /* of the same kind and PF */
};

static struct place place_of(const struct emu_topology *topology, const struct emu_function *f)
{
	struct place place = {0};
	for (size_t i = 0; i < topology->count; i++) {
		const struct emu_function *before = &topology->functions[i];
		if (before->dpu) {
			place.last_dpu = before;
			place.dpus++;
		} else if (before->type == DOCA_PCI_FUNC_TYPE_PF) {
			place.pfs++;
			if (strcmp(before->dpu_pci, f->dpu_pci) == 0) {
				place.pf = before;
				place.siblings = 0;
			}
		} else if (before->type == f->type && strcmp(before->dpu_pci, f->dpu_pci) == 0) {
			place.siblings++;
		}
	}
	return place;
}

/* Index of a host's PF among all PFs of the topology. */
static unsigned pf_index(const struct emu_topology *topology, const struct emu_function *pf)
{
	unsigned index = 0;
	for (const struct emu_function *f = topology->functions; f != pf; f++)
		index += !f->dpu && f->type == DOCA_PCI_FUNC_TYPE_PF;
	return index;
}

/* Names say that they are emulated, MAC addresses are locally administered. */
static void name_function(const struct emu_topology *topology, const struct place *place, struct emu_function *f)
{
	unsigned domain, bus, device, function;
	if (sscanf(f->pci, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
		return; /* cannot happen: copy_pci has checked it */
	const uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE] = {
		0x02, (uint8_t)(0x65 ^ domain >> 8), (uint8_t)(0x6d ^ domain), (uint8_t)bus, (uint8_t)device, (uint8_t)function,
	};
	memcpy(f->mac, mac, sizeof(mac));
	f->vhca_id = (uint16_t)topology->count;
	snprintf(f->ibdev, sizeof(f->ibdev), "emu_%zu", topology->count);
	if (f->dpu) {
		snprintf(f->iface, sizeof(f->iface), "emu_p%u", place->dpus);
		return;
	}
	const struct emu_function *pf = place->pf == NULL || f->type == DOCA_PCI_FUNC_TYPE_PF ? f : place->pf;
	unsigned index = pf == f ? place->pfs : pf_index(topology, pf);
	if (pf != f && sscanf(pf->pci, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
		return;
	char kin[32] = "";
	char vuid_kin[32] = "";
	if (f->type != DOCA_PCI_FUNC_TYPE_PF) {
		bool vf = f->type == DOCA_PCI_FUNC_TYPE_VF;
		snprintf(kin, sizeof(kin), "%s%u", vf ? "v" : "s", place->siblings);
		snprintf(vuid_kin, sizeof(vuid_kin), "%s%u", vf ? "VF" : "SF", place->siblings + 1);
	}
	snprintf(f->iface, sizeof(f->iface), "emu_f%u%s", index, kin);
	snprintf(f->rep_vuid, sizeof(f->rep_vuid), "EMU%04X%02X%02X%02XS0D0F%u%s", domain, bus, device, function, index,
		 vuid_kin);
	if (f->type == DOCA_PCI_FUNC_TYPE_PF)
		snprintf(f->rep_iface, sizeof(f->rep_iface), "emu_pf%uhpf", index);
	else
		snprintf(f->rep_iface, sizeof(f->rep_iface), "emu_pf%u%sf%u", index,
			 f->type == DOCA_PCI_FUNC_TYPE_VF ? "v" : "s", place->siblings);
}

static bool read_options(struct parser *parser, struct span rest, struct emu_function *f)
{
	for (struct span word = cut(&rest, ' '); word.len > 0; word = cut(&rest, ' ')) {
		struct span value = word;
		struct span name = cut(&value, '=');
		if (!set_option(f, name, value)) {
			complain(parser, "\"%.*s\" is no option of a %s function, or has a wrong value", SPAN(word),
				 f->dpu ? "dpu" : "host");
			return false;
		}
	}
	return true;
}

static void add_function(struct parser *parser, struct span rest, bool dpu, struct emu_topology *topology)
{
	struct emu_function f = {.dpu = dpu, .type = DOCA_PCI_FUNC_TYPE_PF};
	struct span pci = cut(&rest, ' ');
	if (!copy_pci(pci, f.pci)) {
		complain(parser, "\"%.*s\" is no PCI address", SPAN(pci));
		return;
	}
	if (find(topology, f.pci) != NULL) {
		complain(parser, "%s is there already", f.pci);
		return;
	}
	if (topology->count == EMU_MAX_FUNCTIONS) {
		complain(parser, "more than %u functions", EMU_MAX_FUNCTIONS);
		return;
	}
	if (!dpu) {
		struct span type = cut(&rest, ' ');
		if (span_is(type, "vf"))
			f.type = DOCA_PCI_FUNC_TYPE_VF;
		else if (span_is(type, "sf"))
			f.type = DOCA_PCI_FUNC_TYPE_SF;
		else if (!span_is(type, "pf")) {
			complain(parser, "a host's function is pf, vf or sf, not \"%.*s\"", SPAN(type));
			return;
		}
		/* The DPU decides on the names, so it is looked for first. */
		const struct emu_function *last = place_of(topology, &f).last_dpu;
		if (last != NULL)
			memcpy(f.dpu_pci, last->pci, sizeof(f.dpu_pci));
		struct emu_function trial = f;
		if (!read_options(parser, rest, &trial))
			return;
		memcpy(f.dpu_pci, trial.dpu_pci, sizeof(f.dpu_pci));
		const struct emu_function *owner = find(topology, f.dpu_pci);
		if (owner == NULL || !owner->dpu) {
			complain(parser, "no line before this one has the dpu of %s", f.pci);
			return;
		}
	}
	struct place place = place_of(topology, &f);
	if (!dpu && f.type != DOCA_PCI_FUNC_TYPE_PF && place.pf == NULL) {
		complain(parser, "no line before this one has the pf of %s", f.pci);
		return;
	}
	name_function(topology, &place, &f);
	if (read_options(parser, rest, &f))
		topology->functions[topology->count++] = f;
}

static void read_line(struct parser *parser, struct span line, struct emu_topology *topology)
{
	line = cut(&line, '#');
	struct span keyword = cut(&line, ' ');
	if (keyword.len == 0)
		return;
	if (span_is(keyword, "dpu")) {
		add_function(parser, line, true, topology);
	} else if (span_is(keyword, "host")) {
		add_function(parser, line, false, topology);
	} else if (span_is(keyword, "limit")) {
		struct span name = cut(&line, ' ');
		struct span value = cut(&line, ' ');
		if (cut(&line, ' ').len > 0)
			complain(parser, "a limit is a name and a number");
		else
			set_limit(parser, name, value, &topology->limits);
	} else {
		complain(parser, "\"%.*s\" is none of dpu, host and limit", SPAN(keyword));
	}
}

static void read_text(struct parser *parser, struct span text, struct emu_topology *topology)
{
	while (text.len > 0 && !parser->bad) {
		parser->line++;
		read_line(parser, cut(&text, '\n'), topology);
	}
	parser->line = 0;
}

static size_t count_lines(const char *text, size_t len)
{
	size_t lines = 1;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return lines;
}

doca_error_t emu_topology_parse(const char *text, size_t len, const char *origin, struct emu_topology **topology)
{
	/* No more functions than lines. */
	size_t room = count_lines(text, len);
	size_t room_of_default = count_lines(emu_topology_default_text, strlen(emu_topology_default_text));
	if (room < room_of_default)
		room = room_of_default;
	if (room > EMU_MAX_FUNCTIONS)
		room = EMU_MAX_FUNCTIONS;
	struct emu_topology *made = calloc(1, sizeof(*made) + room * sizeof(made->functions[0]));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->limits = emu_limits_default;
	struct parser parser = {.origin = origin};
	read_text(&parser, (struct span){text, len}, made);
	/* A file may set limits only. */
	if (!parser.bad && made->count == 0)
		read_text(&parser, (struct span){emu_topology_default_text, strlen(emu_topology_default_text)}, made);
	if (!parser.bad)
		check_limits(&parser, &made->limits);
	if (parser.bad) {
		free(made);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*topology = made;
	return DOCA_SUCCESS;
}
