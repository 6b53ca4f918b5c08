package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.BufferCalls;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.BufferListState;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.observe.Diagnosis;
import io.github.comch4j.internal.transport.CompletionRing;
import java.lang.foreign.MemorySegment;

/** The send tasks of a producer: what runs for each send, and for each that completes. */
final class SendTasks extends OutgoingTasks {
    /** Room for immediate data, which DOCA limits itself (32 bytes at the time of writing). */
    static final int IMMEDIATE_LIMIT = 4096;

    private static final int AGAIN = DocaError.AGAIN.code();
    private static final int INVALID = DocaError.INVALID_VALUE.code();

    private final ComchProducer producer;
    private final SendCompletionHandler onCompletion;
    private final ListCompletionHandler onListCompletion;
    private final RoomHandler<? super ComchProducer> onRoom;
    private final boolean releaseSent;
    // by slot: what its task has, so that DOCA is told of changes only
    private final boolean[] immediates;
    private final int[] plainTo; // the consumer of a task that has a buffer and no immediate data, or 0
    private final BufferListState[] lists; // in flight, with a task whose buffer is null; null: none
    private long listLimit; // of the device; 0: it has not been asked yet
    private long dataLimit = -1; // the same, bytes; -1
    private long immediateLimit = -1;
    private boolean failureTold;

    SendTasks(ComchProducer producer, Context context, ComchProducer.Builder settings) {
        super(context, settings.tasks, IMMEDIATE_LIMIT);
        this.producer = producer;
        this.onCompletion = settings.onCompletion;
        this.onListCompletion = settings.onListCompletion;
        this.onRoom = settings.onRoom;
        this.releaseSent = settings.releaseSent;
        this.immediates = new boolean[settings.tasks];
        this.plainTo = new int[settings.tasks];
        this.lists = new BufferListState[settings.tasks];
    }

    /** Whether buffers are handed over with a send. */
    boolean releasesSent() {
        return releaseSent;
    }

    /**
     * Submits or queues a send, if there is room.
     *
     * @param buffer null for immediate data alone
     * @param immediate null for none
     * @param now whether to submit it at once
     */
    SubmitResult send(Buffer buffer, int consumerId, MemorySegment immediate, boolean now) {
        engine.checkOwner();
        if (!context.isRunning()) {
            throw notRunning();
        }
        if (immediate != null && isTooLong(immediate)) {
            BufferState refused = buffer == null ? null : CoreObjects.of(buffer);
            throw refused(INVALID, ProducerCalls.get().allocateFunction(), refused, consumerId, immediate);
        }
        if (freeCount == 0) {
            return refuse(producer, SubmitResult.NO_TASK);
        }
        BufferState state = null;
        if (buffer != null) {
            state = CoreObjects.of(buffer);
            state.beginTask(context);
        }
        int slot = free[freeCount - 1];
        if (state == null
                || buffers[slot] != state
                || plainTo[slot] != consumerId
                || consumerId == 0
                || immediate != null
                || state.hasMoved()) {
            prepare(slot, state, consumerId, immediate);
        }
        freeCount--;
        if (!now) {
            queue.enqueue(slot);
            backPressure.relieve();
            return SubmitResult.ACCEPTED;
        }
        int code = queue.submit(slot);
        if (code == Calls.SUCCESS) {
            backPressure.relieve();
            return SubmitResult.ACCEPTED;
        }
        freeCount++;
        if (state != null) {
            state.endTask();
        }
        if (code == AGAIN) {
            return refuse(producer, SubmitResult.NO_RECEIVE);
        }
        throw refused(code, TaskCalls.SUBMIT_NAME, state, consumerId, immediate);
    }

    /** As for a single buffer, of buffers whose data are one payload. */
    SubmitResult sendList(BufferList list, int consumerId, MemorySegment immediate, boolean now) {
        engine.checkOwner();
        if (!context.isRunning()) {
            throw notRunning();
        }
        BufferListState state = CoreObjects.of(list);
        checkSize(state.size());
        if (immediate != null && isTooLong(immediate)) {
            throw refused(INVALID, ProducerCalls.get().allocateFunction(), state, consumerId, immediate);
        }
        checkLength(state.length());
        if (freeCount == 0) {
            return refuse(producer, SubmitResult.NO_TASK);
        }
        state.beginTask(context);
        int slot = free[freeCount - 1];
        prepare(slot, state, consumerId, immediate);
        freeCount--;
        int code = Calls.SUCCESS;
        if (now) {
            code = queue.submit(slot);
        } else {
            queue.enqueue(slot);
        }
        if (code == Calls.SUCCESS) {
            backPressure.relieve();
            return SubmitResult.ACCEPTED;
        }
        freeCount++;
        lists[slot] = null;
        state.endTask(false);
        if (code == AGAIN) {
            return refuse(producer, SubmitResult.NO_RECEIVE);
        }
        throw refused(code, TaskCalls.SUBMIT_NAME, state, consumerId, immediate);
    }

