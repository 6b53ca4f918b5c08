package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.DmaCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferListState;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.TaskKind;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Copies from a buffer to another one, or from a list to another one: what runs for each, and for each that ends. */
public final class CopyTasks extends SubmitTasks {
    private static final int AGAIN = DocaError.AGAIN.code();
    private static final int INVALID = DocaError.INVALID_VALUE.code();

    private final @Nullable CopiedHandler<Buffer> onCopied;
    private final @Nullable CopiedHandler<BufferList> onListCopied;
    // by slot: what its task has, so that DOCA is told of changes only
    private final BufferState[] from; // in flight, or what was last; null: none
    private final BufferState[] to;
    private final BufferListState[] fromLists; // in flight; null: none
    private final BufferListState[] toLists;
    private final WaitingCopy[] waiting; // null: nobody waits for it
    private final Queue<WaitingCopy> waitingForTask = new ArrayDeque<>(0);

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param limits of one copy
     * @param onWritable see {@link SubmitTasks}
     * @param onCopied told of each copy that has ended, but for those of lists; null: nobody is
     * @param onListCopied the same, of lists
     */
    public CopyTasks(
            TransferContext context,
            int count,
            SendLimits limits,
            @Nullable Runnable onWritable,
            @Nullable CopiedHandler<Buffer> onCopied,
            @Nullable CopiedHandler<BufferList> onListCopied) {
        super(context, TaskKind.COPY, count, limits, onWritable);
        this.onCopied = onCopied;
        this.onListCopied = onListCopied;
        from = new BufferState[count];
        to = new BufferState[count];
        fromLists = new BufferListState[count];
        toLists = new BufferListState[count];
        waiting = new WaitingCopy[count];
    }

    /** Submits or, unless {@code now}, queues a copy, if there is room. */
    public SubmitResult copy(BufferState source, BufferState destination, boolean now) {
        return copy(source, destination, now, null);
    }

    /** As for single buffers, of buffers whose data follow each other. */
    public SubmitResult copy(BufferListState source, BufferListState destination, boolean now) {
        return copy(source, destination, now, null);
    }

    /** Copies and waits. Returns how the copy has ended. */
    public DocaError copyAndWait(BufferState source, BufferState destination) {
        return new WaitingCopy(this, engine, copy -> copy(source, destination, true, copy)).await();
    }

    /** The same, of lists. */
    public DocaError copyAndWait(BufferListState source, BufferListState destination) {
        return new WaitingCopy(this, engine, copy -> copy(source, destination, true, copy)).await();
    }

    /** What the program gets for a copy that has failed while it waited. */
    public RuntimeException failure(DocaError status) {
        return Failures.refused(status, TaskCalls.SUBMIT_NAME, doing());
    }

    private SubmitResult copy(BufferState source, BufferState destination, boolean now, @Nullable WaitingCopy waits) {
        checkRuns();
        if (freeCount == 0) {
            return noTask(waits);
        }
        checkNew(source);
        checkNew(destination);
        source.beginTask(context);
        int slot = free[freeCount - 1];
        int code = INVALID;
        String function = TaskCalls.SUBMIT_NAME;
        boolean begun = false;
        try {
            destination.beginSoleTask(context);
            begun = true;
            checkFits(source.length(), destination);
            if (to[slot] != destination) {
                checkWritable(destination); // which does not change
            }
            function = DmaCalls.get().allocateFunction();
            code = prepareTask(slot, source.address(), destination.address());
            if (code == Calls.SUCCESS) {
                function = BufferCalls.SET_DATA_NAME;
                code = move(slot, source, destination);
            }
            if (code == Calls.SUCCESS) {
                if (from[slot] != source) { // storing a reference costs more than comparing it
                    from[slot] = source; // before the submit: a completion may come at any time after
                }
                if (to[slot] != destination) {
                    to[slot] = destination;
                }
                function = TaskCalls.SUBMIT_NAME;
                code = handOver(slot, now, waits);
            }
        } finally {
            if (code != Calls.SUCCESS) {
                source.endTask();
                if (begun) {
                    destination.endTask();
                }
            }
        }
        return code == Calls.SUCCESS
                ? SubmitResult.ACCEPTED
                : notAccepted(code, function, source.length() + " bytes", waits);
    }

