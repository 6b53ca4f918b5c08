package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferListState;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.ProgressWaiter;
import io.github.comch4j.internal.observe.BackPressure;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.TaskKind;
import org.jspecify.annotations.Nullable;

/** Tasks that the program submits, sends or copies: what is counted of them, and who waits for a free one. */
public abstract class SubmitTasks extends TaskSlots implements ProgressWaiter {
    /** Those for which there was no room. */
    public final BackPressure backPressure = new BackPressure();
    /** Those that have succeeded. */
    public final Counter done = new Counter();
    /** The data of those, without immediate data. */
    public final Counter doneBytes = new Counter();

    /** Of one send or copy. */
    protected final SendLimits limits;

    private final TaskKind kind;
    private final @Nullable Runnable onWritable;
    private @Nullable ImmediatePlaces places; // made when there are immediate data for the first time
    private boolean refused; // since the program was last told of room
    private boolean awaitsWritable; // the engine asks
    private boolean failureTold; // since one last succeeded
    private long retries; // when it is closed
    private boolean closed;

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param onWritable tells the program of room after a refusal; null: nobody asks
     */
    protected SubmitTasks(
            TransferContext context, TaskKind kind, int count, SendLimits limits, @Nullable Runnable onWritable) {
        super(context, kind, count, 0);
        this.kind = kind;
        this.limits = limits;
        this.onWritable = onWritable;
    }

    /** What is done with a task, for messages. */
    protected final String doing() {
        return (kind == TaskKind.COPY ? "copying with " : "sending with ") + context.name();
    }

    /** Where the immediate data of the slots' sends are put. */
    protected final ImmediatePlaces places() {
        if (places == null) {
            places = new ImmediatePlaces(count(), limits.immediate());
        }
        return places;
    }

    /**
     * Makes the slot's task a send of this buffer and immediate data; returns the answer of DOCA's allocation.
     *
     * @param immediate in the slot's place, or 0
     */
    protected final int prepareSend(int slot, long buffer, int consumerId, long immediate, int length) {
        if (queue.typed(slot) != 0) {
            queue.prepareSend(slot, buffer, consumerId, immediate, length);
            return Calls.SUCCESS;
        }
        int code = ProducerCalls.allocate(
                context.address(), buffer, immediate, length, consumerId, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            long send = staging.result();
            queue.allocatedSend(slot, send, ProducerCalls.asTask(send), buffer, consumerId, length > 0);
        }
        return code;
    }

    /** Before a task of a buffer that another context had last, or none: looks whether DOCA may use its memory. */
    final void checkNew(BufferState buffer) {
        if (buffer.holder() != context) {
            checkMemory(buffer); // which does not change
        }
    }

    /** As {@link #checkNew(BufferState)}, of all buffers of a list. */
    final void checkNew(BufferListState list) {
        for (int i = 0; i < list.size(); i++) {
            checkNew(list.get(i));
        }
    }

    /** Fails if DOCA may not use the buffer's memory, which it does not check itself. */
    void checkMemory(BufferState buffer) {}

    /** Fails for a list without buffers, or with more than the device takes. */
    final void checkSize(BufferListState list) {
        if (list.size() == 0) {
            throw new IllegalArgumentException("a list without buffers cannot be submitted");
        }
        if (list.size() > limits.buffers()) {
            throw new IllegalArgumentException(
                    "a list of " + list.size() + " buffers; " + limits.device() + " takes at most " + limits.buffers());
        }
    }

    /** Fails for more bytes of data than the device takes. */
    final void checkLength(long length) {
        if (length > limits.data()) {
            throw Failures.refused(
                    DocaError.INVALID_VALUE,
                    TaskCalls.SUBMIT_NAME,
                    doing() + ": " + length + " bytes of data; " + limits.device() + " takes at most " + limits.data());
        }
    }

    /** Counts a refusal, and has the program told when it is over, if it wants to be. */
    protected final SubmitResult refuse(SubmitResult why) {
        if (onWritable != null) {
            refused = true;
            awaitWritable();
        }
        return backPressure.refuse(context, why);
    }

    /** Has {@link #afterProgress} called after each progress. */
    protected final void awaitWritable() {
        if (!awaitsWritable) {
            awaitsWritable = true;
            engine.awaitProgress(this);
        }
    }

    @Override
    public final boolean afterProgress() {
        boolean waits = serveWaiting();
        if (!context.isRunning() || context.isEnding()) {
            refused = false;
        } else if (refused && freeCount > 0) {
            refused = false;
            onWritable.run();
        }
        awaitsWritable = refused || waits;
        return awaitsWritable;
    }

    /** Before the program is told of room: submits what waits for a free task. Returns whether anything still waits. */
    protected boolean serveWaiting() {
        return false;
    }

    /** Submits or queues the task of the slot that is on top of the free ones; returns DOCA's answer. */
    protected final int handOver(int slot, boolean now) {
        freeCount--;
        int code = Calls.SUCCESS;
        if (now) {
            code = queue.submit(slot);
        } else {
            queue.enqueue(slot);
        }
        if (code == Calls.SUCCESS) {
            backPressure.relieve();
        } else {
            freeCount++;
        }
        return code;
    }

    /** So many have succeeded, with so many bytes together. */
    protected final void succeeded(int number, long bytes) {
        done.add(number);
        doneBytes.add(bytes);
        failureTold = false;
    }

    /** One has failed. */
    protected final void countFailure(DocaError status) {
        failed.increment();
        if (!context.isEnding()) {
            Events.taskFailed(kind == TaskKind.COPY ? "copy" : "send", context, status.name());
        }
    }

    /** The program has not asked to be told of failures: throws for the first of a row. */
    protected final void throwFailure(DocaError status, String hint) {
        if (!failureTold && !context.isEnding()) {
            failureTold = true; // once: when a peer dies, everything in flight fails
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, doing() + hint);
        }
    }

    /** How many submits out of the queue DOCA has answered with AGAIN. */
    public final long retries() {
        return closed ? retries : queue.retries();
    }

    @Override
    public void close() {
        retries = queue.retries();
        closed = true;
        super.close();
        backPressure.close();
    }
}
