package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.Calls;
import io.github.comch4j.internal.CompletionRing;
import io.github.comch4j.internal.Context;
import io.github.comch4j.internal.Counter;
import io.github.comch4j.internal.Events;
import io.github.comch4j.internal.FastPathCalls;
import io.github.comch4j.internal.NativeLibrary;
import io.github.comch4j.internal.ProducerCalls;
import io.github.comch4j.internal.Scratch;
import io.github.comch4j.internal.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Sends on the fast path ({@code doca_comch_producer}): copies buffers of this side straight into buffers that consumers of the other side have posted.
 *
 * <p>Sends of one producer to one consumer arrive in order. A send that was accepted needs no progress of the other side to complete.
 *
 * <p>Tasks are allocated at their first use and used again: sending allocates nothing. All methods belong to the thread that owns the
 * producer's engine, which need not be that of the connection.
 */
public final class ComchProducer extends ComchFastPath {
    private static final int SPARE_BUFFERS = 1024;

    private final int bufferCount;
    private final SendCompletionHandler onCompletion;
    private final boolean releaseSent;
    // by slot: what DOCA was told, to tell it changes only
    private final boolean[] taskImmediates;
    private final int[] plainTo; // the consumer of a task that has a buffer and no immediate data, or 0
    private final Counter sent = new Counter();
    private final Counter sentBytes = new Counter();
    private boolean failureTold;

    private ComchProducer(Builder settings) {
        super(settings, FastPathCalls.PRODUCER, "producer", settings.tasks, create(settings), settings.connection.resource());
        this.onCompletion = settings.onCompletion;
        this.releaseSent = settings.releaseSent;
        this.bufferCount = settings.buffers > 0 ? settings.buffers : settings.tasks + SPARE_BUFFERS;
        this.taskImmediates = new boolean[settings.tasks];
        this.plainTo = new int[settings.tasks];
        this.scratch = new Scratch(0, IMMEDIATE_LIMIT);
    }

    private static MemorySegment create(Builder settings) {
        CORE.engine(settings.engine).checkOwner();
        return settings.connection.create("doca_comch_producer_create", "a producer", "", doca_h::doca_comch_producer_create);
    }

    /** Room for immediate data, which DOCA limits itself (32 bytes at the time of writing). */
    private static final int IMMEDIATE_LIMIT = 4096;

    /**
     * Sends the buffer's data to a consumer if there is room ({@code doca_task_submit}). Never waits. Until the completion the buffer is in flight; it may be sent
     * several times at once by one producer.
     *
     * @param buffer what to send: its data, at most what the consumer's next posted buffer has room for; no data use up a posted buffer all the same
     * @param consumerId a consumer of the other side, see {@link RemoteConsumerHandler}
     * @return false if all tasks of this producer are in flight, or the consumer has no buffer posted: progress, then try again
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer, buffer or its memory is closed, or the buffer is in flight elsewhere
     * @throws DocaException if DOCA refuses; {@link DocaError#INVALID_VALUE} for a consumer that does not exist (any more), data that do not fit, or
     *         memory that is not mapped for the connection's device
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean trySend(Buffer buffer, int consumerId) {
        return submit(Objects.requireNonNull(buffer), consumerId, null, true);
    }

    /**
     * As {@link #trySend(Buffer, int)}, with immediate data: a few bytes that reach the receive handler beside the buffer.
     *
     * @param buffer what to send
     * @param consumerId a consumer of the other side
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return false if all tasks of this producer are in flight, or the consumer has no buffer posted: progress, then try again
     */
    public boolean trySend(Buffer buffer, int consumerId, MemorySegment immediate) {
        return submit(Objects.requireNonNull(buffer), consumerId, checkImmediate(immediate), true);
    }

    /**
     * As {@link #trySend(Buffer, int)}, of immediate data alone; uses up a posted buffer of the consumer all the same.
     *
     * @param consumerId a consumer of the other side
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return false if all tasks of this producer are in flight, or the consumer has no buffer posted: progress, then try again
     */
    public boolean trySendImmediate(int consumerId, MemorySegment immediate) {
        return submit(null, consumerId, checkImmediate(immediate), true);
    }