    private SubmitResult copy(
            BufferListState source, BufferListState destination, boolean now, @Nullable WaitingCopy waits) {
        checkRuns();
        long length = source.length();
        checkSize(source);
        checkSize(destination);
        checkLength(length);
        if (freeCount == 0) {
            return noTask(waits);
        }
        checkNew(source);
        checkNew(destination);
        source.beginTask(context);
        int slot = free[freeCount - 1];
        int code = INVALID;
        String function = DmaCalls.get().allocateFunction();
        boolean begun = false;
        try {
            destination.beginTask(context);
            begun = true;
            checkRoom(length, destination);
            code = prepareTask(slot, source.address(), destination.address());
            if (code == Calls.SUCCESS) {
                from[slot] = null;
                to[slot] = null;
                fromLists[slot] = source; // before the submit, as above
                toLists[slot] = destination;
                function = TaskCalls.SUBMIT_NAME;
                code = handOver(slot, now, waits);
            }
        } finally {
            if (code != Calls.SUCCESS) {
                fromLists[slot] = null;
                toLists[slot] = null;
                source.endTask(false);
                if (begun) {
                    destination.endTask(false);
                }
            }
        }
        return code == Calls.SUCCESS
                ? SubmitResult.ACCEPTED
                : notAccepted(code, function, length + " bytes in " + source.size() + " buffers", waits);
    }

    private void checkRuns() {
        engine.checkOwner();
        if (!context.isRunning()) {
            throw context.notRunning(doing());
        }
    }

    /** Who waits for a copy goes on waiting: that is no refusal. */
    private SubmitResult noTask(@Nullable WaitingCopy waits) {
        return waits == null ? refuse(SubmitResult.NO_TASK) : SubmitResult.NO_TASK;
    }

    private int prepareTask(int slot, long source, long destination) {
        if (queue.typed(slot) != 0) {
            queue.prepareCopy(slot, source, destination);
            return Calls.SUCCESS;
        }
        int code = DmaCalls.allocate(context.address(), source, destination, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            queue.allocatedCopy(slot, staging.result(), DmaCalls.asTask(staging.result()), source, destination);
        }
        return code;
    }

    /** Tells DOCA of data segments that the program has moved. */
    private int move(int slot, BufferState source, BufferState destination) {
        int code = Calls.SUCCESS;
        if (source.hasMoved()) {
            code = queue.moveSource(slot, source.address(), source.dataAddress(), source.length());
            if (code != Calls.SUCCESS) {
                return code;
            }
            source.clearMoved();
        }
        if (destination.hasMoved()) {
            code = queue.moveData(slot, destination.address(), destination.dataAddress(), destination.length());
            if (code == Calls.SUCCESS) {
                destination.clearMoved();
            }
        }
        return code;
    }

    /** As {@link #handOver(int, boolean)}; {@code waits}: who is told of the copy's end instead of the program. */
    private int handOver(int slot, boolean now, @Nullable WaitingCopy waits) {
        if (waits == null) {
            return handOver(slot, now);
        }
        waiting[slot] = waits;
        int code = handOver(slot, now);
        if (code != Calls.SUCCESS) {
            waiting[slot] = null;
        }
        return code;
    }

    private SubmitResult notAccepted(int code, String function, String data, @Nullable WaitingCopy waits) {
        if (code == AGAIN) {
            return noTask(waits);
        }
        String why = code == INVALID ? Diagnosis.lastError() : "";
        throw context.refused(
                code, function, "copying " + data + " with " + context.name() + (why.isEmpty() ? "" : ": " + why));
    }

    private void checkFits(long length, BufferState destination) {
        checkLength(length);
        long room = room(destination);
        if (length > room) {
            throw noRoom(length, room);
        }
    }

    private void checkRoom(long length, BufferListState destination) {
        long room = 0;
        for (int i = 0; i < destination.size(); i++) {
            room += room(destination.get(i));
            checkWritable(destination.get(i));
        }
        if (length > room) {
            throw noRoom(length, room);
        }
    }