    private void checkSize(int buffers) {
        if (buffers == 0) {
            throw new IllegalArgumentException("a list without buffers");
        }
        Device device = producer.connection().endpoint().device();
        if (listLimit == 0) {
            listLimit = Capabilities.of(device)
                    .producer()
                    .map(Capabilities.Producer::maxBufferListLength)
                    .orElse(1L);
        }
        if (buffers > listLimit) {
            throw new IllegalArgumentException(
                    "a list of " + buffers + " buffers, where " + device + " takes at most " + listLimit);
        }
    }

    // DOCA checks none of the following when a task is made or submitted

    private boolean isTooLong(MemorySegment immediate) {
        if (immediateLimit < 0) {
            immediateLimit = Capabilities.of(producer.connection().endpoint().device())
                    .consumer()
                    .map(Capabilities.Consumer::maxImmediateLength)
                    .orElse(0L);
        }
        return immediate.byteSize() > immediateLimit && immediateLimit > 0; // 0: it lacks the functions, too
    }

    private void checkLength(long length) {
        Device device = producer.connection().endpoint().device();
        if (dataLimit < 0) {
            dataLimit = Capabilities.of(device)
                    .producer()
                    .map(Capabilities.Producer::maxBufferSize)
                    .orElse(Long.MAX_VALUE);
        }
        if (length > dataLimit) {
            throw Failures.refused(
                    INVALID,
                    TaskCalls.SUBMIT_NAME,
                    "sending with " + producer + ": " + length + " bytes of data, where the device sends at most "
                            + dataLimit);
        }
    }

    /** See {@link FastPathEndpoint#checkMemory}. */
    void checkMemory(BufferState state) {
        Buffer buffer = (Buffer) state.buffer();
        if (buffer.memory().isRemote()) {
            throw Failures.refused(
                    DocaError.NOT_SUPPORTED,
                    TaskCalls.SUBMIT_NAME,
                    "sending with " + producer + ": " + buffer.memory() + " is of another process");
        }
        String hint = hintAbout(state);
        if (!hint.isEmpty()) {
            throw Failures.refused(
                    INVALID, TaskCalls.SUBMIT_NAME, "sending " + state.length() + " bytes with " + producer + hint);
        }
    }

