package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Clients of DOCA 2.5 and 2.6. */
final class CcClientCalls extends ClientCalls {

    @Override
    public MemorySegment create(MemorySegment device, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Calls.pointer("doca_cc_client_create", action, out -> cc_h.doca_cc_client_create(device, text, out));
        }
    }

    @Override
    public long connection(MemorySegment client, String action) {
        return Calls.pointer(
                        "doca_cc_client_get_connection", action, out -> cc_h.doca_cc_client_get_connection(client, out))
                .address();
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        return cc_h.doca_cc_client_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        Calls.check("doca_cc_client_destroy", action, () -> cc_h.doca_cc_client_destroy(endpoint));
    }

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        Calls.check(
                "doca_cc_client_set_max_msg_size", action, () -> cc_h.doca_cc_client_set_max_msg_size(endpoint, size));
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return Calls.size(
                "doca_cc_client_get_max_msg_size", action, out -> cc_h.doca_cc_client_get_max_msg_size(endpoint, out));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        Calls.check(
                "doca_cc_client_set_recv_queue_size",
                action,
                () -> cc_h.doca_cc_client_set_recv_queue_size(endpoint, size));
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return Calls.size(
                "doca_cc_client_get_recv_queue_size",
                action,
                out -> cc_h.doca_cc_client_get_recv_queue_size(endpoint, out));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        byte log = (byte) Pools.log(tasks);
        Calls.check(
                "doca_cc_client_send_task_set_conf",
                action,
                () -> cc_h.doca_cc_client_send_task_set_conf(endpoint, sent, notSent, log));
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        Calls.check(
                "doca_cc_client_event_msg_recv_register",
                action,
                () -> cc_h.doca_cc_client_event_msg_recv_register(endpoint, received));
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        Calls.check(
                "doca_cc_client_event_consumer_register",
                action,
                () -> cc_h.doca_cc_client_event_consumer_register(endpoint, created, expired));
    }

    @Override
    public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        return CcSendCalls.allocateForClient(endpoint, connection, message, length, out);
    }

    @Override
    public String allocateSendFunction() {
        return CcSendCalls.ALLOCATE_FOR_CLIENT_NAME;
    }
}
