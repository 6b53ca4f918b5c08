package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.FreedSlots;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The send tasks of a slot producer: what runs for each message that is claimed and committed, and for each that has
 * been sent.
 */
final class SlotSends extends OutgoingTasks {
    private static final int NONE = -1;
    private static final long OTHER = -1;

    private final SlotProducer producer;
    private final @Nullable SlotFailureHandler onFailure;
    private final @Nullable RoomHandler<? super SlotProducer> onRoom;
    private final SlotMemory memory;
    // by slot: what its task and buffer have, so that DOCA is told changes only
    private final long[] messages; // see message(); OTHER: something else than a message without immediate data
    private final int[] lengths; // NONE: not known
    private final boolean[] immediates;
    private int immediateLimit = NONE; // of the device; NONE: it has not been asked yet
    private @Nullable MemorySegment staged; // by slot: immediate data, until DOCA has copied them
    private final boolean inTurn; // the slot that has been free longest is next, otherwise the one freed last
    private int firstFree; // with inTurn the free slots are a ring that begins here; otherwise a stack, and this is 0
    // the slots that are claimed and neither committed nor aborted: they are still among the free ones, from this place
    // on in the order in which slots are claimed
    private int claimed = NONE;
    private int claimedSlots;
    private int claimedLength;
    private int claimedFor;
    private boolean failureTold;

    SlotSends(
            SlotProducer producer,
            Context context,
            SlotMemory memory,
            boolean inTurn,
            @Nullable SlotFailureHandler onFailure,
            @Nullable RoomHandler<? super SlotProducer> onRoom) {
        super(context, memory.slots(), 0);
        this.producer = producer;
        this.memory = memory;
        this.inTurn = inTurn;
        this.onFailure = onFailure;
        this.onRoom = onRoom;
        messages = new long[memory.slots()];
        lengths = new int[memory.slots()];
        immediates = new boolean[memory.slots()];
        Arrays.fill(messages, OTHER);
        Arrays.fill(lengths, NONE);
        if (inTurn) {
            Arrays.setAll(free, slot -> slot);
        }
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
        claimed = inTurn ? firstFree : freeCount - 1;
        claimedSlots = 1;
        claimedLength = length;
        claimedFor = consumerId;
        return memory.offset(free[claimed]);
    }

    /** As {@link #claim}, of several that lie side by side: the offset of the lowest one. */
    long claimMany(int most, int length, int consumerId) {
        if (most < 1) {
            throw new IllegalArgumentException("a claim of " + most + " slots");
        }
        long at = claim(length, consumerId);
        if (at < 0) {
            return at;
        }
        int first = free[claimed];
        int limit = Math.min(most, freeCount);
        int step = limit == 1 ? 0 : free[claimedPlace(1)] - first;
        if (Math.abs(step) != 1) {
            return at;
        }
        int number = 2;
        while (number < limit && free[claimedPlace(number)] == first + number * step) {
            number++;
        }
        claimedSlots = number;
        return memory.offset(lowestClaimed());
    }

    /** The place of the i-th claimed slot. */
    private int claimedPlace(int i) {
        if (!inTurn) {
            return claimed - i;
        }
        int place = claimed + i;
        return place < free.length ? place : place - free.length;
    }

    private int lowestClaimed() {
        return Math.min(free[claimed], free[claimedPlace(claimedSlots - 1)]);
    }

    /** How many slots are claimed. */
    int claimed() {
        return claimed == NONE ? 0 : claimedSlots;
    }

    private long refuse() {
        boolean waits = queue.queued() > 0;
        refuse(producer, waits ? SubmitResult.NO_RECEIVE : SubmitResult.NO_TASK);
        return waits ? SlotProducer.NO_RECEIVE : SlotProducer.NO_SLOT;
    }

