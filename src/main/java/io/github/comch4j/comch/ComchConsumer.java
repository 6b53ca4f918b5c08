package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.Pools;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.transfer.BufferReceiveTasks;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives on the fast path ({@code doca_comch_consumer}): producers of the peer write straight into the buffers that
 * it has posted.
 *
 * <p>Each send uses up one posted receive, in the order of posting. When the receive handler returns, it is posted
 * again, its buffer empty. A receive without a buffer takes immediate data alone: a send with data that meets it is
 * refused at its producer, as one that is longer than the buffer is, so sender and receiver have to agree on the order.
 *
 * <p>To start, its engine <em>and</em> that of the connection must make progress. All methods belong to the thread that
 * owns the consumer's engine, which need not be that of the connection.
 */
public final class ComchConsumer extends FastPathConsumer {
    private final MemoryMap memory;
    private final int firstBuffers;
    private final long firstBufferSize;
    private final int firstImmediates;
    private final BufferReceiveTasks receives;
    private final long mostRoom; // in a buffer, for the device; DOCA's submit does not check it

    private ComchConsumer(Builder settings) {
        super(
                settings,
                ConsumerCalls.get(),
                create(settings),
                settings.connection.life(),
                CoreObjects.of(settings.memory));
        this.memory = settings.memory;
        this.firstBuffers = settings.firstBuffers;
        this.firstBufferSize = settings.firstBufferSize;
        this.firstImmediates = settings.firstImmediates;
        try {
            this.mostRoom = Capabilities.of(connection().endpoint().device())
                    .consumer()
                    .map(Capabilities.FastPath::maxBufferSize)
                    .orElse(Long.MAX_VALUE);
            if (firstImmediates > 0) {
                ConsumerCalls.checkImmediate();
            }
            this.receives = makeReceives(settings);
            configureTasks(Capabilities::consumer);
        } catch (RuntimeException | Error e) {
            context.closeAfter(e);
            throw e;
        }
    }

    private static MemorySegment create(Builder settings) {
        CoreObjects.of(settings.engine).checkOwner();
        settings.use.begin();
        MemorySegment map = CoreObjects.of(settings.memory).handle();
        return explained(
                settings,
                () -> settings.connection
                        .life()
                        .create(
                                ConsumerCalls.get().createFunction(),
                                "a consumer",
                                settings.connection.hintAbout(settings.memory),
                                (nativeConnection, action) -> ConsumerCalls.create(nativeConnection, map, action)));
    }

    /** If DOCA refuses because of the memory's permissions, the exception says which the memory has. */
    private static <T> T explained(Builder settings, Supplier<T> call) {
        try {
            return call.get();
        } catch (DocaException e) {
            Set<Access> access = settings.memory.access();
            if (settings.memory.isRemote() // whose permissions are not known
                    || access.contains(Access.PCI_READ_WRITE)
                    || (e.error() != DocaError.INVALID_VALUE && e.error() != DocaError.NOT_PERMITTED)) {
                throw e;
            }
            throw Failures.refused(
                    e.code(),
                    e.function(),
                    e.action() + " with " + settings.memory + ", which is mapped for " + access
                            + " and not for PCI_READ_WRITE, as the peer writes to it");
        }
    }

    private BufferReceiveTasks makeReceives(Builder settings) {
        ReceiveHandler handler = settings.onReceive;
        CompletionHandler<ComchConsumer, @Nullable Buffer> failure = settings.onFailure;
        return new BufferReceiveTasks(
                context,
                Pools.size(Math.max(settings.tasks, Math.addExact(firstBuffers, firstImmediates))),
                configureImmediates(settings),
                settings.repost,
                handler == null
                        ? (buffer, producerId, immediate) -> {}
                        : (buffer, producerId, immediate) -> handler.onReceive(this, buffer, producerId, immediate),
                failure == null ? null : (buffer, status) -> failure.onCompletion(this, buffer, status));
    }

    @Override
    BufferReceiveTasks transfers() {
        return receives;
    }

