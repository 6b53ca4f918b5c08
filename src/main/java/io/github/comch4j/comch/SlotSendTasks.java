package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.FreedSlots;
import io.github.comch4j.internal.transport.TaskKind;
import io.github.comch4j.transfer.ImmediatePlaces;
import io.github.comch4j.transfer.SubmitTasks;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The send tasks of a slot producer: what runs for each message that is claimed and committed, and for each that has
 * been sent.
 */
final class SlotSendTasks extends SubmitTasks {
    private static final int NONE = -1;
    private static final long OTHER = -1;

    private final SlotProducer producer;
    private final @Nullable SlotSendFailureHandler onSendFailed;
    private final SlotMemory memory;
    // by slot: what its task and buffer have, so that DOCA is told changes only
    private final long[] messages; // see message(); OTHER: something else than a message without immediate data
    private final int[] lengths; // NONE: not known
    private final FreeSlots freeSlots; // in place of the stack
    // the first of the slots that are claimed and neither committed nor aborted, NONE: none; they are still free ones
    private int claimed = NONE;
    private int claimedSlots;
    private int claimedLength;
    private int claimedFor;

    SlotSendTasks(SlotProducer producer, FastPathContext context, SlotMemory memory, SlotProducer.Builder settings) {
        super(
                context,
                TaskKind.SEND,
                memory.slots(),
                producer.limits(),
                settings.onWritable == null ? null : () -> settings.onWritable.accept(producer));
        this.producer = producer;
        this.memory = memory;
        freeSlots = new FreeSlots(memory.slots(), settings.roundRobin);
        this.onSendFailed = settings.onSendFailed;
        messages = new long[memory.slots()];
        lengths = new int[memory.slots()];
        Arrays.fill(messages, OTHER);
        Arrays.fill(lengths, NONE);
    }

    /** A message without immediate data, never {@link #OTHER}. */
    private static long message(int length, int consumerId) {
        return (long) consumerId << 32 | length;
    }

    /** The offset of a free slot, or why there is none. */
    long claim(int length, int consumerId) {
        engine.checkOwner();
        if (claimed != NONE || !context.isRunning() || length < 0 || length > memory.slotSize()) {
            throw notClaimable(length);
        }
        if (freeCount == 0) {
            return refuse();
        }
        claimed = freeSlots.next();
        claimedSlots = 1;
        claimedLength = length;
        claimedFor = consumerId;
        return memory.offset(claimed);
    }

    /** As {@link #claim}, of several that lie side by side: the offset of the lowest one. */
    long claimMany(int most, int length, int consumerId) {
        if (most < 1) {
            throw new IllegalArgumentException("a claim needs at least 1 slot, not " + most);
        }
        long at = claim(length, consumerId);
        if (at >= 0) {
            claimedSlots = freeSlots.row(claimed, most);
        }
        return at;
    }

    /** How many slots are claimed. */
    int claimed() {
        return claimed == NONE ? 0 : claimedSlots;
    }

    private long refuse() {
        boolean waits = queue.queued() > 0;
        refuse(waits ? SubmitResult.NO_RECEIVE : SubmitResult.NO_TASK);
        return waits ? SlotProducer.NO_PEER_RECEIVE : SlotProducer.NO_SLOT;
    }

    private RuntimeException notClaimable(int length) {
        if (!context.isRunning()) {
            return context.notRunning(doing());
        }
        context.checkUsable();
        if (claimed != NONE) {
            return new IllegalStateException("a slot of " + producer + " is claimed already; commit or abort it first");
        }
        return new IllegalArgumentException(
                "a slot of " + producer + " has " + memory.slotSize() + " bytes, not " + length);
    }

    /** Queues what is claimed. */
    void commit() {
        if (claimedSlots == 1) {
            queue.enqueue(takeClaimed());
        } else {
            commitMany();
        }
    }

    private void commitMany() {
        checkCommittable();
        int first = claimed;
        int number = claimedSlots;
        claimed = NONE;
        if (!arePrepared(first, number)) {
            prepareMany(first, number);
        }
        take(first, number);
        queue.enqueue(first, number);
    }

    /** Whether so many slots have been sent as what is claimed before. In one loop without branches. */
    private boolean arePrepared(int first, int number) {
        long message = message(claimedLength, claimedFor);
        long others = 0;
        for (int slot = first; slot < first + number; slot++) {
            others |= messages[slot] ^ message;
        }
        return others == 0;
    }

    private void prepareMany(int first, int number) {
        long message = message(claimedLength, claimedFor);
        for (int slot = first; slot < first + number; slot++) {
            if (messages[slot] != message) {
                prepare(slot, 0, 0);
            }
        }
    }

    private void take(int first, int number) {
        freeSlots.take(first, number);
        freeCount -= number;
        backPressure.relieve();
    }

