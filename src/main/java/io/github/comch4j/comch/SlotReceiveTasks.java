package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.observe.Events;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.ReceivedMemory;
import io.github.comch4j.transfer.ReceiveTasks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The post-receive tasks of a slot consumer: what runs for each message that has arrived, and for each slot that is
 * posted again.
 */
final class SlotReceiveTasks extends ReceiveTasks {
    private static final VarHandle WAITING_COUNT = waitingCountHandle();
    private static final int NONE = -1;
    private static final SlotHandler DISCARD = (memory, offset, length, producer) -> {};

    private final SlotConsumer consumer;
    private final SlotMemory memory;
    private final @Nullable SlotHandler onMessage;
    private final @Nullable BiConsumer<? super SlotConsumer, DocaError> onFailure;
    private @Nullable SlotHandler handler; // onMessage, or that of the poll that runs
    private @Nullable SlotRowHandler rows; // of the poll that runs, if it is one of rows; handler calls it then
    private final SlotHandler rowOfOne =
            (segment, offset, length, producer) -> rows.onMessages(segment, offset, 1, length, producer);
    private int handled; // messages, by the poll that runs
    private int limit;

    // the message of the handler that runs
    private int current = NONE; // its slot
    private int currentImmediateLength;
    private long currentImmediate;

    private @Nullable DocaError loss; // why this ends: a receive failed, and nobody is there to go on after it

    // messages that arrived while no poll ran, and failures among them, oldest first
    private final Runnable deliverWaiting = this::deliverWaiting;
    private final int[] waiting; // slots, used as a ring
    private int waitingHead;
    private int waitingCount;
    private final long[] lengths; // by slot; less than 0: of a receive that failed, the error
    private final long[] origins; // by slot: the producer's id, and in the upper half how much immediate data there is
    private final long[] immediates; // by slot: where they are
    private @Nullable MemorySegment
            keptImmediates; // by slot: copies, as a task may be freed before its message is polled

    SlotReceiveTasks(
            SlotConsumer consumer,
            FastPathContext context,
            SlotMemory memory,
            int immediateLength,
            @Nullable SlotHandler onMessage,
            @Nullable BiConsumer<? super SlotConsumer, DocaError> onFailure) {
        super(context, memory.slots(), immediateLength);
        this.consumer = consumer;
        this.memory = memory;
        this.onMessage = onMessage;
        this.onFailure = onFailure;
        this.handler = onMessage;
        waiting = new int[memory.slots()];
        lengths = new long[memory.slots()];
        origins = new long[memory.slots()];
        immediates = new long[memory.slots()];
    }

