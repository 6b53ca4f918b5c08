package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.BufferCalls;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.CompletionRing;
import io.github.comch4j.internal.ConsumerCalls;
import io.github.comch4j.internal.Context;
import io.github.comch4j.internal.Counter;
import io.github.comch4j.internal.Events;
import io.github.comch4j.internal.FastPathCalls;
import io.github.comch4j.internal.Lane;
import io.github.comch4j.internal.Nanos;
import io.github.comch4j.internal.Scratch;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Receives on the fast path ({@code doca_comch_consumer}): producers of the other side write straight into the buffers that it has posted.
 *
 * <p>Each send uses up one posted buffer, in the order of posting. When the receive handler returns, the buffer is posted again, empty.
 *
 * <p>To start, its engine <em>and</em> that of the connection must make progress. All methods belong to the thread that owns the consumer's
 * engine, which need not be that of the connection.
 */
public final class ComchConsumer extends ComchFastPath {
    /** The status of what was received and is not delivered any more: that of the buffers which come back because the consumer ends. */
    private static final DocaError FLUSHED = DocaError.IO_FAILED;

    private final MemoryMap memory;
    private final int immediateLength;
    private final boolean repost;
    private final int firstBuffers;
    private final long firstBufferSize;
    private final ReceiveHandler onReceive;
    private final ReceiveFailureHandler onFailure;
    private boolean keep;
    private boolean inHandler;
    private boolean wasRunning;
    private final Counter received = new Counter();
    private final Counter receivedBytes = new Counter();

    private ComchConsumer(Builder settings) {
        super(settings, FastPathCalls.CONSUMER, "consumer", Math.max(settings.tasks, settings.firstBuffers), create(settings),
                settings.connection.resource(), CORE.resource(settings.memory));
        this.memory = settings.memory;
        this.repost = settings.repost;
        this.firstBuffers = settings.firstBuffers;
        this.firstBufferSize = settings.firstBufferSize;
        this.onReceive = settings.onReceive;
        this.onFailure = settings.onFailure;
        try {
            MemorySegment created = node.handle();
            String action = "configuring " + this;
            if (settings.immediateLength >= 0) {
                String function = "doca_comch_consumer_set_imm_data_len";
                int code = Calls.code(function, () -> doca_h.doca_comch_consumer_set_imm_data_len(created, settings.immediateLength));
                checkSetting(code, function, "immediateLength", settings.immediateLength,
                        capabilities -> capabilities.consumer().map(ComchCapabilities.Consumer::maxImmediateLength));
            }
            this.immediateLength = (int) Calls.uint32("doca_comch_consumer_get_imm_data_len", action,
                    out -> doca_h.doca_comch_consumer_get_imm_data_len(created, out));
        } catch (RuntimeException | Error e) {
            node.closeAfter(e);
            throw e;
        }
        this.scratch = new Scratch(immediateLength, 0);
    }

    private static MemorySegment create(Builder settings) {
        CORE.engine(settings.engine).checkOwner();
        MemorySegment map = CORE.handle(settings.memory);
        return explained(settings, () -> settings.connection.create("doca_comch_consumer_create", "a consumer",
                settings.connection.hintAbout(settings.memory), (peer, out) -> doca_h.doca_comch_consumer_create(peer, map, out)));
    }

    /** What DOCA refuses because of the memory's permissions is refused with these. */
    private static <T> T explained(Builder settings, Supplier<T> call) {
        try {
            return call.get();
        } catch (DocaException e) {
            Set<Access> access = CORE.access(settings.memory);
            boolean told = access.isEmpty() || access.contains(Access.PCI_READ_WRITE); // imported memory has no permissions that are known here
            if (told || e.error() != DocaError.INVALID_VALUE && e.error() != DocaError.NOT_PERMITTED) {
                throw e;
            }
            throw new DocaException(e.code(), e.function(), e.action() + " with " + settings.memory + ", which is mapped for " + access
                    + " and not for PCI_READ_WRITE, as the other side writes to it");
        }
    }

