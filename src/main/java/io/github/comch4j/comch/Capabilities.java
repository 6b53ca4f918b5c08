package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.CapabilityCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What a device can do and how much of it ({@code doca_comch_cap_…}, {@code doca_comch_producer_cap_…},
 * {@code doca_comch_consumer_cap_…}).
 */
public final class Capabilities {
    private final boolean server;
    private final boolean client;
    private final int maxNameLength;
    private final long maxMessageSize;
    private final long maxReceiveQueueSize;
    private final long maxSendTasks;
    private final long maxClients;
    private final long maxImmediateLength;
    private final Optional<FastPath> producer;
    private final Optional<FastPath> consumer;

    private Capabilities(MemorySegment info) {
        server = CapabilityCalls.servers(info);
        client = CapabilityCalls.clients(info);
        maxNameLength = maxNameLength(info);
        maxMessageSize = CapabilityCalls.maxMessageSize(info);
        maxReceiveQueueSize = CapabilityCalls.maxReceiveQueueSize(info);
        maxSendTasks = CapabilityCalls.maxSendTasks(info);
        maxClients = CapabilityCalls.maxClients(info);
        boolean consumes = CapabilityCalls.consumers(info);
        maxImmediateLength = consumes ? CapabilityCalls.maxImmediateLength(info) : 0;
        producer = !CapabilityCalls.producers(info)
                ? Optional.empty()
                : Optional.of(new FastPath(
                        CapabilityCalls.producerTasks(info),
                        CapabilityCalls.producerBufferSize(info),
                        CapabilityCalls.producerBufferListLength(info),
                        CapabilityCalls.maxProducers(info)));
        consumer = !consumes
                ? Optional.empty()
                : Optional.of(new FastPath(
                        CapabilityCalls.consumerTasks(info),
                        CapabilityCalls.consumerBufferSize(info),
                        CapabilityCalls.consumerBufferListLength(info),
                        CapabilityCalls.maxConsumers(info)));
    }

    /**
     * Whether servers can be made on it.
     *
     * @return true if so
     */
    public boolean server() {
        return server;
    }

    /**
     * Whether clients can be made on it.
     *
     * @return true if so
     */
    public boolean client() {
        return client;
    }

    /**
     * Longest server name, in bytes of UTF-8, without the terminating NUL.
     *
     * @return bytes
     */
    public int maxNameLength() {
        return maxNameLength;
    }

    /**
     * Largest control message, bytes.
     *
     * @return bytes
     */
    public long maxMessageSize() {
        return maxMessageSize;
    }

    /**
     * Largest receive queue of a server or client, messages.
     *
     * @return how many
     */
    public long maxReceiveQueueSize() {
        return maxReceiveQueueSize;
    }

    /**
     * Most send tasks of a server or client; with DOCA 2.5 a power of two.
     *
     * @return how many
     */
    public long maxSendTasks() {
        return maxSendTasks;
    }

    /**
     * Most connections of a server.
     *
     * @return how many
     */
    public long maxClients() {
        return maxClients;
    }

    /**
     * Most immediate data that comes with a receive of a consumer, bytes; 0 with DOCA 2.5 and 2.6, and where there are
     * no consumers.
     *
     * @return bytes
     */
    public long maxImmediateLength() {
        return maxImmediateLength;
    }

    /**
     * What producers can do.
     *
     * @return empty if there can be none
     */
    public Optional<FastPath> producer() {
        return producer;
    }

    /**
     * What consumers can do.
     *
     * @return empty if there can be none
     */
    public Optional<FastPath> consumer() {
        return consumer;
    }

    @Override
    public String toString() {
        return "Capabilities[server=" + server
                + ", client=" + client
                + ", maxNameLength=" + maxNameLength
                + ", maxMessageSize=" + maxMessageSize
                + ", maxReceiveQueueSize=" + maxReceiveQueueSize
                + ", maxSendTasks=" + maxSendTasks
                + ", maxClients=" + maxClients
                + ", maxImmediateLength=" + maxImmediateLength
                + ", producer=" + producer
                + ", consumer=" + consumer + "]";
    }

    /**
     * What producers can do, or consumers.
     */
    public static final class FastPath {
        private final long maxTasks;
        private final long maxBufferSize;
        private final long maxBufferListLength;
        private final long maxPerConnection;

        private FastPath(long maxTasks, long maxBufferSize, long maxBufferListLength, long maxPerConnection) {
            this.maxTasks = maxTasks;
            this.maxBufferSize = maxBufferSize;
            this.maxBufferListLength = maxBufferListLength;
            this.maxPerConnection = maxPerConnection;
        }

        /**
         * Most send tasks of a producer, or post-receive tasks of a consumer.
         *
         * @return how many
         */
        public long maxTasks() {
            return maxTasks;
        }

        /**
         * Most bytes in one buffer.
         *
         * @return bytes
         */
        public long maxBufferSize() {
            return maxBufferSize;
        }

        /**
         * Most buffers in one list; 1 with DOCA 2.5 and 2.6.
         *
         * @return how many
         */
        public long maxBufferListLength() {
            return maxBufferListLength;
        }

        /**
         * Most producers, or consumers, of a connection; 4294967295 with DOCA 2.5, which does not say.
         *
         * @return how many
         */
        public long maxPerConnection() {
            return maxPerConnection;
        }

        @Override
        public String toString() {
            return "FastPath[maxTasks=" + maxTasks
                    + ", maxBufferSize=" + maxBufferSize
                    + ", maxBufferListLength=" + maxBufferListLength
                    + ", maxPerConnection=" + maxPerConnection + "]";
        }
    }

    /**
     * Asks a device. Any thread may.
     *
     * @param device an open device
     * @return its capabilities
     * @throws IllegalStateException if the device is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    public static Capabilities of(Device device) {
        return new Capabilities(infoOf(device));
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
}