    private static VarHandle waitingCountHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(SlotReceiveTasks.class, "waitingCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Posts all slots. */
    void begin() {
        while (freeCount > 0) {
            int slot = free[freeCount - 1];
            long buffer = memory.buffer(slot);
            String function = ConsumerCalls.get().allocateFunction();
            int code = ConsumerCalls.allocate(context.address(), buffer, staging.resultAddress());
            if (code == Calls.SUCCESS) {
                allocated(slot, ConsumerCalls.asTask(staging.result()), buffer);
                function = TaskCalls.SUBMIT_NAME;
                code = queue.submit(slot);
            }
            if (code != Calls.SUCCESS) {
                checkRefusal(code, function);
                return; // the connection has ended, which the next change of state tells
            }
            freeCount--;
        }
    }

    /** What the handler of a poll throws, the poll does. */
    @Override
    public void failed(Throwable thrown) {
        if (onMessage == null) {
            engine.transport().fail(thrown);
        } else {
            super.failed(thrown);
        }
    }

    /** A slot whose message waits to be polled is not posted. */
    @Override
    public int posted() {
        return inFlight() - (int) WAITING_COUNT.getOpaque(this);
    }

    /** Whether no message waits to be polled. */
    boolean isPolled() {
        return waitingCount == 0;
    }

    int poll(SlotHandler target, int most, int spins) {
        if (!isPollable(most, spins)) {
            return 0;
        }
        handler = Objects.requireNonNull(target);
        try {
            return poll(most, spins);
        } finally {
            handler = null;
        }
    }

    int pollRows(SlotRowHandler target, int most, int spins) {
        if (!isPollable(most, spins)) {
            return 0;
        }
        rows = Objects.requireNonNull(target);
        handler = rowOfOne;
        try {
            return poll(most, spins);
        } finally {
            handler = null;
            rows = null;
        }
    }

    /** False if it has ended with its connection. */
    private boolean isPollable(int most, int spins) {
        engine.checkOwner();
        Engine.checkSpins(spins);
        if (most < 1 || onMessage != null || engine.isInCallbacks() || context.isClosed() || loss != null) {
            checkPollable(most);
            return false;
        }
        return true;
    }

    private int poll(int most, int spins) {
        handled = 0;
        limit = most;
        if (waitingCount > 0) {
            engine.runHandlers(deliverWaiting);
            checkLoss();
        }
        if (handled < most && !context.isClosed()) {
            engine.poll(queue, this, most - handled, handled == 0 ? spins : 0);
        }
        return handled;
    }

    private void checkLoss() {
        DocaError status = loss;
        if (status != null) {
            throw Failures.refused(
                    status, TaskCalls.SUBMIT_NAME, "receiving with " + consumer + ": a message may be lost");
        }
    }

    private void checkPollable(int most) {
        checkLoss();
        context.checkUsable();
        if (most < 1) {
            throw new IllegalArgumentException("poll() needs a limit of at least 1 message, not " + most);
        }
        if (onMessage != null) {
            throw new IllegalStateException(consumer + " has a handler, so it cannot be polled");
        }
        if (engine.isInCallbacks()) {
            throw new IllegalStateException("poll() cannot be called inside a callback of the same engine");
        }
    }

    private void deliverWaiting() {
        while (waitingCount > 0 && handled < limit && loss == null) {
            int slot = waiting[waitingHead];
            waitingHead = waitingHead + 1 == waiting.length ? 0 : waitingHead + 1;
            waitingCount--;
            if (lengths[slot] < 0) {
                deliverFailure(slot, DocaError.of((int) -lengths[slot]));
            } else {
                deliver(slot, lengths[slot], origins[slot], immediates[slot]);
            }
        }
        if (waitingCount == 0 && context.state() == Context.IDLE) {
            consumer.context.endWithConnection(); // which has waited for this
        }
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        if (rows != null) {
            rowsEnded(ring, index);
            return;
        }
        do {
            slotEnded(ring);
        } while (ring.next(index));
    }

    private void slotEnded(CompletionRing ring) {
        int slot = ring.slot();
        int code = ring.status();
        if (code == Calls.SUCCESS) {
            ring.leaveRow();
        }
        if (code == Calls.SUCCESS && !context.isEnding()) {
            arrived(slot, ring.dataLength(), ring.origin(), ring.immediate());
        } else {
            failed(slot, code);
        }
    }

    private void rowsEnded(CompletionRing ring, int index) {
        do {
            // immediate data are for one message
            if (ring.status() == Calls.SUCCESS && ring.origin() >>> 32 == 0 && !context.isEnding()) {
                deliverRow(ring.slot(), 1 + ring.takeRow(), ring.dataLength(), (int) ring.origin());
            } else {
                slotEnded(ring);
            }
        } while (ring.next(index));
    }

    private void deliverRow(int first, int count, long length, int producer) {
        count(count, count * length);
        current = first;
        currentImmediateLength = 0;
        handled += count;
        try {
            rows.onMessages(memory.segment(), memory.offset(first), count, (int) length, producer);
        } finally {
            current = NONE;
            postAgain(first, count);
        }
    }

    private void postAgain(int first, int count) {
        if (context.isRunning()) {
            queue.submitEmpty(first, count, free.length - freeCount);
            return;
        }
        for (int slot = first; slot < first + count; slot++) {
            release(slot);
        }
    }

    @Override
    public boolean takesRows() {
        return rows != null;
    }

    @Override
    public void slotReceived(CompletionRing ring, int slot) {
        if (context.isEnding()) {
            failed(slot, Calls.SUCCESS);
        } else {
            long length = ring.dataLength();
            count(1, length);
            deliver(slot, length, ring.origin(), ring.immediate());
        }
    }

    @Override
    public void slotEnded(int slot, int code) {
        if (code != Calls.SUCCESS || context.isEnding()) {
            failed(slot, code);
            return;
        }
        long result = staging.resultAddress();
        long length = BufferCalls.getDataLength(memory.buffer(slot), result) == Calls.SUCCESS ? staging.result() : 0;
        long receive = queue.typed(slot);
        long immediate = ConsumerCalls.immediate(receive);
        long immediateLength = immediate == 0 ? 0 : ConsumerCalls.immediateLength(receive);
        arrived(
                slot,
                length,
                Integer.toUnsignedLong(ConsumerCalls.producer(receive)) | immediateLength << 32,
                immediate);
    }

    private void arrived(int slot, long length, long origin, long immediate) {
        count(1, length);
        if (handler != null) {
            deliver(slot, length, origin, immediate);
            return;
        }
        origins[slot] = origin;
        immediates[slot] = origin >>> 32 == 0 ? 0 : keep(slot, immediate, (int) (origin >>> 32));
        await(slot, length);
        if (!context.isRunning()) {
            queue.free(slot); // it arrived while the connection ends: its task would keep the consumer from ending
        }
    }

    /** Until the next poll. */
    private void await(int slot, long length) {
        int at = waitingHead + waitingCount;
        waiting[at < waiting.length ? at : at - waiting.length] = slot;
        lengths[slot] = length;
        waitingCount++;
    }

    private void count(int messages, long bytes) {
        received.add(messages);
        receivedBytes.add(bytes);
    }

    private long keep(int slot, long immediate, int length) {
        if (keptImmediates == null) {
            keptImmediates = Arena.ofAuto().allocate((long) waiting.length * immediateLength());
        }
        long at = (long) slot * immediateLength();
        MemorySegment.copy(scratch.lend(immediate, length), 0, keptImmediates, at, length); // taken back when delivered
        return keptImmediates.address() + at;
    }

    @Override
    public void freeIdle() {
        super.freeIdle();
        for (int i = 0; i < waitingCount; i++) {
            queue.free(waiting[(waitingHead + i) % waiting.length]);
        }
    }

    private void deliver(int slot, long length, long origin, long immediate) {
        current = slot;
        currentImmediateLength = (int) (origin >>> 32);
        currentImmediate = immediate;
        handled++;
        try {
            handler.onMessage(memory.segment(), memory.offset(slot), (int) length, (int) origin);
        } finally {
            current = NONE;
            scratch.takeBack();
            postAgain(slot);
        }
    }

    MemorySegment immediate() {
        engine.checkOwner();
        if (current == NONE) {
            throw new IllegalStateException("immediate() can be called only inside a handler");
        }
        return currentImmediateLength == 0
                ? ReceivedMemory.NOTHING
                : scratch.lend(currentImmediate, currentImmediateLength);
    }

    private void postAgain(int slot) {
        if (!context.isRunning()) {
            release(slot);
            return;
        }
        int code = queue.submitEmpty(slot, free.length - freeCount);
        if (code != Calls.SUCCESS) {
            release(slot);
            checkRefusal(code, TaskCalls.SUBMIT_NAME);
        }
    }

    private void checkRefusal(int code, String function) {
        if (!context.isEnd(DocaError.of(code))) {
            throw Failures.refused(code, function, "posting a slot of " + consumer);
        }
    }

    private void failed(int slot, int code) {
        failed.increment();
        if (!context.isRunning() || context.isEnding()) {
            release(slot); // flushed, because this or the connection ends
            return;
        }
        DocaError status = DocaError.of(code);
        Events.taskFailed("receive", consumer, status.name());
        if (handler == null) {
            await(slot, -code);
        } else {
            deliverFailure(slot, status);
            checkLoss();
        }
    }

    /** A slot came back with nothing: whether a message is lost with it, nobody can say here. */
    private void deliverFailure(int slot, DocaError status) {
        boolean goesOn = true;
        try {
            if (onFailure != null) {
                onFailure.accept(consumer, status);
            } else {
                goesOn = handler.onReceiveFailed(status);
            }
        } finally {
            postAgain(slot);
        }
        if (!goesOn) {
            loss = status;
            handler = DISCARD; // what came behind it
            rows = null;
            consumer.context.closeSoon();
        }
    }
}