    /**
     * Queues a send, which costs a fraction of {@link #trySend(Buffer, int)} when there are many: the queue is submitted by one native call as soon as 32 sends
     * are in it, by {@link #flush()}, or by the engine's next {@code progress()}, whichever comes first. The buffer is in flight from now on.
     *
     * <p>Sends of one producer, queued or not, go out in the order of these calls. While the consumer of the first one in the queue has no buffer posted, all
     * wait, and are tried again with each {@code progress()}. A send that DOCA refuses when its turn comes ends as one that failed
     * ({@link SendCompletionHandler}), and so does one that still waits when the producer ends.
     *
     * @param buffer what to send: its data
     * @param consumerId a consumer of the other side
     * @return false if all tasks of this producer are queued or in flight: progress, then try again
     * @throws ConnectionClosedException if the connection has ended
     * @throws IllegalStateException if the producer, buffer or its memory is closed, or the buffer is in flight elsewhere
     * @throws DocaException if DOCA refuses at once
     * @throws WrongThreadException if another thread owns the engine
     */
    public boolean offer(Buffer buffer, int consumerId) {
        return submit(Objects.requireNonNull(buffer), consumerId, null, false);
    }

    /**
     * As {@link #offer(Buffer, int)}, with immediate data.
     *
     * @param buffer what to send
     * @param consumerId a consumer of the other side
     * @param immediate at least 1 byte, at most what the consumer is configured for; copied before it returns
     * @return false if all tasks of this producer are queued or in flight: progress, then try again
     */
    public boolean offer(Buffer buffer, int consumerId, MemorySegment immediate) {
        return submit(Objects.requireNonNull(buffer), consumerId, checkImmediate(immediate), false);
    }

    /**
     * Submits what {@link #offer} has queued ({@code doca_task_submit}), as far as consumers have buffers posted. Never waits.
     *
     * @return whether nothing is queued any more
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the producer is closed
     */
    public boolean flush() {
        progress.checkOwner();
        node.checkOpen();
        return lane.flush() == 0;
    }

    private static MemorySegment checkImmediate(MemorySegment immediate) {
        long length = immediate.byteSize();
        if (length < 1 || length > IMMEDIATE_LIMIT) {
            throw new IllegalArgumentException("immediate data of " + length + " bytes");
        }
        return immediate;
    }

    private boolean submit(Buffer buffer, int consumerId, MemorySegment immediate, boolean now) {
        progress.checkOwner();
        if (node.state() != Context.RUNNING) {
            throw notRunning();
        }
        if (freeCount == 0) {
            return backPressure.refuse(this, true);
        }
        if (buffer != null) {
            CORE.depart(buffer, node);
        }
        int slot = free[freeCount - 1];
        if (buffer == null || buffers[slot] != buffer || plainTo[slot] != consumerId || consumerId == 0 || immediate != null || CORE.hasMoved(buffer)) {
            prepare(slot, buffer, consumerId, immediate);
        }
        freeCount--;
        if (!now) {
            lane.enqueue(slot);
            backPressure.relieve();
            return true;
        }
        int code = lane.submit(slot);
        if (code == Calls.SUCCESS) {
            backPressure.relieve();
            return true;
        }
        freeCount++;
        if (buffer != null) {
            CORE.arrive(buffer);
        }
        if (code == DocaError.AGAIN.code()) {
            return backPressure.refuse(this, false);
        }
        throw refused(code, "doca_task_submit", buffer, consumerId, immediate);
    }

