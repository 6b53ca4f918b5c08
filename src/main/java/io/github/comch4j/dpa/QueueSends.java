package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.RoomHandler;
import io.github.comch4j.comch.SubmitResult;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.RoomWaiter;
import io.github.comch4j.internal.observe.BackPressure;
import io.github.comch4j.internal.observe.Counter;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.CompletionRing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The send tasks of a queue's producer: what runs for each message that is sent. */
final class QueueSends extends QueueTasks implements RoomWaiter {
    private static final int AGAIN = DocaError.AGAIN.code();

    private final MessageQueueProducer producer;
    private final @Nullable RoomHandler<MessageQueueProducer> onRoom;
    private final @Nullable MessageQueueFailureHandler onFailed;
    private final int longest;
    private final MemorySegment staged; // by slot: the message, until DOCA has copied it
    final Counter sent = new Counter();
    final BackPressure backPressure = new BackPressure();
    private boolean awaitsRoom; // the engine asks
    private boolean failureTold;

    QueueSends(
            MessageQueueProducer producer,
            Context context,
            int count,
            int longest,
            @Nullable RoomHandler<MessageQueueProducer> onRoom,
            @Nullable MessageQueueFailureHandler onFailed) {
        super(context, false, count, 0);
        this.producer = producer;
        this.onRoom = onRoom;
        this.onFailed = onFailed;
        this.longest = longest;
        this.staged = Arena.ofAuto().allocate((long) count * longest);
    }

    /** Submits a message, or queues it, if there is room. */
    SubmitResult send(int consumerId, MemorySegment message, boolean now) {
        engine.checkOwner();
        checkRunning();
        long length = message.byteSize();
        if (length < 1 || length > longest) {
            throw new IllegalArgumentException(
                    "a message of " + length + " bytes, where " + producer + " takes 1 to " + longest);
        }
        if (noneFree()) {
            return refuse(SubmitResult.NO_TASK);
        }
        int slot = take();
        int code = DocaError.UNKNOWN.code();
        try {
            code = prepare(slot, consumerId, message, (int) length);
            if (code == Calls.SUCCESS) {
                code = submit(slot, now);
            }
        } finally {
            if (code != Calls.SUCCESS) {
                giveBack(slot);
            }
        }
        if (code == Calls.SUCCESS) {
            backPressure.relieve();
            return SubmitResult.ACCEPTED;
        }
        if (code == AGAIN) {
            return refuse(SubmitResult.NO_RECEIVE);
        }
        throw refused(code, consumerId, length);
    }

    private int prepare(int slot, int consumerId, MemorySegment message, int length) {
        long at = (long) slot * longest;
        MemorySegment.copy(message, 0, staged, at, length);
        long address = staged.address() + at;
        if (typed[slot] != 0) {
            queue.prepare(slot, 0, consumerId);
            queue.setImmediate(slot, address, length);
            return Calls.SUCCESS;
        }
        int code = ProducerCalls.allocate(context.address(), 0, address, length, consumerId, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            allocated(slot, ProducerCalls.asTask(staging.result()), 0, consumerId);
        }
        return code;
    }

    private int submit(int slot, boolean now) {
        if (now) {
            return queue.submit(slot);
        }
        queue.enqueue(slot);
        return Calls.SUCCESS;
    }

    private RuntimeException refused(int code, int consumerId, long length) {
        String told = Diagnosis.lastError();
        return Failures.refused(
                code,
                TaskCalls.SUBMIT_NAME,
                "sending " + length + " bytes to consumer " + consumerId + " with " + producer
                        + (told.isEmpty() ? "" : ": " + told));
    }

    /** Counts a refusal, and has the program told when it is over, if it wants to be. */
    private SubmitResult refuse(SubmitResult why) {
        if (onRoom != null && !awaitsRoom) {
            awaitsRoom = true;
            engine.awaitRoom(this);
        }
        return backPressure.refuse(producer, why);
    }

    @Override
    public boolean serveRoom() {
        if (context.isRunning() && !context.isEnding()) {
            if (noneFree()) {
                return true;
            }
            awaitsRoom = false; // what is refused now asks again
            onRoom.onRoom(producer);
        }
        return false;
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        do {
            slotEnded(ring.slot(), ring.status());
        } while (ring.next(index));
    }

    @Override
    public void slotEnded(int slot, int code) {
        release(slot);
        if (code == Calls.SUCCESS) {
            sent.increment();
            failureTold = false;
            return;
        }
        failed.increment();
        if (!context.isEnding()) {
            tellFailure(DocaError.of(code));
        }
    }

    private void tellFailure(DocaError status) {
        Events.taskFailed("send", producer, status.name());
        if (onFailed != null) {
            onFailed.onSendFailed(producer, status);
        } else if (!failureTold) {
            failureTold = true; // once of a row
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "sending with " + producer);
        }
    }

    @Override
    public void close() {
        super.close();
        backPressure.close();
    }
}
