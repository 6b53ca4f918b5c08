package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** The same as DOCA has it since 2.6, of servers. */
final class ComchServerCalls extends ServerCalls {

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        doca_h.doca_comch_server_set_max_msg_size(endpoint, size).check(action);
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return (int) Calls.uint32(action, out -> doca_h.doca_comch_server_get_max_msg_size(endpoint, out));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        doca_h.doca_comch_server_set_recv_queue_size(endpoint, size).check(action);
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return (int) Calls.uint32(action, out -> doca_h.doca_comch_server_get_recv_queue_size(endpoint, out));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        doca_h.doca_comch_server_task_send_set_conf(endpoint, sent, notSent, tasks)
                .check(action);
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
