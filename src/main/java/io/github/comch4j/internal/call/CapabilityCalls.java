package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;

/**
 * What a device ({@code doca_devinfo}) can do of Comch, and how much ({@code doca_comch_cap_…} and the fast path's
 * like). None is hot.
 */
public final class CapabilityCalls {

    private CapabilityCalls() {}

    private static long number(String function, ToIntFunction<MemorySegment> call) {
        return Calls.uint32(function, "asking for capabilities", call);
    }

    /** {@code doca_comch_cap_server_is_supported}. */
    public static boolean servers(MemorySegment info) {
        return Calls.supported(
                "doca_comch_cap_server_is_supported", () -> doca_h.doca_comch_cap_server_is_supported(info));
    }

    /** {@code doca_comch_cap_client_is_supported}. */
    public static boolean clients(MemorySegment info) {
        return Calls.supported(
                "doca_comch_cap_client_is_supported", () -> doca_h.doca_comch_cap_client_is_supported(info));
    }

    /** {@code doca_comch_producer_cap_is_supported}. */
    public static boolean producers(MemorySegment info) {
        return Calls.supported(
                "doca_comch_producer_cap_is_supported", () -> doca_h.doca_comch_producer_cap_is_supported(info));
    }

    /** {@code doca_comch_consumer_cap_is_supported}. */
    public static boolean consumers(MemorySegment info) {
        return Calls.supported(
                "doca_comch_consumer_cap_is_supported", () -> doca_h.doca_comch_consumer_cap_is_supported(info));
    }

    /** {@code doca_comch_cap_get_max_name_len}, bytes, with the terminating NUL. */
    public static long maxNameLength(MemorySegment info) {
        return number("doca_comch_cap_get_max_name_len", out -> doca_h.doca_comch_cap_get_max_name_len(info, out));
    }

    /** {@code doca_comch_cap_get_max_msg_size}, bytes. */
    public static long maxMessageSize(MemorySegment info) {
        return number("doca_comch_cap_get_max_msg_size", out -> doca_h.doca_comch_cap_get_max_msg_size(info, out));
    }

    /** {@code doca_comch_cap_get_max_recv_queue_size}, messages. */
    public static long maxReceiveQueueSize(MemorySegment info) {
        return number(
                "doca_comch_cap_get_max_recv_queue_size",
                out -> doca_h.doca_comch_cap_get_max_recv_queue_size(info, out));
    }

    /** {@code doca_comch_cap_get_max_send_tasks}. */
    public static long maxSendTasks(MemorySegment info) {
        return number("doca_comch_cap_get_max_send_tasks", out -> doca_h.doca_comch_cap_get_max_send_tasks(info, out));
    }

    /** {@code doca_comch_cap_get_max_clients}. */
    public static long maxClients(MemorySegment info) {
        return number("doca_comch_cap_get_max_clients", out -> doca_h.doca_comch_cap_get_max_clients(info, out));
    }

    /** {@code doca_comch_producer_cap_get_max_num_tasks}. */
    public static long producerTasks(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_num_tasks",
                out -> doca_h.doca_comch_producer_cap_get_max_num_tasks(info, out));
    }

    /** {@code doca_comch_producer_cap_get_max_buf_size}, bytes. */
    public static long producerBufferSize(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_buf_size",
                out -> doca_h.doca_comch_producer_cap_get_max_buf_size(info, out));
    }

    /** {@code doca_comch_producer_cap_get_max_buf_list_len}. */
    public static long producerBufferListLength(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_buf_list_len",
                out -> doca_h.doca_comch_producer_cap_get_max_buf_list_len(info, out));
    }

    /** {@code doca_comch_producer_cap_get_max_producers}. */
    public static long maxProducers(MemorySegment info) {
        return number(
                "doca_comch_producer_cap_get_max_producers",
                out -> doca_h.doca_comch_producer_cap_get_max_producers(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_num_tasks}. */
    public static long consumerTasks(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_num_tasks",
                out -> doca_h.doca_comch_consumer_cap_get_max_num_tasks(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_buf_size}, bytes. */
    public static long consumerBufferSize(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_buf_size",
                out -> doca_h.doca_comch_consumer_cap_get_max_buf_size(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_buf_list_len}. */
    public static long consumerBufferListLength(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_buf_list_len",
                out -> doca_h.doca_comch_consumer_cap_get_max_buf_list_len(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_consumers}. */
    public static long maxConsumers(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_consumers",
                out -> doca_h.doca_comch_consumer_cap_get_max_consumers(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_imm_data_len}, bytes. */
    public static long maxImmediateLength(MemorySegment info) {
        return number(
                "doca_comch_consumer_cap_get_max_imm_data_len",
                out -> doca_h.doca_comch_consumer_cap_get_max_imm_data_len(info, out));
    }
}