    private RuntimeException notClaimable(int length) {
        context.checkOpen();
        if (!context.isRunning()) {
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
        int first = lowestClaimed();
        int number = claimedSlots;
        int place = claimed;
        claimed = NONE;
        long message = message(claimedLength, claimedFor);
        for (int slot = first; slot < first + number; slot++) {
            if (messages[slot] != message) {
                prepare(slot, 0);
            }
        }
        takeMany(place, number);
        queue.enqueue(first, number);
    }

    private void takeMany(int place, int number) {
        freeCount -= number;
        if (inTurn) {
            firstFree = place + number < free.length ? place + number : place + number - free.length;
        } else { // those that have become free since the claim lie above
            System.arraycopy(free, place + 1, free, place + 1 - number, freeCount + number - (place + 1));
        }
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
        int place = claimed;
        claimed = NONE;
        int slot = free[place];
        if (messages[slot] != message(claimedLength, claimedFor)) {
            prepare(slot, 0);
        }
        take(place);
        return slot;
    }

    private void take(int place) {
        freeCount--;
        if (inTurn) {
            firstFree = place + 1 == free.length ? 0 : place + 1;
        } else {
            free[place] = free[freeCount];
        }
        backPressure.relieve();
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
        int place = claimed;
        int slot = free[place];
        stage(slot, immediate, immediateLength);
        claimed = NONE;
        claimedLength = length;
        prepare(slot, (int) immediateLength);
        take(place);
        queue.enqueue(slot);
    }

    private void checkClaimed(int length) {
        engine.checkOwner();
        if (claimed != NONE && claimedSlots > 1) {
            throw new IllegalStateException("several slots are claimed: they are committed together");
        }
        if (claimed != NONE && (length < 0 || length > claimedLength)) {
            throw new IllegalArgumentException(length + " bytes, where " + claimedLength + " are claimed");
        }
    }

    /** Copies immediate data to where they stay until the slot's task is submitted. */
    private void stage(int slot, MemorySegment immediate, long length) {
        MemorySegment places = staged == null ? makePlaces() : staged;
        if (length > immediateLimit) {
            throw new IllegalArgumentException(length + " bytes of immediate data, where "
                    + producer.connection().endpoint().device() + " takes at most " + immediateLimit);
        }
        MemorySegment.copy(immediate, 0, places, (long) slot * immediateLimit, length);
    }

    private MemorySegment makePlaces() {
        ProducerCalls.get().checkImmediate();
        Device device = producer.connection().endpoint().device();
        immediateLimit = (int) Math.min(
                SendTasks.IMMEDIATE_LIMIT,
                Capabilities.of(device)
                        .consumer()
                        .map(Capabilities.Consumer::maxImmediateLength)
                        .orElse((long) SendTasks.IMMEDIATE_LIMIT));
        MemorySegment places = Arena.ofAuto().allocate((long) memory.slots() * immediateLimit);
        staged = places;
        return places;
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

    /** Makes the slot's task one for what is claimed, with the immediate data that are staged for it. */
    private void prepare(int slot, int immediateLength) {
        long immediate = immediateLength == 0 ? 0 : staged.address() + (long) slot * immediateLimit;
        messages[slot] = OTHER;
        if (typed[slot] == 0) {
            allocate(slot, immediate, immediateLength);
        } else {
            queue.prepare(slot, memory.buffer(slot), claimedFor);
            if (immediateLength > 0 || immediates[slot]) {
                queue.setImmediate(slot, immediate, immediateLength);
            }
        }
        immediates[slot] = immediateLength > 0;
        if (lengths[slot] != claimedLength) {
            setLength(slot);
        }
        if (immediateLength == 0) {
            messages[slot] = message(claimedLength, claimedFor);
        }
    }

    private void allocate(int slot, long immediate, int immediateLength) {
        long buffer = memory.buffer(slot);
        int code = ProducerCalls.get()
                .allocate(context.address(), buffer, immediate, immediateLength, claimedFor, staging.resultAddress());
        if (code != Calls.SUCCESS) {
            throw refused(code, ProducerCalls.get().allocateFunction());
        }
        allocated(slot, ProducerCalls.asTask(staging.result()), buffer, claimedFor);
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
        DocaError error = DocaError.of(code);
        if (ConnectionClosedException.isMeantBy(error)) {
            return new ConnectionClosedException(
                    function, "sending with " + producer, producer.connection().state());
        }
        return Failures.refused(
                code, function, "sending " + claimedLength + " bytes to consumer " + claimedFor + " with " + producer);
    }

    @Override
    boolean tellsRoom() {
        return onRoom != null;
    }

    @Override
    void tellRoom() {
        if (onRoom != null) {
            onRoom.onRoom(producer);
        }
    }

    @Override
    public boolean isFreedInBulk() {
        return true;
    }

    @Override
    public void slotsFreed(FreedSlots slots) {
        int number = slots.number();
        int at = place(freeCount);
        long bytes = 0;
        for (int i = 0; i < number; i++) {
            int slot = slots.at(i);
            free[at] = slot;
            at = at + 1 == free.length ? 0 : at + 1;
            bytes += lengths[slot];
        }
        freeCount += number;
        sent.add(number);
        sentBytes.add(bytes);
        failureTold = false;
        if (!context.isRunning()) {
            for (int i = 0; i < number; i++) {
                freeTask(slots.at(i));
            }
        }
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
            sent.increment();
            sentBytes.add(lengths[slot]);
            failureTold = false;
        } else {
            failed(slot, code);
        }
    }

    private void putFree(int slot) {
        free[place(freeCount++)] = slot;
        freeUnlessRunning(slot);
    }

    @Override
    protected int freeAt(int i) {
        return free[place(i)];
    }

    private int place(int i) {
        int at = firstFree + i;
        return at < free.length ? at : at - free.length;
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
