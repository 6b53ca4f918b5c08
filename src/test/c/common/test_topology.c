/* topology.c, topology_parse.c and folder.c: what machine a process sees. One process per machine, because a process
 * keeps the first that it has seen. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doca_dev.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "support.h"
#include "topology/dev.h"

static char folder[64];
static char logged[4096];

/* In a child process cmocka's assertions do not work. */
#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s does not hold; log: %s\n", __FILE__, __LINE__, #condition, logged); \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
#define OK(call) CHECK((call) == DOCA_SUCCESS)

static void in_child(void (*body)(const void *argument), const void *argument)
{
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		body(argument);
		exit(0);
	}
	int status;
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	assert_int_equal(0, WEXITSTATUS(status));
}

static void path_of(const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text, size_t len)
{
	char path[128];
	path_of(name, path);
	FILE *file = fopen(path, "w");
	CHECK(file != NULL && fwrite(text, 1, len, file) == len && fclose(file) == 0);
}

static void choose(const char *text)
{
	char path[128];
	path_of("machine", path);
	write_file("machine", text, strlen(text));
	setenv("DOCA_EMU_TOPOLOGY", path, 1);
}

static void remember(char *record)
{
	strncat(logged, record, sizeof(logged) - strlen(logged) - 1);
}

static void listen_to_log(void)
{
	static char buffer[1024];
	struct doca_log_backend *backend;
	OK(doca_log_backend_create_with_buf_sdk(buffer, sizeof(buffer), remember, &backend));
}

static struct doca_devinfo **list;
static uint32_t count;

static void see(void)
{
	listen_to_log();
	OK(doca_devinfo_create_list(&list, &count));
}

static void expect_addresses(const char *expected)
{
	char found[256] = "";
	for (uint32_t i = 0; i < count; i++) {
		char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
		OK(doca_devinfo_get_pci_addr_str(list[i], pci));
		strcat(found, i == 0 ? "" : " ");
		strcat(found, pci);
	}
	if (strcmp(found, expected) != 0)
		fprintf(stderr, "found %s instead of %s\n", found, expected);
	CHECK(strcmp(found, expected) == 0);
}

static void expect_reps(uint32_t dpu, const char *expected)
{
	struct doca_dev *dev;
	struct doca_devinfo_rep **reps;
	uint32_t num;
	char found[256] = "";
	OK(doca_dev_open(list[dpu], &dev));
	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num));
	for (uint32_t i = 0; i < num; i++) {
		char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
		OK(doca_devinfo_rep_get_pci_addr_str(reps[i], pci));
		strcat(found, i == 0 ? "" : " ");
		strcat(found, pci);
	}
	OK(doca_devinfo_rep_destroy_list(reps));
	OK(doca_dev_close(dev));
	CHECK(strcmp(found, expected) == 0);
}

/* ---- files ---- */

static void see_two_dpus(const void *unused)
{
	(void)unused;
	choose("# two cards\n"
	       "dpu 0000:03:00.0\n"
	       "\n"
	       "  dpu\t43:00.1   # the second\n"
	       "host B1:00.0 pf\n"
	       "host 0000:b2:00.0 pf dpu=03:00.0\n"
	       "host 0000:b2:00.1 vf dpu=03:00.0\n"
	       "host 0001:b2:00.2 sf\n"
	       "host 0000:b2:00.3 sf");
	see();
	expect_addresses("0000:03:00.0 0000:43:00.1 0000:b1:00.0 0000:b2:00.0 0000:b2:00.1 0001:b2:00.2 0000:b2:00.3");
	expect_reps(0, "0000:b2:00.0 0000:b2:00.1");
	expect_reps(1, "0000:b1:00.0 0001:b2:00.2 0000:b2:00.3");
	CHECK(emu_devinfo_is_dpu(list[1]) && !emu_devinfo_is_dpu(list[2]));
	/* SFs are numbered on the host, not on each DPU. */
	enum doca_pci_func_type type;
	uint32_t first, second;
	OK(doca_devinfo_get_pci_func_type(list[5], &type));
	CHECK(type == DOCA_PCI_FUNC_TYPE_SF);
	OK(doca_devinfo_get_sf_index(list[5], &first));
	OK(doca_devinfo_get_sf_index(list[6], &second));
	CHECK(first == 0 && second == 1);
	OK(doca_devinfo_destroy_list(list));
}

