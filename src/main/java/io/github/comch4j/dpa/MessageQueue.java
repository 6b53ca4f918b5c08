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
 * Carries messages in one direction between the CPU and the DPA of a device ({@code doca_comch_msgq}): from its
 * producers to its consumers, without connection. A message is immediate data, and goes to the consumer that the
 * producer names. Ids of producers and of consumers count from 1 in each queue.
 *
 * <p>The queue may be used from any thread; its ends on the CPU belong to the thread that owns their engine.
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
     * Begins the settings of a queue whose consumers are on the DPA ({@code doca_comch_msgq_set_dpa_consumer}).
     *
     * @param dpa where
     * @return the settings
     */
    public static Builder toDpa(Dpa dpa) {
        return new Builder(dpa.device(), dpa, true);
    }

    /**
     * Begins the settings of a queue whose producers are on the DPA ({@code doca_comch_msgq_set_dpa_producer}).
     *
     * @param dpa where
     * @return the settings
     */
    public static Builder fromDpa(Dpa dpa) {
        return new Builder(dpa.device(), dpa, false);
    }

    /**
     * Begins the settings of a queue with both ends on the CPU, in this process.
     *
     * @param device a device with a DPA all the same
     * @return the settings
     */
    public static Builder onCpu(Device device) {
        return new Builder(Objects.requireNonNull(device), null, false);
    }

    /**
     * Begins the settings of a producer on the CPU.
     *
     * @param engine what it runs on
     * @return the settings
     */
    public MessageQueueProducer.Builder producer(ProgressEngine engine) {
        return new MessageQueueProducer.Builder(this, Objects.requireNonNull(engine));
    }

    /**
     * Begins the settings of a consumer on the CPU.
     *
     * @param engine what it runs on
     * @return the settings
     */
    public MessageQueueConsumer.Builder consumer(ProgressEngine engine) {
        return new MessageQueueConsumer.Builder(this, Objects.requireNonNull(engine));
    }

    /**
     * Begins the settings of a producer on the DPA.
     *
     * @param completion where kernels learn that something has been sent
     * @return the settings
     */
    public DpaProducer.Builder dpaProducer(DpaCompletion completion) {
        return new DpaProducer.Builder(this, Objects.requireNonNull(completion));
    }

    /**
     * Begins the settings of a consumer on the DPA.
     *
     * @param completion where kernels find its messages
     * @return the settings
     */
    public DpaConsumer.Builder dpaConsumer(DpaConsumerCompletion completion) {
        return new DpaConsumer.Builder(this, Objects.requireNonNull(completion));
    }

    /**
     * The device.
     *
     * @return what it was made on
     */
    public Device device() {
        return device;
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Closes its producers and consumers, then the queue ({@code doca_comch_msgq_stop},
     * {@code doca_comch_msgq_destroy}). The second call does nothing.
     *
     * @throws WrongThreadException if an end on the CPU belongs to another thread that is no
     *     {@link io.github.comch4j.core.EventLoop}'s
     * @throws DocaException if something does not end; the queue is still open then
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * For logs.
     *
     * @return what it is
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
                    "messages of " + bytes + " bytes, where 1 to " + MOST_IMMEDIATE + " are possible");
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
     * Settings of a queue. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
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
         * How many producers it can have at a time ({@code doca_comch_msgq_set_max_num_producers}). Default: 1.
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
         * How many consumers it can have at a time ({@code doca_comch_msgq_set_max_num_consumers}). Default: 1.
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
         * Makes and starts it ({@code doca_comch_msgq_create}, {@code doca_comch_msgq_start}).
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
