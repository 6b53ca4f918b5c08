package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.transfer.BufferSendTasks;
import io.github.comch4j.transfer.CoreObjects;
import io.github.comch4j.transfer.ImmediatePlaces;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends on the fast path ({@code doca_comch_producer}): copies buffers of this side straight into buffers that the
 * peer's consumers have posted.
 *
 * <p>Sends of one producer to one consumer arrive in order. A send that was accepted needs no progress of the peer to
 * complete.
 *
 * <p>Tasks are allocated at their first use and used again: sending allocates nothing. All methods belong to the thread
 * that owns the producer's engine, which need not be that of the connection.
 */
public final class ComchProducer extends FastPathProducer {
    private static final int SPARE_BUFFERS = 1024;

    private final int bufferCount;
    private final boolean releasesSent;
    private final BufferSendTasks sends;

    private ComchProducer(Builder settings) {
        super(settings, ProducerCalls.get(), create(settings), settings.connection.life());
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

    private static MemorySegment create(Builder settings) {
        CoreObjects.of(settings.engine).checkOwner();
        settings.use.begin();
        return settings.connection
                .life()
                .create(ProducerCalls.get().createFunction(), "a producer", "", ProducerCalls::create);
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
     * Sends the buffer's data to a consumer if there is room ({@code doca_task_submit}). Never waits. Until the
     * completion the buffer is in flight; it may be sent several times at once by one producer.
     *
     * @param buffer what to send: its data, at most what the consumer's next posted receive has room for; no data use
     *     up a receive all the same
     * @param consumerId a consumer of the peer, see {@link RemoteConsumerHandler}
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer is to post one
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer, buffer or its memory is closed, or the buffer is in flight
     *     elsewhere
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for a consumer that does not exist (any
     *     more), data that do not fit, or memory that is not mapped for the connection's device
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(Buffer buffer, int consumerId) {
        return sends.send(CoreObjects.of(buffer), consumerId, null, true);
    }

    /**
     * As {@link #trySend(Buffer, int)}, with immediate data: a few bytes that reach the receive handler beside the
     * buffer.
     *
     * @param buffer what to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer is to post one
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no immediate data
     */
    public SubmitResult trySend(Buffer buffer, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(buffer), consumerId, checkImmediate(immediate), true);
    }

    /**
     * As {@link #trySend(Buffer, int)}, of several buffers as one payload: their data arrive in the order of the list
     * as the data of one receive. Allocates nothing.
     *
     * <p>Until the completion ({@link Builder#onListCompletion}) the list and all its buffers are in flight, and
     * chained ({@code doca_buf_chain_list}); they cannot be sent in another way meanwhile. Where the send is not
     * accepted, everything is as before ({@code doca_buf_unchain_list}).
     *
     * @param list what to send: buffers that are not in flight, at least one and at most
     *     {@link Capabilities.FastPath#maxBufferListLength}
     * @param consumerId a consumer of the peer, see {@link RemoteConsumerHandler}
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer is to post one
     * @throws IllegalArgumentException if the list is empty, or longer than the device takes
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer or a buffer or its memory is closed, or the list or one of its
     *     buffers is in flight
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for a consumer that does not exist (any
     *     more), data that do not fit, or memory that is not mapped for the connection's device
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult trySend(BufferList list, int consumerId) {
        return sends.send(CoreObjects.of(list), consumerId, null, true);
    }

    /**
     * As {@link #trySend(BufferList, int)}, with immediate data.
     *
     * @param list what to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer is to post one
     */
    public SubmitResult trySend(BufferList list, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(list), consumerId, checkImmediate(immediate), true);
    }

    /**
     * As {@link #trySend(Buffer, int)}, of immediate data alone; uses up a posted receive of the consumer all the same,
     * with a buffer or without.
     *
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return {@link SubmitResult#ACCEPTED}; {@link SubmitResult#NO_TASK}: progress, then try again;
     *     {@link SubmitResult#NO_RECEIVE}: the consumer is to post one
     */
    public SubmitResult trySendImmediate(int consumerId, MemorySegment immediate) {
        return sends.send((BufferState) null, consumerId, checkImmediate(immediate), true);
    }