    /** Makes the slot's task one for this send. */
    private void prepare(int slot, Buffer buffer, int consumerId, MemorySegment immediate) {
        int code = DocaError.UNKNOWN.code();
        String function = "doca_comch_producer_task_send_alloc_init";
        try {
            long address = buffer == null ? 0 : CORE.address(buffer);
            plainTo[slot] = 0;
            if (typed[slot] == 0) {
                code = allocate(slot, address, consumerId, immediate);
            } else {
                update(slot, address, consumerId, immediate);
                code = Calls.SUCCESS;
            }
            if (code == Calls.SUCCESS && buffer != null && CORE.hasMoved(buffer)) {
                function = "doca_buf_set_data";
                code = lane.moveData(slot, address, CORE.dataAddress(buffer), CORE.dataLength(buffer));
            }
        } finally {
            if (code != Calls.SUCCESS && buffer != null) {
                CORE.arrive(buffer);
            }
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, function, buffer, consumerId, immediate);
        }
        if (buffer != null) {
            CORE.moveTold(buffer);
        }
        buffers[slot] = buffer; // before the submit: a completion may come at any time after
        plainTo[slot] = buffer == null || immediate != null ? 0 : consumerId;
    }

    private int allocate(int slot, long buffer, int consumerId, MemorySegment immediate) {
        long bytes = 0;
        int length = 0;
        if (immediate != null) {
            bytes = scratch.stageCopy(immediate);
            length = (int) immediate.byteSize();
        }
        int code = ProducerCalls.allocate(node.address(), buffer, bytes, length, consumerId, scratch.resultAddress());
        if (code == Calls.SUCCESS) {
            long send = scratch.result();
            long task = ProducerCalls.asTask(send);
            lane.adopt(slot, send, task, buffer, consumerId);
            typed[slot] = send;
            tasks[slot] = task;
            taskImmediates[slot] = immediate != null;
        }
        return code;
    }

    private void update(int slot, long buffer, int consumerId, MemorySegment immediate) {
        lane.prepare(slot, buffer, consumerId);
        if (immediate != null) {
            ProducerCalls.setImmediate(typed[slot], scratch.stageCopy(immediate), (int) immediate.byteSize());
            taskImmediates[slot] = true;
        } else if (taskImmediates[slot]) {
            ProducerCalls.setImmediate(typed[slot], 0, 0);
            taskImmediates[slot] = false;
        }
    }

    private RuntimeException notRunning() {
        node.checkOpen();
        return new ConnectionClosedException("doca_task_submit", "sending with " + this, connection().state());
    }

    private DocaException refused(int code, String function, Buffer buffer, int consumerId, MemorySegment immediate) {
        DocaError error = DocaError.of(code);
        if (ConnectionClosedException.isMeantBy(error)) {
            return new ConnectionClosedException(function, "sending with " + this, connection().state());
        }
        String what = (buffer == null ? "" : CORE.dataLength(buffer) + " bytes" + (immediate == null ? "" : " and "))
                + (immediate == null ? "" : immediate.byteSize() + " bytes of immediate data");
        return new DocaException(code, function, "sending " + what + " to consumer " + consumerId + " with " + this
                + (error == DocaError.INVALID_VALUE ? whyInvalid(function, buffer, immediate) : ""));
    }

    private String hintAbout(Buffer buffer) {
        return buffer == null ? "" : connection().hintAbout(buffer.memory());
    }

    private String whyInvalid(String function, Buffer buffer, MemorySegment immediate) {
        String memory = hintAbout(buffer);
        if (!memory.isEmpty()) {
            return memory;
        }
        ComchEndpoint endpoint = connection().endpoint();
        long most = immediate == null ? 0 : ComchCapabilities.of(endpoint.device()).consumer().map(ComchCapabilities.Consumer::maxImmediateLength).orElse(0L);
        if (immediate != null && immediate.byteSize() > most && most > 0) {
            return ": " + immediate.byteSize() + " bytes of immediate data, where " + endpoint.device() + " takes at most " + most;
        }
        String told = function.equals("doca_task_submit") ? NativeLibrary.lastError() : "";
        return ": " + (told.isEmpty() ? "more than that consumer's next posted buffer or its immediateLength() takes, or no such consumer (any more)" : told);
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
        boolean success = code == Calls.SUCCESS;
        DocaError status = success ? DocaError.SUCCESS : DocaError.of(code);
        if (buffer != null) {
            CORE.arrive(buffer);
        }
        giveBack(slot);
        if (success) {
            sent.increment();
            if (buffer != null) {
                sentBytes.add(CORE.dataLength(buffer));
            }
            failureTold = false;
        } else {
            failed.increment();
            if (!node.isEnding()) {
                Events.taskFailed("send", this, status.name());
            }
        }
        if (releaseSent && buffer != null) {
            completedAndReleased(buffer, status);
        } else if (onCompletion != null) {
            onCompletion.onCompletion(this, buffer, status);
        } else if (!success) {
            failed(status, buffer);
        }
    }

    /** Nobody has asked to be told. */
    private void failed(DocaError status, Buffer buffer) {
        if (!failureTold && !node.isEnding()) {
            failureTold = true; // once: when a peer dies, everything in flight fails
            throw new DocaException(status, "doca_task_submit", "sending with " + this + hintAbout(buffer));
        }
    }

    private void completedAndReleased(Buffer buffer, DocaError status) {
        try {
            if (onCompletion != null) {
                onCompletion.onCompletion(this, buffer, status);
            }
        } finally {
            CORE.giveBack(buffer);
        }
        if (onCompletion == null && status != DocaError.SUCCESS) {
            failed(status, buffer);
        }
    }

    /**
     * Takes a buffer of the producer's own inventory whose data are the whole window ({@code doca_buf_inventory_buf_get_by_args}). It is closed with the producer, or
     * before.
     *
     * @param memory the map
     * @param offset where the window begins in it, bytes
     * @param length how long the window is, bytes, at least 1
     * @return the buffer
     * @throws IndexOutOfBoundsException if the window is not within the map
     * @throws IllegalStateException if the producer or map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY} when all buffers are out, see {@link Builder#buffers}
     */
    public Buffer acquire(MemoryMap memory, long offset, long length) {
        return inventory(bufferCount).acquire(memory, offset, length);
    }

    /**
     * How many sends are in flight. Any thread may ask.
     *
     * @return submitted or queued, and not completed
     */
    public int inFlight() {
        return busy();
    }

    /**
     * How many sends have succeeded. Any thread may ask.
     *
     * @return since it was started
     */
    public long sent() {
        return sent.get();
    }

    /**
     * How long the data were together of the sends that have succeeded, without immediate data. Any thread may ask.
     *
     * @return bytes
     */
    public long sentBytes() {
        return sentBytes.get();
    }

    /**
     * How many times a send was not accepted because there was no room. Any thread may ask.
     *
     * @return since it was started; each attempt counts
     */
    public long refused() {
        return backPressure.refusals();
    }

    /**
     * How many times room ran out: episodes from a send that was not accepted to the next one that was. Any thread may ask.
     *
     * @return since it was started
     */
    public long backPressures() {
        return backPressure.episodes();
    }

    /**
     * How many times sends that {@link #offer} had accepted found the consumer without a posted buffer ({@link DocaError#AGAIN}) and had to wait in the queue.
     *
     * @return since it was started; each attempt counts
     */
    public long stalls() {
        progress.checkOwner();
        node.checkOpen();
        return lane.stalls();
    }

    /** What is queued may wait for ever. */
    @Override
    boolean giveBack(BooleanSupplier done, Teardown teardown) {
        lane.flush();
        lane.cancel();
        return node.awaitReturn(done, teardown);
    }

    /** Settings of a producer. Not thread safe; can be used once. */
    public static final class Builder extends ComchFastPath.Builder<Builder> {
        private int buffers;
        private SendCompletionHandler onCompletion;
        private boolean releaseSent;

        Builder(ComchConnection connection, ProgressEngine engine) {
            super(connection, engine);
        }

        /**
         * How many buffers can be out of the producer's own inventory at a time. Default: 1024 more than tasks.
         *
         * @param count at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder buffers(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("buffers " + count + " is less than 1");
            }
            buffers = count;
            return this;
        }

        /**
         * Called when a send has ended, well or not. Without it {@code progress()} throws for a send that failed, the first of a row only.
         *
         * @param handler the handler
         * @return this
         */
        public Builder onCompletion(SendCompletionHandler handler) {
            onCompletion = Objects.requireNonNull(handler);
            return this;
        }

        /**
         * Buffers are handed over with a send: when the last send in flight with one has ended, well or not, the producer closes it, after the completion handler. A
         * buffer of a {@link io.github.comch4j.core.BufferPool} is given back to the pool instead, which is faster. A buffer whose send was not accepted remains the program's.
         * Default: all remain the program's.
         *
         * @return this
         */
        public Builder releaseSent() {
            releaseSent = true;
            return this;
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Creates and starts the producer ({@code doca_comch_producer_create}, {@code doca_ctx_start}). Allowed in callbacks.
         *
         * @return the producer, running
         * @throws ConnectionClosedException if the connection has ended
         * @throws WrongThreadException if another thread owns the engine
         * @throws IllegalStateException if the engine is closed
         * @throws DocaException if DOCA refuses
         */
        public ComchProducer start() {
            ComchProducer producer = new ComchProducer(this);
            try {
                producer.begin();
            } catch (RuntimeException | Error e) {
                producer.node.closeAfter(e);
                throw e;
            }
            return producer;
        }
    }
}
