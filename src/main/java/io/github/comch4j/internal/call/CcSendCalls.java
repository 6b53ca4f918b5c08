package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import java.lang.foreign.MemorySegment;

/** Hot calls of the control path's send tasks of DOCA 2.5 that differ: lengths are {@code size_t}. */
final class CcSendCalls {
    static final String ALLOCATE_FOR_SERVER_NAME = "doca_cc_server_send_task_alloc_init";
    static final String ALLOCATE_FOR_CLIENT_NAME = "doca_cc_client_send_task_alloc_init";

    private CcSendCalls() {}

    /** {@code doca_cc_server_send_task_alloc_init}; the task's pointer is written to {@code out}. */
    static int allocateForServer(long server, long connection, MemorySegment message, long length, long out) {
        return cc_h.doca_cc_server_send_task_alloc_init(
                        MemorySegment.ofAddress(server),
                        MemorySegment.ofAddress(connection),
                        message,
                        length,
                        MemorySegment.ofAddress(out))
                .code();
    }

    /** {@code doca_cc_client_send_task_alloc_init}; the task's pointer is written to {@code out}. */
    static int allocateForClient(long client, long connection, MemorySegment message, long length, long out) {
        return cc_h.doca_cc_client_send_task_alloc_init(
                        MemorySegment.ofAddress(client),
                        MemorySegment.ofAddress(connection),
                        message,
                        length,
                        MemorySegment.ofAddress(out))
                .code();
    }
}
