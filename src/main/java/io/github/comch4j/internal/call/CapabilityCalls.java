package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;

/**
 * What a device ({@code doca_devinfo}) can do of Comch, and how much ({@code doca_comch_cap_…} and the fast path's
 * like, before DOCA 2.7 {@code doca_cc_cap_…}). None is hot.
 */
public final class CapabilityCalls {
    private static final String ASKING = "asking for capabilities";
    private static final long NO_LIMIT = 0xFFFF_FFFFL;
    private static final int LARGEST_LOG = 62;

    private CapabilityCalls() {}

    /** As many tasks as a pool can have, of which DOCA 2.5 tells the binary logarithm. */
    private static long tasks(long told) {
        return NativeLibrary.isCc25() ? 1L << Math.clamp(told, 0, LARGEST_LOG) : told;
    }

    /** {@code doca_comch_cap_server_is_supported}. */
    public static boolean servers(MemorySegment info) {
        return present("doca_comch_cap_server_is_supported").succeeds(doca_h.doca_comch_cap_server_is_supported(info));
    }

    /** {@code doca_comch_cap_client_is_supported}. */
    public static boolean clients(MemorySegment info) {
        return present("doca_comch_cap_client_is_supported").succeeds(doca_h.doca_comch_cap_client_is_supported(info));
    }

    /** {@code doca_comch_producer_cap_is_supported}. */
    public static boolean producers(MemorySegment info) {
        return present("doca_comch_producer_cap_is_supported")
                .succeeds(doca_h.doca_comch_producer_cap_is_supported(info));
    }

    /** {@code doca_comch_consumer_cap_is_supported}. */
    public static boolean consumers(MemorySegment info) {
        return present("doca_comch_consumer_cap_is_supported")
                .succeeds(doca_h.doca_comch_consumer_cap_is_supported(info));
    }

    /** {@code doca_comch_cap_get_max_name_len}, bytes, with the terminating NUL. */
    public static long maxNameLength(MemorySegment info) {
        return present("doca_comch_cap_get_max_name_len")
                .value(ASKING, doca_h.doca_comch_cap_get_max_name_len(info, Calls.out()));
    }

    /** {@code doca_comch_cap_get_max_msg_size}, bytes. */
    public static long maxMessageSize(MemorySegment info) {
        return present("doca_comch_cap_get_max_msg_size")
                .value(ASKING, doca_h.doca_comch_cap_get_max_msg_size(info, Calls.out()));
    }

    /** {@code doca_comch_cap_get_max_recv_queue_size}, messages. */
    public static long maxReceiveQueueSize(MemorySegment info) {
        return present("doca_comch_cap_get_max_recv_queue_size")
                .value(ASKING, doca_h.doca_comch_cap_get_max_recv_queue_size(info, Calls.out()));
    }

    /** {@code doca_comch_cap_get_max_send_tasks}; in DOCA 2.5 as many of them as a pool can have. */
    public static long maxSendTasks(MemorySegment info) {
        long told = present("doca_comch_cap_get_max_send_tasks")
                .value(ASKING, doca_h.doca_comch_cap_get_max_send_tasks(info, Calls.out()));
        return NativeLibrary.isCc25() ? Long.highestOneBit(told) : told;
    }

    /** {@code doca_comch_cap_get_max_clients}. */
    public static long maxClients(MemorySegment info) {
        return present("doca_comch_cap_get_max_clients")
                .value(ASKING, doca_h.doca_comch_cap_get_max_clients(info, Calls.out()));
    }

    /** {@code doca_comch_producer_cap_get_max_num_tasks}. */
    public static long producerTasks(MemorySegment info) {
        return tasks(present("doca_comch_producer_cap_get_max_num_tasks")
                .value(ASKING, doca_h.doca_comch_producer_cap_get_max_num_tasks(info, Calls.out())));
    }

    /** {@code doca_comch_producer_cap_get_max_buf_size}, bytes. */
    public static long producerBufferSize(MemorySegment info) {
        return present("doca_comch_producer_cap_get_max_buf_size")
                .value(ASKING, doca_h.doca_comch_producer_cap_get_max_buf_size(info, Calls.out()));
    }

    /** {@code doca_comch_producer_cap_get_max_buf_list_len}: 1 before DOCA 2.7. */
    public static long producerBufferListLength(MemorySegment info) {
        return Symbols.has("doca_comch_producer_cap_get_max_buf_list_len")
                ? present("doca_comch_producer_cap_get_max_buf_list_len")
                        .value(ASKING, doca_h.doca_comch_producer_cap_get_max_buf_list_len(info, Calls.out()))
                : 1;
    }

    /** {@code doca_comch_producer_cap_get_max_producers}: DOCA 2.5 names no limit. */
    public static long maxProducers(MemorySegment info) {
        return Symbols.has("doca_comch_producer_cap_get_max_producers")
                ? present("doca_comch_producer_cap_get_max_producers")
                        .value(ASKING, doca_h.doca_comch_producer_cap_get_max_producers(info, Calls.out()))
                : NO_LIMIT;
    }

    /** {@code doca_comch_consumer_cap_get_max_num_tasks}. */
    public static long consumerTasks(MemorySegment info) {
        return tasks(present("doca_comch_consumer_cap_get_max_num_tasks")
                .value(ASKING, doca_h.doca_comch_consumer_cap_get_max_num_tasks(info, Calls.out())));
    }

    /** {@code doca_comch_consumer_cap_get_max_buf_size}, bytes. */
    public static long consumerBufferSize(MemorySegment info) {
        return present("doca_comch_consumer_cap_get_max_buf_size")
                .value(ASKING, doca_h.doca_comch_consumer_cap_get_max_buf_size(info, Calls.out()));
    }

    /** {@code doca_comch_consumer_cap_get_max_buf_list_len}: 1 before DOCA 2.7. */
    public static long consumerBufferListLength(MemorySegment info) {
        return Symbols.has("doca_comch_consumer_cap_get_max_buf_list_len")
                ? present("doca_comch_consumer_cap_get_max_buf_list_len")
                        .value(ASKING, doca_h.doca_comch_consumer_cap_get_max_buf_list_len(info, Calls.out()))
                : 1;
    }

    /** {@code doca_comch_consumer_cap_get_max_consumers}: DOCA 2.5 names no limit. */
    public static long maxConsumers(MemorySegment info) {
        return Symbols.has("doca_comch_consumer_cap_get_max_consumers")
                ? present("doca_comch_consumer_cap_get_max_consumers")
                        .value(ASKING, doca_h.doca_comch_consumer_cap_get_max_consumers(info, Calls.out()))
                : NO_LIMIT;
    }

    /** {@code doca_comch_consumer_cap_get_max_imm_data_len}, bytes: 0 before DOCA 2.7. */
    public static long maxImmediateLength(MemorySegment info) {
        return Symbols.has("doca_comch_consumer_cap_get_max_imm_data_len")
                ? present("doca_comch_consumer_cap_get_max_imm_data_len")
                        .value(ASKING, doca_h.doca_comch_consumer_cap_get_max_imm_data_len(info, Calls.out()))
                : 0;
    }
}
