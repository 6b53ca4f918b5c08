package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.Scratch;
import java.lang.foreign.MemorySegment;

/** The post-receive tasks of a consumer: what runs for each receive that is posted, and for each that has ended. */
final class ReceiveTasks extends IncomingTasks {
    /**
     * The status of what was received and is not delivered any more: that of the buffers which come back because the
     * consumer ends.
     */
    private static final DocaError FLUSHED = DocaError.IO_FAILED;

    private final ComchConsumer consumer;
    private final boolean repost;
    private final ReceiveHandler onReceive;
    private final ReceiveFailureHandler onFailure;
    private boolean wasRunning;
    private boolean inHandler;
    private boolean keep; // the receive of the handler that runs is not posted again

    ReceiveTasks(
            ComchConsumer consumer, Context context, int count, int immediateLength, ComchConsumer.Builder settings) {
        super(context, count, immediateLength);
        this.consumer = consumer;
        this.repost = settings.repost;
        ReceiveHandler handler = settings.onReceive;
        this.onReceive = handler != null ? handler : (receiver, buffer, producerId, immediate) -> {};
        this.onFailure = settings.onFailure;
    }

    /** The consumer runs. */
    void begin() {
        wasRunning = true;
    }

    /**
     * Posts a receive, if there is a task for it.
     *
     * @param buffer on the consumer's memory, not in flight; null for a receive of immediate data alone
     */
    SubmitResult post(Buffer buffer) {
        if (!context.isRunning()) {
            throw notRunning();
        }
        if (freeCount == 0) {
            return SubmitResult.NO_TASK;
        }
        int slot = free[--freeCount];
        try {
            post(slot, buffer == null ? null : CoreObjects.of(buffer), true);
        } catch (RuntimeException | Error e) {
            free[freeCount++] = slot;
            throw e;
        }
        return SubmitResult.ACCEPTED;
    }