    /**
     * Posts a buffer ({@code doca_comch_consumer_task_post_recv_alloc_init}, {@code doca_task_submit}): a producer may
     * write into its room, behind its data. Until something was received it is in flight.
     *
     * @param buffer a buffer on the consumer's memory, not in flight
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK} if all tasks of this consumer are posted
     * @throws IllegalArgumentException if the buffer is on other memory
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the consumer is not running yet, or it, the buffer or its memory is closed, or
     *     the buffer is in flight
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for more room than the device takes
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult tryPost(Buffer buffer) {
        context.engine().checkOwner();
        if (buffer.memory() != memory) {
            throw new IllegalArgumentException(buffer + " is not on the consumer's memory");
        }
        if (buffer.isInFlight()) {
            throw new IllegalStateException(buffer + " is in flight already");
        }
        if (buffer.capacity() > mostRoom) {
            checkRoom(buffer);
        }
        return receives.post(CoreObjects.of(buffer));
    }

    private void checkRoom(Buffer buffer) {
        long room = buffer.capacity() - buffer.position() - buffer.length();
        if (room > mostRoom) {
            throw Failures.refused(
                    DocaError.INVALID_VALUE,
                    TaskCalls.SUBMIT_NAME,
                    "posting " + buffer + " to " + this + ": room for " + room + " bytes, where "
                            + connection().endpoint().device() + " takes at most " + mostRoom);
        }
    }

    /**
     * Posts a receive without a buffer ({@code doca_comch_consumer_task_post_recv_alloc_init} with NULL,
     * {@code doca_task_submit}), which takes a send of immediate data alone ({@link ComchProducer#trySendImmediate}),
     * or of a buffer without data. The handlers get null for the buffer.
     *
     * <p>DOCA's documents show such receives with message queues; the emulated device takes them here too. A device
     * that does not refuses them.
     *
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK} if all tasks of this consumer are posted
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the consumer is not running yet, or is closed
     * @throws DocaException if DOCA refuses
     * @throws io.github.comch4j.MissingFunctionException with DOCA 2.5 and 2.6, which have no immediate data
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult tryPostImmediate() {
        context.engine().checkOwner();
        ConsumerCalls.checkImmediate();
        return receives.post(null);
    }

    /**
     * In the receive handler: the receive is not posted again when the handler returns. Its buffer, if it has one, is
     * the program's, until it posts or closes it.
     *
     * @throws IllegalStateException outside the receive handler
     */
    public void keep() {
        receives.keep();
    }

    /**
     * Takes an empty buffer of the consumer's own inventory, on its memory
     * ({@code doca_buf_inventory_buf_get_by_args}). It is closed with the consumer, or before.
     *
     * @param offset where the window begins in the memory, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the memory
     * @throws IllegalStateException if the consumer or memory is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} when all buffers are out: there are twice as
     *     many as tasks
     */
    public Buffer acquire(long offset, long length) {
        return inventory(2 * receives.count()).acquireEmpty(memory, offset, length);
    }

    /**
     * As {@link #acquire(long, long)}, of a window that the caller has as a segment.
     *
     * @param window a part of the consumer's memory: of {@link MemoryMap#segment()}, or of what was wrapped
     * @return the buffer
     * @throws IllegalArgumentException if the segment is not, all of it, the consumer's memory
     * @throws IllegalStateException also if the segment's arena is closed
     * @throws UnsupportedOperationException if the memory is {@linkplain MemoryMap#isRemote() remote}
     */
    public Buffer acquire(MemorySegment window) {
        return inventory(2 * receives.count()).acquireEmpty(memory, window);
    }

    /**
     * What it receives into. Any thread may ask.
     *
     * @return the memory
     */
    public MemoryMap memory() {
        return memory;
    }

    private void postFirst() {
        try {
            for (int i = 0; i < firstBuffers; i++) {
                tryPost(acquire(i * firstBufferSize, firstBufferSize));
            }
            for (int i = 0; i < firstImmediates; i++) {
                tryPostImmediate();
            }
        } catch (ConnectionClosedException e) {
            return; // the next change of state reports the end; progress() must not fail for it
        }
    }

    @Override
    void changed(int previous, int next) {
        if (next == Context.RUNNING) {
            postFirst();
        }
    }

