package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import java.lang.foreign.MemorySegment;

/** What DOCA 2.5 has with other types than later releases, of servers. */
final class CcServerCalls extends ServerCalls {

    @Override
    public void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        cc_h.doca_cc_server_set_max_msg_size(endpoint, size).check(action);
    }

    @Override
    public int maxMessageSize(MemorySegment endpoint, String action) {
        return Calls.size(action, out -> cc_h.doca_cc_server_get_max_msg_size(endpoint, out));
    }

    @Override
    public void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        cc_h.doca_cc_server_set_recv_queue_size(endpoint, size).check(action);
    }

    @Override
    public int receiveQueueSize(MemorySegment endpoint, String action) {
        return Calls.size(action, out -> cc_h.doca_cc_server_get_recv_queue_size(endpoint, out));
    }

    @Override
    public void configureSend(
            MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks, String action) {
        byte log = (byte) Pools.log(tasks);
        cc_h.doca_cc_server_send_task_set_conf(endpoint, sent, notSent, log).check(action);
    }

    @Override
    public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
        return CcSendCalls.allocateForServer(endpoint, connection, message, length, out);
    }

    @Override
    public String allocateSendFunction() {
        return CcSendCalls.ALLOCATE_FOR_SERVER_NAME;
    }
}