    private static long room(BufferState buffer) {
        return ((Buffer) buffer.buffer()).capacity() - buffer.position() - buffer.length();
    }

    private RuntimeException noRoom(long length, long room) {
        return Failures.refused(
                INVALID,
                TaskCalls.SUBMIT_NAME,
                doing() + ": " + length + " bytes, but only " + room + " are free after the destination's data");
    }

    @Override
    void checkMemory(BufferState state) {
        String hint = context.hintAbout(((Buffer) state.buffer()).memory());
        if (!hint.isEmpty()) {
            throw Failures.refused(INVALID, TaskCalls.SUBMIT_NAME, doing() + hint);
        }
    }

    /** A device that finds it out stops the context. What an exporter allows is not known here. */
    private void checkWritable(BufferState destination) {
        MemoryMap memory = ((Buffer) destination.buffer()).memory();
        if (!memory.isRemote() && !memory.access().contains(Access.LOCAL_READ_WRITE)) {
            throw Failures.refused(
                    DocaError.NOT_PERMITTED,
                    TaskCalls.SUBMIT_NAME,
                    doing() + ": " + memory + " is mapped without LOCAL_READ_WRITE");
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
        DocaError status = code == Calls.SUCCESS ? DocaError.SUCCESS : DocaError.of(code);
        BufferState destination = to[slot];
        if (destination == null) {
            listsEnded(slot, status);
            return;
        }
        BufferState source = from[slot];
        source.endTask();
        destination.endTask();
        if (count(status, source.length())) {
            destination.grow(destination.length() + source.length());
        }
        ended(slot, status, onCopied, (Buffer) source.buffer(), (Buffer) destination.buffer());
    }

    private void listsEnded(int slot, DocaError status) {
        BufferListState source = fromLists[slot];
        BufferListState destination = toLists[slot];
        fromLists[slot] = null;
        toLists[slot] = null;
        try {
            destination.endTask(false);
        } finally {
            source.endTask(false);
        }
        if (count(status, source.length())) {
            for (int i = 0; i < destination.size(); i++) {
                destination.get(i).grow(dataLength(destination.get(i)));
            }
        }
        ended(slot, status, onListCopied, (BufferList) source.list(), (BufferList) destination.list());
    }

    /** Counts a copy of so many bytes; returns whether it has succeeded. */
    private boolean count(DocaError status, long length) {
        if (status != DocaError.SUCCESS) {
            countFailure(status);
            return false;
        }
        succeeded(1, length);
        return true;
    }

    private long dataLength(BufferState buffer) {
        return BufferCalls.getDataLength(buffer.address(), staging.resultAddress()) == Calls.SUCCESS
                ? staging.result()
                : buffer.length();
    }

    /** The slot is free: tells the thread that waited for its copy, or else the program. */
    private <T> void ended(int slot, DocaError status, @Nullable CopiedHandler<T> handler, T source, T destination) {
        WaitingCopy waits = waiting[slot];
        release(slot);
        if (waits != null) {
            waiting[slot] = null;
            waits.ended(status);
        } else if (handler != null) {
            handler.copied(source, destination, status);
        } else if (status != DocaError.SUCCESS) {
            throwFailure(status, "");
        }
    }

    /** In the engine's thread: submits a copy that a thread waits for, or keeps it until there is a task. */
    void begin(WaitingCopy copy) {
        if (!waitingForTask.isEmpty() || !copy.begin()) {
            waitingForTask.add(copy);
            awaitWritable();
        }
    }

    /** Fails if closing has begun. */
    void checkOpen() {
        context.checkOpen();
    }

    @Override
    protected boolean serveWaiting() {
        while (!waitingForTask.isEmpty() && waitingForTask.peek().begin()) {
            waitingForTask.remove();
        }
        return !waitingForTask.isEmpty();
    }

    @Override
    public void close() {
        super.close();
        for (WaitingCopy copy = waitingForTask.poll(); copy != null; copy = waitingForTask.poll()) {
            copy.refused(new IllegalStateException(context.name() + " is closed"));
        }
    }
}
