package io.github.comch4j.internal.transport;

import io.github.comch4j.internal.call.Calls;
import java.lang.foreign.MemorySegment;

/** With the batch library: slots and queue are in memory that it shares. */
final class BatchedTaskQueue extends TaskQueue {
    private static final class TaskCallbacks {
        static final MemorySegment SENT = Batch.function("comch4j_batch_sent");
        static final MemorySegment FREED = Batch.function("comch4j_batch_freed");
        static final MemorySegment NOT_SENT = Batch.function("comch4j_batch_not_sent");
        static final MemorySegment RECEIVED = Batch.function("comch4j_batch_received");
        static final MemorySegment RECEIVED_DATA = Batch.function("comch4j_batch_received_data");
        static final MemorySegment NOT_RECEIVED = Batch.function("comch4j_batch_not_received");
        static final MemorySegment COPIED = Batch.function("comch4j_batch_copied");
        static final MemorySegment NOT_COPIED = Batch.function("comch4j_batch_not_copied");
        static final MemorySegment STATE = Batch.function("comch4j_batch_state");
    }

    private final BatchedTransport transport;
    private final ContextEvents context;
    private final SlotEvents owner;
    private final MemorySegment memory; // of the transport
    private final int count;
    private final int index;
    private final long address; // struct batch_context
    private final long slots;
    private final long data;
    private final long sources; // of copies
    private final long queue;
    private final int queueMask;
    private final long anyQueued; // batch_engine.queued
    private final FreedSlots freed; // null: each end of a task is in the ring
    private int queueTail;
    private int queueHead; // as far as known: the batch library moves it
    private boolean queuedSends;

    BatchedTaskQueue(
            BatchedTransport transport,
            ContextEvents context,
            SlotEvents owner,
            int index,
            long view,
            TaskKind kind,
            int count) {
        super(kind, count);
        this.transport = transport;
        this.context = context;
        this.owner = owner;
        this.count = count;
        this.index = index;
        int capacity = powerOfTwo(count);
        this.queueMask = capacity - 1;
        long slotsAt = lines(Batch.CONTEXT_SIZE);
        long dataAt = slotsAt + lines((long) count << Batch.SLOT_SHIFT);
        long sourcesAt = dataAt + lines((long) count << Batch.DATA_SHIFT);
        long queueAt = kind == TaskKind.COPY ? sourcesAt + lines((long) count << Batch.SOURCE_SHIFT) : sourcesAt;
        long freedAt = queueAt + lines((long) capacity * Long.BYTES);
        boolean inBulk = owner.isFreedInBulk();
        this.memory = transport.contextMemory().take(inBulk ? freedAt + (long) capacity * Long.BYTES : freedAt);
        this.address = memory.address();
        this.slots = address + slotsAt;
        this.data = address + dataAt;
        this.sources = address + sourcesAt;
        this.queue = address + queueAt;
        this.freed = inBulk ? new FreedSlots(address, address + freedAt, queueMask) : null;
        this.anyQueued = transport.address() + Batch.ENGINE_QUEUED;
        Batch.setLong(address + Batch.CONTEXT_ENGINE, transport.address());
        Batch.setLong(address + Batch.CONTEXT_CTX, view);
        Batch.setLong(address + Batch.CONTEXT_SLOTS, slots);
        Batch.setLong(address + Batch.CONTEXT_DATA, data);
        Batch.setLong(address + Batch.CONTEXT_QUEUE, queue);
        Batch.setInt(address + Batch.CONTEXT_QUEUE_MASK, queueMask);
        Batch.setShort(address + Batch.CONTEXT_INDEX, index);
        Batch.setByte(address + Batch.CONTEXT_KIND, kind.code);
        if (kind == TaskKind.COPY) {
            Batch.setLong(address + Batch.CONTEXT_SOURCES, sources);
        }
    }

    /** So many bytes, rounded up to whole cache lines. */
    private static long lines(long bytes) {
        return (bytes + 63) & -64;
    }

    /** The {@code struct batch_context}, which is the context's user data. */
    long address() {
        return address;
    }

    int index() {
        return index;
    }

    ContextEvents context() {
        return context;
    }

    /** Those that there are by now, which are to be taken at once. */
    FreedSlots takeFreed() {
        freed.takeAll();
        return freed;
    }

    private long slot(int number) {
        return slots + ((long) number << Batch.SLOT_SHIFT);
    }

    @Override
    public MemorySegment completedCallback() {
        return switch (kind) {
            case SEND -> freed == null ? TaskCallbacks.SENT : TaskCallbacks.FREED;
            case RECEIVE -> owner.takesImmediates() ? TaskCallbacks.RECEIVED : TaskCallbacks.RECEIVED_DATA;
            case COPY -> TaskCallbacks.COPIED;
        };
    }

    @Override
    public MemorySegment failedCallback() {
        return switch (kind) {
            case SEND -> TaskCallbacks.NOT_SENT;
            case RECEIVE -> TaskCallbacks.NOT_RECEIVED;
            case COPY -> TaskCallbacks.NOT_COPIED;
        };
    }

    /** Changes of state go into the ring too: then nothing of this context is an upcall. */
    static MemorySegment stateCallback() {
        return TaskCallbacks.STATE;
    }

    @Override
    void setTask(int number, long buffer, int consumer) {
        long slot = slot(number);
        Batch.setLong(slot + Batch.SLOT_TASK, tasks[number]);
        Batch.setLong(slot + Batch.SLOT_TYPED, typed[number]);
        Batch.setLong(slot + Batch.SLOT_BUF, buffer);
        Batch.setInt(slot + Batch.SLOT_CONSUMER, consumer);
        Batch.setInt(slot + Batch.SLOT_CHANGES, 0);
    }

