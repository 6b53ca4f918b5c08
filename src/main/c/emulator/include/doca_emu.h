/* Control of the emulated BlueField beyond DOCA's own functions: machines that the program names, faults on demand, a
 * slower device, and the reason of a failure.
 *
 * Only the emulator exports these; a program that wants to run on a real device as well looks them up at run time.
 * The same text can be given in the environment variable DOCA_EMU_FAULTS; it applies from the start of the process. If
 * that is @NAME, the process listens: what the file NAME.faults in the fabric folder says applies, a moment after it
 * was written, and no more when it has gone (comch emulator faults). The file must be of the process's own user. */
#ifndef DOCA_EMU_H
#define DOCA_EMU_H

#include <stdint.h>

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devinfo;

/* The devices of the machine of a fabric folder, as doca_devinfo_create_list has those of the folder that DOCA_EMU_DIR
 * names; doca_devinfo_destroy_list frees the list. Devices, and all that is made of them, stay with their machine, so
 * that one process takes part in several, which do not know of each other.
 *
 * `folder` begins with '/' and is made when a server or client starts. The file `topology` in it describes the machine;
 * it is read at the first call with this name. DOCA_EMU_TOPOLOGY and DOCA_EMU_LIMITS are of the environment's machine,
 * DOCA_EMU_STRICT is of all.
 * `side` is "host", "dpu", "dpu:PCI" or "both"; NULL is "both".
 *
 * INVALID_VALUE: no such folder can be, or a NULL. NOT_FOUND: no such side, a folder or topology that cannot be used,
 * as the log says. NO_MEMORY. Any thread. What a machine consists of stays in memory. */
__attribute__((visibility("default"))) doca_error_t
doca_emu_devinfo_create_list(const char *folder, const char *side, struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/* Replaces all faults of this process by those in `spec`; NULL or "" removes them. They concern the environment's
 * machine. `spec` is a list KEY=VALUE,… of
 *
 *   refuse=N          servers refuse the next N clients
 *   accept_delay=MS   servers let each client wait so many milliseconds
 *   again=N           the next N submits of messages and of producer sends answer AGAIN
 *   fail_send=K:ERR   the K-th message or producer send from now fails with ERR (a name as IO_FAILED) and is not sent
 *   break_send=K:ERR  the same, and all that lies behind it fails, its context stops, and the connection breaks
 *   fail_recv=K:ERR   the K-th receive from now that a send reaches fails with ERR; the payload goes into the next
 *                     posted buffer
 *   break_recv=K:ERR  the same, but all that lies behind it fails, its context stops, and the connection breaks
 *   lose_recv=K:ERR   the K-th receive from now fails with ERR, and what was sent to it is lost: no card does so
 *   drop=K            at the K-th message or producer send from now the connection breaks, as if the peer had died:
 *                     it and all that follow on this side answer NOT_CONNECTED
 *   latency=US        what this process sends arrives so many microseconds later
 *   bandwidth=MB      and at so many megabytes (10^6 bytes) per second at most
 *
 * Each library counts by itself: those of Comch, of endpoints (doca_comm_channel) and of DMA.
 *
 * INVALID_VALUE: not such a list; nothing has changed. Any thread. */
__attribute__((visibility("default"))) doca_error_t doca_emu_set_faults(const char *spec);

/* The same for the machine of a fabric folder, named as for doca_emu_devinfo_create_list: servers and clients of Comch
 * and what is made of them, and endpoints, in this process. Any thread. INVALID_VALUE also for NULL; NO_MEMORY. */
__attribute__((visibility("default"))) doca_error_t doca_emu_set_faults_of(const char *folder, const char *spec);

/* The reason of this thread's latest failure since it last started a context or listed the devices: one sentence,
 * which the log of the libraries has, too; "" if there was none. The call clears it. The text is valid in this
 * thread until its next call. */
__attribute__((visibility("default"))) const char *doca_emu_last_error(void);

/* Whether the latest attempt of this thread to connect was refused for a reason that waiting does not change: 1 for
 * another version or another user at the other end, or a fabric folder that cannot be used; 0 for a server that is not
 * there, is full, has no descriptors left, or refuses on demand, and when nothing was refused. doca_emu_last_error()
 * says which. It is the attempt of a client whose context becomes IDLE without having been RUNNING, from the callback
 * that tells so on, or that of an endpoint's connect. The thread's next doca_ctx_start or connect clears it. */
__attribute__((visibility("default"))) uint8_t doca_emu_refused_for_good(void);

#ifdef __cplusplus
}
#endif

#endif