static void see_behind_a_mark(const void *unused)
{
	(void)unused;
	choose("\xef\xbb\xbf"
	       "dpu 0000:03:00.0\nhost 0000:b1:00.0 pf\n");
	see();
	expect_addresses("0000:03:00.0 0000:b1:00.0");
	OK(doca_devinfo_destroy_list(list));
}

static void a_mark_of_utf_8_is_no_part_of_the_text(void **state)
{
	(void)state;
	in_child(see_behind_a_mark, NULL);
}

static void each_dpu_has_functions_of_its_own(void **state)
{
	(void)state;
	in_child(see_two_dpus, NULL);
}

struct rep_names {
	const char *pci, *vuid, *iface;
	enum doca_pci_func_type type;
};

static void expect_rep_names(struct doca_devinfo_rep *rep, const struct rep_names *expected)
{
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	enum doca_pci_func_type type;
	OK(doca_devinfo_rep_get_pci_addr_str(rep, pci));
	OK(doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid)));
	OK(doca_devinfo_rep_get_iface_name(rep, iface, sizeof(iface)));
	OK(doca_devinfo_rep_get_pci_func_type(rep, &type));
	CHECK(strcmp(pci, expected->pci) == 0);
	CHECK(strcmp(vuid, expected->vuid) == 0);
	CHECK(strcmp(iface, expected->iface) == 0);
	CHECK(type == expected->type);
}

static void see_names(const void *unused)
{
	(void)unused;
	choose("dpu 03:00.0 ibdev=mlx5_0 iface=p0 mac=0a:1B:2c:3d:4e:5f vhca=65535\n"
	       "host b1:00.0 pf\n"
	       "host b1:00.1 pf\n"
	       "host b1:00.2 vf vuid=MT2251VF rep_iface=pf1vf0 iface=enp177s0f1v0\n"
	       "host b1:00.3 vf\n"
	       "host b1:00.4 sf\n");
	see();
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	uint16_t vhca;
	OK(doca_devinfo_get_ibdev_name(list[0], ibdev, sizeof(ibdev)));
	OK(doca_devinfo_get_iface_name(list[0], iface, sizeof(iface)));
	OK(doca_devinfo_get_mac_addr(list[0], mac, sizeof(mac)));
	OK(doca_devinfo_get_vhca_id(list[0], &vhca));
	CHECK(strcmp(ibdev, "mlx5_0") == 0 && strcmp(iface, "p0") == 0 && vhca == 65535);
	CHECK(memcmp(mac, (const uint8_t[]){0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f}, sizeof(mac)) == 0);
	OK(doca_devinfo_get_iface_name(list[3], iface, sizeof(iface)));
	CHECK(strcmp(iface, "enp177s0f1v0") == 0);
	OK(doca_devinfo_get_iface_name(list[4], iface, sizeof(iface)));
	CHECK(strcmp(iface, "emu_f1v1") == 0);

	static const struct rep_names expected[] = {
		{"0000:b1:00.0", "EMU0000B10000S0D0F0", "emu_pf0hpf", DOCA_PCI_FUNC_TYPE_PF},
		{"0000:b1:00.1", "EMU0000B10001S0D0F1", "emu_pf1hpf", DOCA_PCI_FUNC_TYPE_PF},
		{"0000:b1:00.2", "MT2251VF", "pf1vf0", DOCA_PCI_FUNC_TYPE_VF},
		{"0000:b1:00.3", "EMU0000B10001S0D0F1VF2", "emu_pf1vf1", DOCA_PCI_FUNC_TYPE_VF},
		{"0000:b1:00.4", "EMU0000B10001S0D0F1SF1", "emu_pf1sf0", DOCA_PCI_FUNC_TYPE_SF},
	};
	struct doca_dev *dev;
	struct doca_devinfo_rep **reps;
	uint32_t num;
	OK(doca_dev_open(list[0], &dev));
	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &num));
	CHECK(num == 5);
	for (uint32_t i = 0; i < num; i++)
		expect_rep_names(reps[i], &expected[i]);
	OK(doca_devinfo_rep_destroy_list(reps));
	OK(doca_dev_close(dev));
	OK(doca_devinfo_destroy_list(list));
}

