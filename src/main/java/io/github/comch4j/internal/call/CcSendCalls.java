package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Hot calls of the control path's send tasks of DOCA 2.5 that differ: lengths are {@code size_t}. */
final class CcSendCalls {
    static final String ALLOCATE_FOR_SERVER_NAME = "doca_cc_server_send_task_alloc_init";
    static final String ALLOCATE_FOR_CLIENT_NAME = "doca_cc_client_send_task_alloc_init";

    private static final MethodHandle ALLOCATE_FOR_SERVER = Symbols.downcall(
            ALLOCATE_FOR_SERVER_NAME,
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle ALLOCATE_FOR_CLIENT = Symbols.downcall(
            ALLOCATE_FOR_CLIENT_NAME,
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG));

    private CcSendCalls() {}

    /** {@code doca_cc_server_send_task_alloc_init}; the task's pointer is written to {@code out}. */
    static int allocateForServer(long server, long connection, MemorySegment message, long length, long out) {
        try {
            return (int) ALLOCATE_FOR_SERVER.invokeExact(server, connection, message, length, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_cc_client_send_task_alloc_init}; the task's pointer is written to {@code out}. */
    static int allocateForClient(long client, long connection, MemorySegment message, long length, long out) {
        try {
            return (int) ALLOCATE_FOR_CLIENT.invokeExact(client, connection, message, length, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