    /**
     * Queues a send, which costs a fraction of {@link #trySend(Buffer, int)} when there are many: the queue is
     * submitted by one native call with every 64th send, by {@link #flush()}, or by the engine's next
     * {@code progress()}, whichever comes first. The buffer is in flight from now on.
     *
     * <p>Sends of one producer, queued or not, go out in the order of these calls. While the consumer of the first one
     * in the queue has no buffer posted, all wait, and are tried again with each {@code progress()}. A send that DOCA
     * refuses when its turn comes ends as one that failed ({@link Builder#onCompletion}), and so does one that still
     * waits when the producer ends.
     *
     * @param buffer what to send: its data
     * @param consumerId a consumer of the peer
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer, buffer or its memory is closed, or the buffer is in flight
     *     elsewhere
     * @throws DocaException if DOCA refuses at once; {@link DocaError#INVALID_VALUE} for more data than the device
     *     sends, or memory that is not mapped for it
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult enqueue(Buffer buffer, int consumerId) {
        return sends.send(CoreObjects.of(buffer), consumerId, null, false);
    }

    /**
     * As {@link #enqueue(Buffer, int)}, with immediate data.
     *
     * @param buffer what to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     */
    public SubmitResult enqueue(Buffer buffer, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(buffer), consumerId, checkImmediate(immediate), false);
    }

    /**
     * Queues a send of several buffers as one payload: as {@link #enqueue(Buffer, int)} does, with the rules of
     * {@link #trySend(BufferList, int)}.
     *
     * @param list what to send
     * @param consumerId a consumer of the peer
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     */
    public SubmitResult enqueue(BufferList list, int consumerId) {
        return sends.send(CoreObjects.of(list), consumerId, null, false);
    }

    /**
     * As {@link #enqueue(BufferList, int)}, with immediate data.
     *
     * @param list what to send
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     */
    public SubmitResult enqueue(BufferList list, int consumerId, MemorySegment immediate) {
        return sends.send(CoreObjects.of(list), consumerId, checkImmediate(immediate), false);
    }

    /**
     * As {@link #enqueue(Buffer, int)}, of immediate data alone; uses up a posted receive of the consumer all the same,
     * with a buffer or without.
     *
     * @param consumerId a consumer of the peer
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}: progress, then try again
     */
    public SubmitResult enqueueImmediate(int consumerId, MemorySegment immediate) {
        return sends.send((BufferState) null, consumerId, checkImmediate(immediate), false);
    }

    private static MemorySegment checkImmediate(MemorySegment immediate) {
        long length = immediate.byteSize();
        if (length < 1 || length > ImmediatePlaces.LIMIT) {
            throw new IllegalArgumentException("immediate data of " + length + " bytes");
        }
        return immediate;
    }

    /**
     * Takes a buffer of the producer's own inventory whose data are the whole window
     * ({@code doca_buf_inventory_buf_get_by_args}). It is closed with the producer, or before.
     *
     * @param memory the map
     * @param offset where the window begins in it, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the producer or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} when all buffers are out, see
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
                refusal.action() + ", all of which are out"
                        + (releasesSent
                                ? ""
                                : ": one that was sent is the program's until it closes it; with releaseSent() of the"
                                        + " builder it is closed when it has gone"));
    }

    /**
     * As {@link #acquire(MemoryMap, long, long)}, of a window that the caller has as a segment.
     *
     * @param memory the map
     * @param window a part of its memory: of {@link MemoryMap#segment()}, or of what was wrapped
     * @return the buffer
     * @throws IllegalArgumentException if the segment is not, all of it, memory of the map
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
     * Settings of a producer. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
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
         * How many buffers can be out of the producer's own inventory at a time. Default: 1024 more than tasks.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder buffers(int count) {
            use.check();
            if (count < 1) {
                throw new IllegalArgumentException("buffers " + count + " is less than 1");
            }
            buffers = count;
            return this;
        }

        /**
         * Called when a send of a buffer, or of immediate data alone, has ended, well or not. Without it
         * {@code progress()} throws for a send that failed, the first of a row only.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onCompletion(CompletionHandler<ComchProducer, @Nullable Buffer> handler) {
            onCompletion = use.once("onCompletion", onCompletion, handler);
            return this;
        }

        /**
         * Called when a send of a {@link BufferList} has ended, well or not. Without it {@code progress()} throws for
         * one that failed, the first of a row only.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onListCompletion(CompletionHandler<ComchProducer, BufferList> handler) {
            onListCompletion = use.once("onListCompletion", onListCompletion, handler);
            return this;
        }

        /**
         * Called when there is room again after a send that was not accepted, so that nobody has to ask again and
         * again: after {@link SubmitResult#NO_TASK} when a task is free, after {@link SubmitResult#NO_RECEIVE}, of
         * whose end DOCA does not tell, with the next progress. {@link ComchProducer#enqueue(Buffer, int)} has the
         * first only.
         *
         * @param handler the handler; costs nothing as long as all sends are accepted
         * @return this
         */
        public Builder onWritable(Consumer<ComchProducer> handler) {
            onWritable = use.once("onWritable", onWritable, handler);
            return this;
        }

        /**
         * Buffers are handed over with a send: when the last send in flight with one has ended, well or not, the
         * producer closes it, after the completion handler. A buffer of a {@link io.github.comch4j.core.BufferPool} is
         * given back to the pool instead, which is faster. A buffer whose send was not accepted remains the program's.
         * Of a {@link BufferList} all buffers are handed over, and the list is empty afterwards. Default: all remain
         * the program's.
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
         * Creates and starts the producer ({@code doca_comch_producer_create}, {@code doca_ctx_start}). Allowed in
         * callbacks.
         *
         * @return the producer, running
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