    @Override
    void setBuffer(int number, long buffer) {
        long slot = slot(number);
        Batch.setLong(slot + Batch.SLOT_BUF, buffer);
        change(slot, Batch.CHANGED_BUF);
    }

    @Override
    void setConsumer(int number, int consumer) {
        long slot = slot(number);
        Batch.setInt(slot + Batch.SLOT_CONSUMER, consumer);
        change(slot, Batch.CHANGED_CONSUMER);
    }

    @Override
    public int moveData(int number, long buffer, long start, long length) {
        long segment = data + ((long) number << Batch.DATA_SHIFT);
        Batch.setLong(segment + Batch.DATA_DATA, start);
        Batch.setLong(segment + Batch.DATA_LEN, length);
        change(slot(number), Batch.CHANGED_DATA);
        return Calls.SUCCESS;
    }

    private long source(int number) {
        return sources + ((long) number << Batch.SOURCE_SHIFT);
    }

    @Override
    void sourceAllocated(int number, long buffer) {
        Batch.setLong(source(number) + Batch.SOURCE_BUF, buffer);
    }

    @Override
    void setSource(int number, long buffer) {
        Batch.setLong(source(number) + Batch.SOURCE_BUF, buffer);
        change(slot(number), Batch.CHANGED_SOURCE);
    }

    @Override
    public int moveSource(int number, long buffer, long start, long length) {
        long source = source(number);
        Batch.setLong(source + Batch.SOURCE_DATA, start);
        Batch.setLong(source + Batch.SOURCE_LEN, length);
        change(slot(number), Batch.CHANGED_SOURCE_DATA);
        return Calls.SUCCESS;
    }

    @Override
    void setImmediate(int number, long immediate, int length) {
        long segment = data + ((long) number << Batch.DATA_SHIFT);
        Batch.setLong(segment + Batch.DATA_IMM, immediate);
        Batch.setInt(segment + Batch.DATA_IMM_LEN, length);
        change(slot(number), Batch.CHANGED_IMMEDIATE);
    }

    private static void change(long slot, int what) {
        Batch.setInt(slot + Batch.SLOT_CHANGES, Batch.getInt(slot + Batch.SLOT_CHANGES) | what);
    }

    @Override
    public int submit(int number) {
        return Batch.submit(address, number);
    }

    @Override
    public int submitSoon(int number, int posted) {
        return appendReceive(number, posted);
    }

    @Override
    public int submitEmpty(int number, int posted) {
        return appendReceive(number | Batch.EMPTY, posted);
    }

    @Override
    public void submitEmpty(int first, int number, int posted) {
        append(first | Batch.EMPTY, number);
        limitReceives(posted);
    }

    private int appendReceive(int what, int posted) {
        append(what, 1);
        limitReceives(posted);
        return Calls.SUCCESS;
    }

    /** Submits what is queued if the peer would miss too much. */
    private void limitReceives(int posted) {
        int limit = Math.min(posted >> 2, Batch.QUEUED);
        if (queueTail - queueHead > limit) { // that was known of the head
            queueHead = Batch.getInt(address + Batch.CONTEXT_QUEUE_HEAD);
            if (queueTail - queueHead > limit) {
                flush();
            }
        }
    }

    @Override
    public void enqueue(int slot) {
        enqueue(slot, 1);
        if ((queueTail & Batch.QUEUED - 1) == 0) {
            flush();
        }
    }

    /**
     * A row that fills the queue stays in it, as a progress follows most rows and submits it too: a call into C less,
     * after each of which the processor waits until what the program has written has left the core.
     */
    @Override
    public void enqueue(int first, int number) {
        // by position: a consumer without room is not asked again for each send
        if (queuedSends && (queueTail - 1 & Batch.QUEUED - 1) + number >= Batch.QUEUED) {
            flush();
        }
        append(first, number);
        if (!queuedSends) {
            queuedSends = true;
            transport.sendsQueued(1);
        }
        if (number > Batch.QUEUED) {
            flush();
        }
    }

    @Override
    public boolean submitOrEnqueue(int number) {
        if (!queuedSends && Batch.submit(address, number) == Calls.SUCCESS) {
            return true;
        }
        return super.submitOrEnqueue(number); // what was refused ends as what is queued does
    }

    /** A row: the first slot, perhaps with {@link Batch#EMPTY}, and how many slots it has. */
    private void append(int first, int number) {
        Batch.setLong(
                queue + (long) (queueTail & queueMask) * Long.BYTES,
                Integer.toUnsignedLong(first) | (long) number << Batch.ROW_SHIFT);
        queueTail += number;
        Batch.setInt(address + Batch.CONTEXT_QUEUE_TAIL, queueTail);
        Batch.setInt(anyQueued, 1);
    }

    boolean hasQueuedSends() {
        return queuedSends;
    }

    @Override
    public int flush() {
        int left = queued() == 0 ? 0 : Batch.flush(address);
        if (left == 0) {
            noQueuedSends();
        }
        return left;
    }

    private void noQueuedSends() {
        if (queuedSends) {
            queuedSends = false;
            transport.sendsQueued(-1);
        }
    }

    @Override
    public int queued() {
        return queueTail - Batch.getInt(address + Batch.CONTEXT_QUEUE_HEAD);
    }

    @Override
    public long retries() {
        return Batch.getLong(address + Batch.CONTEXT_STALLS);
    }

    @Override
    public void cancel() {
        if (queued() > 0) {
            Batch.cancel(address, CANCELLED);
        }
    }

    @Override
    public void close() {
        noQueuedSends();
        transport.remove(index, count);
        transport.contextMemory().giveBack(memory);
    }
}
