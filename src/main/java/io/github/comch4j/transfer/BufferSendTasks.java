package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferListState;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.transport.CompletionRing;
import io.github.comch4j.internal.transport.TaskKind;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends of a buffer, a list of buffers, or immediate data alone: what runs for each send, and for each that completes.
 */
public final class BufferSendTasks extends SubmitTasks {
    private static final int AGAIN = DocaError.AGAIN.code();
    private static final int INVALID = DocaError.INVALID_VALUE.code();

    private final @Nullable BiConsumer<@Nullable Buffer, DocaError> onCompletion;
    private final @Nullable BiConsumer<BufferList, DocaError> onListCompletion;
    private final boolean releaseSent;
    // by slot
    private final BufferState[] buffers; // in flight, or what was last; null: none
    private final BufferListState[] lists; // in flight, with a task whose buffer is null; null: none

    /**
     * The tasks of a context that is not configured yet.
     *
     * @param onWritable see {@link SubmitTasks}
     * @param onCompletion told of each send that has ended, but for those of lists; null: nobody is
     * @param onListCompletion the same, of lists
     * @param releaseSent whether buffers are handed over with a send
     */
    public BufferSendTasks(
            TransferContext context,
            int count,
            SendLimits limits,
            @Nullable Runnable onWritable,
            @Nullable BiConsumer<@Nullable Buffer, DocaError> onCompletion,
            @Nullable BiConsumer<BufferList, DocaError> onListCompletion,
            boolean releaseSent) {
        super(context, TaskKind.SEND, count, limits, onWritable);
        this.onCompletion = onCompletion;
        this.onListCompletion = onListCompletion;
        this.releaseSent = releaseSent;
        buffers = new BufferState[count];
        lists = new BufferListState[count];
    }

    /** Whether buffers are handed over with a send. */
    public boolean releasesSent() {
        return releaseSent;
    }

    /**
     * Submits or queues a send, if there is room.
     *
     * @param state of the buffer; null for immediate data alone
     * @param immediate null for none
     * @param now whether to submit it at once
     */
    public SubmitResult send(
            @Nullable BufferState state, int consumerId, @Nullable MemorySegment immediate, boolean now) {
        engine.checkOwner();
        if (!context.isRunning()) {
            throw context.notRunning(doing());
        }
        if (immediate != null && isTooLong(immediate)) {
            throw refused(INVALID, ProducerCalls.get().allocateFunction(), state, consumerId, immediate);
        }
        if (freeCount == 0) {
            return refuse(SubmitResult.NO_TASK);
        }
        if (state != null) {
            checkNew(state);
            state.beginTask(context);
        }
        int slot = free[freeCount - 1];
        if (state == null
                || buffers[slot] != state
                || immediate != null
                || state.hasMoved()
                || !queue.isPlainSendTo(slot, consumerId)) {
            prepare(slot, state, consumerId, immediate);
        }
        int code = handOver(slot, now);
        if (code == Calls.SUCCESS) {
            return SubmitResult.ACCEPTED;
        }
        if (state != null) {
            state.endTask();
        }
        if (code == AGAIN) {
            return refuse(SubmitResult.NO_RECEIVE);
        }
        throw refused(code, TaskCalls.SUBMIT_NAME, state, consumerId, immediate);
    }

    /** As for a single buffer, of buffers whose data are one payload. */
    public SubmitResult send(BufferListState list, int consumerId, @Nullable MemorySegment immediate, boolean now) {
        engine.checkOwner();
        if (!context.isRunning()) {
            throw context.notRunning(doing());
        }
        checkSize(list);
        if (immediate != null && isTooLong(immediate)) {
            throw refused(INVALID, ProducerCalls.get().allocateFunction(), list, consumerId, immediate);
        }
        checkLength(list.length());
        if (freeCount == 0) {
            return refuse(SubmitResult.NO_TASK);
        }
        checkNew(list);
        list.beginTask(context);
        int slot = free[freeCount - 1];
        prepare(slot, list, consumerId, immediate);
        int code = handOver(slot, now);
        if (code == Calls.SUCCESS) {
            return SubmitResult.ACCEPTED;
        }
        lists[slot] = null;
        list.endTask(false);
        if (code == AGAIN) {
            return refuse(SubmitResult.NO_RECEIVE);
        }
        throw refused(code, TaskCalls.SUBMIT_NAME, list, consumerId, immediate);
    }

    private boolean isTooLong(MemorySegment immediate) {
        return immediate.byteSize() > limits.immediate() && limits.immediate() > 0;
    }

    @Override
    void checkMemory(BufferState state) {
        Buffer buffer = (Buffer) state.buffer();
        if (buffer.memory().isRemote()) {
            throw Failures.refused(
                    DocaError.NOT_SUPPORTED,
                    TaskCalls.SUBMIT_NAME,
                    doing() + ": " + buffer.memory() + " belongs to another process");
        }
        String hint = hintAbout(state);
        if (!hint.isEmpty()) {
            throw Failures.refused(
                    INVALID,
                    TaskCalls.SUBMIT_NAME,
                    "sending " + state.length() + " bytes with " + context.name() + hint);
        }
    }

