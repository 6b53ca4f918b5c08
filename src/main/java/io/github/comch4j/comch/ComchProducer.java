package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.transfer.BufferSendTasks;
import io.github.comch4j.transfer.CoreObjects;
import io.github.comch4j.transfer.ImmediatePlaces;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends on the fast path ({@code doca_comch_producer}). Copies buffers of this side directly into buffers that the
 * peer's consumers have posted.
 *
 * <p>Sends of one producer to one consumer arrive in order. An accepted send completes without progress of the peer.
 *
 * <p>The producer allocates tasks at their first use and then reuses them, so that sending allocates nothing. All
 * methods must be called by the thread that owns the producer's engine. This engine can differ from the connection's
 * engine.
 */
public final class ComchProducer extends FastPathProducer {
    private static final int SPARE_BUFFERS = 1024;

    private final int bufferCount;
    private final boolean releasesSent;
    private final BufferSendTasks sends;

    private ComchProducer(Builder settings) {
        super(settings, "a producer");
        this.releasesSent = settings.releaseSent;
        this.bufferCount = settings.buffers > 0 ? settings.buffers : settings.tasks + SPARE_BUFFERS;
        try {
            this.sends = makeSends(settings);
            configureTasks(Capabilities::producer);
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    private BufferSendTasks makeSends(Builder settings) {
        Consumer<ComchProducer> room = settings.onWritable;
        CompletionHandler<ComchProducer, @Nullable Buffer> completion = settings.onCompletion;
        CompletionHandler<ComchProducer, BufferList> listCompletion = settings.onListCompletion;
        return new BufferSendTasks(
                context,
                settings.tasks,
                limits(),
                room == null ? null : () -> room.accept(this),
                completion == null ? null : (buffer, status) -> completion.onCompletion(this, buffer, status),
                listCompletion == null ? null : (list, status) -> listCompletion.onCompletion(this, list, status),
                settings.releaseSent);
    }

    @Override
    BufferSendTasks transfers() {
        return sends;
    }

    /**
     * Sends the buffer's data to a consumer if there is room ({@code doca_task_submit}). Never waits. The buffer is in
     * flight until the completion. One producer may send the same buffer several times at once.
     *
     * @param buffer the buffer whose data to send, at most as much as the consumer's next posted receive has room for;
     *     a buffer without data uses up a receive as well
     * @param consumerId a consumer of the peer, see {@link ControlPathEndpoint.Builder#onConsumer}
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: make progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer, the buffer or its memory is closed, or the buffer is in flight
     *     elsewhere
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for a consumer that does not exist or no
     *     longer exists, data that do not fit, or memory that is not mapped for the connection's device
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(Buffer buffer, int consumerId) {
        return sends.send(CoreObjects.of(buffer), consumerId, null, true);
    }

    /**
     * Sends a buffer with immediate data, as {@link #trySend(Buffer, int)} does. Immediate data are a few bytes that
     * reach the receive handler beside the buffer.
     *
     * @param buffer the buffer to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most as many as the consumer is configured for; copied before this method
     *     returns
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: make progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no immediate data
     */
    public SubmitResult trySend(Buffer buffer, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(buffer), consumerId, checkImmediate(immediate), true);
    }

    /**
     * Sends several buffers as one payload, as {@link #trySend(Buffer, int)} does. Their data arrive in the order of
     * the list, as the data of one receive. Allocates nothing.
     *
     * <p>Until the completion ({@link Builder#onListCompletion}), the list and all its buffers are in flight and
     * chained ({@code doca_buf_chain_list}), and cannot be sent in any other way. If the send is not accepted, the
     * buffers are unchained again ({@code doca_buf_unchain_list}).
     *
     * @param list the buffers to send, none of them in flight: at least one and at most
     *     {@link Capabilities.FastPath#maxBufferListLength}
     * @param consumerId a consumer of the peer, see {@link ControlPathEndpoint.Builder#onConsumer}
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: make progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     * @throws IllegalArgumentException if the list is empty, or longer than the device supports
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer or a buffer or its memory is closed, or the list or one of its
     *     buffers is in flight
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for a consumer that does not exist or no
     *     longer exists, data that do not fit, or memory that is not mapped for the connection's device
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(BufferList list, int consumerId) {
        return sends.send(CoreObjects.of(list), consumerId, null, true);
    }

    /**
     * Sends several buffers with immediate data, as {@link #trySend(BufferList, int)} does.
     *
     * @param list the buffers to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most as many as the consumer is configured for; copied before this method
     *     returns
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: make progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     */
    public SubmitResult trySend(BufferList list, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(list), consumerId, checkImmediate(immediate), true);
    }