static void names_follow_from_the_place_and_can_be_given(void **state)
{
	(void)state;
	in_child(see_names, NULL);
}

/* Ports and subfunctions of a DPU count each by themselves, and host's functions go to ports only. */
static void see_ports(const void *unused)
{
	(void)unused;
	static const char *const ifaces[] = {"emu_p0", "emu_p0s0", "emu_p0s1", "emu_p1", "emu_p1s0", "emu_f0"};
	choose("dpu 03:00.0\ndpu 03:00.2 sf\ndpu 03:00.3 sf\ndpu 03:00.1 pf dpa=03:00.0\ndpu 03:00.4 sf\n"
	       "host b1:00.0 pf\n");
	see();
	CHECK(count == sizeof(ifaces) / sizeof(ifaces[0]));
	for (uint32_t i = 0; i < count; i++) {
		char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
		OK(doca_devinfo_get_iface_name(list[i], iface, sizeof(iface)));
		CHECK(strcmp(iface, ifaces[i]) == 0);
	}
	expect_reps(0, "");
	expect_reps(1, "");
	expect_reps(3, "0000:b1:00.0");
	expect_reps(4, "");
	OK(doca_devinfo_destroy_list(list));
}

static void a_dpu_can_have_ports_and_subfunctions(void **state)
{
	(void)state;
	in_child(see_ports, NULL);
}

static void see_file_of_folder(const void *unused)
{
	(void)unused;
	static const char text[] = "dpu 04:00.0\nhost c1:00.0 pf\nlimit max_clients 7\n";
	setenv("DOCA_EMU_DIR", folder, 1);
	write_file("topology", text, strlen(text));
	see();
	expect_addresses("0000:04:00.0 0000:c1:00.0");
	CHECK(emu_limits()->max_clients == 7);
	OK(doca_devinfo_destroy_list(list));
}

static void see_chosen_file(const void *unused)
{
	setenv("DOCA_EMU_DIR", folder, 1);
	write_file("topology", "nonsense", 8);
	choose("dpu 05:00.0");
	(void)unused;
	see();
	expect_addresses("0000:05:00.0");
	OK(doca_devinfo_destroy_list(list));
}

static void a_file_in_the_fabric_folder_is_used_unless_another_is_chosen(void **state)
{
	(void)state;
	in_child(see_file_of_folder, NULL);
	in_child(see_chosen_file, NULL);
}

static void see_default(const void *unused)
{
	(void)unused;
	see();
	expect_addresses("0000:03:00.0 0000:b1:00.0 0000:b1:00.2 0000:b1:00.3");
	OK(doca_devinfo_destroy_list(list));
}

static void see_default_without_folder(const void *unused)
{
	char missing[128];
	path_of("missing", missing);
	setenv("DOCA_EMU_DIR", missing, 1);
	see_default(unused);
	CHECK(access(missing, F_OK) != 0);
}

static void see_default_with_limits(const void *unused)
{
	choose("limit max_clients 9 # and the usual devices\nlimit max_imm_data_len 0\n");
	see_default(unused);
	CHECK(emu_limits()->max_clients == 9 && emu_limits()->max_imm_data_len == 0);
	CHECK(emu_limits()->max_msg_size == 4080);
}

static void without_a_file_there_is_the_default_machine(void **state)
{
	(void)state;
	in_child(see_default, NULL);
	in_child(see_default_without_folder, NULL);
	in_child(see_default_with_limits, NULL);
}

static void see_first_and_change(const void *unused)
{
	(void)unused;
	choose("dpu 06:00.0");
	see();
	OK(doca_devinfo_destroy_list(list));
	choose("dpu 07:00.0");
	OK(doca_devinfo_create_list(&list, &count));
	expect_addresses("0000:06:00.0");
	OK(doca_devinfo_destroy_list(list));
}

static void a_process_stays_with_the_first_machine(void **state)
{
	(void)state;
	in_child(see_first_and_change, NULL);
}

/* ---- sides ---- */

