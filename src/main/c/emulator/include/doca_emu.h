/* Control of the emulated BlueField beyond DOCA's own functions: faults on demand, a slower device, and the reason of a
 * failure.
 *
 * Only the emulator exports these; a program that wants to run on a real device as well looks them up at run time.
 * The same text can be given in the environment variable DOCA_EMU_FAULTS; it applies from the start of the process. */
#ifndef DOCA_EMU_H
#define DOCA_EMU_H

#include <stdint.h>

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces all faults of this process by those in `spec`; NULL or "" removes them. `spec` is a list KEY=VALUE,… of
 *
 *   refuse=N          servers refuse the next N clients
 *   accept_delay=MS   servers let each client wait so many milliseconds
 *   again=N           the next N submits of messages and of producer sends answer AGAIN
 *   fail_send=K:ERR   the K-th message or producer send from now fails with ERR (a name as IO_FAILED) and is not sent
 *   fail_recv=K:ERR   the K-th receive from now fails with ERR; what was sent to it is lost
 *   drop=K            at the K-th message or producer send from now the connection breaks, as if the peer had died:
 *                     it and all that follow on this side answer NOT_CONNECTED
 *   latency=US        what this process sends arrives so many microseconds later
 *   bandwidth=MB      and at so many megabytes (10^6 bytes) per second at most
 *
 * INVALID_VALUE: not such a list; nothing has changed. Any thread. */
__attribute__((visibility("default"))) doca_error_t doca_emu_set_faults(const char *spec);

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