    /**
     * Settings of a consumer. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder extends FastPathConsumer.Builder<Builder> {
        private final MemoryMap memory;
        private int firstBuffers;
        private long firstBufferSize;
        private int firstImmediates;
        private boolean repost = true;
        private @Nullable ReceiveHandler onReceive;
        private @Nullable CompletionHandler<ComchConsumer, @Nullable Buffer> onFailure;

        Builder(ComchConnection connection, ProgressEngine engine, MemoryMap memory) {
            super("ComchConsumer.Builder", connection, engine);
            this.memory = Objects.requireNonNull(memory, "memory");
        }

        /**
         * Called for each send of the peer; without it data are discarded.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onReceive(ReceiveHandler handler) {
            onReceive = use.once("onReceive", onReceive, handler);
            return this;
        }

        /**
         * Called for each posted receive that comes back with nothing, also when the consumer ends, and for what
         * arrives while it is being closed; its buffer is the program's again. If the consumer {@linkplain
         * ComchConsumer#isRunning() runs} on, the posting has failed, and what was sent to it may be lost. Without this
         * handler such a receive is posted again and {@code progress()} throws, and nobody hears of those that come
         * back at the end.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onReceiveFailed(CompletionHandler<ComchConsumer, @Nullable Buffer> handler) {
            onFailure = use.once("onReceiveFailed", onFailure, handler);
            return this;
        }

        /**
         * Divides the beginning of the memory into buffers and posts them as soon as the consumer runs. Default: none,
         * the program posts its own.
         *
         * @param count how many, at least 1
         * @param size bytes of each, at least 1
         * @return this
         * @throws IllegalArgumentException if they do not fit into the memory
         */
        public Builder buffers(int count, long size) {
            use.check();
            if (count < 1 || size < 1 || count > memory.size() / size) {
                throw new IllegalArgumentException(count + " buffers of " + size + " bytes do not fit into " + memory);
            }
            firstBuffers = count;
            firstBufferSize = size;
            return this;
        }

        /**
         * Posts so many receives without a buffer as soon as the consumer runs, behind those of {@link #buffers}: see
         * {@link ComchConsumer#tryPostImmediate}. Default: none.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder immediateReceives(int count) {
            use.check();
            if (count < 1) {
                throw new IllegalArgumentException("immediateReceives " + count + " is less than 1");
            }
            firstImmediates = count;
            return this;
        }

        /**
         * Whether a receive is posted again, its buffer empty, when the receive handler returns. Default: yes.
         *
         * @param automatic if false, each received buffer is the program's until it posts or closes it, and a receive
         *     without a buffer is not posted again
         * @return this
         */
        public Builder repost(boolean automatic) {
            use.check();
            repost = automatic;
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Creates the consumer and begins to start it ({@code doca_comch_consumer_create}, {@code doca_ctx_start});
         * progress of its engine and of the connection's does the rest. Allowed in callbacks.
         *
         * @return the consumer, usually still {@link ContextState#STARTING}
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine or memory is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NOT_PERMITTED} or {@link DocaError#INVALID_VALUE} for
         *     memory without {@link io.github.comch4j.core.Access#PCI_READ_WRITE}, and the latter for memory that is
         *     not mapped for the connection's device
         */
        public ComchConsumer start() {
            ComchConsumer consumer = new ComchConsumer(this);
            try {
                explained(this, () -> {
                    consumer.begin();
                    return consumer;
                });
            } catch (RuntimeException | Error e) {
                consumer.context.closeAfter(e);
                throw e;
            }
            return consumer;
        }

        /**
         * As {@link #start()}, and progresses its engine, and that of the connection if it belongs to this thread too,
         * until the consumer runs. If another thread owns the connection's engine, that thread must progress it.
         *
         * @param timeout how long to wait
         * @return the consumer, running
         * @throws IllegalStateException also inside a callback of the engine
         * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted}
         * @throws DocaException also {@link DocaError#TIME_OUT}, and {@link DocaError#NOT_CONNECTED} if the connection
         *     ended meanwhile
         */
        public ComchConsumer start(Duration timeout) {
            checkCanWait();
            ComchConsumer consumer = start();
            consumer.awaitRunning(timeout);
            return consumer;
        }
    }
}
