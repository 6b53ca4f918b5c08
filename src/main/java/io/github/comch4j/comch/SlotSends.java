package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.transport.CompletionRing;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The send tasks of a slot producer: what runs for each message that is claimed and committed, and for each that has
 * been sent.
 */
final class SlotSends extends OutgoingTasks {
    private static final int NONE = -1;

    private final SlotProducer producer;
    private final @Nullable SlotFailureHandler onFailure;
    private final SlotMemory memory;
    // by slot: what its task and buffer have, so that DOCA is told changes only; NONE: no task yet
    private final int[] lengths;
    private final int[] consumers;
    // the slot that is claimed and neither committed nor aborted: it is still among the free ones, at this place
    private int claimed = NONE;
    private int claimedLength;
    private int claimedFor;
    private boolean failureTold;

    SlotSends(SlotProducer producer, Context context, SlotMemory memory, @Nullable SlotFailureHandler onFailure) {
        super(context, memory.slots(), 0);
        this.producer = producer;
        this.memory = memory;
        this.onFailure = onFailure;
        lengths = new int[memory.slots()];
        consumers = new int[memory.slots()];
        Arrays.fill(lengths, NONE);
    }

    /** The offset of a free slot, or why there is none. */
    long claim(int length, int consumerId) {
        engine.checkOwner();
        if (claimed != NONE || context.state() != Context.RUNNING || length < 0 || length > memory.slotSize()) {
            throw notClaimable(length);
        }
        if (freeCount == 0) {
            return refuse();
        }
        claimed = freeCount - 1;
        claimedLength = length;
        claimedFor = consumerId;
        return memory.offset(free[claimed]);
    }

    private long refuse() {
        boolean waits = queue.queued() > 0;
        backPressure.refuse(producer, waits ? SubmitResult.NO_RECEIVE : SubmitResult.NO_TASK);
        return waits ? SlotProducer.NO_RECEIVE : SlotProducer.NO_SLOT;
    }

    private RuntimeException notClaimable(int length) {
        context.checkOpen();
        if (context.state() != Context.RUNNING) {
            return new ConnectionClosedException(
                    TaskCalls.SUBMIT_NAME,
                    "sending with " + producer,
                    producer.connection().state());
        }
        if (claimed != NONE) {
            return new IllegalStateException(
                    "a slot of " + producer + " is claimed already, and neither committed nor aborted");
        }
        return new IllegalArgumentException(
                length + " bytes, where a slot of " + producer + " has " + memory.slotSize());
    }

    /** Queues the claimed slot. */
    void commit() {
        engine.checkOwner();
        int place = claimed;
        if (place == NONE || context.state() != Context.RUNNING) {
            throw notCommittable();
        }
        claimed = NONE;
        int slot = free[place];
        if (lengths[slot] != claimedLength || consumers[slot] != claimedFor) {
            prepare(slot);
        }
        free[place] = free[--freeCount];
        queue.enqueue(slot);
        backPressure.relieve();
    }

    /** As {@link #commit()}, of the first bytes only. */
    void commit(int length) {
        engine.checkOwner();
        if (claimed != NONE && (length < 0 || length > claimedLength)) {
            throw new IllegalArgumentException(length + " bytes, where " + claimedLength + " are claimed");
        }
        claimedLength = length;
        commit();
    }

    private RuntimeException notCommittable() {
        if (claimed == NONE) {
            context.checkOpen();
            return new IllegalStateException("no slot of " + producer + " is claimed");
        }
        claimed = NONE;
        return notClaimable(0);
    }

    void abort() {
        engine.checkOwner();
        if (claimed == NONE) {
            throw notCommittable();
        }
        claimed = NONE;
    }

    /** Makes the slot's task one for what is claimed. */
    private void prepare(int slot) {
        long buffer = memory.buffer(slot);
        int code = Calls.SUCCESS;
        String function = ProducerCalls.ALLOCATE_NAME;
        boolean first = lengths[slot] == NONE;
        lengths[slot] = NONE;
        if (first) {
            code = ProducerCalls.allocate(context.address(), buffer, 0, 0, claimedFor, scratch.resultAddress());
            if (code == Calls.SUCCESS) {
                allocated(slot, ProducerCalls.asTask(scratch.result()), buffer, claimedFor);
            }
        } else {
            queue.prepare(slot, buffer, claimedFor);
        }
        if (code == Calls.SUCCESS) {
            function = BufferCalls.SET_DATA_NAME;
            code = queue.moveData(slot, buffer, memory.address(slot), claimedLength);
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, function);
        }
        lengths[slot] = claimedLength;
        consumers[slot] = claimedFor;
    }

    private RuntimeException refused(int code, String function) {
        DocaError error = DocaError.of(code);
        if (ConnectionClosedException.isMeantBy(error)) {
            return new ConnectionClosedException(
                    function, "sending with " + producer, producer.connection().state());
        }
        return Failures.refused(
                code, function, "sending " + claimedLength + " bytes to consumer " + claimedFor + " with " + producer);
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        while (ring.next(index)) {
            slotEnded(ring.slot(), ring.status());
        }
    }

    @Override
    public void slotEnded(int slot, int code) {
        release(slot);
        if (code == Calls.SUCCESS) {
            sent.increment();
            sentBytes.add(lengths[slot]);
            failureTold = false;
        } else {
            failed(slot, code);
        }
    }

    private void failed(int slot, int code) {
        DocaError status = DocaError.of(code);
        countFailure(producer, status);
        if (onFailure != null) {
            onFailure.onSlotFailed(producer, memory.offset(slot), lengths[slot], status);
        } else if (!failureTold && !context.isEnding()) {
            failureTold = true; // once: when a peer dies, everything in flight fails
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "sending with " + producer);
        }
    }
}
