/* Decisions where no public source settles how DOCA behaves ("readings").
 *
 * "Seen" is how NVIDIA's libraries of DOCA 2.5.0108 answer without a card; cc/observed.h has what differs for 2.5 and
 * 2.6. docs/contributing/emulator-inside.md lists which readings are settled; `comch conformance` asks a card for
 * others.
 *
 * Each has a name, is used by that name only, and can be corrected here once hardware shows otherwise.
 * The number in brackets is the open question in docs/contributing/emulator-inside.md. */
#ifndef EMU_READINGS_H
#define EMU_READINGS_H

#include <stdbool.h>

#include "doca_error.h"

/* Whether the disconnect event calls it successful when a client has died, or its connection broke. Public headers
 * have "1 if the action was successful", the samples log an error at 0 and go on, or count the client as gone at either
 * value; none says which it is here. It is the only sign that there was no goodbye. */
#define READING_END_WITHOUT_GOODBYE false

/* A second server of the same device, representor and name: refused by doca_ctx_start [Q3]. */
#define READING_DUPLICATE_SERVER_NAME DOCA_ERROR_INITIALIZATION

/* The SF index of a function that is none. */
#define READING_SF_INDEX_OF_OTHERS DOCA_ERROR_NOT_SUPPORTED

/* A doca_buf that more than one holds, or that is in a list, is not moved. */
#define READING_BUF_REUSE_SHARED DOCA_ERROR_NOT_PERMITTED

/* Over-long or empty control message: refused by alloc_init [Q8]. */
#define READING_BAD_MESSAGE_LENGTH DOCA_ERROR_INVALID_VALUE

/* What stands in a message's memory once its callback has ended: its first cache line, of an easy machine; all of it,
 * of a strict one. A device may use that memory for something else. */
#define READING_POISON 0xdb
#define READING_POISONED_BYTES 64u
/* The same of a posted buffer's room, of a strict machine: so much of its begin. */
#define READING_POISONED_ROOM 65536u
/* A send whose payload was changed before it ended, of a strict machine, which stops the producer then. */
#define READING_PAYLOAD_CHANGED DOCA_ERROR_IO_FAILED

/* Status of a task that a stop or a lost peer flushes [Q9]. */
#define READING_FLUSHED_TASK DOCA_ERROR_IO_FAILED

/* doca_ctx_stop on an IDLE context with an engine (seen; without one NOT_CONNECTED), on a STOPPING one, with active
 * producers or consumers [Q12]. */
#define READING_STOP_WHEN_IDLE DOCA_SUCCESS
#define READING_STOP_WHEN_STOPPING DOCA_ERROR_IN_PROGRESS
#define READING_STOP_WITH_CHILDREN DOCA_ERROR_IN_USE

/* For how long from the first attempt on a strict machine answers so as well where consumers of the peer run: a peer
 * that never stops them must not keep a program from its end. */
#define READING_TEARDOWN_PATIENCE_MS 100

/* doca_dev_close of NULL: seen in 2.5, and NVIDIA's samples of DMA of 3.0 to 3.3 fail without it. */
#define READING_CLOSE_NULL DOCA_SUCCESS

/* Of a map that was given none: NVIDIA's samples of DMA write to such maps. */
#define READING_MMAP_PERMISSIONS DOCA_ACCESS_FLAG_LOCAL_READ_WRITE

/* A copy of DMA that the device cannot make: the permissions of the destination's map, an exporter that has ended, a
 * source without data (NVIDIA's sample of task errors waits for that error). Its context stops by itself then. Empty
 * buffers in a list that has data elsewhere are passed over. */
#define READING_DMA_FAILED DOCA_ERROR_IO_FAILED

/* doca_ctx_start in any state but IDLE. */
#define READING_START_WHEN_NOT_IDLE DOCA_ERROR_BAD_STATE

/* A mandatory configuration is missing at doca_ctx_start; seen in 2.5: BAD_STATE, which 3.0 does not list. */
#define READING_START_UNCONFIGURED DOCA_ERROR_INVALID_VALUE

/* Allocating or submitting while the context is not RUNNING [Q37]. */
#define READING_TASK_WHEN_NOT_RUNNING DOCA_ERROR_BAD_STATE

/* Submitting a task that is in flight already. */
#define READING_TASK_IN_FLIGHT DOCA_ERROR_BAD_STATE

