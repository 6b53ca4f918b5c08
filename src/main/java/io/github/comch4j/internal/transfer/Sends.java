package io.github.comch4j.internal.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.RoomWaiter;
import io.github.comch4j.internal.observe.BackPressure;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Events;
import org.jspecify.annotations.Nullable;

/** The send tasks of a producer of any kind: what is counted of them, and who waits for a free one. */
public abstract class Sends extends TaskSlots implements RoomWaiter {
    /** Those for which there was no room. */
    public final BackPressure backPressure = new BackPressure();
    /** Those that have succeeded. */
    public final Counter sent = new Counter();
    /** The data of those, without immediate data. */
    public final Counter sentBytes = new Counter();

    /** Of one send. */
    protected final SendLimits limits;

    private final @Nullable Runnable onRoom;
    private final boolean[] immediates; // by slot: whether its task has some, so that DOCA is told of changes only
    private @Nullable ImmediatePlaces places; // made when there are immediate data for the first time
    private boolean refused; // since the program was last told of room
    private boolean awaitsRoom; // the engine asks
    private boolean failureTold; // since a send last succeeded
    private long stalls; // when it is closed
    private boolean closed;

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param limits of one send
     * @param onRoom tells the program of room after a refusal; null: nobody asks
     */
    protected Sends(TransferContext context, int count, SendLimits limits, @Nullable Runnable onRoom) {
        super(context, false, count, 0);
        this.limits = limits;
        this.onRoom = onRoom;
        immediates = new boolean[count];
    }

    /** Where the immediate data of the slots' sends are put. */
    protected final ImmediatePlaces places() {
        if (places == null) {
            places = new ImmediatePlaces(count(), limits.immediate());
        }
        return places;
    }

    /**
     * Makes the slot's task one with this buffer, consumer and immediate data; returns the answer of DOCA's allocation.
     *
     * @param immediate in the slot's place, or 0
     */
    protected final int prepareTask(int slot, long buffer, int consumerId, long immediate, int length) {
        if (typed[slot] == 0) {
            int code = ProducerCalls.allocate(
                    context.address(), buffer, immediate, length, consumerId, staging.resultAddress());
            if (code != Calls.SUCCESS) {
                return code;
            }
            allocated(slot, ProducerCalls.asTask(staging.result()), buffer, consumerId);
        } else {
            queue.prepare(slot, buffer, consumerId);
            if (length > 0 || immediates[slot]) {
                queue.setImmediate(slot, immediate, length);
            }
        }
        immediates[slot] = length > 0;
        return Calls.SUCCESS;
    }

    /** What a send is called in messages. */
    protected final String sending() {
        return "sending with " + context.name();
    }

    /** Counts a refusal, and has the program told when it is over, if it wants to be. */
    protected final SubmitResult refuse(SubmitResult why) {
        if (onRoom != null) {
            refused = true;
            if (!awaitsRoom) {
                awaitsRoom = true;
                engine.awaitRoom(this);
            }
        }
        return backPressure.refuse(context, why);
    }

    @Override
    public final boolean serveRoom() {
        if (!context.isRunning() || context.isEnding()) {
            refused = false;
        } else if (refused && freeCount > 0) {
            refused = false;
            onRoom.run();
        }
        awaitsRoom = refused;
        return awaitsRoom;
    }

    /** So many sends have succeeded, with so many bytes together. */
    protected final void succeeded(int number, long bytes) {
        sent.add(number);
        sentBytes.add(bytes);
        failureTold = false;
    }

    /** A send has failed. */
    protected final void countFailure(DocaError status) {
        failed.increment();
        if (!context.isEnding()) {
            Events.taskFailed("send", context, status.name());
        }
    }

    /** The program has not asked to be told of failures: throws for the first of a row. */
    protected final void throwFailure(DocaError status, String hint) {
        if (!failureTold && !context.isEnding()) {
            failureTold = true; // once: when a peer dies, everything in flight fails
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, sending() + hint);
        }
    }

    /** How many submits out of the queue DOCA has answered with AGAIN. */
    public final long stalls() {
        return closed ? stalls : queue.stalls();
    }

    @Override
    public void close() {
        stalls = queue.stalls();
        closed = true;
        super.close();
        backPressure.close();
    }
}