static const char three_dpus[] = "dpu 03:00.0\ndpu 43:00.0\nhost b1:00.0 pf\n";
static const char one_card[] = "dpu 03:00.0\ndpu 03:00.1 dpa=03:00.0\ndpu 43:00.0\ndpu 03:00.2 sf dpa=03:00.1\n";

struct side {
	const char *side, *addresses, *topology;
};

static void see_side(const void *argument)
{
	const struct side *side = argument;
	choose(side->topology);
	setenv("DOCA_EMU_SIDE", side->side, 1);
	see();
	expect_addresses(side->addresses);
	OK(doca_devinfo_destroy_list(list));
}

static void see_no_side(const void *argument)
{
	choose(three_dpus);
	setenv("DOCA_EMU_SIDE", argument, 1);
	listen_to_log();
	CHECK(doca_devinfo_create_list(&list, &count) == DOCA_ERROR_NOT_FOUND);
	CHECK(strstr(logged, "DOCA_EMU_SIDE") != NULL);
}

static void a_process_can_be_on_one_dpu_of_several(void **state)
{
	(void)state;
	static const struct side sides[] = {
		{"dpu", "0000:03:00.0 0000:43:00.0", three_dpus},
		{"dpu:0000:43:00.0", "0000:43:00.0", three_dpus},
		{"dpu:03:00.0", "0000:03:00.0", three_dpus},
		{"dpu:b1:00.0", "", three_dpus},
		{"host", "0000:b1:00.0", three_dpus},
		{"dpu:03:00.0", "0000:03:00.0 0000:03:00.1 0000:03:00.2", one_card},
		{"dpu:43:00.0", "0000:43:00.0", one_card},
	};
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
		in_child(see_side, &sides[i]);
	in_child(see_no_side, "dpu:somewhere");
}

/* ---- limits ---- */

static void see_overridden_limits(const void *unused)
{
	(void)unused;
	choose("limit max_msg_size 100\nlimit max_tasks 8192\nlimit max_recv_queue_size 1");
	setenv("DOCA_EMU_LIMITS", "max_msg_size=1024,max_clients=2", 1);
	see();
	CHECK(emu_limits()->max_msg_size == 1024 && emu_limits()->max_clients == 2);
	CHECK(emu_limits()->max_tasks == 8192 && emu_limits()->max_recv_queue_size == 1);
	OK(doca_devinfo_destroy_list(list));
}

static void see_extreme_limits(const void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_LIMITS",
	       "max_name_len=128,max_msg_size=1048576,max_recv_queue_size=62,max_send_tasks=65536,max_clients=512,"
	       "max_consumers=128,max_producers=1024,max_tasks=8192,max_buf_size=4294967295,max_buf_list_len=64,"
	       "max_imm_data_len=32",
	       1);
	see();
	CHECK(emu_limits()->max_buf_size == UINT32_MAX && emu_limits()->max_msg_size == 1048576);
	CHECK(emu_limits()->max_buf_list_len == 64);
	OK(doca_devinfo_destroy_list(list));
}

/* 16,384 records of 4,096 bytes: all that a queue can hold. */
static void see_full_queues(const void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_LIMITS", "max_recv_queue_size=16383,max_msg_size=4080", 1);
	see();
	CHECK(emu_limits()->max_recv_queue_size == 16383);
	OK(doca_devinfo_destroy_list(list));
}

static void limits_of_the_environment_win(void **state)
{
	(void)state;
	in_child(see_overridden_limits, NULL);
	in_child(see_extreme_limits, NULL);
	in_child(see_full_queues, NULL);
}

/* ---- easy or strict ---- */

struct strictness {
	const char *text, *variable;
	bool strict;
};

static void see_strictness(const void *argument)
{
	const struct strictness *wanted = argument;
	choose(wanted->text);
	if (wanted->variable != NULL)
		setenv("DOCA_EMU_STRICT", wanted->variable, 1);
	CHECK(!emu_strict()); /* before there is a machine */
	see();
	CHECK(emu_strict() == wanted->strict && emu_dev_strict(NULL) == wanted->strict);
	struct doca_dev *dev;
	OK(doca_dev_open(list[0], &dev));
	CHECK(emu_dev_strict(dev) == wanted->strict);
	OK(doca_dev_close(dev));
	OK(doca_devinfo_destroy_list(list));
}

