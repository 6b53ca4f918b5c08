package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.ReceivedMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives into buffers, or of immediate data alone: what runs for each receive that is posted, and for each that has
 * ended.
 */
public final class BufferReceiveTasks extends ReceiveTasks {
    /**
     * The status of what was received and is not delivered any more: that of the buffers which come back because the
     * consumer ends.
     */
    private static final DocaError FLUSHED = DocaError.IO_FAILED;

    private static final int UNKNOWN = DocaError.UNKNOWN.code();

    private final boolean repost;
    private final ReceivedHandler onReceive;
    private final @Nullable BiConsumer<@Nullable Buffer, DocaError> onFailure;
    private final BufferState[] buffers; // by slot: in flight, or what was last; null: none
    private String refusing = ""; // the function that the last submit has called last
    private boolean inHandler;
    private boolean keep; // the receive of the handler that runs is not posted again

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param repost whether receives are posted again when their handler has returned
     * @param onFailure told of each receive that has ended with nothing, and has it back; null: it is posted again and
     *     progress throws, unless this ends
     */
    public BufferReceiveTasks(
            TransferContext context,
            int count,
            int immediateLength,
            boolean repost,
            ReceivedHandler onReceive,
            @Nullable BiConsumer<@Nullable Buffer, DocaError> onFailure) {
        super(context, count, immediateLength);
        this.repost = repost;
        this.onReceive = onReceive;
        this.onFailure = onFailure;
        this.buffers = new BufferState[count];
    }

    /**
     * Posts a receive, if there is a task for it.
     *
     * @param buffer on the consumer's memory, not in flight; null for a receive of immediate data alone
     */
    public SubmitResult post(@Nullable BufferState buffer) {
        engine.checkOwner();
        if (!context.isRunning()) {
            throw context.notRunning("posting to " + context.name());
        }
        if (freeCount == 0) {
            return SubmitResult.NO_TASK;
        }
        int slot = free[--freeCount];
        int code = UNKNOWN;
        try {
            code = submit(slot, buffer, true);
        } finally {
            if (code != Calls.SUCCESS) {
                free[freeCount++] = slot;
            }
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, refusing, buffer);
        }
        return SubmitResult.ACCEPTED;
    }

    /**
     * Submits with a slot that is not on the free list; unless {@code now}, the next progress may do it. Returns DOCA's
     * answer.
     */
    private int submit(int slot, @Nullable BufferState buffer, boolean now) {
        if (buffer != null) {
            buffer.beginTask(context);
        }
        int code = UNKNOWN;
        try {
            long address = buffer == null ? 0 : buffer.address();
            if (queue.typed(slot) == 0) {
                refusing = ConsumerCalls.get().allocateFunction();
                code = allocate(slot, address);
            } else {
                queue.prepare(slot, address);
                code = Calls.SUCCESS;
            }
            if (code == Calls.SUCCESS && buffer != null && buffer.hasMoved()) {
                refusing = BufferCalls.SET_DATA_NAME;
                code = queue.moveData(slot, address, buffer.dataAddress(), buffer.length());
                buffer.clearMoved();
            }
            if (code == Calls.SUCCESS) {
                refusing = TaskCalls.SUBMIT_NAME;
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
        return code;
    }

    private int allocate(int slot, long buffer) {
        int code = ConsumerCalls.allocate(context.address(), buffer, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            allocated(slot, ConsumerCalls.asTask(staging.result()), buffer);
        }
        return code;
    }

    private RuntimeException refused(int code, String function, @Nullable BufferState buffer) {
        String doing = "posting " + (buffer == null ? "a receive without a buffer" : buffer.buffer()) + " to "
                + context.name();
        String hint = buffer == null ? "" : context.hintAbout(((Buffer) buffer.buffer()).memory());
        return context.refused(code, function, doing + hint);
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
            MemorySegment immediate = length == 0 ? ReceivedMemory.NOTHING : scratch.lend(ring.immediate(), length);
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
        long receive = queue.typed(slot);
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
        boolean lone = context.isRunning() && !context.isEnding(); // else: flushed, because this or the connection ends
        if (lone) {
            Events.taskFailed("receive", context, status.name());
        }
        if (lone && onFailure == null) {
            failedAlone(slot, buffer, status);
            return;
        }
        release(slot);
        if (onFailure != null) {
            onFailure.accept(publicBuffer(buffer), status);
        }
    }

    /** There is no handler to take the receive back: it is posted again, and progress throws. */
    private void failedAlone(int slot, @Nullable BufferState buffer, DocaError status) {
        RuntimeException failure = Failures.refused(status, TaskCalls.SUBMIT_NAME, "receiving with " + context.name());
        try {
            if (buffer != null && (buffer.isClosed() || buffer.inFlight() > 0)) {
                release(slot);
            } else {
                submitAgain(slot, buffer);
            }
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        throw failure;
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
            onReceive.received(publicBuffer(buffer), producer, immediate);
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
    private void checkPosted(int slot, @Nullable BufferState buffer, int code) {
        if (code != Calls.SUCCESS) {
            if (buffer != null) {
                buffer.endTask();
            }
            release(slot);
            checkRefusal(code, TaskCalls.SUBMIT_NAME, buffer);
        }
    }

    private void repost(int slot, BufferState buffer) {
        buffer.moveData(0, 0);
        submitAgain(slot, buffer);
    }

    private void submitAgain(int slot, @Nullable BufferState buffer) {
        int code = UNKNOWN;
        try {
            code = submit(slot, buffer, false);
        } finally {
            if (code != Calls.SUCCESS) {
                release(slot);
            }
        }
        if (code != Calls.SUCCESS) {
            checkRefusal(code, refusing, buffer);
        }
    }

    /** If the connection ends, the consumer's next change of state tells. */
    private void checkRefusal(int code, String function, @Nullable BufferState buffer) {
        if (!context.isEnd(DocaError.of(code))) {
            throw refused(code, function, buffer);
        }
    }

    private static @Nullable Buffer publicBuffer(@Nullable BufferState state) {
        return state == null ? null : (Buffer) state.buffer();
    }

    /** The receive of the handler that runs is not posted again. */
    public void keep() {
        engine.checkOwner();
        if (!inHandler) {
            throw new IllegalStateException("keep() can be called only inside the receive handler");
        }
        keep = true;
    }
}
