package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.CapabilityCalls;
import io.github.comch4j.internal.call.DeviceCalls;
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
    private final Optional<Producer> producer;
    private final Optional<Consumer> consumer;

    Capabilities(
            boolean server,
            boolean client,
            int maxNameLength,
            long maxMessageSize,
            long maxReceiveQueueSize,
            long maxSendTasks,
            long maxClients,
            Optional<Producer> producer,
            Optional<Consumer> consumer) {
        this.server = server;
        this.client = client;
        this.maxNameLength = maxNameLength;
        this.maxMessageSize = maxMessageSize;
        this.maxReceiveQueueSize = maxReceiveQueueSize;
        this.maxSendTasks = maxSendTasks;
        this.maxClients = maxClients;
        this.producer = producer;
        this.consumer = consumer;
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
     * What producers can do.
     *
     * @return empty if there can be none
     */
    public Optional<Producer> producer() {
        return producer;
    }

    /**
     * What consumers can do.
     *
     * @return empty if there can be none
     */
    public Optional<Consumer> consumer() {
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
                + ", producer=" + producer
                + ", consumer=" + consumer + "]";
    }

    /**
     * What producers can do.
     */
    public static final class Producer {
        private final long maxTasks;
        private final long maxBufferSize;
        private final long maxBufferListLength;
        private final long maxProducers;

        Producer(long maxTasks, long maxBufferSize, long maxBufferListLength, long maxProducers) {
            this.maxTasks = maxTasks;
            this.maxBufferSize = maxBufferSize;
            this.maxBufferListLength = maxBufferListLength;
            this.maxProducers = maxProducers;
        }

        /**
         * Most send tasks of a producer.
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
         * Most producers of a connection; 4294967295 with DOCA 2.5, which does not say.
         *
         * @return how many
         */
        public long maxProducers() {
            return maxProducers;
        }

        @Override
        public String toString() {
            return "Producer[maxTasks=" + maxTasks
                    + ", maxBufferSize=" + maxBufferSize
                    + ", maxBufferListLength=" + maxBufferListLength
                    + ", maxProducers=" + maxProducers + "]";
        }
    }

    /**
     * What consumers can do.
     */
    public static final class Consumer {
        private final long maxTasks;
        private final long maxBufferSize;
        private final long maxBufferListLength;
        private final long maxConsumers;
        private final long maxImmediateLength;

        Consumer(
                long maxTasks,
                long maxBufferSize,
                long maxBufferListLength,
                long maxConsumers,
                long maxImmediateLength) {
            this.maxTasks = maxTasks;
            this.maxBufferSize = maxBufferSize;
            this.maxBufferListLength = maxBufferListLength;
            this.maxConsumers = maxConsumers;
            this.maxImmediateLength = maxImmediateLength;
        }

        /**
         * Most post-receive tasks of a consumer.
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
         * Most consumers of a connection; 4294967295 with DOCA 2.5, which does not say.
         *
         * @return how many
         */
        public long maxConsumers() {
            return maxConsumers;
        }

        /**
         * Most immediate data, bytes; 0 with DOCA 2.5 and 2.6.
         *
         * @return bytes
         */
        public long maxImmediateLength() {
            return maxImmediateLength;
        }

        @Override
        public String toString() {
            return "Consumer[maxTasks=" + maxTasks
                    + ", maxBufferSize=" + maxBufferSize
                    + ", maxBufferListLength=" + maxBufferListLength
                    + ", maxConsumers=" + maxConsumers
                    + ", maxImmediateLength=" + maxImmediateLength + "]";
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