static void a_machine_is_strict_if_its_topology_or_the_environment_says_so(void **state)
{
	(void)state;
	static const struct strictness cases[] = {
		{"# the default devices\n", NULL, false},
		{"strict\n", NULL, true},
		{"dpu 03:00.0\n strict # twice\nstrict\n", "", true},
		{"dpu 03:00.0\n", "1", true},
		{"strict\n", "0", false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		in_child(see_strictness, &cases[i]);
}

/* ---- what cannot be used ---- */

struct refused {
	const char *text, *limits, *why;
};

static void expect_refused(const char *why)
{
	listen_to_log();
	list = NULL;
	count = 4711;
	for (int again = 0; again < 2; again++) {
		logged[0] = '\0';
		CHECK(doca_devinfo_create_list(&list, &count) == DOCA_ERROR_NOT_FOUND);
		CHECK(list == NULL && count == 4711);
		CHECK(strstr(logged, why) != NULL);
	}
}

static void see_refused(const void *argument)
{
	const struct refused *refused = argument;
	if (refused->text != NULL)
		choose(refused->text);
	if (refused->limits != NULL)
		setenv("DOCA_EMU_LIMITS", refused->limits, 1);
	expect_refused(refused->why);
	/* Capability functions still answer, with the default. */
	CHECK(emu_limits()->max_clients == 512);
	/* It is read again, so that it can be put right. */
	choose("dpu 03:00.0");
	unsetenv("DOCA_EMU_LIMITS");
	OK(doca_devinfo_create_list(&list, &count));
	OK(doca_devinfo_destroy_list(list));
}

static void a_malformed_topology_shows_no_device_and_says_why(void **state)
{
	(void)state;
	static const struct refused cases[] = {
		{"dpu 03:00.0\nhots b1:00.0 pf\n", NULL, "line 2: \"hots\""},
		{"dpu\n", NULL, "line 1: \"\" is no PCI address"},
		{"dpu 03:00\n", NULL, "\"03:00\" is no PCI address"},
		{"dpu 00000:03:00.0\n", NULL, "is no PCI address"},
		/* what cannot be seen is shown: a zero-width space, a Latin 1 letter, an escape sequence */
		{"dpu 03:00.0\xe2\x80\x8b\n", NULL, "\"03:00.0\\xe2\\x80\\x8b\" is no PCI address"},
		{"\xef\xbb\xbf# caf\xe9\ndpu caf\xe9\n", NULL, "line 2: \"caf\\xe9\" is no PCI address"},
		{"\x1b[2Jdpu 03:00.0\n", NULL, "\"\\x1b[2Jdpu\" is none of"},
		/* a mark of UTF-8 that is not at the beginning, or not whole */
		{"dpu 03:00.0\n\xef\xbb\xbfhost b1:00.0 pf\n", NULL, "\"\\xef\\xbb\\xbfhost\" is none of"},
		{"\xef\xbb", NULL, "\"\\xef\\xbb\" is none of"},
		{"dpu 0000:03:00.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0\n", NULL,
		 "PCI address"},
		{"dpu 03:00.0\ndpu 0000:03:00.0\n", NULL, "line 2: 0000:03:00.0 is there already"},
		{"host b1:00.0 pf\n", NULL, "has the dpu of 0000:b1:00.0"},
		{"dpu 03:00.0\nhost b1:00.0 pf dpu=04:00.0\n", NULL, "has the dpu"},
		{"dpu 03:00.0\nhost b1:00.0 pf\nhost b1:00.2 vf dpu=b1:00.0\n", NULL, "has the dpu"},
		{"dpu 03:00.0\nhost b1:00.2 vf\n", NULL, "has the pf of 0000:b1:00.2"},
		{"dpu 03:00.0\nhost b1:00.0\n", NULL, "pf, vf or sf"},
		{"dpu 03:00.0\nhost b1:00.0 nf\n", NULL, "pf, vf or sf, not \"nf\""},
		{"dpu 03:00.0 colour=red\n", NULL, "colour=red"},
		{"dpu 03:00.0 dpu=03:00.0\n", NULL, "no option of a dpu"},
		{"dpu 03:00.0 vf\n", NULL, "no option of a dpu"},
		{"dpu 03:00.0 sf\n", NULL, "has the dpu of 0000:03:00.0"},
		{"dpu 03:00.1 dpa=03:00.0\n", NULL, "has the dpu of 0000:03:00.1"},
		{"dpu 03:00.0\ndpu 03:00.1 sf\ndpu 03:00.2 dpa=03:00.1\n", NULL, "has the dpu of 0000:03:00.2"},
		{"dpu 03:00.0\ndpu 03:00.1 dpa=east\n", NULL, "dpa=east"},
		{"dpu 03:00.0\nhost b1:00.0 pf dpa=03:00.0\n", NULL, "no option of a host"},
		{"dpu 03:00.0 ibdev\n", NULL, "ibdev"},
		{"dpu 03:00.0 ibdev=\n", NULL, "ibdev="},
		{"dpu 03:00.0 ibdev=a234567890123456789012345678901234567890123456789012345678901234\n", NULL,
		 "ibdev="},
		{"dpu 03:00.0 iface=caf\xc3\xa9\n", NULL, "wrong value"},
		{"dpu 03:00.0 mac=02:65:6d:b1:00\n", NULL, "mac="},
		{"dpu 03:00.0 mac=02-65-6d-b1-00-00\n", NULL, "mac="},
		{"dpu 03:00.0 vhca=65536\n", NULL, "vhca="},
		{"dpu 03:00.0 vhca=\n", NULL, "vhca="},
		{"dpu 03:00.0 without=wings\n", NULL, "without="},
		{"dpu 03:00.0 without=\n", NULL, "without="},
		{"limit max_clients\n", NULL, "from 1 to 512, not \"\""},
		{"limit max_clients 513\n", NULL, "from 1 to 512"},
		{"limit max_clients 0\n", NULL, "from 1 to 512"},
		{"limit max_clients -1\n", NULL, "from 1 to 512"},
		{"limit max_clients 99999999999999999999999999\n", NULL, "from 1 to 512"},
		{"limit max_clients 1 2\n", NULL, "a name and a number"},
		{"strict 1\n", NULL, "strict stands alone"},
		{"limit max_wishes 3\n", NULL, "no limit \"max_wishes\""},
		{"limit max_tasks 8193\n", NULL, "8192"},
		{"limit max_imm_data_len 33\n", NULL, "from 0 to 32"},
		{"limit max_name_len 129\n", NULL, "128"},
		{"limit max_consumers 129\n", NULL, "128"},
		{"limit max_buf_list_len 65\n", NULL, "from 1 to 64"},
		{"limit max_buf_size 4294967296\n", NULL, "4294967295"},
		{"limit max_recv_queue_size 65536\n", NULL, "more than a queue can hold"},
		{NULL, "max_msg_size=8192", "more than a queue can hold"},
		{NULL, "max_clients", "DOCA_EMU_LIMITS: max_clients must be"},
		{NULL, "max_clients=1,,", "no limit \"\""},
		{NULL, "max_clients=1;max_tasks=1", "from 1 to 512"},
		{NULL, "nothing=1", "no limit \"nothing\""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		in_child(see_refused, &cases[i]);
}

static void see_malformed_strictness(const void *unused)
{
	(void)unused;
	choose("dpu 03:00.0\n");
	setenv("DOCA_EMU_STRICT", "yes", 1);
	expect_refused("DOCA_EMU_STRICT is \"yes\": 0 and 1 are allowed");
}

static void see_missing_file(const void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_TOPOLOGY", "/nowhere/at/all", 1);
	expect_refused("/nowhere/at/all");
}

static void see_folder_as_file(const void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_TOPOLOGY", folder, 1);
	expect_refused("no file of at most");
}

static void see_endless_file(const void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_TOPOLOGY", "/dev/zero", 1);
	expect_refused("no file of at most");
}

static void see_large_file(const void *unused)
{
	(void)unused;
	char path[128];
	path_of("machine", path);
	write_file("machine", "", 0);
	CHECK(truncate(path, (1 << 20) + 1) == 0);
	setenv("DOCA_EMU_TOPOLOGY", path, 1);
	expect_refused("no file of at most");
}

static void see_largest_file(const void *unused)
{
	(void)unused;
	choose("dpu 03:00.0\n#");
	CHECK(truncate(getenv("DOCA_EMU_TOPOLOGY"), 1 << 20) == 0);
	see();
	CHECK(count == 1);
	OK(doca_devinfo_destroy_list(list));
}

static void see_too_many_functions(const void *unused)
{
	(void)unused;
	static char text[1100 * 20];
	char *end = text;
	for (unsigned i = 0; i < 1025; i++)
		end += sprintf(end, "dpu %02x:%02x.%u\n", i >> 8, (i >> 3) & 31u, i & 7u);
	choose(text);
	expect_refused("more than 1024 functions");
}

static void see_bytes(const void *unused)
{
	(void)unused;
	static const char text[] = "dpu 03:00.0\nhost b1:00.0\0 pf\n";
	choose("");
	write_file("machine", text, sizeof(text) - 1);
	expect_refused("is no PCI address");
}

static void see_folder_of_others(const void *unused)
{
	(void)unused;
	setenv("DOCA_EMU_DIR", folder, 1);
	CHECK(chmod(folder, 0777) == 0);
	expect_refused("can be written to by others");
	CHECK(chmod(folder, 0700) == 0);
}

static void see_no_folder(const void *unused)
{
	(void)unused;
	char path[128];
	path_of("machine", path);
	write_file("machine", "", 0);
	setenv("DOCA_EMU_DIR", path, 1);
	expect_refused("cannot open the fabric folder");
	char long_path[5000];
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	setenv("DOCA_EMU_DIR", long_path, 1);
	expect_refused("too long");
}

static void a_topology_that_cannot_be_read_shows_no_device(void **state)
{
	(void)state;
	in_child(see_missing_file, NULL);
	in_child(see_malformed_strictness, NULL);
	in_child(see_folder_as_file, NULL);
	in_child(see_endless_file, NULL);
	in_child(see_large_file, NULL);
	in_child(see_largest_file, NULL);
	in_child(see_too_many_functions, NULL);
	in_child(see_bytes, NULL);
	in_child(see_folder_of_others, NULL);
	in_child(see_no_folder, NULL);
}

/* ---- capabilities ---- */

static void see_capabilities(const void *unused)
{
	(void)unused;
	choose("dpu 03:00.0 without=export\nhost b1:00.0 pf\nhost b1:00.1 pf without=comch,producer,consumer,export\n");
	see();
	CHECK(emu_devinfo_can(list[0], EMU_CAN_COMCH) && !emu_devinfo_can(list[0], EMU_CAN_EXPORT));
	CHECK(emu_devinfo_can(list[1], EMU_CAN_PRODUCE) && emu_devinfo_can(list[1], EMU_CAN_EXPORT));
	CHECK(!emu_devinfo_can(list[2], EMU_CAN_COMCH) && !emu_devinfo_can(list[2], EMU_CAN_PRODUCE) &&
	      !emu_devinfo_can(list[2], EMU_CAN_CONSUME) && !emu_devinfo_can(list[2], EMU_CAN_EXPORT));
	OK(doca_devinfo_destroy_list(list));
}

static void functions_can_lack_capabilities(void **state)
{
	(void)state;
	in_child(see_capabilities, NULL);
}

static struct doca_mmap *export_from(struct doca_dev *dev, const void **descriptor, size_t *len, doca_error_t expected)
{
	static char memory[4096];
	struct doca_mmap *mmap;
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_start(mmap));
	CHECK(doca_mmap_export_pci(mmap, dev, descriptor, len) == expected);
	return mmap;
}

static void expect_import(const void *descriptor, size_t len, struct doca_dev *dev, doca_error_t expected)
{
	struct doca_mmap *imported = NULL;
	CHECK(doca_mmap_create_from_export(NULL, descriptor, len, dev, &imported) == expected);
	if (imported != NULL)
		OK(doca_mmap_destroy(imported));
}

static void see_exports(const void *unused)
{
	enum { DPU, HOST, UNABLE_HOST, OTHER_DPU, OTHER_HOST, UNABLE_DPU, COUNT };
	(void)unused;
	choose("dpu 03:00.0\nhost b1:00.0 pf\nhost b1:00.1 pf without=export,export-to-host\n"
	       "dpu 43:00.0\nhost c1:00.0 pf\ndpu 83:00.0 without=export,export-to-host\n");
	see();
	struct doca_dev *devs[COUNT];
	uint8_t exports[COUNT], imports[COUNT];
	for (uint32_t i = 0; i < COUNT; i++) {
		OK(doca_dev_open(list[i], &devs[i]));
		OK(doca_mmap_cap_is_export_pci_supported(list[i], &exports[i]));
		OK(doca_mmap_cap_is_create_from_export_pci_supported(list[i], &imports[i]));
		bool able = i != UNABLE_HOST && i != UNABLE_DPU;
		CHECK(exports[i] == able && imports[i] == able);
	}
	OK(doca_devinfo_destroy_list(list));
	const void *descriptor;
	size_t len;
	OK(doca_mmap_destroy(export_from(devs[UNABLE_HOST], &descriptor, &len, DOCA_ERROR_NOT_SUPPORTED)));
	OK(doca_mmap_destroy(export_from(devs[UNABLE_DPU], &descriptor, &len, DOCA_ERROR_NOT_SUPPORTED)));
	struct doca_mmap *exported = export_from(devs[HOST], &descriptor, &len, DOCA_SUCCESS);
	expect_import(descriptor, len, devs[DPU], DOCA_SUCCESS);
	expect_import(descriptor, len, devs[OTHER_DPU], DOCA_ERROR_INVALID_VALUE);
	expect_import(descriptor, len, devs[UNABLE_DPU], DOCA_ERROR_NOT_SUPPORTED);
	expect_import(descriptor, len, devs[HOST], DOCA_ERROR_INVALID_VALUE);
	OK(doca_mmap_destroy(exported));
	exported = export_from(devs[DPU], &descriptor, &len, DOCA_SUCCESS);
	expect_import(descriptor, len, devs[HOST], DOCA_SUCCESS);
	expect_import(descriptor, len, devs[OTHER_HOST], DOCA_ERROR_INVALID_VALUE);
	expect_import(descriptor, len, devs[UNABLE_HOST], DOCA_ERROR_NOT_SUPPORTED);
	expect_import(descriptor, len, devs[DPU], DOCA_ERROR_INVALID_VALUE);
	OK(doca_mmap_destroy(exported));
	for (uint32_t i = 0; i < COUNT; i++)
		OK(doca_dev_close(devs[i]));
}

static void memory_is_exported_only_to_the_other_side_of_a_card(void **state)
{
	(void)state;
	in_child(see_exports, NULL);
}

static int make_folder(void **state)
{
	(void)state;
	unsetenv("DOCA_EMU_SIDE");
	unsetenv("DOCA_EMU_TOPOLOGY");
	unsetenv("DOCA_EMU_LIMITS");
	unsetenv("DOCA_EMU_STRICT");
	strcpy(folder, "/tmp/doca-emu-topology-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	char nobody[128];
	path_of("none", nobody);
	return setenv("DOCA_EMU_DIR", nobody, 1);
}

static void remove_file(const char *name)
{
	char path[128];
	path_of(name, path);
	(void)unlink(path);
}

static int remove_files(void **state)
{
	(void)state;
	remove_file("machine");
	remove_file("topology");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

#define machine_test(test) cmocka_unit_test_teardown(test, remove_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(a_mark_of_utf_8_is_no_part_of_the_text),
		machine_test(each_dpu_has_functions_of_its_own),
		machine_test(names_follow_from_the_place_and_can_be_given),
		machine_test(a_dpu_can_have_ports_and_subfunctions),
		machine_test(a_file_in_the_fabric_folder_is_used_unless_another_is_chosen),
		machine_test(without_a_file_there_is_the_default_machine),
		machine_test(a_process_stays_with_the_first_machine),
		machine_test(a_process_can_be_on_one_dpu_of_several),
		machine_test(limits_of_the_environment_win),
		machine_test(a_machine_is_strict_if_its_topology_or_the_environment_says_so),
		machine_test(a_malformed_topology_shows_no_device_and_says_why),
		machine_test(a_topology_that_cannot_be_read_shows_no_device),
		machine_test(functions_can_lack_capabilities),
		machine_test(memory_is_exported_only_to_the_other_side_of_a_card),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
