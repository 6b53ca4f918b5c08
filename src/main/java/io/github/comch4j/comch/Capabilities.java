package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.CapabilityCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What a device can do and how much of it ({@code doca_comch_cap_…}, {@code doca_comch_producer_cap_…},
 * {@code doca_comch_consumer_cap_…}).
 *
 * @param server whether servers can be made on it
 * @param client whether clients can be made on it
 * @param maxNameLength longest server name, in bytes of UTF-8, without the terminating NUL
 * @param maxMessageSize largest control message, bytes
 * @param maxReceiveQueueSize largest receive queue of a server or client, messages
 * @param maxSendTasks most send tasks of a server or client; with DOCA 2.5 a power of two
 * @param maxClients most connections of a server
 * @param producer what producers can do; empty if there can be none
 * @param consumer what consumers can do; empty if there can be none
 */
public record Capabilities(
        boolean server,
        boolean client,
        int maxNameLength,
        long maxMessageSize,
        long maxReceiveQueueSize,
        long maxSendTasks,
        long maxClients,
        Optional<Producer> producer,
        Optional<Consumer> consumer) {

    /**
     * What producers can do.
     *
     * @param maxTasks most send tasks of a producer
     * @param maxBufferSize most bytes in one buffer
     * @param maxBufferListLength most buffers in one list; 1 with DOCA 2.5 and 2.6
     * @param maxProducers most producers of a connection; 4294967295 with DOCA 2.5, which does not say
     */
    public record Producer(long maxTasks, long maxBufferSize, long maxBufferListLength, long maxProducers) {}

    /**
     * What consumers can do.
     *
     * @param maxTasks most post-receive tasks of a consumer
     * @param maxBufferSize most bytes in one buffer
     * @param maxBufferListLength most buffers in one list; 1 with DOCA 2.5 and 2.6
     * @param maxConsumers most consumers of a connection; 4294967295 with DOCA 2.5, which does not say
     * @param maxImmediateLength most immediate data, bytes; 0 with DOCA 2.5 and 2.6
     */
    public record Consumer(
            long maxTasks, long maxBufferSize, long maxBufferListLength, long maxConsumers, long maxImmediateLength) {}

    /**
     * Asks a device. Any thread may.
     *
     * @param device an open device
     * @return its capabilities
     * @throws IllegalStateException if the device is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static Capabilities of(Device device) {
        MemorySegment info = infoOf(device);
        return new Capabilities(
                CapabilityCalls.servers(info),
                CapabilityCalls.clients(info),
                maxNameLength(info),
                CapabilityCalls.maxMessageSize(info),
                CapabilityCalls.maxReceiveQueueSize(info),
                CapabilityCalls.maxSendTasks(info),
                CapabilityCalls.maxClients(info),
                producer(info),
                consumer(info));
    }

    private static MemorySegment infoOf(Device device) {
        return DeviceCalls.infoOf(CoreObjects.of(device).handle());
    }

    private static int maxNameLength(MemorySegment info) {
        return (int) CapabilityCalls.maxNameLength(info) - 1;
    }

    /** That alone, which each server and client needs to know. */
    static int maxNameLength(Device device) {
        return maxNameLength(infoOf(device));
    }

    /** That alone, which each server needs to know. */
    static long maxSendTasks(Device device) {
        return CapabilityCalls.maxSendTasks(infoOf(device));
    }

    private static Optional<Producer> producer(MemorySegment info) {
        if (!CapabilityCalls.producers(info)) {
            return Optional.empty();
        }
        return Optional.of(new Producer(
                CapabilityCalls.producerTasks(info),
                CapabilityCalls.producerBufferSize(info),
                CapabilityCalls.producerBufferListLength(info),
                CapabilityCalls.maxProducers(info)));
    }

    private static Optional<Consumer> consumer(MemorySegment info) {
        if (!CapabilityCalls.consumers(info)) {
            return Optional.empty();
        }
        return Optional.of(new Consumer(
                CapabilityCalls.consumerTasks(info),
                CapabilityCalls.consumerBufferSize(info),
                CapabilityCalls.consumerBufferListLength(info),
                CapabilityCalls.maxConsumers(info),
                CapabilityCalls.maxImmediateLength(info)));
    }
}