    /**
     * Posts a buffer ({@code doca_comch_consumer_task_post_recv_alloc_init}, {@code doca_task_submit}): a producer may write into its room, behind its data. Until
     * something was received it is in flight.
     *
     * @param buffer a buffer on the consumer's memory, not in flight
     * @return false if all tasks of this consumer have buffers posted
     * @throws IllegalArgumentException if the buffer is on other memory
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the consumer is not running yet, or it, the buffer or its memory is closed, or the buffer is in flight
     * @throws DocaException if DOCA refuses
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean tryPost(Buffer buffer) {
        progress.checkOwner();
        if (buffer.memory() != memory) {
            throw new IllegalArgumentException(buffer + " is not on the consumer's memory");
        }
        if (buffer.isInFlight()) {
            throw new IllegalStateException(buffer + " is in flight already");
        }
        if (node.state() != Context.RUNNING) {
            throw notRunning();
        }
        if (freeCount == 0) {
            return false;
        }
        int slot = free[--freeCount];
        try {
            post(slot, buffer, true);
        } catch (RuntimeException | Error e) {
            free[freeCount++] = slot;
            throw e;
        }
        return true;
    }

    /** Posts with a slot that is not on the free list; what need not be at once may be with the next progress. */
    private void post(int slot, Buffer buffer, boolean now) {
        CORE.depart(buffer, node);
        String function = "doca_task_submit";
        int code = DocaError.UNKNOWN.code();
        try {
            long address = CORE.address(buffer);
            if (typed[slot] == 0) {
                function = "doca_comch_consumer_task_post_recv_alloc_init";
                code = allocate(slot, address);
            } else {
                lane.prepare(slot, address, 0);
                code = Calls.SUCCESS;
            }
            if (code == Calls.SUCCESS && CORE.hasMoved(buffer)) {
                function = "doca_buf_set_data";
                code = lane.moveData(slot, address, CORE.dataAddress(buffer), CORE.dataLength(buffer));
                CORE.moveTold(buffer);
            }
            if (code == Calls.SUCCESS) {
                function = "doca_task_submit";
                if (buffers[slot] != buffer) { // a store of a reference costs more than the look
                    buffers[slot] = buffer; // before the submit: a completion may come at any time after
                }
                code = now ? lane.submit(slot) : lane.submitSoon(slot, free.length - freeCount);
            }
        } finally {
            if (code != Calls.SUCCESS) {
                CORE.arrive(buffer);
            }
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, function, buffer);
        }
    }

    private int allocate(int slot, long buffer) {
        int code = ConsumerCalls.allocate(node.address(), buffer, scratch.resultAddress());
        if (code == Calls.SUCCESS) {
            long receive = scratch.result();
            long task = ConsumerCalls.asTask(receive);
            lane.adopt(slot, receive, task, buffer, 0);
            typed[slot] = receive;
            tasks[slot] = task;
        }
        return code;
    }

    private RuntimeException notRunning() {
        node.checkOpen();
        if (!wasRunning) {
            return new IllegalStateException(this + " is not running yet: progress its engine and that of its connection");
        }
        return new ConnectionClosedException("doca_task_submit", "posting to " + this, connection().state());
    }

    private DocaException refused(int code, String function, Buffer buffer) {
        DocaError error = DocaError.of(code);
        if (ConnectionClosedException.isMeantBy(error)) {
            return new ConnectionClosedException(function, "posting " + buffer + " to " + this, connection().state());
        }
        return new DocaException(code, function, "posting " + buffer + " to " + this + connection().hintAbout(memory));
    }

    @Override
    void completed(CompletionRing ring, int index) {
        for (long entry = ring.next(index); entry != 0; entry = ring.next(index)) {
            long what = CompletionRing.what(entry);
            completed((int) what, (int) (what >> 48), entry);
        }
    }

    @Override
    void completed(int slot, int code, long entry) {
        Buffer buffer = buffers[slot];
        if (code == Calls.SUCCESS && !node.isEnding()) {
            deliver(slot, buffer, entry);
        } else {
            failed.increment();
            DocaError status = code == Calls.SUCCESS ? FLUSHED : DocaError.of(code);
            CORE.arrive(buffer);
            giveBack(slot);
            if (node.state() == Context.RUNNING && !node.isEnding()) { // else: flushed, because this or the connection ends
                Events.taskFailed("receive", this, status.name());
            }
            if (onFailure != null) {
                onFailure.onReceiveFailed(this, buffer, status);
            } else if (node.state() == Context.RUNNING && !node.isEnding() && !ConnectionClosedException.isMeantBy(status)) {
                throw new DocaException(status, "doca_task_submit", "receiving with " + this);
            }
        }
    }

    /** With an entry, all about the receive is in it; otherwise DOCA is asked. */
    private void deliver(int slot, Buffer buffer, long entry) {
        int producer;
        long before = CORE.dataLength(buffer);
        long dataLength;
        MemorySegment bytes;
        if (entry != 0) {
            dataLength = Lane.dataLength(entry);
            CORE.arrive(buffer, dataLength);
            long origin = Lane.producer(entry);
            producer = (int) origin;
            int length = (int) (origin >>> 32);
            bytes = length == 0 ? Scratch.NOTHING : scratch.lend(Lane.immediate(entry), length);
        } else {
            int code = BufferCalls.getDataLength(CORE.address(buffer), scratch.resultAddress());
            dataLength = code == Calls.SUCCESS ? scratch.result() : 0;
            CORE.arrive(buffer, dataLength);
            long receive = typed[slot];
            producer = ConsumerCalls.producer(receive);
            long immediate = ConsumerCalls.immediate(receive);
            bytes = scratch.lend(immediate, immediate == 0 ? 0 : ConsumerCalls.immediateLength(receive));
        }
        received.increment();
        receivedBytes.add(dataLength - before);
        keep = !repost;
        inHandler = true;
        try {
            onReceive.onReceive(this, buffer, producer, bytes);
        } finally {
            inHandler = false;
            scratch.takeBack();
            handled(slot, buffer);
        }
    }

    /** The receive handler has returned. */
    private void handled(int slot, Buffer buffer) {
        if (keep || node.state() != Context.RUNNING) {
            giveBack(slot);
        } else if (CORE.departEmpty(buffer)) {
            int code = lane.submitEmpty(slot, CORE.address(buffer), free.length - freeCount);
            if (code != Calls.SUCCESS) {
                CORE.arrive(buffer);
                giveBack(slot);
                if (!ConnectionClosedException.isMeantBy(DocaError.of(code))) {
                    throw refused(code, "doca_task_submit", buffer);
                }
            }
        } else if (buffer.isClosed() || buffer.isInFlight()) {
            giveBack(slot);
        } else {
            repost(slot, buffer);
        }
    }

    private void repost(int slot, Buffer buffer) {
        boolean posted = false;
        try {
            post(slot, buffer.clear(), false);
            posted = true;
        } catch (ConnectionClosedException e) {
            return; // as above
        } finally {
            if (!posted) {
                giveBack(slot);
            }
        }
    }

    /**
     * In the receive handler: the buffer is not posted again when the handler returns, but the program's, until it posts or closes it.
     *
     * @throws IllegalStateException outside the receive handler
     */
    public void keep() {
        progress.checkOwner();
        if (!inHandler) {
            throw new IllegalStateException("keep() is for the receive handler");
        }
        keep = true;
    }

    /**
     * Takes an empty buffer of the consumer's own inventory, on its memory ({@code doca_buf_inventory_buf_get_by_args}). It is closed with the consumer, or before.
     *
     * @param offset where the window begins in the memory, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the memory
     * @throws IllegalStateException if the consumer or memory is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} when all buffers are out: there are twice as many as tasks
     */
    public Buffer acquire(long offset, long length) {
        return inventory(2 * free.length).acquireEmpty(memory, offset, length);
    }

    /**
     * What it receives into. Any thread may ask.
     *
     * @return the memory
     */
    public MemoryMap memory() {
        return memory;
    }

    /**
     * The most immediate data that a send to it can have ({@code doca_comch_consumer_get_imm_data_len}). Any thread may ask.
     *
     * @return bytes
     */
    public int immediateLength() {
        return immediateLength;
    }

    /**
     * How many buffers are posted. Any thread may ask.
     *
     * @return posted, and not received into
     */
    public int posted() {
        return busy();
    }

    /**
     * How many buffers have been received into. Any thread may ask.
     *
     * @return since it was started
     */
    public long received() {
        return received.get();
    }

    /**
     * How long the data were together that were received, without immediate data. Any thread may ask.
     *
     * @return bytes
     */
    public long receivedBytes() {
        return receivedBytes.get();
    }

    private void postFirstBuffers() {
        try {
            for (int i = 0; i < firstBuffers; i++) {
                tryPost(acquire(i * firstBufferSize, firstBufferSize));
            }
        } catch (ConnectionClosedException e) {
            return; // told by the next change of state: no fault of who makes progress
        }
    }

    @Override
    void stateChanged(int previous, int next) {
        if (next == Context.RUNNING) {
            wasRunning = true;
            postFirstBuffers();
        }
    }

    /** A posted buffer comes back when something is received, perhaps never, or when the consumer ends. */
    @Override
    boolean giveBack(BooleanSupplier done, Teardown teardown) {
        return node.closeNow(teardown) && done.getAsBoolean();
    }

    /** Settings of a consumer. Not thread safe; can be used once. */
    public static final class Builder extends ComchFastPath.Builder<Builder> {
        private final MemoryMap memory;
        private int immediateLength = -1;
        private int firstBuffers;
        private long firstBufferSize;
        private boolean repost = true;
        private ReceiveHandler onReceive = (consumer, buffer, producerId, immediate) -> { };
        private ReceiveFailureHandler onFailure;

        Builder(ComchConnection connection, ProgressEngine engine, MemoryMap memory) {
            super(connection, engine);
            this.memory = Objects.requireNonNull(memory, "memory");
        }

        /**
         * Called for each send of the other side; without it data are discarded.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onReceive(ReceiveHandler handler) {
            onReceive = Objects.requireNonNull(handler);
            return this;
        }

        /**
         * Called for each posted buffer that comes back without data, also when the consumer ends, and for what arrives while it is being closed. Without it
         * {@code progress()} throws unless the consumer or its connection ends.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onReceiveFailed(ReceiveFailureHandler handler) {
            onFailure = Objects.requireNonNull(handler);
            return this;
        }

        /**
         * Divides the beginning of the memory into buffers and posts them as soon as the consumer runs. Default: none, the program posts its own.
         *
         * @param count how many, at least 1
         * @param size bytes of each, at least 1
         * @return this
         * @throws IllegalArgumentException if they do not fit into the memory
         */
        public Builder buffers(int count, long size) {
            if (count < 1 || size < 1 || count > memory.size() / size) {
                throw new IllegalArgumentException(count + " buffers of " + size + " bytes do not fit into " + memory);
            }
            firstBuffers = count;
            firstBufferSize = size;
            return this;
        }

        /**
         * The most immediate data that a send to it can have ({@code doca_comch_consumer_set_imm_data_len}). Default: DOCA's.
         *
         * @param bytes 0 to {@link ComchCapabilities.Consumer#maxImmediateLength()}
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder immediateLength(int bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("immediateLength " + bytes + " is negative");
            }
            immediateLength = bytes;
            return this;
        }

        /**
         * Whether a buffer is posted again, empty, when the receive handler returns. Default: yes.
         *
         * @param automatic if false, each received buffer is the program's until it posts or closes it
         * @return this
         */
        public Builder repost(boolean automatic) {
            repost = automatic;
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Creates the consumer and begins to start it ({@code doca_comch_consumer_create}, {@code doca_ctx_start}); progress of its engine and of the connection's does
         * the rest. Allowed in callbacks.
         *
         * @return the consumer, usually still {@link ContextState#STARTING}
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine or memory is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for memory without {@link io.github.comch4j.core.Access#PCI_READ_WRITE}, or
         *         that is not mapped for the connection's device
         */
        public ComchConsumer start() {
            ComchConsumer consumer = new ComchConsumer(this);
            try {
                explained(this, () -> {
                    consumer.begin();
                    return consumer;
                });
            } catch (RuntimeException | Error e) {
                consumer.node.closeAfter(e);
                throw e;
            }
            return consumer;
        }

        /**
         * As {@link #start()}, and progresses its engine, and that of the connection if it belongs to this thread too, until the consumer runs. If another thread owns
         * the connection's engine, that thread must progress it.
         *
         * @param timeout how long to wait
         * @return the consumer, running
         * @throws IllegalStateException also inside a callback of the engine, and if the thread is {@linkplain ProgressEngine interrupted}
         * @throws DocaException also {@link DocaError#TIME_OUT}, and {@link DocaError#NOT_CONNECTED} if the connection ended meanwhile
         */
        public ComchConsumer start(Duration timeout) {
            if (CORE.engine(engine).isInCallbacks() || connection.controlEngine().isMine() && connection.controlEngine().isInCallbacks()) {
                throw new IllegalStateException("waiting for a consumer inside a callback: use start()");
            }
            ComchConsumer consumer = start();
            try {
                if (!consumer.node.awaitStarted(Nanos.deadline(timeout))) {
                    throw new DocaException(DocaError.TIME_OUT, "doca_ctx_start", "starting " + consumer + " for " + timeout);
                }
                if (!consumer.isRunning()) {
                    throw new DocaException(DocaError.NOT_CONNECTED, "doca_ctx_start", "starting " + consumer);
                }
            } catch (RuntimeException | Error e) {
                consumer.node.closeAfter(e);
                throw e;
            }
            return consumer;
        }
    }
}
