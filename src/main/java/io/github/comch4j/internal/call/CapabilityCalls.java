package io.github.comch4j.internal.call;

import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.Answer;
import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * What a device ({@code doca_devinfo}) can do of Comch, and how much ({@code doca_comch_cap_…} and the fast path's
 * like, before DOCA 2.7 {@code doca_cc_cap_…}). None is hot.
 */
public final class CapabilityCalls {
    private static final String ASKING = "asking for capabilities";
    private static final long NO_LIMIT = 0xFFFF_FFFFL;
    private static final int LARGEST_LOG = 62;

    private CapabilityCalls() {}

    /** A {@code uint32_t}, and a {@code size_t} in DOCA 2.5. */
    private static long number(Answer answer) {
        return NativeLibrary.isCc25() ? Calls.uint64(ASKING, answer) : Calls.uint32(ASKING, answer);
    }

    /** As many tasks as a pool can have, of which DOCA 2.5 tells the binary logarithm. */
    private static long tasks(Answer answer) {
        long said = number(answer);
        return NativeLibrary.isCc25() ? 1L << Math.clamp(said, 0, LARGEST_LOG) : said;
    }

    /** Where a release lacks the function: what it can do without. */
    private static long numberOr(long without, Function<MemorySegment, Answer> call) {
        try {
            return Calls.uint32(ASKING, call.apply(Calls.out()));
        } catch (MissingFunctionException e) {
            return without;
        }
    }

    /** {@code doca_comch_cap_server_is_supported}. */
    public static boolean servers(MemorySegment info) {
        return doca_h.doca_comch_cap_server_is_supported(info).isSuccess();
    }

    /** {@code doca_comch_cap_client_is_supported}. */
    public static boolean clients(MemorySegment info) {
        return doca_h.doca_comch_cap_client_is_supported(info).isSuccess();
    }

    /** {@code doca_comch_producer_cap_is_supported}. */
    public static boolean producers(MemorySegment info) {
        return (NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_is_producer_supported(info)
                        : doca_h.doca_comch_producer_cap_is_supported(info))
                .isSuccess();
    }

    /** {@code doca_comch_consumer_cap_is_supported}. */
    public static boolean consumers(MemorySegment info) {
        return (NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_is_consumer_supported(info)
                        : doca_h.doca_comch_consumer_cap_is_supported(info))
                .isSuccess();
    }

    /** {@code doca_comch_cap_get_max_name_len}, bytes, with the terminating NUL. */
    public static long maxNameLength(MemorySegment info) {
        return Calls.uint32(
                ASKING,
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_get_max_name_len(info, Calls.out())
                        : doca_h.doca_comch_cap_get_max_name_len(info, Calls.out()));
    }

    /** {@code doca_comch_cap_get_max_msg_size}, bytes. */
    public static long maxMessageSize(MemorySegment info) {
        return number(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_get_max_msg_size(info, Calls.out())
                        : doca_h.doca_comch_cap_get_max_msg_size(info, Calls.out()));
    }

    /** {@code doca_comch_cap_get_max_recv_queue_size}, messages. */
    public static long maxReceiveQueueSize(MemorySegment info) {
        return number(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_get_max_recv_queue_size(info, Calls.out())
                        : doca_h.doca_comch_cap_get_max_recv_queue_size(info, Calls.out()));
    }

    /** {@code doca_comch_cap_get_max_send_tasks}; in DOCA 2.5 as many of them as a pool can have. */
    public static long maxSendTasks(MemorySegment info) {
        long tasks = number(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_get_max_send_tasks(info, Calls.out())
                        : doca_h.doca_comch_cap_get_max_send_tasks(info, Calls.out()));
        return NativeLibrary.isCc25() ? Long.highestOneBit(tasks) : tasks;
    }

    /** {@code doca_comch_cap_get_max_clients}. */
    public static long maxClients(MemorySegment info) {
        return number(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_cap_get_max_clients(info, Calls.out())
                        : doca_h.doca_comch_cap_get_max_clients(info, Calls.out()));
    }

    /** {@code doca_comch_producer_cap_get_max_num_tasks}. */
    public static long producerTasks(MemorySegment info) {
        return tasks(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_producer_cap_get_max_log_num_tasks(info, Calls.out())
                        : doca_h.doca_comch_producer_cap_get_max_num_tasks(info, Calls.out()));
    }

    /** {@code doca_comch_producer_cap_get_max_buf_size}, bytes. */
    public static long producerBufferSize(MemorySegment info) {
        return number(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_producer_cap_get_max_buf_size(info, Calls.out())
                        : doca_h.doca_comch_producer_cap_get_max_buf_size(info, Calls.out()));
    }

    /** {@code doca_comch_producer_cap_get_max_buf_list_len}: 1 before DOCA 2.7. */
    public static long producerBufferListLength(MemorySegment info) {
        return numberOr(1, out -> doca_h.doca_comch_producer_cap_get_max_buf_list_len(info, out));
    }

    /** {@code doca_comch_producer_cap_get_max_producers}: DOCA 2.5 names no limit. */
    public static long maxProducers(MemorySegment info) {
        return numberOr(NO_LIMIT, out -> doca_h.doca_comch_producer_cap_get_max_producers(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_num_tasks}. */
    public static long consumerTasks(MemorySegment info) {
        return tasks(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_consumer_cap_get_max_log_num_tasks(info, Calls.out())
                        : doca_h.doca_comch_consumer_cap_get_max_num_tasks(info, Calls.out()));
    }

    /** {@code doca_comch_consumer_cap_get_max_buf_size}, bytes. */
    public static long consumerBufferSize(MemorySegment info) {
        return number(
                NativeLibrary.isCc25()
                        ? cc_h.doca_cc_consumer_cap_get_max_buf_size(info, Calls.out())
                        : doca_h.doca_comch_consumer_cap_get_max_buf_size(info, Calls.out()));
    }

    /** {@code doca_comch_consumer_cap_get_max_buf_list_len}: 1 before DOCA 2.7. */
    public static long consumerBufferListLength(MemorySegment info) {
        return numberOr(1, out -> doca_h.doca_comch_consumer_cap_get_max_buf_list_len(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_consumers}: DOCA 2.5 names no limit. */
    public static long maxConsumers(MemorySegment info) {
        return numberOr(NO_LIMIT, out -> doca_h.doca_comch_consumer_cap_get_max_consumers(info, out));
    }

    /** {@code doca_comch_consumer_cap_get_max_imm_data_len}, bytes: 0 before DOCA 2.7. */
    public static long maxImmediateLength(MemorySegment info) {
        return numberOr(0, out -> doca_h.doca_comch_consumer_cap_get_max_imm_data_len(info, out));
    }
}
