package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.cc.cc_h;
import java.lang.foreign.MemorySegment;

/** Capabilities of DOCA 2.5: {@code size_t} for most numbers, and no functions for what did not exist yet. */
final class CcCapabilityCalls extends CapabilityCalls {
    private static final String ASKING = "asking for capabilities";
    /** Of what has no function: as many as there are numbers. */
    private static final long NOT_SAID = 0xFFFF_FFFFL;

    private static final int LARGEST_LOG = 62;

    /** The number whose binary logarithm this is. */
    private static long power(long log) {
        return 1L << Math.clamp(log, 0, LARGEST_LOG);
    }

    @Override
    public boolean servers(MemorySegment info) {
        return cc_h.doca_cc_cap_server_is_supported(info).isSuccess();
    }

    @Override
    public boolean clients(MemorySegment info) {
        return cc_h.doca_cc_cap_client_is_supported(info).isSuccess();
    }

    @Override
    public boolean producers(MemorySegment info) {
        return cc_h.doca_cc_cap_is_producer_supported(info).isSuccess();
    }

    @Override
    public boolean consumers(MemorySegment info) {
        return cc_h.doca_cc_cap_is_consumer_supported(info).isSuccess();
    }

    @Override
    public long maxNameLength(MemorySegment info) {
        return Calls.uint32(ASKING, out -> cc_h.doca_cc_cap_get_max_name_len(info, out));
    }

    @Override
    public long maxMessageSize(MemorySegment info) {
        return Calls.uint64(ASKING, out -> cc_h.doca_cc_cap_get_max_msg_size(info, out));
    }

    @Override
    public long maxReceiveQueueSize(MemorySegment info) {
        return Calls.uint64(ASKING, out -> cc_h.doca_cc_cap_get_max_recv_queue_size(info, out));
    }

    /** As many as a pool can have: it is told as a binary logarithm. */
    @Override
    public long maxSendTasks(MemorySegment info) {
        return Long.highestOneBit(Calls.uint64(ASKING, out -> cc_h.doca_cc_cap_get_max_send_tasks(info, out)));
    }

    @Override
    public long maxClients(MemorySegment info) {
        return Calls.uint64(ASKING, out -> cc_h.doca_cc_cap_get_max_clients(info, out));
    }

    @Override
    public long producerTasks(MemorySegment info) {
        return power(Calls.uint64(ASKING, out -> cc_h.doca_cc_producer_cap_get_max_log_num_tasks(info, out)));
    }

    @Override
    public long producerBufferSize(MemorySegment info) {
        return Calls.uint64(ASKING, out -> cc_h.doca_cc_producer_cap_get_max_buf_size(info, out));
    }

    @Override
    public long producerBufferListLength(MemorySegment info) {
        return 1;
    }

    @Override
    public long maxProducers(MemorySegment info) {
        return NOT_SAID;
    }

    @Override
    public long consumerTasks(MemorySegment info) {
        return power(Calls.uint64(ASKING, out -> cc_h.doca_cc_consumer_cap_get_max_log_num_tasks(info, out)));
    }

    @Override
    public long consumerBufferSize(MemorySegment info) {
        return Calls.uint64(ASKING, out -> cc_h.doca_cc_consumer_cap_get_max_buf_size(info, out));
    }

    @Override
    public long consumerBufferListLength(MemorySegment info) {
        return 1;
    }

    @Override
    public long maxConsumers(MemorySegment info) {
        return NOT_SAID;
    }

    @Override
    public long maxImmediateLength(MemorySegment info) {
        return 0;
    }
}
