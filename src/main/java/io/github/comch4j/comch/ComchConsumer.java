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
import io.github.comch4j.transfer.TransferContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives on the fast path ({@code doca_comch_consumer}). Producers of the peer write directly into the buffers that
 * the consumer has posted.
 *
 * <p>Each send uses up one posted receive, in the order of posting. When the receive handler returns, the consumer
 * posts the receive again with an empty buffer. A receive without a buffer takes immediate data alone. A send fails at
 * its producer if it has data and meets a receive without a buffer, or if its data are longer than the buffer. Sender
 * and receiver must therefore agree on the order.
 *
 * <p>The consumer starts only while its engine <em>and</em> the engine of the connection make progress. All methods
 * must be called by the thread that owns the consumer's engine. This engine can differ from the connection's engine.
 */
public final class ComchConsumer extends FastPathConsumer {
    private final MemoryMap memory;
    private final int firstBuffers;
    private final long firstBufferSize;
    private final int firstImmediates;
    private final BufferReceiveTasks receives;
    private final long mostRoom; // in a buffer, for the device; DOCA's submit does not check it

    private ComchConsumer(Builder settings) {
        super(settings, create(settings), settings.connection.life(), CoreObjects.of(settings.memory));
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
        MemorySegment map = CoreObjects.of(settings.memory).handle();
        String hint = TransferContext.hintAbout(settings.memory, settings.connection.device());
        return explained(settings, () -> settings.create("a consumer", hint, map));
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
                            + ", not for PCI_READ_WRITE: the peer writes to it");
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
     * Posts a buffer ({@code doca_comch_consumer_task_post_recv_alloc_init}, {@code doca_task_submit}). A producer may
     * write into the buffer's free room behind its data. The buffer is in flight until something is received into it.
     *
     * @param buffer a buffer on the consumer's memory that is not in flight
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK} if all tasks of this consumer are posted
     * @throws IllegalArgumentException if the buffer is on other memory
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the consumer is not running yet, or if the consumer, the buffer or its memory is
     *     closed, or if the buffer is in flight
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for more room than the device supports
     * @throws WrongThreadException if another thread owns the engine
     */
    public SubmitResult tryPost(Buffer buffer) {
        context.engine().checkOwner();
        if (buffer.memory() != memory) {
            throw new IllegalArgumentException(buffer + " is not in the consumer's memory");
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
     * {@code doca_task_submit}). It takes a send of immediate data alone ({@link ComchProducer#trySendImmediate}), or
     * of a buffer without data. The handlers get null for the buffer.
     *
     * <p>DOCA's documentation shows such receives with message queues. The emulated device accepts them here too. A
     * device that does not support them refuses them.
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
     * Prevents the current receive from being posted again when the receive handler returns. Its buffer, if it has one,
     * then belongs to the program until the program posts or closes it.
     *
     * @throws IllegalStateException outside the receive handler
     */
    public void keep() {
        receives.keep();
    }

    /**
     * Takes an empty buffer on the consumer's memory from its own inventory
     * ({@code doca_buf_inventory_buf_get_by_args}). The buffer is closed with the consumer, unless the program closes
     * it earlier.
     *
     * @param offset where the window begins in the memory, in bytes
     * @param length the length of the window in bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the memory
     * @throws IllegalStateException if the consumer or memory is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} if all buffers are in use: the inventory has
     *     twice as many buffers as the consumer has tasks
     */
    public Buffer acquire(long offset, long length) {
        return inventory(2 * receives.count()).acquireEmpty(memory, offset, length);
    }

    /**
     * Takes an empty buffer for a window that is given as a segment, as {@link #acquire(long, long)} does.
     *
     * @param window a part of the consumer's memory: a slice of {@link MemoryMap#segment()}, or of the memory that was
     *     wrapped
     * @return the buffer
     * @throws IllegalArgumentException if the segment is not entirely within the consumer's memory
     * @throws IllegalStateException also if the segment's arena is closed
     * @throws UnsupportedOperationException if the memory is {@linkplain MemoryMap#isRemote() remote}
     */
    public Buffer acquire(MemorySegment window) {
        return inventory(2 * receives.count()).acquireEmpty(memory, window);
    }

    /**
     * Returns the memory that this consumer receives into. Any thread may call this method.
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
     * Builds a consumer. Not thread safe. A builder can be used only once, even if DOCA refuses: after that, every call
     * throws {@link IllegalStateException}.
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
         * Sets a handler that is called for each send of the peer. Without it, the consumer discards the data.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onReceive(ReceiveHandler handler) {
            onReceive = use.once("onReceive", onReceive, handler);
            return this;
        }

        /**
         * Sets a handler that is called for each posted receive that comes back without a payload. This includes
         * receives that come back when the consumer ends, and those whose payload arrives while the consumer is being
         * closed. The buffer belongs to the program again.
         *
         * <p>If the consumer is still {@linkplain ComchConsumer#isRunning() running}, the receive has failed, and a
         * payload sent to it may be lost. Without this handler, the consumer posts such a receive again and
         * {@code progress()} throws. Receives that come back at the end are then not reported.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onReceiveFailed(CompletionHandler<ComchConsumer, @Nullable Buffer> handler) {
            onFailure = use.once("onReceiveFailed", onFailure, handler);
            return this;
        }

        /**
         * Divides the beginning of the memory into buffers and posts them as soon as the consumer runs. Default: none;
         * the program posts its own buffers.
         *
         * @param count the number of buffers, at least 1
         * @param size the size of each buffer in bytes, at least 1
         * @return this
         * @throws IllegalArgumentException if the buffers do not fit into the memory
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
         * Posts the given number of receives without a buffer as soon as the consumer runs, after those of
         * {@link #buffers}. See {@link ComchConsumer#tryPostImmediate}. Default: none.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if {@code count} is less than 1
         */
        public Builder immediateReceives(int count) {
            firstImmediates = use.atLeast(1, "immediateReceives", count);
            return this;
        }

        /**
         * Sets whether the consumer posts a receive again with an empty buffer when the receive handler returns.
         * Default: yes.
         *
         * @param automatic if false, each received buffer belongs to the program until the program posts or closes it,
         *     and a receive without a buffer is not posted again
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
         * Creates the consumer and begins to start it ({@code doca_comch_consumer_create}, {@code doca_ctx_start}).
         * Progress of its engine and of the connection's engine completes the start. Callbacks may call this method.
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
         * Starts the consumer as {@link #start()} does, and waits until it runs. While it waits, this method progresses
         * the consumer's engine, and also the connection's engine if it belongs to this thread. If another thread owns
         * the connection's engine, that thread must progress it.
         *
         * @param timeout how long to wait
         * @return the running consumer
         * @throws IllegalStateException also inside a callback of the engine
         * @throws io.github.comch4j.WaitInterruptedException if the thread is {@linkplain ProgressEngine interrupted}
         * @throws DocaException also {@link DocaError#TIME_OUT}, and {@link DocaError#NOT_CONNECTED} if the connection
         *     ends while this method waits
         */
        public ComchConsumer start(Duration timeout) {
            checkCanWait();
            ComchConsumer consumer = start();
            consumer.awaitRunning(timeout);
            return consumer;
        }
    }
}