/* Producer or consumer ids count from 1 per side of a connection and are not reused below 65535 [Q14]. */
#define READING_FIRST_ID 1u
/* The same on a strict machine, so that no program takes one side's for the other's, or counts. */
#define READING_FIRST_ID_OF_CLIENT 257u
#define READING_FIRST_ID_OF_SERVER 513u
#define READING_ID_LIMIT 65535u

/* Send longer than the room of the next posted buffer, or immediate data longer than the consumer
 * takes: refused by submit, the posted buffer stays [Q20, Q34]. */
#define READING_SEND_TOO_LONG DOCA_ERROR_INVALID_VALUE

/* The longest list of buffers that can be posted: no public source says in what parts of a list data arrive. A longer
 * one is refused by submit; so is one to be sent that is longer than the device's limit. */
#define READING_POST_LIST_LEN 1u
#define READING_LIST_TOO_LONG DOCA_ERROR_INVALID_VALUE

/* Send of a buffer whose memory map was imported: refused by submit. */
#define READING_SEND_FROM_IMPORTED DOCA_ERROR_NOT_SUPPORTED

/* A memory map that the connection's device was not added to: refused by the create of a consumer; a buffer of one by
 * the submit of a send or receive, because a task may be given another buffer until then. */
#define READING_MAP_OF_OTHER_DEVICES DOCA_ERROR_INVALID_VALUE

/* A consumer in a map that is not started or that the other side may not write (seen). */
#define READING_CONSUMER_MAP_UNFIT DOCA_ERROR_NOT_PERMITTED

/* Consumer id that does not run yet / was never created / has expired [Q21]. */
#define READING_CONSUMER_NOT_RUNNING DOCA_ERROR_AGAIN
#define READING_CONSUMER_UNKNOWN DOCA_ERROR_INVALID_VALUE
#define READING_CONSUMER_EXPIRED DOCA_ERROR_INVALID_VALUE

/* A send that is under way when its consumer stops [§6.4]. */
#define READING_CONSUMER_GONE DOCA_ERROR_CONNECTION_RESET

/* Destroying a context object that is not IDLE [Q27]. */
#define READING_DESTROY_NOT_IDLE DOCA_ERROR_IN_USE

/* Closing a device or representor that a context object still uses [Q31]. */
#define READING_CLOSE_IN_USE DOCA_ERROR_IN_USE

/* How long a stopping server or client waits for a peer that lives and takes nothing, with messages that were submitted
 * successfully and have found its receive queue full; and how long a server that is asked to end one connection answers
 * AGAIN then. Each message that is taken begins the time anew [Q10]. */
#define READING_STOP_GRACE_MS 5000
#define READING_DISCONNECT_GRACE_MS 1000

/* How long a consumer that stops, or takes a posted buffer back, waits for a producer that has claimed a buffer and
 * does not fill it. Copying takes less than a second; a peer that takes longer hangs, and its connection is cut. */
#define READING_CLAIM_PATIENCE_MS 5000

/* An armed engine wakes its waiter at the latest after this time, because public guides exclude Comch from
 * event-driven completions and a program must not hang for want of one [Q17]. */
#define READING_LONGEST_SLEEP_NS UINT64_C(50000000)
/* The same while a context starts or stops, and where wake-ups cannot be relied upon. */
#define READING_NOTIFY_POLL_NS UINT64_C(1000000)

/* Default sizes of a server or client when nothing was set; seen in 2.5: 2048 and 128 [Q30]. */
#define READING_DEFAULT_MAX_MSG_SIZE 4080u
#define READING_DEFAULT_RECV_QUEUE_SIZE 64u

/* doca_mmap_start without a memory range; seen in 2.5: BAD_STATE, which 3.0 does not list. */
#define READING_MMAP_START_WITHOUT_RANGE DOCA_ERROR_INVALID_VALUE

/* doca_mmap_stop on a map that was made from an export; an exported one is stopped [Q23]. */
#define READING_MMAP_STOP_FROM_EXPORT DOCA_ERROR_NOT_PERMITTED

/* doca_mmap_create_from_export when the exporting process or its map has ended. */
#define READING_MMAP_EXPORTER_GONE DOCA_ERROR_DRIVER

