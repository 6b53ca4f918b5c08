/* The text of a topology: one thing per line,
 *
 *   dpu PCI [pf|sf] [OPTION=VALUE ...]
 *   host PCI pf|vf|sf [OPTION=VALUE ...]
 *   limit NAME VALUE
 *   strict
 *
 * with comments from # to the end of the line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"
#include "topology/topology_text.h"

const char emu_topology_default_text[] =
	"dpu 0000:03:00.0\n"
	"host 0000:b1:00.0 pf\n"
	"host 0000:b1:00.2 vf\n"
	"host 0000:b1:00.3 vf\n";

/* Addresses are kept in the long form and in lower case. */
static bool copy_pci(struct span value, char out[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	char text[DOCA_DEVINFO_PCI_ADDR_SIZE + 1];
	uint8_t ignored;
	if (!span_copy_name(value, text, sizeof(text)) || !emu_pci_equal("", text, false, &ignored))
		return false;
	static const char domain[] = "0000:";
	memcpy(out, domain, sizeof(domain));
	memcpy(out + (DOCA_DEVINFO_PCI_ADDR_SIZE - 1 - value.len), text, value.len + 1);
	for (char *c = out; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	return true;
}

static bool parse_mac(struct span value, uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE])
{
	if (/* guard: topology-mac-length */ value.len != 3 * DOCA_DEVINFO_MAC_ADDR_SIZE - 1)
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
		{"dpa", EMU_CAN_DPA},
		{"dma", EMU_CAN_DMA},
		{"export-to-host", EMU_CAN_EXPORT_TO_HOST},
	};
	do {
		struct span name = span_cut(&value, ',');
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
		return span_copy_name(value, f->ibdev, sizeof(f->ibdev));
	if (span_is(name, "iface"))
		return span_copy_name(value, f->iface, sizeof(f->iface));
	if (span_is(name, "mac"))
		return parse_mac(value, f->mac);
	if (span_is(name, "without"))
		return parse_without(value, &f->lacks);
	if (span_is(name, "vhca")) {
		if (!span_number(value, UINT16_MAX, &id))
			return false;
		f->vhca_id = (uint16_t)id;
		return true;
	}
	if (f->dpu)
		return span_is(name, "dpa") && copy_pci(value, f->card);
	if (span_is(name, "dpu"))
		return copy_pci(value, f->dpu_pci);
	if (span_is(name, "vuid"))
		return span_copy_name(value, f->rep_vuid, sizeof(f->rep_vuid));
	if (span_is(name, "rep_iface"))
		return span_copy_name(value, f->rep_iface, sizeof(f->rep_iface));
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
	const struct emu_function *last_dpu; /* the last PF of a DPU */
	const struct emu_function *pf;       /* the last PF of the same DPU */
	unsigned dpus, pfs;                  /* before this one */
	unsigned siblings;                   /* of the same kind and PF */
	unsigned sfs;                        /* of the same machine */
};

static struct place place_of(const struct emu_topology *topology, const struct emu_function *f)
{
	struct place place = {0};
	for (size_t i = 0; i < topology->count; i++) {
		const struct emu_function *before = &topology->functions[i];
		place.sfs += before->dpu == f->dpu && before->type == DOCA_PCI_FUNC_TYPE_SF;
		if (before->dpu && before->type == DOCA_PCI_FUNC_TYPE_PF) {
			place.last_dpu = before;
			place.dpus++;
			if (f->dpu)
				place.siblings = 0;
		} else if (before->dpu) {
			place.siblings += f->dpu;
		} else if (before->type == DOCA_PCI_FUNC_TYPE_PF) {
			place.pfs++;
			if (strcmp(before->dpu_pci, f->dpu_pci) == 0) {
				place.pf = before;
				place.siblings = 0;
			}
		} else if (!f->dpu && before->type == f->type && strcmp(before->dpu_pci, f->dpu_pci) == 0) {
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
		0x02,
		(uint8_t)(0x65 ^ domain >> 8),
		(uint8_t)(0x6d ^ domain),
		(uint8_t)bus,
		(uint8_t)device,
		(uint8_t)function,
	};
	memcpy(f->mac, mac, sizeof(mac));
	f->vhca_id = (uint16_t)topology->count;
	f->sf_index = place->sfs;
	snprintf(f->ibdev, sizeof(f->ibdev), "emu_%zu", topology->count);
	if (f->dpu) {
		if (f->type == DOCA_PCI_FUNC_TYPE_SF)
			snprintf(f->iface, sizeof(f->iface), "emu_p%us%u", place->dpus - 1, place->siblings);
		else
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
	for (struct span word = span_cut(&rest, ' '); word.len > 0; word = span_cut(&rest, ' ')) {
		struct span value = word;
		struct span name = span_cut(&value, '=');
		if (!set_option(f, name, value)) {
			text_complain(parser, "\"%.*s\" is no option of a %s function, or has a wrong value",
				      SPAN(word), f->dpu ? "dpu" : "host");
			return false;
		}
	}
	return true;
}

/* pf, vf or sf, where it stands; a host's function must say. */
static bool read_type(struct parser *parser, struct span *rest, struct emu_function *f)
{
	struct span left = *rest;
	struct span type = span_cut(&left, ' ');
	bool known = true;
	if (span_is(type, "sf"))
		f->type = DOCA_PCI_FUNC_TYPE_SF;
	else if (!f->dpu && span_is(type, "vf"))
		f->type = DOCA_PCI_FUNC_TYPE_VF;
	else
		known = span_is(type, "pf");
	if (known)
		*rest = left;
	else if (!f->dpu)
		text_complain(parser, "a host's function is pf, vf or sf, not \"%.*s\"", SPAN(type));
	return known || f->dpu;
}

/* The DPU device on a line before this one; NULL, and a complaint: there is none. */
static const struct emu_function *find_dpu(struct parser *parser, const struct emu_topology *topology, const char *pci,
					   const char *of)
{
	const struct emu_function *found = find(topology, pci);
	if (found != NULL && found->dpu && found->type == DOCA_PCI_FUNC_TYPE_PF)
		return found;
	text_complain(parser, "no line before this one has the dpu of %s", of);
	return NULL;
}

/* Which card a function belongs to; for a host's function also on which DPU its representor is. */
static bool find_card(struct parser *parser, struct span options, const struct emu_topology *topology,
		      struct emu_function *f)
{
	/* The DPU decides on the names, so it is looked for before the other options. */
	const struct emu_function *last = place_of(topology, f).last_dpu;
	if (last != NULL) {
		memcpy(f->dpu_pci, last->pci, sizeof(f->dpu_pci));
		memcpy(f->card, last->card, sizeof(f->card));
	}
	if (f->dpu && f->type == DOCA_PCI_FUNC_TYPE_PF)
		memcpy(f->card, f->pci, sizeof(f->card));
	struct emu_function trial = *f;
	if (!read_options(parser, options, &trial))
		return false;
	memcpy(f->dpu_pci, trial.dpu_pci, sizeof(f->dpu_pci));
	const char *named = f->dpu ? trial.card : trial.dpu_pci;
	if (f->dpu && strcmp(named, f->pci) == 0)
		return true;
	const struct emu_function *owner = find_dpu(parser, topology, named, f->pci);
	if (owner != NULL)
		memcpy(f->card, owner->card, sizeof(f->card));
	return owner != NULL;
}

static void add_function(struct parser *parser, struct span rest, bool dpu, struct emu_topology *topology)
{
	struct emu_function f = {.dpu = dpu, .type = DOCA_PCI_FUNC_TYPE_PF};
	struct span pci = span_cut(&rest, ' ');
	if (!copy_pci(pci, f.pci)) {
		text_complain(parser, "\"%.*s\" is no PCI address", SPAN(pci));
		return;
	}
	if (/* guard: topology-twice */ find(topology, f.pci) != NULL) {
		text_complain(parser, "%s is there already", f.pci);
		return;
	}
	if (/* guard: topology-functions */ topology->count == EMU_MAX_FUNCTIONS) {
		text_complain(parser, "more than %u functions", EMU_MAX_FUNCTIONS);
		return;
	}
	if (!read_type(parser, &rest, &f) || !find_card(parser, rest, topology, &f))
		return;
	struct place place = place_of(topology, &f);
	if (!dpu && f.type != DOCA_PCI_FUNC_TYPE_PF && place.pf == NULL) {
		text_complain(parser, "no line before this one has the pf of %s", f.pci);
		return;
	}
	name_function(topology, &place, &f);
	struct emu_function named = f;
	if (!read_options(parser, rest, &named))
		return;
	memcpy(named.card, f.card, sizeof(named.card));
	topology->functions[topology->count++] = named;
}

static void read_line(struct parser *parser, struct span line, struct emu_topology *topology)
{
	line = span_cut(&line, '#');
	struct span keyword = span_cut(&line, ' ');
	if (keyword.len == 0)
		return;
	if (span_is(keyword, "dpu")) {
		add_function(parser, line, true, topology);
	} else if (span_is(keyword, "host")) {
		add_function(parser, line, false, topology);
	} else if (span_is(keyword, "limit")) {
		struct span name = span_cut(&line, ' ');
		struct span value = span_cut(&line, ' ');
		if (span_cut(&line, ' ').len > 0)
			text_complain(parser, "a limit is a name and a number");
		else
			limits_set(parser, name, value, &topology->limits);
	} else if (span_is(keyword, "strict")) {
		if (span_cut(&line, ' ').len > 0)
			text_complain(parser, "strict stands alone");
		else
			topology->strict = true;
	} else {
		text_complain(parser, "\"%.*s\" is none of dpu, host, limit and strict", SPAN(keyword));
	}
}

static void read_text(struct parser *parser, struct span text, struct emu_topology *topology)
{
	while (text.len > 0 && !parser->bad) {
		parser->line++;
		read_line(parser, span_cut(&text, '\n'), topology);
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
	/* An editor's mark of UTF-8 is no part of the first line. */
	static const char mark[] = "\xef\xbb\xbf";
	size_t mark_len = sizeof(mark) - 1;
	if (len >= mark_len && memcmp(text, mark, mark_len) == 0) {
		text += mark_len;
		len -= mark_len;
	}
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
	/* A file may set limits only, or be strict. */
	if (!parser.bad && made->count == 0)
		read_text(&parser, (struct span){emu_topology_default_text, strlen(emu_topology_default_text)}, made);
	if (!parser.bad)
		limits_check(&parser, &made->limits);
	if (parser.bad) {
		free(made);
		return DOCA_ERROR_INVALID_VALUE;
	}
	for (size_t i = 0; i < made->count; i++)
		made->functions[i].machine = made;
	*topology = made;
	return DOCA_SUCCESS;
}
