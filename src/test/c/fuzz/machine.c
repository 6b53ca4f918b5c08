#include "machine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "world.h"

struct doca_dev *dpu, *host;
struct doca_dev_rep *rep;
char host_pci[DOCA_DEVINFO_PCI_ADDR_SIZE];

static char folder[] = "/dev/shm/doca-emu-fuzz-XXXXXX";

void violated(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
	abort();
}

static void open_devices(void)
{
	struct doca_devinfo **list;
	struct doca_devinfo_rep **reps;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	OK(doca_dev_open(list[0], &dpu));
	OK(doca_dev_open(list[1], &host));
	OK(doca_devinfo_destroy_list(list));
	OK(doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num));
	OK(doca_dev_rep_open(reps[0], &rep));
	OK(doca_devinfo_rep_destroy_list(reps));
	OK(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(host), host_pci));
}

static void remove_folder(void)
{
	(void)rmdir(folder);
}

void machine_open(void)
{
	REQUIRE(mkdtemp(folder) != NULL);
	setenv("DOCA_EMU_DIR", folder, 1);
	unsetenv("DOCA_EMU_SIDE");
	unsetenv("DOCA_EMU_TOPOLOGY");
	unsetenv("DOCA_EMU_LIMITS");
	unsetenv("DOCA_EMU_STRICT");
	unsetenv("DOCA_EMU_FAULTS");
	atexit(remove_folder);
	world_reset();
	open_devices();
}

void send_packet(int socket, const void *bytes, size_t len, const int *fds, size_t num_fds)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (num_fds > 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
		struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(num_fds * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, num_fds * sizeof(int));
	}
	(void)sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}
