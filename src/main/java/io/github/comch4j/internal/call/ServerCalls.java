package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of servers ({@code doca_comch_server_…}, before DOCA 2.7 {@code doca_cc_server_…}). */
public final class ServerCalls extends EndpointCalls {
    /** {@code doca_comch_server_disconnect}. */
    public static final String DISCONNECT_NAME = "doca_comch_server_disconnect";

    private static final ServerCalls CALLS = new ServerCalls();
    private static final String ALLOCATE_NAME =
            OF_2_5 ? "doca_cc_server_send_task_alloc_init" : Symbols.nameOf("doca_comch_server_task_send_alloc_init");

    /** Apart, as the batch library makes these calls itself. */
    private static final class Hot {
        static final MethodHandle ALLOCATE_WIDE = Symbols.downcall(
                "doca_cc_server_send_task_alloc_init",
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG));
        static final MethodHandle ALLOCATE = Symbols.downcall(
                "doca_comch_server_task_send_alloc_init",
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG));

        private Hot() {}
    }

    private ServerCalls() {}

    /** As what servers and clients have in common. */
    public static ServerCalls get() {
        return CALLS;
    }

    /** {@code doca_comch_server_create}. */
    public static MemorySegment create(MemorySegment device, MemorySegment representor, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return present("doca_comch_server_create")
                    .pointer(action, doca_h.doca_comch_server_create(device, representor, text, Calls.out()));
        }
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        present("doca_comch_server_as_ctx");
        return doca_h.doca_comch_server_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        present("doca_comch_server_destroy").check(action, doca_h.doca_comch_server_destroy(endpoint));
    }

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        if (OF_2_5) {
            present("doca_cc_server_set_max_msg_size")
                    .check(action, cc_h.doca_cc_server_set_max_msg_size(endpoint, size));
        } else {
            present("doca_comch_server_set_max_msg_size")
                    .check(action, doca_h.doca_comch_server_set_max_msg_size(endpoint, size));
        }
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return OF_2_5
                ? present("doca_cc_server_get_max_msg_size")
                        .size(action, cc_h.doca_cc_server_get_max_msg_size(endpoint, Calls.out()))
                : (int) present("doca_comch_server_get_max_msg_size")
                        .uint32(action, doca_h.doca_comch_server_get_max_msg_size(endpoint, Calls.out()));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        if (OF_2_5) {
            present("doca_cc_server_set_recv_queue_size")
                    .check(action, cc_h.doca_cc_server_set_recv_queue_size(endpoint, size));
        } else {
            present("doca_comch_server_set_recv_queue_size")
                    .check(action, doca_h.doca_comch_server_set_recv_queue_size(endpoint, size));
        }
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return OF_2_5
                ? present("doca_cc_server_get_recv_queue_size")
                        .size(action, cc_h.doca_cc_server_get_recv_queue_size(endpoint, Calls.out()))
                : (int) present("doca_comch_server_get_recv_queue_size")
                        .uint32(action, doca_h.doca_comch_server_get_recv_queue_size(endpoint, Calls.out()));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        if (OF_2_5) {
            present("doca_cc_server_send_task_set_conf")
                    .check(action, cc_h.doca_cc_server_send_task_set_conf(endpoint, sent, notSent, (byte)
                            Pools.log(tasks)));
        } else {
            present("doca_comch_server_task_send_set_conf")
                    .check(action, doca_h.doca_comch_server_task_send_set_conf(endpoint, sent, notSent, tasks));
        }
    }

    @Override
    public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        try {
            return OF_2_5
                    ? (int) Hot.ALLOCATE_WIDE.invokeExact(endpoint, connection, message, (long) length, out)
                    : (int) Hot.ALLOCATE.invokeExact(endpoint, connection, message, length, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    @Override
    public String allocateSendFunction() {
        return ALLOCATE_NAME;
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        present("doca_comch_server_event_msg_recv_register")
                .check(action, doca_h.doca_comch_server_event_msg_recv_register(endpoint, received));
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        present("doca_comch_server_event_consumer_register")
                .check(action, doca_h.doca_comch_server_event_consumer_register(endpoint, created, expired));
    }

    /** {@code doca_comch_server_event_connection_status_changed_register}. */
    public static void registerStatus(
            MemorySegment server, MemorySegment connected, MemorySegment disconnected, String action) {
        present("doca_comch_server_event_connection_status_changed_register")
                .check(
                        action,
                        doca_h.doca_comch_server_event_connection_status_changed_register(
                                server, connected, disconnected));
    }

    /** {@code doca_comch_server_disconnect}; returns {@code doca_error_t}. */
    public static int disconnect(MemorySegment server, long connection) {
        present("doca_comch_server_disconnect");
        return doca_h.doca_comch_server_disconnect(server, MemorySegment.ofAddress(connection));
    }

    /** Fails where there is no {@link #disconnect}, before anything is done for it. */
    public static void checkDisconnect() {
        if (!Symbols.has(DISCONNECT_NAME)) {
            throw Symbols.missing(DISCONNECT_NAME);
        }
    }
}
