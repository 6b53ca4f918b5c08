package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What servers and clients have in common under different names ({@code doca_comch_server_…},
 * {@code doca_comch_client_…}, before DOCA 2.7 {@code doca_cc_…}).
 */
public abstract sealed class EndpointCalls permits ServerCalls, ClientCalls {

    /** Whether it is DOCA 2.5 that is loaded, which has other types. */
    private static final boolean OF_2_5 = NativeLibrary.isCc25();

    /**
     * Whether lengths of messages are a {@code size_t}, to the functions that allocate a task and to the callback for a
     * message that arrives: in DOCA 2.5.
     */
    public static final boolean WIDE = OF_2_5;

    private final boolean server;

    /** Apart, as the batch library makes these calls itself. */
    private static final class Hot {
        static final MethodHandle AS_TASK =
                Symbols.downcall("doca_comch_task_send_as_task", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
        private static final FunctionDescriptor WIDE_MESSAGE =
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);
        private static final FunctionDescriptor MESSAGE =
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG);
        static final MethodHandle OF_SERVER_WIDE =
                Symbols.downcall("doca_cc_server_send_task_alloc_init", WIDE_MESSAGE);
        static final MethodHandle OF_CLIENT_WIDE =
                Symbols.downcall("doca_cc_client_send_task_alloc_init", WIDE_MESSAGE);
        static final MethodHandle OF_SERVER = Symbols.downcall("doca_comch_server_task_send_alloc_init", MESSAGE);
        static final MethodHandle OF_CLIENT = Symbols.downcall("doca_comch_client_task_send_alloc_init", MESSAGE);

        private Hot() {}
    }

    /** For the two kinds. */
    EndpointCalls(boolean server) {
        this.server = server;
    }

    /** A function by today's name, which serves all releases. */
    private String named(String what) {
        return (server ? "doca_comch_server_" : "doca_comch_client_") + what;
    }

    /** A function of which DOCA 2.5 has one with other types. */
    private String ofRelease(String what) {
        return OF_2_5 ? (server ? "doca_cc_server_" : "doca_cc_client_") + what : named(what);
    }

    /** {@code …_as_ctx}; returns the view. */
    public final MemorySegment asContext(MemorySegment endpoint) {
        present(named("as_ctx"));
        return server ? doca_h.doca_comch_server_as_ctx(endpoint) : doca_h.doca_comch_client_as_ctx(endpoint);
    }

    /** {@code …_destroy}. */
    public final void destroy(MemorySegment endpoint, String action) {
        DocaFunction function = present(named("destroy"));
        int code = server ? doca_h.doca_comch_server_destroy(endpoint) : doca_h.doca_comch_client_destroy(endpoint);
        function.check(action, code);
    }

    /** {@code …_set_max_msg_size}, bytes. */
    public final void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        DocaFunction function = present(ofRelease("set_max_msg_size"));
        int code;
        if (OF_2_5) {
            code = server
                    ? cc_h.doca_cc_server_set_max_msg_size(endpoint, size)
                    : cc_h.doca_cc_client_set_max_msg_size(endpoint, size);
        } else {
            code = server
                    ? doca_h.doca_comch_server_set_max_msg_size(endpoint, size)
                    : doca_h.doca_comch_client_set_max_msg_size(endpoint, size);
        }
        function.check(action, code);
    }

    /** {@code …_get_max_msg_size}, bytes. */
    public final int maxMessageSize(MemorySegment endpoint, String action) {
        DocaFunction function = present(named("get_max_msg_size"));
        int code = server
                ? doca_h.doca_comch_server_get_max_msg_size(endpoint, Calls.out())
                : doca_h.doca_comch_client_get_max_msg_size(endpoint, Calls.out());
        return function.size(action, code);
    }

    /** {@code …_set_recv_queue_size}, messages. */
    public final void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        DocaFunction function = present(ofRelease("set_recv_queue_size"));
        int code;
        if (OF_2_5) {
            code = server
                    ? cc_h.doca_cc_server_set_recv_queue_size(endpoint, size)
                    : cc_h.doca_cc_client_set_recv_queue_size(endpoint, size);
        } else {
            code = server
                    ? doca_h.doca_comch_server_set_recv_queue_size(endpoint, size)
                    : doca_h.doca_comch_client_set_recv_queue_size(endpoint, size);
        }
        function.check(action, code);
    }

    /** {@code …_get_recv_queue_size}, messages. */
    public final int receiveQueueSize(MemorySegment endpoint, String action) {
        DocaFunction function = present(named("get_recv_queue_size"));
        int code = server
                ? doca_h.doca_comch_server_get_recv_queue_size(endpoint, Calls.out())
                : doca_h.doca_comch_client_get_recv_queue_size(endpoint, Calls.out());
        return function.size(action, code);
    }

    /** {@code …_task_send_set_conf}; {@code tasks} as {@link Pools#size} says. */
    public final void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        DocaFunction function = present(ofRelease(OF_2_5 ? "send_task_set_conf" : "task_send_set_conf"));
        int code;
        if (OF_2_5) {
            byte log = (byte) Pools.log(tasks);
            code = server
                    ? cc_h.doca_cc_server_send_task_set_conf(endpoint, sent, notSent, log)
                    : cc_h.doca_cc_client_send_task_set_conf(endpoint, sent, notSent, log);
        } else {
            code = server
                    ? doca_h.doca_comch_server_task_send_set_conf(endpoint, sent, notSent, tasks)
                    : doca_h.doca_comch_client_task_send_set_conf(endpoint, sent, notSent, tasks);
        }
        function.check(action, code);
    }

    /** {@code …_event_msg_recv_register}. */
    public final void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        DocaFunction function = present(named("event_msg_recv_register"));
        int code = server
                ? doca_h.doca_comch_server_event_msg_recv_register(endpoint, received)
                : doca_h.doca_comch_client_event_msg_recv_register(endpoint, received);
        function.check(action, code);
    }

    /** {@code …_event_consumer_register}. */
    public final void registerConsumers(
            MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        DocaFunction function = present(named("event_consumer_register"));
        int code = server
                ? doca_h.doca_comch_server_event_consumer_register(endpoint, created, expired)
                : doca_h.doca_comch_client_event_consumer_register(endpoint, created, expired);
        function.check(action, code);
    }

    /**
     * {@code …_task_send_alloc_init}: copies the message; the task's pointer is written to {@code out}. Returns
     * {@code doca_error_t}. Hot.
     */
    public final int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        try {
            if (WIDE) {
                return server
                        ? (int) Hot.OF_SERVER_WIDE.invokeExact(endpoint, connection, message, (long) length, out)
                        : (int) Hot.OF_CLIENT_WIDE.invokeExact(endpoint, connection, message, (long) length, out);
            }
            return server
                    ? (int) Hot.OF_SERVER.invokeExact(endpoint, connection, message, length, out)
                    : (int) Hot.OF_CLIENT.invokeExact(endpoint, connection, message, length, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** The C name of {@link #allocateSend}. */
    public final String allocateSendFunction() {
        return Symbols.nameOf(ofRelease(OF_2_5 ? "send_task_alloc_init" : "task_send_alloc_init"));
    }

    /** {@code doca_comch_task_send_as_task}. Hot. */
    public static long asTask(long send) {
        try {
            return (long) Hot.AS_TASK.invokeExact(send);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }
}