/* How many devices a map takes when doca_mmap_set_max_num_devices was not called (seen). */
#define READING_MMAP_MAX_DEVICES 1u

/* Taking a buf while the map or the inventory is not started, or with data outside the buf.
 * Seen: not checked. Refused here all the same, because a test should fail where a device would. */
#define READING_BUF_GET_REFUSED DOCA_ERROR_INVALID_VALUE

/* doca_buf_inc_refcount on a buf that has gone back to its inventory. Seen: a success, with a count of 0. */
#define READING_BUF_IS_FREE DOCA_ERROR_BAD_STATE

/* doca_buf_inventory_create of no element at all (seen). */
#define READING_EMPTY_INVENTORY DOCA_ERROR_INVALID_VALUE

/* The largest inventory, elements; more is answered with NO_MEMORY, more than 32 bits with INVALID_VALUE (seen). */
#define READING_MAX_INVENTORY (1u << 28)

/* Starting a started pool (seen); taking a buf of a pool whose map was stopped meanwhile (seen: not checked).
 * A map counts the bufs of a pool while they are out. */
#define READING_POOL_START_WHEN_STARTED DOCA_SUCCESS
#define READING_POOL_MAP_STOPPED DOCA_ERROR_BAD_STATE

/* Rate of an emulated port, bits per second; nothing is slowed down to it. */
#define READING_ACTIVE_RATE UINT64_C(200000000000)

/* Opening a backend's limit further than its strict function has fixed (seen); a global limit stops there silently. */
#define READING_LOG_STRICT_LIMIT DOCA_ERROR_NOT_PERMITTED

/* doca_log with a source that is not registered (seen). */
#define READING_LOG_UNKNOWN_SOURCE DOCA_ERROR_INVALID_VALUE

/* doca_log from the flush handler of a backend: the record is dropped. Seen: it waits for itself for ever. */
#define READING_LOG_FROM_FLUSH_HANDLER DOCA_ERROR_NOT_PERMITTED

/* ---- the DPA (docs/dpa.md) ---- */

/* What needs a started dpa, thread or completion, and finds one that is not. */
#define READING_DPA_NOT_STARTED DOCA_ERROR_BAD_STATE

/* Starting a producer or consumer of a MsgQ on the DPA without data path, completion or size of its queue; one whose
 * data path is not where the MsgQ has it. */
#define READING_DPA_PART_MISSING DOCA_ERROR_BAD_STATE
#define READING_DPA_WRONG_SIDE DOCA_ERROR_INVALID_VALUE

/* A MsgQ with both ends on the DPA, at its start. */
#define READING_MSGQ_WITHOUT_CPU DOCA_ERROR_INVALID_VALUE

/* Producers and consumers of a MsgQ when nothing was set, and elements of a completion of consumers. */
#define READING_MSGQ_DEFAULT_CHILDREN 1u
#define READING_MSGQ_DEFAULT_RECV 64u

/* Memory of the DPA that was not allocated in one piece. */
#define READING_DPA_OUT_OF_RANGE DOCA_ERROR_INVALID_VALUE

/* Stopping or destroying a sync event that a launched kernel or a posted wait waits for, or a kernel will change; and
 * destroying one whose context runs. */
#define READING_SYNC_EVENT_USED DOCA_ERROR_IN_USE

/* Cores and execution units as on a BlueField-3; one core is not for programs. */
#define READING_DPA_CORES 16u
#define READING_DPA_EUS_PER_CORE 16u
#define READING_DPA_EUS 240u
#define READING_DPA_MAX_THREADS_PER_KERNEL 128u

/* How long a call or a launched kernel may run, seconds; then the dpa has failed, and the call answers so. */
#define READING_DPA_MAX_RUN_S 12u

/* How long the stop of a thread waits for the end of its run. */
#define READING_DPA_STOP_PATIENCE_MS 1000
#define READING_DPA_STOP_RUNNING DOCA_ERROR_DRIVER

/* Memory of the DPA, bytes, and what is answered when it is used up. */
#define READING_DPA_HEAP (UINT64_C(1) << 30)
#define READING_DPA_HEAP_USED_UP DOCA_ERROR_NO_MEMORY

/* The largest queue of a completion or of asynchronous operations. */
#define READING_DPA_MAX_QUEUE (1u << 20)

#endif
