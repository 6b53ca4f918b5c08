package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;

/** Capabilities as DOCA has them since 2.6, which does not tell of lists and immediate data. */
final class ComchCapabilityCalls extends CapabilityCalls {

    private static long number(String function, ToIntFunction<MemorySegment> call) {
        return Calls.uint32(function, "asking for capabilities", call);
    }

    /** Where a release lacks the function: what it can do without. */
    private static long numberOr(long without, String function, ToIntFunction<MemorySegment> call) {
        return Symbols.has(function) ? number(function, call) : without;
    }

    @Override
    public boolean servers(MemorySegment info) {
        return Calls.supported(
                "doca_comch_cap_server_is_supported", () -> doca_h.doca_comch_cap_server_is_supported(info));
    }

    @Override
    public boolean clients(MemorySegment info) {
        return Calls.supported(
                "doca_comch_cap_client_is_supported", () -> doca_h.doca_comch_cap_client_is_supported(info));
    }

    @Override
    public boolean producers(MemorySegment info) {
        return Calls.supported(
                "doca_comch_producer_cap_is_supported", () -> doca_h.doca_comch_producer_cap_is_supported(info));
    }

    @Override
    public boolean consumers(MemorySegment info) {
        return Calls.supported(
                "doca_comch_consumer_cap_is_supported", () -> doca_h.doca_comch_consumer_cap_is_supported(info));
    }

    @Override
    public long maxNameLength(MemorySegment info) {
        return number("doca_comch_cap_get_max_name_len", out -> doca_h.doca_comch_cap_get_max_name_len(info, out));
    }

    @Override
    public long maxMessageSize(MemorySegment info) {
        return number("doca_comch_cap_get_max_msg_size", out -> doca_h.doca_comch_cap_get_max_msg_size(info, out));
    }

    @Override
    public long maxReceiveQueueSize(MemorySegment info) {
        return number(
                "doca_comch_cap_get_max_recv_queue_size",
                out -> doca_h.doca_comch_cap_get_max_recv_queue_size(info, out));
    }

    @Override
    public long maxSendTasks(MemorySegment info) {
        return number("doca_comch_cap_get_max_send_tasks", out -> doca_h.doca_comch_cap_get_max_send_tasks(info, out));
    }

    @Override
    public long maxClients(MemorySegment info) {
        return number("doca_comch_cap_get_max_clients", out -> doca_h.doca_comch_cap_get_max_clients(info, out));
    }

    @Override
    public long producerTasks(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_num_tasks",
                out -> doca_h.doca_comch_producer_cap_get_max_num_tasks(info, out));
    }

    @Override
    public long producerBufferSize(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_buf_size",
                out -> doca_h.doca_comch_producer_cap_get_max_buf_size(info, out));
    }

    @Override
    public long producerBufferListLength(MemorySegment info) {
        return numberOr(
                1,
                "doca_comch_producer_cap_get_max_buf_list_len",
                out -> doca_h.doca_comch_producer_cap_get_max_buf_list_len(info, out));
    }

    @Override
    public long maxProducers(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_producers",
                out -> doca_h.doca_comch_producer_cap_get_max_producers(info, out));
    }

    @Override
    public long consumerTasks(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_num_tasks",
                out -> doca_h.doca_comch_consumer_cap_get_max_num_tasks(info, out));
    }

    @Override
    public long consumerBufferSize(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_buf_size",
                out -> doca_h.doca_comch_consumer_cap_get_max_buf_size(info, out));
    }

    @Override
    public long consumerBufferListLength(MemorySegment info) {
        return numberOr(
                1,
                "doca_comch_consumer_cap_get_max_buf_list_len",
                out -> doca_h.doca_comch_consumer_cap_get_max_buf_list_len(info, out));
    }

    @Override
    public long maxConsumers(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_consumers",
                out -> doca_h.doca_comch_consumer_cap_get_max_consumers(info, out));
    }

    @Override
    public long maxImmediateLength(MemorySegment info) {
        return numberOr(
                0,
                "doca_comch_consumer_cap_get_max_imm_data_len",
                out -> doca_h.doca_comch_consumer_cap_get_max_imm_data_len(info, out));
    }
}
