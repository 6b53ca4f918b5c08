package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Calls of clients ({@code doca_comch_client_…}, before DOCA 2.7 {@code doca_cc_client_…}). */
public final class ClientCalls extends EndpointCalls {

    private static final ClientCalls CALLS = new ClientCalls();
    private static final String ALLOCATE_NAME =
            OF_2_5 ? "doca_cc_client_send_task_alloc_init" : Symbols.nameOf("doca_comch_client_task_send_alloc_init");

    private ClientCalls() {}

    /** As what servers and clients have in common. */
    public static ClientCalls get() {
        return CALLS;
    }

    /** {@code doca_comch_client_create}. */
    public static MemorySegment create(MemorySegment device, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Calls.pointer(action, doca_h.doca_comch_client_create(device, text, Calls.out()));
        }
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        return doca_h.doca_comch_client_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        doca_h.doca_comch_client_destroy(endpoint).check(action);
    }

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        (OF_2_5
                        ? cc_h.doca_cc_client_set_max_msg_size(endpoint, size)
                        : doca_h.doca_comch_client_set_max_msg_size(endpoint, size))
                .check(action);
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return size(
                action,
                OF_2_5
                        ? cc_h.doca_cc_client_get_max_msg_size(endpoint, Calls.out())
                        : doca_h.doca_comch_client_get_max_msg_size(endpoint, Calls.out()));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        (OF_2_5
                        ? cc_h.doca_cc_client_set_recv_queue_size(endpoint, size)
                        : doca_h.doca_comch_client_set_recv_queue_size(endpoint, size))
                .check(action);
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return size(
                action,
                OF_2_5
                        ? cc_h.doca_cc_client_get_recv_queue_size(endpoint, Calls.out())
                        : doca_h.doca_comch_client_get_recv_queue_size(endpoint, Calls.out()));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        (OF_2_5
                        ? cc_h.doca_cc_client_send_task_set_conf(endpoint, sent, notSent, (byte) Pools.log(tasks))
                        : doca_h.doca_comch_client_task_send_set_conf(endpoint, sent, notSent, tasks))
                .check(action);
    }

    @Override
    public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        return OF_2_5
                ? cc_h.doca_cc_client_send_task_alloc_init$hot(endpoint, connection, message, length, out)
                : doca_h.doca_comch_client_task_send_alloc_init$hot(endpoint, connection, message, length, out);
    }

    @Override
    public String allocateSendFunction() {
        return ALLOCATE_NAME;
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        doca_h.doca_comch_client_event_msg_recv_register(endpoint, received).check(action);
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        doca_h.doca_comch_client_event_consumer_register(endpoint, created, expired)
                .check(action);
    }

    /** {@code doca_comch_client_get_connection}. */
    public static long connection(MemorySegment client, String action) {
        return Calls.pointer(action, doca_h.doca_comch_client_get_connection(client, Calls.out()))
                .address();
    }
}