    /** Posts with a slot that is not on the free list; unless {@code now}, the next progress may submit it. */
    private void post(int slot, BufferState buffer, boolean now) {
        if (buffer != null) {
            buffer.beginTask(context);
        }
        String function = TaskCalls.SUBMIT_NAME;
        int code = DocaError.UNKNOWN.code();
        try {
            long address = buffer == null ? 0 : buffer.address();
            if (typed[slot] == 0) {
                function = ConsumerCalls.get().allocateFunction();
                code = allocate(slot, address);
            } else {
                queue.prepare(slot, address, 0);
                code = Calls.SUCCESS;
            }
            if (code == Calls.SUCCESS && buffer != null && buffer.hasMoved()) {
                function = BufferCalls.SET_DATA_NAME;
                code = queue.moveData(slot, address, buffer.dataAddress(), buffer.length());
                buffer.clearMoved();
            }
            if (code == Calls.SUCCESS) {
                function = TaskCalls.SUBMIT_NAME;
                if (buffers[slot] != buffer) { // a store of a reference costs more than the look
                    buffers[slot] = buffer; // before the submit: a completion may come at any time after
                }
                code = now ? queue.submit(slot) : queue.submitSoon(slot, free.length - freeCount);
            }
        } finally {
            if (code != Calls.SUCCESS && buffer != null) {
                buffer.endTask();
            }
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, function, buffer);
        }
    }

    private int allocate(int slot, long buffer) {
        int code = ConsumerCalls.allocate(context.address(), buffer, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            allocated(slot, ConsumerCalls.asTask(staging.result()), buffer, 0);
        }
        return code;
    }

    private RuntimeException notRunning() {
        context.checkUsable();
        if (!wasRunning) {
            return new IllegalStateException(
                    consumer + " is not running yet: progress its engine and that of its connection");
        }
        return new ConnectionClosedException(TaskCalls.SUBMIT_NAME, "posting to " + consumer, consumer.connection());
    }

    private DocaException refused(int code, String function, BufferState buffer) {
        DocaError error = DocaError.of(code);
        String doing =
                "posting " + (buffer == null ? "a receive without a buffer" : buffer.buffer()) + " to " + consumer;
        if (ConnectionClosedException.isMeantBy(error)) {
            return new ConnectionClosedException(function, doing, consumer.connection());
        }
        return Failures.refused(
                code,
                function,
                doing + (buffer == null ? "" : consumer.connection().hintAbout(consumer.memory())));
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        do {
            int slot = ring.slot();
            int code = ring.status();
            if (code != Calls.SUCCESS || context.isEnding()) {
                failed(slot, code);
                continue;
            }
            long origin = ring.origin();
            int length = (int) (origin >>> 32);
            MemorySegment immediate = length == 0 ? Scratch.NOTHING : scratch.lend(ring.immediate(), length);
            deliver(slot, ring.dataLength(), (int) origin, immediate);
        } while (ring.next(index));
    }

    @Override
    public void slotEnded(int slot, int code) {
        if (code != Calls.SUCCESS || context.isEnding()) {
            failed(slot, code);
            return;
        }
        long result = staging.resultAddress();
        BufferState buffer = buffers[slot];
        long dataLength = buffer != null && BufferCalls.getDataLength(buffer.address(), result) == Calls.SUCCESS
                ? staging.result()
                : 0;
        long receive = typed[slot];
        long immediate = ConsumerCalls.immediate(receive);
        int length = immediate == 0 ? 0 : ConsumerCalls.immediateLength(receive);
        deliver(slot, dataLength, ConsumerCalls.producer(receive), scratch.lend(immediate, length));
    }

    private void failed(int slot, int code) {
        failed.increment();
        BufferState buffer = buffers[slot];
        DocaError status = code == Calls.SUCCESS ? FLUSHED : DocaError.of(code);
        if (buffer != null) {
            buffer.endTask();
            buffer.keep(false);
        }
        release(slot);
        if (context.isRunning() && !context.isEnding()) { // else: flushed, because this or the connection ends
            Events.taskFailed("receive", consumer, status.name());
        }
        if (onFailure != null) {
            onFailure.onReceiveFailed(consumer, buffer(buffer), status);
        } else if (context.isRunning() && !context.isEnding() && !ConnectionClosedException.isMeantBy(status)) {
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "receiving with " + consumer);
        }
    }

    private void deliver(int slot, long dataLength, int producer, MemorySegment immediate) {
        BufferState buffer = buffers[slot];
        received.increment();
        if (buffer != null) {
            long before = buffer.length();
            buffer.endTask(dataLength);
            receivedBytes.add(dataLength - before);
        }
        keep = !repost;
        inHandler = true;
        try {
            onReceive.onReceive(consumer, buffer(buffer), producer, immediate);
        } finally {
            inHandler = false;
            scratch.takeBack();
            handled(slot, buffer);
        }
    }

    /** The receive handler has returned. */
    private void handled(int slot, BufferState buffer) {
        if (keep || !context.isRunning()) {
            if (buffer != null) {
                buffer.keep(keep);
            }
            release(slot);
        } else if (buffer == null) {
            checkPosted(slot, null, queue.submitSoon(slot, free.length - freeCount));
        } else if (buffer.beginEmptyTask()) {
            checkPosted(slot, buffer, queue.submitEmpty(slot, free.length - freeCount));
        } else if (buffer.isClosed() || buffer.inFlight() > 0) {
            release(slot);
        } else {
            repost(slot, buffer);
        }
    }

    /** Acts on DOCA's answer to a receive that was posted again with nothing changed. */
    private void checkPosted(int slot, BufferState buffer, int code) {
        if (code != Calls.SUCCESS) {
            if (buffer != null) {
                buffer.endTask();
            }
            release(slot);
            if (!ConnectionClosedException.isMeantBy(DocaError.of(code))) {
                throw refused(code, TaskCalls.SUBMIT_NAME, buffer);
            }
        }
    }

    private void repost(int slot, BufferState buffer) {
        boolean posted = false;
        try {
            buffer.moveData(0, 0);
            post(slot, buffer, false);
            posted = true;
        } catch (ConnectionClosedException e) {
            return; // the connection ends, which the consumer's next change of state reports
        } finally {
            if (!posted) {
                release(slot);
            }
        }
    }

    /** The receive of the handler that runs is not posted again. */
    void keep() {
        engine.checkOwner();
        if (!inHandler) {
            throw new IllegalStateException("keep() is for the receive handler");
        }
        keep = true;
    }
}
