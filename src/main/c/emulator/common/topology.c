#include "topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dev.h"

/* One BlueField in one host: names say that they are emulated, MAC addresses are locally administered. */
static const struct emu_function functions[] = {
	{
		.pci = "0000:03:00.0",
		.dpu = true,
		.type = DOCA_PCI_FUNC_TYPE_PF,
		.vhca_id = 0,
		.mac = {0x02, 0x65, 0x6d, 0x03, 0x00, 0x00},
		.ibdev = "emu_0",
		.iface = "emu_p0",
	},
	{
		.pci = "0000:b1:00.0",
		.type = DOCA_PCI_FUNC_TYPE_PF,
		.vhca_id = 1,
		.mac = {0x02, 0x65, 0x6d, 0xb1, 0x00, 0x00},
		.ibdev = "emu_1",
		.iface = "emu_f0",
		.rep_vuid = "EMU0000B10000S0D0F0",
		.rep_iface = "emu_pf0hpf",
	},
	{
		.pci = "0000:b1:00.2",
		.type = DOCA_PCI_FUNC_TYPE_VF,
		.vhca_id = 2,
		.mac = {0x02, 0x65, 0x6d, 0xb1, 0x00, 0x02},
		.ibdev = "emu_2",
		.iface = "emu_f0v0",
		.rep_vuid = "EMU0000B10000S0D0F0VF1",
		.rep_iface = "emu_pf0vf0",
	},
	{
		.pci = "0000:b1:00.3",
		.type = DOCA_PCI_FUNC_TYPE_VF,
		.vhca_id = 3,
		.mac = {0x02, 0x65, 0x6d, 0xb1, 0x00, 0x03},
		.ibdev = "emu_3",
		.iface = "emu_f0v1",
		.rep_vuid = "EMU0000B10000S0D0F0VF2",
		.rep_iface = "emu_pf0vf1",
	},
};

static const struct emu_limits limits = {
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

const struct emu_limits *emu_limits(void)
{
	return &limits;
}

struct emu_functions emu_topology(void)
{
	return (struct emu_functions){.first = functions, .count = sizeof(functions) / sizeof(functions[0])};
}

bool emu_topology_sides(bool *host, bool *dpu)
{
	const char *side = getenv("DOCA_EMU_SIDE");
	bool both = side == NULL || *side == '\0' || strcmp(side, "both") == 0;
	*host = both || strcmp(side, "host") == 0;
	*dpu = both || strcmp(side, "dpu") == 0;
	return *host || *dpu;
}

bool emu_pci_equal(const char *pci, const char *text, uint8_t *is_equal)
{
	/* x: a hexadecimal digit; anything else: itself. */
	static const char long_form[] = "xxxx:xx:xx.x";
	static const size_t domain_len = sizeof("xxxx:") - 1;
	static const size_t long_len = sizeof(long_form) - 1;
	/* The caller's string need not be terminated within reach of strlen when it is no address at all. */
	size_t len = strnlen(text, long_len + 1);
	const char *form = long_form;
	if (len == long_len - domain_len)
		form += domain_len;
	else if (len != long_len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	bool same_domain = form == long_form || strncmp(pci, "0000:", domain_len) == 0;
	*is_equal = same_domain && strcasecmp(pci + (form - long_form), text) == 0;
	return true;
}
