package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.call.Calls;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.ToIntBiFunction;

/**
 * What a device can do and how much of it ({@code doca_comch_cap_…}, {@code doca_comch_producer_cap_…}, {@code doca_comch_consumer_cap_…}).
 *
 * @param server whether servers can be made on it
 * @param client whether clients can be made on it
 * @param maxNameLength longest server name, in bytes of UTF-8, without the terminating NUL
 * @param maxMessageSize largest control message, bytes
 * @param maxReceiveQueueSize largest receive queue of a server or client, messages
 * @param maxSendTasks most send tasks of a server or client
 * @param maxClients most connections of a server
 * @param producer what producers can do; empty if there can be none
 * @param consumer what consumers can do; empty if there can be none
 */
public record ComchCapabilities(boolean server, boolean client, int maxNameLength, long maxMessageSize, long maxReceiveQueueSize, long maxSendTasks,
        long maxClients, Optional<Producer> producer, Optional<Consumer> consumer) {

    /**
     * What producers can do.
     *
     * @param maxTasks most send tasks of a producer
     * @param maxBufferSize most bytes in one buffer
     * @param maxBufferListLength most buffers in one list
     * @param maxProducers most producers of a connection
     */
    public record Producer(long maxTasks, long maxBufferSize, long maxBufferListLength, long maxProducers) {
    }

    /**
     * What consumers can do.
     *
     * @param maxTasks most post-receive tasks of a consumer
     * @param maxBufferSize most bytes in one buffer
     * @param maxBufferListLength most buffers in one list
     * @param maxConsumers most consumers of a connection
     * @param maxImmediateLength most immediate data, bytes
     */
    public record Consumer(long maxTasks, long maxBufferSize, long maxBufferListLength, long maxConsumers, long maxImmediateLength) {
    }

    /**
     * Asks a device. Any thread may.
     *
     * @param device an open device
     * @return its capabilities
     * @throws IllegalStateException if the device is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static ComchCapabilities of(Device device) {
        MemorySegment handle = CoreObjects.of(device).handle();
        MemorySegment info = Calls.value("doca_dev_as_devinfo", () -> doca_h.doca_dev_as_devinfo(handle));
        Query query = new Query(info);
        return new ComchCapabilities(device.supportsServers(), device.supportsClients(),
                (int) query.number("doca_comch_cap_get_max_name_len", doca_h::doca_comch_cap_get_max_name_len) - 1,
                query.number("doca_comch_cap_get_max_msg_size", doca_h::doca_comch_cap_get_max_msg_size),
                query.number("doca_comch_cap_get_max_recv_queue_size", doca_h::doca_comch_cap_get_max_recv_queue_size),
                query.number("doca_comch_cap_get_max_send_tasks", doca_h::doca_comch_cap_get_max_send_tasks),
                query.number("doca_comch_cap_get_max_clients", doca_h::doca_comch_cap_get_max_clients),
                query.producer(), query.consumer());
    }

    private record Query(MemorySegment info) {
        private static final String ACTION = "asking for capabilities";

        long number(String function, ToIntBiFunction<MemorySegment, MemorySegment> call) {
            return Calls.uint32(function, ACTION, out -> call.applyAsInt(info, out));
        }

        Optional<Producer> producer() {
            if (!Calls.supported("doca_comch_producer_cap_is_supported", () -> doca_h.doca_comch_producer_cap_is_supported(info))) {
                return Optional.empty();
            }
            return Optional.of(new Producer(
                    number("doca_comch_producer_cap_get_max_num_tasks", doca_h::doca_comch_producer_cap_get_max_num_tasks),
                    number("doca_comch_producer_cap_get_max_buf_size", doca_h::doca_comch_producer_cap_get_max_buf_size),
                    number("doca_comch_producer_cap_get_max_buf_list_len", doca_h::doca_comch_producer_cap_get_max_buf_list_len),
                    number("doca_comch_producer_cap_get_max_producers", doca_h::doca_comch_producer_cap_get_max_producers)));
        }

        Optional<Consumer> consumer() {
            if (!Calls.supported("doca_comch_consumer_cap_is_supported", () -> doca_h.doca_comch_consumer_cap_is_supported(info))) {
                return Optional.empty();
            }
            return Optional.of(new Consumer(
                    number("doca_comch_consumer_cap_get_max_num_tasks", doca_h::doca_comch_consumer_cap_get_max_num_tasks),
                    number("doca_comch_consumer_cap_get_max_buf_size", doca_h::doca_comch_consumer_cap_get_max_buf_size),
                    number("doca_comch_consumer_cap_get_max_buf_list_len", doca_h::doca_comch_consumer_cap_get_max_buf_list_len),
                    number("doca_comch_consumer_cap_get_max_consumers", doca_h::doca_comch_consumer_cap_get_max_consumers),
                    number("doca_comch_consumer_cap_get_max_imm_data_len", doca_h::doca_comch_consumer_cap_get_max_imm_data_len)));
        }
    }
}