    private void checkCommittable() {
        engine.checkOwner();
        if (claimed == NONE || !context.isRunning()) {
            throw notCommittable();
        }
    }

    /** The claimed slot, which is ready to be submitted and neither claimed nor free any more. */
    private int takeClaimed() {
        checkCommittable();
        int slot = claimed;
        claimed = NONE;
        if (messages[slot] != message(claimedLength, claimedFor)) {
            prepare(slot, 0, 0);
        }
        take(slot, 1);
        return slot;
    }

    /** As {@link #commit()}, and submits it at once. Returns whether nothing is queued any more. */
    boolean commitNow() {
        if (claimedSlots == 1) {
            return queue.submitOrEnqueue(takeClaimed());
        }
        commitMany();
        return queue.flush() == 0;
    }

    /** As {@link #commit()}, of the first bytes only. */
    void commit(int length) {
        checkClaimed(length);
        claimedLength = length;
        commit();
    }

    /** As {@link #commit(int)}, with immediate data. */
    void commit(int length, MemorySegment immediate) {
        long immediateLength = immediate.byteSize();
        if (immediateLength == 0) {
            commit(length);
            return;
        }
        checkClaimed(length);
        checkCommittable();
        ImmediatePlaces places = places();
        if (immediateLength > places.size()) {
            throw new IllegalArgumentException(immediateLength + " bytes of immediate data, where " + limits.device()
                    + " takes at most " + places.size());
        }
        int slot = claimed;
        long place = places.put(slot, immediate);
        claimed = NONE;
        claimedLength = length;
        prepare(slot, place, (int) immediateLength);
        take(slot, 1);
        queue.enqueue(slot);
    }

    private void checkClaimed(int length) {
        engine.checkOwner();
        if (claimed != NONE && claimedSlots > 1) {
            throw new IllegalStateException("several slots are claimed: they must be committed together");
        }
        if (claimed != NONE && (length < 0 || length > claimedLength)) {
            throw new IllegalArgumentException("cannot commit " + length + " bytes: " + claimedLength + " are claimed");
        }
    }

    private RuntimeException notCommittable() {
        if (claimed == NONE) {
            context.checkUsable();
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
    private void prepare(int slot, long immediate, int immediateLength) {
        messages[slot] = OTHER;
        int code = prepareSend(slot, memory.buffer(slot), claimedFor, immediate, immediateLength);
        if (code != Calls.SUCCESS) {
            throw refused(code, ProducerCalls.get().allocateFunction());
        }
        if (lengths[slot] != claimedLength) {
            setLength(slot);
        }
        if (immediateLength == 0) {
            messages[slot] = message(claimedLength, claimedFor);
        }
    }

    private void setLength(int slot) {
        lengths[slot] = NONE;
        int code = queue.moveData(slot, memory.buffer(slot), memory.address(slot), claimedLength);
        if (code != Calls.SUCCESS) {
            throw refused(code, BufferCalls.SET_DATA_NAME);
        }
        lengths[slot] = claimedLength;
    }

    private RuntimeException refused(int code, String function) {
        return context.refused(
                code, function, "sending " + claimedLength + " bytes to consumer " + claimedFor + " with " + producer);
    }

    @Override
    public boolean isFreedInBulk() {
        return true;
    }

    @Override
    public void slotsFreed(FreedSlots rows) {
        int number = 0;
        long bytes = 0;
        while (rows.next()) {
            int first = rows.first();
            int count = rows.count();
            freeSlots.put(first, count);
            number += count;
            for (int slot = first; slot < first + count; slot++) {
                bytes += lengths[slot];
            }
            for (int slot = first; slot < first + count && !context.isRunning(); slot++) {
                queue.free(slot);
            }
        }
        freeCount += number;
        succeeded(number, bytes);
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        do {
            slotEnded(ring.slot(), ring.status());
        } while (ring.next(index));
    }

    @Override
    public void slotEnded(int slot, int code) {
        putFree(slot);
        if (code == Calls.SUCCESS) {
            succeeded(1, lengths[slot]);
        } else {
            failed(slot, code);
        }
    }

    private void putFree(int slot) {
        freeSlots.put(slot, 1);
        freeCount++;
        freeUnlessRunning(slot);
    }

    @Override
    protected void freeIdleTasks() {
        for (int slot = 0; slot < memory.slots(); slot++) {
            if (freeSlots.isFree(slot)) {
                queue.free(slot);
            }
        }
    }

    private void failed(int slot, int code) {
        DocaError status = DocaError.of(code);
        countFailure(status);
        if (onSendFailed != null) {
            onSendFailed.onSendFailed(producer, memory.offset(slot), lengths[slot], status);
        } else {
            throwFailure(status, "");
        }
    }
}
