package io.github.comch4j.internal.call;

import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Answer;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/** Capabilities as DOCA has them since 2.6, which does not tell of lists and immediate data. */
final class ComchCapabilityCalls extends CapabilityCalls {

    private static long number(Function<MemorySegment, Answer> call) {
        return Calls.uint32("asking for capabilities", call);
    }

    /** Where a release lacks the function: what it can do without. */
    private static long numberOr(long without, Function<MemorySegment, Answer> call) {
        try {
            return number(call);
        } catch (MissingFunctionException e) {
            return without;
        }
    }

    @Override
    public boolean servers(MemorySegment info) {
        return doca_h.doca_comch_cap_server_is_supported(info).isSuccess();
    }

    @Override
    public boolean clients(MemorySegment info) {
        return doca_h.doca_comch_cap_client_is_supported(info).isSuccess();
    }

    @Override
    public boolean producers(MemorySegment info) {
        return doca_h.doca_comch_producer_cap_is_supported(info).isSuccess();
    }

    @Override
    public boolean consumers(MemorySegment info) {
        return doca_h.doca_comch_consumer_cap_is_supported(info).isSuccess();
    }

    @Override
    public long maxNameLength(MemorySegment info) {
        return number(out -> doca_h.doca_comch_cap_get_max_name_len(info, out));
    }

    @Override
    public long maxMessageSize(MemorySegment info) {
        return number(out -> doca_h.doca_comch_cap_get_max_msg_size(info, out));
    }

    @Override
    public long maxReceiveQueueSize(MemorySegment info) {
        return number(out -> doca_h.doca_comch_cap_get_max_recv_queue_size(info, out));
    }

    @Override
    public long maxSendTasks(MemorySegment info) {
        return number(out -> doca_h.doca_comch_cap_get_max_send_tasks(info, out));
    }

    @Override
    public long maxClients(MemorySegment info) {
        return number(out -> doca_h.doca_comch_cap_get_max_clients(info, out));
    }

    @Override
    public long producerTasks(MemorySegment info) {
        return number(out -> doca_h.doca_comch_producer_cap_get_max_num_tasks(info, out));
    }

    @Override
    public long producerBufferSize(MemorySegment info) {
        return number(out -> doca_h.doca_comch_producer_cap_get_max_buf_size(info, out));
    }

    @Override
    public long producerBufferListLength(MemorySegment info) {
        return numberOr(1, out -> doca_h.doca_comch_producer_cap_get_max_buf_list_len(info, out));
    }

    @Override
    public long maxProducers(MemorySegment info) {
        return number(out -> doca_h.doca_comch_producer_cap_get_max_producers(info, out));
    }

    @Override
    public long consumerTasks(MemorySegment info) {
        return number(out -> doca_h.doca_comch_consumer_cap_get_max_num_tasks(info, out));
    }

    @Override
    public long consumerBufferSize(MemorySegment info) {
        return number(out -> doca_h.doca_comch_consumer_cap_get_max_buf_size(info, out));
    }

    @Override
    public long consumerBufferListLength(MemorySegment info) {
        return numberOr(1, out -> doca_h.doca_comch_consumer_cap_get_max_buf_list_len(info, out));
    }

    @Override
    public long maxConsumers(MemorySegment info) {
        return number(out -> doca_h.doca_comch_consumer_cap_get_max_consumers(info, out));
    }

    @Override
    public long maxImmediateLength(MemorySegment info) {
        return numberOr(0, out -> doca_h.doca_comch_consumer_cap_get_max_imm_data_len(info, out));
    }
}
