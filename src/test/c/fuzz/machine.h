/* What the fuzzers that play a peer share: checks, the machine's devices in a fabric folder of the fuzzer's own, and
 * packets with descriptors. */
#ifndef FUZZ_MACHINE_H
#define FUZZ_MACHINE_H

#include <stddef.h>

#include "doca_dev.h"
#include "doca_error.h"

#define REQUIRE(condition) ((condition) ? (void)0 : violated(__FILE__, __LINE__, #condition))
#define OK(call) REQUIRE((call) == DOCA_SUCCESS)

_Noreturn void violated(const char *file, int line, const char *what);

extern struct doca_dev *dpu, *host;
extern struct doca_dev_rep *rep; /* of `host` */
extern char host_pci[DOCA_DEVINFO_PCI_ADDR_SIZE];

/* Makes the folder, which is removed at exit, begins the world, and opens the devices. */
void machine_open(void);

/* Without waiting; at most eight descriptors. */
void send_packet(int socket, const void *bytes, size_t len, const int *fds, size_t num_fds);

#endif
