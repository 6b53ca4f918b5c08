package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Hot calls of the control path's send tasks. Those that allocate one are here as DOCA has them since 2.6. */
public final class SendCalls {
    private static final String ALLOCATE_FOR_SERVER_TODAY = "doca_comch_server_task_send_alloc_init";
    static final String ALLOCATE_FOR_SERVER_NAME = Symbols.nameOf(ALLOCATE_FOR_SERVER_TODAY);
    private static final String ALLOCATE_FOR_CLIENT_TODAY = "doca_comch_client_task_send_alloc_init";
    static final String ALLOCATE_FOR_CLIENT_NAME = Symbols.nameOf(ALLOCATE_FOR_CLIENT_TODAY);

    private static final MethodHandle ALLOCATE_FOR_SERVER = Symbols.downcall(
            ALLOCATE_FOR_SERVER_TODAY,
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG));
    private static final MethodHandle ALLOCATE_FOR_CLIENT = Symbols.downcall(
            ALLOCATE_FOR_CLIENT_TODAY,
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG));
    private static final MethodHandle AS_TASK =
            Symbols.downcall("doca_comch_task_send_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private SendCalls() {}

    /** {@code doca_comch_server_task_send_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocateForServer(long server, long connection, MemorySegment message, int length, long out) {
        try {
            return (int) ALLOCATE_FOR_SERVER.invokeExact(server, connection, message, length, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_client_task_send_alloc_init}; the task's pointer is written to {@code out}. */
    public static int allocateForClient(long client, long connection, MemorySegment message, int length, long out) {
        try {
            return (int) ALLOCATE_FOR_CLIENT.invokeExact(client, connection, message, length, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comch_task_send_as_task}. */
    public static long asTask(long send) {
        try {
            return (long) AS_TASK.invokeExact(send);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
