package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;

/** Hot calls of the control path's send tasks. Those that allocate one are here as DOCA has them since 2.6. */
public final class SendCalls {
    static final String ALLOCATE_FOR_SERVER_NAME = Symbols.nameOf("doca_comch_server_task_send_alloc_init");
    static final String ALLOCATE_FOR_CLIENT_NAME = Symbols.nameOf("doca_comch_client_task_send_alloc_init");

    private SendCalls() {}

    /** {@code doca_comch_server_task_send_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocateForServer(long server, long connection, MemorySegment message, int length, long out) {
        return doca_h.doca_comch_server_task_send_alloc_init(
                        MemorySegment.ofAddress(server),
                        MemorySegment.ofAddress(connection),
                        message,
                        length,
                        MemorySegment.ofAddress(out))
                .code();
    }

    /** {@code doca_comch_client_task_send_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocateForClient(long client, long connection, MemorySegment message, int length, long out) {
        return doca_h.doca_comch_client_task_send_alloc_init(
                        MemorySegment.ofAddress(client),
                        MemorySegment.ofAddress(connection),
                        message,
                        length,
                        MemorySegment.ofAddress(out))
                .code();
    }

    /** {@code doca_comch_task_send_as_task}. */
    public static long asTask(long send) {
        return doca_h.doca_comch_task_send_as_task$hot(send);
    }
}
