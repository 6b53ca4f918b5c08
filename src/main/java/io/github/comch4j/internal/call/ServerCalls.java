package io.github.comch4j.internal.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of servers ({@code doca_comch_server_…}). */
public final class ServerCalls extends EndpointCalls {
    /** The only one. */
    public static final ServerCalls INSTANCE = new ServerCalls();

    /** {@code doca_comch_server_disconnect}. */
    public static final String DISCONNECT_NAME = "doca_comch_server_disconnect";

    private static final String REGISTER_STATUS_NAME = "doca_comch_server_event_connection_status_changed_register";

    /** By hand and not in the generated bindings, because 2.7 has another name for it. */
    private static final MethodHandle REGISTER_STATUS =
            Symbols.downcall(REGISTER_STATUS_NAME, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private ServerCalls() {}

    /** {@code doca_comch_server_create}. */
    public static MemorySegment create(MemorySegment device, MemorySegment representor, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Calls.pointer(
                    "doca_comch_server_create",
                    action,
                    out -> doca_h.doca_comch_server_create(device, representor, text, out));
        }
    }

    /** {@code doca_comch_server_disconnect}; returns {@code doca_error_t}. */
    public static int disconnect(MemorySegment server, long connection) {
        return Calls.code(
                DISCONNECT_NAME,
                () -> doca_h.doca_comch_server_disconnect(server, MemorySegment.ofAddress(connection)));
    }

    /** {@code doca_comch_server_event_connection_status_changed_register}. */
    public static void registerStatus(
            MemorySegment server, MemorySegment connected, MemorySegment disconnected, String action) {
        Calls.check(
                REGISTER_STATUS_NAME,
                action,
                () -> callRegisterStatus(server.address(), connected.address(), disconnected.address()));
    }

    private static int callRegisterStatus(long server, long connected, long disconnected) {
        try {
            return (int) REGISTER_STATUS.invokeExact(server, connected, disconnected);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        return doca_h.doca_comch_server_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        Calls.check("doca_comch_server_destroy", action, () -> doca_h.doca_comch_server_destroy(endpoint));
    }

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        Calls.check(
                "doca_comch_server_set_max_msg_size",
                action,
                () -> doca_h.doca_comch_server_set_max_msg_size(endpoint, size));
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return (int) Calls.uint32(
                "doca_comch_server_get_max_msg_size",
                action,
                out -> doca_h.doca_comch_server_get_max_msg_size(endpoint, out));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        Calls.check(
                "doca_comch_server_set_recv_queue_size",
                action,
                () -> doca_h.doca_comch_server_set_recv_queue_size(endpoint, size));
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return (int) Calls.uint32(
                "doca_comch_server_get_recv_queue_size",
                action,
                out -> doca_h.doca_comch_server_get_recv_queue_size(endpoint, out));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        Calls.check(
                "doca_comch_server_task_send_set_conf",
                action,
                () -> doca_h.doca_comch_server_task_send_set_conf(endpoint, sent, notSent, tasks));
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        Calls.check(
                "doca_comch_server_event_msg_recv_register",
                action,
                () -> doca_h.doca_comch_server_event_msg_recv_register(endpoint, received));
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        Calls.check(
                "doca_comch_server_event_consumer_register",
                action,
                () -> doca_h.doca_comch_server_event_consumer_register(endpoint, created, expired));
    }

    @Override
    public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        return SendCalls.allocateForServer(endpoint, connection, message, length, out);
    }

    @Override
    public String allocateSendFunction() {
        return SendCalls.ALLOCATE_FOR_SERVER_NAME;
    }
}
