package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.CapabilityCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The features of a device and their limits ({@code doca_comch_cap_…}, {@code doca_comch_producer_cap_…},
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
     * Returns whether servers can be created on the device.
     *
     * @return true if servers are supported
     */
    public boolean server() {
        return server;
    }

    /**
     * Returns whether clients can be created on the device.
     *
     * @return true if clients are supported
     */
    public boolean client() {
        return client;
    }

    /**
     * Returns the greatest length of a server's name in bytes of UTF-8, without the terminating NUL.
     *
     * @return bytes
     */
    public int maxNameLength() {
        return maxNameLength;
    }

    /**
     * Returns the greatest size of a control message.
     *
     * @return bytes
     */
    public long maxMessageSize() {
        return maxMessageSize;
    }

    /**
     * Returns the greatest size of the receive queue of a server or client.
     *
     * @return messages
     */
    public long maxReceiveQueueSize() {
        return maxReceiveQueueSize;
    }

    /**
     * Returns the greatest number of send tasks of a server or client. With DOCA 2.5, this is a power of two.
     *
     * @return tasks
     */
    public long maxSendTasks() {
        return maxSendTasks;
    }

    /**
     * Returns the greatest number of connections of a server.
     *
     * @return connections
     */
    public long maxClients() {
        return maxClients;
    }

    /**
     * Returns the greatest length of the immediate data that can come with a receive of a consumer.
     *
     * @return bytes; 0 with DOCA 2.5 and 2.6, and if the device does not support consumers
     */
    public long maxImmediateLength() {
        return maxImmediateLength;
    }

    /**
     * Returns the limits of producers.
     *
     * @return the limits; empty if the device does not support producers
     */
    public Optional<FastPath> producer() {
        return producer;
    }

    /**
     * Returns the limits of consumers.
     *
     * @return the limits; empty if the device does not support consumers
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
     * The limits of producers, or of consumers.
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
         * Returns the greatest number of send tasks of a producer, or of post-receive tasks of a consumer.
         *
         * @return tasks
         */
        public long maxTasks() {
            return maxTasks;
        }

        /**
         * Returns the greatest size of one buffer.
         *
         * @return bytes
         */
        public long maxBufferSize() {
            return maxBufferSize;
        }

        /**
         * Returns the greatest number of buffers in one list. With DOCA 2.5 and 2.6, this is 1.
         *
         * @return buffers
         */
        public long maxBufferListLength() {
            return maxBufferListLength;
        }

        /**
         * Returns the greatest number of producers, or of consumers, of a connection. With DOCA 2.5, which does not
         * report it, this is 4294967295.
         *
         * @return producers or consumers
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
     * Returns the capabilities of a device. Any thread may call this method.
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