    /**
     * Sends immediate data without a buffer, as {@link #trySend(Buffer, int)} does. This uses up a posted receive of
     * the consumer as well, with a buffer or without.
     *
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most as many as the consumer is configured for; copied before this method
     *     returns
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: make progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer must post a receive
     */
    public SubmitResult trySendImmediate(int consumerId, MemorySegment immediate) {
        return sends.send((BufferState) null, consumerId, checkImmediate(immediate), true);
    }

    /**
     * Queues a send. For many sends, this costs a fraction of {@link #trySend(Buffer, int)}. One native call submits
     * the queue with every 64th send, with {@link #flush()}, or with the engine's next {@code progress()}, whichever
     * comes first. The buffer is in flight from now on.
     *
     * <p>Sends of one producer, queued or not, go out in the order of these calls. While the consumer of the first send
     * in the queue has no buffer posted, all sends wait, and each {@code progress()} tries again. If DOCA refuses a
     * send when its turn comes, or the send still waits when the producer ends, it has failed
     * ({@link Builder#onCompletion}).
     *
     * @param buffer the buffer whose data to send
     * @param consumerId a consumer of the peer
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: make progress, then try again
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer, the buffer or its memory is closed, or the buffer is in flight
     *     elsewhere
     * @throws DocaException if DOCA refuses immediately; {@link DocaError#INVALID_VALUE} for more data than the device
     *     sends, or memory that is not mapped for it
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult enqueue(Buffer buffer, int consumerId) {
        return sends.send(CoreObjects.of(buffer), consumerId, null, false);
    }

    /**
     * Queues a send of a buffer with immediate data, as {@link #enqueue(Buffer, int)} does.
     *
     * @param buffer the buffer to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most as many as the consumer is configured for; copied before this method
     *     returns
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: make progress, then try again
     */
    public SubmitResult enqueue(Buffer buffer, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(buffer), consumerId, checkImmediate(immediate), false);
    }

    /**
     * Queues a send of several buffers as one payload, as {@link #enqueue(Buffer, int)} does. The rules of
     * {@link #trySend(BufferList, int)} apply.
     *
     * @param list the buffers to send
     * @param consumerId a consumer of the peer
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: make progress, then try again
     */
    public SubmitResult enqueue(BufferList list, int consumerId) {
        return sends.send(CoreObjects.of(list), consumerId, null, false);
    }

    /**
     * Queues a send of several buffers with immediate data, as {@link #enqueue(BufferList, int)} does.
     *
     * @param list the buffers to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most as many as the consumer is configured for; copied before this method
     *     returns
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: make progress, then try again
     */
    public SubmitResult enqueue(BufferList list, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(list), consumerId, checkImmediate(immediate), false);
    }

    /**
     * Queues a send of immediate data without a buffer, as {@link #enqueue(Buffer, int)} does. This uses up a posted
     * receive of the consumer as well, with a buffer or without.
     *
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most as many as the consumer is configured for; copied before this method
     *     returns
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: make progress, then try again
     */
    public SubmitResult enqueueImmediate(int consumerId, MemorySegment immediate) {
        return sends.send((BufferState) null, consumerId, checkImmediate(immediate), false);
    }

    private static MemorySegment checkImmediate(MemorySegment immediate) {
        long length = immediate.byteSize();
        if (length < 1 || length > ImmediatePlaces.LIMIT) {
            throw new IllegalArgumentException(
                    "immediate data have 1 to " + ImmediatePlaces.LIMIT + " bytes, not " + length);
        }
        return immediate;
    }

    /**
     * Takes a buffer from the producer's own inventory whose data are the whole window
     * ({@code doca_buf_inventory_buf_get_by_args}). The buffer is closed with the producer, unless the program closes
     * it earlier.
     *
     * @param memory the map
     * @param offset where the window begins in the map, in bytes
     * @param length the length of the window in bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the producer or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if all buffers are in use, see
     *     {@link Builder#buffers}
     */
    public Buffer acquire(MemoryMap memory, long offset, long length) {
        try {
            return inventory(bufferCount).acquire(memory, offset, length);
        } catch (DocaException e) {
            throw explained(e);
        }
    }

    private DocaException explained(DocaException refusal) {
        if (refusal.error() != DocaError.NO_MEMORY) {
            return refusal;
        }
        return Failures.refused(
                refusal.code(),
                refusal.function(),
                refusal.action() + ": all buffers are in use"
                        + (releasesSent
                                ? ""
                                : "; close each buffer after it was sent, or build the producer with releaseSent()"));
    }

    /**
     * Takes a buffer for a window that is given as a segment, as {@link #acquire(MemoryMap, long, long)} does.
     *
     * @param memory the map
     * @param window a part of the map's memory: a slice of {@link MemoryMap#segment()}, or of the memory that was
     *     wrapped
     * @return the buffer
     * @throws IllegalArgumentException if the segment is not entirely within the map's memory
     * @throws IllegalStateException also if the segment's arena is closed
     * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
     */
    public Buffer acquire(MemoryMap memory, MemorySegment window) {
        try {
            return inventory(bufferCount).acquire(memory, window);
        } catch (DocaException e) {
            throw explained(e);
        }
    }

    /**
     * Builds a producer. Not thread safe. A builder can be used only once, even if DOCA refuses: after that, every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder extends FastPathEndpoint.Builder<Builder> {
        private int buffers;

        private @Nullable CompletionHandler<ComchProducer, @Nullable Buffer> onCompletion;
        private @Nullable CompletionHandler<ComchProducer, BufferList> onListCompletion;
        private @Nullable Consumer<ComchProducer> onWritable;
        private boolean releaseSent;

        Builder(ComchConnection connection, ProgressEngine engine) {
            super("ComchProducer.Builder", connection, engine);
        }

        /**
         * Sets how many buffers of the producer's own inventory can be in use at a time. Default: 1024 more than the
         * number of tasks.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if {@code count} is less than 1
         */
        public Builder buffers(int count) {
            buffers = use.atLeast(1, "buffers", count);
            return this;
        }

        /**
         * Sets a handler that is called when a send of a buffer, or of immediate data alone, has succeeded or failed.
         * Without this handler, {@code progress()} throws for a failed send, but only for the first of consecutive
         * failures.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onCompletion(CompletionHandler<ComchProducer, @Nullable Buffer> handler) {
            onCompletion = use.once("onCompletion", onCompletion, handler);
            return this;
        }

        /**
         * Sets a handler that is called when a send of a {@link BufferList} has succeeded or failed. Without this
         * handler, {@code progress()} throws for a failed send, but only for the first of consecutive failures.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onListCompletion(CompletionHandler<ComchProducer, BufferList> handler) {
            onListCompletion = use.once("onListCompletion", onListCompletion, handler);
            return this;
        }

        /**
         * Sets a handler that is called when there is room again after a send that was not accepted, so that the
         * program does not have to poll. After {@link SubmitResult#NO_TASK}, it is called when a task is free. DOCA
         * does not report when {@link SubmitResult#NO_RECEIVE} ends; after that result, it is called with the next
         * progress. For {@link ComchProducer#enqueue(Buffer, int)}, only the first case applies.
         *
         * @param handler the handler; it costs nothing while all sends are accepted
         * @return this
         */
        public Builder onWritable(Consumer<ComchProducer> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Makes the producer take over the buffers that it sends. When the last send in flight with a buffer has
         * succeeded or failed, the producer closes the buffer, after the completion handler. A buffer of a
         * {@link io.github.comch4j.core.BufferPool} goes back to its pool instead, which is faster. A buffer whose send
         * was not accepted still belongs to the program. The producer takes over all buffers of a {@link BufferList},
         * and the list is empty afterwards. Default: all buffers still belong to the program.
         *
         * @return this
         */
        public Builder releaseSent() {
            use.check();
            releaseSent = true;
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Creates and starts the producer ({@code doca_comch_producer_create}, {@code doca_ctx_start}). Callbacks may
         * call this method.
         *
         * @return the running producer
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine is closed
         * @throws DocaException if DOCA refuses
         */
        public ComchProducer start() {
            ComchProducer producer = new ComchProducer(this);
            producer.begin();
            return producer;
        }
    }
}