    /** Makes the slot's task one for this send. */
    private void prepare(int slot, @Nullable BufferState buffer, int consumerId, @Nullable MemorySegment immediate) {
        int code = DocaError.UNKNOWN.code();
        String function = ProducerCalls.get().allocateFunction();
        try {
            if (buffer != null) {
                checkLength(buffer.length());
            }
            long address = buffer == null ? 0 : buffer.address();
            code = prepareTask(slot, address, consumerId, immediate);
            if (code == Calls.SUCCESS) {
                buffers[slot] = buffer; // before the submit: a completion may come at any time after
                if (buffer != null && buffer.hasMoved()) {
                    function = BufferCalls.SET_DATA_NAME;
                    code = queue.moveData(slot, address, buffer.dataAddress(), buffer.length());
                }
            }
        } finally {
            if (code != Calls.SUCCESS && buffer != null) {
                buffer.endTask();
            }
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, function, buffer, consumerId, immediate);
        }
        if (buffer != null) {
            buffer.clearMoved();
        }
    }

    private void prepare(int slot, BufferListState list, int consumerId, @Nullable MemorySegment immediate) {
        int code = DocaError.UNKNOWN.code();
        try {
            code = prepareTask(slot, list.address(), consumerId, immediate);
        } finally {
            if (code != Calls.SUCCESS) {
                list.endTask(false);
            }
        }
        if (code != Calls.SUCCESS) {
            throw refused(code, ProducerCalls.get().allocateFunction(), list, consumerId, immediate);
        }
        buffers[slot] = null;
        lists[slot] = list; // before the submit, as above
    }

    private int prepareTask(int slot, long buffer, int consumerId, @Nullable MemorySegment immediate) {
        return immediate == null
                ? prepareSend(slot, buffer, consumerId, 0, 0)
                : prepareSend(slot, buffer, consumerId, places().put(slot, immediate), (int) immediate.byteSize());
    }

    private RuntimeException refused(
            int code,
            String function,
            @Nullable BufferState buffer,
            int consumerId,
            @Nullable MemorySegment immediate) {
        return refused(code, function, buffer == null ? "" : buffer.length() + " bytes", buffer, consumerId, immediate);
    }

    private RuntimeException refused(
            int code, String function, BufferListState list, int consumerId, @Nullable MemorySegment immediate) {
        String data = list.length() + " bytes in " + list.size() + " buffers";
        return refused(code, function, data, suspect(list), consumerId, immediate);
    }

    private RuntimeException refused(
            int code,
            String function,
            String data,
            @Nullable BufferState buffer,
            int consumerId,
            @Nullable MemorySegment immediate) {
        DocaError error = DocaError.of(code);
        if (context.isEnd(error)) {
            return context.ended(function, doing());
        }
        String what = data
                + (buffer == null || immediate == null ? "" : " and ")
                + (immediate == null ? "" : immediate.byteSize() + " bytes of immediate data");
        return Failures.refused(
                code,
                function,
                "sending " + what + " to consumer " + consumerId + " with " + context.name()
                        + (error == DocaError.INVALID_VALUE ? whyInvalid(function, buffer, immediate) : ""));
    }

    private String hintAbout(@Nullable BufferState buffer) {
        return buffer == null ? "" : context.hintAbout(((Buffer) buffer.buffer()).memory());
    }

    /** The first buffer whose memory is why DOCA refuses the list, or else the last one. */
    private BufferState suspect(BufferListState list) {
        int last = list.size() - 1;
        int index = 0;
        while (index < last && hintAbout(list.get(index)).isEmpty()) {
            index++;
        }
        return list.get(index);
    }

    private String whyInvalid(String function, @Nullable BufferState buffer, @Nullable MemorySegment immediate) {
        String memory = hintAbout(buffer);
        if (!memory.isEmpty()) {
            return memory;
        }
        if (immediate != null && isTooLong(immediate)) {
            return ": " + immediate.byteSize() + " bytes of immediate data; " + limits.device() + " takes at most "
                    + limits.immediate();
        }
        String told = function.equals(TaskCalls.SUBMIT_NAME) ? Diagnosis.lastError() : "";
        String usual = "the consumer's next posted buffer or its immediateLength() is too small,"
                + " or there is no such consumer";
        return ": " + (told.isEmpty() ? usual : told);
    }

    @Override
    public void slotsEnded(CompletionRing ring, int index) {
        do {
            slotEnded(ring.slot(), ring.status());
        } while (ring.next(index));
    }

    @Override
    public void slotEnded(int slot, int code) {
        BufferState buffer = buffers[slot];
        boolean success = code == Calls.SUCCESS;
        DocaError status = success ? DocaError.SUCCESS : DocaError.of(code);
        if (buffer != null) {
            buffer.endTask();
        } else if (lists[slot] != null) {
            listEnded(slot, status);
            return;
        }
        release(slot);
        if (success) {
            succeeded(1, buffer == null ? 0 : buffer.length());
        } else {
            countFailure(status);
        }
        if (releaseSent && buffer != null) {
            completedAndReleased(buffer, status);
        } else if (onCompletion != null) {
            onCompletion.accept(buffer == null ? null : (Buffer) buffer.buffer(), status);
        } else if (!success) {
            throwFailure(status, hintAbout(buffer));
        }
    }

    private void listEnded(int slot, DocaError status) {
        BufferListState list = lists[slot];
        boolean success = status == DocaError.SUCCESS;
        lists[slot] = null;
        release(slot);
        try {
            list.endTask(releaseSent);
            if (success) {
                succeeded(1, list.length());
            } else {
                countFailure(status);
            }
            if (onListCompletion != null) {
                onListCompletion.accept((BufferList) list.list(), status);
            } else if (!success) {
                throwFailure(status, hintAbout(suspect(list)));
            }
        } finally {
            if (releaseSent) {
                list.returnHome();
            }
        }
    }

    private void completedAndReleased(BufferState buffer, DocaError status) {
        try {
            if (onCompletion != null) {
                onCompletion.accept((Buffer) buffer.buffer(), status);
            }
        } finally {
            buffer.returnHome();
        }
        if (onCompletion == null && status != DocaError.SUCCESS) {
            throwFailure(status, hintAbout(buffer));
        }
    }
}
