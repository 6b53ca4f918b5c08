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

    private MessageQueue(Device device, @Nullable Dpa dpa, boolean toDpa, int producers, int consumers) {
        this.device = device;
        Dpa.checkPositive("producers", producers);
        Dpa.checkPositive("consumers", consumers);
        Handle onDevice = CoreObjects.of(device);
        this.resource = DpaHandle.make(
                dpa == null ? new ReentrantReadWriteLock() : dpa.resource().lock(),
                Resource.Rank.CONTROL_PATH,
                KIND,
                "queue " + (dpa == null ? "on the CPU by " + device : (toDpa ? "to " : "from ") + dpa),
                action -> MsgqCalls.create(onDevice.handle(), action),
                dpa == null ? new Resource[] {onDevice} : new Resource[] {onDevice, dpa.resource()});
        resource.start((queue, action) -> {
            if (dpa != null && toDpa) {
                MsgqCalls.setDpaConsumer(queue, dpa.resource().handle(), action);
            } else if (dpa != null) {
                MsgqCalls.setDpaProducer(queue, dpa.resource().handle(), action);
            }
            MsgqCalls.setMaxProducers(queue, producers, action);
            MsgqCalls.setMaxConsumers(queue, consumers, action);
            MsgqCalls.start(queue, action);
        });
    }

    /**
     * Creates and starts a queue whose consumers are on the DPA, for one producer and one consumer at a time, as
     * {@link #toDpa(Dpa, int, int)} does.
     *
     * @param dpa the DPA of the consumer
     * @return the queue
     */
    public static MessageQueue toDpa(Dpa dpa) {
        return toDpa(dpa, 1, 1);
    }

    /**
     * Creates and starts a queue whose consumers are on the DPA ({@code doca_comch_msgq_create},
     * {@code doca_comch_msgq_set_dpa_consumer}, {@code doca_comch_msgq_start}).
     *
     * @param dpa the DPA of the consumers
     * @param producers how many producers the queue can have at a time
     *     ({@code doca_comch_msgq_set_max_num_producers}), at least 1
     * @param consumers how many consumers the queue can have at a time
     *     ({@code doca_comch_msgq_set_max_num_consumers}), at least 1
     * @return the queue
     * @throws IllegalArgumentException if a number is less than 1
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no MsgQ
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public static MessageQueue toDpa(Dpa dpa, int producers, int consumers) {
        return new MessageQueue(dpa.device(), dpa, true, producers, consumers);
    }

    /**
     * Creates and starts a queue whose producers are on the DPA, for one producer and one consumer at a time, as
     * {@link #fromDpa(Dpa, int, int)} does.
     *
     * @param dpa the DPA of the producer
     * @return the queue
     */
    public static MessageQueue fromDpa(Dpa dpa) {
        return fromDpa(dpa, 1, 1);
    }

    /**
     * Creates and starts a queue whose producers are on the DPA ({@code doca_comch_msgq_set_dpa_producer}). Otherwise
     * it is as {@link #toDpa(Dpa, int, int)}.
     *
     * @param dpa the DPA of the producers
     * @param producers how many producers the queue can have at a time, at least 1
     * @param consumers how many consumers the queue can have at a time, at least 1
     * @return the queue
     */
    public static MessageQueue fromDpa(Dpa dpa, int producers, int consumers) {
        return new MessageQueue(dpa.device(), dpa, false, producers, consumers);
    }

    /**
     * Creates and starts a queue with both ends on the CPU, in this process. Otherwise it is as
     * {@link #toDpa(Dpa, int, int)}.
     *
     * @param device a device, which must have a DPA even so; otherwise DOCA refuses with
     *     {@link io.github.comch4j.DocaError#NOT_SUPPORTED}
     * @param producers how many producers the queue can have at a time, at least 1
     * @param consumers how many consumers the queue can have at a time, at least 1
     * @return the queue
     */
    public static MessageQueue onCpu(Device device, int producers, int consumers) {
        return new MessageQueue(device, null, false, producers, consumers);
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
     * Creates and starts a producer on the DPA ({@code doca_comch_msgq_producer_create}, {@code doca_ctx_start}).
     *
     * @param completion the completion that reports the end of sends to kernels
     * @param sends how many operations of kernels the producer holds that have not been acknowledged
     *     ({@code doca_comch_producer_set_dev_max_num_send}), at least 1
     * @return the producer, started
     * @throws IllegalArgumentException if {@code sends} is less than 1
     * @throws IllegalStateException if the queue or the completion is closed
     * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#INVALID_VALUE} if the queue's producers
     *     are not on the DPA of the completion
     */
    public DpaProducer dpaProducer(DpaCompletion completion, int sends) {
        return new DpaProducer(this, completion, sends);
    }

    /**
     * Creates and starts a consumer on the DPA, as {@link #dpaConsumer(DpaConsumerCompletion, int, int)} does. The
     * maximum length of immediate data is that of the completion.
     *
     * @param completion the completion in which kernels find the consumer's messages
     * @param receives how many messages the consumer has room for at a time, at least 1
     * @return the consumer, started
     */
    public DpaConsumer dpaConsumer(DpaConsumerCompletion completion, int receives) {
        return dpaConsumer(completion, receives, completion.immediateLength());
    }

    /**
     * Creates and starts a consumer on the DPA ({@code doca_comch_msgq_consumer_create}, {@code doca_ctx_start}).
     *
     * @param completion the completion in which kernels find the consumer's messages
     * @param receives how many messages the consumer has room for at a time
     *     ({@code doca_comch_consumer_set_dev_max_num_recv}), at least 1. At first it has room for none; kernels make
     *     room ({@code doca_dpa_dev_comch_consumer_ack})
     * @param immediateLength the maximum length of a message's immediate data in bytes
     *     ({@code doca_comch_consumer_set_imm_data_len}), 1 to {@link DpaConsumerCompletion#immediateLength}
     * @return the consumer, started
     * @throws IllegalArgumentException if a number is less than 1
     * @throws IllegalStateException if the queue or the completion is closed
     * @throws DocaException if DOCA refuses; {@link io.github.comch4j.DocaError#INVALID_VALUE} if the queue's consumers
     *     are not on the DPA of the completion
     */
    public DpaConsumer dpaConsumer(DpaConsumerCompletion completion, int receives, int immediateLength) {
        return new DpaConsumer(this, completion, receives, immediateLength);
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

    /** Makes an end on the DPA, which does not run yet. */
    DpaHandle makeEnd(
            DpaHandle.Kind kind,
            String what,
            BiFunction<MemorySegment, String, MemorySegment> maker,
            DpaObject completion) {
        return DpaHandle.make(
                resource.lock(),
                Resource.Rank.FAST_PATH,
                kind,
                what + " of " + this,
                action -> maker.apply(resource.handle(), action),
                resource,
                completion.resource());
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
}
