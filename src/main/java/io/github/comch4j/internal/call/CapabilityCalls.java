package io.github.comch4j.internal.call;

import io.github.comch4j.internal.load.NativeLibrary;
import java.lang.foreign.MemorySegment;

/**
 * What a device ({@code doca_devinfo}) can do of Comch, and how much ({@code doca_comch_cap_…} and the fast path's
 * like, before DOCA 2.7 {@code doca_cc_cap_…}). None is hot.
 */
public abstract sealed class CapabilityCalls permits ComchCapabilityCalls, CcCapabilityCalls {

    /** For the two kinds. */
    CapabilityCalls() {}

    /** Those of the loaded libraries, chosen once. */
    public static CapabilityCalls get() {
        return Bound.CALLS;
    }

    /** Apart, so that the two kinds can be initialised in any order. */
    private static final class Bound {
        static final CapabilityCalls CALLS =
                NativeLibrary.isCc25() ? new CcCapabilityCalls() : new ComchCapabilityCalls();
    }

    /** {@code doca_comch_cap_server_is_supported}. */
    public abstract boolean servers(MemorySegment info);

    /** {@code doca_comch_cap_client_is_supported}. */
    public abstract boolean clients(MemorySegment info);

    /** {@code doca_comch_producer_cap_is_supported}. */
    public abstract boolean producers(MemorySegment info);

    /** {@code doca_comch_consumer_cap_is_supported}. */
    public abstract boolean consumers(MemorySegment info);

    /** {@code doca_comch_cap_get_max_name_len}, bytes, with the terminating NUL. */
    public abstract long maxNameLength(MemorySegment info);

    /** {@code doca_comch_cap_get_max_msg_size}, bytes. */
    public abstract long maxMessageSize(MemorySegment info);

    /** {@code doca_comch_cap_get_max_recv_queue_size}, messages. */
    public abstract long maxReceiveQueueSize(MemorySegment info);

    /** {@code doca_comch_cap_get_max_send_tasks}. */
    public abstract long maxSendTasks(MemorySegment info);

    /** {@code doca_comch_cap_get_max_clients}. */
    public abstract long maxClients(MemorySegment info);

    /** {@code doca_comch_producer_cap_get_max_num_tasks}. */
    public abstract long producerTasks(MemorySegment info);

    /** {@code doca_comch_producer_cap_get_max_buf_size}, bytes. */
    public abstract long producerBufferSize(MemorySegment info);

    /** {@code doca_comch_producer_cap_get_max_buf_list_len}. */
    public abstract long producerBufferListLength(MemorySegment info);

    /** {@code doca_comch_producer_cap_get_max_producers}. */
    public abstract long maxProducers(MemorySegment info);

    /** {@code doca_comch_consumer_cap_get_max_num_tasks}. */
    public abstract long consumerTasks(MemorySegment info);

    /** {@code doca_comch_consumer_cap_get_max_buf_size}, bytes. */
    public abstract long consumerBufferSize(MemorySegment info);

    /** {@code doca_comch_consumer_cap_get_max_buf_list_len}. */
    public abstract long consumerBufferListLength(MemorySegment info);

    /** {@code doca_comch_consumer_cap_get_max_consumers}. */
    public abstract long maxConsumers(MemorySegment info);

    /** {@code doca_comch_consumer_cap_get_max_imm_data_len}, bytes. */
    public abstract long maxImmediateLength(MemorySegment info);
}
