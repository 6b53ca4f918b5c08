/* Any text as a topology, or as limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"

#define REQUIRE(condition) ((condition) ? (void)0 : violated(__LINE__, #condition))

static _Noreturn void violated(int line, const char *what)
{
	fprintf(stderr, "fuzz_topology.c:%d: %s does not hold\n", line, what);
	abort();
}

static void check_limits(const struct emu_limits *limits)
{
	REQUIRE(limits->max_clients >= 1 && limits->max_clients <= EMU_BOUND_CLIENTS);
	REQUIRE(limits->max_tasks >= 1 && limits->max_tasks <= EMU_BOUND_TASKS);
	REQUIRE(limits->max_consumers >= 1 && limits->max_consumers <= EMU_BOUND_CONSUMERS);
	REQUIRE(limits->max_name_len >= 2 && limits->max_name_len <= EMU_BOUND_NAME_LEN);
	REQUIRE(limits->max_imm_data_len <= EMU_BOUND_IMM_DATA_LEN);
	REQUIRE(((uint64_t)limits->max_recv_queue_size + 1) * (limits->max_msg_size + 16) <= EMU_BOUND_QUEUE_BYTES);
}

static bool ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

static void check_function(const struct emu_topology *topology, const struct emu_function *f)
{
	uint8_t equal = 0;
	REQUIRE(emu_pci_equal(f->pci, f->pci, false, &equal) && equal);
	REQUIRE(ends(f->pci, sizeof(f->pci)) && ends(f->ibdev, sizeof(f->ibdev)) && ends(f->iface, sizeof(f->iface)));
	REQUIRE(ends(f->rep_vuid, sizeof(f->rep_vuid)) && ends(f->rep_iface, sizeof(f->rep_iface)));
	if (f->dpu)
		return;
	size_t owners = 0;
	for (size_t i = 0; i < topology->count; i++)
		owners += topology->functions[i].dpu && strcmp(topology->functions[i].pci, f->dpu_pci) == 0;
	REQUIRE(owners == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] == '=') {
		struct emu_limits limits = emu_limits_default;
		char *text = strndup((const char *)data + 1, size - 1);
		REQUIRE(text != NULL);
		if (emu_limits_parse(text, "fuzz", &limits) == DOCA_SUCCESS)
			check_limits(&limits);
		free(text);
		return 0;
	}
	/* Its end is the end of the allocation. */
	char *text = malloc(size);
	REQUIRE(text != NULL);
	memcpy(text, data, size);
	struct emu_topology *topology;
	if (emu_topology_parse(text, size, "fuzz", &topology) == DOCA_SUCCESS) {
		REQUIRE(topology->count > 0 && topology->count <= EMU_MAX_FUNCTIONS);
		check_limits(&topology->limits);
		for (size_t i = 0; i < topology->count; i++)
			check_function(topology, &topology->functions[i]);
		free(topology);
	}
	free(text);
	return 0;
}
