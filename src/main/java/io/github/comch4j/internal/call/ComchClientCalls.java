package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Clients as DOCA has them since 2.7. */
final class ComchClientCalls extends ClientCalls {

    @Override
    public MemorySegment create(MemorySegment device, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return Calls.pointer(
                    "doca_comch_client_create", action, out -> doca_h.doca_comch_client_create(device, text, out));
        }
    }

    @Override
    public long connection(MemorySegment client, String action) {
        return Calls.pointer(
                        "doca_comch_client_get_connection",
                        action,
                        out -> doca_h.doca_comch_client_get_connection(client, out))
                .address();
    }

    @Override
    public MemorySegment asContext(MemorySegment endpoint) {
        return doca_h.doca_comch_client_as_ctx(endpoint);
    }

    @Override
    public void destroy(MemorySegment endpoint, String action) {
        Calls.check("doca_comch_client_destroy", action, () -> doca_h.doca_comch_client_destroy(endpoint));
    }

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        Calls.check(
                "doca_comch_client_set_max_msg_size",
                action,
                () -> doca_h.doca_comch_client_set_max_msg_size(endpoint, size));
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return (int) Calls.uint32(
                "doca_comch_client_get_max_msg_size",
                action,
                out -> doca_h.doca_comch_client_get_max_msg_size(endpoint, out));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        Calls.check(
                "doca_comch_client_set_recv_queue_size",
                action,
                () -> doca_h.doca_comch_client_set_recv_queue_size(endpoint, size));
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return (int) Calls.uint32(
                "doca_comch_client_get_recv_queue_size",
                action,
                out -> doca_h.doca_comch_client_get_recv_queue_size(endpoint, out));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        Calls.check(
                "doca_comch_client_task_send_set_conf",
                action,
                () -> doca_h.doca_comch_client_task_send_set_conf(endpoint, sent, notSent, tasks));
    }

    @Override
    public void registerMessages(MemorySegment endpoint, MemorySegment received, String action) {
        Calls.check(
                "doca_comch_client_event_msg_recv_register",
                action,
                () -> doca_h.doca_comch_client_event_msg_recv_register(endpoint, received));
    }

    @Override
    public void registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired, String action) {
        Calls.check(
                "doca_comch_client_event_consumer_register",
                action,
                () -> doca_h.doca_comch_client_event_consumer_register(endpoint, created, expired));
    }

    @Override
    public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        return SendCalls.allocateForClient(endpoint, connection, message, length, out);
    }

    @Override
    public String allocateSendFunction() {
        return SendCalls.ALLOCATE_FOR_CLIENT_NAME;
    }
}