    /** Makes the slot's task one for this send. */
    private void prepare(int slot, BufferState buffer, int consumerId, MemorySegment immediate) {
        int code = DocaError.UNKNOWN.code();
        String function = ProducerCalls.get().allocateFunction();
        try {
            if (buffer != null) {
                checkLength(buffer.length());
            }
            long address = buffer == null ? 0 : buffer.address();
            code = prepareTask(slot, address, consumerId, immediate);
            if (code == Calls.SUCCESS && buffer != null && buffer.hasMoved()) {
                function = BufferCalls.SET_DATA_NAME;
                code = queue.moveData(slot, address, buffer.dataAddress(), buffer.length());
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
        buffers[slot] = buffer; // before the submit: a completion may come at any time after
        plainTo[slot] = buffer == null || immediate != null ? 0 : consumerId;
    }

    private void prepare(int slot, BufferListState list, int consumerId, MemorySegment immediate) {
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

    private int prepareTask(int slot, long buffer, int consumerId, MemorySegment immediate) {
        plainTo[slot] = 0;
        if (typed[slot] == 0) {
            return allocate(slot, buffer, consumerId, immediate);
        }
        update(slot, buffer, consumerId, immediate);
        return Calls.SUCCESS;
    }

    private int allocate(int slot, long buffer, int consumerId, MemorySegment immediate) {
        long bytes = 0;
        int length = 0;
        if (immediate != null) {
            bytes = staging.stageCopy(immediate);
            length = (int) immediate.byteSize();
        }
        int code =
                ProducerCalls.allocate(context.address(), buffer, bytes, length, consumerId, staging.resultAddress());
        if (code == Calls.SUCCESS) {
            allocated(slot, ProducerCalls.asTask(staging.result()), buffer, consumerId);
            immediates[slot] = immediate != null;
        }
        return code;
    }

    private void update(int slot, long buffer, int consumerId, MemorySegment immediate) {
        queue.prepare(slot, buffer, consumerId);
        if (immediate != null) {
            ProducerCalls.setImmediate(typed[slot], staging.stageCopy(immediate), (int) immediate.byteSize());
            immediates[slot] = true;
        } else if (immediates[slot]) {
            ProducerCalls.setImmediate(typed[slot], 0, 0);
            immediates[slot] = false;
        }
    }

    private RuntimeException notRunning() {
        context.checkUsable();
        return new ConnectionClosedException(TaskCalls.SUBMIT_NAME, "sending with " + producer, producer.connection());
    }

    private DocaException refused(
            int code, String function, BufferState buffer, int consumerId, MemorySegment immediate) {
        return refused(code, function, buffer == null ? "" : buffer.length() + " bytes", buffer, consumerId, immediate);
    }

    private DocaException refused(
            int code, String function, BufferListState list, int consumerId, MemorySegment immediate) {
        String data = list.length() + " bytes in " + list.size() + " buffers";
        return refused(code, function, data, suspect(list), consumerId, immediate);
    }

    private DocaException refused(
            int code, String function, String data, BufferState buffer, int consumerId, MemorySegment immediate) {
        DocaError error = DocaError.of(code);
        if (ConnectionClosedException.isMeantBy(error)) {
            return new ConnectionClosedException(function, "sending with " + producer, producer.connection());
        }
        String what = data
                + (buffer == null || immediate == null ? "" : " and ")
                + (immediate == null ? "" : immediate.byteSize() + " bytes of immediate data");
        return Failures.refused(
                code,
                function,
                "sending " + what + " to consumer " + consumerId + " with " + producer
                        + (error == DocaError.INVALID_VALUE ? whyInvalid(function, buffer, immediate) : ""));
    }

    private String hintAbout(BufferState buffer) {
        return buffer == null
                ? ""
                : producer.connection().hintAbout(buffer(buffer).memory());
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

    private String whyInvalid(String function, BufferState buffer, MemorySegment immediate) {
        String memory = hintAbout(buffer);
        if (!memory.isEmpty()) {
            return memory;
        }
        Device device = producer.connection().endpoint().device();
        long most = immediate == null
                ? 0
                : Capabilities.of(device)
                        .consumer()
                        .map(Capabilities.Consumer::maxImmediateLength)
                        .orElse(0L);
        if (immediate != null && immediate.byteSize() > most && most > 0) {
            return ": " + immediate.byteSize() + " bytes of immediate data, where " + device + " takes at most " + most;
        }
        String told = function.equals(TaskCalls.SUBMIT_NAME) ? Diagnosis.lastError() : "";
        String usual = "more than that consumer's next posted buffer or its immediateLength() takes,"
                + " or no such consumer (any more)";
        return ": " + (told.isEmpty() ? usual : told);
    }

    @Override
    boolean tellsRoom() {
        return onRoom != null;
    }

    @Override
    void tellRoom() {
        onRoom.onRoom(producer);
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
            sent.increment();
            if (buffer != null) {
                sentBytes.add(buffer.length());
            }
            failureTold = false;
        } else {
            countFailure(producer, status);
        }
        if (releaseSent && buffer != null) {
            completedAndReleased(buffer, status);
        } else if (onCompletion != null) {
            onCompletion.onCompletion(producer, buffer(buffer), status);
        } else if (!success) {
            throwFailure(status, buffer);
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
                sent.increment();
                sentBytes.add(list.length());
                failureTold = false;
            } else {
                countFailure(producer, status);
            }
            if (onListCompletion != null) {
                onListCompletion.onCompletion(producer, (BufferList) list.list(), status);
            } else if (!success && !context.isEnding()) {
                throwFailure(status, suspect(list));
            }
        } finally {
            if (releaseSent) {
                list.returnHome();
            }
        }
    }

    /** The program has not asked to be told of failures. */
    private void throwFailure(DocaError status, BufferState buffer) {
        if (!failureTold && !context.isEnding()) {
            failureTold = true; // once: when a peer dies, everything in flight fails
            throw Failures.refused(status, TaskCalls.SUBMIT_NAME, "sending with " + producer + hintAbout(buffer));
        }
    }

    private void completedAndReleased(BufferState buffer, DocaError status) {
        try {
            if (onCompletion != null) {
                onCompletion.onCompletion(producer, buffer(buffer), status);
            }
        } finally {
            buffer.returnHome();
        }
        if (onCompletion == null && status != DocaError.SUCCESS) {
            throwFailure(status, buffer);
        }
    }
}
