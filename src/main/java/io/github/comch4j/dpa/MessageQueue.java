package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages in one direction between the CPU and the DPA of a device ({@code doca_comch_msgq}), from its
 * producers to its consumers, without a connection. A message consists of immediate data, and the producer names the
 * consumer that gets it. In each queue, the ids of producers and the ids of consumers count from 1.
 *
 * <p>Any thread may use the queue. Its ends on the CPU belong to the thread that owns their engine.
 */
public final class MessageQueue implements AutoCloseable {
    static final int DEFAULT_DEPTH = 64;
    static final int DEFAULT_IMMEDIATE = 32;

    private static final int MOST_IMMEDIATE = 4096; // DOCA's own limit is less

    private static final DpaHandle.Kind KIND = new DpaHandle.Kind(MsgqCalls::stop, MsgqCalls::destroy);

    private final Device device;
    private final DpaHandle resource;

    private MessageQueue(Device device, DpaHandle resource) {
        this.device = device;
        this.resource = resource;
    }

    /**
     * Creates a builder for a queue whose consumers are on the DPA ({@code doca_comch_msgq_set_dpa_consumer}).
     *
     * @param dpa the DPA of the consumers
     * @return the builder
     */
    public static Builder toDpa(Dpa dpa) {
        return new Builder(dpa.device(), dpa, true);
    }

    /**
     * Creates a builder for a queue whose producers are on the DPA ({@code doca_comch_msgq_set_dpa_producer}).
     *
     * @param dpa the DPA of the producers
     * @return the builder
     */
    public static Builder fromDpa(Dpa dpa) {
        return new Builder(dpa.device(), dpa, false);
    }

    /**
     * Creates a builder for a queue with both ends on the CPU, in this process.
     *
     * @param device a device, which must have a DPA even so
     * @return the builder
     */
    public static Builder onCpu(Device device) {
        return new Builder(Objects.requireNonNull(device), null, false);
    }

    /**
     * Creates a builder for a producer on the CPU.
     *
     * @param engine the engine that the producer runs on
     * @return the builder
     */
    public MessageQueueProducer.Builder producer(ProgressEngine engine) {
        return new MessageQueueProducer.Builder(this, Objects.requireNonNull(engine));
    }

    /**
     * Creates a builder for a consumer on the CPU.
     *
     * @param engine the engine that the consumer runs on
     * @return the builder
     */
    public MessageQueueConsumer.Builder consumer(ProgressEngine engine) {
        return new MessageQueueConsumer.Builder(this, Objects.requireNonNull(engine));
    }

    /**
     * Creates a builder for a producer on the DPA.
     *
     * @param completion the completion that reports the end of sends to kernels
     * @return the builder
     */
    public DpaProducer.Builder dpaProducer(DpaCompletion completion) {
        return new DpaProducer.Builder(this, Objects.requireNonNull(completion));
    }

    /**
     * Creates a builder for a consumer on the DPA.
     *
     * @param completion the completion in which kernels find the consumer's messages
     * @return the builder
     */
    public DpaConsumer.Builder dpaConsumer(DpaConsumerCompletion completion) {
        return new DpaConsumer.Builder(this, Objects.requireNonNull(completion));
    }

    /**
     * Returns the device of this queue.
     *
     * @return the device on which the queue was created
     */
    public Device device() {
        return device;
    }

    /**
     * Returns whether this queue is closed.
     *
     * @return true as soon as closing has begun
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes the producers and consumers of this queue, then the queue ({@code doca_comch_msgq_stop},
     * {@code doca_comch_msgq_destroy}). Calling it again does nothing.
     *
     * @throws WrongThreadException if an end on the CPU belongs to another thread that is not the thread of an
     *     {@link io.github.comch4j.core.EventLoop}
     * @throws DocaException if an end cannot be closed; the queue is then still open
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * Returns a description of this queue, for logs.
     *
     * @return a text that identifies this queue
     */
    @Override
    public String toString() {
        return resource.name();
    }

    DpaHandle resource() {
        return resource;
    }

    /** Checks how long a message can be. */
    static int checkLength(int bytes) {
        if (bytes < 1 || bytes > MOST_IMMEDIATE) {
            throw new IllegalArgumentException(
                    "messages of a queue have 1 to " + MOST_IMMEDIATE + " bytes, not " + bytes);
        }
        return bytes;
    }

    /** Makes an end on the CPU, which does not run yet. */
    static QueueContext end(
            OneUse use,
            String kind,
            FastPathCalls calls,
            ProgressEngine engine,
            MessageQueue queue,
            BiFunction<MemorySegment, String, MemorySegment> maker) {
        Engine inside = CoreObjects.of(engine);
        inside.checkOwner();
        use.begin();
        return QueueContext.make(calls, kind, inside, queue.resource, maker);
    }

    /**
     * Builds a queue. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final Device device;
        private final @Nullable Dpa dpa;
        private final boolean toDpa;
        private int producers = 1;
        private int consumers = 1;

        private Builder(Device device, @Nullable Dpa dpa, boolean toDpa) {
            this.device = device;
            this.dpa = dpa;
            this.toDpa = toDpa;
            this.use = new OneUse("MessageQueue.Builder on " + device);
        }

        /**
         * Sets how many producers the queue can have at a time ({@code doca_comch_msgq_set_max_num_producers}).
         * Default: 1.
         *
         * @param most at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder producers(int most) {
            use.check();
            producers = Dpa.checkPositive("producers", most);
            return this;
        }

        /**
         * Sets how many consumers the queue can have at a time ({@code doca_comch_msgq_set_max_num_consumers}).
         * Default: 1.
         *
         * @param most at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder consumers(int most) {
            use.check();
            consumers = Dpa.checkPositive("consumers", most);
            return this;
        }

        /**
         * Creates and starts the queue ({@code doca_comch_msgq_create}, {@code doca_comch_msgq_start}).
         *
         * @return the queue
         * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no MsgQ
         * @throws IllegalStateException if the device or the DPA is closed
         * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#NOT_SUPPORTED} on a device without
         *     a DPA
         */
        public MessageQueue start() {
            use.begin();
            Handle onDevice = CoreObjects.of(device);
            Resource[] owners = dpa == null ? new Resource[] {onDevice} : new Resource[] {onDevice, dpa.resource()};
            ReadWriteLock lock =
                    dpa == null ? new ReentrantReadWriteLock() : dpa.resource().lock();
            DpaHandle made = DpaHandle.make(
                    lock,
                    Resource.Rank.CONTROL_PATH,
                    KIND,
                    "queue " + (dpa == null ? "on the CPU by " + device : (toDpa ? "to " : "from ") + dpa),
                    action -> MsgqCalls.create(onDevice.handle(), action),
                    owners);
            made.start(this::configureAndStart);
            return new MessageQueue(device, made);
        }

        private void configureAndStart(MemorySegment queue, String action) {
            if (dpa != null && toDpa) {
                MsgqCalls.setDpaConsumer(queue, dpa.resource().handle(), action);
            } else if (dpa != null) {
                MsgqCalls.setDpaProducer(queue, dpa.resource().handle(), action);
            }
            MsgqCalls.setMaxProducers(queue, producers, action);
            MsgqCalls.setMaxConsumers(queue, consumers, action);
            MsgqCalls.start(queue, action);
        }
    }
}
